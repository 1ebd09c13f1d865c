package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/tomledit"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// configEdit computes edits of the unitproof.toml of a proof, based on its text in the editor if it is open.
type configEdit struct {
	view  *view
	proof *editing.ProofState
	path  string
	text  string
	isNew bool // the file does not exist yet
	// entries are all proofs of the file: a table for one of them disables the discovery of the others.
	entries []entryName

	tables []tomledit.Table
	at     int  // index of the table to edit; -1 if the proof has none
	split  bool // the table covers several entries of the file, and is split
	about  string
	// shared reports that the table, and therefore the edit, covers several files.
	shared       bool
	sourcesGiven bool
}

// entryName is an entry of the file, with the name of its proof.
type entryName struct{ entry, name string }

// config prepares edits of a proof's configuration. It returns an error if there is nothing to edit, or if the file
// cannot be parsed.
func (v *view) config(p *editing.ProofState) (*configEdit, error) {
	c := &configEdit{view: v, proof: p, path: p.Proof.Config, at: -1, about: p.Proof.Name}
	if c.path == "" {
		c.path = filepath.Join(string(p.Root), project.ConfigName)
	}
	if d := v.document(c.path); d != nil {
		c.text = string(d.text.data)
	} else {
		data, err := regular.ReadFile(c.path, regular.MaxConfig)
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
	}
	for _, q := range v.proofsIn(p.Proof.File) {
		c.entries = append(c.entries, entryName{q.Proof.Entry, q.Proof.Name})
	}
	return c, c.find()
}

// find sets c.at to the [[proof]] table that defines the proof.
func (c *configEdit) find() (err error) {
	if c.tables, err = tomledit.Scan(c.text); err != nil || c.isNew {
		return err
	}
	config, _ := project.LoadText(c.path, []byte(c.text)) // errors elsewhere in the file do not matter here
	named := 0
	var found *project.ProofConfig
	for i := range config.Proofs {
		pc := &config.Proofs[i]
		if !slices.Contains(pc.Files, c.proof.Proof.File) {
			continue
		}
		named++
		if pc.Entry != "" && pc.Entry != c.proof.Proof.Entry {
			continue
		}
		// A table for the entry takes precedence over one for the whole file.
		if j := slices.IndexFunc(c.tables, func(t tomledit.Table) bool { return t.Line == pc.Line && t.Array }); j >= 0 &&
			(found == nil || pc.Entry != "") {
			c.at, found = j, pc
		}
	}
	if found == nil {
		return nil
	}
	c.sourcesGiven = found.SourcesGiven
	switch {
	case len(found.Files) > 1:
		// A glob cannot exclude a file, so the edit applies to all of them.
		c.shared = true
		n := 0
		for _, q := range c.view.proofs() {
			if slices.Contains(found.Files, q.Proof.File) && (found.Entry == "" || found.Entry == q.Proof.Entry) {
				n++
			}
		}
		c.about = fmt.Sprintf("all %d proofs of %s", n, found.Pattern)
	case found.Entry == "" && len(c.entries) > 1 && named > 1:
		return fmt.Errorf("line %d of %s and other tables are about entries of one file", found.Line, c.path)
	case found.Entry == "" && len(c.entries) > 1:
		c.split = true
	}
	return nil
}

// tableChange returns an edit of the i-th table of a text.
type tableChange func(text string, tables []tomledit.Table, i int) (tomledit.Edit, error)

// setKey sets a key of the proof's table.
func (c *configEdit) setKey(key, value string) (*workspaceEdit, error) {
	return c.edit([]string{tomledit.Key(key) + " = " + value},
		func(text string, tables []tomledit.Table, i int) (tomledit.Edit, error) {
			return tomledit.SetKey(text, &tables[i], key, value), nil
		})
}

// setSubkey sets KEY.SUB of the proof's table.
func (c *configEdit) setSubkey(key, sub, value string) (*workspaceEdit, error) {
	return c.edit([]string{tomledit.Key(key) + " = { " + tomledit.Key(sub) + " = " + value + " }"},
		func(text string, tables []tomledit.Table, i int) (tomledit.Edit, error) {
			return tomledit.SetSubkey(text, tables, i, key, sub, value)
		})
}

// edit applies change to the proof's table. If there is none, it adds a table with lines.
func (c *configEdit) edit(lines []string, change tableChange) (*workspaceEdit, error) {
	switch {
	case c.at < 0:
		return c.workspaceEdit(c.newTables(lines)), nil
	case c.split:
		e, err := c.splitTable(change)
		if err != nil {
			return nil, err
		}
		return c.workspaceEdit(e), nil
	}
	e, err := change(c.text, c.tables, c.at)
	if err != nil {
		return nil, err
	}
	return c.workspaceEdit(e), nil
}

