// Package slice computes the part of an execution on which its violation depends.
//
// For the failing assertion in
//
//	int a = nd_int(), b = nd_int();
//	int x = a;
//	int y = b;
//	sassert(x != 3);
//
// the slice contains the assertion, the store to x, and the input a. The statements about y and b are not in it.
//
// Of runs an execution with a history of its instructions and memory accesses (history.go). From that it computes a
// dynamic backward slice (slice.go) with control dependences (control.go). Then it runs the program with inverted
// branches outside the slice, to find branches that are relevant because of code they skipped (relevant.go).
//
// Reading order: of.go, history.go, slice.go, control.go, relevant.go. The package is independent of C and of the
// presentation of traces.
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

// Of runs an execution without a trace, and computes the slice of its violation.
//
// The slice is nil if there is no violation, or if the execution was too long. again returns the same inputs for each
// run. To get the trace of the slice, run the execution once more with Options.Trace and Keep.
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
			// In user code.
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
		// The remaining needs are parameters of the entry.
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

// guards treats user branches with one doomed side, such as if (!p) abort(), as assumptions.
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

// noteParameter records that parameter k of the entry is relevant.
func noteParameter(s *explain.Slice, x *state.State, k int) {
	for _, r := range x.Inputs {
		if r.Site == -(k + 1) {
			s.Inputs[r.Order] = true
		}
	}
}

// seeds returns the start of the slice for a violation at the end of the history.
func (h *history) seeds(leaked *state.Object) seeds {
	s := seeds{assumed: h.held, lives: h.about}
	if leaked == nil {
		s.at, s.reached = []int{h.now()}, true
		return s
	}
	// A leak: the allocation, the functions that received the object and their decisions, and the destruction of the
	// last pointer to it.
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
