package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/pipeline/clang"
)

var (
	versions   = flag.String("versions", "clang-19", "the compilers that TestVersions checks the corpora with, by commas")
	anyVersion = flag.Bool("versions-any", false, "whether TestVersions passes over compilers that are not there")
)

// differing has, by version of clang, the programs whose findings differ from the markers, with the reasons: see
// docs/versions.md.
var differing = map[int]map[string]string{
	14: {"proofs/half_floats": noHalf, "acceptance/third/float16": noHalf},
	23: {"proofs/arrays_left_by_constants": "constant addresses are a variable and a number of bytes, without its arrays"},
}

const noHalf = "clang 14 has no _Float16 for x86"

// TestVersions checks programs of the corpora with other versions of clang. The findings must match the markers for
// each version, see docs/versions.md. `make versions` checks all programs with all versions.
func TestVersions(t *testing.T) {
	program := buildProgram(t)
	for _, name := range strings.Split(*versions, ",") {
		compiler, err := clang.Find(context.Background(), name)
		if err != nil && *anyVersion {
			t.Logf("passed over: %v", err)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		cache, start, n := t.TempDir(), time.Now(), 0
		t.Run(fmt.Sprint(compiler.Major), func(t *testing.T) {
			for _, p := range testPrograms(t, corpora...) {
				if !p.sampled(t, 32) {
					continue
				}
				n++
				t.Run(p.title(), func(t *testing.T) {
					t.Parallel()
					doc, said, _ := runCheckWith(t, program, cache, compiler.Clang, p.args()...)
					if !strings.Contains(doc.Toolchain.Clang, fmt.Sprintf("version %d.", compiler.Major)) {
						t.Errorf("compiled by %s", doc.Toolchain.Clang)
					}
					problems := compare(p.file, p.expect, doc, false)
					if why := differing[compiler.Major][p.title()]; why != "" {
						t.Log("known to differ: ", why)
						if len(problems) == 0 {
							t.Error("it does not differ any more: take it out of the table")
						}
						return
					}
					for _, problem := range problems {
						t.Errorf("%s:\n%s", problem, said)
					}
				})
			}
		})
		t.Logf("%s: %d programs in %v", compiler.Version, n, time.Since(start).Round(time.Second))
	}
}
