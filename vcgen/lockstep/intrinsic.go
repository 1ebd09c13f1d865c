package lockstep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
)

// intrinsic executes a call of one of LLVM's intrinsics, and reports whether the execution pauses at it, or ends.
func (x *prover) intrinsic(p *path, s sideNumber, in *llvmir.Instr) (pauses bool) {
	c, k := x.c, p.sides[s]
	f := k.top()
	arg := func(i int) smt.Term { return x.scalar(p, s, in.Args[i]) }
	result := func(t smt.Term) bool {
		f.regs[in.Dst] = value{t: t}
		return false
	}
	pick := func(less func(a, b smt.Term) smt.Term) bool {
		return result(c.Ite(less(arg(0), arg(1)), arg(0), arg(1)))
	}
	switch name := in.Intrinsic; name {
	case "dbg.label", "prefetch", "donothing", "sideeffect", "dbg.declare", "dbg.value", "experimental.noalias.scope.decl",
		"pseudoprobe", "invariant.start", "invariant.end":
		return false
	case "lifetime.start", "lifetime.end":
		if in.Args[1].Kind != llvmir.OperandReg {
			x.fail("a lifetime of no variable")
		}
		r := in.Args[1].Reg
		if origin, ok := f.fn.Origin[r]; ok {
			r = origin
		}
		if f.fn.Promoted[r] {
			f.regs[r] = value{}
			return false
		}
		at := f.regs[r].t
		if name == "lifetime.end" {
			k.scope = slices.DeleteFunc(slices.Clone(k.scope), func(t smt.Term) bool { return t == at })
			if s == after {
				p.ended = append(slices.Clip(p.ended), at)
			}
			return false
		}
		x.begin(k, at)
		return false
	case "assume":
		if s == before || len(in.Facts) == 0 && x.proves(p, arg(0)) {
			return false
		}
		x.fail("an assumption of the compiler at line %d", line(in))
	case "expect", "expect.with.probability":
		return result(arg(0))
	case "is.constant":
		return result(c.False())
	case "objectsize":
		w := x.sortOf(in.Type).Width()
		if in.Args[1].Kind == llvmir.OperandConst && in.Args[1].Const.Int.Sign() != 0 {
			return result(c.Int(w, 0))
		}
		return result(c.IntS(w, -1))
	case "trap", "debugtrap", "ubsantrap":
		x.violated(p, s, in)
		return true
	case "abs":
		return result(c.Ite(c.Slt(arg(0), c.Int(c.Width(arg(0)), 0)), c.Neg(arg(0)), arg(0)))
	case "smin":
		return pick(c.Sle)
	case "smax":
		return pick(c.Sge)
	case "umin":
		return pick(c.Ule)
	case "umax":
		return pick(c.Uge)
	case "bswap":
		return result(arith.ReverseBytes(c, arg(0)))
	case "fshl", "fshr":
		return result(arith.Funnel(c, arg(0), arg(1), arg(2), name == "fshl"))
	case "ctlz", "cttz":
		key := fmt.Sprint("intrinsic ", name, " ", in.Type, in.Args[1].Const.Int)
		if x.unchecked(s, in) {
			cond := c.Ne(arg(0), c.Int(c.Width(arg(0)), 0))
			x.defined(p, s, fmt.Sprint(key, arg(0)), &cond)
		}
		return result(x.apply(key, x.sortOf(in.Type), arg(0)))
	default:
		if op, _, ok := strings.Cut(name, ".with.overflow"); ok && in.Args[0].Type.Kind == llvmir.IntType {
			t, overflow := arith.Overflowing(c, op, arg(0), arg(1))
			f.regs[in.Dst] = value{e: []value{{t: t}, {t: overflow}}}
			return false
		}
		if strings.HasPrefix(name, "mem") && !strings.Contains(name, "atomic") { // copies and fills bytes
			e := event{kind: atEffect, what: strings.TrimSuffix(name, ".inline")}
			for i := range in.Args { // the last one says whether it is volatile
				e.args = append(e.args, value{t: arg(i)})
				x.touch(k, arg(i))
			}
			k.event = e
			return true
		}
		if name == "ctpop" || name == "bitreverse" || language.FloatIntrinsic(name) != language.NoFloat {
			if name != "ctpop" && name != "bitreverse" {
				x.exact(in)
			}
			var args []smt.Term
			for i := range in.Args {
				args = append(args, arg(i))
			}
			return result(x.apply("intrinsic "+name+" "+in.Type.String(), x.sortOf(in.Type), args...))
		}
		x.fail("the intrinsic %s", name)
	}
	return false
}
