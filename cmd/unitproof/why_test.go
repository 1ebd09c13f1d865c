package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestCores checks the reported cores. Without all assumptions that are not needed a program must be proved, and
// without any one assumption of a minimal core it must not. It takes a sample of the programs; "make cores" takes
// those of a folder.
func TestCores(t *testing.T) {
	program, cache := buildProgram(t), keptOfCorpus(t)
	var entries, spare atomic.Int64
	t.Cleanup(func() {
		if *everything && (entries.Load() < 3 || spare.Load() < 1) { // a sample may have none
			t.Errorf("the programs have %d assumptions that are needed and %d that are not: this tests little",
				entries.Load(), spare.Load())
		}
	})
	for _, p := range testPrograms(t, corpora...) {
		if !p.sampled(t, 12) || p.expect.Verdict != found.Proved || !assuming.MatchString(p.text) ||
			strings.Contains(p.name, "linked/") {
			continue
		}
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			doc, said, _ := runCheck(t, program, cache, append([]string{"--explain"}, p.args()...)...)
			for i := range doc.Proofs {
				proof := &doc.Proofs[i]
				c := proof.Core
				if c == nil {
					continue // the core may be too hard to find; a limit on that number is checked below
				}
				v := checkWithout(t, program, cache, &p, proof.Entry, c.NotNeeded, "")
				if v != "" && v != found.Proved {
					t.Errorf("%s: %v without what is not needed\n%s", p.title(), v, said)
				}
				spare.Add(int64(len(c.NotNeeded)))
				for _, e := range c.Needed {
					if e.Kind != "assume" || !c.Minimal {
						continue
					}
					entries.Add(1)
					without := append([]diagnostics.CoreEntry{e}, c.NotNeeded...)
					// A check that is not proved may take any time: proofs take seconds.
					if v := checkWithout(t, program, cache, &p, proof.Entry, without, "10s"); v == found.Proved {
						t.Errorf("%s: it is proved without line %d of its minimal core\n%s", p.title(), e.Line, said)
					}
				}
			}
		})
	}
}

var assuming = regexp.MustCompile(`\b\w*assume\s*\(`)

// checkWithout returns the verdict of a proof without some assumptions; "" if they cannot be removed from the text.
// Their conditions are still evaluated. timeout replaces the program's own unless it is "".
func checkWithout(t *testing.T, program, cache string, p *testProgram, entry string,
	list []diagnostics.CoreEntry, timeout string) found.Verdict {
	t.Helper()
	lines := strings.Split(p.text, "\n")
	for i := len(list) - 1; i >= 0; i-- { // later columns first
		e := list[i]
		if filepath.Base(e.File) != filepath.Base(p.file) {
			return ""
		}
		l := lines[e.Line-1]
		at := assuming.FindStringIndex(l[e.Column-1:])
		if at == nil || at[0] != 0 {
			return ""
		}
		lines[e.Line-1] = l[:e.Column-1] + "(void)(" + l[e.Column-1+at[1]:]
	}
	file := filepath.Join(t.TempDir(), filepath.Base(p.file))
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := slices.Clone(p.expect.Flags)
	if timeout != "" {
		flags = append(flags, "--timeout", timeout)
	}
	doc, _, _ := runCheck(t, program, cache, append(flags, file)...)
	for i := range doc.Proofs {
		if doc.Proofs[i].Entry == entry {
			if doc.Proofs[i].Verdict == found.Error {
				return "" // it depends on other assumptions
			}
			return doc.Proofs[i].Verdict
		}
	}
	return ""
}
