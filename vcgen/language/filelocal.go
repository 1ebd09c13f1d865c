package language

import "strings"

// FileLocal begins the names under which goto-cc --export-file-local-symbols makes static functions known to other
// files: __CPROVER_file_local_FILE_c_NAME is the function NAME of FILE.c.
const FileLocal = "__CPROVER_file_local_"

// WithoutFile returns the name of a function in C: NAME for __CPROVER_file_local_FILE_c_NAME, other names as they are.
func WithoutFile(name string) string {
	rest, ok := strings.CutPrefix(name, FileLocal)
	if !ok {
		return name
	}
	for _, ending := range []string{"_c_", "_h_", "_inc_", "_cc_", "_cpp_"} {
		if _, own, ok := strings.Cut(rest, ending); ok && own != "" {
			return own
		}
	}
	return name
}
