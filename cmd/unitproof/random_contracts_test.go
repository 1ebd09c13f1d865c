package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/randproof"
)

var (
	contractsFrom  = flag.Uint64("random-contracts-from", 1, "the first seed of TestRandomContracts")
	contractsCount = flag.Uint64("random-contracts", 3, "how many seeds TestRandomContracts takes")
)

// TestRandomContracts compares the results for random functions with contracts, and for a harness that uses them,
// with native runs. A clause that a run violates must not be proved, one that no input violates must not fail, and
// failures must reproduce natively.
func TestRandomContracts(t *testing.T) {
	program := buildProgram(t)
	ctx := context.Background()
	tools := randproof.Tools{Clang: "clang-14"}
	var mu sync.Mutex
	runs, undecided, notReplayed, verdicts := 0, 0, 0, map[string]map[string]int{"true": {}, "false": {}}
	t.Run("seeds", func(t *testing.T) {
		for seed := *contractsFrom; seed < *contractsFrom+*contractsCount; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				c, err := randproof.WriteContracts(ctx, tools, t.TempDir(), seed, 1000)
				if err != nil {
					t.Fatal(err)
				}
				flags := []string{"--replay", "--contracts", "use"}
				if c.Inline {
					flags[2] = "inline"
				}
				if seed%2 == 0 { // loops are cut by induction alone
					flags = append(flags, "--disable", "contract-cut")
				}
				said, proofs, status := checkContracts(t, program, c.Text, flags...)
				wrong, soft, notRun := c.Compare(said, proofs)
				mu.Lock()
				defer mu.Unlock()
				runs += c.Runs
				notReplayed += notRun
				for _, w := range wrong {
					t.Error(w)
				}
				if strings.Contains(status, "internal error") {
					t.Errorf("an internal error:\n%s", status)
				}
				if len(soft) > 0 {
					undecided++
					if *randomKeep != "" {
						t.Log(strings.Join(soft, "\n"))
					}
				}
				for what, by := range c.Tally(said) {
					for verdict, n := range by {
						verdicts[what][verdict] += n
					}
				}
				if t.Failed() || len(soft) > 0 {
					keep(t, seed, c.Text)
				}
			})
		}
	})
	t.Logf("%d programs, %d native executions, %d not decided, %d failures not replayed; "+
		"verdicts of clauses that no run violated: %v, of others: %v",
		*contractsCount, runs, undecided, notReplayed, verdicts["true"], verdicts["false"])
	if len(verdicts["true"]) == 0 || len(verdicts["false"]) == 0 {
		t.Error("no clause was looked at")
	}
}

// checkContracts runs the program on a text, and returns its findings with their proofs, and the verdicts of these.
func checkContracts(t *testing.T, program, text string, flags ...string) (said []randproof.ContractSaid,
	proofs map[string]string, status string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "proof.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"check", "-j", "1", "--no-cache", "--timeout", "6s"}, flags...)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	doc, out, _ := document(t, exec.CommandContext(ctx, program, append(args, file)...))
	status = string(out)
	proofs = map[string]string{}
	for _, proof := range doc.Proofs {
		proofs[proof.Entry] = string(proof.Verdict)
		if string(proof.Verdict) == "error" {
			t.Errorf("the proof of %s has an error: %s", proof.Entry, proof.Reason)
		}
		for _, o := range proof.Obligations {
			s := randproof.ContractSaid{Function: proof.Entry, Replay: o.Replay}
			s.Place, s.Verdict, s.Reason, s.Behind = randproof.Place{Line: o.Line, Kind: string(o.Kind)}, string(o.Verdict),
				o.Reason, o.Behind()
			said = append(said, s)
		}
	}
	return said, proofs, status
}

