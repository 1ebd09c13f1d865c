package explain

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Limits of rendered values.
const (
	maxRenderDepth = 8
	maxElements    = 16
	maxString      = 60
)

// bytesOf is a source of known bytes.
type bytesOf struct {
	b         []byte
	bigEndian bool
}

func (s bytesOf) Peek(off uint64) (state.Cell, bool) {
	if off >= uint64(len(s.b)) {
		return state.Cell{}, false
	}
	return state.Cell{B: s.b[off], State: state.Written}, true
}

func (s bytesOf) IsBigEndian() bool { return s.bigEndian }

// Unknown stands for a value that the execution never read.
const Unknown = "?"

// Memory renders a value of type t at off.
func (w *View) Memory(s state.Source, off uint64, t *llvmir.DIType, depth int) string {
	if t == nil {
		return Unknown
	}
	switch t.Kind {
	case llvmir.DIStruct, llvmir.DIUnion:
		return w.renderStruct(s, off, t, depth)
	case llvmir.DIArray:
		return w.renderArray(s, off, t, depth)
	}
	n := int(TypeSize(t))
	if n == 0 || n > 16 {
		return Unknown
	}
	if n > 8 {
		return renderWide(s, off, n, t)
	}
	v, ok := state.Word(s, off, n)
	if !ok {
		return Unknown
	}
	if depth > 0 && t.Kind == llvmir.DIChar {
		return charElement(byte(v.Bits), t.Signed)
	}
	return w.Scalar(v, t)
}

// charElement renders a character as an element in braces: 'a', or its number.
func charElement(b byte, signed bool) string {
	switch {
	case b >= 0x20 && b < 0x7f:
		return charLiteral(b)
	case signed:
		return strconv.Itoa(int(int8(b)))
	}
	return strconv.Itoa(int(b))
}

func (w *View) Field(s state.Source, off uint64, f *llvmir.DIField, depth int) string {
	if !f.BitField {
		return w.Memory(s, off+uint64(f.BitOffset/8), f.Type, depth)
	}
	v, ok := BitsAt(s, off, f)
	if !ok {
		return Unknown
	}
	return w.Scalar(state.IntValue(v), f.Type)
}

// StringAt renders a terminated string of printable characters within n bytes.
func StringAt(s state.Source, off, n uint64) (string, bool) {
	var b strings.Builder
	for i := range min(n, maxString) {
		c, ok := s.Peek(off + i)
		if !ok {
			return "", false
		}
		if c.B == 0 {
			return strconv.Quote(b.String()), b.Len() > 0
		}
		if c.B < 0x20 && c.B != '\n' && c.B != '\t' && c.B != '\r' || c.B >= 0x7f {
			return "", false
		}
		b.WriteByte(c.B)
	}
	return "", false
}

// wholeStringAt is StringAt if the string determines all n bytes.
//
// The bytes after its end must be zero, as in C, or never read by the execution.
func wholeStringAt(s state.Source, off, n uint64) (string, bool) {
	str, ok := StringAt(s, off, n)
	if !ok {
		return "", false
	}
	ended := false
	for i := range min(n, maxLooked) {
		c, looked := s.Peek(off + i)
		if ended && looked && (c.B != 0 || c.Ref.Obj != nil) {
			return "", false
		}
		ended = ended || looked && c.B == 0
	}
	return str, true
}

// literalAt renders a string literal that StringAt does not render.
//
// These are empty and long strings, and those with unprintable bytes.
func literalAt(o *state.Object, off uint64) string {
	var b []byte
	for s := o; off < o.Size; off++ {
		c, ok := s.Peek(off)
		if !ok || c.B == 0 {
			break
		}
		if b = append(b, c.B); len(b) == maxString && off+1 < o.Size {
			return strings.TrimSuffix(strconv.Quote(string(b)), `"`) + `…"`
		}
	}
	return strconv.Quote(string(b))
}

func renderWide(s state.Source, off uint64, n int, t *llvmir.DIType) string {
	buf := make([]byte, n)
	for i := range n {
		c, ok := s.Peek(off + uint64(i))
		if !ok {
			return Unknown
		}
		buf[n-1-i] = c.B
	}
	if t.Kind != llvmir.DIInt {
		return fmt.Sprintf("0x%x", buf)
	}
	v := state.BigValue(new(big.Int).SetBytes(buf), n*8)
	if t.Signed {
		return v.SignedBig(n * 8).String()
	}
	return v.Big().String()
}

