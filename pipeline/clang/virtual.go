package clang

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/unitproof/unitproof/pipeline/links"
)

// overlay makes clang read texts that are not on disk under the names of files: the unsaved buffers of an editor.
// Messages and lists of files have the right names, because the overlay disables the names of the temporary files.
//
// clang's overlay works by name: a header that is reached through a linked folder has another name, and clang would
// silently read the text on disk. So the files that clang read are compared with the buffers by their resolved paths,
// and additional names are added ([overlay.addAliases]).
type overlay struct {
	dir string

	mu      sync.Mutex
	texts   map[links.Real][]byte // all buffers, by resolved path
	names   map[string]string     // name of a file -> temporary file with its text
	byFile  map[links.Real]string // resolved path -> temporary file
	real    links.Memory
	written int // number of names in the last overlay file
	file    string
	failed  error
}

// newOverlay takes texts by absolute path. Texts that equal the file on disk are included: the file may change or
// vanish before clang reads it.
func newOverlay(virtual map[string][]byte, dir string) *overlay {
	o := &overlay{dir: dir, texts: map[links.Real][]byte{}, names: map[string]string{}, byFile: map[links.Real]string{}}
	for path, text := range virtual {
		o.texts[links.Resolve(path)] = text
		path = filepath.Clean(path)
		tmp := filepath.Join(dir, fmt.Sprintf("buffer%d%s", len(o.names), filepath.Ext(path)))
		if err := os.WriteFile(tmp, text, 0o600); err != nil {
			o.failed = fmt.Errorf("unsaved text of %s: %w", path, err)
			return o
		}
		o.names[path] = tmp
		o.byFile[links.Resolve(path)] = tmp
	}
	return o
}

// text returns the buffer of a file, under any of its names.
func (o *overlay) text(path string) ([]byte, bool) {
	if len(o.texts) == 0 {
		return nil, false
	}
	text, ok := o.texts[o.real.Of(path)]
	return text, ok
}

// flags returns the options for clang, none if there are no buffers.
func (o *overlay) flags() ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil || len(o.names) == 0 {
		return nil, o.failed
	}
	if o.written != len(o.names) {
		type entry struct {
			Type     string `json:"type"`
			Name     string `json:"name"`
			Contents string `json:"external-contents"`
		}
		roots := []entry{}
		for name, tmp := range o.names {
			roots = append(roots, entry{"file", name, tmp})
		}
		slices.SortFunc(roots, func(a, b entry) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
		for _, dir := range parents(slices.Collect(maps.Keys(o.names))) {
			roots = append(roots, entry{"directory-remap", dir, dir})
		}
		text, err := json.Marshal(map[string]any{"version": 0, "case-sensitive": true, "use-external-names": false,
			"roots": roots})
		if err != nil {
			return nil, err
		}
		o.file = filepath.Join(o.dir, fmt.Sprintf("overlay%d.json", len(o.names)))
		if err := os.WriteFile(o.file, text, 0o600); err != nil {
			return nil, fmt.Errorf("unsaved texts: %w", err)
		}
		o.written = len(o.names)
	}
	return []string{"-ivfsoverlay", o.file}, nil
}

// parents returns the nearest existing folder of each file in a folder that does not exist. If such a folder is mapped
// to itself, clang finds "../src/f.h" from a folder of the overlay: otherwise the system resolves the name, which has
// no such folder.
func parents(files []string) []string {
	var list []string
	for _, file := range files {
		dir := filepath.Dir(file)
		for ; !isFolder(dir) && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		}
		if dir != filepath.Dir(file) && dir != filepath.Dir(dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// addAliases searches for files that are one of the buffers under another name, and reports whether it found new ones.
// In that case the compilation did not see the buffer.
func (o *overlay) addAliases(files []string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.names) == 0 {
		return false
	}
	found := false
	for _, f := range files {
		if _, known := o.names[f]; known {
			continue
		}
		if tmp, ok := o.byFile[o.real.Of(f)]; ok {
			o.names[f] = tmp
			found = true
		}
	}
	return found
}
