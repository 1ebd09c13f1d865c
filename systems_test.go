package unitproof

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listedPackage is a package as "go list -json" describes it.
type listedPackage struct {
	ImportPath, Dir   string
	GoFiles, CgoFiles []string
	ImportMap         map[string]string
	DepOnly           bool
}

// TestDarwin checks that every package compiles for macOS, without a Mac: code for Linux needs a counterpart with a
// build tag. Compilers cannot do so here, because C code of dependencies needs the headers of macOS. The type checker
// takes any name of C as given.
func TestDarwin(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,DepOnly", "./...")
	cmd.Env = append(os.Environ(), "GOOS=darwin", "GOARCH=arm64", "CGO_ENABLED=1", "CC=false", "CXX=false")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	own := 0
	for in := json.NewDecoder(strings.NewReader(string(out))); ; { // dependencies come first
		var p listedPackage
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		var files []*ast.File
		for _, name := range append(p.GoFiles, p.CgoFiles...) {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		config := types.Config{FakeImportC: true, IgnoreFuncBodies: p.DepOnly, Sizes: types.SizesFor("gc", "arm64"),
			Importer: importer(func(path string) (*types.Package, error) {
				if mapped := p.ImportMap[path]; mapped != "" {
					path = mapped
				}
				if q := checked[path]; q != nil {
					return q, nil
				}
				return nil, errors.New("no package " + path)
			}),
			Error: func(err error) {
				if !p.DepOnly {
					t.Error(err)
				}
			}}
		if !p.DepOnly {
			own++
		}
		checked[p.ImportPath], _ = config.Check(p.ImportPath, fset, files, nil)
	}
	if own < 50 {
		t.Errorf("only %d packages were checked", own)
	}
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
