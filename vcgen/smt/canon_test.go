package smt

import (
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// canonTerms builds random terms of few small symbols, so that many have the same structure.
func canonTerms(seed int64, p profile) (*Context, []Term) {
	g := &generator{c: NewContext(), r: randChoices{rand.New(rand.NewSource(seed))}, pool: map[int][]*refTree{},
		profile: p}
	var out []Term
	for range p.steps {
		g.step()
	}
	for _, t := range g.all {
		if t.w == 0 {
			out = append(out, t.term)
		}
	}
	return g.c, out
}

// canonModel assigns each variable a value that depends on its identity and a salt.
//
// Symbols with the same identity thus have the same value in all contexts.
func canonModel(c *Context, k *Canon, t Term, salt byte) *Model {
	m := NewModel()
	for _, v := range c.Symbols(t) {
		id, _ := k.Identity(v)
		r := rand.New(rand.NewSource(int64(id[0])<<24 | int64(id[1])<<16 | int64(id[2])<<8 | int64(salt)))
		if c.Sort(v).IsBool() {
			m.SetVar(v, BoolValue(r.Intn(2) == 1))
		} else {
			m.SetVar(v, UintValue(c.Width(v), r.Uint64()))
		}
	}
	return m
}

// TestCanonEqualDigests checks that terms of different contexts with equal digests have equal values.
func TestCanonEqualDigests(t *testing.T) {
	type known struct {
		c *Context
		k *Canon
		t Term
	}
	seen := map[Digest]known{}
	compared, different, rounds := 0, 0, sampletest.Rounds(400)
	for _, p := range []profile{
		{"tiny", []int{1, 2}, nil, 2, 25, 0}, {"bool", []int{2}, []int{0, 1, 2, 3, 4, 5, 16}, 3, 25, 0},
		{"small", []int{3, 4}, nil, 2, 40, 0},
	} {
		for seed := range sampletest.Seeds(t, 400) {
			c, terms := canonTerms(seed, p)
			for _, x := range terms {
				if c.IsConst(x) {
					continue
				}
				k := c.NewCanon() // one Canon for each term: the identities depend on the term alone
				d := k.Hash(x)
				old, ok := seen[d]
				if !ok {
					seen[d] = known{c, k, x}
					different++
					continue
				}
				if old.c == c {
					continue
				}
				compared++
				for salt := range byte(12) {
					a := c.NewEvaluator(canonModel(c, k, x, salt)).EvalBool(x)
					b := old.c.NewEvaluator(canonModel(old.c, old.k, old.t, salt)).EvalBool(old.t)
					if a != b {
						t.Fatalf("equal digests of %s and %s", c.String(x), old.c.String(old.t))
					}
				}
			}
		}
	}
	if n := int(rounds) * 5 / 2; compared < n || different < n {
		t.Errorf("%d pairs with equal digests and %d digests: too few to show anything", compared, different)
	}
}

// shuffledCopy copies a term into a context, with symbols created in another order and commutative arguments
// permuted.
func shuffledCopy(c *Context, t Term, r *rand.Rand) (*Context, Term) {
	out := NewContext()
	to := map[Term]Term{}
	vars := c.Symbols(t)
	r.Shuffle(len(vars), func(i, j int) { vars[i], vars[j] = vars[j], vars[i] })
	for _, v := range vars {
		out.Var("unused", Bool)
		to[v] = out.newVar("other", c.Sort(v), c.VarLow(v))
	}
	funcs := map[Func]Func{}
	for _, x := range c.Cone(t) {
		if c.Op(x) == OpVar {
			continue
		}
		n := c.nodes[x]
		if n.op == OpConst || n.op == OpTrue || n.op == OpFalse {
			to[x] = out.Const(c.constValue(x))
			continue
		}
		if n.op == OpApply {
			f := Func(n.aux)
			if funcs[f] == 0 {
				funcs[f] = out.NewFunc("g", c.FuncDomain(f), c.FuncRange(f))
			}
			n.aux = uint64(funcs[f])
		}
		var args []Term
		for _, a := range c.Args(x) {
			args = append(args, to[a])
		}
		if commutative(n.op) {
			r.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
		}
		to[x] = out.intern(n.op, n.sort, n.aux, args)
	}
	return out, to[t]
}

// TestCanonRenamed checks that names and the order of creation and of operands do not affect the digest.
func TestCanonRenamed(t *testing.T) {
	total, missed := 0, 0
	for _, p := range profiles {
		for seed := range int64(25) {
			c, terms := canonTerms(seed, p)
			r := rand.New(rand.NewSource(seed))
			for _, x := range terms {
				if c.IsConst(x) {
					continue
				}
				c2, y := shuffledCopy(c, x, r)
				total++
				if c.NewCanon().Hash(x) != c2.NewCanon().Hash(y) {
					missed++
					if missed < 4 {
						t.Logf("%s\nand\n%s", c.String(x), c2.String(y))
					}
				}
			}
		}
	}
	// Symbols that only a search could distinguish may be missed; that costs a query, nothing else.
	if missed*500 > total || total < 2000 {
		t.Errorf("%d of %d renamed terms have another digest", missed, total)
	}
}

// TestCanonForgetsWhatHasNothingToDoWithIt checks that earlier terms do not affect the digests of terms of other
// symbols.
func TestCanonForgetsWhatHasNothingToDoWithIt(t *testing.T) {
	sum := func(before bool) Digest {
		c := NewContext()
		k := c.NewCanon()
		f := func(bound uint64) Term {
			x, y := c.Var("x", BV(32)), c.Var("y", BV(32))
			return c.And(c.Ult(x, c.Int(32, bound)), c.Eq(y, c.Add(x, c.Int(32, 1))))
		}
		if before {
			k.Hash(f(100))
		}
		return k.Hash(f(9))
	}
	if sum(true) != sum(false) {
		t.Error("another digest behind a term that shares nothing but constants")
	}
}

// TestCanonTellsApart checks differences in meaning that a digest could easily miss.
func TestCanonTellsApart(t *testing.T) {
	c := NewContext()
	x, y, b := c.Var("x", BV(8)), c.Var("y", BV(8)), c.Var("b", Bool)
	f, g := c.NewFunc("f", 8, 8), c.NewFunc("g", 8, 8)
	z := c.Var("z", BV(16))
	wide := c.Var("w", BV(128))
	low := c.VarAligned("l", 8, 2)
	terms := map[string]Term{
		"x<y": c.Ult(x, y), "x<x+1": c.Ult(x, c.Add(x, c.Int(8, 1))), "x<x+2": c.Ult(x, c.Add(x, c.Int(8, 2))),
		"x<s y": c.Slt(x, y),
		"x=3":   c.Eq(x, c.Int(8, 3)), "x=4": c.Eq(x, c.Int(8, 4)), "l=4": c.Eq(low, c.Int(8, 4)), "b": b, "not b": c.Not(b),
		"f(x)=x": c.Eq(c.Apply(f, x), x), "f(x)=y": c.Eq(c.Apply(f, x), y), "f(x)=f(y)": c.Eq(c.Apply(f, x), c.Apply(f, y)),
		"f(x)=g(y)": c.Eq(c.Apply(f, x), c.Apply(g, y)),
		"f(x)=g(x)": c.Eq(c.Apply(f, x), c.Apply(g, x)), "x[3:0]=3": c.Eq(c.Extract(x, 3, 0), c.Int(4, 3)),
		"x[4:1]=3": c.Eq(c.Extract(x, 4, 1), c.Int(4, 3)),
		"wide":     c.Eq(wide, c.Int(128, 4)), "wide shifted": c.Eq(wide, c.Concat(c.Int(64, 4), c.Int(64, 0))),
		"zext": c.Ult(c.Add(c.Zext(x, 16), z), c.Int(16, 300)), "sext": c.Ult(c.Add(c.Sext(x, 16), z), c.Int(16, 300)),
		"x<y and y<x": c.And(c.Ult(x, y), c.Ult(y, x)), "x<y and x<l": c.And(c.Ult(x, y), c.Ult(x, low)),
		"floor": c.Eq(c.FRound(RoundFloor, c.Zext(x, 32)), c.Zext(y, 32)), "ceil": c.Eq(c.FRound(RoundCeil, c.Zext(x, 32)),
			c.Zext(y, 32)),
	}
	by := map[Digest]string{}
	for name, x := range terms {
		d := c.NewCanon().Hash(x)
		if c.IsConst(x) {
			t.Errorf("%s folds", name)
		}
		if old := by[d]; old != "" {
			t.Errorf("%s and %s have one digest", name, old)
		}
		by[d] = name
	}
	// Within one Canon, symbols that would have equal digests on their own are distinguished.
	k := c.NewCanon()
	if k.Hash(c.Eq(x, c.Int(8, 3))) == k.Hash(c.Eq(y, c.Int(8, 3))) {
		t.Error("x=3 and y=3 have one digest in one Canon")
	}
	if k.Set("a", []Term{b, x}, nil) != k.Set("a", []Term{x, b, b}, nil) ||
		k.Set("a", []Term{b}, nil) == k.Set("b", []Term{b}, nil) {
		t.Error("sets")
	}
}

// BenchmarkCanon hashes a long chain of updates, as produced by an unfolded loop.
func BenchmarkCanon(b *testing.B) {
	for range b.N {
		b.StopTimer()
		c := NewContext()
		x := c.Var("x", BV(32))
		g := c.True()
		for i := range 20000 {
			v := c.Var("v", BV(32))
			g = c.And(g, c.Ult(v, c.Add(x, c.Int(32, uint64(i)))))
			x = c.Ite(c.Ult(x, v), c.Add(x, v), c.Mul(x, v))
		}
		k := c.NewCanon()
		b.StartTimer()
		k.Hash(c.And(g, c.Eq(x, c.Int(32, 0))))
		b.ReportMetric(float64(c.NumTerms()), "terms")
	}
}
