package lockstep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// advance executes a version up to its next event, on each way, and calls then for each.
func (x *prover) advance(s sideNumber, p *path, then func(p *path)) {
	for {
		k := p.sides[s]
		if k.atHead {
			k.event = event{kind: atLoop}
			then(p)
			return
		}
		f := k.top()
		if x.instructions++; x.instructions > maxInstructions {
			x.fail("too many instructions")
		}
		in := f.fn.Blocks[f.block].Instrs[f.next]
		switch in.Op {
		case llvmir.OpBr:
			x.jump(p, s, in.Succs[0])
			continue
		case llvmir.OpCondBr:
			x.branch(p, s, in, then)
			return
		case llvmir.OpSwitch:
			x.choose(p, s, in, then)
			return
		case llvmir.OpUnreachable:
			x.violated(p, s, in)
			return
		case llvmir.OpRet:
			var v value
			if len(in.Args) > 0 {
				v = x.operand(p, s, in.Args[0])
			}
			if len(k.frames) == 1 {
				k.event = event{kind: atReturn, args: []value{v}}
				then(p)
				return
			}
			if s == after {
				for reg, v := range f.regs {
					if f.fn.Alloca[reg] != nil && !f.fn.Promoted[reg] && v.t != 0 {
						p.ended = append(slices.Clip(p.ended), v.t)
					}
				}
			}
			k.frames = k.frames[:len(k.frames)-1]
			call := x.current(k)
			if call.Dst >= 0 {
				if x.isUnwritten(v.t) {
					x.fail("%s may return no value", f.fn.Name)
				}
				k.top().regs[call.Dst] = v
			}
			k.top().next++
			continue
		}
		if x.execute(p, s, in) { // an event, or the end
			if k.event.kind != noEvent {
				then(p)
			}
			return
		}
		if k.top() == f {
			f.next++
		}
	}
}

// current returns the instruction at which a configuration is.
func (x *prover) current(k *config) *llvmir.Instr {
	f := k.top()
	return f.fn.Blocks[f.block].Instrs[f.next]
}

// jump enters a block.
func (x *prover) jump(p *path, s sideNumber, to int) {
	f := p.sides[s].top()
	from := f.block
	block := f.fn.Blocks[to]
	var values []value
	n := 0
	for ; n < len(block.Instrs) && block.Instrs[n].Op == llvmir.OpPhi; n++ {
		phi := block.Instrs[n]
		i := slices.Index(phi.In, from)
		if i < 0 {
			x.fail("a phi without the block before")
		}
		v := value{}
		if o := phi.Args[i]; o.Kind != llvmir.OperandReg || !f.regs[o.Reg].undefined() {
			v = x.operand(p, s, o)
		}
		values = append(values, v)
	}
	for i, v := range values {
		f.regs[block.Instrs[i].Dst] = v
	}
	f.prev, f.block, f.next = from, to, n
	p.sides[s].atHead = x.isHead(f.fn, to)
}

// violated ends an execution that is undefined. The version after must not get there.
func (x *prover) violated(p *path, s sideNumber, in *llvmir.Instr) {
	p.sides[s].event = event{}
	if s == before || x.proves(p, x.c.False()) {
		return
	}
	x.fail("the version after may have a violation at line %d", line(in))
}

// split follows a branch under a condition.
func (x *prover) split(p *path, s sideNumber, cond smt.Term, to int, then func(p *path)) {
	holds, known := x.known(p, cond)
	if known && !holds || s == after && !known && x.proves(p, x.c.Not(cond)) {
		return
	}
	if x.paths++; x.paths > maxPaths {
		x.fail("too many paths")
	}
	x.try(func() {
		q := p.clone()
		q.assume(x, cond)
		x.jump(q, s, to)
		x.advance(s, q, then)
	})
}

// failing returns the kinds of violations that a block only reports.
func (x *prover) failing(f *frame, block int) (kinds []found.Kind, ok bool) {
	node := &f.fn.Nodes[block]
	if !node.Failure || len(node.Succs) > 0 {
		return nil, false
	}
	fail := f.fn.Blocks[block].Instrs[node.Stop]
	if !flow.IsFailure(fail) {
		return nil, false
	}
	x.checkFailure(fail)
	kinds = []found.Kind{found.Assertion}
	if check := clangir.SanitizerCheck(fail.Function()); check != "" {
		first, second := clangir.KindsOf(check, fail.Args[0])
		if kinds = []found.Kind{first}; second != "" {
			kinds = append(kinds, second)
		}
	}
	return kinds, true
}

