package editing

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/ondisk"
)

// TestSavedDocumentsAreNotSent checks that a document that equals its file is not sent to runs: a hundred of them
// made each run five times as long.
func TestSavedDocumentsAreNotSent(t *testing.T) {
	dir := t.TempDir()
	saved, typed, unwritten := filepath.Join(dir, "saved.c"), filepath.Join(dir, "typed.c"), filepath.Join(dir, "new.c")
	for _, path := range []string{saved, typed} {
		if err := os.WriteFile(path, []byte("int x;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := newFiles()
	f.setBuffer(saved, []byte("int x;\n"))
	f.setBuffer(typed, []byte("int y;\n"))
	f.setBuffer(unwritten, []byte(""))
	sent := func() map[string][]byte { return f.view().virtual() }
	if v := sent(); len(v) != 2 || string(v[typed]) != "int y;\n" || v[unwritten] == nil {
		t.Errorf("sent: %q", v)
	}
	f.setBuffer(saved, []byte("int z;\n"))
	f.setBuffer(typed, []byte("int x;\n"))
	if v := sent(); len(v) != 2 || string(v[saved]) != "int z;\n" || v[typed] != nil {
		t.Errorf("after edits: %q", v)
	}
	if err := os.WriteFile(saved, []byte("int z;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f.refresh([]string{saved}); sent()[saved] != nil {
		t.Error("a document that was saved is sent")
	}
	// Another program writes the file, so that the document differs from it.
	if err := os.WriteFile(saved, []byte("int w;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f.refresh([]string{saved}); string(sent()[saved]) != "int z;\n" {
		t.Error("the file's text counts, not the document's")
	}
	f.keep(map[string]bool{})
	if v := sent(); v[saved] == nil {
		t.Error("a document whose file is not known is not sent")
	}
}

// TestSaveFindsLostEvents changes a header without an event, and checks that the next save of a dependent file finds
// the change.
func TestSaveFindsLostEvents(t *testing.T) {
	dir := t.TempDir()
	proof, header, other := filepath.Join(dir, "p.c"), filepath.Join(dir, "h.h"), filepath.Join(dir, "o.h")
	for _, path := range []string{proof, header, other} {
		if err := os.WriteFile(path, []byte("int x;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := newState(nil, Options{})
	s.files.track(slices.Values([]string{proof, header, other}))
	about := &basis{files: map[string]ondisk.Hash{}}
	for _, path := range []string{proof, header} {
		about.files[path] = s.files.now.hash(path)
	}
	s.records = []*record{{about: about, differs: map[string]bool{}}, {}}
	if s.saved(proof); !slices.Equal(s.events, []string{proof}) {
		t.Errorf("nothing changed, and looked at is %q", s.events)
	}
	s.events = nil
	for _, path := range []string{header, other} {
		if err := os.WriteFile(path, []byte("int longer;\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s.saved(proof); !slices.Contains(s.events, header) || slices.Contains(s.events, other) || !s.touched[header] {
		t.Errorf("looked at is %q", s.events)
	}
	if changed := s.files.refresh(s.events); !slices.Equal(changed, []string{header}) || s.files.altered(header) {
		t.Errorf("changed is %q", changed)
	}
}
