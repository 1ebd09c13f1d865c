package vcgen

import (
	"path"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// settleReach decides which proved findings some execution reaches, and whether one reaches an end of the proof. Each
// model covers as much as it can; one query is about everything left.
func (p *plan) settleReach() {
	c := p.c
	var ends []smt.Term
	for k := range p.log.Events {
		if ev := &p.log.Events[k]; ev.Kind == seair.End {
			ends = append(ends, c.And(p.ch.Held[k], ev.Guard))
		}
	}
	ends = append(ends, p.roundLoops()...)
	if end := c.Or(ends...); !p.endReach && !c.IsFalse(end) {
		if slices.ContainsFunc(p.Models(), func(m *ask.Model) bool { return p.Witnessed(m, end) }) {
			p.endReach = true
		} else {
			p.askEnd(end)
		}
	}
	p.charge() // the decision about the end belongs to no obligation
	held := func(st *status) bool { return st.reached }
	reached := func(st *status) { st.reached, st.assumed = true, true }
	unsure := p.cover(p.ch.Held, held, reached)
	for st, why := range unsure {
		st.proved, st.unknown = false, found.ReachUndecided.Because(why)
	}
	doubtful := p.anyFailed
	for _, st := range p.obs {
		doubtful = doubtful || !st.unknown.None()
	}
	if doubtful {
		// Behind a violation: reached by the assumptions alone, but only through a violation. Without any violation
		// both questions have the same answer.
		unsure = p.cover(p.ch.Assumed, func(st *status) bool { return st.assumed }, func(st *status) { st.assumed = true })
		for st, why := range unsure {
			st.proved, st.unknown = false, found.ReachUndecided.Because(why)
		}
		// A reached finding may have an instance whose reachability is undecided. That must not depend on the
		// executions that were found.
		p.coverAll(p.ch.Assumed, func(st *status) bool { return st.assumed }, func(st *status) { st.assumed = true })
		p.coverAll(p.ch.Held, func(st *status) bool { return st.reached || !st.assumed }, reached)
		if !p.endReach {
			var ends []smt.Term
			for k := range p.log.Events {
				if ev := &p.log.Events[k]; ev.Kind == seair.End || ev.Kind == seair.Cut {
					ends = append(ends, c.And(p.ch.Assumed[k], ev.Guard))
				}
			}
			if end := c.Or(ends...); !c.IsFalse(end) {
				p.askEnd(end)
			}
		}
	}
	live := map[findingKey]bool{}
	for _, st := range p.obs {
		if st.reached || st.failed {
			live[st.key] = true
		}
	}
	cored, hurdles := map[findingKey]bool{}, p.hurdles()
	for _, st := range p.obs {
		if st.reached || st.failed || !st.unknown.None() {
			continue
		}
		if st.assumed {
			st.ins.Reason = p.behind(st, hurdles)
			continue
		}
		if live[st.key] || cored[st.key] || !p.wantsCore(st) {
			continue
		}
		cored[st.key] = true
		p.charge()
		st.ins.Core = p.explain(st.key)
		p.charge(&st.ins.Cost)
	}
}

// roundLoops returns the conditions that executions reach the back edge of a loop cut by induction, in the first
// iteration. Such an execution may run forever and needs no end. A recursion cannot.
func (p *plan) roundLoops() (ends []smt.Term) {
	if p.extent.induction == nil {
		return nil
	}
	first := p.c.True() // no state is from a later iteration
	for _, h := range p.extent.induction.Heads {
		if h.Begin == nil {
			first = p.c.And(first, h.First)
		}
		if h.OfFunction() {
			continue
		}
		for _, b := range h.Back {
			ends = append(ends, p.c.And(p.ch.Held[b.Event], b.Guard, first))
		}
	}
	return ends
}

// askEnd queries whether an execution reaches an end of the proof.
func (p *plan) askEnd(end smt.Term) {
	o := p.Ask(p.ctx, ask.Question{Any: []smt.Term{end}, Budget: p.single(), Session: &p.standing})
	p.endReach = o.Answer == smt.Sat
	if !o.Decided() {
		p.endUnsure = p.openReason(o.Result)
	}
}

func (p *plan) wantsCore(st *status) bool {
	return p.opts.Vacuity != VacuityOff && (p.opts.Vacuity == VacuityAll || st.ins.Kind == found.Assertion &&
		st.ins.InEntryFile && !st.ins.ConstFalse)
}

// cover marks the findings that executions reach under a chain of prefixes. It returns the findings that are
// undecided.
func (p *plan) cover(prefix []smt.Term, have func(*status) bool, mark func(*status)) map[*status]found.Reason {
	c := p.c
	reachOf := func(st *status) smt.Term { return c.And(prefix[st.event], p.log.Events[st.event].Guard) }
	done := map[findingKey]bool{}
	for _, st := range p.obs {
		if have(st) || st.failed {
			done[st.key] = true
		}
	}
	type group struct {
		st   *status
		term smt.Term
	}
	var open []group
	index := map[smt.Term]bool{}
	byTerm := map[smt.Term][]*status{}
	for _, st := range p.obs {
		if have(st) || st.failed || !st.unknown.None() {
			continue
		}
		t := reachOf(st)
		if c.IsFalse(t) {
			continue
		}
		byTerm[t] = append(byTerm[t], st)
		if !index[t] {
			index[t] = true
			open = append(open, group{st, t})
		}
	}
	take := func(m *ask.Model, old bool) {
		var unreached []group
		for _, g := range open {
			if p.Witnessed(m, g.term) {
				p.credit(byTerm[g.term], old)
				for _, st := range byTerm[g.term] {
					mark(st)
					done[st.key] = true
				}
			} else {
				unreached = append(unreached, g)
			}
		}
		open = unreached
	}
	for _, m := range p.Models() {
		take(m, m.Old)
	}
	for {
		// Only findings without a reached instance are queried; the models mark others.
		var terms []smt.Term
		var asked []*status
		for _, g := range open {
			need := false
			for _, st := range byTerm[g.term] {
				need = need || !done[st.key]
			}
			if need {
				terms = append(terms, g.term)
				asked = append(asked, byTerm[g.term]...)
			}
		}
		if len(terms) == 0 {
			return nil
		}
		o := p.Ask(p.ctx, ask.Question{Any: terms, Budget: p.single(), Session: &p.standing})
		p.charge(costsOf(asked)...)
		switch o.Answer {
		case smt.Unsat:
			p.credit(asked, o.Old)
			return nil
		case smt.Sat:
			before := len(open)
			take(o.Model, o.Old)
			if len(open) < before {
				continue
			}
			o.Reason = "a model that reaches nothing (a defect of ours)"
			fallthrough
		default:
			out := map[*status]found.Reason{}
			for _, st := range asked {
				if !done[st.key] {
					out[st] = p.openReason(o.Result)
				}
			}
			return out
		}
	}
}

// maxCoverAll bounds the queries of coverAll.
const maxCoverAll = 100

// coverAll marks all instances that executions reach under a chain of prefixes, including instances of findings that
// have a reached one. An undecided instance counts as reached by the assumptions, and as nothing else.
func (p *plan) coverAll(prefix []smt.Term, have func(*status) bool, mark func(*status)) {
	c := p.c
	byTerm := map[smt.Term][]*status{}
	var open []smt.Term
	for _, st := range p.obs {
		if have(st) || st.failed || !st.unknown.None() {
			continue
		}
		t := c.And(prefix[st.event], p.log.Events[st.event].Guard)
		if c.IsFalse(t) {
			continue
		}
		if byTerm[t] == nil {
			open = append(open, t)
		}
		byTerm[t] = append(byTerm[t], st)
	}
	q := ask.Question{Any: open, Budget: p.batch(), Rounds: maxCoverAll, Session: &p.standing}
	for i, o := range p.Each(p.ctx, q, func([]int, ask.Outcome) {}) {
		for _, st := range byTerm[open[i]] {
			switch o.Answer {
			case smt.Sat:
				mark(st)
			case smt.Unsat:
			default:
				st.assumed = true
			}
		}
	}
}

// hurdles are the obligations behind which others are not examined, in execution order.
type hurdles struct{ violated, open []*status }

func (p *plan) hurdles() (h hurdles) {
	for _, st := range p.obs {
		switch {
		case st.failed || st.unknown.Why == found.OtherInstanceFails:
			h.violated = append(h.violated, st)
		case !st.unknown.None():
			h.open = append(h.open, st)
		}
	}
	return h
}

// behind returns the first violation on a path to an obligation as a reason, or else the first undecided obligation
// there. st is nil for an obligation without an event.
func (p *plan) behind(st *status, h hurdles) found.Reason {
	guard := func(st *status) smt.Term { return p.log.Events[st.event].Guard }
	onTheWay := func(before *status) bool {
		return st == nil || before.event < st.event && !p.c.IsFalse(p.c.And(guard(before), guard(st)))
	}
	for _, which := range []func(*status) bool{onTheWay, func(*status) bool { return true }} {
		if i := slices.IndexFunc(h.violated, which); i >= 0 {
			return found.Reason{Why: found.BehindViolation, At: h.violated[i].ins.Pos}
		}
		if i := slices.IndexFunc(h.open, which); i >= 0 {
			return found.Reason{Why: found.BehindUnknown, At: h.open[i].ins.Pos}
		}
	}
	return found.Reason{Why: found.BehindViolation}
}

// lostToObligations reports whether the unfolding omitted the path to an instruction only because an obligation is
// violated on it: an iteration was feasible by the assumptions alone.
func (p *plan) lostToObligations(id int) bool {
	doubt := p.anyFailed
	for _, st := range p.obs {
		doubt = doubt || !st.unknown.None()
	}
	if !doubt {
		return false
	}
	for _, x := range p.prog.Infeasible {
		if !p.prog.Region(x.Region)[id] {
			continue
		}
		way := p.c.And(p.ch.Assumed[x.Event], x.Guard)
		o := p.Ask(p.ctx, ask.Question{Any: []smt.Term{way}, Budget: coreBudget, Session: &p.standing})
		if o.Answer != smt.Unsat {
			return true
		}
	}
	return false
}

// regionHas returns a loop whose reached cut may lead to an instruction, "" if there is none. The size of the input is
// returned only if no other cut leads there.
func (p *plan) regionHas(id int) (loop string) {
	for _, k := range p.reached {
		if ev := &p.log.Events[k]; ev.Kind == seair.Cut && p.prog.Region(ev.Region)[id] {
			if loop = ev.Loop; loop != language.InputSize {
				return loop
			}
		}
	}
	return loop
}

// asserts reports whether an instruction is an assertion, or its failure call.
func asserts(in *llvmir.Instr) bool {
	f := in.External()
	if f == nil {
		return false
	}
	switch language.Function(f.Name, f.Arity()).Role {
	case language.Assert, language.AssertFailure, language.Error:
		return true
	}
	return false
}

func base(file string) string { return path.Base(file) }
