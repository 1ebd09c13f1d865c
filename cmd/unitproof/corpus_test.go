package main

import (
	"flag"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
)

// corpora are the test programs of the command line, relative to this folder; testdata/README.md describes each set.
var corpora = []string{"../../testdata/acceptance", "../../testdata/proofs"}

// beyond has programs whose violation needs more iterations than are unrolled; they cannot be proved.
const beyond = "../../testdata/beyond"

// testProgram is a program of a corpus with its markers.
type testProgram struct {
	file   string // absolute
	name   string // path from the corpus's folder: "acceptance/traps/division_corners.c"
	text   string
	expect clitest.Expectation
}

// args returns the arguments for a check of the program.
func (p *testProgram) args() []string { return append(slices.Clip(p.expect.Flags), p.file) }

// title returns the name of the program in subtests.
func (p *testProgram) title() string { return strings.TrimSuffix(p.name, ".c") }

// everything makes all tests use all programs instead of a sample: "make test-all".
var everything = flag.Bool("everything", false, "whether tests take all programs, and not a sample of them")

// sampled reports whether a name is in a sample of one in n. The selection is by hash of the name, so that a new
// program does not change the sample of the others.
func sampled(name string, n uint32) bool {
	return *everything || crc32.ChecksumIEEE([]byte(name))%n == 0
}

func (p *testProgram) sampled(n uint32) bool { return sampledProgram(p.title(), n) }

// sampledProgram reports whether the program of a title is in a sample of one in n. Slow programs are in none.
func sampledProgram(title string, n uint32) bool {
	return *everything || !slow()[title] && sampled(title, n)
}

// slow has the programs of testdata/slow.txt, which take more than 4 s of CPU time in TestAcceptance: it logs the time
// that each takes. Twenty of 540 take half of the time, so that test checks one in slowShare of them, unless it is to
// take all.
var slow = sync.OnceValue(func() map[string]bool {
	list, err := os.ReadFile("../../testdata/slow.txt")
	if err != nil {
		panic(err) // a part of the repository
	}
	set := map[string]bool{}
	for title := range strings.FieldsSeq(string(list)) {
		set[title] = true
	}
	return set
})

// slowShare is the n of a sample of one in n of the slow programs.
const slowShare = 4

// passedOver reports whether TestAcceptance leaves a program to "make test-all".
func (p *testProgram) passedOver() bool { return slow()[p.title()] && !sampled(p.title(), slowShare) }

// testPrograms reads the programs below folders; each folder must have some. A program without markers is a test
// error.
func testPrograms(t *testing.T, folders ...string) []testProgram {
	t.Helper()
	var list []testProgram
	for _, folder := range folders {
		dir, err := filepath.Abs(folder)
		if err != nil {
			t.Fatal(err)
		}
		files := testFiles(t, dir)
		if len(files) == 0 {
			t.Errorf("%s holds no test program", dir)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			expect, err := clitest.ParseMarkers(file, text)
			if err != nil {
				t.Error(err)
				continue
			}
			name, err := filepath.Rel(filepath.Dir(dir), file)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, testProgram{file, filepath.ToSlash(name), string(text), expect})
		}
	}
	return list
}

// testFiles returns the C files of a folder. Files in folders named src are linked to others, and excluded.
func testFiles(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "src":
			return filepath.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".c":
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("the test programs must be there: %v", err)
	}
	return list
}
