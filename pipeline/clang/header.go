package clang

import (
	_ "embed" // for the header's text
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

//go:embed unitproof.h
var header []byte

// Header is the text of the shipped unitproof.h.
func Header() []byte { return append([]byte(nil), header...) }

var headerFallback struct {
	sync.Mutex
	dir string
}

// HeaderDir is the folder that holds the shipped unitproof.h, written there when it is absent or of
// another version. The path is stable, so that clangd can be pointed to it. Where the user's cache
// folder cannot be written, a temporary folder of this process stands in: proofs go on working.
func HeaderDir() (string, error) {
	dir, err := cacheDir()
	if err == nil {
		dir = filepath.Join(dir, "include")
		if err = ensureFile(filepath.Join(dir, "unitproof.h"), header); err == nil {
			return dir, nil
		}
	}
	headerFallback.Lock()
	defer headerFallback.Unlock()
	if headerFallback.dir == "" {
		tmp, e := os.MkdirTemp("", "unitproof-include-")
		if e != nil {
			return "", fmt.Errorf("no place for unitproof.h: %w; %w", err, e)
		}
		headerFallback.dir = tmp
	}
	if err := ensureFile(filepath.Join(headerFallback.dir, "unitproof.h"), header); err != nil {
		return "", fmt.Errorf("no place for unitproof.h: %w", err)
	}
	return headerFallback.dir, nil
}
