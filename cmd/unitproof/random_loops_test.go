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
// over arrays of any length, they replace blocks of the heap, or they move pointers. Neither an assertion that a run
// violates must be proved, nor the accesses at a place at which sanitizers report a violation.
func TestRandomLoops(t *testing.T) {
	program := buildProgram(t)
	prepared, err := randproof.PrepareLoops(context.Background(),
		randproof.Tools{Clang: "clang-14", Symbolizer: "llvm-symbolizer-14"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, shape := range []struct {
		name       string
		generate   func(seed uint64) string
		sanitizers bool
	}{{"arrays", randproof.Loops, false}, {"blocks", randproof.Blocks, true}, {"walks", randproof.Walks, true},
		{"lists", randproof.Lists, true}} {
		r := &randomLoops{program: program, prepared: prepared, sanitizers: shape.sanitizers, verdicts: map[string]int{}}
		t.Run(shape.name, func(t *testing.T) {
			for seed := *loopsFrom; seed < *loopsFrom+*loopsCount; seed++ {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					t.Parallel()
					r.check(t, seed, shape.generate(seed))
				})
			}
		})
		if r.executions == 0 {
			continue // -run selects another shape
		}
		t.Logf("%s: %d programs, %d native executions, %d violations there; verdicts of assertions: %v; %d programs with "+
			"violations, %d proved, %d with findings that were proved by induction", shape.name, *loopsCount, r.executions,
			r.violations, r.verdicts, r.violated, r.proved, r.induced)
	}
}

type randomLoops struct {
	program    string
	prepared   *randproof.Prepared
	sanitizers bool

	mu                                                sync.Mutex
	executions, violations, violated, proved, induced int
	verdicts                                          map[string]int // number of assertions
}

// check compares the result for one program with its native runs.
func (r *randomLoops) check(t *testing.T, seed uint64, text string) {
	truth, err := r.prepared.LoopTruth(context.Background(), text, r.sanitizers)
	if err != nil {
		keep(t, seed, text)
		t.Fatal(err)
	}
	p := &randproof.Program{Seed: seed, MallocMayFail: true, Timeout: "8s"}
	said, status := checkRandom(t, r.program, p, text)
	if len(said) == 0 && !strings.Contains(status, "nothing to check") && !strings.Contains(status, "timeout of") {
		t.Errorf("no findings: %s", status)
	}
	// The engine reports an internal error if an execution violates an inferred invariant.
	if strings.Contains(status, "internal error") {
		t.Errorf("an internal error: %s", status)
	}
	if len(said) > 0 {
		// Behind a comparison of pointers into different objects the engine continues only where they are in the same one.
		ambiguous := slices.ContainsFunc(said, func(s randproof.Said) bool {
			return s.Kind == "ambiguous-pointer" && s.Verdict != "proved"
		})
		// If time ended, a failed proof may list its violations only, and says so.
		ended := strings.Contains(status, "not everything was checked")
		wrong, _ := p.Compare(truth, said)
		for _, w := range wrong {
			switch {
			case ambiguous:
				t.Logf("behind an ambiguous pointer: %s", w)
			case ended && strings.Contains(w, "the engine says []"):
				t.Logf("not everything was checked: %s", w)
			default:
				t.Error(w)
			}
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
		keep(t, seed, text)
	}
	is := func(what func(s randproof.Said) bool) int {
		if slices.ContainsFunc(said, what) {
			return 1
		}
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.executions += truth.Runs
	r.violations += len(truth.Violations)
	if len(truth.Violations) > 0 {
		r.violated++
	}
	if len(said) > 0 {
		r.proved += 1 - is(func(s randproof.Said) bool { return s.Verdict != "proved" && s.Verdict != "unreached" })
	}
	r.induced += is(func(s randproof.Said) bool { return s.Induction && s.Verdict == "proved" })
	for _, s := range said {
		if s.Kind == "assertion" {
			r.verdicts[s.Verdict]++
		}
	}
}
