package slice

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// This file computes the dynamic backward slice of a history: the entries on which the violation depends. It is the
// algorithm of Korel and Laski (Dynamic Program Slicing, IPL 1988) on a complete history, traversed once from the
// end. Its state is the set of needed registers of frames, bytes of objects, and blocks whose branch is needed. An
// entry that defines something needed is in the slice; its definition is removed, and its operands become needed.
//
//   - Data: registers and bytes. A copy passes the need of a byte on to its source. Of a select or phi, only the
//     chosen operand is needed, and the condition of the choice.
//   - Control: the last branch before an entry, in its frame, on which its block depends; if there is none, the call
//     of the frame (control.go).
//   - Constraining assumptions: assumptions whose data depends on an input on which the slice depends. Several are
//     traced at once, with a bit for each.
//   - Reachability: conditions that decide only whether the violation is reached are distinguished from conditions
//     that decide its values. An if whose body contains the violation belongs to the slice. An exit that was not
//     taken (if (p == NULL) return) is an assumption like any other.
//   - Lifetimes: changes of an object's lifetime are treated like writes of a byte (ShadowBit).

// needMask is the set of purposes for which an item is needed.
//
// Bit 0 is the slice, bit 1 (for blocks only) whether the violation is reached; each other bit is one of the latest
// assumptions.
type needMask uint64

const (
	sliceBit needMask = 1 << iota
	reachBit
	firstAssumed
)

type slicer struct {
	h        *history
	in       []bool // by entry: belongs to the slice
	regs     map[regKey]needMask
	bytes    map[*state.Object]map[uint64]needMask
	blocks   map[int32]map[int]needMask // by frame: blocks whose branch is needed
	onPath   []bool                     // by frame: part of it belongs to the slice
	inputs   map[*state.Input]needMask
	allocs   map[int]needMask // by entry of an allocation: whether it fails is also an input
	active   map[int32]bool   // the active frames at the violation
	assumed  map[int]needMask // by entry: the bit of an entry treated as an assumption
	nextBit  needMask         // 0: all are in use
	controls map[*llvmir.Func]*control
	blockOf  map[*llvmir.Func]map[*llvmir.Instr]int
}

type regKey struct {
	frame int32
	reg   int32
}

func newSlicer(h *history) *slicer {
	return &slicer{
		h: h, in: make([]bool, len(h.entries)), regs: map[regKey]needMask{}, bytes: map[*state.Object]map[uint64]needMask{},
		blocks: map[int32]map[int]needMask{}, onPath: make([]bool, len(h.frames)), inputs: map[*state.Input]needMask{},
		allocs: map[int]needMask{}, active: map[int32]bool{}, assumed: map[int]needMask{}, nextBit: firstAssumed,
		controls: map[*llvmir.Func]*control{}, blockOf: map[*llvmir.Func]map[*llvmir.Instr]int{},
	}
}

// seeds are the start of a slice.
type seeds struct {
	// at are the initial entries. All operands are needed; of a store or load only the pointer.
	at []int
	// lives are objects whose end of lifetime is relevant.
	lives []*state.Object
	// assumed are entries of assumptions that may constrain the slice.
	assumed []int
	// reached: the slice includes the conditions under which the last entry is reached.
	reached bool
}

// slice traverses the history and returns the assumptions that constrain the slice.
func (s *slicer) slice(from seeds) map[int]bool {
	isAssumed := map[int]bool{}
	for _, at := range from.assumed {
		isAssumed[at] = true
	}
	for fr := s.h.entries[s.h.now()].frame; fr >= 0 && from.reached; fr = s.h.frames[fr].caller {
		s.active[fr] = true
	}
	begin := map[int]bool{}
	for _, at := range from.at {
		begin[at] = true
	}
	for _, o := range from.lives {
		s.needByte(o, uint64(interp.BitLive), sliceBit)
	}
	end := uint32(len(s.h.accesses))
	for i := len(s.h.entries) - 1; i >= 0; i-- {
		e := &s.h.entries[i]
		s.entry(i, e, s.h.accesses[e.first:end], isAssumed[i], begin[i])
		end = e.first
	}
	constrain := map[int]bool{}
	shared := needMask(0)
	for _, m := range s.inputs {
		if m&sliceBit != 0 {
			shared |= m
		}
	}
	for _, m := range s.allocs {
		if m&sliceBit != 0 {
			shared |= m
		}
	}
	for at, b := range s.assumed {
		if shared&b != 0 {
			constrain[at] = true
		}
	}
	return constrain
}

