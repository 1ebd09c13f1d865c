// Package recording runs a counterexample such that all of its moments can be visited, as in a reversible debugger.
//
// Moment t is the state before instruction t of the run:
//
//	rec, err := recording.Of(ctx, m, "main", choices, opts)
//	a, ok := rec.LastWrite(object, off, 4, rec.End()) // who wrote these bytes last?
//	err = rec.GoTo(a.At)                              // back to the state before that write
//	v, err := rec.Evaluate(rec.Stack()[0], "i")
//
// Principal types: Recording is a run positioned at a moment; its Stream has the events of all moments, and its
// Inspector displays the state at the current one. The recorder writes the stream and saves epochs of changes.
//
// Reading order: stream.go, recorder.go, recording.go. The package is independent of debuggers and their protocols.
package recording

import (
	"context"
	"errors"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/inspect"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Recording is a recorded run with the machine that executed it, positioned at one of its moments.
//
// It can move to any other recorded moment. It must be used by one goroutine at a time.
type Recording struct {
	*Stream
	*inspect.Inspector
	// Outcome is the result of the run.
	Outcome *interp.Outcome

	m   *interp.Machine
	rec *recorder
	// at is the current moment, and epoch its epoch (an index into rec.epochs). since has the changes from the
	// beginning of the epoch.
	at    int64
	epoch int
	since *state.Epoch

	accused Accused
	places  []*llvmir.Loc
}

// Of runs a program on recorded choices and returns the run, positioned at its last moment.
//
// That is the state before the instruction that ended the run.
func Of(ctx context.Context, m *clangir.Module, entry string, list *choice.List, opts interp.Options) (*Recording,
	error) {
	return recordRun(ctx, m, entry, list, opts, streamLimits{chunkBits, maxChunks})
}

func recordRun(ctx context.Context, m *clangir.Module, entry string, list *choice.List, opts interp.Options,
	limits streamLimits) (h *Recording, err error) {
	opts.Coverage, opts.Trace, opts.Keep = false, false, nil
	cursor := list.Cursor()
	x := interp.New(ctx, m, entry, cursor.Choose, opts)
	rec := &recorder{m: x, choices: cursor, stream: newStream(m, limits), journal: state.NewJournal(x.State)}
	x.Observe(rec)
	h = &Recording{Stream: rec.stream, Inspector: &inspect.Inspector{View: x.View}, m: x, rec: rec, Outcome: x.Out}
	x.Run()
	if h.Len() == 0 {
		return nil, fmt.Errorf("the run ended before its first instruction: %s %s", x.Out.End, x.Out.Reason)
	}
	rec.journal.Close()
	if v := x.Out.Violation; v != nil {
		switch {
		case x.Leaked != nil:
			h.accused = Accused{Object: int(x.Leaked.Serial)}
		case rec.accusedAt == x.Executed:
			h.accused = rec.accused
		}
	}
	rec.stream = nil
	x.Reopen()
	h.epoch = len(rec.epochs) - 1
	h.since = rec.epochs[h.epoch].Epoch
	h.at = -1 // after the last moment
	if err := h.GoTo(h.Len() - 1); err != nil {
		return nil, err
	}
	return h, nil
}

// At returns the current moment.
func (h *Recording) At() int64 { return h.at }

// End returns the last moment: the instruction that ended the run is about to be executed.
func (h *Recording) End() int64 { return h.Len() - 1 }

// errReplay is an internal error: the run is deterministic.
var errReplay = errors.New("internal error: the run took another path when it was executed again")

// GoTo moves to moment t, First() <= t <= End(). It executes at most chunkLen instructions.
func (h *Recording) GoTo(t int64) (err error) {
	if t < h.First() || t > h.End() {
		return fmt.Errorf("moment %d is not among the recorded ones, %d to %d", t, h.First(), h.End())
	}
	if t == h.at {
		return nil
	}
	target := int(t>>h.limits.bits) - h.Stream.first
	if target != h.epoch || t < h.at || h.at < 0 {
		h.rewind(target)
	}
	return h.advance(t)
}

// rewind goes to the beginning of an epoch.
func (h *Recording) rewind(target int) {
	r := h.rec
	r.journal.SaveInto(nil)
	if h.since != nil {
		h.since.Swap(h.m.State)
		h.since = nil
	}
	for h.epoch > target {
		h.epoch--
		r.epochs[h.epoch].Swap(h.m.State)
	}
	for h.epoch < target {
		r.epochs[h.epoch].Swap(h.m.State)
		h.epoch++
	}
	e := r.epochs[h.epoch]
	r.choices.Seek(e.asked)
	h.at = e.start
	h.since = r.journal.Replay(e.Epoch)
}

// advance executes up to moment t of the current epoch.
func (h *Recording) advance(t int64) error {
	m := h.m
	for m.Executed < t {
		if !m.Step() {
			return errReplay
		}
	}
	h.at = t
	if m.Top().Serial != h.Frame(t) || m.Top().Block.Instrs[m.Top().PC] != h.Instr(t) {
		return errReplay
	}
	m.At = h.Instr(t)
	return nil
}

// EachLine calls f once for each position at which a step can stop, in no particular order.
//
// It includes positions that the run does not visit.
func (r *Recording) EachLine(f func(*llvmir.Loc)) {
	if r.places == nil {
		seen := map[[2]any]bool{}
		for _, fn := range r.Program.Funcs {
			for _, b := range fn.Blocks {
				for i, in := range b.Instrs {
					if sourceLine(r.UserFile, b, i+1, in) && !seen[[2]any{in.Loc.File, in.Loc.Line}] {
						seen[[2]any{in.Loc.File, in.Loc.Line}] = true
						r.places = append(r.places, in.Loc)
					}
				}
			}
		}
	}
	for _, l := range r.places {
		f(l)
	}
}

// HasFunction reports whether the program defines a function.
func (r *Recording) HasFunction(name string) bool {
	for _, f := range r.Program.Funcs {
		if f.SourceName == name && len(f.Blocks) > 0 {
			return true
		}
	}
	return false
}

// Accused returns the access of the run's violation; Object is 0 if there is none.
func (r *Recording) Accused() Accused { return r.accused }
