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

// PageSize is the number of bytes that are allocated at once for the content of an object.
const PageSize = 1 << 10

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

// Ref marks a byte as byte I of a pointer derived from Obj; Loose as in Value.
type Ref struct {
	Obj   *Object
	I     uint8
	Loose bool
}

// Cell is a byte of memory with its shadow.
type Cell struct {
	B     byte
	State ByteState
	Ref   Ref
}

type Page struct {
	Val   []byte
	State []ByteState
	Refs  []Ref  // nil if no byte belongs to a pointer
	stamp uint32 // see journal
}

// Layer is content of the range [Lo, Hi) that is computed on demand.
type Layer struct {
	Lo, Hi uint64
	at     func(off uint64) Cell
	Copied *Object // for a copy of a large range: the snapshot that it reads; otherwise nil
	shift  uint64  // added to an offset to get the offset in Copied
	// Known reports whether the execution determines a byte that was never read; nil: it does not.
	Known func(off uint64) bool
	State ByteState // of all bytes, unless Copied is set
}

// page returns the page that contains off, and the offset of its first byte.
func (o *Object) page(off uint64) (*Page, uint64) {
	k := off / PageSize
	if k == 0 && o.First != nil {
		return o.First, 0
	}
	if k > 0 {
		if p := o.Pages[k]; p != nil {
			return p, k * PageSize
		}
	}
	n := min(PageSize, o.Size-k*PageSize)
	p := &Page{Val: make([]byte, n), State: make([]ByteState, n)}
	if o.journal != nil {
		o.journal.savePage(o, k, nil)
		p.stamp = o.journal.stamp
	}
	if k == 0 {
		o.First = p
	} else {
		if o.Pages == nil {
			o.Pages = map[uint64]*Page{}
		}
		o.Pages[k] = p
	}
	return p, k * PageSize
}

// fill computes one byte of a page from the layers.
func (o *Object) fill(p *Page, i, off uint64) {
	c := o.below(off)
	o.changing(p, off)
	p.Val[i], p.State[i] = c.B, c.State
	if c.Ref.Obj != nil {
		p.setRef(i, c.Ref)
	}
}

// below returns the byte that the layers define.
func (o *Object) below(off uint64) Cell {
	for k := len(o.Layers) - 1; k >= 0; k-- {
		if l := &o.Layers[k]; l.Lo <= off && off < l.Hi {
			return l.at(off)
		}
	}
	return Cell{State: Written}
}

func (p *Page) setRef(i uint64, r Ref) {
	if p.Refs == nil {
		if r.Obj == nil {
			return
		}
		p.Refs = make([]Ref, len(p.Val))
	}
	p.Refs[i] = r
}

func (p *Page) Ref(i uint64) Ref {
	if p.Refs == nil {
		return Ref{}
	}
	return p.Refs[i]
}

// Get returns one byte. The caller must have checked the bounds.
func (o *Object) Get(off uint64) Cell {
	p, start := o.page(off)
	i := off - start
	if p.State[i] == Unfilled {
		o.fill(p, i, off)
	}
	return Cell{p.Val[i], p.State[i], p.Ref(i)}
}

func (o *Object) Set(off uint64, c Cell) {
	p, start := o.page(off)
	o.changing(p, off)
	i := off - start
	p.Val[i], p.State[i] = c.B, c.State
	p.setRef(i, c.Ref)
}

// Known returns the cell at off without computing one.
//
// ok is false if the byte was never read and an input determines it.
func (o *Object) Known(off uint64) (Cell, bool) {
	k := off / PageSize
	p := o.First
	if k > 0 {
		p = o.Pages[k]
	}
	if p == nil || p.State[off-k*PageSize] == Unfilled {
		return Cell{}, false
	}
	i := off - k*PageSize
	return Cell{p.Val[i], p.State[i], p.Ref(i)}, true
}

// BytesSeen summarizes the shadow of the bytes of a read.
type BytesSeen struct {
	Uninit    bool // some bit was never written
	AllUninit bool // no bit was
	Chosen    bool // some byte was chosen by the inputs
	Mixed     bool // some byte belongs to a pointer, but they are not consecutive bytes of one pointer
}

// Add includes a byte.
func (s *BytesSeen) Add(b ByteState) {
	s.Uninit = s.Uninit || b.Unwritten() != 0
	s.AllUninit = s.AllUninit && b == Uninitialized
	s.Chosen = s.Chosen || b != Written
}

