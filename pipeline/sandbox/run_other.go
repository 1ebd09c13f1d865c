//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// limited is a script of sh that sets limits of resources and becomes the program. The units are seconds, blocks of 512
// bytes and processes; a limit above the one of the system stays that of the system.
const limited = `ulimit -t "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; ulimit -c 0; shift 2; exec "$@"`

// Run runs a program in its own process group, with limits of resources and without confinement. It ends the program
// with the context, or at its memory limit. The error is the reason why it could not be started.
func Run(ctx context.Context, c Command) (*Result, error) {
	seconds, blocks := "unlimited", "unlimited"
	if c.CPU > 0 {
		seconds = strconv.FormatInt(int64(c.CPU.Seconds()), 10)
	}
	if c.FileSize > 0 {
		blocks = strconv.FormatInt((c.FileSize+511)/512, 10)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", limited, "sh", seconds, blocks, c.Path}, c.Args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = c.Env, c.Stdout, c.Stderr, outputDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the native program: %w", err)
	}
	pid := cmd.Process.Pid
	r := &Result{Confinement: Confinement{Held: []Guarantee{}, Missing: Guarantees,
		Why: "unitproof has no sandbox for this system"}}
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		r.TimedOut, r.TooMuch = watch(ctx, pid, c.Memory, done)
	}()
	err := cmd.Wait()
	close(done)
	<-watched
	_ = syscall.Kill(-pid, syscall.SIGKILL) // remaining processes
	r.Elapsed = time.Since(start)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, fmt.Errorf("run the native program: %w", err)
	}
	r.Status, _ = cmd.ProcessState.Sys().(syscall.WaitStatus)
	return r, nil
}

// useOf returns the resident memory of a process group in bytes, and its number of processes, as ps lists them.
func useOf(group int) (size int64, count int) {
	out, err := exec.Command("ps", "-A", "-o", "pgid=,rss=").Output()
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 2 || fields[0] != strconv.Itoa(group) {
			continue
		}
		count++
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		size += n << 10
	}
	return size, count
}
