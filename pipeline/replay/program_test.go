package replay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestTrim checks that the least recently used programs are removed, and that the newest stays whatever its size.
func TestTrim(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"old": 3 * time.Hour, "middle": 2 * time.Hour, "young": time.Hour,
		"built": 4 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	left := filepath.Join(dir, "build-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(left, now.Add(-2*time.Hour), now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	trim(dir, 250, "built")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || entries[0].Name() != "built" || entries[1].Name() != "young" {
		t.Errorf("%v, %v", entries, err)
	}
}
