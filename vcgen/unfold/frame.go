package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// frame is one call of a function.
type frame struct {
	r      *run
	fn     *flow.Function
	site   *seair.Site // the call; nil in the entry
	caller *frame
	// callBlock and callInstr are where the caller stands.
	callBlock, callInstr int
	depth                int        // calls of the same function around this one
	around               *flow.Loop // that the call stands in, or those of its callers; where Options.At is told

	regs     []value // the visit that is being executed
	pending  []*visit
	visiting *visit // the one that was begun last
	rets     []edge
	// ends holds the guard at the end of the last visit of each block.
	ends []*guard.Guard
	// symbolic holds per loop the iterations with a symbolic condition of its current run.
	symbolic map[*flow.Loop]int
	// places counts the visits of a block at different positions.
	places  map[int]int
	entered *guard.Guard
	objects []int // stack objects that end with the frame
	dynamic []int // among them, those of allocas that can be released by stackrestore
	varargs []value
	varCall *llvmir.Instr // the call that passes them
	// heads are the loops that were cut at their heads, as they were met last.
	heads map[*flow.Loop]*Head
}

// visit is a block in one iteration of the loops around it, waiting for its edges.
type visit struct {
	block int
	iters []int32
	in    []edge
	// at holds the positions of the function's cursors, nil where states are joined by iterations. Where it is not, iters
	// and decided, which counts the iterations with a symbolic condition, are the largest of all ways.
	at      []smt.Term
	decided []int32
}

// edge is a way into a visit, or out of the frame: a guard with the state there. An edge
// without a state widens the guard only: it stands for executions that failed an
// obligation, which no later question considers.
type edge struct {
	g    *guard.Guard
	p    *path
	from int
	live []value
	phis []value
	ret  value
	// at and decided become those of the visit.
	at      []smt.Term
	decided []int32
}

// before reports whether visit a is executed before visit b: by position in the weak
// topological order, an iteration of a loop as a whole before the next one, or what is done at one place of a walk
// before the next place.
func (fr *frame) before(a, b *visit) bool {
	x, y := &fr.fn.Nodes[a.block], &fr.fn.Nodes[b.block]
	for i := 0; i < len(x.Loops) && i < len(y.Loops) && x.Loops[i] == y.Loops[i]; i++ {
		if a.at != nil && b.at != nil && fr.fn.Walks[x.Loops[i]] {
			if d := fr.comparePositions(a, b); d != 0 {
				return d < 0
			}
			continue
		}
		if a.iters[i] != b.iters[i] {
			return a.iters[i] < b.iters[i]
		}
	}
	if x.Order == y.Order && a.at != nil && b.at != nil {
		return fr.comparePositions(a, b) < 0
	}
	return x.Order < y.Order
}

// call inlines a call of a function with a body. It returns the value and the path behind
// the call, nil when no execution returns.
func (r *run) call(f *llvmir.Func, args []value, in *llvmir.Instr, p *path, site *seair.Site) (value, *path) {
	return r.callFrom(nil, 0, 0, f, args, in, p, site)
}

