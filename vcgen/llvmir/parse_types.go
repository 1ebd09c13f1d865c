package llvmir

import (
	"bytes"
	"math"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// typ reads a type.
func (r *reader) typ() *Type {
	r.enter()
	t := r.bareType()
	for stars := 0; ; {
		switch {
		case (r.Is('*') || r.IsWord("addrspace")) && r.types.opaque:
			r.Fail("a pointer with a type stands in a text whose pointers have none")
		case r.Is('*'):
			if stars++; stars > maxNesting {
				r.Fail("pointers are nested too deeply")
			}
			t = r.pointerTo(t, 0)
			r.Next()
		case r.Is('('):
			t = r.signature(t)
		case r.IsWord("addrspace"):
			space := r.addrSpace()
			r.Expect('*')
			t = r.pointerTo(t, space)
		default:
			r.leave()
			return t
		}
	}
}

// maxNesting bounds the depth of recursion: a Go program cannot recover from an exhausted stack.
const maxNesting = 5000

func (r *reader) enter() {
	if r.nesting++; r.nesting > maxNesting {
		r.Fail("brackets are nested too deeply")
	}
}

func (r *reader) leave() { r.nesting-- }

// addrSpace reads addrspace(n).
func (r *reader) addrSpace() int64 {
	r.Next()
	r.Expect('(')
	n := r.Uint(1<<24 - 1)
	r.Expect(')')
	return n
}

// signature reads the parameter types of a function type.
func (r *reader) signature(ret *Type) *Type {
	r.Next()
	var params []*Type
	variadic := false
	for !r.Is(')') {
		if r.Kind == lexer.Dots {
			variadic = true
			r.Next()
			break
		}
		params = append(params, r.typ())
		if !r.Accept(',') {
			break
		}
	}
	r.Expect(')')
	return r.funcType(ret, params, variadic)
}

func (r *reader) bareType() *Type {
	switch {
	case r.Kind == lexer.Word:
		return r.wordType()
	case r.Kind == lexer.Local:
		name := r.Name()
		t := r.types.named[string(name)]
		if t == nil {
			if !r.declaring {
				r.Fail("type %%%s is not defined", name)
			}
			t = r.namedStruct(string(name))
		}
		r.Next()
		return t
	case r.Is('{') || r.Is('[') || r.Is('<'):
		return r.bracketed()
	}
	r.Fail("%q stands where a type belongs", r.Shown())
	return nil
}

// bracketed reads an aggregate or vector type. Clang repeats a few types, so they are cached by their text.
func (r *reader) bracketed() *Type {
	start := r.Start
	if !r.declaring {
		if end := typeEnd(r.Text, start); end > 0 {
			if t := r.typeTexts[string(r.Text[start:end])]; t != nil {
				r.Seek(end)
				return t
			}
		}
	}
	t := r.aggregateType()
	if !r.declaring {
		// The token after the type is the current one.
		if end := typeEnd(r.Text, start); end > 0 {
			r.typeTexts[string(r.Text[start:end])] = t
		}
	}
	return t
}

// maxTypeText bounds the texts of cached types, in bytes.
const maxTypeText = 512

// typeEnd returns the end of the bracket that opens at start; 0 if it is long or contains quotes or comments.
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
	case r.Is('{'):
		return r.structOf(r.fieldTypes(), false)
	case r.Accept('['):
		n := r.Uint(math.MaxInt64)
		r.ExpectWord("x")
		elem := r.typ()
		r.Expect(']')
		return r.sequence(ArrayType, n, elem)
	}
	r.Expect('<')
	if r.Is('{') {
		fields := r.fieldTypes()
		r.Expect('>')
		return r.structOf(fields, true)
	}
	scalable := r.AcceptWord("vscale")
	if scalable {
		r.ExpectWord("x")
	}
	n := r.Uint(math.MaxInt64)
	r.ExpectWord("x")
	elem := r.typ()
	r.Expect('>')
	switch {
	case scalable:
		return r.opaqueType("scalable vector", 0)
	case elem.Kind != IntType && elem.Kind != FloatType && elem.Kind != PointerType:
		r.Fail("a vector of %s", elem)
	}
	return r.sequence(VectorType, n, elem)
}

func (r *reader) fieldTypes() []*Type {
	r.Expect('{')
	var fields []*Type
	for !r.Is('}') {
		fields = append(fields, r.typ())
		if !r.Accept(',') {
			break
		}
	}
	r.Expect('}')
	return fields
}

// wordType reads a type that is a single word.
func (r *reader) wordType() *Type {
	w := r.Word()
	var t *Type
	switch string(w) {
	case "void":
		t = r.types.void
	case "metadata":
		t = r.types.metadata
	case "half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128":
		t = r.floatType(string(w))
	case "label":
		t = r.intern(typeKey{kind: LabelType}, &Type{Kind: LabelType})
	case "x86_mmx":
		t = r.opaqueType("x86_mmx", 8)
	case "x86_amx":
		t = r.opaqueType("x86_amx", 1024)
	case "token":
		t = r.opaqueType("token", 0)
	case "ptr":
		r.Next()
		space := int64(0)
		if r.IsWord("addrspace") {
			space = r.addrSpace()
		}
		return r.opaquePointer(space)
	default:
		if w[0] != 'i' || len(w) < 2 || len(bytes.TrimLeft(w[1:], "0123456789")) > 0 {
			r.Fail("%q is no type that is known here", w)
		}
		t = r.intType(r.Decimal(w[1:], 1<<23))
	}
	r.Next()
	return t
}

// defineType reads the definition of a named type.
func (r *reader) defineType(name string) {
	t := r.namedStruct(name)
	if t.defined {
		r.Fail("type %%%s is defined twice", name)
	}
	t.defined = true
	if r.AcceptWord("opaque") {
		return
	}
	packed := r.Accept('<')
	if !r.Is('{') {
		r.Fail("type %%%s is no struct", name)
	}
	t.Kind, t.Align, t.Packed = StructType, 0, packed
	t.Fields = r.fieldTypes()
	if packed {
		r.Expect('>')
	}
}
