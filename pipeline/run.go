package pipeline

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Batch is a list of proofs to check.
type Batch struct {
	Settings
	Proofs []project.Proof
	// Define finds the definitions that proofs miss; may be nil. It is called from several goroutines.
	Define func(p *project.Proof, names []string) map[string][]project.Unit
	// Rests computes diagnostics.Proof.RestsOn of the results; nil leaves it empty.
	Rests *Rests
}

// PoolOptions are the options of a Pool.
type PoolOptions struct {
	// Jobs is the number of proofs that are checked at the same time; 0 is one per CPU.
	Jobs int
	// InProcess checks in this process: there is no memory limit, and a crash of the engine ends the process.
	InProcess bool
	// Command starts a worker; nil is this program with the argument "worker".
	Command []string
	// Nice is added to the niceness of workers, to keep the machine responsive.
	Nice int
	// MaxMemory bounds the resident memory in bytes of all workers together; 0: no bound. Beyond it the largest worker is
	// killed, and its proof is retried once while no other runs.
	MaxMemory int64
	// WarmTime is how long an idle worker is kept for the next proof; 0: five minutes. Surplus idle workers end after some
	// seconds.
	WarmTime time.Duration
	// OneRun ends a worker as soon as the first Run has no proof left for it, while the caller still processes the
	// results.
	OneRun bool
}

// Times after which idle workers end.
const (
	warmTime    = 5 * time.Minute
	surplusTime = 10 * time.Second
)

// Event is the start of a proof, a violation found while it is checked (Found), or its end (Result).
type Event struct {
	Index  int // into the proofs of the run
	Found  *diagnostics.Finding
	Result *Result
}

// Run checks proofs with a temporary pool; see Pool.Run.
func Run(ctx context.Context, b Batch, opts PoolOptions, events func(Event)) []Result {
	p := NewPool(opts)
	defer p.Close()
	return p.Run(ctx, b, events)
}

// Job is one proof for Pool.Check.
type Job struct {
	Settings
	Proof project.Proof
	// Define finds the definitions that the proof misses; may be nil.
	Define Define
	Live
	replay *wireReplay // nil: check
	// strength, if not nil, requests a mutation run of the proof instead.
	strength *wireStrength
	last     func() bool // reports whether the worker may end after the job; nil: it may not
	// place limits the number of jobs that use a worker while a cluster does the engine's part; nil: no limit, no cluster.
	place chan struct{}
	// Left is called when only the cluster's part of a job is left. If it is set, a failure of the cluster is returned as
	// Result.Lost; otherwise the check is done here.
	Left func()
}

// Pool checks proofs in worker processes, which it reuses between runs.
type Pool struct {
	opts PoolOptions

	mu      sync.Mutex
	idle    []*process // in the order of their last use
	busy    map[*process]bool
	closed  bool
	closing sync.WaitGroup // workers that are being replaced

	servers servers
	shared  sharings

	alone sync.RWMutex // held for writing by a proof that needs all the memory
}

// NewPool returns a pool without processes.
func NewPool(opts PoolOptions) *Pool {
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.NumCPU()
	}
	if opts.WarmTime <= 0 {
		opts.WarmTime = warmTime
	}
	l := &Pool{opts: opts, busy: map[*process]bool{}}
	l.shared.servers = &l.servers
	return l
}

// Jobs returns the number of proofs that are checked at the same time.
func (l *Pool) Jobs() int { return l.opts.Jobs }

// Workers returns the process IDs of the busy and the idle workers.
func (l *Pool) Workers() (busy, idle []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for w := range l.busy {
		busy = append(busy, w.cmd.Process.Pid)
	}
	for _, w := range l.idle {
		idle = append(idle, w.cmd.Process.Pid)
	}
	return busy, idle
}

// Warm starts a worker in advance, while the caller finds the proofs. Errors are reported when the worker is needed.
func (l *Pool) Warm() {
	if l.opts.InProcess {
		return
	}
	if w, err := l.start(); err == nil {
		l.put(w, false)
	}
}

// Kill ends all workers at once, busy or not; afterwards the pool is unusable.
func (l *Pool) Kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for w := range l.busy {
		w.kill()
		os.RemoveAll(w.temp)
	}
	for _, w := range l.idle {
		w.kill()
		os.RemoveAll(w.temp)
	}
}

// Close ends the idle workers. No run may be in progress.
func (l *Pool) Close() {
	l.mu.Lock()
	idle := l.idle
	l.idle, l.closed = nil, true
	l.mu.Unlock()
	for _, w := range idle {
		w.close()
	}
	l.closing.Wait()
	l.servers.flush()
}