// checkFailure gives up at a function of the program that only has the name of one that reports a violation.
func (x *prover) checkFailure(in *llvmir.Instr) {
	if in.Dst >= 0 {
		x.fail("a call of %s, which returns a value,", in.Function().Name)
	}
}

// validShift returns the condition that a shift reported by a block has a valid amount, if lost bits do not count.
func (x *prover) validShift(p *path, s sideNumber, block int, kinds []found.Kind) smt.Term {
	f := p.sides[s].top()
	node := &f.fn.Nodes[block]
	fail := f.fn.Blocks[block].Instrs[node.Stop]
	types := clangir.CheckedTypes(fail.Args[0])
	if kinds[0] != found.InvalidShift || !x.Checks[kinds[0]] || len(types) == 0 || types[0].Bits == 0 ||
		types[0].Bits > 64 || len(fail.Args) < 3 {
		x.fail("one of two checks of an operation is off")
	}
	q := p.clone()
	for _, in := range f.fn.Blocks[block].Instrs[:node.Stop] {
		v, ok := x.pure(q, s, in)
		if !ok {
			x.fail("the amount of a shift is not known")
		}
		q.sides[s].top().regs[in.Dst] = v
	}
	amount := x.scalar(q, s, fail.Args[2])
	return x.c.Ult(amount, x.c.Int(x.c.Width(amount), uint64(types[0].Bits)))
}

// branch executes a conditional branch.
func (x *prover) branch(p *path, s sideNumber, in *llvmir.Instr, then func(p *path)) {
	c := x.c
	cond := x.scalar(p, s, in.Args[0])
	f := p.sides[s].top()
	for i, to := range in.Succs {
		kinds, ok := x.failing(f, to)
		if !ok {
			continue
		}
		off := 0
		for _, k := range kinds {
			if !x.Checks[k] {
				off++
			}
		}
		good := cond
		if i == 0 {
			good = c.Not(cond)
		}
		switch {
		case off == len(kinds):
			good = c.True()
		case off > 0:
			good = x.validShift(p, s, to, kinds)
		}
		switch {
		case s == before:
			if c.IsFalse(good) {
				return
			}
			p.assume(x, good)
		case !x.proves(p, good):
			x.violated(p, s, f.fn.Blocks[to].Instrs[0])
			return
		}
		x.jump(p, s, in.Succs[1-i])
		x.advance(s, p, then)
		return
	}
	if in.Succs[0] == in.Succs[1] {
		x.jump(p, s, in.Succs[0])
		x.advance(s, p, then)
		return
	}
	x.split(p, s, cond, in.Succs[0], then)
	x.split(p, s, c.Not(cond), in.Succs[1], then)
}

// choose executes a switch.
func (x *prover) choose(p *path, s sideNumber, in *llvmir.Instr, then func(p *path)) {
	c := x.c
	v := x.scalar(p, s, in.Args[0])
	conditions := map[int]smt.Term{}
	var order []int
	other := c.True()
	for i, k := range in.Cases {
		is := c.Eq(v, c.Big(c.Width(v), k.Int))
		to := in.Succs[i+1]
		if conditions[to] == 0 {
			conditions[to] = c.False()
			order = append(order, to)
		}
		conditions[to] = c.Or(conditions[to], is)
		other = c.And(other, c.Not(is))
	}
	if to := in.Succs[0]; conditions[to] == 0 {
		order = append(order, to)
		conditions[to] = other
	} else {
		conditions[to] = c.Or(conditions[to], other)
	}
	for _, to := range order {
		x.split(p, s, conditions[to], to, then)
	}
}

