package contract

import (
	"bytes"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// clauseKind is the kind of a clause.
type clauseKind uint8

const (
	requires clauseKind = iota
	ensures
	assigns
	frees
	invariant
	decreases
)

// clauseNames has CBMC's names of clauses, and the names of unitproof.h. The latter are macros, so they occur only in
// text before preprocessing.
var clauseNames = map[string]clauseKind{
	"__CPROVER_requires": requires, "__CPROVER_ensures": ensures, "__CPROVER_assigns": assigns, "__CPROVER_frees": frees,
	"__CPROVER_loop_invariant": invariant, "__CPROVER_decreases": decreases,
	"unitproof_requires": requires, "unitproof_ensures": ensures, "unitproof_assigns": assigns, "unitproof_frees": frees,
	"unitproof_loop_invariant": invariant, "unitproof_decreases": decreases,
}

func isClause(word string) bool {
	_, ok := clauseNames[word]
	return ok
}

// asksForObject has the functions whose result depends on the object that a pointer points to, or on its size.
var asksForObject = map[string]bool{"__CPROVER_POINTER_OBJECT": true, "__CPROVER_same_object": true,
	"__CPROVER_OBJECT_SIZE": true, "__CPROVER_POINTER_OFFSET": true}

// others has the words of contracts that are not supported, with the hint of their error message.
var others = map[string]string{
	"__CPROVER_requires_contract": "write __CPROVER_requires(__CPROVER_obeys_contract(pointer, function))",
	"__CPROVER_ensures_contract":  "write __CPROVER_ensures(__CPROVER_obeys_contract(pointer, function))",
}

// IsWord reports whether name is the name of a clause, or of a predicate that only the condition of a clause may use.
func IsWord(name string) bool {
	return isClause(name) || predicates[name] > 0
}

// Mentions reports whether text may contain clauses of contracts, or functions that are used in them.
func Mentions(text []byte) bool {
	if !bytes.Contains(text, []byte("__CPROVER_")) && !bytes.Contains(text, []byte("unitproof_")) {
		return false
	}
	for scan := (csource.Scanner{Text: text}); ; {
		t := scan.Code()
		if t.Kind == csource.End {
			return false
		}
		if t.Kind == csource.Ident {
			if IsWord(t.Of(text)) {
				return true
			}
		}
	}
}

// clause is one clause; its condition is the tokens between open and close, both excluded.
type clause struct {
	kind              clauseKind
	name, open, close int // tokens
}

// function is the declaration or definition of a function with a contract, as indices of tokens.
type function struct {
	start      int // of the declaration
	name       int
	open, shut int // of the parameters
	clauses    []clause
	body, end  int // first and last token of the body, its braces; -1 without a body
}

// loop is a loop with a contract, as indices of tokens.
type loop struct {
	word       string // for, while, do
	start      int
	open, shut int // of the head
	clauses    []clause
	body, end  int // first and last token of the body
	last       int // last token of the statement
}

// reader finds the contracts in a text.
type reader struct {
	src    *source
	tokens []csource.Token
	// partner is the index of the matching bracket; -1 for other tokens and for unmatched brackets.
	partner []int
	// depth is the number of braces around a token.
	depth []int

	functions []function
	loops     []loop
	// wholeObjects reports whether the file compares objects or asks for their sizes, so that fresh memory has to be an
	// object of its own.
	wholeObjects bool
	// bitFields has the names of all members that are bit-fields, and some other names (an over-approximation).
	bitFields map[string]bool
}

func (r *reader) is(i int, op string) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].Is(r.src.text, op)
}

func (r *reader) word(i int) string {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].Kind != csource.Ident {
		return ""
	}
	return r.tokens[i].Of(r.src.text)
}

func (r *reader) wrong(i int, format string, args ...any) *Error {
	return r.src.wrong(r.tokens[min(i, len(r.tokens)-1)].Start, format, args...)
}

