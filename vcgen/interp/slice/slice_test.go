package slice

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// sliced runs a program twice and returns the outcome with the trace of its slice.
func sliced(t *testing.T, m *clangir.Module, opts interp.Options, again func() choice.Inputs) *interp.Outcome {
	t.Helper()
	slice, first := Of(context.Background(), m, "main", again, opts)
	if slice == nil {
		t.Fatalf("no slice: %s", interptest.Summary(first))
	}
	opts.Trace, opts.Keep = true, slice
	return interp.Run(context.Background(), m, "main", again(), opts)
}

// TestSlice checks the lines of a slice, and its inputs.
func TestSlice(t *testing.T) {
	tests := []struct{ name, src, want, idle string }{
		{name: "data through memory", src: `
struct pair { int x, y; };
int main(void) {
  struct pair p = {nd_int(), nd_int()}, q;
  int other = nd_int();
  int *r = &q.y;
  q = p;
  other = other + 1;
  *r = q.x;
  q.x = 7;
  sassert(q.y == 1);
}`, want: "4 p.x = 0|6 r = &q.y|7 q = {.x = 0, .y = 0}|9 *r = 0", idle: "nd_int nd_int"},
		{name: "only the operand that was taken", src: `
int main(void) {
  int a = nd_int(), b = nd_int();
  bool c = nd_bool();
  int v = c ? a : b;
  sassert(v == 1);
}`, want: "3 b = 0|4 c = false|5 condition is false|5 v = 0", idle: "nd_int"},
		{name: "exits that were not taken are left out unless they constrain", src: `
#include <stdlib.h>
int main(void) {
  char *unrelated = malloc(4);
  if (!unrelated) return 1;
  int n = nd_int();
  if (n < -5) return 2;
  assume(n < 100);
  int other = nd_int();
  assume(other < 50);
  char *p = malloc(8);
  if (!p) return 3;
  p[n + 8] = 1;
}`, want: "6 n = 0|7 condition is false|8 assumption holds|11 malloc(8) returns malloc#2|11 p = malloc#2|12 condition is true", idle: "nd_int"},
		{name: "the end of a life", src: `
#include <stdlib.h>
static void drop(char *p) { free(p); }
int main(void) {
  char *p = malloc(4), *q = malloc(4);
  drop(q);
  if (p) {
    drop(p);
    *p = 1;
  }
}`, want: "5 malloc(4) returns malloc#1|5 p = malloc#1|7 condition is true|8 drop(p = malloc#1)|3 free(malloc#1)"},
		{name: "what a branch skipped, before a long loop with another one", src: `
int main(void) {
  int flag = nd_int(), total = 5, noise = 0;
  if (flag > 3)
    total = 6;
  for (int i = 0; i < 900; i++)
    if (i % 3 == noise)
      noise ^= 1;
  sassert(total == 6);
}`, want: "3 flag = 0|3 total = 5|4 condition is false", idle: ""},
		{name: "what a branch skipped", src: `
int main(void) {
  int limit = nd_int(), v = 5, w = nd_int();
  if (w) v = v + 0;
  if (limit) v = 9;
  sassert(v == 9);
}`, want: "3 limit = 0|3 v = 5|5 condition is false", idle: "nd_int"},
		{name: "and of a shadow bit", src: `
static int a[2];
static void touch(int k) { a[k] = k; }
int main(void) {
  sea_tracking_on();
  int noise = 3;
  sea_reset_modified((char *)a);
  if (nd_int() == 0)
    touch(1);
  noise++;
  sassert(!sea_is_modified((char *)a));
}`, want: "8 condition is true|9 touch(k = 1)|3 a[1] = 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := interptest.CompileText(t, test.src)
			o := sliced(t, m, interptest.Options(), func() choice.Inputs { return choice.Zero })
			var got []string
			for _, s := range o.Steps {
				if s.Event != found.StepViolation && s.Event != found.StepReturn {
					got = append(got, fmt.Sprintf("%d %s", s.Line, s.Text))
				}
			}
			if g := strings.Join(got, "|"); g != test.want {
				t.Errorf("got  %s\nwant %s", g, test.want)
			}
			var idle []string
			for _, r := range o.Inputs {
				if r.Idle {
					idle = append(idle, r.Function)
				}
			}
			if g := strings.Join(idle, " "); g != test.idle {
				t.Errorf("inputs without a part in it: %q, want %q", g, test.idle)
			}
		})
	}
}

