package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// acceptance returns the folder with the acceptance set.
func acceptance(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../testdata/acceptance")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAcceptanceSet(t *testing.T) {
	dir := acceptance(t)
	w, err := Open(dir, Flags{})
	if err != nil {
		t.Fatal(err)
	}
	proofs, problems := w.Proofs([]string{dir})
	if len(problems) > 0 {
		t.Fatal(Problems(problems))
	}
	byFile := map[string][]string{}
	for _, p := range proofs {
		if p.Line == 0 || p.Column == 0 {
			t.Errorf("%s: the entry %s has no position", p.Name, p.Entry)
		}
		byFile[p.File] = append(byFile[p.File], p.Name)
	}
	for _, f := range walk(dir).files {
		names := byFile[f]
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), "flags: --entry ") {
			continue // it uses no name of the proof language, and the test names its entry
		}
		want := 1
		if filepath.Base(f) == "two_entries_harness.c" {
			want = 2
			if len(names) != 2 || names[0] != "two_entries.stack_drop_harness" || names[1] != "two_entries.stack_push_harness" {
				t.Errorf("names of %s: %q", f, names)
			}
		}
		if filepath.Base(filepath.Dir(f)) == "third" { // each contract in them is a proof
			want = max(len(names), 1)
		}
		if len(names) != want {
			t.Errorf("%s: proofs %q, want %d", f, names, want)
		}
		alone, problems := w.Proofs([]string{f})
		if len(problems) > 0 || len(alone) != want || alone[0].Name != names[0] {
			t.Errorf("%s alone: %d proofs, %v", f, len(alone), problems)
		}
	}
}
