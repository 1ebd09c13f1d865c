package lsp

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/tomledit"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/project"
)

// Paths in unitproof.toml: links to the files, and their new names after a rename.

// tomlString matches a string without escapes, or a comment up to the end of the line.
var tomlString = lazyregexp.New(`"([^"\\\n]*)"|'([^'\n]*)'|#[^\n]*`)

// tomlPath is a string of a unitproof.toml that may name a file.
type tomlPath struct {
	start, end int // of the string without its quotes
	path       string
}

// tomlPaths returns the strings of a unitproof.toml in a folder, as paths.
func tomlPaths(text, folder string) (list []tomlPath) {
	for _, m := range tomlString.FindAllStringSubmatchIndex(text, -1) {
		start, end := m[2], m[3]
		if start < 0 {
			start, end = m[4], m[5]
		}
		if start < 0 || start == end { // a comment, an empty string
			continue
		}
		path := filepath.FromSlash(text[start:end])
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		list = append(list, tomlPath{start, end, filepath.Clean(path)})
	}
	return list
}

// documentLinks links the paths in a unitproof.toml to their files.
func (v *view) documentLinks(_ context.Context, p *textDocumentParams) ([]protocol.DocumentLink, error) {
	links := []protocol.DocumentLink{}
	path, ok := pathOf(p.TextDocument.URI)
	d := v.docs[path]
	if !ok || d == nil || filepath.Base(path) != project.ConfigName {
		return links, nil
	}
	for _, s := range tomlPaths(string(d.text.data), filepath.Dir(path)) {
		if info, err := os.Stat(s.path); err == nil && info.Mode().IsRegular() {
			links = append(links, protocol.DocumentLink{Range: d.text.span(s.start, s.end, v.encoding), Target: v.uri(s.path)})
		}
	}
	return links, nil
}

// pathValue is a string in a unitproof.toml that names a file or folder: the value of a key, or an element of a list.
type pathValue struct {
	tomlPath
	table   int // index of its table
	pair    tomledit.Pair
	element int // index in the list; 0 for a value
}

// pathValues returns the values of the keys whose values are paths.
func pathValues(text, folder string, tables []tomledit.Table) (list []pathValue) {
	isPath := map[string]bool{}
	for _, t := range project.Tables() {
		for i := range t.Keys {
			if t.Keys[i].IsPath() {
				isPath[strings.Trim(t.Name, "[]")+"."+t.Keys[i].Name] = true
			}
		}
	}
	for i, t := range tables {
		for _, p := range t.Pairs {
			if !isPath[strings.Join(slices.Concat(t.Name, p.Key), ".")] {
				continue
			}
			elements, err := tomledit.Elements(text, p)
			if err != nil {
				continue
			}
			for k, e := range elements {
				for _, s := range tomlPaths(text[e.ValueStart:e.ValueEnd], folder) {
					s.start, s.end = s.start+e.ValueStart, s.end+e.ValueStart
					list = append(list, pathValue{s, i, p, k})
				}
			}
		}
	}
	return list
}

// below returns the rest of a path below another one, "" for the path itself; ok is false if it is elsewhere.
func below(path, folder string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, folder)
	return rest, ok && (rest == "" || rest[0] == filepath.Separator)
}

// editConfigs returns the edits of all unitproof.toml that change computes; nil if there are none.
func (v *view) editConfigs(change func(text, folder string, tables []tomledit.Table) []tomledit.Edit) *workspaceEdit {
	edit := &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{}}
	for _, config := range v.configs() {
		t := v.text(config)
		if t == nil {
			continue
		}
		tables, err := tomledit.Scan(string(t.data))
		if err != nil {
			continue
		}
		for _, e := range change(string(t.data), filepath.Dir(config), tables) {
			edit.Changes[v.uri(config)] = append(edit.Changes[v.uri(config)], protocol.TextEdit{
				Range: t.span(e.Start, e.End, v.encoding), NewText: e.Text})
		}
	}
	if len(edit.Changes) == 0 {
		return nil
	}
	return edit
}

// renamedFilesParams are files and folders that the user renames, or has renamed.
type renamedFilesParams struct {
	Files []struct {
		OldURI protocol.DocumentURI `json:"oldUri"`
		NewURI protocol.DocumentURI `json:"newUri"`
	} `json:"files"`
}

