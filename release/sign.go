package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"
)

// sumsName is the file of checksums, in the format of sha256sum.
const sumsName = "SHA256SUMS"

// passwordVariable has the password of the private key, "" if it has none.
const passwordVariable = "MINISIGN_PASSWORD"

func checksum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sha256.Sum256(data)), nil
}

// writeSums writes the checksums of all files of the release.
func writeSums(o *options) error {
	entries, err := os.ReadDir(o.out)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, e := range entries { // sorted by name
		if e.IsDir() || strings.HasPrefix(e.Name(), sumsName) {
			continue
		}
		sum, err := checksum(filepath.Join(o.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, e.Name())
	}
	return os.WriteFile(filepath.Join(o.out, sumsName), text.Bytes(), 0o644)
}

// makeKey writes a new private key to a file, and its public key to FILE.pub.
func makeKey(path string) error {
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text, err := private.MarshalText()
	if password := os.Getenv(passwordVariable); err == nil && password != "" {
		text, err = minisign.EncryptKey(password, private)
	}
	if err != nil {
		return err
	}
	shown, err := public.MarshalText()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.WriteFile(path+".pub", append(shown, '\n'), 0o644)
}

// sign writes the signature of a file to FILE.minisig. It depends only on file, key and version.
func sign(path, key, version string) error {
	text, err := os.ReadFile(key)
	if err != nil {
		return err
	}
	var private minisign.PrivateKey
	if minisign.IsEncrypted(text) {
		private, err = minisign.DecryptKey(os.Getenv(passwordVariable), text)
	} else {
		err = private.UnmarshalText(text)
	}
	if err != nil {
		return fmt.Errorf("the key %s (its password is in %s): %w", key, passwordVariable, err)
	}
	message, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	signature := minisign.SignWithComments(private, message, "unitproof "+version, "signature of "+filepath.Base(path))
	return os.WriteFile(path+".minisig", signature, 0o644)
}

// verify checks a signature, as "minisign -V" does.
func verify(path, signature, key string) error {
	public, err := minisign.PublicKeyFromFile(key)
	if err != nil {
		return err
	}
	message, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(signature)
	if err != nil {
		return err
	}
	if !minisign.Verify(public, message, text) {
		return errors.New("the signature is not that of the file by this key")
	}
	return nil
}
