package ask

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Axioms are the axioms of the program (seair.Axiom) and the memory layout of the objects whose addresses occur in
// terms. They are added to a query when it is solved (ask.go).

// axiomsOf returns the axioms about symbols of the terms.
func (x *Asker) axiomsOf(terms []smt.Term) []smt.Term { return x.axiomsAbout(x.c.Symbols(terms...)) }

// axiomsAbout returns the axioms about some symbols, and, transitively, about further symbols of the returned axioms.
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

// Witnessed reports whether an earlier model proves that t is satisfiable. The model was checked against the layout
// axioms of its own query only, so further axioms about the symbols of t have to hold in it, too.
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
	if len(m.broken) == 0 { // the usual case
		return true
	}
	if m.spoiled == nil {
		// The symbols of false axioms, and symbols that other axioms connect to them.
		m.spoiled = newDependence(x.c, x.c.Symbols(x.axiomsOf(m.broken)...))
	}
	return !m.spoiled.of(t)
}

// axiom adds an axiom for all later queries.
func (x *Asker) axiom(t smt.Term) {
	if x.c.IsTrue(t) {
		return
	}
	x.axioms = append(x.axioms, t)
	x.axiomVars = append(x.axiomVars, x.c.Symbols(t))
}

// TakeNewAxioms adds the axioms that were logged since the last call. Queries call it themselves.
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

// layout adds the layout axioms of object bases that occur for the first time in terms. An axiom may contain further
// bases, in sizes and lifetimes, hence the loop.
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
