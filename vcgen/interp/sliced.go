package interp

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Slice is the part of an execution that its violation depends on. It belongs to a module,
// an entry, inputs and options: every run with these executes the same instructions.
type Slice struct {
	in        []bool       // by number of the instruction in the execution
	constrain map[int]bool // assumptions that constrain what is in it
	inputs    map[int]bool // by order of the choice: inputs that it depends on
	lost      *llvmir.Loc  // of a leak: where the last pointer to the object went
}

// has reports whether the slice holds the n-th instruction of the execution.
func (s *Slice) has(n int) bool { return n >= 0 && n < len(s.in) && s.in[n] || s.constrain[n] }

// SliceOf runs an execution like Run, without a trace, and computes what its violation depends
// on. The slice is nil where there is no violation, or the execution was too long to be kept.
// again gives the same inputs for each run. For the trace of the slice the execution is run once
// more, with Options.Trace and Keep.
func SliceOf(ctx context.Context, m *llvmir.Module, entry string, again func() Inputs, opts Options) (*Slice, *Outcome) {
	opts.Trace, opts.Coverage = false, false
	opts.prepared = &prepared{infos: map[*llvmir.Func]*funcInfo{}}
	h := &history{leaks: opts.Checks[found.MemoryLeak]}
	x := newMachine(ctx, m, again(), opts)
	x.obs, x.history = h, h
	out := x.run(entry)
	if out.End != EndViolation || h.full || len(h.entries) == 0 {
		return nil, out
	}
	s := newSlicer(h)
	h.guards(s)
	from := h.seeds(x.leaked)
	constrain := s.slice(from)
	if more := h.relevant(ctx, x, entry, again, opts, s); len(more) > 0 {
		from.at = append(from.at, more...)
		s = newSlicer(h)
		constrain = s.slice(from)
	}
	out2 := &Slice{in: s.in, constrain: constrain, inputs: map[int]bool{}}
	if at, ok := h.heldLast[x.leaked]; ok && x.leaked != nil {
		e := &h.entries[at]
		for fr := e.frame; fr >= 0; fr = h.frames[fr].caller {
			// In the user's own files.
			in := e.in
			if fr != e.frame {
				in = nil
			}
			if l := locOf(h.frames[fr].fn, in); x.opts.UserFile(l.File) && in != nil && in.Loc != nil && l.Line > 0 {
				out2.lost = l
				break
			}
		}
	}
	for i := range h.frames {
		// What is left of the needs are parameters of the entry.
		if f := &h.frames[i]; f.call == nil {
			for k := range f.fn.Params {
				if s.takeReg(int32(i), k)&sliceBit != 0 {
					out2.parameter(x, k)
				}
			}
		}
	}
	for r, m := range s.inputs {
		if m&sliceBit != 0 {
			out2.inputs[r.order] = true
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
			h.assumed = append(h.assumed, i)
		}
	}
	slices.Sort(h.assumed)
}

// parameter notes that parameter k of the entry matters.
func (s *Slice) parameter(x *machine, k int) {
	for _, r := range x.records {
		if r.site == -(k + 1) {
			s.inputs[r.order] = true
		}
	}
}

// seeds are what a violation at the end of the history is about.
func (h *history) seeds(leaked *object) seeds {
	s := seeds{assumed: h.assumed, lives: h.about}
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
