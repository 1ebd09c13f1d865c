package project

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

func rewrite(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestDefaults(t *testing.T) {
	root := write(t, map[string]string{"list_push_harness.c": harness})
	p := one(t, open(t, root, Flags{}), "list_push_harness.c")
	o := p.Options
	got := fmt.Sprintf("%s %s %d:%d %v %d %v %s %s %d %v %q %q %q", p.Name, p.Entry, p.Line, p.Column, p.Timeout,
		p.MaxMemory,
		o.MallocMayFail, o.MissingBody, o.Vacuity, o.Unwind, o.Loops, p.Expect, p.Clang, p.Config)
	if want := `list_push main 2:5 1m0s 4294967296 true havoc entry 0 map[] "" "" ""`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !o.Checks["assertion"] || o.Checks["memory-leak"] || len(o.Checks) != 32 || o.EntryFile != p.File {
		t.Errorf("options: %+v", o)
	}
}

func TestPrecedence(t *testing.T) {
	const check = "[check]\nunwind = 3\ntimeout = \"3s\"\nmax-memory = \"3M\"\nvacuity = \"all\"\nmissing-body = " +
		"\"pure\"\nmalloc-may-fail = false\nchecks = { memory-leak = true, assertion = true, misaligned = true }\n"
	const proof = "[[proof]]\nfile = \"a.c\"\nunwind = 4\ntimeout = \"4s\"\nmax-memory = \"4M\"\nvacuity = " +
		"\"off\"\nmissing-body = \"error\"\nmalloc-may-fail = true\nchecks = { memory-leak = false, signed-overflow = " +
		"false }\nloops = { \"f#1\" = 4, \"g#1\" = 4 }\nexpect = \"failed\"\n"
	client := Settings{Unwind: ptr(2), Timeout: ptr(2 * time.Second), MaxMemory: ptr(int64(2 << 20)),
		Vacuity: ptr(vcgen.VacuityOff), MissingBody: ptr(found.MissingError),
		MallocMayFail: ptr(true), Checks: map[found.Kind]bool{"memory-leak": false, "shift-overflow": true}, On: ptr(OnIdle)}
	flags := Flags{Settings: Settings{Unwind: ptr(5), Timeout: ptr(5 * time.Second), MaxMemory: ptr(int64(5 << 20)),
		Vacuity: ptr(vcgen.VacuityEntry), MissingBody: ptr(found.MissingHavoc),
		MallocMayFail: ptr(false), Checks: map[found.Kind]bool{"memory-leak": true, "assertion": false}},
		Loops: map[string]int{"f#1": 5}}
	for _, test := range []struct {
		name, toml string
		client     []Settings
		flags      Flags
		want       string
	}{
		{"client", "", []Settings{client}, Flags{},
			"2 2s 2M off error true leak=false assert=true signed=true shift=true misaligned=false loops=map[] expect= on=idle"},
		{"check over client", check, []Settings{client}, Flags{},
			"3 3s 3M all pure false leak=true assert=true signed=true shift=true misaligned=true loops=map[] expect= on=idle"},
		{"proof over check", check + proof, []Settings{client}, Flags{},
			"4 4s 4M off error true leak=false assert=true signed=false shift=true misaligned=true loops=map[f#1:4 g#1:4] " +
				"expect=failed on=idle"},
		{"flags over proof", check + proof, []Settings{client}, flags,
			"5 5s 5M entry havoc false leak=true assert=false signed=false shift=true misaligned=true loops=map[f#1:5 g#1:4] " +
				"expect=failed on=idle"},
		{"zero is said too", "[check]\nunwind = 0\non = \"manual\"\n", []Settings{client, {Unwind: ptr(9)}}, Flags{},
			"0 2s 2M off error true leak=false assert=true signed=true shift=true misaligned=false loops=map[] expect= " +
				"on=manual"},
		{"later client over earlier", "", []Settings{client, {Unwind: ptr(9)}},
			Flags{Settings: Settings{Vacuity: ptr(vcgen.VacuityAll)}},
			"9 2s 2M all error true leak=false assert=true signed=true shift=true misaligned=false loops=map[] expect= on=idle"},
	} {
		root := write(t, map[string]string{"unitproof.toml": test.toml, "a.c": harness})
		w := open(t, root, test.flags, test.client...)
		p := one(t, w)
		o := p.Options
		c := o.Checks
		got := fmt.Sprintf("%d %v %dM %s %s %v leak=%v assert=%v signed=%v shift=%v misaligned=%v loops=%v expect=%s on=%s",
			o.Unwind, p.Timeout, p.MaxMemory>>20,
			o.Vacuity, o.MissingBody, o.MallocMayFail, c["memory-leak"], c["assertion"], c["signed-overflow"],
			c["shift-overflow"], c["misaligned"], o.Loops, p.Expect, w.On())
		if got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestProofsShareNoMaps checks that settings of one proof do not change another proof or the configuration.
func TestProofsShareNoMaps(t *testing.T) {
	root := write(t, map[string]string{"unitproof.toml": "[check]\nchecks = { memory-leak = true }\n[[proof]]\nfile = " +
		"\"*.c\"\nloops = { \"f#1\" = 2 }", "a.c": harness, "b.c": harness})
	w := open(t, root, Flags{})
	first := list(t, w)
	first[0].Options.Loops["f#1"] = 99
	first[0].Options.Checks["memory-leak"] = false
	for _, p := range append(first[1:], list(t, w)...) {
		if p.Options.Loops["f#1"] != 2 || !p.Options.Checks["memory-leak"] {
			t.Errorf("%s has %v", p.Name, p.Options)
		}
	}
}

func TestContractProof(t *testing.T) {
	files := contractFiles()
	files["build/compile_commands.json"] = `[{"directory": "..",
		"file": "src/list.c", "command": "cc -Werror -DSRC -c src/list.c"}]`
	files["extra.c"] = "int extra;\n"
	root := write(t, files)
	p := one(t, open(t, root, Flags{Sources: []string{"src/list.c", "extra.c"}, Overrides: []string{"extra.c"}}))
	var got []string
	for _, u := range append(append([]Unit{p.EntryUnit}, p.Sources...), p.Overrides...) {
		got = append(got, show(root, u))
	}
	want := ": proofs/list_push_harness.c -Iinclude|-DSRC|-DMAX=4\n: src/list.c -Iinclude|-DSRC|-DMAX=4\n: extra.c " +
		"-Iinclude|-DSRC|-DMAX=4\n" +
		": proofs/stubs/alloc.c -Iinclude|-DSRC|-DMAX=4\n: extra.c -Iinclude|-DSRC|-DMAX=4"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if p.Name != "list_push" || p.Clang != "clang-14" || p.Config != filepath.Join(root, ConfigName) ||
		p.Expect != found.Proved ||
		len(p.Options.Accept) != 1 || p.Accepts[0].Reason != "wraps on purpose" || p.RemoveFlags[0] != "-Werror" ||
		p.SourceCandidates != nil {
		t.Errorf("got %+v", p)
	}
}

func TestNames(t *testing.T) {
	two := "#include <unitproof.h>\nvoid b_harness(void) {}\nvoid a_harness(void) {}\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string // of the workspace
		alone map[string]string
	}{
		{"stem", map[string]string{"list_push_harness.c": harness, "x.c": harness, "_harness.c": harness},
			"_harness list_push x", nil},
		{"several entries", map[string]string{"two_harness.c": two}, "two.a_harness two.b_harness", nil},
		{"same stem", map[string]string{"a/x.c": harness, "b/x.c": two, "x.c": harness, "b/y.c": harness},
			"a/x b/x.a_harness b/x.b_harness x y", map[string]string{"b/y.c": "y", "b/x.c": "b/x.a_harness b/x.b_harness"}},
		{"same stem, not a proof", map[string]string{"a/x.c": harness, "b/x.c": "int main(void) { }"}, "x",
			map[string]string{"a/x.c": "x"}},
		{"with and without _harness", map[string]string{"x.c": harness, "x_harness.c": harness}, "x x_harness",
			map[string]string{"x.c": "x", "x_harness.c": "x_harness"}},
		{"given name", map[string]string{"unitproof.toml": "[[proof]]\nname = \"N\"\nfile = \"x.c\"", "x.c": harness}, "N",
			nil},
		{"given name, several entries", map[string]string{"unitproof.toml": "[[proof]]\nname = \"N\"\nfile = \"x.c\"",
			"x.c": two}, "N.a_harness N.b_harness", nil},
		{"given name that a file has", map[string]string{"unitproof.toml": "[[proof]]\nname = \"y\"\nfile = \"x.c\"",
			"x.c": harness, "sub/y.c": harness, "y.c": harness}, "sub/y y y#2", nil},
		{"one file, two settings",
			map[string]string{"unitproof.toml": "[[proof]]\nfile = \"x.c\"\n[[proof]]\nname = \"deep\"\nfile = " +
				"\"x.c\"\nunwind = 9", "x.c": harness}, "deep x", nil},
		{"entries named", map[string]string{"unitproof.toml": "[[proof]]\nfile = " +
			"\"x.c\"\nentry=\"a_harness\"\n[[proof]]\nfile = \"x.c\"\nentry = \"b_harness\"", "x.c": two},
			"x.a_harness x.b_harness", nil},
		{"one entry named", map[string]string{"unitproof.toml": "[[proof]]\nfile = \"x.c\"\nentry=\"a_harness\"", "x.c": two},
			"x", nil},
		{"nested", map[string]string{"unitproof.toml": "[[proof]]\nname = \"N\"\nfile = \"x.c\"", "x.c": harness,
			"n/unitproof.toml": "[[proof]]\nname = \"N\"\nfile = \"x.c\"", "n/x.c": harness}, "N n/N",
			map[string]string{"n/x.c": "n/N", "x.c": "N"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{".git/HEAD": ""}
			for k, v := range test.files {
				files[k] = v
			}
			root := write(t, files)
			got := strings.Fields(names(list(t, open(t, root, Flags{}))))
			if s := strings.Join(slices.Compact(slices.Sorted(slices.Values(got))), " "); s != test.want {
				t.Errorf("got %q, want %q", s, test.want)
			}
			for file, want := range test.alone {
				if got := names(list(t, open(t, root, Flags{}), file)); got != want {
					t.Errorf("%s alone: got %q, want %q", file, got, want)
				}
				if got := names(list(t, open(t, root, Flags{}), file, file,
					root)); len(strings.Fields(got)) != len(strings.Fields(test.want)) {
					t.Errorf("%s twice and everything: got %q", file, got)
				}
			}
		})
	}
}

func TestArguments(t *testing.T) {
	files := map[string]string{
		".git/HEAD": "", "a/one_harness.c": harness,
		"a/two.c":   "#include <unitproof.h>\nvoid p_harness(void) {}\nvoid q_harness(void) {}\nvoid other(void) {}\n",
		"b/three.c": harness, "plain.c": "int main(void) { return 0; }", "none.c": "int f(void) { return 0; }", "c/": "",
	}
	root := write(t, files)
	for _, test := range []struct {
		args     string
		flags    Flags
		want     string
		problems string
	}{
		{"", Flags{}, "one two.p_harness two.q_harness three", ""},
		{"a", Flags{}, "one two.p_harness two.q_harness", ""},
		{"b a/one_harness.c b/three.c", Flags{}, "one three", ""},
		{"c", Flags{}, "", ""},
		{"nothing.c", Flags{}, "", "nothing.c: no such file or folder"},
		{"plain.c", Flags{}, "", "main uses no name of the proof language (#include <unitproof.h>); --entry main"},
		{"none.c b", Flags{}, "three", "defines no function that is named main"},
		{"plain.c", Flags{Entry: "main"}, "plain", ""},
		{"none.c", Flags{Entry: "f"}, "none", ""},
		{"none.c", Flags{Entry: "from_a_macro"}, "none", ""},
		{"a/two.c", Flags{Entry: "q_harness"}, "two.q_harness", ""},
		{"a/two.c", Flags{Entry: "other"}, "two.other", ""},
		{"a", Flags{Entry: "q_harness"}, "two.q_harness", ""},
		{"", Flags{Filter: regexp.MustCompile("^t.*(q|ee)")}, "two.q_harness three", ""},
		{"", Flags{Shard: Shard{Index: 1, Of: 1}}, "one two.p_harness two.q_harness three", ""},
		{"", Flags{Shard: Shard{Index: 1, Of: 2, Times: map[string]int64{"one": 9, "three": 5, "two.p_harness": 4,
			"two.q_harness": 1}}}, "one two.q_harness", ""},
		{"b a/three.c", Flags{Shard: Shard{Index: 2, Of: 2, Times: map[string]int64{"one": 9, "three": 5, "two.p_harness": 4,
			"two.q_harness": 1}}}, "three", "a/three.c: no such file or folder"},
	} {
		proofs, problems := open(t, root, test.flags).Proofs(strings.Fields(test.args))
		if got := names(proofs); got != test.want {
			t.Errorf("%q %+v: got %q, want %q", test.args, test.flags, got, test.want)
		}
		if (test.problems == "") != (len(problems) == 0) || !strings.Contains(Problems(problems).Error(), test.problems) {
			t.Errorf("%q: problems %v, want %q", test.args, Problems(problems), test.problems)
		}
	}
	for want, flags := range map[string]Flags{
		"--source gone.c: cannot be read": {Sources: []string{"gone.c"}},
		"--override a: is not a file":     {Overrides: []string{"a"}},
	} {
		if _, err := Open(root, flags); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", flags, err, want)
		}
	}
	// Relative arguments begin at the start folder; the root may be above it.
	if got := names(list(t, open(t, filepath.Join(root, "a"), Flags{}), "one_harness.c", "../b")); got != "one three" {
		t.Errorf("from a: %q", got)
	}
	if got := names(list(t, open(t, filepath.Join(root, "a"), Flags{}))); got != "one two.p_harness two.q_harness three" {
		t.Errorf("from a, everything: %q", got)
	}
	// A file outside the workspace.
	if got := names(list(t, open(t, filepath.Join(root, "c"), Flags{}),
		acceptance(t)+"/two_entries_harness.c")); got != "two_entries.stack_drop_harness two_entries.stack_push_harness" {
		t.Errorf("outside: %q", got)
	}
}

func TestNestedConfigurations(t *testing.T) {
	root := write(t, map[string]string{
		"unitproof.toml": "[check]\nunwind = 1\ntimeout = \"9s\"\n[compile]\nflags = [\"-DROOT\"]\n[[proof]]\nfile = " +
			"\"**/*_harness.c\"\n", "a_harness.c": harness,
		"n/unitproof.toml": "[check]\nunwind = 2\n[[proof]]\nfile = \"b_harness.c\"\nunwind = 7\n", "n/b_harness.c": harness,
		"n/sub/c_harness.c":  harness,
		"n/m/unitproof.toml": "[check]\nunwnd = 3", "n/m/d_harness.c": harness,
	})
	w := open(t, root, Flags{})
	proofs, problems := w.Proofs(nil)
	var got []string
	for _, p := range proofs {
		rel, _ := filepath.Rel(root, p.Config)
		got = append(got, fmt.Sprintf("%s %d %v %s %q", p.Name, p.Options.Unwind, p.Timeout, filepath.ToSlash(rel),
			p.EntryUnit.Flags))
	}
	want := `a 1 9s unitproof.toml ["-DROOT"]` + "\n" + `b 7 1m0s n/unitproof.toml []` + "\n" +
		`d 0 1m0s n/m/unitproof.toml []` + "\n" + `c 2 1m0s n/unitproof.toml []`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if len(problems) != 1 || problems[0].File != filepath.Join(root, "n/m/unitproof.toml") || problems[0].Line != 2 ||
		problems[0].Key != "check.unwnd" {
		t.Errorf("problems: %v", problems)
	}
	for file, unwind := range map[string]int{"a_harness.c": 1, "n/b_harness.c": 7, "n/sub/c_harness.c": 2, "n/sub": 2} {
		if p := one(t, w, file); p.Options.Unwind != unwind {
			t.Errorf("%s alone: unwind %d", file, p.Options.Unwind)
		}
	}
	// Opened below the nested configuration, its folder is the root; the outer one's files are outside.
	w = open(t, filepath.Join(root, "n", "sub"), Flags{})
	if w.Root != filepath.Join(root, "n") {
		t.Errorf("the root is %s", w.Root)
	}
	if p := one(t, w, "../../a_harness.c"); p.Options.Unwind != 1 {
		t.Errorf("a file outside: unwind %d", p.Options.Unwind)
	}
}

func TestConfigFlag(t *testing.T) {
	root := write(t, map[string]string{
		"unitproof.toml": "[check]\nunwind = 1",
		"ci/strict.toml": "[check]\nunwind = 2\n[[proof]]\nname = \"S\"\nfile = \"../a.c\"\n", "a.c": harness,
		"b.c": harness, "sub/": "",
	})
	w := open(t, filepath.Join(root, "sub"), Flags{ConfigFile: "../ci/strict.toml"})
	var got []string
	for _, p := range list(t, w) {
		got = append(got, fmt.Sprint(p.Name, p.Options.Unwind))
	}
	if s := strings.Join(got, " "); s != "S2 b2" || w.Root != root {
		t.Errorf("got %q, root %s", s, w.Root)
	}
}

func TestConfiguredFileWithoutEntry(t *testing.T) {
	root := write(t, map[string]string{"unitproof.toml": "\n[[proof]]\nfile = \"x.c\"\n[[proof]]\nfile = " +
		"\"y.c\"\nentry = \"made\"\n[[proof]]\nfile=\"z.c\"", "x.c": "int f(void) { return 0; }", "y.c": "MAKE(made)\n",
		"z.c": "int main(void) { return 0; }"})
	proofs, problems := open(t, root, Flags{}).Proofs(nil)
	// z needs no name of the proof language: the configuration lists it as a proof.
	if got := names(proofs); got != "y z" || proofs[0].Entry != "made" || proofs[0].Line != 0 {
		t.Errorf("got %q", got)
	}
	if len(problems) != 1 || problems[0].Line != 2 || problems[0].Key != "proof[0].file" {
		t.Errorf("problems: %v", problems)
	}
}

// A configuration that is not on disk counts as one that is.
func TestViewOfConfigurations(t *testing.T) {
	root := write(t, map[string]string{".git/HEAD": "", "a.c": "int f(void) { return 0; }", "sub/b.c": harness,
		"sub/g.c": "int g(void) { return 0; }"})
	texts := map[string]string{}
	for name, text := range map[string]string{"unitproof.toml": "[[proof]]\nfile = \"new.c\"\nsources = [\"a.c\"]\n",
		"new.c": harness, "sub/unitproof.toml": "[[proof]]\nname = \"named\"\nfile = \"b.c\"\nsources = [\"g.c\"]\n"} {
		texts[filepath.Join(root, name)] = text
	}
	view := View{Extra: slices.Collect(maps.Keys(texts)), ReadFile: func(path string) ([]byte, error) {
		if text, ok := texts[path]; ok {
			return []byte(text), nil
		}
		return os.ReadFile(path)
	}}
	w, err := OpenView(root, view, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs := list(t, w)
	if got := names(proofs); got != "new named" || len(proofs[0].Sources) != 1 || len(proofs[1].Sources) != 1 {
		t.Errorf("got %q: %+v", got, proofs)
	}
	if w, err = OpenView(filepath.Join(root, "sub"), view, Flags{}); err != nil || w.Root != filepath.Join(root, "sub") {
		t.Errorf("the root is %+v, %v", w, err)
	}
}

func TestView(t *testing.T) {
	root := write(t, map[string]string{"a.c": "int f(void) { return 0; }", "b.c": harness})
	texts := map[string]string{filepath.Join(root, "a.c"): harness, filepath.Join(root, "new.c"): harness}
	stamps := map[string]int{}
	var reads atomic.Int64 // files are read by several goroutines
	view := View{Memory: NewMemory(), Extra: []string{filepath.Join(root, "new.c"), "/elsewhere/x.c"},
		Stamp: func(path string) any { return stamps[path] },
		ReadFile: func(path string) ([]byte, error) {
			reads.Add(1)
			if text, ok := texts[path]; ok {
				return []byte(text), nil
			}
			return os.ReadFile(path)
		}}
	again := func(want string) {
		t.Helper()
		w, err := OpenView(root, view, Flags{})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(list(t, w)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	again("a b new")
	before := reads.Load()
	again("a b new")
	if n := reads.Load() - before; n != 0 {
		t.Errorf("%d files were read again", n)
	}
	texts[filepath.Join(root, "a.c")] = ""
	stamps[filepath.Join(root, "a.c")]++
	again("b new")
	// A new file is found after ForgetFolders.
	if err := os.WriteFile(filepath.Join(root, "c.c"), []byte(harness), 0o600); err != nil {
		t.Fatal(err)
	}
	again("b new")
	view.Memory.ForgetFolders()
	again("b c new")
	view = View{ReadFile: func(path string) ([]byte, error) { return nil, os.ErrPermission }}
	w, err := OpenView(root, view, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	if proofs, problems := w.Proofs(nil); len(proofs) != 0 || len(problems) != 3 {
		t.Errorf("unreadable files: %v %v", proofs, problems)
	}
}

func TestConcurrentUse(t *testing.T) {
	files := map[string]string{"compile_commands.json": `[{"directory": ".", "file": "s.c", "command": "cc s.c"}]`,
		"s.c": "int s(void) { return 1; }\n", "n/unitproof.toml": "", "n/x.c": harness}
	for i := range 20 {
		files[fmt.Sprintf("d/f%d.c", i)] = harness
	}
	root := write(t, files)
	w := open(t, root, Flags{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			proofs, problems := w.Proofs(nil)
			if len(proofs) != 21 || len(problems) > 0 {
				t.Errorf("%d proofs, %v", len(proofs), problems)
				return
			}
			if got := w.Definitions(&proofs[0], []string{"s"}); len(got["s"]) != 1 {
				t.Errorf("definitions: %v", got)
			}
		})
	}
	wg.Wait()
}

func TestEntryOfConfiguredFile(t *testing.T) {
	root := write(t, map[string]string{"x.c": "#include <unitproof.h>\nvoid a_harness(void) {}\nvoid other(void) {}\n",
		"y.c": "MAKE(made)\n",
		"unitproof.toml": "[[proof]]\nfile = \"x.c\"\nentry = \"a_harness\"\nunwind = 3\n[[proof]]\nname = \"Y\"\nfile = " +
			"\"y.c\"\nunwind = 4\n"})
	for _, test := range []struct{ file, entry, want string }{
		{"x.c", "a_harness", "x 3"}, {"x.c", "other", "x.other 3"}, {"y.c", "made", "Y 4"},
	} {
		p := one(t, open(t, root, Flags{Entry: test.entry}), test.file)
		if got := fmt.Sprintf("%s %d", p.Name, p.Options.Unwind); got != test.want || p.Entry != test.entry {
			t.Errorf("%s of %s: got %s (%s)", test.entry, test.file, got, p.Entry)
		}
	}
}

// TestTableOfContracts checks that a table with a file and without an entry covers all proofs of the file, including
// proofs of contracts.
func TestTableOfContracts(t *testing.T) {
	const text = "int f(int x) __CPROVER_requires(x > 0) { return x; }\n" +
		"int g(void) __CPROVER_ensures(1) { return f(1); }\n"
	root := write(t, map[string]string{"unitproof.toml": "[[proof]]\nfile = \"*.c\"\nunwind = 3\n", "two.c": text,
		"both.c": "#include <unitproof.h>\n" + text + "void f_harness(void) { sassert(g() == 1); }\n"})
	var got []string
	for _, p := range list(t, open(t, root, Flags{})) {
		got = append(got, fmt.Sprintf("%s %t %d", p.Name, p.Contract, p.Options.Unwind))
	}
	want := []string{"both.f true 3", "both.f_harness false 3", "both.g true 3", "two.f true 3", "two.g true 3"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
