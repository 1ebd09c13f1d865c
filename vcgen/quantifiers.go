package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A model of a question satisfies the instances of quantifiers that were made, and may violate others: then the
// quantifiers are instantiated at the values for which it does, and the question is asked again (model-based
// instantiation: Ge and de Moura, 2009). Values up to a limit are looked at, so a model that is left may still be none;
// what it violates, the interpreter has to confirm anyway.

// Limits of that.
const (
	maxRefinements = 8       // of a question
	fewRefinements = 4       // after which the first values of a quantifier's variable are instances, violated or not
	maxScanning    = 24      // of one in a program with scans, whose instances are short
	maxRefining    = 2_000   // axioms of one
	perQuantifier  = 256     // instances of one in one refinement
	maxWithin      = 1 << 16 // values that are looked at of a variable with bounds
)

// lookedAt is how many values of each variable are looked at, from 0, by the number of variables.
var lookedAt = [...]int{0, 1024, 256, 32}

// firstOfMany bounds the values of all variables but the last one of several, which are the outer ones.
const firstOfMany = 8

func (e *engine) maxRefinements() int {
	if e.prog != nil && slices.ContainsFunc(e.prog.Quantifiers, func(q *unfold.Quantifier) bool { return q.To != 0 }) {
		return maxScanning
	}
	return maxRefinements
}

// refine adds instances that a model violates. It reports whether there are any. Where eager, a quantifier that is
// violated gets all instances at small values: each model repairs some elements, and breaks others.
func (e *engine) refine(m *smt.Model, eager bool) bool {
	if e.prog == nil || len(e.prog.Quantifiers) == 0 || m == nil {
		return false
	}
	ev := e.c.NewEvaluator(m)
	added := 0
	for _, q := range e.prog.Quantifiers {
		if !ev.EvalBool(q.Sym) || added >= maxRefining {
			continue
		}
		violated := e.violating(q, m)
		if eager && len(violated) > 0 && len(q.Vars) == 1 && q.To == 0 {
			for k := range uint64(perQuantifier) {
				violated = append(violated, []uint64{k})
			}
		}
		for _, values := range violated {
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
	if q.To != 0 {
		return e.violatingWithin(q, m)
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

// within are the values that are looked at of the variable of a quantifier with bounds.
func within(q *unfold.Quantifier, ev *smt.Evaluator) (from, to uint64) {
	from, to = ev.EvalUint(q.From), ev.EvalUint(q.To)
	return from, min(to, from+maxWithin)
}

// violatingWithin is violating for a quantifier with bounds.
func (e *engine) violatingWithin(q *unfold.Quantifier, m *smt.Model) (out [][]uint64) {
	from, to := within(q, e.c.NewEvaluator(m))
	at := m.Clone()
	for k := from; k < to && len(out) < perQuantifier; k++ {
		at.SetVar(q.Vars[0], smt.UintValue(64, k))
		if !e.c.NewEvaluator(at).EvalBool(q.Body) {
			out = append(out, []uint64{k})
		}
	}
	return out
}

// filler is eight times a byte that programs seldom look for.
const filler = 'q' * 0x0101010101010101

// fill gives arbitrary content that a model says nothing of, and that lies where a scan passed, bytes that most scans
// pass. Without that, each of these would be an instance.
func (e *engine) fill(m *smt.Model) {
	if e.prog == nil {
		return
	}
	ev := e.c.NewEvaluator(m)
	for _, q := range e.prog.Quantifiers {
		if q.To == 0 {
			continue
		}
		from, to := within(q, ev)
		for content, words := range q.Words(e.c, ev, from, to) {
			for w := words[0]; w <= words[1]; w++ {
				at := smt.UintValue(61, w)
				if _, known := m.Func(content, at); !known {
					m.SetFunc(content, at, smt.UintValue(64, filler))
				}
			}
		}
	}
}
