package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// seeded are bodies of proofs by the kind of finding that the audit has to report; "" for good ones. The variables x, y
// and u are arbitrary, and f, set, next and ok are code under proof.
var seeded = map[found.AuditKind][]string{
	found.AuditVacuous: {
		"assume(x > 5); if (x < 3) sassert(y == 1);",
		"assume(x > 5 && x < 3); sassert(y == 1);",
		"if (x > 3) { assume(x < 2); sassert(y == 1); }",
		"assume(f(x) > 3); assume(f(x) < 2); sassert(y == 1);",
		"switch (x & 1) { case 2: sassert(y == 1); break; default: sassert(f(3) == 3); }",
		"for (int i = 0; i < 3; i++) if (i == 7) sassert(y == 1); sassert(f(x) == x);",
		"return 0; sassert(f(x) == x);",
	},
	found.AuditNoExecution: {
		"assume(0);",
		"assume(x != x);",
		"assume(x > 3); assume(x == 2);",
		"assume(f(x) != x);",
		"__CPROVER_assume(0 == 1);",
	},
	found.AuditRepeats: {
		"assume(x > 3); sassert(x > 3);",
		"int r = f(x); assume(r >= 0); sassert(r >= 0);",
		"int r = f(x); assume(r >= 0 && r < 9); sassert(r < 9);",
		"struct s s = {0}; set(&s, x); assume(s.v == x); sassert(s.v == x);",
		"int r = f(x); __CPROVER_assume(r > y); __CPROVER_assert(r > y, \"larger\");",
		"assume(ok(x)); sassert(ok(x));",
		"int r = f(x); assume((r) == (x)); int unused = 3; sassert((r) == (x)); sassert(unused < y || unused >= y);",
	},
	found.AuditTautology: {
		"sassert(u >= 0); sassert(f(x) == x);",
		"unsigned char c = x; sassert(c < 256); sassert(f(x) == x);",
		"sassert(x >= x); sassert(f(x) == x);",
		"sassert(x == y || x != y); sassert(f(x) == x);",
		"sassert(x == x); sassert(f(x) == x);",
		"sassert((x & 7) < 8); sassert(f(x) == x);",
	},
	found.AuditNoInput: { // set leaves 1, whatever x and y are
		"struct s s = {x, 1}; assume(s.n > 0); set(&s, y); sassert(s.n > 0);",
	},
	found.AuditMissingBody: {
		"int outside(int); int r = outside(x); sassert(r == r + 0 || r != x);",
		"void effect(int *); int v = x; effect(&v); sassert(f(x) == x);",
		"int outside(int); assume(outside(x) > 0); sassert(f(x) == x);",
		"void effect(int *); effect(0); sassert(f(x) == x);",
		"int outside(int); sassert(f(outside(x)) != 3 || x != 3 || y != 3 || f(x) == 3);",
	},
	found.AuditNotProved: {
		"sassert(x != 3);",
		"int a[3]; a[x] = 1;",
		"sassert(x + 1 > x);",
		"int *p = 0; *p = x;",
		"sassert(f(x) == y);",
	},
	"": {
		"sassert(f(x) == x);",
		"sassert(f(x) == f(x));",
		"double d = x; d = d / 3; sassert(d == d);",
		"assume(x > 3); sassert(f(x) > 3);",
		"assume(ok(x)); int r = next(x); sassert(r == x + 1 || r == 0);",
		"assume(x > 3); x = f(x); sassert(x > 3);",
		"struct s s = {0}; set(&s, x); sassert(s.v == x && s.n == 1);",
		"assume(x < 100); for (int i = x; i < 100; i++) { y = f(i); sassert(y == i); if (i > 90) break; if (i < 80) break; }",
		"if (x > 3) sassert(f(x) > 3); else sassert(f(x) <= 3);",
		"int a[4] = {x, y, 1, 2}; assume(u < 4); a[u] = 7; sassert(a[u] == 7);",
		"assume(u < 10); unsigned char c = u; sassert(c < 10);",
		"int r = ok(x); sassert(!r || x >= 0);",
		"assume(x >= 0 && x < 1000); sassert(next(x) > x || next(x) == 0);",
		"struct s s = {x, y}; struct s t = s; set(&t, 3); sassert(s.v == x);",
		"assume(x > y); int r = x > y ? x : y; sassert(r == f(x));",
		"assume(x >= 0); x = next(x); sassert(x >= 0);",
	},
}

const seededHead = `#include <unitproof.h>
struct s { int v, n; };
static int f(int v) { return v; }
static void set(struct s *p, int v) { p->v = v; p->n = 1; }
static int next(int v) { return v < 1000 && v >= 0 ? v + 1 : 0; }
static int ok(int v) { return v >= 0 && v < 50; }
int main(void) {
  int x = nd_int(), y = nd_int();
  unsigned u = nd_uint();
  (void)f; (void)set; (void)next; (void)ok; (void)u; (void)y;
  `

// TestSeededAudit checks that the audit names each seeded weakness by its kind, and finds none in good proofs.
func TestSeededAudit(t *testing.T) {
	dir := t.TempDir()
	kinds := map[string]found.AuditKind{}
	bodies := map[string]string{}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(project.ConfigName, "")
	for kind, list := range seeded {
		for i, body := range list {
			name := fmt.Sprintf("p_%s_%d.c", strings.ReplaceAll(string(kind), "-", "_"), i)
			kinds[name], bodies[name] = kind, body
			write(name, seededHead+body+"\n  return 0;\n}\n")
		}
	}
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := w.Proofs(nil)
	if len(problems) > 0 || len(proofs) != len(kinds) {
		t.Fatalf("%d proofs of %d, %v", len(proofs), len(kinds), problems)
	}
	pool := NewPool(PoolOptions{InProcess: true})
	defer pool.Close()
	_, findings := pool.Audit(t.Context(), Batch{Settings: Settings{Root: paths.Root(dir)}, Proofs: proofs,
		Define: w.Definitions}, w, AuditOptions{}, nil)
	named := map[string][]string{}
	for _, f := range findings {
		named[f.File] = append(named[f.File], string(f.Kind)+": "+f.Message)
	}
	for name, kind := range kinds {
		got := strings.Join(named[name], "\n  ")
		switch {
		case kind == "" && got != "":
			t.Errorf("a good proof is doubted: %s\n  %s", bodies[name], got)
		case kind != "" && !strings.Contains("\n"+strings.ReplaceAll(got, "\n  ", "\n"), "\n"+string(kind)+": "):
			t.Errorf("%s is not reported for: %s\n  %s", kind, bodies[name], got)
		}
	}
}
