package pipeline

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// CacheDir is the folder where compiled files are kept from one run to the next, unless
// Settings say otherwise.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for a cache: %w", err)
	}
	return filepath.Join(dir, "unitproof", "units"), nil
}

// An entry that was not written for so long is removed; looking for such is done once a day.
const (
	cacheAge      = 14 * 24 * time.Hour
	cacheInterval = 24 * time.Hour
)

// TrimCache removes what is old, when it was not done lately. What cannot be removed stays.
func TrimCache(dir string) {
	stamp := filepath.Join(dir, "trimmed")
	info, err := os.Stat(stamp)
	if err == nil && time.Since(info.ModTime()) < cacheInterval {
		return
	}
	if os.WriteFile(stamp, nil, 0o644) != nil {
		return // there is no cache, or it is not ours
	}
	now := time.Now()
	_ = os.Chtimes(stamp, now, now) // only decides when this is done again
	_ = walkCache(dir, func(path string, info fs.FileInfo) error {
		if now.Sub(info.ModTime()) > cacheAge {
			return os.Remove(path)
		}
		return nil
	})
}

// CacheSize counts the entries of a cache and their bytes. A folder that is not there is empty.
func CacheSize(dir string) (entries int, bytes int64, err error) {
	err = walkCache(dir, func(_ string, info fs.FileInfo) error {
		entries++
		bytes += info.Size()
		return nil
	})
	return entries, bytes, err
}

// CleanCache removes all entries. Whatever else lies in the folder stays.
func CleanCache(dir string) error {
	return walkCache(dir, func(path string, _ fs.FileInfo) error { return os.Remove(path) })
}

func walkCache(dir string, visit func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil // nothing there, or removed meanwhile
		case err != nil:
			return err
		case d.IsDir() || filepath.Ext(path) != ".unit":
			return nil
		}
		info, err := d.Info()
		if err != nil {
			if os.IsNotExist(err) {
				return nil
			}
			return err
		}
		return visit(path, info)
	})
}
