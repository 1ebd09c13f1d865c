package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// Options are what the program around a server decides.
type Options struct {
	// Version of the program, for serverInfo.
	Version string
	// Program is this executable, for command lines and the debug adapter.
	Program string
	// CacheDir keeps results and compiled files; "" keeps none. A client's setting wins.
	CacheDir string
	// Worker is the command that starts a worker; nil is this program's.
	Worker []string
	Log    *slog.Logger
}

// Serve talks to one client until it leaves, and returns the exit status that the protocol asks for:
// 0 after a shutdown, else 1.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) int {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		opts: opts, log: opts.Log,
		ctx: ctx, docs: documents{}, encoding: utf16Columns,
		settings: defaultSettings(), replays: map[replayKey]string{}, publish: make(chan struct{}, 1),
		leave: make(chan int, 1), published: newPublished(),
	}
	// Whoever writes may hold s.mu, so this takes no lock.
	s.conn = rpc.New(in, out, opts.Log, func() {
		select {
		case s.leave <- 1:
		default:
		}
	})
	go s.read()
	status := 1
	select {
	case status = <-s.leave:
	case <-ctx.Done():
	}
	s.stop(cancel)
	return status
}

// phase is where the life of a connection is.
type phase int

const (
	created phase = iota
	initialized
	shutDown
)

type server struct {
	opts Options
	log  *slog.Logger
	conn *rpc.Conn
	ctx  context.Context // ends with the connection

	publish chan struct{} // holds one when there may be something to publish
	leave   chan int
	live    atomic.Pointer[engine] // the last one that was made

	mu       sync.Mutex // guards what follows
	phase    phase
	caps     clientCapabilities
	encoding encoding
	docs     documents            // never changed in place
	lost     map[string]*document // by path; see lose
	opened   map[string]bool      // paths of documents that were opened since their diagnostics were sent
	folders  []string
	loose    []string // folders of open documents, when the client opened none
	trusted  *bool    // what the client said, nil for nothing
	// showsAnswers is whether the client shows what commands answer.
	showsAnswers bool
	// commandLinks is whether the client executes links to commands of the server in hovers.
	commandLinks bool
	settings     settings
	focus        focus
	engine       *engine // nil before the settings are known and after shutdown
	shown        *shownTrace
	replays      map[replayKey]string
	// strengths is never changed in place.
	strengths map[editing.ProofID]shownStrength
	looked    bool // at what the machine lacks
	told      bool // the client asked for proofs, so it is told of changes

	looking   sync.WaitGroup // for what the machine lacks
	published *published
	texts     textCache
	real      linkMemory
	pages     kindPages
}

// read takes messages in until they end.
func (s *server) read() {
	for {
		m, err := s.conn.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.log.Error("the client's messages end", "error", err)
			}
			s.exit()
			return
		}
		if done := s.receive(m); done {
			return
		}
	}
}

// exit ends the server with the status that the protocol asks for.
func (s *server) exit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := 1
	if s.phase == shutDown {
		status = 0
	}
	select {
	case s.leave <- status:
	default:
	}
}

// receive handles one message, and reports whether it was the last.
func (s *server) receive(m *rpc.Message) (done bool) {
	switch {
	case m.Method == nil:
		s.conn.Answered(m)
	case m.ID == nil:
		if *m.Method == "exit" {
			s.exit()
			return true
		}
		// a panic is in the log; nobody waits for an answer
		_, _ = s.conn.Guard(*m.Method, func() (any, error) { s.notification(m); return nil, nil })
	default:
		s.request(m)
	}
	return false
}

// notification applies a notification. Unknown ones are ignored, as are those at the wrong time.
func (s *server) notification(m *rpc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *m.Method == "$/cancelRequest" {
		var p struct {
			ID rpc.ID `json:"id"`
		}
		if json.Unmarshal(m.Params, &p) == nil {
			s.conn.Cancel(p.ID)
		}
		return
	}
	if s.phase != initialized {
		s.log.Warn("notification at the wrong time", "method", *m.Method)
		return
	}
	handle := notifications[*m.Method]
	if handle == nil {
		return
	}
	if err := handle(s, m.Params); err != nil {
		s.log.Warn("notification", "method", *m.Method, "error", err)
	}
}

