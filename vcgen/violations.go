package vcgen

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// failuresParts is the number of parts into which obligations are divided if the query about all of them has no answer
// within its budget.
//
// Parts are in execution order. All obligations before a part are decided before it, and are facts of the part's
// query. In sequence, the parts take a fraction of the conflicts of the query about all. Therefore that query has a
// small budget, which grows as the number of obligations falls. Parts share a session, so that a large program is
// translated to clauses only once. docs/benchmarks.md has the figures.
const failuresParts = 16

// settleFailures decides which obligations some execution violates. One query is about all undecided obligations; a
// model decides the ones that its execution violates. If the budget of a query does not suffice, parts are queried, so
// that a hard obligation affects no other. An obligation that is hard by itself is postponed until all others are
// decided. Accepted obligations come last, since no verdict depends on them.
func (p *plan) settleFailures() {
	var open, accepted []*status
	var events []int
	var violated []smt.Term
	for _, st := range p.obs {
		fails := p.ch.Fails(p.log, st.event)
		if p.c.IsFalse(fails) {
			st.proved = true
			p.stats.SettledFolded++
			continue
		}
		events, violated = append(events, st.event), append(violated, fails)
		if st.ins.Accepted {
			accepted = append(accepted, st)
		} else {
			open = append(open, st)
		}
	}
	p.byMember = p.Members(events, violated)
	p.anyFailed = len(p.violated) > 0
	s := &failureSearch{plan: p, unconfirmed: map[*status]bool{}, byCases: map[*status]bool{},
		hard: map[int]bool{}}
	defer s.parts.Close()
	s.until(s.extent.hurry, func() {
		for _, g := range p.segments(open) {
			s.settle(g, nil)
		}
		p.hurried = p.extent.hurry > 0 && p.ctx.Err() != nil
	})
	if p.hurried {
		s.settleCheap(open)
	}
	s.parts.Close()
	s.settlePostponed()
	s.settleAccepted(accepted)
	for _, st := range p.obs {
		if !st.failed && !st.proved && st.unknown.None() {
			if st.unknown = (found.Reason{Why: found.StepBudget}); p.ctx.Err() != nil {
				st.unknown = p.opts.Limits.ended(p.ctx)
			}
		}
	}
}

// failureSearch is the search for executions that violate the obligations of a plan.
type failureSearch struct {
	*plan
	unconfirmed map[*status]bool // violated by a model that no execution confirmed: not queried again
	byCases     map[*status]bool // queried alone, with a split into cases
	hard        map[int]bool     // events whose own full budget did not suffice
	parts       ask.Session      // of all queries about parts
	postponed   []*status        // obligations for which a small budget did not suffice, in execution order
	cheap       bool             // each query has a tiny budget
	last        bool             // postponed obligations are queried with their own full budgets
}

// stillOpen returns the undecided obligations, and the violation of each.
func (s *failureSearch) rest(open []*status) (rest []*status, fails []smt.Term) {
	for _, st := range open {
		if st.failed || st.proved || s.unconfirmed[st] {
			continue
		}
		if s.violated[st.key] && !st.ins.unsure {
			st.unknown = found.Reason{Why: found.OtherInstanceFails}
			continue
		}
		rest = append(rest, st)
		fails = append(fails, s.ch.Fails(s.log, st.event))
	}
	return rest, fails
}

// budget returns the budget of a query about n obligations: conflicts, and work.
func (s *failureSearch) budget(n int) (conflicts, work int64) {
	switch each := failuresTogether / int64(n); {
	case s.last:
		return s.single(), 0
	case s.cheap:
		return cheapBudget, cheapWork
	case each > failuresBudget:
		return s.share(min(each, batchBudget/5)), partWork
	}
	return s.share(failuresBudget), failuresWork
}

