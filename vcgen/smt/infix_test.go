package smt

import (
	"strings"
	"testing"
)

// TestInfix checks the printed form of terms. Names of repeated terms are defined first, one on each line.
func TestInfix(t *testing.T) {
	c := NewContext()
	x, y, b := c.Var("x", BV(32)), c.Var("y", BV(32)), c.Var("it fails", Bool)
	again := c.Var("x", BV(8))
	f := c.NewFunc("content", 64, 8)
	sum := c.Mul(c.Add(x, y), c.Add(x, c.Int(32, 1)))
	for _, q := range []struct {
		name string
		t    Term
		want string
	}{
		{"a sum", c.Add(x, c.Int(32, 3)), "x + 3"},
		{"a difference", c.Sub(x, y), "x - y"},
		{"a difference from a constant", c.Sub(x, c.Int(32, 3)), "x - 3"},
		{"unsigned", c.Ult(x, c.Int(32, 0xfffffff0)), "x <u 0xfffffff0"},
		{"signed", c.Slt(c.Int(32, 0xfffffff0), x), "x >=s -15"},
		{"a negation", c.Not(c.Eq(x, y)), "x != y"},
		{"a symbol with a space", c.Not(b), "!it_fails"},
		{"a second symbol of a name", c.And(c.Eq(x, y), c.Ult(again, c.Int(8, 200))), "x == y && x'2 <u 200"},
		{"either", c.Or(b, c.Eq(x, y)), "it_fails || x == y"},
		{"both of either", c.And(b, c.Or(c.Eq(x, y), c.Ult(x, c.Int(32, 9)))), "it_fails && (x == y || x <u 9)"},
		{"a choice", c.Ite(b, x, c.Int(32, 0xffffffff)), "it_fails ? x : -1"},
		{"a product of sums", sum, "(x + y) * (x + 1)"},
		{"a part", c.Extract(x, 7, 4), "x[7:4]"},
		{"a bit", c.Extract(x, 31, 31), "x[31]"},
		{"extensions", c.Add(c.Sext(x, 64), c.Zext(y, 64)), "s64(x) + u64(y)"},
		{"both together", c.Concat(x, y), "{x, y}"},
		{"a function", c.Eq(c.Apply(f, c.Zext(x, 64)), c.Int(8, 5)), "content(u64(x)) == 5"},
		{"a shift", c.Shl(x, c.Add(y, c.Int(32, 1))), "x << y + 1"},
		{"a constant alone", c.Int(32, 7), "7:32"},
		{"what occurs twice", c.And(c.Ult(c.BvXor(sum, y), y), c.Ult(x, c.BvXor(sum, y))),
			"$1 = y ^ (x + y) * (x + 1)\n$1 <u y && x <u $1"},
	} {
		p := NewInfix(c, q.t)
		if got := strings.Join(append(p.Define(q.t), p.Term(q.t)), "\n"); got != q.want {
			t.Errorf("%s: %s, want %s", q.name, got, q.want)
		}
	}
}

// TestInfixLines checks that the lines of a long term are short, and that each definition is printed once.
func TestInfixLines(t *testing.T) {
	c := NewContext()
	long := c.Var("x", BV(32))
	for i := range 200 {
		long = c.BvXor(c.Mul(long, c.Int(32, 3)), c.Var("y", BV(32)))
		if i%3 == 0 {
			long = c.Add(long, c.Var("z", BV(32)))
		}
	}
	p := NewInfix(c, long)
	lines := p.Define(long)
	if len(lines) < 5 || len(p.Define(long)) > 0 {
		t.Errorf("%d definitions, then %d", len(lines), len(p.Define(long)))
	}
	for _, line := range append(lines, p.Term(long)) {
		if len(line) > 300 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}