// willRename returns the edits of unitproof.toml for files and folders that the user is about to rename.
func (v *view) willRename(_ context.Context, p *renamedFilesParams) (*workspaceEdit, error) {
	return v.editConfigs(func(text, folder string, tables []tomledit.Table) (edits []tomledit.Edit) {
		for _, s := range pathValues(text, folder, tables) {
			for _, f := range p.Files {
				from, ok1 := pathOf(f.OldURI)
				to, ok2 := pathOf(f.NewURI)
				rest, inside := below(s.path, from)
				if !ok1 || !ok2 || !inside {
					continue
				}
				written := to + rest
				if short, err := filepath.Rel(folder, written); err == nil && !filepath.IsAbs(text[s.start:s.end]) {
					written = short
				}
				edits = append(edits, tomledit.Edit{Start: s.start - 1, End: s.end + 1,
					Text: tomledit.String(filepath.ToSlash(written))})
				break
			}
		}
		return edits
	}), nil
}

// deletedFilesParams are files and folders that the user deletes, creates, or has deleted or created.
type deletedFilesParams struct {
	Files []struct {
		URI protocol.DocumentURI `json:"uri"`
	} `json:"files"`
}

func (p *deletedFilesParams) paths() (list []string) {
	for _, f := range p.Files {
		if path, ok := pathOf(f.URI); ok {
			list = append(list, path)
		}
	}
	return list
}

// willDelete returns the edits of unitproof.toml for files and folders that the user is about to delete: a proof of
// such a file is removed, and the file is taken off lists.
func (v *view) willDelete(_ context.Context, p *deletedFilesParams) (*workspaceEdit, error) {
	deleted := p.paths()
	return v.editConfigs(func(text, folder string, tables []tomledit.Table) (edits []tomledit.Edit) {
		gone := map[int]bool{}              // tables
		lists := map[int][]int{}            // elements by the start of their list
		pairs := map[int]tomledit.Pair{}    // lists by their start
		single := map[int][]tomledit.Pair{} // values by table
		owner := map[int]int{}              // tables by the start of a list
		for _, s := range pathValues(text, folder, tables) {
			if !slices.ContainsFunc(deleted, func(path string) bool { _, ok := below(s.path, path); return ok }) {
				continue
			}
			switch {
			case tables[s.table].Array && slices.Equal(s.pair.Key, []string{"file"}):
				gone[s.table] = true
			case text[s.pair.ValueStart] != '[':
				single[s.table] = append(single[s.table], s.pair)
			default:
				at := s.pair.ValueStart
				lists[at], pairs[at], owner[at] = append(lists[at], s.element), s.pair, s.table
			}
		}
		for i := range tables {
			if gone[i] {
				edits = append(edits, tomledit.RemoveTable(text, tables, i))
				continue
			}
			for _, pair := range single[i] {
				edits = append(edits, tomledit.RemovePair(text, pair))
			}
			for at, elements := range lists {
				if owner[at] == i {
					removals, _ := tomledit.RemoveElements(text, pairs[at], elements) // the list was read before
					edits = append(edits, removals...)
				}
			}
		}
		slices.SortFunc(edits, func(a, b tomledit.Edit) int { return a.Start - b.Start })
		return edits
	}), nil
}

// filesMoved handles files and folders that the user has renamed in the editor.
func (s *server) filesMoved(p *renamedFilesParams) error {
	var paths []string
	for _, f := range p.Files {
		for _, uri := range []protocol.DocumentURI{f.OldURI, f.NewURI} {
			if path, ok := pathOf(uri); ok {
				paths = append(paths, path)
			}
		}
	}
	s.filesChanged(paths)
	return nil
}

// filesMadeOrDeleted handles files and folders that the user has created or deleted in the editor.
func (s *server) filesMadeOrDeleted(p *deletedFilesParams) error {
	s.filesChanged(p.paths())
	return nil
}

// configs returns the paths of the configuration files of all proofs and of the workspace's folders.
func (v *view) configs() (list []string) {
	add := func(path string) {
		if path != "" && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	for path := range v.docs {
		if filepath.Base(path) == project.ConfigName {
			add(path)
		}
	}
	for _, p := range v.proofs() {
		add(p.Proof.Config)
		add(filepath.Join(string(p.Root), project.ConfigName))
	}
	slices.Sort(list)
	return list
}
