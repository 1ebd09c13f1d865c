package unfold

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// maxPlaces bounds the visits of a block in one call that differ only in their positions. Beyond it states are merged
// per iteration, as in code without cursors.
const maxPlaces = 400

// trackedCell is a memory cell whose value splits the caller's states, and therefore the callee's: its address and its
// type.
type trackedCell struct {
	at   smt.Term
	t    *llvmir.Type
	down bool
}

// cursors are the cursors of a call: the function's own, by their index, followed by the cells of the caller.
type cursors struct {
	own []*flow.Cursor
	// tracked are the caller's cells. same maps each own cursor to its index in tracked, -1 for none.
	tracked []trackedCell
	same    []int
	// walks are the loops that move a cursor.
	walks map[*flow.Loop]bool
}

// keepsApart reports whether positions keep states separate at all. User-defined bounds count iterations, so with one
// they do not.
func (r *run) keepsApart() bool {
	return r.opts.Unwind == 0 && len(r.opts.Loops) == 0 && r.opts.Depth == 0 && !r.opts.NoCursors
}

// findCursors sets the frame's cursors; they stay nil if nothing keeps its states separate.
func (fr *frame) findCursors(list []trackedCell) {
	fn := fr.fn
	separate := len(list) > 0 || slices.ContainsFunc(fn.Cursors, func(k *flow.Cursor) bool { return k.Apart })
	if !separate || !fr.r.keepsApart() {
		return
	}
	cs := &cursors{own: fn.Cursors, tracked: list, same: make([]int, len(fn.Cursors)), walks: map[*flow.Loop]bool{}}
	for i, k := range fn.Cursors {
		reg, off, t := k.Memory()
		cs.same[i] = -1
		if t != nil {
			if p := fr.parameter(reg); p != 0 {
				at := fr.r.c.Add(p, fr.r.mem.IntS(off))
				cs.same[i] = slices.IndexFunc(list, func(x trackedCell) bool { return x.at == at && x.t == t })
			}
		}
		if !k.Apart && cs.same[i] < 0 {
			continue
		}
		for _, l := range fn.LoopsOf(k) {
			cs.walks[l] = true
		}
	}
	fr.cursors = cs
}

// parameter returns the argument that is in a register; 0 if the register is no parameter.
func (fr *frame) parameter(reg int) smt.Term {
	i := fr.fn.Parameter(reg)
	if i < 0 || i >= len(fr.args) {
		return 0
	}
	return fr.args[i].t
}

// positions returns the values of the cursors that separate states, for an edge; nil if states are merged per
// iteration at its target. at are the own cursors that matter there; the values of all others are 0. If a relevant
// cursor has no single value, states are merged per iteration.
func (fr *frame) positions(v *visit, loops []*flow.Loop, at []flow.CursorAt, e *edge) []smt.Term {
	cs := fr.cursors
	if len(at) == 0 && len(cs.tracked) == 0 {
		return nil
	}
	out := make([]smt.Term, len(cs.own)+len(cs.tracked))
	known := false
	for _, x := range at {
		if x.Returned && fr.use != boundUse {
			continue
		}
		i := x.Cursor
		_, off, t := cs.own[i].Memory()
		switch {
		case e.p == nil && v.at != nil:
			out[i] = v.at[i]
		case e.p == nil || cs.same[i] >= 0:
		case t != nil:
			out[i] = fr.positionAt(fr.behind(x.Reg, off), t, e.p)
		default:
			out[i] = fr.position(fr.regs[x.Reg])
		}
		known = known || out[i] != 0
		if out[i] == 0 && cs.same[i] < 0 && cs.own[i].Walks() && (t == nil || slices.ContainsFunc(loops, cs.own[i].Moves)) {
			return nil
		}
	}
	for i, x := range cs.tracked {
		k := len(cs.own) + i
		switch {
		case e.p != nil:
			out[k] = fr.positionAt(x.at, x.t, e.p)
		case v.at != nil:
			out[k] = v.at[k]
		}
		known = known || out[k] != 0
		if own := slices.Index(cs.same, i); out[k] == 0 && own >= 0 && slices.ContainsFunc(loops, cs.own[own].Moves) {
			return nil
		}
	}
	if !known {
		return nil
	}
	return out
}

