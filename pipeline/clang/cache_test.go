package clang

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

// age makes the files of a tree old enough for the cache, which does not trust recently written files.
func age(t *testing.T, dir string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, past, past)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// counting replaces clang by a script that counts its runs.
func counting(t *testing.T) (tc *Toolchain, runs func() int) {
	t.Helper()
	real := toolchain(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "clang")
	log := filepath.Join(dir, "log")
	text := "#!/bin/sh\necho run >> '" + log + "'\nexec '" + real.Clang + "' \"$@\"\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Toolchain{Clang: script, Link: real.Link, Opt: real.Opt, Version: real.Version}, func() int {
		data, _ := os.ReadFile(log)
		os.Remove(log)
		return strings.Count(string(data), "run")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestUnitCache(t *testing.T) {
	if headers, err := Headers(); err == nil { // perhaps written by this run
		age(t, headers)
	}
	dir := files(t, "p.c",
		"#include <unitproof.h>\n#include <string.h>\n#include \"h.h\"\n#include <lib/l.h>\nint f(int);\nint main(void) { "+
			"return f(N) + L; }",
		"q.c", "int f(int x) { return x; }", "h.h", "#define N 1\n", "second/lib/l.h", "#define L 10\n", "has.h",
		"#if __has_include(\"x.h\")\n#endif\n")
	age(t, dir)
	tc, runs := counting(t)
	folder := filepath.Join(t.TempDir(), "cache")
	r := Request{Entry: "main", EntryUnit: unit(dir, "p.c", "-Ifirst -Isecond"), Sources: []Unit{unit(dir, "q.c", "")},
		Checks: map[found.Kind]bool{}, Store: cache.Open(folder, cache.Options{})}
	step := func(what string, want int) string {
		t.Helper()
		m, err := tc.Build(context.Background(), r)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if have := runs(); have != want {
			t.Errorf("%s: clang ran %d times, want %d", what, have, want)
		}
		if len(m.Files) < 6 {
			t.Errorf("%s: files %q", what, m.Files)
		}
		return string(m.Text)
	}
	first := step("first time", 2)
	if again := step("unchanged", 0); again != first {
		t.Error("the text from the cache is another one")
	}
	tc.hashes = fileHashes{}
	step("another process", 0)

	write(t, filepath.Join(dir, "h.h"), "#define N 2\n")
	// The header is written after clang began, even if this machine is very slow.
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "h.h"), later, later); err != nil {
		t.Fatal(err)
	}
	if text := step("a header changed", 1); !strings.Contains(text, "@f(i32 noundef 2)") {
		t.Error("the old header was used")
	}
	age(t, dir)
	step("it may have changed while clang ran", 1)
	step("and is known", 0)

	write(t, filepath.Join(dir, "first", "lib", "l.h"), "#define L 20\n")
	age(t, dir)
	if text := step("a header appeared that is found earlier", 1); !strings.Contains(text, "20") {
		t.Error("the header found later was used")
	}
	write(t, filepath.Join(dir, "first", "string.h"), "#define L2 20\n")
	age(t, dir)
	step("one appeared in place of a system header", 1)
	if err := os.Remove(filepath.Join(dir, "first", "lib", "l.h")); err != nil {
		t.Fatal(err)
	}
	step("a header is gone", 1)

	r.EntryUnit.Flags = append(r.EntryUnit.Flags, "-DX")
	step("other flags", 1)
	r.Checks = map[found.Kind]bool{"signed-overflow": true}
	step("other checks", 2)
	r.EntryUnit.Flags = append(r.EntryUnit.Flags, "-march=no-such-cpu", "-DNDEBUG")
	step("an option that is rejected", 2)
	m, err := tc.Build(context.Background(), r)
	if err != nil || runs() != 0 || len(m.Assumptions) != 2 {
		t.Errorf("notes are lost in the cache: %v %v", m, err)
	}
	r.EntryUnit.Flags = append(r.EntryUnit.Flags, "-ffast-math")
	step("an option that is dropped and named", 1)
	if m, err = tc.Build(context.Background(), r); err != nil || runs() != 0 || len(m.Assumptions) != 3 {
		t.Errorf("the note of a dropped option is lost in the cache: %v %v", m, err)
	}
	r.EntryUnit.Flags = r.EntryUnit.Flags[:len(r.EntryUnit.Flags)-1]
	step("without it", 0)
	if m, err = tc.Build(context.Background(), r); err != nil || len(m.Assumptions) != 2 {
		t.Errorf("the note of an option that is not there comes from the cache: %v %v", m, err)
	}
	r.Sources[0].Flags = []string{"-include", "has.h"}
	step("a question for a file that is not there", 1)
	step("is asked again", 1)

	// A damaged entry costs a compilation and has no other effect.
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			err = os.WriteFile(path, data[:len(data)-3], 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	step("damaged", 2)
}

