package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/links"
)

// TestDocumentsThatCount checks that only some open documents are compared with a proof's dependencies: those that
// were edited since the snapshot, and those with two names.
func TestDocumentsThatCount(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := editing.NewWorkspace(editing.Options{Folders: []string{dir}}, nil)
	defer w.Close()
	v := &view{docs: documents{}}
	open := func(name string) string {
		path := filepath.Join(dir, name)
		v.docs[path] = &document{path: path, real: links.Resolve(path), text: newText([]byte("int x;\n"))}
		w.SetBuffer(path, []byte("int x;\n"))
		return path
	}
	for i := range 50 {
		open(fmt.Sprintf("%d.c", i))
	}
	if v.snapshot, err = w.Applied(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v.behind() || len(v.unsettled) != 0 {
		t.Errorf("nothing was edited, and %d documents are compared", len(v.unsettled))
	}

	v = &view{docs: v.docs}
	if err := os.WriteFile(filepath.Join(dir, "real.c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.c", filepath.Join(dir, "link.c")); err != nil {
		t.Fatal(err)
	}
	link := open("link.c")
	if v.snapshot, err = w.Applied(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v.behind() || len(v.unsettled) != 1 || v.unsettled[0].path != link {
		t.Errorf("a document with two names: %v, %d compared", v.behind(), len(v.unsettled))
	}

	edited := v.docs[filepath.Join(dir, "7.c")]
	v = &view{docs: v.docs.without(link), snapshot: v.snapshot}
	edited.text = newText([]byte("int y;\n"))
	if !v.behind() || len(v.unsettled) != 1 || v.unsettled[0] != edited {
		t.Errorf("an edit that the workspace does not know: %v, %d compared", v.behind(), len(v.unsettled))
	}
}
