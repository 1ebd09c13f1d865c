package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Axioms: those of the program (seair.Axiom), and where the objects lie that the terms speak of. A question gets them
// when it is asked (ask.go).

// axiomsOf selects the axioms that speak of symbols of the terms.
func (e *engine) axiomsOf(terms []smt.Term) []smt.Term { return e.axiomsAbout(e.c.Symbols(terms...)) }

// axiomsAbout selects the axioms that speak of some symbols, or of those of others that it selects.
func (e *engine) axiomsAbout(symbols []smt.Term) []smt.Term {
	used := map[smt.Term]bool{}
	for _, v := range symbols {
		used[v] = true
	}
	var out []smt.Term
	taken := make([]bool, len(e.axioms))
	for changed := true; changed; {
		changed = false
		for i, a := range e.axioms {
			if taken[i] {
				continue
			}
			vars := e.axiomVars[i]
			hit := false
			for _, v := range vars {
				hit = hit || used[v]
			}
			if !hit {
				continue
			}
			taken[i], changed = true, true
			out = append(out, a)
			for _, v := range vars {
				used[v] = true
			}
		}
	}
	return out
}

// witnessed reports whether an earlier model satisfies t. A model knows of the layout axioms of
// its own question only: where t speaks of other addresses, they have to hold in it, too.
func (e *engine) witnessed(m *knownModel, t smt.Term) bool {
	if !m.EvalBool(t) {
		return false
	}
	e.layout([]smt.Term{t})
	e.takeNewAxioms()
	if m.judged < len(e.axioms) {
		for _, a := range e.axioms[m.judged:] {
			if !m.EvalBool(a) {
				m.broken = append(m.broken, a)
			}
		}
		m.judged, m.spoiled = len(e.axioms), nil
	}
	if len(m.broken) == 0 { // as of most models
		return true
	}
	if m.spoiled == nil {
		// What an axiom that does not hold speaks of, and what others connect with that.
		m.spoiled = e.c.Dependence(e.c.Symbols(e.axiomsOf(m.broken)...))
	}
	return !m.spoiled.Of(t)
}

// axiom keeps an axiom for the questions that follow.
func (e *engine) axiom(t smt.Term) {
	if e.c.IsTrue(t) {
		return
	}
	e.axioms = append(e.axioms, t)
	e.axiomVars = append(e.axiomVars, e.c.Symbols(t))
}

// takeNewAxioms takes the axiom events that were logged since the last time.
func (e *engine) takeNewAxioms() {
	if e.log == nil {
		return
	}
	for ; e.stats.Events < len(e.log.Events); e.stats.Events++ {
		if ev := &e.log.Events[e.stats.Events]; ev.Kind == seair.Axiom {
			e.layout([]smt.Term{ev.Cond})
			e.axiom(ev.Cond)
		}
	}
}

// layout takes the layout axioms of bases that the terms mention for the first time.
// An axiom may mention further bases (through sizes and lifetimes), hence the loop.
func (e *engine) layout(terms []smt.Term) {
	if slices.ContainsFunc(terms, func(t smt.Term) bool { return !e.visited[t] }) {
		defer e.stage("layout")()
		e.layoutOf(terms)
	}
}

func (e *engine) layoutOf(terms []smt.Term) {
	todo := append([]smt.Term(nil), terms...)
	var fresh []int
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e.visited[t] {
			continue
		}
		e.visited[t] = true
		if e.c.Op(t) == smt.OpVar {
			if id, ok := e.prog.Memory.ObjectOfBase(t); ok && !e.isBased[id] {
				e.isBased[id] = true
				fresh = append(fresh, id)
			}
			continue
		}
		todo = append(todo, e.c.Args(t)...)
	}
	for _, id := range fresh {
		axioms := []smt.Term{e.prog.Memory.RangeAxiom(id)}
		for _, other := range e.based {
			if t, ok := e.prog.Memory.DisjointAxiom(min(id, other), max(id, other)); ok {
				axioms = append(axioms, t)
			}
		}
		e.based = append(e.based, id)
		for _, t := range axioms {
			e.layoutOf([]smt.Term{t})
			e.axiom(t)
		}
	}
}
