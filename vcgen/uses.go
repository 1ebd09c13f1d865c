package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// settleUses finds the places where what a contract says, of a function that is called or of a loop that is cut,
// contradicts what is known there: executions end at it that the program goes on with. What they lead to is unknown.
// Where the contract is true at all, this says that the caller is in a state which its proof did not look at.
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
		if o.Answer == smt.Unsat {
			before := p.within(u.Begins, p.ch.Held)
			q := ask.Question{Any: []smt.Term{before}, Budget: p.single(), Session: &p.standing}
			if o := p.Ask(p.ctx, q); o.Answer == smt.Unsat {
				continue // no execution gets there
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
	p.charge() // nobody's question
}

// within tells when an execution is at one of some moments, given what it went through.
func (p *plan) within(moments []unfold.Way, prefix []smt.Term) smt.Term {
	var at []smt.Term
	for _, m := range moments {
		at = append(at, p.c.And(prefix[m.Event], m.Guard))
	}
	return p.c.Or(at...)
}
