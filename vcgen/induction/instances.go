package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// trigger finds the elements that a read of arbitrary content needs.
type trigger struct {
	fn    smt.Func
	solve func(off smt.Term, n int64) []smt.Term
}

// instantiate creates the instances of quantified candidates for new readings, and those of the program's quantifiers
// for the readings in these. Instances of candidates that were dropped no longer count: the surviving ones still lack
// some if many were tried.
func (in *Finder) instantiate() {
	if in.count > maxInstances {
		in.count = 0
		for _, l := range slices.Concat(in.lemmas...) {
			if !l.dropped {
				in.count += len(l.instances)
			}
		}
	}
	for in.done < len(in.prog.Memory.Reads) && in.count <= maxInstances {
		in.instantiateCandidates()
		in.prog.Instantiate()
	}
}

func (in *Finder) instantiateCandidates() {
	m := in.prog.Memory
	byFunc := map[smt.Func][]*lemma{}
	for _, ls := range in.lemmas {
		for _, l := range ls {
			if l.dropped {
				continue
			}
			var fns []smt.Func
			for _, t := range l.triggers {
				if !slices.Contains(fns, t.fn) {
					fns = append(fns, t.fn)
					byFunc[t.fn] = append(byFunc[t.fn], l)
				}
			}
		}
	}
	for ; in.done < len(m.Reads); in.done++ {
		r := m.Reads[in.done]
		for len(in.gens) <= in.done {
			in.gens = append(in.gens, 0)
		}
		gen := in.gens[in.done]
		if gen > 2 {
			continue
		}
		for _, l := range byFunc[r.Func] {
			for _, t := range l.triggers {
				if t.fn != r.Func {
					continue
				}
				for _, y := range t.solve(r.Off, r.N) {
					if in.count > maxInstances {
						return
					}
					before := len(m.Reads)
					fact := l.Instance(y)
					next := gen
					if !l.copies {
						next++
					}
					for len(in.gens) < before {
						in.gens = append(in.gens, 0)
					}
					for len(in.gens) < len(m.Reads) {
						in.gens = append(in.gens, next)
					}
					if in.c.IsTrue(fact) {
						continue
					}
					l.readings[fact] = append(l.readings[fact], r.Value)
					if l.has[fact] {
						continue
					}
					l.has[fact] = true
					l.instances = append(l.instances, fact)
					in.count++
				}
			}
		}
	}
}

// relevant returns the instances of surviving candidates that concern the reads of the given terms, or, transitively,
// the reads of other such instances. The candidates belong to heads before the event.
func (in *Finder) relevant(event int, terms []smt.Term) []smt.Term {
	type instance struct{ fact, guard smt.Term }
	of := map[smt.Term][]instance{} // by the readings that led to them
	for i, h := range in.heads {
		if h.Event >= event || h.Begin != nil { // the end of an activation has no conditions on elements
			continue
		}
		for _, l := range in.lemmas[i] {
			if l.dropped {
				continue
			}
			for _, f := range l.instances {
				for _, r := range l.readings[f] {
					of[r] = append(of[r], instance{f, h.Guard})
				}
			}
		}
	}
	var out []smt.Term
	took, read := map[instance]bool{}, map[smt.Term]bool{}
	for terms = slices.Clone(terms); len(terms) > 0; {
		t := terms[len(terms)-1]
		terms = terms[:len(terms)-1]
		for _, r := range in.terms.Reads(t) {
			if read[r.Value] {
				continue
			}
			read[r.Value] = true
			terms = append(terms, r.Off)
			for _, x := range of[r.Value] {
				if !took[x] {
					took[x] = true
					terms = append(terms, x.fact)
					out = append(out, in.c.Implies(x.guard, x.fact))
				}
			}
		}
	}
	return out
}

// instances returns the instances of the surviving quantified candidates of a head.
func (in *Finder) instances(i int) (out []smt.Term) {
	for _, l := range in.lemmas[i] {
		if !l.dropped {
			out = append(out, l.instances...)
		}
	}
	return out
}
