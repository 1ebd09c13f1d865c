package solver

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// errUnsupported is the error for an operation without an encoding in a back end.
var errUnsupported = errors.New("unsupported")

// errStopped is returned by a conversion that its poll has stopped. The terms converted so far remain valid; the next
// call continues there.
var errStopped = errors.New("stopped")

// blaster converts terms to words of the graph. Each term is converted once. The words are in one arena, in which an
// extract shares the bits of its operand.
type blaster struct {
	c *smt.Context
	g *aig
	// side receives clauses that define fresh inputs. Every model of the terms satisfies them, so they are asserted
	// permanently.
	side func(ls ...lit)
	poll func() bool // true: stop; called every few hundred terms
	// abstract leaves the values of arithmetic terms open (skeleton.go).
	abstract bool

	off   []uint32 // per term, start of its word in the arena; 0: not yet
	arena []lit
	stack []smt.Term
	vars  []smt.Term // variables of bits, in order of conversion
	funcs map[smt.Func]*applications
	order []smt.Func
	ties  int    // number of pairs tied eagerly
	eager int    // its bound
	calls []call // applications in the order of conversion
	quot  map[[2]smt.Term][2]word
	buf   word
}

func newBlaster(c *smt.Context) *blaster {
	return &blaster{
		c: c, g: newAIG(),
		side:  func(ls ...lit) { panic("solver: constraint outside of a solver") },
		poll:  func() bool { return false },
		arena: make([]lit, 1, 1<<12),
		funcs: map[smt.Func]*applications{},
		quot:  map[[2]smt.Term][2]word{},
		eager: eagerTies,
	}
}

func (b *blaster) done(t smt.Term) bool { return int(t) < len(b.off) && b.off[t] != 0 }

// word returns the bits of a term that has been converted; one for a Bool.
func (b *blaster) word(t smt.Term) word {
	o := b.off[t]
	n := uint32(max(1, b.c.Width(t)))
	return word(b.arena[o : o+n : o+n])
}

func (b *blaster) bool(t smt.Term) lit { return b.arena[b.off[t]] }

func (b *blaster) put(t smt.Term, w word) {
	b.off[t] = uint32(len(b.arena))
	b.arena = append(b.arena, w...)
}

// convert converts t and all its subterms.
func (b *blaster) convert(t smt.Term) error {
	if n := b.c.NumTerms() + 1; n > len(b.off) {
		b.off = grown(b.off, n)
	}
	if b.off[t] != 0 {
		return nil
	}
	st := append(b.stack[:0], t)
	for steps := 0; len(st) > 0; steps++ {
		if steps&255 == 255 && b.poll() {
			b.stack = st
			return errStopped
		}
		t := st[len(st)-1]
		if b.off[t] != 0 {
			st = st[:len(st)-1]
			continue
		}
		if b.abstract && isOpen(b.c.Op(t)) {
			b.put(t, b.narrow(t, b.g.fresh(b.c.Width(t))))
			continue
		}
		ready := true
		sum := b.c.Op(t) == smt.OpAdd
		for _, a := range b.c.Args(t) {
			if sum {
				_, a = b.scaled(a)
			}
			if b.off[a] == 0 {
				st = append(st, a)
				ready = false
			}
		}
		if !ready {
			continue
		}
		if err := b.term(t); err != nil {
			b.stack = st
			return err
		}
		st = st[:len(st)-1]
	}
	b.stack = st
	return nil
}

// scaled splits a summand k*x. It returns nil and the summand itself if k is positive and has more than one digit: such
// a product gets its own word. A negative k is returned as such.
func (b *blaster) scaled(t smt.Term) (*big.Int, smt.Term) {
	if b.c.Op(t) != smt.OpMul {
		return nil, t
	}
	args := b.c.Args(t)
	if len(args) != 2 {
		return nil, t
	}
	for i := range args {
		if b.c.Op(args[i]) == smt.OpConst {
			k, w := b.c.BigValue(args[i]), b.c.Width(t)
			if k.Bit(w-1) == 1 {
				return k.Sub(k, new(big.Int).Lsh(big.NewInt(1), uint(w))), args[1-i]
			}
			if !b.done(t) && digits(scaleDigits(k, w)) <= 1 {
				return k, args[1-i]
			}
		}
	}
	return nil, t
}

// narrow replaces bits that the term's facts determine. The facts hold for every assignment, so this only adds
// information that the graph lacks.
func (b *blaster) narrow(t smt.Term, w word) word {
	n := len(w)
	if n > 64 {
		return w
	}
	zeros, ones := b.c.KnownBits(t)
	if _, hi := b.c.Range(t); bits.Len64(hi) < n {
		zeros |= ^uint64(0) << bits.Len64(hi)
	}
	if zeros|ones == 0 {
		return w
	}
	for i := range w {
		if zeros>>i&1 == 1 {
			w[i] = litFalse
		} else if ones>>i&1 == 1 {
			w[i] = litTrue
		}
	}
	return w
}

