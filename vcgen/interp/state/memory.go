package state

import (
	"maps"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// ObjectKind is the storage class of an object.
type ObjectKind uint8

const (
	OnStack ObjectKind = iota
	OnHeap
	Static
	Function // has no bytes, may be called
)

// Object is a memory object: one execution of one allocation.
type Object struct {
	Kind     ObjectKind
	Name     string // C name, if it has one
	Site     int    // the instruction that created it; 0 for globals and functions
	Order    int    // increases with the time of creation
	Ordinal  int    // number of objects that the site created before
	Size     uint64 // bytes
	Base     uint64 // address
	Live     bool
	Part     bool // bytes that may be a part of an object; if empty they occupy no address
	Lent     bool // an allocation that the program must not free
	Readonly bool
	// Parts are the constant parts of an object that is not constant as a whole.
	Parts []Part
	// Mergeable: a constant whose address is not significant. It may share memory with others of equal content; Data
	// is the content.
	Mergeable bool
	Data      []byte
	Modified  bool // written since the last sea_reset_modified, while tracking was on
	Written   bool // written at all
	Exposed   bool // its address was observed as a number
	Escaped   bool // a function without a body may access it
	Made      *llvmir.Loc
	Ended     *llvmir.Loc // the place where it was freed or its scope ended

	Global *llvmir.Global
	Fn     *llvmir.Func
	Absent bool // of a weak function without a definition: its address is NULL
	Alloca *llvmir.Instr
	DIType *llvmir.DIType // of its variable
	Source string         // C name of its variable
	Maker  string         // malloc, calloc, ..., alloca; "" for variables
	Input  string         // with a Maker: "data", "argv[1]", if a model created it as an input of the entry
	Number int            // with a Maker: number of the allocation in the execution, from 1
	Stack  []Site         // heap, if leaks are checked: the call stack of the allocation

	// Pointer is the size of a pointer in bytes, 8 if it is 0. BigEndian is the byte order of numbers.
	Pointer   uint8
	BigEndian bool

	journal     *Journal // nil if no history is recorded
	Serial      int32    // number of the object in a recorded run, from 1
	born, stamp uint32   // see journal

	// Bytes are in pages. A byte that its page does not have comes from the most recent layer that covers it; without
	// a layer it is zero.
	First  *Page
	Pages  map[uint64]*Page
	Layers []Layer
}

// Part is a range of bytes of an object.
type Part struct{ Off, Len int64 }

// pointerSize returns the size of a pointer in bytes.
func (o *Object) pointerSize() uint8 {
	if o.Pointer == 0 {
		return 8
	}
	return o.Pointer
}

// at returns the offset of byte k of a number of n bytes at off; byte 0 is the least significant one.
func (o *Object) at(off uint64, k, n int) uint64 {
	if o.BigEndian {
		return off + uint64(n-1-k)
	}
	return off + uint64(k)
}

// Keeps reports whether any of n bytes from an offset is constant.
func (o *Object) Keeps(off, n uint64) bool {
	return o.Readonly || slices.ContainsFunc(o.Parts, func(p Part) bool {
		return off < uint64(p.Off+p.Len) && uint64(p.Off) < off+n
	})
}

// ByteState is the shadow of a byte: one of the constants, or a mask of unwritten bits in its upper half.
//
// Inputs choose the values of unwritten bits.
type ByteState uint16

const (
	Unfilled ByteState = iota // to be read from the layers
	Written
	Arbitrary // chosen by the inputs, and treated as written

	Uninitialized ByteState = 0xff << 8 // no bit was written
)

// Unwritten returns a mask of the bits that were never written.
func (s ByteState) Unwritten() byte { return byte(s >> 8) }

// Unwritten returns masks of the bits of n bytes that were never written.
func (o *Object) Unwritten(off uint64, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = o.Get(off + uint64(i)).State.Unwritten()
	}
	return out
}

