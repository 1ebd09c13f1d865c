package induction

import (
	"math/rand/v2"
	"testing"
)

// TestNullSpace checks that a planted equation is found and that each vector returned is orthogonal to all rows.
// Too few rows have no equations.
func TestNullSpace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		columns := 2 + r.IntN(5)
		planted := make([]int64, columns) // last = planted . the others, with a constant first
		for k := range planted {
			planted[k] = int64(r.IntN(9)) - 4
		}
		var rows [][]int64
		for range columns + 8 {
			row, last := []int64{1}, planted[0]
			for k := 1; k < columns; k++ {
				v := int64(r.IntN(2000)) - 1000
				row, last = append(row, v), last+planted[k]*v
			}
			rows = append(rows, append(row, last))
		}
		basis := nullSpace(rows, 32)
		if len(basis) == 0 {
			t.Fatalf("case %d: no equation of %v", n, planted)
		}
		for _, v := range basis {
			if !holds(rows, v, 64) {
				t.Fatalf("case %d: %v is no equation", n, v)
			}
		}
		if len(basis) == 1 {
			v := basis[0]
			for k := range planted {
				if v[k] != -v[columns]*planted[k] {
					t.Fatalf("case %d: %v, planted %v", n, v, planted)
				}
			}
		}
		if got := nullSpace(rows[:columns], 32); got != nil {
			t.Fatalf("case %d: %d rows have %v", n, columns, got)
		}
	}
}

// TestNullSpaceOfSmallNumbers checks that a vector without small integers is left out, and that equations hold modulo
// the width only.
func TestNullSpaceOfSmallNumbers(t *testing.T) {
	var large, wraps [][]int64
	for k := range int64(9) {
		large = append(large, []int64{1, 1000 * k, 7 * k})
		wraps = append(wraps, []int64{1, k, int64(int8(100 * k))})
	}
	if got := nullSpace(large, 32); got != nil {
		t.Errorf("%v", got)
	}
	if got := nullSpace(wraps, 8); got != nil {
		t.Errorf("100 k as 8 bits: %v", got)
	}
	if !holds(wraps, []int64{0, 100, -1}, 8) || holds(wraps, []int64{0, 100, -1}, 16) {
		t.Error("the width is not regarded")
	}
}
