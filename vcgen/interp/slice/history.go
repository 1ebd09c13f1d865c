package slice

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// history records an execution, one entry per instruction; slice.go computes the slice from it, backwards.
//
// It contains no values. It takes 16 bytes per instruction and 40 per memory access.
type history struct {
	interp.Unobserved
	entries  []entry
	accesses []happening
	frames   []frameHistory
	// heldLast is, for heap objects, the entry that overwrote or destroyed the last pointer to them in memory; only
	// for leaks.
	heldLast map[*state.Object]int
	// handed is, for heap objects, the frames that received a pointer to them as an argument; only for leaks.
	handed map[*state.Object][]int32
	leaks  bool
	// held are the entries of assumptions that held.
	held []int
	// about are the objects whose lifetime the violation is about, if its end is relevant.
	about []*state.Object
	// full: the execution has more than Longest instructions; the history is unusable.
	full bool
}

// Longest bounds the instructions of an execution for which a slice is computed.
const Longest = 3 << 20

// entry is one execution of an instruction. Its events extend to those of the next entry.
type entry struct {
	in    *llvmir.Instr
	frame int32 // serial
	first uint32
}

// frameHistory is a call.
type frameHistory struct {
	fn     *llvmir.Func
	call   *llvmir.Instr // nil for the entry and for constructors
	caller int32         // serial of the frame below; -1 if there is none
	at     int           // the entry of the call
}

type happened uint8

const (
	didEnter  happened = iota // off, n: the blocks from which and to which control went
	didPush                   // off: serial of the new frame
	didRead                   // n bytes at off of o
	didWrite                  // the same
	didCopy                   // n bytes at from of src to off of o
	didChoose                 // rec; n bytes at off of o, o is nil for a value
	didPick                   // off: the operand that a select takes
	didEnd                    // the lifetime of o ended
	didMake                   // o was created
)

type happening struct {
	what   happened
	o      *state.Object
	off, n uint64
	src    *state.Object
	from   uint64
	rec    *state.Input
}

// now returns the index of the current entry; -1 before the first.
func (h *history) now() int { return len(h.entries) - 1 }

func (h *history) add(x happening) {
	if !h.full && len(h.entries) > 0 {
		h.accesses = append(h.accesses, x)
	}
}

func (h *history) Executing(fr *state.Frame, in *llvmir.Instr) {
	if h.full {
		return
	}
	if len(h.entries) >= Longest {
		h.full = true
		h.entries, h.accesses, h.frames, h.heldLast, h.handed = nil, nil, nil, nil, nil
		return
	}
	h.entries = append(h.entries, entry{in, int32(fr.Serial), uint32(len(h.accesses))})
	if in.Op == llvmir.OpSelect && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Type.Kind != llvmir.VectorType {
		pick := uint64(2)
		if fr.Regs[in.Args[0].Reg].Bits&1 == 1 {
			pick = 1
		}
		h.add(happening{what: didPick, off: pick})
	}
}

func (h *history) Entered(_ *state.Frame, from, to int) {
	h.add(happening{what: didEnter, off: uint64(from), n: uint64(to)})
}

func (h *history) Pushed(fr *state.Frame) {
	if h.full {
		return
	}
	f := frameHistory{fn: fr.Fn, call: fr.Call, caller: -1, at: h.now()}
	if fr.Call != nil {
		f.caller = h.entries[h.now()].frame
	}
	h.frames = append(h.frames, f) // serials are dense
	h.add(happening{what: didPush, off: uint64(fr.Serial)})
	if !h.leaks {
		return
	}
	for i := range fr.Fn.Params {
		if o := fr.Regs[i].Obj; o != nil && o.Kind == state.OnHeap {
			if h.handed == nil {
				h.handed = map[*state.Object][]int32{}
			}
			h.handed[o] = append(h.handed[o], int32(fr.Serial))
		}
	}
}

func (h *history) Reading(o *state.Object, off, n uint64) {
	h.add(happening{what: didRead, o: o, off: off, n: n})
}

func (h *history) Writing(o *state.Object, off, n uint64) {
	h.add(happening{what: didWrite, o: o, off: off, n: n})
	if h.leaks {
		h.losing(o, off, n)
	}
}

func (h *history) Copying(dst *state.Object, to uint64, src *state.Object, from, n uint64) {
	h.add(happening{what: didCopy, o: dst, off: to, n: n, src: src, from: from})
	if h.leaks {
		h.losing(dst, to, n)
	}
}

func (h *history) Chosen(r *state.Input, o *state.Object, lo uint64) {
	h.add(happening{what: didChoose, o: o, off: lo, n: r.Size, rec: r})
}

func (h *history) Made(o *state.Object) { h.add(happening{what: didMake, o: o}) }

func (h *history) Ended(o *state.Object) {
	h.add(happening{what: didEnd, o: o, off: uint64(interp.BitLive), n: 1})
	if h.leaks {
		h.losing(o, 0, o.Size)
	}
}

func (h *history) Marked(o *state.Object, what interp.ShadowBit, written bool) {
	x := happening{what: didRead, o: o, off: uint64(what), n: 1}
	if written {
		x.what = didWrite
	}
	h.add(x)
}

// losing records the heap objects to which bytes that are being destroyed contain pointers.
func (h *history) losing(o *state.Object, off, n uint64) {
	if h.full {
		return
	}
	visit := func(k uint64, p *state.Page) {
		if p == nil || p.Refs == nil {
			return
		}
		start := k * state.PageSize
		var last *state.Object
		for i := max(off, start); i < min(off+n, start+uint64(len(p.Val))); i++ {
			if r := p.Refs[i-start]; r.Obj != nil && r.Obj != last && p.State[i-start] != state.Unfilled {
				if last = r.Obj; last.Kind == state.OnHeap {
					if h.heldLast == nil {
						h.heldLast = map[*state.Object]int{}
					}
					h.heldLast[last] = h.now()
				}
			}
		}
	}
	visit(0, o.First)
	for _, k := range slices.Sorted(maps.Keys(o.Pages)) {
		visit(k, o.Pages[k])
	}
}

func (h *history) Assumed() { h.held = append(h.held, h.now()) }

func (h *history) Concerns(o *state.Object) { h.about = []*state.Object{o} }
