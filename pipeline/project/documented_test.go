package project

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the rows of docs/configuration.md anew")

// TestDocumented compares docs/configuration.md with the declarations: each section has the rows of the keys of its
// table, and the example is valid.
func TestDocumented(t *testing.T) {
	const page = "../../docs/configuration.md"
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, table := range Tables() {
		start := strings.Index(text, "\n## "+table.Name+": ")
		rows := strings.Index(text[max(start, 0):], "\n| `") + 1 + max(start, 0)
		length := strings.Index(text[rows:], "\n\n") + 1
		if start < 0 || rows <= start || length <= 0 {
			t.Fatalf("no section on %s with a table", table.Name)
		}
		want := ""
		for _, k := range table.Keys {
			columns := []string{"`" + k.Name + "`", k.Value}
			if table == checkTable() {
				columns = append(columns, k.Default)
			}
			want += strings.ReplaceAll("| "+strings.Join(append(columns, k.Doc), " | ")+" |\n", " |  |", " | |")
		}
		if got := text[rows : rows+length]; got != want {
			t.Errorf("%s: the rows are\n%sand the keys say (-update writes it)\n%s", table.Name, got, want)
		}
		text = text[:rows] + want + text[rows+length:]
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, example, _ := strings.Cut(string(data), "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	dir := t.TempDir()
	for _, file := range []string{"proofs/list_push_harness.c", "src/list.c"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := LoadText(filepath.Join(dir, ConfigName), []byte(example)); err != nil || len(c.Proofs) != 1 ||
		len(c.Accept) != 1 {
		t.Errorf("the example: %v, %+v", err, c)
	}
}

// TestClientKeys compares the settings that the VS Code extension declares with the keys that editors support: names,
// defaults and values are the same.
func TestClientKeys(t *testing.T) {
	data, err := os.ReadFile("../../editors/vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	type property struct {
		Default any
		Enum    []string
	}
	var manifest struct {
		Contributes struct {
			Configuration []struct{ Properties map[string]property }
		}
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	declared := map[string]property{}
	for _, c := range manifest.Contributes.Configuration {
		maps.Copy(declared, c.Properties)
	}
	known := map[string]bool{}
	for _, k := range checkTable().Keys {
		if k.Client == "" {
			continue
		}
		known["unitproof."+k.Client] = true
		p, ok := declared["unitproof."+k.Client]
		if !ok {
			t.Errorf("the extension has no setting %s", k.Client)
		}
		if s, is := p.Default.(string); is && "`\""+s+"\"`" != k.Default {
			t.Errorf("%s: the extension's default is %q and the key's %s", k.Client, s, k.Default)
		}
		if p.Enum != nil && "`\""+strings.Join(p.Enum, "\"`, `\"")+"\"`" != k.Value {
			t.Errorf("%s: the extension offers %q, the key %s", k.Client, p.Enum, k.Value)
		}
	}
	for name := range declared {
		if strings.HasPrefix(name, "unitproof.check.") && !known[name] {
			t.Errorf("the extension's setting %s is no key", name)
		}
	}
}
