package vcgen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// The assumptions on which a proof rests are found by deletion (Belov, Lynce and Marques-Silva, "Towards efficient MUS
// extraction", 2012). Each assumption of the program gets a selector, a new Boolean that enables it. The query is
// whether some obligation is violated, and which selectors the Unsat answer needs. Obligations are assumed to hold
// after their places, whatever they rest on themselves: the first violated one counts.
//
// The program was unfolded under all assumptions, and they determine its iterations. Therefore omitted paths
// (unfold.Infeasible) and cuts must remain unreachable as well. If an assumption is needed only for that, the proof is
// checked again without it. Finally the proof is checked again without all removed assumptions: only then are they
// reported as not needed. If no unfolding has all iterations, repeated checks are the only way (explainByChecks).

// selected is the log with a selector for each assumption of the program.
type selected struct {
	*explainer
	entries   []CoreEntry // by selector: assumptions at the same position are one
	selectors []smt.Term
	held      []smt.Term // as in seair.Chain, by event
	session   ask.Session
}

// statements returns the IDs of the instructions that assume.
func (e *engine) statements() map[int]bool {
	out := map[int]bool{}
	for _, f := range e.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if assumes(in) {
					out[in.ID] = true
				}
			}
		}
	}
	return out
}

func assumes(in *llvmir.Instr) bool {
	f := in.External()
	return f != nil && language.Function(f.Name, f.Arity()).Role == language.Assume
}

func (x *explainer) selectAssumptions(trusted map[findingKey]bool) *selected {
	s := &selected{explainer: x, session: ask.Session{Whole: true}}
	c := x.c
	statement := x.statements()
	index := map[CoreEntry]int{}
	h := c.True()
	s.held = make([]smt.Term, len(x.log.Events)+1)
	for i := range x.log.Events {
		s.held[i] = h
		ev := &x.log.Events[i]
		switch {
		case ev.Kind == seair.Assume && statement[ev.Site.ID]:
			entry := CoreEntry{Kind: found.CoreAssume, Pos: x.place(ev.Site).pos}
			k, known := index[entry]
			if !known {
				k = len(s.entries)
				index[entry] = k
				s.entries = append(s.entries, entry)
				s.selectors = append(s.selectors, c.Var(fmt.Sprintf("assumption%d", k), smt.Bool))
			}
			h = c.And(h, c.Implies(c.And(s.selectors[k], ev.Guard), ev.Cond))
		case ev.Kind == seair.Assume:
			h = c.And(h, c.Implies(ev.Guard, ev.Cond))
		case ev.Kind == seair.Obligation && !ev.Accepted && trusted[x.eventKey(ev)]:
			h = c.And(h, c.Implies(ev.Guard, ev.Cond))
		}
	}
	s.held[len(x.log.Events)] = h
	return s
}

// every returns all selectors.
func every(s *selected) []int {
	out := make([]int, len(s.entries))
	for k := range out {
		out[k] = k
	}
	return out
}

// coreQuestion lists the conditions that must remain impossible: violations, and paths that leave the unfolded
// program.
type coreQuestion struct{ violations, exits []smt.Term }

// ask queries whether any condition of q is possible under some assumptions.
func (s *selected) ask(q coreQuestion, with []int) ask.Outcome {
	facts := make([]smt.Term, len(with))
	for i, k := range with {
		facts[i] = s.selectors[k]
	}
	any := append(slices.Clone(q.violations), q.exits...)
	if s.c.IsFalse(s.c.Or(any...)) {
		return ask.Outcome{Result: smt.Result{Answer: smt.Unsat}}
	}
	return s.plan.Ask(s.plan.ctx, ask.Question{Facts: facts, Any: any, Budget: coreBudget, Session: &s.session,
		Core: true})
}