// Scalar renders a value of a scalar C type.
func (w *View) Scalar(v state.Value, t *llvmir.DIType) string {
	if t == nil {
		return strconv.FormatUint(v.Bits, 10)
	}
	if v.X != nil && v.X.Wide != nil {
		if t.Signed {
			return v.SignedBig(int(t.Bits)).String()
		}
		return v.Big().String()
	}
	width := int(t.Bits)
	if width <= 0 || width > 64 {
		width = 64
	}
	s := state.SignExtend(v.Bits, width)
	u := v.Bits & state.Mask(width)
	switch t.Kind {
	case llvmir.DIBool:
		switch u {
		case 0:
			return "false"
		case 1:
			return "true"
		}
		return strconv.FormatUint(u, 10)
	case llvmir.DIChar:
		n := strconv.FormatUint(u, 10)
		if t.Signed {
			n = strconv.FormatInt(s, 10)
		}
		if u >= 0x20 && u < 0x7f {
			return n + " " + charLiteral(byte(u))
		}
		return n
	case llvmir.DIFloat:
		return Float(u, width)
	case llvmir.DIPointer:
		return w.Pointer(v, t.Elem)
	case llvmir.DIEnum:
		for _, e := range t.Enums {
			if e.Value == s || !t.Signed && uint64(e.Value)&state.Mask(width) == u {
				return e.Name
			}
		}
	}
	switch t.Name {
	case "uintptr_t", "intptr_t":
		if u >= w.Layout.Space.Lowest {
			return fmt.Sprintf("0x%x", u)
		}
	}
	if t.Signed {
		return strconv.FormatInt(s, 10)
	}
	return strconv.FormatUint(u, 10)
}

func charLiteral(b byte) string {
	switch b {
	case '\'':
		return `'\''`
	case '\\':
		return `'\\'`
	}
	return "'" + string(rune(b)) + "'"
}

func Float(bits uint64, width int) string {
	f := state.ToFloat(state.IntValue(bits), width)
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 1):
		return "INFINITY"
	case math.IsInf(f, -1):
		return "-INFINITY"
	}
	format := byte('g')
	if a := math.Abs(f); a >= 1e-4 && a < 1e15 {
		format = 'f'
	}
	s := strconv.FormatFloat(f, format, -1, max(width, 32))
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// Pointer renders a pointer; elem is its target type, or nil if unknown.
func (w *View) Pointer(v state.Value, elem *llvmir.DIType) string {
	o := v.Obj
	if o == nil || !v.Whole() {
		if v.Bits == 0 {
			return "NULL"
		}
		for f, o := range w.Funcs { // chosen to equal a function's address
			if o.Base == v.Bits {
				return f.SourceName
			}
		}
		return fmt.Sprintf("0x%x", v.Bits)
	}
	off := int64(v.Offset())
	s := ""
	switch {
	case o.Kind == state.Function:
		s = o.Fn.SourceName
		if off != 0 {
			s = fmt.Sprintf("%s%+d", s, off)
		}
		return s
	case o.Maker != "":
		s = o.MadeName()
		if off != 0 {
			s += fmt.Sprintf("%+d", off)
		}
	case o.Global != nil && o.Source == "" && o.Readonly:
		if str, ok := StringAt(o, uint64(off), o.Size-min(uint64(off), o.Size)); ok && off >= 0 {
			return str
		}
		if clangir.IsStringLiteral(o.Global) && off >= 0 && uint64(off) < o.Size {
			return literalAt(o, uint64(off))
		}
		s = offsetText(o.Name, off)
	case o.Source != "":
		s = variablePointer(o, off, elem)
	default:
		s = offsetText("&"+strings.TrimPrefix(o.Name, "."), off)
	}
	switch {
	case !o.Live && o.Kind == state.OnHeap:
		s += " (freed)"
	case !o.Live:
		s += " (out of scope)"
	case off >= 0 && uint64(off) == o.Size && off != 0:
		s += " (one past end)"
	}
	return s
}

func offsetText(name string, off int64) string {
	if off == 0 {
		return name
	}
	return fmt.Sprintf("(char *)%s%+d", name, off)
}

// variablePointer renders a pointer into a variable: &x, &s.f, a+2.
func variablePointer(o *state.Object, off int64, elem *llvmir.DIType) string {
	t := o.DIType
	if t != nil && t.Kind == llvmir.DIArray && t.Elem != nil && t.Elem.Kind != llvmir.DIArray {
		if size := TypeSize(t.Elem); size > 0 && off%size == 0 {
			if off == 0 {
				return o.Source
			}
			return fmt.Sprintf("%s%+d", o.Source, off/size)
		}
	}
	if off == 0 && (elem == nil || t == nil || TypeSize(elem) == TypeSize(t) || t.Kind != llvmir.DIStruct &&
		t.Kind != llvmir.DIArray) {
		return "&" + o.Source
	}
	if n := TypeSize(elem); n > 0 && off >= 0 && uint64(off) < o.Size {
		if text, mt := member(o.Source, t, off, uint64(n)); mt != nil {
			return "&" + text
		}
	}
	return offsetText("&"+o.Source, off)
}

