package clang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/unitproof/unitproof/pipeline/cflags"
)

// A result also depends on files that do not exist: a header that appears in a folder searched earlier hides the one
// that was read, and __has_include tests for files by name. clang's list of files contains neither.

// namesIncluded caches, by the content of a text, the names that the text includes or tests for.
type namesIncluded struct{ byHash sync.Map }

func (n *namesIncluded) of(text []byte) []string {
	key := hashOf(text)
	if known, ok := n.byHash.Load(key); ok {
		return known.([]string)
	}
	var names []string
	for _, i := range includes(text) {
		names = append(names, i.name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	n.byHash.Store(key, names)
	return names
}

// passedOver lists paths at which a header would be found before, or instead of, a file that the unit read: absent
// ones, and present ones that come later in the search. A missing subfolder stands for all paths below it. The lists
// are an over-approximation: the order of the folders is ignored.
func (c *compilation) passedOver(u Unit, files []string) (absent, present []string) {
	user, _ := cflags.Filter(u.Flags)
	user, library := targetFlags(user, c.headers)
	dirs := searched(slices.Concat(user, library), u.Dir)
	names := map[string]bool{}
	is := map[string]bool{}
	for _, f := range files {
		is[f] = true
		if systemFile(f) {
			continue
		}
		dirs = append(dirs, filepath.Dir(f))
		if text, err := c.read(f); err == nil {
			for _, name := range c.included.of(text) {
				names[name] = true
			}
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	everywhere := slices.Concat(dirs, systemSearch)
	for _, f := range files {
		for _, d := range everywhere {
			if rel, ok := strings.CutPrefix(f, d+"/"); ok {
				names[rel] = true
			}
		}
	}
	seen := map[string]bool{}
	for name := range names {
		if filepath.IsAbs(name) {
			dirs = append(dirs, "") // the name is a complete path
		}
		for _, d := range dirs {
			path := filepath.Clean(name)
			switch {
			case filepath.IsAbs(name) != (d == ""):
				continue
			case d != "":
				path = absolute(name, d)
			}
			if is[path] || seen[path] {
				continue
			}
			seen[path] = true
			if _, virtual := c.overlay.text(path); virtual || c.glance.exists(path) {
				present = append(present, path)
				continue
			}
			// The outermost missing folder stands for the path.
			for parent := filepath.Dir(path); len(parent) > len(d) && parent != "/" &&
				!c.glance.exists(parent); parent = filepath.Dir(parent) {
				path = parent
			}
			absent = append(absent, path)
		}
		dirs = slices.DeleteFunc(dirs, func(d string) bool { return d == "" })
	}
	slices.Sort(absent)
	slices.Sort(present)
	return slices.Compact(absent), present
}

// rest adds the lists of passedOver, for all units, to a CompileError.
func (c *compilation) rest(err error, units []Unit) error {
	e, ok := err.(*CompileError)
	if !ok || !c.request.PassedOver {
		return err
	}
	for _, u := range units {
		absent, present := c.passedOver(u, e.Files)
		e.Absent = append(e.Absent, absent...)
		e.Present = append(e.Present, present...)
		if u.Dir != "" {
			if _, err := os.Stat(u.Dir); err != nil {
				e.Absent = append(e.Absent, u.Dir)
			}
		}
	}
	sortedSet(&e.Absent)
	sortedSet(&e.Present)
	return e
}

func sortedSet(list *[]string) {
	slices.Sort(*list)
	*list = slices.Compact(*list)
}
