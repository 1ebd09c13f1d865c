package unfold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A cursor is a local variable with which nested loops walk over data, each a part of the way: the position of a tokenizer.
// Where such loops are left depends on the data, so behind an inner loop the position is one of many, and joined into one state
// it is a choice among them: every later access is at an unknown index, and the loops around go on as long as the longest way through each
// would take them, though the position only grows. Hence states that differ in the value of a cursor are not joined as long as
// the cursor may move on; those that agree are, in whatever iterations they are. A walk over n bytes is unfolded at n places then,
// with constant indices, instead of in the n*n iterations of two loops.
//
// Kuznetsov, Kinder, Bucur and Candea ("Efficient State Merging in Symbolic Execution", 2012) keep states apart by "hot" variables, those
// on which later queries depend; here these are the ones on which addresses and the ends of loops depend. Places are visited in the order of
// the positions instead of the iterations, so that all ways to a place are known when it is visited. The order decides how much is
// joined and nothing else: an edge that comes later makes another visit.
type cursor struct {
	reg int
	// loops are those that carry the cursor from one iteration to the next and move it.
	loops map[*loop]bool
	// ahead tells for a block whether the cursor may still be moved from there.
	ahead []bool
	// moved are the operands of the stores that move it: they are the cursor where the sum is checked before it is stored.
	moved []int
	depth int  // of the outermost of its loops
	down  bool // it is moved downwards only
}

// at is a cursor that keeps states apart at a block, and the register that holds it there.
type at struct{ cursor, reg int }

// maxPlaces bounds how often a block is visited in one call because of different positions. Beyond it states are
// joined by their iterations, as elsewhere.
const maxPlaces = 400

// findCursors finds the cursors of a function among its promoted variables: moved by constant steps in a loop inside of another,
// both of which carry them, and one of which is left depending on what is read where they point.
func (fn *function) findCursors() {
	if len(fn.loops) < 2 {
		return
	}
	defs := make([]*llvmir.Instr, fn.NumRegs)
	stores := map[int][]place{} // to promoted variables
	for b, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Dst >= 0 {
				defs[in.Dst] = in
			}
			if in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fn.promoted[in.Args[1].Reg] && fn.blocks[b].order >= 0 {
				stores[in.Args[1].Reg] = append(stores[in.Args[1].Reg], place{b, in})
			}
		}
	}
	d := &dataflow{fn: fn, defs: defs, stores: stores}
	for reg := range fn.NumRegs {
		if len(stores[reg]) < 2 || !isIndex(fn.alloca[reg].ElemType) {
			continue
		}
		k := &cursor{reg: reg, loops: map[*loop]bool{}, depth: len(fn.loops), down: true}
		var moves []int
		for _, s := range stores[reg] {
			step, ok := d.step(s.in.Args[0], reg, 8)
			if !ok || step == 0 {
				continue
			}
			moves = append(moves, s.block)
			k.moved = append(k.moved, s.in.Args[0].Reg)
			k.down = k.down && step < 0
			for _, l := range fn.blocks[s.block].loops {
				if slices.Contains(fn.blocks[l.head].live, reg) {
					k.loops[l] = true
					k.depth = min(k.depth, l.depth)
				}
			}
		}
		if !nested(k.loops) || !d.guides(k) {
			continue
		}
		k.ahead = fn.reaching(moves)
		fn.cursors = append(fn.cursors, k)
	}
	fn.findCompanions(d)
	slices.SortStableFunc(fn.cursors, func(a, b *cursor) int { return cmp.Compare(a.depth, b.depth) })
	fn.walks = map[*loop]bool{}
	for _, k := range fn.cursors {
		for l := range k.loops {
			fn.walks[l] = true
		}
	}
	for b := range fn.blocks {
		bi := &fn.blocks[b]
		for i, k := range fn.cursors {
			for _, reg := range append([]int{k.reg}, k.moved...) {
				if k.ahead[b] && slices.Contains(bi.live, reg) {
					bi.cursors = append(bi.cursors, at{i, reg})
					break
				}
			}
		}
	}
	for b := range fn.blocks { // the obligation of a failure is about where the check is made
		if bi := &fn.blocks[b]; bi.failure && len(bi.succs) == 0 && bi.idom >= 0 {
			bi.cursors = fn.blocks[bi.idom].cursors
		}
	}
}

