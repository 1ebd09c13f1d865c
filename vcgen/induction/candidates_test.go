package induction

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// places returns a Finder with one loop, whose places have the given steps, one list per back edge.
func places(t *testing.T, width int, steps ...[]int64) (*Finder, *unfold.Head) {
	t.Helper()
	c := smt.NewContext()
	h := &unfold.Head{First: c.Var("first", smt.Bool)}
	for k := range steps[0] {
		name := string(rune('i' + k))
		h.Places = append(h.Places, unfold.Place{Name: name, Old: c.Var(name+" old", smt.BV(width)),
			Sym: c.Var(name, smt.BV(width))})
	}
	for _, way := range steps {
		b := unfold.Back{Guard: c.True()}
		for k, by := range way {
			b.Values = append(b.Values, c.Add(h.Places[k].Sym, c.IntS(width, by)))
		}
		h.Back = append(h.Back, b)
	}
	program := &unfold.Program{Memory: mem.New(c), Log: &seair.Log{C: c, Events: make([]seair.Event, 1)}}
	in := New(Program{C: c, Unfolded: program, Heads: []*unfold.Head{h}}, nil)
	in.prepare()
	in.rechain()
	in.irrelevant = nil // there are no obligations
	return in, h
}

// TestLines checks the decomposition of offsets that depend on one symbol: at with the symbol returns the offset, and
// solve returns the value that was inserted.
func TestLines(t *testing.T) {
	in, _ := places(t, 32, []int64{1})
	c := in.c
	r, k := c.Var("r", smt.BV(32)), c.Var("k", smt.BV(32))
	wide, base := c.Var("wide", smt.BV(64)), c.Var("base", smt.BV(64))
	is := func(s smt.Term) func(smt.Term) bool { return func(x smt.Term) bool { return x == s } }
	scaled := func(t smt.Term, by int64) smt.Term { return c.Mul(t, c.IntS(c.Width(t), by)) }
	for _, x := range []struct {
		name        string
		off, sym    smt.Term
		coef, inner int64 // coef 0: not a line
		solved      bool
	}{
		{"an element", c.Add(base, scaled(c.Zext(r, 64), 4)), r, 4, 1, true},
		{"an element behind", c.Add(base, scaled(c.Zext(c.Add(r, c.Int(32, 3)), 64), 4)), r, 4, 1, true},
		{"a row", scaled(c.Zext(c.Add(scaled(r, 200), k), 64), 2), r, 2, 200, false},
		{"a column", scaled(c.Zext(c.Add(scaled(r, 200), k), 64), 2), k, 2, 1, true},
		{"from the end", scaled(c.Sext(c.Sub(k, r), 64), 8), r, 8, -1, false},
		{"of full width", c.Sub(base, scaled(wide, 3)), wide, -3, 1, true},
		{"a square", c.Mul(wide, wide), wide, 0, 0, false},
		{"twice", c.Add(wide, c.Zext(c.Extract(wide, 31, 0), 64)), wide, 0, 0, false},
		{"of another", c.Add(base, wide), r, 0, 0, false},
	} {
		l, ok := in.lineOf(x.off, is(x.sym))
		if !ok || x.coef == 0 {
			if ok == (x.coef == 0) {
				t.Errorf("%s: a line: %v", x.name, ok)
			}
			continue
		}
		if l.coef != x.coef || l.inner != x.inner || in.at(l, x.sym) != x.off {
			t.Errorf("%s: %d*ext(%d*%s + ...) is %s", x.name, l.coef, l.inner, c.String(l.sym), c.String(in.at(l, x.sym)))
		}
		y := c.Var("y", c.Sort(x.sym))
		if got, ok := in.solve(l, in.at(l, y)); ok != x.solved || ok && got != y {
			t.Errorf("%s: solved %v: %s", x.name, ok, c.String(got))
		}
	}
}

