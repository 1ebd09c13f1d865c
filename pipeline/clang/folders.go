package clang

import (
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// cacheDir is this package's folder in the user's cache folder. Everything in it can be rebuilt. Where others can write
// to it, that is the error, and nothing of it is used.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "unitproof")
	return dir, cache.Private(dir)
}

// toolchainDir holds what is known about compilers and belongs to no proof.
func toolchainDir() (string, error) {
	dir, err := cacheDir()
	return filepath.Join(dir, "toolchain"), err
}