// notifications are called with s.mu held, and wait for nothing.
var notifications map[string]func(s *server, params json.RawMessage) error

// requests are called on goroutines of their own, with the view of their arrival.
var requests map[string]func(ctx context.Context, v *view, params json.RawMessage) (any, error)

func init() {
	notifications = map[string]func(*server, json.RawMessage) error{
		"initialized":                         (*server).initialized,
		"textDocument/didOpen":                notice((*server).didOpen),
		"textDocument/didChange":              notice((*server).didChange),
		"textDocument/didSave":                notice((*server).didSave),
		"textDocument/didClose":               notice((*server).didClose),
		"workspace/didChangeWatchedFiles":     notice((*server).didChangeWatchedFiles),
		"workspace/didChangeWorkspaceFolders": notice((*server).didChangeWorkspaceFolders),
		"workspace/didChangeConfiguration":    notice((*server).didChangeConfiguration),
		"window/workDoneProgress/cancel":      notice((*server).progressCancel),
		"unitproof/trust":                     notice((*server).trust),
		"unitproof/visible":                   notice((*server).visible),
	}
	requests = map[string]func(context.Context, *view, json.RawMessage) (any, error){
		"textDocument/codeLens":    query((*view).codeLens),
		"codeLens/resolve":         query((*view).resolveLens),
		"textDocument/hover":       query((*view).hover),
		"textDocument/inlayHint":   query((*view).inlayHints),
		"textDocument/codeAction":  query((*view).codeActions),
		"workspace/symbol":         query((*view).symbols),
		"workspace/executeCommand": query((*view).executeCommand),
		"unitproof/proofs":         query((*view).allProofs),
		"unitproof/sync":           query((*view).sync),
	}
}

// notice decodes the parameters of a notification.
func notice[P any](handle func(*server, *P) error) func(*server, json.RawMessage) error {
	return func(s *server, params json.RawMessage) error {
		p := new(P)
		if err := json.Unmarshal(params, p); err != nil {
			return err
		}
		return handle(s, p)
	}
}

// query decodes the parameters of a request.
func query[P, R any](handle func(*view, context.Context, *P) (R, error)) func(context.Context, *view,
	json.RawMessage) (any, error) {
	return func(ctx context.Context, v *view, params json.RawMessage) (any, error) {
		p := new(P)
		if len(params) > 0 {
			if err := json.Unmarshal(params, p); err != nil {
				return nil, rpc.Failure(jsonrpc2.InvalidParams, "%v", err)
			}
		}
		return handle(v, ctx, p)
	}
}

// request answers what concerns the connection at once, and everything else on a goroutine.
func (s *server) request(m *rpc.Message) {
	s.mu.Lock()
	phase := s.phase
	s.mu.Unlock()
	refuse := func(code jsonrpc2.Code, text string) { s.conn.Reply(*m.ID, nil, rpc.Failure(code, "%s", text)) }
	switch {
	case *m.Method == "initialize" && phase == created:
		result, err := s.conn.Guard(*m.Method, func() (any, error) { return s.initialize(m.Params) })
		s.conn.Reply(*m.ID, result, err)
		return
	case phase == created:
		refuse(jsonrpc2.ServerNotInitialized, "the first request is initialize")
		return
	case phase == shutDown:
		refuse(jsonrpc2.InvalidRequest, "the server was shut down")
		return
	case *m.Method == "initialize":
		refuse(jsonrpc2.InvalidRequest, "the server was initialized before")
		return
	case *m.Method == "shutdown":
		s.shutdown()
		s.conn.Reply(*m.ID, nil, nil)
		return
	}
	handle := requests[*m.Method]
	if handle == nil {
		refuse(jsonrpc2.MethodNotFound, "no such method: "+*m.Method)
		return
	}
	v := s.view()
	s.conn.Serve(s.ctx, m, func(ctx context.Context) (any, error) { return handle(ctx, v, m.Params) })
}