func TestUnusableCaches(t *testing.T) {
	dir := files(t, "p.c",
		"#include <unitproof.h>\n#include <string.h>\nint main(int n, char **v) { sassert(strlen(v[0]) > 0); return 0; }",
		"file", "not a folder")
	for name, folder := range map[string]string{"a file": filepath.Join(dir, "file"),
		"below a file": filepath.Join(dir, "file", "x"), "nowhere to be made": "/proc/nowhere"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", folder)
			t.Setenv("HOME", folder)
			build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Store: cache.Open(folder, cache.Options{})})
		})
	}
	t.Run("read-only", func(t *testing.T) { // root can write anyway; other users cannot
		folder := t.TempDir()
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(folder, 0o755) })
		t.Setenv("XDG_CACHE_HOME", folder)
		build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Store: cache.Open(folder, cache.Options{})})
	})
	t.Run("a damaged model", func(t *testing.T) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		r := Request{Entry: "main", EntryUnit: unit(dir, "p.c", "")}
		build(t, r)
		base, err := cacheDir()
		if err != nil {
			t.Fatal(err)
		}
		found, _ := filepath.Glob(filepath.Join(base, "models", "*.ll"))
		if len(found) != 1 {
			t.Fatalf("models in the cache: %q", found)
		}
		if err := os.WriteFile(found[0], []byte("define"), 0o644); err != nil {
			t.Fatal(err)
		}
		build(t, r)
	})
}

// TestHeadersOfAnotherVersion checks that clang does not read headers that another version of the program writes to the
// editors' folder during a compilation.
func TestHeadersOfAnotherVersion(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	stable, err := HeaderDir()
	if err != nil {
		t.Fatal(err)
	}
	own, err := Headers()
	if err != nil {
		t.Fatal(err)
	}
	if own == stable {
		t.Fatal("both versions have one folder")
	}
	dir := files(t, "p.c", "#include <unitproof.h>\nint main(void) { sassert(1); return 0; }")
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", "")})
	for _, f := range m.Files {
		if strings.HasPrefix(f, stable+string(filepath.Separator)) {
			t.Errorf("%s was compiled", f)
		}
	}
	if !slices.Contains(m.Files, filepath.Join(own, "unitproof.h")) {
		t.Errorf("unitproof.h is not among %q", m.Files)
	}
}

func TestHeader(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir, err := HeaderDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "unitproof.h")
	write(t, path, "an old version")
	if again, err := HeaderDir(); err != nil || again != dir {
		t.Errorf("not stable: %s, %s, %v", dir, again, err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != string(Header()) {
		t.Errorf("an old version stayed: %v", err)
	}
	tc := toolchain(t)
	for _, args := range [][]string{{"-x", "c", "-std=c99"}, {"-x", "c", "-std=c11"}, {"-x", "c", "-std=gnu17"},
		{"-x", "c++", "-std=c++98", "-Wno-c++11-long-long"}, {"-x", "c++", "-std=c++17"}} {
		all := append([]string{"-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}, append(args, path)...)
		if _, stderr, err := tc.Run(context.Background(), "", tc.Clang, all, nil); err != nil {
			t.Errorf("%q: %v\n%s", args, err, stderr)
		}
	}
	// The header, those of CBMC and KLEE, the runtime, and the folder of those for targets without a C library.
	if entries, _ := os.ReadDir(dir); len(entries) != 5 {
		t.Errorf("temporary files were left: %v", entries)
	}
}

// A header is a unit, too: its inline functions have proofs.
func TestHeaderAsUnit(t *testing.T) {
	dir := files(t, "h.h", "static inline int f(int x) { return x + 70; }\n")
	m := build(t, Request{Entry: "f", EntryUnit: unit(dir, "h.h", "")})
	if !strings.Contains(string(m.Text), "i32 70") {
		t.Errorf("no body in\n%s", m.Text)
	}
}

func TestVirtualFiles(t *testing.T) {
	dir := files(t, "p.c", "#include \"inc/h.h\"\nint main(void) { return N; }", "inc/h.h", "#define N 1\n", "bad.c",
		"int main(void) { return 0; }")
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Symlink("inc", at("link")); err != nil {
		t.Fatal(err)
	}
	write(t, at("via.c"), "#include \"link/h.h\"\nint main(void) { return N; }")
	for _, c := range []struct {
		name, file string
		virtual    map[string][]byte
		want       string
	}{
		{"the unit", "p.c", map[string][]byte{at("p.c"): []byte("int main(void) { return 77; }")}, "ret i32 77"},
		{"a header", "p.c", map[string][]byte{at("inc/h.h"): []byte("#define N 78\n")}, "ret i32 78"},
		{"a header through a link", "via.c", map[string][]byte{at("inc/h.h"): []byte("#define N 79\n")}, "ret i32 79"},
		{"a header whose buffer has the link's name", "p.c", map[string][]byte{at("link/h.h"): []byte("#define N 80\n")},
			"ret i32 80"},
		{"files that are not saved yet", "new.c",
			map[string][]byte{at("new.c"): []byte("#include \"new/n.h\"\nint main(void) { return N; }"),
				at("new/n.h"): []byte("#define N 81\n")}, "ret i32 81"},
		{"a unit in a folder that is not there, and a file beside the folder", "none/deep/new.c",
			map[string][]byte{at("none/deep/new.c"): []byte("#include \"../../inc/h.h\"\n#include \"../n.h\"\n" +
				"int main(void) { return N + M; }"), at("none/n.h"): []byte("#define M 84\n")}, "ret i32 85"},
		{"a header in a folder that is not there", "p.c",
			map[string][]byte{at("inc/h.h"): []byte("#include \"../none/n.h\"\n"),
				at("none/n.h"): []byte("#include \"../more.h\"\n"), at("more.h"): []byte("#define N 86\n")}, "ret i32 86"},
		{"what is on disk as well", "p.c", map[string][]byte{at("inc/h.h"): []byte("#define N 1\n")}, "ret i32 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := build(t, Request{Entry: "main", EntryUnit: unit(dir, c.file, ""), Virtual: c.virtual})
			if !strings.Contains(string(m.Text), c.want) {
				t.Errorf("no %q in\n%s", c.want, m.Text)
			}
			for _, f := range append(m.Files, string(m.Text)) {
				if strings.Contains(f, "buffer0") {
					t.Errorf("the name of a temporary file shows: %s", f)
				}
			}
		})
	}
	t.Run("error in a buffer", func(t *testing.T) {
		e := compileError(t, Request{Entry: "main", EntryUnit: unit(dir, "bad.c", ""),
			Virtual: map[string][]byte{at("bad.c"): []byte("\nint main(void) { return x; }")}})
		if d := e.Diagnostics[0]; d.File != at("bad.c") || d.Line != 2 || d.Column != 25 {
			t.Errorf("%+v", d)
		}
	})
	t.Run("error on disk only", func(t *testing.T) {
		write(t, at("inc/h.h"), "#error not saved\n")
		m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "via.c", ""),
			Virtual: map[string][]byte{at("inc/h.h"): []byte("#define N 82\n")}})
		if !strings.Contains(string(m.Text), "ret i32 82") {
			t.Error("the file on disk was used")
		}
	})
	t.Run("cached", func(t *testing.T) {
		age(t, dir)
		tc, runs := counting(t)
		r := Request{Entry: "main", EntryUnit: unit(dir, "via.c", ""), Store: cache.Open(t.TempDir(), cache.Options{}),
			Virtual: map[string][]byte{at("inc/h.h"): []byte("#define N 83\n")}}
		for _, n := range []string{"83", "84", "83"} {
			r.Virtual[at("inc/h.h")] = []byte("#define N " + n + "\n")
			m, err := tc.Build(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(m.Text), "ret i32 "+n) {
				t.Errorf("not %s", n)
			}
		}
		if runs() == 0 {
			t.Error("clang never ran")
		}
	})
}

