package lsp

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/lsp/lsptest"
	"github.com/unitproof/unitproof/pipeline/trust"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

const trustedProof = "#include <unitproof.h>\nint main(void) {\n\tint x = nd_int();\n\tsassert(x != 5);\n}\n"

// TestScenarioTrustIsAsked has a client that makes no statement about trust: the request of a folder beyond the
// defaults needs the user's permission.
func TestScenarioTrustIsAsked(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		says  string
	}{
		{"a compiler", map[string]string{"unitproof.toml": "[compile]\nclang = \"./evil.sh\"\n"},
			"runs the compiler ROOT/evil.sh"},
		{"flags of the configuration", map[string]string{"unitproof.toml": "[compile]\nflags = [\"-I/opt/x\"]\n"},
			"gives clang -I/opt/x"},
		{"flags of a proof", map[string]string{"unitproof.toml": "[[proof]]\nfile = \"a_harness.c\"\nflags = " +
			"[\"-I/opt/x\"]\n"},
			"gives clang -I/opt/x"},
		{"flags of a database", map[string]string{"compile_commands.json": `[{"directory": "ROOT", "file": "a_harness.c",
			"arguments": ["cc", "-I/opt/x", "-O2", "a_harness.c"]}]`}, "gives clang -I/opt/x"},
		{"flags of compile_flags.txt", map[string]string{"compile_flags.txt": "-I/opt/x\n"}, "gives clang -I/opt/x"},
		{"much time", map[string]string{"unitproof.toml": "[check]\ntimeout = \"20m\"\n"},
			"takes for one proof up to 20m of processor time"},
		{"much memory", map[string]string{"unitproof.toml": "[check]\nmax-memory = \"1000G\"\n"},
			"takes for one proof up to 1000G of memory"},
		{"many steps", map[string]string{"unitproof.toml": "[[proof]]\nfile = \"a_harness.c\"\nsolver-steps = 20000000\n"},
			"takes for one proof up to 20000000 steps of the solver"},
		{"a header outside", map[string]string{"unitproof.toml": "[compile]\nflags = [\"-include\", \"OTHER/x.c\"]\n"},
			"gives clang -includeOTHER/x.c"},
		{"a file outside", map[string]string{"unitproof.toml": "[[proof]]\nfile = \"a_harness.c\"\n" +
			"sources = [\"OTHER/x.c\"]\n"},
			"compiles, outside of"},
		{"a folder outside", map[string]string{"compile_commands.json": `[{"directory": "OTHER", "file": "ROOT/a_harness.c",
			"arguments": ["cc", "a_harness.c"]}]`}, "compiles, outside of"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ran := watchClang(t)
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			dir, other := t.TempDir(), t.TempDir()
			place := strings.NewReplacer("ROOT", dir, "OTHER", other)
			put := func(name, text string, mode os.FileMode) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(dir, name), []byte(place.Replace(text)), mode); err != nil {
					t.Fatal(err)
				}
			}
			put("a_harness.c", trustedProof, 0o600)
			evil := filepath.Join(other, "evil")
			put("evil.sh", "#!/bin/sh\ntouch "+evil+"\nexec clang-14 \"$@\"\n", 0o700)
			if err := os.WriteFile(filepath.Join(other, "x.c"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for name, text := range test.files {
				put(name, text, 0o600)
			}
			e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Init: map[string]any{}},
				Options{CacheDir: t.TempDir()})
			e.Initialize()
			doc := e.Open(filepath.Join(dir, "a_harness.c"))
			e.Settle()
			items := proofItems(e)
			if len(items) != 1 || items[0].Verdict != "" || !strings.Contains(items[0].Title, "unitproof trust "+dir) {
				t.Errorf("items: %+v", items)
			}
			if words := ran(); strings.Contains(words, "a_harness.c") {
				t.Errorf("clang was run with %s", words)
			}
			if _, err := os.Stat(evil); err == nil {
				t.Error("the folder's program was run")
			}
			// It follows the client's refusal to show a question.
			var messages []string
			until(t, "the message", func() bool {
				messages = nil
				for _, m := range e.Messages() {
					if strings.Contains(m.Message, "unitproof trust") {
						messages = append(messages, m.Message)
					}
				}
				return messages != nil
			})
			if len(messages) != 1 || !strings.Contains(messages[0], place.Replace(test.says)) {
				t.Errorf("the user was told %q, want once %s", messages, test.says)
			}
			// What follows is the same for all of them.
			if test.name != "a compiler" && !sampletest.Short(t, test.name, 2) {
				return
			}
			var answer trustResult
			if err := e.Execute("trust", map[string]any{}, &answer); err != nil || len(answer.Folders) != 1 ||
				answer.Folders[0].Folder != dir {
				t.Fatalf("trust: %+v, %v", answer, err)
			}
			e.Settle()
			if items := proofItems(e); items[0].Verdict == "" {
				t.Errorf("it is not verified after it was allowed: %+v", items[0])
			}
			// Another program at the path of the allowed one is not allowed.
			if test.name == "a compiler" {
				again := filepath.Join(other, "again")
				put("evil.sh", "#!/bin/sh\ntouch "+again+"\nexec clang-14 \"$@\"\n", 0o700)
				e.Replace(doc, "x != 5", "x != 6")
				e.Save(doc)
				e.Settle()
				if _, err := os.Stat(again); err == nil || !proofItems(e)[0].Stale {
					t.Errorf("what the folder's program became was run: %+v", proofItems(e)[0])
				}
			}

			// Another request needs another question.
			put("unitproof.toml", "[compile]\nflags = [\"-I/opt/more\"]\n", 0o600)
			e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{
				"uri": lsptest.URI(filepath.Join(dir, "unitproof.toml")), "type": 1}}})
			e.Settle()
			if items := proofItems(e); !items[0].Stale {
				t.Errorf("another request is allowed as well: %+v", items[0])
			}
			evilNow := func() string {
				text, err := os.ReadFile(filepath.Join(dir, "evil.sh"))
				if err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256(text)
				return fmt.Sprintf("%s (sha256 %x)", filepath.Join(dir, "evil.sh"), sum[:16])
			}
			// A permission given elsewhere is noticed at the next save.
			store, err := trust.User()
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Allow(trust.Request{Root: dir, Clangs: []string{evilNow()},
				Flags: []string{"-I/opt/more", "-I/opt/x"}, Outside: []string{other, filepath.Join(other, "x.c")},
				Costs: []string{"1000G of memory", "20000000 steps of the solver for a question",
					"20m of processor time"}}); err != nil {
				t.Fatal(err)
			}
			e.Save(doc)
			e.Settle()
			if items := proofItems(e); items[0].Stale || items[0].Verdict == "" {
				t.Errorf("it was allowed, and not verified: %+v", items[0])
			}
		})
	}
}

