package paths

import "strings"

// CacheTag is the file that marks a folder of files which a program can make again (bford.info/cachedir), and
// CacheTagText what it begins with.
const (
	CacheTag     = "CACHEDIR.TAG"
	CacheTagText = "Signature: 8a477f597d28d172789f06886806bc55\n"
)

// Skipped tells whether a folder of this name, below the root, is no place for proofs: a hidden one, or one of npm's.
func Skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// marks are the files that say so of the folder that holds them: what lies there and below was made by a program.
var marks = map[string]bool{"CMakeCache.txt": true, CacheTag: true}

// IsMark tells whether a file of this name marks the folder that holds it as made by a program: CMake's build folders,
// and caches, such as Cargo's or our own.
func IsMark(name string) bool { return marks[name] }

// Marks are the names that IsMark knows.
func Marks() []string {
	names := make([]string, 0, len(marks))
	for name := range marks {
		names = append(names, name)
	}
	return names
}
