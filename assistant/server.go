package assistant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Options are the decisions of the program around a server.
type Options struct {
	Version  string
	CacheDir string   // keeps results and compiled files; "" keeps none
	Worker   []string // the command that starts a worker; nil is this program's
	Jobs     int      // proofs that are checked at the same time; 0: one per CPU
	Log      *slog.Logger
	// Attached is the workspace of a running editor, nil for one of the server's own.
	Attached *Attached
	// Allowed reports whether a folder may have more than the defaults; nil asks the permissions of `unitproof trust`.
	Allowed func(trust.Request) bool
}

// Attached is the workspace of a running language server, which shows the runs of the tools to its user.
type Attached struct {
	Workspace *editing.Workspace
	Pool      *pipeline.Pool
	Buffers   func() map[string][]byte   // the unsaved texts of the editor, by absolute path
	Updates   func(func(editing.Update)) // passes each further update of the workspace to a function
}

// Server answers the tools for one project. It is safe for concurrent use by several sessions.
type Server struct {
	opts Options
	root paths.Root
	pool *pipeline.Pool
	base *space // the files as they are on disk

	// drafting holds one token: the owner works with the workspace that has edits laid over its files.
	drafting chan struct{}
	draft    *space
	budget   budget // of the draft's proofs

	mu     sync.Mutex // guards the fields below
	last   map[editing.ProofID]*seen
	texts  texts
	editor *mcp.ClientSession // of the editor in this process; nil before its first call
}

// seen is the last result of a proof that a tool has answered with.
type seen struct {
	state  *editing.ProofState
	result *diagnostics.Proof
	edits  overlay // that it was checked with
	// unsaved are the texts of the editor at that time.
	unsaved overlay
	budget  budget
}

// budget bounds the checks of a request in place of the project's settings; zero: as configured.
type budget struct {
	steps int           // of the solver for a question
	time  time.Duration // of processors for a proof
}

// texts are the texts in place of files that a result was checked with.
func (x *seen) texts() overlay { return x.unsaved.with(x.edits) }

// stale reports whether the files on disk have changed since a result of them. The files of a try are those of its
// edits, so its result does not get stale.
func (x *seen) stale(now *editing.Snapshot) bool {
	if len(x.edits) > 0 || x.budget != (budget{}) {
		return false
	}
	p := now.Proof(x.state.ID)
	return p == nil || !p.Fresh
}

