// Package slice finds out which part of an execution its violation depends on: Of runs it with a history (history.go),
// from which a dynamic backward slice is computed (slice.go, with the control dependences of control.go), and tries
// branches outside of that the other way (relevant.go).
//
// It knows nothing of C and of how a trace is told.
package slice

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Of runs an execution like Run, without a trace, and computes what its violation depends
// on. The slice is nil where there is no violation, or the execution was too long to be kept.
// again gives the same inputs for each run. For the trace of the slice the execution is run once
// more, with Options.Trace and Keep.
func Of(ctx context.Context, m *clangir.Module, entry string, again func() choice.Inputs,
	opts interp.Options) (*explain.Slice, *interp.Outcome) {
	opts.Trace, opts.Coverage = false, false
	opts.Infos = &interp.Infos{}
	h := &history{leaks: opts.Checks[found.MemoryLeak]}
	x := interp.New(ctx, m, entry, again(), opts)
	x.Observe(h)
	out := x.Run()
	if out.End != interp.EndViolation || h.full || len(h.entries) == 0 {
		return nil, out
	}
	s := newSlicer(h)
	h.guards(s)
	from := h.seeds(x.Leaked)
	constrain := s.slice(from)
	if more := h.relevant(ctx, x, out.Violation, entry, again, opts, s); len(more) > 0 {
		from.at = append(from.at, more...)
		s = newSlicer(h)
		constrain = s.slice(from)
	}
	out2 := &explain.Slice{Executed: s.in, Constrains: constrain, Inputs: map[int]bool{}}
	if at, ok := h.heldLast[x.Leaked]; ok && x.Leaked != nil {
		e := &h.entries[at]
		for fr := e.frame; fr >= 0; fr = h.frames[fr].caller {
			// In the user's own files.
			in := e.in
			if fr != e.frame {
				in = nil
			}
			if l := state.LocOf(h.frames[fr].fn, in); x.View.UserFile(l.File) && in != nil && in.Loc != nil && l.Line > 0 {
				out2.Lost = l
				break
			}
		}
	}
	for i := range h.frames {
		// What is left of the needs are parameters of the entry.
		if f := &h.frames[i]; f.call == nil {
			for k := range f.fn.Params {
				if s.takeReg(int32(i), k)&sliceBit != 0 {
					noteParameter(out2, x.State, k)
				}
			}
		}
	}
	for r, m := range s.inputs {
		if m&sliceBit != 0 {
			out2.Inputs[r.Order] = true
		}
	}
	return out2, out
}

// guards takes the user's branches that only one side of the execution survives, such as
// if (!p) abort(), for assumptions.
func (h *history) guards(s *slicer) {
	for i := range h.entries {
		e := &h.entries[i]
		if len(e.in.Succs) < 2 || e.in.NoSanitize || e.in.Loc == nil {
			continue
		}
		if c, b := s.place(e.frame, e.in); c.guards[b] {
			h.held = append(h.held, i)
		}
	}
	slices.Sort(h.held)
}

// noteParameter notes that parameter k of the entry matters.
func noteParameter(s *explain.Slice, x *state.State, k int) {
	for _, r := range x.Inputs {
		if r.Site == -(k + 1) {
			s.Inputs[r.Order] = true
		}
	}
}

// seeds are what a violation at the end of the history is about.
func (h *history) seeds(leaked *state.Object) seeds {
	s := seeds{assumed: h.held, lives: h.about}
	if leaked == nil {
		s.at, s.reached = []int{h.now()}, true
		return s
	}
	// A leak: where the object was made, where it was passed to and what was decided there, and
	// where the last pointer to it went.
	if at, ok := h.heldLast[leaked]; ok {
		s.at = append(s.at, at)
	}
	got := map[int32]bool{}
	for _, fr := range h.handed[leaked] {
		got[fr] = true
	}
	end := uint32(len(h.accesses))
	for i := len(h.entries) - 1; i >= 0; i-- {
		e := &h.entries[i]
		if got[e.frame] && e.in.Op == llvmir.OpCondBr {
			s.at = append(s.at, i)
		}
		for _, d := range h.accesses[e.first:end] {
			if d.what == didMake && d.o == leaked || d.what == didPush && got[int32(d.off)] {
				s.at = append(s.at, i)
			}
		}
		end = e.first
	}
	return s
}
