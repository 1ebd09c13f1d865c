package pipeline

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/project"
)

// The commands in CI files select the proofs that they name, and all if it is not certain.
func TestCIRuns(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, dir+".c"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	proofs := []project.Proof{{Name: "a", File: filepath.Join(root, "a", "a.c")},
		{Name: "b", File: filepath.Join(root, "b", "b.c")}}
	for text, want := range map[string][]string{
		"run: unitproof check\n":                           {"a", "b"},
		"run: unitproof check a\n":                         {"a"},
		"run: unitproof check a/a.c && echo b\n":           {"a"},
		"run: unitproof check a; unitproof check b\n":      {"a", "b"},
		"run: unitproof check --timeout 60s \\\n  b\n":     {"b"},
		"run: ./bin/unitproof check --filter '^b$'\n":      {"b"},
		"run: unitproof check --filter=a --json out.json":  {"a"},
		"run: unitproof check $DIR\n":                      {"a", "b"},
		"uses: owner/unitproof@v1\n":                       {"a", "b"},
		"# unitproof check\n":                              nil,
		"run: unitproof doctor\n":                          nil,
		"run: make\n":                                      nil,
		"unitproof_add_proof(a)\n":                         {"a", "b"},
		"run: unitproof audit a --sarif out.sarif | cat\n": {"a"},
	} {
		var got []string
		for i := range proofs {
			if slices.ContainsFunc(ciRuns(root, text), func(r ciRun) bool { return r.selects(&proofs[i]) }) {
				got = append(got, proofs[i].Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q runs %v, want %v", text, got, want)
		}
	}
}
