package lockstep

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// known reports whether the conditions of a path contain a condition, or its negation.
func (x *prover) known(p *path, cond smt.Term) (holds, known bool) {
	switch {
	case x.c.IsTrue(cond) || slices.Contains(p.conditions, cond):
		return true, true
	case x.c.IsFalse(cond) || slices.Contains(p.conditions, x.c.Not(cond)):
		return false, true
	}
	return false, false
}

// proves reports whether the conditions of a path imply a condition; false if that is not known.
func (x *prover) proves(p *path, cond smt.Term) bool {
	if holds, known := x.known(p, cond); known && holds {
		return true
	}
	key := fmt.Sprint(p.conditions, cond)
	if answer, known := x.proven[key]; known {
		return answer
	}
	if x.queries++; x.queries > maxQueries {
		x.fail("too many questions")
	}
	question := append(slices.Clone(p.conditions), x.c.Not(cond))
	question = append(question, x.congruence(question)...)
	result := x.solver.Check(x.ctx, question, querySteps)
	if x.ctx.Err() != nil {
		x.fail("the time ended")
	}
	x.proven[key] = result.Answer == smt.Unsat
	return x.proven[key]
}

// equal reports whether two terms are equal on a path.
func (x *prover) equal(p *path, a, b smt.Term) bool {
	return a == b || x.c.Sort(a) == x.c.Sort(b) && x.proves(p, x.c.Eq(a, b))
}

func (x *prover) equalValues(p *path, a, b value) bool {
	if a.t != 0 && b.t != 0 {
		return x.equal(p, a.t, b.t)
	}
	if a.t != 0 || b.t != 0 || len(a.e) != len(b.e) {
		return false
	}
	for i := range a.e {
		if !x.equalValues(p, a.e[i], b.e[i]) {
			return false
		}
	}
	return true
}

// maxCongruence bounds the pairs of applications in a question.
const maxCongruence = 400

// congruence returns for the applications in terms that equal arguments give equal results.
func (x *prover) congruence(terms []smt.Term) (axioms []smt.Term) {
	c := x.c
	groups := map[string][]*application{}
	seen := map[smt.Term]bool{}
	for work := terms; len(work) > 0; {
		var next []smt.Term
		for _, t := range c.Symbols(work...) {
			a := x.of[t]
			if a == nil || seen[t] {
				continue
			}
			seen[t] = true
			for _, other := range groups[a.key] {
				if len(other.args) != len(a.args) || len(axioms) >= maxCongruence {
					continue
				}
				same := c.True()
				for i := range a.args {
					if c.Sort(a.args[i]) != c.Sort(other.args[i]) {
						same = c.False()
						break
					}
					same = c.And(same, c.Eq(a.args[i], other.args[i]))
				}
				if !c.IsFalse(same) {
					axiom := c.Or(c.Not(same), c.Eq(a.result, other.result))
					axioms = append(axioms, axiom)
					next = append(next, axiom)
				}
			}
			groups[a.key] = append(groups[a.key], a)
		}
		work = next
	}
	return axioms
}

// defined handles an operation without a result for some operands: the version before has one, and the version after
// has one if the version before did the same operation, or if a condition holds.
func (x *prover) defined(p *path, s sideNumber, key string, cond *smt.Term) {
	if s == before && cond != nil {
		p.assume(x, *cond)
	}
	if cond == nil {
		no := x.c.False()
		cond = &no
	}
	x.computed(p, s, key, *cond)
}

// computed handles an operation that the version after may do if the version before did it, or if a condition holds.
func (x *prover) computed(p *path, s sideNumber, key string, cond smt.Term) {
	if s == before {
		p.done = append(p.done[:len(p.done):len(p.done)], key)
		return
	}
	if slices.Contains(p.done, key) || x.proves(p, cond) {
		return
	}
	if x.proves(p, x.c.False()) {
		panic(deadPath{})
	}
	x.fail("an operation of the version after may be undefined: %s", key)
}
