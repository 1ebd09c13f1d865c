package interp

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Switching is what a run is told, and tells, in which one branch goes the other way.
type Switching struct {
	At    int64         // number of the instruction that branches, from 1; -1 for none
	Watch *llvmir.Instr // whose executions are counted
	Count int
	// Decided are the outcomes of the branches in Sliced, in their order, as ID and direction; at most maxDecided.
	Sliced  map[*llvmir.Instr]bool
	Decided []int
	Before  int // how many of them came before the one that was switched
}

// maxDecided bounds Switching.Decided.
const maxDecided = 500_000

func (w *Switching) decides(in *llvmir.Instr, taken bool) {
	if !w.Sliced[in] || len(w.Decided) >= maxDecided {
		return
	}
	d := 2 * in.ID
	if taken {
		d++
	}
	w.Decided = append(w.Decided, d)
}
