package pipeline

import (
	"bytes"
	"context"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A proof's timeout counts the CPU time of its processes: worker, compilers and solvers. With the wall clock a busy
// machine would decide verdicts. The wall clock only detects processes that wait for an event that does not come.

const (
	// hangFactor: processes that used less than 1/hangFactor of the wall-clock time are suspected to hang.
	hangFactor = 20
	// observedPart is the part of the timeout during which suspected processes are observed.
	observedPart = 4
)

// watchdog detects that the processes of a proof have used their time, or hang: they neither compute nor wait for a
// processor. A grace delays both by at least that time.
type watchdog struct {
	timeout, grace time.Duration
	// waited returns how long the processes were ready to run and did not, on a busy machine.
	waited func() time.Duration

	suspected            bool
	since                time.Duration // wall-clock time at which the observation began
	cpuThen, waitingThen time.Duration
}

// end is the reason to end a proof.
type end uint8

// Reasons to end a proof; 0 is none.
const (
	outOfTime end = iota + 1
	stuck         // it made no progress
)

// look returns the reason to end the proof after so much CPU and wall-clock time; 0 if it may go on.
func (w *watchdog) look(cpu, wall time.Duration) end {
	switch {
	case cpu >= w.timeout+w.grace:
		return outOfTime
	case wall-w.grace < max(w.timeout, hangFactor*cpu):
		w.suspected = false
		return 0
	case !w.suspected:
		w.suspected, w.since, w.cpuThen, w.waitingThen = true, wall, cpu, w.waited()
		return 0
	}
	observed := wall - w.since
	if observed < w.timeout/observedPart {
		return 0
	}
	if waited := w.waited(); hangFactor*(cpu-w.cpuThen+waited-w.waitingThen) >= observed {
		w.since, w.cpuThen, w.waitingThen = wall, cpu, waited
		return 0
	}
	return stuck
}

// reason returns the reason of the verdict unknown.
func (e end) reason(p *project.Proof) found.Reason {
	if e == stuck {
		return stuckReason(p)
	}
	return timeoutReason(p)
}

// cause returns the cause with which the context of the proof is cancelled.
func (e end) cause() error {
	if e == stuck {
		return vcgen.ErrStuck
	}
	return context.DeadlineExceeded
}

// limitInterval is the interval at which a check measures its use.
const limitInterval = 250 * time.Millisecond

// timer measures a check. Without cpu, in a process shared with others, it counts wall-clock time.
type timer struct {
	start time.Time
	cpu   func() time.Duration // since the process began; nil: wall-clock time counts
	began time.Duration
}

func (c *Checker) startTimer() *timer {
	t := &timer{start: time.Now(), cpu: c.cpu}
	if t.cpu != nil {
		t.began = t.cpu()
	}
	return t
}

// used returns the part of its timeout that the check has used.
func (t *timer) used() time.Duration {
	if t.cpu == nil {
		return time.Since(t.start)
	}
	return t.cpu() - t.began
}

// limit cancels a context when a check has used its time or hangs, with the cause DeadlineExceeded or vcgen.ErrStuck.
// cancel ends the context, too, and has to be called.
func (t *timer) limit(ctx context.Context, timeout time.Duration) (limited context.Context, cancel func()) {
	if t.cpu == nil {
		return context.WithTimeout(ctx, timeout)
	}
	limited, end := context.WithCancelCause(ctx)
	dog := &watchdog{timeout: timeout, waited: func() time.Duration { return treeWaited(os.Getpid()) }}
	go func() {
		for {
			// One busy processor takes at least that long; with several the limit is noticed late, by at most an interval.
			rest := min(max(timeout-t.used(), time.Millisecond), limitInterval)
			select {
			case <-limited.Done():
				return
			case <-time.After(rest):
			}
			if why := dog.look(t.used(), time.Since(t.start)); why != 0 {
				end(why.cause())
				return
			}
		}
	}()
	return limited, func() { end(nil) }
}

// Memory is scarce for the engine above this share of the proof's memory: computing the answer takes some, too.
const (
	scarceShare   = 0.7
	watchedEvery  = 50 * time.Millisecond
	collectsAfter = 1.2 // growth of the process until garbage is collected again, to measure the live memory
)

// limits returns the limits that the engine observes.
func (t *timer) limits(p *project.Proof) vcgen.Limits {
	own := func() time.Duration { return time.Since(t.start) }
	if t.cpu != nil {
		began := ownTime()
		own = func() time.Duration { return ownTime() - began } // walking over all processes costs too much
	}
	l := vcgen.Limits{Used: func() int64 { return own().Microseconds() }, Time: timeoutReason(p), Memory: memoryReason(p),
		Stuck: stuckReason(p)}
	l.Watch = func(share float64, scarce, late func()) (leave func()) {
		w := &watcher{memory: int64(scarceShare * float64(p.MaxMemory)), scarce: scarce, late: late,
			over: func() bool { return float64(t.used()) >= share*float64(p.Timeout) }}
		if t.cpu == nil { // the process is shared with other proofs
			w.memory = math.MaxInt64
		}
		return w.start()
	}
	return l
}

// watcher observes memory and time while the engine works.
type watcher struct {
	memory       int64 // bytes of resident memory beyond which it is scarce
	over         func() bool
	scarce, late func()
}

func (w *watcher) start() (leave func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	fired := false // written before stopped is closed
	go func() {
		defer close(stopped)
		for next, late := w.memory, false; ; {
			select {
			case <-stop:
				return
			case <-time.After(watchedEvery):
			}
			if !late && w.over() {
				late = true
				w.late()
			}
			if ownSize(os.Getpid()) <= next {
				continue
			}
			debug.FreeOSMemory()
			size := ownSize(os.Getpid())
			if size > w.memory {
				fired = true
				w.scarce()
				return
			}
			next = max(w.memory, int64(collectsAfter*float64(size)))
		}
	}()
	return func() {
		close(stop)
		<-stopped
		if fired {
			debug.FreeOSMemory()
		}
	}
}

// processTime returns the CPU time of this process, of its ended children and of its living descendants.
//
// Finding the descendants is expensive: the kernel keeps entries for the files opened below /proc/PID/task and frees
// them when the parent waits for the process, which took 11 ms of each task of a cluster.
func processTime() time.Duration {
	sum := ownTime()
	for _, pid := range descendants(os.Getpid()) {
		t, _ := timeOf(pid) // it may have ended
		sum += t
	}
	return sum
}

// ownTime returns the CPU time of this process and of its children that have ended.
func ownTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil { // it cannot fail with these arguments
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// treeTime is processTime of another process; false if the system does not provide it.
func treeTime(pid int) (time.Duration, bool) {
	sum, ok := timeOf(pid)
	for _, child := range descendants(pid) {
		t, _ := timeOf(child)
		sum += t
	}
	return sum, ok
}

// treeWaited returns how long the threads of a process and its descendants were runnable but did not run. It is 0 if
// the kernel does not count this.
func treeWaited(pid int) time.Duration {
	var sum time.Duration
	for _, pid := range append(descendants(pid), pid) {
		dir := "/proc/" + strconv.Itoa(pid) + "/task"
		f, err := os.Open(dir)
		if err != nil {
			continue // it has ended
		}
		threads, _ := f.Readdirnames(-1)
		f.Close()
		for _, t := range threads {
			data, _ := os.ReadFile(dir + "/" + t + "/schedstat") // on the processor, waiting for it, time slices
			if fields := strings.Fields(string(data)); len(fields) == 3 {
				n, _ := strconv.ParseInt(fields[1], 10, 64)
				sum += time.Duration(n)
			}
		}
	}
	return sum
}

// ticksPerSecond is the unit of times in /proc, the same on all systems.
const ticksPerSecond = 100

// timeOf returns the CPU time of a process and of its children that have ended.
func timeOf(pid int) (time.Duration, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The second field, a name in parentheses, may contain any character. utime, stime, cutime, cstime are fields 14 to
	// 17.
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	const first = 14 - 3
	if len(fields) < first+4 {
		return 0, false
	}
	var ticks int64
	for _, f := range fields[first : first+4] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, false
		}
		ticks += n
	}
	return time.Duration(ticks) * (time.Second / ticksPerSecond), true
}
