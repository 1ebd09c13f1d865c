package clang

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/forkserver"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/scratch"
)

// The number of starts of a program decides how much may be spent on a faster start.
const (
	// serveFrom is the run of a program that starts its fork server, at no extra cost. Most commands check one small
	// proof and start clang once.
	serveFrom = 2
	// buildFrom is the run that compiles the fork server's library. That takes three times as long as one run saves;
	// the library is kept on disk.
	buildFrom = 5
	// serverIdle is how long an idle fork server waits for another run. It occupies about 20 MB.
	serverIdle = 10 * time.Minute
)

// starts has the programs that this process has started, by path. The zero value is ready.
type starts struct {
	mu       sync.Mutex
	programs map[string]*started

	library string // "" if there is none
	tried   bool   // compiling it was tried
}

type started struct {
	runs   int
	suits  bool // a fork server may be used
	env    []string
	server *forkserver.Server
}

// Run runs a program of the toolchain, given by its path, in a folder and returns its output. Cancelling the context
// kills it.
func (t *Toolchain) Run(ctx context.Context, dir, program string, args []string, stdin []byte) (stdout, stderr []byte,
	err error) {
	env := environment()
	if s := t.server(ctx, program, env); s != nil {
		stdout, stderr, err = s.Run(ctx, dir, args, stdin)
		if !errors.Is(err, forkserver.ErrUnavailable) {
			return stdout, stderr, err
		}
	}
	cmd := child(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	if err = cmd.Run(); errors.Is(err, exec.ErrWaitDelay) {
		err = fmt.Errorf("%s has ended, but something that it started has not, and holds its output", program)
	}
	return out.Bytes(), errs.Bytes(), err
}

// child prepares a program of the toolchain; the end of the context kills it with all its children. In a worker the
// program stays in the worker's process group, which the parent kills as a whole; otherwise it has its own group.
func child(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = 500 * time.Millisecond // a child of it may hold the pipes
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	endWithParent(cmd.SysProcAttr)
	if scratch.Worker() == "" {
		cmd.SysProcAttr.Setpgid = true
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
	return cmd
}

// Exited reports whether the error of Run means that the program ran and failed.
func Exited(err error) bool {
	var plain *exec.ExitError
	var forked *forkserver.ExitError
	return errors.As(err, &plain) || errors.As(err, &forked)
}

// RemovedError is the error for temporary files that were deleted while in use. It is not an error of the program.
type RemovedError struct{ Dir string }

func (e *RemovedError) Error() string {
	return fmt.Sprintf("the temporary folder %s was removed while it was in use", e.Dir)
}

// SignalError is the error for a clang that was ended by a signal: it crashed or was killed. It is not an error of the
// file.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string {
	return fmt.Sprintf("clang was ended by signal %d (%s)", int(e.Signal), e.Signal)
}

// signalOf returns the signal that ended a program, from the error of Run.
func signalOf(err error) (syscall.Signal, bool) {
	var plain *exec.ExitError
	var forked *forkserver.ExitError
	var status syscall.WaitStatus
	switch {
	case errors.As(err, &plain):
		status, _ = plain.Sys().(syscall.WaitStatus)
	case errors.As(err, &forked):
		status = forked.Status
	default:
		return 0, false
	}
	return status.Signal(), status.Signaled()
}

// brokeDown matches the message of clang's driver if a signal ended the compiler proper, which the driver catches. The
// exit code is 128 plus the signal's number.
var brokeDown = lazyregexp.New(`(?m)^[^:\n]*: error: clang frontend command failed with exit code (1[2-9][0-9])\b`)

// crash returns the signal that ended clang or that clang caught: clang crashed or was killed.
func crash(err error, stderr []byte) (syscall.Signal, bool) {
	if s, killed := signalOf(err); killed {
		return s, true
	}
	if !Exited(err) {
		return 0, false
	}
	if m := brokeDown.FindSubmatch(stderr); m != nil {
		if code, _ := strconv.Atoi(string(m[1])); code > 128 { // these are three digits
			return syscall.Signal(code - 128), true
		}
	}
	return 0, false
}

// server counts a run of the program, and returns its fork server if one is to be used.
func (t *Toolchain) server(ctx context.Context, program string, env []string) *forkserver.Server {
	s := &t.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.programs[program]
	if p == nil {
		p = &started{suits: forkserver.Suits(program)}
		if s.programs == nil {
			s.programs = map[string]*started{}
		}
		s.programs[program] = p
	}
	if p.runs++; p.runs < serveFrom || !p.suits {
		return nil
	}
	if s.library == "" && !s.find() {
		if p.runs < buildFrom {
			return nil
		}
		if s.build(ctx, t.Clang, env); s.library == "" {
			return nil
		}
	}
	if p.server == nil || !slices.Equal(p.env, env) { // the old one ends after its idle time
		p.server, p.env = forkserver.New(program, s.library, env, serverIdle), env
	}
	return p.server
}

// Close ends the fork servers of the toolchain, which can still be used afterwards. Without Close they end with this
// process.
func (t *Toolchain) Close() {
	s := &t.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.programs {
		if p.server != nil {
			p.server.Close()
		}
	}
	s.programs = nil
}

// find reports whether an earlier process compiled the library, and sets its path. The caller holds the lock, as for
// build.
func (s *starts) find() bool {
	dir, err := toolchainDir()
	if err != nil {
		return false
	}
	path := forkserver.LibraryPath(dir)
	if !cache.Sealed(path) {
		return false
	}
	s.library = path
	return true
}

// build compiles the library. If that fails, programs are started normally.
func (s *starts) build(ctx context.Context, clang string, env []string) {
	dir, err := toolchainDir()
	if err != nil || s.tried {
		return
	}
	err = forkserver.Build(ctx, clang, env, dir)
	s.tried = ctx.Err() == nil
	if err == nil && cache.Seal(forkserver.LibraryPath(dir)) == nil {
		s.find()
	}
}
