package clang

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// allChecks has clang's kinds that are on by default.
var allChecks = map[found.Kind]bool{
	"signed-overflow": true, "invalid-shift": true, "division-by-zero": true, "array-bounds": true,
	"invalid-builtin":       true,
	"float-to-int-overflow": true, "invalid-size": true, "unreachable": true,
}

func toolchain(t *testing.T) *Toolchain {
	t.Helper()
	tc, err := Find(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	return tc
}

// files writes a tree of files, given as name, text, name, text …, to a new folder.
func files(t *testing.T, nameText ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(nameText); i += 2 {
		path := filepath.Join(dir, nameText[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(nameText[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func build(t *testing.T, r Request) *Module {
	t.Helper()
	if r.Checks == nil {
		r.Checks = allChecks
	}
	m, err := toolchain(t).Build(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, m.Text)
	return m
}

// verify checks the module with LLVM's verifier, which runs when opt reads it.
func verify(t *testing.T, text []byte) {
	t.Helper()
	tc := toolchain(t)
	if tc.Opt == "" {
		t.Fatalf("opt is needed to verify modules: install the package llvm-%d", tc.Major)
	}
	_, stderr, err := tc.Run(context.Background(), "", tc.Opt, []string{"-disable-output", "-passes=verify", "-"}, text)
	if err != nil || len(stderr) > 0 {
		t.Fatalf("the module is not well formed: %v\n%s", err, stderr)
	}
}

// defined returns the names of the functions with bodies in the module.
func defined(m *Module) []string {
	var names []string
	for _, f := range regexp.MustCompile(`(?m)^define [^@]*@([\w.$]+)\(`).FindAllSubmatch(m.Text, -1) {
		names = append(names, string(f[1]))
	}
	slices.Sort(names)
	return names
}

func compileError(t *testing.T, r Request) *CompileError {
	t.Helper()
	_, err := toolchain(t).Build(context.Background(), r)
	var e *CompileError
	if !errors.As(err, &e) {
		t.Fatalf("want a CompileError, have %v", err)
	}
	return e
}

// TestAcceptance compiles one in 12 programs of the acceptance set and of the test data, with -short one in 48, and
// requires the list of files. The test of this name in the command compiles and checks all of them.
func TestAcceptance(t *testing.T) {
	entry := regexp.MustCompile(`(?m)^\w[\w ]*?\b(main|\w+_harness|\w+_proof|proof_\w+)\(`)
	for _, root := range []string{"../../testdata/acceptance", "../../testdata/proofs"} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".c" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !strings.Contains(string(text), "verdict:") || strings.Contains(string(text), "verdict: error") {
				return nil
			}
			if !sampletest.Takes(t, d.Name(), 12) || !sampletest.Short(t, d.Name(), 48) {
				return nil
			}
			for _, m := range entry.FindAllSubmatch(text, -1) {
				name := string(m[1])
				t.Run(d.Name()+"/"+name, func(t *testing.T) {
					abs, _ := filepath.Abs(path)
					m := build(t, Request{Entry: name, EntryUnit: Unit{File: abs, Flags: []string{"-I" + filepath.Dir(abs)}}})
					if !slices.Contains(m.Files, abs) {
						t.Errorf("%s is not among the files that were read: %q", abs, m.Files)
					}
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestInlineFunctions(t *testing.T) {
	dir := files(t, "a.c", `
inline int twice(int x) { return 2 * x; }
inline int low(int x) { return x & 1; }
extern inline int low(int x);
static inline int neg(int x) { return -x; }
inline int ours(int x) { return x; }
int main(void) { return twice(3) + low(3) + neg(3) + ours(1); }`,
		"b.c", "int ours(int x) { return x + 1; }")
	m := build(t, Request{Entry: "main", EntryUnit: Unit{File: "a.c", Dir: dir}, Sources: []Unit{{File: "b.c", Dir: dir}}})
	if have, want := defined(m), []string{"low", "main", "neg", "ours", "twice"}; !slices.Equal(have, want) {
		t.Errorf("bodies: %q, want %q", have, want)
	}
	if strings.Contains(string(m.Text), "available_externally") {
		t.Error("a body is still available_externally")
	}
	if !strings.Contains(string(m.Text), "sadd") && !strings.Contains(string(m.Text), "add nsw") {
		t.Error("the definition of b.c has to win over an inline one")
	}
}
