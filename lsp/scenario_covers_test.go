package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestScenarioCodeUnderProof shows over functions which proofs execute them, in hovers and lenses, and the proofs of a
// document as symbols.
func TestScenarioCodeUnderProof(t *testing.T) {
	e, dir := workspace(t, files{
		"put.c": "int put(int *a, int n) {\n\treturn a[n];\n}\nint alone(int x) {\n\treturn x;\n}\n",
		"good.c": "#include <unitproof.h>\nint put(int *, int);\nint main(void) {\n\tint a[4] = {1};\n\tsassert(put(a, 0) " +
			"== 1);\n\treturn 0;\n}\n",
		"bad.c": "#include <unitproof.h>\nint put(int *, int);\nint main(void) {\n\tint a[4] = {1};\n\treturn put(a, " +
			"nd_int());\n}\n",
		"unitproof.toml": "[[proof]]\nfile = \"good.c\"\nsources = [\"put.c\"]\n[[proof]]\nfile = \"bad.c\"\nsources = " +
			"[\"put.c\"]\n",
	})
	d := e.Open(filepath.Join(dir, "put.c"))
	harness := e.Open(filepath.Join(dir, "bad.c"))
	if err := e.Execute("verify", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	var list []protocol.CodeLens
	e.Must("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": d.URI}}, &list)
	var titles []string
	for _, l := range list {
		e.Must("codeLens/resolve", l, &l)
		titles = append(titles, l.Command.Title)
	}
	if !slices.Equal(titles, []string{"1 proof ✓ · 1 ✗ bad", "Prove this function"}) {
		t.Errorf("the lenses are %q", titles)
	}
	var hover protocol.Hover
	e.Must("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": d.URI},
		"position": map[string]any{"line": 0, "character": 5}}, &hover)
	if text := hover.Contents.Value; !strings.Contains(text, "Proofs that execute put") ||
		!strings.Contains(text, "good") {
		t.Errorf("the hover is %q", text)
	}
	var symbols []protocol.DocumentSymbol
	e.Must("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": harness.URI}}, &symbols)
	if len(symbols) != 1 || symbols[0].Name != "bad" || symbols[0].Range.End.Line != 5 {
		t.Errorf("the symbols are %+v", symbols)
	}
}
