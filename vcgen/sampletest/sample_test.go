package sampletest

import (
	"fmt"
	"slices"
	"testing"
)

// TestEachNameIsTaken checks that n samples in succession take each name exactly once.
func TestEachNameIsTaken(t *testing.T) {
	for _, n := range []uint32{1, 2, 6, 8, 60} {
		for i := range 200 {
			name, times := fmt.Sprint("program", i), 0
			for sample := range uint64(n) {
				if taken(name, n, 20788+sample) {
					times++
				}
				if taken(name, 8*n, 20788+sample) && !taken(name, n, 20788+sample) {
					t.Errorf("%s is in a sample of one in %d, and not in that of one in %d", name, 8*n, n)
				}
			}
			if times != 1 {
				t.Errorf("one in %d: %s is taken %d times in %d samples", n, name, times, n)
			}
		}
	}
}

// TestSeeds checks that Seeds returns as many seeds as Rounds, below the full number.
func TestSeeds(t *testing.T) {
	seeds := slices.Collect(Seeds(t, 100))
	if int64(len(seeds)) != Rounds(100) || seeds[0]%Rounds(100) != 0 || seeds[len(seeds)-1] >= 100 {
		t.Errorf("%d", seeds)
	}
}
