package lockstep

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// eventKind is the kind of a place at which both versions pause.
type eventKind int

const (
	noEvent  eventKind = iota
	atLoop             // before the head of a loop
	atReturn           // of the compared function
	atCall
	atEffect // another effect on memory, or outside
)

// event is such a place with the values there.
type event struct {
	kind   eventKind
	what   string // of effects, and the types of calls
	callee smt.Term
	in     *llvmir.Instr
	args   []value
}

// callEvent describes a call.
func (x *prover) callEvent(p *path, s sideNumber, in *llvmir.Instr) event {
	if in.Relaxed {
		x.fail("arithmetic of floats that need not be exact, at line %d", line(in))
	}
	e := event{kind: atCall, in: in, what: fmt.Sprint(in.FuncType, " ", in.Type, " signed ", in.SignExt)}
	if f := in.Function(); f != nil {
		if len(f.Blocks) == 0 {
			switch language.Function(f.Name, f.Arity()).Role {
			case language.Unknown, language.Impossible:
				x.fail("a call of %s", f.Name)
			}
		}
		if f.ReturnsTwice {
			x.fail("a call of %s, which may return several times,", f.Name)
		}
		e.callee = x.symbol(s, f.Name)
	} else {
		e.callee = x.scalar(p, s, in.Callee)
	}
	for i, a := range in.Args {
		if a.Kind == llvmir.OperandMetadata || clangir.IsHandlerData(in, i) {
			x.fail("a call with data of the compiler")
		}
		v := x.operand(p, s, a)
		e.args = append(e.args, v)
		x.touch(p.sides[s], v.terms()...)
		if i < len(in.ByVal) && in.ByVal[i] != nil {
			e.what += fmt.Sprint(" by value ", i, " ", in.ByVal[i].Size)
		}
	}
	return e
}

// step executes both versions up to their next events, and compares these.
func (x *prover) step(p *path) {
	x.try(func() {
		x.advance(before, p, func(p *path) {
			x.try(func() { x.advance(after, p, func(p *path) { x.try(func() { x.meet(p) }) }) })
		})
	})
}

// try calls do, which may find that no execution takes the path.
func (x *prover) try(do func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, dead := r.(deadPath); !dead {
				panic(r)
			}
		}
	}()
	do()
}

// meet compares the events of both versions.
func (x *prover) meet(p *path) {
	a, b := &p.sides[before].event, &p.sides[after].event
	reason := x.compare(p, a, b)
	if reason != "" {
		if x.inline(p) {
			return
		}
		if x.proves(p, x.c.False()) {
			return
		}
		x.fail("%s", reason)
	}
	switch a.kind {
	case atReturn:
		return
	case atLoop:
		p.memory = p.sides[before].memory
		for _, k := range p.sides {
			k.atHead = false
		}
		x.arrive(p)
	case atCall, atEffect:
		x.after(p)
	}
}

// compare returns the reason why two events are different; "" if they are equal.
func (x *prover) compare(p *path, a, b *event) string {
	names := map[eventKind]string{atLoop: "the head of a loop", atReturn: "the return", atCall: "a call",
		atEffect: "an effect"}
	describe := func(e *event) string {
		if e.kind == atCall {
			name := "a function pointer"
			if f := e.in.Function(); f != nil {
				name = f.Name
			}
			return fmt.Sprintf("the call of %s at line %d", name, line(e.in))
		}
		if e.kind == atEffect {
			return e.what
		}
		return names[e.kind]
	}
	if a.kind != b.kind || a.what != b.what || len(a.args) != len(b.args) {
		return fmt.Sprintf("the version before comes to %s, and the version after to %s", describe(a), describe(b))
	}
	if a.kind == atCall && !x.equal(p, a.callee, b.callee) {
		return fmt.Sprintf("%s and %s are different functions", describe(a), describe(b))
	}
	for i := range a.args {
		if a.args[i].undefined() && b.args[i].undefined() {
			continue
		}
		if !x.equalValues(p, a.args[i], b.args[i]) {
			return fmt.Sprintf("a value may differ at %s (%d)", describe(b), i)
		}
	}
	if a.kind == atCall {
		for _, k := range p.sides {
			for _, arg := range k.event.args {
				x.escape(k, arg.terms()...)
			}
		}
	}
	if !x.sameMemory(p) {
		return fmt.Sprintf("memory may differ at %s", describe(b))
	}
	return ""
}

