package main

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

var updateKinds = flag.Bool("update-kinds", false, "rewrite testdata/proofs/kinds/*.txt")

// timings matches text that differs between runs.
var timings = regexp.MustCompile(`(?m)^(\d+ proofs?: .*|\w+ +\w+: .* \(.* s\))\n`)

// TestKinds compares the text of every kind of finding with testdata/proofs/kinds: sentence, inputs and trace on a
// terminal. JSON and SARIF must have the same sentence.
func TestKinds(t *testing.T) {
	program := buildProgram(t)
	const folder = "../../testdata/proofs/kinds"
	seen := map[found.Kind]bool{}
	for _, p := range testPrograms(t, folder) {
		for _, w := range p.expect.Wants {
			seen[w.Kind] = true
		}
		t.Run(strings.TrimSuffix(filepath.Base(p.file), ".c"), func(t *testing.T) {
			t.Parallel()
			checkKind(t, program, p.file, p.expect.Flags)
		})
	}
	for _, kind := range found.Kinds() {
		if !seen[kind] {
			t.Errorf("no program in %s shows %s", folder, kind)
		}
	}
}

func checkKind(t *testing.T, program, file string, flags []string) {
	out := t.TempDir()
	asJSON, asSARIF := filepath.Join(out, "out.json"), filepath.Join(out, "out.sarif")
	args := append([]string{"check", "-j", "1", "--no-cache", "--json", asJSON, "--sarif", asSARIF}, flags...)
	cmd := exec.Command(program, append(args, filepath.Base(file))...)
	cmd.Dir = filepath.Dir(file)
	said, _ := cmd.Output()
	got := timings.ReplaceAllString(string(said), "")
	got = strings.ReplaceAll(strings.TrimSpace(got), "testdata/proofs/kinds/", "") + "\n"
	golden := strings.TrimSuffix(file, ".c") + ".txt"
	if *updateKinds {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("the text differs from %s (rewrite it with -update-kinds, and read it):\n%s", golden, got)
	}
	var doc diagnostics.Document
	data, err := os.ReadFile(asJSON)
	if err != nil {
		t.Fatal(err)
	}
	if err := readDocument(data, &doc); err != nil {
		t.Fatal(err)
	}
	sarif, err := os.ReadFile(asSARIF)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range doc.Proofs {
		for _, f := range p.Obligations {
			if !f.Reported() {
				continue
			}
			n++
			message := strings.ReplaceAll(f.Message, "testdata/proofs/kinds/", "")
			if !strings.Contains(got, message) {
				t.Errorf("the terminal does not say what JSON says: %s", f.Message)
			}
			quoted := &strings.Builder{}
			enc := json.NewEncoder(quoted)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(f.Message); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(sarif), strings.TrimSpace(quoted.String())) {
				t.Errorf("SARIF does not say what JSON says: %s", f.Message)
			}
		}
	}
	if n == 0 {
		t.Error("nothing is reported")
	}
}