// TestScenarioTrustIsAnswered checks that a positive answer to the question suffices, and that another answer changes
// nothing.
func TestScenarioTrustIsAnswered(t *testing.T) {
	for answer, verdict := range map[string]string{allowAction: "failed", notNow: ""} {
		t.Run(answer, func(t *testing.T) {
			t.Setenv("XDG_CONFIG_HOME", t.TempDir())
			dir := t.TempDir()
			for name, text := range map[string]string{"a_harness.c": trustedProof,
				"unitproof.toml": "[compile]\nflags = [\"-I/opt/x\"]\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Init: map[string]any{}, Answers: []string{answer}},
				Options{CacheDir: t.TempDir()})
			e.Initialize()
			e.Open(filepath.Join(dir, "a_harness.c"))
			until(t, "the question", func() bool { return e.Received("window/showMessageRequest") == 1 })
			if verdict != "" {
				until(t, "the verdict", func() bool { return proofItems(e)[0].Verdict != "" })
			}
			e.Settle()
			if items := proofItems(e); len(items) != 1 || string(items[0].Verdict) != verdict {
				t.Errorf("items: %+v, want the verdict %q", items, verdict)
			}
			if messages := e.Messages(); len(messages) != 0 {
				t.Errorf("it is told what was asked: %+v", messages)
			}
		})
	}
}

// TestScenarioTrustIsNotNeeded checks that a folder within the defaults needs no trust, and that the setting applies
// to all.
func TestScenarioTrustIsNotNeeded(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, test := range []struct {
		name, config string
		settings     any
		verified     bool
	}{
		{"no configuration", "", nil, true},
		{"a configuration of checks", "[check]\nunwind = 3\ntimeout = \"2m\"\n" +
			"[[proof]]\nfile = \"a_harness.c\"\n", nil, true},
		{"macros, a language and folders of its own", "[compile]\nflags = [\"-DX=1\", \"-UY\", \"-std=c11\", \"-I.\", " +
			"\"-funsigned-char\", \"-m64\", \"-O2\", \"-Wall\"]\n", nil, true},
		{"much memory, and the user's setting of it", "[check]\nmax-memory = \"8G\"\n",
			map[string]any{"maxMemory": "16G"}, true},
		{"flags and the setting", "[compile]\nflags = [\"-I/opt/x\"]\n", map[string]any{"trusted": true}, true},
		{"much time, and the user's setting of it", "[check]\ntimeout = \"20m\"\n",
			map[string]any{"check": map[string]any{"timeout": "30m"}}, true},
		{"nothing, and the setting against it", "", map[string]any{"trusted": false}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"a_harness.c": trustedProof}
			if test.config != "" {
				files["unitproof.toml"] = test.config
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			e, _ := connectWith(t, lsptest.Options{Folders: []string{dir}, Init: map[string]any{}, Settings: test.settings},
				Options{CacheDir: t.TempDir()})
			e.Initialize()
			e.Settle()
			if items := proofItems(e); len(items) != 1 || (items[0].Verdict == "failed") != test.verified {
				t.Errorf("%+v", items)
			}
		})
	}
}
