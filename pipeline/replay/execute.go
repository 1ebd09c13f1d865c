package replay

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// limits of a native run.
const (
	memoryMB    = 2048
	cpuSeconds  = 20
	outputBytes = 8 << 20
)

// execution is how a native run ended.
type execution struct {
	stdout, stderr string
	exit           int            // -1 when a signal ended it
	signal         syscall.Signal // 0 when it exited
	timedOut       bool           // the wall-clock limit ended it
	elapsed        time.Duration
}

// The status of a program that a sanitizer's runtime ends.
const (
	asanExit  = 98
	ubsanExit = 97
)

// asanOptions and ubsanOptions: the leak detector dies under a debugger and is not what the contract
// means by a leak; RLIMIT_AS would kill a sanitized program at its start, so that resident memory
// is limited; large allocations return NULL instead of ending the program; large red zones find
// accesses that are far off. pairs has comparisons of pointers into different objects reported,
// which are legal C for == only.
func asanOptions(pairs bool) string {
	o := fmt.Sprintf("ASAN_OPTIONS=detect_leaks=0:symbolize=0:hard_rss_limit_mb=%d:allocator_may_return_null=1:max_allocation_size_mb=65536:"+
		"detect_stack_use_after_return=1:exitcode=%d:redzone=512:max_redzone=2048:quarantine_size_mb=64:detect_odr_violation=0:handle_sigfpe=1:"+
		"handle_sigill=1:handle_abort=0:print_legend=0:print_scariness=0", memoryMB, asanExit)
	if pairs {
		o += ":detect_invalid_pointer_pairs=2"
	}
	return o
}

// msanOptions: we say which memory was never written, see unitproof_run.c.
var msanOptions = fmt.Sprintf("MSAN_OPTIONS=poison_in_malloc=0:poison_in_free=0:symbolize=0:hard_rss_limit_mb=%d:allocator_may_return_null=1:"+
	"max_allocation_size_mb=65536:exitcode=%d:handle_sigfpe=1:handle_sigill=1:handle_abort=0", memoryMB, asanExit)

var ubsanOptions = fmt.Sprintf("UBSAN_OPTIONS=print_stacktrace=1:report_error_type=1:symbolize=0:exitcode=%d",
	ubsanExit)

// gaveUp reports whether the sanitizer's runtime ended the program by itself, with nothing found: clang 14's fails now
// and then at the start, when the memory that its shadow needs is taken.
func (x *execution) gaveUp() bool {
	return !x.timedOut && x.signal == 0 && (x.exit == asanExit || x.exit == ubsanExit) && len(parse(x.stderr)) == 0
}

// run executes a program in a process group of its own, with address randomisation switched off,
// within limits. Nothing of it is left when run returns. The error says that it could not be
// started.
func run(ctx context.Context, wall time.Duration, program string, args, env []string) (*execution, error) {
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	cmd := exec.Command(program, args...)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, env...)
	stdout, stderr := &bounded{room: outputBytes}, &bounded{room: outputBytes}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	// The signal at the death of the parent is tied to the thread, and so is the personality, which
	// the child inherits.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := time.Now()
	err := startPlain(cmd)
	if err != nil {
		return nil, fmt.Errorf("start the native program: %w", err)
	}
	pid := cmd.Process.Pid
	_ = unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: cpuSeconds, Max: cpuSeconds + 1}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	_ = unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: outputBytes, Max: outputBytes}, nil)
	done := make(chan struct{})
	go func() {
		select {
		case <-ctx.Done():
		case <-done:
		}
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}()
	err = cmd.Wait()
	timedOut := ctx.Err() != nil
	close(done)
	_ = syscall.Kill(-pid, syscall.SIGKILL) // what it may have left
	x := &execution{stdout: stdout.buf.String(), stderr: stderr.buf.String(), timedOut: timedOut,
		elapsed: time.Since(start)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("run the native program: %w", err)
	}
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	x.exit = cmd.ProcessState.ExitCode()
	if status.Signaled() {
		x.signal = status.Signal()
	}
	return x, nil
}

// noRandomize is ADDR_NO_RANDOMIZE of personality(2): the AddressSanitizer of clang 14 fails now
// and then where addresses have much entropy.
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
