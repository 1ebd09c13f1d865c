package project

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// Names of proofs: from their configuration or from their files.

// stem returns the base of a default name.
func stem(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if s := strings.TrimSuffix(name, "_harness"); s != "" {
		return s
	}
	return name
}

// name sets the name of every item. A proof has the same name whether the whole workspace is listed or only the proof,
// so other files with the same stem are considered, too.
func (l *listing) name() {
	l.ghosts()
	// A table's proofs of one file share the given name; other proofs of the file share its stem. If there are several,
	// the entry is appended.
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

// prefix returns the folder of a file with a slash at its end, relative to the root if it is below it.
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

// separate renames the remaining duplicates: a name that one configuration gives and that another proof has, too.
func (l *listing) separate() {
	order := slices.Clone(l.items)
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		if (a.name != "") != (b.name != "") {
			return a.name != "" // given names come first and are unchanged
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

// ghosts adds proofs of the workspace that were not requested but could have the name of a requested one.
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
	for _, d := range l.w.view.configsBelow(l.w.Root, t.configs) {
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
	l.problems = l.problems[:problems] // these proofs were not requested
}
