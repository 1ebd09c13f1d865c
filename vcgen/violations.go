package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
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
// budget of a query ends it is asked about parts, so that a hard obligation drags no other along.
func (p *plan) settleFailures() {
	c := p.c
	var open []*status
	for _, st := range p.obs {
		if c.IsFalse(p.ch.fails(p.log, st.event)) {
			st.proved = true
			p.stats.SettledFolded++
			continue
		}
		open = append(open, st)
	}
	p.byMember = p.members(open)
	p.anyFailed = len(p.violated) > 0
	unconfirmed := map[*status]bool{}
	hard := map[int]bool{} // events on which a budget of their own ended
	var parts session
	defer parts.close()
	var settle func(open []*status, s *session)
	settle = func(open []*status, s *session) {
		for !p.leaves() {
			var left []*status
			var terms []smt.Term
			for _, st := range open {
				if st.failed || st.proved || unconfirmed[st] {
					continue
				}
				if p.violated[st.key] {
					st.unknown = found.Reason{Why: found.OtherInstanceFails}
					continue
				}
				left = append(left, st)
				terms = append(terms, p.ch.fails(p.log, st.event))
			}
			if len(left) == 0 {
				return
			}
			budget := p.share(max(failuresBudget, min(failuresTogether/int64(len(left)), batchBudget/2)))
			if len(left) == 1 {
				budget = p.single()
			}
			writes, library, elsewhere := c.False(), c.False(), c.Or(p.prog.Elsewhere...)
			for _, w := range p.writes {
				writes = c.Or(writes, w.sym)
			}
			for _, r := range p.library {
				library = c.Or(library, r.guard)
			}
			// What was assumed and held before the first of them holds for all.
			facts := []smt.Term{p.ch.held[left[0].event]}
			within := append(slices.Clone(facts), c.Not(elsewhere))
			q := question{facts: append(slices.Clone(within), c.Not(writes), c.Not(library)), any: terms, budget: budget,
				session: s, executed: true}
			if s != nil {
				q.given = facts // parts are asked about in order: what held before one holds before all later ones
			}
			if p.recallMembers(left, q) {
				continue
			}
			o := p.ask(q)
			p.credit(left, o.old)
			var depends found.Why
			if o.Answer == smt.Unsat && len(p.library) > 0 {
				// Only executions that get a result of the library of which nothing is known can violate them.
				q.facts = append(slices.Clone(within), c.Not(writes))
				o = p.ask(q)
				p.credit(left, o.old)
			}
			if o.Answer == smt.Unsat && len(p.writes) > 0 {
				// Only what a missing body may have written can violate them.
				q.facts = within
				o, depends = p.ask(q), found.DependsOnBody
				p.credit(left, o.old)
			}
			if o.Answer == smt.Unsat && len(p.prog.Elsewhere) > 0 {
				// Only what a contract is given by some callers, and not by its proof.
				q.facts = facts
				o, depends = p.ask(q), found.DependsOnObject
				p.credit(left, o.old)
			}
			switch o.Answer {
			case smt.Unsat:
				for _, st := range left {
					st.proved, st.unsat = true, true
				}
				return
			case smt.Sat:
				hit := false
				for i, st := range left {
					if !o.model.EvalBool(terms[i]) {
						continue
					}
					hit = true
					if st.failed { // its execution was made for another one
						continue
					}
					if p.prog.CutByContract {
						st.unknown = found.Reason{Why: found.NotInductive}
						st.ins.obstacle = p.obstacle(st, within, terms[i], o.model)
						unconfirmed[st] = true
						continue
					}
					if depends != "" {
						st.unknown = found.Reason{Why: depends}
						if depends == found.DependsOnBody {
							st.unknown.Name = p.writer(o.model)
						}
						unconfirmed[st] = true
						continue
					}
					wrong := p.confirmBest(st, within, terms[i], o.model, p.confirm)
					p.charge(&st.ins.Cost)
					if r, needs := p.needsResult(st, o.model, wrong); needs {
						wrong = r
					}
					if !wrong.None() {
						if st.unknown = wrong; o.loose && wrong.Why == found.InternalError {
							st.unknown = found.Reason{Why: found.NotDecided}
						}
						if p.ctx.Err() != nil { // it was not executed to its end
							st.unknown = p.opts.Limits.ended(p.ctx)
						}
						unconfirmed[st] = true
						continue
					}
					p.fail(st)
				}
				if !hit { // cannot be: the pool checked the model
					for _, st := range left {
						st.unknown = internalError("a model violates nothing")
						unconfirmed[st] = true
					}
					return
				}
			case smt.StepLimit:
				if st := left[0]; len(left) == 1 {
					// What the hard ones before it would help it with may be what makes it hard.
					if len(hard) > 0 && p.provedWithout(st, hard) {
						st.proved = true
						return
					}
					st.unknown = found.Reason{Why: found.StepBudget, N: budget}
					hard[st.event] = true
					return
				}
				for part := range slices.Chunk(left, (len(left)+failuresParts-1)/failuresParts) {
					settle(part, &parts)
				}
				return
			default:
				for _, st := range left {
					st.unknown = p.openReason(o.Result)
				}
				return
			}
		}
	}
	for _, g := range p.segments(open) {
		settle(g, nil)
	}
	for _, st := range p.obs {
		if !st.failed && !st.proved && st.unknown.None() {
			st.unknown = found.Reason{Why: found.NotDecided}
		}
	}
}

// provedWithout tells whether an obligation holds when those at some events are not taken to hold.
func (p *plan) provedWithout(st *status, events map[int]bool) bool {
	ch := chainOf(p.log, func(i int) bool { return events[i] })
	o := p.ask(question{facts: []smt.Term{ch.held[st.event]}, any: []smt.Term{ch.fails(p.log, st.event)},
		budget: p.single()})
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
func (p *plan) recallMembers(left []*status, q question) bool {
	some := false
	for _, st := range left {
		b := p.byMember[st]
		some = some || b != nil && b.known != nil
	}
	if !some || p.answered(q) {
		return false
	}
	for _, st := range left {
		if b := p.byMember[st]; b != nil && b.known != nil {
			p.opts.Memo.use(b.known)
			if !b.known.ours {
				p.stats.CacheHits++
			}
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
		if p.ch.assumed[open[i].event] != p.ch.assumed[open[i-1].event] {
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
func (p *plan) needsResult(st *status, m *knownModel, wrong found.Reason) (found.Reason, bool) {
	if wrong.None() {
		return needsUnmodelled(st.ins.Counterexample)
	}
	if wrong.Why == found.InternalError {
		for _, r := range p.library { // the execution computed what the formulas leave open
			if m.EvalBool(r.guard) {
				return found.Reason{Why: found.NeedsResult, Name: r.name}, true
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
		default:
			return found.Reason{Why: found.NeedsResult, Name: in.Function, Text: in.Value}, true
		}
	}
	return found.Reason{}, false
}

// writer names a body-less function that wrote something in a model.
func (p *plan) writer(m *knownModel) string {
	for _, w := range p.writes {
		if m.EvalBool(w.sym) {
			return w.name
		}
	}
	return "a function without a body"
}
