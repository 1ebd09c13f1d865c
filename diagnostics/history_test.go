package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestHistory adds runs of one proof one after the other, and checks the reported changes.
func TestHistory(t *testing.T) {
	h := History{}
	run := func(tool string, verdict found.Verdict, steps int64, assumes ...string) string {
		var lines []string
		for _, c := range h.Add(&Baseline{Tool: tool, Proofs: []Past{{Name: "p", Verdict: verdict, Steps: steps,
			Assumes: assumes}}}) {
			lines = append(lines, c.Text)
		}
		return strings.Join(lines, "; ")
	}
	for i, c := range []struct {
		tool    string
		verdict found.Verdict
		steps   int64
		assumes []string
		want    string
	}{
		{"a", found.Proved, 1000_000, nil, ""},
		{"a", found.Proved, 1000_000, []string{}, ""}, // nil equals empty
		{"a", found.Proved, 1500_000, nil, ""},
		{"a", found.Proved, 2200_000, nil, "2.2 times the work of the earlier run"}, // compared with the least, not the last
		{"a", found.Proved, 2200_000, nil, ""},
		{"b", found.Proved, 9000_000, nil, ""}, // steps of another build are not comparable
		{"b", found.Failed, 9000_000, []string{"x > 0"}, "is failed, was proved; an assumption was added: `x > 0`"},
		{"b", found.Proved, 9000_000, []string{"x > 0"}, "is proved, was failed"},
	} {
		if got := run(c.tool, c.verdict, c.steps, c.assumes...); got != c.want {
			t.Errorf("run %d tells %q, want %q", i, got, c.want)
		}
	}
	for steps := range int64(10) {
		run("b", found.Proved, steps)
	}
	if n := len(h["p"]); n != maxStates {
		t.Errorf("%d states are kept, want %d", n, maxStates)
	}
	if _, known := h.Score("p", 0); known {
		t.Error("a score is known that nobody told")
	}
	run("b", found.Failed, 1)
	if before, known := h.Score("p", 50); !known || before != 0 {
		t.Errorf("the score before is %v, %v, want 0", before, known)
	}
	if _, known := h.Score("q", 50); known || len(h["q"]) != 0 {
		t.Error("a score is kept of a proof that no run is known of")
	}
}

// TestWriteSince checks that changes for the worse come first, and that a long list is shortened.
func TestWriteSince(t *testing.T) {
	var list []Change
	for range mostChanges + 5 {
		list = append(list, Change{Proof: "p", Text: "is new"})
	}
	list = append(list, Change{Proof: "q", Text: "is failed, was proved", Worse: true})
	tell := func(all bool) string {
		var out strings.Builder
		WriteSince(&out, list, all)
		return out.String()
	}
	if got := tell(false); strings.Count(got, "\n") != mostChanges+2 ||
		!strings.Contains(got, "and 6 more changes (-v)") || !strings.HasPrefix(got, "since the last run:\n  q: is failed") {
		t.Errorf("tells\n%s", got)
	}
	if got := tell(true); strings.Count(got, "\n") != len(list)+1 {
		t.Errorf("-v tells\n%s", got)
	}
}
