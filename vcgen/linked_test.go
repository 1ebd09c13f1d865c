package vcgen

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// listSteps are parts of programs that build, walk, change and free lists. Some are wrong on some lists. %d is a number
// from 0 to 2.
var listSteps = []string{
	"while (nd_bool()) { struct node *n = new(%d); n->next = head; head = n; }",
	"while (nd_bool()) { struct node *n = new(%d); n->next = head; if (head) head->prev = n; head = n; " +
		"if (!tail) tail = n; }",
	"while (nd_bool()) { struct node *n = new(%d); n->next = head; head = n; if (nd_bool()) keep = n; }",
	"while (nd_bool()) { struct node *n = new(%d); if (tail) tail->next = n; else head = n; n->prev = tail; tail = n; }",
	"while (nd_bool()) { struct node *n = new(nd_bool() ? %d : 1); n->next = head; head = n; }",
	"for (struct node *p = head; p; p = p->next) p->data = %d;",
	"for (struct node *p = head; p; p = p->next) if (p->data == 1) p->data = %d;",
	"for (struct node *p = head; p; p = p->next) sassert(p->data == %d);",
	"for (struct node *p = head; p; p = p->next) sassert(p->data <= %d);",
	"for (struct node *p = tail; p; p = p->prev) sassert(p->data <= %d);",
	"while (head) { struct node *n = head->next; free(head); head = n; }",
	"while (head) { struct node *n = head->next; free(head); head = n; } tail = keep = NULL;",
	"while (head && head->data != %d) { struct node *n = head->next; free(head); head = n; }",
	"if (head) { struct node *n = head->next; free(head); head = n; }",
	"{ struct node *r = NULL; while (head) { struct node *n = head->next; head->next = r; r = head; head = n; } " +
		"head = r; }",
	"{ struct node *b = NULL, *p = head; while (p) { struct node *n = p->next; if (p->data == %d) { if (b) b->next = n; " +
		"else head = n; free(p); } else b = p; p = n; } }",
	"for (struct node *p = head; p; p = p->next) if (nd_bool()) { struct node *n = new(%d); n->next = p->next; " +
		"p->next = n; break; }",
	"for (struct node *p = head; p; p = p->next) if (p->next && p->next->data == %d) { struct node *n = p->next; " +
		"p->next = n->next; free(n); break; }",
	"for (struct node *p = head; p; p = p->next) if (nd_bool()) { keep = p; break; }",
	"if (head) keep = head->next;",
	"if (keep) keep->data = %d;",
	"if (keep) sassert(keep->data <= %d);",
	"if (keep && head) keep->next = head;",
	"if (tail) tail->next = head;",
	"keep = NULL;",
	"head = keep;",
	"{ struct node *n = new(%d); n->next = head; head = n; tail = n; }",
	"if (head && head->next) sassert(head->next->data <= %d);",
	"if (head && head->next) head->next->next = keep;",
	"if (head) { free(head); head = NULL; }",
	"sassert(!keep || keep != head || head->data <= %d);",
	"if (keep && keep->next) sassert(keep->next->data <= %d);",
	"{ struct node *p = head; while (p && nd_bool()) p = p->next; keep = p; }",
	"if (keep) { head = keep->next; keep->next = NULL; }",
	"while (nd_bool()) { struct node *n = new(%d); n->next = keep; keep = n; }",
	"while (nd_bool()) { struct node *n = new(%d); if (head) { n->next = head->next; n->prev = keep; head->next = n; } }",
	"while (keep) { struct node *n = keep->next; free(keep); keep = n; }",
	"if (head) { struct other *o = calloc(1, sizeof *o); assume(o != NULL); o->of = keep; head->side = o; }",
	"while (nd_bool()) { struct other *o = calloc(1, sizeof *o); assume(o != NULL); o->next = others; o->of = head; " +
		"others = o; }",
	"for (struct other *o = others; o; o = o->next) if (o->of) sassert(o->of->data <= %d);",
	"while (others) { struct other *o = others->next; free(others); others = o; }",
	"if (head && head->side) { free(head->side); head->side = NULL; }",
	"if (head && head->side && head->side->of) head->side->of->data = %d;",
}

// listPrelude is the beginning of programs about lists.
const listPrelude = `#define NULL ((void *)0)
_Bool nd_bool(void); void assume(_Bool c); void sassert(_Bool c); void *malloc(unsigned long n); void free(void *p);
void *calloc(unsigned long n, unsigned long size);
struct other { struct other *next; struct node *of; };
struct node { struct node *next, *prev; int data; struct other *side; };
static struct node *new(int data) {
  struct node *n = malloc(sizeof *n); assume(n != NULL);
  n->data = data; n->next = NULL; n->prev = NULL; n->side = NULL; return n;
}
`

