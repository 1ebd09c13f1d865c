package unfold

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
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
	// callBlock and callInstr are the position of the call in the caller.
	callBlock, callInstr int
	depth                int        // calls of the same function around this one
	recursions           int        // calls of the same function that it led to, if it is the first of these
	around               *flow.Loop // innermost loop around the call, in any caller; set if Options.At is

	use      resultUse // use of the result
	args     []value
	cursors  *cursors // nil if states are merged per iteration
	regs     []value  // registers of the current visit
	pending  []*visit
	visiting *visit // the most recently begun visit
	rets     []edge
	// ends holds the guard at the end of the last visit of each block.
	ends []*guard.Guard
	// symbolic counts, for the current run of each loop, the iterations whose condition is not constant.
	symbolic map[*flow.Loop]int
	begun    map[*flow.Loop]progress // what was made when that run began
	// places counts the visits of a block at different positions.
	places  map[int]int
	entered *guard.Guard
	objects []int // stack objects that end with the frame
	dynamic []int // those of objects that stackrestore can release
	// dormant maps the allocas whose lifetimes begin at markers to their pointers outside of these.
	dormant map[int]value
	varargs []value
	varCall *llvmir.Instr // the call that passes varargs
	// heads holds the loops that were cut at their heads, each as it was reached last.
	heads map[*flow.Loop]*Head
	// activation is set if the frame is an arbitrary activation of a recursive function.
	activation *activation
}

// visit is one execution of a block, in one iteration of each loop around it. It waits until all its edges are known.
type visit struct {
	block int
	start int // first instruction: behind a call whose ways out were kept separate, or 0
	iters []int32
	in    []edge
	// at holds the positions of the function's cursors; nil if states are merged per iteration. If it is not nil,
	// iters and decided are maxima over all edges. decided counts the iterations whose condition is not constant.
	at      []smt.Term
	decided []int32
	// outcome is the constant returned by the call in front of start, if it separates the states behind that call;
	// else 0.
	outcome smt.Term
	// behind is the guard of all ways out of a call in the block together; nil if the call had a single way out.
	behind *guard.Guard
}

// edge is a way into a visit or out of the frame: a guard with the state there. An edge without a path only widens the
// guard. It stands for executions that failed an obligation, which no later question considers.
type edge struct {
	g    *guard.Guard
	p    *path
	from int
	live []value
	phis []value
	ret  value
	// at and decided become the fields of the visit.
	at      []smt.Term
	decided []int32
}

// before reports whether visit a is executed before visit b. Visits are ordered by their position in the weak
// topological order. All blocks of one iteration of a loop come before the next iteration; in a loop that moves a
// cursor, all blocks at one position come before the next position.
func (fr *frame) before(a, b *visit) bool {
	x, y := &fr.fn.Nodes[a.block], &fr.fn.Nodes[b.block]
	for i := 0; i < len(x.Loops) && i < len(y.Loops) && x.Loops[i] == y.Loops[i]; i++ {
		if a.at != nil && b.at != nil && fr.cursors.walks[x.Loops[i]] {
			if d := fr.comparePositions(a, b); d != 0 {
				return d < 0
			}
			continue
		}
		if a.iters[i] != b.iters[i] {
			return a.iters[i] < b.iters[i]
		}
	}
	if x.Order != y.Order {
		return x.Order < y.Order
	}
	if a.at != nil && b.at != nil {
		if d := fr.comparePositions(a, b); d != 0 {
			return d < 0
		}
	}
	return a.start < b.start
}

// returned is one way out of a call: the result, and the path behind the call.
type returned struct {
	value value
	p     *path
}

// call inlines a call of a function with a body. It returns the result and the path behind the call, nil if no
// execution returns.
func (r *run) call(caller *frame, block, instr int, f *llvmir.Func, args []value, in *llvmir.Instr, p *path,
	site *seair.Site) (value, *path) {
	for _, x := range r.callApart(caller, block, instr, f, args, in, p, site, nil, anyUse) {
		return x.value, x.p
	}
	return value{}, nil
}

