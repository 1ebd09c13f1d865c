package clang

import (
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/cache"
)

// cacheDir returns this package's folder in the user's cache folder. Its content can be rebuilt. If other users can
// write to the folder, cacheDir returns an error, and the folder is not used.
func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "unitproof")
	return dir, cache.Private(dir)
}

// toolchainDir returns the folder for facts about compilers, which belong to no proof.
func toolchainDir() (string, error) {
	dir, err := cacheDir()
	return filepath.Join(dir, "toolchain"), err
}
