package pipeline

import (
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A right verdict for the wrong reason is no right answer.
func TestCanariesAreJudged(t *testing.T) {
	for _, test := range []struct {
		canary int
		proof  diagnostics.Proof
		want   bool
	}{
		{0, diagnostics.Proof{Verdict: found.Proved}, false},
		{0, diagnostics.Proof{Verdict: found.Failed}, false},
		{0, diagnostics.Proof{Verdict: found.Failed, Obligations: []diagnostics.Finding{{Verdict: found.Failed,
			Kind: found.Assertion, Message: "x"}}}, false},
		{1, diagnostics.Proof{Verdict: found.Proved}, false},
		{1, diagnostics.Proof{Verdict: found.Proved, NotDone: []diagnostics.NotDone{diagnostics.WithinBound},
			Obligations: make([]diagnostics.Finding, 9)}, false},
		{2, diagnostics.Proof{Verdict: found.Vacuous}, false},
		{2, diagnostics.Proof{Verdict: found.Unknown, Reason: "time"}, false},
	} {
		got := canaries[test.canary].judge(&test.proof)
		if got.OK != test.want || got.Detail == "" {
			t.Errorf("%s of %+v: %+v", canaries[test.canary].name, test.proof, got)
		}
	}
}
