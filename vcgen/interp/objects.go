package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// newObject brings an object to life and gives it an address; false when there is no room.
// The object has no content yet, which reads as zero.
func (m *machine) newObject(o *object, align uint64) bool {
	o.live, o.made = true, m.where()
	if o.site != 0 {
		o.ordinal = m.made[o.site]
		m.made[o.site]++
		if m.rec != nil {
			m.rec.log(change{what: madeAt, site: o.site})
		}
	}
	name := ""
	if o.kind == static || o.kind == function {
		name = o.name
	}
	wanted, ok := m.in.Address(o.site, name)
	if !m.layout.place(o, align, wanted, ok) {
		return false
	}
	if m.obs != nil {
		m.obs.made(o)
	}
	return true
}

// newStack makes an object that ends with the frame fr; nil for the program itself.
func (m *machine) newStack(fr *frame, name string, site int, size, align uint64) *object {
	o := &object{kind: onStack, name: name, site: site, size: size}
	if size > maxObject || !m.newObject(o, align) {
		m.unsupported("an automatic object that no address space can hold")
	}
	if fr != nil {
		fr.own = append(fr.own, o)
	}
	return o
}

// end ends the life of an object.
func (m *machine) end(o *object) {
	if !o.live {
		return
	}
	if m.obs != nil {
		m.obs.ended(o)
	}
	o.change()
	o.live = false
	o.ended = m.where()
	m.layout.drop(o)
	if o.exposed {
		for i, e := range m.exposed {
			if e == o {
				m.exposed = append(m.exposed[:i], m.exposed[i+1:]...)
				break
			}
		}
	}
}

// expose notes that the address of o was seen as a number.
func (m *machine) expose(o *object) {
	if !o.exposed {
		o.change()
		o.exposed = true
		if o.live {
			m.exposed = append(m.exposed, o)
		}
	}
}

// choose gives [lo, hi) of an object content from the inputs.
func (m *machine) choose(o *object, lo, hi uint64, site int, kind, name string, state byteState) *record {
	at := m.in.Content(site, kind, name)
	if at == nil {
		at = func(uint64) byte { return 0 }
	}
	r := m.note(kind, site)
	r.size, r.content = hi-lo, at
	if in, ok := m.in.(told); ok {
		in.noted(r)
	}
	if m.obs != nil && lo < hi {
		m.obs.writing(o, lo, hi-lo)
		m.obs.chosen(r, o, lo)
	}
	o.cover(lo, hi, func(off uint64) cell {
		m.use(r, off-lo)
		return cell{b: at(off - lo), state: state}
	})
	if lo < hi {
		l := &o.layers[len(o.layers)-1]
		l.state = state
		if p, ok := m.in.(*Player); ok {
			if seen := p.content(); seen != nil {
				l.known = func(off uint64) bool { _, ok := seen[off-lo]; return ok }
			}
		}
	}
	return r
}

// global returns the object of a variable; it is made when it is first needed.
func (m *machine) global(g *llvmir.Global) *object {
	if o := m.globals[g]; o != nil {
		return o
	}
	size := uint64(g.Type.Size)
	if t := g.Type; g.Init == nil && (t.Kind == llvmir.OpaqueType || t.Kind == llvmir.ArrayType && t.Len == 0) {
		if in, ok := m.in.(UnknownSizes); ok {
			size = min(in.UnknownSize(g.Name), maxObject)
		}
	}
	o := &object{kind: static, name: g.Name, size: size, mergeable: g.Init != nil && g.Constant && g.UnnamedAddr}
	if !m.newObject(o, uint64(max(g.Align, g.Type.Align, 1))) {
		m.unsupported(fmt.Sprintf("variable %s does not fit into the address space", g.SourceName))
	}
	o.global, o.made, o.dtype, o.source = g, g.Loc, g.DIType, ""
	if g.DIType != nil {
		o.source = g.SourceName
	}
	m.globals[g] = o
	if m.rec != nil {
		m.rec.log(change{what: globalMade, global: g, object: o})
	}
	if g.Init == nil {
		o.readonly = g.Constant
		r := m.choose(o, 0, size, 0, "global", g.Name, arbitrary)
		r.loc, r.variable, r.dtype = g.Loc, g.SourceName, g.DIType
		return o
	}
	m.initialise(o, 0, g.Init)
	o.written = false
	o.readonly = g.Constant
	return o
}

