package interp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// checkRun runs a snippet, whose entry is main, on listed values.
//
// A comment "// want KIND: MESSAGE" marks the line that must be violated; without one, end is the expected end of the
// execution.
func checkRun(t *testing.T, src, end string, change func(*interp.Options, *interptest.Script),
	values ...int64) *interp.Outcome {
	t.Helper()
	opts := interptest.Options()
	in := &interptest.Script{Values: values}
	if change != nil {
		change(&opts, in)
	}
	o := interp.Run(context.Background(), interptest.CompileText(t, src), "main", in.Choose, opts)
	want := end
	for i, line := range strings.Split(src, "\n") {
		if _, w, ok := strings.Cut(line, "// want "); ok {
			kind, message, _ := strings.Cut(w, ": ")
			want = violationLine(kind, i+1, message)
		}
	}
	if got := interptest.Summary(o); got != want {
		t.Errorf("got  %s\nwant %s\n%s", got, want, src)
	}
	return o
}

func violationLine(kind string, line int, message string) string {
	return interptest.Summary(&interp.Outcome{Violation: &interp.Violation{Kind: found.Kind(kind), Message: message,
		Loc: at0(line)}})
}

// TestLibraryFrames checks that a violation inside the library is described in terms of the user's call.
func TestLibraryFrames(t *testing.T) {
	user := filepath.Join(t.TempDir(), "t.c")
	if err := os.WriteFile(user, []byte(`#include <string.h>
#include <stdlib.h>
int main(void) {
  char *slot = malloc(2);
  strcpy(slot, "ab");
}`), 0o666); err != nil {
		t.Fatal(err)
	}
	opts := interptest.Options()
	opts.UserFile = func(file string) bool { return file == user }
	o := interp.Run(context.Background(), interptest.Compile(t, []string{"-fno-builtin"}, user,
		filepath.Join("testdata", "libc.c")), "main", choice.Zero, opts)
	if o.Violation == nil ||
		o.Violation.Message != "in `strcpy`: writes 1 byte at offset 2 of `slot` (2 bytes, malloc at t.c:4)" {
		t.Error(interptest.Summary(o))
	}
	if s := o.Violation.Stack; len(s) != 2 || s[0].Loc.Line != 5 || s[1].Func.Name != "strcpy" {
		t.Errorf("the stack is %v", s)
	}
	for _, s := range o.Steps {
		if s.Event == "assign" && s.File != user {
			t.Errorf("the trace tells of the library: %v", s)
		}
	}
}

