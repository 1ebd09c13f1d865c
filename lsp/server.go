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

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// Options configure a server.
type Options struct {
	// Version of the program, for serverInfo.
	Version string
	// Program is this executable, for command lines and the debug adapter.
	Program string
	// CacheDir is the folder for results and compiled files; "" for none. A client's setting overrides it.
	CacheDir string
	// Worker is the command that starts a worker; nil for this program's.
	Worker []string
	Log    *slog.Logger
	// Started is called with each new workspace, and returns the service on it. It may be nil, and must not call the
	// functions of Shared at once, except for Updates.
	Started func(Shared) Service
}

// Serve serves one client until it disconnects, and returns the exit status that the protocol prescribes: 0 after a
// shutdown, else 1.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opts Options) int {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		opts: opts, log: opts.Log,
		ctx: ctx, docs: documents{}, encoding: utf16Columns,
		settings: defaultSettings(), replays: map[replayKey]string{},
		heads: map[string]headText{}, executed: map[editing.ProofID]executed{},
		comparisons: map[comparisonKey]*diagnostics.Comparison{},
		exclusions:  map[replayKey]*pipeline.Exclusion{}, ensured: map[*diagnostics.Proof]*pipeline.Ensured{},
		publish: make(chan struct{}, 1),
		leave:   make(chan int, 1), published: newPublished(),
	}
	// A writer may hold s.mu, so this takes no lock.
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

// phase is the state of a connection.
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

	publish chan struct{} // has capacity 1; full if there may be something to publish
	leave   chan int
	live    atomic.Pointer[engine] // the last one created

	mu       sync.Mutex // guards the fields below
	phase    phase
	caps     clientCapabilities
	encoding encoding
	docs     documents            // never changed in place
	lost     map[string]*document // by path; see lose
	opened   map[string]bool      // paths of documents that were opened since their diagnostics were sent
	folders  []string
	loose    []string // folders of open documents, if the client opened none
	trusted  *bool    // the client's statement, or nil
	// showsAnswers reports that the client shows the results of commands.
	showsAnswers bool
	// commandLinks reports that the client executes links to commands of the server in hovers.
	commandLinks bool
	settings     settings
	focus        focus
	engine       *engine // nil before the settings arrive and after shutdown
	shown        *shownTrace
	replays      map[replayKey]string
	exclusions   map[replayKey]*pipeline.Exclusion
	ensured      map[*diagnostics.Proof]*pipeline.Ensured
	heads        map[string]headText
	executed     map[editing.ProofID]executed
	comparisons  map[comparisonKey]*diagnostics.Comparison
	// strengths is never changed in place.
	strengths map[editing.ProofID]shownStrength
	looked    bool // missing tools were searched for
	notifies  bool // the client requested proofs, and is notified of changes

	tokens    sync.Map       // cancels requests: a context.CancelFunc by the client's progress token
	looking   sync.WaitGroup // for the search for missing tools
	published *published
	texts     textCache
	real      linkMemory
	pages     kindPages
}

// read handles messages until the stream ends.
func (s *server) read() {
	for {
		m, err := s.conn.Read()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.log.Error("end of the client's messages", "error", err)
			}
			s.exit()
			return
		}
		if done := s.receive(m); done {
			return
		}
	}
}

// exit ends the server with the status that the protocol prescribes.
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
		// a panic is logged; notifications have no answer
		_, _ = s.conn.Guard(*m.Method, func() (any, error) { s.notification(m); return nil, nil })
	default:
		s.request(m)
	}
	return false
}

// notification handles a notification. Unknown ones are ignored, and so are those in the wrong phase.
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

// notifications are called with s.mu held, and must not block.
var notifications map[string]func(s *server, params json.RawMessage) error

// requests are called on their own goroutines, with the view at their arrival.
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
		"workspace/didCreateFiles":            notice((*server).filesMadeOrDeleted),
		"workspace/didDeleteFiles":            notice((*server).filesMadeOrDeleted),
		"workspace/didRenameFiles":            notice((*server).filesMoved),
		"window/workDoneProgress/cancel":      notice((*server).progressCancel),
		"unitproof/trust":                     notice((*server).trust),
		"unitproof/visible":                   notice((*server).visible),
	}
	requests = map[string]func(context.Context, *view, json.RawMessage) (any, error){
		"callHierarchy/incomingCalls":       query((*view).incomingCalls),
		"callHierarchy/outgoingCalls":       query((*view).outgoingCalls),
		"codeAction/resolve":                query((*view).resolveAction),
		"codeLens/resolve":                  query((*view).resolveLens),
		"inlayHint/resolve":                 query((*view).resolveHint),
		"textDocument/codeLens":             query((*view).codeLens),
		"textDocument/completion":           query((*view).completion),
		"textDocument/diagnostic":           query((*view).documentDiagnostic),
		"textDocument/documentLink":         query((*view).documentLinks),
		"textDocument/documentSymbol":       query((*view).documentSymbols),
		"textDocument/hover":                query((*view).hover),
		"textDocument/inlayHint":            query((*view).inlayHints),
		"textDocument/codeAction":           query((*view).codeActions),
		"workspace/diagnostic":              query((*view).workspaceDiagnostic),
		"workspace/symbol":                  query((*view).symbols),
		"workspace/executeCommand":          query((*view).executeCommand),
		"workspace/willDeleteFiles":         query((*view).willDelete),
		"workspace/willRenameFiles":         query((*view).willRename),
		"textDocument/prepareCallHierarchy": query((*view).prepareHierarchy),
		"textDocument/semanticTokens/full":  query((*view).semanticTokens),
		"unitproof/proofs":                  query((*view).allProofs),
		"unitproof/subjects":                query((*view).subjects),
		"unitproof/sync":                    query((*view).sync),
		"unitproof/tool":                    query((*view).tool),
	}
}

