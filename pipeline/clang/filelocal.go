package clang

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// fileLocal is the prefix of the names under which goto-cc --export-file-local-symbols exports static functions:
// __CPROVER_file_local_FILE_c_NAME is the function NAME of FILE.c. Proofs use these names to call static functions, to
// list bodies to remove, and to define stand-ins.
const fileLocal = language.FileLocal

// fileLocalName returns the exported name of a static function that is defined in the file, which may be a header.
func fileLocalName(file, function string) string {
	base := []byte(filepath.Base(file))
	for i, c := range base {
		if !asm.InName(c) || c == '-' || c == '.' || c == '$' {
			base[i] = '_'
		}
	}
	return fileLocal + string(base) + "_" + function
}

// exportFileLocals exports static functions and removes bodies:
//
//   - Static functions get their exported names if some module mentions these.
//   - The functions in removed lose their bodies in all modules after the entry's, and so do static functions whose
//     exported name a module defines.
//
// A removed function is only declared, so another module's definition of its name replaces it; without one it has no
// body. Modified modules are replaced in the slice.
//
// A static function of a header is one function per module: the first one is exported. The notes name the functions
// with a stand-in, since the proof does not cover their bodies.
func exportFileLocals(modules []*asm.Module, entry int, removed []string) ([]found.Assumption, error) {
	wanted, remove := map[string]bool{}, map[string]bool{}
	for _, name := range removed {
		remove[name] = true
	}
	for _, a := range modules {
		for _, s := range a.Order {
			if strings.HasPrefix(s.Name, fileLocal) {
				wanted[s.Name] = true
			}
		}
	}
	if len(wanted) == 0 && len(remove) == 0 {
		return nil, nil
	}
	var notes []found.Assumption
	exported := map[string]bool{}
	standIns := map[string]*asm.Module{} // a module that defines an exported name replaces the static function
	for name := range wanted {
		if i := slices.IndexFunc(modules, func(a *asm.Module) bool {
			return a.DefinesFunction(name) &&
				a.Symbols[name].Link != asm.Local
		}); i >= 0 {
			standIns[name] = modules[i]
		}
	}
	defined := map[string]bool{}
	for i, a := range modules {
		rename := map[string]string{}
		// Functions that the harness itself defines are its stubs; a C file that it includes is code under proof.
		removable := func(s *asm.Symbol) bool {
			file, _ := position(a, s)
			return i > entry || i == entry && filepath.Base(file) != filepath.Base(a.File)
		}
		drop := map[string]bool{} // by the new name
		for _, s := range a.Order {
			if s.Kind != asm.Function || s.Link == asm.Declared || s.Link == asm.WeaklyDeclared || s.Name[0] == '"' {
				continue
			}
			defined[s.Name] = true
			if s.Link != asm.Local {
				if remove[s.Name] && removable(s) {
					drop[s.Name] = true
				}
				continue
			}
			file, _ := position(a, s)
			name := fileLocalName(file, s.Name)
			defined[name] = true
			without := (remove[s.Name] || remove[name]) && removable(s) || standIns[name] != nil
			if a.Symbols[name] != nil && a.Symbols[name].Link != asm.Declared {
				continue // the module also has a function of that name
			}
			if by := standIns[name]; by != nil {
				other, line := position(by, by.Symbols[name])
				in, at := position(a, s)
				notes = append(notes, found.Assumption{What: found.StandIn, Name: s.Name, At: found.Pos{File: in, Line: at},
					Other: found.Pos{File: other, Line: line}})
			}
			if without || wanted[name] && !exported[name] {
				rename[s.Name] = name
				exported[name] = true
				if without {
					drop[name] = true
				}
			}
		}
		if len(rename) == 0 && len(drop) == 0 {
			continue
		}
		b, err := rewritten(a, rename, drop)
		if err != nil {
			return nil, err
		}
		modules[i] = b
	}
	if unknown := slices.DeleteFunc(slices.Clone(removed),
		func(name string) bool { return defined[name] }); len(unknown) > 0 {
		notes = append(notes, found.Assumption{What: found.NothingToRemove, Names: unknown,
			At: found.Pos{File: modules[entry].File}})
	}
	return notes, nil
}

// rewritten returns a module in which some functions are renamed and become external, and some lose their bodies.
func rewritten(a *asm.Module, rename map[string]string, drop map[string]bool) (*asm.Module, error) {
	var out bytes.Buffer
	entity := func(text []byte) {
		out.Write(asm.Rename(text, func(name string, _ int) string {
			if to, ok := rename[name]; ok {
				return to
			}
			return name
		}))
	}
	pos := 0
	for _, s := range a.Order {
		out.Write(a.Text[pos:s.Start])
		pos = s.End
		name := s.Name
		to, renamed := rename[name]
		if renamed {
			name = to
		}
		text := a.Bytes(s.Span)
		switch {
		case drop[name]:
			line, _, _ := bytes.Cut(text, []byte("\n"))
			text, err := asm.DeclareFunction(s, line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.File, err)
			}
			entity(text)
		case renamed:
			entity(bytes.Replace(text, []byte("define internal "), []byte("define "), 1))
		case a.Symbols[name].Kind == asm.Function && isRenamed(rename, name): // its declaration is superfluous
		default:
			entity(text)
		}
	}
	out.Write(a.Text[pos:])
	b, err := asm.Cut(a.File, out.Bytes())
	if err != nil {
		return nil, err
	}
	return b, nil
}

// isRenamed reports whether some function was renamed to name.
func isRenamed(rename map[string]string, name string) bool {
	for _, to := range rename {
		if to == name {
			return true
		}
	}
	return false
}
