package inspect

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Value is the value of a C expression at the current moment of a Recording.
//
// It is a place in memory with a type, or a computed number. It is valid until the Recording moves.
type Value struct {
	r   *Inspector
	typ *llvmir.DIType
	// A place: obj is not nil, off is the offset, and field a bit-field of the struct at off.
	obj   *state.Object
	off   uint64
	field *llvmir.DIField
	// Otherwise a number.
	num state.Value
	// broken is the reason why there is no value; "" if there is one.
	broken string
}

// Child is a part of a value: a member, an element, or the target of a pointer.
type Child struct {
	Name string
	// Expr is the format of the child's expression; %s stands for the parent's.
	Expr string
	Value
}

// Type returns the C type; nil if unknown.
func (v Value) Type() *llvmir.DIType { return v.typ }

// TypeName returns the C type in C syntax.
func (v Value) TypeName() string {
	if v.typ == nil {
		return ""
	}
	return v.typ.Name
}

// Place returns the place of the value: n bytes at off of an object.
//
// ok is false for numbers, bit-fields and objects that the run has not created yet.
func (v Value) Place() (object int, off, n uint64, ok bool) {
	if v.obj == nil || v.obj.Serial == 0 || v.field != nil || v.broken != "" {
		return 0, 0, 0, false
	}
	return int(v.obj.Serial), v.off, uint64(explain.TypeSize(v.typ)), true
}

// Bytes is Place for watchpoints: the place of a bit-field is the bytes that contain it.
//
// It returns an error if the value has no place.
func (v Value) Bytes() (object int, off, n uint64, err error) {
	switch {
	case v.broken != "":
		return 0, 0, 0, errors.New(v.broken)
	case v.obj == nil:
		return 0, 0, 0, errors.New("this is a number and lies nowhere")
	case v.obj.Serial == 0:
		return 0, 0, 0, errors.New("the execution has not used it yet: ask again later in it")
	case v.field != nil:
		first, last := v.field.BitOffset/8, (v.field.BitOffset+v.field.BitSize-1)/8
		return int(v.obj.Serial), v.off + uint64(first), uint64(last - first + 1), nil
	case explain.TypeSize(v.typ) == 0 || !v.inside():
		return 0, 0, 0, errors.New("it does not lie in an object")
	}
	return int(v.obj.Serial), v.off, uint64(explain.TypeSize(v.typ)), nil
}

// Target returns the target of a pointer: an offset in an object, which may be dead.
//
// ok is false for all other values.
func (v Value) Target() (object int, off int64, ok bool) {
	if v.typ == nil || v.typ.Kind != llvmir.DIPointer {
		return 0, 0, false
	}
	p, err := v.load()
	if err != nil || !p.Whole() || p.Obj.Kind == state.Function || p.Obj.Serial == 0 {
		return 0, 0, false
	}
	return int(p.Obj.Serial), int64(p.Offset()), true
}

// Number is the number of an integer, sign- or zero-extended to 64 bits as its type says. ok is false for other types,
// and for memory that the run never reads.
func (v Value) Number() (n uint64, ok bool) {
	x, t, err := v.scalar()
	if err != nil || t.Kind == llvmir.DIPointer || t.Kind == llvmir.DIFloat || x.Obj != nil {
		return 0, false
	}
	return asInt(x, t), true
}

// Float is the number of a float of at most 64 bits. ok is false for other types, and for memory that the run never
// reads.
func (v Value) Float() (f float64, ok bool) {
	x, t, err := v.scalar()
	if err != nil || t.Kind != llvmir.DIFloat || x.Obj != nil {
		return 0, false
	}
	return asFloat(x, t), true
}

// Null reports whether a pointer is NULL; ok is false if that is not known.
func (v Value) Null() (null, ok bool) {
	x, t, err := v.scalar()
	if err != nil || t.Kind != llvmir.DIPointer {
		return false, false
	}
	return x.Bits == 0 && x.Obj == nil, true
}

func (v Value) source() state.Source { return v.obj }

// inside reports whether the place is inside its object.
func (v Value) inside() bool {
	n := uint64(explain.TypeSize(v.typ))
	return v.off <= v.obj.Size && n <= v.obj.Size-v.off
}

