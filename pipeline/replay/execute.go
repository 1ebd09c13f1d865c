package replay

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/pipeline/sandbox"
)

// limits of a native run.
const (
	memoryMB    = 2048 // of one process, as its sanitizer sees it
	totalMB     = 2 * memoryMB
	cpuSeconds  = 20
	outputBytes = 8 << 20
)

// execution is how a native run ended.
type execution struct {
	stdout, stderr string
	exit           int            // -1 when a signal ended it
	signal         syscall.Signal // 0 when it exited
	timedOut       bool           // the wall-clock limit ended it
	tooMuch        bool           // the limit of its memory did
	elapsed        time.Duration
	confined       sandbox.Confinement
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
	o := fmt.Sprintf("ASAN_OPTIONS=detect_leaks=0:symbolize=0:hard_rss_limit_mb=%d:allocator_may_return_null=1:"+
		"max_allocation_size_mb=65536:detect_stack_use_after_return=1:exitcode=%d:redzone=512:max_redzone=2048:"+
		"quarantine_size_mb=64:detect_odr_violation=0:handle_sigfpe=1:"+
		"handle_sigill=1:handle_abort=0:print_legend=0:print_scariness=0", memoryMB, asanExit)
	if pairs {
		o += ":detect_invalid_pointer_pairs=2"
	}
	return o
}

// msanOptions: we say which memory was never written, see unitproof_run.c.
var msanOptions = fmt.Sprintf("MSAN_OPTIONS=poison_in_malloc=0:poison_in_free=0:symbolize=0:hard_rss_limit_mb=%d:"+
	"allocator_may_return_null=1:max_allocation_size_mb=65536:exitcode=%d:handle_sigfpe=1:handle_sigill=1:handle_abort=0",
	memoryMB, asanExit)

var ubsanOptions = fmt.Sprintf("UBSAN_OPTIONS=print_stacktrace=1:report_error_type=1:symbolize=0:exitcode=%d",
	ubsanExit)

// gaveUp reports whether the sanitizer's runtime ended the program by itself, with nothing found: clang 14's fails now
// and then at the start, when the memory that its shadow needs is taken.
func (x *execution) gaveUp() bool {
	return !x.timedOut && x.signal == 0 && (x.exit == asanExit || x.exit == ubsanExit) && len(parse(x.stderr)) == 0
}

// run executes a program in the sandbox, with address randomisation switched off, within limits. Nothing of it is left
// when run returns. reads are files that it may read. The error says that it could not be started.
func run(ctx context.Context, wall time.Duration, program string, args, env []string, reads ...string) (*execution,
	error) {
	ctx, cancel := context.WithTimeout(ctx, wall)
	defer cancel()
	stdout, stderr := &bounded{room: outputBytes}, &bounded{room: outputBytes}
	r, err := sandbox.Run(ctx, sandbox.Command{Path: program, Args: args, Reads: reads,
		Env: append([]string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, env...), Stdout: stdout, Stderr: stderr,
		CPU: cpuSeconds * time.Second, FileSize: outputBytes, Memory: totalMB << 20})
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
