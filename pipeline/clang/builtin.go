package clang

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Builtin reports whether the engine executes a function of that name without a body, so that nobody
// has to look for one. A function of the user's with that name is still executed as written.
func Builtin(name string) bool {
	switch language.Lookup(name).Role {
	case language.None:
		return strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, clangir.SanitizerHandler)
	case language.Unknown, language.Impossible:
		return false // a body would tell what it means
	}
	return true
}
