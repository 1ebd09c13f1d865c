package cache

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// WriteFile makes the concatenated parts the content of a file. It writes a temporary file NAME-NUMBER beside it and
// renames it, so that a reader sees the old content or the new one, and two writers do not mix. It creates folders; the
// mode is 0644. It does not sync: readers have to tolerate the remains of a crash of the machine.
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

// EnsureFile is like WriteFile, but does not write if the file already has the content, so its modification time
// remains.
func EnsureFile(path string, data []byte) error {
	if old, err := regular.ReadOwn(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return WriteFile(path, data)
}
