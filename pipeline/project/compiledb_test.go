package project

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

// show formats a unit as DIR: FILE FLAGS, relative to root.
func show(root string, u Unit) string {
	s := fmt.Sprintf("%s: %s %s", u.Dir+"/", u.File, strings.Join(u.Flags, "|"))
	return strings.ReplaceAll(s, root+"/", "")
}

func TestCompileCommands(t *testing.T) {
	const a, main = "src/a_harness.c", "src/a_harness.c"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"none", nil, ": src/a_harness.c "},
		{"command", map[string]string{"compile_commands.json": `[{"directory": "<root>/out", "file": "../src/a_harness.c",
			"command": "cc -Iinc -DV=\\\"x y\\\" '-DW=a b' -O2 -c ../src/a_harness.c -o a.o"}]`},
			`out/: src/a_harness.c -Iinc|-DV="x|-DW=a b|-O2`},
		{"arguments", map[string]string{"compile_commands.json": `[{"directory": "<root>", "file": "<root>/src/a_harness.c",
			"arguments": ["ccache", "gcc", "-I", "inc dir", "-include", "x.h", "-MD", "-MF", "a.d", "-x", "c", "-oa.o", "-std=c11", "--", "src/a_harness.c"]}]`},
			`: src/a_harness.c -I|inc dir|-include|x.h|-MD|-MF|a.d|-std=c11`},
		{"build folder", map[string]string{"build/compile_commands.json": `[{"directory": "<root>/build",
			"file": "../src/a_harness.c", "command": "cc -DB a_harness.c"}]`},
			`build/: src/a_harness.c -DB`},
		{"the nearest folder wins", map[string]string{
			"src/build/compile_commands.json": `[{"directory": "<root>", "file": "src/a_harness.c", "command": "cc -DNEAR"}]`,
			"compile_commands.json":           `[{"directory": "<root>", "file": "src/a_harness.c", "command": "cc -DFAR"}]`},
			`: src/a_harness.c -DNEAR`},
		{"relative directory", map[string]string{"build/compile_commands.json": `[{"directory": ".",
			"file": "../src/a_harness.c", "command": "cc -DB"}]`},
			`build/: src/a_harness.c -DB`},
		{"the first of two entries", map[string]string{"compile_commands.json": `[{"directory": "<root>", "file": "src/a_harness.c", "command": "cc -DONE"},
			{"directory": "<root>", "file": "src/a_harness.c", "command": "cc -DTWO"}]`},
			`: src/a_harness.c -DONE`},
		{"borrowed from the same folder", map[string]string{"compile_commands.json": `[
			{"directory": "<root>", "file": "a.c", "command": "cc -DTOP a.c"},
			{"directory": "<root>", "file": "src/deep/a.c", "command": "cc -DDEEP src/deep/a.c"},
			{"directory": "<root>", "file": "src/z.c", "command": "cc -DZ src/z.c"},
			{"directory": "<root>", "file": "src/a.c", "command": "cc -DSRC src/a.c"},
			{"directory": "<root>", "file": "src/a_harness.cpp", "command": "c++ -DCPP"}]`},
			`: src/a_harness.c -DSRC`},
		{"borrowed from elsewhere", map[string]string{"compile_commands.json": `[
			{"directory": "<root>/lib", "file": "x/y.c", "command": "cc -DDEEP y.c"},
			{"directory": "<root>/lib", "file": "z.c", "command": "cc -Iinc z.c"}]`},
			`lib/: src/a_harness.c -Iinc`},
		{"empty", map[string]string{"compile_commands.json": `[]`}, `: src/a_harness.c `},
		{"compile_flags.txt", map[string]string{"compile_flags.txt": "-Iinc\r\n\n-DX=a b\n-c\n", "build/x": ""},
			`: src/a_harness.c -Iinc|-DX=a b`},
		{"response file", map[string]string{"args": "-DR 'a b.c' @more", "more": "-DM",
			"compile_commands.json": `[{"directory": "<root>", "file": "src/a_harness.c", "command": "cc @args @none -DE"}]`},
			`: src/a_harness.c -DR|-DM|-DE|@none`},
		{"named by the configuration", map[string]string{"unitproof.toml": "[compile]\ncompile-commands = \"ci/db.json\"",
			"ci/db.json":            `[{"directory": "..", "file": "src/a_harness.c", "command": "cc -DCI"}]`,
			"compile_commands.json": `[{"directory": "<root>", "file": "src/a_harness.c", "command": "cc -DNO"}]`},
			`: src/a_harness.c -DCI`},
		{"remove-flags", map[string]string{"unitproof.toml": "[compile]\nflags = [\"-W1\"]\nremove-flags = [\"-Werror\", " +
			"\"-I\", \"-W*\", \"-DA\", \"-include x.h\"]",
			"compile_commands.json": `[{"directory": "<root>", "file": "src/a_harness.c", "command": "cc -Werror -Wall -Iinc -I inc2 -DA -D A -DAB -include x.h -include y.h"}]`},
			`: src/a_harness.c -W1|-DAB|-include|y.h`},
		{"all flags in order", map[string]string{
			"unitproof.toml": "[compile]\nflags = [\"-Iinc\", \"-isystem\", \"sys\", \"-include\", \"src/a.h\", " +
				"\"-include\", \"stdio.h\", \"-DP=./x\"]\n[[proof]]\nfile = \"src/a_harness.c\"\nflags = [\"-Iown\"]",
			"src/a.h":               "",
			"compile_commands.json": `[{"directory": "<root>/out", "file": "../src/a_harness.c", "command": "cc -Idb"}]`},
			`out/: src/a_harness.c -Iinc|-isystem|sys|-include|src/a.h|-include|stdio.h|-DP=./x|-Idb|-Iown|-DCLI=1|-Icli|-Icflag|-fx`},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{a: harness, "src/": "", ".git/HEAD": ""}
			for name, text := range test.files {
				files[name] = text
			}
			root := write(t, files)
			for name, text := range test.files {
				if strings.Contains(text, "<root>") {
					rewrite(t, filepath.Join(root, name), strings.ReplaceAll(text, "<root>", root))
				}
			}
			flags := Flags{}
			if strings.HasPrefix(test.name, "all flags") {
				flags = Flags{Defines: []string{"CLI=1"}, Includes: []string{"cli"}, CFlags: []string{"-Icflag", "-fx"}}
			}
			p := one(t, open(t, root, flags), main)
			if got := show(root, p.EntryUnit); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestCompileCommandsFlag checks the precedence: the flag, the configuration, the database that is found. The flag may
