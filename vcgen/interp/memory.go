package interp

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// objectKind tells where an object lives.
type objectKind uint8

const (
	onStack objectKind = iota
	onHeap
	static
	function // has no bytes, may be called
)

// object is a memory object: one execution of one allocation.
type object struct {
	kind     objectKind
	name     string // C name where there is one
	site     int    // instruction that made it; 0 for globals and functions
	ordinal  int    // how many objects the site had made before
	size     uint64 // bytes
	base     uint64 // address
	live     bool
	readonly bool
	// mergeable: a constant whose address is not significant; it may share memory with others.
	mergeable bool
	modified  bool // written since the last sea_reset_modified, while tracking was on
	written   bool // written at all
	exposed   bool // its address was seen as a number
	escaped   bool // a function without a body knows it
	made      *llvmir.Loc
	ended     *llvmir.Loc // where it was freed or its scope ended

	global *llvmir.Global
	fn     *llvmir.Func
	alloca *llvmir.Instr
	dtype  *llvmir.DIType // of the variable it holds
	source string         // C name of the variable it holds
	maker  string         // heap: malloc, calloc, ...
	number int            // heap: how many-th allocation of the execution, from 1
	stack  []Frame        // heap, when leaks are checked: where it was allocated

	rec         *recorder // nil: nobody wants the past back
	serial      int32     // number of the object in a recorded run, from 1
	born, stamp uint32    // see recorder

	// Bytes live in pages; what a page does not hold comes from the youngest layer that
	// covers it, and is zero where there is none.
	first  *page
	pages  map[uint64]*page
	layers []layer
}

const pageSize = 1 << 10

type byteState uint8

const (
	unfilled byteState = iota // to be taken from the layers
	written
	arbitrary     // chosen by the inputs, as if written
	uninitialized // chosen by the inputs, never written
)

// pref says that a byte is byte i of a pointer derived from obj; loose as in value.
type pref struct {
	obj   *object
	i     uint8
	loose bool
}

// cell is a byte of memory with its shadow.
type cell struct {
	b     byte
	state byteState
	ref   pref
}

type page struct {
	val   []byte
	state []byteState
	refs  []pref // nil when no byte belongs to a pointer
	stamp uint32 // see recorder
}

// layer is content of the range [lo, hi) that is computed when it is needed.
type layer struct {
	lo, hi uint64
	at     func(off uint64) cell
	copied *object // the snapshot that a copy of a large range reads, nil otherwise
	shift  uint64  // what to add for the offset in copied
	// known tells whether the execution determines a byte that nobody has looked at; nil: it
	// does not.
	known func(off uint64) bool
	state byteState // of all bytes, unless copied
}

// page returns the page that holds off and the offset of its first byte.
func (o *object) page(off uint64) (*page, uint64) {
	k := off / pageSize
	if k == 0 && o.first != nil {
		return o.first, 0
	}
	if k > 0 {
		if p := o.pages[k]; p != nil {
			return p, k * pageSize
		}
	}
	n := min(pageSize, o.size-k*pageSize)
	p := &page{val: make([]byte, n), state: make([]byteState, n)}
	if o.rec != nil {
		o.rec.savePage(o, k, nil)
		p.stamp = o.rec.stamp
	}
	if k == 0 {
		o.first = p
	} else {
		if o.pages == nil {
			o.pages = map[uint64]*page{}
		}
		o.pages[k] = p
	}
	return p, k * pageSize
}

// fill computes one byte of a page from the layers.
func (o *object) fill(p *page, i, off uint64) {
	c := o.below(off)
	o.changing(p, off)
	p.val[i], p.state[i] = c.b, c.state
	if c.ref.obj != nil {
		p.setRef(i, c.ref)
	}
}

// below is the byte that the layers give.
func (o *object) below(off uint64) cell {
	for k := len(o.layers) - 1; k >= 0; k-- {
		if l := &o.layers[k]; l.lo <= off && off < l.hi {
			return l.at(off)
		}
	}
	return cell{state: written}
}

func (p *page) setRef(i uint64, r pref) {
	if p.refs == nil {
		if r.obj == nil {
			return
		}
		p.refs = make([]pref, len(p.val))
	}
	p.refs[i] = r
}

func (p *page) ref(i uint64) pref {
	if p.refs == nil {
		return pref{}
	}
	return p.refs[i]
}

// get reads one byte. The caller has checked the bounds.
func (o *object) get(off uint64) cell {
	p, start := o.page(off)
	i := off - start
	if p.state[i] == unfilled {
		o.fill(p, i, off)
	}
	return cell{p.val[i], p.state[i], p.ref(i)}
}

func (o *object) set(off uint64, c cell) {
	p, start := o.page(off)
	o.changing(p, off)
	i := off - start
	p.val[i], p.state[i] = c.b, c.state
	p.setRef(i, c.ref)
}

// known returns the cell at off without computing one: ok is false where nobody has looked
// yet and a layer of inputs decides.
func (o *object) known(off uint64) (cell, bool) {
	k := off / pageSize
	p := o.first
	if k > 0 {
		p = o.pages[k]
	}
	if p == nil || p.state[off-k*pageSize] == unfilled {
		return cell{}, false
	}
	i := off - k*pageSize
	return cell{p.val[i], p.state[i], p.ref(i)}, true
}

// bytesSeen tells what a read of several bytes met.
type bytesSeen struct {
	uninit    bool // some byte was never written
	allUninit bool
	chosen    bool // some byte was chosen by the inputs
}

