package project

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/language"
)

// The definition that a proof lacks is often below the root, although nothing refers to it: no compilation database, no
// sources, no -I. It is not linked automatically, but the message about it contains its location.

// maxSearched is the maximal number of searched files; a larger tree is not searched.
const maxSearched = 5000

// maxSearchTime bounds a search, which ends without a result after it: a hint is not worth more time.
const maxSearchTime = 2 * time.Second

// DefinedBelow returns the C files below the root that define functions or variables with these names, closest to the
// file from first. Names of the C library are skipped. Files with proofs are excluded, as in Definitions.
func (w *Workspace) DefinedBelow(from string, names []string) map[string][]string {
	found := map[string][]string{}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return language.IsStandard(n) })
	if len(names) == 0 {
		return found
	}
	files := w.walked(w.Root).files
	if len(files) > maxSearched {
		return found
	}
	began := time.Now()
	defined := make([][]string, len(files))
	eachFile(len(files), func(i int) {
		if files[i] != from && time.Since(began) < maxSearchTime && w.mentions(files[i], names) {
			defined[i] = w.defined(files[i], names)
		}
	})
	for i, file := range files {
		for _, name := range defined[i] {
			found[name] = append(found[name], file)
		}
	}
	if time.Since(began) < maxSearchTime {
		for name, i := range namedByMacros(w, names, len(files), func(i int) string { return files[i] }, found) {
			found[name] = []string{files[i]}
		}
	}
	for _, list := range found {
		nearestFirst(list, from)
	}
	return found
}

// mentions reports whether one of some names occurs in a file, possibly in a comment. Parsing a file takes a hundred
// times as long.
func (w *Workspace) mentions(file string, names []string) bool {
	text, err := w.ReadFile(file)
	return err == nil && slices.ContainsFunc(names, func(n string) bool { return bytes.Contains(text, []byte(n)) })
}

// Misspelt returns the name in a file that is closest to an undefined name, or "" if none is close.
func (w *Workspace) Misspelt(file, name string) string {
	names, err := ask(w, file, "outer names", csource.OuterNames)
	if err != nil || slices.Contains(names, name) { // it is declared there
		return ""
	}
	return Nearest(name, names)
}

// FunctionBelow returns the C files and headers below the root that have the body of a function, static or not. Files
// with proofs are excluded.
func (w *Workspace) FunctionBelow(name string) (files []string) {
	w.eachFile(func(path string) {
		if !isC(path) && !strings.EqualFold(filepath.Ext(path), ".h") || !w.mentions(path, []string{name}) {
			return
		}
		names, err := ask(w, path, "bodies", func(text []byte) (names []string) {
			if readOutline(text).proof {
				return nil
			}
			for f := range csource.NewSource(text).Functions() {
				names = append(names, f.Name)
			}
			return names
		})
		if err == nil && slices.Contains(names, name) {
			files = append(files, path)
		}
	})
	return files
}

// CallPlace is a function that calls another one, at the line of the first call.
type CallPlace struct {
	Function, File string
	Line           int
}

// CallersBelow returns the functions below the root whose bodies call a function by name, sorted by file. If file,
// which defines the function, defines it as static, only functions of this file count. Recursive calls and files with
// proofs are excluded.
func (w *Workspace) CallersBelow(name, file string) (list []CallPlace) {
	external := slices.Contains(w.Defines(file), name)
	w.eachFile(func(path string) {
		header := strings.EqualFold(filepath.Ext(path), ".h")
		if !isC(path) && !header || !external && path != file && !strings.EqualFold(filepath.Ext(file), ".h") ||
			!w.mentions(path, []string{name}) {
			return
		}
		calls, err := ask(w, path, "calls of "+name, func(text []byte) (calls []CallPlace) {
			if readOutline(text).proof {
				return nil
			}
			for f := range csource.NewSource(text).Functions() {
				if at := callIn(text[:f.End], f.Body, name); at >= 0 && f.Name != name {
					calls = append(calls, CallPlace{f.Name, path, bytes.Count(text[:at], []byte("\n")) + 1})
				}
			}
			return calls
		})
		if err == nil {
			list = append(list, calls...)
		}
	})
	return list
}

// callIn returns the offset of the first call of a function by name in a text from an offset on, or -1.
func callIn(text []byte, from int, name string) int {
	s := csource.Scanner{Text: text[from:]}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		if t.Kind == csource.Ident && t.Of(s.Text) == name {
			if open := csource.SkipTrivia(s.Text, t.End); open < len(s.Text) && s.Text[open] == '(' {
				return from + t.Start
			}
		}
	}
	return -1
}

// eachFile calls f for the files below the root, up to a limit of their number and of time. An unreadable folder counts
// as empty.
func (w *Workspace) eachFile(f func(path string)) {
	looked, began := 0, time.Now()
	_ = filepath.WalkDir(w.Root, func(path string, d fs.DirEntry, err error) error {
		if looked++; looked > 4*maxSearched || time.Since(began) > maxSearchTime {
			return fs.SkipAll
		}
		switch {
		case err != nil:
		case !d.IsDir():
			f(path)
		case path != w.Root && skipDir(path, d.Name()):
			return fs.SkipDir
		}
		return nil
	})
}

// IncludeDirs returns the folders below the root that contain a header with this name ("a/b.h"). The folders closest to
// the file from come first.
func (w *Workspace) IncludeDirs(from, name string) []string {
	var dirs []string
	suffix := string(filepath.Separator) + filepath.Clean(filepath.FromSlash(name))
	w.eachFile(func(path string) {
		if strings.HasSuffix(path, suffix) {
			dirs = append(dirs, strings.TrimSuffix(path, suffix))
		}
	})
	nearestFirst(dirs, from)
	return dirs
}

// HeadersDefining returns the headers below the root that define a struct with this tag. The closest to the file from
// come first.
func (w *Workspace) HeadersDefining(from, tag string) []string {
	var list []string
	defines := regexp.MustCompile(`\bstruct\s+` + regexp.QuoteMeta(tag) + `\s*\{`)
	w.eachFile(func(path string) {
		if filepath.Ext(path) != ".h" {
			return
		}
		if text, err := regular.Source(path); err == nil && defines.Match(text) {
			list = append(list, path)
		}
	})
	nearestFirst(list, from)
	return list
}

// nearestFirst sorts by the length of the path from a file.
func nearestFirst(paths []string, from string) {
	way := func(path string) int {
		rel, err := filepath.Rel(filepath.Dir(from), path)
		if err != nil {
			return len(path)
		}
		return len(rel)
	}
	slices.SortStableFunc(paths, func(x, y string) int { return way(x) - way(y) })
}
