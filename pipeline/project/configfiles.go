package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/paths"
)

// resolve reads the disk: it expands globs, makes paths absolute, and reports missing files, files listed twice, and
// files that belong to a nested configuration.
func (r *reader) resolve() {
	c := r.config
	if c.CompileCommands != "" {
		r.mustExist(keyPath("").key("compile").key("compile-commands"), c.CompileCommands)
	}
	literal := map[string]bool{}
	nested := nestedOwners{known: map[string]string{}, view: View{Extra: r.extra}}
	for i := range c.Proofs {
		pc := &c.Proofs[i]
		file := pc.key.key("file")
		if pc.Pattern != "" {
			path := absolute(c.Dir, pc.Pattern)
			if _, err := os.Stat(path); err == nil {
				pc.isGlob = false // a name with brackets
			}
			if !pc.isGlob && r.mustExist(file, path) {
				if owner := nested.owner(c, filepath.Dir(path)); owner != "" {
					r.badValue(file, "the file belongs to the nested configuration %s", owner)
				} else {
					pc.Files = []string{path}
					literal[path] = true
				}
			}
		}
		pc.Sources = r.files(pc.key.key("sources"), pc.Sources)
		pc.Override = r.files(pc.key.key("override"), pc.Override)
	}
	for i := range c.Proofs {
		pc := &c.Proofs[i]
		if !pc.isGlob {
			continue
		}
		file := pc.key.key("file")
		matches, err := expandGlob(c.Dir, pc.Pattern)
		if err != nil {
			r.badValue(file, "%q %s", pc.Pattern, err)
			continue
		}
		for _, m := range matches {
			// A file that is listed by name is removed from the globs, so that one proof can have its own settings.
			if !literal[m] && nested.owner(c, filepath.Dir(m)) == "" {
				pc.Files = append(pc.Files, m)
			}
		}
		switch {
		case len(matches) == 0:
			r.badValue(file, "no file matches %q", pc.Pattern)
		case pc.Name != "" && len(pc.Files) > 1:
			r.badValue(pc.key.key("name"), "one name for the %d files that %q matches; leave the name out", len(pc.Files),
				pc.Pattern)
			pc.Files = nil
		}
	}
	r.duplicates()
	c.byFile = map[string][]*ProofConfig{}
	for i := range c.Proofs {
		for _, f := range c.Proofs[i].Files {
			c.byFile[f] = append(c.byFile[f], &c.Proofs[i])
		}
	}
}

func (r *reader) files(p keyPath, names []string) []string {
	var out []string
	for i, name := range names {
		path := absolute(r.config.Dir, name)
		at := p.index(i)
		if _, known := r.places[at]; !known {
			at = p
		}
		if r.mustExist(at, path) {
			out = append(out, path)
		}
	}
	return out
}

func (r *reader) mustExist(p keyPath, path string) bool {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && slices.Contains(r.extra, path):
		return true
	case errors.Is(err, fs.ErrNotExist):
		hint := ""
		if entries, err := os.ReadDir(filepath.Dir(path)); err == nil {
			names := make([]string, 0, len(entries))
			for _, e := range entries {
				names = append(names, e.Name())
			}
			hint = didYouMean(filepath.Base(path), names)
		}
		r.badValue(p, "no such file: %s%s", path, hint)
	case err != nil:
		r.badValue(p, "cannot be read: %s: %s", path, cause(err))
	case !info.Mode().IsRegular():
		r.badValue(p, "is not a file: %s", path)
	default:
		return true
	}
	return false
}

// duplicates reports explicit names that are used twice, and entries that would get the same default name because two
// tables list them.
func (r *reader) duplicates() {
	names := map[string]*ProofConfig{}
	type target struct{ file, entry string }
	targets := map[target]*ProofConfig{}
	for i := range r.config.Proofs {
		pc := &r.config.Proofs[i]
		if pc.Name != "" {
			if first := names[pc.Name]; first != nil {
				r.badValue(pc.key.key("name"), "duplicate proof name %q, first used by the proof of line %d", pc.Name, first.Line)
				pc.Files = nil
				continue
			}
			names[pc.Name] = pc
			continue
		}
		files := pc.Files[:0:0]
		for _, f := range pc.Files {
			if first := targets[target{f, pc.Entry}]; first != nil {
				what := r.relative(f)
				if pc.Entry != "" {
					what += " (" + pc.Entry + ")"
				}
				r.badValue(pc.key.key("file"),
					"duplicate proof name: %s is listed by the proof of line %d already; give one of them a name", what, first.Line)
				continue
			}
			targets[target{f, pc.Entry}] = pc
			files = append(files, f)
		}
		pc.Files = files
	}
}

func (r *reader) relative(path string) string {
	if rel, err := filepath.Rel(r.config.Dir, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// nestedOwners caches by folder the nested configuration that owns it.
type nestedOwners struct {
	known map[string]string
	view  View
}

// owner returns the closest configuration between a folder and the configuration that lists a file in it, or "". A
// configuration with another name (--config) owns all files that it lists.
func (n *nestedOwners) owner(c *Config, dir string) string {
	if dir == c.Dir || filepath.Base(c.Path) != ConfigName || !paths.Within(c.Dir, dir) {
		return ""
	}
	if o, known := n.known[dir]; known {
		return o
	}
	path := filepath.Join(dir, ConfigName)
	if !n.view.holds(path) {
		path = n.owner(c, filepath.Dir(dir))
	}
	n.known[dir] = path
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