// read returns n <= 8 bytes in little-endian order. A value that is bytes of one pointer in
// their order keeps the pointer's object.
func (o *object) read(off uint64, n int) (value, bytesSeen) {
	v := value{}
	seen := bytesSeen{allUninit: true}
	p, start := o.page(off)
	same := true
	var first pref
	for k := range n {
		if k > 0 && off+uint64(k)-start >= pageSize {
			p, start = o.page(off + uint64(k))
		}
		i := off + uint64(k) - start
		if p.state[i] == unfilled {
			o.fill(p, i, off+uint64(k))
		}
		v.bits |= uint64(p.val[i]) << (8 * k)
		switch p.state[i] {
		case uninitialized:
			seen.uninit, seen.chosen = true, true
		case arbitrary:
			seen.allUninit, seen.chosen = false, true
		default:
			seen.allUninit = false
		}
		if k == 0 {
			first = p.ref(i)
		} else if p.refs != nil || first.obj != nil {
			r := p.ref(i)
			same = same && r.obj == first.obj && r.i == first.i+uint8(k)
		}
	}
	if first.obj != nil && same {
		v.obj, v.from, v.n, v.loose = first.obj, first.i, uint8(n), first.loose
	}
	return v, seen
}

// write stores the low n <= 8 bytes of v.
func (o *object) write(off uint64, v value, n int) {
	p, start := o.page(off)
	o.changing(p, off)
	for k := range n {
		if k > 0 && off+uint64(k)-start >= pageSize {
			p, start = o.page(off + uint64(k))
			o.changing(p, off+uint64(k))
		}
		i := off + uint64(k) - start
		p.val[i], p.state[i] = byte(v.bits>>(8*k)), written
		r := pref{}
		if v.obj != nil && k < int(v.n) {
			r = pref{v.obj, v.from + uint8(k), v.loose}
		}
		p.setRef(i, r)
	}
}

// cover makes [lo, hi) come from a new layer.
func (o *object) cover(lo, hi uint64, at func(off uint64) cell) {
	if lo >= hi {
		return
	}
	o.forget(lo, hi)
	kept := o.layers[:0:0]
	for _, l := range o.layers {
		if lo > l.lo || hi < l.hi {
			kept = append(kept, l)
		}
	}
	o.change()
	o.layers = append(kept, layer{lo: lo, hi: hi, at: at, state: written})
}

// forget drops what the pages hold of [lo, hi).
func (o *object) forget(lo, hi uint64) {
	drop := func(k uint64, p *page) {
		start := k * pageSize
		o.changing(p, start)
		from, to := max(lo, start), min(hi, start+uint64(len(p.val)))
		for i := from; i < to; i++ {
			p.state[i-start] = unfilled
			p.setRef(i-start, pref{})
		}
	}
	if o.first != nil && lo < pageSize {
		drop(0, o.first)
	}
	if hi <= pageSize || len(o.pages) == 0 {
		return
	}
	if (hi-lo)/pageSize <= uint64(len(o.pages)) {
		for k := max(1, lo/pageSize); k <= (hi-1)/pageSize; k++ {
			if p := o.pages[k]; p != nil {
				drop(k, p)
			}
		}
		return
	}
	for k, p := range o.pages {
		drop(k, p)
	}
}

// snapshot is a copy of the content as it is now.
func (o *object) snapshot() *object {
	s := &object{size: o.size, layers: append([]layer(nil), o.layers...)}
	clone := func(p *page) *page {
		q := &page{val: append([]byte(nil), p.val...), state: append([]byteState(nil), p.state...)}
		if p.refs != nil {
			q.refs = append([]pref(nil), p.refs...)
		}
		return q
	}
	if o.first != nil {
		s.first = clone(o.first)
	}
	for k, p := range o.pages {
		if s.pages == nil {
			s.pages = make(map[uint64]*page, len(o.pages))
		}
		s.pages[k] = clone(p)
	}
	return s
}

// directCopy is the number of bytes up to which ranges are copied byte by byte.
const directCopy = 1 << 14

// copyBytes copies n bytes with their shadow; the ranges may overlap.
func copyBytes(dst *object, to uint64, src *object, from, n uint64) {
	if n > directCopy {
		s := src.snapshot()
		shift := from - to
		dst.cover(to, to+n, func(off uint64) cell { return s.get(off + shift) })
		l := &dst.layers[len(dst.layers)-1]
		l.copied, l.shift = s, shift
		l.known = func(off uint64) bool { _, ok := objectSource{s}.at(off + shift); return ok }
		return
	}
	if dst == src && to > from {
		for i := n; i > 0; i-- {
			dst.set(to+i-1, src.get(from+i-1))
		}
		return
	}
	for i := range n {
		dst.set(to+i, src.get(from+i))
	}
}

// pointers calls f for every object that bytes of o belong to a pointer into. Bytes that
// nobody has looked at hold no pointer, except in copies of large ranges, where pointers
// that were overwritten since may count, too.
func (o *object) pointers(f func(*object)) {
	visit := func(p *page) {
		var last *object
		for i, r := range p.refs {
			if r.obj != nil && r.obj != last && p.state[i] != unfilled {
				last = r.obj
				f(r.obj)
			}
		}
	}
	for _, l := range o.layers {
		if l.copied != nil {
			l.copied.pointers(f)
		}
	}
	if o.first != nil {
		visit(o.first)
	}
	for _, k := range sortedKeys(o.pages) {
		visit(o.pages[k])
	}
}
