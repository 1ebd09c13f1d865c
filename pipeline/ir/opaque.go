// Package ir rewrites LLVM assembly that other compilers have printed into the form that clang prints for C with
// the versions in use here: pointers without pointee types, calls that do not unwind. It works on the text as LLVM
// prints it, line by line, since what comes out is read, linked, instrumented and compiled as text.
package ir

import (
	"bytes"
	"fmt"
)

// HasTypedPointers tells whether a text has pointers with pointee types, as LLVM up to 14 prints them.
func HasTypedPointers(text []byte) bool {
	typed := false
	scan(text, func(i int) bool {
		typed = text[i] == '*'
		return !typed
	})
	return typed
}

// Opaque writes ptr for each type of pointers. Of what else LLVM 15 demands beside that, nothing is printed by
// version 14 in another way: accesses, address computations and byval name their types already. The error tells the
// line of a text that LLVM has not printed.
func Opaque(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	done, failed := 0, -1
	scan(text, func(i int) bool {
		if text[i] != '*' {
			return true
		}
		out = append(out, text[done:i]...)
		done = i + 1
		start, space := pointee(out)
		if start < 0 {
			failed = i
			return false
		}
		out = append(append(out[:start:start], "ptr"...), space...)
		return true
	})
	if failed >= 0 {
		return nil, fmt.Errorf("line %d: no type stands before the *", 1+bytes.Count(text[:failed], []byte("\n")))
	}
	return append(out, text[done:]...), nil
}

// scan calls f for each byte outside of strings and comments, until f returns false.
func scan(text []byte, f func(i int) bool) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := bytes.IndexByte(text[i+1:], '"')
			if n < 0 {
				return
			}
			i += n + 1
		case ';':
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return
			}
			i += n
		default:
			if !f(i) {
				return
			}
		}
	}
}

// pointee finds where the type at the end of a text begins, -1 for none, and the text of the address space behind it:
// " addrspace(1)" or "".
func pointee(text []byte) (start int, space string) {
	if bytes.HasSuffix(text, []byte(")")) {
		if open := opening(text); open >= 0 && bytes.HasSuffix(text[:open], []byte(" addrspace")) {
			at := open - len(" addrspace")
			start, _ = pointee(text[:at])
			return start, string(text[at:])
		}
	}
	return typeStart(text), ""
}

// typeStart is where the type at the end of a text begins, -1 for none.
func typeStart(text []byte) int {
	if len(text) == 0 {
		return -1
	}
	switch text[len(text)-1] {
	case ')': // a function: its result stands before the brackets
		open := opening(text)
		if open < 0 {
			return -1
		}
		start, _ := pointee(bytes.TrimRight(text[:open], " "))
		return start
	case '}', ']', '>':
		return opening(text)
	case '"':
		if open := bytes.LastIndexByte(text[:len(text)-1], '"'); open > 0 && text[open-1] == '%' {
			return open - 1
		}
		return -1
	}
	i := len(text)
	for i > 0 && isNameByte(text[i-1]) {
		i--
	}
	if i == len(text) {
		return -1
	}
	if i > 0 && text[i-1] == '%' {
		i--
	}
	return i
}

// opening is where the bracket was opened that ends a text, -1 for nowhere.
func opening(text []byte) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case '"':
			i = bytes.LastIndexByte(text[:i], '"')
		case '\n':
			return -1
		case ')', ']', '}', '>':
			depth++
		case '(', '[', '{', '<':
			if depth--; depth == 0 {
				return i
			}
		}
		if i < 0 {
			break
		}
	}
	return -1
}

func isNameByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '$' || b == '.' ||
		b == '_'
}
