package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestAcceptance checks every file of the corpora with the program, and compares the findings with the markers
// (contract, section 8).
func TestAcceptance(t *testing.T) {
	program, cache := buildProgram(t), newCorpusCache(t)
	var traces traceLengths
	t.Cleanup(func() { traces.check(t) })
	for _, p := range testPrograms(t, corpora...) {
		if p.passedOver(t) {
			continue
		}
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			for _, problem := range checkFile(t, program, cache, &p, &traces) {
				t.Error(problem)
			}
		})
	}
}

// TestBeyond checks that no wrong result is reported for programs whose violation needs many iterations. A loop is
// cut off, or time ends, but decided findings are right.
func TestBeyond(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	for _, p := range testPrograms(t, beyond) {
		if !sampled(t, p.title(), 2) {
			continue // each takes all of its second
		}
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			doc, said, _ := runCheck(t, program, cache, append([]string{"--timeout", "1s"}, p.args()...)...)
			problems := compare(p.file, p.expect, doc, true)
			for _, problem := range problems {
				t.Errorf("%s:\n%s", problem, said)
			}
		})
	}
}

// TestContractsByInduction checks programs with loop contracts without the run that cuts loops by these alone. No wrong
// result may be reported.
func TestContractsByInduction(t *testing.T) {
	program, cache, limit := buildProgram(t), t.TempDir(), "2s"
	if *everything {
		limit = "5s"
	}
	count := 0
	for _, p := range testPrograms(t, corpora...) {
		if !strings.Contains(p.text, "loop_invariant") {
			continue
		}
		count++
		if !p.sampled(t, 6) {
			continue
		}
		// The set of undecided findings depends on all stages, and fewer are enabled here.
		p.expect.Wants = slices.DeleteFunc(slices.Clone(p.expect.Wants), func(w clitest.Want) bool {
			return undecidedYet(w.Verdict)
		})
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			doc, said, _ := runCheck(t, program, cache, append([]string{"--disable", "contract-cut", "--timeout", limit},
				p.args()...)...)
			for _, problem := range compare(p.file, p.expect, doc, true) {
				t.Errorf("%s:\n%s", problem, said)
			}
		})
	}
	if count < 30 {
		t.Errorf("only %d programs", count)
	}
}

