package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// reports collects the reports of a Watcher.
type reports struct {
	mu    sync.Mutex
	paths map[string]bool
	calls int
}

func (c *reports) tell(paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	for _, p := range paths {
		c.paths[p] = true
	}
}

// wait waits until the paths are reported, and clears the reports.
func (c *reports) wait(t *testing.T, paths ...string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		c.mu.Lock()
		missing := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return c.paths[p] })
		if len(missing) == 0 {
			clear(c.paths)
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		if time.Now().After(deadline) {
			t.Fatalf("not told of %v", missing)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// exercise performs typical operations of editors and users in a watched folder; elsewhere is a folder outside of it.
func exercise(t *testing.T, w *Watcher, c *reports) {
	base := t.TempDir()
	dir, elsewhere := filepath.Join(base, "ws"), filepath.Join(base, "inc")
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("a.c"), "1")
	write(t, at("sub/b.c"), "1")
	w.Set([]string{dir}, []string{elsewhere, filepath.Join(base, "none", "yet")})

	write(t, at("a.c"), "22")
	c.wait(t, at("a.c"))
	write(t, at("a.c.tmp"), "333") // by rename
	rename(t, at("a.c.tmp"), at("a.c"))
	c.wait(t, at("a.c"))
	write(t, at("sub/b.c"), "22")
	c.wait(t, at("sub/b.c"))
	write(t, at("new/deep/c.c"), "1") // folders that are created later
	c.wait(t, at("new/deep/c.c"))
	write(t, at("new/deep/c.c"), "22")
	c.wait(t, at("new/deep/c.c"))
	rename(t, at("new"), at("other"))
	c.wait(t, at("new"), at("other"))
	write(t, at("other/deep/c.c"), "333")
	c.wait(t, at("other/deep/c.c"))
	if err := os.RemoveAll(at("sub")); err != nil {
		t.Fatal(err)
	}
	c.wait(t, at("sub"))
	write(t, at("sub/b.c"), "4444") // removed and created again
	c.wait(t, at("sub/b.c"))
	write(t, at("sub/b.c"), "55555")
	c.wait(t, at("sub/b.c"))
	if err := os.RemoveAll(dir); err != nil { // the whole folder
		t.Fatal(err)
	}
	c.wait(t, dir)
	write(t, at("sub/b.c"), "1")
	c.wait(t, at("sub/b.c"))
	write(t, at("sub/b.c"), "22")
	c.wait(t, at("sub/b.c"))

	write(t, filepath.Join(elsewhere, "x.h"), "1") // a folder that did not exist
	c.wait(t, filepath.Join(elsewhere, "x.h"))
	write(t, filepath.Join(base, "none", "yet", "y.h"), "1")
	c.wait(t, filepath.Join(base, "none", "yet", "y.h"))
	write(t, filepath.Join(base, "unasked.h"), "1")
	write(t, filepath.Join(elsewhere, "x.h"), "22")
	c.wait(t, filepath.Join(elsewhere, "x.h"))
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.paths {
		if strings.HasSuffix(p, "unasked.h") {
			t.Errorf("told of %s", p)
		}
	}
}

func TestWatch(t *testing.T) {
	c := &reports{paths: map[string]bool{}}
	w := New(c.tell)
	defer w.Close()
	exercise(t, w, c)
	if w.Limited() != "" {
		t.Error(w.Limited())
	}
}

// scarce is a system that runs out of watches.
type scarce struct {
	*fsnotify.Watcher
	remaining int
}

func (s *scarce) Add(dir string) error {
	if s.remaining == 0 {
		return syscall.ENOSPC
	}
	s.remaining--
	return s.Watcher.Add(dir)
}

// TestOutOfWatches checks that folders without a watch are scanned.
func TestOutOfWatches(t *testing.T) {
	for _, remaining := range []int{0, 2} {
		c := &reports{paths: map[string]bool{}}
		w := newWatcher(c.tell)
		n, err := fsnotify.NewWatcher()
		if err != nil {
			t.Fatal(err)
		}
		w.notify, w.events, w.errors, w.pollEvery = &scarce{n, remaining}, n.Events, n.Errors, 10*time.Millisecond
		go w.run()
		exercise(t, w, c)
		if !strings.Contains(w.Limited(), "max_user_watches") {
			t.Errorf("limited: %q", w.Limited())
		}
		w.Close()
	}
}

// TestWatchedInPolled checks a watched folder in a scanned one, which is removed and created again between two scans.
func TestWatchedInPolled(t *testing.T) {
	c := &reports{paths: map[string]bool{}}
	w := newWatcher(c.tell)
	n, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	sub := filepath.Join(base, "ws", "sub")
	file := filepath.Join(sub, "b.c")
	w.notify, w.events, w.errors, w.pollEvery = &only{n, sub}, n.Events, n.Errors, 500*time.Millisecond
	go w.run()
	defer w.Close()
	write(t, file, "1")
	w.Set([]string{filepath.Dir(sub)}, nil)
	for i := range 3 {
		if err := os.RemoveAll(sub); err != nil {
			t.Fatal(err)
		}
		c.wait(t, sub)
		write(t, file, strings.Repeat("2", i+2))
		c.wait(t, file)
	}
}

// only is a system that watches one folder.
type only struct {
	*fsnotify.Watcher
	dir string
}

func (o *only) Add(dir string) error {
	if dir != o.dir {
		return syscall.ENOSPC
	}
	return o.Watcher.Add(dir)
}

// TestTogether checks that simultaneous changes are reported together.
func TestTogether(t *testing.T) {
	c := &reports{paths: map[string]bool{}}
	w := New(c.tell)
	defer w.Close()
	dir := t.TempDir()
	w.Set([]string{dir}, nil)
	var all []string
	begin := time.Now()
	for i := range 200 {
		all = append(all, filepath.Join(dir, strings.Repeat("x", i+1)))
		write(t, all[i], "1")
		write(t, all[i], "22")
	}
	c.wait(t, all...)
	// A loaded machine may pause between two of the writes.
	if most := 2 + int(time.Since(begin)/quiet); c.calls > most {
		t.Errorf("told %d times, more than %d", c.calls, most)
	}
}

// obedient accepts all watches and has no events. before is called before each new watch.
type obedient struct{ before func(dir string) }

func (o obedient) Add(dir string) error {
	if o.before != nil {
		o.before(dir)
	}
	_, err := os.Stat(dir)
	return err
}
func (obedient) Remove(string) error { return nil }
func (obedient) Close() error        { return nil }

// TestFolderMadeMeanwhile checks a folder that is created after its parent was scanned and before the parent is
// watched: it causes no event.
func TestFolderMadeMeanwhile(t *testing.T) {
	dir := t.TempDir()
	w := newWatcher(func([]string) {})
	w.notify = obedient{func(watched string) {
		if watched == dir {
			write(t, filepath.Join(dir, "sub/b.c"), "1")
		}
	}}
	w.trees = []string{dir}
	if got := contents(w.cover()); !slices.Contains(got, filepath.Join(dir, "sub/b.c")) ||
		!w.watched[filepath.Join(dir, "sub")] {
		t.Errorf("contents %v, watched %v", got, w.watched)
	}
}

// TestFollow checks late events: the content of a folder is reported whenever its watch is new, whatever the event.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("sub/b.c"), "1")
	write(t, at("old/a.c"), "1")
	w := newWatcher(func([]string) {})
	w.notify, w.trees = obedient{}, []string{dir}
	w.cover()

	// The folder was removed and created again; the second event of the removal comes only now.
	if got := w.follow(fsnotify.Event{Name: at("sub"), Op: fsnotify.Remove}); !slices.Contains(got, at("sub/b.c")) ||
		!w.watched[at("sub")] {
		t.Errorf("after a late removal: %v, watched %v", got, w.watched)
	}
	// One folder has appeared and another one disappeared, and their events have not come yet.
	if err := os.RemoveAll(at("old")); err != nil {
		t.Fatal(err)
	}
	write(t, at("new/deep/c.c"), "1")
	if err := os.Remove(at("sub/b.c")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(at("sub")); err != nil {
		t.Fatal(err)
	}
	if got := w.follow(fsnotify.Event{Name: at("new"), Op: fsnotify.Create}); !slices.Contains(got, at("new/deep/c.c")) {
		t.Errorf("after a folder came and others went: %v", got)
	}
	if got := w.follow(fsnotify.Event{Name: at("new"), Op: fsnotify.Create}); len(got) > 0 {
		t.Errorf("told again: %v", got)
	}
}
