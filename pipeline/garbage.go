package pipeline

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// A proof lives for a second: while there is little garbage, collecting it rarely is worth the memory. So the heap of a
// worker grows by rareGC percent of the live bytes up to freeHeap, and beyond that by leastGC percent. Below firstHeap
// nothing is collected: a check answered from the cache ends before that, in four fifths of the CPU time.
const (
	usualGC   = 100 // percent, Go's own
	rareGC    = 400
	leastGC   = 50
	freeHeap  = 640 << 20 // bytes
	firstHeap = 64 << 20
	// minHeap is the heap in bytes at which Go collects first for each 100 percent.
	minHeap = 4 << 20
)

// gcPercent returns the growth until the next collection of a heap with so many live bytes, in percent. usual is the
// growth of a heap of average size.
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
	lasting   atomic.Bool // the process serves an editor for hours
)

// CollectLate raises the heap size of the first collection. It is called when a process starts.
func CollectLate() {
	debug.SetGCPercent(gcPercent(0, usualGC))
	watchHeap.Do(afterCollection)
}

// CollectOften keeps the heap small, as Go does on its own. It is for processes that last: an editor's server has few
// live bytes, and with late collections its size grows with each edit up to several times of these.
func CollectOften() {
	lasting.Store(true)
	debug.SetGCPercent(usualGC)
}

// collectRarely sets how often garbage is collected, adjusted after each collection. limit is a soft limit of memory in
// bytes; beyond it the runtime collects as often as needed, with at most half of the CPU time.
func collectRarely(limit int64) {
	debug.SetMemoryLimit(limit)
	if !rarely.Swap(true) {
		CollectLate()
	}
}

// afterCollection adapts the percentage after each collection: finalizers run at that time.
func afterCollection() {
	runtime.SetFinalizer(&struct{ _ *byte }{}, func(any) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Kind() == metrics.KindUint64 {
			usual := usualGC
			if rarely.Load() {
				usual = rareGC
			}
			if usual == usualGC && lasting.Load() {
				debug.SetGCPercent(usualGC)
			} else {
				debug.SetGCPercent(gcPercent(live[0].Value.Uint64(), usual))
			}
		}
		afterCollection()
	})
}
