package llvmir

import "math/big"

// FarAway returns the distance that stands for a product of an index and a size beyond any object, for addresses of a
// width in bits. No object has more than half of the address space.
func FarAway(width int) int64 {
	if width == 64 {
		return 1 << 62
	}
	return 1 << (width - 1)
}

// Scaled returns index*scale in bytes, capped at a distance beyond any object.
//
// Modulo 2^64, a large product could be inside the object again (table[1<<61] is not table[0]).
func Scaled(index, scale int64, width int) int64 {
	farAway := FarAway(width)
	if scale == 0 {
		return 0
	}
	switch limit := farAway / max(scale, -scale); {
	case -limit < index && index < limit:
		return index * scale
	case (index < 0) != (scale < 0):
		return -farAway
	}
	return farAway
}

// gep lowers an address computation to a linear sum; elem is the type that base points to.
//
// Sums are modulo 2^64, like address arithmetic of LLVM without inbounds.
func (r *reader) gep(in *Instr, elem *Type, base Operand, indices []Operand) {
	in.Op, in.ElemType = OpGEP, elem
	in.Args = append(make([]Operand, 0, 1+len(indices)), base)
	lanes := vectorLen(base.Type)
	for _, index := range indices {
		lanes = max(lanes, vectorLen(index.Type))
	}
	sum := &GEP{}
	term := func(index Operand, scale int64) {
		switch {
		case index.Kind == OperandConst && index.Const.Kind == ConstInt:
			unused := 64 - r.m.Layout.Pointer
			k := int64(wrap(signed(index.Const), 64).Uint64()<<unused) >> unused
			sum.Const += Scaled(k, scale, r.m.Layout.Pointer)
		case scale != 0:
			in.Args = append(in.Args, index)
			sum.Scales = append(sum.Scales, scale)
		}
	}
	odd := ""
	at := elem
	for i, index := range indices {
		if lanes == 0 && (index.Type.Kind != IntType || index.Type.Bits > 64) {
			odd = "an address computation with an index of type " + index.Type.String()
		}
		member, last := i > 1 && sum.Index.Type == nil, sum.Last // of the preceding index
		sum.Index, sum.Len, sum.Last = Operand{}, -1, false
		switch {
		case i == 0:
			sum.Index = index
			sum.moves = index.Kind != OperandConst || index.Const.Kind != ConstInt || index.Const.Int.Sign() != 0
			term(index, at.Size)
			if len(indices) > 1 {
				sum.carried = carried(at, index, indices[1])
			}
		case at.Kind == ArrayType:
			sum.Index, sum.Len = index, at.Len
			if flexible := at.Len < 1 || at.Len == 1 && (i == 1 || member && last); !flexible && lanes == 0 &&
				sum.Outside == nil {
				sum.Outside = outside(index, at.Len)
			}
			at = at.Elem
			term(index, at.Size)
		case at.Kind == VectorType:
			at = at.Elem
			if at.Kind == IntType && at.Bits%8 != 0 {
				odd = "an address within a vector of " + at.String()
			}
			term(index, at.StoreSize)
		case at.Kind == StructType:
			c := index.Const
			if c != nil && lanes > 0 && index.Type.Kind == VectorType { // equal in all lanes
				c = r.splat(c)
			}
			if index.Kind != OperandConst || c.Kind != ConstInt || !c.Int.IsInt64() || c.Int.Int64() >= int64(len(at.Fields)) {
				r.Fail("%s has no such field", at)
			}
			k := c.Int.Int64()
			sum.Const, sum.Last = sum.Const+at.Offsets[k], k == int64(len(at.Fields))-1
			at = at.Fields[k]
		default:
			r.Fail("type %s has no elements", at)
		}
	}
	r.addressType(in, base.Type, at, lanes)
	if lanes > 0 {
		odd = "an address computation on a vector of pointers"
	}
	if odd != "" {
		in.Args = in.Args[:1]
		unsupported(in, "%s", odd)
		return
	}
	sum.To = at
	in.GEP = sum
}

// outside returns the description of a constant index that is outside of its array; otherwise nil.
func outside(index Operand, n int64) *Outside {
	if index.Kind != OperandConst || index.Const.Kind != ConstInt {
		return nil
	}
	k := signed(index.Const)
	if k.Sign() >= 0 && k.Cmp(big.NewInt(n)) < 0 || !k.IsInt64() {
		return nil
	}
	return &Outside{k.Int64(), n}
}

// carriedIndex is an out-of-bounds array index in the form into which LLVM 15 to 18 rewrite constants: in
//
//	getelementptr inbounds ([4 x i32], ptr @g, i64 1, i64 0)
//
// index 4 of an array of four became the first element of the next array. If there is no next one, the original index
// was out of bounds.
type carriedIndex struct {
	array *Type
	Outside
}

func carried(array *Type, index, element Operand) *carriedIndex {
	if array.Kind != ArrayType || array.Len < 2 || // an array of one element may be flexible
		outside(index, 1) == nil || element.Kind != OperandConst || element.Const.Kind != ConstInt {
		return nil
	}
	k := new(big.Int).Mul(signed(index.Const), big.NewInt(array.Len))
	if k.Add(k, signed(element.Const)); !k.IsInt64() {
		return nil
	}
	return &carriedIndex{array, Outside{k.Int64(), array.Len}}
}

// isMember reports whether a struct member of type array starts at an offset in a t.
//
// The member must not be an element of an array of such arrays.
func (array *Type) isMember(t *Type, off int64) bool {
	for member := false; t != nil && off >= 0 && off < t.Size; {
		switch t.Kind {
		case StructType:
			k := len(t.Fields) - 1
			for k > 0 && (t.Offsets[k] > off || t.Fields[k].Size == 0) {
				k--
			}
			t, off, member = t.Fields[k], off-t.Offsets[k], true
		case ArrayType:
			if t == array {
				return member && off == 0
			}
			t, off, member = t.Elem, off%t.Elem.Size, false
		default:
			return false
		}
	}
	return false
}

// addressType sets the type of an address of a t computed from a base.
func (r *reader) addressType(in *Instr, base, t *Type, lanes int64) {
	pointer := base
	if base.Kind == VectorType {
		pointer = base.Elem
	}
	if !pointer.pointsTo(in.ElemType) {
		r.Fail("an address computation on %s from a base of type %s", in.ElemType, base)
	}
	in.Type = r.pointerTo(t, pointer.space)
	if lanes > 0 {
		in.Type = r.sequence(VectorType, lanes, in.Type)
	}
}

// vectorLen returns the number of elements of a vector type; 0 for other types.
func vectorLen(t *Type) int64 {
	if t.Kind == VectorType {
		return t.Len
	}
	return 0
}

// splat returns the element of a vector whose elements are all equal; otherwise the vector itself.
func (r *reader) splat(c *Const) *Const {
	switch {
	case c.Kind == ConstZero:
		return r.zero(c.Type.Elem)
	case c.Kind == ConstAggregate && len(c.Elems) > 0:
		for _, e := range c.Elems {
			if e != c.Elems[0] { // small integers are shared
				return c
			}
		}
		return c.Elems[0]
	}
	return c
}
