package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/links"
)

// TestRequestNamesContents checks that a compiler in the folder is identified by its content, and a link by its target.
func TestRequestNamesContents(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(dir, "a_harness.c"), "#include <unitproof.h>\nint main(void) { sassert(1); }\n")
	put(filepath.Join(dir, "tool"), "one")
	put(filepath.Join(other, "one"), "")
	memory := NewMemory()
	asked := func(clang string) string {
		t.Helper()
		put(filepath.Join(dir, ConfigName), "[compile]\nclang = \""+clang+"\"\n")
		w, err := OpenView(dir, View{Memory: memory}, Flags{})
		if err != nil {
			t.Fatal(err)
		}
		proofs, problems := w.Proofs(nil)
		if len(proofs) != 1 || len(problems) != 0 {
			t.Fatal(proofs, problems)
		}
		r := w.Request(proofs, func(path string) string { return string(links.Resolve(path)) })
		return strings.ReplaceAll(strings.ReplaceAll(strings.Join(r.Clangs, " "), dir, "ROOT"), other, "OTHER")
	}
	if got := asked("clang-14"); got != "clang-14" {
		t.Errorf("in PATH: %s", got)
	}
	if got := asked("./none"); got != "ROOT/none" {
		t.Errorf("one that is not there: %s", got)
	}
	// The first half of the output of sha256sum for "one".
	if got := asked("./tool"); got != "ROOT/tool (sha256 7692c3ad3540bb803c020b3aee66cd88)" {
		t.Errorf("in the folder: %s", got)
	}
	before := asked("./tool")
	put(filepath.Join(dir, "tool"), "two")
	if err := os.Chtimes(filepath.Join(dir, "tool"), time.Now(), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := asked("./tool"); got == before {
		t.Errorf("another one: %s", got)
	}
	if err := os.Symlink(filepath.Join(other, "one"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := asked("./link"); got != "ROOT/link -> OTHER/one" {
		t.Errorf("a link out of the folder: %s", got)
	}
	if got := asked(filepath.Join(other, "one")); got != "OTHER/one" {
		t.Errorf("elsewhere: %s", got)
	}
}
