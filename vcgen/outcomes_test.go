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

// Behind a call whose outcome is looked at, what it wrote when it succeeded is not merged with what was there before:
// the assertion about it is true as it stands. What is asserted of an error, and of a loop that ends with one, holds,
// too.
func TestOutcomesKeepStatesApart(t *testing.T) {
	m, err := clangir.Read([]byte(clangtest.Compile(t, `
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
}`)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []bool{false, true} {
		opts := Options{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true },
			Disable: map[Mechanism]bool{Outcomes: off}}
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
		if open := asked > 0; open != off {
			t.Errorf("outcomes off: %v: %d assertions are to be asked about", off, asked)
		}
		report, err := e.settle()
		e.standing.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range report.Instances {
			if in.Verdict != found.Proved && in.Verdict != found.Unreached {
				t.Errorf("outcomes off: %v: %s at line %d is %s", off, in.Kind, in.Pos.Line, in.Verdict)
			}
		}
	}
}
