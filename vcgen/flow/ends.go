package flow

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Checked lists the obligations that hold in a proved program, as far as they are relevant for the end of loops.
type Checked struct {
	SignedOverflow bool // no signed sum overflows
	Memory         bool // each access is within an object
}

// LoopEnds reports whether each loop of a name is known to end; false if undecided. The end of a loop is no
// obligation, and only a few patterns are recognized. A loop matches one of these:
//
//   - It is left by a comparison, made in each iteration, of a variable that each iteration changes by 1 with a value
//     that the loop does not change: the variable takes every value.
//   - In each iteration, a signed variable is changed by a constant, always in one direction, in sums that are proved
//     not to overflow.
//   - In each iteration, memory is accessed at a distance from a pointer that is moved by a constant, always in one
//     direction: objects have an end.
//   - It has a contract with a decreases clause.
func LoopEnds(m *clangir.Module, name string, by Checked) bool {
	known := false
	for _, f := range m.Funcs { // static functions of several files may share the name
		if len(f.Blocks) == 0 || !hasLoopNamed(f, name) {
			continue
		}
		fn := Analyse(m, f)
		var p *plainly
		for _, l := range fn.loops {
			if l.Name != name {
				continue
			}
			if p == nil {
				p = newPlainly(fn)
			}
			if !fn.EntersAtHead(l) || !p.ends(l, by) {
				return false
			}
			known = true
		}
	}
	return known
}

// hasLoopNamed reports whether a loop with this name can belong to f.
func hasLoopNamed(f *llvmir.Func, name string) bool {
	return len(name) > len(f.SourceName) && name[:len(f.SourceName)] == f.SourceName && name[len(f.SourceName)] == '#'
}

// plainly is a function as it is executed without contracts: the code that contracts insert is guarded by calls of
// LoopMode, and is not executed then.
type plainly struct {
	*dataflow
	live []bool // blocks that are executed
	own  []bool // by register: an alloca whose address is used only by loads and stores in live blocks
}

func newPlainly(fn *Function) *plainly {
	p := &plainly{dataflow: newDataflow(fn), live: make([]bool, len(fn.Nodes)), own: make([]bool, fn.NumRegs)}
	for todo := []int{0}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !p.live[b] {
			p.live[b] = true
			todo = append(todo, p.succs(b)...)
		}
	}
	for reg := range fn.Alloca {
		p.own[reg] = true
	}
	for b, blk := range fn.Blocks {
		if !p.live[b] {
			continue
		}
		for _, in := range blk.Instrs {
			for i, a := range in.Args {
				if a.Kind != llvmir.OperandReg {
					continue
				}
				at := a.Reg // older versions of clang convert pointers
				for p.defs[at] != nil && p.defs[at].Op == llvmir.OpBitCast && p.defs[at].Args[0].Kind == llvmir.OperandReg {
					at = p.defs[at].Args[0].Reg
				}
				converted := at != a.Reg
				ends := in.Op == llvmir.OpCall && (in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end")
				direct := in.Op == llvmir.OpLoad || in.Op == llvmir.OpStore && i == 1
				if !ends && !(direct && !converted) && in.Op != llvmir.OpBitCast && in.Op != llvmir.OpDbgDeclare &&
					in.Op != llvmir.OpDbgValue {
					p.own[at] = false
				}
			}
		}
	}
	return p
}

// succs returns the successors of a block in executions without contracts.
func (p *plainly) succs(b int) []int {
	all := p.fn.Nodes[b].Succs
	branch := p.fn.Blocks[b].Term()
	if branch.Op != llvmir.OpCondBr || len(all) != 2 || branch.Args[0].Kind != llvmir.OperandReg {
		return all
	}
	cmp := p.defs[branch.Args[0].Reg]
	if cmp == nil || cmp.Op != llvmir.OpICmp || cmp.Args[0].Kind != llvmir.OperandReg || p.defs[cmp.Args[0].Reg] == nil {
		return all
	}
	call := p.defs[cmp.Args[0].Reg]
	f := call.Function()
	k, constant := smallInt(cmp.Args[1])
	if call.Op != llvmir.OpCall || f == nil || language.Lookup(f.Name).Role != language.LoopMode || !constant {
		return all
	}
	const asked = int64(language.LoopsPlain)
	yes := false
	switch cmp.Pred {
	case llvmir.PredEQ:
		yes = asked == k
	case llvmir.PredNE:
		yes = asked != k
	case llvmir.PredSGE:
		yes = asked >= k
	case llvmir.PredSGT:
		yes = asked > k
	default:
		return all
	}
	if yes {
		return all[:1]
	}
	return all[1:]
}

