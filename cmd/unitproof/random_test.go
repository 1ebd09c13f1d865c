package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/randproof"
	machines "github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen/found"
)

var (
	randomFrom  = flag.Uint64("random-from", 1, "the first seed of TestRandomProofs")
	randomCount = flag.Uint64("random-count", 12, "how many seeds TestRandomProofs takes")
	randomCBMC  = flag.String("random-cbmc", "",
		"a cbmc that TestRandomProofs asks as well; what it says is compared, too")
	randomTarget = flag.String("random-target", machines.Default, "the machine of the programs of TestRandomProofs")
	randomKeep   = flag.String("random-keep", "", "a folder for the programs that TestRandomProofs finds something in")
)

// maxRuns limits the native executions of one random program.
const maxRuns = 400

// TestRandomProofs compares the results for random proofs with native runs with all inputs: no verdict may be
// refuted, no violation may be invented, and none may be missing.
func TestRandomProofs(t *testing.T) {
	program := buildProgram(t)
	ctx := context.Background()
	target, known := machines.Named(*randomTarget)
	if !known || target.Native == nil {
		t.Fatalf("programs of %s are not executed here", *randomTarget)
	}
	tools := randproof.Tools{Clang: "clang-14", Symbolizer: "llvm-symbolizer-14", Target: target}
	prepared, err := randproof.Prepare(ctx, tools, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other := randomOther(t)
	var mu sync.Mutex
	useless, undecided, executions := 0, 0, 0
	t.Run("seeds", func(t *testing.T) {
		for seed := *randomFrom; seed < *randomFrom+*randomCount; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				p := randproof.Generate(seed, target)
				if other != nil {
					p = randproof.Plain(seed)
				}
				text, truth, err := prepared.Settle(ctx, p, maxRuns)
				var nothing randproof.Useless
				if errors.As(err, &nothing) {
					mu.Lock()
					defer mu.Unlock()
					useless++
					return
				}
				if err != nil {
					keep(t, seed, p.Text)
					t.Fatal(err)
				}
				said, status := checkRandom(t, program, p, text)
				// Exceptions: constant expressions that the parser of LLVM's text lacks; a program that returns at
				// once, for which clang emits no code.
				if len(said) == 0 {
					empty := strings.Contains(status, "nothing to check") && len(truth.Reached) == 0 && len(truth.Violations) == 0
					if !empty && !strings.Contains(status, "could not be read") {
						t.Errorf("no findings: %s", status)
					}
					t.Logf("of no use: %s", status)
					mu.Lock()
					defer mu.Unlock()
					useless++
					return
				}
				wrong, soft := p.Compare(truth, said)
				if other != nil {
					said, places := other.compare(t, p, text, truth, said)
					t.Logf("cbmc: %s (%d places)", said, places)
					mu.Lock()
					other.counts[strings.SplitN(said, ":", 2)[0]]++
					other.places += places
					mu.Unlock()
				}
				mu.Lock()
				executions += truth.Runs
				if len(soft) > 0 {
					undecided++
				}
				mu.Unlock()
				for _, w := range wrong {
					t.Error(w)
				}
				for _, s := range soft {
					if strings.Contains(s, "internal error") || *randomKeep != "" {
						t.Log(s)
					}
					if strings.Contains(s, "internal error") {
						t.Fail()
					}
				}
				if t.Failed() || len(soft) > 0 && *randomKeep != "" {
					keep(t, seed, text)
					t.Logf("flags: %v", randomFlags(p))
				}
			})
		}
	})
	t.Logf("%d programs, %d native executions, %d of no use, %d not decided", *randomCount, executions, useless, undecided)
	if other != nil {
		t.Logf("cbmc: %v; verdicts of %d places compared", other.counts, other.places)
	}
	if useless == int(*randomCount) {
		t.Error("no program told anything")
	}
}

func keep(t *testing.T, seed uint64, text string) {
	if *randomKeep != "" {
		if err := os.WriteFile(filepath.Join(*randomKeep, fmt.Sprintf("%d.c", seed)), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
}

func randomFlags(p *randproof.Program) []string {
	flags := []string{"--vacuity", "all", "--malloc-may-fail=" + strconv.FormatBool(p.MallocMayFail)}
	if *randomTarget != machines.Default {
		flags = append(flags, "--target", *randomTarget)
	}
	if p.Unwind > 0 {
		flags = append(flags, "--unwind", strconv.Itoa(p.Unwind))
	}
	if p.NoOverflow {
		flags = append(flags, "--no-check", "signed-overflow")
	}
	for _, f := range p.Flags {
		flags = append(flags, "--cflag="+f)
	}
	if p.Off != "" {
		flags = append(flags, "--no-check", p.Off)
	}
	return flags
}

// checkRandom runs the program on a text, and returns its findings.
func checkRandom(t *testing.T, program string, p *randproof.Program, text string) ([]randproof.Said, string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "proof.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"check", "-j", "1", "--no-cache", "--timeout", cmp.Or(p.Timeout, "40s")},
		randomFlags(p)...)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	doc, status, _ := document(t, exec.CommandContext(ctx, program, append(args, file)...))
	var said []randproof.Said
	for _, proof := range doc.Proofs {
		if string(proof.Verdict) == "error" {
			keep(t, p.Seed, text)
			t.Fatalf("the proof has an error: %s\n%s", proof.Reason, status)
		}
		induction := slices.ContainsFunc(proof.Loops, func(l diagnostics.Loop) bool { return l.Method == found.Induction })
		for _, o := range proof.Obligations {
			said = append(said, randproof.Said{Induction: induction, Place: randproof.Place{Line: o.Line, Kind: string(o.Kind)},
				Verdict: string(o.Verdict), Reason: o.Reason, Behind: o.Behind()})
		}
	}
	return said, string(status)
}
