package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommitOf checks that the commit is read from all forms of git's files.
func TestCommitOf(t *testing.T) {
	hash := strings.Repeat("0123456789", 4)
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no git": {nil, ""},
		"a branch": {map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/refs/heads/main": hash + "\n"}, "012345678901 (main)"},
		"packed": {map[string]string{".git/HEAD": "ref: refs/heads/a/b\n",
			".git/packed-refs": "# pack-refs\n" + hash + " refs/heads/a/b\n"}, "012345678901 (a/b)"},
		"detached":      {map[string]string{".git/HEAD": hash + "\n"}, "012345678901"},
		"no commit yet": {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ""},
		"a linked work tree": {map[string]string{".git": "gitdir: ROOT/data/worktrees/w\n",
			"data/worktrees/w/HEAD":      "ref: refs/heads/w\n",
			"data/worktrees/w/commondir": "../..\n", "data/refs/heads/w": hash + "\n"}, "012345678901 (w)"},
		"a way out": {map[string]string{".git/HEAD": "ref: ../../secret\n", "secret": hash + "\n"}, ""},
		"something else": {map[string]string{".git/HEAD": "ref: refs/heads/main\n",
			".git/refs/heads/main": "<b>" + hash + "\n"}, ""},
	} {
		dir := t.TempDir()
		for file, text := range test.files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", dir)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := commitOf(filepath.Join(dir, "sub")); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
