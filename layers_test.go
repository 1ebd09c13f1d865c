package unitproof

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/language"
)

const module = "github.com/unitproof/unitproof/"

// allowed is the layer rule (ARCHITECTURE.md): the packages of this module that each package may import. An unlisted
// package is an error, so a new one has to be added here first.
var allowed = map[string][]string{
	"docs":                {},
	"vcgen/found":         {},
	"vcgen/choice":        {},
	"vcgen/space":         {},
	"vcgen/smt":           {},
	"vcgen/smt/smttest":   {"vcgen/smt"},
	"vcgen/smtlib":        {"vcgen/smt"},
	"vcgen/seair":         {"vcgen/choice", "vcgen/found", "vcgen/smt"},
	"vcgen/llvmir":        {"vcgen/llvmir/lexer"},
	"vcgen/llvmir/lexer":  {},
	"vcgen/clangir":       {"vcgen/found", "vcgen/language", "vcgen/llvmir"},
	"vcgen/clangtest":     {},
	"vcgen/sampletest":    {},
	"vcgen/mutate":        {"vcgen/language", "vcgen/llvmir"},
	"vcgen/language":      {},
	"vcgen/mem":           {"vcgen/found", "vcgen/smt", "vcgen/seair", "vcgen/space"},
	"vcgen/flow":          {"vcgen/clangir", "vcgen/language", "vcgen/llvmir"},
	"vcgen/flow/flowtest": {"vcgen/clangir", "vcgen/llvmir"},
	"vcgen/unfold": {"vcgen/choice", "vcgen/flow", "vcgen/found", "vcgen/fuzz", "vcgen/smt", "vcgen/seair", "vcgen/mem",
		"vcgen/clangir", "vcgen/llvmir", "vcgen/language", "vcgen/unfold/arith", "vcgen/unfold/guard",
		"vcgen/unfold/quantify", "vcgen/space"},
	"vcgen/invariant": {"vcgen/mem", "vcgen/smt", "vcgen/unfold"},
	"vcgen/ordering":  {"vcgen/smt"},
	"vcgen/lockstep": {"vcgen/clangir", "vcgen/flow", "vcgen/found", "vcgen/language", "vcgen/llvmir", "vcgen/smt",
		"vcgen/unfold/arith"},
	"vcgen/ask": {"vcgen/ordering", "vcgen/seair", "vcgen/smt", "vcgen/unfold", "vcgen/unfold/quantify"},

	"vcgen/unfold/arith":    {"vcgen/language", "vcgen/llvmir", "vcgen/smt"},
	"vcgen/unfold/guard":    {"vcgen/smt"},
	"vcgen/unfold/quantify": {"vcgen/mem", "vcgen/seair", "vcgen/smt"},

	"vcgen/interp/state":   {"vcgen/choice", "vcgen/llvmir", "vcgen/space"},
	"vcgen/interp/explain": {"vcgen/found", "vcgen/interp/state", "vcgen/language", "vcgen/clangir", "vcgen/llvmir"},
	"vcgen/interp": {"vcgen/space",
		"vcgen/choice", "vcgen/found", "vcgen/interp/explain", "vcgen/interp/state", "vcgen/language",
		"vcgen/clangir", "vcgen/llvmir"},
	"vcgen/interp/slice": {"vcgen/choice", "vcgen/found", "vcgen/interp", "vcgen/interp/explain",
		"vcgen/interp/state", "vcgen/language", "vcgen/clangir", "vcgen/llvmir"},
	"vcgen/interp/minimize": {"vcgen/choice", "vcgen/found", "vcgen/interp", "vcgen/interp/explain",
		"vcgen/interp/state", "vcgen/clangir", "vcgen/llvmir"},
	"vcgen/fuzz":           {"vcgen/choice", "vcgen/clangir", "vcgen/interp", "vcgen/llvmir"},
	"vcgen/interp/inspect": {"vcgen/interp/explain", "vcgen/interp/state", "vcgen/llvmir"},
	"vcgen/interp/recording": {"vcgen/choice", "vcgen/interp", "vcgen/interp/inspect", "vcgen/interp/state",
		"vcgen/clangir", "vcgen/llvmir"},
	"vcgen/interp/interptest": {"vcgen/choice", "vcgen/found", "vcgen/interp", "vcgen/language", "vcgen/clangir",
		"vcgen/clangtest", "vcgen/llvmir"},

	"vcgen/induction": {"vcgen/ask", "vcgen/choice", "vcgen/clangir", "vcgen/flow", "vcgen/found", "vcgen/fuzz",
		"vcgen/interp", "vcgen/interp/explain", "vcgen/interp/state", "vcgen/invariant", "vcgen/language", "vcgen/llvmir",
		"vcgen/mem", "vcgen/ordering", "vcgen/seair", "vcgen/smt", "vcgen/unfold"},

	"vcgen": {"vcgen/ask", "vcgen/choice", "vcgen/flow", "vcgen/found", "vcgen/fuzz", "vcgen/smt", "vcgen/seair",
		"vcgen/mem", "vcgen/clangir", "vcgen/llvmir", "vcgen/unfold", "vcgen/unfold/quantify", "vcgen/induction",
		"vcgen/interp", "vcgen/interp/explain", "vcgen/interp/minimize", "vcgen/interp/recording", "vcgen/interp/slice",
		"vcgen/interp/state", "vcgen/language"},
	"diagnostics": {"diagnostics/csource", "diagnostics/markup", "diagnostics/paths", "diagnostics/phrase",
		"diagnostics/picture", "diagnostics/source", "vcgen", "vcgen/found", "vcgen/language"},
	"diagnostics/csource": {},
	"diagnostics/markup":  {},
	"diagnostics/phrase":  {"vcgen/found", "vcgen/language"},
	"diagnostics/picture": {"diagnostics/markup", "diagnostics/phrase", "vcgen/found"},
	"diagnostics/source":  {"diagnostics/csource", "diagnostics/phrase", "vcgen/language"},
	"pipeline/solver":     {"vcgen/smt", "vcgen/smtlib"},
	"pipeline/regular":    {},
	"pipeline/ondisk":     {"pipeline/regular"},
	"pipeline/sandbox":    {"pipeline/scratch"},
	"pipeline/scratch":    {},
	"pipeline/trust":      {"pipeline/regular"},
	"pipeline/cflags":     {"pipeline/regular"},
	"pipeline/targets":    {"pipeline/lazyregexp"},
	"pipeline/wrap":       {"pipeline/cflags", "pipeline/scratch"},
	"pipeline/clang": {"pipeline/targets",
		"diagnostics/csource", "vcgen/found", "pipeline/cache", "pipeline/cflags", "pipeline/forkserver",
		"pipeline/regular", "pipeline/scratch", "pipeline/clang/asm", "pipeline/clang/quantifier",
		"pipeline/contract", "pipeline/ir", "pipeline/lazyregexp", "vcgen/clangir", "vcgen/language", "vcgen/llvmir",
		"vcgen/llvmir/lexer", "pipeline/links"},
	"pipeline/clang/asm":         {"pipeline/lazyregexp"},
	"pipeline/clang/quantifier":  {"diagnostics/csource", "pipeline/lazyregexp"},
	"pipeline/ir":                {"pipeline/clang/asm", "pipeline/lazyregexp"},
	"pipeline/contract":          {"diagnostics/csource", "vcgen/language"},
	"diagnostics/paths":          {},
	"pipeline/forkserver":        {},
	"pipeline/cache":             {"diagnostics/paths", "pipeline/regular"},
	"pipeline/remote":            {"pipeline/regular"},
	"pipeline/remote/network":    {"pipeline/regular", "pipeline/remote"},
	"pipeline/remote/remotetest": {"pipeline/remote", "pipeline/remote/network"},
	"pipeline/workertest":        {"pipeline/cache", "vcgen/sampletest"},
	"pipeline/lazyregexp":        {},
	"pipeline/links":             {},
	"pipeline/watch":             {"diagnostics/paths"},
	"pipeline/replay": {"vcgen/choice", "diagnostics", "diagnostics/csource", "pipeline/cache", "pipeline/clang",
		"pipeline/clang/asm",
		"pipeline/lazyregexp", "pipeline/sandbox", "pipeline/scratch", "pipeline/targets", "vcgen", "vcgen/found",
		"vcgen/clangir", "vcgen/llvmir", "vcgen/seair",
		"vcgen/language"},
	"pipeline/project": {"pipeline/targets",
		"diagnostics/paths", "diagnostics/csource", "pipeline/cflags", "pipeline/contract", "pipeline/ir",
		"pipeline/lazyregexp",
		"pipeline/regular",
		"pipeline/remote", "pipeline/trust", "vcgen", "vcgen/found", "vcgen/language"},
	"pipeline/randproof": {"pipeline/targets"},
	"pipeline/harness": {"diagnostics/csource", "pipeline/lazyregexp", "vcgen/clangir", "vcgen/language",
		"vcgen/llvmir"},
	"pipeline/precondition": {"diagnostics/csource"},
	"pipeline/equiv": {"pipeline/clang/asm", "pipeline/harness", "pipeline/lazyregexp", "vcgen/clangir", "vcgen/found",
		"vcgen/language", "vcgen/llvmir", "vcgen/lockstep", "vcgen/smt"},
	"pipeline/export": {"diagnostics/csource", "pipeline/replay", "vcgen/clangir", "vcgen/language", "vcgen/llvmir"},
	"pipeline/kit": {"pipeline/cflags", "pipeline/lazyregexp", "pipeline/project", "pipeline/regular", "vcgen",
		"vcgen/found"},
	"pipeline": {"pipeline/targets",
		"diagnostics", "pipeline/cache", "pipeline/remote", "pipeline/ir", "pipeline/regular", "pipeline/clang",
		"pipeline/clang/asm",
		"pipeline/lazyregexp",
		"pipeline/project", "pipeline/trust",
		"pipeline/equiv", "pipeline/export",
		"pipeline/harness", "pipeline/replay", "pipeline/solver", "pipeline/watch", "vcgen", "vcgen/ask", "vcgen/found",
		"vcgen/language",
		"pipeline/precondition", "vcgen/interp/inspect", "vcgen/interp/recording", "diagnostics/csource",
		"vcgen/clangir", "vcgen/llvmir", "vcgen/mutate", "vcgen/seair", "vcgen/smt", "vcgen/smtlib", "diagnostics/paths",
		"pipeline/contract", "pipeline/links", "pipeline/ondisk", "pipeline/sandbox", "pipeline/scratch"},
	"editing": {"diagnostics", "diagnostics/paths", "pipeline", "pipeline/cache", "pipeline/clang",
		"pipeline/links", "pipeline/ondisk", "pipeline/project", "pipeline/regular", "pipeline/remote", "pipeline/solver",
		"pipeline/trust", "pipeline/watch", "vcgen/found"},
	"lsp/lsptest":  {},
	"lsp/rpc":      {},
	"lsp/tomledit": {},
	"lsp/dap": {"diagnostics", "pipeline", "pipeline/project", "pipeline/regular", "vcgen/found", "vcgen/interp/inspect",
		"vcgen/interp/recording", "vcgen/llvmir", "pipeline/links", "diagnostics/paths"},
	"lsp": {"diagnostics", "diagnostics/csource", "diagnostics/phrase", "diagnostics/picture", "docs", "editing",
		"pipeline", "pipeline/cache", "pipeline/contract", "pipeline/harness", "pipeline/kit", "pipeline/regular",
		"pipeline/lazyregexp", "pipeline/project", "pipeline/sandbox", "pipeline/trust", "pipeline/remote", "vcgen",
		"vcgen/found", "vcgen/language",
		"pipeline/links", "pipeline/scratch", "diagnostics/paths", "lsp/rpc", "lsp/tomledit"},

	"assistant": {"diagnostics", "diagnostics/paths", "diagnostics/phrase", "docs", "editing", "pipeline",
		"pipeline/project", "pipeline/regular", "pipeline/scratch", "pipeline/trust", "vcgen/found"},

	"cmd/internal/cli": {"diagnostics", "pipeline", "pipeline/cache", "pipeline/project", "pipeline/regular",
		"pipeline/remote",
		"pipeline/trust", "vcgen",
		"vcgen/found", "diagnostics/paths"},
	"cmd/unitproof-remote": {"pipeline/remote", "pipeline/remote/network"},
	"cmd/internal/clitest": {"diagnostics/csource", "pipeline/project", "vcgen/found"},
	"cmd/unitproof": {"assistant",
		"cmd/internal/cli", "cmd/internal/curve", "diagnostics", "diagnostics/csource",
		"diagnostics/phrase", "docs", "lsp",
		"lsp/dap", "pipeline", "pipeline/cache", "pipeline/clang", "pipeline/harness", "editing", "pipeline/kit",
		"pipeline/links", "pipeline/project",
		"pipeline/sandbox",
		"pipeline/regular", "pipeline/remote", "pipeline/trust", "pipeline/wrap", "vcgen",
		"vcgen/ask", "vcgen/found", "vcgen/language", "diagnostics/paths"},
	"cmd/unitproof-bench/cbmc":    {"pipeline/lazyregexp", "pipeline/project", "vcgen", "vcgen/found"},
	"cmd/unitproof-bench/editor":  {"lsp/lsptest"},
	"cmd/unitproof-bench/scaling": {},
	"cmd/unitproof-bench/seahorn": {},
	"cmd/unitproof-bench/mutants": {},
	"cmd/internal/curve":          {},
	"cmd/unitproof-bench": {"cmd/internal/cli", "cmd/internal/curve", "cmd/unitproof-bench/cbmc",
		"cmd/unitproof-bench/editor", "cmd/unitproof-bench/mutants", "cmd/unitproof-bench/scaling",
		"cmd/unitproof-bench/seahorn",
		"diagnostics", "diagnostics/csource",
		"diagnostics/paths", "pipeline", "pipeline/kit", "pipeline/project", "vcgen", "vcgen/clangtest", "vcgen/found"},
}

