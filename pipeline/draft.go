package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
)

// Draft is the proof of a function as text: no file was written, and nothing was checked.
type Draft struct {
	Path string // absolute, of the file that Generate would write
	Text []byte
	// Config is the unitproof.toml that has to say which files belong to the proof, and ConfigText its text with that;
	// "" if none has to.
	Config     string
	ConfigText []byte
	// Included: the proof includes the file of the function.
	Included bool
	// Questions are the points that the types and the code leave open.
	Questions []string
}

// Draft writes the proof of a function into memory. With include, it includes the function's file even if the function
// could be linked.
func (g *Generator) Draft(ctx context.Context, function, file string, include bool) (*Draft, error) {
	w, err := project.Open(g.Base, g.Flags)
	if err != nil {
		return nil, err
	}
	if file, err = g.locate(w, function, file); err != nil {
		return nil, err
	}
	root := paths.Root(w.Root)
	path, err := g.path(w, function)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s %w", root.Show(path), ErrExists)
	}
	g, request, source, err := g.understood(ctx, w, function, file)
	if err != nil {
		return nil, err
	}
	request.Dir, request.Include, request.AllHeaders = filepath.Dir(path), request.Include || include, true
	made, err := harness.Write(*request)
	if err != nil {
		return nil, err
	}
	request.Include = made.Included
	out := &Draft{Path: path, Text: made.Text, Included: made.Included, Questions: made.Questions}
	if formatted, err := format(made.Text, path); err == nil {
		out.Text = formatted
	}
	t := &trial{g: g, root: root, path: path, request: request, source: source, budget: budget{total: draftTime}}
	return out, g.enter(t, out)
}

// enter adds the unitproof.toml that a draft needs.
func (g *Generator) enter(t *trial, out *Draft) error {
	read := func(path string) ([]byte, error) {
		if path == out.Path {
			return bytes.Clone(out.Text), nil
		}
		return project.ReadFile(path)
	}
	w, err := project.OpenView(g.Base, project.View{ReadFile: read, Extra: []string{out.Path}}, g.Flags)
	if err != nil {
		return err
	}
	list, _ := w.Proofs(nil)
	for i := range list {
		if p := &list[i]; p.File == out.Path && t.needsEntry(p) {
			path := t.config()
			text, err := os.ReadFile(path)
			if err != nil && !os.IsNotExist(err) {
				return err
			}
			out.Config, out.ConfigText = path, t.entered(path, text)
		}
	}
	return nil
}
