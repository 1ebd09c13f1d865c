package solver

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// slow is set under the race detector, which slows the tests down tenfold.
var slow bool

// fewer reduces the rounds of a random test if time is short.
func fewer(n int) int {
	if slow || testing.Short() {
		return n / 8
	}
	return n
}

func open(t testing.TB, kind string, c *smt.Context) smt.Solver {
	t.Helper()
	s, err := New(kind, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func check(t testing.TB, s smt.Solver, want smt.Answer, assumptions ...smt.Term) {
	t.Helper()
	if r := s.Check(context.Background(), assumptions, 0); r.Answer != want {
		t.Fatalf("got %v (%s), want %v", r.Answer, r.Reason, want)
	}
}

// generator generates random terms of a few widths over a few variables.
type generator struct {
	r      *rand.Rand
	c      *smt.Context
	vars   map[int][]smt.Term // by width; 0: Bool
	funcs  []smt.Func         // of width 8
	floats bool
	small  bool // only widths that every back end decides soon
}

func newGenerator(seed int64, c *smt.Context) *generator {
	g := &generator{r: rand.New(rand.NewSource(seed)), c: c, vars: map[int][]smt.Term{}}
	for _, n := range []int{1, 3, 8, 32, 64, 100} {
		for i := 0; i < 3; i++ {
			g.vars[n] = append(g.vars[n], c.Var(fmt.Sprintf("v%d", n), smt.BV(n)))
		}
	}
	g.vars[8] = append(g.vars[8], c.VarAligned("aligned", 8, 2))
	for i := 0; i < 3; i++ {
		g.vars[0] = append(g.vars[0], c.Var("b", smt.Bool))
	}
	g.funcs = []smt.Func{c.NewFunc("f", 8, 8), c.NewFunc("g", 8, 8)}
	return g
}

func (g *generator) boolean(depth int) smt.Term {
	c := g.c
	if depth == 0 {
		return g.vars[0][g.r.Intn(3)]
	}
	b := func() smt.Term { return g.boolean(depth - 1) }
	n := []int{1, 3, 8, 8, 32}[g.r.Intn(5)]
	if g.small {
		n = min(n, 8)
	}
	v := func() smt.Term { return g.bv(n, depth-1) }
	if g.floats && g.r.Intn(4) == 0 {
		n = 32
		return []func(a, b smt.Term) smt.Term{c.FEq, c.FLt, c.FLe}[g.r.Intn(3)](v(), v())
	}
	switch g.r.Intn(12) {
	case 0:
		return c.Not(b())
	case 1:
		return c.And(b(), b())
	case 2:
		return c.Or(b(), b())
	case 3:
		return c.Xor(b(), b())
	case 4:
		return c.Ite(b(), b(), b())
	case 5, 6:
		return c.Eq(v(), v())
	case 7:
		return c.Ult(v(), v())
	case 8:
		return c.Ule(v(), v())
	case 9:
		return c.Slt(v(), v())
	case 10:
		return c.Sle(v(), v())
	}
	return c.Ne(v(), v())
}

func (g *generator) constant(n int) smt.Term {
	switch g.r.Intn(3) {
	case 0:
		return g.c.IntS(n, int64(g.r.Intn(7)-3))
	case 1:
		return g.c.Big(n, new(big.Int).Lsh(big.NewInt(1), uint(g.r.Intn(n))))
	}
	return g.c.Int(n, g.r.Uint64())
}

func (g *generator) bv(n, depth int) smt.Term {
	c := g.c
	if depth == 0 {
		if vs := g.vars[n]; len(vs) > 0 && g.r.Intn(5) > 0 {
			return vs[g.r.Intn(len(vs))]
		}
		return g.constant(n)
	}
	v := func() smt.Term { return g.bv(n, depth-1) }
	if g.floats && (n == 32 || n == 64) && g.r.Intn(2) == 0 {
		switch g.r.Intn(13) {
		case 0:
			return c.FAdd(v(), v())
		case 1:
			return c.FSub(v(), v())
		case 2:
			return c.FMul(v(), v())
		case 3:
			return c.FDiv(v(), v())
		case 4:
			return c.FSqrt(v())
		case 5:
			return c.FFma(v(), v(), v())
		case 6:
			return c.FMin(v(), v())
		case 7:
			return c.FMax(v(), v())
		case 8:
			return c.SToF(g.bv(64, depth-1), n)
		case 9:
			return c.UToF(g.bv(8, depth-1), n)
		case 10:
			return c.FToF(g.bv(96-n, depth-1), n)
		case 11:
			return c.FRound(smt.RoundMode(g.r.Intn(5)), v())
		case 12:
			if g.r.Intn(2) == 0 {
				return c.FToS(g.bv(32, depth-1), n)
			}
			return c.FToU(g.bv(32, depth-1), n)
		}
	}
	switch g.r.Intn(22) {
	case 0:
		return c.Add(v(), v())
	case 1:
		return c.Sub(v(), v())
	case 2:
		return c.Mul(v(), v())
	case 3:
		return c.Mul(v(), g.constant(n))
	case 4:
		return c.Udiv(v(), v())
	case 5:
		return c.Urem(v(), v())
	case 6:
		return c.Sdiv(v(), v())
	case 7:
		return c.Srem(v(), v())
	case 8:
		return c.BvAnd(v(), v())
	case 9:
		return c.BvOr(v(), v())
	case 10:
		return c.BvXor(v(), v())
	case 11:
		return c.BvNot(v())
	case 12:
		return c.Shl(v(), v())
	case 13:
		return c.Lshr(v(), v())
	case 14:
		return c.Ashr(v(), v())
	case 15:
		return c.Ite(g.boolean(depth-1), v(), v())
	case 16:
		if n > 8 {
			return c.Concat(g.bv(8, depth-1), g.bv(n-8, depth-1))
		}
	case 17, 18:
		if n <= 64 {
			from := []int{64, 100}[g.r.Intn(2)]
			if g.small {
				from = 32
			}
			if n > from {
				break
			}
			lo := g.r.Intn(from - n + 1)
			return c.Extract(g.bv(from, depth-1), lo+n-1, lo)
		}
	case 19:
		if n > 8 {
			return c.Zext(g.bv(8, depth-1), n)
		}
	case 20:
		if n > 8 {
			return c.Sext(g.bv(8, depth-1), n)
		}
	case 21:
		if n == 8 && len(g.funcs) > 0 {
			return c.Apply(g.funcs[g.r.Intn(2)], v())
		}
	}
	return c.Neg(v())
}

// randomModel sets all variables.
func (g *generator) randomModel(m *smt.Model) {
	for n, vs := range g.vars {
		for _, t := range vs {
			if n == 0 {
				m.SetVar(t, smt.BoolValue(g.r.Intn(2) == 0))
				continue
			}
			v := intOperand(g.r, min(n, 64))
			if g.floats && (n == 32 || n == 64) {
				v = floatOperand(g.r, n)
			}
			m.SetVar(t, smt.UintValue(n, v>>g.c.VarLow(t)<<g.c.VarLow(t)))
		}
	}
}

// TestTermsAgainstEvaluator converts random terms and evaluates the graph for random values of the variables.
func TestTermsAgainstEvaluator(t *testing.T) {
	rounds := fewer(250)
	for seed := 0; seed < rounds; seed++ {
		c := smt.NewContext()
		g := newGenerator(int64(seed), c)
		g.funcs = nil
		g.floats = seed%4 == 0
		b := newBlaster(c)
		var sides [][]lit // implied, without functions
		b.side = func(ls ...lit) { sides = append(sides, slices.Clone(ls)) }
		var terms []smt.Term
		for i := 0; i < 4; i++ {
			if i == 0 {
				terms = append(terms, g.boolean(4))
			} else {
				terms = append(terms, g.bv([]int{8, 32, 64, 100}[g.r.Intn(4)], 4))
			}
		}
		for _, x := range terms {
			if err := b.convert(x); err != nil {
				t.Fatal(err)
			}
		}
		for k := 0; k < 4; k++ {
			m := smt.NewModel()
			g.randomModel(m)
			e := c.NewEvaluator(m)
			val := make([]uint64, b.g.size())
			for _, x := range b.vars {
				v, _ := m.Var(x)
				for i, l := range b.word(x) {
					if !l.isConst() {
						val[l.node()] = uint64(v.Big().Bit(i))
						if v.Width() == 0 {
							val[l.node()] = b2u(v.Bool())
						}
					}
				}
			}
			b.g.simulate(val, 0)
			isTrue := func(l lit) bool { return uint(val[l.node()]&1)^uint(l&1) == 1 }
			for _, ls := range sides {
				if !slices.ContainsFunc(ls, isTrue) {
					t.Fatalf("seed %d: a clause that is added to the terms does not hold", seed)
				}
			}
			for _, x := range terms {
				want := e.Eval(x)
				got := new(big.Int)
				for i, l := range b.word(x) {
					got.SetBit(got, i, uint(val[l.node()]&1)^uint(l&1))
				}
				if want.Big().Cmp(got) != 0 {
					t.Fatalf("seed %d: %s: got %#x, want %v", seed, c.String(x), got, want)
				}
			}
		}
	}
}

// kinds are the back ends that are compared.
var kinds = []string{"cadical", "z3"}

var (
	formulasFrom = flag.Int("formulas-from", 0, "the first seed of TestRandomFormulas")
	formulaCount = flag.Int("formulas", 0, "how many formulas TestRandomFormulas compares")
)

// TestRandomFormulas checks that back ends agree, that models satisfy the assertions and that cores are unsatisfiable.
func TestRandomFormulas(t *testing.T) {
	rounds := fewer(200)
	if *formulaCount > 0 {
		rounds = *formulaCount
	}
	var answers [10]int
	for seed := *formulasFrom; seed < *formulasFrom+rounds; seed++ {
		c := smt.NewContext()
		g := newGenerator(int64(seed), c)
		compared := kinds
		if seed%4 != 0 {
			compared = kinds[:1] // the others are slow
		}
		g.small = len(compared) > 1
		asserted := []smt.Term{g.boolean(3), g.boolean(3)}
		assumed := []smt.Term{g.boolean(2), g.boolean(3), g.boolean(3), g.boolean(2)}
		var first smt.Answer
		for _, kind := range compared {
			s, err := New(kind, c, Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.Expect(smt.Outlook(seed % 3))
			for _, x := range asserted {
				s.Assert(x)
			}
			steps := int64(20000)
			if kind != "cadical" {
				steps = 200 // Z3 spends its time on divisions
			}
			r := s.Check(context.Background(), assumed, steps)
			answers[r.Answer]++
			switch r.Answer {
			case smt.Sat:
				e := c.NewEvaluator(s.Model())
				for _, x := range append(asserted, assumed...) {
					if !e.EvalBool(x) {
						t.Fatalf("seed %d: %s: model does not satisfy %s", seed, kind, c.String(x))
					}
				}
			case smt.Unsat:
				core := s.Core()
				for _, x := range core {
					found := false
					for _, y := range assumed {
						found = found || x == y
					}
					if !found {
						t.Fatalf("seed %d: %s: core has a term that was not assumed", seed, kind)
					}
				}
				if r := s.Check(context.Background(), core, steps); r.Answer != smt.Unsat && r.Answer != smt.StepLimit {
					t.Fatalf("seed %d: %s: core is %v", seed, kind, r.Answer)
				}
				// The instance is still usable.
				if r := s.Check(context.Background(), nil, steps); r.Answer == smt.Sat {
					e := c.NewEvaluator(s.Model())
					for _, x := range asserted {
						if !e.EvalBool(x) {
							t.Fatalf("seed %d: %s: later model does not satisfy %s", seed, kind, c.String(x))
						}
					}
				}
			case smt.StepLimit:
				s.Close()
				continue
			default:
				t.Fatalf("seed %d: %s: %v %s", seed, kind, r.Answer, r.Reason)
			}
			if first == 0 {
				first = r.Answer
			} else if r.Answer != first {
				t.Fatalf("seed %d: %s says %v, %s says %v", seed, kinds[0], first, kind, r.Answer)
			}
			s.Close()
		}
	}
	t.Logf("sat %d, unsat %d, step limit %d", answers[smt.Sat], answers[smt.Unsat], answers[smt.StepLimit])
}

// TestZ3Operations checks the translation of each operation to Z3 for fixed values of the variables.
func TestZ3Operations(t *testing.T) {
	rounds := fewer(120)
	for seed := 0; seed < rounds; seed++ {
		c := smt.NewContext()
		g := newGenerator(int64(seed), c)
		g.floats = seed%2 == 0
		m := smt.NewModel()
		g.randomModel(m)
		var terms []smt.Term
		if g.floats {
			for _, n := range []int{32, 64} {
				a, b := g.vars[n][0], g.vars[n][1]
				near := c.Var("near", smt.BV(n))
				v, _ := m.Var(a)
				m.SetVar(near, smt.UintValue(n, v.Uint64()+uint64(3<<(formatOf(n).sb-1))))
				g.vars[n] = append(g.vars[n], near)
				terms = append(terms, c.FRem(near, a), c.FRem(a, b), c.FMin(a, b), c.FMax(a, b), c.FToS(a, 32), c.FToU(a, 100),
					c.FToF(c.FToF(a, 16), n))
			}
		}
		for i := 0; i < 6; i++ {
			terms = append(terms, g.bv([]int{8, 32, 64, 100}[g.r.Intn(4)], 2))
		}
		s := open(t, "z3", c)
		for n, vs := range g.vars {
			for _, x := range vs {
				v, _ := m.Var(x)
				if n == 0 {
					s.Assert(c.Iff(x, c.BoolConst(v.Bool())))
				} else {
					s.Assert(c.Eq(x, c.Big(n, v.Big())))
				}
			}
		}
		// Applications may have any value; the model has it.
		out := make([]smt.Term, len(terms))
		for i, x := range terms {
			out[i] = c.Var("out", c.Sort(x))
			s.Assert(c.Eq(out[i], x))
		}
		check(t, s, smt.Sat)
		e := c.NewEvaluator(s.Model())
		for i, x := range terms {
			if got, want := e.Eval(out[i]), e.Eval(x); !got.Equal(want) {
				t.Fatalf("seed %d: %s: got %v, want %v", seed, c.String(x), got, want)
			}
		}
	}
}

func TestFunctionsAreFunctions(t *testing.T) {
	for _, kind := range kinds {
		c := smt.NewContext()
		f := c.NewFunc("f", 32, 8)
		x, y := c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
		s := open(t, kind, c)
		differ := c.Ne(c.Apply(f, x), c.Apply(f, y))
		check(t, s, smt.Unsat, c.Eq(x, y), differ)
		check(t, s, smt.Sat, differ)
		e := c.NewEvaluator(s.Model())
		if !e.EvalBool(differ) || e.EvalUint(x) == e.EvalUint(y) {
			t.Errorf("%s: model does not hold", kind)
		}
		// A constant point that comes later is tied to the symbolic ones.
		s.Assert(c.Eq(c.Apply(f, c.Int(32, 7)), c.Int(8, 42)))
		check(t, s, smt.Unsat, c.Eq(x, c.Int(32, 7)), c.Eq(c.Apply(f, x), c.Int(8, 41)))
		check(t, s, smt.Sat, c.Eq(x, c.Int(32, 7)), c.Eq(c.Apply(f, y), c.Int(8, 41)))
		if v, ok := s.Model().Func(f, smt.UintValue(32, 7)); !ok || v.Uint64() != 42 {
			t.Errorf("%s: f(7) = %v", kind, v)
		}
	}
}

func TestCoreAndIncrement(t *testing.T) {
	for _, kind := range kinds {
		c := smt.NewContext()
		x := c.Var("x", smt.BV(16))
		p, q := c.Var("p", smt.Bool), c.Var("q", smt.Bool)
		s := open(t, kind, c)
		s.Assert(c.Implies(p, c.Ult(x, c.Int(16, 10))))
		s.Assert(c.Implies(q, c.Ugt(x, c.Int(16, 20))))
		check(t, s, smt.Sat, p)
		check(t, s, smt.Sat, q)
		irrelevant := c.Eq(c.Extract(x, 0, 0), c.Int(1, 1))
		check(t, s, smt.Unsat, irrelevant, p, q)
		core := s.Core()
		if len(core) != 2 || core[0] == irrelevant || core[1] == irrelevant {
			t.Errorf("%s: core %v", kind, core)
		}
		check(t, s, smt.Unsat, p, c.False())
		if core := s.Core(); len(core) != 1 || core[0] != c.False() {
			t.Errorf("%s: core of a false assumption: %v", kind, core)
		}
		check(t, s, smt.Sat, c.True())
		s.Assert(p)
		check(t, s, smt.Unsat, q)
		check(t, s, smt.Sat)
		s.Assert(q)
		check(t, s, smt.Unsat)
		if core := s.Core(); len(core) != 0 {
			t.Errorf("%s: core without assumptions: %v", kind, core)
		}
	}
}

// factoring asks for the factors of a product of two primes of 61 bits. Factors of all ones, such as 2^31 - 1, would be
// tried first by a solver.
func factoring(c *smt.Context) smt.Term {
	const bits = 61
	p, q := big.NewInt(1234567890123456817), big.NewInt(1716151413121111033)
	x, y := c.Var("x", smt.BV(bits)), c.Var("y", smt.BV(bits))
	product := c.Mul(c.Zext(x, 2*bits), c.Zext(y, 2*bits))
	return c.And(c.And(c.Eq(product, c.Big(2*bits, new(big.Int).Mul(p, q))), c.Ugt(x, c.Int(bits, 1))), c.Ule(x, y))
}

func TestBudgetAndCancel(t *testing.T) {
	for _, kind := range kinds {
		c := smt.NewContext()
		s := open(t, kind, c)
		s.Assert(factoring(c))
		budget := int64(100)
		if strings.Contains(kind, "cvc5") {
			budget = 1 // its units are larger: it is done with a budget of 100
		}
		r := s.Check(context.Background(), nil, budget)
		if r.Answer != smt.StepLimit || kind == "cadical" && (r.Steps < 100 || r.Steps > 400) {
			t.Errorf("%s: budget: %+v", kind, r)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		if r := s.Check(ctx, nil, 0); r.Answer != smt.Timeout {
			t.Errorf("%s: deadline: %+v", kind, r)
		}
		cancel()
		ctx, cancel = context.WithCancel(context.Background())
		time.AfterFunc(30*time.Millisecond, cancel)
		start := time.Now()
		if r := s.Check(ctx, nil, 0); r.Answer != smt.Cancelled {
			t.Errorf("%s: cancelled: %+v", kind, r)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: cancelling took %v", kind, d)
		}
		if r := s.Check(ctx, nil, 0); r.Answer != smt.Cancelled {
			t.Errorf("%s: cancelled before: %+v", kind, r)
		}
	}
}

func TestUnsupported(t *testing.T) {
	c := smt.NewContext()
	s := open(t, "cadical", c)
	x, y := c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
	r := s.Check(context.Background(), []smt.Term{c.FEq(c.FRem(x, y), x)}, 0)
	if r.Answer != smt.Failed || r.Reason != "unsupported: fmod" {
		t.Errorf("%+v", r)
	}
	check(t, s, smt.Sat, c.FLt(x, y))
}

func TestMemoryLimit(t *testing.T) {
	c := smt.NewContext()
	s, err := New("", c, Options{MemoryMB: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x := c.Var("x", smt.BV(64))
	for i := 0; i < 600; i++ {
		x = c.Mul(x, c.Add(x, c.Var("y", smt.BV(64))))
	}
	if r := s.Check(context.Background(), []smt.Term{c.Eq(x, c.Int(64, 5))}, 10); r.Answer != smt.Failed ||
		r.Reason != "memory limit" {
		t.Errorf("%+v", r)
	}
}

func TestUnknownKind(t *testing.T) {
	if _, err := New("oracle", smt.NewContext(), Options{}); err == nil || !strings.Contains(err.Error(), "oracle") {
		t.Errorf("got %v", err)
	}
}

// TestDeepTerm converts a chain of a million terms.
func TestDeepTerm(t *testing.T) {
	c := smt.NewContext()
	x := c.Var("x", smt.BV(8))
	p := c.Var("p", smt.Bool)
	n := fewer(1000000)
	chain := x
	for i := 0; i < n/2; i++ {
		chain = c.BvXor(c.BvAnd(chain, c.Int(8, uint64(i%251)+3)), x)
		if i%16 == 0 {
			p = c.And(p, c.Var("q", smt.Bool))
		}
	}
	s := open(t, "cadical", c)
	s.Assert(p)
	check(t, s, smt.Sat, c.Eq(chain, c.Int(8, 4)))
	e := c.NewEvaluator(s.Model())
	if e.EvalUint(chain) != 4 || !e.EvalBool(p) {
		t.Error("model does not hold")
	}
}
