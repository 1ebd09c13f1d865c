package unitproof

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits of the prose of this repository.
const (
	// pronounsPerThousand limits the words "what", "where" and "those" among 1,000 words of a package's comments or
	// of a page.
	pronounsPerThousand = 6
	// firstSentenceWords limits the first sentence of a doc comment.
	firstSentenceWords = 25
	// fewWords is the length of a text, in words, below which a single pronoun is no habit.
	fewWords = 350
)

var (
	words    = regexp.MustCompile(`[A-Za-z']+`)
	pronouns = regexp.MustCompile(`(?i)\b(what|where|those)\b`)
	banned   = regexp.MustCompile(
		`\b([Nn]obody|[Ss]omebody|[Ww]hoever|murdered|of which|[Tt]ells? whether|has (it|them|something|this) (made|done))\b`)
	// bareSubject matches the beginning of a sentence whose subject is a pronoun.
	bareSubject = regexp.MustCompile(`^(What|Those|That|One|Who) `)
	// sentenceEnd matches the end of the first sentence: a stop before a space, or a blank line.
	sentenceEnd = regexp.MustCompile(`[.?!:](\s|$)|\n\n`)
	// code matches text that is quoted from a program or a message, which the rules of prose do not bind.
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\"[^\"\n]*\"|(?m)^\t.*$")
)

// TestProse checks the comments of each package against the rules of plain English.
func TestProse(t *testing.T) {
	for _, dir := range packageFolders(t) {
		t.Run(strings.ReplaceAll(dir, "/", "."), func(t *testing.T) {
			paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
			if err != nil {
				t.Fatal(err)
			}
			var count proseCount
			for _, path := range paths {
				for _, complaint := range proseOfFile(t, path, &count) {
					t.Error(complaint)
				}
			}
			if count.tooMany() {
				t.Errorf("%d of %d words are what, where or those (%d per 1,000); at most %d per 1,000",
					count.pronouns, count.words, count.pronouns*1000/count.words, pronounsPerThousand)
			}
		})
	}
}

// proseCount counts words of prose.
type proseCount struct{ words, pronouns int }

func (c *proseCount) add(text string) {
	c.words += len(words.FindAllString(text, -1))
	c.pronouns += len(pronouns.FindAllString(text, -1))
}

func (c *proseCount) tooMany() bool {
	return c.pronouns > 2 && c.pronouns*1000 > pronounsPerThousand*max(c.words, fewWords)
}

// packageFolders returns the folders that have Go files of this module, sorted.
func packageFolders(t *testing.T) []string {
	var dirs []string
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "testdata" || madeByTools(path) || d.Name() == "third_party" ||
			path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		if err != nil {
			return err
		}
		if dir := filepath.Dir(path); filepath.Ext(path) == ".go" && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(dirs)
	return dirs
}

// proseOfFile returns the complaints about the comments of a Go file and adds their words to count.
func proseOfFile(t *testing.T, path string, count *proseCount) []string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var complaints []string
	complain := func(at token.Pos, format string, args ...any) {
		complaints = append(complaints, fmt.Sprintf("%s: ", fset.Position(at))+fmt.Sprintf(format, args...))
	}
	for _, group := range file.Comments {
		if slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool {
			return i.Path.Value == `"C"` && group.End() < i.End() && group.Pos() > file.Name.Pos()
		}) {
			continue // C code
		}
		text := code.ReplaceAllString(group.Text(), "x")
		count.add(text)
		if found := banned.FindString(text); found != "" {
			complain(group.Pos(), "the words %q: name the caller, the user, the condition", found)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			checkDoc(n.Doc, complain)
			if isPredicate(n) && n.Doc.Text() != "" && !strings.Contains(words1(n.Doc.Text()), "whether") {
				complain(n.Pos(), "the comment of %s, which returns a bool, does not say \"reports whether\"", n.Name.Name)
			}
			return false
		case *ast.GenDecl:
			checkDoc(n.Doc, complain)
		case *ast.TypeSpec:
			checkDoc(n.Doc, complain)
		case *ast.ValueSpec:
			checkDoc(n.Doc, complain)
		case *ast.Field:
			checkDoc(n.Doc, complain)
		}
		return true
	})
	return complaints
}