// succsBehind returns the successors of a block that is entered from another one. If its branch depends on a phi of &&
// or ||, the predecessor determines the value.
func (p *plainly) succsBehind(from, b int) []int {
	if all := p.fn.Nodes[b].Succs; len(all) == 2 {
		if phi := p.decides(b); phi != nil {
			for i, x := range phi.In {
				if k, constant := smallInt(phi.Args[i]); x == from && constant {
					if k != 0 {
						return all[:1]
					}
					return all[1:]
				}
			}
		}
	}
	return p.succs(b)
}

// decides returns the phi of a block that is the condition of its branch, nil if there is none.
func (p *plainly) decides(b int) *llvmir.Instr {
	branch := p.fn.Blocks[b].Term()
	if branch.Op != llvmir.OpCondBr || branch.Args[0].Kind != llvmir.OperandReg {
		return nil
	}
	phi := p.defs[branch.Args[0].Reg]
	if phi == nil || phi.Op != llvmir.OpPhi || !slices.Contains(p.fn.Blocks[b].Instrs, phi) {
		return nil
	}
	return phi
}

// variableOf returns the variable whose address is in a register, if all its uses are known.
func (p *plainly) variableOf(o llvmir.Operand) (v variable, ok bool) {
	if o.Kind != llvmir.OperandReg || p.fn.Alloca[o.Reg] == nil {
		return v, false
	}
	if p.fn.Promoted[o.Reg] {
		return variable{reg: o.Reg}, true
	}
	t := p.fn.Alloca[o.Reg].ElemType
	return variable{reg: o.Reg, mem: t}, p.own[o.Reg] && isIndex(t)
}

// storesTo returns the stores to a variable in a loop; false if it may be written otherwise.
func (p *plainly) storesTo(v variable, l *Loop) (list []blockInstr, ok bool) {
	for w, all := range p.stores {
		if w.reg != v.reg {
			continue
		}
		for _, s := range all {
			if !p.live[s.block] || !p.fn.inside(s.block, l) {
				continue
			}
			if w != v {
				return nil, false // a part of it
			}
			list = append(list, s)
		}
	}
	return list, true
}

func (p *plainly) ends(l *Loop, by Checked) bool {
	for b, blk := range p.fn.Blocks {
		own := p.fn.Nodes[b].Loops
		if len(own) == 0 || own[len(own)-1] != l {
			continue
		}
		for _, in := range blk.Instrs {
			if in.Op == llvmir.OpCall && isVariant(in) {
				return true
			}
		}
		if !p.always(l, b) {
			continue
		}
		if p.comesByAll(b, l) {
			return true
		}
		for _, in := range blk.Instrs {
			at := -1
			switch in.Op {
			case llvmir.OpStore:
				at = 1
				if v, ok := p.variableOf(in.Args[1]); ok && by.SignedOverflow && p.moved(v, l, true) {
					return true
				}
			case llvmir.OpLoad:
				at = 0
			}
			if at >= 0 && by.Memory && p.accessMoves(in.Args[at], l) {
				return true
			}
		}
	}
	return false
}

