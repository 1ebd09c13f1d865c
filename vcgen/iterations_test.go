package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestLoopLeftByABreak checks the unrolling of a loop whose own condition is constant and ends it after 2^64 - 1
// iterations: it ends with the text through which it walks from an unknown position, and a round of few iterations is
// not kept by it.
func TestLoopLeftByABreak(t *testing.T) {
	m, err := clangir.Read([]byte(clangtest.Compile(t, `typedef unsigned long size_t;
void memhavoc(void *, size_t);
static size_t digits(const char *s, size_t width) {
  size_t i = 0, len = 0;
  if (i < width && s[i] == '-') i++;
  for (; i < width; i++) {
    if (s[i] < '0' || s[i] > '9') break;
    len = i + 1;
  }
  return len;
}
int main(void) {
  char text[100];
  memhavoc(text, sizeof text);
  const char *s = text;
  while (*s == ' ') s++;
  digits(s, (size_t)-1);
}`)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ depth, most int }{{0, 128}, {2, 64}} {
		opts := Options{
			Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
			Disable:   map[Mechanism]bool{Cursors: true}}
		e, err := generate(t.Context(), m, "main", opts, realSolver,
			extent{loops: language.LoopsChecked, depth: test.depth})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range e.loops() {
			if l.Name == "digits#1" && (l.Iterations == 0 || l.Iterations > test.most) {
				t.Errorf("depth %d: %d iterations, want at most %d", test.depth, l.Iterations, test.most)
			}
		}
		e.standing.Close()
	}
}

// TestEndlessLoopIsLongEarly checks that a loop without an exit is known as one after few iterations: unrolling does
// not decide it, and may take all the time.
func TestEndlessLoopIsLongEarly(t *testing.T) {
	m, err := clangir.Read([]byte(clangtest.Compile(t, `unsigned nd_uint(void); void sassert(_Bool);
int main(void) {
  unsigned on = 0, n = 0;
  for (;;) {
    if (nd_uint() % 7 == on) on = !on; else if (n < 9) n++;
    sassert(n < 10);
  }
}`)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const most = 2_000 // instructions of 40 iterations
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	known := false
	opts := Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }}}
	_, err = generate(ctx, m, "main", opts, realSolver, extent{loops: language.LoopsChecked, pace: func(e *engine) {
		known = e.prog != nil && e.prog.Endless
		if known || e.prog != nil && e.prog.Instructions > most {
			stop()
		}
	}})
	if err == nil || !known {
		t.Errorf("not known after %d instructions: %v", most, err)
	}
}
