package pipeline

import (
	"context"
	"runtime"
	"sync"

	"github.com/unitproof/unitproof/pipeline/project"
)

// Batch is a list of proofs to check.
type Batch struct {
	Settings
	Proofs []project.Proof
	// Define finds what proofs miss; nil knows nothing. It is called from several goroutines.
	Define func(p *project.Proof, names []string) map[string][]project.Unit
}

// PoolOptions say how proofs are checked.
type PoolOptions struct {
	// Jobs is the number of proofs that are checked at the same time; 0 is one per CPU.
	Jobs int
	// InProcess checks in this process: nothing limits memory, and a crash is a crash.
	InProcess bool
	// Command starts a worker; nil is this program with the argument "worker".
	Command []string
}

// Event tells that a proof was started (Result is nil) or is done.
type Event struct {
	Index  int // into the proofs of the run
	Result *Result
}

// Run checks proofs with a pool of its own; see Pool.Run.
func Run(ctx context.Context, b Batch, opts PoolOptions, events func(Event)) []Result {
	p := NewPool(opts)
	defer p.Close()
	return p.Run(ctx, b, events)
}

// Pool runs proofs, and keeps its workers from one run to the next.
type Pool struct {
	opts PoolOptions

	mu      sync.Mutex
	idle    []*process
	closing sync.WaitGroup // workers that are being replaced
}

// NewPool returns a pool that has started nothing.
func NewPool(opts PoolOptions) *Pool {
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.NumCPU()
	}
	return &Pool{opts: opts}
}

// Warm starts a worker ahead, so that it gets ready while the caller finds out what to do.
// An error shows when the worker is needed.
func (l *Pool) Warm() {
	if l.opts.InProcess {
		return
	}
	if w, err := l.start(); err == nil {
		l.put(w)
	}
}

// Close ends the idle workers. No run may be under way.
func (l *Pool) Close() {
	l.mu.Lock()
	idle := l.idle
	l.idle = nil
	l.mu.Unlock()
	for _, w := range idle {
		w.close()
	}
	l.closing.Wait()
}

func (l *Pool) start() (*process, error) {
	command := l.opts.Command
	if command == nil {
		var err error
		if command, err = selfCommand(); err != nil {
			return nil, err
		}
	}
	return startProcess(command)
}

func (l *Pool) take() (*process, error) {
	l.mu.Lock()
	if n := len(l.idle); n > 0 {
		w := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.mu.Unlock()
		return w, nil
	}
	l.mu.Unlock()
	return l.start()
}

func (l *Pool) put(w *process) {
	if w.dead {
		l.closing.Go(w.close)
		return
	}
	l.mu.Lock()
	l.idle = append(l.idle, w)
	l.mu.Unlock()
}

// Run checks proofs, several at a time, and returns their results in the order of the proofs.
// events is called for each start and each end, in the order in which they happen and never
// twice at a time; it may be nil. When ctx ends, the proofs that are not done become unknown
// with the reason "interrupted".
func (l *Pool) Run(ctx context.Context, b Batch, events func(Event)) []Result {
	results := make([]Result, len(b.Proofs))
	var telling sync.Mutex
	tell := func(e Event) {
		if events != nil {
			telling.Lock()
			defer telling.Unlock()
			events(e)
		}
	}
	checker := NewChecker(b.Settings) // of InProcess
	next := make(chan int)
	var done sync.WaitGroup
	for range min(l.opts.Jobs, len(b.Proofs)) {
		done.Go(func() {
			for i := range next {
				if ctx.Err() == nil {
					tell(Event{Index: i})
				}
				results[i] = l.check(ctx, &b, b.Proofs[i], checker)
				tell(Event{Index: i, Result: &results[i]})
			}
		})
	}
	for i := range b.Proofs {
		next <- i
	}
	close(next)
	done.Wait()
	return results
}

// check does one proof in whatever way the options say.
func (l *Pool) check(ctx context.Context, b *Batch, p project.Proof, checker *Checker) Result {
	if ctx.Err() != nil {
		return Result{Proof: unknownProof(metaOf(b.Root, &p), interruptedReason)}
	}
	var define Define
	if b.Define != nil && len(p.SourceCandidates) > 0 {
		define = func(names []string) map[string][]project.Unit { return b.Define(&p, names) }
	}
	if l.opts.InProcess {
		return checker.Check(ctx, p, define)
	}
	w, err := l.take()
	if err != nil {
		return Result{Proof: unknownProof(metaOf(b.Root, &p), err.Error())}
	}
	r := w.check(ctx, b.Settings, p, define)
	l.put(w)
	return r
}
