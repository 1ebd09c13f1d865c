package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestScenarioToml completes and describes the keys of unitproof.toml.
func TestScenarioToml(t *testing.T) {
	const text = "[check]\nunwind = 3\n\nvacuity = \"\n[[proof]]\nfile = \"a.c\"\n\n[\n"
	e, dir := workspace(t, files{"unitproof.toml": text, "a.c": "int x;\n"})
	d := e.Open(filepath.Join(dir, "unitproof.toml"))
	e.Settle()
	labels := func(line, character int) (list []string) {
		var items []protocol.CompletionItem
		e.Must("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": d.URI},
			"position": map[string]any{"line": line, "character": character}}, &items)
		for _, i := range items {
			list = append(list, i.Label)
		}
		return list
	}
	if got := labels(2, 0); !slices.Contains(got, "timeout") || slices.Contains(got, "unwind") ||
		slices.Contains(got, "sources") {
		t.Errorf("keys of [check]: %q", got)
	}
	if got := labels(3, 11); !slices.Equal(got, []string{"entry", "all", "off"}) {
		t.Errorf("values: %q", got)
	}
	if got := labels(6, 0); !slices.Contains(got, "sources") || !slices.Contains(got, "timeout") ||
		slices.Contains(got, "file") || slices.Contains(got, "on") {
		t.Errorf("keys of [[proof]]: %q", got)
	}
	if got := labels(7, 1); !slices.Contains(got, "accept") {
		t.Errorf("tables: %q", got)
	}
	var hover protocol.Hover
	e.Must("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": d.URI},
		"position": map[string]any{"line": 1, "character": 2}}, &hover)
	if !strings.Contains(hover.Contents.Value, "how often a loop's body may run") {
		t.Errorf("the hover is %q", hover.Contents.Value)
	}
}
