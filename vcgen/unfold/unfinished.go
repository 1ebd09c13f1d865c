package unfold

import (
	"fmt"
	"strings"
)

// Unfinished is the error of an unfolding whose context was cancelled. It includes the progress, because often the
// bound of a loop has to be changed, not the time limit.
type Unfinished struct {
	Err          error // of the context
	Instructions int64 // executed so far
	// Loops are the loops that were under way, outermost first.
	Loops []LoopUnderWay
}

// LoopUnderWay is a loop in which an unfolding stopped.
type LoopUnderWay struct {
	Name      string // FUNCTION#K
	Iteration int    // counts from 1
}

func (u *Unfinished) Error() string { return fmt.Sprintf("unfolding: %v %s", u.Err, u.Where()) }

// Unwrap returns the context's error.
func (u *Unfinished) Unwrap() error { return u.Err }

// maxLoopsNamed limits the number of loops in a message; the innermost ones are named.
const maxLoopsNamed = 3

// Where describes the progress: "after 15498 instructions, in iteration 13 of main#1, 5 of next_token#2".
func (u *Unfinished) Where() string {
	text := fmt.Sprintf("after %d instructions", u.Instructions)
	var loops []string
	for _, l := range u.Loops[max(len(u.Loops)-maxLoopsNamed, 0):] {
		loops = append(loops, fmt.Sprintf("%d of %s", l.Iteration, l.Name))
	}
	if len(loops) > 0 {
		text += ", in iteration " + strings.Join(loops, ", ")
	}
	return text
}

// Progress returns how far the unfolding of the program is; Err is not set.
func (p *Program) Progress() *Unfinished {
	return &Unfinished{Instructions: p.Instructions, Loops: p.run.current.underWay()}
}

// underWay lists the loops around the most recently begun visit, the callers' loops first.
func (fr *frame) underWay() []LoopUnderWay {
	if fr == nil {
		return nil
	}
	loops := fr.caller.underWay()
	if v := fr.visiting; v != nil {
		for i, l := range fr.fn.Nodes[v.block].Loops {
			loops = append(loops, LoopUnderWay{Name: l.Name, Iteration: int(v.iters[i]) + 1})
		}
	}
	return loops
}
