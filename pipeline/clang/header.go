package clang

import (
	"crypto/sha256"
	_ "embed" // for the header's text
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/scratch"
)

//go:embed unitproof.h
var header []byte

//go:embed klee.h
var kleeHeader []byte

// kleeHeaderName is klee.h as proofs for KLEE include it.
const kleeHeaderName = "klee/klee.h"

//go:embed native/unitproof_run.c
var runSource []byte

// RunSourceName is the name of the file that RunSource holds.
const RunSourceName = "unitproof_run.c"

// RunSource is the C file with which unit proofs are run natively. It is shipped beside unitproof.h,
// for users who link harnesses with libFuzzer; its head says how.
func RunSource() []byte { return append([]byte(nil), runSource...) }

// Header is the text of the shipped unitproof.h.
func Header() []byte { return append([]byte(nil), header...) }

// HeaderDir is the folder that holds the shipped unitproof.h for those who read it beside us, such as clangd, written
// there when it is absent or of another version. The path is stable; so the text is of the version that came last.
func HeaderDir() (string, error) { return headerDir("include") }

// Headers is the folder of the same files that this program compiles with. It is named after them: a program of another
// version, such as that of an editor's extension, has its own, and cannot change them while a compiler reads them.
func Headers() (string, error) {
	if _, err := HeaderDir(); err != nil { // where editors look for it
		return "", err
	}
	return headerDir("include-" + headersSum())
}

var headersSum = sync.OnceValue(func() string {
	h := sha256.New()
	for _, text := range [][]byte{header, runSource, cproverHeader, kleeHeader} {
		fmt.Fprintf(h, "%d\n%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// headerDir writes the headers into a folder of the user's cache. Where that cannot be written, a temporary folder of
// this process stands in: proofs go on working.
func headerDir(name string) (string, error) {
	dir, err := cacheDir()
	if err == nil {
		dir = filepath.Join(dir, name)
		if err = ensureHeaders(dir); err == nil {
			return dir, nil
		}
	}
	tmp, e := scratch.Path(name)
	if e == nil {
		e = ensureHeaders(tmp)
	}
	if e != nil {
		return "", fmt.Errorf("no place for unitproof.h: %w; %w", err, e)
	}
	return tmp, nil
}

func ensureHeaders(dir string) error {
	return errors.Join(cache.EnsureFile(filepath.Join(dir, "unitproof.h"), header),
		cache.EnsureFile(filepath.Join(dir, RunSourceName), runSource),
		os.MkdirAll(filepath.Join(dir, filepath.Dir(kleeHeaderName)), 0o755),
		cache.EnsureFile(filepath.Join(dir, kleeHeaderName), kleeHeader),
		cache.EnsureFile(filepath.Join(dir, cproverHeaderName), cproverHeader))
}
