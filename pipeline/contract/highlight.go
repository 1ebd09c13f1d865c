package contract

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Role is the role of a word in a clause, for highlighting.
type Role uint8

// The roles of words.
const (
	ClauseName Role = iota // __CPROVER_requires
	Primitive              // __CPROVER_old, __CPROVER_is_fresh
	Quantifier             // __CPROVER_forall, __CPROVER_exists
	Result                 // __CPROVER_return_value
	Parameter              // of the function that the contract belongs to
	Member                 // of a structure or union
	Call                   // of any other function
	Other                  // any other name: variables, types, macros
	Digits                 // a number
)

// Word is a word at [Start, End) of a text.
type Word struct {
	Start, End int
	Role       Role
}

// Words returns the words of all clauses in a text before preprocessing, in order. It reads tokens only, so it also
// works on text that is being written; the definitions of the clauses as macros are left out.
func Words(text []byte) (list []Word) {
	if !bytes.Contains(text, []byte("__CPROVER_")) && !bytes.Contains(text, []byte("unitproof_")) {
		return nil
	}
	h := highlighter{text: text}
	for scan := (csource.Scanner{Text: text}); ; {
		t := scan.Code()
		if t.Kind == csource.End {
			return h.list
		}
		h.tokens = append(h.tokens, t)
		for len(h.tokens) > 0 && h.next < len(h.tokens)-1 { // one token of look-ahead
			h.word()
			h.next++
		}
	}
}

// highlighter reads the tokens of a text in order.
type highlighter struct {
	text   []byte
	tokens []csource.Token
	next   int // index of the current token
	list   []Word

	depth      int    // of brackets in the current clause; 0 outside of clauses
	groups     []int  // the open parentheses outside of clauses
	last       [2]int // the tokens of the last group of parentheses that was closed, both included
	parameters map[string]bool
}

func (h *highlighter) at(i int) string {
	if i < 0 || i >= len(h.tokens) {
		return ""
	}
	return h.tokens[i].Of(h.text)
}

// word handles the current token.
func (h *highlighter) word() {
	i := h.next
	t, word := h.tokens[i], h.at(i)
	if h.depth == 0 {
		h.outside(i, t, word)
		return
	}
	switch {
	case t.Kind == csource.Operator && (word == "(" || word == "[" || word == "{"):
		h.depth++
	case t.Kind == csource.Operator && (word == ")" || word == "]" || word == "}"):
		if h.depth--; h.depth == 1 { // the parenthesis of the clause itself
			h.depth = 0
		}
	case h.depth == 2 && word == ";", isClause(word): // the parenthesis of the clause is not closed yet
		h.depth = 0
		h.outside(i, t, word)
	case t.Kind == csource.Number:
		h.add(t, Digits)
	case t.Kind == csource.Ident:
		h.add(t, h.role(i, word))
	}
}

// outside handles a token outside of clauses. It keeps the last parentheses, which have the parameters of a function if
// a clause follows them.
func (h *highlighter) outside(i int, t csource.Token, word string) {
	switch {
	case t.Kind == csource.Operator && word == "(":
		h.groups = append(h.groups, i)
	case t.Kind == csource.Operator && word == ")" && len(h.groups) > 0:
		h.last = [2]int{h.groups[len(h.groups)-1], i}
		h.groups = h.groups[:len(h.groups)-1]
	case t.Kind == csource.Operator && (word == "{" || word == "}" || word == ";") && len(h.groups) == 0:
		h.last, h.parameters = [2]int{}, nil
	case t.Kind == csource.Ident && isClause(word) && h.at(i+1) == "(" && h.at(i-1) != "define":
		h.add(t, ClauseName)
		h.depth = 1
		if h.last[1] == i-1 && h.last[1] > 0 {
			h.parameters = h.parametersOf(h.last[0], h.last[1])
		}
	}
}

// parametersOf returns the names of the parameters between two parentheses: the last word of each declaration.
func (h *highlighter) parametersOf(open, shut int) map[string]bool {
	names := map[string]bool{}
	if before := h.at(open - 1); csource.IsKeyword(before) { // the head of a loop
		return names
	}
	name, depth := "", 0
	for i := open + 1; i <= shut; i++ {
		switch word := h.at(i); {
		case word == "[" || word == "(" && h.at(i+1) != "*":
			depth++
		case depth > 0 && (word == "]" || word == ")"):
			depth--
		case depth == 0 && (word == "," || i == shut):
			names[name] = true
			name = ""
		case depth == 0 && h.tokens[i].Kind == csource.Ident:
			name = word
		}
	}
	return names
}

func (h *highlighter) role(i int, word string) Role {
	switch {
	case word == "__CPROVER_return_value" || word == "unitproof_return_value":
		return Result
	case word == "__CPROVER_forall" || word == "__CPROVER_exists" || word == "unitproof_forall" ||
		word == "unitproof_exists":
		return Quantifier
	case strings.HasPrefix(word, "__CPROVER_") || strings.HasPrefix(word, "unitproof_"):
		return Primitive
	case h.at(i-1) == "." || h.at(i-1) == "->":
		return Member
	case h.parameters[word]:
		return Parameter
	case h.at(i+1) == "(" && !csource.IsKeyword(word):
		return Call
	}
	return Other
}

func (h *highlighter) add(t csource.Token, role Role) {
	h.list = append(h.list, Word{t.Start, t.End, role})
}