// RemoteFailures returns the errors of shared caches that were configured but not used.
func (l *Pool) RemoteFailures() []string { return l.servers.failures() }

// ClusterNotes returns the failures of clusters to do their tasks.
func (l *Pool) ClusterNotes() []string { return l.servers.notes() }

func (l *Pool) start() (*process, error) {
	command := l.opts.Command
	if command == nil {
		var err error
		if command, err = selfCommand(); err != nil {
			return nil, err
		}
	}
	return startProcess(command, l.opts.Nice)
}

// errKilled is the error of runs of a killed pool.
var errKilled = errors.New("the checking processes were ended")

// take returns a worker for a proof with a memory limit of so many bytes, and whether the worker was idle. With fresh
// it starts a new one, because the idle ones may be broken.
func (l *Pool) take(most int64, fresh bool) (w *process, used bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false, errKilled
	}
	for n := len(l.idle); n > 0 && !fresh && !used; n-- {
		w, l.idle = l.idle[n-1], l.idle[:n-1]
		if used = w.fits(most); !used {
			l.closing.Go(w.close)
		}
	}
	if !used {
		if w, err = l.start(); err != nil {
			return nil, false, err
		}
	}
	l.busy[w] = true
	return w, used, nil
}

// put returns a worker to the pool. With last the worker ends in the background.
func (l *Pool) put(w *process, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.busy, w)
	if w.dead.Load() || l.closed || last {
		l.closing.Go(w.close)
		return
	}
	w.since = time.Now()
	l.idle = append(l.idle, w)
	time.AfterFunc(min(surplusTime, l.opts.WarmTime), l.leave)
	time.AfterFunc(l.opts.WarmTime, l.leave)
}

// leave ends workers that have been idle for long.
func (l *Pool) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i := 0; i < len(l.idle); {
		idle := now.Sub(l.idle[i].since)
		if surplus := len(l.idle) > 1 && idle >= surplusTime; !surplus && idle < l.opts.WarmTime {
			i++
			continue
		}
		l.closing.Go(l.idle[i].close)
		l.idle = slices.Delete(l.idle, i, i+1)
	}
}

// tooMuch reports whether the workers exceed the memory limit together and w is the largest.
func (l *Pool) tooMuch(w *process) bool {
	if l.opts.MaxMemory <= 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	own, sum := w.resident.Load(), int64(0)
	for other := range l.busy {
		size := other.resident.Load()
		if sum += size; size > own {
			own = -1
		}
	}
	return own >= 0 && sum > l.opts.MaxMemory
}

// Run checks proofs, several at a time, and returns their results in the order of the proofs.
//
// events is called for each start, violation and end, in their order and never concurrently; it may be nil. When ctx
// ends, the unfinished proofs become unknown with the reason "interrupted".
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
	settings := b.Settings
	if !l.opts.InProcess {
		settings.Remote = remote.Config{} // the workers use the shared cache through this process
	}
	checker := NewChecker(settings) // for InProcess and for recall
	defer checker.Close()
	ahead, stop := context.WithCancel(ctx)
	defer stop()
	begun := l.shared.of(b.Settings).prefetch(ahead, &b)
	var next atomic.Int64 // the first proof that has not begun
	last := func() bool { return l.opts.OneRun && int(next.Load()) >= len(b.Proofs) }
	var done sync.WaitGroup
	jobs := l.opts.Jobs
	var place chan struct{}
	if x := l.clusterOf(&Job{Settings: b.Settings}); x != nil && !l.opts.InProcess {
		place = make(chan struct{}, jobs)
		jobs, last = max(jobs, x.Jobs()), nil
	}
	for range min(jobs, len(b.Proofs)) {
		done.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(b.Proofs) {
					return
				}
				begun()
				if ctx.Err() == nil {
					tell(Event{Index: i})
				}
				found := func(f diagnostics.Finding) { tell(Event{Index: i, Found: &f}) }
				job := Job{Settings: b.Settings, Proof: b.Proofs[i], Define: b.define(&b.Proofs[i]), last: last,
					place: place, Live: Live{Found: found}}
				results[i] = l.check(ctx, &b, &job, checker)
				tell(Event{Index: i, Result: &results[i]})
			}
		})
	}
	done.Wait()
	return results
}

// check checks one proof of a batch according to the pool's options.
func (l *Pool) check(ctx context.Context, b *Batch, job *Job, checker *Checker) Result {
	var seen *witness
	x := l.shared.of(b.Settings)
	if b.Rests != nil || x.writable() {
		seen = &witness{}
		job.Define, job.Inputs = seen.define(job.Define), seen.saw
	}
	r, ok := l.recall(ctx, b, job, checker)
	if ok {
		x.keep(ctx, job, &r, seen)
	} else {
		r = l.checkShared(ctx, job, checker)
	}
	if b.Rests != nil {
		r.Proof.RestsOn = b.Rests.of(ctx, &job.Proof, &r.Proof, seen)
	}
	return r
}

