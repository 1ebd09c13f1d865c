package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/pipeline/randproof"
)

var (
	loopsFrom  = flag.Uint64("random-loops-from", 1, "the first seed of TestRandomLoops")
	loopsCount = flag.Uint64("random-loops", 2, "how many seeds TestRandomLoops takes")
)

// TestRandomLoops compares the results for random loops over arrays of any length with native runs for small and
// large lengths: an assertion that a run violates must not be proved.
func TestRandomLoops(t *testing.T) {
	program := buildProgram(t)
	ctx := context.Background()
	tools := randproof.Tools{Clang: "clang-14", Symbolizer: "llvm-symbolizer-14"}
	var mu sync.Mutex
	executions, violations, verdicts := 0, 0, map[string]int{}
	t.Run("seeds", func(t *testing.T) {
		for seed := *loopsFrom; seed < *loopsFrom+*loopsCount; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				text := randproof.Loops(seed)
				violated, runs, err := randproof.LoopTruth(ctx, tools, t.TempDir(), text)
				if err != nil {
					t.Fatal(err)
				}
				p := &randproof.Program{Seed: seed, MallocMayFail: true, Timeout: "8s"}
				said, status := checkRandom(t, program, p, text)
				if len(said) == 0 && !strings.Contains(status, "nothing to check") {
					t.Errorf("no findings: %s", status)
				}
				// The engine reports an internal error if an execution violates an inferred invariant.
				if strings.Contains(status, "internal error") {
					t.Errorf("an internal error: %s\n%s", status, text)
					keep(t, seed, text)
				}
				mu.Lock()
				defer mu.Unlock()
				executions += runs
				violations += len(violated)
				for _, s := range said {
					if s.Kind != "assertion" {
						continue
					}
					verdicts[s.Verdict]++
					if how := violated[s.Line]; how != "" && s.Verdict == "proved" {
						t.Errorf("line %d is proved, and a native run violates it: %s\n%s", s.Line, how, text)
						keep(t, seed, text)
					}
				}
			})
		}
	})
	t.Logf("%d programs, %d native executions, %d assertions violated there; verdicts of assertions: %v", *loopsCount,
		executions, violations, verdicts)
	if executions == 0 {
		t.Error("nothing was run")
	}
}
