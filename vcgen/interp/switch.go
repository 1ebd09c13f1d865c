package interp

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Switching describes a run in which one branch is inverted, and collects its results.
type Switching struct {
	At    int64         // number of the branch instruction, from 1; -1 for none
	Watch *llvmir.Instr // the instruction whose executions are counted
	Count int
	// Decided are the outcomes of the branches in Sliced, in order, as ID and direction; at most maxDecided.
	Sliced  map[*llvmir.Instr]bool
	Decided []int
	Before  int // how many of them precede the inverted one
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
