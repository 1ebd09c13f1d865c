package vcgen

import (
	"context"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxOldModels is how many models of earlier runs are tried on a question that is new, before the solver is asked.
const maxOldModels = 12

// Kinds of questions. They are part of the keys.
const (
	kindQuestion = "question" // the conjunction of the terms, with the axioms that speak of their symbols
	kindExact    = "exact"    // the same as a solver sees it, for step limits
	kindWaiting  = "waiting"  // the same for the step limit of one that is asked again later
	kindStopped  = "stopped"  // the same when a run was stopped, which had a budget of so much work
)

// memoKey is under what the answer to a question is kept.
type memoKey struct {
	all    []smt.Term // axioms, too
	set    int
	budget int64
	exact  smt.Digest
	limit  string // the kind under which a step limit is kept
}

// limitKind is the kind under which the step limit of a question is kept.
func (q question) limitKind() string {
	if q.postpones {
		return kindWaiting
	}
	return kindExact
}

// recall looks a question up: the conjunction of terms and axioms. The last result is false when a solver has to be
// asked, and its answer be learned. Without a memo that is always so, and there is no key.
func (e *engine) recall(terms, axioms []smt.Term, asked question) (*memoKey, outcome, bool) {
	m := e.opts.Memo
	if m == nil {
		return nil, outcome{}, false
	}
	defer e.stage("keys")()
	e.hashEvents()
	for _, t := range terms {
		m.canon.Hash(t)
	}
	q := &memoKey{all: append(append([]smt.Term(nil), terms...), axioms...), budget: asked.budget,
		limit: asked.limitKind()}
	q.set = m.set(kindQuestion, q.all, nil)
	if asked.postpones {
		if o, ended := e.recallLimit(q); ended {
			return q, o, true
		}
	}
	if a := m.recall(q.set); a != nil {
		switch a.is {
		case smt.Unsat:
			o := e.remembered(a, smt.Result{Answer: smt.Unsat})
			for _, d := range a.core {
				for _, t := range terms {
					if m.canon.Hash(t) == d {
						o.core = append(o.core, t)
						break
					}
				}
			}
			return q, o, true
		case smt.Sat:
			if o, ok := e.recallModel(a, terms, q.all); ok {
				return q, o, true
			}
		}
	}
	if o, stopped := e.stopsAgain(q); stopped {
		return q, o, true
	}
	if !asked.postpones {
		if o, ended := e.recallLimit(q); ended {
			return q, o, true
		}
	}
	// Behind what had no answer, also where a model that was found later would be one: a run goes the way it went before.
	for i, old := range m.models {
		if i == maxOldModels {
			break
		}
		a := &answer{set: q.set, is: smt.Sat, model: old}
		if o, ok := e.recallModel(a, terms, q.all); ok {
			m.put(a)
			return q, o, true
		}
	}
	return q, outcome{}, false
}

// recallLimit tells whether the budget of a question is known to end.
func (e *engine) recallLimit(q *memoKey) (outcome, bool) {
	m := e.opts.Memo
	q.exact = e.c.ExactDigest(q.all)
	a := m.known[smt.SetDigest(q.limit, []smt.Digest{q.exact}, nil)]
	if a == nil || a.is != smt.StepLimit || q.budget <= 0 || a.budget < q.budget {
		return outcome{}, false
	}
	a.set = m.exactSet(q)
	return e.remembered(a, smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up"}), true
}

// recallModel takes the model of a kept answer into the pool, when it satisfies all terms: those that were asked about,
// and the axioms.
func (e *engine) recallModel(a *answer, asked, all []smt.Term) (outcome, bool) {
	model := e.opts.Memo.model(e.c, a.model)
	if !e.holds(model, all) {
		return outcome{}, false
	}
	known := e.models.add(model, asked)
	if known == nil {
		return outcome{}, false
	}
	known.old = true
	o := e.remembered(a, smt.Result{Answer: smt.Sat})
	o.model = known
	return o, true
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

// answered tells whether the memo has an answer to a question; it uses none.
func (e *engine) answered(q question) bool {
	m := e.opts.Memo
	all, axioms := e.conjunction(q)
	e.hashEvents()
	for _, t := range all {
		m.canon.Hash(t)
	}
	all = append(all, axioms...)
	return m.known[m.canon.Set(kindQuestion, all, nil)] != nil ||
		m.known[smt.SetDigest(q.limitKind(), []smt.Digest{e.c.ExactDigest(all)}, nil)] != nil
}

// effort is the work of a question: that at its last pause, and all of it. While it is asked, both are counted from the
// beginning of the run.
type effort struct {
	paused, whole int64
}

// stopped is the kind of a set that stands for a question that was under way when a run with this extent was stopped.
func (x extent) stopped() string { return kindStopped + strconv.FormatInt(x.budget, 10) }

// stopsAgain does the work of a question that an earlier run had under way when it was stopped, and tells whether this
// run is stopped there, too.
func (e *engine) stopsAgain(q *memoKey) (outcome, bool) {
	m := e.opts.Memo
	kind, of := e.extent.stopped(), []int{q.set}
	a := m.known[smt.SetDigest(kind, nil, []smt.Digest{m.sets.list[q.set].digest})]
	if a == nil {
		return outcome{}, false
	}
	a.set = m.set(kind, nil, of)
	e.searched += a.effort.whole
	e.pause()
	if e.ctx.Err() == nil {
		e.searched -= a.effort.whole
		return outcome{}, false
	}
	m.use(a)
	return e.stopped(), true
}

// stopped is the outcome of a question that is not asked any more.
func (e *engine) stopped() outcome {
	e.stats.Unsettled++
	return outcome{Result: smt.Stopped(e.ctx)}
}

func (e *engine) remembered(a *answer, res smt.Result) outcome {
	if a.effort.paused > 0 {
		e.searched += a.effort.paused
		e.pause()
	}
	e.searched += a.effort.whole - a.effort.paused
	e.opts.Memo.use(a)
	if !a.ours {
		e.stats.CacheHits++
	}
	return outcome{Result: res, old: true}
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
func (m *Memo) exactSet(q *memoKey) int {
	d := smt.SetDigest(q.limit, []smt.Digest{q.exact}, nil)
	i, ok := m.sets.at[d]
	if !ok {
		i = len(m.sets.list)
		m.sets.at[d] = i
		m.sets.list = append(m.sets.list, setRecord{kind: q.limit, subsets: []int{q.set}, digest: d})
	}
	return i
}

// learn keeps what the solver said, when it holds in every run. model is that of a Sat, of all symbols.
func (e *engine) learn(q *memoKey, o outcome, model *smt.Model) {
	switch o.Answer {
	case smt.Timeout, smt.Cancelled, smt.Failed:
		e.stats.Unsettled++
	}
	if q == nil {
		return
	}
	m := e.opts.Memo
	work := effort{whole: e.work() - e.began.whole}
	if e.began.paused > 0 {
		work.paused = e.began.paused - e.began.whole
	}
	switch o.Answer {
	case smt.Sat:
		m.put(&answer{set: q.set, is: smt.Sat, model: m.assignmentOf(model), effort: work})
	case smt.Unsat:
		a := &answer{set: q.set, is: smt.Unsat, effort: work}
		for _, t := range o.core {
			a.core = append(a.core, m.canon.Hash(t))
		}
		m.put(a)
	case smt.StepLimit:
		if q.budget > 0 {
			m.put(&answer{set: m.exactSet(q), is: smt.StepLimit, budget: q.budget, steps: o.Steps, effort: work})
		}
	case smt.Cancelled:
		if cause := context.Cause(e.ctx); cause == errBudget || cause == errComplete { // which comes again
			m.put(&answer{set: m.set(e.extent.stopped(), nil, []int{q.set}), is: smt.Cancelled, effort: work})
		}
	}
}