// name the folder that a build system writes to.
func TestCompileCommandsFlag(t *testing.T) {
	entry := func(define string) string {
		return `[{"directory": "<root>", "file": "<root>/src/a_harness.c", "command": "cc -D` + define + `"}]`
	}
	root := write(t, map[string]string{
		"src/a_harness.c": "#include <unitproof.h>\nint main(void) { sassert(1); }\n",
		"unitproof.toml":  "[compile]\ncompile-commands = \"ci/db.json\"\n",
		"ci/db.json":      entry("CONFIGURED"), "compile_commands.json": entry("FOUND"),
		"out/compile_commands.json": entry("GIVEN"),
	})
	for given, want := range map[string]string{"": "-DCONFIGURED", "out/compile_commands.json": "-DGIVEN",
		"out":                      "-DGIVEN",
		filepath.Join(root, "out"): "-DGIVEN"} {
		p := one(t, open(t, root, Flags{CompileCommands: given}))
		if got := strings.Join(p.EntryUnit.Flags, " "); got != want {
			t.Errorf("--compile-commands %q: flags %s, want %s", given, got, want)
		}
	}
	if _, problems := open(t, root, Flags{CompileCommands: "gone.json"}).Proofs(nil); len(problems) != 1 ||
		!strings.Contains(problems[0].Error(), "gone.json: cannot be read") {
		t.Errorf("a file that is not there: %v", problems)
	}
}

func TestBadCompileCommands(t *testing.T) {
	for text, want := range map[string]string{
		"{}":  "compile_commands.json:1:1: is not a compilation database: an array is expected",
		"":    "compile_commands.json:1:1: is not a compilation database",
		"[\n": "compile_commands.json:1:2: is not a compilation database: its array does not end",
		"[\n{\"file\": \"a.c\", \"command\": \"cc\"},\n{\"file\": 3}]": "compile_commands.json:3:1: " +
			"[1]: is not a compilation database",
		"[\n{\"file\": \"a_harness.c\", \"command\": \"cc -DOK\"},\n{\"directory\": \"x\"}]": "[1]: is not a compilation " +
			"database: the entry names no file",
		"[{\"file\": \"a_harness.c\", \"command\": \"cc 'x\"}]": "a_harness.c: a single " +
			"quote is not closed",
	} {
		root := write(t, map[string]string{"compile_commands.json": text, "a_harness.c": harness})
		proofs, problems := open(t, root, Flags{}).Proofs(nil)
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%q: got %v, want %s", text, Problems(problems), want)
		}
		if len(proofs) != 1 {
			t.Errorf("%q: %d proofs", text, len(proofs))
		} else if strings.Contains(text, "-DOK") && len(proofs[0].EntryUnit.Flags) != 1 {
			t.Errorf("the entry before the fault was lost")
		}
	}
}

