package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/lsp/rpc"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/workertest"
)

// connect starts a server in this process. The channel receives its exit status.
func connect(t *testing.T, opts lsptest.Options) (*lsptest.Editor, <-chan int) {
	t.Helper()
	return connectWith(t, opts, Options{Version: "test"})
}

func connectWith(t *testing.T, opts lsptest.Options, server Options) (*lsptest.Editor, <-chan int) {
	t.Helper()
	workertest.Sample(t)
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	status := make(chan int, 1)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		status <- Serve(ctx, toServer, fromServer, server)
		fromServer.Close()
	}()
	e := lsptest.Connect(t, toEditor, fromEditor, opts)
	t.Cleanup(func() {
		e.Abandon()
		cancel()
		fromEditor.Close()
		<-ended
		<-e.Ended()
	})
	return e, status
}

// initialize connects and exchanges the first messages.
func initialize(t *testing.T, opts lsptest.Options) *lsptest.Editor {
	t.Helper()
	e, _ := connect(t, opts)
	e.Initialize()
	return e
}

// during registers a request handler for the duration of a test.
func during(t *testing.T, method string, handle func(context.Context, *view) (any, error)) {
	t.Helper()
	requests[method] = func(ctx context.Context, v *view, _ json.RawMessage) (any, error) { return handle(ctx, v) }
	t.Cleanup(func() { delete(requests, method) })
}

func wait(t *testing.T, r *lsptest.Request, result any) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), lsptest.Patience)
	defer cancel()
	return r.Wait(ctx, result)
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var answer *lsptest.Error
	if !errors.As(err, &answer) || answer.Code != code {
		t.Errorf("got %v, want the code %d", err, code)
	}
}

// TestCancel cancels requests with all kinds of IDs. Trap: the library rejects numeric IDs in $/cancelRequest, so
// that cancelling never works, and its IDs end at 2^31.
func TestCancel(t *testing.T) {
	during(t, "test/block", func(ctx context.Context, _ *view) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	e := initialize(t, lsptest.Options{})
	for _, id := range []any{7001, "seven", int64(1) << 40, "", "ä\"", -3} {
		r := e.Start(id, "test/block", nil)
		e.Notify("$/cancelRequest", map[string]any{"id": id})
		wantCode(t, wait(t, r, nil), int(rpc.RequestCancelled))
	}
	// Cancelling an unknown request has no answer.
	e.Notify("$/cancelRequest", map[string]any{"id": 99})
	e.Notify("$/cancelRequest", map[string]any{"id": []int{1}})
	e.Notify("$/cancelRequest", nil)
	e.Sync()
}

// TestRequestsAreConcurrent checks that a slow request delays no other, and that a request sees the documents of its
// arrival. Trap: the library's async handler is serial.
func TestRequestsAreConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.c") // the server searches the folder
	release := make(chan struct{})
	during(t, "test/text", func(ctx context.Context, v *view) (any, error) {
		<-release
		return string(v.docs[path].text.data), nil
	})
	e := initialize(t, lsptest.Options{})
	d := e.OpenText(path, "one")
	first := e.Start(nil, "test/text", nil)
	e.Edit(d, 0, 0, "twenty") // Trap: an insertion at 0:0 is no replacement
	second := e.Start(nil, "test/text", nil)
	e.Sync() // is answered while both wait
	close(release)
	var a, b string
	if err := errors.Join(wait(t, first, &a), wait(t, second, &b)); err != nil {
		t.Fatal(err)
	}
	if a != "one" || b != "twentyone" {
		t.Errorf("got %q and %q", a, b)
	}
}

// TestHandlerCallsClient checks that a handler can call the client. Trap: with the library it deadlocks.
func TestHandlerCallsClient(t *testing.T) {
	during(t, "test/ask", func(ctx context.Context, v *view) (any, error) {
		var answer []json.RawMessage
		err := v.conn.Call(ctx, "workspace/configuration", map[string]any{"items": []any{}}, &answer)
		return len(answer), err
	})
	e := initialize(t, lsptest.Options{})
	n := 0
	e.Must("test/ask", nil, &n)
	if n != 1 {
		t.Errorf("the client answered with %d settings", n)
	}
}

