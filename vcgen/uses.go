package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// settleUses finds the places at which an assumed contract, of a called function or of a cut loop, contradicts the
// facts there. Executions of the formulas end there, but executions of the program continue; everything that may
// follow is unknown. If the contract is satisfiable at all, its own proof did not cover the state of the caller.
func (p *plan) settleUses() {
	var open []unfold.Use
	var any []smt.Term
	for _, u := range p.prog.Uses {
		behind := p.within(u.Ends, p.ch.Stated)
		if slices.ContainsFunc(p.Models(), func(m *ask.Model) bool { return p.Witnessed(m, behind) }) {
			continue
		}
		open, any = append(open, u), append(any, behind)
	}
	q := ask.Question{Any: any, Budget: p.batch(), Undecided: ask.Halve, Session: &p.standing}
	for i, o := range p.Each(p.ctx, q, func([]int, ask.Outcome) {}) {
		if o.Answer == smt.Sat {
			continue
		}
		u := open[i]
		why := found.Reason{Why: found.Contradiction, Name: u.Function, At: p.place(u.Site).pos}
		if u.Loop {
			why.Why, why.Name = found.NoState, ""
		}
		if o.Answer == smt.Unsat {
			before := p.within(u.Begins, p.ch.Held)
			q := ask.Question{Any: []smt.Term{before}, Budget: p.single(), Session: &p.standing}
			if o := p.Ask(p.ctx, q); o.Answer == smt.Unsat {
				continue // no execution reaches it
			}
		} else {
			cause := p.openReason(o.Result)
			why.Cause = &cause
		}
		p.reason = why
		region, named := p.prog.Region(u.Region), p.namedAccesses()
		for _, st := range p.obs {
			s := p.log.Events[st.event].Site
			if behind := s != nil && region[s.ID] && !named[s.ID]; !st.failed && (behind || st.ins.Kind == found.MemoryLeak) {
				st.proved, st.unknown = false, why
			}
		}
	}
	p.charge() // the queries belong to no obligation
}

// within returns the condition that an execution is at one of some moments, under a chain of prefixes.
func (p *plan) within(moments []unfold.Way, prefix []smt.Term) smt.Term {
	var at []smt.Term
	for _, m := range moments {
		at = append(at, p.c.And(prefix[m.Event], m.Guard))
	}
	return p.c.Or(at...)
}
