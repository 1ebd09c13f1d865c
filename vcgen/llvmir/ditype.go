package llvmir

import (
	"fmt"
	"strings"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
)

// qualifiedCopy is a type that differs from base in its name or its const flag only.
type qualifiedCopy struct{ copy, base *DIType }

// maxTypeName bounds the length of names in bytes: names of function types can grow exponentially
// in the size of the input.
const maxTypeName = 300

// diType converts a type node. Types may be cyclic, so a type is entered in the table before its
// members are converted; a qualified or renamed copy that is made meanwhile gets its members in finish.
func (r *reader) diType(node metadata.Field) *DIType {
	if node == nil {
		return nil
	}
	if _, ok := node.(*metadata.NullLit); ok {
		return nil
	}
	if t, ok := r.debug.types[node]; ok {
		return t
	}
	switch n := node.(type) {
	case *metadata.DIBasicType:
		return r.basicType(n)
	case *metadata.DIDerivedType:
		return r.derivedType(n)
	case *metadata.DICompositeType:
		return r.compositeType(n)
	case *metadata.DISubroutineType:
		return r.functionType(n)
	}
	t := r.newDIType(node, DIVoid)
	r.setName(t, "void")
	return t
}

func (r *reader) newDIType(node metadata.Field, kind DITypeKind) *DIType {
	t := &DIType{Kind: kind}
	r.debug.types[node] = t
	return t
}

func (r *reader) setName(t *DIType, name string) {
	t.Name = name
	r.debug.final[t] = true
}

// finish fills in the copies; a base that is itself a copy comes first.
func (d *debugTable) finish() {
	for _, c := range d.copies {
		name, isConst := c.copy.Name, c.copy.Const
		*c.copy = *c.base
		c.copy.Name, c.copy.Const = name, isConst
	}
	d.copies = nil
}

func (r *reader) basicType(n *metadata.DIBasicType) *DIType {
	t := r.newDIType(n, DIInt)
	t.Bits = int64(n.Size)
	r.setName(t, n.Name)
	switch n.Encoding {
	case enum.DwarfAttEncodingBoolean:
		t.Kind = DIBool
	case enum.DwarfAttEncodingSignedChar:
		t.Kind, t.Signed = DIChar, true
	case enum.DwarfAttEncodingUnsignedChar, enum.DwarfAttEncodingUTF:
		t.Kind = DIChar
	case enum.DwarfAttEncodingSigned, enum.DwarfAttEncodingSignedFixed:
		t.Signed = true
	case enum.DwarfAttEncodingFloat:
		t.Kind, t.Signed = DIFloat, true
	case enum.DwarfAttEncodingComplexFloat:
		t.Kind = DIStruct
		part := &DIType{Kind: DIFloat, Bits: t.Bits / 2, Signed: true}
		r.setName(part, strings.TrimPrefix(n.Name, "_Complex "))
		if n.Name == "complex" {
			part.Name = "double"
		}
		t.Fields = []DIField{
			{Name: "real", Type: part, BitSize: part.Bits},
			{Name: "imag", Type: part, BitOffset: part.Bits, BitSize: part.Bits},
		}
	default:
		if n.Tag == enum.DwarfTagUnspecifiedType {
			t.Kind = DIVoid
		}
	}
	return t
}

func (r *reader) derivedType(n *metadata.DIDerivedType) *DIType {
	switch n.Tag {
	case enum.DwarfTagPointerType, enum.DwarfTagReferenceType, enum.DwarfTagPtrToMemberType:
		t := r.newDIType(n, DIPointer)
		t.Bits = int64(n.Size)
		t.Elem = r.diType(n.BaseType)
		t.Name = r.declare(t, "", 0)
		return t
	case enum.DwarfTagTypedef, enum.DwarfTagConstType, enum.DwarfTagVolatileType, enum.DwarfTagRestrictType, enum.DwarfTagAtomicType:
		return r.qualifiedType(n)
	case enum.DwarfTagMember:
		return r.diType(n.BaseType)
	}
	t := r.newDIType(n, DIVoid)
	r.setName(t, "void")
	return t
}

// qualifiedType strips a typedef or qualifier: the result is the type below, renamed or made const.
func (r *reader) qualifiedType(n *metadata.DIDerivedType) *DIType {
	t := r.newDIType(n, DIVoid)
	r.debug.final[t] = true // also ends cycles without a struct, which are no C
	base := r.diType(n.BaseType)
	if base == nil {
		base = &DIType{Kind: DIVoid, Name: "void"}
		r.debug.final[base] = true
	}
	if base == t {
		t.Name = "void"
		return t
	}
	*t = *base
	switch n.Tag {
	case enum.DwarfTagTypedef:
		t.Name = n.Name
	case enum.DwarfTagConstType:
		t.Const = true
		if !r.debug.final[base] {
			delete(r.debug.final, t)
		}
	default:
		if !r.debug.final[base] {
			delete(r.debug.final, t)
		}
	}
	r.debug.copies = append(r.debug.copies, qualifiedCopy{t, base})
	return t
}

