package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/cmd/unitproof-bench/cbmc"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/randproof"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// otherChecker checks random proofs with CBMC. Native runs determine the truth, so differences are reported and do
// not fail the test. Programs on which CBMC fails and unitproof succeeds are saved.
type otherChecker struct {
	cbmc   *cbmc.CBMC
	counts map[string]int
	places int // number of compared verdicts
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
	return &otherChecker{cbmc: c, counts: map[string]int{}}
}

// cbmcUnwind is the loop bound for CBMC. Few loops of random programs run longer, and CBMC's time grows with the
// bound.
const cbmcUnwind = 10

// cbmcTime is CBMC's time limit for a program; programs beyond it are a class of their own.
const cbmcTime = 12 * time.Second

// cbmcKinds are the kinds that a random proof checks and that correspond to checks of CBMC.
var cbmcKinds = []found.Kind{"null-dereference", "invalid-pointer", "use-after-free", "use-after-scope",
	"out-of-bounds-read", "out-of-bounds-write", "double-free",
	"invalid-free", "array-bounds", "division-by-zero", "invalid-shift", "signed-overflow"}

// A failed assertion ends the execution in unitproof. The replaced include, which plain programs do not need, has the
// same effect in CBMC.
const (
	goesOn    = "#include <stdarg.h>\n"
	endsThere = "#define sassert(c) ({ _Bool c_ = (c); __CPROVER_assert(c_, \"sassert(\" #c \")\"); " +
		"__CPROVER_assume(c_); })\n"
)

// explained are differences that were analysed: a pattern of CBMC's property, and the correct result by the C
// standard and by native runs.
var explained = []struct {
	property *regexp.Regexp
	why      string
}{
	{regexp.MustCompile(`^arithmetic overflow on signed - in (&|\w+[qp] - )`),
		"the difference of two addresses in one object is their distance in elements (C11 6.5.6p9); cbmc looks for " +
			"overflow of another one"},
	{regexp.MustCompile(`^arithmetic overflow on signed shl in`),
		"a bit that is shifted out of a signed value (C11 6.5.7p4) has the kind shift-overflow here, off by default"},
	{regexp.MustCompile(`^shift operand is negative in`), "as before"},
	{regexp.MustCompile(`^memcpy src/dst overlap`),
		"memcpy(p, p, n) is accepted here, as compilers emit it; other overlaps AddressSanitizer finds as well"},
	{regexp.MustCompile(`^dereference failure: dead object in \*x\d+p`),
		"a variable lives from the entry into its block (C11 6.2.4p6), also where a jump passes its declaration; in cbmc " +
			"it stays dead"},
}

// inLibrary matches properties of CBMC's models of the library, whose lines are not the program's. unitproof reports
// such violations at the call.
var inLibrary = regexp.MustCompile(`^(mem|str|malloc|calloc|realloc|free)\w*\.`)

