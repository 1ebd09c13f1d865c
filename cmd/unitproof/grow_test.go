package main

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestGrowth simulates searches with given results for each size.
func TestGrowth(t *testing.T) {
	upTo := func(n int) func(int) found.Verdict {
		return func(size int) found.Verdict {
			if size <= n {
				return found.Proved
			}
			return found.Bounded
		}
	}
	for _, test := range []struct {
		sizes   growth
		of      func(size int) found.Verdict
		order   []int // in which sizes are tried
		decided int
		status  int
	}{
		{growth{"N", 4, 64}, upTo(100), []int{4, 8, 16, 32, 64}, 64, diagnostics.ExitProved},
		{growth{"N", 3, 13}, upTo(100), []int{3, 6, 12, 13}, 13, diagnostics.ExitProved},
		{growth{"N", 4, 64}, upTo(21), []int{4, 8, 16, 32, 24, 20, 22, 21}, 21, diagnostics.ExitUndecided},
		{growth{"N", 4, 64}, upTo(15), []int{4, 8, 16, 12, 14, 15}, 15, diagnostics.ExitUndecided},
		{growth{"N", 4, 64}, upTo(3), []int{4}, 0, diagnostics.ExitUndecided},
		{growth{"N", 1, 4}, func(size int) found.Verdict {
			if size >= 2 {
				return found.Failed
			}
			return found.Proved
		}, []int{1, 2}, 2, diagnostics.ExitFailed},
		{growth{"N", 1, 4}, func(int) found.Verdict { return found.Vacuous }, []int{1}, 1, diagnostics.ExitFailed},
		{growth{"N", 1, 4}, func(int) found.Verdict { return found.Error }, []int{1}, 0, diagnostics.ExitError},
	} {
		g := &grown{}
		var order []int
		for size := g.next(test.sizes); size != 0; size = g.next(test.sizes) {
			order = append(order, size)
			if len(order) > 20 {
				break
			}
			g.add(sizeTried{Size: size, Verdict: test.of(size), TotalMS: int64(10 * size * size)})
		}
		if !slices.Equal(order, test.order) || g.Decided != test.decided {
			t.Errorf("%v: %v up to %d, want %v up to %d", test.sizes, order, g.Decided, test.order, test.decided)
		}
		if status := growthStatus(test.sizes, []*grown{g}); status != test.status {
			t.Errorf("%v %v: status %d, want %d", test.sizes, order, status, test.status)
		}
		if !slices.IsSortedFunc(g.Tried, func(a, b sizeTried) int { return a.Size - b.Size }) {
			t.Errorf("%v: not by size", g.Tried)
		}
		if e := g.Exponent; len(order) >= 4 && (e == nil || *e < 1.9 || *e > 2.1) {
			t.Errorf("%v: squares grow like %v", order, e)
		}
	}
}

func TestParseGrowth(t *testing.T) {
	if g, err := parseGrowth("MAX_LEN=4..64"); err != nil || g != (growth{"MAX_LEN", 4, 64}) {
		t.Error(g, err)
	}
	for _, s := range []string{"", "N", "N=4", "N=..4", "N=4..", "=1..2", "9N=1..2", "N M=1..2", "N=0..4", "N=-1..4",
		"N=4..4", "N=8..4", "N=1..9999999999", "N=1..2..3"} {
		if g, err := parseGrowth(s); err == nil {
			t.Errorf("%q is %v", s, g)
		}
	}
}
