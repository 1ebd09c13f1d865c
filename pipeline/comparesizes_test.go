package pipeline

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
)

// TestObjectsThatAreTooSmall checks which accesses outside of objects weaken "equivalent": those that a larger object
// might make valid.
func TestObjectsThatAreTooSmall(t *testing.T) {
	for name, test := range map[string]struct {
		small, large outsideObjects
		reason       string // "": it stays equivalent
	}{
		"none":      {outsideObjects{}, outsideObjects{}, ""},
		"any index": {outsideObjects{"a.c:3": {size: 16}}, outsideObjects{"a.c:3": {size: 262144}}, ""},
		"a fixed index": {outsideObjects{"a.c:3": {size: 16}}, outsideObjects{},
			"a.c:3 accesses memory behind an object of 16 bytes"},
		"an object that stays": {outsideObjects{"a.c:3": {size: 4}}, outsideObjects{"a.c:3": {size: 4}}, "a.c:3 "},
		"a new place": {outsideObjects{"a.c:3": {size: 16}}, outsideObjects{"a.c:3": {size: 64}, "a.c:9": {size: 8}},
			"a.c:9 accesses memory behind an object of 8 bytes"},
		"before its start": {outsideObjects{"a.c:3": {size: 16}}, outsideObjects{"a.c:3": {size: 64, before: true}},
			"a.c:3 accesses memory before an object"},
		"before its start, first": {outsideObjects{"a.c:3": {16, true}}, outsideObjects{"a.c:3": {size: 64}},
			"a.c:3 accesses memory before an object"},
	} {
		out := &diagnostics.Comparison{Answer: diagnostics.SameBehaviour}
		test.small.evenIfLarger(test.large).weaken(out)
		weak := out.Answer == diagnostics.SameWithinBounds
		if weak != (test.reason != "") || !strings.HasPrefix(out.Reason, test.reason) {
			t.Errorf("%s: %s, %s", name, out.Answer, out.Reason)
		}
	}
	out := &diagnostics.Comparison{Answer: diagnostics.OtherBehaviour}
	outsideObjects{"a.c:3": {size: 16}}.weaken(out)
	if out.Answer != diagnostics.OtherBehaviour {
		t.Errorf("a difference became %s", out.Answer)
	}
}

// TestHiddenFolder checks that answers name no temporary file.
func TestHiddenFolder(t *testing.T) {
	out := &diagnostics.Comparison{Function: "f", Reason: "the loop at /tmp/equiv-1/before/home/a/src/x.c:7 was cut",
		Steps: "/tmp/equiv-1/compare_f.c:3: no type", Assumed: []string{"malloc at compare_runtime.c:94, compare_fx.c:1"},
		Differences: []diagnostics.Difference{{What: "in /tmp/equiv-1/other", File: "/tmp/equiv-1/compare_f.ll"}}}
	hideFolder(out, "/tmp/equiv-1", paths.Root("/home/a"))
	d := out.Differences[0]
	got := strings.Join([]string{out.Reason, out.Steps, out.Assumed[0], d.What, d.File}, "|")
	want := "the loop at src/x.c:7 was cut|the comparison: no type|malloc at the comparison, compare_fx.c:1|" +
		"in other|the comparison"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
