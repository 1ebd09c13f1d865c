package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// StaleSuffix marks diagnostics about an earlier text.
const StaleSuffix = " [before your last edit]"

// Options configure the editor.
type Options struct {
	// Folders are opened as workspace folders.
	Folders []string
	// Capabilities are the client's; nil stands for AllCapabilities.
	Capabilities any
	// Init are the initializationOptions; nil stands for a client that trusts the workspace and shows results of
	// commands.
	Init any
	// Settings is the answer to workspace/configuration for the section unitproof.
	Settings any
	// Answers are titles of actions to choose when the server asks. Without any the editor cannot show questions.
	Answers []string
	// Trace logs all messages of the server.
	Trace bool
}

// Editor is a fake editor with a connection to a server.
type Editor struct {
	t    testing.TB
	opts Options
	out  io.Writer
	in   *bufio.Reader

	writing sync.Mutex
	leaving atomic.Bool
	ended   chan struct{} // closed at the end of the server's messages

	// Truth returns, for contents by path (open documents, else the disk), the diagnostics that may be shown as
	// fresh: prefixes of messages by path. If it is set, Sync asserts it.
	Truth func(contents func(path string) string) map[string][]string

	mu          sync.Mutex
	nextID      int
	pending     map[string]chan *Message
	docs        map[string]*Document // by path
	diagnostics map[string][]protocol.Diagnostic
	raw         map[string]string // the last set of diagnostics as sent
	published   int
	versions    map[string]*int32 // by file, of the last set of diagnostics
	messages    []protocol.ShowMessageParams
	received    map[string]int // notifications and requests of the server by method
	progress    []Progress
	changed     chan struct{} // closed at each message
	marks       map[string][]Mark
	// Initialized is the result of initialize.
	Initialized json.RawMessage
}

// Document is an open document.
type Document struct {
	Path    string
	URI     string
	Version int32
	Text    string
	// versions has the texts of all versions.
	versions map[int32]string
}

// Progress is a $/progress notification.
type Progress struct {
	Token string `json:"token"`
	Value struct {
		Kind        string `json:"kind"`
		Title       string `json:"title"`
		Message     string `json:"message"`
		Percentage  *int   `json:"percentage"`
		Cancellable bool   `json:"cancellable"`
	} `json:"value"`
}

// Mark is a line's verdict.
type Mark struct {
	Line    int    `json:"line"`
	Verdict string `json:"verdict"`
	Stale   bool   `json:"stale"`
	Title   string `json:"title"`
}

// AllCapabilities are the capabilities of an editor like VS Code.
var AllCapabilities = map[string]any{
	"workspace": map[string]any{
		"configuration":         true,
		"workspaceFolders":      true,
		"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
		"codeLens":              map[string]any{"refreshSupport": true},
		"inlayHint":             map[string]any{"refreshSupport": true},
		"workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create", "rename",
			"delete"}},
	},
	"textDocument": map[string]any{
		"publishDiagnostics": map[string]any{"relatedInformation": true, "versionSupport": true, "dataSupport": true,
			"codeDescriptionSupport": true},
		"hover": map[string]any{"contentFormat": []string{"markdown", "plaintext"}},
		"codeAction": map[string]any{"isPreferredSupport": true, "codeActionLiteralSupport": map[string]any{
			"codeActionKind": map[string]any{"valueSet": []string{"quickfix", "source"}}}},
	},
	"window": map[string]any{"workDoneProgress": true},
}

// Connect returns an editor on a connection, without sending a message. The editor reads until in ends.
func Connect(t testing.TB, in io.Reader, out io.Writer, opts Options) *Editor {
	e := &Editor{t: t, opts: opts, in: bufio.NewReader(in), out: out, ended: make(chan struct{}),
		pending: map[string]chan *Message{},
		docs:    map[string]*Document{}, diagnostics: map[string][]protocol.Diagnostic{}, raw: map[string]string{},
		received: map[string]int{}, versions: map[string]*int32{},
		changed: make(chan struct{}), marks: map[string][]Mark{}}
	go e.read()
	return e
}

// Initialize exchanges the first messages with the server.
func (e *Editor) Initialize() {
	e.t.Helper()
	caps := e.opts.Capabilities
	if caps == nil {
		caps = AllCapabilities
	}
	folders := []map[string]any{}
	for _, f := range e.opts.Folders {
		folders = append(folders, map[string]any{"uri": URI(f), "name": filepath.Base(f)})
	}
	init := e.opts.Init
	if init == nil {
		init = map[string]any{"trusted": true, "showsAnswers": true}
	}
	e.Must("initialize", map[string]any{"processId": os.Getpid(), "capabilities": caps, "workspaceFolders": folders,
		"rootUri":               nil,
		"initializationOptions": init}, &e.Initialized)
	e.Notify("initialized", map[string]any{})
}

