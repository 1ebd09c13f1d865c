package unfold

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// stated executes llvm.assume, to which clang compiles __builtin_assume, __builtin_assume_aligned, __assume and
// attributes that promise an alignment. Without sanitizers clang emits it for nothing else. A false one is undefined
// behavior, like reaching __builtin_unreachable, so it is an obligation, not an assumption.
func (cc *callCtx) stated() {
	r, c := cc.r(), cc.c()
	if !r.opts.Checks[found.Unreachable] || r.m.Of(cc.in).Declared {
		return
	}
	cond := cc.argBool(0)
	for _, f := range cc.in.Facts {
		cond = c.And(cond, cc.fact(f.Tag, cc.args[f.From:f.To]))
	}
	if c.IsFalse(cond) {
		r.obligationAt(cc.p.g.T, cc.site, found.Unreachable, cond, true)
		return
	}
	r.obligation(cc.p, cc.site, found.Unreachable, cond)
}

// fact returns the condition that an operand bundle of llvm.assume states.
func (cc *callCtx) fact(tag string, args []value) smt.Term {
	r, c := cc.r(), cc.c()
	number := func(i int, otherwise uint64) smt.Term {
		if i >= len(args) {
			return cc.r().mem.Int(otherwise)
		}
		if w := r.mem.Width; c.Width(args[i].t) > w {
			return c.Extract(args[i].t, w-1, 0)
		}
		return c.Zext(args[i].t, r.mem.Width)
	}
	p := args[0].t
	if tag == "nonnull" {
		return c.Not(r.mem.Equal(cc.p.st, p, cc.r().mem.Int(0)))
	}
	// The pointer, its alignment, and the offset to subtract from the pointer before the alignment is checked.
	return c.Eq(c.BvAnd(c.Sub(p, number(2, 0)), c.Sub(number(1, 1), cc.r().mem.Int(1))), cc.r().mem.Int(0))
}
