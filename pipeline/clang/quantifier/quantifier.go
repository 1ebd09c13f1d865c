// Package quantifier translates CBMC's quantifiers to C, on the source text.
//
// CBMC's quantifiers are not C: __CPROVER_forall { T i; A(i) ==> B(i) }. If A bounds i from above, as in
//
//	__CPROVER_forall { int i; 0 <= i && i < n ==> a[i] == 0 }
//
// the quantifier becomes a loop over the values of i in order. A run executes the loop. The engine does not: it
// evaluates the body once, for an arbitrary i, and generalizes the result to all i (vcgen/unfold/quantify). Nested
// quantifiers of the same kind become one over several variables.
//
// Without a bound, the quantifier becomes its body for one arbitrary i, an uninitialized local variable:
// (__extension__({ T i; !(A(i)) || (B(i)); })). If the body holds for all i, the result is true; otherwise it is
// arbitrary. So the possible values of the result include the quantifier's value, which makes the translation sound in
// every position. An assertion is exact, since the failing i is among the examined ones; an assumption is weaker, which
// can only cause false alarms. Dually, a negated __CPROVER_exists is exact.
//
// Outside contracts, a small constant bound makes a loop over all i below it, also for the engine. Only clang can
// evaluate the bound, so both forms are written, and clang chooses.
//
// Reading order: quantifier.go, engine.go (quantifiers of the engine), loop.go (loops for constant bounds). The package
// does not depend on compilers, contracts or files.
package quantifier

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

var words = [][]byte{[]byte("__CPROVER_forall"), []byte("__CPROVER_exists")}

// Mentioned reports whether a text, such as a message of clang, contains the word of a quantifier.
func Mentioned(text []byte) bool {
	return bytes.Contains(text, words[0]) || bytes.Contains(text, words[1])
}

// Rewrite rewrites all quantifiers of a file, including those in macros. It returns false if there are no quantifiers
// of the expected form. Lines do not move.
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

// Form is the form in which quantifiers are written.
type Form uint8

const (
	// Expanded: quantifiers with small constant bounds are loops.
	Expanded Form = iota
	// Symbolic: all bounded quantifiers are quantifiers of the engine.
	Symbolic
)

// quantifier is a quantifier { DECLARATION; BODY }, with positions in the text.
type quantifier struct {
	text                   []byte
	exists                 bool
	open, semicolon, arrow int // arrow is the position of ==>, negative without one
	end                    int // position of the closing brace
}

// readQuantifier parses a quantifier; at is the position behind its word.
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
				return q, false // A ==> B ==> C: rare and error-prone
			}
			q.arrow = tok.Start
			t.Next++ // skip the operator, which C does not have
		}
	}
	return q, q.semicolon >= 0 && (q.arrow < 0 || q.arrow > q.semicolon)
}

func (q quantifier) declaration() []byte { return q.text[q.open+1 : q.semicolon] }
func (q quantifier) body() []byte        { return q.text[q.semicolon+1 : q.end] }

// condition returns the body as C, with nested quantifiers rewritten.
func (q quantifier) condition(form Form) []byte {
	if q.arrow < 0 {
		return slices.Concat([]byte("("), nested(q.body(), form), []byte(")"))
	}
	return slices.Concat([]byte("(!("), nested(q.text[q.semicolon+1:q.arrow], form), []byte(") || ("),
		nested(q.text[q.arrow+3:q.end], form), []byte("))"))
}

// quantified parses { DECLARATION; BODY } at a position, and returns the replacement of the quantifier and the position
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

// nested returns a part of a body with the quantifiers in it rewritten.
func nested(part []byte, form Form) []byte {
	if out, ok := Rewrite(part, form); ok {
		return out
	}
	return part
}
