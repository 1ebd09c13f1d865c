package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
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

// TestScenarioTomlPaths links the paths in unitproof.toml to files, and changes them when files are renamed.
func TestScenarioTomlPaths(t *testing.T) {
	const text = "# \"src/a.c\"\n[[proof]]\nfile = \"proofs/a_harness.c\"\nsources = [\"src/a.c\", 'src/none.c']\n"
	e, dir := workspace(t, files{"unitproof.toml": text, "src/a.c": "int x;\n",
		"proofs/a_harness.c": "#include <unitproof.h>\nint main(void) { sassert(1); }\n"})
	d := e.Open(filepath.Join(dir, "unitproof.toml"))
	e.Settle()
	var links []protocol.DocumentLink
	e.Must("textDocument/documentLink", map[string]any{"textDocument": map[string]any{"uri": d.URI}}, &links)
	var got []string
	for _, l := range links {
		line := strings.Split(d.Text, "\n")[l.Range.Start.Line]
		got = append(got, line[l.Range.Start.Character:l.Range.End.Character])
	}
	if strings.Join(got, " ") != "proofs/a_harness.c src/a.c" {
		t.Errorf("links: %q", got)
	}
	rename := func(from, to string) string {
		var edit *protocol.WorkspaceEdit
		uri := func(name string) string { return lsptest.URI(filepath.Join(dir, name)) }
		e.Must("workspace/willRenameFiles", map[string]any{"files": []map[string]any{{"oldUri": uri(from),
			"newUri": uri(to)}}}, &edit)
		if edit == nil {
			return ""
		}
		var list []string
		for _, c := range edit.Changes[protocol.DocumentURI(d.URI)] {
			line := strings.Split(d.Text, "\n")[c.Range.Start.Line]
			list = append(list, line[c.Range.Start.Character:c.Range.End.Character]+" → "+c.NewText)
		}
		return strings.Join(list, ", ")
	}
	for _, one := range [][3]string{
		{"src/a.c", "src/b.c", `"src/a.c" → "src/b.c"`},
		{"src", "lib/core", `"src/a.c" → "lib/core/a.c", 'src/none.c' → "lib/core/none.c"`},
		{"proofs/a_harness.c", "a_harness.c", `"proofs/a_harness.c" → "a_harness.c"`},
		{"sr", "x", ""},
		{"other.c", "x.c", ""},
	} {
		if got := rename(one[0], one[1]); got != one[2] {
			t.Errorf("%s to %s: %s, want %s", one[0], one[1], got, one[2])
		}
	}
}