// settle decides some obligations, in execution order. in is the session of the queries, if any.
func (s *failureSearch) settle(open []*status, in *ask.Session) {
	for !s.leaves() {
		undecided, fails := s.rest(open)
		if len(undecided) == 0 {
			return
		}
		// Everything assumed and held before the first obligation holds for all.
		q := ask.Question{Facts: []smt.Term{s.ch.Held[undecided[0].event]}, Any: fails, Session: in, Executed: true}
		q.Budget, q.Work = s.budget(len(undecided))
		q.Postpones = len(undecided) == 1 && !s.last && !undecided[0].ins.Accepted
		if len(undecided) == 1 && !q.Postpones {
			q.Work = 0 // there is no repetition, and the reason will be the budget
		}
		q.Cases = in == nil && !(s.last && s.byCases[undecided[0]])
		if len(undecided) == 1 && q.Cases {
			s.byCases[undecided[0]] = true
		}
		if in != nil {
			q.Given = q.Facts // parts are queried in order: a fact before one part holds before all later ones
		}
		v, asked := s.violation(undecided, q)
		if !asked {
			continue
		}
		switch v.Answer {
		case smt.Unsat:
			for _, st := range undecided {
				st.proved, st.unsat = true, true
			}
			return
		case smt.Sat:
			if !s.confirmAll(undecided, fails, v) { // impossible: the pool checked the model
				for _, st := range undecided {
					st.unknown = internalError("a model violates nothing")
					s.unconfirmed[st] = true
				}
				return
			}
		case smt.StepLimit:
			switch {
			case s.cheap:
				if undecided[0].unknown = s.opts.Limits.Time; undecided[0].unknown.None() {
					undecided[0].unknown = found.Reason{Why: found.StepBudget, N: q.Budget}
				}
				return
			case s.last:
				s.tooHard(undecided[0], q.Budget)
				return
			case q.Postpones:
				s.postponed = append(s.postponed, undecided[0])
				return
			case len(undecided) == 1: // accepted
				undecided[0].unknown = found.Reason{Why: found.StepBudget, N: q.Budget}
				return
			}
			for part := range slices.Chunk(undecided, (len(undecided)+failuresParts-1)/failuresParts) {
				s.settle(part, &s.parts)
			}
			return
		default:
			for _, st := range undecided {
				st.unknown = s.openReason(v.Result)
			}
			return
		}
	}
}

// settleCheap decides the obligations that are still open, in execution order, each with a tiny budget. A query about
// many obligations is as hard as the hardest of them, and may take all the time that is left.
func (s *failureSearch) settleCheap(open []*status) {
	s.cheap, s.hurried = true, false
	for _, st := range open {
		if st.failed || st.proved || st.unknown.Why == found.OtherInstanceFails || s.unconfirmed[st] {
			continue
		}
		if s.ctx.Err() == nil {
			st.unknown = found.Reason{}
			s.settle([]*status{st}, &s.parts)
		}
		s.hurried = s.hurried || ranOut(st.unknown)
	}
	s.cheap = false
}

// settlePostponed queries each obligation that is hard by itself with its own full budget.
func (s *failureSearch) settlePostponed() {
	if len(s.postponed) == 0 {
		return
	}
	s.last = true
	s.until(s.extent.hard, func() {
		for _, st := range s.postponed {
			if s.hurried && !st.failed && !st.proved && !s.unconfirmed[st] {
				st.unknown = found.Reason{} // settleCheap has set it
			}
			s.settle([]*status{st}, nil)
		}
	})
	s.last = false
}

// settleAccepted settles accepted obligations in execution order, one at a time in one session, with small budgets.
func (s *failureSearch) settleAccepted(open []*status) {
	var in ask.Session
	defer in.Close()
	for _, st := range open {
		s.settle([]*status{st}, &in)
	}
}

// violation is the answer to a query for violations of obligations.
type violation struct {
	ask.Outcome
	// depends is the effect that all violating executions depend on, if any.
	depends found.Why
	// within are the facts of these executions.
	within []smt.Term
}

