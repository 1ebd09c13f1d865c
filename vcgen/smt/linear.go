package smt

import "slices"

// Sums of up to 64 bits are flat: an Add has at most maxParts non-constant arguments, each a term or Mul(term,
// constant), in ascending order of the terms' handles, then at most one constant. A longer sum is nested: the longer
// operand becomes one opaque part, so a loop that accumulates ten thousand terms creates ten thousand short sums.
// Sums above 64 bits are binary.
const maxParts = 8

// Monomial is Coef*T modulo 2^w, where w is the width of T.
type Monomial struct {
	Coef uint64
	T    Term
}

// linear is konst plus the sum of parts, modulo 2^w. Parts are sorted by T, without zero coefficients.
type linear struct {
	w     int
	konst uint64
	n     int
	parts [3 * maxParts]Monomial
}

// put adds coef*t without splitting t.
func (l *linear) put(t Term, coef uint64) {
	m := mask(l.w)
	coef &= m
	if coef == 0 {
		return
	}
	i := l.n
	for i > 0 && l.parts[i-1].T >= t {
		i--
	}
	if i < l.n && l.parts[i].T == t {
		k := (l.parts[i].Coef + coef) & m
		if k != 0 {
			l.parts[i].Coef = k
			return
		}
		copy(l.parts[i:], l.parts[i+1:l.n])
		l.n--
		return
	}
	copy(l.parts[i+1:l.n+1], l.parts[i:l.n])
	l.parts[i] = Monomial{coef, t}
	l.n++
}

// addLinear adds coef*t to l, splitting one level of t: at most maxParts parts.
func (c *Context) addLinear(l *linear, t Term, coef uint64) {
	if c.nodes[t].op == OpAdd {
		for _, a := range c.Args(t) {
			c.addMonomial(l, a, coef)
		}
		return
	}
	c.addMonomial(l, t, coef)
}

func (c *Context) addMonomial(l *linear, t Term, coef uint64) {
	n := &c.nodes[t]
	switch n.op {
	case OpConst:
		l.konst = (l.konst + coef*n.aux) & mask(l.w)
	case OpMul:
		if k := &c.nodes[c.arg1(t)]; k.op == OpConst {
			l.put(c.arg0(t), coef*k.aux)
			return
		}
		l.put(t, coef)
	case OpBvNot: // ~x = -x - 1
		l.konst = (l.konst - coef) & mask(l.w)
		l.put(c.arg0(t), -coef)
	default:
		l.put(t, coef)
	}
}

// SumParts splits a bit-vector of at most 64 bits into a constant and monomials, modulo 2^w.
//
// The terms of the monomials are distinct. A part of a long sum may itself be a sum.
func (c *Context) SumParts(t Term) (konst uint64, parts []Monomial) {
	w := c.mustBV("SumParts", t)
	if w > 64 {
		panic("smt: SumParts: more than 64 bits")
	}
	l := linear{w: w}
	c.addLinear(&l, t, 1)
	return l.konst, slices.Clone(l.parts[:l.n])
}

// monomial returns coef*t; coef is not 0.
func (c *Context) monomial(w int, m Monomial) Term {
	if m.Coef == 1 {
		return m.T
	}
	return c.intern(OpMul, Sort(w), 0, []Term{m.T, c.Int(w, m.Coef)})
}

// fromLinear returns the term of a sum with at most maxParts parts.
func (c *Context) fromLinear(l *linear) Term {
	m := mask(l.w)
	switch {
	case l.n == 0:
		return c.Int(l.w, l.konst)
	case l.n == 1 && l.konst == 0:
		return c.monomial(l.w, l.parts[0])
	case l.n == 1 && l.konst == m && l.parts[0].Coef == m:
		return c.intern(OpBvNot, Sort(l.w), 0, []Term{l.parts[0].T})
	}
	var buf [maxParts + 1]Term
	args := buf[:0]
	for _, p := range l.parts[:l.n] {
		args = append(args, c.monomial(l.w, p))
	}
	k := l.konst
	// The facts of a monomial may have folded it to a constant.
	j := 0
	for _, a := range args {
		if n := &c.nodes[a]; n.op == OpConst {
			k = (k + n.aux) & m
			continue
		}
		args[j] = a
		j++
	}
	args = args[:j]
	switch {
	case j == 0:
		return c.Int(l.w, k)
	case j == 1 && k == 0:
		return args[0]
	}
	if k != 0 {
		args = append(args, c.Int(l.w, k))
	}
	return c.intern(OpAdd, Sort(l.w), 0, args)
}

// sum returns coefA*a + coefB*b, of at most 64 bits.
func (c *Context) sum(w int, a Term, coefA uint64, b Term, coefB uint64) Term {
	l := linear{w: w}
	c.addLinear(&l, a, coefA)
	c.addLinear(&l, b, coefB)
	if l.n <= maxParts {
		return c.fromLinear(&l)
	}
	// Too long: the operand with more parts becomes one opaque part. Constants remain outside.
	x, y := linear{w: w}, linear{w: w}
	c.addLinear(&x, a, coefA)
	c.addLinear(&y, b, coefB)
	if x.n < y.n {
		x, y = y, x
	}
	l = linear{w: w, konst: x.konst + y.konst}
	l.konst &= mask(w)
	c.putOpaque(&l, &x)
	if y.n+1 <= maxParts {
		for _, p := range y.parts[:y.n] {
			l.put(p.T, p.Coef)
		}
	} else {
		c.putOpaque(&l, &y)
	}
	return c.fromLinear(&l)
}

func (c *Context) putOpaque(l *linear, x *linear) {
	x.konst = 0
	t := c.fromLinear(x)
	if n := &c.nodes[t]; n.op == OpConst {
		l.konst = (l.konst + n.aux) & mask(l.w)
		return
	}
	l.put(t, 1)
}
