// Package mutants plants small changes (mutants) in the Go source of a package. One build has all of them: each is
// behind a condition on the environment of the process, and at most one is active. The source files are not edited;
// the changed ones are an overlay ("go build -overlay").
//
//	if n < limit && ok {
//
// becomes, with mutant 17, which changes the comparison,
//
//	if (mutated(17) && n <= limit || !mutated(17) && (n < limit)) && ok {
//
// Reading order: mutants.go (the package and its mutants), changes.go (the kinds of changes), render.go (the source
// with some of them).
package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Variable and MetVariable are environment variables: the number of the active mutant, and the file to which a
// process adds the numbers of the mutants that it executes.
const (
	Variable    = "UNITPROOF_MUTANT"
	MetVariable = "UNITPROOF_MUTANTS_MET"
)

// Mutant is a change of the source.
type Mutant struct {
	ID           int // from 1, in the order of the source
	File         string
	Line, Column int
	Func         string
	Kind         string // comparison, constant, logic, operand, condition, dropped, arithmetic, term
	Was, Is      string
}

func (m Mutant) String() string {
	return fmt.Sprintf("%s:%d:%d %s: %s: %s -> %s", m.File, m.Line, m.Column, m.Func, m.Kind, m.Was, m.Is)
}

// Package is a package with its possible mutants.
type Package struct {
	Mutants []Mutant

	dir, name string
	fset      *token.FileSet
	files     []*ast.File
	paths     []string
	text      map[*ast.File][]byte
	info      *types.Info
	changes   map[ast.Node][]change
}

// change is a mutant of a node: wrap returns the node's text with the mutant, given its text without.
type change struct {
	id   int
	wrap func(r *renderer, base string) string
}

// Load loads the package at a path in the syntax of go list, relative to a folder, such as ./vcgen/unfold. It also
// loads the types of all imported packages.
func Load(folder, path string) (*Package, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,Name,ImportPath,GoFiles,Export,DepOnly", path)
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	type listed struct {
		Dir, Name, ImportPath, Export string
		GoFiles                       []string
		DepOnly                       bool
	}
	exports := map[string]string{}
	var wanted listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list %s: %w", path, err)
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			wanted = l
		}
	}
	sources := map[string][]byte{}
	for _, name := range wanted.GoFiles {
		if sources[name], err = os.ReadFile(filepath.Join(wanted.Dir, name)); err != nil {
			return nil, err
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	p, err := parsed(fset, wanted.GoFiles, sources, imports)
	if err != nil {
		return nil, err
	}
	p.dir = wanted.Dir
	return p, nil
}

// parsed parses the sources of a package.
func parsed(fset *token.FileSet, names []string, sources map[string][]byte, imports types.Importer) (*Package, error) {
	p := &Package{fset: fset, text: map[*ast.File][]byte{}, changes: map[ast.Node][]change{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}}
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, sources[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files, p.paths, p.text[f], p.name = append(p.files, f), append(p.paths, name), sources[name], f.Name.Name
	}
	conf := types.Config{Importer: imports, FakeImportC: true}
	if _, err := conf.Check(p.name, fset, p.files, p.info); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	for _, f := range p.files {
		p.find(f)
	}
	return p, nil
}

// Overlay writes the files of the package with some mutants into a folder, and returns the file for "go build
// -overlay".
func (p *Package) Overlay(folder string, ids []int) (string, error) {
	chosen := map[int]bool{}
	for _, id := range ids {
		chosen[id] = true
	}
	replace := map[string]string{}
	add := func(name string, text []byte) error {
		path := filepath.Join(folder, name)
		replace[filepath.Join(p.dir, name)] = path
		return os.WriteFile(path, text, 0o600)
	}
	for i, f := range p.files {
		r := &renderer{p: p, file: f, chosen: chosen}
		if text := r.source(); r.hasMutant {
			if err := add(p.paths[i], text); err != nil {
				return "", err
			}
		}
	}
	if err := add("unitproof_mutants.go", []byte(fmt.Sprintf(helpers, p.name))); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}
