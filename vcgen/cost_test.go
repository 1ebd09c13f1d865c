package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// TestCosts checks that the time of each query is the cost of its obligations, with a clock that advances only with
// queries.
func TestCosts(t *testing.T) {
	now := int64(0)
	at, r, queries := verify(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%y = call zeroext i8 @nd_uint8_t() @3
`+assertion("a", "%x", "ule", 255, 4)+`
%q = xor i8 %x, %y
%s = and i8 %q, 63
`+assertion("b", "%s", "ult", 64, 5)+assertion("c", "%x", "ne", 7, 6)+`
ret i32 0 @9
`, Options{Clock: func() int64 { return now }}, func(s *smttest.Enumerator) {
		s.Fault = nil
		now += 1000 // a solver is made for each question
	})
	expect(t, at, map[int]found.Verdict{4: found.Proved, 5: found.Proved, 6: found.Failed})
	if queries == 0 || now == 0 {
		t.Fatal("nothing was asked")
	}
	sum := int64(0)
	for _, in := range r.Instances {
		if in.Cost < 0 {
			t.Errorf("line %d cost %d", in.Pos.Line, in.Cost)
		}
		sum += in.Cost
	}
	if sum == 0 || sum > r.Stats.Nanoseconds || r.Stats.Nanoseconds != now {
		t.Errorf("the parts are %d of %d; the clock says %d", sum, r.Stats.Nanoseconds, now)
	}
	if at[6].Cost == 0 {
		t.Error("the violated one cost nothing")
	}
	// An obligation that is settled without a query takes no time.
	for _, line := range []int{4, 5} {
		if at[line].Cost > at[6].Cost {
			t.Errorf("line %d cost more than the violated one: %d, %d", line, at[line].Cost, at[6].Cost)
		}
	}
}

// TestUnrollings checks that the time of unrolling is counted for the executed function and the innermost loop around
// it. The loop may be a caller's. The clock advances with each reading.
func TestUnrollings(t *testing.T) {
	source := `void sassert(_Bool c); unsigned nd_uint(void);
static unsigned step(unsigned x) { return x * 3 + 1; }
static unsigned walk(unsigned x, int n) {
  for (int i = 0; i < n; i++)
    x = step(x);
  return x;
}
int main(void) {
  unsigned x = nd_uint();
  x = step(x);
  for (int k = 0; k < 5; k++)
    x ^= walk(x, 40);
  sassert(x != 7);
}`
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	now := int64(0)
	opts := Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
		Vacuity:   VacuityOff, MaxInstructions: 100_000, Clock: func() int64 { now++; return now }}
	report, err := Verify(context.Background(), m, "main", opts, realSolver)
	if err != nil {
		t.Fatal(err)
	}
	by := map[[2]string]Unrolling{}
	sum := int64(0)
	for i, u := range report.Stats.Unrolled {
		by[[2]string{u.Function, u.Loop}] = u
		sum += u.Nanoseconds
		if i > 0 && u.Nanoseconds > report.Stats.Unrolled[i-1].Nanoseconds {
			t.Errorf("%+v stands behind less", u)
		}
	}
	for _, want := range []struct {
		function, loop string
		line           int
	}{{"main", "", 0}, {"step", "", 0}, {"main", "main#1", 11}, {"walk", "main#1", 11}, {"walk", "walk#1", 4},
		{"step", "walk#1", 4}} {
		u, ok := by[[2]string{want.function, want.loop}]
		if !ok || u.Nanoseconds <= 0 || u.At.Line != want.line {
			t.Errorf("%v: %+v", want, u)
		}
		delete(by, [2]string{want.function, want.loop})
	}
	for k := range by {
		t.Errorf("what is %v?", k)
	}
	if inner := report.Stats.Unrolled[0]; inner.Loop != "walk#1" {
		t.Errorf("%+v took most, not what is done 200 times", inner)
	}
	if sum > report.Stats.Nanoseconds {
		t.Errorf("the parts are %d of %d", sum, report.Stats.Nanoseconds)
	}
}
