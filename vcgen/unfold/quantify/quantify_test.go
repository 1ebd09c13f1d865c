package quantify

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestSolve checks the values of variables for which the offset of a body equals that of a read.
func TestSolve(t *testing.T) {
	c := smt.NewContext()
	k, i := c.Var("k", smt.BV(64)), c.Var("i", smt.BV(64))
	j, n := c.Var("j", smt.BV(32)), c.Var("n", smt.BV(64))
	int64s := func(v uint64) smt.Term { return c.Int(64, v) }
	k32 := c.Zext(c.Extract(k, 31, 0), 64) // a variable of type uint32_t
	j64 := c.Zext(j, 64)
	times := func(x smt.Term, by uint64) smt.Term { return c.Mul(x, int64s(by)) }
	two := c.Add(times(i, 512), times(k, 2)) // m[i][k]
	tests := []struct {
		what     string
		off, at  smt.Term
		vars     []smt.Term
		want     []smt.Term
		inexact  bool
		unsolved bool
	}{
		{what: "a byte", off: k, at: n, vars: []smt.Term{k}, want: []smt.Term{n}},
		{what: "an element", off: c.Add(times(k32, 2), int64s(8)), at: c.Add(times(j64, 2), int64s(8)), vars: []smt.Term{k},
			want: []smt.Term{c.Sext(j, 64)}},
		{what: "the second byte of an element", off: times(k, 4), at: c.Add(times(n, 4), int64s(3)), vars: []smt.Term{k},
			want: []smt.Term{n}},
		{what: "a constant", off: times(k, 4), at: int64s(13), vars: []smt.Term{k}, want: []smt.Term{int64s(3)}},
		{what: "backwards", off: c.Sub(n, k), at: int64s(3), vars: []smt.Term{k}, want: []smt.Term{c.Sub(n, int64s(3))}},
		{what: "a matrix", off: two, at: c.Add(times(n, 512), times(j64, 2)), vars: []smt.Term{i, k},
			want: []smt.Term{n, j64}},
		{what: "a matrix at a constant", off: two, at: int64s(2*512 + 6), vars: []smt.Term{i, k},
			want: []smt.Term{int64s(2), int64s(3)}},
		{what: "no multiple", off: times(k, 8), at: n, vars: []smt.Term{k}, inexact: true,
			want: []smt.Term{c.Udiv(n, int64s(8))}},
		{what: "masked", off: c.BvAnd(k, c.Add(n, int64s(1))), at: n, vars: []smt.Term{k}, unsolved: true},
	}
	for _, test := range tests {
		s := &solving{c: c, vars: test.vars, syntactic: true, values: map[smt.Term]smt.Term{}}
		if ok := s.solve(test.off, test.at); ok == test.unsolved {
			t.Errorf("%s: solved is %v", test.what, ok)
			continue
		}
		if s.inexact != test.inexact {
			t.Errorf("%s: inexact is %v", test.what, s.inexact)
		}
		for v, want := range test.want {
			if got := s.values[test.vars[v]]; got != want {
				t.Errorf("%s: variable %d is %s, want %s", test.what, v, c.String(got), c.String(want))
			}
		}
	}
}

// TestNested checks that an inner quantifier has a separate truth value for each value of the outer variable.
func TestNested(t *testing.T) {
	c := smt.NewContext()
	i, j := c.Var("i", smt.BV(64)), c.Var("j", smt.BV(64))
	in := &Quantifier{Sym: c.Var("in", smt.Bool), Vars: []smt.Term{j}, Body: c.Ult(j, i), made: map[string]bool{}}
	out := &Quantifier{Sym: c.Var("out", smt.Bool), Vars: []smt.Term{i}, Body: c.Not(in.Sym), Inner: []*Quantifier{in},
		nested: true, made: map[string]bool{}}
	of := func(v uint64) (smt.Term, []*Quantifier) { return out.Instance(c, []smt.Term{c.Int(64, v)}) }
	three, copies := of(3)
	five, more := of(5)
	if len(copies) != 1 || len(more) != 1 || copies[0].Sym == more[0].Sym || copies[0].Sym == in.Sym {
		t.Fatalf("copies: %v and %v", copies, more)
	}
	if copies[0].Body != c.Ult(j, c.Int(64, 3)) || more[0].Body != c.Ult(j, c.Int(64, 5)) {
		t.Errorf("they say %s and %s", c.String(copies[0].Body), c.String(more[0].Body))
	}
	if again, none := of(3); !c.IsTrue(again) || len(none) > 0 {
		t.Errorf("a second instance for the same value: %s", c.String(again))
	}
	// If a copy does not hold, it has a witness.
	m := smt.NewModel()
	m.SetVar(out.Sym, smt.BoolValue(true))
	holds := func(fact smt.Term) bool { return c.NewEvaluator(m).EvalBool(fact) }
	for witnesses, want := range map[uint64]bool{2: false, 3: true} {
		m.SetVar(copies[0].witnesses[j], smt.UintValue(64, witnesses))
		if got := holds(three); got != want {
			t.Errorf("there is a j of at least 3, which is %d: %v", witnesses, got)
		}
	}
	if holds(five) {
		t.Error("what is known for 3 is taken for what is known for 5")
	}
}