// compare runs CBMC on the text. It returns the differences from unitproof's verdicts (a class, a colon, the lines)
// and the number of compared verdicts. Native runs with all inputs have already established the truth; a difference
// is an error of CBMC, or a different interpretation of C.
//
// After a violation unitproof continues with the executions without it, CBMC with all (except after fatal ones). So
// assertions are compared one by one only if there is no other violation, and violations of other kinds by their
// lines.
func (o *otherChecker) compare(t *testing.T, p *randproof.Program, text string, truth *randproof.Truth,
	said []randproof.Said) (class string, places int) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "proof.c")
	if !strings.Contains(text, goesOn) {
		t.Fatalf("the text has no line %q", goesOn)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(text, goesOn, endsThere, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	checks := map[found.Kind]bool{}
	for _, k := range cbmcKinds {
		checks[k] = true
	}
	checks["signed-overflow"] = !p.NoOverflow
	proof := &project.Proof{Name: "random", Entry: "main", EntryUnit: project.Unit{File: file, Dir: dir,
		Flags: []string{"-std=gnu11"}},
		Options: vcgen.Options{Semantics: found.Semantics{Checks: checks, MallocMayFail: p.MallocMayFail},
			Unwind: cbmcUnwind}}
	r, err := o.cbmc.Run(context.Background(), proof, cbmcTime, nil)
	if err != nil {
		t.Fatal(errors.Join(errors.New("cbmc"), err))
	}
	switch {
	case r.Verdict == "unreadable":
		keep(t, p.Seed, text)
		return fmt.Sprintf("unreadable: %.300q", r.Reason), 0
	case r.Verdict == "timeout" || r.Verdict == "bounded":
		return r.Verdict + ": " + r.Reason, 0
	case len(r.Output.NoBody) > 0:
		return fmt.Sprintf("no body: cbmc has none of %v", r.Output.NoBody), 0
	}
	refuted, violated, fails := map[int]bool{}, map[int]string{}, map[int]string{}
	unwound, excused, library := false, 0, 0
	for _, f := range r.Output.Failed {
		switch {
		case strings.Contains(f.ID, ".unwind.") || strings.HasSuffix(f.ID, ".recursion"):
			unwound = true
		case strings.HasPrefix(f.Description, "assertion sassert("), strings.HasPrefix(f.Description, "sassert("):
			refuted[f.Line] = true
		default:
			excuse := ""
			for _, e := range explained {
				if e.property.MatchString(f.Description) {
					excuse = e.why
				}
			}
			switch {
			case excuse != "":
				excused++
			case inLibrary.MatchString(f.ID):
				library++
			default:
				violated[f.Line] = f.String()
			}
		}
	}
	var here, there, openly []string
	for _, s := range said {
		if s.Verdict == "failed" && s.Kind != "assertion" && slices.Contains(cbmcKinds, found.Kind(s.Kind)) {
			fails[s.Line] = s.Kind
		}
		if s.Verdict == "failed" && s.Kind != "assertion" && !slices.Contains(cbmcKinds, found.Kind(s.Kind)) {
			openly = append(openly, s.Kind)
		}
	}
	places = len(fails)
	for line, kind := range fails {
		if violated[line] == "" {
			here = append(here, fmt.Sprintf("%s in line %d", kind, line))
		}
	}
	for line, property := range violated {
		if fails[line] == "" {
			there = append(there, property)
		}
	}
	if len(fails) == 0 && len(violated) == 0 && len(openly) == 0 && !unwound && truth.Complete {
		for _, s := range said {
			if s.Kind != "assertion" || s.Verdict != "proved" && s.Verdict != "failed" {
				continue
			}
			places++
			switch {
			case s.Verdict == "proved" && refuted[s.Line]:
				there = append(there, fmt.Sprintf("assertion in line %d", s.Line))
			case s.Verdict == "failed" && !refuted[s.Line]:
				here = append(here, fmt.Sprintf("assertion in line %d", s.Line))
			}
		}
	}
	if library > 0 && len(here) > 0 {
		return fmt.Sprintf("agrees but for places in its library: only here %v", here), places
	}
	slices.Sort(here)
	slices.Sort(there)
	if len(here)+len(there) > 0 {
		keep(t, p.Seed, text)
	}
	switch {
	case len(here) > 0 && len(openly) > 0, len(there) > 0 && len(openly) > 0:
		return fmt.Sprintf("differs behind %v: only here %v, only cbmc %v", openly, here, there), places
	case len(here) == 0 && len(there) > 0 && len(fails) > 0:
		return fmt.Sprintf("only cbmc fails, behind a violation perhaps: %v (ours: %v)", there, fails), places
	case len(there) > 0 && len(here) > 0:
		return fmt.Sprintf("differs both ways: only here %v, only cbmc %v", here, there), places
	case len(there) > 0:
		return fmt.Sprintf("only cbmc fails: %v", there), places
	case len(here) > 0:
		return fmt.Sprintf("only we fail: %v", here), places
	case excused > 0:
		return "agrees but for what is explained: " + r.Verdict, places
	case unwound:
		return "agrees but for loops: " + r.Verdict, places
	}
	return "agrees: " + r.Verdict, places
}
