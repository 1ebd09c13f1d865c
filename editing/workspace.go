package editing

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/trust"
)

// Options configure a Workspace.
type Options struct {
	Folders []string // absolute
	// Args are files and folders to list instead of the first folder, absolute. The root of that folder stays the
	// same.
	Args     []string
	CacheDir string           // see Settings
	Solver   string           // see Settings
	Client   project.Settings // overrides the defaults, is overridden by [check]
	Trusted  bool             // false: proofs are listed, but compiled only with Allowed
	// Allowed reports whether the user has allowed a root to exceed the defaults; it is called if Trusted is false.
	// Roots within the defaults are trusted. If it is nil, nothing is compiled or run.
	Allowed func(trust.Request) bool
	// Far returns the machines to use for a trusted root whose configuration requests them; nil for none.
	Far func(asked remote.Far) remote.Far
	// Results are files written by "check --results", absolute. Their results are reused if all dependencies are the
	// same here.
	Results []string
	Pool    *pipeline.Pool // runs the checks; not closed by the Workspace
	Watch   bool           // also watch the disk
	Manual  bool           // verify proofs on demand only, whatever the configurations say
	Flags   project.Flags  // override configurations

	check func(context.Context, pipeline.Job) pipeline.Result // replaces the pool in tests
	jobs  int                                                 // with check
	quiet time.Duration                                       // replaces quietTime in tests
}

// Update describes a new snapshot.
type Update struct {
	Snapshot *Snapshot
	Changed  []ProofID // proofs whose state differs from that in the last update
	Removed  []ProofID
	// Done of Total runs of the current batch have ended; 0, 0 if no run is active.
	Done, Total int
	// Files are the files on which proofs may depend that changed on disk since the last update; absolute, sorted.
	Files []string
	// Message is a message about the Workspace for the user, such as that the disk cannot be watched; usually "".
	Message string
}

// VerifyOptions are options of Workspace.Verify.
type VerifyOptions struct {
	Force    bool // also fresh proofs
	Coverage bool // compute the lines that are reached
	Explain  bool // compute the assumptions that proofs rest on (vcgen.Options.Explain)
}

// Workspace keeps the results of the proofs below some folders up to date: it finds the proofs, tracks the
// dependencies of each result, and verifies proofs again when these change.
//
// All of its state belongs to one goroutine (state.go), to which the methods send functions. So inputs are applied in
// the order of the calls, and no method but Applied, Sync and Close blocks. Snapshots are immutable and can be read by
// any goroutine.
type Workspace struct {
	state *state

	mu     sync.Mutex
	ops    []func()
	held   int           // active calls of Together; ops wait for their end
	wake   chan struct{} // holds one token while there are ops
	closed bool
	ended  chan struct{}

	current atomic.Pointer[Snapshot]
	post    *post
}

// errClosed is the error for callers that wait for a closed Workspace.
var errClosed = errors.New("the workspace was closed")

// NewWorkspace returns a Workspace that begins to search for proofs. It calls updates for each new snapshot, in order
// and not concurrently; several changes may be one update.
func NewWorkspace(opts Options, updates func(Update)) *Workspace {
	w := &Workspace{wake: make(chan struct{}, 1), ended: make(chan struct{}), post: newPost(updates)}
	w.state = newState(w, opts)
	w.current.Store(w.state.snapshot())
	w.send(w.state.open)
	go w.loop()
	go w.post.run()
	return w
}

// send makes the loop call f after all functions sent before.
func (w *Workspace) send(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.ops = append(w.ops, f)
	w.rouse()
}

// rouse wakes the loop; w.mu is held.
func (w *Workspace) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Together calls f, and applies the inputs from f as one. Runs may start between two inputs, so without it the first
// of several changed settings would start runs with the old values of the others.
func (w *Workspace) Together(f func()) {
	w.hold(1)
	defer w.hold(-1)
	f()
}

func (w *Workspace) hold(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held += n
	w.rouse()
}

func (w *Workspace) loop() {
	defer close(w.ended)
	for range w.wake {
		w.mu.Lock()
		if w.held > 0 && !w.closed {
			w.mu.Unlock()
			continue
		}
		ops, closed := w.ops, w.closed
		w.ops = nil
		w.mu.Unlock()
		for _, f := range ops {
			f()
		}
		if closed {
			w.state.close()
			return
		}
		w.state.reconcile()
	}
}

// closing reports whether Close was called. The loop then ends after its current step.
func (w *Workspace) closing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Close ends all runs and waits for their end. It must not be called from within an update.
func (w *Workspace) Close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		w.rouse()
	}
	w.mu.Unlock()
	<-w.ended
	w.state.running.Wait()
	w.post.close()
}

