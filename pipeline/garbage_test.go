package pipeline

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestGCPercent(t *testing.T) {
	for _, tt := range []struct {
		live        uint64 // MB
		usual, want int
	}{
		{0, rareGC, 1600}, {1, rareGC, 6300}, {10, rareGC, 540}, {13, rareGC, 400}, {100, rareGC, 400}, {128, rareGC, 400},
		{160, rareGC, 300}, {320, rareGC, 100}, {600, rareGC, 50}, {640, rareGC, 50}, {3000, rareGC, 50},
		{0, usualGC, 1600}, {10, usualGC, 540}, {32, usualGC, 100}, {60, usualGC, 100}, {3000, usualGC, 100},
	} {
		if got := gcPercent(tt.live<<20, tt.usual); got != tt.want {
			t.Errorf("%d MB alive, usually %d percent: %d, want %d", tt.live, tt.usual, got, tt.want)
		}
	}
}

// TestPercentFollowsCollections checks that the percentage is set after each collection, not only after the first.
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

// TestCollectOften checks the percentage after a collection in a process that lasts.
func TestCollectOften(t *testing.T) {
	const odd = 77
	watchHeap.Do(afterCollection)
	defer debug.SetGCPercent(debug.SetGCPercent(odd))
	defer lasting.Store(lasting.Load())
	CollectOften()
	debug.SetGCPercent(odd)
	for deadline := time.Now().Add(time.Minute); ; {
		runtime.GC()
		time.Sleep(time.Millisecond)
		switch got := debug.SetGCPercent(odd); {
		case got == usualGC:
			return
		case got != odd || time.Now().After(deadline):
			t.Fatalf("%d percent, want %d", got, usualGC)
		}
	}
}
