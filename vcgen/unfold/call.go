package unfold

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// callCtx is the call that is being executed: the context of the built-in functions.
type callCtx struct {
	fr   *frame
	v    *visit
	k    int
	in   *llvmir.Instr
	p    *path
	site *seair.Site
	args []value
	fn   *llvmir.Func // the called declaration
	ret  value
	// dead is set if no execution continues behind the call.
	dead bool
	// tracked are the memory cells, and use selects the constant results, by which states behind the call are kept
	// separate. outs are then the ways out of the call.
	tracked []trackedCell
	use     resultUse
	outs    []returned
}

func (fr *frame) execCall(v *visit, k int, in *llvmir.Instr, p *path) *path {
	r := fr.r
	if in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end" {
		fr.lifetime(in, in.Intrinsic == "lifetime.start", p)
		return p
	}
	cc := &callCtx{fr: fr, v: v, k: k, in: in, p: p, site: r.site(in, fr)}
	for i, a := range in.Args {
		if a.Kind == llvmir.OperandMetadata || clangir.IsHandlerData(in, i) {
			cc.args = append(cc.args, value{})
			continue
		}
		cc.args = append(cc.args, fr.operand(in, a, p))
	}
	switch {
	case in.Intrinsic != "":
		cc.intrinsic()
	case in.Function() != nil:
		cc.fn = in.Function()
		cc.tracked = fr.keep(cc.fn, v.block, k, p)
		cc.use = fr.resultUse(v.block, k)
		cc.direct()
	default:
		cc.indirect(fr.scalar(in, in.Callee, p))
	}
	switch {
	case cc.dead:
		return nil
	case cc.outs != nil:
		behind := cc.outs[0].p.g
		for _, x := range cc.outs[1:] {
			behind, _ = guard.Or(r.c, behind, x.p.g)
		}
		for _, x := range cc.outs {
			cc.results(x)
			fr.resume(v, k, x, cc.use, behind)
		}
		return nil
	}
	cc.results(returned{cc.ret, cc.p})
	return cc.p
}

// results stores the result of a call in its register.
func (cc *callCtx) results(x returned) {
	if in := cc.in; in.Dst >= 0 {
		if x.value.t == 0 && x.value.e == nil && in.Type.Kind != llvmir.VoidType {
			x.value = cc.r().undef(in.Type, x.p, in.ID)
		}
		cc.fr.regs[in.Dst] = x.value
	}
}

// direct calls cc.fn: its body, a built-in function, or a missing body.
func (cc *callCtx) direct() {
	f := cc.fn
	if language.Lookup(f.Name).Synchronizes {
		cc.r().note(found.Assumption{What: found.OneThread}, cc.site, 0)
	}
	switch {
	case len(f.Blocks) > 0:
		if !cc.fits(f) {
			cc.r().obligation(cc.p, cc.site, found.InvalidCall, cc.c().False())
			cc.r().infeasible(cc.p.g.T, cutPoint{fr: cc.fr, block: cc.v.block, instr: cc.k + 1})
			cc.dead = true
			return
		}
		cc.inline(f)
	case f.Unsupported != "":
		cc.unsupported(f.Unsupported)
	case cc.builtin(f.Name):
	default:
		cc.missingBody()
	}
}

func (cc *callCtx) r() *run         { return cc.fr.r }
func (cc *callCtx) c() *smt.Context { return cc.fr.r.c }

// arg returns the i-th argument as a term.
func (cc *callCtx) arg(i int) smt.Term {
	if i < len(cc.args) {
		return cc.args[i].t
	}
	return cc.r().mem.Int(0)
}

// argInt returns the i-th argument as an integer of w bits.
func (cc *callCtx) argInt(i, w int, signed bool) smt.Term {
	c := cc.c()
	t := cc.arg(i)
	if c.Sort(t).IsBool() {
		return c.BoolToBV(t, w)
	}
	switch have := c.Width(t); {
	case have > w:
		return c.Extract(t, w-1, 0)
	case signed:
		return c.Sext(t, w)
	default:
		return c.Zext(t, w)
	}
}

// argBool returns the condition that the i-th argument is not zero.
func (cc *callCtx) argBool(i int) smt.Term {
	t := cc.arg(i)
	if cc.c().Sort(t).IsBool() {
		return t
	}
	return cc.c().BVToBool(t)
}

func (cc *callCtx) unsupported(what string) {
	cc.r().unsupported(cc.fr, cc.p, cc.site, cc.v.block, cc.k, what)
	cc.dead = true
}

