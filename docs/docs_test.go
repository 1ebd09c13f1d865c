package docs_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/vcgen/found"
)

// code matches the example of a section.
var code = regexp.MustCompile("(?s)\n```c\n(.*?)```\n")

// marker matches a marker of test programs; on the page it is shortened.
var marker = regexp.MustCompile(`// want (\w+) ([a-z-]+)`)

// TestKinds checks that the page has a section for each kind, in order, with its default and the program that the
// tests run.
func TestKinds(t *testing.T) {
	at := 0
	checked := found.DefaultChecks()
	for _, kind := range found.Kinds() {
		name := string(kind)
		i := strings.Index(docs.Kinds()[at:], "\n## "+name+"\n")
		if i < 0 {
			t.Errorf("no section on %s behind those before it", name)
			continue
		}
		at += i
		section := docs.Kind(name)
		title, help := diagnostics.Explain(kind)
		want := "**" + title + ".** " + help + " Checked by default; off with `--no-check " + name + "` or `" + name +
			" = false`."
		if !checked[kind] {
			want = "**" + title + ".** " + help + " Off unless asked for: `--check " + name + "` or `" + name + " = true`."
		}
		if !strings.HasPrefix(section, "# "+name+"\n\n"+want+"\n") {
			t.Errorf("the section on %s does not begin with\n%s\nbut\n%s", name, want, section)
		}
		if !strings.Contains(section, "\n**To fix it:** ") {
			t.Errorf("the section on %s does not say how it is mended", name)
		}
		m := code.FindStringSubmatch(section)
		if m == nil {
			t.Errorf("the section on %s has no example", name)
			continue
		}
		program, err := os.ReadFile(filepath.Join("..", "testdata", "proofs", "kinds",
			strings.ReplaceAll(name, "-", "_")+".c"))
		if err != nil {
			t.Error(err)
			continue
		}
		_, body, _ := strings.Cut(string(program), "#include <string.h>\n")
		body = marker.ReplaceAllString(strings.Trim(body, "\n")+"\n", "// $1: $2")
		if m[1] != body || !strings.Contains(body, ": "+name) {
			t.Errorf("the example on %s is\n%s\nthe program that is run has\n%s", name, m[1], body)
		}
	}
	if n := strings.Count(docs.Kinds(), "\n## "); n != len(found.Kinds()) {
		t.Errorf("%d sections for %d kinds", n, len(found.Kinds()))
	}
	if docs.Kind("nothing") != "" || docs.Kind("") != "" {
		t.Error("a section on nothing")
	}
}

// The page's table has the weaknesses of each kind, in the order of kinds, and nothing else.
func TestWeaknesses(t *testing.T) {
	want := "\n| kind | CWE |\n|---|---|\n"
	for _, kind := range found.Kinds() {
		var names []string
		for _, c := range kind.Info().CWE {
			names = append(names, fmt.Sprintf("%s (%s)", c, c.Name()))
		}
		if names == nil {
			names = []string{"—"}
		}
		want += fmt.Sprintf("| `%s` | %s |\n", kind, strings.Join(names, ", "))
	}
	if !strings.Contains(docs.Kinds(), want+"\n") {
		t.Errorf("kinds.md lacks the table\n%s", want)
	}
}

// TestWords checks that every verdict and every kind of assumption has a section. None of them may be a kind of
// findings too, since "explain" accepts both.
func TestWords(t *testing.T) {
	var names []string
	for _, v := range found.Verdicts() {
		names = append(names, string(v))
	}
	for _, a := range assumed(t) {
		if a != found.Pragma { // never listed: it becomes an IgnoredPragma, or nothing
			names = append(names, a.Kind())
		}
	}
	for _, o := range []diagnostics.MutantStatus{diagnostics.Killed, diagnostics.Survived, diagnostics.Equivalent,
		diagnostics.Undecided} {
		names = append(names, string(o))
	}
	names = append(names, printed(t)...)
	for _, name := range append(names, "accepted", string(found.Timeout), string(found.MemoryLimit)) {
		if docs.Word(name) == "" {
			t.Errorf("no section on %s", name)
		}
	}
	seen := map[string]bool{}
	for _, name := range docs.Words() {
		if seen[name] {
			t.Errorf("%s is in two sections", name)
		}
		seen[name] = true
		if docs.Kind(name) != "" {
			t.Errorf("%s is on two pages", name)
		}
	}
}

