package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// action returns the code action whose title contains a text.
func action(t *testing.T, e *lsptest.Editor, d *lsptest.Document, at, title string) lsptest.Action {
	t.Helper()
	var titles []string
	for _, a := range e.Actions(d, at) {
		if strings.Contains(a.Title, title) {
			return a
		}
		titles = append(titles, a.Title)
	}
	t.Fatalf("no action %q at %q; there are %q; shown is\n%s", title, at, titles, strings.Join(e.Shown(), "\n"))
	return lsptest.Action{}
}

const addProof = "#include <unitproof.h>\nint main(void) {\n\tint a = nd_int();\n\tint b = a + 1;\n\tsassert(b == " +
	"b);\n}\n"

// TestScenarioActionsOfUnsavedConfiguration checks that actions edit the text of unitproof.toml in the editor, saved
// or not, and that proofs use it.
func TestScenarioActionsOfUnsavedConfiguration(t *testing.T) {
	e, dir := workspace(t, files{"add_harness.c": addProof, "unitproof.toml": "[check]\n"})
	config := e.Open(filepath.Join(dir, "unitproof.toml"))
	d := e.Open(filepath.Join(dir, "add_harness.c"))
	e.Settle()
	expectShown(t, e, "add_harness.c:4 error ")
	e.SetText(config, "# not saved\n[check]\nunwind = 3 # three\n\n[[proof]]\nfile = \"add_harness.c\"\nname = \"sum\" "+
		"# other name\n")
	e.Sync()
	if items := proofItems(e); len(items) != 1 || items[0].Name != "sum" {
		t.Errorf("proofs are %+v", items)
	}
	if err := e.Execute("verify", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	e.Apply(action(t, e, d, "a + 1", "Do not check signed-overflow in sum").Edit)
	e.Settle()
	expectShown(t, e)
	want := "# not saved\n[check]\nunwind = 3 # three\n\n[[proof]]\nfile = \"add_harness.c\"\nname = \"sum\" # other " +
		"name\nchecks = { signed-overflow = false }\n"
	if got, err := os.ReadFile(config.Path); err != nil || string(got) != want {
		t.Errorf("unitproof.toml is, %v,\n%s\nwant\n%s", err, got, want)
	}
	// A text that cannot be parsed gets no actions.
	e.SetText(config, "[[proof\n")
	e.SetText(d, strings.Replace(d.Text, "a + 1", "a + 2", 1))
	e.Save(d)
	e.Settle()
	for _, a := range e.Actions(d, "a + 2") {
		if a.Edit != nil {
			t.Errorf("%s is offered", a.Title)
		}
	}
}

// TestScenarioActions applies every code action, and verifies the proofs again.
func TestScenarioActions(t *testing.T) {
	const loops = `#include <unitproof.h>

int main(void) {
	unsigned n = nd_uint(), sum = 0;
	assume(n < 7);
	for (unsigned i = 0; i < n; i++)
		sum += 2;
	sassert(sum == 2 * n);
	return 0;
}
`
	for name, test := range map[string]struct {
		files     files
		open      string
		before    string // prefixes of the messages, joined by |
		at, title string
		after     string
		config    string // unitproof.toml after the action
	}{
		"raise this loop's bound": {
			files: files{"loop_harness.c": loops, "unitproof.toml": "# bounds\n[check]\nunwind = 4 # few\n"},
			open:  "loop_harness.c", before: "loop_harness.c:6 information |loop_harness.c:8 information ",
			at: "for (", title: "Raise the bound of loop main#1 to 8",
			config: "# bounds\n[check]\nunwind = 4 # few\n\n[[proof]]\nfile = \"loop_harness.c\"\nloops = { \"main#1\" = 8 }\n",
		},
		"raise it where there is a table": {
			files: files{"loop_harness.c": loops,
				"unitproof.toml": "[[proof]]\nfile = \"loop_harness.c\"\nloops = { \"main#1\" = 4 } # few\n"},
			open: "loop_harness.c", before: "loop_harness.c:6 information |loop_harness.c:8 information ",
			at: "for (", title: "Raise the bound of loop main#1 to 8",
			config: "[[proof]]\nfile = \"loop_harness.c\"\nloops = { \"main#1\" = 8 } # few\n",
		},
		"silence this kind": {
			files: files{"add_harness.c": "#include <unitproof.h>\nint main(void) {\n\tint a = nd_int();\n\tint b = a + " +
				"1;\n\tsassert(b == b);\n}\n"},
			open: "add_harness.c", before: "add_harness.c:4 error ",
			at: "a + 1", title: "Do not check signed-overflow in add",
			config: "[[proof]]\nfile = \"add_harness.c\"\nchecks = { signed-overflow = false }\n",
		},
		"silence it in one of two proofs of a file": {
			files: files{"two.c": "#include <unitproof.h>\nstatic int inc(int a) {\n\treturn a + 1;\n}\nvoid proof_one(void) " +
				"{\n\tinc(nd_int());\n}\nvoid proof_two(void) {\n\tinc(2147483647);\n}\n", "unitproof.toml": ""},
			open: "two.c", before: "two.c:3 error ",
			at: "a + 1", title: "Do not check signed-overflow in two.proof_one", after: "two.c:3 error ",
			config: "[[proof]]\nfile = \"two.c\"\nentry = \"proof_one\"\nchecks = { signed-overflow = false " +
				"}\n\n[[proof]]\nfile = \"two.c\"\nentry = \"proof_two\"\n",
		},
		"raise the bound for all files of a glob": {
			files: files{"proofs/a_harness.c": loops, "proofs/b_harness.c": loops,
				"unitproof.toml": "# all\n[[proof]]\nfile = \"proofs/*.c\" # both\nunwind = 4\n\n# end\n"},
			open: "proofs/a_harness.c", before: "proofs/a_harness.c:6 information |proofs/a_harness.c:8 information |" +
				"proofs/b_harness.c:6 information |proofs/b_harness.c:8 information ",
			at: "for (", title: "Raise the bound of loop main#1 to 8 for all 2 proofs of proofs/*.c",
			config: "# all\n[[proof]]\nfile = \"proofs/*.c\" # both\nunwind = 4\nloops = { \"main#1\" = 8 }\n\n" +
				"# end\n",
		},
		"silence it where a table is about two proofs of a file": {
			files: files{"two.c": "#include <unitproof.h>\nstatic int inc(int a) {\n\treturn a + 1;\n}\nvoid proof_one(void) " +
				"{\n\tinc(nd_int());\n}\nvoid proof_two(void) {\n\tinc(2147483647);\n}\n",
				"unitproof.toml": "# two\n[[proof]]\nname = \"x\" # its name\nfile = \"two.c\"\n[proof.checks] # " +
					"kinds\nmemory-leak = true\n\n# next\n[check]\nunwind = 2\n"},
			open: "two.c", before: "two.c:3 error ",
			at: "a + 1", title: "Do not check signed-overflow in x.proof_one", after: "two.c:3 error ",
			config: "# two\n[[proof]]\nname = \"x.proof_one\" # its name\nfile = \"two.c\"\nentry = " +
				"\"proof_one\"\n[proof.checks] # kinds\nmemory-leak = true\nsigned-overflow = false\n\n" +
				"[[proof]]\nname = \"x.proof_two\" # its name\nfile = \"two.c\"\nentry = \"proof_two\"\n[proof.checks] # " +
				"kinds\nmemory-leak = true\n\n# next\n[check]\nunwind = 2\n",
		},
		"accept with a reason": {
			files: files{"add_harness.c": "#include <unitproof.h>\nint main(void) {\n\tint a = nd_int();\n\tint b = a + " +
				"1;\n\tsassert(b == b);\n}\n", "unitproof.toml": "[check]"},
			open: "add_harness.c", before: "add_harness.c:4 error ",
			at: "a + 1", title: "Accept signed-overflow in main, with a reason", after: "add_harness.c:4 hint ",
			config: "[check]\n\n[[accept]]\nkind = \"signed-overflow\"\nfunction = \"main\"\nreason = \"to do: why this is " +
				"fine\"\n",
		},
		"add the missing source": {
			files: files{"use_harness.c": "#include <unitproof.h>\nint twice(int);\nint main(void) {\n\tsassert(twice(2) == " +
				"4);\n}\n", "src/twice.c": "int twice(int x) { return 2 * x; }\n",
				"src/other.c": "int twice(int x);\nstatic int f(int x) { return twice(x); }\n", "unitproof.toml": "\n"},
			open: "use_harness.c", before: "use_harness.c:4 error |use_harness.c:4 hint assuming no body for twice",
			at: "twice(2)", title: "Link src/twice.c, which defines twice, to use",
			config: "\n\n[[proof]]\nfile = \"use_harness.c\"\nsources = [\"src/twice.c\"]\n",
		},
		"add the folder of a header": {
			files: files{"use_harness.c": "#include <unitproof.h>\n#include <lib/two.h>\nint main(void) {\n\tsassert(TWO == " +
				"2);\n}\n", "include/lib/two.h": "#define TWO 2\n",
				"unitproof.toml": "[compile]\nflags = [\n  \"-DX\", # one\n]\n"},
			open: "use_harness.c", before: "use_harness.c:2 error 'lib/two.h' file not found",
			at: "#include <lib", title: "Look for headers in include, which holds lib/two.h",
			config: "[compile]\nflags = [\"-Iinclude\", \n  \"-DX\", # one\n]\n",
		},
		"add the folder of a header where nothing is configured": {
			files: files{"use_harness.c": "#include <unitproof.h>\n#include \"two.h\"\nint main(void) {\n\tsassert(TWO == " +
				"2);\n}\n", "include/two.h": "#define TWO 2\n", "unitproof.toml": "[compile]\nflags = [ ]\n"},
			open: "use_harness.c", before: "use_harness.c:2 error 'two.h' file not found",
			at: "#include \"two", title: "Look for headers in include, which holds two.h",
			config: "[compile]\nflags = [\"-Iinclude\" ]\n",
		},
		"insert the include": {
			files: files{"size_harness.c": "/* A proof. */\n#include <unitproof.h>\n\nint main(void) {\n\tFILE *f = " +
				"0;\n\tsassert(f == 0);\n}\n"},
			open: "size_harness.c", before: "size_harness.c:5 error use of undeclared identifier 'FILE'",
			at: "FILE *f", title: "Insert #include <stdio.h>",
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, dir := workspace(t, test.files)
			d := e.Open(filepath.Join(dir, test.open))
			e.Settle()
			want := strings.Split(test.before, "|")
			shown := e.Shown()
			for i := range want {
				if i >= len(shown) || !strings.HasPrefix(shown[i], want[i]) {
					t.Fatalf("before, shown is\n%s\nwant\n%s", strings.Join(shown, "\n"), strings.Join(want, "\n"))
				}
			}
			a := action(t, e, d, test.at, test.title)
			if a.Edit == nil || a.Kind != "quickfix" {
				t.Fatalf("the action is %+v", a)
			}
			e.Apply(a.Edit)
			e.Settle()
			if test.after == "" {
				expectShown(t, e)
			} else {
				expectShown(t, e, strings.Split(test.after, "|")...)
			}
			if test.config != "" {
				if got, err := os.ReadFile(filepath.Join(dir, "unitproof.toml")); err != nil || string(got) != test.config {
					t.Errorf("unitproof.toml is, %v,\n%s\nwant\n%s", err, got, test.config)
				}
			}
		})
	}
}

