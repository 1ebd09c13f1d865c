package assistant

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A server that is attached to an editor checks the unsaved texts of its buffers. Edits lie over them, and the runs are
// those of the editor's workspace.
func TestAttached(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "p.c")
	const saved = "#include <unitproof.h>\nint main(void) { int x = nd_int(); sassert(x != 7); }\n"
	for name, text := range map[string]string{"unitproof.toml": "\n", "p.c": saved} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var listener atomic.Pointer[func(editing.Update)]
	pool := pipeline.NewPool(pipeline.PoolOptions{})
	defer pool.Close()
	w := editing.NewWorkspace(editing.Options{Folders: []string{dir}, Trusted: true, Pool: pool, Manual: true},
		func(u editing.Update) {
			if f := listener.Load(); f != nil {
				(*f)(u)
			}
		})
	defer w.Close()
	buffers := map[string][]byte{path: []byte(strings.Replace(saved, "int x", "/* typed */ int x", 1))}
	w.SetBuffer(path, buffers[path])
	server, err := New(dir, Options{CacheDir: t.TempDir(), Attached: &Attached{Workspace: w, Pool: pool,
		Buffers: func() map[string][]byte { return buffers },
		Updates: func(f func(editing.Update)) { listener.Store(&f) }}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), serverEnd, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), clientEnd, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	call := func(name string, in any) string {
		r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		return r.Content[0].(*mcp.TextContent).Text
	}
	if text := call("check", nil); !strings.Contains(text, `"verdict":"failed"`) {
		t.Errorf("check answers %s", text)
	}
	if p := w.Snapshot().Proofs()[0]; p.Result == nil || p.Result.Verdict != found.Failed {
		t.Errorf("the editor does not see the run: %+v", p)
	}
	text := call("try", edits(edit("p.c", "/* typed */ int x = nd_int();", "int x = nd_int(); assume(x > 7);")))
	if !strings.HasPrefix(text, `{"verdict":"proved"`) {
		t.Errorf("try answers %s", text)
	}
	if p := w.Snapshot().Proofs()[0]; p.Result.Verdict != found.Failed {
		t.Error("an edit of try has changed the editor's result")
	}
}
