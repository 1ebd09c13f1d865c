//go:build !race

// The engine is in the process of the test here, and takes ten times as long with the race detector.

package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/sampletest"
	"github.com/unitproof/unitproof/vcgen/smt"
)

var (
	typeName  = regexp.MustCompile(`(?m)^(%(?:"[^"\n]*"|[-\w$.]+)) = type `)
	localName = regexp.MustCompile(`%(?:"[^"\n]*"|[-a-zA-Z$._][-\w$.]*)`)
	labelName = regexp.MustCompile(`^("[^"]*"|[-a-zA-Z$._][-\w$.]*):`)
)

// another returns a different name with the same meaning.
func another(name string, n int) string {
	number := strconv.Itoa(n)
	switch stem := clangir.Stem(name); {
	case stem == "":
		return "n" + number
	case stem == ".":
		return "n." + number
	case strings.HasPrefix(stem, ".") && !strings.HasPrefix(name, stem):
		return "n" + number + stem
	case strings.Contains(name, ".") && !strings.Contains(stem, "."):
		return stem + ".n" + number
	default:
		return stem + number
	}
}

// renamed returns a module in which each named value and label has another name.
func renamed(text []byte) []byte {
	types := map[string]bool{}
	for _, m := range typeName.FindAllSubmatch(text, -1) {
		types[string(m[1])] = true
	}
	var out bytes.Buffer
	names := map[string]string{}
	within := false
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("define ")) {
			within = true
			clear(names)
		}
		if within {
			name := func(old string) string {
				if names[old] == "" {
					names[old] = another(strings.Trim(old, `"`), len(names))
				}
				return names[old]
			}
			line = localName.ReplaceAllFunc(line, func(m []byte) []byte {
				if types[string(m)] {
					return m
				}
				return []byte("%" + name(string(m[1:])))
			})
			if m := labelName.FindSubmatch(line); m != nil {
				line = append([]byte(name(string(m[1]))), line[len(m[1]):]...)
			}
			within = !bytes.HasPrefix(line, []byte("}"))
		}
		out.Write(line)
	}
	return out.Bytes()
}

// namesParameters is a program whose inputs have the names of LLVM's parameters in messages (interp.nameArguments): the
// module has no other record of them.
const namesParameters = "arguments_of_main.c"

// TestValueNames checks that the names of clang's values and blocks have no meaning beyond clangir.Stem: renamed, the
// marked programs have the same findings and counterexamples. -short takes one in 16 of those that are not slow, `make
// names` all.
func TestValueNames(t *testing.T) {
	slow, err := os.ReadFile(filepath.Join("..", "testdata", "slow.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, dir := range []string{"proofs", "acceptance"} {
		err := filepath.WalkDir(filepath.Join("..", "testdata", dir), func(path string, _ os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".c") && filepath.Base(path) != namesParameters {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := NewChecker(Settings{})
	defer c.Close()
	var jobs sync.WaitGroup
	queue := make(chan string)
	for range runtime.GOMAXPROCS(0) {
		jobs.Go(func() {
			for file := range queue {
				compareNames(t, c, file)
			}
		})
	}
	for _, f := range files {
		if testing.Short() {
			title := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(f, filepath.Join("..", "testdata")+"/")), ".c")
			n := uint32(16)
			if slices.Contains(strings.Fields(string(slow)), title) {
				n *= 16
			}
			if !sampletest.Takes(t, filepath.Base(f), n) {
				continue
			}
		}
		queue <- f
	}
	close(queue)
	jobs.Wait()
}

func compareNames(t *testing.T, c *Checker, file string) {
	file, err := filepath.Abs(file)
	if err != nil {
		t.Error(err)
		return
	}
	w, err := project.Open(filepath.Dir(file), project.Flags{})
	if err != nil {
		t.Error(err)
		return
	}
	proofs, _ := w.Proofs([]string{file}) // files without a proof are parts of others
	for _, p := range proofs {
		b, err := c.build(t.Context(), &p, nil, &Live{})
		if err != nil {
			continue // a test of errors
		}
		findings := func() []string {
			m, err := b.read()
			if err != nil {
				return []string{err.Error()}
			}
			report, err := vcgen.Verify(context.Background(), m, p.Entry, engineOptions(&p),
				func(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) })
			if err != nil {
				return []string{err.Error()}
			}
			var out []string
			for _, in := range report.Instances {
				text := fmt.Sprintf("%s:%d:%d %s %s %v", filepath.Base(in.Pos.File), in.Pos.Line, in.Pos.Column, in.Kind,
					in.Verdict, in.Reason.Why)
				if x := in.Counterexample; x != nil {
					text += ": " + x.Message
				}
				out = append(out, text)
			}
			slices.SortFunc(out, cmp.Compare)
			return out
		}
		before := findings()
		b.module.Text = renamed(b.module.Text)
		if after := findings(); !slices.Equal(before, after) {
			for _, f := range before {
				if !slices.Contains(after, f) {
					t.Errorf("%s %s: lost %s", filepath.Base(file), p.Name, f)
				}
			}
			for _, f := range after {
				if !slices.Contains(before, f) {
					t.Errorf("%s %s: new %s", filepath.Base(file), p.Name, f)
				}
			}
		}
	}
}
