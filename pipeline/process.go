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
	temp   string      // folder for temporary files, which a killed worker leaves behind
	dead   atomic.Bool // killed, broken or grown too large: to be replaced
	since  time.Time   // idle since then
	waited bool        // its process number may be another's by now
	nice   int         // is its niceness beyond that of this process

	resident atomic.Int64 // bytes, measured while it does a proof
}

// startProcess starts a worker in a process group of its own, so that a terminal's interrupt
// does not reach it and killing the group takes the compilers with it.
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

// yield has others come before the worker and what it starts: nice is added to the niceness of this process. Nothing
// takes that back.
func (w *process) yield(nice int) {
	if nice == 0 || nice < w.nice {
		return
	}
	w.nice = nice
	// The whole group, so that it counts for all threads that the process has already. One that is being made at this
	// moment is missed: so it is said again before each proof.
	_ = syscall.Setpriority(syscall.PRIO_PGRP, w.cmd.Process.Pid, niceness(0)+nice) // it works without
}

// niceness is that of a process, 0 being this one; 0 where there is none.
func niceness(pid int) int {
	p, err := syscall.Getpriority(syscall.PRIO_PROCESS, pid)
	if err != nil {
		return 0
	}
	if runtime.GOOS == "linux" { // whose system call gives 20 less it
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
	_ = w.cmd.Wait() // how a worker ends after its last answer tells nothing
}

// How a worker is watched.
const (
	watchInterval = 25 * time.Millisecond
	// descendantsTicks is how often the compilers and solvers are counted that a worker has started, in intervals: it
	// costs ten times what the worker itself does, and they grow slowly. A check that ends before is spared all of it:
	// what was looked at in /proc has to be taken away by the system when its threads end, at the cost of a sixth of the
	// check of a small proof.
	descendantsTicks = 10
	// graceTime is what a worker gets beyond its proof's timeout to say what it knows: CPU time, and time on the wall
	// where it does nothing.
	graceTime = 2 * time.Second
	// freshLimit is the memory in bytes beyond which a worker is replaced when its proof is done, and freshShare the part
	// of what the next proof may have beyond which it gets another one: it is not to end by what the last one has left.
	freshLimit = 512 << 20
	freshShare = 2
)

// fate says why a result is not the worker's own answer.
type fate uint8

const (
	answered fate = iota
	limited       // by the proof's limits or by its caller
	crowded       // all workers together have too much memory
	died          // of itself
	murdered      // by SIGKILL, and not by us
)

// check has the worker do a proof, within its limits. Like Checker.Check it never fails. tooMuch
// is asked regularly whether the worker has to go because of all workers' memory. far is the shared cache, nil: none.
func (w *process) check(ctx context.Context, j *Job, far *remote.Client, tooMuch func() bool) (Result, fate) {
	start := time.Now()
	p := &j.Proof
	type outcome struct {
		result *wireResult
		err    error
	}
	done := make(chan outcome, 1)
	talk, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		r, err := w.converse(talk, j, far)
		done <- outcome{r, err}
	}()
	var peak, descendants int64
	var cpu time.Duration // since the proof began
	began, told := treeTime(w.cmd.Process.Pid)
	dog := &watchdog{timeout: p.Timeout, grace: graceTime,
		waited: func() time.Duration { return treeWaited(w.cmd.Process.Pid) }}
	ticks := 0
	fail := func(reason found.Reason, why fate) (Result, fate) {
		r := Result{Proof: unknownProof(metaOf(j.Root, p), reason)}
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
			// What a solver has started that was stopped may live on in the worker's process group, whatever the verdict.
			w.dead.Store(peak > freshLimit || solver.External(j.Solver))
			r.Proof.Stats.MemoryMB = peak >> 20
			return r, answered
		case <-tick.C:
			if ticks++; ticks%descendantsTicks == 0 {
				descendants = descendantsSize(w.cmd.Process.Pid)
				now, _ := treeTime(w.cmd.Process.Pid)
				cpu = now - began
			}
			if !told {
				cpu = time.Since(start)
			}
			size := ownSize(w.cmd.Process.Pid) + descendants
			w.resident.Store(size)
			peak = max(peak, size)
			var reason found.Reason
			why, end := limited, end(0)
			if j.strength == nil { // else each change has the time of the proof, which the worker sees to
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

// fits tells whether an idle worker has left enough of the memory that a proof may have, in bytes.
func (w *process) fits(most int64) bool { return ownSize(w.cmd.Process.Pid) <= most/freshShare }

// converse exchanges the messages of one proof. When ctx ends, nobody waits for the shared cache any more.
func (w *process) converse(ctx context.Context, j *Job, far *remote.Client) (*wireResult, error) {
	define := j.Define
	settings := j.Settings
	settings.Cluster = remote.Cluster{} // a worker has nothing to do with it, and begins anew with other settings
	req := request{Settings: &settings, Proof: proofToWire(j.Proof), CanDefine: define != nil, Virtual: j.Virtual,
		Expected: j.Expected, Live: j.Inputs != nil, Tell: j.Found != nil, Replay: j.replay,
		Strength: j.strength, Elsewhere: j.elsewhere}
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
			if j.Found != nil {
				j.Found(findingFromWire(*a.Found))
			}
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
			return nil, errors.New("message from a worker: asks for definitions that nobody has")
		default:
			if err := writeFrame(w.stdin, request{Definitions: define(a.Missing)}); err != nil {
				return nil, err
			}
		}
	}
}

// deathReason says why a worker did not answer: by its exit and by its last words.
func (w *process) deathReason(err error) (found.Reason, fate) {
	why := died
	gone := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE)
	w.kill() // has no effect on one that is gone
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

// tail keeps the beginning and the end of what a worker says on stderr.
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

// firstCause picks the line that says why: Go's and most libraries' last words come first,
// before the stacks.
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

// selfCommand is how this program is started as a worker.
func selfCommand() ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("where this program is, to start workers: %w", err)
	}
	return []string{self, "worker"}, nil
}
