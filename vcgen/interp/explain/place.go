package explain

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// lvalue is the memory that a pointer denotes, in terms of the source.
//
// It is a variable, or the target of a pointer expression, with an offset in bytes.
type lvalue struct {
	Known bool
	text  string         // of the variable, or of the pointer if deref is set
	typ   *llvmir.DIType // of the variable, or of the pointer's target; may be nil
	deref bool
	off   int64
	// indexed: the place was computed with a subscript, and is printed as p[0] and not as *p.
	indexed bool
}

// maxExpression bounds the depth to which expressions are followed.
const maxExpression = 12

// PlaceOf returns the place of a pointer operand. Offsets and indices have their current values in registers.
func PlaceOf(fr *state.Frame, p llvmir.Operand) lvalue { return placeAt(fr, p, maxExpression) }

// indexedBy reports whether the place of p depends on an index in one of the registers.
func indexedBy(fr *state.Frame, p llvmir.Operand, regs map[int]bool) bool {
	for range maxExpression {
		if p.Kind != llvmir.OperandReg || fr.Info.Def[p.Reg] == nil {
			return false
		}
		def := fr.Info.Def[p.Reg]
		switch def.Op {
		case llvmir.OpGEP:
			for i := range def.GEP.Scales {
				if a := def.Args[i+1]; a.Kind == llvmir.OperandReg && regs[a.Reg] {
					return true
				}
			}
		case llvmir.OpBitCast, llvmir.OpLoad:
		default:
			return false
		}
		p = def.Args[0]
	}
	return false
}

func placeAt(fr *state.Frame, p llvmir.Operand, depth int) lvalue {
	if depth == 0 {
		return lvalue{}
	}
	if p.Kind == llvmir.OperandConst {
		c := p.Const
		if c == nil || c.Kind != llvmir.ConstGlobal || c.Global.DIType == nil {
			return lvalue{}
		}
		return lvalue{Known: true, text: c.Global.SourceName, typ: c.Global.DIType, off: c.Offset}
	}
	if p.Kind != llvmir.OperandReg || fr == nil {
		return lvalue{}
	}
	if v := fr.Info.Vars[p.Reg]; v != nil {
		return lvalue{Known: true, text: v.Name, typ: v.Type}
	}
	def := fr.Info.Def[p.Reg]
	if def == nil {
		return lvalue{}
	}
	switch def.Op {
	case llvmir.OpBitCast:
		return placeAt(fr, def.Args[0], depth-1)
	case llvmir.OpGEP:
		base := def.Args[0]
		if to, from := fr.Info.Stored[p.Reg], fr.Info.Definition(base); to != nil && from != nil &&
			from.Op == llvmir.OpLoad && sameAddress(from.Args[0], to.Args[1]) {
			return pointee(fr, to.Args[1], depth) // *++p
		}
		b := placeAt(fr, base, depth-1)
		if b.Known {
			b.indexed = true
			// Not from the pointers' difference: the registers may be computed later.
			b.off += def.GEP.Const
			for i, scale := range def.GEP.Scales {
				a := def.Args[i+1]
				if a.Kind != llvmir.OperandReg {
					return lvalue{}
				}
				b.off += state.SignExtend(fr.Regs[a.Reg].Bits, a.Type.Bits) * scale
			}
		}
		return b
	case llvmir.OpLoad:
		return pointee(fr, def.Args[0], depth)
	}
	return lvalue{}
}

// pointee returns the target of the pointer stored at an address, if that address has a name.
func pointee(fr *state.Frame, at llvmir.Operand, depth int) lvalue {
	from := placeAt(fr, at, depth-1)
	if !from.Known {
		return lvalue{}
	}
	text, t := from.Part(8)
	if t == nil || t.Kind != llvmir.DIPointer {
		return lvalue{}
	}
	return lvalue{Known: true, text: text, typ: t.Elem, deref: true}
}

// sameAddress reports whether two operands are the same register or constant.
func sameAddress(a, b llvmir.Operand) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Kind == llvmir.OperandReg:
		return a.Reg == b.Reg
	case a.Kind == llvmir.OperandConst && a.Const != nil && b.Const != nil && a.Const.Kind == llvmir.ConstGlobal:
		return b.Const.Kind == llvmir.ConstGlobal && a.Const.Global == b.Const.Global && a.Const.Offset == b.Const.Offset
	}
	return false
}