// splitTable replaces a table for all entries of a file by one copy for each, and changes the proof's copy. Proofs
// keep their names.
func (c *configEdit) splitTable(mine tableChange) (tomledit.Edit, error) {
	start, end := c.tables[c.at].Start, c.tables[c.at].Last
	for _, t := range c.tables[c.at+1:] { // [proof.loops] belongs to it
		if t.Array && len(t.Name) == 1 || t.Name[0] != c.tables[c.at].Name[0] {
			break
		}
		end = t.Last
	}
	var blocks []string
	for _, entry := range c.entries {
		block := c.text[start:end]
		changes := []tableChange{func(text string, tables []tomledit.Table, i int) (tomledit.Edit, error) {
			return tomledit.SetKey(text, &tables[i], "entry", tomledit.String(entry.entry)), nil
		}, func(text string, tables []tomledit.Table, i int) (tomledit.Edit, error) {
			for _, p := range tables[i].Pairs {
				if len(p.Key) == 1 && p.Key[0] == "name" {
					return tomledit.Edit{Start: p.ValueStart, End: p.ValueEnd, Text: tomledit.String(entry.name)}, nil
				}
			}
			return tomledit.Edit{}, nil
		}}
		if entry.entry == c.proof.Proof.Entry {
			changes = append(changes, mine)
		}
		for _, f := range changes {
			tables, err := tomledit.Scan(block)
			if err != nil || len(tables) < 2 {
				return tomledit.Edit{}, fmt.Errorf("the table at line %d of %s is not understood", c.tables[c.at].Line, c.path)
			}
			e, err := f(block, tables, 1)
			if err != nil {
				return tomledit.Edit{}, err
			}
			block = e.Apply(block)
		}
		blocks = append(blocks, block)
	}
	nl := tomledit.LineEnd(c.text)
	return tomledit.Edit{Start: start, End: end, Text: strings.Join(blocks, nl+nl)}, nil
}

// newTables returns tables for all proofs of the file, since naming the file disables their discovery. The lines go
// into the proof's table.
func (c *configEdit) newTables(lines []string) tomledit.Edit {
	file := c.proof.Proof.File
	if rel, err := filepath.Rel(filepath.Dir(c.path), file); err == nil {
		file = filepath.ToSlash(rel)
	}
	table := func(entry string) []string {
		out := []string{"[[proof]]", "file = " + tomledit.String(file)}
		if len(c.entries) > 1 {
			out = append(out, "entry = "+tomledit.String(entry))
		}
		return out
	}
	all := append(table(c.proof.Proof.Entry), lines...)
	for _, other := range c.entries {
		if other.entry != c.proof.Proof.Entry {
			all = append(append(all, ""), table(other.entry)...)
		}
	}
	return tomledit.AppendTable(c.text, all...)
}

// appendTable adds a table that is not about a proof.
func (c *configEdit) appendTable(lines ...string) (*workspaceEdit, error) {
	return c.workspaceEdit(tomledit.AppendTable(c.text, lines...)), nil
}

// workspaceEdit converts an edit to LSP.
func (c *configEdit) workspaceEdit(e tomledit.Edit) *workspaceEdit {
	v := c.view
	uri := v.uri(c.path)
	if c.isNew {
		// The file is created first.
		return &workspaceEdit{DocumentChanges: []any{
			map[string]any{"kind": "create", "uri": uri, "options": map[string]any{"ignoreIfExists": true}},
			map[string]any{"textDocument": map[string]any{"uri": uri, "version": nil},
				"edits": []protocol.TextEdit{{NewText: e.Text}}},
		}}
	}
	t := newText([]byte(c.text))
	return &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
		uri: {{Range: t.span(e.Start, e.End, v.encoding), NewText: e.Text}},
	}}
}

// addSource links one more file to the proof. The key disables the search for sources, so the sources found are
// listed too.
func (c *configEdit) addSource(file string) (*workspaceEdit, error) {
	if c.shared && !c.sourcesGiven && len(c.proof.Proof.SourceCandidates) > 0 {
		return nil, fmt.Errorf("line %d of %s is about several proofs, whose sources are found "+
			"automatically", c.tables[c.at].Line,
			c.path)
	}
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
	return c.setKey("sources", tomledit.Strings(list))
}

// addIncludeDir adds a folder to the include path of all files.
func (c *configEdit) addIncludeDir(dir string) (*workspaceEdit, error) {
	if rel, err := filepath.Rel(filepath.Dir(c.path), dir); err == nil {
		dir = filepath.ToSlash(rel)
	}
	flag := tomledit.String("-I" + dir)
	i := slices.IndexFunc(c.tables, func(t tomledit.Table) bool {
		return !t.Array &&
			slices.Equal(t.Name, []string{"compile"})
	})
	if i < 0 {
		return c.appendTable("[compile]", "flags = ["+flag+"]")
	}
	for _, p := range c.tables[i].Pairs {
		if !slices.Equal(p.Key, []string{"flags"}) {
			continue
		}
		inner, opens := strings.CutPrefix(c.text[p.ValueStart:p.ValueEnd], "[")
		if !opens {
			return nil, fmt.Errorf("flags of [compile] in %s is not a list", c.path)
		}
		if strings.TrimSpace(inner) != "]" {
			flag += ", "
		}
		return c.workspaceEdit(tomledit.Edit{Start: p.ValueStart + 1, End: p.ValueStart + 1, Text: flag}), nil
	}
	return c.workspaceEdit(tomledit.SetKey(c.text, &c.tables[i], "flags", "["+flag+"]")), nil
}
