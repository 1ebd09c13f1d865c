package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzEntry: of a file in the place of an entry, damaged in whatever way, comes what was written there or nothing.
func FuzzEntry(f *testing.F) {
	f.Add([]byte("content"), []byte{}, 0, 0)
	f.Add([]byte("content"), []byte{0}, 5, 1)
	f.Add([]byte("content"), []byte("more"), 39, 0)
	f.Add([]byte{}, []byte{1, 2}, 31, 1)
	f.Add(bytes.Repeat([]byte("ab"), 1000), []byte("ab"), 40, 2)
	f.Add([]byte("x"), []byte{}, 0, 1000)
	f.Fuzz(func(t *testing.T, content, put []byte, at, cut int) {
		key := NewHash("fuzz").Bytes(content[:len(content)/2]).Key()
		path := filepath.Join(t.TempDir(), "entry")
		if err := writeEntry(path, key, content); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at = min(max(at, 0), len(whole))
		cut = min(max(cut, 0), len(whole)-at)
		damaged := append(append(bytes.Clone(whole[:at]), put...), whole[at+cut:]...)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readEntry(path, key, true)
		switch {
		case bytes.Equal(damaged, whole) && (err != nil || !bytes.Equal(got, content)):
			t.Fatalf("%q, %v was written as %q", got, err, content)
		case !bytes.Equal(damaged, whole) && err == nil:
			t.Fatalf("%q of an entry that is damaged", got)
		}
		// Under another name it is another entry's.
		other := NewHash("other").Bytes(content).Key()
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readEntry(path, other, false); err == nil {
			t.Fatalf("%q of another entry", got)
		}
	})
}
