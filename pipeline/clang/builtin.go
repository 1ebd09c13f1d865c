package clang

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Builtin reports whether the engine executes a function of that name without a body, so that no definition has to be
// found. A function of the user with that name is still executed as written.
func Builtin(name string) bool {
	switch language.Lookup(name).Role {
	case language.None:
		return strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, clangir.SanitizerHandler)
	case language.Unknown, language.Impossible:
		return false // a body defines its meaning
	}
	return true
}