// Check checks one proof immediately, regardless of the number of others in progress. When ctx ends, the worker is
// killed together with its compilers, and the result is unknown with the reason "interrupted".
func (l *Pool) Check(ctx context.Context, j Job) Result {
	if l.opts.InProcess {
		checker := NewChecker(j.Settings)
		defer checker.Close()
		return l.checkShared(ctx, &j, checker)
	}
	return l.checkShared(ctx, &j, nil)
}

// checkShared returns the shared result of a job; if there is none, it does the job and shares the result.
func (l *Pool) checkShared(ctx context.Context, j *Job, checker *Checker) Result {
	x := l.shared.of(j.Settings)
	if r, ok := x.recall(ctx, j); ok {
		return r
	}
	if x != nil && !x.client.Usable() {
		j.Settings.Remote = remote.Config{} // spares the worker the attempt
	}
	if !x.writable() {
		return l.somewhere(ctx, j, checker)
	}
	seen, original := &witness{}, *j
	j.Define = seen.define(original.Define)
	j.Inputs = func(in *Inputs) {
		seen.saw(in)
		if original.Inputs != nil {
			original.Inputs(in)
		}
	}
	r := l.somewhere(ctx, j, checker)
	if r.Lost == nil {
		x.keep(ctx, &original, &r, seen)
	}
	return r
}

// somewhere does a job, with the cluster if one is configured.
func (l *Pool) somewhere(ctx context.Context, j *Job, checker *Checker) Result {
	if x := l.clusterOf(j); x != nil && !l.opts.InProcess {
		if r, ok := l.divided(ctx, j, x); ok {
			return r
		}
	}
	return l.do(ctx, j, checker)
}

// do does a job on this machine, or the part of it that is to be done here.
func (l *Pool) do(ctx context.Context, j *Job, checker *Checker) Result {
	undone := func(reason found.Reason) Result { return Result{Proof: unknownProof(metaOf(j.Root, &j.Proof), reason)} }
	if ctx.Err() != nil {
		return undone(interrupted)
	}
	if l.opts.InProcess {
		if j.replay != nil {
			r := j.replay.request(j.Proof, j.Virtual)
			r.define = j.Define
			out := checker.Replay(ctx, r)
			return Result{replay: &out}
		}
		if j.strength != nil {
			out, err := checker.Strength(ctx, j.Proof, j.Define, StrengthOptions{Jobs: j.strength.Jobs, Max: j.strength.Max,
				Virtual: j.Virtual, Marked: j.strength.Marked}, j.strength.tell)
			if err != nil {
				return undone(stoppedBy(err.Error()))
			}
			return Result{strength: out}
		}
		return checker.CheckLive(ctx, j.Proof, j.Define, j.Live)
	}
	if j.place != nil {
		select {
		case j.place <- struct{}{}:
			defer func() { <-j.place }()
		case <-ctx.Done():
			return undone(interrupted)
		}
	}
	release := l.share()
	for try := 1; ; try++ {
		w, used, err := l.take(j.Proof.MaxMemory, try > 1) // idle workers may have the same fault
		if err != nil {
			release()
			return undone(stoppedBy(err.Error()))
		}
		w.yield(l.opts.Nice)
		if j.place != nil {
			w.yield(niceBeside)
		}
		r, why := w.check(ctx, j, l.servers.client(j.Settings.Remote), func() bool { return l.tooMuch(w) })
		l.put(w, j.last != nil && j.last())
		release()
		switch {
		case try > 1 || ctx.Err() != nil:
			return r
		case why == murdered, why == died && used:
			// Killed from outside, or a worker that was broken before: the proof may not be the cause.
			release = l.share()
		case why == crowded:
			if release = l.exclude(ctx); release == nil {
				return r
			}
		default:
			return r
		}
	}
}

func (l *Pool) share() (release func()) {
	l.alone.RLock()
	return l.alone.RUnlock
}

// exclude waits until no other proof is in progress; it returns nil if ctx ends first.
func (l *Pool) exclude(ctx context.Context) (release func()) {
	locked := make(chan struct{})
	go func() {
		l.alone.Lock()
		close(locked)
	}()
	select {
	case <-locked:
		return l.alone.Unlock
	case <-ctx.Done():
		go func() {
			<-locked
			l.alone.Unlock()
		}()
		return nil
	}
}
