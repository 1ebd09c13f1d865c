package vcgen

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// status is the state of one obligation event.
type status struct {
	event  int
	ins    Instance
	key    findingKey
	failed bool
	// unknown is why the obligation is neither proved nor violated.
	unknown found.Reason
	proved  bool // no execution violates it
	// reached: some execution reaches it on which all earlier obligations held. assumed: some execution reaches it by
	// the assumptions alone.
	reached, assumed bool
	// unsat: the solver refuted every violation; a later stage may have changed the verdict.
	unsat bool
	// asked: the solver contributed to the result; recalled: answers of earlier runs did.
	asked, recalled bool
	cut             string // the loop or recursion that bounds it
	bound           int
}

// findingKey identifies a finding: it groups instances.
type findingKey struct {
	kind      found.Kind
	file      string
	line, col int
}

// compare orders findings by position.
func (k findingKey) compare(o findingKey) int {
	return cmp.Or(cmp.Compare(k.file, o.file), cmp.Compare(k.line, o.line), cmp.Compare(k.col, o.col),
		cmp.Compare(k.kind, o.kind))
}

// plan settles every obligation with as few queries as it can.
type plan struct {
	*engine
	ch seair.Chain
	// charged is the time of Options.Clock at which costs were last charged.
	charged int64
	obs     []*status
	cuts    []int // events of cuts and unsupported constructs
	// reached are the cuts that some execution reaches, or may reach.
	reached []int
	extra   []Instance
	// writes are the symbols of possible writes by missing bodies.
	writes []unfoldWrite
	// library are the unmodelled results of the C library, and of operations in other rounding modes.
	library []*seair.Input
	// unmodelled: some inputs represent unmodelled results, so it matters whether a violation depends on them.
	unmodelled bool
	endReach   bool
	endUnsure  found.Reason
	anyFailed  bool
	hurried    bool                // the time was over for all but cheap obligations
	violated   map[findingKey]bool // findings with a counterexample, from this run or an earlier one
	reason     found.Reason        // of the whole proof
	bounded    found.Reason        // the same, if a reached cut is no finding
	byMember   map[int]*ask.Member // by event
	// plain is the same proof without narrowed variables, created for the first core; triedPlain is set once that was
	// tried.
	plain      *plan
	triedPlain bool
}

type unfoldWrite struct {
	sym  smt.Term
	name string
}

func (e *engine) newPlan() *plan {
	p := &plan{engine: e, violated: map[findingKey]bool{}}
	maps.Copy(p.violated, e.extent.violated)
	for i := range e.log.Events {
		ev := &e.log.Events[i]
		switch ev.Kind {
		case seair.Obligation:
			st := &status{event: i, ins: e.instance(ev)}
			st.key = findingKey{st.ins.Kind, st.ins.Pos.File, st.ins.Pos.Line, st.ins.Pos.Column}
			st.ins.unsure = ev.ObjectOpen && e.prog.CutByContract && p.violated[st.key]
			p.obs = append(p.obs, st)
		case seair.Cut, seair.Unsupported:
			p.cuts = append(p.cuts, i)
		}
	}
	for _, a := range e.prog.Assumptions {
		if a.Writes != 0 {
			p.writes = append(p.writes, unfoldWrite{a.Writes, a.Site.Pos.Function})
		}
	}
	for i := range e.log.Inputs {
		p.unmodelled = p.unmodelled || e.log.Inputs[i].Library || e.log.Inputs[i].Kind == choice.Asm
		if e.log.Inputs[i].Library {
			p.library = append(p.library, e.log.Inputs[i])
		}
		if in := e.log.Inputs[i]; in.Kind == choice.Writes {
			for k := range p.writes {
				if p.writes[k].sym == in.Value {
					p.writes[k].name = in.Name
				}
			}
		}
	}
	p.ch = seair.ChainOf(e.log, func(int) bool { return false })
	p.charge()
	e.stats.Obligations = len(p.obs)
	return p
}

func (p *plan) run() {
	p.settleFailures()
	if p.leaves() {
		return
	}
	for p.dropWhatRestsOnUnknown() { // repeat for the proofs that rested on dropped ones
	}
	p.settleCuts()
	p.settleReach()
	p.settleUses()
	p.findUninstantiated()
	p.keepMembers()
}

// keepMembers caches the obligations that no execution violates, for runs in which others have changed.
func (p *plan) keepMembers() {
	if p.opts.Memo == nil {
		return
	}
	var unsat []int
	for _, st := range p.obs {
		if st.unsat {
			unsat = append(unsat, st.event)
		}
	}
	p.KeepMembers(unsat, p.byMember)
}

// leaves reports whether the run was stopped and has no results but its violations.
func (p *plan) leaves() bool { return p.extent.again && p.ctx.Err() != nil }

// credit records the source of an answer about some obligations, and its cost.
func (p *plan) credit(list []*status, old bool) {
	p.charge(costsOf(list)...)
	for _, st := range list {
		st.asked, st.recalled = st.asked || !old, st.recalled || old
	}
}