// entry processes one execution of an instruction.
func (s *slicer) entry(i int, e *entry, did []happening, assumed, begins bool) {
	in, fr := e.in, e.frame
	m := needMask(0) // the purposes for which this entry is needed
	if assumed {
		m |= s.assume(i)
	}
	if begins {
		m |= sliceBit
	}
	calls := false
	for k := len(did) - 1; k >= 0; k-- {
		switch d := &did[k]; d.what {
		case didEnter:
			m |= s.phis(fr, int(d.off), int(d.n))
		case didPush:
			calls = true
			m |= s.call(in, fr, int32(d.off))
		case didWrite, didEnd:
			m |= s.takeBytes(d.o, d.off, d.n)
		case didCopy:
			m |= s.copied(d)
		case didChoose:
			if d.o != nil {
				t := s.takeBytes(d.o, d.off, d.n)
				s.inputs[d.rec] |= t
				m |= t
			}
		}
	}
	if in.Dst >= 0 && !calls {
		t := s.takeReg(fr, in.Dst)
		m |= t
		if in.Op == llvmir.OpCall && t != 0 && makesHeap(did) {
			s.allocs[i] |= t
		}
	}
	if in.Op == llvmir.OpRet {
		if f := &s.h.frames[fr]; f.call != nil && f.call.Dst >= 0 {
			m |= s.takeReg(f.caller, f.call.Dst)
		}
	}
	if len(in.Succs) > 1 && len(s.blocks[fr]) > 0 {
		c, block := s.place(fr, in)
		m |= s.takeBlocks(fr, c, block)
		if m&reachBit != 0 {
			// Everything else that depends on it has happened, given that the violation was reached.
			m &^= reachBit | sliceBit
			if !begins && s.passes(fr, did) {
				m |= s.assume(i)
			} else {
				m |= sliceBit
			}
			s.onPath[fr] = true
			if len(c.deps[block]) > 0 {
				s.needBlock(fr, block, reachBit)
			}
			if m&sliceBit != 0 {
				s.in[i] = true
			}
			s.uses(in, fr, did, m, calls, begins)
			return
		}
	}
	if m == 0 {
		return
	}
	for _, d := range did {
		if d.what == didChoose && d.o == nil {
			s.inputs[d.rec] |= m
		}
		if d.what == didRead {
			s.needBytes(d.o, d.off, d.n, m)
		}
	}
	s.uses(in, fr, did, m, calls, begins)
	if m&sliceBit == 0 {
		return
	}
	s.in[i] = true
	s.onPath[fr] = true
	if c, block := s.place(fr, in); len(c.deps[block]) > 0 {
		why := sliceBit
		if s.active[fr] && (begins || calls && s.entersActive(did)) {
			why = reachBit
		}
		s.needBlock(fr, block, why)
	}
}

// assume assigns a bit to an entry; 0 if none is left.
func (s *slicer) assume(i int) needMask {
	b := s.nextBit
	if b != 0 {
		s.assumed[i] |= b
		s.nextBit <<= 1
	}
	return b
}

// entersActive reports whether an entry called a function that the violation is in.
func (s *slicer) entersActive(did []happening) bool {
	for _, d := range did {
		if d.what == didPush && s.active[int32(d.off)] {
			return true
		}
	}
	return false
}

// passes reports whether a branch skipped its body.
func (s *slicer) passes(fr int32, did []happening) bool {
	for _, d := range did {
		if d.what != didEnter {
			continue
		}
		if clangir.PassesBy(s.h.frames[fr].fn.Blocks[d.n]) {
			return true
		}
	}
	return false
}

// uses marks the operands of a needed instruction as needed.
func (s *slicer) uses(in *llvmir.Instr, fr int32, did []happening, m needMask, calls, begins bool) {
	switch {
	case in.Op == llvmir.OpPhi:
		return
	case calls:
		if in.Callee.Kind == llvmir.OperandReg && m&sliceBit != 0 {
			s.needReg(fr, in.Callee, sliceBit)
		}
		return
	case begins && in.Op == llvmir.OpStore:
		s.needReg(fr, in.Args[1], m)
		return
	case in.Op == llvmir.OpSelect:
		s.needReg(fr, in.Args[0], m)
		for _, d := range did {
			if d.what == didPick {
				s.needReg(fr, in.Args[d.off], m)
				return
			}
		}
	case in.Op == llvmir.OpCall && in.Intrinsic == "va_start":
		// The arguments after the last parameter are in registers of the caller.
		f := &s.h.frames[fr]
		for k := len(f.fn.Params); f.call != nil && k < len(f.call.Args); k++ {
			s.needReg(f.caller, f.call.Args[k], m)
		}
	case in.Op == llvmir.OpCall:
		s.needReg(fr, in.Callee, m)
	}
	for _, a := range in.Args {
		s.needReg(fr, a, m)
	}
}

func makesHeap(did []happening) bool {
	for _, d := range did {
		if d.what == didMake && d.o.Kind == state.OnHeap {
			return true
		}
	}
	return false
}

