package ask

import (
	"context"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxOldModels bounds the models of earlier runs that are tried on a new query before the solver.
const maxOldModels = 12

// Kinds of queries. They are part of the cache keys.
const (
	kindQuestion = "question" // the conjunction of the terms, with the axioms for their symbols
	kindExact    = "exact"    // the same in the exact form for the solver, for step limits
	kindWaiting  = "waiting"  // the same for the step limit of a postponed query
	kindStopped  = "stopped"  // the same for a query that was under way when a run with this budget ended
)

// memoKey is the cache key of a query.
type memoKey struct {
	all    []smt.Term // including axioms
	set    int
	budget int64
	limit  string // the kind of the key of a step limit
}

// limitKind returns the kind of the cache key for the step limit of a query.
func (q Question) limitKind() string {
	if q.Postpones {
		return kindWaiting
	}
	return kindExact
}

// recall looks up a query, the conjunction of terms and axioms. The last result is false if the query has to be solved
// and its answer learned. Without a memo it is always false, and there is no key.
func (x *Asker) recall(ctx context.Context, terms, axioms []smt.Term, asked Question,
) (*memoKey, Outcome, bool) {
	m := x.opts.Memo
	if m == nil {
		return nil, Outcome{}, false
	}
	defer x.opts.Stage("keys")()
	x.hashEvents()
	for _, t := range terms {
		m.canon.Hash(t)
	}
	q := &memoKey{all: append(append([]smt.Term(nil), terms...), axioms...), budget: asked.Budget,
		limit: asked.limitKind()}
	q.set = m.set(kindQuestion, q.all, nil)
	if asked.Postpones {
		if o, ended := x.recallLimit(q); ended {
			return q, o, true
		}
	}
	// A later run may have answered it.
	if o, stopped := x.stopsAgain(ctx, q); stopped {
		return q, o, true
	}
	if a := m.recall(q.set); a != nil {
		switch a.is {
		case smt.Unsat:
			o := x.remembered(a, smt.Result{Answer: smt.Unsat})
			for _, d := range a.core {
				for _, t := range terms {
					if m.canon.Hash(t) == d {
						o.Core = append(o.Core, t)
						break
					}
				}
			}
			return q, o, true
		case smt.Sat:
			if o, ok := x.recallModel(a, terms, q.all); ok {
				return q, o, true
			}
		}
	}
	if !asked.Postpones {
		if o, ended := x.recallLimit(q); ended {
			return q, o, true
		}
	}
	// Old models come after cached step limits and stops, even if a later model would be an answer: a run repeats the
	// course of the earlier one.
	for i, old := range m.models {
		if i == maxOldModels {
			break
		}
		a := &answer{set: q.set, is: smt.Sat, model: old}
		if o, ok := x.recallModel(a, terms, q.all); ok {
			m.put(a)
			return q, o, true
		}
	}
	return q, Outcome{}, false
}

// recallLimit reports whether a cached step limit shows that the budget of a query does not suffice.
func (x *Asker) recallLimit(q *memoKey) (Outcome, bool) {
	m := x.opts.Memo
	if !m.all.limited[m.sets.list[q.set].digest] { // most queries have none, and the exact form takes long to hash
		return Outcome{}, false
	}
	a := m.find(x.limitDigest(q))
	if a == nil || a.is != smt.StepLimit || q.budget <= 0 || a.budget < q.budget {
		return Outcome{}, false
	}
	a.set = x.limitSet(q)
	o := x.remembered(a, smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up"})
	o.Steps = min(o.Steps, q.budget)
	return o, true
}

// recallModel adds the model of a cached answer to the pool if it satisfies all, the terms (asked) and the axioms.
func (x *Asker) recallModel(a *answer, asked, all []smt.Term) (Outcome, bool) {
	model := x.opts.Memo.model(x.c, a.model)
	if !x.holds(model, all) {
		return Outcome{}, false
	}
	known := x.models.add(model, asked)
	if known == nil {
		return Outcome{}, false
	}
	known.Old = !a.ours
	o := x.remembered(a, smt.Result{Answer: smt.Sat})
	o.Model = known
	return o, true
}

// hashEvents hashes the symbols of new events, so that their identity depends on the program's first use of them, not
// on the order of queries.
func (x *Asker) hashEvents() {
	for ; x.hashed < len(x.log.Events); x.hashed++ {
		ev := &x.log.Events[x.hashed]
		x.opts.Memo.canon.Hash(ev.Guard)
		if ev.Cond != 0 {
			x.opts.Memo.canon.Hash(ev.Cond)
		}
	}
}

// Answered reports whether the memo, which must not be nil, has an answer to a query. It also returns true if a run
// with this budget ended during the query. It does not count as a use.
func (x *Asker) Answered(q Question) bool {
	m := x.opts.Memo
	all, axioms := x.conjunction(q)
	x.hashEvents()
	for _, t := range all {
		m.canon.Hash(t)
	}
	all = append(all, axioms...)
	of := m.canon.Set(kindQuestion, all, nil)
	return m.find(of) != nil || m.find(x.stopDigest(of)) != nil ||
		m.all.limited[of] && m.find(x.limitDigest(&memoKey{all: all, limit: q.limitKind()})) != nil
}

// effort is the work of a query: up to its last pause, and in total. During the query both are counted from the
// beginning of the run.
type effort struct {
	paused, total int64
}

// stopKind returns the kind of the cache key for a query that was under way when a run with this budget ended.
func (x *Asker) stopKind() string { return kindStopped + strconv.FormatInt(x.opts.Budget, 10) }

// stopDigest returns the key of a query, given by the digest of its set, during which a run with this budget ended.
func (x *Asker) stopDigest(of smt.Digest) smt.Digest {
	return smt.SetDigest(x.stopKind(), nil, []smt.Digest{of})
}

// stopsAgain counts the work of a query that was under way when an earlier run ended. It reports whether this run ends
// there, too.
func (x *Asker) stopsAgain(ctx context.Context, q *memoKey) (Outcome, bool) {
	m := x.opts.Memo
	a := m.find(x.stopDigest(m.sets.list[q.set].digest))
	if a == nil {
		return Outcome{}, false
	}
	a.set = m.set(x.stopKind(), nil, []int{q.set})
	x.searched += a.effort.total
	x.opts.Pause()
	if ctx.Err() == nil {
		x.searched -= a.effort.total
		return Outcome{}, false
	}
	m.use(a)
	return x.stopped(ctx), true
}

// stopped returns the outcome of a query after the context has ended.
func (x *Asker) stopped(ctx context.Context) Outcome {
	x.counts.Unsettled++
	return Outcome{Result: smt.Stopped(ctx)}
}

func (x *Asker) remembered(a *answer, res smt.Result) Outcome {
	if a.effort.paused > 0 {
		x.searched += a.effort.paused
		x.opts.Pause()
	}
	x.searched += a.effort.total - a.effort.paused
	x.opts.Memo.use(a)
	if !a.ours {
		x.counts.Hits++
	}
	res.Steps = a.steps
	return Outcome{Result: res, Old: !a.ours}
}

// holds reports whether a conjunction is true in a model.
func (x *Asker) holds(model *smt.Model, terms []smt.Term) bool {
	ev := x.c.NewEvaluator(model)
	for _, t := range terms {
		if !ev.EvalBool(t) {
			return false
		}
	}
	return true
}

// limitDigest returns the key of the step limit of a query.
func (x *Asker) limitDigest(q *memoKey) smt.Digest {
	return smt.SetDigest(q.limit, []smt.Digest{x.c.ExactDigest(q.all)}, nil)
}

// limitSet adds the set that is the key of the step limit of a query.
func (x *Asker) limitSet(q *memoKey) int {
	m := x.opts.Memo
	d := x.limitDigest(q)
	i, ok := m.sets.at[d]
	if !ok {
		i = len(m.sets.list)
		m.sets.at[d] = i
		m.sets.list = append(m.sets.list, setRecord{kind: q.limit, subsets: []int{q.set}, digest: d})
	}
	return i
}

// learn caches the solver's answer if it holds in every run. model is the complete model of a Sat.
func (x *Asker) learn(ctx context.Context, q *memoKey, o Outcome, model *smt.Model) {
	switch o.Answer {
	case smt.Timeout, smt.Cancelled, smt.Failed:
		x.counts.Unsettled++
	}
	if q == nil {
		return
	}
	m := x.opts.Memo
	work := effort{total: x.Work() - x.began.total}
	if x.began.paused > 0 {
		work.paused = x.began.paused - x.began.total
	}
	switch o.Answer {
	case smt.Sat:
		m.put(&answer{set: q.set, is: smt.Sat, model: m.assignmentOf(model), steps: o.Steps, effort: work})
	case smt.Unsat:
		a := &answer{set: q.set, is: smt.Unsat, steps: o.Steps, effort: work}
		for _, t := range o.Core {
			a.core = append(a.core, m.canon.Hash(t))
		}
		m.put(a)
	case smt.StepLimit:
		if q.budget > 0 {
			m.put(&answer{set: x.limitSet(q), is: smt.StepLimit, budget: q.budget, of: m.sets.list[q.set].digest,
				steps: o.Steps, effort: work})
		}
	case smt.Cancelled:
		if x.opts.Recurs(context.Cause(ctx)) {
			m.put(&answer{set: m.set(x.stopKind(), nil, []int{q.set}), is: smt.Cancelled, effort: work})
		}
	}
}