// shrink returns a sufficient part of some assumptions. ok: all of them suffice. closing are the assumptions without
// which nothing is violated, but a path is open. unsure are the undecided ones.
func (s *selected) shrink(q coreQuestion, from []int) (core, closing, unsure []int, ok bool) {
	narrow := func(o ask.Outcome, among []int) []int {
		used := map[smt.Term]bool{}
		for _, t := range o.Core {
			used[t] = true
		}
		if len(used) == 0 {
			return among // no core was computed
		}
		return slices.DeleteFunc(slices.Clone(among), func(k int) bool { return !used[s.selectors[k]] })
	}
	if o := s.ask(q, nil); o.Answer == smt.Unsat {
		return nil, nil, nil, true
	}
	o := s.ask(q, from)
	if o.Answer != smt.Unsat {
		return nil, nil, nil, false
	}
	core = narrow(o, from)
	for todo := slices.Clone(core); len(todo) > 0; {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !slices.Contains(core, k) {
			continue
		}
		if s.ctx.Err() != nil {
			unsure = append(unsure, k)
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(core), func(j int) bool { return j == k })
		switch o := s.ask(q, rest); {
		case o.Answer == smt.Unsat:
			core = narrow(o, rest)
		case o.Answer != smt.Sat:
			unsure = append(unsure, k)
		case slices.ContainsFunc(q.violations, o.Model.EvalBool):
		default:
			switch s.ask(coreQuestion{violations: q.violations}, rest).Answer {
			case smt.Sat:
			case smt.Unsat:
				closing = append(closing, k)
			default:
				unsure = append(unsure, k)
			}
		}
	}
	in := func(list []int) []int {
		return slices.DeleteFunc(list, func(k int) bool { return !slices.Contains(core, k) })
	}
	return core, in(closing), in(unsure), true
}

// explainProved determines the assumptions of the proved findings.
func (x *explainer) explainProved(out *Explanation) {
	proved := provedKeys(x.report)
	// Unreached findings could be violated if an execution reached them; sassert(0) states that none does.
	unreached, written := map[findingKey]bool{}, map[findingKey]bool{}
	for i := range x.report.Instances {
		if in := &x.report.Instances[i]; in.Verdict == found.Unreached && !proved[keyOf(in)] {
			unreached[keyOf(in)] = true
			written[keyOf(in)] = in.ConstFalse
		}
	}
	trusted := map[findingKey]bool{} // executions continue only if they hold
	for i := range x.report.Instances {
		in := &x.report.Instances[i]
		trusted[keyOf(in)] = true
	}
	for i := range x.report.Instances {
		if in := &x.report.Instances[i]; in.Verdict == found.Unknown || in.Verdict == found.Bounded {
			delete(trusted, keyOf(in))
		}
	}
	known := map[findingKey]bool{}
	for i := range x.report.Instances {
		known[keyOf(&x.report.Instances[i])] = true
	}
	for _, st := range x.obs { // a check that narrowed variables made unnecessary
		if !known[st.key] && !st.ins.Accepted {
			unreached[st.key], trusted[st.key] = true, true
		}
	}
	s := x.selectAssumptions(trusted)
	defer s.session.Close()
	c := x.c
	type way struct {
		term  smt.Term
		leads map[int]bool
	}
	var exits []way
	for _, w := range x.prog.Infeasible {
		exits = append(exits, way{c.And(s.held[w.Event], w.Guard), x.prog.Region(w.Region)})
	}
	for _, k := range x.cuts {
		ev := &x.log.Events[k]
		exits = append(exits, way{c.And(s.held[k], ev.Guard), x.prog.Region(ev.Region)})
	}
	questions := map[findingKey]*coreQuestion{}
	sites := map[findingKey][]int{}
	var keys []findingKey
	for _, st := range x.obs {
		ev := &x.log.Events[st.event]
		if !proved[st.key] && !unreached[st.key] {
			continue
		}
		q := questions[st.key]
		if q == nil {
			q = &coreQuestion{}
			questions[st.key] = q
			keys = append(keys, st.key)
		}
		if t := c.And(s.held[st.event], ev.Guard, c.Not(ev.Cond)); !c.IsFalse(t) {
			q.violations = append(q.violations, t)
		}
		sites[st.key] = append(sites[st.key], ev.Site.ID)
	}
	var all coreQuestion
	for _, key := range keys {
		q := questions[key]
		for _, w := range exits {
			if slices.ContainsFunc(sites[key], func(id int) bool { return w.leads[id] }) {
				q.exits = append(q.exits, w.term)
			}
		}
		all.violations = append(all.violations, q.violations...)
	}
	for _, w := range exits {
		if x.leadsToProved(w.leads, sites) {
			all.exits = append(all.exits, w.term)
		}
	}
	var core, open, unsure []int
	var ok bool
	x.within(out, coreTimes*x.work+coreExtra, func() {
		core, open, unsure, ok = s.shrink(all, every(s))
		if !ok { // too much at once
			core, unsure, ok = s.shrinkEach(all, every(s))
		}
	})
	s.session.Close() // an interrupted search is not continued
	if !ok {
		x.explainByChecks(out)
		return
	}
	if core = s.confirm(out, proved, core, open, unsure); s.ctx.Err() != nil {
		return
	}
	x.within(out, coreTimes*x.work+coreExtra, func() {
		for _, key := range keys {
			if unreached[key] && !written[key] {
				continue
			}
			f := FindingExplanation{Kind: key.kind, Pos: found.Pos{File: key.file, Line: key.line, Column: key.col}}
			if x.ctx.Err() == nil {
				core, open, unsure, known := s.shrink(*questions[key], core)
				f.Known, f.Minimal = known, known && len(open)+len(unsure) == 0
				f.Needed = s.list(core)
			}
			out.Findings = append(out.Findings, f)
		}
	})
}

