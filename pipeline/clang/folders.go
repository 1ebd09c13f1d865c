package clang

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// cacheDir is this package's folder in the user's cache folder. Everything in it can be rebuilt.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "unitproof"), nil
}

// toolchainDir holds what is known about compilers and belongs to no proof.
func toolchainDir() (string, error) {
	dir, err := cacheDir()
	return filepath.Join(dir, "toolchain"), err
}

// writeAtomically writes the file so that a reader sees the old content or the new one, and two
// writers do not mix. Folders are made.
func writeAtomically(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
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
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// ensureFile makes the file have the content, writing only when it differs.
func ensureFile(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return writeAtomically(path, data)
}
