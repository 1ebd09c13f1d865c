package smt

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDependence: what it says of random terms is what their symbols say, in whatever order they are asked about.
func TestDependence(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		c := NewContext()
		var vars, terms []Term
		for range 8 {
			v := c.Var("v", 8)
			vars, terms = append(vars, v), append(terms, v)
		}
		terms = append(terms, c.Int(8, 3))
		for range 60 {
			a, b := terms[rnd.IntN(len(terms))], terms[rnd.IntN(len(terms))]
			terms = append(terms, []Term{c.Add(a, b), c.Mul(a, b), c.Ite(c.Ult(a, b), a, b)}[rnd.IntN(3)])
		}
		on := vars[:rnd.IntN(4)]
		d := c.Dependence(on)
		for range 100 {
			x := terms[rnd.IntN(len(terms))]
			want := slices.ContainsFunc(c.Symbols(x), func(v Term) bool { return slices.Contains(on, v) })
			if got := d.Of(x); got != want {
				t.Fatalf("seed %d: %v, and the symbols say %v", seed, got, want)
			}
		}
	}
}
