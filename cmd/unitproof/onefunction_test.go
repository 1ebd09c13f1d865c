package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/randproof"
)

// contractedFunctions returns n functions with contracts. Every fifth is called by its successor; these share a
// static function and string literals. One in ten has a loop with an invariant.
func contractedFunctions(n int) string {
	var b strings.Builder
	b.WriteString("#include <stddef.h>\n#include <unitproof.h>\n\nstatic int twice(int x) { return 2 * x; }\n")
	for i := range n {
		fmt.Fprintf(&b, `
int f%[1]d(int *a, size_t n)
__CPROVER_requires(0 < n && n <= 100)
__CPROVER_requires(__CPROVER_is_fresh(a, n * sizeof *a))
__CPROVER_assigns(a[0])
__CPROVER_ensures(a[0] == %[1]d && __CPROVER_return_value == %[2]d)
{
  struct { int x; } pair = { %[1]d };
  static const char *const names[] = { "all", "%[2]d" };
  const char *name = names[n %% 2];
`, i, 2*i)
		if i%5 == 1 {
			fmt.Fprintf(&b, "  pair.x += f%d(a, n) - %d;\n", i-1, 2*(i-1))
		}
		if i%10 == 3 {
			fmt.Fprintf(&b, "  size_t k = 0;\n  for (; k < n; k++)\n  __CPROVER_loop_invariant(k <= n && pair.x == %d)\n"+
				"  {\n    pair.x += name[0] == 0;\n  }\n", i)
		}
		fmt.Fprintf(&b, "  a[0] = pair.x;\n  return twice(pair.x);\n}\n")
	}
	return b.String()
}

// contracted is a file with contracts under edit.
type contracted struct {
	*testing.T
	program, root, cache string
}

func newContracted(t *testing.T) *contracted {
	return &contracted{t, buildProgram(t), t.TempDir(), t.TempDir()}
}

// check checks a text, and returns the number of proofs that ran the engine, counted by the reports that they leave.
// args are arguments of the program.
func (c *contracted) check(text string, args ...string) (doc diagnostics.Document, asked int) {
	c.Helper()
	if err := os.WriteFile(filepath.Join(c.root, "f.c"), []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
	reports := func() map[string]fs.FileInfo {
		files := map[string]fs.FileInfo{}
		root := filepath.Join(c.cache, "unitproof", "cache", "reports")
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files[path], err = d.Info()
			return err
		})
		if err != nil && !os.IsNotExist(err) {
			c.Fatal(err)
		}
		return files
	}
	before := reports()
	cmd := exec.Command(c.program, append([]string{"check", "f.c", "-j", "2", "--timeout", "100s"}, args...)...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+c.cache)
	doc, _, _ = document(c.T, cmd) // the status is part of the verdicts
	for path, info := range reports() {
		// another file, even if it has the name of an earlier one
		if old := before[path]; old == nil || !os.SameFile(old, info) || !old.ModTime().Equal(info.ModTime()) {
			asked++
		}
	}
	return doc, asked
}

// TestEditOfOneFunction edits one of 17 functions with contracts. Only proofs with a changed program run the engine,
// and the output, including positions, equals that without caches.
func TestEditOfOneFunction(t *testing.T) {
	t.Parallel()
	c := newContracted(t)
	const functions = 17
	text := contractedFunctions(functions)
	if doc, asked := c.check(text); asked != functions || len(doc.Proofs) != functions {
		t.Fatalf("%d proofs, %d of them run, of %d", len(doc.Proofs), asked, functions)
	}
	replace := func(old, by string) func(string) string {
		return func(text string) string {
			if strings.Count(text, old) != 1 {
				t.Fatalf("%q is not there once", old)
			}
			return strings.Replace(text, old, by, 1)
		}
	}
	for _, e := range []struct {
		what  string
		edit  func(string) string
		asked int
		cold  bool // compare with a run without caches
	}{
		{"nothing", func(s string) string { return s }, 0, false},
		{"a body", replace("struct { int x; } pair = { 7 };",
			"struct { int x; } pair = { 6 + 1 }; pair.x++, pair.x--;"), 1, false},
		{"lines above all", func(s string) string { return "// Many.\n\n" + s }, 0, false},
		{"a body that its file's users call, longer, with literals, static variables and types", replace(
			"struct { int x; } pair = { 10 };", "struct { long y; } other = { 3 };\n  static int count[2];\n\n"+
				"  struct { int x; } pair = { 10 };\n  if (name_of(\"new\") + count[1])\n    pair.x += other.y - 3;\n"), 1, false},
		{"a body on more lines", replace("struct { int x; } pair = { 5 };",
			"struct { int x; }\n  /* two\n lines */\n pair = { 5 };"), 1, false},
		{"a contract that is used", replace("a[0] == 15 &&", "!(a[0] != 15) &&"), 2, false},
		{"a body that fails", replace("struct { int x; } pair = { 0 };", "struct { int x; } pair = {\n 1 };"), 1, true},
	} {
		was := text
		text = e.edit(text)
		if strings.Contains(text, "name_of") && !strings.Contains(was, "name_of") {
			text = replace("static int twice",
				"static int name_of(const char *s) { return *s == 'x'; }\nstatic int twice")(text)
		}
		doc, asked := c.check(text)
		if asked != e.asked {
			t.Errorf("%s: %d proofs were run, not %d", e.what, asked, e.asked)
		}
		if !e.cold {
			continue
		}
		cold, _ := c.check(text, "--no-cache")
		if got, want := said(t, doc), said(t, cold); got != want {
			t.Errorf("%s: with caches\n%s\nand without\n%s", e.what, got, want)
		}
	}
}

// TestRandomEditsOfContracts edits functions with contracts, and the lines between them, at random. After each edit
// it compares the results with the caches of all earlier checks and without caches.
func TestRandomEditsOfContracts(t *testing.T) {
	for seed := *editsFrom; seed < *editsFrom+*editsCount; seed++ {
		if seed%2 == 1 && !*everything {
			continue // a check without caches takes seconds
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := newContracted(t)
			r, editor := rand.New(rand.NewPCG(seed, 5)), randproof.NewEditor(seed)
			text, what := contractedFunctions(6), "as generated"
			good, recalled := text, 0
			for i := range *editsSteps/2 + 2 {
				switch {
				case i == 0:
				case r.IntN(3) == 0:
					lines := strings.Split(text, "\n")
					k := 2 + r.IntN(len(lines)-2)
					lines[k] = []string{"\n", "// A comment.\n", "/* A\n   comment. */ "}[r.IntN(3)] + lines[k]
					text, what = strings.Join(lines, "\n"), fmt.Sprintf("line %d: lines before it", k+1)
				default:
					text, what = editor.Edit(text, 4)
				}
				warm, asked := c.check(text)
				cold, _ := c.check(text, "--no-cache")
				if got, want := said(t, warm), said(t, cold); got != want && !undecided(warm) && !undecided(cold) {
					t.Errorf("step %d (%s): with caches\n%s\nand without\n%s\nof\n%s", i, what, got, want, text)
				}
				errors := 0
				for j := range warm.Proofs {
					if len(warm.Proofs[j].Obligations) == 0 {
						errors++
					}
				}
				if errors > 0 {
					text = good
				} else {
					recalled += len(warm.Proofs) - asked
				}
				good = text
			}
			if recalled == 0 {
				t.Error("nothing was recalled")
			}
		})
	}
}
