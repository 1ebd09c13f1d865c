package cbmc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// Cost is the cost of a process, including the child processes that it waited for.
type Cost struct {
	Wall, CPU time.Duration
	MemoryMB  float64 // the largest resident memory of one process
}

// Text is the output of a process.
type Text struct{ Out, Err []byte }

// ErrTimeout is the error of a process that reached its time limit.
var ErrTimeout = errors.New("timeout")

// Measure runs a program to its end, in its own process group. The group is killed when the context ends or the
// timeout is reached. A nil environment is this process's. An exit status is no error.
func Measure(ctx context.Context, timeout time.Duration, dir string, env []string, program string,
	args ...string) (text Text, status int, cost Cost, err error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, program, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err = cmd.Run()
	cost.Wall = time.Since(start)
	if s := cmd.ProcessState; s != nil {
		cost.CPU = s.UserTime() + s.SystemTime()
		if u, ok := s.SysUsage().(*syscall.Rusage); ok {
			cost.MemoryMB = float64(u.Maxrss) / 1024 // kibibytes on Linux
		}
	}
	text = Text{out.Bytes(), errs.Bytes()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return Text{}, 0, cost, ctx.Err()
	case limited.Err() != nil:
		return text, 0, cost, ErrTimeout
	case errors.As(err, &exit) && exit.Exited():
		return text, exit.ExitCode(), cost, nil
	case err != nil:
		return text, 0, cost, fmt.Errorf("%s: %w: %s", program, err, bytes.TrimSpace(errs.Bytes()))
	}
	return text, 0, cost, nil
}
