package interp

import (
	"context"
	"errors"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Recording is a recorded run together with the machine that made it, which stands at one
// moment of it and can go to any other. It is what a debugger that steps back shows. A Recording is
// used by one goroutine at a time.
type Recording struct {
	*Stream
	// Outcome is how the run ended.
	Outcome *Outcome

	m   *machine
	rec *recorder
	// at is the present moment, epoch that of it (an index into rec.epochs). The changes since
	// the beginning of the epoch are in since.
	at    int64
	epoch int
	since *epoch

	accused Accused
	types   *cTypes // nil until they are asked for
	places  []*llvmir.Loc
}

// Record runs a program on the choices of a tape and returns the run, standing at its last
// moment: in front of the instruction that ended it.
func Record(ctx context.Context, m *llvmir.Module, entry string, tape *Player, opts Options) (*Recording, error) {
	return recordRun(ctx, m, entry, tape, opts, streamLimits{chunkBits, maxChunks})
}

func recordRun(ctx context.Context, m *llvmir.Module, entry string, tape *Player, opts Options, limits streamLimits) (h *Recording, err error) {
	opts.Coverage, opts.Trace, opts.Keep = false, false, nil
	x := newMachine(ctx, m, tape, opts)
	rec := &recorder{m: x, stream: newStream(m, limits)}
	x.rec, x.obs = rec, rec
	h = &Recording{Stream: rec.stream, m: x, rec: rec, Outcome: x.out}
	func() {
		defer func() {
			switch p := recover().(type) {
			case nil, halt:
			default:
				x.out.End, x.out.Reason = EndUnsupported, fmt.Sprintf("internal error of the interpreter: %v", p)
			}
		}()
		x.start(entry)
	}()
	x.finish()
	if h.Len() == 0 {
		return nil, fmt.Errorf("the run ended before its first instruction: %s %s", x.out.End, x.out.Reason)
	}
	rec.now.finish()
	if v := x.out.Violation; v != nil {
		switch {
		case x.leaked != nil:
			h.accused = Accused{Object: int(x.leaked.serial)}
		case rec.accusedAt == x.out.Executed:
			h.accused = rec.accused
		}
	}
	rec.stream = nil
	x.out = &Outcome{}
	x.opts.Trace = false
	x.ctx = context.Background()
	h.epoch = len(rec.epochs) - 1
	h.since = rec.now
	h.at = -1 // behind the last moment
	if err := h.GoTo(h.Len() - 1); err != nil {
		return nil, err
	}
	return h, nil
}

// At is the present moment.
func (h *Recording) At() int64 { return h.at }

// End is the last moment: the instruction that ended the run is about to be executed.
func (h *Recording) End() int64 { return h.Len() - 1 }

// errReplay is a mistake of ours: the run is deterministic.
var errReplay = errors.New("internal error: executing the run again took another way")

// GoTo goes to moment t, First() <= t <= End(). It costs at most the execution of chunkLen
// instructions.
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
	r.now = nil
	if h.since != nil {
		h.since.swap(h.m)
		h.since = nil
	}
	for h.epoch > target {
		h.epoch--
		r.epochs[h.epoch].swap(h.m)
	}
	for h.epoch < target {
		r.epochs[h.epoch].swap(h.m)
		h.epoch++
	}
	e := r.epochs[h.epoch]
	r.setState(&e.state)
	r.base, r.again = r.count, nil
	h.at = e.start
	h.since = &epoch{start: e.start}
	r.newStamp(h.since)
}

// advance executes up to moment t of the present epoch.
func (h *Recording) advance(t int64) (err error) {
	m := h.m
	defer func() {
		if p := recover(); p != nil {
			err = errReplay
		}
	}()
	for m.out.Executed < t {
		if len(m.frames) == 0 && !m.begin() {
			return errReplay
		}
		m.advance()
	}
	if len(m.frames) == 0 && !m.begin() {
		return errReplay
	}
	h.at = t
	if m.top().serial != h.Frame(t) || m.top().block.Instrs[m.top().pc] != h.Instr(t) {
		return errReplay
	}
	m.at = h.Instr(t)
	return nil
}

// object finds an object by its number; nil when it does not exist yet or nothing leads to it.
func (h *Recording) object(serial int) *object {
	r := h.rec
	switch {
	case serial < 1 || serial > r.count:
		return nil
	case serial <= r.base:
		return r.numbered[serial-1].Value()
	}
	return r.again[serial-r.base-1].Value()
}

// EachLine calls f for every place of the program that a step can stop at, in no particular
// order and once each; also for those that the run does not visit.
func (r *Recording) EachLine(f func(*llvmir.Loc)) {
	if r.places == nil {
		seen := map[[2]any]bool{}
		for _, fn := range r.m.m.Funcs {
			for _, b := range fn.Blocks {
				for i, in := range b.Instrs {
					if r.m.sourceLine(b, i+1, in) && !seen[[2]any{in.Loc.File, in.Loc.Line}] {
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

// HasFunction tells whether the program defines a function.
func (r *Recording) HasFunction(name string) bool {
	for _, f := range r.m.m.Funcs {
		if f.SourceName == name && len(f.Blocks) > 0 {
			return true
		}
	}
	return false
}
