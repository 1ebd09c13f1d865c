package watch

import (
	"os"
	"path/filepath"
	"time"
)

// pollEvery is the minimal interval between two scans of folders that cannot be watched.
const pollEvery = 2 * time.Second

// listing is the content of a folder at its last scan.
type listing map[string]entry

type entry struct {
	size     int64
	modified time.Time
	mode     os.FileMode
	dropped  bool // a folder that is no longer watched; only in old listings
}

// list returns the content of a folder; empty if it does not exist.
func list(dir string) listing {
	entries, _ := os.ReadDir(dir)
	l := make(listing, len(entries))
	for _, e := range entries {
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil {
			l[e.Name()] = entry{size: info.Size(), modified: info.ModTime(), mode: info.Mode()}
		}
	}
	return l
}

// look scans the folders that cannot be watched, and returns the paths that differ from the last scan.
func (w *Watcher) look() (changed []string) {
	folders := false
	for dir, before := range w.polled {
		now := list(dir)
		for name, e := range now {
			if old, had := before[name]; !had || old != e {
				if e.mode.IsDir() && had && !old.dropped {
					continue // changes in it are reported by its own watch
				}
				folders = folders || e.mode.IsDir()
				changed = append(changed, filepath.Join(dir, name))
			}
		}
		for name, e := range before {
			if _, has := now[name]; !has {
				folders = folders || e.mode.IsDir()
				changed = append(changed, filepath.Join(dir, name))
			}
		}
		w.polled[dir] = now
	}
	if folders {
		changed = append(changed, contents(w.cover())...)
	}
	return changed
}