// always reports whether each iteration of a loop executes a block.
func (p *plainly) always(l *Loop, b int) bool {
	if b == l.Head {
		return true
	}
	type edge struct{ from, to int }
	seen := map[edge]bool{}
	for todo := []edge{{-1, l.Head}}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range p.succsBehind(x.from, x.to) {
			if s == l.Head {
				return false
			}
			if next := (edge{x.to, s}); s != b && !seen[next] && p.fn.inside(s, l) {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return p.live[b]
}

func isVariant(in *llvmir.Instr) bool {
	f := in.Function()
	return f != nil && language.Lookup(f.Name).Role == language.Variant
}

// comesByAll reports whether a block leaves the loop by comparing a counter, which changes by 1 in each iteration,
// with an unchanged value. The comparison must be true for some value of the counter and false for another.
func (p *plainly) comesByAll(b int, l *Loop) bool {
	branch, at := p.fn.Blocks[b].Term(), b
	var cond llvmir.Operand
	switch succs := p.fn.Nodes[b].Succs; {
	case branch.Op == llvmir.OpCondBr && len(succs) == 2:
		cond = branch.Args[0]
	case len(succs) == 1: // the last operand of && and ||
		at = succs[0]
		phi := p.decides(at)
		if phi == nil || len(p.fn.Nodes[at].Succs) != 2 || !slices.Contains(phi.In, b) {
			return false
		}
		cond = phi.Args[slices.Index(phi.In, b)]
	default:
		return false
	}
	if cond.Kind != llvmir.OperandReg || p.defs[cond.Reg] == nil || p.defs[cond.Reg].Op != llvmir.OpICmp {
		return false
	}
	cmp := p.defs[cond.Reg]
	leaves := [2]bool{p.edgeLeaves(at, 0, l, maxSteps), p.edgeLeaves(at, 1, l, maxSteps)}
	if leaves[0] == leaves[1] {
		return false
	}
	for i := range 2 {
		x, y := cmp.Args[i], cmp.Args[1-i]
		v, ok := p.counter(x, maxSteps)
		if !ok || !p.fixed(y, l) || !p.oneStore(v, l) {
			continue
		}
		switch cmp.Pred {
		case llvmir.PredEQ, llvmir.PredNE:
			return true
		case llvmir.PredSLT, llvmir.PredSGT, llvmir.PredULT, llvmir.PredUGT, llvmir.PredSLE, llvmir.PredSGE,
			llvmir.PredULE, llvmir.PredUGE:
			return p.splits(cmp, y, leaves[1])
		}
	}
	return false
}

// edgeLeaves reports whether the edge from a block to its k-th successor leaves the loop. It may also lead to a phi of
// && or || whose value makes the successor leave the loop.
func (p *plainly) edgeLeaves(b, k int, l *Loop, depth int) bool {
	s := p.fn.Nodes[b].Succs[k]
	if !p.fn.inside(s, l) {
		return !p.fn.Nodes[s].Failure
	}
	phi := p.decides(s)
	if depth == 0 || phi == nil || len(p.fn.Nodes[s].Succs) != 2 {
		return false
	}
	for i, from := range phi.In {
		if from != b {
			continue
		}
		value, constant := smallInt(phi.Args[i])
		if !constant {
			return false
		}
		next := 0
		if value == 0 {
			next = 1
		}
		return p.edgeLeaves(s, next, l, depth-1)
	}
	return false
}

// splits reports whether some value of the counter ends the loop for any value of y. This holds for x < y and x > y if
// the loop continues while they are true. It holds for x <= y and x >= y if y is a constant other than the extreme
// values.
func (p *plainly) splits(cmp *llvmir.Instr, y llvmir.Operand, stays bool) bool {
	strict := cmp.Pred == llvmir.PredSLT || cmp.Pred == llvmir.PredSGT || cmp.Pred == llvmir.PredULT ||
		cmp.Pred == llvmir.PredUGT
	if strict == stays {
		return true
	}
	k, ok := smallInt(y)
	if !ok || y.Const.Type.Bits > 63 {
		return false
	}
	bits := y.Const.Type.Bits
	low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	return k != low && k != high && k != 0 && k != -1
}

// counter returns the variable of the same type to whose content an operand adds a constant.
func (p *plainly) counter(o llvmir.Operand, depth int) (v variable, ok bool) {
	if o.Kind != llvmir.OperandReg || depth == 0 || p.defs[o.Reg] == nil {
		return v, false
	}
	switch in := p.defs[o.Reg]; in.Op {
	case llvmir.OpLoad:
		return p.variableOf(in.Args[0])
	case llvmir.OpAdd, llvmir.OpSub:
		for i, a := range in.Args {
			if _, constant := smallInt(in.Args[1-i]); constant && (i == 0 || in.Op == llvmir.OpAdd) {
				return p.counter(a, depth-1)
			}
		}
	case llvmir.OpExtractValue:
		if x := in.Args[0]; x.Kind == llvmir.OperandReg && len(in.Path) == 1 && in.Path[0] == 0 && p.defs[x.Reg] != nil &&
			overflowing[p.defs[x.Reg].Intrinsic] {
			if call := p.defs[x.Reg]; len(call.Args) >= 2 {
				if _, constant := smallInt(call.Args[1]); constant {
					return p.counter(call.Args[0], depth-1)
				}
			}
		}
	}
	return v, false
}

// overflowing are the sums that also return whether they overflow.
var overflowing = map[string]bool{"sadd.with.overflow": true, "uadd.with.overflow": true, "ssub.with.overflow": true,
	"usub.with.overflow": true}

// fixed reports whether an operand is the same in each iteration.
func (p *plainly) fixed(o llvmir.Operand, l *Loop) bool {
	if o.Kind != llvmir.OperandReg {
		return o.Kind == llvmir.OperandConst
	}
	in := p.defs[o.Reg]
	if in == nil {
		return true // a parameter
	}
	switch in.Op {
	case llvmir.OpLoad:
		v, ok := p.variableOf(in.Args[0])
		if !ok {
			return false
		}
		stores, all := p.storesTo(v, l)
		return all && len(stores) == 0
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		return !slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool { return !p.fixed(a, l) })
	}
	return false
}

// oneStore reports whether a loop changes a variable by 1 at a single place, which each iteration executes exactly
// once.
func (p *plainly) oneStore(v variable, l *Loop) bool {
	in, all := p.storesTo(v, l)
	if !all || len(in) != 1 || !p.always(l, in[0].block) {
		return false
	}
	own := p.fn.Nodes[in[0].block].Loops
	step, ok := p.exactStep(in[0].in.Args[0], v)
	return own[len(own)-1] == l && ok && (step == 1 || step == -1)
}

// exactStep is step without conversions.
func (p *plainly) exactStep(o llvmir.Operand, v variable) (int64, bool) {
	if c, ok := p.counter(o, maxSteps); !ok || c != v {
		return 0, false
	}
	return p.step(o, v, maxSteps)
}

// moved reports whether every store of a loop to a variable changes it by a constant, all in one direction. If checked
// is set, the sums also have to be proved not to overflow.
func (p *plainly) moved(v variable, l *Loop, checked bool) bool {
	up, down := false, false
	stores, all := p.storesTo(v, l)
	for _, s := range stores {
		step, ok := p.step(s.in.Args[0], v, maxSteps)
		if checked {
			step, ok = p.exactStep(s.in.Args[0], v)
			ok = ok && p.neverOverflows(s.in.Args[0])
		}
		if !ok || step == 0 {
			return false
		}
		up, down = up || step > 0, down || step < 0
	}
	return all && up != down
}

// neverOverflows reports whether a value is a signed sum whose overflow is an obligation.
func (p *plainly) neverOverflows(o llvmir.Operand) bool {
	in := p.defs[o.Reg]
	if in.Op != llvmir.OpExtractValue || in.Args[0].Kind != llvmir.OperandReg || p.defs[in.Args[0].Reg] == nil {
		return false
	}
	sum := p.defs[in.Args[0].Reg]
	if sum.Intrinsic != "sadd.with.overflow" && sum.Intrinsic != "ssub.with.overflow" {
		return false
	}
	x := sum.Args[0] // the variable itself: a sum in it might wrap
	return x.Kind == llvmir.OperandReg && p.defs[x.Reg] != nil && p.defs[x.Reg].Op == llvmir.OpLoad
}

// accessMoves reports whether an address is a pointer variable plus a constant, and the loop moves the variable.
func (p *plainly) accessMoves(at llvmir.Operand, l *Loop) bool {
	if at.Kind != llvmir.OperandReg || p.fn.Alloca[at.Reg] != nil {
		return false
	}
	for reg, alloca := range p.fn.Alloca {
		if alloca.ElemType.Kind != llvmir.PointerType {
			continue
		}
		v, ok := p.variableOf(llvmir.Operand{Kind: llvmir.OperandReg, Reg: reg})
		if !ok {
			continue
		}
		if _, ok := p.step(at, v, maxSteps); ok && p.moved(v, l, false) && p.movesEach(v, l) {
			return true
		}
	}
	return false
}

// movesEach reports whether each iteration of a loop stores to a variable.
func (p *plainly) movesEach(v variable, l *Loop) bool {
	stores, _ := p.storesTo(v, l)
	return slices.ContainsFunc(stores, func(s blockInstr) bool { return p.always(l, s.block) })
}