// call passes needed parameters on to the arguments. The call is needed if its frame has needed entries.
func (s *slicer) call(in *llvmir.Instr, fr, callee int32) needMask {
	f := s.h.frames[callee].fn
	for k := range f.Params {
		if m := s.takeReg(callee, k); m != 0 && k < len(in.Args) {
			s.needReg(fr, in.Args[k], m)
		}
	}
	delete(s.blocks, callee)
	if s.onPath[callee] {
		return sliceBit
	}
	return 0
}

// phis passes the need of phis of block to on to their selected operands, simultaneously.
//
// The branch to the block decided the selection, along with its own control dependences.
func (s *slicer) phis(fr int32, from, to int) needMask {
	f := s.h.frames[fr].fn
	type need struct {
		op llvmir.Operand
		m  needMask
	}
	var buf [8]need
	out := buf[:0]
	all := needMask(0)
	for _, phi := range f.Blocks[to].Instrs {
		if phi.Op != llvmir.OpPhi {
			break
		}
		m := s.takeReg(fr, phi.Dst)
		if m == 0 {
			continue
		}
		all |= m
		for i, p := range phi.In {
			if p == from {
				out = append(out, need{phi.Args[i], m})
				break
			}
		}
	}
	for _, n := range out {
		s.needReg(fr, n.op, n.m)
	}
	if all == 0 {
		return 0
	}
	if len(s.control(f).deps[from]) > 0 {
		s.needBlock(fr, from, all)
	}
	if len(f.Blocks[from].Succs) > 1 {
		return all
	}
	if all&sliceBit != 0 {
		s.onPath[fr] = true
	}
	return 0
}

func (s *slicer) needReg(fr int32, a llvmir.Operand, m needMask) {
	if a.Kind == llvmir.OperandReg {
		s.regs[regKey{fr, int32(a.Reg)}] |= m
	}
}

func (s *slicer) takeReg(fr int32, reg int) needMask {
	k := regKey{fr, int32(reg)}
	m := s.regs[k]
	if m != 0 {
		delete(s.regs, k)
	}
	return m
}

func (s *slicer) needByte(o *state.Object, off uint64, m needMask) {
	b := s.bytes[o]
	if b == nil {
		b = map[uint64]needMask{}
		s.bytes[o] = b
	}
	b[off] |= m
}

func (s *slicer) needBytes(o *state.Object, off, n uint64, m needMask) {
	for i := range n {
		s.needByte(o, off+i, m)
	}
}

// takeBytes removes the needs of a range that is written here, and returns their purposes.
func (s *slicer) takeBytes(o *state.Object, off, n uint64) needMask {
	m := needMask(0)
	s.eachByte(o, off, n, func(at uint64, b needMask) {
		m |= b
		delete(s.bytes[o], at)
	})
	return m
}

// eachByte visits the needed bytes of a range; f may delete them.
func (s *slicer) eachByte(o *state.Object, off, n uint64, f func(at uint64, m needMask)) {
	need := s.bytes[o]
	if len(need) == 0 {
		return
	}
	if n <= uint64(len(need)) {
		for at := off; at < off+n; at++ {
			if m, ok := need[at]; ok {
				f(at, m)
			}
		}
		return
	}
	for at, m := range need {
		if at >= off && at-off < n {
			f(at, m)
		}
	}
}

// copied passes needed bytes of the destination on to the source.
func (s *slicer) copied(d *happening) needMask {
	type need struct {
		at uint64
		m  needMask
	}
	var moved []need
	all := needMask(0)
	s.eachByte(d.o, d.off, d.n, func(at uint64, m needMask) {
		moved = append(moved, need{at - d.off + d.from, m})
		all |= m
		delete(s.bytes[d.o], at)
	})
	for _, x := range moved {
		s.needByte(d.src, x.at, x.m)
	}
	return all
}

func (s *slicer) needBlock(fr int32, block int, m needMask) {
	b := s.blocks[fr]
	if b == nil {
		b = map[int]needMask{}
		s.blocks[fr] = b
	}
	b[block] |= m
}

// takeBlocks removes the blocks that depend on the branch at the end of block, and returns their purposes.
func (s *slicer) takeBlocks(fr int32, c *control, block int) needMask {
	m := needMask(0)
	for b, why := range s.blocks[fr] {
		for _, a := range c.deps[b] {
			if a == block {
				m |= why
				delete(s.blocks[fr], b)
				break
			}
		}
	}
	return m
}

func (s *slicer) control(f *llvmir.Func) *control {
	c := s.controls[f]
	if c == nil {
		c = controlOf(f)
		s.controls[f] = c
	}
	return c
}

// place returns the control dependences of the function of a frame, and the block of in.
func (s *slicer) place(fr int32, in *llvmir.Instr) (*control, int) {
	f := s.h.frames[fr].fn
	blocks := s.blockOf[f]
	if blocks == nil {
		blocks = map[*llvmir.Instr]int{}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				blocks[i] = b.Index
			}
		}
		s.blockOf[f] = blocks
	}
	return s.control(f), blocks[in]
}
