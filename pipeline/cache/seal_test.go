package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/paths"
)

func TestSeal(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(a, "program a")
	put(b, "program b")
	if Sealed(a) || Sealed(filepath.Join(dir, "nowhere")) {
		t.Error("what was never sealed is")
	}
	for _, path := range []string{a, b} {
		if err := Seal(path); err != nil || !Sealed(path) {
			t.Fatal(path, err)
		}
	}
	put(a, "program b") // also with the other's checksum
	if sum, _ := os.ReadFile(b + SealSuffix); Sealed(a) || os.WriteFile(a+SealSuffix, sum, 0o600) != nil || Sealed(a) {
		t.Error("an exchanged program is believed")
	}
	put(b, "")
	if Sealed(b) {
		t.Error("an emptied program is believed")
	}
	if err := WriteSummed(a, []byte("memo")); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadSummed(a); err != nil || string(data) != "memo" {
		t.Error(string(data), err)
	}
	if err := os.Rename(a, b); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSummed(b); err == nil {
		t.Error("a memo is believed under another name")
	}
}

func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x", "cache")
	if err := Private(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info.Mode(), err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, paths.CacheTag)); !strings.HasPrefix(string(text), paths.CacheTagText) {
		t.Errorf("it is not marked as a cache: %q, %v", text, err)
	}
	s := Open(dir, Options{})
	key := NewHash("x").Key()
	s.Put(Units, key, []byte("kept"))
	if _, ok := s.Get(Units, key); !ok {
		t.Fatal("nothing is kept")
	}
	for _, mode := range []os.FileMode{0o770, 0o777, 0o722} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if err := Private(dir); err == nil || !strings.Contains(err.Error(), "chmod 700") {
			t.Errorf("%o: %v", mode, err)
		}
		s := Open(dir, Options{})
		if _, ok := s.Get(Units, key); ok || s.Writable() || s.Err() == nil {
			t.Errorf("%o: a cache that others can write to is used: %v", mode, s.Err())
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil || Private(dir) != nil {
		t.Error("reading harms nobody", err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(dir, 4242, -1); err != nil {
			t.Fatal(err)
		}
		if err := Private(dir); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Error(err)
		}
	}
}
