package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestExported exports programs and checks the result: the verdict is the same, except for vacuous assertions, which
// SV-COMP cannot express. CBMC reads the program if it is installed.
func TestExported(t *testing.T) {
	program, cache := buildProgram(t), keptOfCorpus(t)
	cbmc, _ := exec.LookPath("cbmc")
	tried := 0
	for _, p := range testPrograms(t, corpora...) {
		if filepath.Ext(p.file) != ".c" || !*everything && !p.sampled(t, 24) || p.expect.Verdict == found.Vacuous ||
			p.expect.Verdict == found.Error || slices.Contains(p.expect.Flags, "--entry") {
			continue
		}
		exported := filepath.Join(t.TempDir(), "exported.c")
		cmd := exec.Command(program, append([]string{"export", "--to", "sv-comp", "-o", exported}, p.args()...)...)
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
		if said, err := cmd.CombinedOutput(); err != nil {
			if !strings.Contains(string(said), "is not exported: ") &&
				!strings.Contains(string(said), "choose one with --entry") {
				t.Errorf("%s: %v\n%s", p.name, err, said)
			}
			continue
		}
		tried++
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(exported)
			if err != nil || strings.Contains(string(text), "include <unitproof.h>") {
				t.Fatalf("%v: it needs a header of ours", err)
			}
			doc, said, _ := runCheck(t, program, cache, slices.Concat([]string{"--entry", "main"}, p.expect.Flags,
				[]string{exported})...)
			if len(doc.Proofs) != 1 || doc.Proofs[0].Verdict != p.expect.Verdict {
				t.Fatalf("the exported program is not %s:\n%s\n%s", p.expect.Verdict, said, text)
			}
			wanted := map[found.Kind]bool{}
			for _, w := range p.expect.Wants {
				wanted[w.Kind] = wanted[w.Kind] || w.Verdict == found.Failed
			}
			for i := range doc.Proofs[0].Obligations {
				if f := &doc.Proofs[0].Obligations[i]; f.Verdict == found.Failed && !wanted[f.Kind] {
					t.Errorf("%s:%d: %s fails in the exported program only", f.File, f.Line, f.Kind)
				}
			}
			if cbmc != "" {
				if said, err := exec.Command(cbmc, "--show-goto-functions", exported).CombinedOutput(); err != nil {
					t.Errorf("cbmc does not read it: %v\n%s", err, said)
				}
			}
		})
	}
	if tried < 8 {
		t.Errorf("only %d programs were exported", tried)
	}
}
