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

// failuresParts is how many parts obligations are taken apart into, in the order of execution, when the budget of the
// question about all of them ends. What stands before a part was settled then and is a fact of the question about it:
// one after the other they take a fraction of the conflicts of the question about all, which therefore gets a small
// budget, and more the fewer obligations it is about. Parts share a session, so that a large program becomes clauses
// once. docs/solvers.md has the figures.
const failuresParts = 16

// settleFailures decides which obligations some execution violates. One query asks whether
// any of those that are left fails; a model settles the first on its execution. When the
// budget of a query ends it is asked about parts, so that a hard obligation drags no other along: one that is hard by
// itself has to wait until all others are settled. What is accepted comes last, since no verdict depends on it.
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
	for _, g := range p.segments(open) {
		s.settle(g, nil)
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
	unconfirmed map[*status]bool // violated by a model that no execution confirmed: not asked about again
	byCases     map[*status]bool // asked about by cases, and alone
	hard        map[int]bool     // events on which a budget of their own ended
	parts       ask.Session      // of all questions about parts
	postponed   []*status        // on which a small budget ended, in the order of execution
	last        bool             // what is postponed is asked about: it gets a budget of its own
}

// left are the obligations that are not settled yet, and what violates each of them.
func (s *failureSearch) left(open []*status) (left []*status, fails []smt.Term) {
	for _, st := range open {
		if st.failed || st.proved || s.unconfirmed[st] {
			continue
		}
		if s.violated[st.key] {
			st.unknown = found.Reason{Why: found.OtherInstanceFails}
			continue
		}
		left = append(left, st)
		fails = append(fails, s.ch.Fails(s.log, st.event))
	}
	return left, fails
}

// budget is that of a question about so many obligations: conflicts, and work.
func (s *failureSearch) budget(n int) (conflicts, work int64) {
	switch each := failuresTogether / int64(n); {
	case s.last:
		return s.single(), 0
	case each > failuresBudget:
		return s.share(min(each, batchBudget/5)), partWork
	}
	return s.share(failuresBudget), failuresWork
}

// settle decides some obligations, which stand in the order of execution. in, if any, is the session that is asked.
func (s *failureSearch) settle(open []*status, in *ask.Session) {
	for !s.leaves() {
		left, fails := s.left(open)
		if len(left) == 0 {
			return
		}
		// What was assumed and held before the first of them holds for all.
		q := ask.Question{Facts: []smt.Term{s.ch.Held[left[0].event]}, Any: fails, Session: in, Executed: true}
		q.Budget, q.Work = s.budget(len(left))
		q.Postpones = len(left) == 1 && !s.last && !left[0].ins.Accepted
		if len(left) == 1 && !q.Postpones {
			q.Work = 0 // nobody asks again, and what is told is that the budget ended
		}
		q.Cases = in == nil && !(s.last && s.byCases[left[0]])
		if len(left) == 1 && q.Cases {
			s.byCases[left[0]] = true
		}
		if in != nil {
			q.Given = q.Facts // parts are asked about in order: what held before one holds before all later ones
		}
		v, asked := s.violation(left, q)
		if !asked {
			continue
		}
		switch v.Answer {
		case smt.Unsat:
			for _, st := range left {
				st.proved, st.unsat = true, true
			}
			return
		case smt.Sat:
			if !s.confirmAll(left, fails, v) { // cannot be: the pool checked the model
				for _, st := range left {
					st.unknown = internalError("a model violates nothing")
					s.unconfirmed[st] = true
				}
				return
			}
		case smt.StepLimit:
			switch {
			case s.last:
				s.tooHard(left[0], q.Budget)
				return
			case q.Postpones:
				s.postponed = append(s.postponed, left[0])
				return
			case len(left) == 1: // accepted
				left[0].unknown = found.Reason{Why: found.StepBudget, N: q.Budget}
				return
			}
			for part := range slices.Chunk(left, (len(left)+failuresParts-1)/failuresParts) {
				s.settle(part, &s.parts)
			}
			return
		default:
			for _, st := range left {
				st.unknown = s.openReason(v.Result)
			}
			return
		}
	}
}

// settlePostponed gives each obligation that is hard by itself a budget of its own.
func (s *failureSearch) settlePostponed() {
	if len(s.postponed) == 0 {
		return
	}
	s.last = true
	s.until(s.extent.hard, func() {
		for _, st := range s.postponed {
			s.settle([]*status{st}, nil)
		}
	})
	s.last = false
}

// settleAccepted settles obligations that are accepted, in the order of execution: one at a time in one session, none
// with more than a small budget.
func (s *failureSearch) settleAccepted(open []*status) {
	var in ask.Session
	defer in.Close()
	for _, st := range open {
		s.settle([]*status{st}, &in)
	}
}

// violation is the answer whether some execution violates obligations.
type violation struct {
	ask.Outcome
	// depends is what only the executions do that violate them, if anything.
	depends found.Why
	// within are the facts of these executions.
	within []smt.Term
}

