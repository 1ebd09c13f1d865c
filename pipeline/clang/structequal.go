package clang

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
)

// goto-cc accepts == and != on structs and compares them member by member, including the padding; C forbids it. clang
// gets an equivalent comparison of bytes.

// structOperands matches clang's error for it.
var structOperands = lazyregexp.New(`^invalid operands to binary expression \('((?:const )?(?:struct |union )?\w+)'(?: \(aka '[^']*'\))? and '((?:const )?(?:struct |union )?\w+)'(?: \(aka '[^']*'\))?\)$`)

// compareBytes rewrites the comparison of two structs whose operator is at an offset of a text. It returns false if
// there is no comparison or its operands cannot be determined.
func compareBytes(text []byte, at int) ([]byte, bool) {
	operator := text[at:min(at+2, len(text))]
	if string(operator) != "==" && string(operator) != "!=" {
		return nil, false
	}
	from, to := csource.NewSource(text).Range(at, csource.Operation)
	if from >= at || to <= at+2 {
		return nil, false
	}
	left, right := bytes.TrimSpace(text[from:at]), bytes.TrimSpace(text[at+2:to])
	if len(left) == 0 || len(right) == 0 || bytes.ContainsAny(text[from:to], "\n#\"'") {
		return nil, false
	}
	from += bytes.Index(text[from:at], left)
	to = at + 2 + bytes.Index(text[at+2:to], right) + len(right)
	return slices.Concat(text[:from], fmt.Appendf(nil, "(__builtin_memcmp(&(%s), &(%s), sizeof(%s)) %s 0)", left, right,
		left, operator), text[to:]), true
}
