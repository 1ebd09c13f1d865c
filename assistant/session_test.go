package assistant

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/pipeline"
)

// The test program is also the worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := pipeline.ServeWorker(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "unitproof:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// files are the files of a project by relative path.
type files map[string]string

// noConfig stands for the text of a unitproof.toml that is not there.
const noConfig = "none"

// session is a client of a server for a project of the test's own.
type session struct {
	*testing.T
	dir    string
	server *Server
	client *mcp.ClientSession
}

// start starts a server and the client of the SDK. At the end of the test the project has to be as it was.
func start(t *testing.T, f files, opts Options) *session {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	switch f["unitproof.toml"] {
	case "":
		f["unitproof.toml"] = "\n"
	case noConfig:
		delete(f, "unitproof.toml")
	}
	for name, text := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if opts.CacheDir == "" {
		opts.CacheDir = t.TempDir()
	}
	server, err := New(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	ctx := t.Context()
	if _, err := server.MCP().Connect(ctx, serverEnd, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, clientEnd, nil)
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		if after := contents(t, dir); after != before {
			t.Errorf("a tool has written into the project:\n%s\nwas\n%s", after, before)
		}
	})
	return &session{t, dir, server, client}
}

// contents are names and sizes of all files of a folder, and their texts.
func contents(t *testing.T, dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %d %q\n", path, len(text), clip(string(text), 2000))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return b.String()
}

// args are the arguments of a call.
type args = map[string]any

// raw calls a tool and returns its text, and whether that is an error. No answer is too large.
func (s *session) raw(tool string, a args) (string, bool) {
	s.Helper()
	r, err := s.client.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return err.Error(), true
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if len(text) > maxAnswer || size(r.StructuredContent) > maxAnswer {
		s.Errorf("%s answers %d bytes, %d of them structured: %.300s", tool, len(text), size(r.StructuredContent), text)
	}
	return text, r.IsError
}

// call calls a tool that has to answer.
func call[Out any](s *session, tool string, a args) (out Out) {
	s.Helper()
	text, failed := s.raw(tool, a)
	if failed {
		s.Fatalf("%s %v: %s", tool, a, text)
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		s.Fatalf("%s: %v: %s", tool, err, text)
	}
	return out
}

// wrong calls a tool that has to refuse, with words that match.
func (s *session) wrong(tool string, a args, want string) {
	s.Helper()
	text, failed := s.raw(tool, a)
	if !failed || !regexp.MustCompile(want).MatchString(text) {
		s.Errorf("%s %v: %q (error: %v), want an error that matches %q", tool, a, text, failed, want)
	}
}

const clampFile = `#include <unitproof.h>
static int clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi - 1 : x; }
void clamp_proof(void) {
  int x = nd_int(), lo = nd_int(), hi = nd_int();
  int r = clamp(x, lo, hi);
  sassert(lo <= r && r <= hi);
}
`