// nested reports whether one of the loops is inside of another.
func nested(loops map[*loop]bool) bool {
	for l := range loops {
		for _, around := range l.fn.blocks[l.head].loops {
			if around != l && loops[around] {
				return true
			}
		}
	}
	return false
}

// findCompanions adds the variables with which such loops go over other data: moved by constant steps in loops that carry them and move
// a cursor, where addresses depend on them. Joined, they would make each write one to an unknown place.
func (fn *function) findCompanions(d *dataflow) {
	walks := map[*loop]bool{}
	for _, k := range fn.cursors {
		for l := range k.loops {
			walks[l] = true
		}
	}
	n := len(fn.cursors)
	for reg := range fn.NumRegs {
		if len(d.stores[reg]) == 0 || !isIndex(fn.alloca[reg].ElemType) || slices.ContainsFunc(fn.cursors[:n], func(k *cursor) bool { return k.reg == reg }) {
			continue
		}
		k := &cursor{reg: reg, loops: map[*loop]bool{}, depth: len(fn.loops), down: true}
		var moves []int
		for _, s := range d.stores[reg] {
			step, ok := d.step(s.in.Args[0], reg, 8)
			if !ok || step == 0 {
				continue
			}
			moves = append(moves, s.block)
			k.moved = append(k.moved, s.in.Args[0].Reg)
			k.down = k.down && step < 0
			for _, l := range fn.blocks[s.block].loops {
				if walks[l] && slices.Contains(fn.blocks[l.head].live, reg) {
					k.loops[l] = true
					k.depth = min(k.depth, l.depth)
				}
			}
		}
		if len(k.loops) > 0 && d.addresses(k) {
			k.ahead = fn.reaching(moves)
			fn.cursors = append(fn.cursors, k)
		}
	}
}

// place is an instruction in its block.
type place struct {
	block int
	in    *llvmir.Instr
}

func isIndex(t *llvmir.Type) bool {
	return t.Kind == llvmir.PointerType || t.Kind == llvmir.IntType && t.Bits >= 8 && t.Bits <= 64
}

// reaching tells from which blocks one of some blocks can be reached; these themselves among them.
func (fn *function) reaching(goals []int) []bool {
	preds := fn.preds()
	out := make([]bool, len(fn.blocks))
	todo := slices.Clone(goals)
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !out[b] {
			out[b] = true
			todo = append(todo, preds[b]...)
		}
	}
	return out
}

// dataflow answers what values of a function are computed from, without regard to the order of stores.
type dataflow struct {
	fn     *function
	defs   []*llvmir.Instr // by register
	stores map[int][]place // to promoted variables
}

// step reports whether an operand is the content of a promoted variable plus a constant, and the constant (of a pointer, in bytes).
func (d *dataflow) step(o llvmir.Operand, variable, depth int) (int64, bool) {
	if o.Kind != llvmir.OperandReg || depth == 0 || d.defs[o.Reg] == nil {
		return 0, false
	}
	in := d.defs[o.Reg]
	switch in.Op {
	case llvmir.OpLoad:
		return 0, in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == variable
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpBitCast:
		return d.step(in.Args[0], variable, depth-1)
	case llvmir.OpAdd, llvmir.OpSub:
		return d.sum(in.Args, in.Op == llvmir.OpSub, variable, depth)
	case llvmir.OpExtractValue:
		if x := in.Args[0]; x.Kind == llvmir.OperandReg && len(in.Path) == 1 && in.Path[0] == 0 && d.defs[x.Reg] != nil {
			switch call := d.defs[x.Reg]; call.Intrinsic {
			case "sadd.with.overflow", "uadd.with.overflow":
				return d.sum(call.Args, false, variable, depth)
			case "ssub.with.overflow", "usub.with.overflow":
				return d.sum(call.Args, true, variable, depth)
			}
		}
	case llvmir.OpGEP:
		if slices.ContainsFunc(in.Args[1:], func(a llvmir.Operand) bool { return a.Kind != llvmir.OperandConst }) {
			return 0, false
		}
		at := in.GEP.Const
		for i, a := range in.Args[1:] {
			k, ok := smallInt(a)
			if !ok {
				return 0, false
			}
			at += k * in.GEP.Scales[i]
		}
		before, ok := d.step(in.Args[0], variable, depth-1)
		return before + at, ok
	}
	return 0, false
}