// Leave shuts the server down.
func (e *Editor) Leave() {
	e.t.Helper()
	e.leaving.Store(true)
	if err := e.Call("shutdown", nil, nil); err != nil {
		e.t.Errorf("%v", err)
	}
	e.Notify("exit", nil)
}

// Abandon declares that the connection may break from now on.
func (e *Editor) Abandon() { e.leaving.Store(true) }

// HangUp closes the pipe to the server.
func (e *Editor) HangUp() {
	if c, ok := e.out.(io.Closer); ok {
		c.Close()
	}
}

// Ended returns a channel that is closed at the end of the server's messages.
func (e *Editor) Ended() <-chan struct{} { return e.ended }

// URI returns the URI of a file in VS Code's spelling.
func URI(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.NewReplacer("+", "%2B", "%20", "%20").Replace(url.PathEscape(p))
		parts[i] = strings.ReplaceAll(parts[i], ":", "%3A")
	}
	return "file://" + strings.Join(parts, "/")
}

// Path is the inverse of URI.
func Path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	return u.Path
}

func (e *Editor) read() {
	defer close(e.ended)
	for {
		m, body, err := readMessage(e.in)
		if err != nil {
			e.mu.Lock()
			for key, answer := range e.pending {
				close(answer)
				delete(e.pending, key)
			}
			e.mu.Unlock()
			if err != io.EOF && !e.leaving.Load() && !strings.Contains(err.Error(), "closed pipe") {
				e.t.Errorf("message of the server: %v", err)
			}
			return
		}
		if e.opts.Trace {
			e.t.Logf("%s ← %.2000s", time.Now().Format("05.000"), body)
		}
		e.handle(m)
	}
}

func (e *Editor) handle(m *Message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() {
		close(e.changed)
		e.changed = make(chan struct{})
	}()
	switch {
	case m.Method == "":
		if answer := e.pending[string(m.ID)]; answer != nil {
			delete(e.pending, string(m.ID))
			answer <- m
			return
		}
		e.received["answer "+string(m.ID)]++
	case len(m.ID) > 0:
		e.received[m.Method]++
		reply := map[string]any{"id": m.ID, "result": nil}
		switch {
		case m.Method == "workspace/configuration":
			reply["result"] = []any{e.opts.Settings}
		case m.Method == "window/showMessageRequest" && e.opts.Answers == nil:
			delete(reply, "result")
			reply["error"] = map[string]any{"code": jsonrpc2.MethodNotFound, "message": "method not found"}
		case m.Method == "window/showMessageRequest":
			reply["result"] = e.answer(m.Params)
		}
		go e.send(reply)
	default:
		e.received[m.Method]++
		e.notification(m)
	}
}

// answer returns the action of a question that is in Options.Answers, or nil.
func (e *Editor) answer(params json.RawMessage) any {
	var p protocol.ShowMessageRequestParams
	if err := json.Unmarshal(params, &p); err != nil {
		e.t.Errorf("window/showMessageRequest: %v", err)
	}
	for _, a := range p.Actions {
		if slices.Contains(e.opts.Answers, a.Title) {
			return a
		}
	}
	return nil
}

