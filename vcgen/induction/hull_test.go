package induction

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestKeeps checks that only equations are shown whose difference an iteration keeps.
func TestKeeps(t *testing.T) {
	in, h := places(t, 32, []int64{1, 2, 0, 0})
	c, i, j := in.c, h.Places[0].Sym, h.Places[1].Sym
	// sum += i; q += b
	b, sum, q := c.Var("b", smt.BV(32)), h.Places[2].Sym, h.Places[3].Sym
	h.Back[0].Values[2], h.Back[0].Values[3] = c.Add(sum, i), c.Add(q, b)
	in.states[0] = invariant.NewHead(in.terms, h)
	after := in.states[0].Back[0]
	for _, test := range []struct {
		name     string
		equation smt.Term
		want     bool
	}{
		{"j == 2 * i", c.Eq(j, c.Mul(i, c.Int(32, 2))), true},
		{"j == 2 * i + 7", c.Eq(j, c.Add(c.Mul(i, c.Int(32, 2)), c.Int(32, 7))), true},
		{"j == i", c.Eq(j, i), false},
		{"j == 3 * i", c.Eq(j, c.Mul(i, c.Int(32, 3))), false},
		{"i == 0", c.Eq(i, c.Int(32, 0)), false},
		{"i * (i - 1) == 2 * sum", c.Eq(c.Mul(i, c.Sub(i, c.Int(32, 1))), c.Mul(sum, c.Int(32, 2))), true},
		{"i * (i + 1) == 2 * sum", c.Eq(c.Mul(i, c.Add(i, c.Int(32, 1))), c.Mul(sum, c.Int(32, 2))), false},
		{"i * b == q", c.Eq(c.Mul(i, b), q), true},
		{"i * i == q", c.Eq(c.Mul(i, i), q), false},
	} {
		if got := in.keeps(test.equation, after); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestIsZero checks that a sum with choices is 0 only if it is 0 for each of them.
func TestIsZero(t *testing.T) {
	in, h := places(t, 32, []int64{1})
	c, i := in.c, h.Places[0].Sym
	p, q := c.Var("p", smt.Bool), c.Var("q", smt.Bool)
	one, zero := c.Int(32, 1), c.Int(32, 0)
	both := c.Sub(c.Add(i, c.Ite(p, one, zero)), c.Ite(p, c.Add(i, one), i))
	if !in.isZero(both, maxChoices) {
		t.Errorf("%s is 0", c.String(both))
	}
	if other := c.Sub(c.Add(i, c.Ite(p, one, zero)), c.Ite(q, c.Add(i, one), i)); in.isZero(other, maxChoices) {
		t.Errorf("%s is not 0", c.String(other))
	}
	for _, x := range []smt.Term{i, one, c.Neg(one), c.Ite(p, zero, one), c.Ite(p, one, zero), c.Mul(i, i)} {
		if in.isZero(x, maxChoices) {
			t.Errorf("%s is not 0", c.String(x))
		}
	}
	v := c.Var("v", smt.BV(8))
	is := func(k uint64) smt.Term { return c.Eq(v, c.Int(8, k)) }
	counted := func(last smt.Term) smt.Term { // the cases of a switch, and its default
		sum := c.Sub(i, c.Add(i, one))
		for _, when := range []smt.Term{is(1), c.Or(is(2), is(3)), is(4), last} {
			sum = c.Add(sum, c.Ite(when, one, zero))
		}
		return sum
	}
	if rest := c.Not(c.Or(is(1), is(2), is(3), is(4))); !in.isZero(counted(rest), maxChoices) {
		t.Error("each value is counted once")
	}
	if rest := c.Not(c.Or(is(1), is(2), is(4))); in.isZero(counted(rest), maxChoices) {
		t.Error("3 is counted twice")
	}
	small := c.Ult(v, c.Int(8, 5))
	overlap := c.Sub(i, c.Add(i, one))
	for _, when := range []smt.Term{small, is(1), c.Not(c.Or(small, is(1)))} {
		overlap = c.Add(overlap, c.Ite(when, one, zero))
	}
	if in.isZero(overlap, maxChoices) {
		t.Error("1 is counted twice, because it is small")
	}
	if !in.isZero(zero, maxChoices) {
		t.Error("0 is 0")
	}
}