// after continues behind equal calls or effects.
func (x *prover) after(p *path) {
	a := &p.sides[before].event
	x.checkScopes(p)
	m := x.base(fmt.Sprint("behind ", p.sides[before].memory.id, a.kind, a.what, a.callee, a.args))
	p.memory = m
	ends, place := false, ""
	for s, k := range p.sides {
		k.memory = m
		for _, o := range slices.Backward(k.private) { // which the event does not change
			if o.begins {
				k.memory = x.begun(k.memory, o.address, o.size)
			} else {
				k.memory = x.written(k.memory, o.address, o.value, o.pointer)
			}
		}
		in, f := x.current(k), k.top()
		if in.Dst >= 0 {
			f.regs[in.Dst] = x.arbitrary(in.Type, fmt.Sprintf("result %d in memory", m.id))
		}
		if a.kind == atCall {
			if called := in.Function(); called != nil && len(called.Blocks) == 0 && s == int(before) {
				x.missing[called.Name] = true
			}
			ends = ends || s == int(before) && clangir.NeverReturns(f.fn.Func, f.fn.Blocks[f.block], f.next)
		}
		f.next++
		place += k.place() + "|"
	}
	switch {
	case ends: // it is the same function, so the execution of both ends
		return
	case a.kind == atCall:
		p.accessed, p.ended = nil, nil // the call may free memory
		x.visits[place]++
		if len(p.sides[after].private) > 0 { // a cut has one memory for both
			break
		}
		if x.visits[place] >= mergedFrom || x.cuts["call "+place] != nil {
			x.arriveAt(p, "call "+place)
			return
		}
	}
	x.step(p)
}

// isLeaf reports whether a function only computes its result: it has no loops, writes nothing, and calls nothing.
func (x *prover) isLeaf(s sideNumber, f *llvmir.Func) bool {
	fn := x.flow(s, f)
	for i, b := range fn.Blocks {
		if x.isHead(fn, i) {
			return false
		}
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpStore:
				if to := in.Args[1]; to.Kind != llvmir.OperandReg || !fn.Promoted[to.Reg] {
					return false
				}
			case in.Op == llvmir.OpCall && in.Intrinsic == "" && !flow.IsFailure(in):
				return false
			}
		}
	}
	return true
}

// asserts reports whether a function may call one that reports a violation, apart from those of sanitizers.
func (x *prover) asserts(f *llvmir.Func) bool {
	return slices.ContainsFunc(f.Blocks, func(b *llvmir.Block) bool {
		return slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool {
			return flow.IsFailure(in) && (in.Function() == nil || clangir.SanitizerCheck(in.Function()) == "")
		})
	})
}

// own returns the called function of a version's event if its body can be executed.
func (x *prover) own(p *path, s sideNumber) (*llvmir.Func, bool) {
	e := &p.sides[s].event
	if e.kind != atCall {
		return nil, false
	}
	f := e.in.Function()
	if f == nil || len(f.Blocks) == 0 || f.Variadic || f.Replaceable || len(p.sides[s].frames) > maxInlined ||
		f == x.version(s).Function || slices.ContainsFunc(e.in.ByVal, func(t *llvmir.Type) bool { return t != nil }) ||
		slices.ContainsFunc(f.Params, func(a llvmir.Param) bool { return a.NoAlias }) ||
		len(f.Params) != len(e.args) || slices.ContainsFunc(p.sides[s].frames,
		func(o *frame) bool { return o.fn.Func == f }) {
		return nil, false
	}
	return f, true
}

// enter begins to execute the body of a called function.
func (x *prover) enter(p *path, s sideNumber, f *llvmir.Func) {
	k := p.sides[s]
	caller := k.top()
	fn := x.flow(s, f)
	frame := newFrame(fn, fmt.Sprintf("%s/%s:%d:%d", caller.id, caller.fn.Name, caller.block, caller.next), k.event.args)
	k.event = event{}
	k.frames = append(slices.Clip(k.frames), frame)
	k.atHead = x.isHead(fn, 0)
}

// inline executes a call that only one version has. It reports whether it did.
func (x *prover) inline(p *path) bool {
	pick := func(ok func(s sideNumber, f *llvmir.Func) bool) (sideNumber, *llvmir.Func) {
		for _, s := range []sideNumber{after, before} {
			if f, possible := x.own(p, s); possible && ok(s, f) {
				return s, f
			}
		}
		return 0, nil
	}
	s, f := pick(func(s sideNumber, f *llvmir.Func) bool { return !x.called[1-s][f.Name] || x.isLeaf(s, f) })
	if f == nil && p.sides[before].event.kind != p.sides[after].event.kind {
		s, f = pick(func(sideNumber, *llvmir.Func) bool { return true })
	}
	if f == nil {
		return false
	}
	x.enter(p, s, f)
	x.advance(s, p, func(p *path) { x.try(func() { x.meet(p) }) })
	return true
}