func (r *reader) compositeType(n *metadata.DICompositeType) *DIType {
	switch n.Tag {
	case enum.DwarfTagArrayType:
		return r.arrayType(n)
	case enum.DwarfTagEnumerationType:
		t := r.newDIType(n, DIEnum)
		t.Bits = int64(n.Size)
		r.setName(t, tagged("enum", n.Name))
		if base := r.diType(n.BaseType); base != nil {
			t.Signed = base.Signed
		}
		for _, e := range elements(n.Elements) {
			if e, ok := e.(*metadata.DIEnumerator); ok {
				t.Enums = append(t.Enums, DIEnumerator{e.Name, e.Value})
			}
		}
		return t
	}
	kind, word := DIStruct, "struct"
	if n.Tag == enum.DwarfTagUnionType {
		kind, word = DIUnion, "union"
	}
	t := r.newDIType(n, kind)
	t.Bits = int64(n.Size)
	r.setName(t, tagged(word, n.Name))
	for _, e := range elements(n.Elements) {
		m, ok := e.(*metadata.DIDerivedType)
		if !ok || m.Tag != enum.DwarfTagMember {
			continue
		}
		t.Fields = append(t.Fields, DIField{
			Name: m.Name, Type: r.diType(m.BaseType), BitOffset: int64(m.Offset), BitSize: int64(m.Size),
			BitField: m.Flags&enum.DIFlagBitField != 0,
		})
	}
	return t
}

func tagged(word, name string) string {
	if name == "" {
		return word + " (anonymous)"
	}
	return word + " " + name
}

func elements(t *metadata.Tuple) []metadata.Field {
	if t == nil {
		return nil
	}
	return t.Fields
}

// arrayType makes one array per dimension, the first dimension outermost.
func (r *reader) arrayType(n *metadata.DICompositeType) *DIType {
	t := r.newDIType(n, DIArray)
	var counts []int64
	for _, e := range elements(n.Elements) {
		if s, ok := e.(*metadata.DISubrange); ok {
			counts = append(counts, subrangeCount(s))
		}
	}
	if len(counts) == 0 {
		counts = []int64{-1}
	}
	elem := r.diType(n.BaseType)
	for i := len(counts) - 1; i >= 0; i-- {
		a := t
		if i > 0 {
			a = &DIType{Kind: DIArray}
		}
		a.Elem, a.Count = elem, counts[i]
		if a.Count > 0 && elem != nil {
			a.Bits = elem.Bits * a.Count
		}
		a.Name = r.declare(a, "", 0)
		elem = a
	}
	if n.Size != 0 {
		t.Bits = int64(n.Size)
	}
	return t
}

func subrangeCount(s *metadata.DISubrange) int64 {
	switch c := s.Count.(type) {
	case metadata.IntLit:
		return int64(c)
	case metadata.UintLit:
		return int64(c)
	}
	return -1
}

// functionType has the result in Elem and the parameters in Fields.
func (r *reader) functionType(n *metadata.DISubroutineType) *DIType {
	t := r.newDIType(n, DIFunc)
	for i, e := range elements(n.Types) {
		p := r.diType(e)
		if i == 0 {
			t.Elem = p
		} else {
			t.Fields = append(t.Fields, DIField{Type: p})
		}
	}
	t.Name = r.declare(t, "", 0)
	return t
}

// declare writes the C declaration of decl with type t: declare(int[4], "*") is "int (*)[4]".
func (r *reader) declare(t *DIType, decl string, depth int) string {
	if len(decl) > maxTypeName || depth > 50 {
		return "..."
	}
	if t == nil {
		return spaced("void", decl)
	}
	suffix := ""
	switch {
	case r.debug.final[t]:
		name := t.Name
		if t.Const {
			name = "const " + name
		}
		return spaced(name, decl)
	case t.Kind == DIPointer:
		star := "*"
		if t.Const && depth > 0 {
			star = "*const"
			if decl != "" && decl[0] != '*' {
				star += " "
			}
		}
		return r.declare(t.Elem, star+decl, depth+1)
	case t.Kind == DIArray:
		suffix = "[]"
		if t.Count >= 0 {
			suffix = fmt.Sprintf("[%d]", t.Count)
		}
	case t.Kind == DIFunc:
		var params []string
		for _, p := range t.Fields {
			if p.Type == nil {
				params = append(params, "...")
				continue
			}
			params = append(params, r.declare(p.Type, "", depth+1))
		}
		if len(params) == 0 {
			params = []string{"void"}
		}
		suffix = "(" + strings.Join(params, ", ") + ")"
	default:
		return spaced(t.Name, decl)
	}
	if strings.HasPrefix(decl, "*") {
		decl = "(" + decl + ")"
	}
	return r.declare(t.Elem, decl+suffix, depth+1)
}

func spaced(name, decl string) string {
	if len(name)+len(decl) > maxTypeName {
		return "..."
	}
	if decl == "" {
		return name
	}
	return name + " " + decl
}
