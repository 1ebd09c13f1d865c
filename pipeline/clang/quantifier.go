package clang

import (
	"bytes"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// CBMC's quantifiers are no C: __CPROVER_forall { T i; A(i) ==> B(i) }. They are rewritten to the body for one
// arbitrary i, a local variable that is never written: (__extension__({ T i; !(A(i)) || (B(i)); })). Where all i
// fulfil the body, that is true; else it may be either. So the value that the quantifier has is always among those
// that the rewritten one can have, which is what soundness needs wherever it stands; asserted, it is exact, since the i
// that fails is among those looked at; assumed, it says less, which can only add false alarms. The same holds, the
// other way round, of __CPROVER_exists, which is exact where it is denied.
//
// Where the body bounds i by a constant (i < sizeof x ==> ...), the quantifier is the loop over all i below it, which
// is exact everywhere. Whether the bound is a constant only clang knows: both forms are written down, for it to choose.

var quantifiers = [][]byte{[]byte("__CPROVER_forall"), []byte("__CPROVER_exists")}

// rewriteQuantifiers rewrites all quantifiers of a file, in macros, too; false when there is none, or none of that
// form. Lines stay where they are.
func rewriteQuantifiers(text []byte) ([]byte, bool) {
	var out []byte
	done := 0
	for t := (csource.Scanner{Text: text}); ; {
		word := t.Code()
		if word.Kind == csource.End {
			break
		}
		exists := word.Of(text) == string(quantifiers[1])
		if word.Kind != csource.Ident || !exists && word.Of(text) != string(quantifiers[0]) {
			continue
		}
		if body, end, ok := quantified(text, word.End, exists); ok {
			out = append(out, text[done:word.Start]...)
			out = append(out, body...)
			done, t.Next = end, end
		}
	}
	if done == 0 {
		return nil, false
	}
	return append(out, text[done:]...), true
}

// quantified reads { DECLARATION; BODY } from a place on, and gives what stands for the quantifier, with the place
// behind it.
func quantified(text []byte, at int, exists bool) (out []byte, end int, ok bool) {
	t := csource.Scanner{Text: text, Next: at}
	brace := t.Scan()
	if !brace.Is(text, "{") {
		return nil, 0, false
	}
	open, semicolon, arrow, depth := brace.Start, -1, -1, 1
	end = -1
	for end < 0 {
		tok := t.Code()
		switch {
		case tok.Kind == csource.End:
			return nil, 0, false
		case tok.Is(text, "(") || tok.Is(text, "{") || tok.Is(text, "["):
			depth++
		case tok.Is(text, ")") || tok.Is(text, "}") || tok.Is(text, "]"):
			if depth--; depth == 0 {
				end = tok.Start
			}
		case depth == 1 && tok.Is(text, ";") && semicolon < 0:
			semicolon = tok.Start
		case depth == 1 && tok.Is(text, "==") && bytes.HasPrefix(text[tok.Start:], []byte("==>")):
			if arrow >= 0 {
				return nil, 0, false // A ==> B ==> C: rare, and ours to get wrong
			}
			arrow = tok.Start
			t.Next++ // of the operator that C does not have
		}
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
