package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// factProgram is a proof whose postconditions are known.
type factProgram struct {
	name, code, harness string
	want                []string  // facts that are offered
	never               []string  // conditions that an execution violates, if only a rare one
	bug                 [2]string // a change of the code that the facts notice and the proof does not
}

var factPrograms = []factProgram{
	{
		name: "queue",
		code: `#include <stddef.h>
struct queue { int *items; size_t cap, len; };
int push(struct queue *q, int x) {
  if (q->len == q->cap) return -1;
  q->items[q->len++] = x;
  return 0;
}
`,
		harness: `struct queue { int *items; size_t cap, len; };
int push(struct queue *q, int x);
int main(void) {
  struct queue q;
  int items[4], x = nd_int();
  q.items = items;
  q.cap = nd_size_t();
  q.len = nd_size_t();
  assume(q.cap <= 4 && q.len <= q.cap);
  push(&q, x);
  return 0;
}
`,
		want:  []string{"result == -1 || q.len == old_len + 1", "result == 0 || q.len == old_len"},
		never: []string{"result == 0", "q.len == old_len", "q.len > old_len"},
		bug:   [2]string{"q->items[q->len++] = x;", "q->items[q->len] = x;"},
	},
	{ // the facts are false for one value of 2^32 only
		name: "rare",
		code: `int twin(int x) { return x == 77123456 ? x + 1 : x; }
`,
		harness: `int twin(int x);
int main(void) {
  int x = nd_int();
  int y = twin(x);
  return 0;
}
`,
		want:  []string{"y >= x"},
		never: []string{"y == x", "y <= x", "twin(y) == y"},
		bug:   [2]string{"x + 1", "x - 1"},
	},
	{ // only the first of several reads through a pointer that may be NULL fails
		name: "next",
		code: `#include <stddef.h>
struct node { struct node *next; int key, weight, rank; };
int touch(struct node *n) { n->key++; return n->next != NULL; }
`,
		harness: `struct node { struct node *next; int key, weight, rank; };
int touch(struct node *n);
int main(void) {
  struct node a, b;
  a.next = nd_bool() ? &b : 0;
  b.next = 0;
  assume(a.key < 1000 && a.key > -1000);
  touch(&a);
  return 0;
}
`,
		want:  []string{"a.key == old_key + 1"},
		never: []string{"a.next->weight == old_weight", "a.next->rank == old_rank", "a.next->key == old_key"},
		bug:   [2]string{"n->key++", "n->key--"},
	},
	{
		name: "copy",
		code: `#include <stdlib.h>
#include <string.h>
char *copy(const char *s, size_t n) {
  char *p = malloc(n + 2);
  if (p == NULL) return NULL;
  memcpy(p, s, n);
  p[n] = 0;
  return p;
}
`,
		harness: `#include <stddef.h>
char *copy(const char *s, size_t n);
int main(void) {
  char s[6];
  memhavoc(s, sizeof s);
  size_t n = nd_size_t();
  assume(n <= sizeof s);
  copy(s, n);
  return 0;
}
`,
		want:  []string{"result == NULL || sea_is_dereferenceable(result, n + 1)"},
		never: []string{"result != NULL", "result == NULL"},
		bug:   [2]string{"p[n] = 0;\n  return p;", "p[n] = 0;\n  free(p);\n  return p;"},
	},
	{ // the block of a member is as large as its capacity says; limit is no size of it
		name: "grow",
		code: `#include <stdlib.h>
struct vector { unsigned *data; size_t len, capacity, limit; };
int grow(struct vector *v, size_t n) {
  if (v->capacity >= n) return 0;
  if (n > v->limit) return -1;
  unsigned *p = realloc(v->data, n * sizeof *p);
  if (p == NULL) return -1;
  v->data = p;
  v->capacity = n;
  return 0;
}
`,
		harness: `#include <stdlib.h>
struct vector { unsigned *data; size_t len, capacity, limit; };
int grow(struct vector *v, size_t n);
int main(void) {
  struct vector v;
  v.len = nd_size_t();
  v.capacity = nd_size_t();
  v.limit = nd_size_t();
  assume(v.capacity <= 8 && v.len <= v.capacity && v.limit <= 16);
  v.data = malloc(v.capacity * sizeof *v.data);
  assume(v.data != NULL);
  size_t n = nd_size_t();
  grow(&v, n);
  return 0;
}
`,
		want:  []string{"sea_is_dereferenceable(v.data, (size_t)v.capacity * sizeof *v.data)"},
		never: []string{"sea_is_dereferenceable(v.data, (size_t)v.limit * sizeof *v.data)", "v.data == old_data"},
		bug:   [2]string{"n * sizeof *p", "n * sizeof *p - 1"},
	},
}