// ofContract reports whether a place is a variable of a contract.
func (p lvalue) ofContract() bool {
	return p.Known && strings.HasPrefix(p.text, language.VariablePrefix)
}

// operand returns the text as an operand of -> or [, which bind more tightly than the * of **p.
func (p lvalue) operand() string {
	if strings.HasPrefix(p.text, "*") {
		return "(" + p.text + ")"
	}
	return p.text
}

// Part returns the name of the n bytes at the place; t is nil if no member matches them.
func (p lvalue) Part(n uint64) (text string, t *llvmir.DIType) {
	if !p.Known {
		return "", nil
	}
	if !p.deref {
		return member(p.text, p.typ, p.off, n)
	}
	size := TypeSize(p.typ)
	if p.typ == nil || size == 0 {
		if p.off == 0 {
			return "*" + p.text, nil
		}
		return fmt.Sprintf("*(%s+%d)", p.operand(), p.off), nil
	}
	idx, rem := p.off/size, p.off%size
	switch {
	case p.off > 0 && endsInElements(p.typ): // a struct with a flexible array member is not an array element
		idx, rem = 0, p.off
	case rem < 0:
		idx, rem = idx-1, rem+size
	}
	aggregate := p.typ.Kind == llvmir.DIStruct || p.typ.Kind == llvmir.DIUnion || p.typ.Kind == llvmir.DIArray
	if count := int64(n) / size; !aggregate && rem == 0 && count > 1 && int64(n)%size == 0 {
		of := &llvmir.DIType{Kind: llvmir.DIArray, Name: fmt.Sprintf("%s [%d]", p.typ.Name, count), Elem: p.typ, Count: count,
			Bits: int64(n) * 8}
		return fmt.Sprintf("%s[%d ... %d]", p.operand(), idx, idx+count-1), of
	}
	if idx != 0 || p.indexed && p.typ.Kind != llvmir.DIStruct && p.typ.Kind != llvmir.DIUnion &&
		p.typ.Kind != llvmir.DIArray {
		return member(fmt.Sprintf("%s[%d]", p.operand(), idx), p.typ, rem, n)
	}
	if p.typ.Kind == llvmir.DIStruct || p.typ.Kind == llvmir.DIUnion {
		text, t = member("\x00", p.typ, rem, n)
		if strings.HasPrefix(text, "\x00.") {
			return strings.Replace(text, "\x00.", p.operand()+"->", 1), t
		}
		return strings.Replace(text, "\x00", "*"+p.text, 1), t
	}
	if p.typ.Kind == llvmir.DIArray {
		return member("(*"+p.text+")", p.typ, rem, n)
	}
	return member("*"+p.text, p.typ, rem, n)
}

// member descends into a type to the part of n bytes at offset off.
func member(text string, t *llvmir.DIType, off int64, n uint64) (string, *llvmir.DIType) {
	for range maxExpression {
		if t == nil {
			break
		}
		size := TypeSize(t)
		if t.Kind == llvmir.DIArray && t.Elem != nil && TypeSize(t.Elem) > 0 && off >= 0 {
			es := TypeSize(t.Elem)
			if off == 0 && size == int64(n) && (size != es || t.Count == 1 && es != int64(n)) {
				return text, t
			}
			text, t, off = fmt.Sprintf("%s[%d]", text, off/es), t.Elem, off%es
			continue
		}
		if off == 0 && size == int64(n) {
			// A struct with one member has the same storage as the member: prefer the scalar.
			if t.Kind != llvmir.DIStruct || len(t.Fields) != 1 && !endsInElements(t) || len(t.Fields) > 2 {
				return text, t
			}
		}
		if t.Kind != llvmir.DIStruct && t.Kind != llvmir.DIUnion {
			break
		}
		next := fieldAt(t, off, n)
		if next == nil {
			break
		}
		if next.Name != "" {
			text += "." + next.Name
		}
		off, t = off-next.BitOffset/8, next.Type
	}
	if t != nil && off == 0 && int64(n) == TypeSize(t) {
		return text, t
	}
	return fmt.Sprintf("%s (byte %d on)", text, off), nil
}

// endsInElements reports whether the last member of a struct is an array of variable size.
func endsInElements(t *llvmir.DIType) bool {
	if t == nil || t.Kind != llvmir.DIStruct || len(t.Fields) < 2 {
		return false
	}
	last := t.Fields[len(t.Fields)-1].Type
	return last != nil && last.Kind == llvmir.DIArray && last.Count <= 0
}

