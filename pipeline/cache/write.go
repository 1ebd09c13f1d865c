package cache

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// WriteFile makes the parts, one after the other, the content of a file, so that a reader sees the old content or the
// new one, and two writers do not mix: it is written beside its place, as NAME-NUMBER, and renamed. Folders are made,
// the mode is 0644, nothing is synced: what a machine's crash leaves behind has to be harmless to readers.
func WriteFile(path string, parts ...[]byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		f, err = os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*")
	}
	if err != nil {
		return err
	}
	for _, part := range parts {
		if err == nil {
			_, err = f.Write(part)
		}
	}
	if e := f.Chmod(0o644); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// EnsureFile is WriteFile for a file that may have the content already: then nothing is written, and its time stays.
func EnsureFile(path string, data []byte) error {
	if old, err := regular.ReadOwn(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return WriteFile(path, data)
}