// buildProgram builds the program under test, once for all tests. It is built without the race detector, which costs
// a factor of ten.
func buildProgram(t *testing.T) string {
	t.Helper()
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

var built = sync.OnceValues(func() (string, error) {
	program := filepath.Join(shared, "unitproof")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// corpusCache is the cache folder of TestAcceptance, for other tests of the same programs. It is empty if
// TestAcceptance has not run.
var corpusCache string

// newCorpusCache replaces corpusCache by an empty folder.
func newCorpusCache(t *testing.T) string {
	t.Helper()
	var err error
	if corpusCache, err = os.MkdirTemp(shared, "corpus"); err != nil {
		t.Fatal(err)
	}
	return corpusCache
}

// keptOfCorpus returns corpusCache, for tests that need no cold checks.
func keptOfCorpus(t *testing.T) string {
	t.Helper()
	if corpusCache == "" {
		return newCorpusCache(t)
	}
	return corpusCache
}

// checkFile checks a program and returns the differences from its markers.
func checkFile(t *testing.T, program, cache string, p *testProgram, traces *traceLengths) []string {
	doc, said, status := runCheck(t, program, cache, p.args()...)
	traces.add(doc)
	// Some folders state an expected verdict, which determines the status.
	if want := diagnostics.ExitStatus(doc.Proofs, nil); exitStatus(status) != want {
		t.Errorf("%v, want exit status %d", status, want)
	}
	problems := compare(p.file, p.expect, doc, false)
	for _, proof := range doc.Proofs {
		for _, o := range proof.Obligations {
			if strings.Contains(o.Reason, "internal error") { // a defect of unitproof, even if unknown is expected
				problems = append(problems, fmt.Sprintf("line %d: %s", o.Line, o.Reason))
			}
		}
	}
	for _, name := range internalNames.FindAllString(string(said)+marshalled(t, doc), -1) {
		if !strings.Contains(p.text, name) && !ofModels.MatchString(name) {
			problems = append(problems, "a name that no user knows: "+name)
		}
	}
	if p.sampled(t, 8) {
		checkWarm(t, program, cache, doc, p.args()...)
	}
	if t.Failed() || len(problems) > 0 {
		t.Logf("check says:\n%s", said)
	}
	return problems
}

// internalNames matches names that contracts and errno are rewritten to. It excludes names of the header, which are
// the user's, and the names that goto-cc gives to static functions, which configurations of kits contain.
var internalNames = regexp.MustCompile(`\b(unitproof_(body|enforce|replace|assume|check)_\w+|__unitproof_\w+|` +
	`unitproof_contract\.h)`)

// ofModels matches functions of the models of the system: findings in them name their position.
var ofModels = regexp.MustCompile(`^__unitproof_(at_end|make_arguments|count_arguments)$`)

func marshalled(t *testing.T, doc diagnostics.Document) string {
	t.Helper()
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// traceLengths has the number of steps of each failure's trace.
type traceLengths struct {
	mu    sync.Mutex
	steps []int
}

func (l *traceLengths) add(doc diagnostics.Document) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range doc.Proofs {
		for _, f := range p.Obligations {
			if f.Verdict == found.Failed {
				l.steps = append(l.steps, len(f.Trace))
			}
		}
	}
}

// check compares the lengths with a limit of readability; the median of the corpora is far below.
func (l *traceLengths) check(t *testing.T) {
	const enough, bar = 80, 20 // failures for a significant median; steps
	if len(l.steps) < enough {
		return
	}
	slices.Sort(l.steps)
	median := l.steps[len(l.steps)/2]
	t.Logf("steps of %d traces: median %d, three quarters up to %d, nine tenths up to %d, longest %d", len(l.steps),
		median,
		l.steps[len(l.steps)*3/4], l.steps[len(l.steps)*9/10], l.steps[len(l.steps)-1])
	if median > bar {
		t.Errorf("the median trace has %d steps, more than %d", median, bar)
	}
}

// dependsOnPlace matches the reason of a finding that would hold if the check at a file and line did.
var dependsOnPlace = regexp.MustCompile(`^depends on (.+):(\d+)$`)

// readDocument parses the output of check --json. It restores reasons that refer to other findings: "behind" a
// violation, "depends on" a place (contract, section 2).
func readDocument(data []byte, doc *diagnostics.Document) error {
	if err := json.Unmarshal(data, doc); err != nil {
		return err
	}
	for i := range doc.Proofs {
		for k := range doc.Proofs[i].Obligations {
			f := &doc.Proofs[i].Obligations[k]
			if strings.HasPrefix(f.Reason, "behind ") {
				f.Why.Why = found.BehindViolation
			} else if m := dependsOnPlace.FindStringSubmatch(f.Reason); m != nil {
				at, _ := strconv.Atoi(m[2])
				f.Why = found.Reason{Why: found.DependsOnPlace, At: found.Pos{File: m[1], Line: at}}
			}
		}
	}
	return nil
}

// runCheck runs the program with a cache folder.
func runCheck(t *testing.T, program, cache string, args ...string) (doc diagnostics.Document, said []byte,
	status error) {
	t.Helper()
	return runCheckWith(t, program, cache, os.Getenv(clang.Variable), args...)
}

// runCheckWith is runCheck with a particular clang, "" for the default.
func runCheckWith(t *testing.T, program, cache, compiler string, args ...string) (doc diagnostics.Document, said []byte,
	status error) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"check", "-j", "1"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, clang.Variable+"="+compiler)
	return document(t, cmd)
}

// document runs a check with --json, and parses the output.
func document(t *testing.T, cmd *exec.Cmd) (doc diagnostics.Document, said []byte, status error) {
	t.Helper()
	doc, wrote, said, status := documentIf(t, cmd)
	if !wrote {
		t.Fatalf("no JSON: %v\n%s", status, said)
	}
	return doc, said, status
}

// documentIf is document for a check that may write nothing, such as one with invalid settings.
func documentIf(t *testing.T, cmd *exec.Cmd) (doc diagnostics.Document, wrote bool, said []byte, status error) {
	t.Helper()
	output := filepath.Join(t.TempDir(), "out.json")
	cmd.Args = append(cmd.Args, "--json", output)
	said, status = cmd.CombinedOutput()
	if s := cmd.ProcessState; s != nil {
		t.Logf("%.1f s of CPU", (s.UserTime() + s.SystemTime()).Seconds())
	}
	data, err := os.ReadFile(output)
	if errors.Is(err, fs.ErrNotExist) {
		return doc, false, said, status
	}
	if err == nil {
		err = readDocument(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc, true, said, status
}

// checkWarm checks a file twice more: with the cached answers of the solver, and then with the cached report. Only
// costs may differ, and no query may be sent.
func checkWarm(t *testing.T, program, cache string, cold diagnostics.Document, args ...string) {
	t.Helper()
	for _, p := range cold.Proofs {
		if strings.HasPrefix(p.Reason, "timeout of ") || strings.HasPrefix(p.Reason, "memory limit of ") {
			return // its progress depends on the machine
		}
	}
	want := withoutCosts(t, cold)
	for _, how := range [][]string{{"--disable", "reports"}, nil} {
		warm, _, _ := runCheck(t, program, cache, append(how, args...)...)
		for i, p := range warm.Proofs {
			if p.Stats.SolverQueries > 0 && i < len(cold.Proofs) && cold.Proofs[i].Verdict != found.Unknown {
				t.Errorf("warm %q: %d queries for %s", how, p.Stats.SolverQueries, p.Name)
			}
		}
		if got := withoutCosts(t, warm); got != want {
			t.Errorf("warm %q: the results differ:\n%s\nand cold\n%s", how, got, want)
		}
	}
}

// withoutCosts returns the text of a document without the parts that may differ between runs.
func withoutCosts(t *testing.T, doc diagnostics.Document) string {
	t.Helper()
	doc.Proofs = slices.Clone(doc.Proofs)
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		p.Stats = diagnostics.Stats{}
		p.Obligations = slices.Clone(p.Obligations)
		for j := range p.Obligations {
			p.Obligations[j].Cached = false
		}
	}
	text, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exitStatus(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// place is the part of a finding that a marker describes.
type place struct {
	line    int
	verdict found.Verdict
	kind    found.Kind
}

// compare returns the differences from the markers. Equal findings of several proofs of one file count once. With
// mayBeUndecided findings may be undecided, but decided ones must match.
func compare(file string, expect clitest.Expectation, doc diagnostics.Document, mayBeUndecided bool) []string {
	var problems []string
	problem := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }

	verdict, open := found.Unreached, false
	type spot struct {
		place
		column int
	}
	seen := map[spot]bool{}
	at := map[place]int{}
	obligations := 0
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		verdict = found.Worst(verdict, p.Verdict)
		obligations += len(p.Obligations)
		for j := range p.Obligations {
			f := &p.Obligations[j]
			open = open || undecidedYet(f.Verdict)
			if filepath.Base(f.File) != filepath.Base(file) {
				if f.Reported() && !(mayBeUndecided && undecidedYet(f.Verdict)) {
					problem("%s [%s] at %s:%d, in another file", f.Verdict, f.Kind, f.File, f.Line)
				}
				continue
			}
			if f.Behind() {
				continue
			}
			s := spot{place{f.Line, f.Verdict, f.Kind}, f.Column}
			if !seen[s] {
				seen[s] = true
				at[s.place]++
			}
		}
	}
	undecided := mayBeUndecided && (open || undecidedYet(verdict))
	settled := mayBeUndecided && undecidedYet(expect.Verdict) && verdict == found.Proved
	if verdict != expect.Verdict && !undecided && !settled {
		problem("the verdict is %s, want %s", verdict, expect.Verdict)
	}
	if len(doc.Proofs) == 0 {
		problem("no proof was found")
	}
	if obligations < expect.Obligations && !undecided {
		problem("%d obligations are listed, want at least %d", obligations, expect.Obligations)
	}
	for _, w := range expect.Wants {
		n := at[place{w.Line, w.Verdict, w.Kind}]
		proved := at[place{w.Line, found.Proved, w.Kind}]
		switch {
		case undecided && n == 0 && proved == 0:
		case n != 1:
			problem("line %d: %d findings %s %s, want one", w.Line, n, w.Verdict, w.Kind)
		}
	}
	var unexpected []string
	for p, n := range at {
		switch {
		case p.verdict == found.Proved || p.verdict == found.Unreached:
		case undecided && undecidedYet(p.verdict):
		case !slices.Contains(expect.Wants, clitest.Want{Line: p.line, Verdict: p.verdict, Kind: p.kind}):
			unexpected = append(unexpected, fmt.Sprintf("line %d: %d finding(s) %s %s without a marker", p.line, n, p.verdict,
				p.kind))
		}
	}
	slices.Sort(unexpected)
	return append(problems, unexpected...)
}

func undecidedYet(v found.Verdict) bool { return v == found.Bounded || v == found.Unknown }

// TestCompare checks that compare reports each kind of difference.
func TestCompare(t *testing.T) {
	finding := func(line int, v found.Verdict) diagnostics.Finding {
		return diagnostics.Finding{Kind: "assertion", Verdict: v, File: "a.c", Line: line, Column: 3}
	}
	document := func(v found.Verdict, list ...diagnostics.Finding) diagnostics.Document {
		return diagnostics.Document{Proofs: []diagnostics.Proof{{Verdict: v, Obligations: list}}}
	}
	wants := func(v found.Verdict, list ...clitest.Want) clitest.Expectation {
		return clitest.Expectation{Verdict: v, Obligations: 1, Wants: list}
	}
	failedAt5 := clitest.Want{Line: 5, Verdict: found.Failed, Kind: "assertion"}
	second := finding(5, found.Failed)
	second.Column = 9
	behind := finding(9, found.Unknown)
	behind.Why = found.Reason{Why: found.BehindViolation}
	elsewhere := finding(5, found.Failed)
	elsewhere.File = "b.c"
	for _, c := range []struct {
		name   string
		expect clitest.Expectation
		doc    diagnostics.Document
		may    bool
		want   int
	}{
		{"as expected", wants(found.Failed, failedAt5), document(found.Failed, finding(5, found.Failed)), false, 0},
		{"behind a violation", wants(found.Failed, failedAt5), document(found.Failed, finding(5, found.Failed), behind),
			false, 0},
		{"wrong verdict", wants(found.Proved), document(found.Bounded, finding(5, found.Proved)), false, 1},
		{"marker without finding", wants(found.Failed, failedAt5), document(found.Failed, finding(5, found.Proved)), false,
			1},
		{"finding without marker", wants(found.Failed), document(found.Failed, finding(5, found.Failed)), false, 1},
		{"bounded without marker", wants(found.Bounded), document(found.Bounded, finding(5, found.Bounded)), false, 1},
		{"two for one marker", wants(found.Failed, failedAt5), document(found.Failed, finding(5, found.Failed), second),
			false, 1},
		{"in another file", wants(found.Failed, failedAt5), document(found.Failed, finding(5, found.Failed), elsewhere),
			false, 1},
		{"too few obligations", wants(found.Proved), document(found.Proved), false, 1},
		{"no proof", wants(found.Unreached), diagnostics.Document{}, false, 2},
		{"undecided", wants(found.Failed, failedAt5), document(found.Unknown, finding(5, found.Unknown)), true, 0},
		{"undecided but wrong", wants(found.Failed, failedAt5), document(found.Unknown, finding(5, found.Proved)), true, 1},
		{"unbounded and wrong", wants(found.Failed, failedAt5), document(found.Proved, finding(5, found.Proved)), true, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := compare("a.c", c.expect, c.doc, c.may); len(got) != c.want {
				t.Errorf("%d problems, want %d: %q", len(got), c.want, got)
			}
		})
	}
}