func (r *run) callFrom(caller *frame, block, instr int, f *llvmir.Func, args []value, in *llvmir.Instr, p *path,
	site *seair.Site) (value, *path) {
	fn := r.function(f)
	fr := &frame{r: r, fn: fn, site: site, caller: caller, callBlock: block, callInstr: instr, entered: p.g,
		around: r.location.Loop}
	for c := caller; c != nil; c = c.caller {
		if c.fn == fn {
			fr.depth = c.depth + 1
			break
		}
	}
	if fr.depth > 0 && !r.allowRecursion(fr, p) {
		return value{}, nil
	}
	if f.Unsupported != "" {
		r.unsupported(fr, p, site, 0, 0, f.Unsupported)
		return value{}, nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxCallDepth {
		r.unsupported(fr, p, site, 0, 0, "calls nested too deeply")
		return value{}, nil
	}
	fr.regs = make([]value, fn.NumRegs)
	fr.ends = make([]*guard.Guard, len(fn.Nodes))
	for i := range f.Params {
		if i < len(args) {
			fr.regs[i] = args[i]
		}
	}
	if f.Variadic && len(args) > len(f.Params) {
		fr.varargs, fr.varCall = args[len(f.Params):], in
	}
	live := make([]value, len(fn.Nodes[0].Live))
	for i, reg := range fn.Nodes[0].Live {
		live[i] = fr.regs[reg]
	}
	first := &visit{block: 0, iters: make([]int32, len(fn.Nodes[0].Loops))}
	first.in = []edge{{g: p.g, p: p, from: -1, live: live}}
	fr.pending = []*visit{first}
	for len(fr.pending) > 0 && !r.stopped {
		best := 0
		for i := 1; i < len(fr.pending); i++ {
			if fr.before(fr.pending[i], fr.pending[best]) {
				best = i
			}
		}
		v := fr.pending[best]
		fr.pending = slices.Delete(fr.pending, best, best+1)
		fr.run(v)
	}
	if len(fr.rets) == 0 {
		return value{}, nil
	}
	g, q, _, _, ret := fr.merge(fr.rets, f.Ret, nil, nil)
	q = &path{g, q.st}
	for _, id := range fr.objects {
		r.mem.Kill(q.st, id, r.c.True())
	}
	return ret, q
}

// allowRecursion bounds the depth of a recursion: the contract's --unwind.
func (r *run) allowRecursion(fr *frame, p *path) bool {
	bound := r.opts.Unwind
	if b, ok := r.opts.Loops[fr.fn.SourceName]; ok {
		bound = b
	}
	cut := false
	outer := fr.caller
	for outer.fn != fr.fn {
		outer = outer.caller
	}
	switch {
	case bound > 0:
		cut = fr.depth > bound
	default:
		if outer.entered.T == p.g.T {
			cut = r.prog.Instructions > maxConstantInstructions || fr.fn.RecursesOnly && fr.depth > r.maxUnwind()
			bound = fr.depth - 1
			break
		}
		if (r.opts.Depth == 0 || r.opts.Depth > shallow) && !r.feasible(p.g.T) {
			r.infeasible(p.g.T, cutPoint{fr: fr})
			return false
		}
		bound = r.maxUnwind()
		cut = fr.depth > bound
	}
	if d := r.opts.Depth; d > 0 && fr.depth > d && outer.entered.T != p.g.T {
		cut, bound = true, d
	}
	if cut {
		r.event(seair.Event{Kind: seair.Cut, Guard: p.g.T, Site: fr.site, Loop: fr.fn.SourceName, Bound: bound,
			Region: len(r.prog.cuts)})
		r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr})
		return false
	}
	return true
}