// SetFolders replaces the folders.
func (w *Workspace) SetFolders(folders []string) {
	folders = slices.Clone(folders)
	w.send(func() { w.state.setFolders(folders) })
}

// SetClient replaces the client's settings.
func (w *Workspace) SetClient(s project.Settings) { w.send(func() { w.state.setClient(s) }) }

// SetMeans replaces the number of parallel checks (0: one per CPU), the solver and the folder of the cache. Results
// stay, but results of another solver are stale. Active runs continue.
func (w *Workspace) SetMeans(jobs int, solver, cacheDir string) {
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	w.send(func() { w.state.setMeans(jobs, solver, cacheDir) })
}

// SetResults replaces the files of results of other runs; see Options.
func (w *Workspace) SetResults(files []string) {
	files = slices.Clone(files)
	w.send(func() { w.state.setResults(files) })
}

// SetTrusted sets whether programs may be compiled and run, regardless of the folders' requests.
func (w *Workspace) SetTrusted(trusted bool) { w.send(func() { w.state.setTrusted(trusted) }) }

// SetAllowed sets the function that reports permissions for folders beyond the defaults; see Options.
func (w *Workspace) SetAllowed(allowed func(trust.Request) bool) {
	w.send(func() { w.state.setAllowed(allowed) })
}

// Retrust checks the permissions of all roots again.
func (w *Workspace) Retrust() { w.send(func() { w.state.relist, w.state.dirty = true, true }) }

// SetBuffer sets the text of an open document, which replaces its file from now on. It always leads to an update.
func (w *Workspace) SetBuffer(path string, text []byte) {
	path, text = filepath.Clean(path), append([]byte{}, text...)
	w.send(func() { w.state.setBuffer(path, text) })
}

// CloseBuffer removes the text of a closed document.
func (w *Workspace) CloseBuffer(path string) {
	path = filepath.Clean(path)
	w.send(func() { w.state.setBuffer(path, nil) })
}

// Saved reports that a document was written.
func (w *Workspace) Saved(path string) {
	path = filepath.Clean(path)
	w.send(func() { w.state.saved(path) })
}

// FilesChanged reports that files or folders may have changed, appeared or disappeared.
func (w *Workspace) FilesChanged(paths []string) {
	clean := make([]string, len(paths))
	for i, p := range paths {
		clean[i] = filepath.Clean(p)
	}
	w.send(func() { w.state.filesChanged(clean) })
}

// Focus sets the visible documents and the cursor, which determine the order of runs. line counts from 1; 0 if
// unknown.
func (w *Workspace) Focus(visible []string, path string, line int) {
	visible = slices.Clone(visible)
	w.send(func() { w.state.focus = focus{visible, path, line} })
}

// Verify verifies proofs (nil: all) in any mode.
func (w *Workspace) Verify(ids []ProofID, opts VerifyOptions) {
	w.send(func() { w.state.verify(ids, opts) })
}

// Cancel ends the runs of proofs (nil: all), including queued ones. Their last results stay.
func (w *Workspace) Cancel(ids []ProofID) { w.send(func() { w.state.cancel(ids) }) }

// Snapshot returns the current snapshot; never nil.
func (w *Workspace) Snapshot() *Snapshot { return w.current.Load() }

// Applied waits until all earlier inputs are applied and their update was delivered. It must not be called from
// within an update.
func (w *Workspace) Applied(ctx context.Context) (*Snapshot, error) {
	return w.await(ctx, func(done chan *Snapshot) { w.state.applied = append(w.state.applied, done) })
}

// Sync waits until all earlier inputs are applied, no run is queued or active, and the update was delivered. It must
// not be called from within an update.
func (w *Workspace) Sync(ctx context.Context) (*Snapshot, error) {
	return w.await(ctx, func(done chan *Snapshot) { w.state.settled = append(w.state.settled, done) })
}

func (w *Workspace) await(ctx context.Context, register func(chan *Snapshot)) (*Snapshot, error) {
	done := make(chan *Snapshot, 1)
	w.send(func() { register(done) })
	select {
	case s := <-done:
		if !w.post.delivered(ctx, s.version) {
			return w.Snapshot(), cmpErr(ctx.Err(), errClosed)
		}
		return s, nil
	case <-w.ended:
		return w.Snapshot(), errClosed
	case <-ctx.Done():
		return w.Snapshot(), ctx.Err()
	}
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