// shrinkEach returns the union of sufficient parts for the alternatives one by one.
func (s *selected) shrinkEach(q coreQuestion, from []int) (core, unsure []int, ok bool) {
	needed := map[int]bool{}
	each := func(q coreQuestion) bool {
		part, _, _, ok := s.shrink(q, from)
		for _, k := range part {
			needed[k] = true
		}
		return ok && s.ctx.Err() == nil
	}
	for _, t := range q.violations {
		if !each(coreQuestion{violations: []smt.Term{t}}) {
			return nil, nil, false
		}
	}
	for _, t := range q.exits {
		if !each(coreQuestion{exits: []smt.Term{t}}) {
			return nil, nil, false
		}
	}
	core = slices.Sorted(maps.Keys(needed))
	return core, core, true
}

// leadsToProved reports whether a path can lead to a proved finding.
func (x *explainer) leadsToProved(leads map[int]bool, sites map[findingKey][]int) bool {
	for _, ids := range sites {
		if slices.ContainsFunc(ids, func(id int) bool { return leads[id] }) {
			return true
		}
	}
	return false
}

// list returns the entries of selectors, sorted by position.
func (s *selected) list(which []int) []CoreEntry {
	out := []CoreEntry{}
	for _, k := range which {
		out = append(out, s.entries[k])
	}
	sortEntries(out)
	return out
}

func sortEntries(list []CoreEntry) {
	slices.SortFunc(list, func(a, b CoreEntry) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
}

// confirm checks the proof again without the assumptions outside of a core, and without each one that only keeps paths
// closed.
func (s *selected) confirm(out *Explanation, proved map[findingKey]bool, core, closing, unsure []int) (final []int) {
	c := &checks{explainer: s.explainer, out: out, entries: s.entries, proved: proved}
	open := len(unsure)
	if len(core) < len(s.entries) && c.without(core) != holdsAnew {
		// Conditions evaluated inside of assumptions changed with them.
		closing = slices.DeleteFunc(every(s), func(k int) bool { return slices.Contains(core, k) })
		core, open = every(s), 1
	}
	core, undecided := c.shrink(core, closing)
	c.tell(core, open+undecided == 0)
	return core
}