func TestPanicIsAnAnswer(t *testing.T) {
	during(t, "test/panic", func(context.Context, *view) (any, error) { panic("oh") })
	e := initialize(t, lsptest.Options{})
	wantCode(t, e.Call("test/panic", nil, nil), -32603)
	e.Sync()
}

// TestMalformedMessages checks that malformed and odd messages get an error or no answer, and that the next message
// is served.
func TestMalformedMessages(t *testing.T) {
	e := initialize(t, lsptest.Options{})
	for _, m := range []struct {
		text    string
		answers int // with ID null
	}{
		{string(lsptest.Frame(`{"jsonrpc":"2.0","id":`)), 1},
		{string(lsptest.Frame(`[]`)), 1},
		{string(lsptest.Frame(`[{"jsonrpc":"2.0","id":1,"method":"x"}]`)), 1},
		{string(lsptest.Frame(`"x"`)), 1},
		{string(lsptest.Frame(`{}`)), 1},
		{string(lsptest.Frame(`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`)), 1},
		{"Content-Length: 123456789012\r\n\r\n", 1},
		{"rubbish\r\n\r\n", 1},
		{string(lsptest.Frame(`{"jsonrpc":"2.0","id":4711,"result":null}`)), 0}, // no such request
		{string(lsptest.Frame(`{"jsonrpc":"2.0","method":"no/such"}`)), 0},
		{string(lsptest.Frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":7}`)), 0},
		{string(lsptest.Frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///never/opened.c"}}}`)), 0},
		{string(lsptest.Frame(`{"jsonrpc":"2.0","method":"initialized"}`)), 0}, // twice
	} {
		before := e.Received("answer null")
		e.SendRaw([]byte(m.text))
		e.Sync()
		if got := e.Received("answer null") - before; got != m.answers {
			t.Errorf("%q: %d answers, want %d", m.text, got, m.answers)
		}
	}
	wantCode(t, e.Call("no/such", nil, nil), -32601)
	wantCode(t, e.Call("textDocument/hover", 7, nil), -32602)
	wantCode(t, e.Call("initialize", map[string]any{}, nil), -32600)
}

func TestOutOfOrder(t *testing.T) {
	e, status := connect(t, lsptest.Options{})
	wantCode(t, e.Call("textDocument/hover", map[string]any{}, nil), -32002)
	wantCode(t, e.Call("shutdown", nil, nil), -32002)
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///x.c", "text": "x"}})
	e.Initialize()
	e.Must("shutdown", nil, nil)
	e.Abandon()
	wantCode(t, e.Call("textDocument/hover", map[string]any{}, nil), -32600)
	wantCode(t, e.Call("shutdown", nil, nil), -32600)
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "file:///x.c", "text": "x"}})
	e.Notify("exit", nil)
	if got := <-status; got != 0 {
		t.Errorf("exit status %d after shutdown", got)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	e, status := connect(t, lsptest.Options{})
	e.Initialize()
	e.Abandon()
	e.Notify("exit", nil)
	if got := <-status; got != 1 {
		t.Errorf("exit status %d without shutdown", got)
	}
}

// TestClientDies checks that the server ends with its client, even if another process holds the pipe open.
func TestClientDies(t *testing.T) {
	client := exec.Command("sleep", "1000")
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	e, status := connect(t, lsptest.Options{})
	e.Abandon()
	e.Must("initialize", map[string]any{"processId": client.Process.Pid, "capabilities": map[string]any{}}, nil)
	select {
	case <-status:
		t.Fatal("the server left while its client lives")
	case <-time.After(100 * time.Millisecond):
	}
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-status
	_ = client.Wait() // killed
}

// TestDocumentsOfOtherSchemes opens documents that are not files. Trap: the library's URI.Filename panics on these.
func TestDocumentsOfOtherSchemes(t *testing.T) {
	e := initialize(t, lsptest.Options{})
	for _, uri := range []string{"untitled:Untitled-1", "git:/a/b.c?ref", "vscode-notebook-cell:/x", "", "%%"} {
		doc := map[string]any{"uri": uri, "languageId": "c", "version": 1, "text": "int main(void) { sassert(0); }"}
		e.Notify("textDocument/didOpen", map[string]any{"textDocument": doc})
		e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri, "version": 2},
			"contentChanges": []any{map[string]any{"text": "x"}}})
		e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}})
		var lenses []any
		e.Must("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}, &lenses)
		if lenses == nil || len(lenses) > 0 {
			t.Errorf("%s: lenses %v", uri, lenses)
		}
		e.Must("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri},
			"position": map[string]any{"line": 0, "character": 0}}, nil)
		e.Must("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri}}, nil)
		e.Must("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": uri}}, nil)
		e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	}
	e.Sync()
	if shown := e.Shown(); len(shown) > 0 {
		t.Errorf("shown: %v", shown)
	}
}

