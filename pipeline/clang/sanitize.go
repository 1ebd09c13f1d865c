package clang

import "strings"

// sanitizers says which -fsanitize= check of clang makes which kind of obligation (CONTRACT.md,
// section 3). Kinds that are not here are the engine's own: memory, assertions, alignment.
//
// INT_MIN / -1 comes with signed-integer-overflow; integer-divide-by-zero is about zero alone. Never
// `bounds`: it includes local-bounds, a pass that was seen to delete a store to NULL.
var sanitizers = []struct{ kind, checks string }{
	{"signed-overflow", "signed-integer-overflow"},
	{"unsigned-overflow", "unsigned-integer-overflow"},
	{"invalid-shift", "shift-exponent"},
	{"shift-overflow", "shift-base"},
	{"division-by-zero", "integer-divide-by-zero"},
	{"array-bounds", "array-bounds"},
	{"invalid-builtin", "builtin"},
	{"float-to-int-overflow", "float-cast-overflow"},
	{"invalid-size", "vla-bound"},
	{"unreachable", "return,unreachable"},
}

// sanitizeFlag is the -fsanitize option for the kinds that are on, or "".
func sanitizeFlag(checks map[string]bool) string {
	var list []string
	for _, s := range sanitizers {
		if checks[s.kind] {
			list = append(list, s.checks)
		}
	}
	if list == nil {
		return ""
	}
	return "-fsanitize=" + strings.Join(list, ",")
}
