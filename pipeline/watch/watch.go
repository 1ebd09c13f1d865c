// Package watch reports the files below some folders that have changed, appeared or disappeared.
//
// It combines events: an editor that writes a file causes several, a checkout thousands. It covers folders that are
// created later, or removed and created again. Folders that the system cannot watch (inotify has run out of watches)
// are scanned regularly instead (poll.go), and Limited returns the reason.
//
//	w := watch.New(func(paths []string) { ... })
//	w.Set([]string{"/home/u/project"}, []string{"/usr/include"}) // a tree, and a single folder
//
// Principal type: Watcher. The package does not depend on C or proofs.
package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/unitproof/unitproof/diagnostics/paths"
)

// Events are reported when none has come for the time quiet, at the latest after longest.
const (
	quiet   = 40 * time.Millisecond
	longest = 250 * time.Millisecond
)

// notifier is the part of fsnotify that the Watcher uses.
type notifier interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error
}

// Watcher watches folders until it is closed.
type Watcher struct {
	tell   func(paths []string)
	notify notifier // nil: everything is polled
	events <-chan fsnotify.Event
	errors <-chan error
	set    chan request
	stop   chan struct{}
	ended  chan struct{}

	trees, dirs []string        // arguments of Set
	watched     map[string]bool // folders with a watch
	polled      map[string]listing
	pollEvery   time.Duration

	mu      sync.Mutex
	limited string
}

type request struct {
	trees, dirs []string
	done        chan struct{}
}

// New starts a Watcher of no folders. tell receives sorted paths and is never called concurrently.
func New(tell func(paths []string)) *Watcher {
	w := newWatcher(tell)
	n, err := fsnotify.NewWatcher()
	if err != nil {
		w.limit(err)
	} else {
		w.notify, w.events, w.errors = n, n.Events, n.Errors
	}
	go w.run()
	return w
}

func newWatcher(tell func(paths []string)) *Watcher {
	return &Watcher{tell: tell, set: make(chan request), stop: make(chan struct{}), ended: make(chan struct{}),
		watched: map[string]bool{}, polled: map[string]listing{}, pollEvery: pollEvery}
}

// Set replaces the watched folders: trees with all folders below them, except for those that package paths excludes;
// and single folders without the folders below. A folder need not exist yet. Changes after Set returns are reported.
func (w *Watcher) Set(trees, dirs []string) {
	done := make(chan struct{})
	select {
	case w.set <- request{slices.Clone(trees), slices.Clone(dirs), done}:
		<-done
	case <-w.ended:
	}
}

// Limited returns why some folders are not watched; "" if all are.
func (w *Watcher) Limited() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.limited
}

func (w *Watcher) limit(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.limited != "" {
		return
	}
	remedy := ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
		remedy = "; raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl"
	}
	w.limited = fmt.Sprintf("not all folders can be watched (%v), so these are looked at every few seconds%s", err, remedy)
}

// Close stops the Watcher; nothing is reported after it returns.
func (w *Watcher) Close() {
	close(w.stop)
	<-w.ended
}

func (w *Watcher) run() {
	defer close(w.ended)
	defer func() {
		if w.notify != nil {
			_ = w.notify.Close() // events are no longer needed
		}
	}()
	changed := map[string]bool{}
	var first time.Time
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	poll := time.NewTimer(time.Hour)
	poll.Stop()
	note := func(paths ...string) {
		for _, p := range paths {
			if !w.wanted(p) {
				continue
			}
			if len(changed) == 0 {
				first = time.Now()
			}
			changed[p] = true
			timer.Reset(max(0, min(quiet, longest-time.Since(first))))
		}
	}
	for {
		select {
		case <-w.stop:
			return
		case r := <-w.set:
			w.trees, w.dirs = r.trees, r.dirs
			w.cover()
			if len(w.polled) > 0 {
				poll.Reset(w.pollEvery)
			}
			close(r.done)
		case e, ok := <-w.events:
			if !ok {
				w.events = nil
				continue
			}
			if e.Op == fsnotify.Chmod {
				continue
			}
			note(e.Name)
			note(w.follow(e)...)
		case err, ok := <-w.errors:
			if !ok {
				w.errors = nil
				continue
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				note(w.trees...) // anything may have changed
				note(w.dirs...)
			} else {
				w.limit(err)
			}
		case <-timer.C:
			paths := make([]string, 0, len(changed))
			for p := range changed {
				paths = append(paths, p)
			}
			clear(changed)
			slices.Sort(paths)
			w.tell(paths)
		case <-poll.C:
			begin := time.Now()
			note(w.look()...)
			// Scans may take a hundredth of the time.
			poll.Reset(max(w.pollEvery, 100*time.Since(begin)))
		}
	}
}

