package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// TestOutcomesKeepStatesApart checks the code behind a call whose result is tested: memory written on success is not
// merged with its earlier content. So assertions about it fold to true, also for errors, and for a loop that ends with
// an error.
func TestOutcomesKeepStatesApart(t *testing.T) {
	askedLess(t, 0, `
int nd_int(void);
void sassert(_Bool);
static int put(int *to, int v) {
  int limit = nd_int();
  { int too = v > limit; if (too) return -1; }
  if (v < 0) return -2;
  *to = 7;
  return 0;
}
int main(void) {
  int x = nd_int(), tries = 0;
  if (put(&x, nd_int()) == 0) sassert(x == 7);
  while (put(&x, nd_int()) == -1) if (++tries == 3) return 0;
  sassert(tries < 3);
}`, Outcomes)
}

// TestBoundsAndLiftingDecide checks assertions about the tokens that a call found: folding decides that each was
// written, and that one ends before the next one starts.
func TestBoundsAndLiftingDecide(t *testing.T) {
	askedLess(t, 2, `
typedef unsigned long size_t;
void memhavoc(void *, size_t);
void sassert(_Bool);
struct token { size_t start, end; };
static int tokens(const char *s, size_t n, struct token *out) {
  size_t i = 0;
  int k = 0;
  while (i < n) {
    if (s[i] == ' ') { i++; continue; }
    size_t start = i;
    while (i < n && s[i] != ' ') i++;
    out[k].start = start;
    out[k].end = i;
    k++;
  }
  return k;
}
int main(void) {
  char s[5];
  memhavoc(s, sizeof s);
  struct token t[5];
  int n = tokens(s, sizeof s, t);
  for (int j = 0; j < n; j++) {
    sassert(t[j].start < t[j].end && t[j].end <= sizeof s);
    if (j > 0) sassert(t[j - 1].end < t[j].start);
  }
}`, Outcomes, Lifting)
}

// TestSymbolicBoundLeavesWalks checks that a bound that is not constant keeps no states separate, and does not affect
// a walk.
func TestSymbolicBoundLeavesWalks(t *testing.T) {
	askedLess(t, 0, `
typedef unsigned long size_t;
void memhavoc(void *, size_t);
int nd_int(void);
void sassert(_Bool);
static int some(void) { return nd_int() & 3; }
int main(void) {
  char s[6];
  memhavoc(s, 5);
  s[5] = 0;
  int n = some(), i = 0, k = 0;
  while (s[i]) {
    while (s[i] == ' ') i++;
    if (!s[i]) break;
    i++;
    sassert(i <= 5);
  }
  for (int j = 0; j < n; j++) k++;
  return k;
}`, Cursors)
}

// askedLess checks that a program is proved, with at most most assertions that do not fold to true. There are more if
// one of the mechanisms is switched off.
func askedLess(t *testing.T, most int, source string, mechanisms ...Mechanism) {
	t.Helper()
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range append(mechanisms, "") {
		opts := Options{
			Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
			Disable:   map[Mechanism]bool{off: true}}
		x := extent{loops: language.LoopsChecked}
		e, err := generate(context.Background(), m, "main", opts, realSolver, x)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for i := range e.log.Events {
			ev := &e.log.Events[i]
			if ev.Kind == seair.Obligation && ev.Check == found.Assertion && !e.c.IsTrue(ev.Cond) {
				asked++
			}
		}
		if less := asked <= most; less != (off == "") {
			t.Errorf("off: %q: %d assertions are to be asked about", off, asked)
		}
		report, err := e.settle()
		e.standing.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range report.Instances {
			if in.Verdict != found.Proved && in.Verdict != found.Unreached {
				t.Errorf("off: %q: %s at line %d is %s", off, in.Kind, in.Pos.Line, in.Verdict)
			}
		}
	}
}