func (b *blaster) term(t smt.Term) error {
	c, g := b.c, b.g
	op := c.Op(t)
	args := c.Args(t)
	n := c.Width(t)
	arg := func(i int) word { return b.word(args[i]) }
	set := func(w word) error {
		if len(w) != n {
			return fmt.Errorf("solver: %v of width %d has %d bits", op, n, len(w))
		}
		b.put(t, b.narrow(t, w))
		return nil
	}
	setBool := func(l lit) error {
		b.buf = append(b.buf[:0], l)
		b.put(t, b.buf)
		return nil
	}
	// scratch is a word that is valid until the next term; put copies it.
	scratch := func() word {
		if cap(b.buf) < n {
			b.buf = make(word, n+n/2)
		}
		return b.buf[:n]
	}
	fold := func(f func(x, y lit) lit) error {
		r := scratch()
		copy(r, arg(0))
		for k := 1; k < len(args); k++ {
			for i, l := range arg(k) {
				r[i] = f(r[i], l)
			}
		}
		return set(r)
	}
	switch op {
	case smt.OpTrue:
		return setBool(litTrue)
	case smt.OpFalse:
		return setBool(litFalse)
	case smt.OpConst:
		if v, ok := c.Uint64(t); ok {
			r := scratch()
			for i := range r {
				r[i] = litFalse
				if i < 64 {
					r[i] = lit(v >> i & 1)
				}
			}
			b.put(t, r)
			return nil
		}
		b.put(t, bigWord(n, c.BigValue(t)))
	case smt.OpVar:
		b.vars = append(b.vars, t)
		if n == 0 {
			return setBool(g.input())
		}
		r := scratch()
		low := c.VarLow(t)
		for i := range r {
			r[i] = litFalse
			if i >= low {
				r[i] = g.input()
			}
		}
		b.put(t, r)
	case smt.OpNot:
		return setBool(b.bool(args[0]) ^ 1)
	case smt.OpAnd:
		r := b.bool(args[0])
		for _, a := range args[1:] {
			r = g.and(r, b.bool(a))
		}
		return setBool(r)
	case smt.OpOr:
		r := b.bool(args[0])
		for _, a := range args[1:] {
			r = g.or(r, b.bool(a))
		}
		return setBool(r)
	case smt.OpEq:
		return setBool(g.eqWord(arg(0), arg(1)))
	case smt.OpIte:
		if n == 0 {
			return setBool(g.mux(b.bool(args[0]), b.bool(args[1]), b.bool(args[2])))
		}
		cond, x, y, r := b.bool(args[0]), arg(1), arg(2), scratch()
		for i := range r {
			r[i] = g.mux(cond, x[i], y[i])
		}
		return set(r)
	case smt.OpUlt:
		return setBool(g.ult(arg(0), arg(1)))
	case smt.OpUle:
		return setBool(g.ule(arg(0), arg(1)))
	case smt.OpSlt:
		return setBool(g.slt(arg(0), arg(1)))
	case smt.OpSle:
		return setBool(g.slt(arg(1), arg(0)) ^ 1)
	case smt.OpAdd:
		s := newSum(g, n)
		for _, a := range args {
			k, x := b.scaled(a)
			switch {
			case k != nil && k.Sign() < 0:
				s.take(0, g.mulConst(b.word(x), k.Neg(k), n))
			case k != nil:
				s.addScaled(k, b.word(x))
			case c.Op(a) == smt.OpConst:
				s.konst.Add(s.konst, c.BigValue(a))
			default:
				s.add(0, b.word(a))
			}
		}
		return set(s.result())
	case smt.OpMul:
		r := arg(0)
		for k := 1; k < len(args); k++ {
			r = g.mul(r, arg(k))
		}
		return set(append(b.buf[:0], r...))
	case smt.OpUdiv, smt.OpUrem, smt.OpSdiv, smt.OpSrem:
		q, r := b.quotient(args[0], args[1], op == smt.OpSdiv || op == smt.OpSrem)
		if op == smt.OpUrem || op == smt.OpSrem {
			q = r
		}
		return set(append(b.buf[:0], q...))
	case smt.OpBvNot:
		r := scratch()
		for i, l := range arg(0) {
			r[i] = l ^ 1
		}
		return set(r)
	case smt.OpBvAnd:
		return fold(g.and)
	case smt.OpBvOr:
		return fold(g.or)
	case smt.OpBvXor:
		return fold(g.xor)
	case smt.OpShl:
		return set(append(b.buf[:0], g.shift(arg(0), arg(1), shiftLeft)...))
	case smt.OpLshr:
		return set(append(b.buf[:0], g.shift(arg(0), arg(1), shiftRight)...))
	case smt.OpAshr:
		return set(append(b.buf[:0], g.shift(arg(0), arg(1), shiftArith)...))
	case smt.OpConcat:
		r := b.buf[:0]
		for k := len(args) - 1; k >= 0; k-- {
			r = append(r, arg(k)...)
		}
		b.buf = r
		return set(r)
	case smt.OpExtract:
		_, lo := c.ExtractBounds(t)
		b.off[t] = b.off[args[0]] + uint32(lo)
	case smt.OpZext:
		r := scratch()
		k := copy(r, arg(0))
		for ; k < n; k++ {
			r[k] = litFalse
		}
		return set(r)
	case smt.OpSext:
		r := scratch()
		x := arg(0)
		k := copy(r, x)
		for ; k < n; k++ {
			r[k] = x[len(x)-1]
		}
		return set(r)
	case smt.OpApply:
		b.apply(t, args[0])
	default:
		return b.float(t, op, args, set, setBool)
	}
	return nil
}

