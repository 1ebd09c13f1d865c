package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestVersion checks that the version of the editor extension equals Version without its suffix. VS Code has no form
// for unreleased versions. The lock file repeats it.
func TestVersion(t *testing.T) {
	want, _, _ := strings.Cut(Version, "-")
	read := func(file string, into any) {
		data, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	var extension struct{ Version string }
	read("editors/vscode/package.json", &extension)
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	read("package-lock.json", &lock)
	for file, got := range map[string]string{"editors/vscode/package.json": extension.Version,
		"package-lock.json": lock.Packages["editors/vscode"].Version} {
		if got != want {
			t.Errorf("%s has version %q, want %q, of Version in cmd/internal/cli/version.go", file, got, want)
		}
	}
}
