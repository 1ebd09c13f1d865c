package diagnostics

import (
	"bytes"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
)

// TestDependents: what is unknown only because an earlier check is, is counted there and not told one by one.
func TestDependents(t *testing.T) {
	unknown := func(line int, reason string) Finding {
		return Finding{Kind: "assertion", Verdict: vcgen.Unknown, File: "a.c", Line: line, Reason: reason, Message: "m" + reason}
	}
	p := Proof{Name: "a", Verdict: vcgen.Unknown, Obligations: []Finding{
		unknown(3, "the time limit was reached"),
		unknown(4, "depends on f"),
		unknown(4, "depends on a.c:4"), // the same line as its origin
		unknown(5, "depends on a.c:3"),
		unknown(6, "depends on a.c:3"),
		unknown(7, "depends on a.c:6"), // no origin: it is listed
		unknown(8, "behind the violation at a.c:9"),
	}}
	counts, folded := dependents(&p)
	if len(folded) != 3 || counts["a.c:3"] != 2 || counts["a.c:4"] != 1 || len(counts) != 2 {
		t.Errorf("folded %d, counts %v", len(folded), counts)
	}
	show := func(opts TextOptions) string {
		var b bytes.Buffer
		NewTextWriter(&b, opts).Proof(&p)
		return b.String()
	}
	text := show(TextOptions{})
	for part, want := range map[string]int{
		"a.c:3: unknown": 1, "a.c:4: unknown": 1, "a.c:5: unknown": 0, "a.c:6: unknown": 0, "a.c:7: unknown": 1, "a.c:8": 0,
		"= 2 more findings hold if this does (-v)": 1, "= 1 more finding holds if this does (-v)": 1, "7 unknown": 1,
	} {
		if n := strings.Count(text, part); n != want {
			t.Errorf("%d times %q, want %d, in\n%s", n, part, want, text)
		}
	}
	if text := show(TextOptions{Verbose: true}); strings.Count(text, ": unknown") != 7 || strings.Contains(text, "more finding") {
		t.Errorf("-v folds:\n%s", text)
	}
}