// TestScenarioLightBulb checks the order of the actions at a failure. Actions that explain it come first; hiding it
// comes last, with the narrowest scope, and is never a client's default.
func TestScenarioLightBulb(t *testing.T) {
	const null = "#include <unitproof.h>\n#include <stdlib.h>\nvoid %s(void) {\n\tint *p = malloc(sizeof *p);\n" +
		"\t*p = nd_int();\n\tsassert(p != 0);\n}\n"
	for name, test := range map[string]struct {
		files files
		want  []string
	}{
		"one proof": {
			files: files{"a_harness.c": strings.Replace(null, "%s", "a_harness", 1)},
			want: []string{"unitproof: Trace a", "unitproof: Replay a", "unitproof: Debug a",
				"Find conditions that exclude this failure", "unitproof: Verify a", "unitproof: Copy command line of a",
				"Accept null-dereference in a_harness, with a reason",
				"Do not check null-dereference in a"},
		},
		// A kind that a table for several files disables is disabled for all of them: this is not offered.
		"a proof of a glob": {
			files: files{"a_harness.c": strings.Replace(null, "%s", "a_harness", 1),
				"b_harness.c":    strings.Replace(null, "%s", "b_harness", 1),
				"unitproof.toml": "[[proof]]\nfile = \"*_harness.c\"\n"},
			want: []string{"unitproof: Trace a", "unitproof: Replay a", "unitproof: Debug a",
				"Find conditions that exclude this failure", "unitproof: Verify a", "unitproof: Copy command line of a",
				"Accept null-dereference in a_harness, with a reason"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, dir := workspace(t, test.files)
			d := e.Open(filepath.Join(dir, "a_harness.c"))
			e.Settle()
			actions := e.Actions(d, "*p = nd_int")
			var titles []string
			for _, a := range actions {
				titles = append(titles, a.Title)
			}
			if strings.Join(titles, "|") != strings.Join(test.want, "|") {
				t.Fatalf("offered is\n%s\nwant\n%s", strings.Join(titles, "\n"), strings.Join(test.want, "\n"))
			}
			for i, a := range actions {
				fix := i < 4 || a.Edit != nil
				if (a.Kind == "quickfix") != fix || a.IsPreferred != (i == 0) || fix && len(a.Diagnostics) != 1 {
					t.Errorf("%s is of the kind %s, preferred: %v, about %d diagnostics", a.Title, a.Kind, a.IsPreferred,
						len(a.Diagnostics))
				}
			}
			var trace traceResult
			if err := e.Execute("trace", actions[0].Command.Arguments[0], &trace); err != nil || len(trace.Steps) == 0 {
				t.Errorf("the trace is %v, %+v", err, trace)
			}
		})
	}
}

// TestScenarioLightBulbOfTheUndecided checks that the default action of a finding without a counterexample does not
// hide it.
func TestScenarioLightBulbOfTheUndecided(t *testing.T) {
	e, dir := workspace(t, files{"a_harness.c": "#include <unitproof.h>\nint strange(void);\nvoid a_harness(void) {\n" +
		"\tlong double x = nd_int();\n\tint *p = 0;\n\tif (x * x < 0)\n\t\t*p = 1;\n\tsassert(1);\n}\n"})
	d := e.Open(filepath.Join(dir, "a_harness.c"))
	e.Settle()
	actions := e.Actions(d, "*p = 1")
	if len(actions) == 0 || actions[0].Edit != nil || !strings.Contains(actions[0].Title, "Verify") {
		t.Errorf("the first of %d actions is %+v; shown is\n%s", len(actions), actions[0], strings.Join(e.Shown(), "\n"))
	}
}
