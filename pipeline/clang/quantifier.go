package clang

import "bytes"

// CBMC's quantifiers are no C: __CPROVER_forall { T i; A(i) ==> B(i) }. They are rewritten to the body for one
// arbitrary i, a local variable that is never written: (__extension__({ T i; !(A(i)) || (B(i)); })). Where all i
// fulfil the body, that is true; else it may be either. So the value that the quantifier has is always among those
// that the rewritten one can have, which is what soundness needs wherever it stands; asserted, it is exact, since the i that
// fails is among those looked at; assumed, it says less, which can only add false alarms. The same holds, the other way
// round, of __CPROVER_exists, which is exact where it is denied.
//
// Where the body bounds i by a constant (i < sizeof x ==> ...), the quantifier is the loop over all i below it, which is
// exact everywhere. Whether the bound is a constant only clang knows: both forms are written down, for it to choose.

var quantifiers = [][]byte{[]byte("__CPROVER_forall"), []byte("__CPROVER_exists")}

// rewriteQuantifiers rewrites all quantifiers of a file, in macros, too; false when there is none, or none of that form.
// Lines stay where they are.
func rewriteQuantifiers(text []byte) ([]byte, bool) {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		skip := skipToken(text, i)
		if skip == 0 {
			skip = 1
			if n := identifierLength(text[i:]); n > 0 {
				skip = n
				if word := text[i : i+n]; bytes.Equal(word, quantifiers[0]) || bytes.Equal(word, quantifiers[1]) {
					if body, end, ok := quantified(text, i+n, bytes.Equal(word, quantifiers[1])); ok {
						out = append(out, text[done:i]...)
						out = append(out, body...)
						done, skip = end, end-i
					}
				}
			}
		}
		i += skip
	}
	if done == 0 {
		return nil, false
	}
	return append(out, text[done:]...), true
}

// quantified reads { DECLARATION; BODY } from a place on, and gives what stands for the quantifier, with the place behind it.
func quantified(text []byte, at int, exists bool) (out []byte, end int, ok bool) {
	open := at
	for open < len(text) && bytes.IndexByte([]byte(" \t\r\n\\"), text[open]) >= 0 {
		open++
	}
	if open == len(text) || text[open] != '{' {
		return nil, 0, false
	}
	semicolon, arrow, depth := -1, -1, 0
	end = -1
	for i := open; i < len(text) && end < 0; {
		if n := skipToken(text, i); n > 0 {
			i += n
			continue
		}
		switch c := text[i]; {
		case c == '(' || c == '{' || c == '[':
			depth++
		case c == ')' || c == '}' || c == ']':
			if depth--; depth == 0 {
				end = i
			}
		case c == ';' && depth == 1 && semicolon < 0:
			semicolon = i
		case c == '=' && depth == 1 && bytes.HasPrefix(text[i:], []byte("==>")):
			if arrow >= 0 {
				return nil, 0, false // A ==> B ==> C: rare, and ours to get wrong
			}
			arrow = i
		}
		i++
	}
	if end < 0 || semicolon < 0 || arrow >= 0 && arrow < semicolon {
		return nil, 0, false
	}
	bounded := boundedQuantifier(text[open+1:semicolon], text[semicolon+1:end], arrow-semicolon-1, exists)
	out = append(append(append(out, bounded...), "(__extension__("...), text[at:semicolon+1]...)
	if arrow < 0 {
		out = append(append(out, " ("...), nested(text[semicolon+1:end])...)
	} else {
		out = append(append(out, " (!("...), nested(text[semicolon+1:arrow])...)
		out = append(append(out, ") || ("...), nested(text[arrow+3:end])...)
		out = append(out, ')')
	}
	out = append(out, "); }))"...)
	if bounded != "" {
		out = append(out, ')')
	}
	return out, end + 1, true
}

// nested is a part of a body with the quantifiers in it rewritten.
func nested(part []byte) []byte {
	if out, ok := rewriteQuantifiers(part); ok {
		return out
	}
	return part
}

// skipToken is the length of the comment, string or character constant at a place, 0 if there is none.
func skipToken(text []byte, i int) int {
	switch {
	case bytes.HasPrefix(text[i:], []byte("//")):
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			return n
		}
		return len(text) - i
	case bytes.HasPrefix(text[i:], []byte("/*")):
		if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
			return n + 4
		}
		return len(text) - i
	case text[i] == '"' || text[i] == '\'':
		for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
			if text[j] == '\\' {
				j++
			} else if text[j] == text[i] {
				return j + 1 - i
			}
		}
	}
	return 0
}

// identifierLength is the length of the word at the start of the text, numbers included.
func identifierLength(text []byte) int {
	n := 0
	for n < len(text) && (text[n] == '_' || isDigit(text[n]) || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z') {
		n++
	}
	return n
}
