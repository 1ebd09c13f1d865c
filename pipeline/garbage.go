package pipeline

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// A proof lives for a second: collecting garbage rarely is worth more than the memory, as long as there is little of
// it. So the heap of a worker grows by rareGC percent of what is alive, but not beyond freeHeap, and where that much is
// alive by leastGC percent. No heap is collected below firstHeap: the check of a proof that is known ends before that,
// in four fifths of the CPU time.
const (
	usualGC   = 100 // percent, Go's own
	rareGC    = 400
	leastGC   = 50
	freeHeap  = 640 << 20 // bytes
	firstHeap = 64 << 20
	// minHeap is the heap in bytes at which Go collects first for each 100 percent.
	minHeap = 4 << 20
)

// gcPercent is by how much a heap with so many bytes alive may grow until the next collection, if it mostly grows by
// usual.
func gcPercent(live uint64, usual int) int {
	if live == 0 {
		return firstHeap / minHeap * 100
	}
	if most := live * uint64(100+usual) / 100; usual > usualGC && most > freeHeap {
		usual = max(leastGC, int((freeHeap-min(live, freeHeap))*100/live))
	}
	return max(usual, int((firstHeap-min(live, firstHeap))*100/live))
}

var (
	watchHeap sync.Once
	rarely    atomic.Bool // the process executes proofs
)

// CollectLate has no garbage collected until there is some that is worth it. It is called when a process starts.
func CollectLate() {
	debug.SetGCPercent(gcPercent(0, usualGC))
	watchHeap.Do(afterCollection)
}

// collectRarely sets how often garbage is collected, after each collection anew. limit is the memory in bytes from
// which on it is collected as often as that takes, which the runtime bounds by half of the CPU time.
func collectRarely(limit int64) {
	debug.SetMemoryLimit(limit)
	if !rarely.Swap(true) {
		CollectLate()
	}
}

// afterCollection adapts the percentage when the next collection has ended, and so on: that is when finalizers run.
func afterCollection() {
	runtime.SetFinalizer(&struct{ _ *byte }{}, func(any) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() == metrics.KindUint64 {
			usual := usualGC
			if rarely.Load() {
				usual = rareGC
			}
			debug.SetGCPercent(gcPercent(live[0].Value.Uint64(), usual))
		}
		afterCollection()
	})
}