// newReader finds all contracts of a text.
func newReader(src *source) (*reader, error) {
	r := &reader{src: src, tokens: src.tokens()}
	r.partner = make([]int, len(r.tokens))
	r.depth = make([]int, len(r.tokens))
	var open []int
	depth := 0
	for i := range r.tokens {
		r.partner[i], r.depth[i] = -1, depth
		if r.tokens[i].Kind != csource.Operator || r.tokens[i].End-r.tokens[i].Start != 1 {
			continue
		}
		switch c := src.text[r.tokens[i].Start]; c {
		case '{':
			depth++
			fallthrough
		case '(', '[':
			open = append(open, i)
		case '}', ')', ']':
			if c == '}' {
				depth--
				r.depth[i] = depth
			}
			if len(open) > 0 {
				r.partner[i], r.partner[open[len(open)-1]] = open[len(open)-1], i
				open = open[:len(open)-1]
			}
		}
	}
	r.bitFields = map[string]bool{}
	clauses := 0 // end of the current clause
	for i := range r.tokens {
		if isClause(r.word(i)) && r.is(i+1, "(") {
			clauses = max(clauses, r.partner[i+1])
		}
		if (r.depth[i] > 0 || i < clauses) && asksForObject[r.word(i)] {
			r.wholeObjects = true
		}
	}
	for i := range r.tokens {
		if r.is(i, ":") && r.depth[i] > 0 && (r.is(i-2, ",") || r.word(i-2) != "" && r.word(i-2) != "case") {
			r.bitFields[r.word(i-1)] = true
		}
	}
	loops := false
	for i := range r.tokens {
		kind := clauseNames[r.word(i)]
		loops = loops || kind == invariant || kind == decreases
	}
	for i := range r.tokens {
		word := r.word(i)
		if loops && (word == "nodebug" || word == "__nodebug__") && r.depth[i] > 0 {
			return nil, r.wrong(i, "a variable without debug information is not understood in a file with contracts of loops")
		}
		if why, bad := others[word]; bad {
			return nil, r.wrong(i, "%s is not understood: %s", word, why)
		}
	}
	for i := 0; i < len(r.tokens); i++ {
		word := r.word(i)
		if !isClause(word) {
			continue
		}
		list, next, err := r.clauses(i)
		if err != nil {
			return nil, err
		}
		if r.depth[i] == 0 {
			err = r.function(i, list, next)
		} else {
			err = r.loop(i, list, next)
		}
		if err != nil {
			return nil, err
		}
		i = next - 1
	}
	return r, nil
}

// clauses reads consecutive clauses, from token i.
func (r *reader) clauses(i int) (list []clause, next int, err error) {
	for {
		kind, ok := clauseNames[r.word(i)]
		if !ok {
			return list, i, nil
		}
		if !r.is(i+1, "(") || r.partner[i+1] < 0 {
			return nil, 0, r.wrong(i, "%s has no condition in parentheses", r.word(i))
		}
		list = append(list, clause{kind, i, i + 1, r.partner[i+1]})
		i = r.partner[i+1] + 1
	}
}

// specifiers has the words whose parentheses are not a list of parameters.
var specifiers = map[string]bool{"__attribute__": true, "__attribute": true, "__asm__": true, "asm": true,
	"__asm": true, "_Alignas": true, "__typeof__": true, "typeof": true, "__typeof": true, "__declspec": true,
	"_Atomic": true}

// function reads the function with the clauses at token i.
func (r *reader) function(i int, list []clause, next int) error {
	start := i
	for start > 0 && !r.is(start-1, ";") && !(r.is(start-1, "}") && r.depth[start-1] == 0) {
		start--
	}
	f := function{start: start, name: -1, clauses: list, body: -1}
	for k := start; k < i; k++ {
		if !r.is(k, "(") {
			continue
		}
		shut := r.partner[k]
		if shut < 0 || shut >= i {
			break
		}
		word := r.word(k - 1)
		if word != "" && !specifiers[word] && !types[word] && !qualifiers[word] {
			f.name, f.open, f.shut = k-1, k, shut
			break
		}
		if !specifiers[word] {
			return r.wrong(k, "a contract of a function whose type is written like this is not understood: give its result a "+
				"name of its own with typedef")
		}
		k = shut
	}
	if f.name < 0 {
		return r.wrong(i, "%s does not follow the head of a function or a loop", r.word(i))
	}
	for k := next; k < len(r.tokens); k++ {
		switch word := r.word(k); {
		case specifiers[word] && r.is(k+1, "(") && r.partner[k+1] > 0:
			k = r.partner[k+1]
			continue
		case isClause(word):
			return r.wrong(k, "the clauses of a contract have to follow each other")
		case r.is(k, "{"):
			f.body, f.end = k, r.partner[k]
			if f.end < 0 {
				return r.wrong(k, "the function has no end")
			}
		case r.is(k, ";"):
		default:
			return r.wrong(k, "the function's body or ; has to follow its contract")
		}
		break
	}
	for _, c := range list {
		if c.kind == invariant || c.kind == decreases {
			return r.wrong(c.name, "%s belongs to a loop", r.word(c.name))
		}
	}
	r.functions = append(r.functions, f)
	return nil
}

