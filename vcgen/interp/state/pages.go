package state

// PageSize is the number of bytes that are allocated at once for the content of an object.
const PageSize = 1 << 10

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
