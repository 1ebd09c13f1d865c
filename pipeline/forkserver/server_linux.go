package forkserver

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	readyTime  = 10 * time.Second // to start the server; far more than a loaded machine needs
	drainTime  = 2 * time.Second  // for output after the program's end, which its children may hold open
	maxMessage = 1 << 17          // MESSAGE in the library, in bytes
	maxStrings = 1 << 14          // ARGUMENTS

	notStarted = ^syscall.WaitStatus(0) // the library's -1
)

// Server starts one program. It is safe for concurrent use. Its process ends with Close, with this process, or after
// Idle without a run, and is restarted when needed.
type Server struct {
	program string
	library string
	env     []string
	idle    time.Duration

	mu      sync.Mutex
	process *process // nil: not running
	broken  bool
	runs    int // in progress
	unused  *time.Timer
}

// process is one server's process.
type process struct {
	cmd     *exec.Cmd
	control *net.UnixConn
}

// New returns a server of the program at a path, which runs with an environment like that of os.Environ. library is the
// path of the library that [Build] made. The first Run starts the process.
func New(program, library string, env []string, idle time.Duration) *Server {
	return &Server{program: program, library: library, env: env, idle: idle, broken: !Suits(program)}
}

// Suits reports whether a Server can run the file at a path. It cannot run a script: its interpreter would be stopped
// instead.
func Suits(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == "\x7fELF"
}

// Run runs the program in a folder ("" is the current one) with arguments (without the program's name) and returns its
// output. The error is an [ExitError] if it failed, the context's if that ended it, or ErrUnavailable.
func (s *Server) Run(ctx context.Context, dir string, args []string, stdin []byte) (stdout, stderr []byte, err error) {
	message, ok := encode(dir, s.program, args)
	if !ok {
		return nil, nil, ErrUnavailable
	}
	p := s.begin()
	if p == nil {
		return nil, nil, ErrUnavailable
	}
	defer s.end()
	r, err := p.start(message)
	if err != nil {
		s.fail(p)
		return nil, nil, ErrUnavailable
	}
	out, errs, status, err := r.wait(ctx, stdin)
	switch {
	case ctx.Err() != nil:
		return out, errs, ctx.Err()
	case err != nil || status == notStarted:
		s.fail(p)
		return nil, nil, ErrUnavailable
	case status != 0:
		return out, errs, &ExitError{status}
	}
	return out, errs, nil
}

// encode returns a message for the library; false if it is too long.
func encode(dir, program string, args []string) ([]byte, bool) {
	var b bytes.Buffer
	for _, text := range append([]string{dir, program}, args...) {
		b.WriteString(text)
		b.WriteByte(0)
	}
	return b.Bytes(), b.Len() <= maxMessage && len(args)+2 <= maxStrings &&
		bytes.Count(b.Bytes(), []byte{0}) == len(args)+2
}

// begin returns the process, which it starts if necessary; nil if that fails.
func (s *Server) begin() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return nil
	}
	if s.process == nil {
		if s.process = launch(s.program, s.library, s.env); s.process == nil {
			s.broken = true
			return nil
		}
	}
	if s.unused != nil {
		s.unused.Stop()
	}
	s.runs++
	return s.process
}

// end accounts for the end of a run. The last one starts the timer of the idle time.
func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs--; s.runs > 0 || s.process == nil {
		return
	}
	if s.unused != nil {
		s.unused.Stop()
	}
	s.unused = time.AfterFunc(s.idle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.runs == 0 { // else a run began while the timer fired
			s.stop()
		}
	})
}

// fail disables the server: another attempt would fail again, at the same cost.
func (s *Server) fail(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = true
	if s.process == p {
		s.stop()
	}
}

// stop ends the process, if there is one. The caller holds the lock.
func (s *Server) stop() {
	if s.process != nil {
		s.process.close()
		s.process = nil
	}
}

// Running reports whether the server's process exists: not before the first Run, and never again after the server's
// failure.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process != nil
}

// Close ends the server's process and all its runs. A later Run restarts it.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	if s.unused != nil {
		s.unused.Stop()
	}
}

