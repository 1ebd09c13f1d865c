package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A model of a question satisfies the instances of quantifiers that were made, and may violate others: then the
// quantifiers are instantiated at the values for which it does, and the question is asked again (model-based
// instantiation: Ge and de Moura, 2009). Values up to a limit are looked at, so a model that is left may still be none;
// what it violates, the interpreter has to confirm anyway.

// Limits of that.
const (
	maxRefinements = 8     // of a question
	maxRefining    = 2_000 // axioms of one
	perQuantifier  = 256   // instances of one in one refinement
)

// lookedAt is how many values of each variable are looked at, from 0, by the number of variables.
var lookedAt = [...]int{0, 1024, 256, 32}

// firstOfMany bounds the values of all variables but the last one of several, which are the outer ones.
const firstOfMany = 8

// refine adds instances that a model violates. It reports whether there are any.
func (e *engine) refine(m *smt.Model) bool {
	if e.prog == nil || len(e.prog.Quantifiers) == 0 || m == nil {
		return false
	}
	ev := e.c.NewEvaluator(m)
	added := 0
	for _, q := range e.prog.Quantifiers {
		if !ev.EvalBool(q.Sym) || added >= maxRefining {
			continue
		}
		for _, values := range e.violating(q, m) {
			terms := make([]smt.Term, len(values))
			for i, v := range values {
				terms[i] = e.c.Int(64, v)
			}
			t := q.Instance(e.c, terms)
			e.layout([]smt.Term{t})
			e.axiom(t)
			added++
		}
	}
	if added > 0 {
		e.count("quantifier-refinements")
	}
	return added > 0
}

// violating lists values for which a quantifier's body is false in a model.
func (e *engine) violating(q *unfold.Quantifier, m *smt.Model) (out [][]uint64) {
	if len(q.Vars) >= len(lookedAt) {
		return nil
	}
	at := m.Clone()
	values := make([]uint64, len(q.Vars))
	var look func(i int)
	look = func(i int) {
		if len(out) >= perQuantifier {
			return
		}
		if i == len(values) {
			if !e.c.NewEvaluator(at).EvalBool(q.Body) {
				out = append(out, append([]uint64(nil), values...))
			}
			return
		}
		n := lookedAt[len(values)]
		if i < len(values)-1 {
			n = firstOfMany
		}
		for v := range n {
			values[i] = uint64(v)
			at.SetVar(q.Vars[i], smt.UintValue(64, uint64(v)))
			look(i + 1)
		}
	}
	look(0)
	return out
}
