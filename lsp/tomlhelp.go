package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/project"
)

// Completion and hovers in unitproof.toml, from the table of keys.

var (
	tomlTable = lazyregexp.New(`^\s*(\[\[?\s*[\w-]+\s*\]\]?)`)
	tomlKey   = lazyregexp.New(`^\s*([\w-]+)\s*=`)
)

// tomlPlace is a position in a unitproof.toml.
type tomlPlace struct {
	table string // the name of the table around it, "" if there is none
	line  string
	at    int             // byte offset in line
	given map[string]bool // keys of the table before and behind it
}

// tomlPlaceOf returns the place of a position; false for other files.
func (v *view) tomlPlaceOf(p *positionParams) (tomlPlace, bool) {
	path, ok := pathOf(p.TextDocument.URI)
	d := v.docs[path]
	if !ok || d == nil || filepath.Base(path) != project.ConfigName {
		return tomlPlace{}, false
	}
	offset := d.text.offset(p.Position, v.encoding)
	here := tomlPlace{given: map[string]bool{}}
	start, passed := 0, false
	for line := range strings.Lines(string(d.text.data)) {
		end := start + len(line)
		inside := !passed && offset >= start && (offset < end || end == len(d.text.data) && !strings.HasSuffix(line, "\n"))
		if m := tomlTable.FindStringSubmatch(line); m != nil && !inside {
			if passed {
				break
			}
			here.table, here.given = strings.ReplaceAll(m[1], " ", ""), map[string]bool{}
		}
		if inside {
			here.line, here.at, passed = strings.TrimRight(line, "\r\n"), offset-start, true
		} else if m := tomlKey.FindStringSubmatch(line); m != nil {
			here.given[m[1]] = true
		}
		start = end
	}
	here.at = min(here.at, len(here.line))
	return here, true
}

// completion completes keys, their values and tables in unitproof.toml. Other files have no completion.
func (v *view) completion(_ context.Context, p *positionParams) ([]protocol.CompletionItem, error) {
	items := []protocol.CompletionItem{}
	here, ok := v.tomlPlaceOf(p)
	if !ok {
		return items, nil
	}
	before := here.line[:here.at]
	name, value, isValue := strings.Cut(before, "=")
	switch {
	case strings.Contains(before, "#"):
	case isValue:
		for _, k := range project.KeysOf(here.table) {
			if k.Name != strings.TrimSpace(name) {
				continue
			}
			for _, n := range k.Names() {
				if strings.HasPrefix(strings.TrimSpace(value), `"`) { // the quotes are there
					n = strings.Trim(n, `"`)
				}
				items = append(items, protocol.CompletionItem{Label: n, Kind: protocol.CompletionItemKindValue})
			}
		}
	case strings.HasPrefix(strings.TrimSpace(before), "["):
		for _, t := range project.Tables() {
			items = append(items, protocol.CompletionItem{Label: strings.Trim(t.Name, "[]"),
				Kind: protocol.CompletionItemKindModule, Detail: t.Name})
		}
	default:
		for _, k := range project.KeysOf(here.table) {
			if !here.given[k.Name] {
				items = append(items, protocol.CompletionItem{Label: k.Name, Kind: protocol.CompletionItemKindProperty,
					Detail: plainValue(k.Value), InsertText: k.Name + " = ", Documentation: keyHelp(k)})
			}
		}
	}
	return items, nil
}

// plainValue returns a description of values without Markdown.
func plainValue(s string) string { return strings.ReplaceAll(s, "`", "") }

// keyHelp describes a key in Markdown.
func keyHelp(k *project.Key) *protocol.MarkupContent {
	text := k.Doc
	if k.Default != "" {
		text += fmt.Sprintf("\n\nDefault: %s", k.Default)
	}
	return &protocol.MarkupContent{Kind: protocol.Markdown, Value: text}
}

// tomlHover describes the key under the cursor in unitproof.toml; nil if there is none.
func (v *view) tomlHover(p *positionParams) *protocol.Hover {
	here, ok := v.tomlPlaceOf(p)
	if !ok {
		return nil
	}
	m := tomlKey.FindStringSubmatch(here.line)
	if m == nil {
		return nil
	}
	start := strings.Index(here.line, m[1])
	if here.at < start || here.at > start+len(m[1]) {
		return nil
	}
	for _, k := range project.KeysOf(here.table) {
		if k.Name == m[1] {
			help := keyHelp(k)
			help.Value = fmt.Sprintf("`%s` of `%s`: %s\n\n%s", k.Name, here.table, k.Value, help.Value)
			return &protocol.Hover{Contents: *help}
		}
	}
	return nil
}
