package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Programs and libraries cannot have a checksum in front. They have it beside them, over name and content: one that was
// damaged, emptied by a power failure or exchanged for another one is made again, and not run.

// SealSuffix is what the name of the checksum's file ends in.
const SealSuffix = ".sum"

// Seal writes the checksum of a file that is finished.
func Seal(path string) error {
	sum, err := sealOf(path)
	if err != nil {
		return err
	}
	return WriteFile(path+SealSuffix, []byte(sum))
}

// Sealed tells whether a file is what was sealed.
func Sealed(path string) bool {
	kept, err := regular.ReadOwn(path + SealSuffix)
	if err != nil || len(kept) != 2*sha256.Size {
		return false
	}
	sum, err := sealOf(path)
	return err == nil && sum == string(kept)
}

func sealOf(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	fmt.Fprintf(h, "%q ", filepath.Base(path))
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// WriteSummed is WriteFile for a small file with its checksum in front, which ReadSummed looks at.
func WriteSummed(path string, data []byte) error {
	return writeEntry(path, Key(sha256.Sum256([]byte(filepath.Base(path)))), data)
}

// ReadSummed is the content of such a file, if it is what was written under that name.
func ReadSummed(path string) ([]byte, error) {
	return readEntry(path, Key(sha256.Sum256([]byte(filepath.Base(path)))), false)
}
