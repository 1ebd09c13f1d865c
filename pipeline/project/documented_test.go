package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented holds docs/configuration.md against what is read: each table has a section with a row for each of its
// keys and no others, and the example is understood.
func TestDocumented(t *testing.T) {
	data, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string][]string{"[compile]": compileKeys, "[check]": checkKeys, "[[accept]]": acceptKeys}
	for _, key := range proofKeys {
		if !contains(settingKeys, key) { // those are told of once
			own["[[proof]]"] = append(own["[[proof]]"], key)
		}
	}
	sections := strings.Split(string(data), "\n## ")
	for _, section := range sections[1:] {
		table, _, _ := strings.Cut(section, ":")
		keys, known := own[table]
		if !known {
			continue
		}
		delete(own, table)
		for _, key := range keys {
			if strings.Count(section, "\n| `"+key+"` |") != 1 {
				t.Errorf("the section on %s has not one row for %s", table, key)
			}
		}
		if rows := strings.Count(section, "\n| `"); rows != len(keys) {
			t.Errorf("the section on %s has %d rows for %d keys", table, rows, len(keys))
		}
	}
	for table := range own {
		t.Errorf("no section on %s", table)
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
	if c, err := LoadText(filepath.Join(dir, ConfigName), []byte(example)); err != nil || len(c.Proofs) != 1 || len(c.Accept) != 1 {
		t.Errorf("the example: %v, %+v", err, c)
	}
}