func TestDefinitions(t *testing.T) {
	root := write(t, map[string]string{
		"src/list.c": `#include "list.h"
static int helper(void) { return 1; }
int list_len(struct list *l) { return helper(); }
int counter; extern int elsewhere; static int hidden; extern int given = 3; int arr[3] = {1}, *ptr;
typedef int number; struct list { int field; };
int (*callback)(void); int declared(void); int (*table[2])(int);
int *list_data(struct list *l) { int local_name; return 0; }
int (*get(void))(int) { return 0; }
inline int inl(void) { return 0; }
EXPORT void exported(int x) { }
#if 0
int disabled(void) { return 0; }
#endif
#ifdef CONFIG_X
int conditional(void) { return 0; }
#endif
`,
		"src/broken.c": "int f(int x) {\n#ifdef A\nif (x) {\n#else\nif (!x) {\n#endif\n}\n}\nint after_broken(void) { " +
			"return 1; }\n",
		"src/log.c":       "void log_msg(const char *s) { }\nint list_len(int x) { return 2; }\n",
		"proofs/other.c":  harness + "void log_msg(const char *s) { }\n",
		"proofs/listed.c": "int main(void) { } void log_msg(void) { }\n",
		"proofs/harness.c": "#include <unitproof.h>\nvoid log_msg(const char *);\nint list_len(int);\nint p_harness(void) " +
			"{ log_msg(0); return list_len(1); }\n",
		"unitproof.toml": "[compile]\nflags = [\"-DALL\"]\n[[proof]]\nfile = \"proofs/listed.c\"\nsources = []\n",
		"compile_commands.json": `[{"directory": "src", "file": "list.c", "command": "cc -DLIST list.c"},
			{"directory": "src", "file": "log.c", "command": "cc -DLOG log.c"}, {"directory": "src", "file": "broken.c", "command": "cc broken.c"},
			{"directory": "proofs", "file": "other.c", "command": "cc other.c"}, {"directory": "proofs", "file": "listed.c", "command": "cc listed.c"},
			{"directory": "src", "file": "gone.c", "command": "cc gone.c"}]`,
	})
	w := open(t, root, Flags{Defines: []string{"CLI"}})
	p := one(t, w, "proofs/harness.c")
	found := w.Definitions(&p, []string{"log_msg", "list_len", "local_name", "helper", "nothing", "after_broken", "field",
		"given"})
	var got []string
	for name, units := range found {
		for _, u := range units {
			got = append(got, name+" "+show(root, u))
		}
	}
	sort.Strings(got)
	want := "after_broken src/: src/broken.c -DALL|-DCLI\ngiven src/: src/list.c -DALL|-DLIST|-DCLI\nlist_len src/: " +
		"src/list.c -DALL|-DLIST|-DCLI\n" +
		"list_len src/: src/log.c -DALL|-DLOG|-DCLI\nlog_msg src/: src/log.c -DALL|-DLOG|-DCLI"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}

	var all []string
	for _, file := range []string{"src/list.c", "src/log.c", "src/broken.c"} {
		all = append(all, w.Defines(filepath.Join(root, file))...)
	}
	sort.Strings(all)
	all = slices.Compact(all)
	want = "after_broken arr callback conditional counter exported f get given list_data list_len log_msg ptr table"
	if s := strings.Join(all, " "); s != want {
		t.Errorf("the files define\n%s\nwant\n%s", s, want)
	}

	// A changed file is read again.
	rewrite(t, filepath.Join(root, "src/log.c"), "void log_other(const char *s) { }\n// longer than before, and later\n")
	if found := w.Definitions(&p, []string{"log_msg", "log_other"}); len(found["log_msg"]) != 0 ||
		len(found["log_other"]) != 1 {
		t.Errorf("after the change: %v", found)
	}
	if p := one(t, w, "proofs/listed.c"); p.SourceCandidates != nil {
		t.Error("a proof that lists its sources has candidates")
	}
}

