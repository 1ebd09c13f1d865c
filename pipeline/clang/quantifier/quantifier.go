// Package quantifier writes CBMC's quantifiers in C, as text for text.
//
// CBMC's quantifiers are no C: __CPROVER_forall { T i; A(i) ==> B(i) }. Where the body bounds i from above, they become
// a loop over the values in order, which a run executes and the engine does not: it evaluates the body once, for an
// arbitrary i, and keeps that as what holds for all i (vcgen/unfold/quantify). Nested ones of a kind are one over
// several variables.
//
// Without a bound they are rewritten to the body for one arbitrary i, a local variable that is never written:
// (__extension__({ T i; !(A(i)) || (B(i)); })). Where all i fulfil the body, that is true; else it may be either. So
// the value that the quantifier has is always among those that the rewritten one can have, which is what soundness
// needs wherever it stands; asserted, it is exact, since the i that fails is among those looked at; assumed, it says
// less, which can only add false alarms. The same holds, the other way round, of __CPROVER_exists, which is exact
// where it is denied.
//
// Outside of contracts a bound that is a small constant makes a loop over all i below it, for the engine as well.
// Whether it is a constant only clang knows: both forms are written down, for it to choose.
//
// It knows nothing of compilers, of contracts and of where files lie.
package quantifier

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

var words = [][]byte{[]byte("__CPROVER_forall"), []byte("__CPROVER_exists")}

// Mentioned tells whether a text, such as a complaint of clang, has a word for a quantifier.
func Mentioned(text []byte) bool {
	return bytes.Contains(text, words[0]) || bytes.Contains(text, words[1])
}

// Rewrite rewrites all quantifiers of a file, in macros, too; false when there is none, or none of that
// form. Lines stay where they are.
func Rewrite(text []byte, form Form) ([]byte, bool) {
	var out []byte
	done := 0
	for t := (csource.Scanner{Text: text}); ; {
		word := t.Code()
		if word.Kind == csource.End {
			break
		}
		exists := word.Of(text) == string(words[1])
		if word.Kind != csource.Ident || !exists && word.Of(text) != string(words[0]) {
			continue
		}
		if body, end, ok := quantified(text, word.End, exists, form); ok {
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

// Form says how quantifiers are written.
type Form uint8

const (
	// Expanded: those with small constant bounds are loops.
	Expanded Form = iota
	// Symbolic: all with bounds are what the engine knows as quantifiers.
	Symbolic
)

// A quantifier is one as it stands: { DECLARATION; BODY }, with places in the text.
type quantifier struct {
	text                   []byte
	exists                 bool
	open, semicolon, arrow int // arrow is that of ==>, negative without one
	end                    int // of the brace
}

// readQuantifier reads one whose word ends at a place.
func readQuantifier(text []byte, at int, exists bool) (q quantifier, ok bool) {
	t := csource.Scanner{Text: text, Next: at}
	brace := t.Scan()
	if !brace.Is(text, "{") {
		return q, false
	}
	q = quantifier{text: text, exists: exists, open: brace.Start, semicolon: -1, arrow: -1, end: -1}
	for depth := 1; q.end < 0; {
		tok := t.Code()
		switch {
		case tok.Kind == csource.End:
			return q, false
		case tok.Is(text, "(") || tok.Is(text, "{") || tok.Is(text, "["):
			depth++
		case tok.Is(text, ")") || tok.Is(text, "}") || tok.Is(text, "]"):
			if depth--; depth == 0 {
				q.end = tok.Start
			}
		case depth == 1 && tok.Is(text, ";") && q.semicolon < 0:
			q.semicolon = tok.Start
		case depth == 1 && tok.Is(text, "==") && bytes.HasPrefix(text[tok.Start:], []byte("==>")):
			if q.arrow >= 0 {
				return q, false // A ==> B ==> C: rare, and ours to get wrong
			}
			q.arrow = tok.Start
			t.Next++ // of the operator that C does not have
		}
	}
	return q, q.semicolon >= 0 && (q.arrow < 0 || q.arrow > q.semicolon)
}

func (q quantifier) declaration() []byte { return q.text[q.open+1 : q.semicolon] }
func (q quantifier) body() []byte        { return q.text[q.semicolon+1 : q.end] }

// condition is the body as C, with the quantifiers in it rewritten.
func (q quantifier) condition(form Form) []byte {
	if q.arrow < 0 {
		return slices.Concat([]byte("("), nested(q.body(), form), []byte(")"))
	}
	return slices.Concat([]byte("(!("), nested(q.text[q.semicolon+1:q.arrow], form), []byte(") || ("),
		nested(q.text[q.arrow+3:q.end], form), []byte("))"))
}

// quantified reads { DECLARATION; BODY } from a place on, and gives what stands for the quantifier, with the place
// behind it.
func quantified(text []byte, at int, exists bool, form Form) (out []byte, end int, ok bool) {
	q, ok := readQuantifier(text, at, exists)
	if !ok {
		return nil, 0, false
	}
	other, ok := q.forEngine(at, form)
	if !ok {
		other = slices.Concat([]byte("(__extension__("), text[at:q.semicolon+1], []byte(" "), q.condition(form),
			[]byte("; }))"))
	}
	if form == Symbolic {
		return other, q.end + 1, true
	}
	bounded := boundedQuantifier(q.declaration(), q.body(), q.arrow-q.semicolon-1, exists)
	if bounded != "" {
		other = append(other, ')')
	}
	return slices.Concat([]byte(bounded), other), q.end + 1, true
}

// nested is a part of a body with the quantifiers in it rewritten.
func nested(part []byte, form Form) []byte {
	if out, ok := Rewrite(part, form); ok {
		return out
	}
	return part
}
