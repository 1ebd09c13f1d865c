package remote

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Program is the name of the program that connects to servers.
const Program = "unitproof-remote"

// Find returns the path of the program: next to this one, else in PATH.
func Find() (string, error) {
	self, err := os.Executable()
	if err == nil {
		path := filepath.Join(filepath.Dir(self), Program)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	path, err := exec.LookPath(Program)
	if err != nil {
		return "", fmt.Errorf("%s, which speaks to servers, is not beside %s and not in PATH: "+
			"it is installed together with unitproof (\"make build\" builds both)", Program, filepath.Base(self))
	}
	return path, nil
}

// process is the running program.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	longest time.Duration // maximal time of an answer; 0: not known yet

	writing sync.Mutex

	mu      sync.Mutex
	last    uint64 // number of the last request
	waiting map[uint64]chan answer
	err     error         // why it has ended
	gone    chan struct{} // closed when the process has ended
}

type answer struct {
	Reply
	body []byte
}

// Time for the program to start, for answers beyond its own bound, and to end.
const (
	readyTime = 20 * time.Second
	graceTime = 10 * time.Second
	endTime   = time.Second
)

// start starts the program with its first request.
func start(open Request) (*process, error) {
	path, err := Find()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "serve")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // keeps the terminal's interrupts away
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	words := &lastLine{}
	cmd.Stderr = words
	cmd.WaitDelay = endTime
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", Program, err)
	}
	p := &process{cmd: cmd, stdin: stdin, waiting: map[uint64]chan answer{}, gone: make(chan struct{})}
	go p.read(bufio.NewReaderSize(stdout, 1<<16), words)
	open.Op, open.Protocol = Open, Protocol
	reply, _, err := p.ask(open, nil)
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
		stdin.Close()
	}
	if err != nil {
		return nil, err
	}
	p.longest = reply.Longest + graceTime
	return p, nil
}

// read delivers the replies until the end of the output.
func (p *process) read(r io.Reader, words *lastLine) {
	var err error
	for {
		var a answer
		if a.body, err = ReadFrame(r, &a.Reply); err != nil {
			break
		}
		p.mu.Lock()
		to := p.waiting[a.ID]
		delete(p.waiting, a.ID)
		p.mu.Unlock()
		if to != nil {
			to <- a
		}
	}
	p.stdin.Close()
	late := time.AfterFunc(endTime, p.kill)
	status := p.cmd.Wait()
	late.Stop()
	defer close(p.gone)
	switch text := words.String(); {
	case status != nil:
		p.end(fmt.Errorf("%s ended (%w): %s", Program, status, cmp.Or(text, "it said nothing")))
	case text != "":
		p.end(fmt.Errorf("%s ended: %s", Program, text))
	default:
		p.end(fmt.Errorf("%s broke down: %w", Program, err))
	}
}

// kill kills the program, which may have ended, and its children.
func (p *process) kill() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// end fails all pending requests.
func (p *process) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	for id, to := range p.waiting {
		close(to)
		delete(p.waiting, id)
	}
}

func (p *process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// ask sends a request and waits for the reply. A program that does not answer in time is killed.
func (p *process) ask(r Request, body []byte) (Reply, []byte, error) {
	to, err := p.expect(&r)
	if err != nil {
		return Reply{}, nil, err
	}
	most := p.longest + r.Most
	if p.longest == 0 {
		most = readyTime
	}
	late := time.AfterFunc(most, func() {
		p.end(fmt.Errorf("%s does not answer", Program))
		p.kill()
	})
	defer late.Stop()
	p.send(r, body)
	a, ok := <-to
	if !ok {
		return Reply{}, nil, p.ended()
	}
	return a.Reply, a.body, nil
}

// expect numbers a request, and returns the channel of its answer, which is closed if there is none.
func (p *process) expect(r *Request) (<-chan answer, error) {
	to := make(chan answer, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil, p.err
	}
	p.last++
	r.ID = p.last
	p.waiting[r.ID] = to
	return to, nil
}

// heartbeat is the interval of status requests during a wait without a limit.
const heartbeat = 30 * time.Second

// askUntil is ask for a reply that may take any time.
func (p *process) askUntil(ctx context.Context, r Request, body []byte) (Reply, []byte, error) {
	to, err := p.expect(&r)
	if err != nil {
		return Reply{}, nil, err
	}
	p.send(r, body)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case a, ok := <-to:
			if !ok {
				return Reply{}, nil, p.ended()
			}
			return a.Reply, a.body, nil
		case <-ctx.Done():
			p.tell(Request{ID: r.ID, Op: Cancel}, nil)
			return Reply{}, nil, ctx.Err()
		case <-beat.C:
			if _, _, err := p.ask(Request{Op: Status}, nil); err != nil {
				return Reply{}, nil, err
			}
		}
	}
}

// tell sends a request without a reply.
func (p *process) tell(r Request, body []byte) { p.send(r, body) }

// send writes a request. An error shows where replies are read.
func (p *process) send(r Request, body []byte) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if WriteFrame(p.stdin, r, body) != nil {
		time.AfterFunc(endTime, p.kill)
	}
}

// lastLine has the last line of a program's output.
type lastLine struct {
	mu   sync.Mutex
	text []byte
}

const maxLine = 1 << 12

func (l *lastLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	if n := len(l.text) - maxLine; n > 0 {
		l.text = append([]byte(nil), l.text[n:]...)
	}
	return len(b), nil
}

func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(l.text)), "\n")
	return lines[len(lines)-1]
}
