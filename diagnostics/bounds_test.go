package diagnostics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestBounds checks the length of the output: a few bounded findings each quote their source, many take one line
// each, and many loops of a file share one line.
func TestBounds(t *testing.T) {
	limit := found.Reason{Why: found.TimeLimit}
	text := func(loops, assertions int, opts TextOptions) string {
		p := Proof{Name: "p", Verdict: found.Bounded}
		for i := range loops {
			p.Obligations = append(p.Obligations, Finding{Kind: found.Unwinding, Verdict: found.Bounded, File: "p.c",
				Line: 10 + i, Column: 1, Loop: fmt.Sprintf("f#%d", i), Bound: 2, Why: limit, Message: "a loop was cut"})
		}
		for i := range assertions {
			p.Obligations = append(p.Obligations, Finding{Kind: found.Assertion, Verdict: found.Bounded, File: "p.c",
				Line: 50 + i, Column: 1, Loop: "f#0", Bound: 2, Why: limit, Message: "it holds"})
		}
		opts.Sources = sourceText(strings.Repeat("a line of the source\n", 99))
		var b strings.Builder
		NewTextWriter(&b, opts).Proof(&p)
		return b.String()
	}
	quoted := func(s string) int { return strings.Count(s, "a line of the source") }
	if got := text(2, 2, TextOptions{}); quoted(got) != 4 || strings.Count(got, "a loop was cut") != 2 {
		t.Errorf("few findings:\n%s", got)
	}
	if got := text(3, 3, TextOptions{}); quoted(got) != 0 || strings.Count(got, "a loop was cut") != 3 ||
		strings.Count(got, "it holds") != 3 {
		t.Errorf("many findings:\n%s", got)
	}
	got := text(6, 1, TextOptions{})
	want := "p.c:10: bounded 6 loops and recursions (lines 10 to 15; -v lists them) were cut and may need more: the " +
		"time limit was reached\n"
	if !strings.Contains(got, want) || strings.Contains(got, "a loop was cut") {
		t.Errorf("many loops: no %q in\n%s", want, got)
	}
	if got := text(6, 6, TextOptions{Verbose: true}); quoted(got) != 12 || strings.Count(got, "a loop was cut") != 6 {
		t.Errorf("-v:\n%s", got)
	}
}

// TestTraceLines checks that fewer steps are shown if the steps are long.
func TestTraceLines(t *testing.T) {
	lines := func(words int, opts TextOptions) int {
		f := Finding{Kind: found.Assertion, Verdict: found.Failed, File: "p.c", Line: 1, Column: 1, Message: "m"}
		for i := range 60 {
			at := found.Pos{File: "p.c", Line: i + 1, Function: "f"}
			f.Trace = append(f.Trace, found.Step{Pos: at, Event: "assign", LValue: "x",
				Value: strings.Repeat("word ", words)})
		}
		opts.Sources = sourceText(strings.Repeat("a line of the source\n", 99))
		var b strings.Builder
		NewTextWriter(&b, opts).trace(&f)
		return strings.Count(b.String(), "\n")
	}
	if n := lines(1, TextOptions{}); n < 30 || n > 32 {
		t.Errorf("short steps take %d lines", n)
	}
	if n := lines(30, TextOptions{}); n < 20 || n > 46 {
		t.Errorf("long steps take %d lines", n)
	}
	if n := lines(30, TextOptions{Verbose: true}); n < 120 {
		t.Errorf("-v shows %d lines of 60 long steps", n)
	}
}

func sourceText(text string) Sources { return func(string) []byte { return []byte(text) } }
