package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// The relations that a proof assumes of a struct from the code, len <= cap, are the invariant of its type. The function
// has to keep it, so it is asserted behind the call. A guess from names is not: its failure would say nothing about the
// function.

// invariant is a condition on the members of a struct that the code shows.
type invariant struct {
	condition string // about x, a pointer to the struct
	// block reports whether it is about a block behind a member, which a function that destroys the object frees.
	block bool
}

// keeps records a condition on the members of the struct that a builder is written for. prefix is that of the members.
func (w *writer) keeps(prefix, condition string, block bool) {
	own := strings.HasPrefix(prefix, "x->") && !strings.Contains(prefix, "[")
	if n := len(w.building); n > 0 && own && w.variant == 0 {
		name := w.building[n-1]
		if i := (invariant{condition, block}); !slices.Contains(w.invariants[name], i) {
			w.invariants[name] = append(w.invariants[name], i)
		}
	}
}

// destroys matches the names of functions behind which an object need not be valid.
var destroys = lazyregexp.New(`(?i)free|destroy|deinit|fini|clear|reset|close|release|delete|dispose|cleanup|term`)

// afterwards returns the statements behind the call that assert the invariants of objects to which the function writes.
func (w *writer) afterwards() (lines []string) {
	for i := range w.params {
		p := &w.params[i]
		if p.typ.Kind != llvmir.DIPointer || !isComposite(p.typ.Elem) || p.typ.Elem.Const || !p.written || p.freed {
			continue
		}
		var asserts []string
		for _, v := range w.invariants[p.builder] {
			if !v.block || !destroys.MatchString(w.Function) {
				condition := ofX.ReplaceAllString(v.condition, p.name+"->")
				asserts = append(asserts, "sassert("+condition+");")
			}
		}
		if len(asserts) > 0 {
			lines = append(lines, fmt.Sprintf("if (sea_is_dereferenceable(%s, sizeof *%s)) {", p.name,
				p.name))
			lines = append(append(lines, asserts...), "}")
		}
	}
	return lines
}

// ofX matches the pointer in the condition of an invariant.
var ofX = lazyregexp.New(`\bx->`)