// execute executes an instruction that is no terminator. It reports whether the execution pauses at it, or ends.
func (x *prover) execute(p *path, s sideNumber, in *llvmir.Instr) (pauses bool) {
	k := p.sides[s]
	f := k.top()
	k.event = event{}
	switch in.Op {
	case llvmir.OpDbgDeclare, llvmir.OpDbgValue:
		return false
	case llvmir.OpAlloca:
		if !f.fn.Promoted[in.Dst] {
			if f.block != 0 {
				x.fail("a variable that is not at the beginning of its function")
			}
			t := x.local(s, f, in)
			x.nonNull[t], x.scoped[s][t] = true, f.fn.Scoped[in.Dst]
			x.locals[t] = local{in.ElemType.Size, f.fn.RegName(in.Dst), f.id}
			f.regs[in.Dst] = value{t: t}
			if !f.fn.Scoped[in.Dst] {
				x.begin(k, t)
			}
		} else {
			f.regs[in.Dst] = value{}
		}
		return false
	case llvmir.OpLoad:
		if a := in.Args[0]; a.Kind == llvmir.OperandReg && f.fn.Promoted[a.Reg] {
			if f.regs[in.Dst] = f.regs[a.Reg]; f.regs[a.Reg].undefined() {
				f.regs[in.Dst] = x.unwritten(p, s, in)
			}
			k.event = volatileAccess(in, "load", f.regs[in.Dst])
			return k.event.kind != noEvent
		}
		if in.Atomic {
			x.fail("an atomic access")
		}
		at := x.checkAccess(p, s, in, in.Args[0], in.Type.StoreSize, false)
		x.checkWritten(p, s, in, at)
		if in.Volatile {
			k.event = event{kind: atEffect, what: "volatile load of " + in.Type.String(), args: []value{{t: at}}}
			return true
		}
		f.regs[in.Dst] = x.loadValue(k, k.memory, at, in.Type)
		return false
	case llvmir.OpStore:
		if a := in.Args[1]; a.Kind == llvmir.OperandReg && f.fn.Promoted[a.Reg] {
			f.regs[a.Reg] = x.operand(p, s, in.Args[0])
			k.event = volatileAccess(in, "store", f.regs[a.Reg])
			return k.event.kind != noEvent
		}
		if in.Atomic {
			x.fail("an atomic access")
		}
		v, t := x.operand(p, s, in.Args[0]), in.Args[0].Type
		at := x.checkAccess(p, s, in, in.Args[1], t.StoreSize, true)
		x.touch(k, append(v.terms(), at)...)
		x.escape(k, v.terms()...)
		if in.Volatile {
			k.event = event{kind: atEffect, what: "volatile store of " + t.String(), args: []value{{t: at}, v}}
			return true
		}
		k.memory = x.storeValue(k.memory, at, v, t)
		return false
	case llvmir.OpCall:
		return x.call(p, s, in)
	case llvmir.OpBitCast:
		if origin, ok := f.fn.Origin[in.Dst]; ok && f.fn.Promoted[origin] {
			return false // only for markers of its lifetime
		}
	}
	v, ok := x.pure(p, s, in)
	if !ok {
		x.fail("the instruction at line %d: %s", line(in), in.Text)
	}
	if in.Dst >= 0 {
		f.regs[in.Dst] = v
	}
	return false
}

// volatileAccess returns the event of a volatile access to a variable whose address is not used; no event for others.
func volatileAccess(in *llvmir.Instr, what string, v value) event {
	if !in.Volatile {
		return event{}
	}
	return event{kind: atEffect, what: fmt.Sprint("volatile ", what, " of a variable ", in.Type), args: []value{v}}
}

// local returns the address of a variable whose address is used: the same in both versions if it has the same type, and
// the same name or the same position among these variables.
func (x *prover) local(s sideNumber, f *frame, in *llvmir.Instr) smt.Term {
	if len(in.Args) > 0 && !flow.IsOne(in.Args) {
		x.fail("an array of variable length")
	}
	if f.id != "" {
		return x.apply(fmt.Sprintf("local %d of version %d in %s", in.Dst, s, f.id), smt.BV(64))
	}
	shape := func(in *llvmir.Instr) string { return fmt.Sprint(in.ElemType.Size, " ", in.Align, " ", in.ElemType) }
	variables := func(s sideNumber) (names []string) {
		fn := x.flow(s, x.version(s).Function)
		for _, in := range fn.Blocks[0].Instrs {
			if in.Op == llvmir.OpAlloca && !fn.Promoted[in.Dst] {
				names = append(names, shape(in)+" "+fn.RegName(in.Dst))
			}
		}
		return names
	}
	other := variables(1 - s)
	name := shape(in) + " " + f.fn.RegName(in.Dst)
	if slices.Contains(other, name) {
		return x.apply("local "+name, smt.BV(64))
	}
	n := 0 // its position among the variables of this shape without a counterpart by name
	for _, own := range variables(s) {
		if own == name {
			break
		}
		if strings.HasPrefix(own, shape(in)+" ") && !slices.Contains(other, own) {
			n++
		}
	}
	return x.apply(fmt.Sprintf("local %s, number %d", shape(in), n), smt.BV(64))
}

// call executes a call, and reports whether the execution pauses at it, or ends.
func (x *prover) call(p *path, s sideNumber, in *llvmir.Instr) (pauses bool) {
	if flow.IsFailure(in) {
		x.checkFailure(in)
		x.violated(p, s, in)
		return true
	}
	if in.Intrinsic != "" {
		return x.intrinsic(p, s, in)
	}
	p.sides[s].event = x.callEvent(p, s, in)
	if callee, ok := x.own(p, s); ok && x.isLeaf(s, callee) && !x.asserts(callee) {
		if x.computing = true; x.eager {
			x.enter(p, s, callee)
			return false
		}
	}
	return true
}
