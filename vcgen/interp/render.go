package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Limits of rendered values.
const (
	maxRenderDepth = 8
	maxElements    = 16
	maxString      = 60
)

// source is where the bytes of a rendered value come from.
type source interface {
	at(off uint64) (cell, bool) // ok is false when nobody knows
}

type bytesOf []byte

func (b bytesOf) at(off uint64) (cell, bool) {
	if off >= uint64(len(b)) {
		return cell{}, false
	}
	return cell{b: b[off], state: written}, true
}

// objectSource reads the object as it is. Bytes of inputs that nobody used are unknown,
// so that rendering does not count as use.
type objectSource struct{ o *object }

func (s objectSource) at(off uint64) (cell, bool) {
	if off >= s.o.size {
		return cell{}, false
	}
	if c, ok := s.o.known(off); ok {
		return c, true
	}
	for k := len(s.o.layers) - 1; k >= 0; k-- {
		if l := s.o.layers[k]; l.lo <= off && off < l.hi {
			if l.known != nil && l.known(off) {
				return l.at(off), true
			}
			return cell{}, false
		}
	}
	return cell{state: written}, true
}

// unknown stands for a value that the execution never looked at.
const unknown = "?"

// word reads n <= 8 bytes.
func word(s source, off uint64, n int) (value, bool) {
	v := value{}
	same := true
	var first pref
	for i := range n {
		c, ok := s.at(off + uint64(i))
		if !ok {
			return value{}, false
		}
		v.bits |= uint64(c.b) << (8 * i)
		if i == 0 {
			first = c.ref
		}
		same = same && c.ref.obj == first.obj && c.ref.i == first.i+uint8(i)
	}
	if first.obj != nil && same {
		v.obj, v.from, v.n = first.obj, first.i, uint8(n)
	}
	return v, true
}

// renderMemory renders an object of type t at off.
func (m *machine) renderMemory(s source, off uint64, t *llvmir.DIType, depth int) string {
	if t == nil {
		return unknown
	}
	switch t.Kind {
	case llvmir.DIStruct, llvmir.DIUnion:
		return m.renderStruct(s, off, t, depth)
	case llvmir.DIArray:
		return m.renderArray(s, off, t, depth)
	}
	n := int(typeSize(t))
	if n == 0 || n > 16 {
		return unknown
	}
	if n > 8 {
		return renderWide(s, off, n, t)
	}
	v, ok := word(s, off, n)
	if !ok {
		return unknown
	}
	return m.renderScalar(v, t)
}

func (m *machine) renderField(s source, off uint64, f *llvmir.DIField, depth int) string {
	if !f.BitField {
		return m.renderMemory(s, off+uint64(f.BitOffset/8), f.Type, depth)
	}
	v, ok := bitsAt(s, off, f)
	if !ok {
		return unknown
	}
	return m.renderScalar(intValue(v), f.Type)
}

// stringAt renders a terminated string of printable characters within n bytes.
func stringAt(s source, off, n uint64) (string, bool) {
	var b strings.Builder
	for i := range min(n, maxString) {
		c, ok := s.at(off + i)
		if !ok {
			return "", false
		}
		if c.b == 0 {
			return strconv.Quote(b.String()), b.Len() > 0
		}
		if c.b < 0x20 && c.b != '\n' && c.b != '\t' && c.b != '\r' || c.b >= 0x7f {
			return "", false
		}
		b.WriteByte(c.b)
	}
	return "", false
}

// literalAt renders a string literal, of which stringAt makes no string: an empty one, one with bytes that are not
// printable, a long one.
func literalAt(o *object, off uint64) string {
	var b []byte
	for s := (objectSource{o}); off < o.size; off++ {
		c, ok := s.at(off)
		if !ok || c.b == 0 {
			break
		}
		if b = append(b, c.b); len(b) == maxString && off+1 < o.size {
			return strings.TrimSuffix(strconv.Quote(string(b)), `"`) + `…"`
		}
	}
	return strconv.Quote(string(b))
}

func renderWide(s source, off uint64, n int, t *llvmir.DIType) string {
	buf := make([]byte, n)
	for i := range n {
		c, ok := s.at(off + uint64(i))
		if !ok {
			return unknown
		}
		buf[n-1-i] = c.b
	}
	if t.Kind != llvmir.DIInt {
		return fmt.Sprintf("0x%x", buf)
	}
	v := bigValue(newBig(buf), n*8)
	if t.Signed {
		return v.signedBig(n * 8).String()
	}
	return v.big().String()
}

