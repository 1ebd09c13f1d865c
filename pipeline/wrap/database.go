package wrap

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Merged is a compile_commands.json with the entries of a build.
type Merged struct {
	Text     []byte
	Compiled int // files that the build compiled
	New      int // of these, the files that the earlier text did not have
	Kept     int // files of the earlier text that the build did not compile
}

// Merge returns an earlier text of compile_commands.json, in a folder, with the entries of a build. All entries of a
// file that was compiled are replaced, and the others stay as they are. Files that the build deleted again get none.
//
// The result does not depend on the order in which parallel compilers started: new files are sorted, and the entries of
// one file are sorted by their output.
func Merge(earlier []byte, dir string, entries []Entry) (*Merged, error) {
	var old []json.RawMessage
	earlier = bytes.TrimPrefix(earlier, []byte("\ufeff"))
	if len(bytes.TrimSpace(earlier)) > 0 {
		if err := json.Unmarshal(earlier, &old); err != nil {
			return nil, fmt.Errorf("is not a compilation database: %w", err)
		}
	}
	groups := byFile(entries)
	m := &Merged{Compiled: len(groups)}
	var out []json.RawMessage
	written, retained := map[string]bool{}, map[string]bool{}
	add := func(file string) {
		for _, e := range groups[file] {
			out = append(out, plainJSON(e))
		}
		written[file] = true
	}
	for i, raw := range old {
		var e Entry
		if err := json.Unmarshal(raw, &struct {
			Directory, File *string
		}{&e.Directory, &e.File}); err != nil {
			return nil, fmt.Errorf("is not a compilation database: entry %d: %w", i, err)
		}
		if !filepath.IsAbs(e.Directory) {
			e.Directory = filepath.Join(dir, e.Directory)
		}
		file := e.path(e.File)
		switch {
		case groups[file] == nil:
			out = append(out, raw)
			retained[file] = true
		case !written[file]:
			add(file)
		}
	}
	m.Kept, m.New = len(retained), len(groups)-len(written)
	files := make([]string, 0, len(groups))
	for file := range groups {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		if !written[file] {
			add(file)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return nil, err
	}
	m.Text = b.Bytes()
	return m, nil
}

// byFile returns the entries of each existing file, one for each output: the last one, as that output remains.
func byFile(entries []Entry) map[string][]Entry {
	groups := map[string][]Entry{}
	for _, e := range entries {
		file := e.path(e.File)
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue // conftest.c of a configure script
		}
		group := slices.DeleteFunc(groups[file], func(o Entry) bool { return o.path(o.Output) == e.path(e.Output) })
		groups[file] = append(group, e)
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b Entry) int {
			return cmp.Or(cmp.Compare(a.path(a.Output), b.path(b.Output)), slices.Compare(a.Arguments, b.Arguments))
		})
	}
	return groups
}
