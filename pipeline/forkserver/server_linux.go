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
	readyTime  = 10 * time.Second // for the server's start: far more than a loaded machine takes
	drainTime  = 2 * time.Second  // for output after the program's end, which something it started may hold open
	maxMessage = 1 << 17          // MESSAGE in the library, in bytes
	maxStrings = 1 << 14          // ARGUMENTS

	notStarted = ^syscall.WaitStatus(0) // the library's -1
)

// Server starts one program. It is safe for concurrent use. Its process ends with Close, with this process, or after
// Idle without a run, and is started again when it is needed.
type Server struct {
	program string
	library string
	env     []string
	idle    time.Duration

	mu      sync.Mutex
	process *process // nil: none runs
	broken  bool
	runs    int // under way
	unused  *time.Timer
}

// process is one server's process.
type process struct {
	cmd     *exec.Cmd
	control *net.UnixConn
}

// New makes a server of the program at a path, which runs with an environment as of os.Environ. Library is the path of
// what [Build] made. The process is started by the first Run.
func New(program, library string, env []string, idle time.Duration) *Server {
	return &Server{program: program, library: library, env: env, idle: idle, broken: !Suits(program)}
}

// Suits reports whether the file at a path can be run by a Server at all. A script cannot: its interpreter would be
// stopped instead.
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

// Run runs the program in a folder ("" is the present one) with arguments (without the program's name) and returns what
// it wrote. The error is an [ExitError] if it failed, the context's if that ended it, or ErrUnavailable.
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

// encode makes a message as the library reads it; false if it is too long.
func encode(dir, program string, args []string) ([]byte, bool) {
	var b bytes.Buffer
	for _, text := range append([]string{dir, program}, args...) {
		b.WriteString(text)
		b.WriteByte(0)
	}
	return b.Bytes(), b.Len() <= maxMessage && len(args)+2 <= maxStrings &&
		bytes.Count(b.Bytes(), []byte{0}) == len(args)+2
}

// begin returns the process, started if need be; nil if there is none to be had.
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

// end counts a run out. The last one sets the clock for the idle time.
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
		if s.runs == 0 { // else the timer fired while a run began
			s.stop()
		}
	})
}

// fail gives the server up: what went wrong once would go wrong again, at a cost each time.
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

// Running reports whether the server's process is there: false before the first Run, and for good once a Run was
// ErrUnavailable for a reason of the server's.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process != nil
}

// Close ends the server's process and what runs in it. A later Run starts it again.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	if s.unused != nil {
		s.unused.Stop()
	}
}

// launch starts the process and waits until it is ready; nil if it does not get there.
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
	// without one a program that ignores the library is waited for until it ends
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
	_ = p.cmd.Wait()         // how it ended tells nothing
}

// pair makes two connected sockets, one for this process and one to hand over.
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

// run is one child under way.
type run struct {
	answer              *net.UnixConn
	stdin, stdout, errs *os.File
}

// start sends a message and hands over the far ends of the child's streams.
func (p *process) start(message []byte) (r *run, err error) {
	var given, kept []*os.File
	defer func() {
		for _, f := range given {
			f.Close()
		}
		if err != nil {
			for _, f := range kept {
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
			given, kept = append(given, read), append(kept, write)
		} else {
			given, kept = append(given, write), append(kept, read)
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
		if err := syscall.SetNonblock(fd, false); err != nil { // as programs expect of their streams
			answer.Close()
			return nil, err
		}
		fds = append(fds, fd)
	}
	if _, _, err := p.control.WriteMsgUnix(message, syscall.UnixRights(fds...), nil); err != nil {
		answer.Close()
		return nil, err
	}
	return &run{answer, kept[0], kept[1], kept[2]}, nil
}

// wait feeds the child and reads what it writes until it ends. When the context ends, so does the child. The error is
// set if the server did not tell how the child ended.
func (r *run) wait(ctx context.Context, stdin []byte) (stdout, stderr []byte, status syscall.WaitStatus, err error) {
	stop := context.AfterFunc(ctx, func() { r.answer.CloseWrite() }) // the server kills the child then, and answers
	defer stop()
	defer r.answer.Close()
	var streams sync.WaitGroup
	streams.Go(func() {
		_, _ = r.stdin.Write(stdin) // a program need not read all of it
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
