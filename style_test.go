package unitproof

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the longest a line of source may be; a tab counts as one.
const columns = 120

// madeByTools reports whether a folder is made by tools and no part of the repository. The tests of the editors and of
// Go run at the same time, so it may change or disappear.
func madeByTools(folder string) bool {
	switch filepath.Base(folder) {
	case "node_modules", "bin", "dist", "dist-test":
		return true
	}
	return folder == filepath.Join("editors", "vscode", "server")
}

// TestLineLength checks that no line of source is longer than columns. Exceptions are lines with a part of a raw
// string that a break would change, and lines with a web address. Test programs (testdata) are laid
// out for their markers.
func TestLineLength(t *testing.T) {
	checked := map[string]int{}
	if err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			switch name := d.Name(); {
			case name == "testdata", madeByTools(path), name == "out",
				name != "." && name != ".ci" && strings.HasPrefix(name, "."):
				return filepath.SkipDir
			}
		}
		if err != nil || d.IsDir() {
			return err
		}
		ext := filepath.Ext(path)
		if d.Name() == "Makefile" {
			ext = d.Name()
		}
		switch ext {
		case ".go", ".c", ".h", ".ts", ".mjs", ".lua", ".css", ".sh", ".cmake", "Makefile":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		checked[ext]++
		var raw map[int]bool
		if ext == ".go" {
			raw = rawLines(text)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > columns && !raw[i+1] && !strings.Contains(line, "://") {
				t.Errorf("%s:%d: %d columns, at most %d", path, i+1, n, columns)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".go", ".c", ".ts", ".lua", ".css", ".sh", "Makefile"} {
		if checked[ext] == 0 {
			t.Errorf("no file %s was looked at", ext)
		}
	}
}

// rawLines returns the numbers (from 1) of the lines that a break cannot shorten: lines with a part of a raw string of
// several lines, with the tag of a field, or with a raw string that would be too long on a line of its own.
func rawLines(text []byte) map[int]bool {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, 0)
	raw := map[int]bool{}
	previous := token.ILLEGAL
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return raw
		}
		if tok == token.STRING && lit[0] == '`' {
			first := file.Line(pos)
			several := strings.Count(lit, "\n")
			// A tag follows a type, and no other string follows the end of one.
			tag := previous == token.IDENT || previous == token.RBRACK || previous == token.RBRACE
			for k := 0; k <= several && (several > 0 || tag || utf8.RuneCountInString(lit) > columns-8); k++ {
				raw[first+k] = true
			}
		}
		previous = tok
	}
}

func TestRawLines(t *testing.T) {
	long := strings.Repeat("x", columns)
	for text, want := range map[string]bool{
		"var a = f(`x`, y)": false, "type t struct {\nA int `json:\"a\"`\n}": true, "var a = `x\ny`": true,
		"var a = `" + long + "`": true,
	} {
		if got := len(rawLines([]byte("package p\n"+text))) > 0; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