// violation queries whether an execution violates one of several obligations. It starts with undoubted executions, and
// then permits effects that are not known to exist. The last result is false if there was no query, because some
// obligations are known to hold.
func (s *failureSearch) violation(undecided []*status, q ask.Question) (violation, bool) {
	c := s.c
	writes, library, elsewhere := c.False(), c.False(), c.False()
	for _, e := range s.prog.Elsewhere {
		elsewhere = c.Or(elsewhere, e.When)
	}
	for _, w := range s.writes {
		writes = c.Or(writes, w.sym)
	}
	for _, r := range s.library {
		library = c.Or(library, r.Guard)
	}
	facts := q.Facts
	within := append(slices.Clone(facts), c.Not(elsewhere))
	q.Facts = append(slices.Clone(within), c.Not(writes), c.Not(library))
	if s.recallMembers(undecided, q) {
		return violation{}, false
	}
	v := violation{within: within}
	ask := func(facts []smt.Term, depends found.Why) {
		q.Facts = facts
		v.Outcome, v.depends = s.Ask(s.ctx, q), depends
		s.credit(undecided, v.Old)
	}
	ask(q.Facts, "")
	if v.Answer == smt.Unsat && len(s.library) > 0 {
		// Only executions with an unmodelled result of the C library can violate them.
		ask(append(slices.Clone(within), c.Not(writes)), "")
	}
	if v.Answer == smt.Unsat && len(s.writes) > 0 {
		// Only executions in which a missing body writes memory can violate them.
		ask(within, found.DependsOnBody)
	}
	if v.Answer == smt.Unsat && len(s.prog.Elsewhere) > 0 {
		// Only executions in which a caller of a contract passes another object than the proof can violate them.
		ask(facts, found.DependsOnObject)
	}
	return v, true
}

// confirmAll executes a model for each obligation that it violates. It reports whether there is one.
func (s *failureSearch) confirmAll(undecided []*status, fails []smt.Term, v violation) bool {
	hit := false
	for i, st := range undecided {
		if !v.Model.EvalBool(fails[i]) {
			continue
		}
		hit = true
		if st.failed { // another execution has already violated it
			continue
		}
		if st.unknown = s.confirmOne(st, fails[i], v); st.unknown.None() {
			s.fail(st)
		} else {
			s.unconfirmed[st] = true
		}
	}
	return hit
}

// confirmOne executes a model that violates an obligation. It returns the reason why that shows no violation; none if
// it does.
func (s *failureSearch) confirmOne(st *status, fails smt.Term, v violation) (why found.Reason) {
	defer func() {
		if wrong := recover(); wrong != nil { // a bug in the description of one violation
			why = internalError(fmt.Sprint(wrong))
		}
	}()
	if s.prog.CutByContract && !(found.Reason{Why: v.depends}).Final() {
		if stop := s.extent.spoiled; stop != nil && !s.extent.violated[st.key] {
			stop()
			return found.Reason{Why: found.NotInductive}
		}
		st.ins.obstacle = s.obstacle(st, v.within, fails, v.Model)
		return found.Reason{Why: found.NotInductive}
	}
	if v.depends != "" {
		r := found.Reason{Why: v.depends}
		switch v.depends {
		case found.DependsOnBody:
			r.Name = s.writer(v.Model)
		case found.DependsOnObject:
			for _, e := range s.prog.Elsewhere {
				if r.Name == "" && v.Model.EvalBool(e.When) {
					r.Name = e.By
				}
			}
		}
		return r
	}
	wrong := s.confirmBest(st, v.within, fails, v.Model, s.confirm)
	s.charge(&st.ins.Cost)
	if r, needs := s.needsResult(st, v.Model, wrong); needs {
		wrong = r
	}
	switch {
	case wrong.None():
	case s.ctx.Err() != nil: // the execution was stopped
		wrong = s.opts.Limits.ended(s.ctx)
	case v.Loose && wrong.Why == found.InternalError:
		wrong = found.Reason{Why: found.TooManyInstances}
	}
	return wrong
}

// tooHard settles an obligation whose own full budget did not suffice. The facts of hard obligations before it may
// make it hard, so it is tried without them.
func (s *failureSearch) tooHard(st *status, budget int64) {
	if len(s.hard) > 0 && s.provedWithout(st, s.hard) {
		st.proved = true
		return
	}
	st.unknown = found.Reason{Why: found.StepBudget, N: budget}
	s.hard[st.event] = true
}

