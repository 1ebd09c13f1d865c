package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/found"
)

// process is a worker process as its parent sees it. It does one proof at a time.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *tail
	temp   string      // temporary files, which a killed worker does not remove
	dead   atomic.Bool // killed, broken or grown too large: to be replaced
	since  time.Time   // idle since then
	waited bool        // waited for: the process ID may belong to another process
	nice   int         // its niceness minus that of this process

	resident atomic.Int64 // bytes, measured while it does a proof
}

// startProcess starts a worker in its own process group: a terminal's interrupt does not reach it, and killing the
// group kills the compilers, too.
func startProcess(command []string, nice int) (w *process, err error) {
	temp, err := scratch.Mkdir("worker-*")
	if err != nil {
		return nil, fmt.Errorf("temporary files of a worker: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(temp)
		}
	}()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, scratch.Variable+"="+temp)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w = &process{cmd: cmd, stdin: stdin, stdout: bufio.NewReader(stdout), stderr: &tail{}, temp: temp}
	cmd.Stderr = w.stderr
	cmd.WaitDelay = time.Second // a compiler that survived may hold stderr open
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.yield(nice)
	return w, nil
}

// yield lowers the priority of the worker and its children: it sets their niceness to that of this process plus nice.
// This cannot be undone.
func (w *process) yield(nice int) {
	if nice == 0 || nice < w.nice {
		return
	}
	w.nice = nice
	// The whole group, to include all existing threads. A thread that is being created is missed; so the call is repeated
	// before each proof.
	_ = syscall.Setpriority(syscall.PRIO_PGRP, w.cmd.Process.Pid, niceness(0)+nice) // optional
}

// niceness returns the niceness of a process (0 is this one); 0 if the system has none.
func niceness(pid int) int {
	p, err := syscall.Getpriority(syscall.PRIO_PROCESS, pid)
	if err != nil {
		return 0
	}
	if runtime.GOOS == "linux" { // the system call returns 20 - niceness
		return 20 - p
	}
	return p
}

func (w *process) kill() {
	w.dead.Store(true)
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL) // it may have ended by itself
}

// close ends the process and waits for it.
func (w *process) close() {
	defer os.RemoveAll(w.temp)
	w.stdin.Close()
	if w.waited {
		return
	}
	if w.dead.Load() {
		w.kill()
	}
	_ = w.cmd.Wait() // the exit status after the last answer has no meaning
}

// Constants for watching a worker.
const (
	watchInterval = 25 * time.Millisecond
	// descendantsTicks is the number of intervals between measurements of the worker's compilers and solvers.
	//
	// A measurement costs ten times that of the worker itself, and descendants grow slowly. Short checks end before the
	// first one: the kernel has to free the entries of /proc when their threads end, which took a sixth of the check of a
	// small proof.
	descendantsTicks = 10
	// graceTime is the time that a worker has after its proof's timeout to report results: CPU time, or wall-clock time if
	// it does nothing.
	graceTime = 2 * time.Second
	// freshLimit is the memory in bytes above which a worker is replaced after its proof. A worker is also not used if it
	// holds more than 1/freshShare of the memory of the next proof, which must not fail by leftovers of the last one.
	freshLimit = 512 << 20
	freshShare = 2
)

// fate is how a worker's proof ended.
type fate uint8

const (
	answered fate = iota
	limited       // ended by the proof's limits or by the caller
	crowded       // ended by the memory limit of all workers
	died          // by its own fault
	murdered      // by a SIGKILL that this process did not send
)

// check sends a proof to the worker and enforces its limits. Like Checker.Check it never fails.
//
// tooMuch is polled; if it returns true, the worker is killed because of the memory of all workers. far is the shared
// cache; nil if there is none.
func (w *process) check(ctx context.Context, j *Job, far *remote.Client, tooMuch func() bool) (Result, fate) {
	start := time.Now()
	p := &j.Proof
	type outcome struct {
		result *wireResult
		err    error
	}
	var soFar progress // written until done
	done := make(chan outcome, 1)
	talk, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		r, err := w.converse(talk, j, far, &soFar)
		done <- outcome{r, err}
	}()
	var peak, descendants int64
	var cpu time.Duration // since the proof began
	began, reported := treeTime(w.cmd.Process.Pid)
	dog := &watchdog{timeout: p.Timeout, grace: graceTime,
		waited: func() time.Duration { return treeWaited(w.cmd.Process.Pid) }}
	ticks := 0
	fail := func(reason found.Reason, why fate) (Result, fate) {
		if reason.Why == found.Timeout || reason.Why == found.MemoryLimit {
			reason.Text = soFar.where
		}
		r := Result{Proof: unfinishedProof(metaOf(j.Root, p), reason, soFar.violations)}
		r.Proof.Stats.TotalMS, r.Proof.Stats.MemoryMB = time.Since(start).Milliseconds(), peak>>20
		return r, why
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	defer w.resident.Store(0)
	for {
		select {
		case o := <-done:
			if o.err != nil {
				reason, why := w.deathReason(o.err)
				return fail(reason, why)
			}
			peak = max(peak, peakSize(w.cmd.Process.Pid))
			r := resultFromWire(o.result)
			// A stopped solver's children may survive in the worker's process group, whatever the verdict.
			w.dead.Store(peak > freshLimit || solver.External(j.Solver))
			r.Proof.Stats.MemoryMB = peak >> 20
			return r, answered
		case <-tick.C:
			if ticks++; ticks%descendantsTicks == 0 {
				descendants = descendantsSize(w.cmd.Process.Pid)
				now, _ := treeTime(w.cmd.Process.Pid)
				cpu = now - began
			}
			if !reported {
				cpu = time.Since(start)
			}
			size := ownSize(w.cmd.Process.Pid) + descendants
			w.resident.Store(size)
			peak = max(peak, size)
			var reason found.Reason
			why, end := limited, end(0)
			if j.strength == nil { // with strength the worker enforces the time, which each change has
				end = dog.look(cpu, time.Since(start))
			}
			switch {
			case peak > p.MaxMemory*j.strength.atOnce():
				reason = memoryReason(p)
			case j.strength != nil:
				continue
			case end != 0:
				reason = end.reason(p)
			case tooMuch():
				reason, why = stoppedBy("the memory limit of all checking processes together was reached"), crowded
			default:
				continue
			}
			w.kill()
			stop()
			<-done
			return fail(reason, why)
		case <-ctx.Done():
			w.kill()
			stop()
			<-done
			return fail(interrupted, limited)
		}
	}
}