// callApart is call with several ways out. States behind the call are kept separate if they differ in the memory cells
// of cells, or in a constant result that use can benefit from.
func (r *run) callApart(caller *frame, block, instr int, f *llvmir.Func, args []value, in *llvmir.Instr, p *path,
	site *seair.Site, cells []trackedCell, use resultUse) []returned {
	fn := r.function(f)
	fr := &frame{r: r, fn: fn, site: site, caller: caller, callBlock: block, callInstr: instr, entered: p.g,
		around: r.location.Loop, use: use}
	for c := caller; c != nil; c = c.caller {
		if c.fn == fn {
			fr.depth = c.depth + 1
			break
		}
	}
	cut := fr.cutsRecursion()
	if fr.depth > 0 && !cut && !r.allowRecursion(fr, p) || fr.depth == 0 && !r.leadsInto(fr, p) {
		return nil
	}
	if f.Unsupported != "" {
		r.unsupported(fr, p, site, 0, 0, f.Unsupported)
		return nil
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxCallDepth {
		r.unsupported(fr, p, site, 0, 0, "calls nested too deeply")
		return nil
	}
	if cut {
		return fr.cutCall(args, in, p)
	}
	fr.perform(args, in, cells, p)
	if len(fr.rets) == 0 {
		return nil
	}
	var out []returned
	for _, rets := range fr.group(fr.rets, cells) {
		g, q, _, _, ret := fr.merge(rets, f.Ret, nil, nil)
		q = &path{g, q.st}
		for _, id := range fr.objects {
			r.mem.Kill(q.st, id, r.c.True())
		}
		out = append(out, returned{ret, q})
	}
	return out
}

// perform executes the function up to its returns.
func (fr *frame) perform(args []value, in *llvmir.Instr, cells []trackedCell, p *path) {
	r, fn, f := fr.r, fr.fn, fr.fn.Func
	fr.regs = make([]value, fn.NumRegs)
	fr.ends = make([]*guard.Guard, len(fn.Nodes))
	for i := range f.Params {
		if i < len(args) {
			fr.regs[i] = args[i]
		}
	}
	fr.args = args
	fr.findCursors(cells)
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
}

// ended reports whether the unfolding has to stop.
func (r *run) ended() bool {
	if r.opts.Poll != nil {
		r.opts.Poll()
	}
	return r.ctx.Err() != nil || r.repeats()
}

// limit returns the number of instructions after which the unfolding stops.
func (r *run) limit() int64 {
	if n := r.opts.MaxInstructions; n > 0 {
		return min(n, maxInstructions)
	}
	return maxInstructions
}

// merge joins edges into one state. Values are selected by the guards relative to their common prefix. Edges without a
// path only widen the guard.
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
	defer func(was *frame) { r.running = was }(r.running)
	r.running = fr
	b := fn.Blocks[v.block]
	bi := &fn.Nodes[v.block]
	if r.opts.At != nil {
		from := r.location
		r.move(fr.location(bi))
		defer r.move(from)
	}
	regs := bi.Live
	var phis []*llvmir.Instr
	if v.start > 0 {
		regs = fn.After(v.block, v.start-1).Live
	} else {
		for _, in := range b.Instrs {
			if in.Op != llvmir.OpPhi {
				break
			}
			phis = append(phis, in)
		}
	}
	g, p, live, ph, _ := fr.merge(v.in, nil, regs, phis)
	if p == nil { // only executions that failed an obligation get here
		r.infeasible(g.T, cutPoint{fr: fr, block: v.block})
		return
	}
	v.in = nil
	p = &path{g, p.st.Fork()}
	for i, reg := range regs {
		fr.regs[reg] = live[i]
	}
	for i, in := range phis {
		fr.regs[in.Dst] = ph[i]
	}
	n := len(bi.Loops)
	if v.start == 0 && n > 0 && bi.Loops[n-1].Head == v.block && fr.cutsHere(bi.Loops[n-1], v.iters[n-1]) {
		fr.arbitraryHead(v, bi.Loops[n-1], phis, p)
	}
	var line Line
	for k := max(len(phis), v.start); k < len(b.Instrs); k++ {
		in := b.Instrs[k]
		line = r.reaches(in, p, line)
		r.prog.Instructions++
		r.current = fr
		if r.prog.Instructions&0x3f == 0 && r.ended() || r.prog.Instructions > r.limit() {
			// All pending visits, here and in the callers, are lost as well.
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
		p = fr.step(v, k, in, p)
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

// reaches records that executions reach the line of an instruction on p. It returns that line, or last if the
// instruction has none.
func (r *run) reaches(in *llvmir.Instr, p *path, last Line) Line {
	if r.prog.Lines == nil || in.Loc == nil || in.Loc.Line == last.Line && in.Loc.File == last.File {
		return last
	}
	line := Line{in.Loc.File, in.Loc.Line}
	// Everything that holds before an event held before all earlier ones: the first way with a guard covers the later
	// ones.
	if visits := r.prog.Lines[line]; len(visits) == 0 || visits[len(visits)-1].Guard != p.g.T {
		r.prog.Lines[line] = append(visits, Way{p.g.T, len(r.log.Events)})
	}
	return line
}

// step executes an instruction and returns the path behind it, nil at the end of the block or if no execution
// continues. An instruction whose translation panics, a bug of the engine, is logged as unsupported: everything behind
// it is unknown, and the rest of the program is still decided.
func (fr *frame) step(v *visit, k int, in *llvmir.Instr, p *path) (behind *path) {
	r := fr.r
	defer func() {
		if wrong := recover(); wrong != nil {
			r.unsupported(fr, p, r.site(in, fr), v.block, k, fmt.Sprintf("an instruction with an internal error (%v)", wrong))
			behind = nil
		}
	}()
	fr.checkWithin(in, p)
	switch in.Op {
	case llvmir.OpRet, llvmir.OpBr, llvmir.OpCondBr, llvmir.OpSwitch, llvmir.OpUnreachable:
		if fr.ends[v.block] = p.g; v.behind != nil {
			fr.ends[v.block] = v.behind
		}
		fr.terminate(v, in, k, p)
		return nil
	}
	return fr.exec(v, k, in, p)
}

// inexpressible reports whether a constant was evaluated that terms cannot express, and ends the path if so.
func (fr *frame) inexpressible(v *visit, k int, in *llvmir.Instr, p *path) bool {
	r := fr.r
	if r.inexpressible == "" {
		return false
	}
	r.unsupported(fr, p, r.site(in, fr), v.block, k, r.inexpressible)
	r.inexpressible = ""
	return true
}
