package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestFoldLoops folds nested loops. It checks that omitted steps are counted, and that folding is idempotent.
func TestFoldLoops(t *testing.T) {
	step := func(line int, lvalue string) found.Step {
		return found.Step{Pos: found.Pos{File: "f.c", Line: line}, Event: found.StepAssign, LValue: lvalue}
	}
	var steps []found.Step
	for i := range 6 {
		steps = append(steps, step(1, "i"))
		for range i + 3 {
			steps = append(steps, step(2, "a["+strings.Repeat("1", i+1)+"]"), step(3, "sum"))
		}
		steps = append(steps, step(4, "n"))
	}
	steps = append(steps, found.Step{Pos: found.Pos{File: "f.c", Line: 9}, Event: found.StepViolation})
	folded := foldLoops(steps)
	var lines strings.Builder
	for _, s := range folded {
		if s.Skipped != nil {
			lines.WriteString(strings.Repeat("+", s.Skipped.Iterations))
		}
		lines.WriteByte(byte('0' + s.Line))
	}
	// The first iteration with three iterations of its inner loop; four omitted iterations; the last one, with eight.
	if got := lines.String(); got != "123+234++++123++++++2349" {
		t.Errorf("%s", got)
	}
	sum := 0
	for _, s := range folded {
		if s.Skipped != nil {
			sum += s.Skipped.Steps
		}
	}
	if len(folded)+sum != len(steps) {
		t.Errorf("%d steps are kept and %d said to be left out, of %d", len(folded), sum, len(steps))
	}
	if again := foldLoops(folded); len(again) != len(folded) {
		t.Errorf("folded twice: %d steps of %d", len(again), len(folded))
	}
}
