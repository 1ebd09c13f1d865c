package unitproof

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file of messages")

// noMessages are the packages whose strings no user of unitproof reads: measurements, helpers of tests, writers of C,
// SMT-LIB and LLVM assembly, and readers whose errors only stand in reports of bugs.
var noMessages = []string{"cmd/unitproof-bench", "pipeline/randproof", "vcgen/smt", "vcgen/smtlib", "vcgen/llvmir",
	"vcgen/seair", "pipeline/clang/quantifier", "pipeline/workertest", "vcgen/clangtest", "vcgen/sampletest",
	"cmd/internal/clitest", "lsp/lsptest", "lsp/rpc", "pipeline/remote/remotetest", "vcgen/flow",
	"vcgen/interp/interptest", "cmd/internal/curve"}

// TestMessages compares the sentences in the code with testdata/messages.golden, one list for a reader to judge the
// words that users see. `go test . -run TestMessages -update` writes the list after a change.
func TestMessages(t *testing.T) {
	var list bytes.Buffer
	for _, dir := range packageFolders(t) {
		if slices.ContainsFunc(noMessages, func(p string) bool { return dir == p || strings.HasPrefix(dir, p+"/") }) {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if !strings.HasSuffix(path, "_test.go") {
				writeMessages(t, &list, path)
			}
		}
	}
	golden := filepath.Join("testdata", "messages.golden")
	if *update {
		if err := os.WriteFile(golden, list.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]int{}
	for _, line := range strings.Split(string(want), "\n") {
		listed[line]++
	}
	for _, line := range strings.Split(list.String(), "\n") {
		if listed[line]--; listed[line] < 0 {
			t.Errorf("new or changed: %s", strings.TrimSpace(line))
		}
	}
	for line, n := range listed {
		if n > 0 {
			t.Errorf("gone: %s", strings.TrimSpace(line))
		}
	}
	if t.Failed() {
		t.Log("go test . -run TestMessages -update writes the list; read its changes as a user who does not know this code")
	}
}

// writeMessages appends the sentences of a Go file to list: the path, each declaration that has sentences, and these
// in the order of the source.
func writeMessages(t *testing.T, list *bytes.Buffer, path string) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	heading := path + "\n"
	for _, decl := range file.Decls {
		for name, node := range declared(decl) {
			sentences := sentencesIn(node)
			if len(sentences) == 0 {
				continue
			}
			list.WriteString(heading + "  " + name + "\n")
			heading = ""
			for _, s := range sentences {
				list.WriteString("    " + strings.ReplaceAll(s, "\n", "\n    | ") + "\n")
			}
		}
	}
}

// declared returns the names of a declaration with their syntax, in the order of the source.
func declared(decl ast.Decl) func(yield func(string, ast.Node) bool) {
	return func(yield func(string, ast.Node) bool) {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				receiver := d.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if id, ok := receiver.(*ast.Ident); ok {
					name = id.Name + "." + name
				}
			}
			yield(name, d)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && !yield(v.Names[0].Name, v) {
					return
				}
			}
		}
	}
}

// sentencesIn returns the sentences of some syntax, each once. Parts that are computed are "…", verbs of formats stay.
// Arguments of panic and of regular expressions are no sentences, and neither is code that is written to a file.
func sentencesIn(node ast.Node) []string {
	var sentences []string
	joined := map[ast.Node]bool{} // parts of a sum that stands in sentences, or was refused as a whole
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			switch calledName(n) {
			case "panic", "MustCompile", "Var", "Fields", "FieldsSeq", "bug":
				return false
			}
		case *ast.Field:
			return n.Tag == nil
		case *ast.BasicLit, *ast.BinaryExpr:
			if joined[n] {
				return true
			}
			text, ok := literalText(n.(ast.Expr), joined)
			text = strings.TrimSpace(text)
			if ok && isSentence(text) && !slices.Contains(sentences, text) {
				sentences = append(sentences, text)
			}
		}
		return true
	})
	return sentences
}

// calledName returns the name of the function that call calls, without its package or receiver.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literalText returns the text of a string literal or of a sum that has one, with "…" for its other summands. It adds
// the parts to joined.
func literalText(e ast.Expr, joined map[ast.Node]bool) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.ParenExpr:
		return literalText(e.X, joined)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, okLeft := literalText(e.X, joined)
		right, okRight := literalText(e.Y, joined)
		joined[ast.Unparen(e.X)], joined[ast.Unparen(e.Y)] = okLeft, okRight
		if !okLeft && !okRight {
			return "", false
		}
		if !okLeft {
			left = "…"
		}
		if !okRight {
			right = "…"
		}
		return left + right, true
	}
	return "", false
}

var (
	// plainWord matches a word of a sentence.
	plainWord = regexp.MustCompile(`(^|[\s("'` + "`" + `])[a-z]{2,}`)
	// sourceText matches a line of C, assembly, HTML, TOML or CSS, a regular expression and a table of words.
	sourceText = regexp.MustCompile(`(?m);\s*$|[{}]\s*$|^\s*#|\$\{|\(\?|^\^|\\w|^\t+\w|` +
		`</?(a|b|br|h[1-6]|t[dr]|th|table|span|div|li|ul|p|d[ltd]|code|head|main|details|summary|section|meta|` +
		`title|style|html|rect|text|line|path|svg|circle)[ >]|class="|` +
		`^\s*(typedef|extern|static|struct|int|void|const|return|define|declare|call|mount|set) .*[;{(]|` +
		`^(unsigned|long|signed|const|void|int) (char|long|int|void|\*|\w+,)|__typeof__|_Bool|%%|unitproof_|__unitproof|` +
		`\bi(8|16|32|64)\b|unnamed_addr|\(const |\(void \*\)|\(unsigned |__label__|^\)|\x00|^(module asm|target triple|define internal|br label)`)
)

// isSentence reports whether text has the words of a sentence and is no line of code.
func isSentence(text string) bool {
	return len(plainWord.FindAllString(text, -1)) >= 2 && !sourceText.MatchString(text)
}
