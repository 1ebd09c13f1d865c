package solver

import (
	"context"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestFunctionsAgainstZ3 solves random queries with nested applications and arguments of few and of many bits, with
// ties at once and on demand.
func TestFunctionsAgainstZ3(t *testing.T) {
	sat, unsat, lemmas := 0, 0, 0
	for seed := range int64(fewer(300)) {
		r := rand.New(rand.NewSource(seed))
		c := smt.NewContext()
		const w = 8
		f := []smt.Func{c.NewFunc("f", w, w), c.NewFunc("g", w, 4)}
		var words []smt.Term
		for range 4 {
			words = append(words, c.Var("x", smt.BV(w)))
		}
		small := c.Var("i", smt.BV(2))
		pick := func() smt.Term { return words[r.Intn(len(words))] }
		for range 12 + r.Intn(20) {
			var arg smt.Term
			switch r.Intn(4) {
			case 0: // few bits
				arg = c.Add(c.Mul(c.Zext(small, w), c.Int(w, uint64(1+r.Intn(5)))), c.Int(w, uint64(r.Intn(9))))
			case 1:
				arg = c.Int(w, uint64(r.Intn(12)))
			default:
				arg = c.Add(pick(), c.Int(w, uint64(r.Intn(3))))
			}
			if r.Intn(3) > 0 {
				words = append(words, c.Apply(f[0], arg))
			} else {
				words = append(words, c.Zext(c.Apply(f[1], arg), w))
			}
		}
		var facts []smt.Term
		for range 10 + r.Intn(14) {
			a, b := pick(), pick()
			switch r.Intn(4) {
			case 0:
				facts = append(facts, c.Eq(a, b))
			case 1:
				facts = append(facts, c.Not(c.Eq(a, b)))
			case 2:
				facts = append(facts, c.Ult(a, b))
			default:
				facts = append(facts, c.Or(c.Eq(a, b), c.Ult(b, pick())))
			}
		}
		want := ask(t, c, "z3", facts, -1)
		for _, eager := range []int{0, 5, eagerTies} {
			s := newCadical(c, Options{})
			s.b.eager = eager
			for _, x := range facts {
				s.Assert(x)
			}
			res := s.Check(context.Background(), nil, 0)
			if res.Answer != want {
				t.Fatalf("seed %d, %d pairs at once: %v, Z3 says %v", seed, eager, res, want)
			}
			lemmas += s.Stats().Lemmas
			if res.Answer == smt.Sat {
				e := c.NewEvaluator(s.Model())
				for _, x := range facts {
					if !e.EvalBool(x) {
						t.Fatalf("seed %d, %d pairs at once: the model violates %s", seed, eager, c.String(x))
					}
				}
			}
			s.Close()
		}
		if want == smt.Sat {
			sat++
		} else {
			unsat++
		}
	}
	t.Logf("%d sat, %d unsat, %d lemmas", sat, unsat, lemmas)
	if sat < 5 || unsat < 5 || lemmas < 50 {
		t.Errorf("%d sat, %d unsat, %d lemmas: the questions test little", sat, unsat, lemmas)
	}
}

func ask(t *testing.T, c *smt.Context, kind string, facts []smt.Term, steps int64) smt.Answer {
	t.Helper()
	s, err := New(kind, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, x := range facts {
		s.Assert(x)
	}
	return s.Check(context.Background(), nil, steps).Answer
}

// TestCut compares words with the tables of their cuts.
func TestCut(t *testing.T) {
	found := 0
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		g := newAIG()
		x := append(word(nil), g.fresh(1+r.Intn(5))...)
		wide := append(append(word(nil), x...), make(word, 12-len(x))...)
		w := wide
		for range 1 + r.Intn(3) {
			switch r.Intn(3) {
			case 0:
				w, _ = g.add(append(word(nil), w...), append(word(nil), wide...), litFalse)
			case 1:
				w, _ = g.add(append(word(nil), w...), constant(12, uint64(r.Intn(100))), litFalse)
			default:
				w = append(append(word(nil), litFalse), w[:11]...)
			}
		}
		cut, ok := g.cut(w)
		if !ok {
			if len(x) <= maxCut && len(x) <= 2 {
				t.Errorf("seed %d: no cut", seed)
			}
			continue
		}
		found++
		rows := g.tabulate(w, cut)
		for v := range uint64(1) << len(x) {
			val := make([]uint64, g.size())
			for k, l := range x {
				val[l.node()] = v >> k & 1
			}
			g.simulate(val, 0)
			row := 0
			for k, n := range cut {
				row |= int(val[n]&1) << k
			}
			for k, l := range w {
				if got := lit(val[l.node()]&1) ^ l&1; got != rows[row][k] {
					t.Fatalf("seed %d: bit %d under %d is %d, tabulated %d", seed, k, v, got, rows[row][k])
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("a cut for %d of 200 words", found)
	}
}

func constant(n int, v uint64) word {
	w := make(word, n)
	for i := range w {
		w[i] = lit(v >> i & 1)
	}
	return w
}
