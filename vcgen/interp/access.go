package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// access is a range of memory that an instruction is about to use.
type access struct {
	ptr   value
	op    *llvmir.Operand // the pointer in the program, for messages; nil when there is none
	n     uint64          // bytes
	write bool
	align uint64 // checked when above 1
}

// check makes sure that an access is fine and returns the object and offset. The order is
// the contract's: null, invalid, freed or out of scope, bounds, read-only, alignment. An
// access of no bytes needs no valid pointer; it returns nil then.
func (m *machine) check(a access) (*object, uint64) {
	if a.n == 0 {
		return nil, 0
	}
	o := a.ptr.obj
	if !a.ptr.whole() {
		o = nil
	}
	if o == nil {
		m.accuse(nil, 0, 0, false)
		if a.ptr.bits < firstPage {
			m.required(found.NullDereference, func() string { return m.nullMessage(a) })
		}
		m.required(found.InvalidPointer, func() string { return m.accessText(a) + " through " + m.pointerWord(a) + ", which points to no object" })
	}
	if o.kind == function {
		m.required(found.InvalidPointer, func() string { return m.accessText(a) + " at the function `" + o.fn.SourceName + "`" })
	}
	off := a.ptr.offset()
	m.accuse(o, off, a.n, a.write)
	if !o.live {
		kind := found.UseAfterFree
		if o.kind == onStack {
			kind = found.UseAfterScope
		}
		m.concerns(o)
		m.required(kind, func() string { return m.placeMessage(a, o, off) })
	}
	if int64(off) < 0 || a.n > o.size || off > o.size-a.n {
		kind := found.OutOfBoundsRead
		if a.write {
			kind = found.OutOfBoundsWrite
		}
		m.required(kind, func() string { return m.placeMessage(a, o, off) })
	}
	if a.write && o.readonly {
		m.required(found.ReadOnlyWrite, func() string { return m.placeMessage(a, o, off) + ": it is constant" })
	}
	if a.align > 1 && m.opts.Checks[found.Misaligned] && a.ptr.bits&(a.align-1) != 0 {
		m.violated(found.Misaligned, func() string {
			return fmt.Sprintf("%s: the address %#x is no multiple of %d", m.placeMessage(a, o, off), a.ptr.bits, a.align)
		})
	}
	if a.write {
		m.touch(o)
	}
	return o, off
}

// touch records that an object is written.
func (m *machine) touch(o *object) {
	if !o.written {
		o.change()
		o.written = true
	}
	if m.tracking && !o.modified {
		o.change()
		m.mark(o, bitModified, true)
		o.modified = true
	}
}

// load reads a value of type t at a pointer.
func (m *machine) load(fr *frame, in *llvmir.Instr) value {
	t := in.Type
	if why := unsupportedType(t); why != "" {
		m.unsupported("a value of type " + why)
	}
	ptr := m.operand(fr, in, in.Args[0])
	o, off := m.check(access{ptr: ptr, op: &in.Args[0], n: uint64(t.StoreSize), align: uint64(in.Align)})
	if o == nil {
		return zeroValue(t)
	}
	if !o.written && o.alloca != nil && o.dtype == nil && fr.fn.RegName(o.alloca.Dst) == "retval" {
		fr.noValue = true
	}
	v, seen := m.fetch(o, off, t)
	if seen.uninit && m.opts.Checks[found.UninitializedRead] && reportsUninitialized(fr, in, seen) {
		m.violated(found.UninitializedRead, func() string {
			return m.placeMessage(access{ptr: ptr, op: &in.Args[0], n: uint64(t.StoreSize)}, o, off) + ", which was never written"
		})
	}
	return v
}

