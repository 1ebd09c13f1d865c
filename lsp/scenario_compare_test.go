package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestScenarioCompareWithHead compares edited functions with git's HEAD by their lenses.
func TestScenarioCompareWithHead(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	const text = "int half(int x) { return x / 2; }\nint twice(short x) { return x + x; }\nint same(void) { return 1; }\n"
	e, dir := workspace(t, files{"a.c": text})
	for _, args := range []string{"init -q .", "add a.c", "-c user.name=x -c user.email=x@example.com commit -q -m x"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	path := filepath.Join(dir, "a.c")
	edited := strings.NewReplacer("x / 2", "x >> 1", "x + x", "2 * x", "return 1; }",
		"return 1; /* one */ }").Replace(text)
	if err := os.WriteFile(path, []byte(edited), 0o666); err != nil {
		t.Fatal(err)
	}
	d := e.Open(path)
	e.Settle()
	lenses := func() (titles []string) {
		var list []protocol.CodeLens
		e.Must("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": d.URI}}, &list)
		for _, l := range list {
			e.Must("codeLens/resolve", l, &l)
			if l.Command.Title != "Prove this function" {
				title, _, _ := strings.Cut(l.Command.Title, " · ")
				titles = append(titles, title)
			}
		}
		return titles
	}
	if got := lenses(); !slices.Equal(got, []string{"Compare with HEAD", "Compare with HEAD"}) {
		t.Errorf("the lenses are %q", got)
	}
	for _, f := range []string{"half", "twice"} {
		var out comparedFunction
		if err := e.Execute("compare", map[string]any{"uri": d.URI, "function": f}, &out); err != nil {
			t.Fatal(err)
		}
		if f == "half" && !strings.Contains(out.Text, "the results differ") || strings.Contains(out.Text, "0 in HEAD, 0") {
			t.Errorf("the text is\n%s", out.Text)
		}
	}
	if got := lenses(); !slices.Equal(got, []string{"≠ HEAD: 1 difference", "≡ HEAD, for all inputs"}) {
		t.Errorf("the lenses are %q", got)
	}
}
