package unfold

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// checkedType returns the i-th type in the data of a handler; ok is false if there is none.
func checkedType(data llvmir.Operand, i int) (t clangir.CheckedType, ok bool) {
	ts := clangir.CheckedTypes(data)
	if i >= len(ts) {
		return clangir.CheckedType{}, false
	}
	return ts[i], true
}

// ubsan executes a sanitizer's failure handler.
func (cc *callCtx) ubsan(name string) {
	c := cc.c()
	data := cc.in.Args[0]
	kind, second := clangir.KindsOf(name, data)
	switch {
	case kind == found.DivisionByZero && second != "":
		zero := cc.operandIs(2, data, 0, func(t smt.Term) smt.Term { return c.Eq(t, c.Int(c.Width(t), 0)) })
		cc.either(kind, second, zero)
		return
	case kind == found.InvalidShift:
		shifted, ok := checkedType(data, 0)
		if !ok || shifted.Bits == 0 {
			cc.unsupported("a shift of an unknown type")
			return
		}
		// The exponent is passed as 64 bits, so a negative one is a large number.
		bad := cc.operandIs(2, data, 1, func(t smt.Term) smt.Term {
			return c.Uge(t,
				c.Int(c.Width(t), uint64(shifted.Bits)))
		})
		cc.either(kind, second, bad)
		return
	default:
		cc.notEntered(kind, c.True())
	}
	cc.leaveFailure()
}

// operandIs applies a predicate to an operand of a handler. A value as wide as an address is passed directly, a wider
// one
// by address.
func (cc *callCtx) operandIs(arg int, data llvmir.Operand, desc int, f func(smt.Term) smt.Term) smt.Term {
	if t, ok := checkedType(data, desc); ok && !t.Float && t.Bits > cc.r().mem.Width {
		return f(cc.c().Extract(cc.r().mem.Load(cc.p.st, cc.arg(arg), int64(t.Bits+7)/8), t.Bits-1, 0))
	}
	return f(cc.arg(arg))
}

// notAssumed reports whether in is a branch to a failure block whose check is off or accepted, and follows it if so.
// The execution continues as it would without the check, and the obligation, if there is one, is not assumed
// afterwards. A handler that serves two kinds distinguishes them itself, so it is entered unless both are off.
func (fr *frame) notAssumed(v *visit, in *llvmir.Instr, k int, p *path, cond smt.Term) bool {
	r, c := fr.r, fr.r.c
	for i, s := range in.Succs {
		bi := &fr.fn.Nodes[s]
		if !bi.Failure || len(bi.Succs) > 0 {
			continue
		}
		fail := fr.fn.Blocks[s].Instrs[bi.Stop]
		if !flow.IsFailure(fail) {
			continue
		}
		kind, second := found.Assertion, found.Kind("")
		if check := clangir.SanitizerCheck(fail.Function()); check != "" {
			kind, second = clangir.KindsOf(check, fail.Args[0])
		}
		site := r.site(fail, fr)
		off := !r.opts.Checks[kind]
		if second != "" {
			if !off || r.opts.Checks[second] {
				continue
			}
		}
		if !off && !r.accepted(kind, site) {
			continue
		}
		entered := cond
		if i == 1 {
			entered = c.Not(cond)
		}
		if !off {
			r.obligation(p, site, kind, c.Not(entered))
		}
		fr.follow(v, in, k, in.Succs[1-i], p, c.True())
		return true
	}
	return false
}

// either logs the obligations of a handler that serves two kinds. A violation is of the first kind if isFirst holds,
// otherwise of the second. If the check is off or accepted, the execution continues behind the handler.
func (cc *callCtx) either(first, second found.Kind, isFirst smt.Term) {
	r, c, fr := cc.r(), cc.c(), cc.fr
	goesOn := c.False()
	for _, x := range []struct {
		kind found.Kind
		when smt.Term
	}{{first, isFirst}, {second, c.Not(isFirst)}} {
		cc.notEntered(x.kind, x.when)
		if !r.opts.Checks[x.kind] || r.accepted(x.kind, cc.site) {
			goesOn = c.Or(goesOn, x.when)
		}
	}
	if !c.IsFalse(goesOn) {
		for _, pred := range fr.fn.Blocks[cc.v.block].Preds {
			br := fr.fn.Blocks[pred].Term()
			if br.Op != llvmir.OpCondBr {
				continue
			}
			to := br.Succs[0]
			if to == cc.v.block {
				to = br.Succs[1]
			}
			fr.follow(&visit{block: pred, iters: cc.v.iters}, br, len(fr.fn.Blocks[pred].Instrs)-1, to, cc.p, goesOn)
			break
		}
		g := cc.p.g.Extend(c, c.Not(goesOn))
		if g == nil {
			cc.dead = true
			return
		}
		cc.p = &path{g, cc.p.st}
	}
	cc.leaveFailure()
}