func TestViolations(t *testing.T) {
	on := func(kinds ...found.Kind) func(*interp.Options, *interptest.Script) {
		return func(o *interp.Options, _ *interptest.Script) {
			for _, k := range kinds {
				o.Checks[k] = true
			}
		}
	}
	for _, c := range []struct {
		name   string
		src    string
		end    string
		change func(*interp.Options, *interptest.Script)
		values []int64
	}{
		{name: "assertion", values: []int64{7}, src: `
int main(void) {
  int x = nd_int();
  sassert(x != 7); // want assertion: assertion is false
}`},
		{name: "assert.h", values: []int64{7}, src: `
#include <assert.h>
int main(void) {
  int x = nd_int();
  assert(x > 3 && x != 7); // want assertion: assertion is false
}`},
		{name: "null", src: `
struct s { int a, b; };
struct s *none(void) { return 0; }
int main(void) {
  none()->b = 1; // want null-dereference: writes 4 bytes at address 4, which is NULL with an offset
}`},
		{name: "null variable", src: `
int f(int *p) {
  return *p; // want null-dereference: reads ` + "`*p`, but `p`" + ` is NULL
}
int main(void) { return f(0); }`},
		{name: "invalid pointer", values: []int64{5000}, src: `
int main(void) {
  char *p = nd_voidp();
  *p = 1; // want invalid-pointer: writes 1 byte through ` + "`p`" + ` (0x1388), which points to no object
}`},
		{name: "use after free", src: `
#include <stdlib.h>
struct s { int id; int refs[3]; };
int main(void) {
  struct s *s = malloc(sizeof *s);
  s->id = 3;
  free(s);
  return s->id; // want use-after-free: reads 4 bytes at offset 0 of ` + "`s`" + ` (16 bytes, malloc at t.c:5), which was freed at t.c:7
}`},
		{name: "use after scope", src: `
int main(void) {
  int *p;
  { int inner = 4; p = &inner; }
  return *p; // want use-after-scope: reads 4 bytes at offset 0 of ` + "`inner` (4 bytes) through `p`" + `, whose lifetime ended at t.c:4
}`},
		{name: "stack of a callee", src: `
int *f(void) { int x = 1; int *p = &x; return p; }
int main(void) {
  return *f(); // want use-after-scope: reads 4 bytes at offset 0 of ` + "`x`" + ` (4 bytes), whose lifetime ended at t.c:2
}`},
		{name: "heap bounds", values: []int64{10}, src: `
#include <stdlib.h>
int main(void) {
  int *buf = malloc(40);
  int i = nd_int();
  buf[i] = 1; // want out-of-bounds-write: writes 4 bytes at offset 40 of ` + "`buf`" + ` (40 bytes, malloc at t.c:4)
}`},
		{name: "below", src: `
int a[4], b[4];
int main(void) {
  int *p = b;
  return p[-1]; // want out-of-bounds-read: reads 4 bytes at offset -4 of ` + "`b` (int [4], 16 bytes) through `p`" + `
}`},
		{name: "read-only", src: `
int main(void) {
  char *s = "abc";
  s[1] = 'x'; // want read-only-write: writes 1 byte at offset 1 of a string literal (4 bytes): it is constant
}`},
		{name: "overlap", src: `
#include <string.h>
int main(void) {
  char a[10] = {0};
  char *p = a;
  memcpy(p + 1, p, 4); // want overlapping-copy: copies 4 bytes from offset 0 to offset 1 of ` + "`a`" + ` (char [10], 10 bytes): the ranges overlap
}`},
		{name: "same range", end: "return", src: `
#include <string.h>
int main(void) {
  char a[10] = {0};
  char *p = a;
  memcpy(p, p, 4);
  memcpy(0, p, 0);
}`},
		{name: "double free", src: `
#include <stdlib.h>
int main(void) {
  char *p = malloc(3);
  free(p);
  free(p); // want double-free: frees ` + "`p`" + ` (3 bytes, malloc at t.c:4) a second time: it was freed at t.c:5
}`},
		{name: "invalid free", src: `
#include <stdlib.h>
int main(void) {
  char *p = malloc(3);
  free(p + 1); // want invalid-free: frees ` + "`p+1`" + `, which points to offset 1 of a block (3 bytes, malloc at t.c:4)
}`},
		{name: "free of a local", src: `
#include <stdlib.h>
int main(void) {
  int x;
  int *p = &x;
  free(p); // want invalid-free: frees ` + "`p`, which points to `x`" + ` (4 bytes): no allocation returned it
}`},
		{name: "leak", change: on(found.MemoryLeak), src: `
#include <stdlib.h>
struct n { struct n *next; } *head;
int main(void) {
  head = malloc(sizeof *head);
  head->next = malloc(sizeof *head);
  malloc(5); // want memory-leak: the block of 5 bytes from malloc at t.c:7 is never freed, and nothing points to it at the end
}`},
		{name: "uninitialized", change: on(found.UninitializedRead), src: `
int main(void) {
  int x, y = 2;
  y += x; // want uninitialized-read: reads 4 bytes at offset 0 of ` + "`x`" + ` (4 bytes), which was never written
}`},
		{name: "initialized bit-fields", change: on(found.UninitializedRead), end: "return", src: `
struct b { unsigned a : 3, b : 5; };
int main(void) {
  struct b b;
  b.a = 1;
  b.b = 2;
  return b.a + b.b;
}`},
		{name: "misaligned", change: on(found.Misaligned), src: `
int a[2];
int main(void) {
  char *p = (char *)a;
  *(int *)(p + 1) = 1; // want misaligned: writes 4 bytes at offset 1 of ` + "`a` (int [2], 8 bytes) through `p`" + `: the address 0x100000041 is not a multiple of 4
}`},
		{name: "invalid size", values: []int64{-2}, src: `
int main(void) {
  int n = nd_int();
  int a[n]; // want invalid-size: the array would have -2 elements
  a[0] = 0;
}`},
		{name: "signed overflow", values: []int64{2147483647}, src: `
int main(void) {
  int x = nd_int();
  x = x + 1; // want signed-overflow: 2147483647 + 1 is 2147483648, which does not fit int
}`},
		{name: "negation", values: []int64{-9223372036854775808}, src: `
int main(void) {
  long x = nd_long();
  x = -x; // want signed-overflow: -(-9223372036854775808) is 9223372036854775808, which does not fit long
}`},
		{name: "wide overflow", src: `
int main(void) {
  __int128 x = (__int128)1 << 126;
  x = x * 2; // want signed-overflow: 85070591730234615865843651857942052864 * 2 is 170141183460469231731687303715884105728, which does not fit __int128
}`},
		{name: "division", values: []int64{5, 0}, src: `
int main(void) {
  int x = nd_int(), y = nd_int();
  return x % y; // want division-by-zero: 5 / 0 divides by zero
}`},
		{name: "quotient", values: []int64{-2147483648, -1}, src: `
int main(void) {
  int x = nd_int(), y = nd_int();
  return x / y; // want signed-overflow: -2147483648 / (-1) is 2147483648, which does not fit int
}`},
		{name: "shift", values: []int64{32}, src: `
int main(void) {
  int n = nd_int();
  return 1u << n; // want invalid-shift: the shift moves a 32-bit value by 32 bits
}`},
		{name: "negative shift", values: []int64{-1}, src: `
int main(void) {
  int n = nd_int();
  return 1 >> n; // want invalid-shift: the shift moves a 32-bit value by -1 bits
}`},
		{name: "array bounds", values: []int64{4}, src: `
struct s { int a[4]; int b; } s;
int main(void) {
  int i = nd_int();
  s.a[i] = 1; // want array-bounds: the access: index 4 is outside int[4]
}`},
		{name: "array bounds of a typedef", values: []int64{7}, src: `
struct s { uint8_t a[6]; int b; } s;
int main(void) {
  int i = nd_int();
  s.a[i] = 1; // want array-bounds: the access: index 7 is outside uint8_t[6]
}`},
		{name: "float to int", src: `
int main(void) {
  double d = 3e9;
  return (int)d; // want float-to-int-overflow: 3000000000.0 does not fit int
}`},
		{name: "unreachable", src: `
int main(void) {
  __builtin_unreachable(); // want unreachable: executes code that was declared unreachable
}`},
		{name: "trap", src: `
int main(void) {
  __builtin_trap(); // want unreachable: reaches a trap
}`},
		{name: "missing value", values: []int64{0}, src: `
int f(int a) { if (a) return 3; }
int main(void) {
  f(0);
  return f(nd_int()); // want unreachable: ` + "`f` returns no value, but its value is used" + `
}`},
		{name: "builtin", src: `
int main(void) {
  unsigned x = nd_uint();
  return __builtin_clz(x); // want invalid-builtin: the call is undefined for 0
}`},
		{name: "invalid call", src: `
int g(int a, int b) { return a + b; }
int main(void) {
  int (*f)(int) = (int (*)(int))(void (*)(void))g;
  return f(1); // want invalid-call: calls ` + "`f`, which holds `g`" + `, with 1 argument (int); it takes 2 (int, int)
}`},
		{name: "call of NULL", src: `
int main(void) {
  int (*f)(int) = 0;
  return f(1); // want invalid-call: calls ` + "`f`" + `, which is NULL
}`},
		{name: "call of data", src: `
int x;
int main(void) {
  void (*f)(void) = (void (*)(void))&x;
  f(); // want invalid-call: calls ` + "`f`" + `, which points to no function
}`},
		{name: "ambiguous order", src: `
int a, b;
int main(void) {
  int *p = &a, *q = &b;
  return p < q; // want ambiguous-pointer: compares the order of ` + "`p` (&a) and `q`" + ` (&b), which point into different objects
}`},
		{name: "ambiguous difference", src: `
#include <stdlib.h>
int main(void) {
  char *p = malloc(3), *q = malloc(5);
  return q + 1 - p; // want ambiguous-pointer: subtracts ` + "`q+1` (malloc#2+1) and `p`" + ` (malloc#1), which point into different objects
}`},
		{name: "null order", end: "return", src: `
int main(void) {
  char *p = 0, *q = 0;
  return p < q || q - p;
}`},
		{name: "off", end: "return", values: []int64{2147483647, 5}, change: func(o *interp.Options, _ *interptest.Script) {
			for _, k := range []found.Kind{found.SignedOverflow, found.DivisionByZero, found.ArrayBounds} {
				o.Checks[k] = false
			}
		}, src: `
struct s { int a[2], b[2]; } s;
int main(void) {
  int x = nd_int();
  int y = x + 1;
  sassert(y == -2147483647 - 1);
  int z = 0;
  int q = 5 / z;
  int *p = s.a;
  s.b[0] = 9;
  int i = 2;
  sassert(s.a[i] == 9);
}`},
		{name: "invalid access, unchecked", end: "assume", change: func(o *interp.Options, _ *interptest.Script) { o.Checks[found.OutOfBoundsWrite] = false }, src: `
int main(void) {
  int a[2];
  int *p = a;
  p[2] = 1;
}`},
		{name: "accepted", end: "return", change: func(o *interp.Options, _ *interptest.Script) {
			o.Accepted = func(k found.Kind, f found.Pos, innermost bool) bool { return f.Function == "hash" }
		}, values: []int64{2147483647}, src: `
#include <assert.h>
int hash(int x) { assert(x == 0); return x * 31; }
int main(void) { return hash(nd_int()); }`},
		{name: "assume", end: "assume", src: `
int main(void) { assume(nd_int() == 1); }`},
		{name: "exit", end: "exit", src: `
#include <stdlib.h>
int main(void) { exit(3); }`},
		{name: "abort", end: "abort", src: `
#include <stdlib.h>
int main(void) { abort(); }`},
		{name: "steps", end: "steps: stopped after 3000000 instructions", src: `
int main(void) { for (;;); }`},
		{name: "long double", end: "unsupported: a value of type long double (x87)", src: `
long double x;
int main(void) { x = x + 1; }`},
		{name: "setjmp", end: "unsupported: a call of _setjmp", src: `
#include <setjmp.h>
jmp_buf b;
int main(void) { return setjmp(b); }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkRun(t, c.src, c.end, c.change, c.values...)
		})
	}
}
