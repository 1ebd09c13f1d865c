package pipeline

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A proof lives for a second: collecting garbage rarely is worth more than the memory, as long as there is little of
// it. So the heap of a worker grows by rareGC percent of what is alive, but not beyond freeHeap, and where that much is
// alive by leastGC percent.
const (
	rareGC   = 400
	leastGC  = 50
	freeHeap = 640 << 20 // bytes
)

// gcPercent is by how much a heap with so many bytes alive may grow until the next collection.
func gcPercent(live uint64) int {
	if live*(100+rareGC)/100 <= freeHeap {
		return rareGC
	}
	return max(leastGC, int((freeHeap-min(live, freeHeap))*100/live))
}

var watchHeap sync.Once

// collectRarely sets how often garbage is collected, after each collection anew. limit is the memory in bytes from
// which on it is collected as often as that takes, which the runtime bounds by half of the CPU time.
func collectRarely(limit int64) {
	debug.SetGCPercent(rareGC)
	debug.SetMemoryLimit(limit)
	watchHeap.Do(afterCollection)
}

// afterCollection adapts the percentage when the next collection has ended, and so on: that is when finalizers run.
func afterCollection() {
	runtime.SetFinalizer(&struct{ _ *byte }{}, func(any) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() == metrics.KindUint64 {
			debug.SetGCPercent(gcPercent(live[0].Value.Uint64()))
		}
		afterCollection()
	})
}
