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

// Options say what a Workspace is about and who does its work.
type Options struct {
	Folders []string // absolute
	// files and folders to look at instead of the first folder, absolute; the root's is all of it
	Args     []string
	CacheDir string           // see Settings
	Solver   string           // see Settings
	Client   project.Settings // weaker than [check], stronger than the defaults
	Trusted  bool             // false: proofs are listed, and compiled only where Allowed says so
	// Allowed, where Trusted is false, is asked for each root that asks for more than the defaults; a root that does not
	// is trusted. nil: nothing is compiled or run.
	Allowed func(trust.Request) bool
	// Far says what other machines do for a root that is trusted, and whose configuration asks for that; nil: nothing.
	Far func(asked remote.Far) remote.Far
	// Results are files that "check --results" wrote, absolute: what they say holds here wherever all that it rests on
	// is the same.
	Results []string
	Pool    *pipeline.Pool // who checks; not closed by the Workspace
	Watch   bool           // watch the disk, too
	Flags   project.Flags  // stronger than configurations

	check func(context.Context, pipeline.Job) pipeline.Result // instead of the pool, for tests
	jobs  int                                                 // with check
	quiet time.Duration                                       // instead of quietTime, for tests
}

// Update tells of a new snapshot.
type Update struct {
	Snapshot *Snapshot
	Changed  []ProofID // whose state differs from that in the update before
	Removed  []ProofID
	// Done of Total runs of the present batch have ended; 0, 0: nothing is under way.
	Done, Total int
	// Files are those that changed on disk since the update before, as far as proofs may depend on
	// them; absolute, sorted.
	Files []string
	// Message is something about the Workspace that people should know, such as that the disk cannot be
	// watched; "" mostly.
	Message string
}

// VerifyOptions say how Workspace.Verify goes about it.
type VerifyOptions struct {
	Force    bool // also what is fresh
	Coverage bool // ask for the lines that are reached
	Explain  bool // ask for what the proofs rest on (vcgen.Options.Explain)
}

// Workspace keeps what is known about the proofs below some folders up to date: it finds them, tracks
// what each result rests on, and has proofs verified again when that changes.
//
// All of its state belongs to one goroutine (state.go), to which the methods send functions. So
// inputs are applied in the order of the calls, and none waits for anything. Snapshots are immutable
// and can be read by anybody.
type Workspace struct {
	state *state

	mu     sync.Mutex
	ops    []func()
	held   int           // calls of Together under way: ops wait for their end
	wake   chan struct{} // holds one token while there are ops
	closed bool
	ended  chan struct{}

	current atomic.Pointer[Snapshot]
	post    *post
}

// errClosed is for those who wait for a Workspace that was closed.
var errClosed = errors.New("the workspace was closed")

// NewWorkspace starts to look for proofs. updates is told of each new snapshot, in order and never
// twice at a time; several changes may come as one update.
func NewWorkspace(opts Options, updates func(Update)) *Workspace {
	w := &Workspace{wake: make(chan struct{}, 1), ended: make(chan struct{}), post: newPost(updates)}
	w.state = newState(w, opts)
	w.current.Store(w.state.snapshot())
	w.send(w.state.open)
	go w.loop()
	go w.post.run()
	return w
}

// send has the loop call f after all that was sent before.
func (w *Workspace) send(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.ops = append(w.ops, f)
	w.rouse()
}

// rouse has the loop look for ops; w.mu is held.
func (w *Workspace) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Together calls f, and applies what f tells the Workspace as one input. Between two inputs runs start: of settings
// that change together, the first would start them by what the others were.
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

// closing tells whether Close was called: what the loop is in the middle of is the last that it does.
func (w *Workspace) closing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

// Close ends all runs and waits for that. It must not be called from within an update.
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

// SetMeans replaces how many proofs are checked at a time (0: one per CPU), the solver and the folder of the cache.
// What is known stays, and is stale where another solver found it out; what is under way goes on.
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

// SetTrusted says whether programs may be compiled and run, whatever the folders ask for.
func (w *Workspace) SetTrusted(trusted bool) { w.send(func() { w.state.setTrusted(trusted) }) }

// SetAllowed has the user decide what folders may have that ask for more than the defaults; see Options.
func (w *Workspace) SetAllowed(allowed func(trust.Request) bool) {
	w.send(func() { w.state.setAllowed(allowed) })
}

// Retrust asks anew which roots may have what they ask for.
func (w *Workspace) Retrust() { w.send(func() { w.state.relist, w.state.dirty = true, true }) }

// SetBuffer tells the text of an open document, which stands for its file from now on. It always
// leads to an update.
func (w *Workspace) SetBuffer(path string, text []byte) {
	path, text = filepath.Clean(path), append([]byte{}, text...)
	w.send(func() { w.state.setBuffer(path, text) })
}

// CloseBuffer ends that.
func (w *Workspace) CloseBuffer(path string) {
	path = filepath.Clean(path)
	w.send(func() { w.state.setBuffer(path, nil) })
}

// Saved tells that a document was written.
func (w *Workspace) Saved(path string) {
	path = filepath.Clean(path)
	w.send(func() { w.state.saved(path) })
}

// FilesChanged tells that files or folders may have changed, appeared or gone.
func (w *Workspace) FilesChanged(paths []string) {
	clean := make([]string, len(paths))
	for i, p := range paths {
		clean[i] = filepath.Clean(p)
	}
	w.send(func() { w.state.filesChanged(clean) })
}

// Focus tells what the user looks at: what is verified first. line counts from 1, 0: unknown.
func (w *Workspace) Focus(visible []string, path string, line int) {
	visible = slices.Clone(visible)
	w.send(func() { w.state.focus = focus{visible, path, line} })
}

// Verify verifies proofs (nil: all) whatever the mode.
func (w *Workspace) Verify(ids []ProofID, opts VerifyOptions) {
	w.send(func() { w.state.verify(ids, opts) })
}

// Cancel ends the runs of proofs (nil: all), queued ones included. What was known of them stays.
func (w *Workspace) Cancel(ids []ProofID) { w.send(func() { w.state.cancel(ids) }) }

// Snapshot is the present state; never nil.
func (w *Workspace) Snapshot() *Snapshot { return w.current.Load() }

// Applied waits until the inputs so far are applied and the update that tells of them was delivered.
// It must not be called from within an update.
func (w *Workspace) Applied(ctx context.Context) (*Snapshot, error) {
	return w.await(ctx, func(done chan *Snapshot) { w.state.applied = append(w.state.applied, done) })
}

// Sync waits until the inputs so far are applied, nothing is queued or running, and the update that
// tells of that was delivered. It must not be called from within an update.
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
