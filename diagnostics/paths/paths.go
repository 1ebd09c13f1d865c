// Package paths has the two ways in which files of a workspace are named, and goes from one to the other: results name
// them relative to the root where they lie below it, everything else by absolute paths. A path without links, of which
// each file has one, is a links.Real of package pipeline/links.
package paths

import (
	"path"
	"path/filepath"
	"strings"
)

// Root is the absolute folder of a workspace. "" stands for none.
type Root string

// Show names a file, given by its absolute path, as results do: with slashes, relative to the root where it lies below
// it, else absolute.
func (r Root) Show(file string) string {
	if file == "" {
		return ""
	}
	file = path.Clean(filepath.ToSlash(file))
	root := path.Clean(filepath.ToSlash(string(r)))
	if r == "" || root == "/" {
		return file // everything lies below it, and nothing gets clearer
	}
	if rest, below := strings.CutPrefix(file, root+"/"); below {
		return rest
	}
	return file
}

// Within tells whether a path is a folder or lies below it; both are absolute and clean.
func Within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// Find is the absolute path of a file that a result names, "" for none.
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