// fieldAt returns the member that contains n bytes at off. In a union it is the first with a part of that size there.
func fieldAt(t *llvmir.DIType, off int64, n uint64) *llvmir.DIField {
	var first *llvmir.DIField
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.BitField || f.Type == nil {
			continue
		}
		size := TypeSize(f.Type)
		at := f.BitOffset / 8
		flexible := f.Type.Kind == llvmir.DIArray && f.Type.Count <= 0 || i == len(t.Fields)-1 &&
			f.Type.Kind == llvmir.DIArray
		if at > off || off+int64(n) > at+size && !flexible {
			continue
		}
		if t.Kind == llvmir.DIUnion {
			if first == nil {
				first = f
			}
			if _, part := member("", f.Type, off-at, n); part == nil {
				continue
			}
		}
		return f
	}
	return first
}

// bitFields returns the bit-fields of t that are in the n bytes at off; nil if there are none.
func bitFields(t *llvmir.DIType, off int64, n uint64) []*llvmir.DIField {
	if t == nil || t.Kind != llvmir.DIStruct && t.Kind != llvmir.DIUnion {
		return nil
	}
	var out []*llvmir.DIField
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.BitField && f.BitOffset < (off+int64(n))*8 && f.BitOffset+f.BitSize > off*8 {
			out = append(out, f)
		}
	}
	return out
}

// TypeSize returns the size of a C type in bytes; 0 if unknown.
func TypeSize(t *llvmir.DIType) int64 {
	if t == nil {
		return 0
	}
	if t.Kind == llvmir.DIArray && t.Bits == 0 && t.Elem != nil && t.Count > 0 {
		return TypeSize(t.Elem) * t.Count
	}
	return (t.Bits + 7) / 8
}

// PointerText returns the name of a pointer operand: "`p`", "`a`", or fallback.
func (w *View) PointerText(fr *state.Frame, p llvmir.Operand, fallback string) string {
	if t := pointerName(fr, p); t != "" {
		return "`" + t + "`"
	}
	return fallback
}

// pointerName returns the C expression of a pointer; "" if there is none.
func pointerName(fr *state.Frame, p llvmir.Operand) string {
	q := PlaceOf(fr, p)
	switch {
	case !q.Known:
		return ""
	case q.deref && q.off == 0:
		return q.text
	case q.deref:
		size := TypeSize(q.typ)
		if size > 0 && q.off%size == 0 {
			return fmt.Sprintf("%s%+d", q.text, q.off/size)
		}
		return ""
	case q.typ != nil && q.typ.Kind == llvmir.DIArray && q.off == 0:
		return q.text
	case q.off == 0:
		return "&" + q.text
	}
	return ""
}

// bitFieldsAt returns the named bit-fields that a store of n bytes at the place may change.
//
// base is the offset of the struct relative to the place.
func (p lvalue) bitFieldsAt(n uint64) (fields []namedField, base int64) {
	if !p.Known {
		return nil, 0
	}
	t, off, text, sep := p.typ, p.off, p.text, "."
	if p.deref {
		size := TypeSize(t)
		if size == 0 || off < 0 {
			return nil, 0
		}
		text, sep = p.operand(), "->"
		if off >= size {
			text, sep = fmt.Sprintf("%s[%d]", text, off/size), "."
			off %= size
		}
	}
	for range maxExpression {
		if t == nil {
			return nil, 0
		}
		if t.Kind == llvmir.DIArray && t.Elem != nil && TypeSize(t.Elem) > 0 && off >= 0 {
			es := TypeSize(t.Elem)
			text, off, t, sep = fmt.Sprintf("%s[%d]", text, off/es), off%es, t.Elem, "."
			continue
		}
		next := (*llvmir.DIField)(nil)
		if t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion {
			next = fieldAt(t, off, n)
		}
		if next == nil {
			break
		}
		if next.Name != "" {
			text, sep = text+sep+next.Name, "."
		}
		off, t = off-next.BitOffset/8, next.Type
	}
	if int64(n) >= TypeSize(t) && n > 8 {
		return nil, 0
	}
	for _, f := range bitFields(t, off, n) {
		fields = append(fields, namedField{text + sep + f.Name, f})
	}
	return fields, -off
}

type namedField struct {
	text string
	f    *llvmir.DIField
}
