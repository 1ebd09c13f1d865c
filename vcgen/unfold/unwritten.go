package unfold

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// unwritten decides whether a value comes from memory that was never written. The arbitrary content of such memory
// consists of known symbols, and a value that was only moved contains them unchanged.
type unwritten struct {
	c      *smt.Context
	inputs map[*seair.Input]bool // of promoted locals
	vars   map[smt.Term]bool
	funcs  map[smt.Func]bool
	memo   map[smt.Term][2]smt.Term
	parts  map[bitsOf]smt.Term
}

func newUnwritten(c *smt.Context) *unwritten {
	return &unwritten{c: c, inputs: map[*seair.Input]bool{}, vars: map[smt.Term]bool{}, funcs: map[smt.Func]bool{},
		memo: map[smt.Term][2]smt.Term{}, parts: map[bitsOf]smt.Term{}}
}

// any reports whether there is such memory at all.
func (u *unwritten) any() bool { return len(u.vars) > 0 || len(u.funcs) > 0 }

// of returns the conditions that all bytes, and that some bytes, of a term were never written.
func (u *unwritten) of(t smt.Term) (all, part smt.Term) {
	c := u.c
	if r, ok := u.memo[t]; ok {
		return r[0], r[1]
	}
	all, part = c.False(), c.False()
	switch c.Op(t) {
	case smt.OpVar:
		all = c.BoolConst(u.vars[t])
		part = all
	case smt.OpApply:
		all = c.BoolConst(u.funcs[c.FuncOf(t)])
		part = all
	case smt.OpExtract, smt.OpZext, smt.OpSext, smt.OpNot:
		all, part = u.of(c.Arg(t, 0))
	case smt.OpConcat:
		all = c.True()
		for _, a := range c.Args(t) {
			x, y := u.of(a)
			all, part = c.And(all, x), c.Or(part, y)
		}
	case smt.OpIte:
		x, y := u.of(c.Arg(t, 1))
		v, w := u.of(c.Arg(t, 2))
		all, part = c.Ite(c.Arg(t, 0), x, v), c.Ite(c.Arg(t, 0), y, w)
	case smt.OpEq: // a _Bool extracted from its byte
		a, b := c.Arg(t, 0), c.Arg(t, 1)
		if c.IsConst(a) {
			a, b = b, a
		}
		if c.IsConst(b) && !c.Sort(b).IsBool() && c.Width(b) == 1 {
			all, part = u.of(a)
		}
	}
	u.memo[t] = [2]smt.Term{all, part}
	return all, part
}

// bitsOf is a part of a term: width bits from bit low on.
type bitsOf struct {
	t          smt.Term
	low, width int
}

// someOf returns the condition that one of these bits was never written. The storage of bit-fields is assembled with
// masks, so bits that pass through masks, shifts and disjunctions count as moved.
func (u *unwritten) someOf(x bitsOf) smt.Term {
	c := u.c
	if r, ok := u.parts[x]; ok {
		return r
	}
	part := c.False()
	of := func(t smt.Term, low, width int) smt.Term { // for the bits that exist
		if end := min(low+width, c.Width(t)); low < end {
			return u.someOf(bitsOf{t, low, end - low})
		}
		return c.False()
	}
	switch c.Op(x.t) {
	case smt.OpConcat:
		high, rest := c.Arg(x.t, 0), c.Arg(x.t, 1)
		n := c.Width(rest)
		part = of(rest, x.low, x.width)
		if end := x.low + x.width - n; end > 0 {
			low := max(x.low-n, 0)
			part = c.Or(part, of(high, low, end-low))
		}
	case smt.OpExtract:
		_, low := c.ExtractBounds(x.t)
		part = of(c.Arg(x.t, 0), x.low+low, x.width)
	case smt.OpZext:
		if c.Sort(c.Arg(x.t, 0)).IsBool() {
			break
		}
		part = of(c.Arg(x.t, 0), x.low, x.width)
	case smt.OpIte:
		part = c.Ite(c.Arg(x.t, 0), of(c.Arg(x.t, 1), x.low, x.width), of(c.Arg(x.t, 2), x.low, x.width))
	case smt.OpBvOr, smt.OpBvXor, smt.OpAdd:
		for _, a := range c.Args(x.t) {
			part = c.Or(part, of(a, x.low, x.width))
		}
	case smt.OpBvAnd:
		mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(c.Width(x.t))), big.NewInt(1))
		for _, a := range c.Args(x.t) {
			if c.IsConst(a) {
				mask.And(mask, c.BigValue(a))
			}
		}
		for _, a := range c.Args(x.t) {
			for low := x.low; low < x.low+x.width; low++ { // runs of ones
				n := 0
				for ; low+n < x.low+x.width && mask.Bit(low+n) == 1; n++ {
				}
				part = c.Or(part, of(a, low, n))
				low += n
			}
		}
	case smt.OpShl, smt.OpLshr:
		k, ok := c.Uint64(c.Arg(x.t, 1))
		switch {
		case !ok || k >= uint64(c.Width(x.t)):
		case c.Op(x.t) == smt.OpLshr:
			part = of(c.Arg(x.t, 0), x.low+int(k), x.width)
		default:
			low := max(x.low-int(k), 0)
			part = of(c.Arg(x.t, 0), low, x.low+x.width-int(k)-low)
		}
	default:
		_, part = u.of(x.t)
	}
	u.parts[x] = part
	return part
}

// ofValue is of for all leaves of a value together.
func (u *unwritten) ofValue(v value) (all, part smt.Term) {
	c := u.c
	switch {
	case v.lazy != nil:
		all = c.BoolConst(u.inputs[v.lazy])
		return all, all
	case v.t != 0:
		return u.of(v.t)
	}
	all, part = c.BoolConst(len(v.e) > 0), c.False()
	for _, e := range v.e {
		x, y := u.ofValue(e)
		all, part = c.And(all, x), c.Or(part, y)
	}
	return all, part
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

// checkWritten logs the obligation uninitialized-read of a load: every bit that the load uses was written. Structs
// that are passed as integers include their padding, so for them only some bit has to be written.
func (fr *frame) checkWritten(in *llvmir.Instr, v value, p *path) {
	r := fr.r
	if !r.opts.Checks[found.UninitializedRead] || isAggregate(in.Type) {
		return
	}
	if _, part := r.neverWritten.ofValue(v); p.st.Limits.Use > 0 && !r.c.IsFalse(part) {
		// A contract reads the written part of a target; the rest of the target may never have been written.
		r.undecided(p, r.site(in, fr), cutPoint{all: true}, "a contract that reads memory which a call may leave "+
			"uninitialized, with the check uninitialized-read,")(part)
		return
	}
	if f := r.m.Of(in).BitField; f != nil && v.t != 0 {
		if f.Width == 0 {
			return // read only to be written back
		}
		r.obligation(p, r.site(in, fr), found.UninitializedRead, r.c.Not(r.neverWritten.someOf(bitsOf{v.t, f.Low, f.Width})))
		return
	}
	bad, part := r.neverWritten.ofValue(v)
	if !r.m.Of(in).Coerced {
		bad = part
	}
	r.obligation(p, r.site(in, fr), found.UninitializedRead, r.c.Not(bad))
}
