package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
)

// comparePair compares two versions of a function.
// Mechanisms are switched off.
func comparePair(t *testing.T, pool *pipeline.Pool, function string, before, after []byte,
	off ...vcgen.Mechanism) *diagnostics.Comparison {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "code.c")
	if err := os.WriteFile(file, after, 0o666); err != nil {
		t.Fatal(err)
	}
	limit := 20 * time.Second
	c := &pipeline.Comparer{Revision: &pipeline.Revision{Name: "HEAD", Texts: map[string][]byte{file: before}},
		Generator: pipeline.Generator{Base: dir, Pool: pool,
			Flags:    project.Flags{Settings: project.Settings{Timeout: &limit}},
			Apply:    (&cli.Engine{Disable: off}).Apply,
			Settings: pipeline.Settings{Root: paths.Root(dir)}}}
	out, err := c.Compare(context.Background(), function, file)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOtherPairs compares the pairs of testdata/equiv/pairs/other.txt, which differ, without the steps of lockstep.
// Package equiv has the same test with them. An answer that they are equivalent is wrong, unless the pair allows an
// assumption that excludes the difference, such as that two parameters do not overlap; * is one that is not printed.
func TestOtherPairs(t *testing.T) {
	text, err := os.ReadFile("../../testdata/equiv/pairs/other.txt")
	if err != nil {
		t.Fatal(err)
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 2, InProcess: true})
	t.Cleanup(pool.Close)
	for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		if !sampled(t, title, 24) && !strings.HasPrefix(title, "memory ") { // these alone need larger objects
			continue
		}
		allowed := ""
		if line, more, _ := strings.Cut(rest, "\n"); strings.HasPrefix(line, "assuming: ") {
			allowed, rest = strings.TrimPrefix(line, "assuming: "), more
		}
		before, after, _ := strings.Cut(rest, "\n---\n")
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			out := comparePair(t, pool, "f", []byte(before+"\n"), []byte(after+"\n"), vcgen.Lockstep)
			text := &strings.Builder{}
			diagnostics.WriteComparison(text, out, false)
			t.Log(text)
			if out.Answer == diagnostics.SameBehaviour && allowed != "*" && (allowed == "" ||
				!slices.ContainsFunc(out.Assumed, func(a string) bool { return strings.Contains(a, allowed) })) {
				t.Error("they are called equivalent")
			}
		})
	}
}

// TestAroundFunctions compares versions with changes elsewhere in the edit: of callees in other files, and of flags.
func TestAroundFunctions(t *testing.T) {
	const code = "int g(int); int f(int n) { return g(n); }\n"
	const now = "int g(int); int f(int n) { int r = g(n); return r; }\n"
	command := func(flag string) string {
		return `[{"directory": "<dir>", "file": "code.c", "command": "cc ` + flag + ` -c code.c"}]`
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 2, InProcess: true})
	t.Cleanup(pool.Close)
	for _, row := range []struct {
		name, file, before, after string // of a second file
		answer                    diagnostics.Answer
		says                      string // its reason, or an assumption
	}{
		{"callee", "other.c", "int g(int n) { return n; }", "int g(int n) { return n > 9 ? 9 : n; }",
			diagnostics.OtherBehaviour, "the results differ"},
		{"equal callee", "other.c", "int g(int n) { return n; }", "int g(int n) { int r = n; return r; }",
			diagnostics.SameBehaviour, ""},
		{"callee that needs other flags", "other.c", "#include <none.h>\nint g(int n) { return n; }",
			"#include <none.h>\nint g(int n) { return n + 1; }", diagnostics.SameBehaviour,
			"g does the same as before, although other.c changed, too"},
		{"another file", "other.c", "#include <none.h>\nint k(int n) { return n; }",
			"#include <none.h>\nint k(int n) { return n + 1; }", diagnostics.SameBehaviour,
			"although the edit also changed other.c"},
		{"build", "CMakeLists.txt", "a", "b", diagnostics.SameBehaviour, "CMakeLists.txt changed, too"},
		{"flags", "compile_commands.json", command("-DA=1"), command("-DA=2"), diagnostics.BehaviourUndecided,
			"compile_commands.json has another command for code.c in HEAD"},
		{"other flags", "compile_commands.json", strings.ReplaceAll(command("-DA=1"), "code.c", "other.c"),
			strings.ReplaceAll(command("-DA=2"), "code.c", "other.c"), diagnostics.SameBehaviour, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, other := filepath.Join(dir, "code.c"), filepath.Join(dir, row.file)
			row.before = strings.ReplaceAll(row.before, "<dir>", dir)
			row.after = strings.ReplaceAll(row.after, "<dir>", dir)
			r := &pipeline.Revision{Name: "HEAD", Texts: map[string][]byte{file: []byte(code), other: []byte(row.before)},
				Changed: []string{file}}
			if filepath.Ext(other) == ".c" {
				r.Changed = append(r.Changed, other)
			} else {
				r.Build = []string{other}
			}
			for path, text := range map[string]string{file: now, other: row.after} {
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			c := &pipeline.Comparer{Revision: r, Generator: pipeline.Generator{Base: dir, Pool: pool,
				Settings: pipeline.Settings{Root: paths.Root(dir)}}}
			out, err := c.Compare(context.Background(), "f", file)
			if err != nil {
				t.Fatal(err)
			}
			said := strings.Join(append(out.Assumed, out.Reason), "\n")
			if out.Answer != row.answer || !strings.Contains(said, row.says) || row.says == "" && strings.Contains(said, "too") {
				t.Errorf("%s: %s", out.Answer, said)
			}
		})
	}
}

// TestComparisons compares the versions of testdata/equiv. A file same_*.c is equivalent to before.c, different_*.c is
// different, and undecided_*.c cannot be compared. "Equivalent" of a version that is not is the worst of all defects.
func TestComparisons(t *testing.T) {
	files, err := filepath.Glob("../../testdata/equiv/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 2, InProcess: true})
	t.Cleanup(pool.Close)
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, function, _ := strings.Cut(string(archive.Comment), "function: ")
		function = strings.TrimSpace(function)
		texts := map[string][]byte{}
		for _, f := range archive.Files {
			texts[f.Name] = f.Data
		}
		for _, f := range archive.Files {
			kind, _, _ := strings.Cut(strings.TrimSuffix(f.Name, ".c"), "_")
			title := strings.TrimSuffix(filepath.Base(name), ".txtar") + "/" + f.Name
			if kind == "before" || !sampled(t, title, 8) {
				continue
			}
			t.Run(title, func(t *testing.T) {
				t.Parallel()
				out := comparePair(t, pool, function, texts["before.c"], f.Data)
				text := &strings.Builder{}
				diagnostics.WriteComparison(text, out, false)
				t.Log(text)
				same := out.Answer == diagnostics.SameBehaviour || out.Answer == diagnostics.SameWithinBounds
				if kind == "same" && !same || kind == "different" && out.Answer != diagnostics.OtherBehaviour ||
					kind == "undecided" && out.Answer != diagnostics.BehaviourUndecided {
					t.Errorf("the answer is %s", out.Answer)
				}
			})
		}
	}
}