// launch starts the process and waits until it is ready; nil if it fails.
func launch(program, library string, env []string) *process {
	ours, theirs, err := pair(syscall.SOCK_SEQPACKET)
	if err != nil {
		return nil
	}
	defer theirs.Close()
	preload, when := library, "now"
	for _, e := range env {
		switch name, value, _ := strings.Cut(e, "="); {
		case name == "LD_PRELOAD" && value != "":
			preload += ":" + value
		case name == "LD_BIND_NOW":
			when = "as the environment says"
		}
	}
	more := []string{"LD_PRELOAD=" + preload, "UNITPROOF_FORKSERVER=" + when}
	if when == "now" {
		more = append(more, "LD_BIND_NOW=1")
	}
	cmd := &exec.Cmd{Path: program, Args: []string{program}, ExtraFiles: []*os.File{theirs},
		Env: slices.Concat(env, more)}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil
	}
	theirs.Close()
	p := &process{cmd: cmd, control: ours}
	// a program that ignores the library would run to its end
	if err := ours.SetReadDeadline(time.Now().Add(readyTime)); err != nil {
		p.close()
		return nil
	}
	word := make([]byte, 16)
	n, err := ours.Read(word)
	if err != nil || string(word[:n]) != "ready" {
		p.close()
		return nil
	}
	return p
}

func (p *process) close() {
	p.control.Close()
	_ = p.cmd.Process.Kill() // its children die with it
	_ = p.cmd.Wait()         // its exit status has no meaning
}

// pair returns two connected sockets, one for this process and one for another.
func pair(kind int) (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, kind|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs = os.NewFile(uintptr(fds[1]), "fork server")
	f := os.NewFile(uintptr(fds[0]), "fork server")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return c.(*net.UnixConn), theirs, nil
}

// run is one child in progress.
type run struct {
	answer              *net.UnixConn
	stdin, stdout, errs *os.File
}

// start sends a message with the far ends of the child's streams.
func (p *process) start(message []byte) (r *run, err error) {
	var given, retained []*os.File
	defer func() {
		for _, f := range given {
			f.Close()
		}
		if err != nil {
			for _, f := range retained {
				f.Close()
			}
		}
	}()
	for i := range 3 {
		read, write, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			given, retained = append(given, read), append(retained, write)
		} else {
			given, retained = append(given, write), append(retained, read)
		}
	}
	answer, far, err := pair(syscall.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	given = append(given, far)
	var fds []int
	for _, f := range given {
		fd := int(f.Fd())
		if err := syscall.SetNonblock(fd, false); err != nil { // as programs expect
			answer.Close()
			return nil, err
		}
		fds = append(fds, fd)
	}
	if _, _, err := p.control.WriteMsgUnix(message, syscall.UnixRights(fds...), nil); err != nil {
		answer.Close()
		return nil, err
	}
	return &run{answer, retained[0], retained[1], retained[2]}, nil
}

// wait feeds the child's input and reads its output until it ends. If the context ends, the child is killed. The error
// is set if the server did not report the child's end.
func (r *run) wait(ctx context.Context, stdin []byte) (stdout, stderr []byte, status syscall.WaitStatus, err error) {
	stop := context.AfterFunc(ctx, func() { r.answer.CloseWrite() }) // then the server kills the child and answers
	defer stop()
	defer r.answer.Close()
	var streams sync.WaitGroup
	streams.Go(func() {
		_, _ = r.stdin.Write(stdin) // the program need not read all of it
		r.stdin.Close()
	})
	var out, errs bytes.Buffer
	streams.Go(func() { _, _ = out.ReadFrom(r.stdout) }) // ends with the last writer, or by the deadline below
	streams.Go(func() { _, _ = errs.ReadFrom(r.errs) })
	var word [4]byte
	_, err = io.ReadFull(r.answer, word[:])
	deadline := time.Now().Add(drainTime)
	for _, f := range []*os.File{r.stdin, r.stdout, r.errs} {
		_ = f.SetDeadline(deadline)
	}
	streams.Wait()
	r.stdout.Close()
	r.errs.Close()
	return out.Bytes(), errs.Bytes(), syscall.WaitStatus(binary.NativeEndian.Uint32(word[:])), err
}