// initialise writes a constant; zero bits need no write, since fresh memory reads as zero.
func (m *machine) initialise(o *object, off uint64, c *llvmir.Const) {
	switch c.Kind {
	case llvmir.ConstZero, llvmir.ConstNull, llvmir.ConstUndef:
		return
	case llvmir.ConstData:
		for i, b := range c.Data {
			if b != 0 {
				o.set(off+uint64(i), cell{b: b, state: written})
			}
		}
		return
	case llvmir.ConstAggregate:
		for i, e := range c.Elems {
			_, at := element(c.Type, i)
			m.initialise(o, off+at, e)
		}
		return
	case llvmir.ConstInt:
		if c.Int.Sign() == 0 {
			return
		}
	}
	m.put(o, off, m.constant(c, nil), c.Type)
}

// function returns the object that stands for a function: it has an address and no bytes.
func (m *machine) function(f *llvmir.Func) *object {
	if o := m.funcs[f]; o != nil {
		return o
	}
	o := &object{kind: function, name: f.Name, fn: f}
	if !m.newObject(o, minAlign) {
		m.unsupported("no room for the functions of the program")
	}
	o.made = f.Loc
	m.funcs[f] = o
	if m.rec != nil {
		m.rec.log(change{what: functionMade, fn: f, object: o})
	}
	return o
}

// put stores a value of type t without any check. Bytes of integers with padding bits are
// zero-extended.
func (m *machine) put(o *object, off uint64, v value, t *llvmir.Type) {
	if isAggregate(t) {
		if t.Kind == llvmir.VectorType && t.Elem.Kind == llvmir.IntType && t.Elem.Bits == 1 {
			m.put(o, off, vectorBits(v), intType(int(t.Len)))
			return
		}
		for i, e := range v.elems() {
			et, at := element(t, i)
			m.put(o, off+at, e, et)
		}
		return
	}
	n := int(t.StoreSize)
	if m.obs != nil {
		m.obs.writing(o, off, uint64(n))
	}
	if n <= 8 {
		o.write(off, v, n)
		return
	}
	wide := v.big()
	for i := range n {
		var b byte
		for k := range 8 {
			b |= byte(wide.Bit(8*i+k)) << k
		}
		o.set(off+uint64(i), cell{b: b, state: written})
	}
}

// fetch reads a value of type t without any check. Pointers that were written as numbers
// find their objects again.
func (m *machine) fetch(o *object, off uint64, t *llvmir.Type) (value, bytesSeen) {
	if isAggregate(t) {
		if t.Kind == llvmir.VectorType && t.Elem.Kind == llvmir.IntType && t.Elem.Bits == 1 {
			v, seen := m.fetch(o, off, intType(int(t.Len)))
			return bitsVector(v, int(t.Len)), seen
		}
		out := make([]value, elementCount(t))
		all := bytesSeen{allUninit: true}
		for i := range out {
			et, at := element(t, i)
			var seen bytesSeen
			out[i], seen = m.fetch(o, off+at, et)
			all.uninit = all.uninit || seen.uninit
			all.chosen = all.chosen || seen.chosen
			all.allUninit = all.allUninit && seen.allUninit
		}
		return aggregateValue(out), all
	}
	n := int(t.StoreSize)
	if m.obs != nil {
		m.obs.reading(o, off, uint64(n))
	}
	if n > 8 {
		return m.fetchWide(o, off, t, n)
	}
	v, seen := o.read(off, n)
	switch t.Kind {
	case llvmir.PointerType:
		if !v.whole() {
			v = v.plain()
			if !seen.chosen {
				v = m.intToPtr(v)
			}
		}
	case llvmir.FloatType:
		v = v.plain()
	case llvmir.IntType:
		if v.obj != nil {
			m.expose(v.obj)
		}
		if t.Bits%8 != 0 {
			v = value{bits: v.bits & mask(t.Bits)}
		}
	}
	return v, seen
}

func (m *machine) fetchWide(o *object, off uint64, t *llvmir.Type, n int) (value, bytesSeen) {
	seen := bytesSeen{allUninit: true}
	buf := make([]byte, n)
	for i := range n {
		c := o.get(off + uint64(i))
		buf[n-1-i] = c.b
		switch c.state {
		case uninitialized:
			seen.uninit, seen.chosen = true, true
		case arbitrary:
			seen.allUninit, seen.chosen = false, true
		default:
			seen.allUninit = false
		}
		if c.ref.obj != nil {
			m.expose(c.ref.obj)
		}
	}
	return bigValue(newBig(buf), t.Bits), seen
}

// intToPtr makes a pointer of a number. One that was derived from a pointer by additions
// keeps its object, wherever it points to; after a bit operation, and when nothing is known,
// the objects whose address was seen as a number are asked.
func (m *machine) intToPtr(v value) value {
	if v.whole() && (!v.loose || v.offset() <= v.obj.size) {
		v.loose = false
		return v
	}
	if o := m.layout.containing(m.exposed, v.bits); o != nil {
		return value{bits: v.bits, obj: o, n: 8}
	}
	if v.whole() {
		v.loose = false
		return v
	}
	return v.plain()
}
