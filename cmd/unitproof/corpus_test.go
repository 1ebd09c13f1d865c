package main

import (
	"flag"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
)

// The programs that the command line has to get right, relative to this folder; testdata/README.md tells of each set.
var corpora = []string{"../../testdata/acceptance", "../../testdata/proofs"}

// Programs whose violation shows only after more iterations than are unrolled: nobody proves them.
const beyond = "../../testdata/beyond"

// testProgram is a program of a corpus, with what it says of itself.
type testProgram struct {
	file   string // absolute
	name   string // the corpus's folder and the place in it: "acceptance/traps/division_corners.c"
	text   string
	expect clitest.Expectation
}

// args are the arguments of a check of the program.
func (p *testProgram) args() []string { return append(slices.Clip(p.expect.Flags), p.file) }

// title is how tests call the program.
func (p *testProgram) title() string { return strings.TrimSuffix(p.name, ".c") }

// everything has all tests take all of what they otherwise take a sample of: "make test-all".
var everything = flag.Bool("everything", false, "whether tests take all programs, and not a sample of them")

// sampled reports whether a program, or whatever has a name, is among one in n. The choice is made by name, so that a
// new program changes nothing for the others.
func sampled(name string, n uint32) bool {
	return *everything || crc32.ChecksumIEEE([]byte(name))%n == 0
}

func (p *testProgram) sampled(n uint32) bool { return sampled(p.title(), n) }

// testPrograms reads the programs below folders, each of which has to hold some. A program without markers is an error
// of the test.
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

// testFiles lists the C files of a folder. Those in folders named src are linked to others.
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
