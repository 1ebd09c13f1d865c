package lsp

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// TestScenarioResults checks that imported results are shown, and marked as such, until an edit.
func TestScenarioResults(t *testing.T) {
	dir := files{"unitproof.toml": "[check]\non = \"save\"\n", "a_harness.c": "#include <unitproof.h>\n" +
		"int main(void) {\n\tint x = nd_int();\n\tassume(x < 10);\n\tsassert(x < 20);\n}\n"}.write(t)
	path := filepath.Join(dir, "a_harness.c")
	checkInto(t, dir, filepath.Join(dir, "out", "results.json"))
	e, _ := connectWith(t, lsptest.Options{Folders: []string{dir},
		Settings: map[string]any{"results": []string{"out/results.json"}}}, Options{Version: "test", CacheDir: t.TempDir()})
	e.Initialize()
	d := e.Open(path)
	e.Settle()
	title := func() string {
		t.Helper()
		var list struct {
			Proofs []struct {
				Title    string
				Imported bool
			}
		}
		if err := e.Call("unitproof/proofs", map[string]any{}, &list); err != nil || len(list.Proofs) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		if p := list.Proofs[0]; p.Imported != strings.Contains(p.Title, "in CI") {
			t.Errorf("%q, imported: %v", p.Title, p.Imported)
		}
		return list.Proofs[0].Title
	}
	if got := title(); got != "proved in CI" {
		t.Errorf("opened: %q", got)
	}
	e.Replace(d, "x < 10", "x < 11")
	e.Sync()
	if got := title(); got != "proved in CI, before your last edit" {
		t.Errorf("edited: %q", got)
	}
	e.Save(d)
	e.Settle()
	if got := title(); !strings.HasPrefix(got, "proved in ") || strings.Contains(got, "CI") {
		t.Errorf("saved: %q", got)
	}
}

// checkInto checks a folder like the command line, and writes the results with the data that makes them reusable.
func checkInto(t *testing.T, dir, file string) {
	t.Helper()
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, _ := w.Proofs(nil)
	root := paths.Root(dir)
	var list []diagnostics.Proof
	for _, r := range pipeline.Run(context.Background(), pipeline.Batch{Settings: pipeline.Settings{Root: root},
		Proofs: proofs, Define: w.Definitions, Rests: pipeline.NewRests(root, "")},
		pipeline.PoolOptions{Jobs: 1, InProcess: true}, nil) {
		list = append(list, r.Proof)
	}
	var out bytes.Buffer
	if err := diagnostics.WriteJSON(&out, diagnostics.NewDocument("unitproof test", diagnostics.Toolchain{},
		list).ForOthers()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