// Read returns a number of n <= 8 bytes. Consecutive bytes of one pointer retain its object.
func (o *Object) Read(off uint64, n int) (Value, BytesSeen) {
	if v, ok := o.readWritten(off, n); ok {
		return v, BytesSeen{}
	}
	v := Value{}
	seen := BytesSeen{AllUninit: true}
	p, start := o.page(off)
	same, anyInput := true, false
	var first Ref
	for k := range n {
		at := o.at(off, k, n)
		if at < start || at-start >= PageSize {
			p, start = o.page(at)
		}
		i := at - start
		if p.State[i] == Unfilled {
			o.fill(p, i, at)
		}
		v.Bits |= uint64(p.Val[i]) << (8 * k)
		seen.Add(p.State[i])
		if k == 0 {
			first = p.Ref(i)
		} else if p.Refs != nil || first.Obj != nil {
			r := p.Ref(i)
			same = same && r.Obj == first.Obj && r.I == first.I+uint8(k)
			anyInput = anyInput || r.Obj != nil
		}
	}
	if first.Obj != nil && same {
		v.Obj, v.From, v.N, v.Loose = first.Obj, first.I, uint8(n), first.Loose
	} else {
		seen.Mixed = anyInput || first.Obj != nil
	}
	return v, seen
}

// readWritten is Read for the most frequent case: all bytes were written, are in one page, and are either no parts of
// pointers or consecutive bytes of one pointer. ok is false in all other cases.
func (o *Object) readWritten(off uint64, n int) (v Value, ok bool) {
	p := o.First
	if p == nil || n == 0 || off >= PageSize || o.BigEndian || off+uint64(n) > uint64(len(p.Val)) {
		return v, false
	}
	for k, b := range p.Val[off : off+uint64(n)] {
		if p.State[off+uint64(k)] != Written {
			return v, false
		}
		v.Bits |= uint64(b) << (8 * k)
	}
	if p.Refs == nil {
		return v, true
	}
	first := &p.Refs[off]
	for k := 1; k < n; k++ {
		r := &p.Refs[off+uint64(k)]
		if r.Obj != first.Obj || r.Obj != nil && r.I != first.I+uint8(k) {
			return v, false
		}
	}
	if first.Obj != nil {
		v.Obj, v.From, v.N, v.Loose = first.Obj, first.I, uint8(n), first.Loose
	}
	return v, true
}

// Write stores the low n <= 8 bytes of v.
func (o *Object) Write(off uint64, v Value, n int) {
	p, start := o.page(off)
	o.changing(p, off)
	if i := off - start; v.Obj == nil && p.Refs == nil && !o.BigEndian && i+uint64(n) <= uint64(len(p.Val)) {
		for k := range uint64(n) {
			p.Val[i+k], p.State[i+k] = byte(v.Bits>>(8*k)), Written
		}
		return
	}
	for k := range n {
		at := o.at(off, k, n)
		if at < start || at-start >= PageSize {
			p, start = o.page(at)
			o.changing(p, at)
		}
		i := at - start
		p.Val[i], p.State[i] = byte(v.Bits>>(8*k)), Written
		r := Ref{}
		if v.Obj != nil && k < int(v.N) {
			r = Ref{v.Obj, v.From + uint8(k), v.Loose}
		}
		p.setRef(i, r)
	}
}

// Store writes an integer of n bytes, of any size.
func (o *Object) Store(off uint64, v Value, n int) {
	if n <= 8 {
		o.Write(off, v, n)
		return
	}
	wide := v.Big()
	for i := range n {
		var b byte
		for k := range 8 {
			b |= byte(wide.Bit(8*i+k)) << k
		}
		o.Set(o.at(off, i, n), Cell{B: b, State: Written})
	}
}

// Initialise writes a constant at off: its bytes directly, and numbers and addresses by put.
//
// Zeros are not written, because fresh memory reads as zero.
func (o *Object) Initialise(off uint64, c *llvmir.Const, put func(off uint64, c *llvmir.Const)) {
	switch c.Kind {
	case llvmir.ConstZero, llvmir.ConstNull, llvmir.ConstUndef:
		return
	case llvmir.ConstData:
		for i, b := range c.Data {
			if b != 0 {
				o.Set(off+uint64(i), Cell{B: b, State: Written})
			}
		}
		return
	case llvmir.ConstAggregate:
		for i, e := range c.Elems {
			_, at := Element(c.Type, i)
			o.Initialise(off+at, e, put)
		}
		return
	case llvmir.ConstInt:
		if c.Int.Sign() == 0 {
			return
		}
	}
	put(off, c)
}