// loop reads the loop with the clauses at token i.
func (r *reader) loop(i int, list []clause, next int) error {
	stray := func() error {
		return r.wrong(i, "%s stands behind the head of no loop and of no function of the file", r.word(i))
	}
	var l loop
	switch {
	case r.word(i-1) == "do" && r.is(next, "{") && r.partner[next] > 0 && r.word(r.partner[next]+1) == "while":
		// CBMC's place, behind do. Clauses behind the condition are accepted, too.
		l = loop{word: "do", start: i - 1, body: next, end: r.partner[next], clauses: list}
		l.open = l.end + 2
		if !r.is(l.open, "(") || r.partner[l.open] < 0 || !r.is(r.partner[l.open]+1, ";") {
			return r.wrong(l.start, "the loop has no end")
		}
		l.shut, l.last = r.partner[l.open], r.partner[l.open]+1
	case !r.is(i-1, ")") || r.partner[i-1] < 1:
		return stray()
	default:
		l = loop{open: r.partner[i-1], shut: i - 1, clauses: list}
		l.word, l.start = r.word(l.open-1), l.open-1
	}
	switch {
	case l.word == "do":
	case l.word == "while" && r.is(next, ";") && r.is(l.start-1, "}") && r.word(r.partner[l.start-1]-1) == "do":
		l.word, l.body, l.end, l.last = "do", r.partner[l.start-1], l.start-1, next
		l.start = l.body - 1
	case l.word == "for" || l.word == "while":
		l.body = next
		end, ok := r.statement(next)
		if !ok {
			return r.wrong(l.start, "the loop has no end")
		}
		l.end, l.last = end, end
	default:
		return stray()
	}
	for _, c := range list {
		if c.kind == requires || c.kind == ensures {
			return r.wrong(c.name, "%s belongs to a function", r.word(c.name))
		}
		if c.kind == frees {
			return r.wrong(c.name, "a frees clause of a loop is not supported")
		}
	}
	r.loops = append(r.loops, l)
	return nil
}

// statement returns the last token of the statement that begins at token i.
func (r *reader) statement(i int) (last int, ok bool) {
	for {
		switch word := r.word(i); {
		case r.is(i, "{"):
			return r.partner[i], r.partner[i] > 0
		case word == "if" || word == "for" || word == "while" || word == "switch":
			if !r.is(i+1, "(") || r.partner[i+1] < 0 {
				return 0, false
			}
			body := r.behindClauses(r.partner[i+1] + 1)
			last, ok = r.statement(body)
			if word == "if" && ok && r.word(last+1) == "else" {
				return r.statement(last + 2)
			}
			return last, ok
		case word == "do":
			last, ok = r.statement(r.behindClauses(i + 1))
			if !ok || r.word(last+1) != "while" || !r.is(last+2, "(") || r.partner[last+2] < 0 {
				return 0, false
			}
			i = r.behindClauses(r.partner[last+2] + 1)
		case word == "case" || word == "default" || word != "" && r.is(i+1, ":"):
			for ; i < len(r.tokens) && !r.is(i, ":"); i++ {
			}
			i++
			continue
		}
		for ; i < len(r.tokens); i++ {
			if r.is(i, ";") {
				return i, true
			}
			if r.is(i, "(") || r.is(i, "{") || r.is(i, "[") {
				if r.partner[i] < 0 {
					return 0, false
				}
				i = r.partner[i]
			}
		}
		return 0, false
	}
}

func (r *reader) behindClauses(i int) int {
	for {
		if !isClause(r.word(i)) || !r.is(i+1, "(") || r.partner[i+1] < 0 {
			return i
		}
		i = r.partner[i+1] + 1
	}
}
