package state

import (
	"maps"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// ObjectKind tells where an object lives.
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
	Name     string // C name where there is one
	Site     int    // instruction that made it; 0 for globals and functions
	Order    int    // later than that of objects that were made before it
	Ordinal  int    // how many objects the site had made before
	Size     uint64 // bytes
	Base     uint64 // address
	Live     bool
	Part     bool // bytes that may be a part of an object: without any they take no room
	Lent     bool // an allocation that is not the program's to free
	Readonly bool
	// Parts are constant, without all being.
	Parts []Part
	// Mergeable: a constant whose address is not significant; it may share memory with others of the same content, which
	// is Data.
	Mergeable bool
	Data      []byte
	Modified  bool // written since the last sea_reset_modified, while tracking was on
	Written   bool // written at all
	Exposed   bool // its address was seen as a number
	Escaped   bool // a function without a body knows it
	Made      *llvmir.Loc
	Ended     *llvmir.Loc // where it was freed or its scope ended

	Global *llvmir.Global
	Fn     *llvmir.Func
	Absent bool // of a weak function that nothing defines: its address is NULL
	Alloca *llvmir.Instr
	DIType *llvmir.DIType // of the variable it holds
	Source string         // C name of the variable it holds
	Maker  string         // malloc, calloc, ..., alloca; "" of variables
	Input  string         // with a Maker: "data", "argv[1]", if it is an input of the entry that a model made
	Number int            // with a Maker: how many-th allocation of the execution, from 1
	Stack  []Site         // heap, when leaks are checked: where it was allocated

	journal     *Journal // nil: nobody wants the past back
	Serial      int32    // number of the object in a recorded run, from 1
	born, stamp uint32   // see journal

	// Bytes live in pages; what a page does not hold comes from the youngest layer that
	// covers it, and is zero where there is none.
	First  *Page
	Pages  map[uint64]*Page
	Layers []Layer
}

// Part is a part of an object, in bytes.
type Part struct{ Off, Len int64 }

// Keeps reports whether one of n bytes from an offset on is constant.
func (o *Object) Keeps(off, n uint64) bool {
	return o.Readonly || slices.ContainsFunc(o.Parts, func(p Part) bool {
		return off < uint64(p.Off+p.Len) && uint64(p.Off) < off+n
	})
}

const PageSize = 1 << 10

// ByteState is what is known of a byte: one of the constants, or that some of its bits were never written and are
// chosen by the inputs, which are set in its upper half then.
type ByteState uint16

const (
	Unfilled ByteState = iota // to be taken from the layers
	Written
	Arbitrary // chosen by the inputs, as if written

	Uninitialized ByteState = 0xff << 8 // no bit was written
)

// Unwritten returns the bits that were never written.
func (s ByteState) Unwritten() byte { return byte(s >> 8) }

// Unwritten returns the bits of n bytes that were never written.
func (o *Object) Unwritten(off uint64, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = o.Get(off + uint64(i)).State.Unwritten()
	}
	return out
}

// SetUnwritten declares bits of bytes never written.
func (o *Object) SetUnwritten(off uint64, unwritten []byte) {
	for i, bits := range unwritten {
		if bits != 0 {
			c := o.Get(off + uint64(i))
			c.State = ByteState(bits) << 8
			o.Set(off+uint64(i), c)
		}
	}
}

// Ref says that a byte is byte i of a pointer derived from obj; loose as in value.
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
	Refs  []Ref  // nil when no byte belongs to a pointer
	stamp uint32 // see journal
}

// Layer is content of the range [lo, hi) that is computed when it is needed.
type Layer struct {
	Lo, Hi uint64
	at     func(off uint64) Cell
	Copied *Object // the snapshot that a copy of a large range reads, nil otherwise
	shift  uint64  // what to add for the offset in copied
	// Known tells whether the execution determines a byte that nobody has looked at; nil: it
	// does not.
	Known func(off uint64) bool
	State ByteState // of all bytes, unless copied
}

// page returns the page that holds off and the offset of its first byte.
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

// below is the byte that the layers give.
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

// Get reads one byte. The caller has checked the bounds.
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

// Known returns the cell at off without computing one: ok is false where nobody has looked
// yet and a layer of inputs decides.
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

// BytesSeen tells what a read of several bytes met.
type BytesSeen struct {
	Uninit    bool // some bit was never written
	AllUninit bool // no bit was
	Chosen    bool // some byte was chosen by the inputs
	Mixed     bool // some byte belongs to a pointer, and not all are bytes of one in their order
}

// Add counts a byte in.
func (s *BytesSeen) Add(b ByteState) {
	s.Uninit = s.Uninit || b.Unwritten() != 0
	s.AllUninit = s.AllUninit && b == Uninitialized
	s.Chosen = s.Chosen || b != Written
}

