package editing

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/watch"
)

// diskWatch watches the Workspace's folders, and other folders with dependencies of results. System folders are not
// watched; a change there is noticed when a proof that reads it is verified.
type diskWatch struct {
	watcher *watch.Watcher
	trees   []string
	dirs    []string
	warned  bool
}

func (s *state) watch() {
	s.watcher = &diskWatch{watcher: watch.New(s.w.FilesChanged)}
	s.rewatch()
}

func (s *state) unwatch() {
	if s.watcher != nil {
		s.watcher.watcher.Close()
	}
}

// rewatch updates the set of watched folders.
func (s *state) rewatch() {
	d := s.watcher
	if d == nil {
		return
	}
	var trees []string
	for _, f := range s.opts.Folders { // including folders that do not exist yet
		trees = append(trees, filepath.Clean(f))
	}
	for _, arg := range s.opts.Args {
		if info, err := os.Stat(arg); err == nil && info.IsDir() && filepath.IsAbs(arg) {
			trees = append(trees, filepath.Clean(arg))
		}
	}
	dirs := map[string]bool{}
	add := func(path string) {
		for _, p := range []string{path, string(s.files.links.Of(path))} {
			if dir := filepath.Dir(p); !pipeline.InSystemFolder(p) && !slices.ContainsFunc(trees,
				func(t string) bool { return dir == t }) {
				dirs[dir] = true
			}
		}
	}
	for path := range s.files.now.disk {
		add(path)
	}
	for path := range s.faults {
		add(path)
	}
	for path := range s.responses {
		add(path)
	}
	for _, r := range s.records {
		add(r.proof.File)
		if r.about != nil && len(r.about.asked) > 0 {
			for _, u := range r.proof.SourceCandidates {
				add(u.File)
			}
		}
	}
	for path := range s.files.now.buffers {
		add(path)
	}
	list := slices.Sorted(maps.Keys(dirs))
	if slices.Equal(trees, d.trees) && slices.Equal(list, d.dirs) {
		return
	}
	d.trees, d.dirs = trees, list
	d.watcher.Set(trees, list)
	if why := d.watcher.Limited(); why != "" && !d.warned {
		d.warned, s.message, s.dirty = true, why, true
	}
}