// shutdown ends all work; what is asked for now is refused.
func (s *server) shutdown() {
	s.mu.Lock()
	s.phase = shutDown
	e := s.engine
	s.engine = nil
	s.mu.Unlock()
	if e == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		e.close()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeTime): // it lists a huge folder, or a disk does not answer
		s.log.Warn("the workspace is busy yet: its checking processes are ended")
		e.pool.Kill()
	}
}

// closeTime is what the workspace gets at the end.
const closeTime = time.Second

// stopTime is what everything gets at the end.
const stopTime = 1500 * time.Millisecond

// stop ends everything that belongs to the connection.
func (s *server) stop(cancel func()) {
	cancel()
	done := make(chan struct{})
	go func() {
		s.shutdown() // which waits for a lock that a writer may hold, to a client that does not read
		s.conn.Close()
		s.looking.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(stopTime):
		s.log.Error("requests did not end")
		if e := s.live.Load(); e != nil {
			e.pool.Kill()
		}
	}
}

// engine is the workspace with its workers, made when the settings are known.
type engine struct {
	server    *server
	pool      *pipeline.Pool
	workspace *editing.Workspace

	// A lock of its own, which nothing else is taken under: the workspace may call update while the
	// server, holding server.mu, gives it inputs.
	mu       sync.Mutex
	snapshot *editing.Snapshot
	batch    batch
	changed  chan struct{}     // closed by the next update
	asked    map[[32]byte]bool // requests of folders that the user was told of
}

// batch is how far the present runs are.
type batch struct{ done, total int }

func (e *engine) close() {
	e.workspace.Close()
	e.pool.Close()
}

// startEngine makes the workspace of the present settings and gives it all open documents. s.mu is held.
func (s *server) startEngine() {
	cacheDir := s.cacheDir()
	trusted, said := s.trustSaid()
	allowed := s.allowed
	if said {
		allowed = nil
	}
	e := &engine{server: s, changed: make(chan struct{}), pool: pipeline.NewPool(pipeline.PoolOptions{
		// the editor stays usable
		Jobs: s.settings.Jobs, Command: s.opts.Worker, Nice: 5, MaxMemory: pipeline.SystemMemory() / 4 * 3,
	})}
	s.engine = e
	s.live.Store(e)
	e.workspace = editing.NewWorkspace(editing.Options{
		Folders: slices.Concat(s.folders, s.loose), CacheDir: cacheDir, Solver: s.settings.Solver,
		Client: s.settings.project(), Trusted: trusted, Allowed: allowed,
		Far:     func(asked remote.Far) remote.Far { return remote.ResolveFar(remote.Far{}, asked, os.Getenv) },
		Results: s.results(),
		Pool:    e.pool, Watch: !s.caps.Workspace.DidChangeWatchedFiles.DynamicRegistration,
	}, e.update)
	for _, d := range s.docs {
		e.workspace.SetBuffer(d.path, d.text.data)
	}
	s.focus.apply(e)
}

// cacheDir is the folder of the present settings; s.mu is held.
func (s *server) cacheDir() string {
	if s.settings.CacheDir != "" {
		return s.settings.CacheDir
	}
	return s.opts.CacheDir
}

// update takes a new snapshot of the workspace.
func (e *engine) update(u editing.Update) {
	e.mu.Lock()
	e.snapshot, e.batch = u.Snapshot, batch{u.Done, u.Total}
	close(e.changed)
	e.changed = make(chan struct{})
	e.mu.Unlock()
	if u.Message != "" {
		e.server.message(protocol.MessageTypeWarning, "unitproof: "+u.Message)
	}
	for _, r := range e.asking(u.Snapshot.Untrusted()) {
		go e.ask(r)
	}
	e.server.wake()
}

// state is what the last update said.
func (e *engine) state() (*editing.Snapshot, batch) {
	if e == nil {
		return nil, batch{}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.snapshot, e.batch
}

// wake has the publisher look at the newest view.
func (s *server) wake() {
	select {
	case s.publish <- struct{}{}:
	default:
	}
}
