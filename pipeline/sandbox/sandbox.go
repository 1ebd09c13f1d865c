// Package sandbox runs programs that may have been made to harm, with what the kernel allows an ordinary user.
//
// [Run] starts this very program again as a stage of its own (stage.go), which takes away what the program must not
// have and then executes it. There are two ways. With namespaces (namespaces.go) the program sees a file system of its
// own, no network and no process but its own ones. Where these are forbidden, as in most containers, Landlock
// (landlock.go) and a filter of system calls (filter.go) keep it from files, network and other processes, which it can
// still see. Both ways have the filter and the limits. What could not be held is in the answer.
//
// The package knows nothing of proofs and compilers.
package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/unitproof/unitproof/pipeline/scratch"
)

// Command is a program that is run.
type Command struct {
	Path string // absolute
	Args []string
	Env  []string // all of it
	// Reads are files, beside the program and the libraries of the system, that it may read.
	Reads          []string
	Stdout, Stderr io.Writer
	CPU            time.Duration // of each of its processes
	FileSize       int64         // of each file that it writes, in bytes
	// Memory bounds the resident memory of all its processes together, in bytes.
	Memory int64
}

// Guarantee is what a program was kept from.
type Guarantee string

// The guarantees.
const (
	Network   Guarantee = "network"   // no socket that leads anywhere
	Files     Guarantee = "files"     // reads libraries and what it is given, and writes a fresh folder at most
	Processes Guarantee = "processes" // other processes can be neither seen nor touched, and none of its own survives
)

// Guarantees are all of them.
var Guarantees = []Guarantee{Network, Files, Processes}

// Confinement says what a run was kept from.
type Confinement struct {
	Held    []Guarantee `json:"held"`
	Missing []Guarantee `json:"missing,omitempty"`
	// Why something is missing, in words; "" where nothing is.
	Why string `json:"why,omitempty"`
}

// Words says what was not held, without full stop; "" where all was.
func (c *Confinement) Words() string {
	if c == nil || len(c.Missing) == 0 {
		return ""
	}
	var what []string
	for _, g := range c.Missing {
		what = append(what, string(g))
	}
	return fmt.Sprintf("the sandbox does not hold %s: %s", strings.Join(what, ", "), c.Why)
}

// Result is how a run ended.
type Result struct {
	Status   syscall.WaitStatus
	TimedOut bool // the context ended it
	TooMuch  bool // its memory or the number of its processes did
	Elapsed  time.Duration
	Confinement
}

// ways are what a stage is asked to use; those that the kernel refused are not tried again.
type ways struct {
	Namespaces, Landlock, Filter bool
}

var (
	known   sync.Mutex
	allowed = ways{true, true, true}
	refused []string // why each of the others is not
)

// Run runs a program, in a process group of its own and without address randomisation, until it ends, the context does,
// or it has too much memory. Nothing of it is left then. The error says that it could not be started.
func Run(ctx context.Context, c Command) (*Result, error) {
	known.Lock()
	use, why := allowed, slices.Clone(refused)
	known.Unlock()
	for {
		r, failed, err := runWith(ctx, c, use)
		if err != nil {
			return nil, err
		}
		if failed == nil {
			r.Confinement = confined(use, r.abi, why)
			return &r.Result, nil
		}
		var without func(w *ways)
		switch {
		case failed.Part == partNamespaces && use.Namespaces:
			without = func(w *ways) { w.Namespaces = false }
		case failed.Part == partLandlock && use.Landlock:
			without = func(w *ways) { w.Landlock = false }
		case failed.Part == partFilter && use.Filter:
			without = func(w *ways) { w.Filter = false }
		default:
			return nil, errors.New(failed.Message)
		}
		without(&use)
		why = append(why, failed.Message)
		if ctx.Err() == nil { // else the end came from outside
			known.Lock()
			without(&allowed)
			refused = slices.Compact(append(refused, failed.Message))
			known.Unlock()
		}
	}
}

// confined is what holds with the ways that were used.
func confined(use ways, abi int, why []string) Confinement {
	c := Confinement{Held: []Guarantee{}}
	for _, g := range Guarantees {
		var held bool
		switch g {
		case Network:
			held = use.Namespaces || use.Filter
		case Files:
			// Landlock knows nothing of modes and owners of files, which the filter leaves alone.
			held = use.Namespaces || use.Landlock && use.Filter
		case Processes:
			held = use.Namespaces
		}
		if held {
			c.Held = append(c.Held, g)
		} else {
			c.Missing = append(c.Missing, g)
		}
	}
	if len(c.Missing) == 0 {
		return c
	}
	c.Why = strings.Join(why, "; ")
	if use.Filter && (use.Landlock || use.Namespaces) {
		c.Why += "; other processes are seen, but not touched"
	}
	return c
}

// order is what a stage is told, in its second argument.
type order struct {
	Path  string
	Args  []string // with the program's name
	Env   []string
	Reads []string
	Root  string // an empty folder, for the new root; "" without namespaces
	CPU   uint64 // seconds
	Size  uint64 // bytes of a file
	ways
}

// The parts of a stage that can be refused.
const (
	partNamespaces = "namespaces"
	partLandlock   = "Landlock"
	partFilter     = "filter"
	partProgram    = "program"
)

// report is what a stage says, in JSON.
type report struct {
	Part    string // what failed; "" for an end
	Message string
	Status  syscall.WaitStatus
}

// outcome is a Result with what it took.
type outcome struct {
	Result
	abi int
}

// How a run is watched.
const (
	watchInterval = 50 * time.Millisecond
	// outputDelay is how long output may be held open by something that survived.
	outputDelay = time.Second
)