// inline executes the body of f. Parameters passed by value are separate copies.
func (cc *callCtx) inline(f *llvmir.Func) {
	r, c := cc.r(), cc.c()
	args := append([]value(nil), cc.args...)
	var copies []int
	for i := range args {
		var prm llvmir.Param
		switch {
		case i < len(f.Params):
			prm = f.Params[i]
		case i < len(cc.in.ByVal): // a struct passed through "..."
			prm = llvmir.Param{Name: "argument", ByVal: cc.in.ByVal[i], Align: cc.in.ByValAlign[i]}
		}
		if prm.ByVal == nil {
			if i < len(f.Params) {
				args[i] = r.adapt(args[i], cc.in.Args[i].Type, prm.Type, i < len(cc.in.SignExt) && cc.in.SignExt[i])
			}
			continue
		}
		t := prm.ByVal
		size := cc.r().mem.Int(uint64(t.Size))
		r.access(cc.p, cc.site, args[i].t, mem.Access{Size: size})
		o := r.mem.NewObject(cc.p.st, mem.Object{Kind: mem.Stack, Name: prm.Name, Site: cc.in.ID, Size: size,
			Align: max(prm.Align, t.Align), Guard: cc.p.g.T}, r.mem.Zero(), c.True())
		cc.copyInto(o, args[i].t, size)
		args[i] = value{t: o.Base}
		copies = append(copies, o.ID)
	}
	outs := r.callApart(cc.fr, cc.v.block, cc.k, f, args, cc.in, cc.p, cc.site, cc.tracked, cc.use)
	for i := range outs {
		for _, id := range copies {
			r.mem.Kill(outs[i].p.st, id, c.True())
		}
	}
	cc.checkResult(f, outs)
	for i := range outs {
		outs[i].value = cc.received(f, outs[i])
	}
	switch {
	case len(outs) == 0:
		cc.dead = true
	case len(cc.tracked) > 0 || len(outs) > 1:
		cc.outs = outs
	default:
		cc.p, cc.ret = outs[0].p, outs[0].value
	}
}

// checkResult logs the obligation that no way out of a call lacks a result, if the caller uses it. A function may end
// without a return value if no caller uses the value.
func (cc *callCtx) checkResult(f *llvmir.Func, outs []returned) {
	r, c := cc.r(), cc.c()
	if !cc.receives(f) || !cc.fr.fn.Used[cc.in.Dst] || !r.opts.Checks[found.Unreachable] {
		return
	}
	possible := false
	none := make([]smt.Term, len(outs))
	for i, x := range outs {
		none[i], _ = r.noValue.ofValue(x.value)
		possible = possible || !c.IsFalse(none[i])
	}
	for i, x := range outs {
		if possible {
			r.obligation(x.p, cc.site, found.Unreachable, c.Not(none[i]))
		}
	}
}

// received returns the result of a call in the type that the caller expects.
func (cc *callCtx) received(f *llvmir.Func, x returned) value {
	if !cc.receives(f) {
		return value{}
	}
	return cc.r().adapt(x.value, f.Ret, cc.in.Type, f.RetSigned)
}

// receives reports whether the call takes a result, in the form in which the function returns it.
func (cc *callCtx) receives(f *llvmir.Func) bool {
	return cc.in.Dst >= 0 && clangir.Passed(cc.r().m.Layout, cc.in.Type) == clangir.Passed(cc.r().m.Layout, f.Ret)
}

// adapt converts an argument or a result to the type that the receiver declares: in calls through pointers, integers
// may differ in width. Small integers are passed as 32 bits, sign-extended if they are signed.
func (r *run) adapt(v value, from, to *llvmir.Type, signed bool) value {
	c := r.c
	if isAggregate(to) {
		have, _ := elements(from)
		want, _ := elements(to)
		out := value{e: make([]value, len(want))}
		for i := range want {
			out.e[i] = r.adapt(v.e[i], have[i], want[i], false)
		}
		return out
	}
	if v.t == 0 || from == to || from.Kind == llvmir.FloatType {
		return v
	}
	t, w := v.t, 1
	if s := scalarSort(to); !s.IsBool() {
		w = s.Width()
	}
	if c.Sort(t).IsBool() {
		t = c.BoolToBV(t, 1)
	}
	if n := c.Width(t); signed && n < 32 && n < w {
		t = c.Sext(t, min(w, 32))
	}
	if n := c.Width(t); n > w {
		t = c.Extract(t, w-1, 0)
	} else {
		t = c.Zext(t, w)
	}
	if scalarSort(to).IsBool() {
		return value{t: c.Eq(t, c.Int(1, 1))}
	}
	return value{t: t}
}

// copyInto fills a new object with the bytes at src.
func (cc *callCtx) copyInto(o *mem.Object, src, size smt.Term) {
	r, c := cc.r(), cc.c()
	v := cc.p.st.Content(o.ID)
	for _, x := range r.mem.Targets(cc.p.st, src, size, false) {
		if x.Obj != o.ID {
			v = r.mem.Copy(v, x.Cond, cc.r().mem.Int(0), cc.p.st.Content(x.Obj), x.Off, size)
		}
	}
	r.mem.SetContent(cc.p.st, o.ID, v, c.False())
}

// fits reports whether the call matches the type of a function.
func (cc *callCtx) fits(f *llvmir.Func) bool {
	return clangir.Fits(cc.r().m.Layout, f, cc.in, cc.in.Dst >= 0 && cc.fr.fn.Used[cc.in.Dst])
}
