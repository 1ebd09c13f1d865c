package clang

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// sanitizeFlag returns the -fsanitize option for the enabled kinds, or "". Kinds without a sanitizer are checked by the
// engine: memory, assertions, alignment.
//
// signed-integer-overflow covers INT_MIN / -1; integer-divide-by-zero is about zero only. `bounds` is never used: it
// includes local-bounds, a pass that was seen to delete a store to NULL.
func sanitizeFlag(checks map[found.Kind]bool) string {
	var list []string
	for _, k := range found.Kinds() {
		if s := k.Info().Sanitizer; s != "" && checks[k] {
			list = append(list, s)
		}
	}
	if list == nil {
		return ""
	}
	return "-fsanitize=" + strings.Join(list, ",")
}
