package pipeline

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
)

// ServeWorker answers requests from a parent until in ends. When in ends while a proof is
// being checked, nobody waits for the answer any more: the process kills itself and, as the
// leader of a process group, the compilers it has started.
func ServeWorker(in io.Reader, out io.Writer) error {
	defer scratch.Remove() // its parent may not be there any more
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
	scratch.Remove() // a compiler may leave something there yet: better a file than a process
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
}

// close waits for what the checker has started, so that the costs of that are counted to this process.
func (w *worker) close() {
	if w.checker != nil {
		w.checker.Close()
	}
}

var errProtocol = errors.New("message to a worker: neither a proof nor what was asked for")

func (w *worker) serve(req *request) error {
	if req.Settings == nil || req.Proof == nil {
		return errProtocol
	}
	if w.checker == nil || w.settings != *req.Settings {
		w.close()
		w.settings = *req.Settings
		w.checker = NewChecker(w.settings)
		w.checker.cpu = processTime
	}
	forgetPeak()
	p := proofFromWire(req.Proof)
	collectRarely(p.MaxMemory / 4 * 3)
	var broken error
	var define Define
	if req.CanDefine {
		define = func(names []string) map[string][]project.Unit {
			if broken = w.answer(reply{Missing: names}); broken != nil {
				return nil
			}
			answer, ok := <-w.requests
			if !ok || answer.Proof != nil {
				broken = errProtocol
				return nil
			}
			return answer.Definitions
		}
	}
	if req.Replay != nil {
		r := req.Replay.request(p, req.Virtual)
		r.define = define
		out := w.checker.Replay(context.Background(), r)
		if broken != nil {
			return broken
		}
		return w.answer(reply{Result: &wireResult{Proof: unknownProof(w.checker.meta(&p), found.Reason{}), Replay: &out}})
	}
	live := Live{Virtual: req.Virtual, Expected: req.Expected}
	tell := func(r reply) {
		if err := writeFrame(w.out, r); err != nil {
			broken = err
		}
	}
	if req.Live {
		live.Inputs = func(in *Inputs) { tell(reply{Inputs: inputsToWire(in)}) }
	}
	if req.Tell {
		live.Found = func(f diagnostics.Finding) {
			w := findingToWire(f)
			tell(reply{Found: &w})
		}
	}
	result := w.checker.CheckLive(context.Background(), p, define, live)
	if broken != nil {
		return broken
	}
	return w.answer(reply{Result: resultToWire(result)})
}

func (w *worker) answer(r reply) error {
	w.busy.Store(false)
	return writeFrame(w.out, r)
}
