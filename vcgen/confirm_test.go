package vcgen

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/unfold"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// TestSameMistake checks all pairs of kinds: an execution that violates another kind confirms nothing, except for kinds
// that describe one wild pointer.
func TestSameMistake(t *testing.T) {
	groups := [][]found.Kind{
		{found.InvalidPointer, found.OutOfBoundsRead, found.OutOfBoundsWrite},
		{found.InvalidPointer, found.NullDereference},
		{found.InvalidPointer, found.UseAfterFree, found.UseAfterScope},
	}
	same := map[[2]found.Kind]bool{}
	for _, g := range groups {
		for _, a := range g {
			for _, b := range g {
				same[[2]found.Kind{a, b}] = true
			}
		}
	}
	for _, a := range found.Kinds() {
		for _, b := range found.Kinds() {
			if want := a == b || same[[2]found.Kind{a, b}]; sameMistake(a, b) != want {
				t.Errorf("%s and %s: %v", a, b, !want)
			}
		}
	}
}

// planOf returns a plan with obligations of the user's p.c and of a model of the library.
func planOf(obligations ...seair.Event) *plan {
	e := &engine{log: &seair.Log{Events: obligations}, prog: &unfold.Program{},
		opts: Options{Semantics: found.Semantics{UserFile: func(file string) bool { return file == "p.c" }}}}
	p := &plan{engine: e, violated: map[findingKey]bool{}}
	for i := range obligations {
		ev := &obligations[i]
		at := e.place(ev.Site).pos
		p.obs = append(p.obs, &status{event: i, ins: Instance{Kind: ev.Check, Pos: at},
			key: findingKey{ev.Check, at.File, at.Line, at.Column}})
	}
	return p
}

func site(file string, line, column int, caller *seair.Site) *seair.Site {
	return &seair.Site{ID: 1, Pos: found.Pos{File: file, Line: line, Column: column}, Caller: caller}
}

func stack(at ...found.Pos) (list []state.Site) {
	for _, p := range at {
		list = append(list, state.Site{Loc: &llvmir.Loc{File: p.File, Line: p.Line, Col: p.Column}})
	}
	return list
}

// TestWanted checks that a violation confirms an obligation only at its place: the file, line and column; in the
// library, the call of its function.
func TestWanted(t *testing.T) {
	at := func(file string, line, column int) found.Pos {
		return found.Pos{File: file, Line: line, Column: column}
	}
	call := site("p.c", 7, 3, nil)
	p := planOf(seair.Event{Kind: seair.Obligation, Check: found.OutOfBoundsRead, Site: site("p.c", 4, 9, nil)},
		seair.Event{Kind: seair.Obligation, Check: found.OutOfBoundsRead, Site: site("string.c", 4, 9, call)})
	for _, test := range []struct {
		what    string
		of      int
		kind    found.Kind
		stack   []state.Site
		matches bool
	}{
		{"its place", 0, found.OutOfBoundsRead, stack(at("p.c", 1, 1), at("p.c", 4, 9)), true},
		{"another kind of the same mistake", 0, found.InvalidPointer, stack(at("p.c", 4, 9)), true},
		{"another mistake", 0, found.UseAfterFree, stack(at("p.c", 4, 9)), false},
		{"another column", 0, found.OutOfBoundsRead, stack(at("p.c", 4, 12)), false},
		{"another line", 0, found.OutOfBoundsRead, stack(at("p.c", 5, 9)), false},
		{"another file", 0, found.OutOfBoundsRead, stack(at("q.c", 4, 9)), false},
		{"its place as the caller", 0, found.OutOfBoundsRead, stack(at("p.c", 4, 9), at("p.c", 1, 1)), false},
		{"no place", 0, found.OutOfBoundsRead, []state.Site{{}}, false},
		{"another line of the model", 1, found.OutOfBoundsRead, stack(at("p.c", 7, 3), at("string.c", 8, 1)), true},
		{"two calls deep in models", 1, found.OutOfBoundsRead,
			stack(at("p.c", 7, 3), at("string.c", 8, 1), at("string.c", 2, 2)), true},
		{"another call of the model", 1, found.OutOfBoundsRead, stack(at("p.c", 8, 3), at("string.c", 4, 9)), false},
		{"models alone", 1, found.OutOfBoundsRead, stack(at("string.c", 4, 9)), false},
	} {
		if _, is := p.wanted(p.obs[test.of]); is(test.kind, test.stack) != test.matches {
			t.Errorf("%s: %v", test.what, !test.matches)
		}
	}
}

// TestMeets checks which obligation an unexpected violation settles: the one at its place that is open, and only in a
// program with quantifiers: the query tries only some of their values.
func TestMeets(t *testing.T) {
	obligation := func(line int) seair.Event {
		return seair.Event{Kind: seair.Obligation, Check: found.Assertion, Site: site("p.c", line, 3, nil)}
	}
	out := &interp.Outcome{End: interp.EndViolation, Violation: &interp.Violation{Kind: found.Assertion,
		Loc: &llvmir.Loc{File: "p.c", Line: 5, Col: 3}, Message: "x is 7"}}
	for _, test := range []struct {
		what  string
		set   func(p *plan)
		meets bool
		fails int // the obligation that fails; -1: none
	}{
		{"an open obligation", func(*plan) {}, true, 1},
		{"one that is proved", func(p *plan) { p.obs[1].proved = true }, false, -1},
		{"one that another execution violates", func(p *plan) { p.violated[p.obs[1].key] = true }, true, -1},
		{"none at this place", func(p *plan) { p.obs = p.obs[:1] }, false, -1},
		{"a program without quantifiers", func(p *plan) { p.prog.Quantifiers = nil }, false, -1},
	} {
		p := planOf(obligation(4), obligation(5), obligation(6))
		p.prog.Quantifiers = make([]*quantify.Quantifier, 1)
		test.set(p)
		if got := p.meets(out, &choice.List{}); got != test.meets {
			t.Errorf("%s: %v", test.what, got)
		}
		for i, st := range p.obs {
			if st.failed != (i == test.fails) || st.failed != (st.ins.Counterexample != nil) {
				t.Errorf("%s: obligation %d failed: %v", test.what, i, st.failed)
			}
		}
	}
}