// TestNothingAppeared checks that only folders that changed are searched.
func TestNothingAppeared(t *testing.T) {
	t.Parallel()
	dir := files(t, "p.c", "#include <l.h>\nint main(void) { return L; }", "first/other.h", "", "second/l.h",
		"#define L 10\n")
	age(t, dir)
	time.Sleep(settled + 50*time.Millisecond) // the change time of an inode cannot be set
	tc, runs := counting(t)
	r := Request{Entry: "main", EntryUnit: unit(dir, "p.c", "-Ifirst -Isecond -Ithird"),
		Store: cache.Open(t.TempDir(), cache.Options{})}
	step := func(what string, want int) {
		t.Helper()
		if _, err := tc.Build(context.Background(), r); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if have := runs(); have != want {
			t.Errorf("%s: clang ran %d times, want %d", what, have, want)
		}
	}
	step("first time", 1)

	state := folderState(filepath.Join(dir, "first"))
	if again := folderState(filepath.Join(dir, "first")); runtime.GOOS == "linux" && (state == "" || again != state) {
		t.Errorf("the state of a folder is %q, then %q", state, again)
	}
	step("unchanged", 0)
	write(t, filepath.Join(dir, "first", "unrelated.h"), "")
	if folderState(filepath.Join(dir, "first")) == state {
		t.Error("a file appeared, and the state is the same")
	}
	step("another file appeared", 0)
	write(t, filepath.Join(dir, "third", "l.h"), "#define L 20\n")
	step("a header appeared", 1)
	write(t, filepath.Join(dir, "first", "l.h"), "#define L 30\n")
	age(t, dir)
	step("one appeared that is found earlier", 1)
}

// TestUnitKeyNamesTheProgram checks that the key contains the build of this program. Another build may rewrite sources
// and assembly differently.
func TestUnitKeyNamesTheProgram(t *testing.T) {
	c := &compilation{Toolchain: &Toolchain{Clang: "clang", Version: "14"}, request: &Request{}}
	u := Unit{File: "a.c", Dir: "/"}
	first, again, other := c.unitKey("build 1", u, nil, nil, nil), c.unitKey("build 1", u, nil, nil, nil),
		c.unitKey("build 2", u, nil, nil, nil)
	if first == other {
		t.Error("two builds share a key")
	}
	if first != again {
		t.Error("one build has two keys")
	}
}
