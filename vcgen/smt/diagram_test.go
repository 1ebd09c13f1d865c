package smt

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// TestDiagramsAreFunctions compares the diagrams of conditions of few atoms with their truth tables.
//
// Conditions that are the same function must have the same diagram, and be the same term if they consist of And and
// Not.
func TestDiagramsAreFunctions(t *testing.T) {
	const atoms = 4
	rnd := rand.New(rand.NewSource(1))
	for round := range 40 {
		c := NewContext()
		c.SeeFunctions(true)
		type function struct {
			term   Term
			table  uint16
			simple bool
		}
		var made []function
		for i := range atoms {
			table := uint16(0)
			for row := range 1 << atoms {
				table |= uint16(row>>i&1) << row
			}
			made = append(made, function{c.Var("a", Bool), table, true})
		}
		for range 200 {
			x, y, z := made[rnd.Intn(len(made))], made[rnd.Intn(len(made))], made[rnd.Intn(len(made))]
			var f function
			switch rnd.Intn(6) {
			case 0:
				f = function{c.Not(x.term), ^x.table, x.simple}
			case 1:
				f = function{c.Ite(x.term, y.term, z.term), x.table&y.table | ^x.table&z.table, false}
			case 2:
				f = function{c.Iff(x.term, y.term), ^(x.table ^ y.table), false}
			case 3:
				f = function{c.Or(x.term, y.term), x.table | y.table, x.simple && y.simple}
			default:
				f = function{c.And(x.term, y.term), x.table & y.table, x.simple && y.simple}
			}
			made = append(made, f)
		}
		edges, terms := map[uint16]edge{}, map[uint16]Term{}
		for _, f := range made {
			e := c.diagram(f.term, 0)
			if have, ok := edges[f.table]; ok && have != e {
				t.Fatalf("round %d: %s has another diagram than an equal condition", round, c.String(f.term))
			}
			edges[f.table] = e
			if !f.simple {
				continue
			}
			if have, ok := terms[f.table]; ok && have != f.term {
				t.Errorf("round %d: %s and %s are equal, and two terms", round, c.String(have), c.String(f.term))
			}
			terms[f.table] = f.term
		}
		tables := map[edge]uint16{}
		for table, e := range edges {
			if other, ok := tables[e]; ok {
				t.Fatalf("round %d: %016b and %016b have one diagram", round, table, other)
			}
			tables[e] = table
		}
	}
}

// TestChainsContradictThemselves builds a list whose allocations may fail, one after the other.
//
// That the last node has a successor contradicts that it is the last one, however the two are expressed.
func TestChainsContradictThemselves(t *testing.T) {
	for _, n := range []int{2, 8, 20} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := NewContext()
			c.SeeFunctions(true)
			var ends []Term // the list ends after its i-th node
			going := c.True()
			for range n {
				fails := c.Var("malloc fails", Bool)
				ends = append(ends, c.And(going, fails))
				going = c.And(going, c.Not(fails))
			}
			ends = append(ends, going)
			for i, end := range ends {
				later := c.False()
				for _, e := range ends[i+1:] {
					later = c.Or(e, later)
				}
				if both := c.And(later, end); !c.IsFalse(both) {
					t.Fatalf("it ends behind node %d, and goes on there, where %s", i, c.String(both))
				}
				if i > 0 && i < n {
					other := c.False()
					for k, e := range ends {
						if k != i {
							other = c.Or(other, e)
						}
					}
					if c.Not(other) != end {
						t.Fatalf("it ends nowhere but behind node %d where %s", i, c.String(c.Not(other)))
					}
				}
			}
		})
	}
}

// TestDiagramsThatCostTooMuch checks that conditions with large diagrams cost only a few steps each.
//
// The middle bits of products have the largest diagrams.
func TestDiagramsThatCostTooMuch(t *testing.T) {
	c := NewContext()
	c.SeeFunctions(true)
	const w = 24
	var a, b []Term
	for range w {
		a, b = append(a, c.Var("a", Bool)), append(b, c.Var("b", Bool))
	}
	sum := make([]Term, 2*w)
	for i := range sum {
		sum[i] = c.False()
	}
	for i := range w {
		carry := c.False()
		for k := range w {
			x, y := c.And(a[i], b[k]), sum[i+k]
			sum[i+k] = c.Xor(c.Xor(x, y), carry)
			carry = c.Or(c.And(x, y), c.And(carry, c.Or(x, y)))
		}
		sum[i+w] = carry
	}
	d := &c.diagrams
	if most := creditFirst + 4*creditEach*c.NumTerms() + creditUse*c.ruleUses[ruleAndKnown]; len(d.nodes) > most {
		t.Errorf("%d terms have diagrams of %d nodes, want at most %d", c.NumTerms(), len(d.nodes), most)
	}
	t.Logf("%d terms, %d nodes, %d became known terms", c.NumTerms(), len(d.nodes), c.ruleUses[ruleAndKnown])
}

// TestFunctionsForgetQuestions checks that conditions built while diagrams are off do not affect later ones.
//
// A run that reuses stored answers builds fewer of them.
func TestFunctionsForgetQuestions(t *testing.T) {
	build := func(asks bool) []edge {
		rnd := rand.New(rand.NewSource(3))
		c := NewContext()
		c.SeeFunctions(true)
		made := []Term{c.Var("a", Bool), c.Var("b", Bool), c.Var("c", Bool), c.Var("d", Bool), c.Var("e", Bool)}
		var out []edge
		for range 300 {
			x, y, z := made[rnd.Intn(len(made))], made[rnd.Intn(len(made))], made[rnd.Intn(len(made))]
			if asks {
				was := c.SeeFunctions(false)
				c.And(c.Or(x, z), c.Not(c.And(y, z)))
				c.And(x, y)
				c.SeeFunctions(was)
			}
			f := c.And(x, y)
			if rnd.Intn(2) == 0 {
				f = c.Ite(x, y, c.Not(z))
			}
			made = append(made, f)
			out = append(out, c.diagram(f, 0))
		}
		return out
	}
	if alone, together := build(false), build(true); !slices.Equal(alone, together) {
		t.Errorf("diagrams are %v, and %v beside questions", alone, together)
	}
}
