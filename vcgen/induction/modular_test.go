package induction

import (
	"math/rand/v2"
	"testing"
)

// TestPlantedEquations checks that a planted equation is found, modulo the width, among arbitrary numbers, and that all
// rows satisfy every equation.
func TestPlantedEquations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		width := []int{8, 16, 32, 64}[r.IntN(4)]
		columns := 2 + r.IntN(4)
		planted := make([]int64, columns) // last = planted . the others, with a constant first
		for k := range planted {
			planted[k] = int64(r.IntN(9)) - 4
		}
		var rows [][]uint64
		for range columns + 8 {
			row, last := []uint64{1}, uint64(planted[0])
			for k := 1; k < columns; k++ {
				v := r.Uint64()
				row, last = append(row, v), last+uint64(planted[k])*v
			}
			rows = append(rows, append(row, last))
		}
		for fixed := range columns {
			all := eliminate(rows, columns+1, width).sparseEquations(fixed)
			found := false
			for _, e := range all {
				for _, row := range rows {
					if !e.holds(row) {
						t.Fatalf("case %d: %v is no equation of %v", n, e, row)
					}
				}
				same := e.bits == width && e.factors[columns]*e.factors[columns] == 1
				for k := range planted {
					same = same && (e.factors[k]+e.factors[columns]*planted[k])<<(64-width) == 0
				}
				found = found || same
			}
			if !found {
				t.Fatalf("case %d: %v of %v modulo 2^%d", n, all, planted, width)
			}
		}
	}
}

// TestAllEquations compares the equations with all vectors, for a small width: exactly the equations that hold in all
// rows follow from the generators.
func TestAllEquations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const columns, width = 3, 3
	for range 300 {
		var rows [][]uint64
		for range 1 + r.IntN(4) {
			rows = append(rows, []uint64{1, r.Uint64N(8), r.Uint64N(8)})
		}
		all := eliminate(rows, columns, width).linearEquations()
		spanned := map[[columns]int64]bool{{}: true}
		for grown := true; grown; {
			grown = false
			for v := range spanned {
				for _, e := range all {
					var sum [columns]int64
					for k := range sum {
						sum[k] = (v[k] + e.factors[k]<<(width-e.bits)) & 7
					}
					if !spanned[sum] {
						spanned[sum], grown = true, true
					}
				}
			}
		}
		for v := range int64(512) {
			f := [columns]int64{v & 7, v >> 3 & 7, v >> 6}
			holds := true
			for _, row := range rows {
				holds = holds && equation{f[:], width}.holds(row)
			}
			if holds != spanned[f] {
				t.Fatalf("rows %v, factors %v: holds is %v, spanned %v by %v", rows, f, holds, spanned[f], all)
			}
		}
	}
}

// TestLargeFactors checks that equations without small factors are left out, except for the constant.
func TestLargeFactors(t *testing.T) {
	var large, far [][]uint64
	for k := range uint64(9) {
		large = append(large, []uint64{1, 1000 * k, 7 * k})
		far = append(far, []uint64{1, k, 5*k + 100_000})
	}
	for _, e := range eliminate(large, 3, 32).linearEquations() {
		if e.bits == 32 {
			t.Errorf("%v", e)
		}
	}
	if all := eliminate(far, 3, 32).linearEquations(); len(all) != 1 || all[0].factors[0]*all[0].factors[2] != -100_000 {
		t.Errorf("%v", all)
	}
}