// sum is step of x + y or x - y.
func (d *dataflow) sum(args []llvmir.Operand, minus bool, variable, depth int) (int64, bool) {
	x, y := args[0], args[1]
	if x.Kind == llvmir.OperandConst && !minus {
		x, y = y, x
	}
	k, ok := smallInt(y)
	if !ok {
		return 0, false
	}
	if minus {
		k = -k
	}
	before, ok := d.step(x, variable, depth-1)
	return before + k, ok
}

// smallInt is a constant integer as two's complement.
func smallInt(o llvmir.Operand) (int64, bool) {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Int == nil || !o.Const.Int.IsUint64() || o.Const.Type.Kind != llvmir.IntType || o.Const.Type.Bits > 64 {
		return 0, false
	}
	unused := 64 - o.Const.Type.Bits
	return int64(o.Const.Int.Uint64()<<unused) >> unused, true
}

// guides reports whether a loop that moves the cursor is left depending on what is read where it points.
func (d *dataflow) guides(k *cursor) bool {
	for b := range d.fn.blocks {
		bi := &d.fn.blocks[b]
		term := d.fn.Blocks[b].Term()
		if bi.order < 0 || bi.ends || term.Op != llvmir.OpCondBr && term.Op != llvmir.OpSwitch {
			continue
		}
		leaves := false
		for l := range k.loops {
			inside := func(b int) bool { return slices.Contains(d.fn.blocks[b].loops, l) }
			leaves = leaves || inside(b) && slices.ContainsFunc(bi.succs, func(s int) bool { return !inside(s) && !d.fn.blocks[s].failure })
		}
		if leaves && d.dependsOn(b, func(in *llvmir.Instr) bool { return d.readsAt(in, k.reg) }) {
			return true
		}
	}
	return false
}

// addresses reports whether memory is accessed, in a loop that moves the cursor, at an address that depends on it.
func (d *dataflow) addresses(k *cursor) bool {
	for b, blk := range d.fn.Blocks {
		if !slices.ContainsFunc(d.fn.blocks[b].loops, func(l *loop) bool { return k.loops[l] }) {
			continue
		}
		for _, in := range blk.Instrs {
			if in.Op == llvmir.OpLoad && d.at(in.Args[0], k.reg) || in.Op == llvmir.OpStore && d.at(in.Args[1], k.reg) {
				return true
			}
		}
	}
	return false
}

// at reports whether an operand is an address in memory that depends on a promoted variable.
func (d *dataflow) at(o llvmir.Operand, variable int) bool {
	return o.Kind == llvmir.OperandReg && !d.fn.promoted[o.Reg] && d.from(o, func(in *llvmir.Instr) bool {
		return in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == variable
	}, map[int]bool{})
}

// readsAt reports whether an instruction reads memory at an address that depends on a promoted variable.
func (d *dataflow) readsAt(in *llvmir.Instr, variable int) bool {
	return in.Op == llvmir.OpLoad && d.at(in.Args[0], variable)
}

// dependsOn reports whether what the branch at the end of a block is decided by is computed from an instruction that is wanted.
func (d *dataflow) dependsOn(block int, wanted func(*llvmir.Instr) bool) bool {
	return d.from(d.fn.Blocks[block].Term().Args[0], wanted, map[int]bool{})
}