// impure are standard packages that the pure layers must not import.
var impure = []string{"os", "os/exec", "net", "net/http", "time"}

func TestLayers(t *testing.T) {
	// Go's cache of test results tracks folders that the test itself lists, but not the files that go list reads.
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (madeByTools(path) || d.Name() != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module)
		if name == strings.TrimSuffix(module, "/") {
			continue // the root has this test only
		}
		seen++
		may, listed := allowed[name]
		if !listed {
			t.Errorf("package %s is not in the table of layers", name)
			continue
		}
		for _, imp := range p.Imports {
			if inner, ours := strings.CutPrefix(imp, module); ours {
				i := sort.SearchStrings(sorted(may), inner)
				if i == len(may) || sorted(may)[i] != inner {
					t.Errorf("%s must not import %s", name, inner)
				}
			}
			// packages that only tests import may run compilers
			if (strings.HasPrefix(name, "vcgen") || strings.HasPrefix(name, "diagnostics")) && !strings.HasSuffix(name, "test") {
				for _, bad := range impure {
					if imp == bad {
						t.Errorf("%s must stay pure but imports %s", name, imp)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Fatal("no package was checked")
	}
}

func sorted(s []string) []string {
	c := append([]string(nil), s...)
	sort.Strings(c)
	return c
}

// TestEngineStartsNoGoroutine checks that the engine starts no goroutine, as "make test" runs it without the race
// detector.
func TestEngineStartsNoGoroutine(t *testing.T) {
	files := 0
	err := filepath.WalkDir("vcgen", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if g, is := n.(*ast.GoStmt); is {
				t.Errorf("%s: the engine starts a goroutine", set.Position(g.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
}

// knowLibrary are the packages with texts that are names of library functions, with the reason. They are names of other
// things, or texts of C that the package writes.
var knowLibrary = map[string]string{
	"vcgen/language":     "the table",
	"vcgen/choice":       "the kind of an input",
	"vcgen/found":        "the kind of an input",
	"vcgen/clangir":      "LLVM's intrinsics",
	"vcgen/interp":       "LLVM's intrinsics, ends of an execution",
	"vcgen/llvmir":       "LLVM's instructions",
	"vcgen/smt":          "operations of terms",
	"vcgen/unfold":       "LLVM's intrinsics",
	"pipeline/harness":   "names that written proofs use",
	"pipeline/randproof": "random programs",
	"pipeline/replay":    "LLVM's intrinsics",
}

// english are names of library functions that are words of messages, flags and protocols.
var english = strings.Fields("abort assert ceil exit exp floor fork free log round signal trunc")

// TestLibraryFunctions checks that only package language has names of library functions. Other packages look up
// their properties.
func TestLibraryFunctions(t *testing.T) {
	used := map[string]bool{}
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "testdata" || madeByTools(path)) {
			return filepath.SkipDir
		} else if err != nil {
			return err
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		ast.Inspect(file, func(n ast.Node) bool {
			l, is := n.(*ast.BasicLit)
			if !is || l.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(l.Value)
			names := strings.Fields(text)
			if err != nil || len(names) == 0 || slices.ContainsFunc(names, func(name string) bool {
				return !language.Lookup(name).OfLibrary() || slices.Contains(english, name)
			}) {
				return true
			}
			if used[dir] = true; knowLibrary[dir] == "" {
				t.Errorf("%s: the library function %s: its properties belong into vcgen/language", set.Position(l.Pos()), l.Value)
			}
			return true
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for dir := range knowLibrary {
		if !used[dir] {
			t.Errorf("%s knows no library function: delete its line", dir)
		}
	}
}

// TestNoNetwork checks that the client of servers is in its own program, since it is as large as a tenth of unitproof.
// The SDK of the Model Context Protocol links net/http; only package assistant uses it, on the loopback interface.
func TestNoNetwork(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{join .Imports \" \"}}",
		"./cmd/unitproof").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		for _, bad := range []string{"google.golang.org/grpc", module + "pipeline/remote/network"} {
			if words[0] == bad {
				t.Errorf("cmd/unitproof links %s, which belongs into cmd/unitproof-remote", bad)
			}
		}
		if !strings.HasPrefix(words[0], module) || words[0] == module+"assistant" {
			continue
		}
		for _, imported := range words[1:] {
			if imported == "net/http" || imported == "crypto/tls" {
				t.Errorf("%s imports %s, which belongs into cmd/unitproof-remote", words[0], imported)
			}
		}
	}
}
