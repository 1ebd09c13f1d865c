package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// check checks an access and returns its object and offset.
//
// The order is the contract's: null, invalid, freed or out of scope, bounds, read-only, alignment. An access of no
// bytes needs no valid pointer; check returns nil for it.
func (m *Machine) check(a explain.Access) (*state.Object, uint64) {
	if a.N == 0 {
		return nil, 0
	}
	a.Ptr = m.found(a.Ptr)
	o := a.Ptr.Obj
	if !a.Ptr.Whole() {
		o = nil
	}
	if o == nil {
		m.accuse(nil, a.Ptr.Bits, a.N, a.Write)
		if m.null(a.Ptr) {
			m.required(found.NullDereference, func() string { return m.View.NullMessage(a) })
		}
		m.required(found.InvalidPointer, func() string {
			return m.View.AccessText(a) + " through " + m.View.PointerWord(a) + ", which points to no object"
		})
	}
	if o.Kind == state.Function {
		m.required(found.InvalidPointer, func() string {
			return m.View.AccessText(a) + " at the function `" +
				o.Fn.SourceName + "`"
		})
	}
	off := a.Ptr.Offset()
	m.accuse(o, off, a.N, a.Write)
	if !o.Live {
		kind := found.UseAfterFree
		if o.Kind == state.OnStack {
			kind = found.UseAfterScope
		}
		m.concerning(o)
		report := m.required
		if kind == found.UseAfterFree && !a.Write && m.opts.Checks[kind] && m.opts.ReadsFreed != nil {
			if stack := m.StackNow(); m.opts.ReadsFreed(explain.PosOf(stack[len(stack)-1].Loc, "")) {
				report = m.violated
			}
		}
		report(kind, func() string { return m.View.PlaceMessage(a, o, off) })
	}
	if int64(off) < 0 || a.N > o.Size || off > o.Size-a.N {
		kind := found.OutOfBoundsRead
		if a.Write {
			kind = found.OutOfBoundsWrite
		}
		m.required(kind, func() string { return m.View.PlaceMessage(a, o, off) })
	}
	if a.Write && o.Keeps(off, a.N) {
		m.required(found.ReadOnlyWrite, func() string { return m.View.PlaceMessage(a, o, off) + ": it is constant" })
	}
	if a.Align > 1 && a.Ptr.Bits&(a.Align-1) != 0 && m.opts.Checks[found.Misaligned] {
		m.violated(found.Misaligned, func() string {
			return fmt.Sprintf("%s: the address %#x is not a multiple of "+
				"%d", m.View.PlaceMessage(a, o, off), a.Ptr.Bits, a.Align)
		})
	}
	if a.Write {
		temporary := o.Alloca != nil && m.m.Of(o.Alloca).Temporary
		if m.Limits != nil && !temporary && !unframed(o) && !m.MayWrite(o, off, a.N) {
			m.violated(found.Assigns, func() string {
				return m.View.PlaceMessage(a, o, off) +
					", which the contract does not assign"
			})
			m.stop(EndAssume, "a write that a contract does not allow, which is not checked here")
		}
		m.touch(o)
	}
	return o, off
}

// unframed reports whether frames of contracts do not restrict writes to an object.
func unframed(o *state.Object) bool {
	return o.Name == language.Errno || o.Global != nil && clangir.LibraryState(o.Global)
}

// null reports whether a pointer is NULL or was derived from NULL by pointer arithmetic.
//
// Examples of the latter are a member of a struct behind a null pointer and an element of a null array. Other small
// numbers are not NULL.
func (m *Machine) null(p state.Value) bool {
	return p.Obj == nil && !p.Wrapped && (p.Bits == 0 || m.fromNull[p.Bits])
}

// touch records a write to an object.
func (m *Machine) touch(o *state.Object) {
	if !o.Written {
		o.Change()
		o.Written = true
	}
	if m.Tracking && !o.Modified {
		o.Change()
		m.mark(o, BitModified, true)
		o.Modified = true
	}
}

// load reads a value of type t at a pointer.
func (m *Machine) load(fr *state.Frame, in *llvmir.Instr) state.Value {
	t := in.Type
	if why := state.UnsupportedType(t); why != "" {
		m.unsupported("a value of type " + why)
	}
	ptr := m.operand(fr, in, in.Args[0])
	o, off := m.check(explain.Access{Ptr: ptr, Op: &in.Args[0], N: uint64(t.StoreSize), Align: uint64(in.Align)})
	if o == nil {
		return state.ZeroValue(t)
	}
	if !o.Written && o.Alloca != nil && m.m.Of(o.Alloca).ReturnSlot {
		fr.NoValue = true
	}
	v, seen := m.fetch(o, off, t)
	if m.checksReads {
		facts := m.m.Of(in)
		if readsUnwritten(in, facts, o, off, seen) {
			m.violated(found.UninitializedRead, func() string {
				if name := m.View.BitFieldName(fr, in); name != "" {
					return fmt.Sprintf("reads bit-field `%s`, which was never written", name)
				}
				return m.View.PlaceMessage(explain.Access{Ptr: ptr, Op: &in.Args[0], N: uint64(t.StoreSize)}, o, off) +
					", which was never written"
			})
		}
		if facts.Coerced {
			fr.Carry(in.Dst, o.Unwritten(off, int(t.StoreSize)))
		}
	}
	return v
}

