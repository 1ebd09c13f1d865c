package language

import "strings"

// FileLocal begins the names of static functions that goto-cc --export-file-local-symbols exports.
//
// __CPROVER_file_local_FILE_c_NAME is the function NAME of FILE.c.
const FileLocal = "__CPROVER_file_local_"

// WithoutFile returns NAME for __CPROVER_file_local_FILE_c_NAME, and other names unchanged.
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
