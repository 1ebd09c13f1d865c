package state

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

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