// readsUnwritten reports whether a load violates the check for bits that were never written.
//
// Structs that are loaded as a whole or as a number include their padding, which is exempt.
func readsUnwritten(in *llvmir.Instr, facts *clangir.Facts, o *state.Object, off uint64, seen state.BytesSeen) bool {
	switch f := facts.BitField; {
	case state.IsAggregate(in.Type):
		return false
	case f != nil:
		unwritten := o.Unwritten(off, int(in.Type.StoreSize))
		for bit := f.Low; bit < f.Low+f.Width; bit++ {
			if unwritten[byteOf(bit, len(unwritten), o.BigEndian)]>>(bit%8)&1 == 1 {
				return true
			}
		}
		return false
	case facts.Coerced:
		return seen.AllUninit
	}
	return seen.Uninit
}

// byteOf returns the index of the byte in memory that has a bit of a number of n bytes.
func byteOf(bit, n int, bigEndian bool) int {
	if bigEndian {
		return n - 1 - bit/8
	}
	return bit / 8
}

// store writes the value of a store instruction.
func (m *Machine) store(fr *state.Frame, in *llvmir.Instr) {
	t := in.Args[0].Type
	if why := state.UnsupportedType(t); why != "" {
		m.unsupported("a value of type " + why)
	}
	v := m.operand(fr, in, in.Args[0])
	ptr := m.operand(fr, in, in.Args[1])
	o, off := m.check(explain.Access{Ptr: ptr, Op: &in.Args[1], N: uint64(t.StoreSize), Write: true,
		Align: uint64(in.Align)})
	if o == nil {
		return
	}
	explain.NameStored(fr, in)
	if m.trace != nil {
		m.trace.Stored(fr, in, o, off, uint64(t.StoreSize), func() { m.putPart(fr, in, o, off, v) })
		return
	}
	m.putPart(fr, in, o, off, v)
}

// putPart writes the value of a store.
//
// A store to a bit-field's storage unit writes its other bits back; they keep their written state. So do the bits of
// a struct that is stored as a number.
func (m *Machine) putPart(fr *state.Frame, in *llvmir.Instr, o *state.Object, off uint64, v state.Value) {
	t := in.Args[0].Type
	var unwritten []byte
	if f := m.m.Of(in).BitField; f != nil {
		unwritten = o.Unwritten(off, int(t.StoreSize))
		for bit := f.Low; bit < f.Low+f.Width; bit++ {
			unwritten[byteOf(bit, len(unwritten), o.BigEndian)] &^= 1 << (bit % 8)
		}
	} else if in.Args[0].Kind == llvmir.OperandReg {
		unwritten = fr.Carried[in.Args[0].Reg]
	}
	m.put(o, off, v, t)
	o.SetUnwritten(off, unwritten[:min(len(unwritten), int(t.StoreSize))])
}

// storeTo writes a value of type t at a pointer; library functions use it.
func (m *Machine) storeTo(ptr state.Value, v state.Value, t *llvmir.Type) {
	if o, off := m.check(explain.Access{Ptr: ptr, N: uint64(t.StoreSize), Write: true}); o != nil {
		m.put(o, off, v, t)
	}
}

// copyRange is memcpy or memmove. If exclusive, the ranges must not overlap, but may coincide.
func (m *Machine) copyRange(fr *state.Frame, in *llvmir.Instr, dst, src state.Value, n uint64, exclusive bool) {
	if n == 0 {
		return
	}
	from, fromOff := m.check(explain.Access{Ptr: src, Op: argOf(in, 1), N: n})
	to, toOff := m.check(explain.Access{Ptr: dst, Op: argOf(in, 0), N: n, Write: true})
	if exclusive && from == to && fromOff != toOff && (fromOff-toOff < n || toOff-fromOff < n) {
		m.violated(found.OverlappingCopy, func() string {
			return fmt.Sprintf("copies %s from offset %d to offset %d of %s: the ranges overlap", explain.BytesWord(n), fromOff,
				toOff, m.View.Describe(to, ""))
		})
	}
	if from == to && fromOff == toOff {
		return
	}
	if m.trace != nil {
		m.trace.Stored(fr, in, to, toOff, n, func() { m.copyBytes(to, toOff, from, fromOff, n) })
		return
	}
	m.copyBytes(to, toOff, from, fromOff, n)
}

