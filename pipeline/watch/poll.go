package watch

import (
	"os"
	"path/filepath"
	"time"
)

// pollEvery is the least time between two looks at folders that cannot be watched.
const pollEvery = 2 * time.Second

// listing is what a folder held when it was looked at last.
type listing map[string]entry

type entry struct {
	size     int64
	modified time.Time
	mode     os.FileMode
	dropped  bool // a folder that is not watched any more; only of what was held before
}

// list is empty for a folder that is not there.
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

// look compares the folders that cannot be watched with what they held, and returns what differs.
func (w *Watcher) look() (changed []string) {
	folders := false
	for dir, before := range w.polled {
		now := list(dir)
		for name, e := range now {
			if old, had := before[name]; !had || old != e {
				if e.mode.IsDir() && had && !old.dropped {
					continue // what changed in it is told of by itself
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