// violation asks for an execution that violates one of several obligations: first for one that nobody can doubt, then
// for those of which it is not known whether they exist. The last result is false where nothing was asked, since some
// of them are known not to be violated.
func (s *failureSearch) violation(left []*status, q ask.Question) (violation, bool) {
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
	if s.recallMembers(left, q) {
		return violation{}, false
	}
	v := violation{within: within}
	ask := func(facts []smt.Term, depends found.Why) {
		q.Facts = facts
		v.Outcome, v.depends = s.Ask(s.ctx, q), depends
		s.credit(left, v.Old)
	}
	ask(q.Facts, "")
	if v.Answer == smt.Unsat && len(s.library) > 0 {
		// Only executions that get a result of the library of which nothing is known can violate them.
		ask(append(slices.Clone(within), c.Not(writes)), "")
	}
	if v.Answer == smt.Unsat && len(s.writes) > 0 {
		// Only what a missing body may have written can violate them.
		ask(within, found.DependsOnBody)
	}
	if v.Answer == smt.Unsat && len(s.prog.Elsewhere) > 0 {
		// Only what a contract is given by some callers, and not by its proof.
		ask(facts, found.DependsOnObject)
	}
	return v, true
}

// confirmAll executes a model for each obligation that it violates. It tells whether there is one.
func (s *failureSearch) confirmAll(left []*status, fails []smt.Term, v violation) bool {
	hit := false
	for i, st := range left {
		if !v.Model.EvalBool(fails[i]) {
			continue
		}
		hit = true
		if st.failed { // its execution was made for another one
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

// confirmOne executes a model that violates an obligation. The reason is why that does not show a violation; none: it
// does.
func (s *failureSearch) confirmOne(st *status, fails smt.Term, v violation) (why found.Reason) {
	defer func() {
		if wrong := recover(); wrong != nil { // a mistake of ours in what is told of one violation
			why = internalError(fmt.Sprint(wrong))
		}
	}()
	if s.prog.CutByContract && !(found.Reason{Why: v.depends}).Final() {
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
	case s.ctx.Err() != nil: // it was not executed to its end
		wrong = s.opts.Limits.ended(s.ctx)
	case v.Loose && wrong.Why == found.InternalError:
		wrong = found.Reason{Why: found.TooManyInstances}
	}
	return wrong
}

// tooHard settles an obligation on which a budget of its own ended: what the hard ones before it would help it with may
// be what makes it hard.
func (s *failureSearch) tooHard(st *status, budget int64) {
	if len(s.hard) > 0 && s.provedWithout(st, s.hard) {
		st.proved = true
		return
	}
	st.unknown = found.Reason{Why: found.StepBudget, N: budget}
	s.hard[st.event] = true
}

// provedWithout tells whether an obligation holds when those at some events are not taken to hold.
func (p *plan) provedWithout(st *status, events map[int]bool) bool {
	ch := seair.ChainOf(p.log, func(i int) bool { return events[i] })
	o := p.Ask(p.ctx, ask.Question{Facts: []smt.Term{ch.Held[st.event]}, Any: []smt.Term{ch.Fails(p.log, st.event)},
		Budget: p.single()})
	p.charge(&st.ins.Cost)
	return o.Answer == smt.Unsat
}

// tell hands on a violation before the rest is settled: nothing that comes later takes it back.
func (p *plan) tell(st *status) {
	if p.opts.Found != nil {
		in := st.ins
		in.Verdict = found.Failed
		p.opts.Found(in)
	}
}

// recallMembers takes out of a question that was never asked the obligations that are known for
// themselves not to be violated. A question that was asked is asked again as it was, so that a run
// goes the way that it went before.
func (p *plan) recallMembers(left []*status, q ask.Question) bool {
	some := false
	for _, st := range left {
		b := p.byMember[st.event]
		some = some || b != nil && b.Known()
	}
	if !some || p.Answered(q) {
		return false
	}
	for _, st := range left {
		if b := p.byMember[st.event]; b != nil && b.Known() {
			p.UseMember(b)
			st.proved, st.unsat = true, true
			p.credit([]*status{st}, true)
		}
	}
	return true
}

// maxSegments bounds the number of queries of a proof in which nothing fails.
const maxSegments = 5

// segments cuts the obligations where assumptions stand between them: what was assumed
// before a segment is a fact at the top level of its query, where it simplifies most. The
// last segment is what follows the last assumption.
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

// needsResult tells whether a violation that was executed, or should have been, needs what the C library returns and
// nobody here knows, and of which function: no library need ever return that.
func (p *plan) needsResult(st *status, m *ask.Model, wrong found.Reason) (found.Reason, bool) {
	if wrong.None() {
		return needsUnmodelled(st.ins.Counterexample)
	}
	if wrong.Why == found.InternalError {
		for _, r := range p.library { // the execution computed what the formulas leave open
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

// needsUnmodelled is the reason of a violation that needs a certain result of the library or of assembly; false: it
// needs none.
func needsUnmodelled(cex *found.Counterexample) (found.Reason, bool) {
	for i := range cex.Inputs {
		switch in := &cex.Inputs[i]; {
		case !in.Unmodelled || in.Idle:
		case in.Kind == string(choice.Asm):
			return found.Reason{Why: found.NeedsAssembly, At: in.Pos, Text: in.Value}, true
		case in.Kind == string(choice.Rounding):
			return found.Reason{Why: found.NeedsRounding, At: in.Pos}, true
		default:
			return found.Reason{Why: found.NeedsResult, Name: in.Function, Text: in.Value}, true
		}
	}
	return found.Reason{}, false
}

// writer names a body-less function that wrote something in a model.
func (p *plan) writer(m *ask.Model) string {
	for _, w := range p.writes {
		if m.EvalBool(w.sym) {
			return w.name
		}
	}
	return "a function without a body"
}
