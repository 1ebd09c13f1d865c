package cache

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"sync"
)

func parseKey(text string) (k Key, ok bool) {
	n, err := hex.Decode(k[:], []byte(text))
	return k, err == nil && n == len(k) && len(text) == 2*len(k)
}

// Engine returns the identity of the running program. It is in the key of everything that the engine computes, so a
// rebuilt engine never uses results of another one. It is the go command's build ID, which contains the hash of the
// linked program, including C++ libraries; a program without one is identified by the hash of its file. An error means
// that nothing may be stored.
var Engine = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program: %w", err)
	}
	return engineOf(path)
})

func engineOf(path string) (string, error) {
	if id := buildID(path); id != "" {
		return "build " + id, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the path of this program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("the path of this program: %w", err)
	}
	return "file " + hex.EncodeToString(h.Sum(nil)), nil
}

// buildID parses the note that cmd/link writes: three words of sizes and type, the name "Go", the build ID.
func buildID(path string) string {
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil {
		return ""
	}
	data, err := s.Data()
	if err != nil || len(data) < 16 || string(data[12:14]) != "Go" {
		return ""
	}
	size := f.ByteOrder.Uint32(data[4:8])
	if uint64(size) > uint64(len(data)-16) {
		return ""
	}
	return string(data[16 : 16+size])
}
