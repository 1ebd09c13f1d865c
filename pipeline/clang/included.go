package clang

import (
	"bytes"
	"path/filepath"
)

// The special options of a unit can be guessed from the texts that it reads, which saves a compilation that
// fails. Which files these are is guessed, too: all that #include lines name, whatever the conditions around them.

// maxReached limits the files that are read before clang runs on a unit.
const maxReached = 200

// reachedFile is a file that clang may read for a unit, with its text.
type reachedFile struct {
	path string // absolute
	text []byte
}

// reached lists a unit's own file and the files that it may include, directly or indirectly. Quoted names are searched
// in the folder of the including file. With the user's flags, all names are also searched in the folders that the flags
// add, and files that flags include are added. Names that are not found are dropped.
func (c *compilation) reached(u Unit, user []string) (files []reachedFile) {
	dirs := includeDirs(user)
	for i, d := range dirs {
		dirs[i] = absolute(d, u.Dir)
	}
	seen := map[string]bool{}
	add := func(path string) bool {
		if seen[path] {
			return true
		}
		text, err := c.read(path)
		if err != nil {
			return false
		}
		seen[path] = true
		files = append(files, reachedFile{path, text})
		return true
	}
	search := func(name string) {
		for _, d := range dirs {
			if add(absolute(name, d)) {
				return
			}
		}
	}
	add(u.path())
	for i, f := range user {
		if i > 0 && (user[i-1] == "-include" || user[i-1] == "-imacros") && !add(absolute(f, u.Dir)) {
			search(f)
		}
	}
	for i := 0; i < len(files); i++ {
		for _, name := range includes(files[i].text) {
			if len(files) == maxReached {
				return files
			}
			if !name.quoted || !add(absolute(name.name, filepath.Dir(files[i].path))) {
				search(name.name)
			}
		}
	}
	return files
}

// includeName is the name of a file that a text includes or tests for.
type includeName struct {
	name   string
	quoted bool // in quotes, not in angle brackets
}

// includes are the literal names in #include, #include_next, #import and __has_include of a text, in comments and in
// inactive branches, too. (A regular expression takes 20 ns per byte.)
func includes(text []byte) (names []includeName) {
	for _, word := range []string{"include", "import"} {
		for rest := text; ; {
			at := bytes.Index(rest, []byte(word))
			if at < 0 {
				break
			}
			before := rest[:at]
			rest = rest[at+len(word):]
			after := rest
			if word == "include" {
				after = bytes.TrimPrefix(after, []byte("_next"))
			}
			after = bytes.TrimLeft(after, " \t")
			asks := bytes.HasSuffix(before, []byte("__has_")) && word == "include" && bytes.HasPrefix(after, []byte{'('})
			if asks {
				after = bytes.TrimLeft(after[1:], " \t")
			}
			if !asks && !bytes.HasSuffix(bytes.TrimRight(before, " \t"), []byte("#")) ||
				len(after) == 0 || after[0] != '"' && after[0] != '<' {
				continue
			}
			end := bytes.IndexAny(after[1:], "<>\"\n")
			if end > 0 && (after[1+end] == '>' || after[1+end] == '"') {
				names = append(names, includeName{string(after[1 : 1+end]), after[0] == '"'})
			}
		}
	}
	return names
}
