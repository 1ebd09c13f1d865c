package interp

import "github.com/unitproof/unitproof/vcgen/llvmir"

// history is what an execution did, one entry per instruction: what the slice is computed
// from, backwards (slice.go). It holds no values, 16 bytes per instruction and 40 per access
// to memory.
type history struct {
	entries  []entry
	accesses []happening
	frames   []frameHistory
	// heldLast tells for heap objects at which entry the last pointer to them that lay in memory
	// was overwritten or went away; only with leaks.
	heldLast map[*object]int
	// handed tells for heap objects which frames got a pointer to them as an argument; only with leaks.
	handed map[*object][]int32
	leaks  bool
	// assumed are the entries of assumptions that held.
	assumed []int
	// about are the objects whose life the violation is about, where their end matters.
	about []*object
	// full: there was more than maxHistory; the history is useless.
	full bool
}

// maxHistory bounds the instructions of a history.
const maxHistory = 3 << 20

// entry is an execution of an instruction. Its happenings reach to those of the next entry.
type entry struct {
	in    *llvmir.Instr
	frame int32 // serial
	first uint32
}

// frameHistory is a call.
type frameHistory struct {
	fn     *llvmir.Func
	call   *llvmir.Instr // nil for the entry and for constructors
	caller int32         // serial of the frame below, -1 for none
	at     int           // the entry of the call
}

type happened uint8

const (
	didEnter  happened = iota // off, n: the block control came from and the one it went to
	didPush                   // off: serial of the new frame
	didRead                   // n bytes at off of o
	didWrite                  // the same
	didCopy                   // n bytes at from of src to off of o
	didChoose                 // rec; n bytes at off of o, o is nil for a value
	didPick                   // off: the operand that a select takes
	didEnd                    // the life of o ended
	didMake                   // o was made
)

type happening struct {
	what   happened
	o      *object
	off, n uint64
	src    *object
	from   uint64
	rec    *record
}

// now is the entry that is being executed, -1 before the first.
func (h *history) now() int { return len(h.entries) - 1 }

func (h *history) add(x happening) {
	if !h.full && len(h.entries) > 0 {
		h.accesses = append(h.accesses, x)
	}
}

func (h *history) executing(fr *frame, in *llvmir.Instr) {
	if h.full {
		return
	}
	if len(h.entries) >= maxHistory {
		h.full = true
		h.entries, h.accesses, h.frames, h.heldLast, h.handed = nil, nil, nil, nil, nil
		return
	}
	h.entries = append(h.entries, entry{in, int32(fr.serial), uint32(len(h.accesses))})
	if in.Op == llvmir.OpSelect && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Type.Kind != llvmir.VectorType {
		pick := uint64(2)
		if fr.regs[in.Args[0].Reg].bits&1 == 1 {
			pick = 1
		}
		h.add(happening{what: didPick, off: pick})
	}
}

func (h *history) entered(_ *frame, from, to int) {
	h.add(happening{what: didEnter, off: uint64(from), n: uint64(to)})
}

func (h *history) pushed(fr *frame) {
	if h.full {
		return
	}
	f := frameHistory{fn: fr.fn, call: fr.call, caller: -1, at: h.now()}
	if fr.call != nil {
		f.caller = h.entries[h.now()].frame
	}
	h.frames = append(h.frames, f) // serials are dense
	h.add(happening{what: didPush, off: uint64(fr.serial)})
	if !h.leaks {
		return
	}
	for i := range fr.fn.Params {
		if o := fr.regs[i].obj; o != nil && o.kind == onHeap {
			if h.handed == nil {
				h.handed = map[*object][]int32{}
			}
			h.handed[o] = append(h.handed[o], int32(fr.serial))
		}
	}
}

func (h *history) popped(*frame) {}

func (h *history) reading(o *object, off, n uint64) {
	h.add(happening{what: didRead, o: o, off: off, n: n})
}

func (h *history) writing(o *object, off, n uint64) {
	h.add(happening{what: didWrite, o: o, off: off, n: n})
	if h.leaks {
		h.losing(o, off, n)
	}
}

func (h *history) copying(dst *object, to uint64, src *object, from, n uint64) {
	h.add(happening{what: didCopy, o: dst, off: to, n: n, src: src, from: from})
	if h.leaks {
		h.losing(dst, to, n)
	}
}

func (h *history) chosen(r *record, o *object, lo uint64) {
	h.add(happening{what: didChoose, o: o, off: lo, n: r.size, rec: r})
}

func (h *history) made(o *object) { h.add(happening{what: didMake, o: o}) }

func (h *history) ended(o *object) {
	h.add(happening{what: didEnd, o: o, off: uint64(bitLive), n: 1})
	if h.leaks {
		h.losing(o, 0, o.size)
	}
}

func (h *history) marked(o *object, what shadowBit, written bool) {
	x := happening{what: didRead, o: o, off: uint64(what), n: 1}
	if written {
		x.what = didWrite
	}
	h.add(x)
}

// losing notes the heap objects to which pointers lie in bytes that go away.
func (h *history) losing(o *object, off, n uint64) {
	if h.full {
		return
	}
	visit := func(k uint64, p *page) {
		if p == nil || p.refs == nil {
			return
		}
		start := k * pageSize
		var last *object
		for i := max(off, start); i < min(off+n, start+uint64(len(p.val))); i++ {
			if r := p.refs[i-start]; r.obj != nil && r.obj != last && p.state[i-start] != unfilled {
				if last = r.obj; last.kind == onHeap {
					if h.heldLast == nil {
						h.heldLast = map[*object]int{}
					}
					h.heldLast[last] = h.now()
				}
			}
		}
	}
	visit(0, o.first)
	for _, k := range sortedKeys(o.pages) {
		visit(k, o.pages[k])
	}
}

// concerns notes that the violation found next is about the end of the life of o.
func (m *machine) concerns(o *object) {
	if m.history != nil {
		m.history.about = []*object{o}
	}
}