// anyValue is the text of a scalar that the run never reads.
const anyValue = "<any value>"

// errUnlooked is the error for memory that the run never reads.
var errUnlooked = errors.New("any value: the execution never looks at it")

// load returns the number stored in a scalar.
func (v Value) load() (state.Value, error) {
	switch {
	case v.broken != "":
		return state.Value{}, errors.New(v.broken)
	case v.obj == nil:
		return v.num, nil
	case v.typ == nil || !explain.IsScalar(v.typ):
		return state.Value{}, fmt.Errorf("%s is not a scalar", v.TypeName())
	case v.field == nil && !v.inside():
		return state.Value{}, fmt.Errorf("outside of %s (%s)", v.r.View.Describe(v.obj, ""), explain.BytesWord(v.obj.Size))
	}
	if v.field != nil {
		n, ok := explain.BitsAt(v.source(), v.off, v.field)
		if !ok {
			return state.Value{}, errUnlooked
		}
		return state.IntValue(n), nil
	}
	n, ok := state.Word(v.source(), v.off, int(explain.TypeSize(v.typ)))
	if !ok {
		return state.Value{}, errUnlooked
	}
	return n, nil
}

// Text returns the value in C syntax, on one line. Aggregates are truncated in depth and length.
func (v Value) Text() string {
	switch {
	case v.broken != "":
		return "<" + v.broken + ">"
	case v.typ == nil:
		return explain.Unknown
	case v.obj == nil:
		return v.r.View.Scalar(v.num, v.typ)
	case v.field == nil && !v.inside() && !(v.typ.Kind == llvmir.DIArray && v.typ.Count <= 0):
		return fmt.Sprintf("<outside of %s>", v.r.View.Describe(v.obj, ""))
	}
	s := ""
	if v.field != nil {
		s = v.r.View.Field(v.source(), v.off, v.field, 1)
	} else {
		s = v.r.View.Memory(v.source(), v.off, v.typ, 0)
	}
	if explain.IsScalar(v.typ) && s == explain.Unknown {
		s = anyValue
	}
	if v.unwritten() {
		s += " (never written)"
	}
	if v.typ.Kind == llvmir.DIPointer && v.typ.Elem != nil && v.typ.Elem.Kind == llvmir.DIChar {
		if p, err := v.load(); err == nil && p.Whole() && p.Obj.Kind != state.Function && p.Obj.Live &&
			p.Offset() < p.Obj.Size {
			if str, ok := explain.StringAt(p.Obj, p.Offset(), p.Obj.Size-p.Offset()); ok && str != s {
				s += " " + str
			}
		}
	}
	return s
}

// unwritten reports whether neither the program nor an input wrote any byte of the place.
func (v Value) unwritten() bool {
	n := uint64(explain.TypeSize(v.typ))
	if v.obj == nil || v.field != nil || n == 0 || !v.inside() {
		return false
	}
	for i := range min(n, 256) {
		if v.obj.StateAt(v.off+i) != state.Uninitialized {
			return false
		}
	}
	return true
}

// NumChildren returns the number of parts. indexed reports whether they are elements of an array.
func (v Value) NumChildren() (n int, indexed bool) {
	if v.broken != "" || v.typ == nil || v.field != nil {
		return 0, false
	}
	switch v.typ.Kind {
	case llvmir.DIStruct, llvmir.DIUnion:
		return len(v.typ.Fields), false
	case llvmir.DIArray:
		return v.elements(), true
	case llvmir.DIPointer:
		to, err := v.Deref()
		if err != nil || to.typ == nil || to.obj == nil || to.typ.Kind == llvmir.DIFunc || explain.TypeSize(to.typ) == 0 &&
			len(to.typ.Fields) == 0 {
			return 0, false
		}
		if k := to.typ.Kind; k == llvmir.DIStruct || k == llvmir.DIUnion {
			return len(to.typ.Fields), false
		}
		return 1, false
	}
	return 0, false
}

