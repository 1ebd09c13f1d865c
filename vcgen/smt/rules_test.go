package smt

import (
	"math/rand"
	"testing"
)

// TestWantedForms checks rewritings that other code relies on: both sides of each row must be one term.
func TestWantedForms(t *testing.T) {
	c := NewContext()
	a, b, g, d := c.Var("a", Bool), c.Var("b", Bool), c.Var("g", Bool), c.Var("d", Bool)
	x, y, z := c.Var("x", BV(32)), c.Var("y", BV(32)), c.Var("z", BV(32))
	p, q := c.Var("p", BV(8)), c.Var("q", BV(8))
	base := c.VarAligned("base", 64, 4)
	off := c.Var("off", BV(64))
	k := func(v int64) Term { return c.IntS(32, v) }
	k64 := func(v int64) Term { return c.IntS(64, v) }
	bytes := func(t Term) []Term {
		var out []Term
		for i := 0; i < c.Width(t); i += 8 {
			out = append(out, c.Extract(t, i+7, i))
		}
		return out
	}
	joinUp := func(bs []Term) Term { // like a loader that reads the low byte first
		r := bs[0]
		for _, b := range bs[1:] {
			r = c.Concat(b, r)
		}
		return r
	}
	joinDown := func(bs []Term) Term {
		r := bs[len(bs)-1]
		for i := len(bs) - 2; i >= 0; i-- {
			r = c.Concat(r, bs[i])
		}
		return r
	}
	little := func(bs []Term, w int) Term { // p[0] | p[1]<<8 | ...
		r := c.Zext(bs[0], w)
		for i, b := range bs[1:] {
			r = c.BvOr(r, c.Shl(c.Zext(b, w), c.Int(w, uint64(8*(i+1)))))
		}
		return r
	}
	iteBytes := func(cond Term, u, v []Term) []Term {
		var out []Term
		for i := range u {
			out = append(out, c.Ite(cond, u[i], v[i]))
		}
		return out
	}
	T, F := c.True(), c.False()
	gab := c.And(c.And(g, a), b)
	four := func(t Term) Term { return c.Mul(t, k(4)) }
	c4 := c.Zext(p, 64)
	rows := []struct {
		name      string
		got, want Term
	}{
		{"and same", c.And(a, a), a},
		{"and opposite", c.And(a, c.Not(a)), F},
		{"and contained", c.And(gab, a), gab},
		{"and refuted", c.And(gab, c.Not(a)), F},
		{"and commutes", c.And(b, c.And(g, a)), c.And(c.And(g, a), b)},
		{"join", c.Or(c.And(g, a), c.And(g, c.Not(a))), g},
		{"join of three", c.Or(c.Or(c.And(g, a), c.And(c.And(g, c.Not(a)), b)), c.And(c.And(g, c.Not(a)), c.Not(b))), g},
		{"join of three, other order", c.Or(c.Or(c.And(c.And(g, c.Not(a)), c.Not(b)), c.And(c.And(g, c.Not(a)), b)),
			c.And(g, a)), g},
		{"nested join", c.Or(c.And(c.And(g, a), b), c.And(c.And(g, a), c.Not(b))), c.And(g, a)},
		{"or drops", c.Or(c.And(g, c.Not(a)), a), c.Or(g, a)},
		{"or absorbs", c.Or(g, c.And(g, a)), g},
		{"and absorbs", c.And(g, c.Or(g, a)), g},
		{"subtract", c.And(g, c.Not(c.And(g, a))), c.And(g, c.Not(a))},
		{"switch", c.And(c.Eq(x, k(1)), c.Eq(x, k(2))), F},
		{"switch default", c.And(c.And(g, c.Eq(x, k(1))), c.Ne(x, k(2))), c.And(g, c.Eq(x, k(1)))},
		{"ite same", c.Ite(a, x, x), x},
		{"ite not", c.Ite(c.Not(a), x, y), c.Ite(a, y, x)},
		{"ite inner then", c.Ite(a, c.Ite(a, x, y), z), c.Ite(a, x, z)},
		{"ite inner else", c.Ite(a, x, c.Ite(a, y, z)), c.Ite(a, x, z)},
		{"ite implied", c.Ite(c.And(g, a), c.Ite(a, x, y), z), c.Ite(c.And(g, a), x, z)},
		{"ite part of condition", c.Ite(g, c.Ite(c.And(g, a), x, y), z), c.Ite(g, c.Ite(a, x, y), z)},
		{"ite excluded", c.Ite(g, x, c.Ite(c.And(g, a), y, z)), c.Ite(g, x, z)},
		{"ite open last", c.Ite(a, c.Ite(b, x, k(1)), c.Ite(g, k(2), x)),
			c.Ite(c.Ite(a, b, c.Not(g)), x, c.Ite(a, k(1), k(2)))},
		{"ite open last, once", c.Ite(a, c.Ite(b, x, k(1)), k(2)), c.Ite(c.And(a, b), x, c.Ite(a, k(1), k(2)))},
		{"ite share", c.Ite(a, c.Ite(b, x, y), y), c.Ite(c.And(a, b), x, y)},
		{"ite bool", c.Ite(a, b, F), c.And(a, b)},
		{"ite bool or", c.Ite(a, T, b), c.Or(a, b)},
		{"eq ite", c.Eq(c.Ite(a, k(3), k(4)), k(3)), a},
		{"eq ite no", c.Eq(c.Ite(a, k(3), k(4)), k(4)), c.Not(a)},
		{"eq ite never", c.Eq(c.Ite(a, k(3), k(4)), k(5)), F},
		{"eq nested ite", c.Eq(c.Ite(a, k(3), c.Ite(b, k(4), k(5))), k(4)), c.And(c.Not(a), b)},
		{"ult ite", c.Ult(c.Ite(a, k(3), k(9)), k(5)), a},
		{"slt ite", c.Slt(c.Ite(a, k(-3), k(9)), k(0)), a},
		{"bool to bv and back", c.BVToBool(c.BoolToBV(a, 8)), a},
		{"bool to bv, extended, and back", c.Ne(c.Zext(c.BoolToBV(a, 8), 32), k(0)), a},
		{"one bit", c.Eq(c.Extract(c.Zext(c.BoolToBV(a, 1), 32), 0, 0), c.Int(1, 0)), c.Not(a)},
		{"x+1-1", c.Sub(c.Add(x, k(1)), k(1)), x},
		{"a+b-a", c.Sub(c.Add(x, y), x), y},
		{"2x-x", c.Sub(c.Mul(x, k(2)), x), x},
		{"distribute", four(c.Add(x, k(1))), c.Add(four(x), k(4))},
		{"divisor times quotient", c.Mul(y, c.Udiv(x, y)), c.Sub(x, c.Urem(x, y))},
		{"round up", c.Mul(c.Zext(x, 64), c.Add(c.Zext(c.Udiv(y, x), 64), k64(1))),
			c.Add(c.Sub(c.Zext(y, 64), c.Zext(c.Urem(y, x), 64)), c.Zext(x, 64))},
		{"quotient with a longer divisor", c.Mul(c.Udiv(off, c.Zext(x, 64)), c.Zext(x, 64)),
			c.Sub(off, c.Urem(off, c.Zext(x, 64)))},
		{"shift is product", c.Shl(x, k(2)), four(x)},
		{"eq const", c.Eq(c.Add(x, k(3)), k(5)), c.Eq(x, k(2))},
		{"eq cancels", c.Eq(c.Add(z, x), c.Add(z, y)), c.Eq(x, y)},
		{"eq sides", c.Eq(c.Sub(x, y), k(0)), c.Eq(y, x)},
		{"eq offset", c.Eq(c.Add(x, k(1)), c.Add(y, k(1))), c.Eq(x, y)},
		{"eq itself+1", c.Eq(x, c.Add(x, k(1))), F},
		{"xor", c.BvXor(c.BvXor(x, y), x), y},
		{"aligned mask", c.BvAnd(c.Add(base, k64(3)), k64(^7)), base},
		{"aligned or", c.BvOr(base, k64(1)), c.Add(base, k64(1))},
		{"aligned low", c.BvAnd(c.Add(base, k64(5)), k64(7)), k64(5)},
		{"extract zext", c.Extract(c.Zext(x, 64), 31, 0), x},
		{"truncated sum", c.Extract(c.Add(c.Zext(p, 32), c.Zext(q, 32)), 7, 0), c.Add(p, q)},
		{"bytes up", joinUp(bytes(off)), off},
		{"bytes down", joinDown(bytes(off)), off},
		{"bytes of a sum", joinUp(bytes(c.Add(c.Zext(p, 32), c.Zext(q, 32)))), c.Add(c.Zext(p, 32), c.Zext(q, 32))},
		{"bytes of zext", joinUp(bytes(c.Zext(p, 32))), c.Zext(p, 32)},
		{"bytes of sext", joinUp(bytes(c.Sext(p, 32))), c.Sext(p, 32)},
		{"bytes of sext, down", joinDown(bytes(c.Sext(p, 32))), c.Sext(p, 32)},
		{"bytes of pointer", joinUp(bytes(c.Add(base, off))), c.Add(base, off)},
		{"bytes of aligned", joinDown(bytes(base)), base},
		{"bytes of ite", joinUp(bytes(c.Ite(a, x, y))), c.Ite(a, x, y)},
		{"ite of bytes", joinUp(iteBytes(a, bytes(x), bytes(y))), c.Ite(a, x, y)},
		{"ites of bytes", joinUp(iteBytes(a, bytes(x), iteBytes(b, bytes(y), iteBytes(d, bytes(z), bytes(k(7)))))),
			c.Ite(a, x, c.Ite(b, y, c.Ite(d, z, k(7))))},
		{"ites of bytes, down", joinDown(iteBytes(a, iteBytes(b, bytes(x), bytes(y)), bytes(z))),
			c.Ite(a, c.Ite(b, x, y), z)},
		{"little endian", little(bytes(x), 32), x},
		{"little endian in 64", little(bytes(x), 64), c.Zext(x, 64)},
		{"little endian of ites", little(iteBytes(a, bytes(x), bytes(y)), 32), c.Ite(a, x, y)},
		{"halves", c.BvOr(c.Shl(c.Zext(x, 64), k64(32)), c.Zext(y, 64)), c.Concat(x, y)},
		{"eq zext", c.Eq(c.Zext(p, 32), c.Zext(q, 32)), c.Eq(p, q)},
		{"eq zext const", c.Eq(c.Zext(p, 32), k(256)), F},
		{"eq concat", c.Eq(c.Concat(p, q), c.Int(16, 0x102)), c.And(c.Eq(p, c.Int(8, 1)), c.Eq(q, c.Int(8, 2)))},
		{"ult zext", c.Ult(c.Zext(p, 32), c.Zext(q, 32)), c.Ult(p, q)},
		{"slt zext", c.Slt(c.Zext(p, 32), c.Zext(q, 32)), c.Ult(p, q)},
		{"ult range", c.Ult(c.Urem(x, k(10)), k(10)), T},
		{"sle range", c.Sle(k(0), c.Zext(p, 32)), T},
		{"scaled bound", c.Ult(c.Mul(c4, k64(4)), k64(40)), c.Ult(p, c.Int(8, 10))},
		{"offset bound", c.Ule(c.Add(c4, k64(4)), k64(40)), c.Ule(p, c.Int(8, 36))},
		{"extended index", c.Sext(c.Add(c.Zext(p, 32), k(1)), 64), c.Add(c4, k64(1))},
		{"65 bits", c.Ule(c.Add(c.Zext(c4, 65), c.Int(65, 4)), c.Zext(k64(40), 65)), c.Ule(p, c.Int(8, 36))},
		{"udiv", c.Udiv(x, k(8)), c.Zext(c.Extract(x, 31, 3), 32)},
		{"urem", c.Urem(x, k(8)), c.Zext(c.Extract(x, 2, 0), 32)},
		{"sdiv nonneg", c.Sdiv(c.Zext(p, 32), k(8)), c.Zext(c.Extract(p, 7, 3), 32)},
		{"byte of masked", c.Extract(c.BvAnd(x, k(0xff00)), 15, 8), c.Extract(x, 15, 8)},
		{"shift out byte", c.BvAnd(c.Lshr(x, k(8)), k(255)), c.Zext(c.Extract(x, 15, 8), 32)},
	}
	for _, r := range rows {
		if r.got != r.want {
			t.Errorf("%s: got %s, want %s", r.name, c.String(r.got), c.String(r.want))
		}
	}
}

