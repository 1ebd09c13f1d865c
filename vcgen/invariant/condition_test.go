package invariant

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// loop is a loop that counts i up from its value on entry, and changes an object. Its iteration creates an input and
// content.
type loop struct {
	c      *smt.Context
	m      *mem.Memory
	before smt.Term // a symbol from before the loop
	h      *unfold.Head
	*Head
	input smt.Term // created by the iteration
	fresh smt.Func // content created by the iteration
}

func newLoop() *loop {
	c := smt.NewContext()
	x := &loop{c: c, m: mem.New(c), before: c.Var("n", smt.BV(32))}
	x.m.Reading = true
	old := c.Var("i old", smt.BV(32))
	x.h = &unfold.Head{First: c.Var("first", smt.Bool)}
	undef := c.Var("undef", smt.BV(32))
	x.h.Places = []unfold.Place{{Name: "i", Old: old, Sym: c.Var("i", smt.BV(32))},
		{Name: "u", Old: undef, Sym: c.Var("u", smt.BV(32))}}
	d := unfold.Contents{Obj: 1}
	d.Old, _ = x.m.Arbitrary("a before")
	d.New, d.Func = x.m.Arbitrary("a")
	x.h.Contents = []unfold.Contents{d}
	x.h.Last = c.LastFunc()
	x.Head = NewHead(NewTerms(c, x.m), x.h)
	x.input = c.Var("input", smt.BV(32))
	_, x.fresh = x.m.Arbitrary("made later")
	return x
}

// read reads a byte at an offset of 32 bits.
func (x *loop) read(f smt.Func, off smt.Term) smt.Term {
	return x.m.ReadArbitrary(f, x.c.Zext(off, 64), 1)
}

// TestVocabulary checks that a condition may contain symbols from before the loop and symbols of its changes. Symbols
// that an iteration creates are excluded in any position.
func TestVocabulary(t *testing.T) {
	x := newLoop()
	c, i, u := x.c, x.h.Places[0], x.h.Places[1]
	byteOf := func(s smt.Term) smt.Term { return c.Extract(s, 7, 0) }
	own := x.h.Contents[0].Func
	for _, q := range []struct {
		name string
		fact smt.Term
		ok   bool
	}{
		{"of the loop's variable and what was before", c.Ule(i.Sym, x.before), true},
		{"of the first iteration", c.Or(x.h.First, c.Ule(i.Sym, x.before)), true},
		{"of what a variable without a value was", c.Ule(u.Old, u.Sym), true},
		{"of content", c.Eq(x.read(own, i.Sym), byteOf(x.before)), true},
		{"always true", c.Ule(c.Int(32, 0), i.Sym), false},
		{"of an input", c.Ule(i.Sym, x.input), false},
		{"of an input deep inside", c.Or(x.h.First, c.Eq(c.Mul(c.Add(x.input, i.Sym), i.Sym), x.before)), false},
		{"of content at an input's place", c.Eq(x.read(own, x.input), byteOf(i.Sym)), false},
		{"of new content", c.Eq(x.read(x.fresh, i.Sym), byteOf(i.Sym)), false},
	} {
		got, ok := x.Condition(q.fact)
		if ok != q.ok || ok && got.Fact() != q.fact {
			t.Errorf("%s: %v", q.name, ok)
		}
		if !c.IsConst(q.fact) && x.DependsOnHeadOnly(q.fact) != q.ok {
			t.Errorf("%s: speaks: %v", q.name, !q.ok)
		}
	}
}

// TestOthers checks that a condition on all elements is proved and instantiated for any value of the symbols created
// behind the head. It must not read content that was created there.
func TestOthers(t *testing.T) {
	x := newLoop()
	c, i := x.c, x.h.Places[0]
	w := c.Var("witness", smt.BV(32))
	upTo := func(bound smt.Term) func(y smt.Term) smt.Term {
		return func(y smt.Term) smt.Term { return c.Implies(c.Ult(y, i.Sym), c.Ule(y, bound)) }
	}
	plain, ok := x.ForAll(w, upTo(x.before))
	if !ok || len(plain.others) != 0 {
		t.Fatalf("a condition on the state has others: %v %v", ok, plain)
	}
	of, ok := x.ForAll(w, upTo(x.input))
	if !ok || len(of.others) != 1 {
		t.Fatalf("%v %v", ok, of)
	}
	another := of.others[x.input]
	asked := of.In(x.Entry)
	if syms := c.Symbols(asked); slices.Contains(syms, x.input) || !slices.Contains(syms, another) {
		t.Errorf("asked: %s", c.String(asked))
	}
	y := c.Int(32, 5)
	if got, want := of.Instance(y), c.And(upTo(x.input)(y), upTo(another)(y)); got != want {
		t.Errorf("known: %s, want %s", c.String(got), c.String(want))
	}
	// The symbol is replaced in offsets, too.
	own := x.h.Contents[0].Func
	of, ok = x.ForAll(w, func(y smt.Term) smt.Term {
		return c.Eq(x.read(own, c.Add(y, x.input)), c.Extract(i.Sym, 7, 0))
	})
	if !ok {
		t.Fatal("none on content")
	}
	if syms := c.Symbols(of.In(x.Entry)); slices.Contains(syms, x.input) {
		t.Errorf("asked: %s", c.String(of.In(x.Entry)))
	}
	if _, ok := x.ForAll(w, func(y smt.Term) smt.Term { return c.Eq(x.read(x.fresh, y), c.Int(8, 1)) }); ok {
		t.Error("a condition on content that an iteration makes")
	}
}

// TestStates checks that a condition in another state refers to the values of that state, in places and in content.
func TestStates(t *testing.T) {
	x := newLoop()
	c, i, d := x.c, x.h.Places[0], x.h.Contents[0]
	fact := c.Or(x.h.First, c.Eq(x.read(d.Func, i.Sym), c.Extract(i.Sym, 7, 0)))
	q, ok := x.Condition(fact)
	if !ok {
		t.Fatal("no condition")
	}
	if got := q.In(x.Entry); !c.IsTrue(got) {
		t.Errorf("on entry, the first iteration: %s", c.String(got))
	}
	q, _ = x.Condition(c.Eq(x.read(d.Func, i.Sym), c.Extract(i.Sym, 7, 0)))
	was, ok := d.Old.Arbitrary()
	if want := c.Eq(x.read(was, i.Old), c.Extract(i.Old, 7, 0)); !ok || q.In(x.Entry) != want {
		t.Errorf("on entry: %s, want %s", c.String(q.In(x.Entry)), c.String(want))
	}
}