// wanted reports whether changes of a path are to be reported. The folders above the requested ones are watched, too,
// in case these are removed and created again.
func (w *Watcher) wanted(path string) bool {
	for _, t := range w.trees {
		if paths.Within(t, path) || paths.Within(path, t) {
			return true
		}
	}
	for _, d := range w.dirs {
		if filepath.Dir(path) == d || paths.Within(path, d) {
			return true
		}
	}
	return false
}

// cover adds and removes watches so that exactly the requested folders are watched. It returns the newly watched ones.
// It repeats until there are none, to find folders that were created between the scan of their parent and its watch.
func (w *Watcher) cover() (added []string) {
	for {
		more := w.coverOnce()
		if len(more) == 0 {
			return added
		}
		added = append(added, more...)
	}
}

func (w *Watcher) coverOnce() (added []string) {
	want := map[string]bool{}
	for _, t := range w.trees {
		want[parentOf(t)] = true
		eachFolder(t, func(dir string) { want[dir] = true })
	}
	for _, d := range w.dirs {
		want[nearest(d)] = true
		want[parentOf(d)] = true
	}
	for dir := range w.watched {
		if !want[dir] {
			w.drop(dir)
		}
	}
	for dir := range w.polled {
		if !want[dir] {
			w.drop(dir)
		}
	}
	for dir := range want {
		if w.add(dir) {
			added = append(added, dir)
		}
	}
	return added
}

// add watches one folder, by regular scans if nothing else is possible. It reports whether the folder is newly watched.
func (w *Watcher) add(dir string) bool {
	if w.watched[dir] {
		return false
	}
	if _, polled := w.polled[dir]; polled {
		return false
	}
	err := fs.ErrInvalid
	if w.notify != nil {
		err = w.notify.Add(dir)
	}
	switch {
	case err == nil:
		w.watched[dir] = true
	case errors.Is(err, fs.ErrNotExist):
		return false
	default:
		if w.notify != nil {
			w.limit(err)
		}
		w.polled[dir] = list(dir)
	}
	return true
}

// drop stops the watching of one folder. It marks the folder in a listing of its parent: if it is created again before
// the next scan, it must be watched again.
func (w *Watcher) drop(dir string) {
	if w.watched[dir] {
		_ = w.notify.Remove(dir) // the folder may be gone, and its watch with it
		delete(w.watched, dir)
	}
	delete(w.polled, dir)
	above, name := w.polled[filepath.Dir(dir)], filepath.Base(dir)
	if e, had := above[name]; had {
		e.dropped = true
		above[name] = e
	}
}

// follow updates the watches after an event and returns the content of newly watched folders, which may be older than
// their watch.
//
// This also applies to removals. A removed folder is reported by its own watch and by its parent's. When the second
// event arrives, a new folder of that name may exist, whose watch is removed because of the event.
func (w *Watcher) follow(e fsnotify.Event) []string {
	var added []string
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		gone := false
		for dir := range w.watched {
			if paths.Within(e.Name, dir) {
				w.drop(dir)
				gone = true
			}
		}
		if gone || slices.ContainsFunc(w.dirs, func(d string) bool { return paths.Within(e.Name, d) }) {
			added = w.cover() // watch their parents instead
		}
	}
	if e.Has(fsnotify.Create) {
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
			added = append(added, w.cover()...)
		}
	}
	return contents(added)
}

// contents returns the paths in folders, without those in their subfolders.
func contents(dirs []string) (paths []string) {
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // an error means an empty folder
		for _, entry := range entries {
			paths = append(paths, filepath.Join(dir, entry.Name()))
		}
	}
	return paths
}

// eachFolder visits a folder and the folders below it that are to be watched.
func eachFolder(dir string, visit func(dir string)) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return
	}
	visit(dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if paths.IsMark(e.Name()) { // only its direct content
			return
		}
	}
	for _, e := range entries {
		if e.IsDir() && !paths.Skipped(e.Name()) {
			eachFolder(filepath.Join(dir, e.Name()), visit)
		}
	}
}

// nearest returns the folder itself, or its lowest existing ancestor.
func nearest(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return dir
		}
		dir = parent
	}
}

func parentOf(dir string) string { return nearest(filepath.Dir(dir)) }
