package interp_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

func TestTrace(t *testing.T) {
	const src = `#include <stdlib.h>
enum color { RED, GREEN };
struct flags { unsigned a : 3, b : 5; };
struct node { struct node *next; int v[3]; enum color c; char letter; struct flags f; };
struct pair { int x, y; };
static struct node *head;
static int bump(struct pair p, int *by) {
  p.x += *by;
  return p.x + p.y;
}
int main(void) {
  struct node *n = malloc(sizeof *n);
  if (n == NULL)
    return 1;
  n->next = head;
  n->v[1] = nd_int();
  n->c = GREEN;
  n->letter = 'A';
  n->f.b = 5;
  head = n;
  struct pair p = {1, 2};
  int r = bump(p, &n->v[1]);
  int *last = &n->v[2];
  *last = r;
  *last = r;
  struct pair q = p;
  char buf[8] = "hi";
  char *s = buf + 1;
  bool b = r > 3;
  float f = 1.5f;
  switch (r) {
  case 7: r = 0;
  }
  for (int i = 0; i < 2; i++)
    r += i;
  assume(r == 1);
  free(n);
  sassert(r == 0);
}
`
	const want = `12 alloc malloc(32) returns malloc#1
12 assign n = malloc#1
13 branch condition is false
15 assign n->next = NULL
16 assign n->v[1] = 4
17 assign n->c = GREEN
18 assign n->letter = 65 'A'
19 assign n->f.b = 5
20 assign head = malloc#1 (was NULL)
21 assign p = {.x = 1, .y = 2}
22 call bump(p = {.x = 1, .y = 2}, by = malloc#1+12)
8   assign p.x = 5 (was 1)
22 return bump returns 7
22 assign r = 7
23 assign last = malloc#1+16
24 assign *last = 7
26 assign q = {.x = 1, .y = 2}
27 assign buf = "hi"
28 assign s = buf+1
29 assign b = true
30 assign f = 1.5
31 branch switch on 7
32 assign r = 0 (was 7)
34 assign i = 0
34 branch condition is true
34 assign i = 1 (was 0)
34 branch condition is true
35 assign r = 1 (was 0)
34 assign i = 2 (was 1)
34 branch condition is false
36 assume assumption holds
37 free free(malloc#1)
38 violation assertion is false
`
	o := interp.Run(context.Background(), interptest.CompileText(t, src), "main",
		(&interptest.Script{Values: []int64{4}}).Choose, interptest.Options())
	if got := interptest.TraceText(o); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var vars []string
	for _, v := range o.Violation.Vars {
		vars = append(vars, v.Name+" = "+v.Value)
	}
	const wantVars = `f = 1.5; b = true; s = buf+1; buf = "hi"; q = {.x = 1, .y = 2}; last = malloc#1+16 (freed); r = 1; p = {.x = 1, .y = 2}; n = malloc#1 (freed); head = malloc#1 (freed)`
	if got := strings.Join(vars, "; "); got != wantVars {
		t.Errorf("variables\ngot  %s\nwant %s", got, wantVars)
	}
	covered := map[int]bool{}
	for file, lines := range o.Covered {
		if filepath.Base(file) == "t.c" {
			covered = lines
		}
	}
	if covered[14] || !covered[8] || !covered[38] {
		t.Errorf("coverage is wrong: %v", covered)
	}
}

