package project

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// How proofs are called: by their configuration, or by their files.

// stem is the base of a default name.
func stem(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if s := strings.TrimSuffix(name, "_harness"); s != "" {
		return s
	}
	return name
}

// name gives every item its name. A proof has the same name whether it is listed with the
// whole workspace or alone, so files of the same stem elsewhere are looked at too.
func (l *listing) name() {
	l.ghosts()
	// A table's proofs of one file share the given name, a file's other proofs its stem;
	// where there are several the entry is added.
	type owner struct{ file, name string }
	entries := map[owner]map[string]bool{}
	stems := map[string]map[string]bool{}   // stem -> files
	sameDir := map[string]map[string]bool{} // folder and stem -> files
	put := func(m map[string]map[string]bool, key, value string) {
		if m[key] == nil {
			m[key] = map[string]bool{}
		}
		m[key][value] = true
	}
	for _, it := range l.items {
		o := owner{it.file, it.name}
		if entries[o] == nil {
			entries[o] = map[string]bool{}
		}
		entries[o][it.entry.Name] = true
		if it.name == "" {
			put(stems, stem(it.file), it.file)
			put(sameDir, filepath.Dir(it.file)+"\x00"+stem(it.file), it.file)
		}
	}
	for _, it := range l.items {
		base := it.name
		if base == "" {
			if base = stem(it.file); len(sameDir[filepath.Dir(it.file)+"\x00"+base]) > 1 {
				base = strings.TrimSuffix(filepath.Base(it.file), filepath.Ext(it.file))
			}
			if len(stems[stem(it.file)]) > 1 {
				base = l.prefix(it.file) + base
			}
		}
		if len(entries[owner{it.file, it.name}]) > 1 {
			base += "." + it.entry.Name
		}
		it.final = base
	}
	l.separate()
}

// prefix is the folder of a file, below the root if it lies there, with a slash at its end.
func (l *listing) prefix(file string) string {
	rel, err := filepath.Rel(l.w.Root, filepath.Dir(file))
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		rel = filepath.Dir(file)
	}
	if rel == "." {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// separate settles what is left: a name given by one configuration that another proof has too.
func (l *listing) separate() {
	order := slices.Clone(l.items)
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		if (a.name != "") != (b.name != "") {
			return a.name != "" // given names come first and keep theirs
		}
		if a.name != "" && len(a.config.Dir) != len(b.config.Dir) {
			return len(a.config.Dir) < len(b.config.Dir) // the outer configuration's before a nested one's
		}
		if a.file != b.file {
			return a.file < b.file
		}
		return a.entry.Name < b.entry.Name
	})
	taken := map[string]bool{}
	for _, it := range order {
		name := it.final
		if taken[name] && !strings.HasPrefix(name, l.prefix(it.file)) {
			name = l.prefix(it.file) + name
		}
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", it.final, n)
		}
		taken[name] = true
		it.final = name
	}
}

// ghosts adds the proofs of the workspace that are not asked for but could have a name that is.
func (l *listing) ghosts() {
	if !l.w.anchored || len(l.items) == 0 {
		return
	}
	stems, names := map[string]bool{}, map[string]bool{}
	for _, it := range l.items {
		if it.name == "" {
			stems[stem(it.file)] = true
		}
		names[it.name] = true
		names[stem(it.file)] = true
	}
	asked, problems := len(l.items), len(l.problems)
	t := l.w.walked(l.w.Root)
	configs := []*Config{l.w.Config}
	for _, d := range t.configs {
		configs = append(configs, l.w.configIn(d).config)
	}
	for _, c := range configs {
		for i := range c.Proofs {
			pc := &c.Proofs[i]
			for _, f := range pc.Files {
				if !l.files[f] && (pc.Name != "" && names[pc.Name] || pc.Name == "" && stems[stem(f)]) {
					l.configured(c, pc, f)
				}
			}
		}
	}
	for _, f := range t.files {
		if stems[stem(f)] && !l.files[f] {
			l.file(f, false)
		}
	}
	for _, it := range l.items[asked:] {
		it.ghost = true
	}
	l.problems = l.problems[:problems] // these proofs were not asked for
}