// TestGuardsCollapse checks on random structured programs that guards which fork and join return to their initial
// form.
func TestGuardsCollapse(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	c := NewContext()
	var region func(g Term, depth int) Term
	region = func(g Term, depth int) Term {
		for range 1 + r.Intn(3) {
			if depth == 0 {
				return g
			}
			cond := c.Var("c", Bool)
			if r.Intn(2) == 0 {
				cond = c.And(cond, c.Var("d", Bool))
			}
			g = c.Or(region(c.And(g, cond), depth-1), region(c.And(g, c.Not(cond)), depth-1))
		}
		return g
	}
	for range 20 {
		g := c.And(c.Var("g", Bool), c.Var("h", Bool))
		if got := region(g, 4); got != g {
			t.Fatalf("guard did not collapse: %s", c.String(got))
		}
	}
	// A switch over a term with a default, joined in order.
	x := c.Var("x", BV(32))
	g := c.Var("g", Bool)
	rest, join := g, c.False()
	for i := range 10 {
		eq := c.Eq(x, c.Int(32, uint64(i)))
		join = c.Or(join, c.And(rest, eq))
		rest = c.And(rest, c.Not(eq))
	}
	if join = c.Or(join, rest); join != g {
		t.Errorf("switch did not collapse: %s", c.String(join))
	}
}

