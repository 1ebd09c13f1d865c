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

// kleeHeaderName is the name by which proofs for KLEE include klee.h.
const kleeHeaderName = "klee/klee.h"

//go:embed native/unitproof_run.c
var runSource []byte

// RunSourceName is the file name of RunSource.
const RunSourceName = "unitproof_run.c"

// RunSource returns the C file with which unit proofs run natively. It is shipped beside unitproof.h for users who link
// harnesses with libFuzzer; the comment at its top explains how.
func RunSource() []byte { return append([]byte(nil), runSource...) }

//go:embed native/unitproof_sanitizers.c
var sanitizersSource []byte

// SanitizersSource returns the C file with the runtime of the sanitizers for programs that an emulator executes.
func SanitizersSource() []byte { return append([]byte(nil), sanitizersSource...) }

// Header returns the text of the shipped unitproof.h.
func Header() []byte { return append([]byte(nil), header...) }

// HeaderDir returns the folder with unitproof.h for other readers, such as clangd. The header is written if it is
// absent or has another version. The path is stable, so the text is that of the last version that ran.
func HeaderDir() (string, error) { return headerDir("include") }

// Headers returns the folder of the same files for compilations by this program. Its name contains their hash: another
// version, such as that of an editor extension, has its own folder and cannot change the files while a compiler reads
// them.
func Headers() (string, error) {
	if _, err := HeaderDir(); err != nil { // for editors
		return "", err
	}
	return headerDir("include-" + headersSum())
}

var headersSum = sync.OnceValue(func() string {
	h := sha256.New()
	for _, text := range [][]byte{header, runSource, cproverHeader, kleeHeader} {
		fmt.Fprintf(h, "%d\n%s", len(text), text)
	}
	_ = eachFreestanding(func(name string, text []byte) error { // embedded files have no errors
		fmt.Fprintf(h, "%s\n%d\n%s", name, len(text), text)
		return nil
	})
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// headerDir writes the headers to a folder of the user's cache. If that fails, it uses a temporary folder of this
// process, so that proofs still work.
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
		cache.EnsureFile(filepath.Join(dir, cproverHeaderName), cproverHeader),
		eachFreestanding(func(name string, text []byte) error {
			file := filepath.Join(dir, filepath.FromSlash(name))
			return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), cache.EnsureFile(file, text))
		}))
}
