package clang

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// RealPath resolves links as far as the path exists: a buffer may be of a file yet to be made.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir, base := filepath.Split(path)
	// Not cleaned: behind a link, .. is not the folder before it.
	if dir = strings.TrimRight(dir, "/"); dir == "" {
		return filepath.Clean(path)
	}
	return filepath.Join(RealPath(dir), base)
}

// RealPaths is [RealPath] with a memory for folders, for those who ask for thousands of files in few folders: after an
// edit of a header of aws-c-common, resolving every folder of every path anew took two of 2.4 s. It is to be thrown away
// before links between folders may have changed. The zero value is ready for use, by several goroutines.
type RealPaths struct {
	folders sync.Map // as written -> without links
}

// Of is the path without links.
func (r *RealPaths) Of(path string) string {
	dir, base := filepath.Split(path)
	if dir == "" || base == "" || base == "." || base == ".." {
		return RealPath(path)
	}
	folder, known := r.folders.Load(dir)
	if !known {
		folder = RealPath(dir)
		r.folders.Store(dir, folder)
	}
	path = filepath.Join(folder.(string), base)
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return RealPath(path)
	}
	return path
}