// position returns a value that is a constant, or a constant offset in an object; otherwise 0.
func (fr *frame) position(x value) smt.Term {
	c := fr.r.c
	if x.lazy != nil || x.t == 0 || c.Sort(x.t).IsBool() || c.Width(x.t) > 64 {
		return 0
	}
	if c.IsConst(x.t) {
		return x.t
	}
	if _, parts := c.SumParts(x.t); len(parts) == 1 && parts[0].Coef == 1 {
		if _, ok := fr.r.mem.ObjectOfBase(parts[0].T); ok {
			return x.t
		}
	}
	return 0
}

// behind returns the address off bytes after the pointer in a register; 0 if the register has no value yet.
func (fr *frame) behind(reg int, off int64) smt.Term {
	if p := fr.regs[reg].t; p != 0 {
		return fr.r.c.Add(p, fr.r.mem.IntS(off))
	}
	return 0
}

// positionAt returns the position that is stored at an address; 0 if that address is no constant offset in one object.
func (fr *frame) positionAt(at smt.Term, t *llvmir.Type, p *path) smt.Term {
	if at == 0 {
		return 0
	}
	if _, parts := fr.r.c.SumParts(at); len(parts) == 1 && parts[0].Coef == 1 {
		if id, ok := fr.r.mem.ObjectOfBase(parts[0].T); ok && p.st.Content(id) != nil {
			return fr.position(fr.load(p.st, at, t))
		}
	}
	return 0
}

// memoryPosition is a reachable position in memory: the content (value) of an address (at), which is 0 if it is
// unknown.
type memoryPosition struct{ at, value smt.Term }

// leads reports whether an execution can take an edge. It asks the oracle if one of the edge's positions in memory is
// new. A walk ends at the end of its data, which depends on assumptions. No other check would stop an endless walk:
// conditions inside of it are constant, and a function that continues it counts its iterations from 0.
func (fr *frame) leads(e *edge) bool {
	cs, r := fr.cursors, fr.r
	var fresh []memoryPosition
	for i, value := range e.at {
		m := memoryPosition{value: value}
		if k := i - len(cs.own); k >= 0 {
			m.at = cs.tracked[k].at
		} else if reg, off, t := cs.own[i].Memory(); t != nil {
			m.at = fr.behind(reg, off)
		} else {
			continue
		}
		if value != 0 && !r.reached[m] {
			fresh = append(fresh, m)
		}
	}
	if len(fresh) > 0 && !r.feasible(e.g.T) {
		return false
	}
	for _, m := range fresh {
		r.reached[m] = true
	}
	return true
}

// comparePositions orders two visits by the first cursor in which they differ; 0 if there is none.
func (fr *frame) comparePositions(a, b *visit) int {
	for i := range a.at {
		x, y := a.at[i], b.at[i]
		if x == 0 || y == 0 || x == y {
			continue
		}
		d := cmp.Compare(fr.offset(x), fr.offset(y))
		if fr.cursors.down(i) {
			d = -d
		}
		if d == 0 {
			d = cmp.Compare(x, y) // positions in different objects
		}
		return d
	}
	return 0
}

func (cs *cursors) down(i int) bool {
	if i < len(cs.own) {
		return cs.own[i].Down
	}
	return cs.tracked[i-len(cs.own)].down
}

// offset returns the constant part of a position.
func (fr *frame) offset(x smt.Term) int64 {
	c := fr.r.c
	if k, ok := c.Int64(x); ok {
		return k
	}
	konst, _ := c.SumParts(x)
	return int64(konst)
}

// sameVisit reports whether an edge to a block belongs to a pending visit of that block. In loops that move a cursor
// the positions have to be equal, in other loops the iterations.
func (fr *frame) sameVisit(w *visit, iters []int32, at []smt.Term) bool {
	if (w.at == nil) != (at == nil) || !slices.Equal(w.at, at) {
		return false
	}
	for i, l := range fr.fn.Nodes[w.block].Loops {
		if w.iters[i] != iters[i] && (at == nil || !fr.cursors.walks[l]) {
			return false
		}
	}
	return true
}

// place sets the positions of an edge from v to a block.
func (fr *frame) place(v *visit, to int, e *edge) {
	fr.placeAt(v, to, fr.fn.Nodes[to].Cursors, e)
}

// placeAt sets the positions of an edge from v into a block, given the function's own cursors that matter there.
func (fr *frame) placeAt(v *visit, to int, at []flow.CursorAt, e *edge) {
	src, dst := &fr.fn.Nodes[v.block], &fr.fn.Nodes[to]
	e.at = fr.positions(v, dst.Loops, at, e)
	if e.at == nil {
		return
	}
	if fr.places == nil {
		fr.places = map[int]int{}
	}
	if fr.places[to] >= maxPlaces {
		e.at = nil
		return
	}
	e.decided = make([]int32, len(dst.Loops))
	for i, l := range dst.Loops {
		if i >= len(src.Loops) || src.Loops[i] != l {
			break
		}
		if v.decided != nil {
			e.decided[i] = v.decided[i]
		} else {
			e.decided[i] = v.iters[i]
		}
	}
}