// words1 returns text on one line.
func words1(text string) string { return strings.Join(strings.Fields(text), " ") }

// isPredicate reports whether a bool is the function's only result.
func isPredicate(f *ast.FuncDecl) bool {
	r := f.Type.Results
	if r == nil || len(r.List) != 1 || len(r.List[0].Names) > 1 {
		return false
	}
	name, ok := r.List[0].Type.(*ast.Ident)
	return ok && name.Name == "bool"
}

// checkDoc complains about the first sentence of a doc comment if it is long or has a pronoun as its subject.
func checkDoc(doc *ast.CommentGroup, complain func(at token.Pos, format string, args ...any)) {
	if doc == nil {
		return
	}
	text := doc.Text()
	first := text
	if end := sentenceEnd.FindStringIndex(text); end != nil {
		first = text[:end[0]]
	}
	if n := len(words.FindAllString(first, -1)); n > firstSentenceWords {
		complain(doc.Pos(), "the first sentence has %d words, at most %d", n, firstSentenceWords)
	}
	if found := bareSubject.FindString(first); found != "" {
		complain(doc.Pos(), "the comment begins with %q: begin with a noun", strings.TrimSpace(found))
	}
}

// TestProseOfPages checks the pages of the manual against the rules of plain English.
func TestProseOfPages(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(pages, "README.md", "ARCHITECTURE.md") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			page, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			text := code.ReplaceAllString(string(page), "x")
			var count proseCount
			count.add(text)
			if count.tooMany() {
				t.Errorf("%d of %d words are what, where or those (%d per 1,000); at most %d per 1,000",
					count.pronouns, count.words, count.pronouns*1000/count.words, pronounsPerThousand)
			}
			for i, line := range strings.Split(text, "\n") {
				if found := banned.FindString(line); found != "" {
					t.Errorf("near line %d: the words %q", i+1, found)
				}
			}
		})
	}
}

// roles are words for the role of a value in a sentence. An identifier is a noun of the field instead: tracked,
// remaining, outcome, exits.
var roles = []string{"kept", "met", "told", "whole", "ways", "apart", "alike", "anew", "beside"}

// rolesLeft is the number of identifiers in a folder that are still called so. It may only fall.
var rolesLeft = map[string]int{"cmd/unitproof": 3, "pipeline/replay": 10, "vcgen": 4, "vcgen/induction": 4,
	"vcgen/llvmir": 1, "vcgen/ordering": 4, "vcgen/unfold": 1}

// TestNames checks that no declared identifier is a role in a sentence.
func TestNames(t *testing.T) {
	for _, dir := range packageFolders(t) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, path := range paths {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, name := range declaredNames(n) {
					if slices.Contains(roles, name.Name) {
						found = append(found, fmt.Sprintf("%s: %s", fset.Position(name.Pos()), name.Name))
					}
				}
				return true
			})
		}
		if n := rolesLeft[filepath.ToSlash(dir)]; len(found) > n {
			t.Errorf("%s: %d identifiers are a role in a sentence (%s), at most %d: give them nouns",
				dir, len(found), strings.Join(roles, ", "), n)
			for _, f := range found {
				t.Log(f)
			}
		}
	}
}

// declaredNames returns the identifiers that a node declares.
func declaredNames(n ast.Node) (names []*ast.Ident) {
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if name, ok := e.(*ast.Ident); ok {
				names = append(names, name)
			}
		}
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		add(n.Name)
	case *ast.TypeSpec:
		add(n.Name)
	case *ast.ValueSpec:
		names = append(names, n.Names...)
	case *ast.Field:
		names = append(names, n.Names...)
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			add(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			add(n.Key, n.Value)
		}
	}
	return names
}
