package main

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
	"github.com/unitproof/unitproof/vcgen/sampletest"
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

// sampled reports whether a name is in today's sample of one in n.
func sampled(t *testing.T, name string, n uint32) bool {
	return *everything || sampletest.Takes(t, name, n)
}

func (p *testProgram) sampled(t *testing.T, n uint32) bool { return sampledProgram(t, p.title(), n) }

// sampledProgram reports whether the program of a title is in today's sample of one in n. Slow programs take three
// quarters of the time of all, so a sample has one in 16 n of them.
func sampledProgram(t *testing.T, title string, n uint32) bool {
	if slow()[title] > 0 {
		n *= 16
	}
	return sampled(t, title, n)
}

// slow has the seconds of CPU time that the programs of testdata/slow.txt take in TestAcceptance, which logs them. 85
// of 587 programs take three quarters of the time of all.
var slow = sync.OnceValue(func() map[string]int {
	list, err := os.ReadFile("../../testdata/slow.txt")
	if err != nil {
		panic(err) // a part of the repository
	}
	seconds := map[string]int{}
	for line := range strings.Lines(string(list)) {
		number, title, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(number)
		if err != nil || n <= 0 {
			panic("testdata/slow.txt: not a number and a name: " + line)
		}
		seconds[title] = n
	}
	return seconds
})

// passedOver reports whether TestAcceptance leaves a program to "make test-all". It takes one in two programs of 2 or 3
// seconds, one in eight longer ones, and one in 16 of 10 seconds or more.
func (p *testProgram) passedOver(t *testing.T) bool {
	switch n := slow()[p.title()]; {
	case n == 0 || *everything:
		return false
	case n < 4:
		return !sampled(t, p.title(), 2)
	case n < 10:
		return !sampled(t, p.title(), 8)
	}
	return !sampled(t, p.title(), 16)
}

// TestSlowPrograms checks that each program of testdata/slow.txt exists.
func TestSlowPrograms(t *testing.T) {
	titles := map[string]bool{}
	for _, p := range testPrograms(t, corpora...) {
		titles[p.title()] = true
	}
	for title := range slow() {
		if !titles[title] {
			t.Errorf("no program %s", title)
		}
	}
}

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
