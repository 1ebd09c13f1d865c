package asm

import (
	"bytes"
	"fmt"
	"strings"
)

// declarationOf returns a declaration in place of a definition that another module's definition overrides.
func declarationOf(s *Symbol, text []byte) ([]byte, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch s.Kind {
	case Function:
		return DeclareFunction(s, line)
	case Variable:
		return declareVariable(s, line)
	}
	return declareAlias(s, line)
}

// DeclareFunction turns `define LINKAGE … T @f(PARAMS) … #0 … {` into `declare … T @f(PARAMS) #0`. It drops the debug
// information, which is not allowed on declarations.
func DeclareFunction(s *Symbol, line []byte) ([]byte, error) {
	at := NameStart(line)
	open := at + 1 + len(s.Name)
	end := Closing(line, open)
	if end < 0 {
		return nil, fmt.Errorf("cannot declare %s: unbalanced parameters", s.Name)
	}
	out := []byte("declare ")
	for word := range bytes.FieldsSeq(line[len("define "):at]) {
		if _, ok := linkages[string(word)]; ok {
			continue
		}
		out = append(append(out, word...), ' ')
	}
	out = append(out, line[at:end+1]...)
	References(line[end+1:], func(sigil byte, name []byte, _ int) {
		if sigil == '#' {
			out = fmt.Appendf(out, " #%s", name)
		}
	})
	return append(out, '\n'), nil
}

// declareVariable turns `@x = LINKAGE … global T INIT, …` into `@x = external … global T`.
func declareVariable(s *Symbol, line []byte) ([]byte, error) {
	head, rest, ok := bytes.Cut(line, []byte(" = "))
	if !ok {
		return nil, fmt.Errorf("cannot declare %s", s.Name)
	}
	out := append(bytes.Clone(head), " = external "...)
	for {
		word, tail, ok := bytes.Cut(rest, []byte(" "))
		if !ok {
			return nil, fmt.Errorf("cannot declare %s", s.Name)
		}
		rest = tail
		if _, isLinkage := linkages[string(word)]; isLinkage {
			continue
		}
		out = append(append(out, word...), ' ')
		if w := string(word); w == "global" || w == "constant" {
			break
		}
	}
	n := TypeLength(rest)
	if n <= 0 {
		return nil, fmt.Errorf("cannot declare %s: unknown type", s.Name)
	}
	return append(append(out, rest[:n]...), '\n'), nil
}

// declareAlias turns `@a = … alias T, T* @b` into a declaration of T.
func declareAlias(s *Symbol, line []byte) ([]byte, error) {
	_, rest, ok := bytes.Cut(line, []byte("alias "))
	n := 0
	if ok {
		n = TypeLength(rest)
	}
	if n <= 0 {
		return nil, fmt.Errorf("cannot replace %s, an alias or ifunc", s.Name)
	}
	t := strings.TrimSpace(string(rest[:n]))
	if strings.HasSuffix(t, ")") { // a function type: the result, followed by its parameters
		depth := 0
		for i := len(t) - 1; i >= 0; i-- {
			switch t[i] {
			case ')':
				depth++
			case '(':
				if depth--; depth == 0 {
					return fmt.Appendf(nil, "declare %s@%s%s\n", t[:i], s.Name, t[i:]), nil
				}
			}
		}
	}
	return fmt.Appendf(nil, "@%s = external global %s\n", s.Name, t), nil
}

// Closing returns the position of the bracket that closes the one at open, or -1. Strings are skipped.
func Closing(text []byte, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '"':
			n := bytes.IndexByte(text[i+1:], '"')
			if n < 0 {
				return -1
			}
			i += n + 1
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// TypeLength returns the length of the LLVM type at the start of the text, or 0 if there is none. A type is a word or a
// bracketed aggregate, followed by any number of `*`, ` addrspace(N)` and parameter lists.
func TypeLength(text []byte) int {
	i := 0
	switch {
	case len(text) == 0:
		return 0
	case text[0] == '{' || text[0] == '[' || text[0] == '<':
		i = Closing(text, 0) + 1
	case text[0] == '%':
		i = 1 + len(GlobalName(text[1:]))
	default:
		i = len(GlobalName(text))
	}
	if i == 0 {
		return 0
	}
	for i < len(text) {
		switch {
		case text[i] == '*':
			i++
		case bytes.HasPrefix(text[i:], []byte(" addrspace(")):
			end := Closing(text, i+len(" addrspace"))
			if end < 0 {
				return 0
			}
			i = end + 1
		case bytes.HasPrefix(text[i:], []byte(" (")):
			// It is a function type unless a constant follows: constants in brackets start with their name.
			end := Closing(text, i+1)
			if end < 0 {
				return 0
			}
			i = end + 1
		default:
			return i
		}
	}
	return i
}
