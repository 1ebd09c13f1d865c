package cache

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// trimInterval is the minimal time between two evictions.
const trimInterval = time.Hour

// Trim reduces the store below its limit, unless that was done recently.
func (s *Store) Trim() {
	if !s.writable() {
		return
	}
	stamp := filepath.Join(s.dir, "trimmed")
	if info, err := os.Lstat(stamp); err == nil && time.Since(info.ModTime()) < trimInterval {
		return
	}
	if WriteFile(stamp) != nil {
		return // there is no store, or it belongs to another user
	}
	now := time.Now()
	_ = os.Chtimes(stamp, now, now) // only determines the next eviction
	_ = trim(s.dir, s.opts.Limit)
}

// trimTo is the part of the limit that remains after an eviction, so that the next one is not due at once.
const trimTo = 0.8

// trim removes the least recently used files. The time of the last use of a file is its modification time, exact to the
// hour.
func trim(dir string, limit int64) error {
	type file struct {
		path string
		used time.Time
		size int64
	}
	var files []file
	total := int64(0)
	err := walk(dir, func(_ Kind, path string, info fs.FileInfo) error {
		files = append(files, file{path, info.ModTime(), info.Size()})
		total += info.Size()
		return nil
	})
	if err != nil || total <= limit {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if total <= int64(trimTo*float64(limit)) {
			break
		}
		if err := os.Remove(f.path); err != nil && !os.IsNotExist(err) {
			return err
		}
		total -= f.size
	}
	return nil
}

// Usage is the size of the entries of a kind.
type Usage struct {
	Kind    Kind
	Entries int
	Bytes   int64
}

// Usages counts the entries in a folder. A missing folder is empty.
func Usages(dir string) ([]Usage, error) {
	out := make([]Usage, len(Kinds))
	at := map[Kind]*Usage{}
	for i, k := range Kinds {
		out[i].Kind = k
		at[k] = &out[i]
	}
	err := walk(dir, func(kind Kind, path string, info fs.FileInfo) error {
		if _, ok := parseKey(filepath.Base(path)); ok {
			at[kind].Entries++
		}
		at[kind].Bytes += info.Size()
		return nil
	})
	return out, err
}

// Clean removes all entries. Other files in the folder remain.
func Clean(dir string) error {
	return walk(dir, func(_ Kind, path string, _ fs.FileInfo) error {
		if err := os.Remove(path); !os.IsNotExist(err) {
			return err
		}
		return nil
	})
}

// Keys returns the sorted keys of all entries of a kind.
func Keys(dir string, kind Kind) ([]Key, error) {
	var keys []Key
	err := walk(dir, func(k Kind, path string, _ fs.FileInfo) error {
		if key, ok := parseKey(filepath.Base(path)); ok && k == kind {
			keys = append(keys, key)
		}
		return nil
	})
	slices.SortFunc(keys, func(a, b Key) int { return slices.Compare(a[:], b[:]) })
	return keys, err
}

// walk visits the files of all kinds.
func walk(dir string, visit func(kind Kind, path string, info fs.FileInfo) error) error {
	for _, kind := range Kinds {
		err := filepath.WalkDir(filepath.Join(dir, string(kind)), func(path string, d fs.DirEntry, err error) error {
			switch {
			case os.IsNotExist(err):
				return nil // missing, or removed meanwhile
			case err != nil:
				return err
			case d.IsDir() || !isEntry(d.Name()):
				return nil
			}
			info, err := d.Info()
			if err != nil {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			return visit(kind, path, info)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isEntry reports whether a file belongs to the store: an entry, or a temporary file of a writer (see WriteFile) that
// may have been killed. Stores of former versions have two files with such names for an entry.
func isEntry(name string) bool {
	hex, _, _ := strings.Cut(name, "-")
	_, ok := parseKey(hex)
	return ok
}
