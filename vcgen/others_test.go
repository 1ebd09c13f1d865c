package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestOthers finds executions that fail at one place by each of the four ways through two branches.
func TestOthers(t *testing.T) {
	m, err := clangir.Read([]byte(clangtest.Compile(t, `
int nd_int(void);
void sassert(_Bool);
int size(int a, int b) {
  int n = 0;
  if (a == 1234) n += 3; else n += 4;
  if (b > 7) n += 1;
  return n;
}
int main(void) {
  int a = nd_int(), b = nd_int();
  sassert(size(a, b) == 9);
}`)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
		Vacuity: VacuityOff}
	report, err := Verify(context.Background(), m, "main", opts, realSolver)
	if err != nil {
		t.Fatal(err)
	}
	run := report.Instances[len(report.Instances)-1].Counterexample.Run
	list, err := Others(context.Background(), m, "main", opts, run, nil, 8)
	if err != nil || len(list) != 3 {
		t.Fatalf("%d other executions, want 3; %v", len(list), err)
	}
	seen := map[string]bool{}
	for _, other := range list {
		v, err := Vary(context.Background(), m, "main", opts, other, nil, VaryOptions{Whole: true})
		if err != nil || !v.Same {
			t.Fatalf("%+v, %v", v, err)
		}
		way := ""
		for _, s := range v.Run.Trace {
			if s.Event == found.StepBranch {
				way += s.Value + " "
			}
		}
		if seen[way] {
			t.Errorf("two executions take the branches %s", way)
		}
		seen[way] = true
	}
	if few, err := Others(context.Background(), m, "main", opts, run, nil, 1); err != nil || len(few) != 1 {
		t.Errorf("%d, want 1; %v", len(few), err)
	}
}
