package replay

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/pipeline/targets"
)

// Limits of a native run.
const (
	memoryMB    = 2048 // of one process, enforced by its sanitizer
	totalMB     = 2 * memoryMB
	cpuSeconds  = 20
	outputBytes = 8 << 20
)

// execution is the result of a native run.
type execution struct {
	stdout, stderr string
	exit           int            // -1 if a signal ended it
	signal         syscall.Signal // 0 if it exited
	timedOut       bool           // ended by the wall-clock limit
	tooMuch        bool           // ended by the memory limit
	elapsed        time.Duration
	confined       sandbox.Confinement
}

// Exit statuses of a program that a sanitizer's runtime ends.
const (
	asanExit  = 98
	ubsanExit = 97
)

// asanOptions returns the environment variable with the options of AddressSanitizer. The reasons:
//
//   - The leak detector dies under a debugger, and its leaks are not those of the contract.
//   - RLIMIT_AS would kill a sanitized program at its start, so resident memory is limited.
//   - Large allocations return NULL instead of ending the program.
//   - Large red zones detect accesses far outside an object.
//
// The largest allocation is smaller than an address of 32 bits if narrow is set, because ASan computes it in bytes.
// With pairs, comparisons of pointers into different objects are reported; in C only == allows them.
func asanOptions(pairs, narrow bool) string {
	largest := 65536
	if narrow {
		largest = 2047
	}
	o := fmt.Sprintf("ASAN_OPTIONS=detect_leaks=0:symbolize=0:hard_rss_limit_mb=%d:allocator_may_return_null=1:"+
		"max_allocation_size_mb=%d:detect_stack_use_after_return=1:exitcode=%d:redzone=512:max_redzone=2048:"+
		"quarantine_size_mb=64:detect_odr_violation=0:handle_sigfpe=1:"+
		"handle_sigill=1:handle_abort=0:print_legend=0:print_scariness=0", memoryMB, largest, asanExit)
	if pairs {
		o += ":detect_invalid_pointer_pairs=2"
	}
	return o
}

// msanOptions switch poisoning off: the runtime marks the memory that was never written, see unitproof_run.c.
var msanOptions = fmt.Sprintf("MSAN_OPTIONS=poison_in_malloc=0:poison_in_free=0:symbolize=0:hard_rss_limit_mb=%d:"+
	"allocator_may_return_null=1:max_allocation_size_mb=65536:exitcode=%d:handle_sigfpe=1:handle_sigill=1:handle_abort=0",
	memoryMB, asanExit)

var ubsanOptions = fmt.Sprintf("UBSAN_OPTIONS=print_stacktrace=1:report_error_type=1:symbolize=0:exitcode=%d",
	ubsanExit)

// gaveUp reports whether the sanitizer's runtime ended the program without a finding. clang 14's sometimes fails at the
// start, if the memory for its shadow is taken.
func (x *execution) gaveUp() bool {
	return !x.timedOut && x.signal == 0 && (x.exit == asanExit || x.exit == ubsanExit) && len(parse(x.stderr)) == 0
}

// run executes a program in the sandbox, within limits and without address randomization. Its processes have ended when
// run returns. reads are files that it may read. The error is why it could not be started.
func run(ctx context.Context, wall time.Duration, machine *targets.Target, program string, args, env []string,
	reads ...string) (*execution, error) {
	path, first, err := command(machine, program)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	stdout, stderr := &bounded{room: outputBytes}, &bounded{room: outputBytes}
	r, err := sandbox.Run(ctx, sandbox.Command{Path: path, Args: append(first, args...), Reads: append(reads, program),
		Env: append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, env...), Stdout: stdout, Stderr: stderr,
		CPU: time.Duration(patience(machine)) * cpuSeconds * time.Second, FileSize: outputBytes, Memory: totalMB << 20})
	if err != nil {
		return nil, err
	}
	x := &execution{stdout: stdout.buf.String(), stderr: stderr.buf.String(), timedOut: r.TimedOut, tooMuch: r.TooMuch,
		exit: r.Status.ExitStatus(), elapsed: r.Elapsed, confined: r.Confinement}
	if r.Status.Signaled() {
		x.signal = r.Status.Signal()
	}
	return x, nil
}
