package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/pipeline/randproof"
)

var (
	loopsFrom  = flag.Uint64("random-loops-from", 1, "the first seed of TestRandomLoops")
	loopsCount = flag.Uint64("random-loops", 2, "how many seeds TestRandomLoops takes")
)

// TestRandomLoops compares the results for random loops with native runs for small and large lengths. The loops are
// over arrays of any length, or they replace blocks of the heap. An assertion that a run violates must not be proved;
// neither must all findings be if sanitizers report a violation.
func TestRandomLoops(t *testing.T) {
	program := buildProgram(t)
	tools := randproof.Tools{Clang: "clang-14", Symbolizer: "llvm-symbolizer-14"}
	for _, shape := range []struct {
		name       string
		generate   func(seed uint64) string
		sanitizers bool
	}{{"arrays", randproof.Loops, false}, {"blocks", randproof.Blocks, true}} {
		r := &randomLoops{program: program, tools: tools, sanitizers: shape.sanitizers, verdicts: map[string]int{}}
		t.Run(shape.name, func(t *testing.T) {
			for seed := *loopsFrom; seed < *loopsFrom+*loopsCount; seed++ {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					t.Parallel()
					r.check(t, seed, shape.generate(seed))
				})
			}
		})
		if r.executions == 0 {
			continue // -run selects the other shape
		}
		t.Logf("%s: %d programs, %d native executions, %d assertions violated there; verdicts of assertions: %v; %d "+
			"programs with violations, %d proved", shape.name, *loopsCount, r.executions, r.violations, r.verdicts,
			r.crashed, r.proved)
	}
}

type randomLoops struct {
	program    string
	tools      randproof.Tools
	sanitizers bool

	mu                                      sync.Mutex
	executions, violations, crashed, proved int
	verdicts                                map[string]int // number of assertions
}

// check compares the result for one program with its native runs.
func (r *randomLoops) check(t *testing.T, seed uint64, text string) {
	violated, runs, err := randproof.LoopTruth(context.Background(), r.tools, t.TempDir(), text, r.sanitizers)
	if err != nil {
		t.Fatal(err)
	}
	p := &randproof.Program{Seed: seed, MallocMayFail: true, Timeout: "8s"}
	said, status := checkRandom(t, r.program, p, text)
	if len(said) == 0 && !strings.Contains(status, "nothing to check") && !strings.Contains(status, "timeout of") {
		t.Errorf("no findings: %s", status)
	}
	// The engine reports an internal error if an execution violates an inferred invariant.
	if strings.Contains(status, "internal error") {
		t.Errorf("an internal error: %s\n%s", status, text)
		keep(t, seed, text)
	}
	proved := len(said) > 0 && !slices.ContainsFunc(said, func(s randproof.Said) bool { return s.Verdict != "proved" })
	if how := violated[0]; how != "" && proved {
		t.Errorf("everything is proved, and sanitizers report a violation: %s\n%s", how, text)
		keep(t, seed, text)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.executions += runs
	r.violations += len(violated)
	if violated[0] != "" {
		r.crashed++
	}
	if proved {
		r.proved++
	}
	for _, s := range said {
		if s.Kind != "assertion" {
			continue
		}
		r.verdicts[s.Verdict]++
		if how := violated[s.Line]; how != "" && s.Verdict == "proved" {
			t.Errorf("line %d is proved, and a native run violates it: %s\n%s", s.Line, how, text)
			keep(t, seed, text)
		}
	}
}
