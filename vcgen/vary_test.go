package vcgen

import (
	"context"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// varied is a proof with an input of each sort.
const varied = `
typedef unsigned long size_t;
int nd_int(void);
unsigned char nd_uchar(void);
double nd_double(void);
void *malloc(size_t);
void memhavoc(void *, size_t);
void assume(_Bool);
void sassert(_Bool);
enum color { RED, GREEN = 5 };
struct ring { unsigned len, cap : 4, top : 12; enum color c; int at[3]; char name[8]; struct { short x, y; } in; };
int main(void) {
  int n = nd_int();
  unsigned char b = nd_uchar();
  double d = nd_double();
  struct ring r;
  memhavoc(&r, sizeof r);
  char *p = malloc(4);
  assume(n < 10);
  if (p == 0) return 1;
  if (n == 7) sassert(b == 0);
  sassert(!(n == 3 && b == 200 && d == 2.5 && r.len == 9 && r.cap == 5 && r.top == 77 && r.c == GREEN &&
            r.at[0] == 1 && r.at[2] == -4 && r.name[0] == 'a' && r.name[1] == 'b' && r.name[2] == 0 &&
            r.in.x == 6 && r.in.y == -1 && p[0] == 'x' && p[3] == 1));
  return 0;
}`

// TestVary changes each input of a counterexample: its violation stays with equal values, and is gone with others.
func TestVary(t *testing.T) {
	m, err := clangir.Read([]byte(clangtest.Compile(t, varied)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks(), MallocMayFail: true,
		UserFile: func(string) bool { return true }}, Vacuity: VacuityOff}
	report, err := Verify(context.Background(), m, "main", opts, realSolver)
	if err != nil {
		t.Fatal(err)
	}
	var run found.Run
	for _, in := range report.Instances {
		if in.Kind == found.Assertion && in.Verdict == found.Failed && in.Pos.Line > 21 {
			run = in.Counterexample.Run
		}
	}
	if run.Tape == nil {
		t.Fatal("the assertion does not fail")
	}
	vary := func(changes ...Change) (*Variant, error) {
		return Vary(context.Background(), m, "main", opts, run, changes, VaryOptions{})
	}
	same, err := vary()
	if err != nil || !same.Same {
		t.Fatalf("without a change: %+v, %v", same, err)
	}
	index := map[string]int{}
	for i, in := range same.Run.Inputs {
		index[in.Variable] = i
	}
	for _, one := range []struct {
		input, value string
		end          ExecutionEnd
		same         bool
		says         string // of an error
	}{
		{"n", "3", EndViolation, true, ""},
		{"n", "0x3", EndViolation, true, ""},
		{"n", "4", EndReturn, false, ""},
		{"n", "10", EndAssume, false, ""},
		{"n", "7", EndViolation, false, ""},
		{"n", "INT_MIN", EndReturn, false, ""},
		{"n", "2147483648", "", false, "does not fit int"},
		{"n", "x", "", false, `"x" is no value of int`},
		{"b", "200", EndViolation, true, ""},
		{"b", "'a'", EndReturn, false, ""},
		{"b", "-1", "", false, "does not fit unsigned char"},
		{"d", "2.5", EndViolation, true, ""},
		{"d", "-INFINITY", EndReturn, false, ""},
		{"r", ".len = 9", EndViolation, true, ""},
		{"r", "{.len = 8}", EndReturn, false, ""},
		{"r", ".cap = 5, .top = 77, .c = GREEN, .at[0] = 1", EndViolation, true, ""},
		{"r", ".cap = 4", EndReturn, false, ""},
		{"r", ".top = 78", EndReturn, false, ""},
		{"r", ".cap = 16", "", false, "does not fit"},
		{"r", ".c = RED", EndReturn, false, ""},
		{"r", ".at = {1, ?, -4}, .in.x = 6, .in = {.y = -1}", EndViolation, true, ""},
		{"r", ".at = {[2] = 4}", EndReturn, false, ""},
		{"r", ".at[3] = 4", "", false, "no element 3"},
		{"r", `.name = "ab"`, EndViolation, true, ""},
		{"r", `.name = "abc"`, EndReturn, false, ""},
		{"r", `.name = "abcdefghi"`, "", false, "room for 8"},
		{"r", ".size = 1", "", false, `no member "size"`},
		{"r", "7", "", false, "write {...}"},
		{"r", "{.len = 9", "", false, "} is missing"},
		{"p", "{'x', ..., [3] = 1}", EndViolation, true, ""},
		{"p", `"xyz"`, EndReturn, false, ""},
		{"p", "NULL", EndReturn, false, ""},
	} {
		at, ok := index[one.input]
		if !ok {
			t.Fatalf("no input %s: %+v", one.input, same.Run.Inputs)
		}
		v, err := vary(Change{at, one.value})
		switch {
		case one.says != "":
			if err == nil || !strings.Contains(err.Error(), one.says) {
				t.Errorf("%s = %s: %v, want %q", one.input, one.value, err, one.says)
			}
		case err != nil:
			t.Errorf("%s = %s: %v", one.input, one.value, err)
		case v.End != one.end || v.Same != one.same:
			t.Errorf("%s = %s: %s, %v; want %s, %v", one.input, one.value, v.End, v.Same, one.end, one.same)
		}
	}
	// The text of an input is a value of it, and changes nothing.
	for i, in := range same.Run.Inputs {
		if v, err := vary(Change{i, in.Value}); err != nil || !v.Same {
			t.Errorf("%s = %s: %+v, %v", in.Variable, in.Value, v, err)
		}
	}
	if _, err := vary(Change{len(same.Run.Inputs), "1"}); err == nil {
		t.Error("an input that does not exist is changed")
	}
}