func TestInitializeResult(t *testing.T) {
	e, _ := connect(t, lsptest.Options{Capabilities: map[string]any{
		"general": map[string]any{"positionEncodings": []string{"utf-32", "utf-8"}}}})
	e.Initialize()
	var r struct {
		Capabilities struct {
			PositionEncoding  string `json:"positionEncoding"`
			InlayHintProvider bool   `json:"inlayHintProvider"`
			TextDocumentSync  struct {
				Change int `json:"change"`
			} `json:"textDocumentSync"`
			ExecuteCommandProvider struct {
				Commands []string `json:"commands"`
			} `json:"executeCommandProvider"`
			Experimental struct {
				Unitproof struct {
					Protocol int `json:"protocol"`
				} `json:"unitproof"`
			} `json:"experimental"`
		} `json:"capabilities"`
		ServerInfo struct{ Name, Version string } `json:"serverInfo"`
	}
	if err := json.Unmarshal(e.Initialized, &r); err != nil {
		t.Fatal(err)
	}
	c := r.Capabilities
	if c.PositionEncoding != "utf-8" || !c.InlayHintProvider || c.TextDocumentSync.Change != 2 ||
		c.Experimental.Unitproof.Protocol != 1 ||
		r.ServerInfo.Name != "unitproof" || r.ServerInfo.Version != "test" {
		t.Errorf("got %s", e.Initialized)
	}
	for _, name := range c.ExecuteCommandProvider.Commands {
		// VS Code registers these itself; the names must differ from an extension's own.
		if !strings.HasPrefix(name, "unitproof.server.") {
			t.Errorf("the command %s", name)
		}
	}
	if len(c.ExecuteCommandProvider.Commands) != len(commands) {
		t.Errorf("%d commands, want %d", len(c.ExecuteCommandProvider.Commands), len(commands))
	}
}

// TestOddCapabilities checks that malformed capabilities of a client are ignored.
func TestOddCapabilities(t *testing.T) {
	for _, caps := range []any{map[string]any{}, map[string]any{"workspace": 7,
		"textDocument": map[string]any{"hover": []int{1}}}, nil, []int{}} {
		e, _ := connect(t, lsptest.Options{})
		e.Must("initialize", map[string]any{"processId": nil, "capabilities": caps, "rootUri": nil}, nil)
		e.Notify("initialized", nil)
		e.Sync()
	}
}

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		text     string
		problems int
	}{
		{`null`, 0},
		{`{}`, 0},
		{`{"check":{"on":"idle","timeout":"30s","vacuity":"all","checks":{"memory-leak":true}},"jobs":2,"maxMemory":"2G","inlayHints":false}`, 0},
		{`{"unitproof":{"check":{"on":"manual"}}}`, 0},
		{`{"check":{"on":"often","timeout":"soon","vacuity":"some","checks":{"memory-leek":true}},"jobs":-1,"maxMemory":"big"}`, 6},
		{`{"jobs":"many"}`, 1},
	} {
		_, problems := parseSettings(json.RawMessage(test.text))
		if len(problems) != test.problems {
			t.Errorf("%s: %q", test.text, problems)
		}
	}
	s, _ := parseSettings(json.RawMessage(`{"unitproof":{"check":{"on":"manual"},"inlayHints":false,"proveLens":false}}`))
	if *s.Check.On != project.OnManual || s.InlayHints || s.ProveLens {
		t.Errorf("got %+v", s)
	}
}
