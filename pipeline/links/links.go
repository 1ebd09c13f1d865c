// Package links resolves symbolic links, so that two names of one file can be compared. Editors, clang and the user may
// name a file in different ways:
//
//	/home/me/project/a.h     a link in the project
//	/usr/share/lib/a.h       its target
//
// Resolve returns the same Real for both. Memory caches resolved folders, for thousands of files in few folders.
package links

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Real is an absolute path without links: each file has exactly one.
type Real string

// Resolve resolves links as far as the path exists: an editor's buffer may belong to a file that does not exist yet.
func Resolve(path string) Real {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return Real(real)
	}
	dir, base := filepath.Split(path)
	// The path is not cleaned: behind a link, .. is not the folder of the link.
	if dir = strings.TrimRight(dir, "/"); dir == "" {
		return Real(filepath.Clean(path))
	}
	return Real(filepath.Join(string(Resolve(dir)), base))
}

// Memory is [Resolve] with a cache for folders, for thousands of files in few folders: after an edit of a header of
// aws-c-common, resolving every folder of every path took two of 2.4 s. A Memory must be discarded before links between
// folders may have changed. The zero value is ready for use, by several goroutines.
type Memory struct {
	folders sync.Map // as written -> without links
}

// Of returns the path without links.
func (m *Memory) Of(path string) Real {
	dir, base := filepath.Split(path)
	if dir == "" || base == "" || base == "." || base == ".." {
		return Resolve(path)
	}
	folder, known := m.folders.Load(dir)
	if !known {
		folder = Resolve(dir)
		m.folders.Store(dir, folder)
	}
	path = filepath.Join(string(folder.(Real)), base)
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return Resolve(path)
	}
	return Real(path)
}
