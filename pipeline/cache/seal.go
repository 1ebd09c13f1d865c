package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Programs and libraries cannot begin with a checksum. Their checksum, over name and content, is in a file beside them:
// a program that was damaged, emptied by a power failure or exchanged is rebuilt and not run.

// SealSuffix is the suffix of the checksum's file name.
const SealSuffix = ".sum"

// Seal writes the checksum of a complete file.
func Seal(path string) error {
	sum, err := sealOf(path)
	if err != nil {
		return err
	}
	return WriteFile(path+SealSuffix, []byte(sum))
}

// Sealed reports whether a file is unchanged since Seal.
func Sealed(path string) bool {
	stored, err := regular.ReadOwn(path + SealSuffix)
	if err != nil || len(stored) != 2*sha256.Size {
		return false
	}
	sum, err := sealOf(path)
	return err == nil && sum == string(stored)
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

// WriteSummed is like WriteFile for a small file with a checksum at its beginning, which ReadSummed verifies.
func WriteSummed(path string, data []byte) error {
	return writeEntry(path, Key(sha256.Sum256([]byte(filepath.Base(path)))), data)
}

// ReadSummed returns the content of a file of WriteSummed, if it is unchanged and has its original name.
func ReadSummed(path string) ([]byte, error) {
	return readEntry(path, Key(sha256.Sum256([]byte(filepath.Base(path)))), false)
}