// TestNotDone checks that glossary.md has the table of codes of not_done. Each kind of assumption of the engine has a
// code or is listed as harmless.
func TestNotDone(t *testing.T) {
	want := "\n| code | what was not done |\n|---|---|\n"
	for _, x := range diagnostics.NotDoneCodes() {
		want += fmt.Sprintf("| `%s` | %s |\n", x.Code, x.Help)
	}
	if !strings.Contains(docs.Word("not-done"), want+"\n") {
		t.Errorf("glossary.md lacks the table\n%s", want)
	}
	for _, a := range assumed(t) {
		if kind := a.Kind(); a != found.Pragma && kind != "unused-setting" && diagnostics.NotDone(kind).Help() == "" {
			t.Errorf("the assumption %s has no code", kind)
		}
	}
}

// The page on the audit has the table of kinds.
func TestAudit(t *testing.T) {
	page, err := os.ReadFile("audit.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "\n| kind | severity | |\n|---|---|---|\n"
	for _, x := range found.AuditTable() {
		want += fmt.Sprintf("| `%s` | %s | %s |\n", x.Kind, x.Severity, x.Help)
	}
	if !strings.Contains(string(page), want+"\n") {
		t.Errorf("audit.md lacks the table\n%s", want)
	}
}

// printed returns the enumerated words in results, from their schema.
func printed(t *testing.T) (words []string) {
	data, err := os.ReadFile(filepath.Join("..", "diagnostics", "schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	type values struct {
		Enum []string `json:"enum"`
	}
	var schema struct {
		Defs struct {
			Verdict values `json:"verdict"`
			Finding struct {
				Properties struct {
					Independent, Replay values
				} `json:"properties"`
			} `json:"finding"`
			Input struct {
				Properties struct {
					Kind values `json:"kind"`
				} `json:"properties"`
			} `json:"input"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	d := schema.Defs
	for _, v := range []values{d.Verdict, d.Finding.Properties.Independent, d.Finding.Properties.Replay,
		d.Input.Properties.Kind} {
		if len(v.Enum) < 2 {
			t.Fatalf("the schema has other names now: %+v", d)
		}
		words = append(words, v.Enum...)
	}
	return words
}

// assumed returns the constants of type found.Assumed, from its source.
func assumed(t *testing.T) []found.Assumed {
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "vcgen", "found", "assumption.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []found.Assumed
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		typ, ok := v.Type.(*ast.Ident)
		value, isLiteral := v.Values[0].(*ast.BasicLit)
		if !ok || typ.Name != "Assumed" || !isLiteral {
			return true
		}
		text, err := strconv.Unquote(value.Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found.Assumed(text))
		return true
	})
	if len(all) < 20 {
		t.Fatalf("found %d constants only", len(all))
	}
	return all
}

// The files that llms.txt names are there.
func TestOverviewForAssistants(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "llms.txt"))
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(text), -1)
	if len(links) < 10 {
		t.Errorf("llms.txt has %d links", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.Join("..", link[1])); err != nil {
			t.Error(err)
		}
	}
}

// maxTerms limits the glossary, so that a reader can survey it.
const maxTerms = 60

// TestGlossary checks the size of the glossary, and that a synonym leads to the section of its term.
func TestGlossary(t *testing.T) {
	page, err := os.ReadFile("glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "\n## "); n > maxTerms {
		t.Errorf("%d terms, at most %d", n, maxTerms)
	}
	for synonym, term := range map[string]string{"harness": "proof", "survived": "mutation", "timeout": "timeout",
		"memory-limit": "timeout"} {
		if text := docs.Word(synonym); !strings.HasPrefix(text, "# "+term+"\n") {
			t.Errorf("the section on %s is %q", synonym, text)
		}
	}
}

var (
	// fenced matches blocks of code, whose text has neither links nor headings.
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	// inline matches code within a line.
	inline = regexp.MustCompile("`[^`\n]*`")
)

// TestLinks checks that the files and headings that pages link to exist.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range append(pages, filepath.Join("..", "README.md"), filepath.Join("..", "ARCHITECTURE.md")) {
		text := inline.ReplaceAllString(fenced.ReplaceAllString(string(read(t, page)), ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue // elsewhere
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link %s: %v", page, m[1], err)
			} else if anchor != "" && !headings(string(read(t, path)))[anchor] {
				t.Errorf("%s: the link %s leads to no heading", page, m[1])
			}
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// headings returns the anchors of the headings of a page, as GitHub forms them: in lower case, without punctuation,
// with a hyphen for each space.
func headings(page string) map[string]bool {
	punctuation := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	anchors := map[string]bool{}
	for line := range strings.Lines(fenced.ReplaceAllString(page, "")) {
		level, title, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && level != "" && strings.Trim(level, "#") == "" {
			title = punctuation.ReplaceAllString(strings.ToLower(title), "")
			anchors[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return anchors
}
