package paths

import "strings"

// CacheTag is the file that marks a folder of reproducible files (bford.info/cachedir), and CacheTagText is the
// beginning of its content.
const (
	CacheTag     = "CACHEDIR.TAG"
	CacheTagText = "Signature: 8a477f597d28d172789f06886806bc55\n"
)

// Skipped reports whether folders of this name below the root are not searched for proofs: hidden ones and
// node_modules.
func Skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// marks are the files that mark their folder, and everything below it, as made by a program.
var marks = map[string]bool{"CMakeCache.txt": true, CacheTag: true}

// IsMark reports whether a file of this name marks its folder as made by a program: CMake's build folders, and caches
// such as Cargo's or unitproof's own.
func IsMark(name string) bool { return marks[name] }

// Marks returns the names for which IsMark is true.
func Marks() []string {
	names := make([]string, 0, len(marks))
	for name := range marks {
		names = append(names, name)
	}
	return names
}
