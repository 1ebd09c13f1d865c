package pipeline

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGCPercent(t *testing.T) {
	for _, tt := range []struct {
		live uint64 // MB
		want int
	}{{0, 400}, {100, 400}, {128, 400}, {160, 300}, {320, 100}, {600, 50}, {640, 50}, {3000, 50}} {
		if got := gcPercent(tt.live << 20); got != tt.want {
			t.Errorf("%d MB alive: %d percent, want %d", tt.live, got, tt.want)
		}
	}
}

// TestPercentFollowsCollections: the percentage is set anew after each collection, not only after the first.
func TestPercentFollowsCollections(t *testing.T) {
	const odd = 77
	watchHeap.Do(afterCollection)
	defer debug.SetGCPercent(debug.SetGCPercent(odd))
	for round := range 3 {
		deadline := time.Now().Add(time.Minute)
		for debug.SetGCPercent(odd) == odd {
			if time.Now().After(deadline) {
				t.Fatalf("collection %d changes nothing", round)
			}
			runtime.GC()
			time.Sleep(time.Millisecond)
		}
	}
}