// plantedDefects are possible defects of the engine, as changed definitions of the functions that contracts are
// rewritten to. Each has the kind of obligation that it would wrongly prove, and the first seed whose program shows
// it, to save time.
var plantedDefects = []struct {
	name, definition, kind string
	seed                   uint64
}{
	{"ensures is assumed where it has to hold",
		"#define __unitproof_ensures(c, t) (__unitproof_assume(c), (__unitproof_ensures)(1, t))", "postcondition", 2},
	{"requires is assumed at calls",
		"#define __unitproof_requires(c, t) (__unitproof_assume(c), (__unitproof_requires)(1, t))", "precondition", 39},
	{"invariants are assumed",
		"#define __unitproof_invariant(c, e, t) (__unitproof_assume(c), (__unitproof_invariant)(1, e, t))", "loop-invariant",
		32},
	{"what is decreased is assumed",
		"#define __unitproof_variant(c, t) (__unitproof_assume(c), (__unitproof_variant)(1, t))", "loop-variant", 96},
	{"frames allow everything", "#define __unitproof_frame_begin(loop) ((void)0)\n" +
		"#define __unitproof_frame_add(p, n) ((void)0)\n#define __unitproof_frame_end() ((void)0)", "assigns", 26},
	{"what is assigned stays as it was", "#define __unitproof_havoc(p, n) ((void)(p), (void)(n))", "postcondition", 4},
}

// TestRandomContractsFindDefects checks that the comparison with native runs detects each of these defects in the
// program of some seed, and reports nothing without a defect.
func TestRandomContractsFindDefects(t *testing.T) {
	program := buildProgram(t)
	for _, d := range plantedDefects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			for seed := d.seed; seed < d.seed+100; seed++ {
				tools := randproof.Tools{Clang: "clang-14"}
				c, err := randproof.WriteContracts(t.Context(), tools, t.TempDir(), seed, 200)
				if err != nil {
					t.Fatal(err)
				}
				if seesDefect(t, program, c, d.kind, d.definition) {
					t.Logf("seed %d", seed)
					return
				}
			}
			t.Error("not seen")
		})
	}
}

// seesDefect reports whether the comparison detects a defect. It checks the proofs of a program in which a run
// violates an obligation of a kind, with the defect and without it.
func seesDefect(t *testing.T, program string, c *randproof.Contracts, kind, definition string) bool {
	t.Helper()
	for at := range c.Violated {
		if at.Kind != kind || c.Inline {
			continue
		}
		flags := []string{"--contract", at.Function}
		if at.Function == "main" {
			flags = []string{"--entry", "main"}
		}
		said, verdicts, _ := checkContracts(t, program, rewritten(t, c.Text, definition), flags...)
		if wrong, _, _ := c.Compare(withReplay(said), verdicts); len(wrong) == 0 {
			continue
		}
		said, verdicts, _ = checkContracts(t, program, rewritten(t, c.Text, ""), flags...)
		if wrong, _, _ := c.Compare(withReplay(said), verdicts); len(wrong) > 0 {
			t.Errorf("seed %d without the defect: %v", c.Seed, wrong)
		}
		return true
	}
	return false
}

// withReplay marks all failures as replayed.
func withReplay(said []randproof.ContractSaid) []randproof.ContractSaid {
	for i := range said {
		said[i].Replay = diagnostics.Replayed
	}
	return said
}

// rewritten returns a program with its contracts rewritten to C, and a definition behind the declarations of that.
func rewritten(t *testing.T, text, definition string) string {
	t.Helper()
	cmd := exec.Command("clang-14", "-E", "-D__UNITPROOF__", "-I", "../../pipeline/clang", "-")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if out, _, err = contract.Rewrite(out, func(string) []byte { return nil }); err != nil {
		t.Fatal(err)
	}
	const last = "int *__unitproof_errno_at(void);\n"
	before, after, ok := strings.Cut(string(out), last)
	if !ok {
		t.Fatalf("no %q in what contracts are rewritten to", last)
	}
	return strings.ReplaceAll(before+last+definition+"\n"+after, `"<stdin>"`, `"proof.c"`)
}
