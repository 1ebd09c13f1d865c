package pipeline

import (
	"os"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
)

// TestOmitted checks that omitted assertions are found in the compiled text, which may be an editor's buffer. The
// result is not reused for another text.
func TestOmitted(t *testing.T) {
	c := newCacheTest(t)
	const text = "#include <unitproof.h>\nvoid proof_x(void) {\n  int x = nd_int();\n  if (%)\n    sassert(x == 3);\n  " +
		"sassert(x == x);\n}\n"
	with := func(condition string) string { return strings.Replace(text, "%", condition, 1) }
	c.proof.Entry = "proof_x"
	verdicts := func(live Live) string {
		t.Helper()
		r := NewChecker(c.settings).CheckLive(t.Context(), c.proof, nil, live)
		out := string(r.Proof.Verdict)
		for _, f := range r.Proof.Obligations {
			out += " " + string(f.Verdict)
		}
		return out
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(c.proof.EntryUnit.File, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(with("0"))
	for range 2 { // the second check is answered from the cache
		if got := verdicts(Live{}); got != "vacuous vacuous proved" {
			t.Errorf("if (0): %s", got)
		}
	}
	edited := map[string][]byte{c.proof.EntryUnit.File: []byte(with("x == 4"))}
	if got := verdicts(Live{Virtual: edited}); got != "failed failed proved" {
		t.Errorf("the editor's text: %s", got)
	}
	write(with("x == 3"))
	if got := verdicts(Live{}); got != "proved proved proved" {
		t.Errorf("if (x == 3): %s", got)
	}
	write(with("0"))
	if _, ok := NewChecker(c.settings).Recall(t.Context(), c.proof, nil); ok {
		t.Error("answered without asking clang what it left out")
	}
	c.proof.Options.Vacuity = vcgen.VacuityOff
	if got := verdicts(Live{}); got != "proved proved" {
		t.Errorf("without vacuity: %s", got)
	}
}
