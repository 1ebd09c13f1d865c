// Package ir rewrites LLVM assembly of other compilers into the form that clang prints for C with the supported
// versions: pointers without pointee types, calls that do not unwind. It works on the text as LLVM prints it, line by
// line, since the result is parsed, linked, instrumented and compiled as text.
//
// For example, Opaque and WithoutUnwinding turn
//
//	invoke void @f(i32* %p) to label %next unwind label %handler
//
// into a call of @f with an argument of type ptr, followed by a branch to %next.
//
// Reading order: unit.go (kinds of files and their definitions), opaque.go (types of pointers), unwind.go, bodies.go,
// promises.go (attributes of newer versions).
package ir

import (
	"bytes"
	"fmt"
)

// HasTypedPointers reports whether a text has pointers with pointee types, as LLVM up to 14 prints them.
func HasTypedPointers(text []byte) bool {
	typed := false
	scan(text, func(i int) bool {
		typed = text[i] == '*'
		return !typed
	})
	return typed
}

// Opaque replaces each pointer type by ptr. This is the only difference between the syntax of versions 14 and 15: in
// version 14, accesses, address computations and byval already contain their types. The error contains the line of a
// text that LLVM did not print.
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

// scan calls f for each byte outside strings and comments, until f returns false.
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

// pointee returns the start of the type at the end of a text, or -1, and the text of the address space behind it: "
// addrspace(1)" or "".
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

// typeStart returns the start of the type at the end of a text, or -1.
func typeStart(text []byte) int {
	if len(text) == 0 {
		return -1
	}
	switch text[len(text)-1] {
	case ')': // a function: its result type precedes the parentheses
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

// opening returns the position of the partner of the closing bracket that ends a text, or -1.
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
