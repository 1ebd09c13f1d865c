package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("small", "text")
	write("exact", strings.Repeat("x", 1000))
	write("large", strings.Repeat("x", 1001))
	if err := syscall.Mkfifo(path("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "small", "zero": "/dev/zero", "stdin": "/dev/stdin"} {
		if err := os.Symlink(target, path(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		size int
		err  error
	}{
		{"small", 4, nil}, {"link", 4, nil}, {"exact", 1000, nil}, {"large", 0, TooLarge{1000}},
		{"fifo", 0, ErrNotRegular}, {"zero", 0, ErrNotRegular}, {".", 0, ErrNotRegular}, {"nowhere", 0, fs.ErrNotExist},
	} {
		done := make(chan bool)
		go func() {
			defer close(done)
			data, err := ReadFile(path(c.name), 1000)
			if len(data) != c.size || !errors.Is(err, c.err) || c.err == nil && err != nil {
				t.Errorf("%s: %d bytes, %v; want %d, %v", c.name, len(data), err, c.size, c.err)
			}
			var named *fs.PathError
			if err != nil && !errors.As(err, &named) {
				t.Errorf("%s: %v names no file", c.name, err)
			}
		}()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: it waits", c.name)
		}
	}
}

// TestReadFileOfKernel checks that files of the kernel are refused: they may be endless or block the reader, like
// /proc/kmsg.
func TestReadFileOfKernel(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/proc/kmsg", link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/proc/self/smaps", "/proc/kmsg", link, "/sys/kernel/notes"} {
		if _, err := os.Stat(path); err != nil {
			continue // no such system
		}
		if _, err := ReadFile(path, 100); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	// An open file has a name in /proc, but it is in another file system.
	f, err := os.Create(filepath.Join(t.TempDir(), "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	name := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if _, err := os.Stat(name); err != nil {
		return // no such system
	}
	if _, err := ReadFile(name, 100); err != nil {
		t.Error(err)
	}
}
