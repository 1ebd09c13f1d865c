package editing

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/workertest"
)

// TestImportedResults checks that the result of another run on the same files is imported without a run. An edit
// makes it stale, and the proof is checked locally.
func TestImportedResults(t *testing.T) {
	workertest.Race(t)
	const config = "[compile]\nflags = [\"-Iinc\"]\n"
	files := map[string]string{
		"unitproof.toml": config, "inc/a.h": "#define LIMIT 10\n",
		"a_harness.c": "#include <unitproof.h>\n#include \"a.h\"\nint main(void) { int x = nd_int(); assume(x < LIMIT); " +
			"sassert(x < 20); }\n",
		"b_harness.c": "#include <unitproof.h>\nint helper(int x);\nint main(void) { sassert(helper(nd_int()) != 3); }\n",
		"one.c":       "int helper(int x) { return x; }\n",
		"compile_commands.json": `[{"directory": ".", "file": "one.c", "command": "cc one.c"},
  {"directory": ".", "file": "a_harness.c", "command": "cc -Iinc a_harness.c"}]`,
	}
	ci, here := tree(t, files), tree(t, files)
	file := filepath.Join(t.TempDir(), "results.json")
	runElsewhere(t, ci, file)
	var runs started
	w := openReal(t, here, Options{Results: []string{file}}, pipeline.PoolOptions{Jobs: 1}, runs.update)
	expect := func(what, want, ran string, imported ...bool) {
		t.Helper()
		s := syncNow(t, w)
		if got := overview(s); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if got := runs.taken(); got != ran {
			t.Errorf("%s: runs of %q, want %q", what, got, ran)
		}
		for i, p := range s.Proofs() {
			if !p.Fresh || (p.Imported == file) != imported[i] {
				t.Errorf("%s: %s is fresh: %v, imported: %q", what, p.ID, p.Fresh, p.Imported)
			}
		}
	}
	at := func(name string) string { return filepath.Join(here, name) }
	edit := func(name, text string) {
		put(t, here, name, text)
		w.Saved(at(name))
	}
	expect("opened", "a proved, b failed", "", true, true)
	if trace := w.Snapshot().Proofs()[1].Result.Obligations[0].Trace; len(trace) == 0 {
		t.Error("the counterexample of an imported result has no trace")
	}
	edit("inc/a.h", "#define LIMIT 30\n")
	expect("a header", "a failed, b failed", "a", false, true)
	edit("one.c", "int helper(int x) { return x & 1; }\n")
	expect("a source", "a failed, b proved", "b", false, false)
	edit("inc/a.h", "#define LIMIT 10\n")
	edit("one.c", "int helper(int x) { return x; }\n")
	expect("as it was", "a proved, b failed", "", true, true)
	edit("unitproof.toml", config+"[check]\nunwind = 3\n")
	expect("a setting", "a proved, b failed", "a b", false, false)

	// Another run with these settings: the file is watched, and results that are fresh here anyway stay.
	put(t, ci, "unitproof.toml", config+"[check]\nunwind = 3\n")
	put(t, ci, "inc/a.h", "#define LIMIT 12\n")
	runElsewhere(t, ci, file)
	expect("other results", "a proved, b failed", "", false, false)
	edit("inc/a.h", "#define LIMIT 12\n")
	expect("a pull", "a proved, b failed", "", true, false)

	// A missing file of results, and invalid ones.
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.FilesChanged([]string{file})
	expect("broken", "a proved, b failed", "", true, false)
}

// TestImportedWithoutFile checks that a result is rejected if its dependencies lack the proof's own file.
func TestImportedWithoutFile(t *testing.T) {
	dir := tree(t, map[string]string{
		"a_harness.c": "#include <unitproof.h>\nint main(void) { sassert(nd_int() != 3); }\n"})
	file := filepath.Join(t.TempDir(), "results.json")
	runElsewhere(t, dir, file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := diagnostics.ReadDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := w.Proofs(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	on, rests := doc.Proofs[0].RestsOn, pipeline.NewRests(paths.Root(dir), "")
	if why := rests.Fresh(context.Background(), &proofs[0], on, nil); why != "" {
		t.Fatal(why)
	}
	delete(on.Files, "a_harness.c")
	if why := rests.Fresh(context.Background(), &proofs[0], on, nil); !strings.Contains(why, "a_harness.c") {
		t.Errorf("%q", why)
	}
}

// TestImportedResultsAppear checks that a file of results is imported when it appears, even if nothing else changes.
func TestImportedResultsAppear(t *testing.T) {
	files := map[string]string{"unitproof.toml": "[check]\non = \"manual\"\n",
		"a_harness.c": "#include <unitproof.h>\nint main(void) { sassert(nd_int() != 3); }\n"}
	ci, here := tree(t, files), tree(t, files)
	file := filepath.Join(t.TempDir(), "results.json")
	fresh := make(chan bool, 1)
	w := openReal(t, here, Options{Results: []string{file}}, pipeline.PoolOptions{Jobs: 1}, func(u Update) {
		if list := u.Snapshot.Proofs(); len(list) == 1 && list[0].Fresh {
			select {
			case fresh <- list[0].Imported == file:
			default:
			}
		}
	})
	if p := syncNow(t, w).Proofs()[0]; p.Result != nil {
		t.Fatal("there is a result already")
	}
	runElsewhere(t, ci, file)
	select {
	case imported := <-fresh:
		if !imported {
			t.Error("the proof was checked here")
		}
	case <-time.After(time.Minute):
		t.Fatal("the results were not taken over")
	}
}

// runElsewhere checks the proofs of a folder and writes their results to a file.
func runElsewhere(t *testing.T, dir, file string) {
	t.Helper()
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := w.Proofs(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	root := paths.Root(dir)
	batch := pipeline.Batch{Settings: pipeline.Settings{Root: root}, Proofs: proofs, Define: w.Definitions,
		Rests: pipeline.NewRests(root, "")}
	var list []diagnostics.Proof
	for _, r := range pipeline.Run(context.Background(), batch, pipeline.PoolOptions{Jobs: 1, InProcess: true}, nil) {
		if r.Proof.RestsOn == nil {
			t.Fatalf("%s does not tell what it rests on: %s", r.Proof.Name, r.Proof.Reason)
		}
		list = append(list, r.Proof)
	}
	var out bytes.Buffer
	doc := diagnostics.NewDocument("unitproof test", diagnostics.Toolchain{}, list).ForOthers()
	if err := diagnostics.WriteJSON(&out, doc); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
