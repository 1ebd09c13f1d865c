package vcgen

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// countsUp is a loop with a contract, as it is rewritten. x goes up to 250; its invariant is x <= 5, which holds only
// in the first iterations, and the assertion at line 5 follows from it.
const countsUp = `entry:
%x = alloca i8
store i8 0, i8* %x
%mode = call i32 @__unitproof_loops()
%cut = icmp eq i32 %mode, 2
%first = call zeroext i8 @nd_uint8_t() @2
%few = icmp ult i8 %first, 9
call void @assume(i1 %few) @3
%any = icmp ult i8 %first, 10
call void @sassert(i1 %any) @4
br i1 %cut, label %arbitrary, label %head
arbitrary:
%a = call zeroext i8 @nd_uint8_t() @2
%kept = icmp ule i8 %a, 5
call void @__unitproof_assume(i1 %kept)
store i8 %a, i8* %x
br label %body
head:
%h = load i8, i8* %x
%holds = icmp ule i8 %h, 5
call void @__unitproof_invariant(i1 %holds, i8* null) @6
%more = icmp ult i8 %h, 250
br i1 %more, label %body, label %end
body:
%b = load i8, i8* %x
%asserted = icmp ule i8 %b, 5
call void @sassert(i1 %asserted) @5
%next = add i8 %b, 1
store i8 %next, i8* %x
br i1 %cut, label %again, label %head
again:
%keeps = icmp ule i8 %next, 5
call void @__unitproof_invariant(i1 %keeps, i8* null) @6
call void @__unitproof_stop()
unreachable
end:
ret i32 0 @9
`

// TestLoopsNotUnrolled checks that an obligation that rests on an open invariant is not proved, whenever the run with
// unrolled loops ends.
func TestLoopsNotUnrolled(t *testing.T) {
	without := map[Mechanism]bool{Executions: true} // they find the violation anyway
	prove := func(m *clangir.Module, stop int, broken error) (map[int]Instance, *Report, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		queries, runs := 0, 0
		opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
			Disable: without, Stage: func(name string) func() {
				if name == "unfold" {
					if runs++; runs == stop && broken == nil {
						cancel()
					}
				}
				return func() {}
			}}
		r, err := Verify(ctx, m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
			if runs >= stop-1 && broken != nil {
				return nil, broken
			}
			return &smttest.Enumerator{C: c, Queries: &queries}, nil
		})
		at := map[int]Instance{}
		if r != nil {
			for _, in := range r.Instances {
				at[in.Pos.Line] = in
			}
		}
		return at, r, err
	}
	m := program(t, countsUp)

	t.Run("before the first iterations", func(t *testing.T) {
		at, r, err := prove(m, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, at, map[int]found.Verdict{5: found.Unknown, 6: found.Unknown})
		for _, line := range []int{5, 6} {
			if why := at[line].Reason; why.Why != found.NotUnrolled || why.Cause == nil || why.Cause.Why != found.Cancelled {
				t.Errorf("line %d: %+v", line, why)
			}
		}
		if r.Stats.Unsettled == 0 {
			t.Error("the report rests on time, and may be kept")
		}
	})
	t.Run("behind the first iterations", func(t *testing.T) {
		at, r, err := prove(m, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, at, map[int]found.Verdict{4: found.Proved, 5: found.Bounded, 6: found.Bounded})
		for _, line := range []int{5, 6} {
			if why := at[line].Reason; why.Cause == nil || why.Cause.Why != found.Cancelled {
				t.Errorf("line %d: %+v", line, why)
			}
		}
		if r.Stats.Unsettled == 0 {
			t.Error("the report rests on time, and may be kept")
		}
	})
	t.Run("no end before the end", func(t *testing.T) {
		_, r, err := prove(m, 100, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(r.Instances, func(in Instance) bool { return failed(&in) && in.Pos.Line == 6 }) {
			t.Error("the seventh arrival violates the invariant")
		}
	})
	t.Run("executed", func(t *testing.T) {
		without = nil
		defer func() { without = map[Mechanism]bool{Executions: true} }()
		at, _, err := prove(m, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, at, map[int]found.Verdict{6: found.Failed})
		if c := at[6].Counterexample; c == nil || len(c.Trace) == 0 {
			t.Errorf("a counterexample that tells nothing: %+v", c)
		}
	})
	t.Run("no solver", func(t *testing.T) {
		broken := errors.New("no solver")
		if _, r, err := prove(m, 2, broken); !errors.Is(err, broken) {
			t.Errorf("%v, %v", r, err)
		}
	})
}

// TestPartOfAnInvariant checks a loop whose contract says too little for the assertion behind it. Induction finds the
// rest beside it, and does not if the assertion is false in a late iteration.
func TestPartOfAnInvariant(t *testing.T) {
	verify := func(late string, disable ...Mechanism) (Instance, []found.Loop) {
		t.Helper()
		m, err := clangir.Read([]byte(clangtest.Compile(t, `
unsigned nd_uint(void);
int __unitproof_loops(void);
void assume(_Bool), sassert(_Bool), __unitproof_assume(_Bool), __unitproof_invariant(_Bool, int, const char *);
void __unitproof_frame_begin(int), __unitproof_frame_written(int), __unitproof_stop(void);
int main(void) {
  unsigned n = nd_uint(), i = 0, s = 0;
  assume(n <= 100000);
  _Bool first = 1;
  while (1) {
    if (first) {
      __unitproof_frame_begin(1);
      __unitproof_frame_written(0);
      if (__unitproof_loops() == 2) {
        __unitproof_frame_written(1);
        __unitproof_assume(i <= n);
      }
      first = 0;
    } else {
      __unitproof_invariant(i <= n, 0, "i <= n");
      if (__unitproof_loops() == 2) __unitproof_stop();
    }
    if (!(i < n)) break;
    i++;
    s += 2;
    `+late+`
  }
  sassert(s == 2 * n);
}`)), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Disable: map[Mechanism]bool{Executions: true}, Semantics: found.Semantics{
			Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }}}
		for _, d := range disable {
			opts.Disable[d] = true
		}
		r, err := Verify(t.Context(), m, "main", opts, realSolver)
		if err != nil {
			t.Fatal(err)
		}
		k := slices.IndexFunc(r.Instances, func(in Instance) bool { return in.Kind == found.Assertion })
		return r.Instances[k], r.Loops
	}
	in, loops := verify("")
	if in.Verdict != found.Proved || len(loops) != 1 || loops[0].Method != found.Induction || loops[0].Before != 1 ||
		len(loops[0].Invariants) < 2 || loops[0].Invariants[0].Origin != found.Written {
		t.Errorf("%v, %+v", in.Verdict, loops)
	}
	if in, _ := verify("", Induction); in.Verdict == found.Proved {
		t.Error("proved by the contract alone")
	}
	if in, _ := verify("", ContractCut); in.Verdict != found.Proved {
		t.Errorf("by induction alone: %v", in.Verdict)
	}
	if in, _ := verify("if (i == 70000) s++;"); in.Verdict == found.Proved {
		t.Error("an assertion that is false in a late iteration is proved")
	}
}
