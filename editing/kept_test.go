package editing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/workertest"
)

// TestReopen checks that the results of an earlier session are available at once, unless one of their dependencies
// has changed.
func TestReopen(t *testing.T) {
	workertest.Race(t)
	dir, cacheDir := realTree(t), t.TempDir()
	put(t, dir, "proofs/c_harness.c",
		"#include <unitproof.h>\n#include \"c.h\"\nint main(void) { sassert(nd_int() != LIMIT); }\n")
	put(t, dir, "inc/c.h", "#define LIMIT 3\n")
	at := func(name string) string { return filepath.Join(dir, name) }
	open := func(what, want, ran string, opts Options) {
		t.Helper()
		var runs started
		opts.CacheDir = cacheDir
		w := openReal(t, dir, opts, pipeline.PoolOptions{Jobs: 2}, runs.update)
		s := syncNow(t, w)
		if got := overview(s); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if got := runs.taken(); got != ran {
			t.Errorf("%s: runs of %q, want %q", what, got, ran)
		}
		for _, p := range s.Proofs() {
			if !p.Fresh {
				t.Errorf("%s: %s is not fresh", what, p.ID)
			}
			for _, f := range p.Result.Obligations {
				if !strings.Contains(ran, p.Proof.Name) && !f.Cached {
					t.Errorf("%s: a finding of %s does not say that it is from the cache", what, p.ID)
				}
			}
		}
		w.Close()
	}
	const all = "a proved, b proved, c failed"
	open("first", all, "a b c", Options{})
	open("again", all, "", Options{})
	put(t, dir, "inc/a.h", "#define LIMIT 11\n")
	open("a header is another one", "a failed, b proved, c failed", "a", Options{})
	open("again", "a failed, b proved, c failed", "", Options{})
	put(t, dir, "inc/a.h", "#define LIMIT 10\n")
	put(t, dir, "first/c.h", "#define LIMIT 4\n")
	open("a header hides another", all, "a c", Options{})
	if err := os.Remove(at("first/c.h")); err != nil {
		t.Fatal(err)
	}
	open("and goes", all, "c", Options{})
	put(t, dir, "src/twice.c", "int twice(int x) { return 3 * x; }\n")
	open("a source that all link", "a failed, b failed, c failed", "a b c", Options{})
	put(t, dir, "src/twice.c", "int twice(int x) { return x + x; }\n")
	open("as it was", all, "a b c", Options{})

	// Settings, of the workspace and of the client.
	unwind := 3
	open("flags", all, "a b c", Options{Flags: project.Flags{Settings: project.Settings{Unwind: &unwind}}})
	open("other flags have other results", all, "", Options{})
	put(t, dir, "unitproof.toml", realConfig+"[check]\nchecks = { assertion = false }\n")
	var runs started
	w := openReal(t, dir, Options{CacheDir: cacheDir}, pipeline.PoolOptions{Jobs: 2}, runs.update)
	syncNow(t, w)
	if got := runs.taken(); got != "a b c" {
		t.Errorf("a configuration: runs of %q", got)
	}
	w.Close()
	put(t, dir, "unitproof.toml", realConfig)
	open("the configuration as it was", all, "", Options{})
	open("again", all, "", Options{})

	// The header search path of clang.
	t.Setenv("CPATH", at("first"))
	open("the environment", all, "a b c", Options{})
	t.Setenv("CPATH", "")

	// A solver that is selected by name is always run.
	open("another solver", all, "a b c", Options{Solver: "z3"})

	// Broken entries are ignored.
	keys, err := cache.Keys(cacheDir, cache.Results)
	if err != nil || len(keys) == 0 {
		t.Fatal(len(keys), err)
	}
	store := cache.Open(cacheDir, cache.Options{})
	for _, key := range keys {
		store.Put(cache.Results, key, []byte("broken"))
	}
	open("broken entries", all, "a b c", Options{})
	// Without trust there are no results.
	none := NewWorkspace(Options{Folders: []string{dir}, CacheDir: cacheDir}, nil)
	defer none.Close()
	if got := overview(syncNow(t, none)); strings.Contains(got, "proved") {
		t.Errorf("not trusted: %s", got)
	}
}

// TestReopenDefinitions checks that the files that define missing names are a dependency of a stored result.
func TestReopenDefinitions(t *testing.T) {
	workertest.Race(t)
	dir, cacheDir := tree(t, map[string]string{
		"a_harness.c": "#include <unitproof.h>\nint helper(int x);\nint main(void) { int x = nd_int(); assume(x > 0 && x " +
			"< 9); sassert(helper(x) > 0); }\n",
		"one.c": "int helper(int x) { return x; }\n", "two.c": "int other(int x) { return -x; }\n",
		"compile_commands.json": `[{"directory": ".", "file": "one.c", "command": "cc one.c"}, {"directory": ".", "file": "two.c", "command": "cc two.c"}]`,
	}), t.TempDir()
	open := func(what, want, ran string) {
		t.Helper()
		var runs started
		w := openReal(t, dir, Options{CacheDir: cacheDir}, pipeline.PoolOptions{Jobs: 1}, runs.update)
		if got := overview(syncNow(t, w)); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if got := runs.taken(); got != ran {
			t.Errorf("%s: runs of %q, want %q", what, got, ran)
		}
		w.Close()
	}
	open("first", "a proved", "a")
	open("again", "a proved", "")
	put(t, dir, "one.c", "int other(int x) { return x; }\n")
	put(t, dir, "two.c", "int helper(int x) { return -x; }\n")
	open("defined elsewhere", "a failed", "a")
	open("again", "a failed", "")
}
