// Package sandbox runs programs that may be malicious, confined by the means that the kernel offers to ordinary users.
//
// [Run] starts this very program again as a stage (stage_linux.go), which gives up its rights and then executes the
// program. There are two ways:
//
//   - With namespaces (namespaces_linux.go) the program has its own file system, no network, and sees only its own
//     processes.
//   - If namespaces are forbidden, as in most containers, Landlock (landlock_linux.go) and a filter of system calls
//     (filter_linux.go) deny access to files, network and other processes, which remain visible.
//
// Both ways have the filter and limits of resources. The result lists the guarantees that the kernel did not allow. On
// other systems than Linux only the limits exist (run_other.go), and no guarantee holds.
//
// The package does not depend on proofs and compilers.
package sandbox

import (
	"context"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"
)

// Command is a program to be run.
type Command struct {
	Path string // absolute
	Args []string
	Env  []string // complete
	// Reads are files that it may read, besides the program and the system's libraries.
	Reads          []string
	Stdout, Stderr io.Writer
	CPU            time.Duration // limit for each of its processes
	FileSize       int64         // limit for each file that it writes, in bytes
	// Memory bounds the resident memory of all its processes together, in bytes.
	Memory int64
}

// Guarantee is a kind of confinement.
type Guarantee string

// Guarantees of a run.
const (
	Network   Guarantee = "network"   // no sockets
	Files     Guarantee = "files"     // it reads libraries and its Reads, and writes at most to a fresh folder
	Processes Guarantee = "processes" // other processes are invisible and untouchable, and none of its own survives
)

// Guarantees has all guarantees.
var Guarantees = []Guarantee{Network, Files, Processes}

// Confinement has the guarantees of a run.
type Confinement struct {
	Held    []Guarantee `json:"held"`
	Missing []Guarantee `json:"missing,omitempty"`
	// Why is the reason for Missing; "" if nothing is missing.
	Why string `json:"why,omitempty"`
}

// Words returns the missing guarantees as text, without a full stop; "" if none is missing.
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

// Result is the result of a run.
type Result struct {
	Status   syscall.WaitStatus
	TimedOut bool // ended by the context
	TooMuch  bool // ended by the limit of memory or of processes
	Elapsed  time.Duration
	Confinement
}

// Constants for watching a run.
const (
	watchInterval = 50 * time.Millisecond
	// outputDelay is how long surviving processes may hold the output open.
	outputDelay = time.Second
	// maxProcesses limits the processes of a run.
	maxProcesses = 64
)

// watch kills the group when the context ends or its memory exceeds the limit. It returns when done is closed.
func watch(ctx context.Context, pid int, memory int64, done <-chan struct{}) (timedOut, tooMuch bool) {
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	kill := func() {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // it may have ended
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
