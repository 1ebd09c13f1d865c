// Package paths converts between the two kinds of file names in a workspace. Results have names relative to the root
// if the file lies below it; everything else has absolute paths:
//
//	Root("/home/me/ring").Show("/home/me/ring/src/ring.c")   // src/ring.c
//	Root("/home/me/ring").Find("src/ring.c")                 // /home/me/ring/src/ring.c
//
// A path without symbolic links, which is unique for each file, is a links.Real of package pipeline/links.
package paths

import (
	"path"
	"path/filepath"
	"strings"
)

// Root is the absolute folder of a workspace, or "".
type Root string

// Show returns the name of a file in results: with slashes, relative to the root if the file lies below it, else
// absolute.
func (r Root) Show(file string) string {
	if file == "" {
		return ""
	}
	file = path.Clean(filepath.ToSlash(file))
	root := path.Clean(filepath.ToSlash(string(r)))
	if r == "" || root == "/" {
		return file // everything lies below it, so a relative name is not clearer
	}
	if rest, below := strings.CutPrefix(file, root+"/"); below {
		return rest
	}
	return file
}

// Within reports whether a path is a folder or lies below it; both are absolute and clean.
func Within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Find returns the absolute path of a file name in a result, or "" for an empty name.
func (r Root) Find(file string) string {
	name := filepath.FromSlash(file)
	switch {
	case name == "":
		return ""
	case filepath.IsAbs(name), r == "":
		return filepath.Clean(name)
	}
	return filepath.Join(string(r), name)
}
