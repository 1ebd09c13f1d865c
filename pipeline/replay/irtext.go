package replay

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

func typeList(ts []*llvmir.Type) string {
	var parts []string
	for _, t := range ts {
		parts = append(parts, typeText(t))
	}
	return strings.Join(parts, ", ")
}

// typeText returns a type in LLVM's syntax.
func typeText(t *llvmir.Type) string {
	switch t.Kind {
	case llvmir.PointerType:
		if t.Elem == nil {
			return t.String()
		}
		return typeText(t.Elem) + "*"
	case llvmir.ArrayType:
		return fmt.Sprintf("[%d x %s]", t.Len, typeText(t.Elem))
	case llvmir.VectorType:
		return fmt.Sprintf("<%d x %s>", t.Len, typeText(t.Elem))
	case llvmir.StructType:
		switch {
		case t.Name != "":
			return `%"` + t.Name + `"`
		case t.Packed:
			return "<{ " + typeList(t.Fields) + " }>"
		case len(t.Fields) == 0:
			return "{}"
		}
		return "{ " + typeList(t.Fields) + " }"
	case llvmir.FuncType:
		params := typeList(t.Params)
		if t.Variadic {
			if params != "" {
				params += ", "
			}
			params += "..."
		}
		return fmt.Sprintf("%s (%s)", typeText(t.Ret), params)
	case llvmir.OpaqueType:
		return `%"` + t.Name + `"`
	}
	return t.String()
}

// splitTop splits a list at the commas outside brackets and quotes, up to the bracket that closes it.
func splitTop(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
			}
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			if depth--; depth < 0 {
				return append(parts, strings.TrimSpace(s[start:i]))
			}
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

// operands returns the operands of an instruction: the text behind its name, split at the commas.
func operands(s, op string) []string {
	i := strings.Index(s, op)
	if i < 0 {
		return nil
	}
	rest := s[i+len(op):]
	for _, word := range []string{"atomic ", "volatile ", "inalloca "} {
		rest = strings.TrimPrefix(rest, word)
	}
	return splitTop(rest)
}

// splitOperand splits "TYPE ATTRIBUTES VALUE" into type and value; a constant expression is one value.
func splitOperand(s string) (typ, value string) {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			for i++; i < len(s) && s[i] != '"'; i++ {
			}
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ' ':
			if depth > 0 || i+1 < len(s) && s[i+1] == '(' || s[i+1] == '*' { // a function type continues
				continue
			}
			typ, value = s[:i], s[i+1:]
			for {
				word, rest, ok := strings.Cut(value, " ")
				if !ok || !parameterAttribute(word) {
					return typ, value
				}
				value = rest
				if word == "align" {
					_, value, _ = strings.Cut(value, " ")
				}
			}
		}
	}
	return s, ""
}

// accessed splits the pointer operand of a load or store like splitOperand, without the scope and ordering of atomic
// ones.
func accessed(s string) (typ, value string) {
	typ, value = splitOperand(s)
	for _, word := range []string{" syncscope(", " unordered", " monotonic", " acquire", " release", " seq_cst"} {
		value, _, _ = strings.Cut(value, word)
	}
	return typ, value
}

func parameterAttribute(word string) bool {
	name, _, _ := strings.Cut(word, "(")
	switch name {
	case "noundef", "nonnull", "signext", "zeroext", "inreg", "noalias", "nocapture", "returned", "align",
		"dereferenceable", "dereferenceable_or_null",
		"readonly", "writeonly", "readnone", "immarg", "elementtype", "byval", "sret", "nest", "swiftself", "noalias,",
		"allocalign", "allocptr", "dead_on_unwind", "writable", "captures":
		return true
	}
	return false
}
