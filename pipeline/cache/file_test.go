package cache

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// FuzzEntry checks that a damaged file of an entry yields the original content or nothing.
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
		entry, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at = min(max(at, 0), len(entry))
		cut = min(max(cut, 0), len(entry)-at)
		damaged := append(append(bytes.Clone(entry[:at]), put...), entry[at+cut:]...)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readEntry(path, key, true)
		switch {
		case bytes.Equal(damaged, entry) && (err != nil || !bytes.Equal(got, content)):
			t.Fatalf("%q, %v was written as %q", got, err, content)
		case !bytes.Equal(damaged, entry) && err == nil:
			t.Fatalf("%q of an entry that is damaged", got)
		}
		// A file under another name is not its entry.
		other := NewHash("other").Bytes(content).Key()
		if err := os.WriteFile(path, entry, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readEntry(path, other, false); err == nil {
			t.Fatalf("%q of another entry", got)
		}
	})
}

// TestNoFile checks that special files in place of an entry are misses, and that reading them does not block.
func TestNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":             func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to a file":   func(path string) error { return os.Symlink(path+".real", path) },
		"a folder":           func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			s := Open(t.TempDir(), Options{})
			key := Key{1}
			s.Put(Reports, key, []byte("what the engine said"))
			path := s.path(Reports, key)
			if err := errors.Join(os.Rename(path, path+".real"), put(path)); err != nil {
				t.Fatal(err)
			}
			if _, ok := s.Get(Reports, key); ok || s.Has(Reports, key) {
				t.Error("it is an entry")
			}
			if err := EnsureFile(path, []byte("x")); (err != nil) != (name == "a folder") {
				t.Errorf("it is not replaced: %v", err)
			}
			if err := os.WriteFile(path+SealSuffix, nil, 0o600); err != nil || Sealed(path) {
				t.Error("it is sealed")
			}
		})
	}
}

// TestRefusal checks that a folder that other users can write to is not used. The same applies to its parent if that is
// ours.
func TestRefusal(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, folderName, "cache")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir  string
		mode os.FileMode
		ok   bool
	}{
		{dir, 0o700, true}, {dir, 0o755, true}, {dir, 0o775, false}, {dir, 0o700, true},
		{filepath.Dir(dir), 0o777, false}, {filepath.Dir(dir), 0o720, false}, {filepath.Dir(dir), 0o700, true},
	} {
		if err := os.Chmod(test.dir, test.mode); err != nil {
			t.Fatal(err)
		}
		if err := Refusal(dir); (err == nil) != test.ok {
			t.Errorf("%s of mode %o: %v", test.dir, test.mode, err)
		}
		s := Open(dir, Options{})
		s.Put(Reports, Key{2}, []byte("x"))
		if _, ok := s.Get(Reports, Key{2}); ok != test.ok {
			t.Errorf("%s of mode %o: used: %v", test.dir, test.mode, ok)
		}
	}
}
