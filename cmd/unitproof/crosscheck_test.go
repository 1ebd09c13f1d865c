package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

var (
	crossDir = flag.String("cross-dir", "",
		"the folder with a unitproof.toml whose proofs TestCrosscheck takes instead of the test programs")
	crossSolvers = flag.String("cross-solvers", "z3",
		"the other solvers of TestCrosscheck, as --solver takes them, with commas between")
	crossTimeout = flag.String("cross-timeout", "3s",
		"the time that the other solvers of TestCrosscheck have for each proof; the built-in one has twice as much, at "+
			"least a minute")
)

// TestCrosscheck compares the results of each back end, with empty and with filled caches, with one worker and with
// two. The built-in solver must have the same results each time. Another one may run out of time or lack a construct,
// but must agree on all proofs and assertions that it decides.
func TestCrosscheck(t *testing.T) {
	program := buildProgram(t)
	if *crossDir != "" {
		t.Chdir(*crossDir) // its proofs may lie elsewhere
		crosscheck(t, program)
		return
	}
	n := 0
	for _, p := range testPrograms(t, corpora...) {
		n++
		if !p.sampled(t, 60) {
			continue
		}
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			crosscheck(t, program, p.args()...)
		})
	}
	if n < 50 {
		t.Errorf("only %d programs were found", n)
	}
}

// crosscheck runs one check with all configurations.
func crosscheck(t *testing.T, program string, args ...string) {
	t.Helper()
	// The reference results must not end by time, even on a loaded machine.
	others, err := time.ParseDuration(*crossTimeout)
	if err != nil {
		t.Fatal(err)
	}
	own := max(time.Minute, 2*others).String()
	run := func(cache string, more ...string) diagnostics.Document {
		doc, _, _ := runCheck(t, program, cache, slices.Concat([]string{"--timeout", own}, more, args)...)
		for i := range doc.Proofs {
			for k := range doc.Proofs[i].Obligations { // headers of the program are in the cache
				f := &doc.Proofs[i].Obligations[k]
				f.File = strings.Replace(f.File, cache, "cache", 1)
			}
		}
		return doc
	}
	one, two := t.TempDir(), t.TempDir()
	base := run(one, "-j", "1")
	same(t, "warm, one worker", base, run(one, "-j", "1"), false)
	same(t, "cold, two workers", base, run(two, "-j", "2"), false)
	same(t, "warm, two workers", base, run(two, "-j", "2"), false)
	for _, solver := range strings.Split(*crossSolvers, ",") {
		if solver != "" {
			answersAgain(t, program, one, solver)
			same(t, solver, base, run(one, "-j", "2", "--solver", solver, "--timeout", *crossTimeout), true)
		}
	}
}

// answersAgain repeats each query of the built-in solver with another solver. This includes, for each inferred
// invariant, the queries for initiation and consecution.
func answersAgain(t *testing.T, program, cache, solver string) {
	t.Helper()
	number, timeout := "20", *crossTimeout
	if *everything {
		number, timeout = "0", "0" // all
	}
	cmd := exec.Command(program, "cache", "verify", "--share", "1", "--number", number, "--timeout", timeout,
		"--solver", solver)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	said, err := cmd.CombinedOutput()
	// 2: some query, or all together, took too long.
	if status := cmd.ProcessState.ExitCode(); status != 0 && status != diagnostics.ExitUndecided {
		t.Errorf("queries repeated with %s: %v\n%s", solver, err, said)
	}
	t.Logf("%s: %s", solver, strings.TrimSpace(string(said)))
}

// same compares two documents. With may, either may leave undecided what the other decides; a timeout is allowed
// always.
func same(t *testing.T, how string, base, other diagnostics.Document, may bool) {
	t.Helper()
	if len(base.Proofs) == 0 || len(base.Proofs) != len(other.Proofs) {
		t.Errorf("%s: %d proofs instead of %d", how, len(other.Proofs), len(base.Proofs))
		return
	}
	open, findings := 0, 0
	for i := range base.Proofs {
		a, b := &base.Proofs[i], &other.Proofs[i]
		undecided := func(p *diagnostics.Proof, v found.Verdict) bool {
			// If the reachability of a cut is undecided, findings behind it are bounded.
			return (v == found.Unknown || v == found.Bounded) && (may || endedByTime(p))
		}
		loose := undecided(a, a.Verdict) || undecided(b, b.Verdict)
		switch {
		case a.Name != b.Name:
			t.Errorf("%s: %s instead of %s", how, b.Name, a.Name)
		case a.Verdict == b.Verdict:
		case loose:
			open++
		default:
			t.Errorf("%s: %s is %s (%s) and was %s (%s)", how, a.Name, b.Verdict, b.Reason, a.Verdict, a.Reason)
		}
		was := verdictsByPlace(a)
		for place, v := range verdictsByPlace(b) {
			findings++
			if w, known := was[place]; (!known || v != w) && !undecided(a, w) && !undecided(b, v) && (known || !loose) {
				t.Errorf("%s: %s: %s is %q and was %q", how, a.Name, place, v, w)
			}
		}
	}
	t.Logf("%s: %d proofs, %d left open by one of the two, %d findings", how, len(base.Proofs), open, findings)
}

// endedByTime reports whether the timeout left a part of the proof undecided.
func endedByTime(p *diagnostics.Proof) bool {
	return strings.Contains(p.Reason, "timeout of ") || slices.ContainsFunc(p.Obligations,
		func(f diagnostics.Finding) bool {
			return strings.Contains(f.Reason+f.Message, "time limit was reached")
		})
}

// verdictsByPlace returns the verdicts of a proof's findings by position.
func verdictsByPlace(p *diagnostics.Proof) map[string]found.Verdict {
	out := map[string]found.Verdict{}
	for _, f := range p.Obligations {
		out[fmt.Sprintf("%s:%d:%d %s in %s", f.File, f.Line, f.Column, f.Kind, f.Function)] = f.Verdict
	}
	return out
}
