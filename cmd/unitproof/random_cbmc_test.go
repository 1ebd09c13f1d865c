package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/cbmc"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/randproof"
	"github.com/unitproof/unitproof/vcgen"
)

// otherChecker is another program that is asked about random proofs. Native runs say who is right, so that what it says is told and is no
// failure of the test; programs that it fails and we prove are kept.
type otherChecker struct {
	cbmc   *cbmc.CBMC
	counts map[string]int
}

func randomOther(t *testing.T) *otherChecker {
	t.Helper()
	if *randomCBMC == "" {
		t.Log("cbmc is not asked: make random CBMC=cbmc does")
		return nil
	}
	path, err := exec.LookPath(*randomCBMC)
	if err != nil {
		t.Fatalf("-random-cbmc: %v", err)
	}
	t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	c, err := cbmc.Find(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &otherChecker{c, map[string]int{}}
}

// cbmcUnwind is how often loops of random programs may run for cbmc: hardly any runs longer, and its time grows with it.
const cbmcUnwind = 12

// cbmcKinds are the kinds that a random proof checks and that correspond to checks of cbmc.
var cbmcKinds = []vcgen.Kind{"null-dereference", "invalid-pointer", "use-after-free", "use-after-scope", "out-of-bounds-read", "out-of-bounds-write", "double-free",
	"invalid-free", "array-bounds", "division-by-zero", "invalid-shift"}

// compare has cbmc check the text and says in a few words how its assertions differ from ours: a class, a colon and the lines.
func (o *otherChecker) compare(t *testing.T, p *randproof.Program, text string, said []randproof.Said) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "proof.c")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	checks := map[vcgen.Kind]bool{"signed-overflow": !p.NoOverflow}
	for _, k := range cbmcKinds {
		checks[k] = true
	}
	// --pointer-check is one option for all kinds of invalid memory; a proof that has one of them off is not one for cbmc.
	if p.Off != "" || p.Unwind > 0 {
		return "not comparable: a kind is off or loops are cut"
	}
	proof := &project.Proof{Name: "random", Entry: "main", EntryUnit: project.Unit{File: file, Dir: dir, Flags: []string{"-std=gnu11"}},
		Options: vcgen.Options{Checks: checks, MallocMayFail: p.MallocMayFail, Unwind: cbmcUnwind}}
	r, err := o.cbmc.Run(context.Background(), proof, 40*time.Second, nil)
	if err != nil {
		t.Fatal(errors.Join(errors.New("cbmc"), err))
	}
	if r.Verdict == "unreadable" || r.Verdict == "timeout" || r.Verdict == "bounded" {
		return fmt.Sprintf("%s: %s", r.Verdict, r.Reason)
	}
	refuted, failing := map[int]bool{}, 0
	for _, f := range r.Output.Failed {
		if strings.Contains(f.ID, ".assertion.") {
			refuted[f.Line] = true
		}
		failing++
	}
	var here, there []int
	anything := false
	for _, s := range said {
		anything = anything || s.Verdict == "failed"
		if s.Kind != "assertion" {
			continue
		}
		switch {
		case s.Verdict == "proved" && refuted[s.Line]:
			there = append(there, s.Line)
		case s.Verdict == "failed" && !refuted[s.Line]:
			here = append(here, s.Line)
		}
	}
	slices.Sort(here)
	slices.Sort(there)
	switch {
	case len(r.Output.NoBody) > 0:
		return fmt.Sprintf("not comparable: cbmc has no body of %v", r.Output.NoBody)
	case len(there) > 0:
		keep(t, p.Seed, text)
		return fmt.Sprintf("refutes what is proved here: lines %d", there)
	case len(here) > 0 && failing == 0:
		return fmt.Sprintf("proves what is refuted here: lines %d", here)
	case len(here) > 0: // an assertion behind a violation that ends all executions there
		return fmt.Sprintf("does not refute the same: lines %d; fails %v", here, r.Output.Failed)
	case r.Verdict == "failed" && !anything:
		keep(t, p.Seed, text)
		return fmt.Sprintf("fails what is proved here: %v", r.Output.Failed)
	case r.Verdict == "proved" && anything:
		return "proves what fails here"
	}
	return "agrees: " + r.Verdict
}