func (b *blaster) float(t smt.Term, op smt.Op, args []smt.Term, set func(word) error, setBool func(lit) error) error {
	c, g := b.c, b.g
	arg := func(i int) word { return b.word(args[i]) }
	switch op {
	case smt.OpFAdd:
		return set(g.fadd(arg(0), arg(1)))
	case smt.OpFSub:
		y := append(word(nil), arg(1)...)
		y[len(y)-1] ^= 1
		return set(g.fadd(arg(0), y))
	case smt.OpFMul:
		return set(g.fmul(arg(0), arg(1)))
	case smt.OpFDiv:
		return set(g.fdiv(arg(0), arg(1)))
	case smt.OpFSqrt:
		return set(append(word(nil), g.fsqrt(arg(0))...))
	case smt.OpFFma:
		return set(g.ffma(arg(0), arg(1), arg(2)))
	case smt.OpFMin:
		return set(append(word(nil), g.fminmax(arg(0), arg(1), false)...))
	case smt.OpFMax:
		return set(append(word(nil), g.fminmax(arg(0), arg(1), true)...))
	case smt.OpFEq:
		return setBool(g.feq(arg(0), arg(1)))
	case smt.OpFLt:
		return setBool(g.flt(arg(0), arg(1)))
	case smt.OpFLe:
		return setBool(g.fle(arg(0), arg(1)))
	case smt.OpFToS:
		return set(g.ftoint(arg(0), c.Width(t), true))
	case smt.OpFToU:
		return set(g.ftoint(arg(0), c.Width(t), false))
	case smt.OpSToF:
		return set(g.inttof(arg(0), c.Width(t), true))
	case smt.OpUToF:
		return set(g.inttof(arg(0), c.Width(t), false))
	case smt.OpFToF:
		return set(g.ftof(arg(0), c.Width(t)))
	case smt.OpFRound:
		return set(g.fround(c.RoundModeOf(t), arg(0)))
	case smt.OpFRem:
		// The circuit would need a step per exponent value: 2000 for a double.
		return fmt.Errorf("%w: fmod", errUnsupported)
	}
	return fmt.Errorf("%w: %v", errUnsupported, op)
}

// quotient returns quotient and remainder, which all terms of the same operands share. Signed division is unsigned
// division of the magnitudes.
func (b *blaster) quotient(x, y smt.Term, signed bool) (q, r word) {
	g := b.g
	key := [2]smt.Term{x, y}
	u, v := b.word(x), b.word(y)
	if !signed {
		if w, ok := b.quot[key]; ok {
			return w[0], w[1]
		}
		q, r = b.divide(u, v)
		b.quot[key] = [2]word{q, r}
		return q, r
	}
	n := len(u)
	su, sv := u[n-1], v[n-1]
	q, r = b.divide(g.negIf(su, u), g.negIf(sv, v))
	return g.negIf(g.xor(su, sv), q), g.negIf(su, r)
}

// divide builds the quotient and asserts consequences, because search does not derive them through the stages of the
// divider:
//
//   - r < b unless b is zero
//   - r <= a
//   - q <= a unless b is zero
//   - if a < b, then q is zero and r is a
func (b *blaster) divide(u, v word) (q, r word) {
	g := b.g
	q, r = g.divide(u, v)
	zero := g.isZero(v)
	if zero != litTrue {
		b.side(zero, g.ult(r, v))
		b.side(g.ule(r, u))
		b.side(zero, g.ule(q, u))
		enough := g.ule(v, u)
		for i := range q {
			b.side(enough, q[i]^1)
			b.side(enough, g.xnor(r[i], u[i]))
		}
	}
	return q, r
}

// model returns the values of variables and function points, given the values of the graph's inputs. val has one word
// per node; only its lowest bit counts.
func (b *blaster) model(val []uint64) *smt.Model {
	bit := func(l lit) uint { return uint(val[l.node()]&1) ^ uint(l&1) }
	value := func(w word) smt.Value {
		if len(w) <= 64 {
			var v uint64
			for i, l := range w {
				v |= uint64(bit(l)) << i
			}
			return smt.UintValue(len(w), v)
		}
		v := new(big.Int)
		for i, l := range w {
			v.SetBit(v, i, bit(l))
		}
		return smt.BigValueOf(len(w), v)
	}
	m := smt.NewModel()
	for _, t := range b.vars {
		if b.c.Width(t) == 0 {
			m.SetVar(t, smt.BoolValue(bit(b.bool(t)) == 1))
		} else {
			m.SetVar(t, value(b.word(t)))
		}
	}
	for _, f := range b.order {
		as := b.funcs[f]
		for i := range as.args {
			m.SetFunc(f, value(as.args[i]), value(as.results[i]))
		}
	}
	return m
}