// provedWithout reports whether an obligation holds if the obligations at some events are not assumed to hold.
func (p *plan) provedWithout(st *status, events map[int]bool) bool {
	ch := seair.ChainOf(p.log, func(i int) bool { return events[i] })
	o := p.Ask(p.ctx, ask.Question{Facts: []smt.Term{ch.Held[st.event]}, Any: []smt.Term{ch.Fails(p.log, st.event)},
		Budget: p.single()})
	p.charge(&st.ins.Cost)
	return o.Answer == smt.Unsat
}

// tell calls Options.Found with a violation before the rest is settled: it is final.
func (p *plan) tell(st *status) {
	if p.opts.Found != nil {
		in := st.ins
		in.Verdict = found.Failed
		p.opts.Found(in)
	}
}

// recallMembers settles the obligations that cached answers prove separately, unless the whole query has a cached
// answer. It reports whether it settled any. A query with a cached answer is repeated as it was, so that a run repeats
// the course of the earlier one.
func (p *plan) recallMembers(undecided []*status, q ask.Question) bool {
	known := false
	for _, st := range undecided {
		b := p.byMember[st.event]
		known = known || b != nil && b.Known()
	}
	if !known || p.Answered(q) {
		return false
	}
	for _, st := range undecided {
		if b := p.byMember[st.event]; b != nil && b.Known() {
			p.UseMember(b)
			st.proved, st.unsat = true, true
			p.credit([]*status{st}, b.Old())
		}
	}
	return true
}

// maxSegments bounds the number of queries of a proof without violations.
const maxSegments = 5

// segments divides the obligations at the assumptions between them: an assumption before a segment is a fact at the
// top level of its query, at which it simplifies most. The last segment follows the last assumption.
func (p *plan) segments(open []*status) [][]*status {
	if len(open) == 0 {
		return nil
	}
	var starts []int // first obligation behind an assumption
	for i := 1; i < len(open); i++ {
		if p.ch.Assumed[open[i].event] != p.ch.Assumed[open[i-1].event] {
			starts = append(starts, i)
		}
	}
	for len(starts) > maxSegments-1 { // drop the start of the smallest segment but the last
		best, size := 0, len(open)
		for k := 0; k < len(starts)-1; k++ {
			prev := 0
			if k > 0 {
				prev = starts[k-1]
			}
			if n := starts[k+1] - prev; n < size {
				best, size = k, n
			}
		}
		starts = append(starts[:best], starts[best+1:]...)
	}
	var out [][]*status
	from := 0
	for _, s := range append(starts, len(open)) {
		out = append(out, open[from:s])
		from = s
	}
	return out
}

// needsResult reports whether a violation depends on an unmodelled result, and returns the reason with the function.
// No library need ever return such a result.
func (p *plan) needsResult(st *status, m *ask.Model, wrong found.Reason) (found.Reason, bool) {
	if wrong.None() {
		return needsUnmodelled(st.ins.Counterexample)
	}
	if wrong.Why == found.InternalError {
		for _, r := range p.library { // the execution computed a value that the formulas leave open
			switch {
			case !m.EvalBool(r.Guard):
			case r.Kind == choice.Rounding:
				return found.Reason{Why: found.NeedsRounding, At: p.instructionAt(r.Site)}, true
			default:
				return found.Reason{Why: found.NeedsResult, Name: r.Name}, true
			}
		}
	}
	return found.Reason{}, false
}

// needsUnmodelled returns the reason of a violation that depends on a certain result of the library or of assembly;
// false if it depends on none.
func needsUnmodelled(cex *found.Counterexample) (found.Reason, bool) {
	for i := range cex.Inputs {
		switch in := &cex.Inputs[i]; {
		case !in.Unmodelled || in.Idle:
		case in.Kind == found.InputAsm:
			return found.Reason{Why: found.NeedsAssembly, At: in.Pos, Text: in.Value}, true
		case in.Kind == found.InputRounding:
			return found.Reason{Why: found.NeedsRounding, At: in.Pos}, true
		default:
			return found.Reason{Why: found.NeedsResult, Name: in.Function, Text: in.Value}, true
		}
	}
	return found.Reason{}, false
}

// writer returns the name of a function without a body that writes memory in a model.
func (p *plan) writer(m *ask.Model) string {
	for _, w := range p.writes {
		if m.EvalBool(w.sym) {
			return w.name
		}
	}
	return "a function without a body"
}
