package clang

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// fileLocal starts the names under which goto-cc --export-file-local-symbols makes static functions
// known to other files: __CPROVER_file_local_FILE_c_NAME is the function NAME of FILE.c. Proofs call static
// functions so, name them as bodies to remove, and define stand-ins for them.
const fileLocal = "__CPROVER_file_local_"

// fileLocalName is the exported name of a static function that is defined in the file, which may be a header.
func fileLocalName(file, function string) string {
	base := []byte(filepath.Base(file))
	for i, c := range base {
		if !nameByte[c] || c == '-' || c == '.' || c == '$' {
			base[i] = '_'
		}
	}
	return fileLocal + string(base) + "_" + function
}

// exportFileLocals gives static functions their exported names where some module mentions these, and takes
// the bodies of the functions to remove from all modules after the entry's, and of static functions for which
// a module defines the exported name. A removed function is declared only, so what another module defines under
// its name stands for it, and otherwise it is a function without a body. The modules that change are replaced in
// the slice.
//
// A static function of a header is one function per module: the first is exported. The notes name the functions that
// have a stand-in: what is proved says nothing of their bodies.
func exportFileLocals(modules []*assembly, entry int, removed []string) ([]found.Assumption, error) {
	wanted, remove := map[string]bool{}, map[string]bool{}
	for _, name := range removed {
		remove[name] = true
	}
	for _, a := range modules {
		for _, s := range a.order {
			if strings.HasPrefix(s.name, fileLocal) {
				wanted[s.name] = true
			}
		}
	}
	if len(wanted) == 0 && len(remove) == 0 {
		return nil, nil
	}
	var notes []found.Assumption
	exported := map[string]bool{}
	standIns := map[string]*assembly{} // who defines an exported name wants to replace the static function
	for name := range wanted {
		if i := slices.IndexFunc(modules, func(a *assembly) bool {
			return a.defines(name) &&
				a.symbols[name].link != local
		}); i >= 0 {
			standIns[name] = modules[i]
		}
	}
	defined := map[string]bool{}
	for i, a := range modules {
		rename := map[string]string{}
		drop := map[string]bool{} // by the new name
		for _, s := range a.order {
			if s.kind != function || s.link == declared || s.link == weaklyDeclared || s.name[0] == '"' {
				continue
			}
			defined[s.name] = true
			if s.link != local {
				if i > entry && remove[s.name] {
					drop[s.name] = true
				}
				continue
			}
			file, _ := a.position(s)
			name := fileLocalName(file, s.name)
			defined[name] = true
			without := i > entry && (remove[s.name] || remove[name]) || standIns[name] != nil
			if a.symbols[name] != nil && a.symbols[name].link != declared {
				continue // the module has a function of that name as well
			}
			if by := standIns[name]; by != nil {
				other, line := by.position(by.symbols[name])
				in, at := a.position(s)
				notes = append(notes, found.Assumption{What: found.StandIn, Name: s.name, At: found.Pos{File: in, Line: at},
					Other: found.Pos{File: other, Line: line}})
			}
			if without || wanted[name] && !exported[name] {
				rename[s.name] = name
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
			At: found.Pos{File: modules[entry].file}})
	}
	return notes, nil
}

// rewritten is a module with some functions renamed, which become external, and some without their bodies.
func rewritten(a *assembly, rename map[string]string, drop map[string]bool) (*assembly, error) {
	var out bytes.Buffer
	entity := func(text []byte) {
		done := 0
		references(text, func(sigil byte, name []byte, at int) {
			if to, ok := rename[string(name)]; ok && sigil == '@' {
				out.Write(text[done : at+1])
				out.WriteString(to)
				done = at + 1 + len(name)
			}
		})
		out.Write(text[done:])
	}
	pos := 0
	for _, s := range a.order {
		out.Write(a.text[pos:s.start])
		pos = s.end
		name := s.name
		to, renamed := rename[name]
		if renamed {
			name = to
		}
		text := a.bytes(s.span)
		switch {
		case drop[name]:
			line, _, _ := bytes.Cut(text, []byte("\n"))
			text, err := declareFunction(s, line)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", a.file, err)
			}
			entity(text)
		case renamed:
			entity(bytes.Replace(text, []byte("define internal "), []byte("define "), 1))
		case a.symbols[name].kind == function && isRenamed(rename, name): // the declaration of what is defined now
		default:
			entity(text)
		}
	}
	out.Write(a.text[pos:])
	b, err := cut(a.file, out.Bytes())
	if err != nil {
		return nil, err
	}
	return b, nil
}

// isRenamed reports whether another name became this one.
func isRenamed(rename map[string]string, name string) bool {
	for _, to := range rename {
		if to == name {
			return true
		}
	}
	return false
}