// fits reports whether an idle worker's memory leaves enough of a proof's memory limit, in bytes.
func (w *process) fits(most int64) bool { return ownSize(w.cmd.Process.Pid) <= most/freshShare }

// progress is what a worker has reported about its proof before the result.
type progress struct {
	violations []diagnostics.Finding
	where      string // the time goes, "" if not known
}

// converse exchanges the messages of one proof, and stores its progress, which remains if the worker is killed. When
// ctx ends, pending requests to the shared cache are abandoned.
func (w *process) converse(ctx context.Context, j *Job, far *remote.Client, soFar *progress) (*wireResult, error) {
	define := j.Define
	settings := j.Settings
	settings.Cluster = remote.Cluster{} // not used by workers; a change of settings would reset the worker
	req := request{Settings: &settings, Proof: proofToWire(j.Proof), CanDefine: define != nil, Virtual: j.Virtual,
		Expected: j.Expected, Live: j.Inputs != nil, Replay: j.replay, Strength: j.strength,
		Elsewhere: j.elsewhere}
	if err := writeFrame(w.stdin, req); err != nil {
		return nil, err
	}
	for {
		var a reply
		if err := readFrame(w.stdout, &a); err != nil {
			return nil, err
		}
		switch {
		case a.Result != nil:
			return a.Result, nil
		case a.Inputs != nil:
			if j.Inputs != nil {
				j.Inputs(inputsFromWire(a.Inputs))
			}
		case a.Found != nil:
			f := findingFromWire(*a.Found)
			soFar.violations = append(soFar.violations, f)
			if j.Found != nil {
				j.Found(f)
			}
		case a.Where != nil:
			soFar.where = *a.Where
		case a.Mutant != nil:
			if j.strength != nil && j.strength.tell != nil {
				j.strength.tell(*a.Mutant)
			}
		case a.Keep != nil:
			far.Put(a.Keep.Kind, a.Keep.Key, a.Keep.Data)
		case a.Fetch != nil:
			got := make(chan *wireEntry, 1)
			go func() {
				entry := &wireEntry{Kind: a.Fetch.Kind, Key: a.Fetch.Key}
				entry.Data, entry.OK = far.Get(entry.Kind, entry.Key)
				got <- entry
			}()
			select {
			case entry := <-got:
				if err := writeFrame(w.stdin, request{Entry: entry}); err != nil {
					return nil, err
				}
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case define == nil:
			return nil, errors.New("message from a worker: asks for definitions that are not known")
		default:
			if err := writeFrame(w.stdin, request{Definitions: define(a.Missing)}); err != nil {
				return nil, err
			}
		}
	}
}

// deathReason returns why a worker did not answer, from its exit status and its last messages.
func (w *process) deathReason(err error) (found.Reason, fate) {
	why := died
	gone := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
	w.kill() // without effect if it has ended
	w.stdin.Close()
	waited := w.cmd.Wait()
	w.waited = true
	reason := "the checking process broke down: " + err.Error()
	var exit *exec.ExitError
	if errors.As(waited, &exit) {
		status, ok := exit.Sys().(syscall.WaitStatus)
		switch {
		case ok && status.Signaled():
			reason = fmt.Sprintf("the checking process was ended by signal %d (%s)", status.Signal(), status.Signal())
			if status.Signal() == syscall.SIGKILL && gone {
				why = murdered
			}
		case ok && status.Exited():
			reason = fmt.Sprintf("the checking process ended with status %d", status.ExitStatus())
		}
	}
	if words := w.stderr.firstCause(); words != "" {
		reason += ": " + words
	}
	return stoppedBy(reason), why
}

func stoppedBy(words string) found.Reason { return found.Reason{Why: found.Stopped, Text: words} }

// tail has the beginning and the end of a worker's stderr.
type tail struct {
	mu   sync.Mutex
	head []byte
	last []byte
}

const tailSize = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rest := b
	if room := tailSize - len(t.head); room > 0 {
		n := min(room, len(rest))
		t.head, rest = append(t.head, rest[:n]...), rest[n:]
	}
	t.last = append(t.last, rest...)
	if len(t.last) > tailSize {
		t.last = append([]byte(nil), t.last[len(t.last)-tailSize:]...)
	}
	return len(b), nil
}

// firstCause returns the line with the cause: Go and most libraries print it before the stacks.
func (t *tail) firstCause() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, line := range strings.Split(string(bytes.Join([][]byte{t.head, t.last}, nil)), "\n") {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"panic: ", "fatal error: ", "runtime: out of memory", "terminate called", "what():",
			"SIG", "unitproof"} {
			if strings.HasPrefix(line, mark) {
				return line
			}
		}
	}
	return ""
}

// selfCommand returns the command that starts this program as a worker.
func selfCommand() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the path of this program, to start workers: %w", err)
	}
	return []string{self, "worker"}, nil
}