// Typed renders a value by its LLVM type if the C type is unknown.
func (w *View) Typed(v state.Value, t *llvmir.Type) string {
	switch {
	case state.IsAggregate(t):
		var parts []string
		for i, e := range v.Elems() {
			if i == maxElements {
				parts = append(parts, "...")
				break
			}
			et, _ := state.Element(t, i)
			parts = append(parts, w.Typed(e, et))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case t.Kind == llvmir.FloatType && t.Bits <= 64:
		return Float(v.Bits, t.Bits)
	case t.Kind == llvmir.PointerType:
		return w.Pointer(v, nil)
	case t.Kind == llvmir.IntType && t.Bits == 1:
		return map[uint64]string{0: "false", 1: "true"}[v.Bits&1]
	case t.Kind == llvmir.IntType:
		return v.SignedBig(t.Bits).String()
	}
	return Unknown
}

// Result renders a function's result, by its C type if that is known; f may be nil.
func (w *View) Result(v state.Value, f *llvmir.Func, t *llvmir.Type) string {
	if f != nil && f.RetDIType != nil {
		return w.Scalar(v, f.RetDIType)
	}
	return w.Typed(v, t)
}

// TypeName returns the usual C type of an LLVM scalar type.
func TypeName(t *llvmir.Type) string {
	switch t.Kind {
	case llvmir.IntType:
		switch t.Bits {
		case 1:
			return "bool"
		case 8:
			return "char"
		case 16:
			return "short"
		case 32:
			return "int"
		case 64:
			return "long"
		case 128:
			return "__int128"
		}
	case llvmir.FloatType:
		return map[int]string{16: "_Float16", 32: "float", 64: "double"}[t.Bits]
	case llvmir.PointerType:
		return "void *"
	}
	return ""
}

// renderBytes renders the first of size bytes: as text if possible, otherwise as numbers.
func renderBytes(b []byte, size uint64, signed bool) string {
	if str, ok := wholeStringAt(bytesOf{b: b}, 0, uint64(len(b))); ok {
		return str
	}
	zero := true
	for _, x := range b {
		zero = zero && x == 0
	}
	if zero {
		return "{0}"
	}
	var parts []string
	for i, x := range b {
		if i == maxElements {
			break
		}
		parts = append(parts, charElement(x, signed))
	}
	if size > maxElements {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// renderArgument renders a scalar that holds a parameter of type t; t may be a struct that fits into a register.
func (w *View) renderArgument(a state.Value, t *llvmir.DIType) string {
	if IsScalar(t) {
		return w.Scalar(a, t)
	}
	n := 8
	if size := int(TypeSize(t)); w.Layout.BigEndian && size > 0 && size < n {
		n = size
	}
	o := &state.Object{Size: uint64(n), Pointer: uint8(w.Layout.Space.Bytes()), BigEndian: w.Layout.BigEndian}
	o.Write(0, a, n)
	return w.Memory(o, 0, t, 0)
}

func IsScalar(t *llvmir.DIType) bool {
	switch t.Kind {
	case llvmir.DIStruct, llvmir.DIUnion, llvmir.DIArray, llvmir.DIVoid, llvmir.DIFunc:
		return false
	}
	return t.Bits <= 64
}

// BitsAt returns a bit-field, sign-extended if its type is signed.
func BitsAt(s state.Source, off uint64, f *llvmir.DIField) (uint64, bool) {
	v := uint64(0)
	for i := int64(0); i < f.BitSize && i < 64; i++ {
		bit, shift := f.BitOffset+i, i
		c, ok := s.Peek(off + uint64(bit/8))
		if !ok {
			return 0, false
		}
		at := bit % 8
		if s.IsBigEndian() { // both the bits of a byte and those of a field begin with the most significant one
			at, shift = 7-at, min(f.BitSize, 64)-1-i
		}
		v |= uint64(c.B>>at&1) << shift
	}
	if t := f.Type; t != nil && t.Signed && t.Kind != llvmir.DIBool {
		v = uint64(state.SignExtend(v, int(f.BitSize)))
	}
	return v, true
}
