package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxOldModels is how many models of earlier runs are tried on a question that is new, before the solver is asked.
const maxOldModels = 12

// Kinds of questions. They are part of the keys.
const (
	kindQuestion = "question" // the conjunction of the terms, with the axioms that speak of their symbols
	kindExact    = "exact"    // the same as a solver sees it, for step limits
)

// asked is a question on its way to the solver.
type asked struct {
	terms  []smt.Term // without axioms
	all    []smt.Term
	set    int
	budget int64
	exact  smt.Digest
}

// ask looks a question up: the conjunction of terms and axioms. The second result is false when the solver has to be
// asked, and told of with learn. Without a memo that is always so.
func (e *engine) ask(terms, axioms []smt.Term, budget int64) (*asked, smt.Result, bool) {
	e.answeredBefore, e.contradiction = false, nil
	m := e.opts.Memo
	if m == nil {
		return nil, smt.Result{}, false
	}
	defer e.stage("keys")()
	e.hashEvents()
	for _, t := range terms {
		m.canon.Hash(t)
	}
	q := &asked{terms: terms, all: append(append([]smt.Term(nil), terms...), axioms...), budget: budget}
	q.set = m.set(kindQuestion, q.all, nil)
	if a := m.recall(q.set); a != nil {
		switch a.is {
		case smt.Unsat:
			for _, d := range a.core {
				for _, t := range terms {
					if m.canon.Hash(t) == d {
						e.contradiction = append(e.contradiction, t)
						break
					}
				}
			}
			return q, e.remembered(a, smt.Result{Answer: smt.Unsat}), true
		case smt.Sat:
			if model := m.model(e.c, a.model); e.holds(model, q.all) && e.models.add(model, terms) {
				e.models.old[len(e.models.old)-1] = true
				return q, e.remembered(a, smt.Result{Answer: smt.Sat}), true
			}
		}
	}
	for i, old := range m.models {
		if i == maxOldModels {
			break
		}
		if model := m.model(e.c, old); e.holds(model, q.all) && e.models.add(model, terms) {
			e.models.old[len(e.models.old)-1] = true
			a := &answer{set: q.set, is: smt.Sat, model: old}
			m.put(a)
			return q, e.remembered(a, smt.Result{Answer: smt.Sat}), true
		}
	}
	q.exact = e.c.ExactDigest(q.all)
	if a := m.known[smt.SetDigest(kindExact, []smt.Digest{q.exact}, nil)]; a != nil && a.is == smt.StepLimit &&
		budget > 0 && a.budget >= budget {
		a.set = m.exactSet(q)
		return q, e.remembered(a, smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up"}), true
	}
	return q, smt.Result{}, false
}

// hashEvents lets the memo know the symbols: by where the program meets them first, not by who asks.
func (e *engine) hashEvents() {
	for ; e.hashed < len(e.log.Events); e.hashed++ {
		ev := &e.log.Events[e.hashed]
		e.opts.Memo.canon.Hash(ev.Guard)
		if ev.Cond != 0 {
			e.opts.Memo.canon.Hash(ev.Cond)
		}
	}
}

// answered tells whether the memo has an answer to what decide would ask; it uses none.
func (e *engine) answered(facts []smt.Term, query smt.Term, among ...smt.Term) bool {
	m := e.opts.Memo
	all := append(append([]smt.Term(nil), facts...), query)
	spoken := append(append([]smt.Term(nil), all...), among...)
	e.layout(spoken)
	e.assertNewAxioms()
	e.hashEvents()
	for _, t := range all {
		m.canon.Hash(t)
	}
	all = append(all, e.axiomsOf(spoken)...)
	return m.known[m.canon.Set(kindQuestion, all, nil)] != nil ||
		m.known[smt.SetDigest(kindExact, []smt.Digest{e.c.ExactDigest(all)}, nil)] != nil
}

func (e *engine) remembered(a *answer, res smt.Result) smt.Result {
	e.opts.Memo.use(a)
	if !a.ours {
		e.stats.CacheHits++
	}
	e.answeredBefore = true
	return res
}

// holds evaluates a conjunction.
func (e *engine) holds(model *smt.Model, terms []smt.Term) bool {
	ev := e.c.NewEvaluator(model)
	for _, t := range terms {
		if !ev.EvalBool(t) {
			return false
		}
	}
	return true
}

// exactSet enters the set under which a step limit is kept.
func (m *Memo) exactSet(q *asked) int {
	d := smt.SetDigest(kindExact, []smt.Digest{q.exact}, nil)
	i, ok := m.sets.at[d]
	if !ok {
		i = len(m.sets.list)
		m.sets.at[d] = i
		m.sets.list = append(m.sets.list, setRecord{kind: kindExact, subsets: []int{q.set}, digest: d})
	}
	return i
}

// learn keeps what the solver said, when it holds in every run. model is that of a Sat, of all symbols.
func (e *engine) learn(q *asked, res smt.Result, model *smt.Model, core []smt.Term) {
	switch res.Answer {
	case smt.Timeout, smt.Cancelled, smt.Failed:
		e.stats.Unsettled++
	}
	if q == nil {
		return
	}
	m := e.opts.Memo
	switch res.Answer {
	case smt.Sat:
		m.put(&answer{set: q.set, is: smt.Sat, model: m.assignmentOf(model)})
	case smt.Unsat:
		a := &answer{set: q.set, is: smt.Unsat}
		for _, t := range core {
			a.core = append(a.core, m.canon.Hash(t))
		}
		m.put(a)
	case smt.StepLimit:
		if q.budget > 0 {
			m.put(&answer{set: m.exactSet(q), is: smt.StepLimit, budget: q.budget, steps: res.Steps})
		}
	}
}