// checkDisjoint checks that two ranges inside objects have no common byte.
func (m *Machine) checkDisjoint(dst state.Value, n uint64, src state.Value, k uint64) {
	if dst.Obj == nil || dst.Obj != src.Obj {
		return
	}
	if to, from := dst.Offset(), src.Offset(); to-from < k || from-to < n {
		m.violated(found.OverlappingCopy, func() string {
			return fmt.Sprintf("copies %s from offset %d to offset %d of %s: the ranges overlap", explain.BytesWord(k), from, to,
				m.View.Describe(dst.Obj, ""))
		})
	}
}

// fillRange is memset.
func (m *Machine) fillRange(fr *state.Frame, in *llvmir.Instr, dst state.Value, b byte, n uint64) {
	o, off := m.check(explain.Access{Ptr: dst, Op: argOf(in, 0), N: n, Write: true})
	if o == nil {
		return
	}
	fill := func() {
		if m.obs != nil {
			m.obs.Writing(o, off, n)
		}
		if n <= state.DirectCopy {
			for i := range n {
				o.Set(off+i, state.Cell{B: b, State: state.Written})
			}
			return
		}
		o.Cover(off, off+n, func(uint64) state.Cell { return state.Cell{B: b, State: state.Written} })
		o.Layers[len(o.Layers)-1].Known = func(uint64) bool { return true }
	}
	if m.trace != nil {
		m.trace.Stored(fr, in, o, off, n, fill)
		return
	}
	fill()
}

func argOf(in *llvmir.Instr, i int) *llvmir.Operand {
	if in == nil || i >= len(in.Args) {
		return nil
	}
	return &in.Args[i]
}

// accuse records the access that is being checked. If it is to no object, o is nil and off the address.
func (m *Machine) accuse(o *state.Object, off, n uint64, write bool) {
	if m.trace != nil {
		m.accused, m.accusedAt = explain.Accused{Obj: o, Off: off, Len: n, Write: write}, m.Executed
	}
	if m.checks != nil {
		m.checks.Checking(o, off, n, write)
	}
}

// checkWithin checks that an access remains in an array that is part of an object.
func (m *Machine) checkWithin(fr *state.Frame, in *llvmir.Instr, w clangir.Within) {
	var i int64
	for _, o := range w.Indices {
		i += state.SignExtend(m.operand(fr, in, o).Bits, o.Type.Bits)
	}
	if 0 <= i && i < w.Len {
		return
	}
	if w.At != nil {
		if at := fr.Regs[w.At.Dst]; at.Whole() {
			m.accuse(at.Obj, at.Offset(), 1, false)
		}
	}
	m.violated(found.ArrayBounds, func() string {
		return fmt.Sprintf("%s: index %d is outside an array of %d elements", m.expressed("the access"), i, w.Len)
	})
}

// accuseArray records the array element whose index check failed; the handler of that check is being called.
//
// The element is the address computation in the block that the check branches to when it holds.
func (c *call) accuseArray() {
	m, fr := c.m, c.fr
	if m.checks == nil || fr.Prev < 0 {
		return
	}
	t := fr.Fn.Blocks[fr.Prev].Term()
	if t.Op != llvmir.OpCondBr {
		return
	}
	to := t.Succs[0]
	if to == fr.Block.Index {
		to = t.Succs[1]
	}
	ahead := &state.Frame{Fn: fr.Fn, Info: fr.Info, Regs: append([]state.Value(nil), fr.Regs...), Block: fr.Fn.Blocks[to]}
	for _, in := range ahead.Block.Instrs {
		switch in.Op {
		case llvmir.OpGEP:
			v := m.compute(ahead, in)
			if in.ElemType.Kind == llvmir.ArrayType && len(in.GEP.Scales) > 0 {
				if v.Whole() {
					m.accuse(v.Obj, v.Offset(), uint64(in.ElemType.Elem.Size), false)
				}
				return
			}
			ahead.Regs[in.Dst] = v
		case llvmir.OpBitCast, llvmir.OpSExt, llvmir.OpZExt, llvmir.OpTrunc:
			ahead.Regs[in.Dst] = m.compute(ahead, in)
		case llvmir.OpLoad:
			p := m.operand(ahead, in, in.Args[0])
			n := uint64(in.Type.StoreSize)
			if !p.Whole() || p.Obj.Kind == state.Function || p.Obj.Size < n || p.Offset() > p.Obj.Size-n {
				return
			}
			ahead.Regs[in.Dst], _ = m.fetch(p.Obj, p.Offset(), in.Type)
		default:
			return
		}
	}
}
