package clang

import (
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