// New opens a project: the root that a folder belongs to.
func New(folder string, opts Options) (*Server, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	w, err := project.Open(folder, project.Flags{})
	if w == nil {
		return nil, err
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Allowed == nil {
		opts.Allowed = func(r trust.Request) bool {
			store, err := trust.User()
			return err == nil && store.Allowed(r)
		}
	}
	s := &Server{opts: opts, root: paths.Root(w.Root), drafting: make(chan struct{}, 1),
		last: map[editing.ProofID]*seen{}}
	if a := opts.Attached; a != nil {
		s.pool = a.Pool
		s.base = &space{Workspace: a.Workspace, changed: make(chan struct{})}
		a.Updates(s.base.update)
		return s, nil
	}
	s.pool = pipeline.NewPool(pipeline.PoolOptions{Jobs: opts.Jobs, Command: opts.Worker,
		MaxMemory: pipeline.SystemMemory() / 4 * 3})
	s.base = s.newSpace(project.Flags{})
	return s, nil
}

func (s *Server) newSpace(flags project.Flags) *space {
	return newSpace(editing.Options{Folders: []string{string(s.root)}, CacheDir: s.opts.CacheDir, Allowed: s.opts.Allowed,
		Pool: s.pool, Manual: true, Flags: flags})
}

// Close ends all work, but not that of an editor.
func (s *Server) Close() {
	s.mu.Lock()
	editor := s.editor
	s.mu.Unlock()
	if editor != nil {
		if err := editor.Close(); err != nil {
			s.opts.Log.Warn("the session of the editor does not end", "error", err)
		}
	}
	if s.opts.Attached == nil {
		s.base.Close()
	}
	s.drafting <- struct{}{}
	if s.draft != nil {
		s.draft.Close()
	}
	if s.opts.Attached == nil {
		s.pool.Close()
	}
}

// unsaved has the texts of the editor that the server is attached to; nil without an editor.
func (s *Server) unsaved() overlay {
	if s.opts.Attached == nil {
		return nil
	}
	return s.opts.Attached.Buffers()
}

// look has a workspace compare its files with the disk, and returns its state then.
func (s *Server) look(ctx context.Context, w *space) (*editing.Snapshot, error) {
	changed := []string{string(s.root)}
	for _, p := range w.Snapshot().Proofs() {
		for path := range p.Rests {
			if !paths.Within(string(s.root), path) && !pipeline.InSystemFolder(path) {
				changed = append(changed, path)
			}
		}
	}
	slices.Sort(changed)
	w.FilesChanged(slices.Compact(changed))
	return w.Applied(ctx)
}

// request selects proofs, and the conditions of their check.
type request struct {
	names   []string // of proofs or files; none: see Server.check
	edits   overlay  // nil: none
	budget  budget
	explain bool
	tell    func(done, total int)
}

// outcome is the result of a request.
type outcome struct {
	states []*editing.ProofState
	// before are the results that were known of the proofs, in their order; nil for none.
	before []*diagnostics.Proof
	// problems are the problems of configurations.
	problems []string
}

// check has proofs checked, as the files are or with edits, and remembers the results.
func (s *Server) check(ctx context.Context, r request) (*outcome, error) {
	base, err := s.look(ctx, s.base)
	if err != nil {
		return nil, err
	}
	if len(r.edits) == 0 && r.budget == (budget{}) {
		return s.finish(ctx, s.base, base, base, r)
	}
	select {
	case s.drafting <- struct{}{}:
		defer func() { <-s.drafting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.draft == nil || s.budget != r.budget {
		if s.draft != nil {
			s.draft.Close()
		}
		flags := project.Flags{}
		if r.budget.steps > 0 {
			flags.SolverSteps = &r.budget.steps
		}
		if r.budget.time > 0 {
			flags.Timeout = &r.budget.time
		}
		s.draft, s.budget = s.newSpace(flags), r.budget
	}
	texts := s.unsaved().with(r.edits)
	s.draft.Together(func() {
		for path, text := range texts {
			s.draft.SetBuffer(path, text)
		}
	})
	defer s.draft.Together(func() {
		for path := range texts {
			s.draft.CloseBuffer(path)
		}
	})
	draft, err := s.look(ctx, s.draft)
	if err != nil {
		return nil, err
	}
	return s.finish(ctx, s.draft, draft, base, r)
}

// finish checks the proofs of a request in a workspace, and keeps the results.
func (s *Server) finish(ctx context.Context, w *space, now, base *editing.Snapshot, r request) (*outcome, error) {
	proofs, err := s.selected(now, base, r)
	if err != nil {
		return nil, err
	}
	out := &outcome{problems: problemsOf(now, s.root)}
	if len(proofs) == 0 {
		return out, nil
	}
	var ids []editing.ProofID
	for _, p := range proofs {
		if !p.Trusted {
			return nil, untrusted(now, s.root)
		}
		ids = append(ids, p.ID)
	}
	var tell func(int)
	if r.tell != nil {
		tell = func(done int) { r.tell(done, len(ids)) }
	}
	done, err := w.run(ctx, ids, editing.VerifyOptions{Explain: r.explain}, tell)
	if err != nil {
		return nil, err
	}
	unsaved := s.unsaved()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		p := done.Proof(id)
		if p == nil {
			continue
		}
		var before *diagnostics.Proof
		if x := s.last[id]; x != nil {
			before = x.result
		} else if b := base.Proof(id); b != nil && w != s.base {
			before = b.Result
		}
		out.states, out.before = append(out.states, p), append(out.before, before)
		if p.Result != nil {
			s.last[id] = &seen{state: p, result: p.Result, edits: r.edits, unsaved: unsaved, budget: r.budget}
		}
	}
	return out, nil
}

// selected returns the proofs of a request. Without names it selects all proofs; with edits, the proofs whose files are
// edited or whose last results rest on an edited file. If there are none, it selects all.
func (s *Server) selected(now, base *editing.Snapshot, r request) ([]*editing.ProofState, error) {
	if len(r.names) > 0 {
		return byNames(now, s.root, r.names)
	}
	if len(r.edits) == 0 {
		return now.Proofs(), nil
	}
	var list []*editing.ProofState
	for _, p := range now.Proofs() {
		for path := range r.edits {
			if p.Proof.File == path || restsOn(p, path) || restsOn(base.Proof(p.ID), path) {
				list = append(list, p)
				break
			}
		}
	}
	if len(list) == 0 {
		return now.Proofs(), nil
	}
	return list, nil
}

func restsOn(p *editing.ProofState, path string) bool {
	if p == nil {
		return false
	}
	_, rests := p.Rests[path]
	return rests
}

// byNames are the proofs of some names: of proofs, their ids, or their files.
func byNames(now *editing.Snapshot, root paths.Root, names []string) ([]*editing.ProofState, error) {
	var list []*editing.ProofState
	for _, name := range names {
		found := false
		for _, p := range now.Proofs() {
			if name == p.Proof.Name || name == string(p.ID) || name == root.Show(p.Proof.File) || name == p.Proof.File {
				found = true
				if !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
		}
		if !found {
			return nil, noSuchProof(now, name)
		}
	}
	return list, nil
}

// errNoProofs is the error of a project without proofs: an answer without findings would look like a good one.
var errNoProofs = errors.New("the project has no proofs on disk (a C file that includes unitproof.h and defines " +
	"main, proof_NAME, NAME_proof or NAME_harness)")

// noSuchProof is the error for a name that no proof has.
func noSuchProof(now *editing.Snapshot, name string) error {
	var near []string
	for _, p := range now.Proofs() {
		if n := p.Proof.Name; strings.Contains(n, name) || strings.Contains(name, n) {
			near = append(near, n)
		}
	}
	text := fmt.Sprintf("no proof is called %q", clip(name, 100))
	switch all := now.Proofs(); {
	case len(near) > 0:
		text += "; similar: " + strings.Join(near[:min(len(near), 5)], ", ")
	case len(all) == 0:
		text += "; " + errNoProofs.Error()
	default:
		text += fmt.Sprintf("; there are %d, the tool proofs lists them", len(all))
	}
	return errors.New(text)
}

// untrusted is the error for a folder that asks for more than the user has allowed.
func untrusted(now *editing.Snapshot, root paths.Root) error {
	text := fmt.Sprintf("the folder is not trusted, and nothing of it is compiled or run: only the user can allow it, "+
		"with `unitproof trust %s`", root)
	for _, r := range now.Untrusted() {
		text += "; it " + strings.Join(r.Lines(), "; ")
	}
	return errors.New(clip(text, 1500))
}

// problemsOf returns the problems of configurations as text.
func problemsOf(now *editing.Snapshot, root paths.Root) (list []string) {
	for file, problems := range now.Problems() {
		for _, p := range problems {
			list = append(list, clip(fmt.Sprintf("%s:%d: %s", root.Show(file), p.Line, p.Message), 300))
		}
	}
	slices.Sort(list)
	return list
}

// known is the last result of a proof: of a tool, else one that the files still have.
func (s *Server) known(ctx context.Context, name string) (*seen, error) {
	now, err := s.look(ctx, s.base)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var states []*editing.ProofState
	for _, x := range s.last { // a proof of an edit need not be on disk
		if n := x.state.Proof.Name; n == name || string(x.state.ID) == name {
			return x, nil
		}
	}
	if states, err = byNames(now, s.root, []string{name}); err != nil {
		return nil, err
	}
	if len(states) > 1 {
		return nil, fmt.Errorf("%s holds %d proofs: name one of them", name, len(states))
	}
	p := states[0]
	if x := s.last[p.ID]; x != nil {
		return x, nil
	}
	if !p.Trusted {
		return nil, untrusted(now, s.root)
	}
	if p.Result == nil || !p.Fresh {
		return nil, fmt.Errorf("%s has no result yet: check it first", p.Proof.Name)
	}
	x := &seen{state: p, result: p.Result}
	s.last[p.ID] = x
	return x, nil
}

// all are the last results of all proofs, by name.
func (s *Server) all() []*seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*seen
	for _, x := range s.last {
		list = append(list, x)
	}
	for _, p := range s.base.Snapshot().Proofs() {
		if s.last[p.ID] == nil && p.Result != nil && p.Fresh {
			list = append(list, &seen{state: p, result: p.Result})
		}
	}
	slices.SortFunc(list, func(a, b *seen) int { return strings.Compare(string(a.state.ID), string(b.state.ID)) })
	return list
}

// settings returns the settings of a worker's job for a result.
func (s *Server) settings(x *seen) pipeline.Settings {
	return pipeline.Settings{Root: x.state.Root, CacheDir: s.opts.CacheDir}
}

// define finds the definitions that a proof lacks, with the edits of its result.
func (s *Server) define(x *seen) func(*project.Proof, []string) map[string][]project.Unit {
	view := project.View{ReadFile: func(path string) ([]byte, error) {
		if text, ok := x.texts()[path]; ok {
			return text, nil
		}
		return project.ReadFile(path)
	}}
	w, _ := project.OpenView(string(x.state.Root), view, project.Flags{})
	if w == nil { // a configuration without a root: there is nothing to look at
		return nil
	}
	return w.Definitions
}
