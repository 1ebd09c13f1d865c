package clang

import (
	"bytes"
	"path/filepath"
)

// What clang will have to be told of a unit can be guessed from the texts that it reads, which saves a compilation that
// fails. Which files these are is guessed, too: all that #include lines name, whatever the conditions around them.

// maxReached bounds the files that are looked through before clang has said anything of a unit.
const maxReached = 200

// reachedFile is a file that clang may read for a unit, with its text.
type reachedFile struct {
	path string // absolute
	text []byte
}

// reached lists a unit's own file and the files that are included in it, directly or not: names in quotes are looked
// for in the folder of the file that they stand in, then all names in the given folders. What is not found is left out.
func (c *compilation) reached(u Unit, dirs []string) (files []reachedFile) {
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
	add(u.path())
	for i := 0; i < len(files); i++ {
		for _, name := range includes(files[i].text) {
			if len(files) == maxReached {
				return files
			}
			found := name.quoted && add(absolute(name.name, filepath.Dir(files[i].path)))
			for j := 0; j < len(dirs) && !found; j++ {
				found = add(absolute(name.name, dirs[j]))
			}
		}
	}
	return files
}

// includeName is the name of a file in an #include line.
type includeName struct {
	name   string
	quoted bool // in quotes, not in angle brackets
}

// includes are the names of files in the #include lines of a text, in comments and in branches that are not compiled,
// too. (A regular expression takes 20 ns a byte.)
func includes(text []byte) (names []includeName) {
	for {
		at := bytes.Index(text, []byte("include"))
		if at < 0 {
			return names
		}
		before, after := bytes.TrimRight(text[:at], " \t"), bytes.TrimLeft(text[at+len("include"):], " \t")
		text = text[at+len("include"):]
		if !bytes.HasSuffix(before, []byte("#")) || len(after) == 0 {
			continue
		}
		end := after[:1]
		switch {
		case after[0] == '<':
			end = []byte{'>'}
		case after[0] != '"':
			continue
		}
		line, _, _ := bytes.Cut(after[1:], []byte("\n"))
		if name, _, closed := bytes.Cut(line, end); closed && len(name) > 0 {
			names = append(names, includeName{string(name), after[0] == '"'})
		}
	}
}
