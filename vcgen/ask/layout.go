package ask

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Axioms: those of the program (seair.Axiom), and where the objects lie that the terms speak of. A question gets them
// when it is asked (ask.go).

// axiomsOf selects the axioms that speak of symbols of the terms.
func (x *Asker) axiomsOf(terms []smt.Term) []smt.Term { return x.axiomsAbout(x.c.Symbols(terms...)) }

// axiomsAbout selects the axioms that speak of some symbols, or of those of others that it selects.
func (x *Asker) axiomsAbout(symbols []smt.Term) []smt.Term {
	used := map[smt.Term]bool{}
	for _, v := range symbols {
		used[v] = true
	}
	var out []smt.Term
	taken := make([]bool, len(x.axioms))
	for changed := true; changed; {
		changed = false
		for i, a := range x.axioms {
			if taken[i] {
				continue
			}
			vars := x.axiomVars[i]
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

// Witnessed reports whether an earlier model satisfies t. A model knows of the layout axioms of
// its own question only: where t speaks of other addresses, they have to hold in it, too.
func (x *Asker) Witnessed(m *Model, t smt.Term) bool {
	if !m.EvalBool(t) {
		return false
	}
	x.layout([]smt.Term{t})
	x.TakeNewAxioms()
	if m.judged < len(x.axioms) {
		for _, a := range x.axioms[m.judged:] {
			if !m.EvalBool(a) {
				m.broken = append(m.broken, a)
			}
		}
		m.judged, m.spoiled = len(x.axioms), nil
	}
	if len(m.broken) == 0 { // as of most models
		return true
	}
	if m.spoiled == nil {
		// What an axiom that does not hold speaks of, and what others connect with that.
		m.spoiled = newDependence(x.c, x.c.Symbols(x.axiomsOf(m.broken)...))
	}
	return !m.spoiled.of(t)
}

// axiom keeps an axiom for the questions that follow.
func (x *Asker) axiom(t smt.Term) {
	if x.c.IsTrue(t) {
		return
	}
	x.axioms = append(x.axioms, t)
	x.axiomVars = append(x.axiomVars, x.c.Symbols(t))
}

// TakeNewAxioms takes the axiom events that were logged since the last time. Questions do so by themselves.
func (x *Asker) TakeNewAxioms() {
	if x.log == nil {
		return
	}
	for ; x.taken < len(x.log.Events); x.taken++ {
		if ev := &x.log.Events[x.taken]; ev.Kind == seair.Axiom {
			x.layout([]smt.Term{ev.Cond})
			x.axiom(ev.Cond)
		}
	}
}

// layout takes the layout axioms of bases that the terms mention for the first time.
// An axiom may mention further bases (through sizes and lifetimes), hence the loop.
func (x *Asker) layout(terms []smt.Term) {
	if slices.ContainsFunc(terms, func(t smt.Term) bool { return !x.visited[t] }) {
		defer x.opts.Stage("layout")()
		x.layoutOf(terms)
	}
}

func (x *Asker) layoutOf(terms []smt.Term) {
	todo := append([]smt.Term(nil), terms...)
	var fresh []int
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if x.visited[t] {
			continue
		}
		x.visited[t] = true
		if x.c.Op(t) == smt.OpVar {
			if id, ok := x.prog.Memory.ObjectOfBase(t); ok && !x.isBased[id] {
				x.isBased[id] = true
				fresh = append(fresh, id)
			}
			continue
		}
		todo = append(todo, x.c.Args(t)...)
	}
	for _, id := range fresh {
		axioms := []smt.Term{x.prog.Memory.RangeAxiom(id)}
		for _, other := range x.based {
			if t, ok := x.prog.Memory.DisjointAxiom(min(id, other), max(id, other)); ok {
				axioms = append(axioms, t)
			}
		}
		x.based = append(x.based, id)
		for _, t := range axioms {
			x.layoutOf([]smt.Term{t})
			x.axiom(t)
		}
	}
}
