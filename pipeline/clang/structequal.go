package clang

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// goto-cc compares structs with == and !=, member by member and with the padding, which C forbids. What clang is given instead compares
// their bytes, which is the same.

// structOperands is what clang says of it.
var structOperands = lazyregexp.New(`^invalid operands to binary expression \('((?:const )?(?:struct |union )?\w+)'(?: \(aka '[^']*'\))? and '((?:const )?(?:struct |union )?\w+)'(?: \(aka '[^']*'\))?\)$`)

// compareBytes rewrites the comparison of two structs whose operator stands at an offset of a text; false where it is none or its operands
// do not show.
func compareBytes(text []byte, at int) ([]byte, bool) {
	operator := text[at:min(at+2, len(text))]
	if string(operator) != "==" && string(operator) != "!=" {
		return nil, false
	}
	from, to := operandBefore(text, at), operandBehind(text, at+2)
	if from < 0 || to < 0 {
		return nil, false
	}
	left, right := bytes.TrimSpace(text[from:at]), bytes.TrimSpace(text[at+2:to])
	if len(left) == 0 || len(right) == 0 || bytes.ContainsAny(text[from:to], "\n#\"'") {
		return nil, false
	}
	from += bytes.Index(text[from:at], left)
	to = at + 2 + bytes.Index(text[at+2:to], right) + len(right)
	return slices.Concat(text[:from], fmt.Appendf(nil, "(__builtin_memcmp(&(%s), &(%s), sizeof(%s)) %s 0)", left, right, left, operator), text[to:]), true
}

// operandBefore is where the operand begins that ends before an offset, -1 where it does not show: behind an open bracket, an operator that
// binds less, or return.
func operandBefore(text []byte, at int) int {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch c := text[i]; {
		case c == ')' || c == ']':
			depth++
		case depth > 0 && (c == '(' || c == '['):
			depth--
		case depth > 0:
		case c == '>' && i > 0 && text[i-1] == '-':
			i--
		case bytes.IndexByte([]byte("([{};,?:&|=!<>^+"), c) >= 0 && !(c == '&' && (i == 0 || text[i-1] != '&') && unary(text[:i])):
			return i + 1
		case c == ' ' && bytes.HasSuffix(bytes.TrimRight(text[:i+1], " "), []byte("return")):
			return i + 1
		}
	}
	return -1
}

// unary reports whether an operator behind the text has no left operand.
func unary(before []byte) bool {
	before = bytes.TrimRight(before, " \t")
	return len(before) > 0 && bytes.IndexByte([]byte("(,;{=&|!?:"), before[len(before)-1]) >= 0
}

// operandBehind is where the operand ends that begins at an offset, -1 where it does not show.
func operandBehind(text []byte, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' || c == '[':
			depth++
		case depth > 0 && (c == ')' || c == ']'):
			depth--
		case depth > 0:
		case c == '-' && i+1 < len(text) && text[i+1] == '>':
			i++
		case bytes.IndexByte([]byte(")];,?:}&|=!<>^+"), c) >= 0:
			return i
		}
	}
	return -1
}
