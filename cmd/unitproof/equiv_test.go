package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// comparePair compares two versions of a function.
func comparePair(t *testing.T, pool *pipeline.Pool, function string, before, after []byte) *diagnostics.Comparison {
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
			Settings: pipeline.Settings{Root: paths.Root(dir)}}}
	out, err := c.Compare(context.Background(), function, file)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestComparisons compares the versions of testdata/equiv. A file same_*.c is equivalent to before.c, different_*.c is
// different, and undecided_*.c cannot be compared. "Equivalent" of a version that is not is the worst of all defects.
func TestComparisons(t *testing.T) {
	files, err := filepath.Glob("../../testdata/equiv/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1, InProcess: true})
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
			if kind == "before" || !sampled(title, 4) {
				continue
			}
			t.Run(title, func(t *testing.T) {
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
