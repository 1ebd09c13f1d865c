package vcgen

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestHardAccepted checks that accepted obligations are settled last, with small budgets only. The factors of a
// product of two primes of 31 bits take the solver minutes, and no verdict depends on them.
func TestHardAccepted(t *testing.T) {
	report := verified(t, `
unsigned long nd_ulong(void);
void sassert(_Bool);
static void hard(unsigned long a, unsigned long b) { sassert(a * b != 1500450271ul * 2038074743ul); }
static void small(unsigned long n) { sassert(n != 2); }
int main(void) {
  unsigned long a = nd_ulong(), b = nd_ulong();
  if (a < 2 || b < 2 || a >= 1ul << 31 || b >= 1ul << 31) return 0;
  hard(a, b);
  small(a % 4);
  sassert(a % 4 < 4);
}`, AcceptRule{Kind: found.Assertion, Function: "hard"}, AcceptRule{Kind: found.Assertion, Function: "small"})
	want := map[string]found.Verdict{"hard": found.Unknown, "small": found.Failed, "main": found.Proved}
	for _, in := range report.Instances {
		if in.Kind != found.Assertion {
			continue
		}
		name := in.Pos.Function
		if in.Verdict != want[name] || in.Accepted != (name != "main") {
			t.Errorf("in %s: %s, want %s; accepted: %v", name, in.Verdict, want[name], in.Accepted)
		}
		if name == "hard" && (in.Reason.Why != found.StepBudget || in.Reason.N >= ask.SingleBudget) {
			t.Errorf("in hard: %+v", in.Reason)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("no assertion in %v", want)
	}
}
