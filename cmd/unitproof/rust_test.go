package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestRust checks the programs in Rust with the rustc in PATH, and a third of them with Debian's, if that is another.
// Findings must match the markers, and failures must reproduce natively.
func TestRust(t *testing.T) {
	program := buildProgram(t)
	files, err := filepath.Glob("../../testdata/rust/*.rs")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d programs: %v", len(files), err)
	}
	for i, compiler := range rustCompilers(t) {
		t.Run(strings.Trim(strings.ReplaceAll(compiler, "/", "-"), "-"), func(t *testing.T) {
			cache := t.TempDir()
			for _, file := range files {
				if i > 0 && !sampled(t, file, 3) {
					continue
				}
				t.Run(strings.TrimSuffix(filepath.Base(file), ".rs"), func(t *testing.T) {
					t.Parallel()
					checkRust(t, program, cache, compiler, file)
				})
			}
		})
	}
}

// rustCompilers returns the compilers to test with. At least one is required, as a skipped test checks nothing.
func rustCompilers(t *testing.T) []string {
	first, err := exec.LookPath("rustc")
	if err != nil {
		t.Fatalf("%v: make setup installs it", err)
	}
	compilers := []string{first}
	if debian := "/usr/bin/rustc"; first != debian {
		if _, err := os.Stat(debian); err == nil {
			compilers = append(compilers, debian)
		}
	}
	return compilers
}

func checkRust(t *testing.T, program, cache, compiler, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	expect, err := clitest.ParseMarkers(file, text)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("// want ")); n != len(expect.Wants) {
		t.Fatalf("%d markers, of which %d were read", n, len(expect.Wants))
	}
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, slices.Concat([]string{"check", "-j", "1"}, expect.Flags, []string{"--replay", path})...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, clang.RustVariable+"="+compiler)
	doc, said, status := document(t, cmd)
	if want := diagnostics.ExitStatus(doc.Proofs, nil); exitStatus(status) != want {
		t.Errorf("%v, want exit status %d", status, want)
	}
	for _, problem := range compare(path, expect, doc, false) {
		t.Errorf("%s:\n%s", problem, said)
	}
	for _, p := range doc.Proofs {
		for _, f := range p.Obligations {
			if f.Verdict == found.Failed && f.Replay != "reproduced" {
				t.Errorf("line %d: %s: replay is %q: %s", f.Line, f.Message, f.Replay, f.ReplayDetail)
			}
		}
	}
}
