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

// willRename returns the edits of unitproof.toml for files and folders that the user is about to rename.
func (v *view) willRename(_ context.Context, p *struct {
	Files []struct {
		OldURI protocol.DocumentURI `json:"oldUri"`
		NewURI protocol.DocumentURI `json:"newUri"`
	} `json:"files"`
}) (*workspaceEdit, error) {
	edit := &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{}}
	for _, config := range v.configs() {
		t := v.text(config)
		if t == nil {
			continue
		}
		folder := filepath.Dir(config)
		for _, s := range tomlPaths(string(t.data), folder) {
			for _, f := range p.Files {
				from, ok1 := pathOf(f.OldURI)
				to, ok2 := pathOf(f.NewURI)
				rest, inside := strings.CutPrefix(s.path, from)
				if !ok1 || !ok2 || !inside || rest != "" && rest[0] != filepath.Separator {
					continue
				}
				written := to + rest
				if short, err := filepath.Rel(folder, written); err == nil && !filepath.IsAbs(string(t.data[s.start:s.end])) {
					written = short
				}
				quoted := tomledit.String(filepath.ToSlash(written))
				edit.Changes[v.uri(config)] = append(edit.Changes[v.uri(config)], protocol.TextEdit{
					Range: t.span(s.start-1, s.end+1, v.encoding), NewText: quoted})
				break
			}
		}
	}
	if len(edit.Changes) == 0 {
		return nil, nil
	}
	return edit, nil
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
