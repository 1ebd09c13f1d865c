package harness

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// named reports whether a type can be written before a declarator: its name is one or two words, not a pointer, array
// or function type that is spelled out.
func named(t *llvmir.DIType) bool {
	return t.Kind != llvmir.DIPointer && t.Kind != llvmir.DIArray && t.Kind != llvmir.DIFunc ||
		!strings.ContainsAny(t.Name, "*[(")
}

// Declare returns the declaration of a variable that is not const.
func Declare(t *llvmir.DIType, name string) string { return declare(plain(t), name) }

// declare returns the declaration of declarator with a type: declare(int[4], "*p") is "int (*p)[4]".
func declare(t *llvmir.DIType, declarator string) string {
	switch {
	case t == nil:
		return join("void", declarator)
	case named(t):
		name := t.Name
		if t.Const {
			name = "const " + name
		}
		return join(name, declarator)
	case t.Kind == llvmir.DIPointer:
		star := "*"
		if t.Const {
			star = "*const "
		}
		return declare(t.Elem, strings.TrimSpace(star+declarator))
	case t.Kind == llvmir.DIArray:
		return declare(t.Elem, fmt.Sprintf("%s[%d]", parenthesized(declarator), max(t.Count, 0)))
	}
	var params []string
	for _, p := range t.Fields {
		if p.Type == nil {
			params = append(params, "...")
			continue
		}
		params = append(params, declare(p.Type, ""))
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	return declare(t.Elem, parenthesized(declarator)+"("+strings.Join(params, ", ")+")")
}

func parenthesized(declarator string) string {
	if strings.HasPrefix(declarator, "*") {
		return "(" + declarator + ")"
	}
	return declarator
}

func join(name, declarator string) string {
	if declarator == "" {
		return name
	}
	return name + " " + declarator
}

// plain returns a type without const at its outermost level.
func plain(t *llvmir.DIType) *llvmir.DIType {
	if t == nil || !t.Const {
		return t
	}
	copied := *t
	copied.Const = false
	if !named(t) {
		copied.Name = strings.TrimSuffix(copied.Name, "const")
	}
	return &copied
}

// anonymous reports whether a type has no name in C.
func anonymous(t *llvmir.DIType) bool { return strings.Contains(t.Name, "(anonymous)") }

func isComposite(t *llvmir.DIType) bool {
	return t != nil && (t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion)
}

// incomplete reports whether only the name of a type is known.
func incomplete(t *llvmir.DIType) bool { return isComposite(t) && t.Bits == 0 && len(t.Fields) == 0 }

// arbitraryValues maps names of types to the suffix of the function of unitproof.h that returns an arbitrary value.
var arbitraryValues = map[string]string{
	"_Bool": "bool", "bool": "bool", "char": "char", "int": "int", "unsigned int": "uint", "short": "short",
	"long": "long", "size_t": "size_t", "ssize_t": "ssize_t", "intptr_t": "intptr_t", "uintptr_t": "uintptr_t",
	"float":  "float",
	"double": "double", "int8_t": "int8_t", "uint8_t": "uint8_t", "int16_t": "int16_t", "uint16_t": "uint16_t",
	"int32_t": "int32_t", "uint32_t": "uint32_t", "int64_t": "int64_t", "uint64_t": "uint64_t",
}

// arbitrary returns the call of the function that returns an arbitrary value of a scalar type, or "" for types that
// need memhavoc.
func arbitrary(t *llvmir.DIType) string {
	if name, ok := arbitraryValues[t.Name]; ok {
		return "nd_" + name + "()"
	}
	switch t.Kind {
	case llvmir.DIBool:
		return "nd_bool()"
	case llvmir.DIInt, llvmir.DIChar, llvmir.DIEnum:
		sign := "u"
		if t.Signed {
			sign = ""
		}
		switch t.Bits {
		case 8, 16, 32, 64:
			return fmt.Sprintf("nd_%sint%d_t()", sign, t.Bits)
		}
	case llvmir.DIFloat:
		switch t.Bits {
		case 32:
			return "nd_float()"
		case 64:
			return "nd_double()"
		}
	}
	return ""
}

// maxEnumerators limits the enumerators that a condition lists.
const maxEnumerators = 24

// within returns the condition that a value of an enumeration is an enumerator, or "". Bits may be combined, and have
// no condition.
func within(t *llvmir.DIType, value string) string {
	if t.Kind != llvmir.DIEnum || len(t.Enums) < 2 {
		return ""
	}
	consecutive, bits := true, true
	var each []string
	for i, e := range t.Enums {
		if e.Name == "" {
			return ""
		}
		consecutive = consecutive && e.Value == t.Enums[0].Value+int64(i)
		bits = bits && e.Value&(e.Value-1) == 0
		each = append(each, value+" == "+e.Name)
	}
	switch {
	case !consecutive && (bits || len(each) > maxEnumerators):
		return ""
	case !consecutive:
		return strings.Join(each, " || ")
	}
	low := ""
	if first := t.Enums[0]; first.Value != 0 || t.Signed {
		low = value + " >= " + first.Name + " && "
	}
	return low + value + " <= " + t.Enums[len(t.Enums)-1].Name
}

var lengthName = lazyregexp.New(`(?i)(^|_)(argc|n|no|num|nb|cnt|count|len|length|sz|size|nbytes|` +
	`bytes|siz|max|cap|capacity|nelems?|nitems?|nmemb|n_\w+|num\w+|used|entries|elements|items|alloc|alloced|allocated|avail|\w*len|\w*size|\w*count|\w*length|(?:buf|buffer|data|str|src|dst|in|out)sz)$`)

// notLength matches names of counters that count no elements, and of conditions.
var notLength = lazyregexp.New(`(?i)ref_?count|ref_?cnt|^(?:is|has|was)_`)

// isNumber reports whether a type is that of integers: no characters, enumerations or conditions.
func isNumber(t *llvmir.DIType) bool {
	return t != nil && (t.Kind == llvmir.DIInt || t.Kind == llvmir.DIChar && !isText(t))
}

// isLength reports whether a name and a type are those of a length.
func isLength(name string, t *llvmir.DIType) bool {
	return t != nil && t.Kind == llvmir.DIInt && t.Bits >= 16 && lengthName.MatchString(name) &&
		!notLength.MatchString(name)
}

// isText reports whether a type is the type of the characters of a string.
func isText(t *llvmir.DIType) bool {
	return t.Kind == llvmir.DIChar && strings.HasSuffix(t.Name, "char") && t.Name != "unsigned char"
}

// canHaveLength reports whether a pointer of this type may point to several elements.
func canHaveLength(t *llvmir.DIType) bool {
	if t == nil || t.Kind != llvmir.DIPointer {
		return false
	}
	if t.Elem == nil || t.Elem.Kind == llvmir.DIVoid {
		return true
	}
	switch t.Elem.Kind {
	case llvmir.DIInt, llvmir.DIChar, llvmir.DIBool, llvmir.DIFloat, llvmir.DIEnum:
		return true
	}
	return false
}

// identifier turns the name of a type into an identifier.
func identifier(t *llvmir.DIType) string {
	name := strings.TrimPrefix(strings.TrimPrefix(t.Name, "struct "), "union ")
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}
