package interp

import "testing"

// TestVisits checks that an execution is fresh if it enters a block about as often as no execution before it.
func TestVisits(t *testing.T) {
	var v Visits
	for i, run := range []struct {
		times map[int]int
		fresh bool
	}{
		{map[int]int{7: 1}, true},
		{map[int]int{7: 1}, false},
		{map[int]int{7: 2}, true},
		{map[int]int{7: 3}, true},
		{map[int]int{7: 5}, true},
		{map[int]int{7: 6}, false},
		{map[int]int{7: 8}, true},
		{map[int]int{7: 1, 5000: 1}, true},
		{map[int]int{7: 100_000}, true},
		{nil, false},
	} {
		for id, n := range run.times {
			for range n {
				v.visit(id)
			}
		}
		if got := v.Next(); got != run.fresh {
			t.Errorf("execution %d is fresh: %t", i, got)
		}
	}
}
