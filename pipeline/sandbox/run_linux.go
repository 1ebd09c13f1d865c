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

// means are the means that a stage is to use. Those that the kernel refused are not tried again.
type means struct {
	Namespaces, Landlock, Filter bool
}

var (
	known   sync.Mutex
	allowed = means{true, true, true}
	refused []string // reasons why the others are not allowed
)

// Run runs a program, in its own process group and without address randomization. It ends the program with the context,
// or at its memory limit. No process of the program remains. The error is why it could not be started.
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
		var without func(w *means)
		switch {
		case failed.Part == partNamespaces && use.Namespaces:
			without = func(w *means) { w.Namespaces = false }
		case failed.Part == partLandlock && use.Landlock:
			without = func(w *means) { w.Landlock = false }
		case failed.Part == partFilter && use.Filter:
			without = func(w *means) { w.Filter = false }
		default:
			return nil, errors.New(failed.Message)
		}
		without(&use)
		why = append(why, failed.Message)
		if ctx.Err() == nil { // else the failure may come from the context
			known.Lock()
			without(&allowed)
			refused = slices.Compact(append(refused, failed.Message))
			known.Unlock()
		}
	}
}

// confined returns the guarantees of the means that were used.
func confined(use means, abi int, why []string) Confinement {
	c := Confinement{Held: []Guarantee{}}
	for _, g := range Guarantees {
		var held bool
		switch g {
		case Network:
			held = use.Namespaces || use.Filter
		case Files:
			// Landlock does not control modes and owners of files, which the filter does.
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

// order is the command for a stage, in its second argument.
type order struct {
	Path  string
	Args  []string // including the program's name
	Env   []string
	Reads []string
	Root  string // empty folder for the new root; "" without namespaces
	CPU   uint64 // seconds
	Size  uint64 // bytes of a file
	means
}

// The parts of a stage that can fail.
const (
	partNamespaces = "namespaces"
	partLandlock   = "Landlock"
	partFilter     = "filter"
	partProgram    = "program"
)

// report is the output of a stage, in JSON.
type report struct {
	Part    string // the part that failed; "" for the end of the program
	Message string
	Status  syscall.WaitStatus
}

// outcome is a Result with internal details.
type outcome struct {
	Result
	abi int
}

func runWith(ctx context.Context, c Command, use means) (*outcome, *report, error) {
	o := order{Path: c.Path, Args: append([]string{c.Path}, c.Args...), Env: c.Env, Reads: c.Reads,
		CPU: uint64(c.CPU.Seconds()), Size: uint64(c.FileSize), means: use}
	if use.Namespaces {
		root, err := scratch.Mkdir("root-*")
		if err != nil {
			return nil, nil, fmt.Errorf("a folder for the native program: %w", err)
		}
		defer os.Remove(root) // its mounts were visible to the stage only
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
	// The parent-death signal belongs to the thread, and so does the personality, which the child inherits.
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
	// A stage ends with its program; its report is short. Read the pipe until all its writers have closed it.
	heard, _ := io.ReadAll(io.LimitReader(said, 1<<16))
	err = cmd.Wait()
	close(done)
	<-watched
	_ = syscall.Kill(-pid, syscall.SIGKILL) // remaining processes
	r.Elapsed = time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, nil, fmt.Errorf("run the native program: %w", err)
	}
	r.Status, _ = cmd.ProcessState.Sys().(syscall.WaitStatus)
	if len(heard) == 0 {
		return r, nil, nil // the stage executed the program, or was killed
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

// useOf returns the resident memory of a process group in bytes, and its number of processes.
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
		const pgrp, rss = 2, 21 // fields of proc(5), counted from the state
		if len(fields) <= rss || fields[pgrp] != strconv.Itoa(group) {
			continue
		}
		count++
		n, _ := strconv.ParseInt(fields[rss], 10, 64)
		size += n * int64(os.Getpagesize())
	}
	return size, count
}

// noRandomize is ADDR_NO_RANDOMIZE of personality(2): AddressSanitizer of clang 14 sometimes fails if addresses have
// much entropy.
const noRandomize = 0x0040000

// startPlain starts a command without address randomization. The calling thread is locked.
func startPlain(cmd *exec.Cmd) error {
	old, _, errno := syscall.RawSyscall(syscall.SYS_PERSONALITY, 0xffffffff, 0, 0)
	if errno == 0 {
		if _, _, errno = syscall.RawSyscall(syscall.SYS_PERSONALITY, old|noRandomize, 0, 0); errno == 0 {
			defer syscall.RawSyscall(syscall.SYS_PERSONALITY, old, 0, 0)
		}
	}
	return cmd.Start()
}

// cause returns the innermost error.
func cause(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// identities returns the users and groups of the namespace: the user's own and, for root, the owners of the folders
// above the paths. The stage has rights over files of these owners only; without them it could not mount files below
// another user's private folder before it gives up its rights.
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
			if info, err := os.Stat(dir); err == nil { // else it cannot be mounted anyway
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