// TestPassedOver checks that visited offsets lie between the first and the current one, on the side of the first. If
// the offset decreases while the place increases, the sides are exchanged.
func TestPassedOver(t *testing.T) {
	for _, x := range []struct {
		name        string
		steps       [][]int64
		coef, inner int64
		low, high   int64 // offsets passed over while the place went from 20 to 25 or 15; both inclusive
		none        bool
	}{
		{"up", [][]int64{{1}}, 4, 1, 4 * 20, 4*25 - 1, false},
		{"up, rows", [][]int64{{1}}, 4, 10, 4 * 200, 4*250 - 1, false},
		{"up, from the end", [][]int64{{1}}, 4, -1, -4*25 + 1, -4 * 20, false},
		{"down", [][]int64{{-1}}, 4, 1, 4*15 + 1, 4 * 20, false},
		{"down, from the end", [][]int64{{-2}}, 4, -1, -4 * 20, -4*15 - 1, false},
		{"down, backwards", [][]int64{{-1}}, -4, 1, -4 * 20, -4*15 - 1, false},
		{"now and then", [][]int64{{1}, {0}}, 4, 1, 4 * 20, 4*25 - 1, false},
		{"up and down", [][]int64{{1}, {-1}}, 4, 1, 0, 0, true},
		{"nowhere", [][]int64{{0}}, 4, 1, 0, 0, true},
	} {
		in, h := places(t, 64, x.steps...)
		c := in.c
		sym := h.Places[0].Sym
		zero := c.Int(64, 0)
		a := access{line: line{sym: sym, from: zero, plus: zero, coef: x.coef, inner: x.inner, ext: smt.OpVar}}
		o := c.Var("o", smt.BV(64))
		is, ok := in.passedOver(0, a, o)
		if ok == x.none {
			t.Errorf("%s: %v", x.name, ok)
		}
		if !ok {
			continue
		}
		to := int64(25)
		if x.steps[0][0] < 0 {
			to = 15
		}
		for at := x.low - 3; at <= x.high+3; at++ {
			want := x.low <= at && at <= x.high
			m := smt.NewModel()
			m.SetVar(sym, smt.UintValue(64, uint64(to)))
			m.SetVar(h.Places[0].Old, smt.UintValue(64, 20))
			m.SetVar(o, smt.UintValue(64, uint64(at)))
			if got := c.NewEvaluator(m).EvalBool(is); got != want {
				t.Errorf("%s: %d was passed over: %v", x.name, at, got)
				break
			}
		}
	}
}

// TestCases checks that a condition behind a loop with a break is read with the value at the head.
func TestCases(t *testing.T) {
	in, h := places(t, 32, []int64{1})
	c, i, fifty := in.c, h.Places[0].Sym, in.c.Int(32, 50)
	later, left, p := c.Var("later", smt.BV(32)), c.Var("left", smt.Bool), c.Var("p", smt.Bool)
	atHead := c.Ule(i, fifty)
	for _, x := range []struct {
		name string
		cond smt.Term
		want []smt.Term
	}{
		{"at the head", atHead, []smt.Term{atHead}},
		{"behind a break", c.Ule(c.Ite(left, later, i), fifty), []smt.Term{atHead}},
		{"behind two", c.Ule(c.Ite(left, later, c.Ite(p, c.Add(later, fifty), i)), fifty), []smt.Term{atHead}},
		{"nothing of the head", c.Ule(c.Ite(left, later, c.Add(later, fifty)), fifty), nil},
	} {
		splits := maxSplits
		if got := in.cases(x.cond, in.states[0], maxCases, &splits); !slices.Equal(got, x.want) {
			t.Errorf("%s: %d cases, want %d", x.name, len(got), len(x.want))
		}
	}
}

// TestBetween checks the bounds of steps: of numbers with a sign, by conditions on the way and in a choice, and before
// the loop.
func TestBetween(t *testing.T) {
	in, h := places(t, 32, []int64{1})
	c, i := in.c, h.Places[0].Sym
	v, n, b := c.Var("v", smt.BV(32)), c.Var("n", smt.BV(32)), c.Var("b", smt.BV(8))
	zero, fifty := c.Int(32, 0), c.Int(32, 50)
	inBounds := c.And(c.Sle(c.IntS(32, -9), v), c.Sle(v, fifty))
	for _, x := range []struct {
		name        string
		step        smt.Term
		way         []smt.Term
		least, most int64
		ok          bool
	}{
		{"a number with a sign", c.Sext(b, 32), nil, -128, 127, true},
		{"one that is not negative", c.Sext(b, 32), []smt.Term{c.Sle(c.Int(8, 0), b)}, 0, 127, true},
		{"on the way", v, []smt.Term{c.Slt(v, fifty), c.Slt(zero, v)}, 1, 49, true},
		{"in a choice", c.Ite(inBounds, v, zero), nil, -9, 50, true},
		{"in the other case", c.Ite(c.Not(inBounds), zero, v), nil, -9, 50, true},
		{"by another number", i, []smt.Term{c.Slt(n, fifty), c.Sle(zero, i), c.Sle(i, n)}, 0, 49, true},
		{"without a bound", v, []smt.Term{c.Slt(v, n)}, 0, 0, false},
		{"a product", c.Mul(v, n), []smt.Term{inBounds}, 0, 0, false},
		{"only above", v, []smt.Term{c.Slt(v, fifty)}, 0, 0, false},
	} {
		var way []smt.Term
		for _, t := range x.way {
			way = append(way, c.Conjuncts(t)...)
		}
		least, most, ok := in.between(x.step, in.assuming(bounds{}, way...), maxLeaves)
		if ok != x.ok || ok && (least != x.least || most != x.most) {
			t.Errorf("%s: from %d to %d, %v; want from %d to %d, %v", x.name, least, most, ok, x.least, x.most, x.ok)
		}
	}
}

// TestBounds checks that places are compared with the terms with which the program compares them, and that the
// distances of two places are related.
func TestBounds(t *testing.T) {
	in, h := places(t, 64, []int64{1, 2}, []int64{1, 0})
	c := in.c
	i, j := h.Places[0], h.Places[1]
	n := c.Var("n", smt.BV(64))
	in.comparisonCandidates(0, nil)
	in.distanceCandidates(0)
	has := func(t smt.Term) bool {
		for _, l := range in.lemmas[0] {
			if !l.Quantified() && l.Fact() == t {
				return true
			}
		}
		return false
	}
	from := func(p unfold.Place) smt.Term { return c.Sub(p.Sym, p.Old) }
	for name, fact := range map[string]smt.Term{
		"i old <= i": c.Ule(i.Old, i.Sym), "i <= j": c.Ule(i.Sym, j.Sym),
		"j even":             c.Eq(c.Extract(from(j), 0, 0), c.Int(1, 0)),
		"j moves at most 2i": c.Ule(from(j), c.Mul(from(i), c.Int(64, 2))),
	} {
		if !has(fact) {
			t.Errorf("no candidate %s: %s", name, c.String(fact))
		}
	}
	if has(c.Ule(i.Sym, n)) {
		t.Error("a candidate speaks of what the loop knows nothing of")
	}
}

// TestRelevant checks that a query gets the facts about the elements that it reads and, transitively, about the
// elements that these facts read.
func TestRelevant(t *testing.T) {
	in, h := places(t, 64, []int64{1})
	c, m := in.c, in.prog.Memory
	m.Reading = true
	content := c.NewFunc("content", 61, 64)
	element := func(at uint64) smt.Term { return m.ReadArbitrary(content, c.Int(64, 8*at), 8) }
	link := func(to, from uint64) smt.Term { return c.Eq(element(to), c.Add(element(from), c.Int(64, 1))) }
	far := m.ReadArbitrary(content, c.Mul(element(7), c.Int(64, 8)), 8) // at an offset that is a read itself
	plant := func(l *lemma, fact smt.Term, readings ...smt.Term) {
		l.instances = append(l.instances, fact)
		l.readings[fact] = readings
	}
	l := &lemma{Condition: &invariant.Condition{}, readings: map[smt.Term][]smt.Term{}}
	plant(l, link(1, 2), element(1))
	plant(l, link(2, 3), element(2), element(9))
	plant(l, link(5, 6), element(5))
	in.lemmas[0] = []*lemma{l}
	h.Event, h.Guard = 4, c.True()
	zero := func(e smt.Term) smt.Term { return c.Eq(e, c.Int(64, 0)) }
	for _, x := range []struct {
		name  string
		event int
		about smt.Term
		want  []smt.Term
	}{
		{"two steps", 5, zero(element(1)), []smt.Term{link(1, 2), link(2, 3)}},
		{"by another reading", 5, zero(element(9)), []smt.Term{link(2, 3)}},
		{"nothing leads there", 5, zero(element(3)), nil},
		{"no reading", 5, c.Eq(h.Places[0].Sym, c.Int(64, 0)), nil},
		{"before the loop", 4, zero(element(1)), nil},
	} {
		got := in.relevant(x.event, []smt.Term{x.about})
		slices.Sort(got)
		slices.Sort(x.want)
		if !slices.Equal(got, x.want) {
			t.Errorf("%s: %d instances, want %d", x.name, len(got), len(x.want))
		}
	}
	plant(l, link(7, 8), element(7))
	if got := in.relevant(5, []smt.Term{zero(far)}); !slices.Equal(got, []smt.Term{link(7, 8)}) {
		t.Errorf("an element at an offset that is read: %d instances", len(got))
	}
	l.dropped = true
	if got := in.relevant(5, []smt.Term{zero(element(1))}); len(got) > 0 {
		t.Errorf("of a candidate that was dropped: %d instances", len(got))
	}
}
