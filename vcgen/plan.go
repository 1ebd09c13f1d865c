package vcgen

import (
	"maps"
	"slices"
	"sort"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// status is what is known of one obligation event.
type status struct {
	event  int
	ins    Instance
	key    findingKey
	failed bool
	// unknown is why the obligation is neither proved nor refuted.
	unknown found.Reason
	proved  bool // no execution violates it
	// reached: some execution gets there on which all earlier obligations held; assumed:
	// some gets there by the assumptions alone.
	reached, assumed bool
	// unsat: no execution violates it, whatever became of that later.
	unsat bool
	// asked: the solver took part in what is known; recalled: answers of earlier runs did.
	asked, recalled bool
	cut             string // what bounds it
	bound           int
}

// findingKey groups the instances of one finding.
type findingKey struct {
	kind      found.Kind
	file      string
	line, col int
}

// plan settles every obligation with as few queries as it can.
type plan struct {
	*engine
	ch chain
	// charged is what Options.Clock said when what it took was last charged to somebody.
	charged int64
	obs     []*status
	cuts    []int // events
	// reached are the cuts that some execution gets to, as far as is known.
	reached []int
	extra   []Instance
	// writes are the symbols of what bodies that are missing may write.
	writes    []unfoldWrite
	endReach  bool
	endUnsure found.Reason
	anyFailed bool
	reason    found.Reason // of the whole proof
	bounded   found.Reason // likewise, where a cut is reached that is no finding
	byMember  map[*status]*member
	// plain is the same proof without narrowed variables, once a core was wanted; triedPlain when it was tried.
	plain      *plan
	triedPlain bool
}

type unfoldWrite struct {
	sym  smt.Term
	name string
}

func (e *engine) newPlan() *plan {
	p := &plan{engine: e}
	for i := range e.log.Events {
		ev := &e.log.Events[i]
		switch ev.Kind {
		case seair.Obligation:
			st := &status{event: i, ins: e.instance(ev)}
			st.key = findingKey{st.ins.Kind, st.ins.Pos.File, st.ins.Pos.Line, st.ins.Pos.Column}
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
		if in := e.log.Inputs[i]; in.Kind == choice.Writes {
			for k := range p.writes {
				if p.writes[k].sym == in.Value {
					p.writes[k].name = in.Name
				}
			}
		}
	}
	p.ch = chainOf(e.log, func(int) bool { return false })
	p.charge()
	e.stats.Obligations = len(p.obs)
	return p
}

func (p *plan) run() {
	p.settleFailures()
	for p.dropWhatRestsOnUnknown() { // what rested on those that were dropped goes, too
	}
	p.settleCuts()
	p.settleReach()
	p.findUninstantiated()
	if p.opts.Memo != nil {
		p.keepMembers()
	}
}

// credit notes where an answer about some obligations came from, and what it cost.
func (p *plan) credit(list []*status, old bool) {
	p.charge(costsOf(list)...)
	for _, st := range list {
		st.asked, st.recalled = st.asked || !old, st.recalled || old
	}
}

// settleFailures decides which obligations some execution violates. One query asks whether
// any of those that are left fails; a model settles the first on its execution. When the
// budget of a query ends the set is halved, so that a hard obligation drags no other along.
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
	failedKeys := map[findingKey]bool{}
	unconfirmed := map[*status]bool{}
	hard := map[int]bool{} // events on which a budget of their own ended
	var settle func(open []*status)
	settle = func(open []*status) {
		for {
			var left []*status
			var terms []smt.Term
			for _, st := range open {
				if st.failed || st.proved || unconfirmed[st] {
					continue
				}
				if failedKeys[st.key] {
					st.unknown = found.Reason{Why: found.OtherInstanceFails}
					continue
				}
				left = append(left, st)
				terms = append(terms, p.ch.fails(p.log, st.event))
			}
			if len(left) == 0 {
				return
			}
			budget := int64(batchBudget)
			if len(left) == 1 {
				budget = singleBudget
			}
			query := c.Or(terms...)
			writes := c.False()
			for _, w := range p.writes {
				writes = c.Or(writes, w.sym)
			}
			// What was assumed and held before the first of them holds for all.
			facts := []smt.Term{p.ch.held[left[0].event]}
			if p.recallMembers(left, append(facts, c.Not(writes)), query, terms) {
				continue
			}
			res := p.decide(append(facts, c.Not(writes)), query, budget, terms...)
			p.credit(left, p.answeredBefore)
			depends := false
			if res.Answer == smt.Unsat && len(p.writes) > 0 {
				// Only what a missing body may have written can violate them.
				res, depends = p.decide(facts, query, budget, terms...), true
				p.credit(left, p.answeredBefore)
			}
			switch res.Answer {
			case smt.Unsat:
				for _, st := range left {
					st.proved, st.unsat = true, true
				}
				return
			case smt.Sat:
				_, ev := p.models.last()
				hit := false
				for i, st := range left {
					if !ev.EvalBool(terms[i]) {
						continue
					}
					hit = true
					if depends {
						st.unknown = found.Reason{Why: found.DependsOnBody, Name: p.writer(ev)}
						unconfirmed[st] = true
						continue
					}
					wrong := p.confirmBest(st, facts, terms[i], ev)
					p.charge(&st.ins.Cost)
					if wrong != "" {
						st.unknown = internalError(wrong)
						unconfirmed[st] = true
						continue
					}
					st.failed = true
					failedKeys[st.key] = true
					p.anyFailed = true
					p.tell(st)
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
				settle(left[:len(left)/2])
				settle(left[len(left)/2:])
				return
			default:
				for _, st := range left {
					st.unknown = solverReason(res)
				}
				return
			}
		}
	}
	for _, g := range p.segments(open) {
		settle(g)
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
	res := p.decide([]smt.Term{ch.held[st.event]}, ch.fails(p.log, st.event), singleBudget)
	p.charge(&st.ins.Cost)
	return res.Answer == smt.Unsat
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
func (p *plan) recallMembers(left []*status, facts []smt.Term, query smt.Term, terms []smt.Term) bool {
	some := false
	for _, st := range left {
		b := p.byMember[st]
		some = some || b != nil && b.known != nil
	}
	if !some || p.answered(facts, query, terms...) {
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

// solverReason is why a question has no answer.
func solverReason(res smt.Result) found.Reason {
	switch res.Answer {
	case smt.Timeout:
		return found.Reason{Why: found.TimeLimit, Text: res.Reason}
	case smt.Cancelled:
		return found.Reason{Why: found.Cancelled}
	case smt.StepLimit:
		return found.Reason{Why: found.StepBudget}
	}
	return found.Reason{Why: found.SolverFailed, Text: res.Reason}
}

func internalError(what string) found.Reason {
	return found.Reason{Why: found.InternalError, Text: what}
}

// writer names a body-less function that wrote something in a model.
func (p *plan) writer(ev *smt.Evaluator) string {
	for _, w := range p.writes {
		if ev.EvalBool(w.sym) {
			return w.name
		}
	}
	return "a function without a body"
}

// dropWhatRestsOnUnknown asks again about proved obligations behind an unknown one, this
// time without taking that to hold.
func (p *plan) dropWhatRestsOnUnknown() (dropped bool) {
	c := p.c
	unknown := map[int]*status{}
	first := -1
	for _, st := range p.obs {
		if !st.failed && !st.proved && st.unknown.Why != found.OtherInstanceFails {
			if unknown[st.event] = st; first < 0 {
				first = st.event
			}
		}
	}
	if first < 0 {
		return false
	}
	ch := chainOf(p.log, func(i int) bool { return unknown[i] != nil })
	var open []*status
	for _, st := range p.obs {
		if st.proved && st.event > first && !c.IsFalse(ch.fails(p.log, st.event)) {
			open = append(open, st)
		}
	}
	depends := found.Reason{Why: found.DependsOnPlace, At: unknown[first].ins.Pos}
	var settle func(open []*status)
	settle = func(open []*status) {
		for len(open) > 0 {
			var terms []smt.Term
			for _, st := range open {
				terms = append(terms, ch.fails(p.log, st.event))
			}
			res := p.checkAny(terms, batchBudget)
			p.credit(open, p.answeredBefore)
			switch {
			case res.Answer == smt.Unsat:
				return
			case res.Answer == smt.Sat:
				_, ev := p.models.last()
				var left []*status
				for i, st := range open {
					if ev.EvalBool(terms[i]) {
						dropped = true
						st.proved, st.unknown = false, depends
					} else {
						left = append(left, st)
					}
				}
				if len(left) == len(open) {
					return
				}
				open = left
			case len(open) > 1 && res.Answer == smt.StepLimit:
				settle(open[:len(open)/2])
				open = open[len(open)/2:]
			default:
				for _, st := range open {
					dropped = true
					st.proved, st.unknown = false, depends
				}
				return
			}
		}
	}
	settle(open)
	return p.dropWhatIsLost(ch, depends) || dropped
}

// dropWhatIsLost drops what lies on ways that the unfolding left out, or that no cut shows, only
// because an unknown obligation is taken to hold: without it (ch) some execution goes there, and
// what happens there was never looked at.
func (p *plan) dropWhatIsLost(ch chain, depends found.Reason) (dropped bool) {
	c := p.c
	type way struct{ event, region int }
	var open []way
	var terms []smt.Term
	add := func(event, region int, guard smt.Term) {
		if t := c.And(ch.held[event], guard, c.Not(p.ch.held[event])); !c.IsFalse(t) {
			open = append(open, way{event, region})
			terms = append(terms, t)
		}
	}
	for _, x := range p.prog.Infeasible {
		add(x.Event, x.Region, x.Guard)
	}
	for _, k := range p.cuts {
		add(k, p.log.Events[k].Region, p.log.Events[k].Guard)
	}
	var fixed map[int]bool
	lose := func(w way) {
		if fixed == nil {
			fixed = p.namedAccesses()
		}
		region := p.prog.Region(w.region)
		for _, st := range p.obs {
			if s := p.log.Events[st.event].Site; st.proved && s != nil && region[s.ID] && !fixed[s.ID] {
				dropped = true
				st.proved, st.unknown = false, depends
			}
		}
	}
	for len(open) > 0 {
		res := p.checkAny(terms, batchBudget)
		if res.Answer == smt.Unsat {
			return dropped
		}
		var left []way
		var rest []smt.Term
		if res.Answer == smt.Sat {
			_, ev := p.models.last()
			for i, w := range open {
				if ev.EvalBool(terms[i]) {
					lose(w)
				} else {
					left, rest = append(left, w), append(rest, terms[i])
				}
			}
		}
		if len(left) == len(open) || res.Answer != smt.Sat { // in doubt all of them are
			for _, w := range open {
				lose(w)
			}
			return dropped
		}
		open, terms = left, rest
	}
	return dropped
}

// namedAccesses are the loads and stores of a whole variable by its name: they are as good in one
// execution as in any other.
func (p *plan) namedAccesses() map[int]bool {
	out := map[int]bool{}
	for _, f := range p.m.Funcs {
		allocas := map[int]int64{} // register to size
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				var ptr llvmir.Operand
				var size int64
				switch in.Op {
				case llvmir.OpAlloca:
					if n := in.Args; len(n) == 0 || n[0].Const != nil && n[0].Const.Int != nil && n[0].Const.Int.Sign() > 0 {
						allocas[in.Dst] = in.ElemType.Size
					}
					continue
				case llvmir.OpLoad:
					ptr, size = in.Args[0], in.Type.StoreSize
				case llvmir.OpStore:
					ptr, size = in.Args[1], in.Args[0].Type.StoreSize
				default:
					continue
				}
				room, ok := int64(0), false
				if ptr.Kind == llvmir.OperandReg {
					room, ok = allocas[ptr.Reg]
				} else if k := ptr.Const; k != nil && k.Kind == llvmir.ConstGlobal && k.Offset == 0 &&
					(in.Op == llvmir.OpLoad || !k.Global.Constant) {
					room, ok = k.Global.Type.Size, true
				}
				out[in.ID] = ok && size <= room
			}
		}
	}
	return out
}

// settleCuts finds the cuts and unsupported constructs that some execution gets to, and
// marks what they can lead to.
func (p *plan) settleCuts() {
	c := p.c
	open := append([]int(nil), p.cuts...)
	hit := map[int]bool{}
	spent := map[int]*int64{} // what the questions about each cost
	reachOf := func(k int) smt.Term { return c.And(p.ch.held[k], p.log.Events[k].Guard) }
	for len(open) > 0 {
		var terms []smt.Term
		for _, k := range open {
			terms = append(terms, reachOf(k))
		}
		if c.IsFalse(c.Or(terms...)) {
			break
		}
		res := p.checkAny(terms, batchBudget)
		costs := make([]*int64, len(open))
		for i, k := range open {
			if spent[k] == nil {
				spent[k] = new(int64)
			}
			costs[i] = spent[k]
		}
		p.charge(costs...)
		if res.Answer == smt.Unsat {
			break
		}
		if res.Answer != smt.Sat {
			// A cut that may be reached is one that is reached.
			for _, k := range open {
				hit[k] = true
			}
			break
		}
		_, ev := p.models.last()
		var left []int
		for i, k := range open {
			if ev.EvalBool(terms[i]) {
				hit[k] = true
				p.endReach = true
			} else {
				left = append(left, k)
			}
		}
		open = left
	}
	type cutKey struct {
		loop string
		pos  found.Pos
	}
	seen := map[cutKey]int{}
	for _, k := range p.cuts {
		if !hit[k] {
			continue
		}
		p.reached = append(p.reached, k)
		ev := &p.log.Events[k]
		ins := p.instance(ev)
		region := p.prog.Region(ev.Region)
		for _, st := range p.obs {
			id := 0
			if s := p.log.Events[st.event].Site; s != nil {
				id = s.ID
			}
			// Whether an object leaks is decided at the end, which every cut may lead to.
			if !region[id] && st.ins.Kind != found.MemoryLeak {
				continue
			}
			if ev.Kind == seair.Unsupported {
				if !st.failed {
					st.unknown = found.Reason{Why: found.NotSupported, Name: ev.Text, At: ins.Pos}
					st.proved = false
				}
			} else if st.cut == "" {
				st.cut, st.bound = ev.Loop, ev.Bound
			}
		}
		if ev.Kind == seair.Unsupported {
			p.reason = found.Reason{Why: found.NotSupported, Name: ev.Text, At: ins.Pos}
			continue
		}
		if !p.opts.Checks[found.Unwinding] {
			// Nobody wants a finding, but what was not looked at is not proved.
			if p.bounded.None() {
				cause := found.Reason{Why: found.LoopCut, Name: ev.Loop, N: int64(ev.Bound)}
				p.bounded = found.Reason{Why: found.ByFinding, Kind: found.Unwinding, At: ins.Pos, Cause: &cause}
			}
			continue
		}
		key := cutKey{ev.Loop, ins.Pos}
		if i, dup := seen[key]; dup {
			p.extra[i].Bound = max(p.extra[i].Bound, ev.Bound)
			p.extra[i].Reason.N = int64(p.extra[i].Bound)
			p.extra[i].Cost += *spent[k]
			continue
		}
		seen[key] = len(p.extra)
		ins.Kind, ins.Verdict = found.Unwinding, found.Bounded
		ins.Loop, ins.Bound, ins.Cost = ev.Loop, ev.Bound, *spent[k]
		ins.Reason = found.Reason{Why: found.LoopCut, Name: ev.Loop, N: int64(ev.Bound)}
		p.extra = append(p.extra, ins)
	}
}

// report derives the verdicts from the answers.
func (p *plan) report() *Report {
	r := &Report{Entry: p.entry, EndReached: p.endReach, EndUnknown: p.endUnsure, Reason: p.reason, Bounded: p.bounded,
		UnusedBounds: unfold.UnusedBounds(p.m, slices.Sorted(maps.Keys(p.opts.Loops)))}
	for _, st := range p.obs {
		in := &st.ins
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
		as := Assumption{Kind: a.Kind, Message: a.Message}
		if a.Site != nil {
			as.Pos = p.place(a.Site).pos
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
	if p.opts.Coverage {
		r.Covered = p.coverage()
	}
	r.Stats = p.finishStats()
	return r
}

// findUninstantiated adds the assertions of the entry's file that the unfolding never met:
// a branch that folded to false, or an iteration that is infeasible, must not lose them.
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
				ins := Instance{Kind: found.Assertion, Pos: pos, ConstFalse: unfold.WrittenFalse(f, b, in),
					InEntryFile: pos.File == p.opts.EntryFile, Verdict: found.Unreached}
				ins.Core = p.explain(key)
				if p.regionHas(in.ID) {
					ins.Verdict, ins.Reason = found.Bounded, found.Reason{Why: found.BeyondBounds}
				}
				if !p.reason.None() {
					ins.Verdict, ins.Reason = found.Unknown, p.reason
				}
				if p.lostToObligations(in.ID) {
					ins.Verdict, ins.Reason = found.Unknown, p.behindReason()
				}
				p.extra = append(p.extra, ins)
			}
		}
	}
}
