package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline/trust"
)

func writeKit(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"proofs/Makefile.common":     "# goto-cc $(HARNESS_ENTRY)\n$(shell touch ran)\n",
		"proofs/least/Makefile":      "HARNESS_ENTRY = least\nPROOF_SOURCES = least.c\ninclude ../Makefile.common\n",
		"proofs/least/least.c":       "void least(void) { __CPROVER_assert(1 < 2, \"\"); }\n",
		"proofs/waits/Makefile":      "HARNESS_ENTRY = waits\nPROOF_SOURCES = waits.c\ninclude ../Makefile.common\n",
		"proofs/readme/Makefile.txt": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
	}
}

// TestScenarioImportIsOffered checks that the import of a kit without a configuration is offered once, and that make
// runs only after the user's consent.
func TestScenarioImportIsOffered(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer []string
	}{
		{"accepted", []string{"Import"}},
		{"declined", []string{"Not now"}},
		{"it cannot be asked", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			dir := writeKit(t)
			e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Answers: test.answer}, Options{CacheDir: t.TempDir()})
			e.Initialize()
			message := func(text string) bool {
				return slices.ContainsFunc(e.Messages(), func(m protocol.ShowMessageParams) bool {
					return strings.Contains(m.Message, text)
				})
			}
			switch {
			case slices.Contains(test.answer, "Import"):
				until(t, "the import", func() bool { return message("2 proofs found, 1 needs something first:") })
				e.Settle()
				if items := proofItems(e); len(items) != 1 || items[0].Name != "least" || items[0].Verdict != "proved" {
					t.Errorf("%+v", items)
				}
			case test.answer != nil:
				until(t, "the question", func() bool { return e.Received("window/showMessageRequest") == 1 })
			default:
				until(t, "the message", func() bool { return message("unitproof import cbmc " + dir) })
			}
			e.Settle()
			_, err := os.Stat(filepath.Join(dir, "proofs/least/ran"))
			if ran := err == nil; ran != slices.Contains(test.answer, "Import") {
				t.Errorf("make was run: %v", ran)
			}
			(&server{folders: []string{dir}}).offerImports() // an offer would need a connection
		})
	}
}

func TestImportIsNotOffered(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := writeKit(t)
	no := false
	(&server{folders: []string{dir}, trusted: &no}).offerImports()
	(&server{folders: []string{filepath.Join(dir, "proofs/least")}}).offerImports()
	if err := os.WriteFile(filepath.Join(dir, "unitproof.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	(&server{folders: []string{dir}}).offerImports()
	store, err := trust.User()
	if err != nil || !store.Offer(dir) || store.Offer(dir) {
		t.Errorf("it was offered (%v)", err)
	}
}
