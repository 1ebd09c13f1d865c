package diagnostics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestUndecided checks that the findings of a function that one limit leaves open are one line, with their
// dependents. Assertions, other causes and single findings have lines of their own, and -v lists everything.
func TestUndecided(t *testing.T) {
	limit := found.Reason{Why: found.TimeLimit}
	unknown := func(kind found.Kind, function string, line int, why found.Reason) Finding {
		return Finding{Kind: kind, Verdict: found.Unknown, File: "p.c", Line: line, Column: 1, Function: function,
			Why: why, Reason: phrase.Reason(why), Message: "m"}
	}
	p := Proof{Name: "p", Verdict: found.Unknown, Obligations: []Finding{
		unknown(found.Assertion, "f", 9, limit),
		unknown(found.NullDereference, "f", 3, limit),
		unknown(found.InvalidPointer, "f", 3, limit),
		unknown(found.OutOfBoundsRead, "f", 7, found.ReachUndecided.Because(limit)),
		unknown(found.OutOfBoundsRead, "f", 8, found.Reason{Why: found.DependsOnPlace, At: found.Pos{File: "p.c", Line: 7}}),
		unknown(found.OutOfBoundsRead, "f", 5, found.Reason{Why: found.StepBudget, N: 4}),
		unknown(found.OutOfBoundsRead, "g", 20, limit),
		unknown(found.OutOfBoundsRead, "g", 21, found.Reason{Why: found.BehindUnknown, At: found.Pos{File: "p.c", Line: 20}}),
	}}
	text := func(opts TextOptions) string {
		var b strings.Builder
		NewTextWriter(&b, opts).Proof(&p)
		return b.String()
	}
	got := text(TextOptions{})
	for _, want := range []string{
		"p.c:3: unknown 3 checks of f (lines 3 to 7; -v lists them): the time limit was reached; 1 more finding depends on " +
			"them\n",
		"p.c:9:1: unknown [assertion]", "p.c:5:1: unknown [out-of-bounds-read]", "p.c:20:1: unknown [out-of-bounds-read]",
		"7 unknown, 1 behind an unknown",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, text := range []string{"null-dereference", "invalid-pointer", "p.c:7", "p.c:8", "p.c:21"} {
		if strings.Contains(got, text) {
			t.Errorf("tells of %s in\n%s", text, got)
		}
	}
	if n := strings.Count(text(TextOptions{Verbose: true}), "p.c:"); n < len(p.Obligations) {
		t.Errorf("-v tells of %d of %d", n, len(p.Obligations))
	}
}

// TestManyUndecided checks the coarser grouping: first by function, then by file.
func TestManyUndecided(t *testing.T) {
	text := func(functions, causes int) string {
		p := Proof{Name: "p", Verdict: found.Unknown}
		for i := range functions {
			for k := range 2 * causes {
				why := found.Reason{Why: found.TimeLimit}
				if k%causes > 0 {
					why = found.Reason{Why: found.StepBudget, N: int64(k % causes)}
				}
				p.Obligations = append(p.Obligations, Finding{Kind: found.NullDereference, Verdict: found.Unknown, File: "p.c",
					Line: 10*i + k + 1, Column: 1, Function: fmt.Sprintf("f%d", i), Why: why,
					Reason: phrase.Reason(why), Message: "m"})
			}
		}
		var b strings.Builder
		NewTextWriter(&b, TextOptions{}).Proof(&p)
		return b.String()
	}
	for _, c := range []struct {
		functions, causes, lines int
		want                     string
	}{
		{6, 2, 12, "p.c:1: unknown 2 checks of f0 (lines 1 to 3; -v lists them): the time limit was reached\n"},
		{7, 2, 7, "p.c:1: unknown 4 checks of f0 (lines 1 to 4; -v lists them): the time limit was reached, and 1 other " +
			"reason\n"},
		{13, 1, 1, "p.c:1: unknown 26 checks of 13 functions (lines 1 to 122; -v lists them): the time limit was reached\n"},
	} {
		if got := text(c.functions, c.causes); strings.Count(got, "p.c:") != c.lines || !strings.Contains(got, c.want) {
			t.Errorf("%d functions, %d causes: want %d lines and %q in\n%s", c.functions, c.causes, c.lines, c.want, got)
		}
	}
}

// TestFailedBeforeTheEnd checks that the summary of a failed proof says if its time ended before everything was
// checked, and only then gives a reason: a failed finding has said why it fails.
func TestFailedBeforeTheEnd(t *testing.T) {
	const said = "not everything was checked: the time ended"
	for _, ended := range []found.Reason{{}, {Why: found.Stopped, Text: "the time ended"}} {
		r := vcgen.Report{EndReached: true, Reason: ended, Instances: one("assertion", is(found.Failed))}
		p := Group(&r, nil, meta())
		var b strings.Builder
		NewTextWriter(&b, TextOptions{}).Proof(&p)
		if strings.Contains(b.String(), said) == ended.None() {
			t.Errorf("with reason %q:\n%s", ended.Text, b.String())
		}
	}
}
