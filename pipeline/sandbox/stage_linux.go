package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// stageName is the name under which this program starts itself as a stage.
const stageName = "unitproof-sandbox"

// statusPipe is the descriptor for a stage's report of a failure or of its program's end.
const statusPipe = 3

// A program that imports this package is its own stage, tests included.
func init() {
	if len(os.Args) == 2 && os.Args[0] == stageName {
		runtime.LockOSThread() // no_new_privs, Landlock, the filter and capabilities belong to a thread
		stage(os.Args[1])
	}
}

// refusal ends a stage whose kernel refuses a part.
func refusal(part, format string, args ...any) {
	say(report{Part: part, Message: fmt.Sprintf(format, args...)})
	os.Exit(1)
}

func say(r report) {
	if text, err := json.Marshal(r); err == nil {
		_, _ = unix.Write(statusPipe, text)
	}
}

// stage executes an order. It does not return.
func stage(text string) {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		refusal(partProgram, "the sandbox was given %q: %v", text, err)
	}
	closeOthers()
	if o.Namespaces {
		if err := enterRoot(&o); err != nil {
			refusal(partNamespaces, "namespaces cannot be used (%v)", err)
		}
	}
	limit(&o)
	if o.Namespaces || o.Landlock || o.Filter {
		if err := dropCapabilities(); err != nil {
			refusal(partProgram, "the native program cannot be kept from what root may do: %v", err)
		}
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			refusal(partProgram, "no_new_privs is refused (%v)", err)
		}
	}
	scoped := false
	if o.Landlock {
		var err error
		if scoped, err = restrictFiles(&o); err != nil {
			refusal(partLandlock, "Landlock cannot be used (%v)", err)
		}
	}
	if o.Filter {
		f := filterOf{alone: o.Namespaces, traceable: o.Namespaces || o.Landlock}
		if !o.Namespaces && !scoped {
			f.self = os.Getpid()
		}
		if err := f.install(); err != nil {
			refusal(partFilter, "the filter of system calls is refused (%v)", err)
		}
	}
	if !o.Namespaces {
		err := syscall.Exec(o.Path, o.Args, o.Env)
		refusal(partProgram, "start the native program: %v", err)
	}
	supervise(&o)
}

// supervise runs the program as the second process of its namespace. The first is this one: default actions of signals
// do not end it, and all others end with it.
func supervise(o *order) {
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	pid, err := syscall.ForkExec(o.Path, o.Args, &syscall.ProcAttr{Env: o.Env, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}})
	if err != nil {
		refusal(partProgram, "start the native program: %v", err)
	}
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			refusal(partProgram, "run the native program: %v", err)
		}
		if ended == pid {
			say(report{Status: status})
			os.Exit(0)
		}
	}
}

// closeOthers marks inherited descriptors to be closed when the program starts.
func closeOthers() {
	if unix.CloseRange(statusPipe, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		entries = nil
	}
	unix.CloseOnExec(statusPipe)
	for _, e := range entries {
		var fd int
		if _, err := fmt.Sscanf(e.Name(), "%d", &fd); err == nil && fd > statusPipe {
			unix.CloseOnExec(fd)
		}
	}
}

const (
	maxOpenFiles = 256 // of one process
)

// limit sets limits of resources. One of the address space would end a sanitized program at its start.
func limit(o *order) {
	set := func(what int, n uint64) {
		_ = unix.Setrlimit(what, &unix.Rlimit{Cur: n, Max: n}) // a lower one stays
	}
	if o.CPU > 0 {
		_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: o.CPU, Max: o.CPU + 1})
	}
	if o.Size > 0 {
		set(unix.RLIMIT_FSIZE, o.Size)
	}
	set(unix.RLIMIT_CORE, 0)
	set(unix.RLIMIT_MSGQUEUE, 0)
	set(unix.RLIMIT_MEMLOCK, 0)
	if o.Namespaces { // elsewhere the user's other processes would count; root is exempt
		set(unix.RLIMIT_NPROC, maxProcesses)
	}
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil && files.Cur > maxOpenFiles {
		set(unix.RLIMIT_NOFILE, maxOpenFiles)
	}
}

// dropCapabilities removes the rights of root from the thread and all programs that it executes, here or in its
// namespaces: for example, to read other processes' memory.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var now, none [2]unix.CapUserData
	if err := unix.Capget(&header, &now[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	if now[0].Permitted|now[1].Permitted == 0 {
		return nil // an ordinary user, who gains none with no_new_privs
	}
	for c := uintptr(0); unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) == nil; c++ { // until there are no more
	}
	// Without SECBIT_NOROOT a program of root would regain them, be refused, and lose its personality.
	const noRoot = 1<<0 | 1<<1 | 1<<2 | 1<<3 // SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, each locked
	_ = unix.Prctl(unix.PR_SET_SECUREBITS, noRoot, 0, 0, 0)
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	return nil
}