var numbers = []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}

// TestFacts asserts the postconditions that suggest offers, one by one and together: the proofs are proved with them,
// and fail with a bug that the proof alone does not notice.
func TestFacts(t *testing.T) {
	program := buildProgram(t)
	for _, p := range factPrograms {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return path
			}
			code, harness := write("code.c", p.code), write("h_harness.c", "#include <unitproof.h>\n"+p.harness)
			run := func(args ...string) string {
				cmd := exec.Command(program, append(args, "--source", code, harness)...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
				said, _ := cmd.CombinedOutput()
				return string(said)
			}
			output := filepath.Join(dir, "facts.json")
			said := run("suggest", "--post", "--budget", "60s", "--most", "40", "--json", output)
			var doc factsDocument
			data, err := os.ReadFile(output)
			if err == nil {
				err = json.Unmarshal(data, &doc)
			}
			if err != nil || len(doc.Proofs) != 1 || len(doc.Proofs[0].Facts) == 0 {
				t.Fatalf("no facts: %v\n%s", err, said)
			}
			text, err := os.ReadFile(harness)
			if err != nil {
				t.Fatal(err)
			}
			var conditions []string
			for _, f := range doc.Proofs[0].Facts {
				conditions = append(conditions, f.Condition)
				lines := strings.SplitAfter(string(text), "\n")
				e := doc.Proofs[0]
				if e.Line != e.EndLine {
					t.Fatalf("the call is at %d to %d", e.Line, e.EndLine)
				}
				line := lines[e.Line-1]
				lines[e.Line-1] = line[:e.Column-1] + f.Text + line[e.EndColumn-1:]
				write("h_harness.c", strings.Join(lines, ""))
				if doc, said, _ := runCheck(t, program, dir, "--no-cache", "--source", code, harness); len(doc.Proofs) != 1 ||
					doc.Proofs[0].Verdict != found.Proved {
					t.Errorf("%s is not proved:\n%s", f.Condition, said)
				}
			}
			for _, want := range p.want {
				if !slices.Contains(conditions, want) {
					t.Errorf("%s is not offered, but\n%s", want, strings.Join(conditions, "\n"))
				}
			}
			for _, never := range p.never {
				if slices.Contains(conditions, never) {
					t.Errorf("%s is offered", never)
				}
			}
			write("h_harness.c", string(text))
			most := min(len(conditions), 9)
			said = run("suggest", "--post", "--budget", "60s", "--most", "9", "--write", strings.Join(numbers[:most], ","))
			if doc, checked, _ := runCheck(t, program, dir, "--no-cache", "--source", code, harness); len(doc.Proofs) != 1 ||
				doc.Proofs[0].Verdict != found.Proved {
				t.Fatalf("together they are not proved:\n%s\n%s", said, checked)
			}
			write("code.c", strings.Replace(p.code, p.bug[0], p.bug[1], 1))
			if doc, said, _ := runCheck(t, program, dir, "--no-cache", "--source", code, harness); len(doc.Proofs) != 1 ||
				doc.Proofs[0].Verdict != found.Failed {
				t.Errorf("the bug is not noticed:\n%s", said)
			}
			write("h_harness.c", string(text))
			if doc, said, _ := runCheck(t, program, dir, "--no-cache", "--source", code, harness); len(doc.Proofs) != 1 ||
				doc.Proofs[0].Verdict != found.Proved {
				t.Errorf("the proof notices the bug without facts:\n%s", said)
			}
		})
	}
}