// TestRangeOfMinimum checks that a minimum is bounded by both numbers, however its condition is written.
//
// A maximum is at least both numbers.
func TestRangeOfMinimum(t *testing.T) {
	c := NewContext()
	x, few := c.Var("x", BV(64)), c.Zext(c.Var("few", BV(3)), 64)
	many := c.Add(few, c.Int(64, 100))
	g := c.Var("g", Bool)
	min := func(a, b Term) Term { return c.Ite(c.Ult(a, b), a, b) }
	max := func(a, b Term) Term { return c.Ite(c.Ult(a, b), b, a) }
	for _, row := range []struct {
		name   string
		t      Term
		lo, hi uint64
	}{
		{"minimum", min(x, few), 0, 7},
		{"minimum, the other way", min(few, x), 0, 7},
		{"of three", min(min(x, many), few), 0, 7},
		{"of three, the other way", min(x, min(many, few)), 0, 7},
		{"maximum", max(x, many), 100, ^uint64(0)},
		{"maximum, the other way", max(many, x), 100, ^uint64(0)},
		{"another condition as well", c.Ite(c.And(g, c.Ult(x, few)), x, few), 0, 7},
		{"where it is not less", c.Ite(c.And(g, c.Not(c.Ult(x, many))), x, many), 100, ^uint64(0)},
		{"a condition that need not hold", c.Ite(c.Or(g, c.Ult(x, few)), x, few), 0, ^uint64(0)},
	} {
		if lo, hi := c.Range(row.t); lo != row.lo || hi != row.hi {
			t.Errorf("%s: %d to %d, want %d to %d", row.name, lo, hi, row.lo, row.hi)
		}
	}
}
