package clang

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// sanitizeFlag is the -fsanitize option for the kinds that are on, or "". Kinds without a sanitizer are the engine's
// own: memory, assertions, alignment.
//
// INT_MIN / -1 comes with signed-integer-overflow; integer-divide-by-zero is about zero alone. Never
// `bounds`: it includes local-bounds, a pass that was seen to delete a store to NULL.
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