// keep lists the memory cells that separate the states of a call: the caller's cells of this frame, and the own
// cursors that are used behind the call. It returns none if the called function has no walk.
func (fr *frame) keep(f *llvmir.Func, b, k int, p *path) (list []trackedCell) {
	cs := fr.cursors
	if cs == nil || len(fr.r.program.Walks(f)) == 0 {
		return nil
	}
	add := func(x trackedCell) {
		same := func(o trackedCell) bool { return o.at == x.at && o.t == x.t }
		if !slices.ContainsFunc(list, same) && fr.positionAt(x.at, x.t, p) != 0 {
			list = append(list, x)
		}
	}
	for _, x := range cs.tracked {
		add(x)
	}
	for _, x := range fr.fn.After(b, k).Cursors {
		if _, off, t := cs.own[x.Cursor].Memory(); t != nil {
			add(trackedCell{fr.behind(x.Reg, off), t, cs.own[x.Cursor].Down})
		}
	}
	return list
}

// resultUse classifies how a caller uses the result of a call. If a branch or a loop depends on it, the states behind
// the call are kept separate per returned constant.
type resultUse uint8

const (
	anyUse    resultUse = iota
	branchUse           // condition of the branch at the end of the block
	boundUse            // bound of loops, until these loops are left
)

// most returns the maximum number of constants that keep states separate.
func (u resultUse) most() int { return [...]int{anyUse: 0, branchUse: 8, boundUse: 24}[u] }

// resultUse returns how the function uses the result of the k-th instruction of a block, a call.
func (fr *frame) resultUse(b, k int) resultUse {
	switch {
	case fr.r.opts.NoOutcomes || fr.fn.Blocks[b].Instrs[k].Dst < 0:
		return anyUse
	case fr.r.keepsApart() && fr.fn.Bounds(b, k):
		return boundUse
	case fr.fn.BranchesOn(b, k):
		return branchUse
	}
	return anyUse
}

// group groups the ways out of a call by the content of the cells in list, and by the constants that they return.
func (fr *frame) group(rets []edge, list []trackedCell) (groups [][]edge) {
	outcomes := map[smt.Term]bool{}
	for _, e := range rets {
		outcomes[fr.outcome(e.ret)] = true
	}
	byResult := len(outcomes) <= fr.use.most()
	if len(list) == 0 && !byResult {
		return [][]edge{rets}
	}
	var at [][]smt.Term
	for _, e := range rets {
		here := make([]smt.Term, len(list), len(list)+1)
		for i, x := range list {
			here[i] = fr.positionAt(x.at, x.t, e.p)
		}
		if byResult {
			here = append(here, fr.outcome(e.ret))
		}
		i := slices.IndexFunc(at, func(there []smt.Term) bool { return slices.Equal(here, there) })
		if i < 0 {
			i = len(at)
			at, groups = append(at, here), append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}

// outcome returns a result if it is a constant, else 0.
func (fr *frame) outcome(x value) smt.Term {
	if x.t != 0 && fr.r.c.IsConst(x.t) {
		return x.t
	}
	return 0
}

// resume continues the execution behind the k-th instruction of a visit's block, a call. It merges the path with other
// paths that have the same positions and outcome there.
func (fr *frame) resume(v *visit, k int, x returned, use resultUse, behind *guard.Guard) {
	after, p := fr.fn.After(v.block, k), x.p
	e := edge{g: p.g, p: p, from: v.block, live: make([]value, len(after.Live))}
	for i, reg := range after.Live {
		e.live[i] = fr.regs[reg]
	}
	if fr.cursors != nil {
		fr.placeAt(v, v.block, after.Cursors, &e)
		if !fr.leads(&e) {
			fr.r.infeasible(e.g.T, cutPoint{fr: fr, block: v.block, instr: k + 1})
			return
		}
	}
	next := &visit{block: v.block, start: k + 1, iters: slices.Clone(v.iters), at: e.at, decided: e.decided,
		behind: behind}
	if use != anyUse {
		next.outcome = fr.outcome(x.value)
	}
	fr.addVisit(next, e)
}