// randomProgram returns a program whose last assertion fails, with one statement on each line.
//
// removable are the lines with a single assignment that can be removed.
func randomProgram(r *rand.Rand) (lines []string, removable map[int]bool) {
	removable = map[int]bool{}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	names := []string{"a", "b", "c", "d", "e", "arr[0]", "arr[1]", "s.x", "s.y", "*p", "g"}
	name := func() string { return names[r.IntN(len(names))] }
	expr := func() string {
		switch r.IntN(5) {
		case 0:
			return fmt.Sprint(r.IntN(10))
		case 1:
			return name()
		case 2:
			return fmt.Sprintf("%s + %s", name(), name())
		case 3:
			return fmt.Sprintf("arr[%s & 1]", name())
		}
		return fmt.Sprintf("mix(%s, %s)", name(), name())
	}
	add("static unsigned g;")
	add("struct s { unsigned x, y; };")
	add("static unsigned mix(unsigned u, unsigned v) {")
	add("if (u > v)")
	add("return u - v;")
	add("return v * 3;")
	add("}")
	add("int main(void) {")
	add("unsigned a = nd_uint(), b = nd_uint(), c = nd_uint(), d = 1, e = 2, arr[2] = {3, 4}, *p = &d;")
	add("struct s s = {5, 6}, copy = s;")
	var block func(depth, n int)
	block = func(depth, n int) {
		for range n {
			switch k := r.IntN(12); {
			case k == 0 && depth < 2:
				add("for (unsigned i = 0; i < %d; i++) {", 1+r.IntN(3))
				block(depth+1, 1+r.IntN(3))
				add("}")
			case k <= 3 && depth < 3:
				add("if (%s %s %s) {", name(), []string{"<", "==", ">", "!="}[r.IntN(4)], expr())
				block(depth+1, 1+r.IntN(2))
				if r.IntN(2) == 0 {
					add("} else {")
					block(depth+1, 1)
				}
				add("}")
			case k == 4:
				removable[len(lines)] = true
				add("p = &%s;", []string{"a", "b", "arr[1]", "s.x", "g"}[r.IntN(5)])
			case k == 5:
				removable[len(lines)] = true
				add("%s", []string{"copy = s;", "s = copy;"}[r.IntN(2)])
			default:
				removable[len(lines)] = true
				add("%s = %s;", name(), expr())
			}
		}
	}
	block(0, 12+r.IntN(10))
	add("unsigned v = %s;", expr())
	add("sassert(v + 1 == v);")
	add("}")
	return lines, removable
}

// TestSliceOfRandomPrograms removes all executed assignments outside the slice together.
//
// The violation must still have the same value, which must be the value that the slice assigned last.
func TestSliceOfRandomPrograms(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 10
	}
	taken := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		lines, removable := randomProgram(r)
		values := []int64{r.Int64N(12), r.Int64N(12), r.Int64N(12)}
		again := func() choice.Inputs { return (&interptest.Script{Values: values}).Choose }
		run := func() *interp.Outcome {
			return sliced(t, interptest.CompileText(t, strings.Join(lines, "\n")), interptest.Options(), again)
		}
		first := run()
		inSlice := map[int]bool{}
		assigned := ""
		for _, s := range first.Steps {
			inSlice[s.Line] = true
			if s.Event == found.StepAssign && s.LValue == "v" {
				assigned = s.Value
			}
		}
		value := first.Violation.Operands[0].Value
		if assigned != value {
			t.Errorf("seed %d: v is %s, and the slice assigns %q", seed, value, assigned)
		}
		before := strings.Join(lines, "\n")
		full := interptest.Options()
		full.Coverage = true
		m := interptest.CompileText(t, before)
		covered := map[int]bool{}
		for file, c := range interp.Run(context.Background(), m, "main", again(), full).Covered {
			if strings.HasSuffix(file, ".c") {
				for line := range c {
					covered[line] = true
				}
			}
		}
		for i := range lines {
			if removable[i] && covered[i+1] && !inSlice[i+1] {
				lines[i] = ";"
				taken++
			}
		}
		if second := run(); second.Violation.Operands[0].Value != value {
			t.Errorf("seed %d: v is %s, and %s without what is not in the slice:\n%s\nnow\n%s", seed, value,
				second.Violation.Operands[0].Value, before, strings.Join(lines, "\n"))
		}
	}
	if taken < 3*n {
		t.Errorf("only %d assignments were taken away from %d programs", taken, n)
	}
}
