package unfold

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// unwritten finds out when a value is memory that was never written: the arbitrary content
// of such memory is known by its symbols, and a value that was only moved holds them bare.
type unwritten struct {
	c      *smt.Context
	inputs map[*seair.Input]bool // of promoted locals
	vars   map[smt.Term]bool
	funcs  map[smt.Func]bool
	memo   map[smt.Term][2]smt.Term
}

func newUnwritten(c *smt.Context) *unwritten {
	return &unwritten{c: c, inputs: map[*seair.Input]bool{}, vars: map[smt.Term]bool{}, funcs: map[smt.Func]bool{}, memo: map[smt.Term][2]smt.Term{}}
}

// of returns when all of a term's bytes, and when some, were never written.
func (u *unwritten) of(t smt.Term) (all, some smt.Term) {
	c := u.c
	if r, ok := u.memo[t]; ok {
		return r[0], r[1]
	}
	all, some = c.False(), c.False()
	switch c.Op(t) {
	case smt.OpVar:
		all = c.BoolConst(u.vars[t])
		some = all
	case smt.OpApply:
		all = c.BoolConst(u.funcs[c.FuncOf(t)])
		some = all
	case smt.OpExtract, smt.OpZext, smt.OpSext, smt.OpNot:
		all, some = u.of(c.Arg(t, 0))
	case smt.OpConcat:
		all = c.True()
		for _, a := range c.Args(t) {
			x, y := u.of(a)
			all, some = c.And(all, x), c.Or(some, y)
		}
	case smt.OpIte:
		x, y := u.of(c.Arg(t, 1))
		v, w := u.of(c.Arg(t, 2))
		all, some = c.Ite(c.Arg(t, 0), x, v), c.Ite(c.Arg(t, 0), y, w)
	case smt.OpEq: // a _Bool out of its byte
		a, b := c.Arg(t, 0), c.Arg(t, 1)
		if c.IsConst(a) {
			a, b = b, a
		}
		if c.IsConst(b) && !c.Sort(b).IsBool() && c.Width(b) == 1 {
			all, some = u.of(a)
		}
	}
	u.memo[t] = [2]smt.Term{all, some}
	return all, some
}

// ofValue is of for the leaves of a value together.
func (u *unwritten) ofValue(v value) (all, some smt.Term) {
	c := u.c
	switch {
	case v.lazy != nil:
		all = c.BoolConst(u.inputs[v.lazy])
		return all, all
	case v.t != 0:
		return u.of(v.t)
	}
	all, some = c.BoolConst(len(v.e) > 0), c.False()
	for _, e := range v.e {
		x, y := u.ofValue(e)
		all, some = c.And(all, x), c.Or(some, y)
	}
	return all, some
}

// leaves adds the symbols of a new value.
func (u *unwritten) leaves(v value) {
	if v.t != 0 {
		u.vars[v.t] = true
	}
	for _, e := range v.e {
		u.leaves(e)
	}
}

// checkWritten logs the obligation uninitialized-read of a load. The storage of a bit-field
// is read to be written, structs travel as wholes with their padding, and what is read
// through another type counts when none of it was written.
func (fr *frame) checkWritten(in *llvmir.Instr, v value, p *path) {
	r := fr.r
	if !r.opts.Checks[found.UninitializedRead] || isAggregate(in.Type) || strings.HasPrefix(fr.fn.RegName(in.Dst), "bf.load") {
		return
	}
	all, bad := r.neverWritten.ofValue(v)
	if a := in.Args[0]; a.Kind == llvmir.OperandReg && fr.fn.casts[a.Reg] {
		bad = all
	}
	r.obligation(p, r.site(in, fr), found.UninitializedRead, r.c.Not(bad))
}