// elements returns the number of elements of an array; an array of unknown length extends to the end of its object.
func (v Value) elements() int {
	if v.typ.Count > 0 {
		return int(v.typ.Count)
	}
	size := uint64(explain.TypeSize(v.typ.Elem))
	if v.obj == nil || size == 0 || v.off > v.obj.Size {
		return 0
	}
	return int((v.obj.Size - v.off) / size)
}

// Children returns count parts from start on; all the rest if count is 0.
func (v Value) Children(start, count int) []Child {
	n, _ := v.NumChildren()
	if start < 0 || start >= n {
		return nil
	}
	if count <= 0 || count > n-start {
		count = n - start
	}
	var out []Child
	base, sep := v, "."
	switch v.typ.Kind {
	case llvmir.DIArray:
		for i := start; i < start+count; i++ {
			name := "[" + strconv.Itoa(i) + "]"
			out = append(out, Child{name, "(%s)" + name, v.element(int64(i))})
		}
		return out
	case llvmir.DIPointer:
		base, _ = v.Deref()
		sep = "->"
		if k := base.typ.Kind; k != llvmir.DIStruct && k != llvmir.DIUnion {
			return []Child{{"*", "*(%s)", base}}
		}
	}
	for i := start; i < start+count; i++ {
		f := &base.typ.Fields[i]
		c := Child{f.Name, "(%s)" + sep + f.Name, base.part(f)}
		if f.Name == "" { // an anonymous struct or union: its members are members of the parent
			c.Name, c.Expr = "("+f.Type.Name+")", ""
			if sep == "." {
				c.Expr = "%s"
			}
		}
		out = append(out, c)
	}
	return out
}

// element returns element i of an array, even beyond its bounds.
func (v Value) element(i int64) Value {
	e := v
	e.typ = v.typ.Elem
	e.off += uint64(i * explain.TypeSize(v.typ.Elem))
	return e
}

// part returns a member.
func (v Value) part(f *llvmir.DIField) Value {
	p := v
	p.typ = f.Type
	if f.BitField {
		p.field = f
		return p
	}
	p.off += uint64(f.BitOffset / 8)
	return p
}

// Member returns a member of a struct or union, including members of anonymous ones in it.
func (v Value) Member(name string) (Value, error) {
	if v.broken != "" {
		return v, errors.New(v.broken)
	}
	if v.typ == nil || v.typ.Kind != llvmir.DIStruct && v.typ.Kind != llvmir.DIUnion {
		return Value{}, fmt.Errorf("%s has no members", v.TypeName())
	}
	if m, ok := v.member(name); ok {
		return m, nil
	}
	return Value{}, fmt.Errorf("%s has no member %s", v.TypeName(), name)
}

func (v Value) member(name string) (Value, bool) {
	for i := range v.typ.Fields {
		f := &v.typ.Fields[i]
		if f.Name == name {
			return v.part(f), true
		}
		if f.Name == "" && f.Type != nil && (f.Type.Kind == llvmir.DIStruct || f.Type.Kind == llvmir.DIUnion) {
			if m, ok := v.part(f).member(name); ok {
				return m, true
			}
		}
	}
	return Value{}, false
}

// Deref returns the target of a pointer, even if the program could not access it: a freed object, a place beyond the
// end.
func (v Value) Deref() (Value, error) {
	if v.typ != nil && v.typ.Kind == llvmir.DIArray && v.obj != nil {
		return v.element(0), nil
	}
	if v.typ == nil || v.typ.Kind != llvmir.DIPointer {
		return Value{}, fmt.Errorf("%s is not a pointer", v.TypeName())
	}
	p, err := v.load()
	switch {
	case err != nil:
		return Value{}, err
	case p.Bits == 0 && !p.Whole():
		return Value{}, errors.New("the pointer is NULL")
	case !p.Whole():
		return Value{}, fmt.Errorf("0x%x points to no object", p.Bits)
	case v.typ.Elem == nil || v.typ.Elem.Kind == llvmir.DIVoid:
		return Value{}, errors.New("a void * has no type to show: cast it")
	}
	return Value{r: v.r, typ: v.typ.Elem, obj: p.Obj, off: p.Offset()}, nil
}