func (r *run) infeasible(g smt.Term, at cutPoint) {
	r.prog.Infeasible = append(r.prog.Infeasible, Infeasible{Guard: g, Event: len(r.log.Events), Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, at)
}

// ended tells whether the unfolding is to stop.
func (r *run) ended() bool {
	if r.opts.Poll != nil {
		r.opts.Poll()
	}
	return r.ctx.Err() != nil
}

// symbolicLimit is how many iterations whose condition is not constant may follow the first one of a loop.
func (r *run) symbolicLimit() int {
	if d := r.opts.Depth; d > 0 {
		return min(d-1, r.maxUnwind())
	}
	return r.maxUnwind()
}

// maxUnwind is where automatic unwinding ends.
func (r *run) maxUnwind() int {
	if r.opts.MaxUnwind > 0 {
		return r.opts.MaxUnwind
	}
	return DefaultMaxUnwind
}

// limit is the number of instructions behind which the unfolding ends.
func (r *run) limit() int64 {
	if n := r.opts.MaxInstructions; n > 0 {
		return min(n, maxInstructions)
	}
	return maxInstructions
}

func (r *run) feasible(g smt.Term) bool {
	r.quantifiers.Instantiate()
	if r.c.IsFalse(r.c.And(r.alive, g)) {
		return false
	}
	// A run that remembers the answer does not make the terms of the question.
	defer r.c.SeeFunctions(r.c.SeeFunctions(false))
	return r.oracle.Feasible(r.ctx, r.alive, g)
}

// merge joins edges into one state. Values are selected by the guards relative to what
// the edges share. Edges without a path widen the guard only.
func (fr *frame) merge(in []edge, ret *llvmir.Type, liveRegs []int, phis []*llvmir.Instr) (*guard.Guard, *path, []value,
	[]value, value) {
	c := fr.r.c
	var g, real *guard.Guard
	var p *path
	var live, ph []value
	var rv value
	for i := len(in) - 1; i >= 0; i-- {
		e := in[i]
		if g == nil {
			g = e.g
		} else {
			g, _ = guard.Or(c, e.g, g)
		}
		if e.p == nil {
			continue
		}
		if p == nil {
			p, live, ph, rv, real = &path{e.g, e.p.st}, e.live, e.phis, e.ret, e.g
			continue
		}
		var isE smt.Term
		real, isE = guard.Or(c, e.g, real)
		p = &path{real, fr.r.mem.MergeStates(isE, e.p.st, p.st)}
		if len(live) > 0 {
			merged := make([]value, len(live))
			for k := range live {
				merged[k] = fr.r.selectValue(isE, e.live[k], live[k])
			}
			live = merged
		}
		if len(ph) > 0 {
			merged := make([]value, len(ph))
			for k := range ph {
				merged[k] = fr.r.selectValue(isE, e.phis[k], ph[k])
			}
			ph = merged
		}
		if ret != nil && ret.Kind != llvmir.VoidType {
			rv = fr.r.selectValue(isE, e.ret, rv)
		}
	}
	return g, p, live, ph, rv
}

// run executes a visit.
func (fr *frame) run(v *visit) {
	r := fr.r
	fn := fr.fn
	fr.visiting = v
	b := fn.Blocks[v.block]
	bi := &fn.Nodes[v.block]
	if r.opts.At != nil {
		from := r.location
		r.move(fr.location(bi))
		defer r.move(from)
	}
	var phis []*llvmir.Instr
	for _, in := range b.Instrs {
		if in.Op != llvmir.OpPhi {
			break
		}
		phis = append(phis, in)
	}
	g, p, live, ph, _ := fr.merge(v.in, nil, bi.Live, phis)
	if p == nil { // only executions that failed an obligation get here
		r.infeasible(g.T, cutPoint{fr: fr, block: v.block})
		return
	}
	v.in = nil
	p = &path{g, p.st.Fork()}
	for i, reg := range bi.Live {
		fr.regs[reg] = live[i]
	}
	for i, in := range phis {
		fr.regs[in.Dst] = ph[i]
	}
	if n := len(bi.Loops); n > 0 && bi.Loops[n-1].Head == v.block && fr.cutsLoop(bi.Loops[n-1]) {
		fr.arbitraryHead(v, bi.Loops[n-1], phis, p)
	}
	for k := len(phis); k < len(b.Instrs); k++ {
		in := b.Instrs[k]
		r.prog.Instructions++
		if r.prog.Instructions&0x3f == 0 && r.ended() || r.prog.Instructions > r.limit() {
			// Whatever waits to be executed, here or in the callers, is lost, too.
			r.event(seair.Event{Kind: seair.Unsupported, Guard: r.c.True(), Site: r.site(in, fr), Region: len(r.prog.cuts),
				Text: "the length of the program", Bound: int(r.prog.Instructions)})
			r.prog.cuts = append(r.prog.cuts, cutPoint{all: true})
			r.stopped = true
			r.stoppedIn = fr.underWay()
			return
		}
		r.prog.Executed[in.ID] = true
		if fr.inexpressible(v, k, in, p) { // an operand of a phi or of the return that led here
			return
		}
		fr.checkWithin(in, p)
		switch in.Op {
		case llvmir.OpRet, llvmir.OpBr, llvmir.OpCondBr, llvmir.OpSwitch, llvmir.OpUnreachable:
			fr.ends[v.block] = p.g
			fr.terminate(v, in, k, p)
			return
		}
		p = fr.exec(v, k, in, p)
		if r.mem.TooLarge {
			r.mem.TooLarge = false
			if p != nil {
				r.unsupported(fr, p, r.site(in, fr), v.block, k,
					"model limit: an access at a symbolic offset to an object with too many cells")
			}
			return
		}
		if p == nil || r.stopped || fr.inexpressible(v, k, in, p) {
			return
		}
	}
}

// inexpressible ends a path where a constant was evaluated that has no value here.
func (fr *frame) inexpressible(v *visit, k int, in *llvmir.Instr, p *path) bool {
	r := fr.r
	if r.inexpressible == "" {
		return false
	}
	r.unsupported(fr, p, r.site(in, fr), v.block, k, r.inexpressible)
	r.inexpressible = ""
	return true
}

// terminate follows the edges of a terminator.
func (fr *frame) terminate(v *visit, in *llvmir.Instr, k int, p *path) {
	r, c := fr.r, fr.r.c
	for _, f := range fr.fn.Nodes[v.block].Decides {
		fr.neverFails(f, p) // where the condition is decided early; where it is not, the failure call tells
	}
	switch in.Op {
	case llvmir.OpRet:
		e := edge{g: p.g, p: p, from: v.block}
		if len(in.Args) > 0 {
			e.ret = fr.operand(in, in.Args[0], p)
			if clangir.NoResult(fr.fn.Func, in) {
				r.noValue.leaves(e.ret)
			}
		}
		fr.rets = append(fr.rets, e)
	case llvmir.OpUnreachable:
		if r.opts.Checks[found.Unreachable] {
			r.obligationAt(p.g.T, r.site(in, fr), found.Unreachable, c.False(), true)
		}
	case llvmir.OpBr:
		fr.follow(v, in, k, in.Succs[0], p, c.True())
	case llvmir.OpCondBr:
		cond := fr.scalar(in, in.Args[0], p)
		if in.Succs[0] == in.Succs[1] {
			fr.follow(v, in, k, in.Succs[0], p, c.True())
			return
		}
		if fr.notAssumed(v, in, k, p, cond) {
			return
		}
		fr.follow(v, in, k, in.Succs[0], p, cond)
		fr.follow(v, in, k, in.Succs[1], p, c.Not(cond))
	case llvmir.OpSwitch:
		x := fr.scalar(in, in.Args[0], p)
		// Cases are tested in order; each edge's guard says that the earlier ones did not
		// match, so that the guards collapse one by one where the cases meet again.
		rest := p
		for i, k2 := range in.Cases {
			before := rest.g
			eq := c.Eq(x, r.constant(k2, nil).t)
			if rest.g = fr.followCase(v, in, k, in.Succs[i+1], rest, eq); rest.g == nil {
				for _, to := range append(in.Succs[i+2:], in.Succs[0]) {
					fr.dead(in, to, before, c.False())
				}
				return
			}
		}
		fr.follow(v, in, k, in.Succs[0], rest, c.True())
	}
}

// followCase follows one case of a switch and returns the guard of the other cases.
func (fr *frame) followCase(v *visit, in *llvmir.Instr, k, to int, p *path, eq smt.Term) *guard.Guard {
	fr.follow(v, in, k, to, p, eq)
	return p.g.Extend(fr.r.c, fr.r.c.Not(eq))
}

// follow adds the edge to block to under cond.
func (fr *frame) follow(v *visit, in *llvmir.Instr, k, to int, p *path, cond smt.Term) {
	r := fr.r
	bi := &fr.fn.Nodes[to]
	g := p.g.Extend(r.c, cond)
	if g == nil {
		if bi.Failure && len(bi.Succs) == 0 {
			fr.neverFails(to, p)
		}
		fr.dead(in, to, p.g, cond)
		return
	}
	if !r.c.IsConst(cond) {
		known := r.prog.Branches[cond]
		if n := len(known); n == 0 || known[n-1].Site.ID != in.ID {
			r.prog.Branches[cond] = append(known, Branch{r.site(in, fr), to == in.Succs[0], len(r.log.Events)})
		}
	}
	e := edge{g: g, p: &path{g, p.st.Fork()}, from: v.block}
	e.live = make([]value, len(bi.Live))
	for i, reg := range bi.Live {
		e.live[i] = fr.regs[reg]
	}
	for _, phi := range fr.fn.Blocks[to].Instrs {
		if phi.Op != llvmir.OpPhi {
			break
		}
		for i, from := range phi.In {
			if from == v.block {
				e.phis = append(e.phis, fr.operand(phi, phi.Args[i], p))
				break
			}
		}
	}
	if len(fr.fn.Cursors) > 0 && r.opts.Unwind == 0 && len(r.opts.Loops) == 0 && r.opts.Depth == 0 && !r.opts.NoCursors {
		fr.place(v, to, &e)
	}
	if _, back := fr.target(v, to); back != nil && fr.cutsLoop(back) {
		fr.backEdge(fr.heads[back], to, e)
		return
	}
	// A branch that is written without a condition decides nothing, whatever stands before it.
	folded := in.Op == llvmir.OpCondBr && in.Args[0].Kind != llvmir.OperandConst && fr.r.c.IsTrue(cond)
	if !fr.allowIteration(v, in, to, e, folded) {
		fr.dead(in, to, p.g, cond)
		return
	}
	if r.prog.Ways != nil {
		r.prog.Ways[Edge{in.ID, to}] = append(r.prog.Ways[Edge{in.ID, to}], Way{g.T, len(r.log.Events)})
	}
	fr.addEdge(v, to, e)
}

// dead notes that an edge of a branch is not followed with a guard.
func (fr *frame) dead(in *llvmir.Instr, to int, g *guard.Guard, cond smt.Term) {
	edge := Edge{in.ID, to}
	if _, known := fr.r.prog.Dead[edge]; !known {
		fr.r.prog.Dead[edge] = Dead{g.T, cond, Branch{fr.r.site(in, fr), to == in.Succs[0], len(fr.r.log.Events)}}
	}
}

// neverFails logs an assertion that is reached and holds: its failure folded to false.
func (fr *frame) neverFails(block int, p *path) {
	call := fr.fn.Blocks[block].Instrs[fr.fn.Nodes[block].Stop]
	if clangir.SanitizerCheck(call.Function()) != "" {
		fr.r.mem.Stats["arithmetic-settled-by-folding"]++
		return
	}
	if flow.IsFailure(call) && fr.r.opts.Checks[found.Assertion] {
		fr.r.obligation(p, fr.r.site(call, fr), found.Assertion, fr.r.c.True())
		fr.r.says(call)
	}
}

// says notes with the last obligation what its failure call says of itself.
func (r *run) says(call *llvmir.Instr) { r.log.Events[len(r.log.Events)-1].Text = clangir.Panic(call) }

// target computes the iteration vector of the visit that an edge from v to block to leads
// to. back is the loop whose next iteration the edge begins, nil when it begins none.
func (fr *frame) target(v *visit, to int) (iters []int32, back *flow.Loop) {
	src, dst := &fr.fn.Nodes[v.block], &fr.fn.Nodes[to]
	iters = make([]int32, len(dst.Loops))
	for i, l := range dst.Loops {
		if i >= len(src.Loops) || src.Loops[i] != l {
			break
		}
		iters[i] = v.iters[i]
		if l.Head == to && src.Order >= dst.Order {
			iters[i]++
			back = l
		}
	}
	return iters, back
}

func (fr *frame) addEdge(v *visit, to int, e edge) {
	iters, _ := fr.target(v, to)
	for _, w := range fr.pending {
		if w.block == to && fr.sameVisit(w, iters, e.at) {
			w.in = append(w.in, e)
			for i, n := range iters {
				w.iters[i] = max(w.iters[i], n)
			}
			for i, n := range e.decided {
				w.decided[i] = max(w.decided[i], n)
			}
			return
		}
	}
	if e.at != nil {
		fr.places[to]++
	}
	fr.pending = append(fr.pending, &visit{block: to, iters: iters, in: []edge{e}, at: e.at, decided: e.decided})
}

// allowIteration decides whether the unfolding follows an edge that runs the body of a
// loop once more: an explicit bound, or as long as conditions are constant, or as long as
// the next iteration is feasible.
func (fr *frame) allowIteration(v *visit, in *llvmir.Instr, to int, e edge, constant bool) bool {
	r := fr.r
	iters, back := fr.target(v, to)
	dst := &fr.fn.Nodes[to]
	var l *flow.Loop
	var run int32 // how many times the body ran already
	switch {
	case back != nil && back.Body < 0:
		l, run = back, iters[len(iters)-1]
	default:
		for i, x := range dst.Loops {
			if x.Body == to {
				l, run = x, iters[i]
			}
		}
	}
	if l == nil {
		return true
	}
	bound := r.opts.Unwind
	if b, ok := r.opts.Loops[l.Name]; ok {
		bound = b
	}
	if fr.symbolic == nil {
		fr.symbolic = map[*flow.Loop]int{}
	}
	if run <= 1 && (back != nil && run == 1 || back == nil && run == 0) {
		fr.symbolic[l] = 0
	}
	cut := false
	if bound > 0 && (r.opts.Depth == 0 || int(run) >= bound) {
		cut = int(run) >= bound
	} else if run > 0 {
		// Below a bound of the user's, and where few iterations follow anyway, nothing is asked.
		asked := bound > 0 || r.opts.Depth > 0 && r.opts.Depth <= shallow
		// The condition is constant when it folded, or when nothing at all was decided
		// since the loop was entered.
		if constant || fr.iterationGuard(l, e.g) {
			cut = r.prog.Instructions > maxConstantInstructions || fr.long(l, run, true) ||
				r.opts.Every && int(run) >= r.opts.Depth
			bound = int(run)
		} else {
			n := 0
			if e.at != nil {
				i := slices.Index(dst.Loops, l)
				e.decided[i]++
				n = int(e.decided[i])
			} else {
				n = fr.symbolic[l] + 1
			}
			// A walk comes to an end where its data does; that is seen without asking.
			bound = r.symbolicLimit()
			if !asked && (e.at == nil || n >= 8 && n&(n-1) == 0 || n > bound) && !r.feasible(e.g.T) {
				r.infeasible(e.g.T, cutPoint{fr: fr, block: to})
				return false
			}
			if e.at == nil {
				fr.symbolic[l]++
			}
			cut = n > bound || fr.long(l, run, false)
			if r.opts.Depth > 0 { // constant ones may stand before them
				bound = int(run)
			}
		}
	}
	if !cut {
		fr.ran(l, run+1)
		return true
	}
	at := in
	if l.At != nil {
		at = l.At
	}
	r.event(seair.Event{Kind: seair.Cut, Guard: e.g.T, Site: r.site(at, fr), Loop: l.Name, Bound: bound,
		Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr, block: to})
	return false
}

// iterationGuard reports whether g adds no condition that was met inside the loop: it is
// the guard with which the loop was entered.
func (fr *frame) iterationGuard(l *flow.Loop, g *guard.Guard) bool {
	start := fr.loopEntry(l)
	return start != nil && start.T == g.T
}

// loopEntry is the guard at the end of the last block before the loop that dominates it.
func (fr *frame) loopEntry(l *flow.Loop) *guard.Guard {
	d := fr.fn.Nodes[l.Head].Idom
	if d < 0 {
		return fr.entered
	}
	return fr.ends[d]
}
