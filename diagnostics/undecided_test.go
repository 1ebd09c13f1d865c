package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestUndecided: what one limit leaves open in a function is one line, with what follows from it; assertions, other
// causes and what stands alone are told as ever, and -v tells all.
func TestUndecided(t *testing.T) {
	limit := found.Reason{Why: found.TimeLimit}
	unknown := func(kind found.Kind, function string, line int, why found.Reason) Finding {
		return Finding{Kind: kind, Verdict: found.Unknown, File: "p.c", Line: line, Column: 1, Function: function,
			Why: why, Reason: reasonText(why), Message: "m"}
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
	for _, told := range []string{"null-dereference", "invalid-pointer", "p.c:7", "p.c:8", "p.c:21"} {
		if strings.Contains(got, told) {
			t.Errorf("tells of %s in\n%s", told, got)
		}
	}
	if n := strings.Count(text(TextOptions{Verbose: true}), "p.c:"); n < len(p.Obligations) {
		t.Errorf("-v tells of %d of %d", n, len(p.Obligations))
	}
}
