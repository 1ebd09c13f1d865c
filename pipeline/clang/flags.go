package clang

import "strings"

// definesNDEBUG reports whether flags of cflags.Filter leave NDEBUG defined; the last -D or -U wins.
func definesNDEBUG(flags []string) bool {
	on := false
	for _, f := range flags {
		switch name, _, _ := strings.Cut(f, "="); name {
		case "-DNDEBUG":
			on = true
		case "-UNDEBUG":
			on = false
		}
	}
	return on
}
