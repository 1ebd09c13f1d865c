package clang

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/unitproof/unitproof/pipeline/links"
)

// overlay makes clang read texts that are not on disk under the names of files: the unsaved buffers
// of an editor. Names stay right in messages and lists of files, because the overlay says not to use
// those of the temporary files behind it.
//
// clang's overlay goes by names: a header reached through a folder that is a symbolic link has another
// name, and the text on disk would be read silently. So the files that clang read are compared with
// the buffers by what they really are, and another name found that way is added ([overlay.addAliases]).
type overlay struct {
	dir string

	mu      sync.Mutex
	texts   map[links.Real][]byte // all buffers, by what the file really is
	names   map[string]string     // name of a file -> temporary file with its text
	byFile  map[links.Real]string // what the file really is -> temporary file
	real    links.Memory
	written int // names in the overlay file that was written last
	file    string
	failed  error
}

// newOverlay takes texts by absolute path. Those that equal what is on disk are laid over like others: the
// file may change or vanish before clang comes to it.
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

// text is the buffer that stands for a file, whatever name it goes by.
func (o *overlay) text(path string) ([]byte, bool) {
	if len(o.texts) == 0 {
		return nil, false
	}
	text, ok := o.texts[o.real.Of(path)]
	return text, ok
}

// flags are the options for clang, none when there is nothing to lay over.
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

// addAliases looks for files that are one of the buffers under another name, and reports whether
// there were new ones, so that what was compiled did not see the buffer.
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