// reportsUninitialized tells whether a load that met bytes never written is a read of the
// program: the storage of bit-fields is read to be written, and structs travel as wholes with their padding.
func reportsUninitialized(fr *frame, in *llvmir.Instr, seen bytesSeen) bool {
	if len(fr.fn.RegName(in.Dst)) >= 7 && fr.fn.RegName(in.Dst)[:7] == "bf.load" {
		return false
	}
	if isAggregate(in.Type) {
		return false
	}
	if in.Args[0].Kind == llvmir.OperandReg {
		if d := fr.info.def[in.Args[0].Reg]; d != nil && d.Op == llvmir.OpBitCast {
			return seen.allUninit
		}
	}
	return true
}

// store writes the value of a store instruction.
func (m *machine) store(fr *frame, in *llvmir.Instr) {
	t := in.Args[0].Type
	if why := unsupportedType(t); why != "" {
		m.unsupported("a value of type " + why)
	}
	v := m.operand(fr, in, in.Args[0])
	ptr := m.operand(fr, in, in.Args[1])
	o, off := m.check(access{ptr: ptr, op: &in.Args[1], n: uint64(t.StoreSize), write: true, align: uint64(in.Align)})
	if o == nil {
		return
	}
	fr.stored(in)
	if m.opts.Trace {
		m.traceStore(fr, in, o, off, uint64(t.StoreSize), func() { m.put(o, off, v, t) })
		return
	}
	m.put(o, off, v, t)
}

// storeTo writes a value of type t at a pointer, for functions of the library.
func (m *machine) storeTo(ptr value, v value, t *llvmir.Type) {
	if o, off := m.check(access{ptr: ptr, n: uint64(t.StoreSize), write: true}); o != nil {
		m.put(o, off, v, t)
	}
}

// copyRange is memcpy (exclusive: the ranges must not overlap, but may coincide) or memmove.
func (m *machine) copyRange(fr *frame, in *llvmir.Instr, dst, src value, n uint64, exclusive bool) {
	if n == 0 {
		return
	}
	from, fromOff := m.check(access{ptr: src, op: argOf(in, 1), n: n})
	to, toOff := m.check(access{ptr: dst, op: argOf(in, 0), n: n, write: true})
	if exclusive && from == to && fromOff != toOff && (fromOff-toOff < n || toOff-fromOff < n) {
		m.violated(found.OverlappingCopy, func() string {
			return fmt.Sprintf("copies %s from offset %d to offset %d of %s: the ranges overlap", bytesWord(n), fromOff, toOff, m.describe(to, ""))
		})
	}
	if from == to && fromOff == toOff {
		return
	}
	if m.opts.Trace {
		m.traceStore(fr, in, to, toOff, n, func() { m.copyBytes(to, toOff, from, fromOff, n) })
		return
	}
	m.copyBytes(to, toOff, from, fromOff, n)
}

// apart makes sure that two ranges, which lie in objects, share no byte.
func (m *machine) apart(dst value, n uint64, src value, k uint64) {
	if dst.obj == nil || dst.obj != src.obj {
		return
	}
	if to, from := dst.offset(), src.offset(); to-from < k || from-to < n {
		m.violated(found.OverlappingCopy, func() string {
			return fmt.Sprintf("copies %s from offset %d to offset %d of %s: the ranges overlap", bytesWord(k), from, to, m.describe(dst.obj, ""))
		})
	}
}

// fillRange is memset.
func (m *machine) fillRange(fr *frame, in *llvmir.Instr, dst value, b byte, n uint64) {
	o, off := m.check(access{ptr: dst, op: argOf(in, 0), n: n, write: true})
	if o == nil {
		return
	}
	fill := func() {
		if m.obs != nil {
			m.obs.writing(o, off, n)
		}
		if n <= directCopy {
			for i := range n {
				o.set(off+i, cell{b: b, state: written})
			}
			return
		}
		o.cover(off, off+n, func(uint64) cell { return cell{b: b, state: written} })
		o.layers[len(o.layers)-1].known = func(uint64) bool { return true }
	}
	if m.opts.Trace {
		m.traceStore(fr, in, o, off, n, fill)
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