// openReason returns the reason why a query has no answer.
func (e *engine) openReason(res smt.Result) found.Reason {
	switch res.Answer {
	case smt.Timeout:
		return found.Reason{Why: found.TimeLimit, Text: res.Reason}
	case smt.Cancelled:
		return e.opts.Limits.ended(e.ctx)
	case smt.StepLimit:
		return found.Reason{Why: found.StepBudget}
	}
	return found.Reason{Why: found.SolverFailed, Text: res.Reason}
}

func internalError(what string) found.Reason {
	return found.Reason{Why: found.InternalError, Text: what}
}

// report computes the verdicts from the answers.
func (p *plan) report() *Report {
	r := &Report{Entry: p.entry, Loops: p.loops(), EndReached: p.endReach, hurried: p.hurried,
		EndUnknown: p.endUnsure, Reason: p.reason, Bounded: p.bounded,
		UnusedBounds: flow.UnusedBounds(p.m, slices.Sorted(maps.Keys(p.opts.Loops)))}
	for _, st := range p.obs {
		in := &st.ins
		in.reached = st.reached || st.failed
		switch {
		case st.failed:
			in.Verdict = found.Failed
		case !st.unknown.None():
			in.Verdict, in.Reason = found.Unknown, st.unknown
		case st.reached && st.cut != "":
			in.Verdict, in.Loop, in.Bound = found.Bounded, st.cut, st.bound
			in.Reason = found.Reason{Why: found.HoldsInBounds, Name: st.cut, N: int64(st.bound)}
		case st.reached:
			in.Verdict = found.Proved
		case st.cut != "":
			in.Verdict, in.Loop, in.Bound = found.Bounded, st.cut, st.bound
			in.Reason = found.Reason{Why: found.BeyondBounds, Name: st.cut, N: int64(st.bound)}
		case st.assumed && in.Reason.Behind():
			in.Verdict = found.Unknown
		default:
			in.Verdict = found.Unreached
		}
		in.Cached = st.recalled && !st.asked
		r.Instances = append(r.Instances, *in)
	}
	r.Instances = append(r.Instances, p.extra...)
	for _, a := range p.prog.Assumptions {
		as := a.Assumption
		if a.Site != nil {
			as.At = p.place(a.Site).pos
		}
		for i, st := range p.obs {
			if a.Site == nil || p.log.Events[st.event].Site == nil || a.Writes != 0 && st.proved {
				continue
			}
			if !st.unknown.None() && a.Writes != 0 {
				as.Affects = append(as.Affects, i)
			}
		}
		r.Assumptions = append(r.Assumptions, as)
	}
	for _, k := range p.reached {
		r.cut = r.cut || p.log.Events[k].Kind == seair.Cut
	}
	if p.prog.CutByContract && (r.settledBut(p.extent.violated) || p.extent.loops.Cut()) {
		r.unseen = p.lookFor()
	}
	if p.opts.Coverage {
		r.Covered = p.coverage()
	}
	r.Stats = p.finishStats()
	return r
}

// findUninstantiated adds the assertions of user code that the unfolding never reached. They must not be lost if a
// branch folded to false or an iteration is infeasible.
func (p *plan) findUninstantiated() {
	if !p.opts.Checks[found.Assertion] {
		return
	}
	seen := map[findingKey]bool{}
	for _, st := range p.obs {
		if st.ins.Kind == found.Assertion {
			seen[st.key] = true
		}
	}
	var fns []*llvmir.Func
	for _, f := range p.m.Funcs {
		if len(f.Blocks) > 0 {
			fns = append(fns, f)
		}
	}
	sort.Slice(fns, func(i, j int) bool { return fns[i].Name < fns[j].Name })
	for _, f := range fns {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if !asserts(in) || p.prog.Executed[in.ID] || in.Loc == nil {
					continue
				}
				pos := found.Pos{File: in.Loc.File, Line: in.Loc.Line, Column: in.Loc.Col, Function: f.SourceName}
				key := findingKey{found.Assertion, pos.File, pos.Line, pos.Column}
				if seen[key] || !p.user(pos.File) {
					continue
				}
				seen[key] = true
				ins := Instance{Kind: found.Assertion, Pos: pos, ConstFalse: flow.WrittenFalse(f, b, in),
					InEntryFile: pos.File == p.opts.EntryFile, Verdict: found.Unreached}
				if loop := p.regionHas(in.ID); loop != "" {
					ins.Verdict, ins.Reason = found.Bounded, found.Reason{Why: found.BeyondBounds}
					if loop == language.InputSize {
						ins.Loop = loop
					}
				} else {
					ins.Core = p.explain(key)
				}
				if !p.reason.None() {
					ins.Verdict, ins.Reason = found.Unknown, p.reason
				}
				if p.lostToObligations(in.ID) {
					ins.Verdict, ins.Reason = found.Unknown, p.behind(nil, p.hurdles())
				}
				p.extra = append(p.extra, ins)
			}
		}
	}
}