// notification stores and checks a notification of the server; e.mu is held.
func (e *Editor) notification(m *Message) {
	switch m.Method {
	case "textDocument/publishDiagnostics":
		e.publish(m.Params)
	case "window/showMessage":
		var p protocol.ShowMessageParams
		if err := json.Unmarshal(m.Params, &p); err != nil {
			e.t.Errorf("%s: %v", m.Method, err)
		}
		e.messages = append(e.messages, p)
	case "$/progress":
		var p Progress
		if err := json.Unmarshal(m.Params, &p); err != nil {
			e.t.Errorf("%s: %v", m.Method, err)
		}
		e.progress = append(e.progress, p)
	case "unitproof/marks":
		var p struct {
			URI   string `json:"uri"`
			Marks []Mark `json:"marks"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			e.t.Errorf("%s: %v", m.Method, err)
		}
		e.marks[Path(p.URI)] = p.Marks
	}
}

func (e *Editor) publish(params json.RawMessage) {
	var p struct {
		URI         string                 `json:"uri"`
		Version     *int32                 `json:"version"`
		Diagnostics *[]protocol.Diagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		e.t.Errorf("diagnostics: %v: %s", err, params)
		return
	}
	if p.Diagnostics == nil {
		e.t.Errorf("diagnostics are null: %s", params)
		return
	}
	var set struct {
		Diagnostics json.RawMessage `json:"diagnostics"`
	}
	if err := json.Unmarshal(params, &set); err != nil {
		e.t.Errorf("diagnostics: %v: %s", err, params)
		return
	}
	e.published++
	path := Path(p.URI)
	last, known := e.raw[p.URI]
	// A set that was on its way when its document was opened is sent again with the document's version.
	opened := p.Version != nil && e.versions[path] == nil
	if known && last == string(set.Diagnostics) && !opened || !known && len(*p.Diagnostics) == 0 {
		e.t.Errorf("an unchanged set was sent again: %.500s", params)
	}
	e.raw[p.URI] = string(set.Diagnostics)
	e.versions[path] = p.Version
	e.diagnostics[path] = *p.Diagnostics
	if d := e.docs[path]; d != nil && p.Version != nil {
		text, known := d.versions[*p.Version]
		if !known {
			e.t.Errorf("diagnostics of version %d of %s, which never was", *p.Version, path)
		}
		for i := range *p.Diagnostics {
			e.checkRange(path, text, &(*p.Diagnostics)[i])
		}
	}
}

// checkRange asserts that a diagnostic lies inside its text.
func (e *Editor) checkRange(path, text string, d *protocol.Diagnostic) {
	start, ok1 := Offset(text, d.Range.Start)
	end, ok2 := Offset(text, d.Range.End)
	if !ok1 || !ok2 || end < start {
		e.t.Errorf("%s: %v lies outside of the text: %s", path, d.Range, d.Message)
	}
	if d.Message == "" || d.Severity == 0 ||
		d.Source != "unitproof" && d.Source != "unitproof strength" {
		e.t.Errorf("%s: an incomplete diagnostic: %+v", path, d)
	}
}

// Diagnostics returns the diagnostics of a file.
func (e *Editor) Diagnostics(path string) []protocol.Diagnostic {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.diagnostics[path])
}

// PublishedFor returns the document version of the last diagnostics of a file; nil if they had none.
func (e *Editor) PublishedFor(path string) *int32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.versions[path]
}

// Shown returns all diagnostics as "FILE:LINE severity message", with file names relative to the first folder,
// sorted.
func (e *Editor) Shown() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for path, list := range e.diagnostics {
		if len(e.opts.Folders) > 0 {
			if rel, err := filepath.Rel(e.opts.Folders[0], path); err == nil {
				path = rel
			}
		}
		for _, d := range list {
			out = append(out, fmt.Sprintf("%s:%d %s %s", path, d.Range.Start.Line+1, strings.ToLower(d.Severity.String()),
				d.Message))
		}
	}
	sort.Strings(out)
	return out
}

// Messages returns the messages of window/showMessage.
func (e *Editor) Messages() []protocol.ShowMessageParams {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// Received returns the number of the server's notifications and requests of a method.
func (e *Editor) Received(method string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.received[method]
}

// ProgressValues returns the progress notifications so far.
func (e *Editor) ProgressValues() []Progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.progress)
}

// Marks returns the marks of a document.
func (e *Editor) Marks(path string) []Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.marks[path])
}

// Await waits until a condition holds. It evaluates the condition after every message of the server.
func (e *Editor) Await(what string, condition func() bool) {
	e.t.Helper()
	deadline := time.After(Patience)
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		if condition() {
			return
		}
		select {
		case <-changed:
		case <-e.ended:
			if !condition() {
				e.t.Fatalf("%s: the server left", what)
			}
			return
		case <-deadline:
			e.t.Fatalf("%s: not within %s; shown is\n%s", what, Patience, strings.Join(e.Shown(), "\n"))
		}
	}
}

// Sync waits until all earlier messages were applied and the results published, and asserts Truth.
func (e *Editor) Sync() {
	e.t.Helper()
	e.Must("unitproof/sync", map[string]any{}, nil)
	e.checkTruth()
}

// Settle waits until no run is active, and asserts Truth.
func (e *Editor) Settle() {
	e.t.Helper()
	e.Must("unitproof/sync", map[string]any{"settle": true}, nil)
	e.checkTruth()
}

func (e *Editor) checkTruth() {
	e.t.Helper()
	if e.Truth == nil {
		return
	}
	truth := e.Truth(e.Content)
	e.mu.Lock()
	defer e.mu.Unlock()
	for path, list := range e.diagnostics {
		for _, d := range list {
			// The server may append the names of proofs.
			holds := slices.ContainsFunc(truth[path], func(m string) bool { return strings.HasPrefix(d.Message, m) })
			if !strings.HasSuffix(d.Message, StaleSuffix) && !holds {
				e.t.Errorf("%s:%d: looks fresh and is not: %q; fresh would be %q", path, d.Range.Start.Line+1, d.Message,
					truth[path])
			}
		}
	}
}

// Diagnostic is the protocol's type, so that users of this package need not import the protocol.
type Diagnostic = protocol.Diagnostic
