package llvmir

import (
	"fmt"
	"strings"
)

// qualifiedCopy is a type that differs from base only in its name or its const flag.
type qualifiedCopy struct{ copy, base *DIType }

// maxTypeName bounds the length of names in bytes.
//
// Names of function types can grow exponentially in the size of the input.
const maxTypeName = 300

// diType converts a type node.
//
// Types may be cyclic: a type is stored in the table before its members are converted. A qualified or renamed copy
// that is created in the meantime receives its members in finish.
func (r *reader) diType(n mdNode) *DIType {
	if n == 0 {
		return nil
	}
	if t, ok := r.debug.types[n]; ok {
		return t
	}
	r.deeper()
	defer func() { r.debug.depth-- }()
	rec := r.record(n)
	switch rec.kind {
	case "DIBasicType":
		return r.basicType(n, rec)
	case "DIDerivedType":
		return r.derivedType(n, rec)
	case "DICompositeType":
		return r.compositeType(n, rec)
	case "DISubroutineType":
		return r.functionType(n, rec)
	}
	t := r.newDIType(n, DIVoid)
	r.setName(t, "void")
	return t
}

func (r *reader) newDIType(n mdNode, kind DITypeKind) *DIType {
	t := &DIType{Kind: kind}
	r.debug.types[n] = t
	return t
}

func (r *reader) setName(t *DIType, name string) {
	t.Name = name
	r.debug.final[t] = true
}

// finish completes the copies; a base that is itself a copy precedes its copies.
func (d *debugTable) finish() {
	for _, c := range d.copies {
		name, isConst := c.copy.Name, c.copy.Const
		*c.copy = *c.base
		c.copy.Name, c.copy.Const = name, isConst
	}
	d.copies = nil
}

func (r *reader) basicType(n mdNode, rec *mdRecord) *DIType {
	t := r.newDIType(n, DIInt)
	t.Bits = rec.num("size")
	r.setName(t, rec.str("name"))
	switch e := rec.word("encoding"); e {
	case "DW_ATE_boolean":
		t.Kind = DIBool
	case "DW_ATE_signed_char":
		t.Kind, t.Signed = DIChar, true
	case "DW_ATE_unsigned_char", "DW_ATE_UTF":
		t.Kind = DIChar
	case "DW_ATE_signed", "DW_ATE_signed_fixed":
		t.Signed = true
	case "DW_ATE_float":
		t.Kind, t.Signed = DIFloat, true
	case "DW_ATE_complex_float":
		t.Kind = DIStruct
		part := &DIType{Kind: DIFloat, Bits: t.Bits / 2, Signed: true}
		r.setName(part, strings.TrimPrefix(t.Name, "_Complex "))
		if t.Name == "complex" {
			part.Name = "double"
		}
		t.Fields = []DIField{
			{Name: "real", Type: part, BitSize: part.Bits},
			{Name: "imag", Type: part, BitOffset: part.Bits, BitSize: part.Bits},
		}
	case "", "DW_ATE_unsigned", "DW_ATE_unsigned_fixed", "DW_ATE_address", "DW_ATE_imaginary_float",
		"DW_ATE_packed_decimal", "DW_ATE_numeric_string",
		"DW_ATE_edited", "DW_ATE_decimal_float", "DW_ATE_UCS", "DW_ATE_ASCII":
		if rec.word("tag") == "DW_TAG_unspecified_type" {
			t.Kind = DIVoid
		}
	default:
		rec.fail("encoding", e)
	}
	return t
}

func (r *reader) derivedType(n mdNode, rec *mdRecord) *DIType {
	switch tag := rec.word("tag"); tag {
	case "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_ptr_to_member_type":
		t := r.newDIType(n, DIPointer)
		t.Bits = rec.num("size")
		t.Elem = r.diType(rec.ref("baseType"))
		t.Name = r.declare(t, "", 0)
		return t
	case "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type", "DW_TAG_atomic_type":
		return r.qualifiedType(n, rec, tag)
	case "DW_TAG_member":
		return r.diType(rec.ref("baseType"))
	case "", "DW_TAG_rvalue_reference_type", "DW_TAG_inheritance", "DW_TAG_friend", "DW_TAG_immutable_type":
	default:
		rec.fail("tag", tag)
	}
	t := r.newDIType(n, DIVoid)
	r.setName(t, "void")
	return t
}