// randomList returns a random program of listSteps.
func randomList(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(listPrelude + `int main(void) {
  struct node *head = NULL, *tail = NULL, *keep = NULL;
  struct other *others = NULL;
`)
	steps := []string{listSteps[r.Intn(5)]}
	for range 2 + r.Intn(4) {
		s := listSteps[r.Intn(len(listSteps))]
		switch r.Intn(5) { // in another loop, or in a branch
		case 0:
			s = "while (nd_bool()) {\n    " + s + "\n    " + listSteps[r.Intn(len(listSteps))] + "\n  }"
		case 1:
			s = "if (nd_bool()) {\n    " + s + "\n    " + listSteps[r.Intn(len(listSteps))] + "\n  }"
		}
		steps = append(steps, s)
	}
	for _, s := range steps {
		for strings.Contains(s, "%d") {
			s = strings.Replace(s, "%d", fmt.Sprint(r.Intn(3)), 1)
		}
		b.WriteString("  " + s + "\n")
	}
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// provedForAny returns the findings of main, and whether induction over all loops proves them; nil if it gives up.
func provedForAny(ctx context.Context, t *testing.T, m *clangir.Module) map[findingKey]bool {
	t.Helper()
	var loops []string
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		for _, n := range flow.NewProgram(m).Function(f).Nodes {
			for _, l := range n.Loops {
				if !slices.Contains(loops, l.Name) {
					loops = append(loops, l.Name)
				}
			}
		}
	}
	cut, settled := induct(ctx, m, "main", listOptions(), realSolver,
		extent{loops: language.LoopsChecked, induction: unfold.NewInduction(loops)})
	if !settled {
		return nil
	}
	any, err := cut.report(nil)
	if err != nil {
		return nil
	}
	holds := map[findingKey]bool{}
	for i := range any.Instances {
		in := &any.Instances[i]
		was, ok := holds[keyOf(in)]
		holds[keyOf(in)] = (was || !ok) && in.Verdict == found.Proved
	}
	return holds
}

func listOptions() Options {
	return Options{Semantics: found.Semantics{Checks: found.DefaultChecks(),
		UserFile: func(string) bool { return true }}}
}

// push builds a list in a loop.
const push = "while (nd_bool()) { struct node *n = new(0); n->next = head; head = n; }\n"

// wrongLists are the ends of programs that are wrong in the last line, or in the line with the comment "wrong".
var wrongLists = map[string]string{
	"a loop without pointers of its own": push + `while (nd_bool()) {
  for (struct node *q = head; q; q = q->next)
    if (q != head) sassert(q->data == 0); /* wrong */
  for (struct node *q = head; q; q = q->next) q->data = 5;
}`,
	"a loop over another list": push + `while (nd_bool()) {
  struct other *o = calloc(1, sizeof *o); assume(o != NULL); o->next = others; others = o;
  for (struct node *q = head; q; q = q->next) q->data++;
}
for (struct node *q = head; q; q = q->next) sassert(q->data == 0);`,
	"an inner loop that frees": push + `if (!head) return 0;
keep = head->next;
while (nd_bool()) { struct node *p = keep; while (p) { struct node *n = p->next; free(p); p = n; } }
if (keep) keep->data = 1;`,
	"an inner loop that stores": `struct node *s = new(7);
while (nd_bool()) {
  if (head) {
    struct node *p = head->next;
    while (nd_bool()) { struct node *n = new(0); n->prev = nd_bool() ? s : n; n->next = p; p = n; }
    head->next = p;
  }
  if (head && nd_bool()) head = head->next;
  else { struct node *n = new(0); n->next = head; head = n; }
}
if (head && head->prev) sassert(head->prev->data == 0);`,
	"a node with two names": push + `for (struct node *w = head; w; w = w->next) w->data = 0;
if (!head) return 0;
keep = head->next;
struct node *p = head;
while (p && nd_bool()) { struct node *n = p->next; p->next = NULL; p = n; }
while (nd_bool()) { struct node *n = new(0); n->next = keep; keep = n; }
if (!p || !keep || p == head) return 0;
p->data = 2; keep->data = 1;
sassert(p->data == 2);`,
	"a node with two names, freed": push + `for (struct node *w = head; w; w = w->next) w->data = 0;
if (!head) return 0;
keep = head->next;
struct node *p = head;
while (p && nd_bool()) { struct node *n = p->next; p->next = NULL; p = n; }
while (nd_bool()) { struct node *n = new(0); n->next = keep; keep = n; }
if (!p || !keep || p == head) return 0;
free(p);
keep->data = 1;`,
}

// TestWrongLists checks that induction does not prove the wrong lines of wrongLists.
func TestWrongLists(t *testing.T) {
	for name, body := range wrongLists {
		source := listPrelude + "int main(void) {\nstruct node *head = NULL, *keep = NULL;\n" +
			"struct other *others = NULL;\n" + body + "\nreturn 0;\n}\n"
		m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		last, open := strings.Count(source, "\n")-2, false
		if k := strings.Index(source, "/* wrong */"); k >= 0 {
			last = strings.Count(source[:k], "\n") + 1
		}
		holds := provedForAny(ctx, t, m)
		stop()
		for key, proved := range holds {
			open = open || key.line == last && !proved
		}
		if holds != nil && !open {
			t.Errorf("%s: line %d is proved:\n%s", name, last, source)
		}
		t.Logf("%s: %d findings", name, len(holds))
	}
}

// TestRandomLists checks that induction over lists of any length proves nothing that lists of a few nodes violate.
func TestRandomLists(t *testing.T) {
	proved, wrong := 0, 0
	seeds := int64(400)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		source := randomList(rand.New(rand.NewSource(seed)))
		m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		opts := listOptions()
		opts.Unwind = 4
		ctx, stop := context.WithTimeout(context.Background(), 3*time.Second)
		defer stop()
		few, err := Verify(ctx, m, "main", opts, realSolver)
		if ctx.Err() != nil { // too many ways through the program
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		holds := provedForAny(ctx, t, m)
		if holds == nil {
			continue
		}
		all := true
		for _, ok := range holds {
			all = all && ok
		}
		if all {
			proved++
		}
		for i := range few.Instances {
			if in := &few.Instances[i]; in.Verdict == found.Failed && holds[keyOf(in)] {
				wrong++
				t.Errorf("seed %d: line %d, %s is violated, and proved for any number of iterations:\n%s", seed, in.Pos.Line,
					in.Kind, source)
			}
		}
	}
	t.Logf("%d of %d proved, %d wrong", proved, seeds, wrong)
}