// notice returns a handler that decodes the parameters of a notification.
func notice[P any](handle func(*server, *P) error) func(*server, json.RawMessage) error {
	return func(s *server, params json.RawMessage) error {
		p := new(P)
		if err := json.Unmarshal(params, p); err != nil {
			return err
		}
		return handle(s, p)
	}
}

// query returns a handler that decodes the parameters of a request.
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

// request handles requests about the connection at once, and all others on a new goroutine.
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
		refuse(jsonrpc2.ServerNotInitialized, "the first request must be initialize")
		return
	case phase == shutDown:
		refuse(jsonrpc2.InvalidRequest, "the server was shut down")
		return
	case *m.Method == "initialize":
		refuse(jsonrpc2.InvalidRequest, "the server is already initialized")
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

// shutdown ends all work; later requests are refused.
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
	case <-time.After(closeTime): // it lists a huge folder, or a disk does not respond
		s.log.Warn("the workspace is still busy: its checking processes are killed")
		e.pool.Kill()
	}
}

// closeTime is the time limit for closing the workspace.
const closeTime = time.Second

// stopTime is the time limit for ending everything.
const stopTime = 1500 * time.Millisecond

// stop ends everything that belongs to the connection.
func (s *server) stop(cancel func()) {
	cancel()
	done := make(chan struct{})
	go func() {
		s.shutdown() // waits for a lock that a writer may hold if the client does not read
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

// engine is the workspace with its workers. It is created when the settings have arrived.
type engine struct {
	server    *server
	pool      *pipeline.Pool
	workspace *editing.Workspace

	// mu is separate from server.mu, and no other lock is acquired under it: the workspace may call update while the
	// server, holding server.mu, passes inputs to it.
	mu       sync.Mutex
	snapshot *editing.Snapshot
	batch    batch
	changed  chan struct{}     // closed by the next update
	asked    map[[32]byte]bool // requests of folders that were shown to the user
	listener func(editing.Update)
	service  Service // of Options.Started
}

// batch is the progress of the current runs.
type batch struct{ done, total int }

func (e *engine) close() {
	e.mu.Lock()
	stop := e.service.Stop
	e.mu.Unlock()
	if stop != nil {
		stop()
	}
	e.workspace.Close()
	e.pool.Close()
}

// startEngine creates the workspace from the current settings, and passes all open documents to it. s.mu is held.
func (s *server) startEngine() {
	cacheDir := s.cacheDir()
	trusted, said := s.trustSaid()
	allowed := s.allowed
	if said {
		allowed = nil
	}
	e := &engine{server: s, changed: make(chan struct{}), pool: pipeline.NewPool(pipeline.PoolOptions{
		// the editor stays responsive
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
	s.share(e, cacheDir)
}

// cacheDir returns the cache folder of the current settings; s.mu is held.
func (s *server) cacheDir() string {
	if s.settings.CacheDir != "" {
		return s.settings.CacheDir
	}
	return s.opts.CacheDir
}

// update stores a new snapshot of the workspace.
func (e *engine) update(u editing.Update) {
	e.mu.Lock()
	e.snapshot, e.batch = u.Snapshot, batch{u.Done, u.Total}
	close(e.changed)
	e.changed = make(chan struct{})
	listener := e.listener
	e.mu.Unlock()
	if listener != nil {
		listener(u)
	}
	if u.Message != "" {
		e.server.message(protocol.MessageTypeWarning, "unitproof: "+u.Message)
	}
	for _, r := range e.asking(u.Snapshot.Untrusted()) {
		go e.ask(r)
	}
	e.server.wake()
}

// state returns the snapshot and the progress of the last update.
func (e *engine) state() (*editing.Snapshot, batch) {
	if e == nil {
		return nil, batch{}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.snapshot, e.batch
}

// wake makes the publisher check the newest view.
func (s *server) wake() {
	select {
	case s.publish <- struct{}{}:
	default:
	}
}
