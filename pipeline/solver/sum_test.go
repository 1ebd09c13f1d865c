package solver

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestSums checks sums with added, subtracted and constant summands, in widths below and above those of the numbers.
func TestSums(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range fewer(300) {
		widths := []int{1 + r.Intn(16), 1 + r.Intn(16), 1 + r.Intn(64)}
		n := 1 + r.Intn(64)
		type part struct {
			in, shift int
			minus     bool
			k         *big.Int // nil: not scaled
		}
		var parts []part
		for range 1 + r.Intn(4) {
			p := part{in: r.Intn(3), shift: r.Intn(4), minus: r.Intn(2) == 0}
			if r.Intn(3) == 0 {
				p.k, p.shift = big.NewInt(int64(r.Intn(200)-100)), 0
			}
			parts = append(parts, p)
		}
		konst := int64(r.Intn(9) - 4)
		checkCircuit(t, "sum", widths, func(g *aig, in []word) word {
			s := newSum(g, n)
			s.addConst(0, konst)
			for _, p := range parts {
				switch {
				case p.k != nil:
					s.addScaled(p.k, in[p.in].zext(max(n, len(in[p.in]))))
				case p.minus:
					s.take(p.shift, in[p.in])
				default:
					s.add(p.shift, in[p.in])
				}
			}
			return s.result()
		}, func(in []uint64) (uint64, bool) {
			v := uint64(konst)
			for _, p := range parts {
				x := in[p.in] << p.shift
				switch {
				case p.k != nil:
					v += in[p.in] * uint64(p.k.Int64())
				case p.minus:
					v -= x
				default:
					v += x
				}
			}
			return v, true
		}, intOperand, 2)
	}
}

// TestDifferenceSharesSum checks that a difference costs one adder if the subtracted sum exists already.
func TestDifferenceSharesSum(t *testing.T) {
	c := smt.NewContext()
	a, x, y := c.Var("a", smt.BV(64)), c.Var("x", smt.BV(64)), c.Var("y", smt.BV(64))
	b := newBlaster(c)
	if err := b.convert(c.Add(x, c.Mul(y, c.Int(64, 24)))); err != nil {
		t.Fatal(err)
	}
	before := b.g.size()
	if err := b.convert(c.Sub(c.Sub(a, x), c.Mul(y, c.Int(64, 24)))); err != nil {
		t.Fatal(err)
	}
	// Each bit of an adder is two xors and a majority; the new operand is 64 inputs.
	if got := b.g.size() - before; got > 64+3*64 {
		t.Errorf("the difference has %d nodes of its own", got)
	}
}