// Read returns n <= 8 bytes in little-endian order. A value that is bytes of one pointer in
// their order keeps the pointer's object.
func (o *Object) Read(off uint64, n int) (Value, BytesSeen) {
	v := Value{}
	seen := BytesSeen{AllUninit: true}
	p, start := o.page(off)
	same, some := true, false
	var first Ref
	for k := range n {
		if k > 0 && off+uint64(k)-start >= PageSize {
			p, start = o.page(off + uint64(k))
		}
		i := off + uint64(k) - start
		if p.State[i] == Unfilled {
			o.fill(p, i, off+uint64(k))
		}
		v.Bits |= uint64(p.Val[i]) << (8 * k)
		seen.Add(p.State[i])
		if k == 0 {
			first = p.Ref(i)
		} else if p.Refs != nil || first.Obj != nil {
			r := p.Ref(i)
			same = same && r.Obj == first.Obj && r.I == first.I+uint8(k)
			some = some || r.Obj != nil
		}
	}
	if first.Obj != nil && same {
		v.Obj, v.From, v.N, v.Loose = first.Obj, first.I, uint8(n), first.Loose
	} else {
		seen.Mixed = some || first.Obj != nil
	}
	return v, seen
}

// Write stores the low n <= 8 bytes of v.
func (o *Object) Write(off uint64, v Value, n int) {
	p, start := o.page(off)
	o.changing(p, off)
	for k := range n {
		if k > 0 && off+uint64(k)-start >= PageSize {
			p, start = o.page(off + uint64(k))
			o.changing(p, off+uint64(k))
		}
		i := off + uint64(k) - start
		p.Val[i], p.State[i] = byte(v.Bits>>(8*k)), Written
		r := Ref{}
		if v.Obj != nil && k < int(v.N) {
			r = Ref{v.Obj, v.From + uint8(k), v.Loose}
		}
		p.setRef(i, r)
	}
}

// Store writes an integer of n bytes, of any length.
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
		o.Set(off+uint64(i), Cell{B: b, State: Written})
	}
}

// Initialise writes a constant at off: its bytes, and with put each number and address in it. Zero bits need no write,
// since fresh memory reads as zero.
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

// Cover makes [lo, hi) come from a new layer.
func (o *Object) Cover(lo, hi uint64, at func(off uint64) Cell) {
	if lo >= hi {
		return
	}
	o.forget(lo, hi)
	kept := o.Layers[:0:0]
	for _, l := range o.Layers {
		if lo > l.Lo || hi < l.Hi {
			kept = append(kept, l)
		}
	}
	o.Change()
	o.Layers = append(kept, Layer{Lo: lo, Hi: hi, at: at, State: Written})
}

// forget drops what the pages hold of [lo, hi).
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

// snapshot is a copy of the content as it is now.
func (o *Object) snapshot() *Object {
	s := &Object{Size: o.Size, Layers: append([]Layer(nil), o.Layers...)}
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

// DirectCopy is the number of bytes up to which ranges are copied byte by byte.
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

// Pointers calls f for every object that bytes of o belong to a pointer into. Bytes that
// nobody has looked at hold no pointer, except in copies of large ranges, where pointers
// that were overwritten since may count, too.
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

// Holds calls f for every object that a whole pointer stored in o, aligned or not, points to. A number that was
// computed from an address in another way than by additions counts where it is an address in the object.
func (o *Object) Holds(f func(*Object)) {
	for _, off := range o.pointerStarts() {
		if o.Size < 8 || off > o.Size-8 {
			continue
		}
		v, whole := Value{N: 8}, true
		for k := uint64(0); whole && k < 8; k++ {
			c, _ := o.Peek(off + k)
			if k == 0 {
				v.Obj, v.Loose = c.Ref.Obj, c.Ref.Loose
			}
			v.Bits |= uint64(c.B) << (8 * k)
			whole = v.Obj != nil && c.Ref.Obj == v.Obj && uint64(c.Ref.I) == k
		}
		if whole && (!v.Loose || v.Offset() <= v.Obj.Size) {
			f(v.Obj)
		}
	}
}

// pointerStarts lists, ascending, where the first byte of a pointer was put into o; it may be overwritten.
func (o *Object) pointerStarts() []uint64 {
	starts := map[uint64]bool{}
	visit := func(p *Page, start uint64) {
		for i, r := range p.Refs {
			if r.Obj != nil && r.I == 0 {
				starts[start+uint64(i)] = true
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

// MadeName is the name of an object with a Maker: "malloc#1", or that of the input that it is.
func (o *Object) MadeName() string {
	if o.Input != "" {
		return o.Input
	}
	return o.Maker + "#" + strconv.Itoa(o.Number)
}

// Source is where the bytes of a rendered value come from.
type Source interface {
	Peek(off uint64) (Cell, bool) // ok is false when nobody knows
}

// Peek reads the object as it is. Bytes of inputs that nobody used are unknown,
// so that rendering does not count as use.
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

// Word reads n <= 8 bytes.
func Word(s Source, off uint64, n int) (Value, bool) {
	v := Value{}
	same := true
	var first Ref
	for i := range n {
		c, ok := s.Peek(off + uint64(i))
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

// StateAt is the shadow of a byte, also of one that nobody has looked at.
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