// qualifiedType strips a typedef or qualifier: the result is the underlying type, renamed or made const.
func (r *reader) qualifiedType(n mdNode, rec *mdRecord, tag string) *DIType {
	t := r.newDIType(n, DIVoid)
	r.debug.final[t] = true // also ends cycles without a struct, which are not valid C
	name := ""
	if tag == "DW_TAG_typedef" {
		name = rec.str("name")
		t.Name = name // a member of the struct may have the type in a qualified form
	}
	base := r.diType(rec.ref("baseType"))
	if base == nil {
		base = &DIType{Kind: DIVoid, Name: "void"}
		r.debug.final[base] = true
	}
	if base == t {
		t.Name = "void"
		return t
	}
	*t = *base
	switch tag {
	case "DW_TAG_typedef":
		t.Name = name
	case "DW_TAG_const_type":
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

func (r *reader) compositeType(n mdNode, rec *mdRecord) *DIType {
	kind, word := DIStruct, "struct"
	switch tag := rec.word("tag"); tag {
	case "DW_TAG_array_type":
		return r.arrayType(n, rec)
	case "DW_TAG_enumeration_type":
		return r.enumType(n, rec)
	case "DW_TAG_union_type":
		kind, word = DIUnion, "union"
	case "", "DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_variant_part", "DW_TAG_namelist":
	default:
		rec.fail("tag", tag)
	}
	t := r.newDIType(n, kind)
	t.Bits, t.Tag = rec.num("size"), rec.str("name")
	r.setName(t, tagged(word, t.Tag))
	for _, e := range r.tuple(rec.ref("elements")) {
		if e.kind != mdRef {
			continue
		}
		m := r.record(e.node)
		if m.kind != "DIDerivedType" || m.word("tag") != "DW_TAG_member" {
			continue
		}
		t.Fields = append(t.Fields, DIField{
			Name: m.str("name"), Type: r.diType(m.ref("baseType")), BitOffset: m.num("offset"), BitSize: m.num("size"),
			BitField: m.flag("flags", "DIFlagBitField", 1<<19),
		})
	}
	return t
}

func (r *reader) enumType(n mdNode, rec *mdRecord) *DIType {
	t := r.newDIType(n, DIEnum)
	t.Bits = rec.num("size")
	r.setName(t, tagged("enum", rec.str("name")))
	if base := r.diType(rec.ref("baseType")); base != nil {
		t.Signed = base.Signed
	}
	for _, e := range r.tuple(rec.ref("elements")) {
		if e.kind != mdRef {
			continue
		}
		if e := r.record(e.node); e.kind == "DIEnumerator" {
			t.Enums = append(t.Enums, DIEnumerator{e.str("name"), e.num("value")})
		}
	}
	return t
}

func tagged(word, name string) string {
	if name == "" {
		return word + " (anonymous)"
	}
	return word + " " + name
}

// arrayType creates one array per dimension, the first dimension outermost.
func (r *reader) arrayType(n mdNode, rec *mdRecord) *DIType {
	t := r.newDIType(n, DIArray)
	var counts []int64
	for _, e := range r.tuple(rec.ref("elements")) {
		if e.kind != mdRef {
			continue
		}
		if s := r.record(e.node); s.kind == "DISubrange" {
			count := int64(-1) // the value of a variable
			if c := s.get("count"); c.kind == mdInt {
				count = s.num("count")
			}
			counts = append(counts, count)
		}
	}
	if len(counts) == 0 {
		counts = []int64{-1}
	}
	elem := r.diType(rec.ref("baseType"))
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
	if size := rec.num("size"); size != 0 {
		t.Bits = size
	}
	return t
}

// functionType has the result in Elem and the parameters in Fields.
func (r *reader) functionType(n mdNode, rec *mdRecord) *DIType {
	t := r.newDIType(n, DIFunc)
	for i, e := range r.tuple(rec.ref("types")) {
		p := r.diType(e.node)
		if i == 0 {
			t.Elem = p
		} else {
			t.Fields = append(t.Fields, DIField{Type: p})
		}
	}
	t.Name = r.declare(t, "", 0)
	return t
}

// declare returns the C declaration of decl with type t: declare(int[4], "*") is "int (*)[4]".
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
