package llvmir

import (
	"bytes"
	"math"
)

// typ reads a type.
func (r *reader) typ() *Type {
	r.enter()
	t := r.bareType()
	for stars := 0; ; {
		switch {
		case (r.is('*') || r.isWord("addrspace")) && r.types.opaque:
			r.fail("a pointer with a type stands in a text whose pointers have none")
		case r.is('*'):
			if stars++; stars > maxNesting {
				r.fail("pointers are nested too deeply")
			}
			t = r.pointerTo(t, 0)
			r.next()
		case r.is('('):
			t = r.signature(t)
		case r.isWord("addrspace"):
			space := r.addrSpace()
			r.expect('*')
			t = r.pointerTo(t, space)
		default:
			r.leave()
			return t
		}
	}
}

// maxNesting bounds what is walked by recursion: a Go program cannot recover from an exhausted stack.
const maxNesting = 5000

func (r *reader) enter() {
	if r.nesting++; r.nesting > maxNesting {
		r.fail("brackets are nested too deeply")
	}
}

func (r *reader) leave() { r.nesting-- }

// addrSpace reads addrspace(n).
func (r *reader) addrSpace() int64 {
	r.next()
	r.expect('(')
	n := r.uint(1<<24 - 1)
	r.expect(')')
	return n
}

// signature reads the parameter types of a function type.
func (r *reader) signature(ret *Type) *Type {
	r.next()
	var params []*Type
	variadic := false
	for !r.is(')') {
		if r.kind == tokDots {
			variadic = true
			r.next()
			break
		}
		params = append(params, r.typ())
		if !r.accept(',') {
			break
		}
	}
	r.expect(')')
	return r.funcType(ret, params, variadic)
}

func (r *reader) bareType() *Type {
	switch {
	case r.kind == tokWord:
		return r.wordType()
	case r.kind == tokLocal:
		name := r.name()
		t := r.types.named[string(name)]
		if t == nil {
			if !r.declaring {
				r.fail("type %%%s is not defined", name)
			}
			t = r.namedStruct(string(name))
		}
		r.next()
		return t
	case r.is('{') || r.is('[') || r.is('<'):
		return r.bracketed()
	}
	r.fail("%q stands where a type belongs", r.shown())
	return nil
}

// bracketed reads an aggregate or vector. Clang writes the same few over and over, so they are known by their text.
func (r *reader) bracketed() *Type {
	start := r.start
	if !r.declaring {
		if end := typeEnd(r.text, start); end > 0 {
			if t := r.typeTexts[string(r.text[start:end])]; t != nil {
				r.seek(end)
				return t
			}
		}
	}
	t := r.aggregateType()
	if !r.declaring {
		// The token behind the type is the current one.
		if end := typeEnd(r.text, start); end > 0 {
			r.typeTexts[string(r.text[start:end])] = t
		}
	}
	return t
}

// maxTypeText bounds the texts that types are known by, in bytes.
const maxTypeText = 512

// typeEnd returns the end of the bracket that opens at start; 0 if it is long or has quotes or comments in it.
func typeEnd(text []byte, start int) int {
	depth := 0
	for i := start; i < min(len(text), start+maxTypeText); i++ {
		switch text[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', ';':
			return 0
		}
	}
	return 0
}

func (r *reader) aggregateType() *Type {
	switch {
	case r.is('{'):
		return r.structOf(r.fieldTypes(), false)
	case r.accept('['):
		n := r.uint(math.MaxInt64)
		r.expectWord("x")
		elem := r.typ()
		r.expect(']')
		return r.sequence(ArrayType, n, elem)
	}
	r.expect('<')
	if r.is('{') {
		fields := r.fieldTypes()
		r.expect('>')
		return r.structOf(fields, true)
	}
	scalable := r.acceptWord("vscale")
	if scalable {
		r.expectWord("x")
	}
	n := r.uint(math.MaxInt64)
	r.expectWord("x")
	elem := r.typ()
	r.expect('>')
	switch {
	case scalable:
		return r.opaqueType("scalable vector", 0)
	case elem.Kind != IntType && elem.Kind != FloatType && elem.Kind != PointerType:
		r.fail("a vector of %s", elem)
	}
	return r.sequence(VectorType, n, elem)
}

func (r *reader) fieldTypes() []*Type {
	r.expect('{')
	var fields []*Type
	for !r.is('}') {
		fields = append(fields, r.typ())
		if !r.accept(',') {
			break
		}
	}
	r.expect('}')
	return fields
}

// wordType reads a type that is one word.
func (r *reader) wordType() *Type {
	w := r.word()
	var t *Type
	switch string(w) {
	case "void":
		t = r.types.void
	case "metadata":
		t = r.types.metadata
	case "half", "float", "double", "x86_fp80", "fp128", "ppc_fp128":
		t = r.floatType(string(w))
	case "label":
		t = r.intern(typeKey{kind: LabelType}, &Type{Kind: LabelType})
	case "x86_mmx":
		t = r.opaqueType("x86_mmx", 8)
	case "token":
		t = r.opaqueType("token", 0)
	case "ptr":
		r.next()
		space := int64(0)
		if r.isWord("addrspace") {
			space = r.addrSpace()
		}
		return r.opaquePointer(space)
	default:
		if w[0] != 'i' || len(w) < 2 || len(bytes.TrimLeft(w[1:], "0123456789")) > 0 {
			r.fail("%q is no type that is known here", w)
		}
		t = r.intType(r.decimal(w[1:], 1<<23))
	}
	r.next()
	return t
}

// defineType reads what a named type stands for.
func (r *reader) defineType(name string) {
	t := r.namedStruct(name)
	if t.defined {
		r.fail("type %%%s is defined twice", name)
	}
	t.defined = true
	if r.acceptWord("opaque") {
		return
	}
	packed := r.accept('<')
	if !r.is('{') {
		r.fail("type %%%s is no struct", name)
	}
	t.Kind, t.Align, t.Packed = StructType, 0, packed
	t.Fields = r.fieldTypes()
	if packed {
		r.expect('>')
	}
}