// FuzzDatabase checks the entries of arbitrary texts: they have absolute paths of C files, and flags that the filter
// accepts. Problems have positions.
func FuzzDatabase(f *testing.F) {
	for _, text := range []string{
		`[{"directory":"/d","file":"a.c","arguments":["cc","-DX","-c","a.c"]},{"file":"../b.C","command":"cc -I 'x y' @r"}]`,
		`[{"directory":"x","file":"a.c","command":"cc \"-D\\\"A\" -o"},{"file":""}]`, "\ufeff[]", "[{},", `[1]`, `{"a":[]}`,
		`[{"FILE":"a.c","Command":"'","arguments":null}]`, `[{"file":"a.c","arguments":[1]}]`,
		strings.Repeat("[", 1000), `[{"file":"a.c","directory":` + strings.Repeat("[", 1000),
	} {
		f.Add([]byte(text), "/d/src/a.c")
	}
	f.Fuzz(func(t *testing.T, data []byte, asked string) {
		db := &database{path: "/d/compile_commands.json", byFile: map[string]int{}}
		if p := db.read(data); p != nil && (p.Message == "" || p.File != db.path || p.Line < 1 || p.Column < 1 ||
			p.Line > bytes.Count(data, []byte("\n"))+1) {
			t.Fatalf("%q: a problem without a place: %+v", data, p)
		}
		for i := range db.entries {
			e := &db.entries[i]
			if !filepath.IsAbs(e.file) || !filepath.IsAbs(e.dir) || !isC(e.file) {
				t.Fatalf("%q: entry %+v", data, e)
			}
			words, err := e.words()
			if err != nil && err.Error() == "" {
				t.Fatalf("%q: an error without words", data)
			}
			accepted, _ := cflags.Filter(databaseFlags(words))
			for _, w := range accepted {
				if w == "" || w[0] != '-' {
					t.Fatalf("%q: the compiler would get %q", data, w)
				}
			}
		}
		if e := db.entryFor(asked); e == nil != (len(db.entries) == 0) {
			t.Fatalf("%q: entry %v of %d for %q", data, e, len(db.entries), asked)
		}
	})
}

// TestMacroNamedDefinitions checks that functions whose names macros write are found by the longest parts of the names.
// They are not if two files have such a part.
func TestMacroNamedDefinitions(t *testing.T) {
	files := map[string]string{
		"src/common.c": "int URI_FUNC(ResetUri)(int *u) { return 0; }\nint URI_FUNC(Twice)(void) { return 1; }\n",
		"src/reset.c":  "int URI_FUNC(Reset)(int *u) { return 0; }\nint URI_FUNC(Twice)(void) { return 2; }\n",
		"src/plain.c":  "int uriPlainA(void) { return 0; }\nint URI_FUNC(OfPlainA)(void) { return 0; }\n",
		"proofs/harness.c": "#include <unitproof.h>\nint uriResetUriA(int *), uriTwiceA(void), uriPlainA(void);\n" +
			"int p_harness(void) { return uriResetUriA(0) + uriTwiceA() + uriPlainA() + uriNothingA(); }\n",
		"compile_commands.json": `[{"directory": "src", "file": "common.c", "command": "cc common.c"},
			{"directory": "src", "file": "reset.c", "command": "cc reset.c"},
			{"directory": "src", "file": "plain.c", "command": "cc plain.c"}]`,
	}
	names := []string{"uriResetUriA", "uriTwiceA", "uriPlainA", "uriNothingA"}
	const want = "uriPlainA src/plain.c, uriResetUriA src/common.c"
	root := write(t, files)
	w := open(t, root, Flags{})
	p := one(t, w, "proofs/harness.c")
	var got []string
	for name, units := range w.Definitions(&p, names) {
		for _, u := range units {
			rel, _ := filepath.Rel(root, u.File)
			got = append(got, name+" "+filepath.ToSlash(rel))
		}
	}
	sort.Strings(got)
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("compile_commands.json: got %s, want %s", s, want)
	}

	delete(files, "compile_commands.json")
	root = write(t, files)
	got = nil
	for name, list := range open(t, root, Flags{}).DefinedBelow(filepath.Join(root, "proofs/harness.c"), names) {
		for _, file := range list {
			rel, _ := filepath.Rel(root, file)
			got = append(got, name+" "+filepath.ToSlash(rel))
		}
	}
	sort.Strings(got)
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("below the root: got %s, want %s", s, want)
	}
}
