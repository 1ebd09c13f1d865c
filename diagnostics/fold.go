package diagnostics

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// traceLine is a displayed step of a trace, or the note that steps are omitted.
type traceLine struct {
	step    *found.Step
	omitted string
}

// minRepeats is the number of consecutive repetitions from which a sequence of steps is folded.
const minRepeats = 3

// maxPeriod is the longest loop body that is folded, in steps.
const maxPeriod = 48

// foldLoops folds iterations that do the same (the same places write to the same variables): it keeps the first and
// the last. Inner loops are folded first, so that iterations of the outer one that differ only in the iterations of
// the inner one become equal.
func foldLoops(steps []found.Step) []found.Step {
	for {
		folded := foldOnce(steps)
		if len(folded) == len(steps) {
			return folded
		}
		steps = folded
	}
}

func foldOnce(steps []found.Step) []found.Step {
	keys := make([]string, len(steps))
	for i := range steps {
		s := &steps[i]
		keys[i] = fmt.Sprintf("%s:%d:%d %d %s %s", s.File, s.Line, s.Column, s.Depth, s.Event, withoutIndices(s.LValue))
	}
	out := make([]found.Step, 0, len(steps))
	for i := 0; i < len(steps); {
		period, repeats := repetition(keys[i:])
		if repeats < minRepeats || (repeats-2)*period < 2 {
			out = append(out, steps[i])
			i++
			continue
		}
		last := i + (repeats-1)*period
		out = append(out, steps[i:i+period]...)
		gap := found.Skipped{Iterations: repeats - 2}
		for k := i + period; k < last; k++ {
			gap.Steps++
			if s := steps[k].Skipped; s != nil {
				gap.Steps += s.Steps
			}
		}
		begin := steps[last]
		if begin.Skipped != nil { // the iteration begins with an inner loop
			gap.Steps += begin.Skipped.Steps
		}
		begin.Skipped = &gap
		out = append(append(out, begin), steps[last+1:last+period]...)
		i = last + period
	}
	return out
}

// traceLines returns the essential steps, or all, with notes at folded loops.
func traceLines(steps []found.Step, all bool) []traceLine {
	var out []traceLine
	gap := 0 // iterations omitted since the last line
	for i := range steps {
		if s := &steps[i]; s.Skipped != nil {
			gap = s.Skipped.Iterations
		}
		if !all && !isEssential(&steps[i]) {
			continue
		}
		if gap > 0 {
			out = append(out, traceLine{omitted: fmt.Sprintf("… %s", phrase.Count(gap, "more iteration"))})
			gap = 0
		}
		out = append(out, traceLine{step: &steps[i]})
	}
	return out
}

// withoutIndices removes indices, so that a[3].x equals a[4].x, and *a equals a[0].
func withoutIndices(lvalue string) string {
	if rest, ok := strings.CutPrefix(lvalue, "*"); ok {
		lvalue = rest + "[]"
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(lvalue); i++ {
		switch lvalue[i] {
		case '[':
			if depth == 0 {
				b.WriteString("[")
			}
			depth++
		case ']':
			if depth--; depth == 0 {
				b.WriteString("]")
			}
		default:
			if depth == 0 {
				b.WriteByte(lvalue[i])
			}
		}
	}
	return b.String()
}

// isEssential reports whether a reader of a counterexample needs the step. The violation itself (it is the finding)
// and returns without a value are not essential.
func isEssential(s *found.Step) bool {
	switch s.Event {
	case found.StepViolation:
		return false
	case found.StepReturn:
		return s.Value != ""
	}
	return true
}

// repetition returns the length and the number of the repetitions at the start of keys.
func repetition(keys []string) (period, repeats int) {
	for p := 1; p <= maxPeriod && p*minRepeats <= len(keys); p++ {
		if keys[0] != keys[p] {
			continue
		}
		n := p
		for n < len(keys) && keys[n] == keys[n-p] {
			n++
		}
		if n/p >= minRepeats {
			return p, n / p
		}
	}
	return 0, 0
}

// limitTrace keeps the first few and the last lines of a long trace.
func limitTrace(lines []traceLine, limit int) []traceLine {
	if limit <= 0 || len(lines) <= limit {
		return lines
	}
	head := limit / 4
	tail := limit - head - 1
	out := append([]traceLine(nil), lines[:head]...)
	out = append(out, traceLine{omitted: fmt.Sprintf("… %d more (-v)", len(lines)-head-tail)})
	return append(out, lines[len(lines)-tail:]...)
}
