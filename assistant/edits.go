package assistant

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// Edit is a change of a file that is not written.
type Edit struct {
	File string `json:"file" jsonschema:"path relative to the root of the project; the file need not exist"`
	Text string `json:"text,omitempty" jsonschema:"the whole new text of the file"`
	Old  string `json:"old,omitempty" jsonschema:"instead of text: a piece that the file has exactly once"`
	New  string `json:"new,omitempty" jsonschema:"what replaces old"`
}

// Limits of edits.
const (
	maxEdits    = 50
	maxEditText = 1 << 20 // bytes of one file
)

// overlay has the texts that stand for files, by absolute path.
type overlay map[string][]byte

// with returns the texts of both overlays; those of the other one come first.
func (o overlay) with(other overlay) overlay {
	out := overlay{}
	maps.Copy(out, o)
	maps.Copy(out, other)
	return out
}

// lay applies edits to the files of a root, in their order. unsaved has the texts of an editor, instead of the files.
func lay(root paths.Root, unsaved overlay, edits []Edit) (overlay, error) {
	if len(edits) > maxEdits {
		return nil, fmt.Errorf("%d edits were given; the limit is %d", len(edits), maxEdits)
	}
	out := overlay{}
	for _, e := range edits {
		path, err := inside(root, e.File)
		if err != nil {
			return nil, err
		}
		if slices.Contains(unseen, filepath.Base(path)) {
			return nil, fmt.Errorf("%s is read from the disk, and an edit of it would have no effect: flags of unitproof.toml "+
				"([compile]) do", e.File)
		}
		text, err := out.edited(path, unsaved, &e)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.File, err)
		}
		switch {
		case len(text) > maxEditText:
			return nil, fmt.Errorf("%s: the new text has %d bytes; the limit is %d", e.File, len(text), maxEditText)
		case !utf8.Valid(text):
			return nil, fmt.Errorf("%s: the new text is not UTF-8", e.File)
		}
		out[path] = text
	}
	return out, nil
}

// edited is the text of a file behind an edit.
func (o overlay) edited(path string, unsaved overlay, e *Edit) ([]byte, error) {
	if e.Old == "" {
		if e.New != "" {
			return nil, fmt.Errorf("new is given without old; text replaces the whole file")
		}
		return []byte(e.Text), nil
	}
	if e.Text != "" {
		return nil, fmt.Errorf("text and old cannot be combined")
	}
	before, known := o[path]
	if !known {
		before, known = unsaved[path]
	}
	if !known {
		var err error
		if before, err = regular.Source(path); err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
	}
	switch n := bytes.Count(before, []byte(e.Old)); n {
	case 0:
		return nil, fmt.Errorf("the file does not have the piece to replace: %q", clip(e.Old, 80))
	case 1:
		return bytes.Replace(before, []byte(e.Old), []byte(e.New), 1), nil
	default:
		return nil, fmt.Errorf("the file has the piece to replace %d times; it must occur exactly once: %q", n,
			clip(e.Old, 80))
	}
}

// unseen are files that checks read from the disk only.
var unseen = []string{"compile_commands.json", "compile_flags.txt"}

// inside returns the absolute path of a file that has to lie in the root.
func inside(root paths.Root, file string) (string, error) {
	if file == "" || strings.ContainsRune(file, 0) {
		return "", fmt.Errorf("%q names no file", file)
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(string(root), path)
	}
	path = filepath.Clean(path)
	if !paths.Within(string(root), path) || path == string(root) {
		return "", fmt.Errorf("%s is not a file below %s", file, root)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder", file)
	}
	return path, nil
}