// SetUnwritten marks bits of bytes as never written.
func (o *Object) SetUnwritten(off uint64, unwritten []byte) {
	for i, bits := range unwritten {
		if bits != 0 {
			c := o.Get(off + uint64(i))
			c.State = ByteState(bits) << 8
			o.Set(off+uint64(i), c)
		}
	}
}

// DirectCopy is the largest number of bytes that are copied one by one.
const DirectCopy = 1 << 14

// CopyBytes copies n bytes with their shadow; the ranges may overlap.
func CopyBytes(dst *Object, to uint64, src *Object, from, n uint64) {
	if n > DirectCopy {
		s := src.snapshot()
		shift := from - to
		dst.Cover(to, to+n, func(off uint64) Cell { return s.Get(off + shift) })
		l := &dst.Layers[len(dst.Layers)-1]
		l.Copied, l.shift = s, shift
		l.Known = func(off uint64) bool { _, ok := s.Peek(off + shift); return ok }
		return
	}
	if dst == src && to > from {
		for i := n; i > 0; i-- {
			dst.Set(to+i-1, src.Get(from+i-1))
		}
		return
	}
	for i := range n {
		dst.Set(to+i, src.Get(from+i))
	}
}

// Pointers calls f for each object into which bytes of o point.
//
// Bytes that were never read contain no pointer, except in copies of large ranges, for which overwritten pointers may
// count, too.
func (o *Object) Pointers(f func(*Object)) {
	visit := func(p *Page) {
		var last *Object
		for i, r := range p.Refs {
			if r.Obj != nil && r.Obj != last && p.State[i] != Unfilled {
				last = r.Obj
				f(r.Obj)
			}
		}
	}
	for _, l := range o.Layers {
		if l.Copied != nil {
			l.Copied.Pointers(f)
		}
	}
	if o.First != nil {
		visit(o.First)
	}
	for _, k := range slices.Sorted(maps.Keys(o.Pages)) {
		visit(o.Pages[k])
	}
}

// Holds calls f for the object of each complete pointer in o, whether aligned or not.
//
// A number that was computed from an address other than by addition counts if it is an address in the object.
func (o *Object) Holds(f func(*Object)) {
	for _, off := range o.pointerStarts() {
		size := o.pointerSize()
		if o.Size < uint64(size) || off > o.Size-uint64(size) {
			continue
		}
		v, complete := Value{N: size}, true
		for k := uint64(0); complete && k < uint64(size); k++ {
			c, _ := o.Peek(o.at(off, int(k), int(size)))
			if k == 0 {
				v.Obj, v.Loose = c.Ref.Obj, c.Ref.Loose
			}
			v.Bits |= uint64(c.B) << (8 * k)
			complete = v.Obj != nil && c.Ref.Obj == v.Obj && uint64(c.Ref.I) == k
		}
		if complete && (!v.Loose || v.Offset() <= v.Obj.Size) {
			f(v.Obj)
		}
	}
}

// pointerStarts lists the offsets at which the first byte of a pointer was written, ascending; it may be overwritten.
func (o *Object) pointerStarts() []uint64 {
	starts := map[uint64]bool{}
	visit := func(p *Page, start uint64) {
		for i, r := range p.Refs {
			if at := start + uint64(i); r.Obj != nil && r.I == 0 {
				if last := uint64(o.pointerSize() - 1); o.BigEndian && at >= last {
					at -= last // byte 0 is the last one
				}
				starts[at] = true
			}
		}
	}
	if o.First != nil {
		visit(o.First, 0)
	}
	for k, p := range o.Pages {
		visit(p, k*PageSize)
	}
	for _, l := range o.Layers {
		if l.Copied == nil {
			continue
		}
		for _, from := range l.Copied.pointerStarts() {
			if off := from - l.shift; l.Lo <= off && off < l.Hi {
				starts[off] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(starts))
}

// MadeName returns the name of an object with a Maker: "malloc#1", or the name of the input.
func (o *Object) MadeName() string {
	if o.Input != "" {
		return o.Input
	}
	return o.Maker + "#" + strconv.Itoa(o.Number)
}
