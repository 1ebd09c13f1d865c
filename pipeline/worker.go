package pipeline

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ServeWorker serves requests of a parent until in ends. If in ends during a check, the parent is gone: the process
// kills itself and, as the leader of a process group, its compilers.
func ServeWorker(in io.Reader, out io.Writer) error {
	defer scratch.Remove() // the parent may have ended
	w := &worker{out: out, requests: make(chan *request)}
	defer w.close()
	var readErr error // written before requests is closed
	go func() {
		defer close(w.requests)
		for r := bufio.NewReader(in); ; {
			req := new(request)
			if err := readFrame(r, req); err != nil {
				if w.busy.Load() {
					die()
				}
				if !errors.Is(err, io.EOF) {
					readErr = err
				}
				return
			}
			w.busy.Store(true)
			w.requests <- req
		}
	}()
	for req := range w.requests {
		if err := w.serve(req); err != nil {
			return err
		}
	}
	return readErr
}

func die() {
	scratch.Remove() // a compiler may create a file there after this: better a file than a process
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL) // includes this process
	}
	os.Exit(1)
}

type worker struct {
	out      io.Writer
	requests chan *request
	busy     atomic.Bool // a request was read and its answer not written
	checker  *Checker
	settings Settings

	writing sync.Mutex
	asking  sync.Mutex // serializes queries to the parent
	broken  error      // error of the connection to the parent; guarded by writing
}

// close waits for the processes that the checker has started, so that their CPU time counts for this process.
func (w *worker) close() {
	if w.checker != nil {
		w.checker.Close()
	}
}

var errProtocol = errors.New("message to a worker: neither a proof nor an answer")

func (w *worker) serve(req *request) error {
	if req.Settings == nil || req.Proof == nil {
		return errProtocol
	}
	if w.checker == nil || w.settings != *req.Settings {
		w.close()
		w.settings = *req.Settings
		var far cache.Remote
		if w.settings.Remote.URL != "" {
			far = farStore{w}
		}
		w.checker = newChecker(w.settings, far)
		w.checker.cpu = processTime
	}
	forgetPeak()
	p := proofFromWire(req.Proof)
	collectRarely(p.MaxMemory / 4 * 3)
	var define Define
	if req.CanDefine {
		define = func(names []string) map[string][]project.Unit {
			if answer := w.ask(reply{Missing: names}); answer != nil {
				return answer.Definitions
			}
			return nil
		}
	}
	if req.Replay != nil {
		r := req.Replay.request(p, req.Virtual)
		r.define = define
		out := w.checker.Replay(context.Background(), r)
		return w.answer(reply{Result: &wireResult{Proof: unknownProof(w.checker.meta(&p), found.Reason{}), Replay: &out}})
	}
	if req.Strength != nil {
		out, err := w.checker.Strength(context.Background(), p, define, StrengthOptions{Jobs: req.Strength.Jobs,
			Max: req.Strength.Max, Virtual: req.Virtual, Marked: req.Strength.Marked},
			func(m diagnostics.Mutant) { w.tell(reply{Mutant: &m}) })
		if err != nil {
			out = &diagnostics.Strength{Name: p.Name, Verdict: found.Error, Reason: err.Error()}
		}
		return w.answer(reply{Result: &wireResult{Proof: unknownProof(w.checker.meta(&p), found.Reason{}), Strength: out}})
	}
	live := Live{Virtual: req.Virtual, Expected: req.Expected, elsewhere: req.Elsewhere}
	if req.Live {
		live.Inputs = func(in *Inputs) { w.tell(reply{Inputs: inputsToWire(in)}) }
	}
	live.Found = func(f diagnostics.Finding) {
		wire := findingToWire(f)
		w.tell(reply{Found: &wire})
	}
	live.where = func(text string) { w.tell(reply{Where: &text}) }
	result := w.checker.CheckLive(context.Background(), p, define, live)
	return w.answer(reply{Result: resultToWire(result)})
}

// tell sends a message without a reply.
func (w *worker) tell(r reply) {
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.broken == nil {
		w.broken = writeFrame(w.out, r)
	}
}

// ask sends a query and waits for its reply; nil if there is none, in which case the result is not needed either.
func (w *worker) ask(r reply) *request {
	w.asking.Lock()
	defer w.asking.Unlock()
	w.busy.Store(false)
	w.tell(r)
	answer, ok := <-w.requests
	if !ok || answer.Proof != nil {
		w.writing.Lock()
		defer w.writing.Unlock()
		w.broken = errProtocol
		return nil
	}
	return answer
}

// answer sends the last message about a proof.
func (w *worker) answer(r reply) error {
	w.busy.Store(false)
	w.tell(r)
	return w.broken
}
