package ask

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestDependence compares dependence with Context.Symbols on random terms, in random order.
func TestDependence(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		c := smt.NewContext()
		var vars, terms []smt.Term
		for range 8 {
			v := c.Var("v", 8)
			vars, terms = append(vars, v), append(terms, v)
		}
		terms = append(terms, c.Int(8, 3))
		for range 60 {
			a, b := terms[rnd.IntN(len(terms))], terms[rnd.IntN(len(terms))]
			terms = append(terms, []smt.Term{c.Add(a, b), c.Mul(a, b), c.Ite(c.Ult(a, b), a, b)}[rnd.IntN(3)])
		}
		on := vars[:rnd.IntN(4)]
		d := newDependence(c, on)
		for range 100 {
			x := terms[rnd.IntN(len(terms))]
			want := slices.ContainsFunc(c.Symbols(x), func(v smt.Term) bool { return slices.Contains(on, v) })
			if got := d.of(x); got != want {
				t.Fatalf("seed %d: %v, and the symbols say %v", seed, got, want)
			}
		}
	}
}
