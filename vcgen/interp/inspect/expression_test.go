package inspect_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
)

// stopAt records a run and goes to the last beginning of a line.
func stopAt(t testing.TB, src string, line int, in choice.Inputs) *recording.Recording {
	t.Helper()
	m := interptest.CompileText(t, src)
	opts := interp.Options{Semantics: found.Semantics{Checks: interptest.ChecksOn(), MissingBody: "havoc"}}
	tape := &choice.List{}
	interp.Run(context.Background(), m, "proof", tape.Record(in), opts)
	p, err := choice.Decode(tape.Encode())
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.Of(context.Background(), m, "proof", p, opts)
	if err != nil {
		t.Fatal(err)
	}
	for at := r.End(); at >= r.First(); at-- {
		if r.Starts(at) && r.Instr(at).Loc.Line == line {
			if err := r.GoTo(at); err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	t.Fatalf("line %d is not executed: %s %s", line, r.Outcome.End, r.Outcome.Reason)
	return nil
}

const expressions = `#include <stdlib.h>
enum color { RED, GREEN = 5 };
typedef struct node { struct node *next; int v[3]; enum color c; unsigned bits : 3; int sbits : 4; union { int i; unsigned char b[4]; float f; }; } node_t;
struct pair { short x, y; };
static int counter = 7, never[2] = {3, 4};
static int twice(int x) { return 2 * x; }
static int use(node_t *p, struct pair pr, unsigned n) {
  int unwritten;
  int i = 2;
  double d = 1.5;
  char text[6] = "hi\n";
  const char *s = text;
  int (*f)(int) = twice;
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  long big = -5;
  unsigned char uc = 200;
  void *vp = p;
  counter++;
  if (i == 9) counter = never[0];
  return f(i) + p->v[i] + grid[1][i] + (int)n + pr.x + (int)d + s[0] + (int)big + uc + (vp == 0);
}
int proof(void) {
  node_t *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  if (!a || !b)
    return 1;
  b->next = NULL;
  a->next = b;
  a->v[2] = 40;
  b->v[0] = 11;
  a->c = GREEN;
  a->bits = 5;
  a->sbits = -3;
  a->f = 1.0f;
  struct pair pr = {-2, 3};
  return use(a, pr, 4000000000u);
}`

func TestEvaluate(t *testing.T) {
	r := stopAt(t, expressions, 19, choice.Zero)
	top := r.Stack()[0]
	for _, c := range []struct{ expr, want string }{
		{"i", "2"}, {"i + 1", "3"}, {"p->v[i]", "40"}, {"p->next->v[0]", "11"}, {"(*p).v[2]", "40"}, {"p[0].v[2]", "40"},
		{"p.next.v[0]", "11"}, {"p->c", "GREEN"}, {"p->c == GREEN", "1"}, {"GREEN", "GREEN"}, {"p->bits", "5"},
		{"p->sbits", "-3"},
		{"p->f", "1.0"}, {"p->b[3]", "63 '?'"}, {"p->i", "1065353216"}, {"pr", "{.x = -2, .y = 3}"}, {"pr.x * 2", "-4"},
		{"&p->v[1]", "malloc#1+12"}, {"*&i", "2"}, {"&i", "&i"}, {"&grid[1][2]", "&grid[1][2]"}, {"grid[1][2]", "6"},
		{"*(*(grid + 1) + 1)", "5"},
		{"text", `"hi\n"`}, {"s", `text "hi\n"`}, {"s[1]", "105 'i'"}, {"f", "twice"}, {"counter", "8"}, {"never[1]", "4"},
		{"n", "4000000000"}, {"n > 0", "1"}, {"n + 1", "4000000001"}, {"-1 < n", "0"}, {"big < 0", "1"},
		{"(unsigned)big", "4294967291"},
		{"(int)n", "-294967296"}, {"(char)65", "65 'A'"}, {"uc + 100", "300"}, {"uc >> 4", "12"}, {"~0", "-1"},
		{"-7 / 2", "-3"}, {"-7 % 3", "-1"},
		{"7u / 2", "3"}, {"1 << 4 | 1", "17"}, {"d * 2", "3.0"}, {"d > 1 && i", "1"}, {"i ? 10 : 1 / 0", "10"}, {"!i", "0"},
		{"0 && 1 / 0", "0"}, {"1 || *vp", "1"},
		{"p->next->next == NULL", "1"}, {"p->next - p->next", "0"}, {"&p->v[2] - &p->v[0]", "2"}, {"sizeof(node_t)", "32"},
		{"sizeof *p", "32"}, {"sizeof(struct node *)", "8"},
		{"((node_t *)vp)->v[2]", "40"}, {"((struct node *)vp)->c", "GREEN"},
		{"unwritten", "<any value> (never written)"}, {"0x10 + 010", "24"}, {"'a'", "97"}, {"1.5e1 + .5", "15.5"},
		{"(short)70000", "4464"}, {"3 - (i)", "1"}, {"p->v", "{0, 0, 40}"},
	} {
		v, err := r.Evaluate(top, c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
		} else if got := v.Text(); got != c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
	for _, c := range []struct{ expr, want string }{
		{"nothing", "no variable nothing"}, {"i +", "not complete"}, {"p->nope", "no member nope"},
		{"*p->next->next", "NULL"}, {"1 / 0", "division by zero"},
		{"i = 3", "no side effects"}, {"f(3)", "not understood"}, {"p->v[1000]", "outside"}, {"(i", "missing"},
		{"", "not complete"}, {"*vp", "cast it"},
		{"i.x", "no members"}, {"&3", "in memory"}, {"&p->bits", "bit-field"}, {"'", "closing"}, {"i i", "not understood"},
		{"\"s\"", "not understood"}, {"@", "not understood"},
		{strings.Repeat("(", 5000), "too deeply"}, {"1 << 40", "shift"}, {"p * 2", "pointers"}, {"pr + 1", "not a scalar"},
		{"unwritten + 1", "any value"},
	} {
		v, err := r.Evaluate(top, c.expr)
		if err == nil {
			if _, err = v.True(); err == nil {
				t.Errorf("%s is %s", c.expr, v.Text())
				continue
			}
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.expr, err, c.want)
		}
	}
	// An outer frame has its own variables.
	main := r.Stack()[1]
	if v, err := r.Evaluate(main, "a->next == b"); err != nil || v.Text() != "1" {
		t.Errorf("a->next == b in main: %v %v", v.Text(), err)
	}
	if _, err := r.Evaluate(main, "i"); err == nil {
		t.Error("main sees a variable of use")
	}
}

func TestLocalsAndChildren(t *testing.T) {
	r := stopAt(t, expressions, 19, choice.Zero)
	var names []string
	for _, v := range r.Locals(r.Stack()[0]) {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "p pr n unwritten i d text s f grid big uc vp" {
		t.Errorf("locals %s", got)
	}
	tree := func(expr string) string {
		v, err := r.Evaluate(r.Stack()[0], expr)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, c := range v.Children(0, 0) {
			b.WriteString(c.Name + "=" + c.Text() + ";")
			// The expression of a child evaluates to the child.
			if c.Expr == "" {
				continue
			}
			again, err := r.Evaluate(r.Stack()[0], strings.ReplaceAll(c.Expr, "%s", expr))
			if err != nil || again.Text() != c.Text() {
				t.Errorf("%s of %s: %v, %v", c.Expr, expr, again.Text(), err)
			}
		}
		return b.String()
	}
	for _, c := range []struct{ expr, want string }{
		{"pr", "x=-2;y=3;"}, {"grid", "[0]={1, 2, 3};[1]={4, 5, 6};"}, {"&i", "*=2;"},
		{"p", "next=malloc#2;v={0, 0, 40};c=GREEN;bits=5;sbits=-3;(union (anonymous))={.i = 1065353216};"}, {"i", ""},
		{"f", ""}, {"p->next->next", ""},
	} {
		if got := tree(c.expr); got != c.want {
			t.Errorf("children of %s: %s, want %s", c.expr, got, c.want)
		}
	}
	v, _ := r.Evaluate(r.Stack()[0], "grid[1]")
	if children := v.Children(1, 1); len(children) != 1 || children[0].Name != "[1]" || children[0].Text() != "5" {
		t.Errorf("a page of an array: %v", children)
	}
	if got := v.Children(5, 3); got != nil {
		t.Errorf("a page beyond the end: %v", got)
	}
}

// TestAccused checks that a recording has the object of its violation, with its history.
func TestAccused(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"bounds", "int proof(void) {\n  int a[4];\n  int *p = a;\n  for (int i = 0; i <= 4; i++)\n    p[i] = i;\n  " +
			"return 0;\n}", "a of 16 bytes, a variable of proof at t.c:2 live, write of 4 at 16"},
		{"array", "struct s { int n; int a[4]; };\nint proof(void) {\n  struct s x;\n  struct s *p = &x;\n  for (int i = " +
			"0; i <= 4; i++)\n    p->a[i] = i;\n  return 0;\n}",
			"x of 20 bytes, a variable of proof at t.c:3 live, read of 4 at 20"},
		{"freed", "#include <stdlib.h>\nint proof(void) {\n  char *p = malloc(3);\n  if (!p) return 0;\n  p[1] = 5;\n  " +
			"free(p);\n  return p[1];\n}", "malloc#1 of 3 bytes, allocated at t.c:3, freed at t.c:6 dead, read of 1 at 1"},
		{"null", "int proof(void) {\n  int *p = 0;\n  return *p;\n}", "none"},
	} {
		m := interptest.CompileText(t, c.src)
		opts := interp.Options{Semantics: found.Semantics{Checks: interptest.ChecksOn()}}
		tape := &choice.List{}
		interp.Run(context.Background(), m, "proof", tape.Record(choice.Zero), opts)
		p, _ := choice.Decode(tape.Encode())
		r, err := recording.Of(context.Background(), m, "proof", p, opts)
		if err != nil || r.Outcome.End != interp.EndViolation {
			t.Fatalf("%s: %v %s", c.name, err, r.Outcome.End)
		}
		got := "none"
		if a := r.Accused(); a.Object != 0 {
			o, ok := r.Object(a.Object)
			if !ok {
				t.Fatalf("%s: no object %d", c.name, a.Object)
			}
			live, verb := "live", "read"
			if !o.Live {
				live = "dead"
			}
			if a.Write {
				verb = "write"
			}
			got = strings.Join([]string{o.Describe(), live + ",", verb, "of", fmt.Sprint(a.N), "at", fmt.Sprint(a.Off)}, " ")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if c.name == "freed" {
			b := r.Memory(r.Accused().Object, 0, 10)
			if len(b) != 3 || b[0].Written || b[0].Known || !b[1].Written || b[1].Value != 5 {
				t.Errorf("freed: bytes %+v", b)
			}
		}
	}
}

// FuzzEvaluate checks that no expression panics, and that each value has a text.
func FuzzEvaluate(f *testing.F) {
	for _, s := range []string{"p->next->v[i]", "*(int *)p + 3", "(node_t *)vp", "sizeof(struct pair)", "a ? b : c",
		"'\\n'", "1.5e-3", "0x1p", "((((", "&*&i", "p->b[-1]", "-big % uc", "i[grid]", "(char)n << 3", "f.x", "text[99]",
		"(struct", "sizeof", "sizeof(", "(int", "*", "!", "p.", "p->", "1 ?", "grid[1] == &i", "&pr", "*text", "~d", "d % 2",
		"(double)i / 0"} {
		f.Add(s)
	}
	r := stopAt(f, expressions, 19, choice.Zero)
	f.Fuzz(func(t *testing.T, s string) {
		for _, frame := range r.Stack() {
			v, err := r.Evaluate(frame, s)
			if err != nil {
				continue
			}
			if v.Text() == "" {
				t.Errorf("%q has no text", s)
			}
			for _, c := range v.Children(0, 3) {
				_ = c.Text()
			}
			_, _ = v.True()
			_, _, _, _ = v.Bytes()
		}
	})
}