// TestTrees checks that structs and arrays are displayed as trees: of large ones, the nonzero parts, as C
// initializers.
func TestTrees(t *testing.T) {
	const src = `#include <string.h>
enum color { RED, GREEN = 3 };
struct in { int x; unsigned f : 3; int g : 5; char c; };
union u { int i; char b[4]; long wide; };
struct deep { struct { struct { struct { struct { int v; } d; } c; } b; } a; };
struct out {
  int a; struct in in; struct in arr[3]; union u u; enum color col; void (*fn)(void); int *q; int big[100];
  struct out *next; double d; char name[8]; struct deep deep; struct { int hidden; union { int left; float right; }; };
};
static void cb(void) {}
static int glob[4];
static struct out o, p;
int main(void) {
  o.a = nd_int();
  o.in = (struct in){2, 5, -3, 'A'};
  o.arr[1] = o.in;
  o.u.i = 65;
  p = o;
  o = (struct out){.col = GREEN, .fn = cb, .q = glob + 4, .next = &p, .d = 0.5, .name = "abc", .hidden = 1, .left = 7};
  for (int i = 20; i < 24; i++)
    o.big[i] = 9;
  o.big[50] = -1;
  o.deep.a.b.c.d.v = 7;
  o.u.wide = 1L << 40;
  p = o;
  struct in *e = &p.arr[2];
  e->g = 4;
  memset(&p, 0, sizeof p);
  p.big[99] = 1;
  memset(p.big, 1, sizeof p.big);
  o = p;
  sassert(o.arr[1].f + e->g != 0);
}
`
	o := interp.Run(context.Background(), interptest.CompileText(t, src), "main",
		(&interptest.Script{Values: []int64{1}}).Choose, interptest.Options())
	got := interptest.TraceText(o)
	for _, want := range []string{
		"o.in = {.x = 2, .f = 5, .g = -3, .c = 'A'} (was {.x = 0, .f = 0, .g = 0, .c = 0})\n",
		"o.arr[1] = {.x = 2, .f = 5, .g = -3, .c = 'A'} (",
		"p = {.a = 1, .in = {.x = 2, .f = 5, .g = -3, .c = 'A'}, .arr = {[1] = {.x = 2, .f = 5, .g = -3, .c = " +
			"'A'}}, .u = {.i = 65}} (was {0})\n",
		"p = {.u = {.wide = 1099511627776}, .col = GREEN, .fn = cb, .q = glob+4 (one past end), .big = {[20 ... 23] = 9, " +
			"[50] = -1}, .next = &p, .d = 0.5, " +
			".name = \"abc\", .deep = {.a = {.b = {.c = {.d = {.v = 7}}}}}, .hidden = 1, .left = 7} (",
		"e = &p.arr[2]",
		"e->g = 4",
		"p = {0} (was {",
		"(was {[99] = 1})\n",
		"o = {.big = {16843009, 16843009, 16843009, 16843009, 16843009, 16843009, 16843009, 16843009, 16843009, 16843009, " +
			"16843009, 16843009, " +
			"16843009, 16843009, 16843009, 16843009, ...}} (",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	operands := ""
	for _, x := range o.Violation.Operands {
		operands += x.Text + " = " + x.Value + "; "
	}
	if operands != "o.arr[1].f = 0; e->g = 0; " {
		t.Errorf("operands: %s", operands)
	}
}

func TestInputRecords(t *testing.T) {
	const src = `#include <stdlib.h>
struct s { short a; char b[4]; };
int main(int argc, char **argv) {
  unsigned char c = nd_uint8_t();
  int unused;
  long local;
  struct s s;
  memhavoc(&s, sizeof s);
  char *p = malloc(3);
  sassert(c + local + s.a + p[1] == 0 && argv == 0);
}
`
	in := &interptest.Script{Values: []int64{9, 4096, 65}, Fill: func(kind choice.Kind, _ string, off uint64) byte {
		return map[choice.Kind]string{choice.Uninitialized: "\x01\x00\x00\x00\x00\x00\x00\x00",
			choice.Havoc: "\x02\x01abc\x00", choice.Malloc: "xyz"}[kind][off]
	}}
	o := interp.Run(context.Background(), interptest.CompileText(t, src), "main", in.Choose, interptest.Options())
	var got []string
	for _, r := range o.Inputs {
		got = append(got, fmt.Sprintf("%d %s by %s: %s %s = %s (%s)", r.Line, r.Kind, r.Function, r.Type, r.Variable, r.Value,
			r.Bytes))
	}
	want := []string{
		"3 parameter by main: int argc = 9 (09000000)",
		"3 parameter by main: char ** argv = 0x1000 (0010000000000000)",
		"4 nondet by nd_uint8_t: unsigned char c = 65 'A' (41)",
		"6 uninitialized by main: long local = 1 (0100000000000000)",
		`8 havoc by memhavoc: struct s s = {.a = 258, .b = "abc"} (020161626300)`,
		`9 malloc by malloc: unsigned char[3] p = {'x', 'y', 'z'} (78797a)`,
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// TestTraceFrom checks that the beginning of a long run can be omitted from its trace without changing the rest.
func TestTraceFrom(t *testing.T) {
	m := interptest.CompileText(t, `int main(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 100; i++)
    sum += i;
  sassert(sum == 0);
}
`)
	run := func(from int64) *interp.Outcome {
		opts := interptest.Options()
		opts.Trace, opts.TraceFrom = true, from
		return interp.Run(t.Context(), m, "main", (&interptest.Script{}).Choose, opts)
	}
	all := run(0)
	partial := run(all.Executed - 50)
	if n := len(partial.Steps); n < 5 || n > 50 || len(all.Steps) < 100 {
		t.Fatalf("%d steps of %d", n, len(all.Steps))
	}
	if got, want := interptest.TraceText(partial), interptest.TraceText(all); !strings.HasSuffix(want, got) {
		t.Errorf("it is told otherwise:\n%s", got)
	}
}