// renderScalar renders a value of a scalar C type.
func (m *machine) renderScalar(v value, t *llvmir.DIType) string {
	if t == nil {
		return strconv.FormatUint(v.bits, 10)
	}
	if v.x != nil && v.x.wide != nil {
		if t.Signed {
			return v.signedBig(int(t.Bits)).String()
		}
		return v.big().String()
	}
	width := int(t.Bits)
	if width <= 0 || width > 64 {
		width = 64
	}
	s := signExtend(v.bits, width)
	u := v.bits & mask(width)
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
		return renderFloat(u, width)
	case llvmir.DIPointer:
		return m.renderPointer(v, t.Elem)
	case llvmir.DIEnum:
		for _, e := range t.Enums {
			if e.Value == s || !t.Signed && uint64(e.Value)&mask(width) == u {
				return e.Name
			}
		}
	}
	switch t.Name {
	case "uintptr_t", "intptr_t":
		if u >= firstPage {
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

func renderFloat(bits uint64, width int) string {
	f := toFloat(intValue(bits), width)
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
	s := strconv.FormatFloat(f, format, -1, width)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// renderPointer renders a pointer; elem is the type that it points to, nil when unknown.
func (m *machine) renderPointer(v value, elem *llvmir.DIType) string {
	o := v.obj
	if o == nil || !v.whole() {
		if v.bits == 0 {
			return "NULL"
		}
		for f, o := range m.funcs { // chosen to be a function's address
			if o.base == v.bits {
				return f.SourceName
			}
		}
		return fmt.Sprintf("0x%x", v.bits)
	}
	off := int64(v.offset())
	s := ""
	switch {
	case o.kind == function:
		s = o.fn.SourceName
		if off != 0 {
			s = fmt.Sprintf("%s%+d", s, off)
		}
		return s
	case o.kind == onHeap:
		s = fmt.Sprintf("%s#%d", o.maker, o.number)
		if off != 0 {
			s += fmt.Sprintf("%+d", off)
		}
	case o.global != nil && o.source == "" && o.readonly:
		if str, ok := stringAt(objectSource{o}, uint64(off), o.size-min(uint64(off), o.size)); ok && off >= 0 {
			return str
		}
		if strings.HasPrefix(o.name, ".str") && off >= 0 && uint64(off) < o.size {
			return literalAt(o, uint64(off))
		}
		s = offsetText(o.name, off)
	case o.source != "":
		s = variablePointer(o, off, elem)
	default:
		s = offsetText("&"+strings.TrimPrefix(o.name, "."), off)
	}
	switch {
	case !o.live && o.kind == onHeap:
		s += " (freed)"
	case !o.live:
		s += " (out of scope)"
	case off >= 0 && uint64(off) == o.size && off != 0:
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
func variablePointer(o *object, off int64, elem *llvmir.DIType) string {
	t := o.dtype
	if t != nil && t.Kind == llvmir.DIArray && t.Elem != nil && t.Elem.Kind != llvmir.DIArray {
		if size := typeSize(t.Elem); size > 0 && off%size == 0 {
			if off == 0 {
				return o.source
			}
			return fmt.Sprintf("%s%+d", o.source, off/size)
		}
	}
	if off == 0 && (elem == nil || t == nil || typeSize(elem) == typeSize(t) || t.Kind != llvmir.DIStruct && t.Kind != llvmir.DIArray) {
		return "&" + o.source
	}
	if n := typeSize(elem); n > 0 && off >= 0 && uint64(off) < o.size {
		if text, mt := member(o.source, t, off, uint64(n)); mt != nil {
			return "&" + text
		}
	}
	return offsetText("&"+o.source, off)
}

// renderTyped renders a value by its LLVM type, where no C type is known.
func (m *machine) renderTyped(v value, t *llvmir.Type) string {
	switch {
	case isAggregate(t):
		var parts []string
		for i, e := range v.elems() {
			if i == maxElements {
				parts = append(parts, "...")
				break
			}
			et, _ := element(t, i)
			parts = append(parts, m.renderTyped(e, et))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case t.Kind == llvmir.FloatType && t.Bits <= 64:
		return renderFloat(v.bits, t.Bits)
	case t.Kind == llvmir.PointerType:
		return m.renderPointer(v, nil)
	case t.Kind == llvmir.IntType && t.Bits == 1:
		return map[uint64]string{0: "false", 1: "true"}[v.bits&1]
	case t.Kind == llvmir.IntType:
		return v.signedBig(t.Bits).String()
	}
	return unknown
}

// renderResult renders what a function returned, by its C type where that is known; f may be nil.
func (m *machine) renderResult(v value, f *llvmir.Func, t *llvmir.Type) string {
	if f != nil && f.RetDIType != nil {
		return m.renderScalar(v, f.RetDIType)
	}
	return m.renderTyped(v, t)
}

// llvmName is the C type that an LLVM scalar most often stands for.
func llvmName(t *llvmir.Type) string {
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
		if t.Bits == 32 {
			return "float"
		}
		return "double"
	case llvmir.PointerType:
		return "void *"
	}
	return ""
}

// renderBytes renders bytes without a type: as text where they are, else as numbers.
func renderBytes(b []byte, size uint64) string {
	if str, ok := stringAt(bytesOf(b), 0, uint64(len(b))); ok {
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
		parts = append(parts, strconv.Itoa(int(x)))
	}
	if size > maxElements {
		parts = append(parts, "...")
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
