package clang

import (
	"bytes"
	"fmt"
	"strings"
)

// declarationOf makes a declaration from a definition that another module's replaces.
func declarationOf(s *symbol, text []byte) ([]byte, error) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch s.kind {
	case function:
		return declareFunction(s, line)
	case variable:
		return declareVariable(s, line)
	}
	return declareAlias(s, line)
}

// declareFunction: `define LINKAGE … T @f(PARAMS) … #0 … {` → `declare … T @f(PARAMS) #0`.
// The debug information of a definition may not stand at a declaration, so it goes.
func declareFunction(s *symbol, line []byte) ([]byte, error) {
	at := nameStart(line)
	open := at + 1 + len(s.name)
	end := closing(line, open)
	if end < 0 {
		return nil, fmt.Errorf("cannot declare %s: unbalanced parameters", s.name)
	}
	out := []byte("declare ")
	for word := range bytes.FieldsSeq(line[len("define "):at]) {
		if _, ok := linkages[string(word)]; ok {
			continue
		}
		out = append(append(out, word...), ' ')
	}
	out = append(out, line[at:end+1]...)
	references(line[end+1:], func(sigil byte, name []byte, _ int) {
		if sigil == '#' {
			out = fmt.Appendf(out, " #%s", name)
		}
	})
	return append(out, '\n'), nil
}

// declareVariable: `@x = LINKAGE … global T INIT, …` → `@x = external … global T`.
func declareVariable(s *symbol, line []byte) ([]byte, error) {
	head, rest, ok := bytes.Cut(line, []byte(" = "))
	if !ok {
		return nil, fmt.Errorf("cannot declare %s", s.name)
	}
	out := append(bytes.Clone(head), " = external "...)
	for {
		word, tail, ok := bytes.Cut(rest, []byte(" "))
		if !ok {
			return nil, fmt.Errorf("cannot declare %s", s.name)
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
	n := typeLength(rest)
	if n <= 0 {
		return nil, fmt.Errorf("cannot declare %s: unknown type", s.name)
	}
	return append(append(out, rest[:n]...), '\n'), nil
}

// declareAlias: `@a = … alias T, T* @b` → a declaration of T.
func declareAlias(s *symbol, line []byte) ([]byte, error) {
	_, rest, ok := bytes.Cut(line, []byte("alias "))
	n := 0
	if ok {
		n = typeLength(rest)
	}
	if n <= 0 {
		return nil, fmt.Errorf("cannot replace %s, an alias or ifunc", s.name)
	}
	t := strings.TrimSpace(string(rest[:n]))
	if strings.HasSuffix(t, ")") { // a function type: result, then its parameters
		depth := 0
		for i := len(t) - 1; i >= 0; i-- {
			switch t[i] {
			case ')':
				depth++
			case '(':
				if depth--; depth == 0 {
					return fmt.Appendf(nil, "declare %s@%s%s\n", t[:i], s.name, t[i:]), nil
				}
			}
		}
	}
	return fmt.Appendf(nil, "@%s = external global %s\n", s.name, t), nil
}

// closing is the place of the bracket that closes the one at open, or -1. Strings are skipped.
func closing(text []byte, open int) int {
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

// typeLength is the length of the LLVM type at the start of the text, 0 if there is none: a word or
// a bracketed aggregate, then any number of `*`, ` addrspace(N)` and parameter lists.
func typeLength(text []byte) int {
	i := 0
	switch {
	case len(text) == 0:
		return 0
	case text[0] == '{' || text[0] == '[' || text[0] == '<':
		i = closing(text, 0) + 1
	case text[0] == '%':
		i = 1 + len(globalName(text[1:]))
	default:
		i = len(globalName(text))
	}
	if i == 0 {
		return 0
	}
	for i < len(text) {
		switch {
		case text[i] == '*':
			i++
		case bytes.HasPrefix(text[i:], []byte(" addrspace(")):
			end := closing(text, i+len(" addrspace"))
			if end < 0 {
				return 0
			}
			i = end + 1
		case bytes.HasPrefix(text[i:], []byte(" (")):
			// A function type, unless a constant follows: those in brackets start with their name.
			end := closing(text, i+1)
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