// from follows an operand to what it is computed from, through promoted variables and the conditions of && and ||.
func (d *dataflow) from(o llvmir.Operand, wanted func(*llvmir.Instr) bool, seen map[int]bool) bool {
	if o.Kind != llvmir.OperandReg || seen[o.Reg] {
		return false
	}
	seen[o.Reg] = true
	in := d.defs[o.Reg]
	switch {
	case in == nil:
		return false
	case wanted(in):
		return true
	case in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && d.fn.promoted[in.Args[0].Reg]:
		return slices.ContainsFunc(d.stores[in.Args[0].Reg], func(s place) bool { return d.from(s.in.Args[0], wanted, seen) })
	case in.Op == llvmir.OpPhi:
		for _, b := range in.In {
			if t := d.fn.Blocks[b].Term(); t.Op == llvmir.OpCondBr && d.from(t.Args[0], wanted, seen) {
				return true
			}
		}
	case in.Op == llvmir.OpCall && strings.HasPrefix(in.Intrinsic, "lifetime."):
		return false
	}
	return slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool { return d.from(a, wanted, seen) })
}

// positions are the values of the cursors that keep states apart at a block, for an edge that leads there; nil when states
// are not kept apart there. Cursors that do not matter there are 0. When one that matters has no one value, states are joined by their iterations.
func (fr *frame) positions(v *visit, to int, e *edge) []smt.Term {
	fn := fr.fn
	bi := &fn.blocks[to]
	if len(bi.cursors) == 0 {
		return nil
	}
	out := make([]smt.Term, len(fn.cursors))
	for _, x := range bi.cursors {
		i, reg := x.cursor, x.reg
		switch {
		case e.p == nil && v.at != nil:
			out[i] = v.at[i]
		case e.p == nil:
		default:
			out[i] = fr.position(fr.regs[reg])
		}
		if out[i] == 0 {
			return nil
		}
	}
	return out
}

// position is a value if it is a constant, or a constant offset in an object; else 0.
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

// comparePositions orders two visits by the first cursor at which they stand at different places; 0 when there is none.
func (fr *frame) comparePositions(a, b *visit) int {
	for i, k := range fr.fn.cursors {
		x, y := a.at[i], b.at[i]
		if x == 0 || y == 0 || x == y {
			continue
		}
		d := cmp.Compare(fr.offset(x), fr.offset(y))
		if k.down {
			d = -d
		}
		if d == 0 {
			d = cmp.Compare(x, y) // places in different objects
		}
		return d
	}
	return 0
}

// offset is the constant part of a position.
func (fr *frame) offset(x smt.Term) int64 {
	c := fr.r.c
	if k, ok := c.Int64(x); ok {
		return k
	}
	konst, _ := c.SumParts(x)
	return int64(konst)
}

// sameVisit reports whether an edge to a block belongs to a visit that waits for edges to that block. In loops that move a cursor the
// positions tell, in others the iterations.
func (fr *frame) sameVisit(w *visit, iters []int32, at []smt.Term) bool {
	if (w.at == nil) != (at == nil) || !slices.Equal(w.at, at) {
		return false
	}
	for i, l := range fr.fn.blocks[w.block].loops {
		if w.iters[i] != iters[i] && (at == nil || !fr.fn.walks[l]) {
			return false
		}
	}
	return true
}

// place gives an edge from v to a block its positions.
func (fr *frame) place(v *visit, to int, e *edge) {
	e.at = fr.positions(v, to, e)
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
	src, dst := &fr.fn.blocks[v.block], &fr.fn.blocks[to]
	e.decided = make([]int32, len(dst.loops))
	for i, l := range dst.loops {
		if i >= len(src.loops) || src.loops[i] != l {
			break
		}
		if v.decided != nil {
			e.decided[i] = v.decided[i]
		} else {
			e.decided[i] = v.iters[i]
		}
	}
}