// Cover defines the content of [lo, hi) by a new layer.
func (o *Object) Cover(lo, hi uint64, at func(off uint64) Cell) {
	if lo >= hi {
		return
	}
	o.forget(lo, hi)
	layers := o.Layers[:0:0]
	for _, l := range o.Layers {
		if lo > l.Lo || hi < l.Hi {
			layers = append(layers, l)
		}
	}
	o.Change()
	o.Layers = append(layers, Layer{Lo: lo, Hi: hi, at: at, State: Written})
}

// forget removes the bytes of [lo, hi) from the pages.
func (o *Object) forget(lo, hi uint64) {
	drop := func(k uint64, p *Page) {
		start := k * PageSize
		o.changing(p, start)
		from, to := max(lo, start), min(hi, start+uint64(len(p.Val)))
		for i := from; i < to; i++ {
			p.State[i-start] = Unfilled
			p.setRef(i-start, Ref{})
		}
	}
	if o.First != nil && lo < PageSize {
		drop(0, o.First)
	}
	if hi <= PageSize || len(o.Pages) == 0 {
		return
	}
	if (hi-lo)/PageSize <= uint64(len(o.Pages)) {
		for k := max(1, lo/PageSize); k <= (hi-1)/PageSize; k++ {
			if p := o.Pages[k]; p != nil {
				drop(k, p)
			}
		}
		return
	}
	for k, p := range o.Pages {
		drop(k, p)
	}
}

// snapshot returns a copy of the current content.
func (o *Object) snapshot() *Object {
	s := &Object{Size: o.Size, Pointer: o.Pointer, BigEndian: o.BigEndian, Layers: append([]Layer(nil), o.Layers...)}
	clone := func(p *Page) *Page {
		q := &Page{Val: append([]byte(nil), p.Val...), State: append([]ByteState(nil), p.State...)}
		if p.Refs != nil {
			q.Refs = append([]Ref(nil), p.Refs...)
		}
		return q
	}
	if o.First != nil {
		s.First = clone(o.First)
	}
	for k, p := range o.Pages {
		if s.Pages == nil {
			s.Pages = make(map[uint64]*Page, len(o.Pages))
		}
		s.Pages[k] = clone(p)
	}
	return s
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

// Source provides the bytes of a value to render.
type Source interface {
	Peek(off uint64) (Cell, bool) // ok is false if the byte is unknown
	IsBigEndian() bool            // byte order of numbers
}

// IsBigEndian reports whether the first byte of a number in o is the most significant one.
func (o *Object) IsBigEndian() bool { return o.BigEndian }

// Peek returns a byte without counting as a use: bytes of unused inputs are unknown.
func (o *Object) Peek(off uint64) (Cell, bool) {
	if off >= o.Size {
		return Cell{}, false
	}
	if c, ok := o.Known(off); ok {
		return c, true
	}
	for k := len(o.Layers) - 1; k >= 0; k-- {
		if l := o.Layers[k]; l.Lo <= off && off < l.Hi {
			if l.Known != nil && l.Known(off) {
				return l.at(off), true
			}
			return Cell{}, false
		}
	}
	return Cell{State: Written}, true
}

// Word returns a number of n <= 8 bytes.
func Word(s Source, off uint64, n int) (Value, bool) {
	v := Value{}
	same := true
	var first Ref
	for i := range n {
		at := off + uint64(i)
		if s.IsBigEndian() {
			at = off + uint64(n-1-i)
		}
		c, ok := s.Peek(at)
		if !ok {
			return Value{}, false
		}
		v.Bits |= uint64(c.B) << (8 * i)
		if i == 0 {
			first = c.Ref
		}
		same = same && c.Ref.Obj == first.Obj && c.Ref.I == first.I+uint8(i)
	}
	if first.Obj != nil && same {
		v.Obj, v.From, v.N = first.Obj, first.I, uint8(n)
	}
	return v, true
}

// StateAt returns the shadow of a byte, even of one that was never read.
func (o *Object) StateAt(off uint64) ByteState {
	if c, ok := o.Known(off); ok {
		return c.State
	}
	for k := len(o.Layers) - 1; k >= 0; k-- {
		if l := &o.Layers[k]; l.Lo <= off && off < l.Hi {
			switch {
			case l.Copied != nil:
				return l.Copied.StateAt(off + l.shift)
			default:
				return l.State
			}
		}
	}
	return Written
}
