package interp

import (
	"fmt"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// newObject begins the lifetime of an object and assigns its address. It reports whether there is room for it.
//
// The object has no content yet, which reads as zero.
func (m *Machine) newObject(o *state.Object, align uint64) bool {
	name := ""
	if o.Kind == state.Static || o.Kind == state.Function {
		name = o.Name
	}
	if !m.AddObject(o, align, m.number(choice.Question{Kind: choice.Object, Site: o.Site, Name: name})) {
		return false
	}
	if m.obs != nil {
		m.obs.Made(o)
	}
	return true
}

// newStack creates an object whose lifetime ends with the frame fr; nil for the program itself.
func (m *Machine) newStack(fr *state.Frame, name string, site int, size, align uint64) *state.Object {
	o := &state.Object{Kind: state.OnStack, Name: name, Site: site, Size: size}
	if size > m.Layout.Space.MaxSize || !m.newObject(o, align) {
		m.unsupported("an automatic object that no address space can hold")
	}
	if fr != nil {
		fr.Own = append(fr.Own, o)
	}
	return o
}

// end ends the lifetime of an object.
func (m *Machine) end(o *state.Object) {
	if !o.Live {
		return
	}
	if m.obs != nil {
		m.obs.Ended(o)
	}
	m.State.End(o)
}

// newInput begins the record of a choice. A choice in a library model is attributed to the user's call.
func (m *Machine) newInput(kind choice.Kind, site int) *state.Input {
	r := m.NewInput(kind, site)
	if m.trace == nil || r.Loc == nil || m.opts.UserFile(r.Loc.File) {
		return r
	}
	for i := len(m.Frames) - 1; i > 0; i-- {
		if l := state.LocOf(m.Frames[i-1].Fn, m.Frames[i].Call); l != nil && m.opts.UserFile(l.File) {
			r.Loc, r.Model = l, m.Frames[i].Fn.SourceName
			break
		}
	}
	return r
}

// choose sets [lo, hi) of an object to content from the inputs.
func (m *Machine) choose(o *state.Object, lo, hi uint64, site int, kind choice.Kind, name string,
	shadow state.ByteState) *state.Input {
	answer := m.in(choice.Question{Kind: kind, Content: true, Site: site, Name: name})
	at := answer.Content
	if at == nil {
		at = func(uint64) byte { return 0 }
	}
	r := m.newInput(kind, site)
	r.Size, r.Content = hi-lo, at
	if m.made.content != nil {
		m.made.content[o] = r
	}
	if m.obs != nil && lo < hi {
		m.obs.Writing(o, lo, hi-lo)
		m.obs.Chosen(r, o, lo)
	}
	o.Cover(lo, hi, func(off uint64) state.Cell {
		m.UseInput(r, off-lo)
		return state.Cell{B: at(off - lo), State: shadow}
	})
	if lo < hi {
		l := &o.Layers[len(o.Layers)-1]
		l.State = shadow
		if known := answer.Known; known != nil {
			l.Known = func(off uint64) bool { return known(off - lo) }
		}
	}
	return r
}

// global returns the object of a variable, and creates it on first use.
func (m *Machine) global(g *llvmir.Global) *state.Object {
	if o := m.Globals[g]; o != nil {
		return o
	}
	size := uint64(g.Type.Size)
	if t := g.Type; g.Init == nil && (t.Kind == llvmir.OpaqueType || t.Kind == llvmir.ArrayType && t.Len == 0) {
		size = min(m.number(choice.Question{Kind: choice.Size, Name: g.Name}), m.Layout.Space.MaxSize)
	}
	o := &state.Object{Kind: state.Static, Name: g.Name, Size: size}
	if g.Init != nil && g.Constant && g.UnnamedAddr {
		o.Data, o.Mergeable = g.Init.Bytes(m.m.Layout.BigEndian)
	}
	if !m.newObject(o, uint64(max(g.Align, g.Type.Align, 1))) {
		m.unsupported(fmt.Sprintf("variable %s does not fit into the address space", g.SourceName))
	}
	o.Global, o.Made, o.DIType, o.Source = g, g.Loc, g.DIType, ""
	if g.DIType != nil {
		o.Source = g.SourceName
	}
	m.SetGlobal(g, o)
	if g.Init == nil {
		o.Readonly = g.Constant
		r := m.choose(o, 0, size, 0, choice.Global, g.Name, state.Arbitrary)
		r.Loc, r.Variable, r.DIType = g.Loc, g.SourceName, g.DIType
		return o
	}
	o.Initialise(0, g.Init, func(off uint64, c *llvmir.Const) { m.put(o, off, m.constant(c, nil), c.Type) })
	o.Written = false
	o.Readonly = g.Constant
	o.Parts = partsOf(clangir.ConstantMembers(g))
	return o
}

func partsOf(constant []clangir.Part) []state.Part {
	var out []state.Part
	for _, p := range constant {
		out = append(out, state.Part(p))
	}
	return out
}

// keep marks parts of the object of an llvm.invariant intrinsic as constant from here on.
func (c *call) keep() {
	o := c.arg(1).Obj
	if parts := partsOf(c.m.m.Of(c.in).Constant); o != nil && len(parts) > 0 {
		if c.in.Intrinsic == "invariant.end" {
			parts = nil
		}
		o.Change()
		o.Parts = parts
	}
}

// function returns the object of a function, which has an address and no bytes.
func (m *Machine) function(f *llvmir.Func) *state.Object {
	if o := m.Funcs[f]; o != nil {
		return o
	}
	o := &state.Object{Kind: state.Function, Name: f.Name, Fn: f}
	if !m.newObject(o, state.MinAlign) {
		m.unsupported("no room for the functions of the program")
	}
	o.Made = f.Loc
	o.Absent = f.Weak && m.number(choice.Question{Kind: choice.Defined, Name: f.Name}) == 0
	m.SetFunction(f, o)
	return o
}

// put stores a value of type t without any check. Integers with padding bits are zero-extended.
func (m *Machine) put(o *state.Object, off uint64, v state.Value, t *llvmir.Type) {
	if state.IsAggregate(t) {
		if t.Kind == llvmir.VectorType && t.Elem.Kind == llvmir.IntType && t.Elem.Bits == 1 {
			if m.m.Layout.BigEndian {
				m.unsupported("a value of type vector of Booleans of a big-endian target")
			}
			m.put(o, off, vectorBits(v), intType(int(t.Len)))
			return
		}
		for i, e := range v.Elems() {
			et, at := state.Element(t, i)
			m.put(o, off+at, e, et)
		}
		return
	}
	n := int(t.StoreSize)
	if m.obs != nil {
		m.obs.Writing(o, off, uint64(n))
	}
	o.Store(off, v, n)
}

// fetch reads a value of type t without any check. Pointers that were written as numbers recover their objects.
func (m *Machine) fetch(o *state.Object, off uint64, t *llvmir.Type) (state.Value, state.BytesSeen) {
	if state.IsAggregate(t) {
		if t.Kind == llvmir.VectorType && t.Elem.Kind == llvmir.IntType && t.Elem.Bits == 1 {
			if m.m.Layout.BigEndian {
				m.unsupported("a value of type vector of Booleans of a big-endian target")
			}
			v, seen := m.fetch(o, off, intType(int(t.Len)))
			return bitsVector(v, int(t.Len)), seen
		}
		out := make([]state.Value, state.ElementCount(t))
		all := state.BytesSeen{AllUninit: true}
		for i := range out {
			et, at := state.Element(t, i)
			var seen state.BytesSeen
			out[i], seen = m.fetch(o, off+at, et)
			all.Uninit = all.Uninit || seen.Uninit
			all.Chosen = all.Chosen || seen.Chosen
			all.AllUninit = all.AllUninit && seen.AllUninit
		}
		return state.AggregateValue(out), all
	}
	n := int(t.StoreSize)
	if m.obs != nil {
		m.obs.Reading(o, off, uint64(n))
	}
	if n > 8 {
		return m.fetchWide(o, off, t, n)
	}
	v, seen := o.Read(off, n)
	if seen.Mixed {
		v = m.mixed(o, off, n, v)
	}
	switch t.Kind {
	case llvmir.PointerType:
		switch {
		case seen.Mixed:
			v = m.toPointer(v)
		case !v.Whole():
			v = v.Plain()
			if !seen.Chosen {
				v = m.toPointer(v)
			}
		}
	case llvmir.FloatType:
		v = v.Plain()
	case llvmir.IntType:
		if v.Obj != nil {
			m.Expose(v.Obj)
		}
		if t.Bits%8 != 0 {
			v = state.Value{Bits: v.Bits & state.Mask(t.Bits)}
		}
	}
	return v, seen
}

// mixed returns a number with bytes of several pointers, or of a pointer and other values.
//
// It counts as computed from their addresses. As many bytes as a pointer has are a loose pointer into one of their
// objects: preferably
// one that contains the address, and of these preferably one that is alive.
func (m *Machine) mixed(o *state.Object, off uint64, n int, v state.Value) state.Value {
	has := func(o *state.Object) bool { return v.Bits-o.Base < max(o.Size, 1) }
	for k := range n {
		from := o.Get(off + uint64(k)).Ref.Obj
		if from == nil {
			continue
		}
		m.Expose(from)
		if n == int(from.Pointer) && (v.Obj == nil || !has(v.Obj) || from.Live && !v.Obj.Live && has(from)) {
			v.Obj, v.From, v.N, v.Loose, m.anyMixed = from, 0, uint8(n), true, true
		}
	}
	return v
}

// toPointer converts a number to a pointer, see state.IntToPtr.
func (m *Machine) toPointer(v state.Value) state.Value {
	p := m.IntToPtr(v)
	if v.Obj == nil && p.Obj != nil || v.Loose && m.anyMixed {
		m.byAddress()
	}
	m.found(v) // its address decides, too, if it has left its object and lies in none
	return p
}

// found returns the target of a pointer (see state.Found), and records whether that is not the object it came from.
func (m *Machine) found(p state.Value) state.Value {
	if !p.Loose {
		return p
	}
	f := m.Found(p)
	if f.Obj != p.Obj {
		m.byAddress()
	}
	return f
}

// byAddress records that the target of a pointer is determined by its address here.
func (m *Machine) byAddress() {
	if m.Out.ByAddress == nil {
		m.Out.ByAddress = m.Where()
	}
}

func (m *Machine) fetchWide(o *state.Object, off uint64, t *llvmir.Type, n int) (state.Value, state.BytesSeen) {
	seen := state.BytesSeen{AllUninit: true}
	buf := make([]byte, n) // the most significant byte first
	for i := range n {
		c := o.Get(off + uint64(i))
		if o.BigEndian {
			buf[i] = c.B
		} else {
			buf[n-1-i] = c.B
		}
		seen.Add(c.State)
		if c.Ref.Obj != nil {
			m.Expose(c.Ref.Obj)
		}
	}
	return state.BigValue(new(big.Int).SetBytes(buf), t.Bits), seen
}
