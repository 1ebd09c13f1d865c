package lsp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// endTime is the time in which the server must end, with a reserve for a loaded machine.
const endTime = 4 * time.Second

// TestServerEnds ends a server in each possible way while a compiler with child processes hangs. The server must end
// soon and leave no process behind.
func TestServerEnds(t *testing.T) {
	for _, hang := range []string{"--version", "-S"} {
		for _, how := range []string{"shutdown", "SIGTERM", "closed pipe"} {
			t.Run(hang+", "+how, func(t *testing.T) {
				bin, dir := t.TempDir(), limits().write(t)
				pid := filepath.Join(bin, "pid")
				script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *%s*) echo $$ >'%s'; sleep 4711 & wait;; "+
					"*) echo 'Debian clang version 14.0.6';; esac\n", hang, pid)
				if err := os.WriteFile(filepath.Join(bin, "clang-14"), []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
				t.Setenv("UNITPROOF_CLANG", filepath.Join(bin, "clang-14"))
				t.Setenv("XDG_CACHE_HOME", t.TempDir())
				f := newFamily(t)
				e, cmd := f.server(t.TempDir(), lsptest.Options{Folders: []string{dir}})
				eventually(t, e, "the compiler", func() bool { _, err := os.Stat(pid); return err == nil })
				begin := time.Now()
				switch how {
				case "shutdown":
					e.Leave()
				case "SIGTERM":
					e.Abandon()
					if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
						t.Fatal(err)
					}
				default:
					e.Abandon()
					e.HangUp()
				}
				<-e.Ended()
				_ = cmd.Wait() // f checks for it
				if took := time.Since(begin); took > endTime {
					t.Errorf("it took %s to end", took)
				}
				for len(f.members()) > 0 && time.Since(begin) < endTime {
					time.Sleep(50 * time.Millisecond)
				}
				for p, line := range f.members() {
					t.Errorf("left: %d %s", p, line)
					_ = syscall.Kill(p, syscall.SIGKILL)
				}
			})
		}
	}
}

// TestServerEndsWhileItLists checks that the server ends soon during the search of a large folder.
func TestServerEndsWhileItLists(t *testing.T) {
	dir := limits().write(t)
	large := filepath.Join(dir, "large.c")
	text := strings.Repeat("int nd_int(void) { return f(1, \"a\") + (2); }\n", 20000)
	if err := os.WriteFile(large, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3000 { // 3 GB to read
		if err := os.Link(large, filepath.Join(dir, fmt.Sprintf("large%d.c", i))); err != nil {
			t.Fatal(err)
		}
	}
	f := newFamily(t)
	e, cmd := f.server(t.TempDir(), lsptest.Options{Folders: []string{dir}})
	listed := len(proofItems(e)) > 0
	begin := time.Now()
	e.Leave()
	<-e.Ended()
	_ = cmd.Wait() // f checks for it
	if took := time.Since(begin); took > endTime {
		t.Errorf("it took %s to end", took)
	}
	if listed {
		t.Error("it was listed before it was told to end, so this shows nothing")
	}
	f.gone("")
}

// neverRead is a pipe whose other end does not read.
type neverRead struct {
	blocked chan struct{}
	wrote   atomic.Bool
	room    atomic.Int64 // capacity of a pipe in bytes
}

func (n *neverRead) Write(p []byte) (int, error) {
	if n.room.Add(int64(-len(p))) >= 0 {
		return len(p), nil
	}
	n.wrote.Store(true)
	<-n.blocked
	return 0, io.ErrClosedPipe
}

// TestClientThatNeverReads checks that a client that sends requests and does not read is disconnected before its
// answers take much memory.
func TestClientThatNeverReads(t *testing.T) {
	out := &neverRead{blocked: make(chan struct{})}
	defer close(out.blocked)
	out.room.Store(64 << 10)
	in, feed := io.Pipe()
	done := make(chan int, 1)
	go func() { done <- Serve(t.Context(), in, out, Options{}) }()
	go func() {
		send := func(text string) error {
			_, err := fmt.Fprintf(feed, "Content-Length: %d\r\n\r\n%s", len(text), text)
			return err
		}
		_ = send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}`)
		for i := 1; i < 200_000; i++ {
			if send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/symbol","params":{"query":""}}`, i)) != nil {
				return
			}
		}
	}()
	select {
	case status := <-done:
		if status != 1 {
			t.Errorf("status %d", status)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("the server goes on")
	}
	feed.Close()
}

// TestEditThatCannotBe sends an invalid edit. The user gets a message, and the file on disk is used until the full
// text is available again.
func TestEditThatCannotBe(t *testing.T) {
	const bad, good = trustedProof, "#include <unitproof.h>\nint main(void) {\n\tint x = nd_int();\n\tassume(x > 5);\n" +
		"\tsassert(x != 5);\n}\n"
	for name, r := range map[string]protocol.Range{
		"inverted":  {Start: protocol.Position{Line: 3, Character: 9}, End: protocol.Position{Line: 3, Character: 2}},
		"elsewhere": {Start: protocol.Position{Line: 300}, End: protocol.Position{Line: 301}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a_harness.c")
			if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
				t.Fatal(err)
			}
			e, _ := connectWith(t, lsptest.Options{Folders: []string{filepath.Dir(path)}}, Options{})
			e.Initialize()
			doc := e.Open(path)
			e.Settle()
			edit := func(r *protocol.Range, text string, version int) {
				e.Notify("textDocument/didChange", map[string]any{
					"textDocument":   map[string]any{"uri": doc.URI, "version": version},
					"contentChanges": []contentChange{{Range: r, Text: text}}})
			}
			edit(&r, "1+", 2)
			edit(&protocol.Range{}, "// on top of a text that is not known\n", 3)
			e.Settle()
			warnings := 0
			for _, m := range e.Messages() {
				if strings.Contains(m.Message, "has lost the text of a_harness.c") {
					warnings++
				}
			}
			if warnings != 1 {
				t.Errorf("the user was told %d times: %+v", warnings, e.Messages())
			}
			// The editor saves its text.
			if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
				t.Fatal(err)
			}
			e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": doc.URI}})
			e.Settle()
			if items := proofItems(e); len(items) != 1 || items[0].Verdict != "failed" || items[0].Stale {
				t.Errorf("after the save: %+v", items)
			}
		})
	}
}
