package smt

import (
	"math/rand"
	"slices"
	"testing"
)

// TestKnowledgeIsConservative checks rewritten terms of variables, and of words of memory and their parts.
//
// With the definitions that Learn returns, a rewritten term equals the original in each model of the facts, and the
// definitions exclude no model.
func TestKnowledgeIsConservative(t *testing.T) {
	for seed := range int64(80) {
		rnd := rand.New(rand.NewSource(seed))
		c := NewContext()
		inputs := []Term{c.Var("x", BV(4)), c.Var("y", BV(4)), c.Var("b", Bool)}
		vars, b := inputs[:2], inputs[2]
		f, g := c.NewFunc("f", 1, 4), c.NewFunc("g", 1, 8)
		if seed%2 == 1 {
			vars = []Term{c.Apply(f, c.Int(1, 0)), c.Extract(c.Apply(g, c.Int(1, 1)), 6, 3)}
		}
		// tables sets the words to the values of the inputs.
		tables := func(m *Model) {
			x, _ := m.Var(inputs[0])
			y, _ := m.Var(inputs[1])
			m.SetFunc(f, UintValue(1, 0), x)
			m.SetFunc(g, UintValue(1, 1), UintValue(8, 0x81|y.Uint64()<<3))
		}
		k := NewKnowledge(c)
		var facts, definitions []Term
		for range 3 {
			f := randomFact(c, rnd, vars, b)
			facts = append(facts, f)
			for _, d := range k.Learn(f, nil) {
				definitions = append(definitions, c.Eq(d.Of, d.Is))
			}
		}
		term := c.Add(c.Mul(vars[0], vars[1]), c.Ite(b, vars[0], c.Int(4, 3)))
		rewritten := k.Apply(term)
		enumerate(c, inputs, func(m *Model) bool {
			tables(m)
			if !satisfies(c, m, facts) {
				return false
			}
			var fresh []Term
			for _, v := range c.Symbols(append(definitions, rewritten)...) {
				if !slices.Contains(inputs, v) {
					fresh = append(fresh, v)
				}
			}
			found := enumerate(c, fresh, func(n *Model) bool {
				for _, v := range inputs {
					x, _ := m.Var(v)
					n.SetVar(v, x)
				}
				tables(n)
				if !satisfies(c, n, definitions) {
					return false
				}
				e := c.NewEvaluator(n)
				if !e.Eval(term).Equal(e.Eval(rewritten)) {
					t.Fatalf("seed %d: a term was rewritten to another value", seed)
				}
				return true
			})
			if !found {
				t.Fatalf("seed %d: the definitions exclude an execution", seed)
			}
			return false
		})
	}
}

// TestKnowledgeOfWords checks bounds of parts of words of arbitrary memory, the fields of an unwritten struct.
//
// The bounds make products of the fields narrow. Words at symbolic places have none.
func TestKnowledgeOfWords(t *testing.T) {
	c := NewContext()
	k := NewKnowledge(c)
	list := c.NewFunc("list", 61, 64)
	word := func(i uint64) Term { return c.Apply(list, c.Int(61, i)) }
	length, size := word(2), c.Extract(word(3), 31, 0)
	k.Learn(c.Ule(length, c.Int(64, 9)), nil)
	k.Learn(c.Ule(size, c.Int(32, 2)), nil)
	k.Learn(c.Eq(word(4), c.Int(64, 7)), nil)
	bytes := k.Apply(c.Mul(length, c.Mul(c.Zext(size, 64), word(4))))
	if _, hi := c.Range(bytes); hi > 15*3*7 {
		t.Errorf("%s is at most %d, want a product of 4 and 2 bits, and 7", c.String(bytes), hi)
	}
	if other := c.Extract(word(3), 63, 32); k.Apply(other) != other {
		t.Errorf("the rest of the word has become %s", c.String(k.Apply(other)))
	}
	anywhere := c.Apply(list, c.Var("i", BV(61)))
	if defs := k.Learn(c.Ule(anywhere, c.Int(64, 1)), nil); len(defs) > 0 {
		t.Errorf("a word at any place is bounded by %s", c.String(defs[0].Is))
	}
}

// TestKnowledgeNarrowsTwice checks that a bound survives the narrowing that it caused.
//
// A later fact about the narrower variable is combined with it.
func TestKnowledgeNarrowsTwice(t *testing.T) {
	c := NewContext()
	k := NewKnowledge(c)
	n := c.Var("n", BV(64))
	k.Learn(c.Ule(n, c.Int(64, 4)), nil)
	k.Learn(c.Not(c.Eq(n, c.Int(64, 0))), nil)
	if lo, hi := c.Range(k.Apply(n)); lo != 1 || hi != 4 {
		t.Errorf("n lies in [%d, %d], want [1, 4]", lo, hi)
	}
	mask := k.Apply(c.Sub(n, c.Int(64, 1)))
	if zeros, _ := c.KnownBits(mask); zeros != ^uint64(3) {
		t.Errorf("n-1 has the zeros %#x, want all but two bits", zeros)
	}
}
