package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// configEdit makes edits of the unitproof.toml that governs a proof.
type configEdit struct {
	view  *view
	proof *pipeline.ProofState
	path  string
	text  string
	isNew bool // there is none yet
	// entries are all proofs of the file: a table for one of them ends the discovery of the others.
	entries []string
}

// config prepares edits of a proof's configuration. It is an error when the text is being edited and
// differs from the file, which is what the proof's settings were read from.
func (v *view) config(p *pipeline.ProofState) (*configEdit, error) {
	c := &configEdit{view: v, proof: p, path: p.Proof.Config}
	if c.path == "" {
		c.path = filepath.Join(p.Root, project.ConfigName)
	}
	data, err := os.ReadFile(c.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		c.isNew = true
		if !slices.Contains(v.caps.Workspace.WorkspaceEdit.ResourceOperations, "create") {
			return nil, fmt.Errorf("there is no %s, and the client makes no files", c.path)
		}
	case err != nil:
		return nil, err
	}
	c.text = string(data)
	if d := v.document(c.path); d != nil && string(d.text.data) != c.text {
		return nil, fmt.Errorf("%s is being edited", c.path)
	}
	for _, q := range v.proofsIn(p.Proof.File) {
		c.entries = append(c.entries, q.Proof.Entry)
	}
	return c, nil
}

// table finds the [[proof]] table that is about the proof alone (or about its file); glob is one that
// is about other files, too.
func (c *configEdit) table() (tables []tomlTable, own, glob int, err error) {
	own, glob = -1, -1
	if tables, err = scanTOML(c.text); err != nil || c.isNew {
		return tables, own, glob, err
	}
	config, _ := project.Load(c.path) // what is wrong elsewhere in it does not matter here
	for i := range config.Proofs {
		pc := &config.Proofs[i]
		if !slices.Contains(pc.Files, c.proof.Proof.File) || pc.Entry != "" && pc.Entry != c.proof.Proof.Entry {
			continue
		}
		j := slices.IndexFunc(tables, func(t tomlTable) bool { return t.line == pc.Line && t.array })
		switch {
		case j < 0:
		case len(pc.Files) > 1 || pc.Entry == "" && len(c.entries) > 1:
			glob = j
		default:
			own = j
		}
	}
	return tables, own, glob, nil
}

// setKey sets a key of the proof's table.
func (c *configEdit) setKey(key, value string) (*workspaceEdit, error) {
	return c.edit([]string{tomlKey(key) + " = " + value}, func(tables []tomlTable, i int) (tomlEdit, error) {
		return setKey(c.text, &tables[i], key, value), nil
	})
}

// setSubkey sets KEY.SUB of the proof's table.
func (c *configEdit) setSubkey(key, sub, value string) (*workspaceEdit, error) {
	return c.edit([]string{tomlKey(key) + " = { " + tomlKey(sub) + " = " + value + " }"}, func(tables []tomlTable, i int) (tomlEdit, error) {
		return setSubkey(c.text, tables, i, key, sub, value)
	})
}

// edit changes the proof's table; where it has none of its own, lines go into a new one.
func (c *configEdit) edit(lines []string, change func(tables []tomlTable, i int) (tomlEdit, error)) (*workspaceEdit, error) {
	tables, own, glob, err := c.table()
	if err != nil {
		return nil, err
	}
	if own >= 0 {
		e, err := change(tables, own)
		if err != nil {
			return nil, err
		}
		return c.workspaceEdit(e), nil
	}
	if glob >= 0 {
		// A table of its own would have to repeat what the common one says; that is for people to do.
		return nil, fmt.Errorf("line %d of %s is about several proofs", tables[glob].line, c.path)
	}
	return c.workspaceEdit(c.newTables(lines)), nil
}

// newTables makes tables for all proofs of the file, since naming the file ends their discovery; the
// lines are for the proof.
func (c *configEdit) newTables(lines []string) tomlEdit {
	file := c.proof.Proof.File
	if rel, err := filepath.Rel(filepath.Dir(c.path), file); err == nil {
		file = filepath.ToSlash(rel)
	}
	table := func(entry string) []string {
		out := []string{"[[proof]]", "file = " + tomlString(file)}
		if len(c.entries) > 1 {
			out = append(out, "entry = "+tomlString(entry))
		}
		return out
	}
	all := append(table(c.proof.Proof.Entry), lines...)
	for _, entry := range c.entries {
		if entry != c.proof.Proof.Entry {
			all = append(append(all, ""), table(entry)...)
		}
	}
	return appendTable(c.text, all...)
}

// appendTable adds a table that is not about a proof.
func (c *configEdit) appendTable(lines ...string) (*workspaceEdit, error) {
	return c.workspaceEdit(appendTable(c.text, lines...)), nil
}

// workspaceEdit is the edit as clients apply it.
func (c *configEdit) workspaceEdit(e tomlEdit) *workspaceEdit {
	v := c.view
	uri := v.uri(c.path)
	if c.isNew {
		// The file is made first.
		return &workspaceEdit{DocumentChanges: []any{
			map[string]any{"kind": "create", "uri": uri, "options": map[string]any{"ignoreIfExists": true}},
			map[string]any{"textDocument": map[string]any{"uri": uri, "version": nil},
				"edits": []protocol.TextEdit{{NewText: e.text}}},
		}}
	}
	t := newText([]byte(c.text))
	return &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
		uri: {{Range: t.span(e.start, e.end, v.encoding), NewText: e.text}},
	}}
}

// addSource links one more file to the proof. The key replaces the search for sources, so that those
// which were found have to be named, too.
func (c *configEdit) addSource(file string) (*workspaceEdit, error) {
	dir := filepath.Dir(c.path)
	var list []string
	add := func(f string) {
		f = fileOf(c.proof, f)
		if rel, err := filepath.Rel(dir, f); err == nil {
			f = filepath.ToSlash(rel)
		}
		if !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	for _, u := range c.proof.Proof.Sources {
		add(u.File)
	}
	if r := c.proof.Result; r != nil {
		for _, f := range r.Options.Sources {
			add(f)
		}
	}
	add(file)
	return c.setKey("sources", tomlStrings(list))
}

// relativeTo names a file for people.
func relativeTo(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}