func runWith(ctx context.Context, c Command, use ways) (*outcome, *report, error) {
	o := order{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Reads: c.Reads,
		CPU: uint64(c.CPU.Seconds()), Size: uint64(c.FileSize), ways: use}
	if use.Namespaces {
		root, err := scratch.Mkdir("root-*")
		if err != nil {
			return nil, nil, fmt.Errorf("a folder for the native program: %w", err)
		}
		defer os.Remove(root) // what was mounted there was seen by the stage only
		o.Root = root
	}
	text, err := json.Marshal(o)
	if err != nil {
		return nil, nil, err
	}
	said, tell, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("start the native program: %w", err)
	}
	defer said.Close()
	cmd := exec.Command("/proc/self/exe", string(text))
	cmd.Args[0] = stageName
	cmd.Env = c.Env
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.ExtraFiles = []*os.File{tell}
	cmd.WaitDelay = outputDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if use.Namespaces {
		cmd.SysProcAttr.Cloneflags = namespaces
		cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = identities(append([]string{c.Path}, c.Reads...))
	}
	// The signal at the death of the parent is tied to the thread, and so is the personality, which the child inherits.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	err = startPlain(cmd)
	tell.Close()
	switch {
	case err != nil && use.Namespaces:
		return nil, &report{Part: partNamespaces, Message: "namespaces are forbidden (" + cause(err) + ")"}, nil
	case err != nil:
		return nil, nil, fmt.Errorf("start the native program: %w", err)
	}
	pid := cmd.Process.Pid
	done, watched := make(chan struct{}), make(chan struct{})
	r := &outcome{}
	go func() {
		defer close(watched)
		r.TimedOut, r.TooMuch = watch(ctx, pid, c.Memory, done)
	}()
	// A stage's end is its program's end; what it says is short and comes with it. The pipe is read until nobody holds it.
	heard, _ := io.ReadAll(io.LimitReader(said, 1<<16))
	err = cmd.Wait()
	close(done)
	<-watched
	_ = syscall.Kill(-pid, syscall.SIGKILL) // what it may have left
	r.Elapsed = time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, nil, fmt.Errorf("run the native program: %w", err)
	}
	r.Status, _ = cmd.ProcessState.Sys().(syscall.WaitStatus)
	if len(heard) == 0 {
		return r, nil, nil // it was executed in the place of the stage, or killed with it
	}
	var what report
	if err := json.Unmarshal(heard, &what); err != nil {
		return nil, nil, fmt.Errorf("run the native program: the stage said %q", heard)
	}
	if what.Part != "" {
		return nil, &what, nil
	}
	r.Status = what.Status
	return r, nil, nil
}

// watch kills the group when the context ends or its memory is too much, and returns when done is closed.
func watch(ctx context.Context, pid int, memory int64, done <-chan struct{}) (timedOut, tooMuch bool) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	kill := func() {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // it may have ended by itself
		<-done
	}
	for {
		select {
		case <-done:
			return false, false
		case <-ctx.Done():
			kill()
			return true, false
		case <-tick.C:
			if size, count := useOf(pid); memory > 0 && size > memory || count > maxProcesses {
				kill()
				return false, true
			}
		}
	}
}

// useOf is what a process group uses: resident memory in bytes, and how many processes there are.
func useOf(group int) (size int64, count int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0, 0
	}
	names, _ := dir.Readdirnames(-1)
	dir.Close()
	for _, name := range names {
		if name[0] < '1' || name[0] > '9' {
			continue
		}
		data, err := os.ReadFile(filepath.Join("/proc", name, "stat"))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		const pgrp, rss = 2, 21 // see proc(5), counted from the state
		if len(fields) <= rss || fields[pgrp] != strconv.Itoa(group) {
			continue
		}
		count++
		n, _ := strconv.ParseInt(fields[rss], 10, 64)
		size += n * int64(os.Getpagesize())
	}
	return size, count
}

// noRandomize is ADDR_NO_RANDOMIZE of personality(2): the AddressSanitizer of clang 14 fails now and then where
// addresses have much entropy.
const noRandomize = 0x0040000

// startPlain starts a command without address randomisation. The calling thread is locked.
func startPlain(cmd *exec.Cmd) error {
	old, _, errno := syscall.RawSyscall(syscall.SYS_PERSONALITY, 0xffffffff, 0, 0)
	if errno == 0 {
		if _, _, errno = syscall.RawSyscall(syscall.SYS_PERSONALITY, old|noRandomize, 0, 0); errno == 0 {
			defer syscall.RawSyscall(syscall.SYS_PERSONALITY, old, 0, 0)
		}
	}
	return cmd.Start()
}

// cause is the last of the errors in a chain.
func cause(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// identities are the users and groups that the namespace knows: one's own and, for root, the owners of the folders in
// which the paths lie. The stage's rights, with which it shows the program its files before it gives them up, count for
// what belongs to known owners only: nothing below another user's private folder could be shown else.
func identities(paths []string) (users, groups []syscall.SysProcIDMap) {
	users = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
	groups = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	if os.Geteuid() != 0 {
		return users, groups
	}
	know := func(list []syscall.SysProcIDMap, id int) []syscall.SysProcIDMap {
		if id == 0 || slices.ContainsFunc(list, func(m syscall.SysProcIDMap) bool { return m.HostID == id }) {
			return list
		}
		return append(list, syscall.SysProcIDMap{ContainerID: id, HostID: id, Size: 1})
	}
	for _, path := range paths {
		for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
			if info, err := os.Stat(dir); err == nil { // else it cannot be shown anyway
				if owner, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().Perm()&1 == 0 {
					users, groups = know(users, int(owner.Uid)), know(groups, int(owner.Gid))
				}
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return users, groups
}

const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS
