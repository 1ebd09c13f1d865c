package clang

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/vcgen/found"
)

// program is a set of modules in which every name has at most one chosen definition.
type program struct {
	modules []*asm.Module // overrides first, then the entry's, then the sources, last the models
	owner   map[string]home
	keep    []map[*asm.Symbol]asm.Keep // by module
	missing map[string]asm.Kind
	notes   []found.Assumption
}

// home is the location of the definition of a name.
type home struct {
	module int
	*asm.Symbol
}

// resolve chooses a definition for each global name. Overrides win. The linker's order follows: strong, weak, common,
// and last a C99 inline body, which a linker never takes but which the program executes if it is inlined. Two strong
// definitions are an error, with three exceptions:
//
//   - A `main` outside the entry's file loses: a proof of a program's functions links the file with the program's main.
//   - A file that includes a linked file provides the definitions of both.
//   - In programs for CBMC the first definition wins, as in CBMC's linker, with a note: the entry's file, which kits
//     list before their stubs, then overrides, then the sources.
func resolve(overrides []*asm.Module, entry *asm.Module, sources []*asm.Module, firstCounts bool) (*program, error) {
	p := &program{owner: map[string]home{}, missing: map[string]asm.Kind{}}
	var clashes []Diagnostic
	p.modules = slices.Concat(overrides, []*asm.Module{entry}, sources)
	for range p.modules {
		p.keep = append(p.keep, map[*asm.Symbol]asm.Keep{})
	}
	enlist := func(module int, replaced func(name string) bool) {
		a := p.modules[module]
		for _, s := range a.Order {
			if !s.Defines() || replaced(s.Name) {
				continue
			}
			old, ok := p.owner[s.Name]
			if ok && old.Link == asm.Strong && s.Link == asm.Strong {
				if file, line := position(a, s); line > 0 && file == a.File && s.Name != "main" &&
					standsAt(p.modules[old.module], old.Symbol, file, line) {
					p.twice(file, p.modules[old.module], line) // one file includes the other
				} else if firstCounts && s.Name != "main" {
					file, line := position(a, s)
					other, otherLine := position(p.modules[old.module], old.Symbol)
					if line > 0 && file == other && line == otherLine {
						continue // one header in two files, with `static` defined away
					}
					p.notes = append(p.notes, found.Assumption{What: found.FirstCounts, Name: s.Name,
						At: found.Pos{File: file, Line: line}, Other: found.Pos{File: other}})
				} else if s.Name != "main" {
					clashes = append(clashes, clash(s.Name, p.modules[old.module], a)...)
				}
				continue
			}
			if !ok || s.Link > old.Link {
				p.owner[s.Name] = home{module, s}
			}
		}
	}
	overriding := map[string]bool{}
	for _, a := range overrides {
		for _, s := range a.Order {
			overriding[s.Name] = overriding[s.Name] || s.Defines()
		}
	}
	none := func(string) bool { return false }
	replaced := func(name string) bool { return overriding[name] }
	if firstCounts {
		enlist(len(overrides), func(name string) bool { return overriding[name] && entry.Symbols[name].Link != asm.Strong })
	}
	for i := range overrides {
		enlist(i, none)
	}
	if !firstCounts {
		enlist(len(overrides), replaced)
	}
	for i := range sources {
		enlist(len(overrides)+1+i, replaced)
	}
	if clashes != nil {
		return nil, &CompileError{Stage: "link", Diagnostics: clashes}
	}
	return p, nil
}

// standsAt reports whether a definition is at a position.
func standsAt(a *asm.Module, s *asm.Symbol, file string, line int) bool {
	f, l := position(a, s)
	return f == file && l == line
}

// twice adds a note, once, that a file is linked and also included by an earlier file, whose definitions are chosen.
func (p *program) twice(file string, by *asm.Module, line int) {
	if !slices.ContainsFunc(p.notes, func(n found.Assumption) bool {
		return n.What == found.IncludedCounts && n.At.File == file && n.Other.File == by.File
	}) {
		p.notes = append(p.notes, found.Assumption{What: found.IncludedCounts, At: found.Pos{File: file, Line: line},
			Other: found.Pos{File: by.File}})
	}
}

func clash(name string, a, b *asm.Module) []Diagnostic {
	at := func(m *asm.Module) (string, int) {
		file, line := position(m, m.Symbols[name])
		return file, line
	}
	fileA, lineA := at(a)
	fileB, lineB := at(b)
	return []Diagnostic{
		{File: fileB, Line: lineB, Column: min(lineB, 1), Severity: "error",
			Message: fmt.Sprintf("%s is defined in %s and in %s; give one of them as an override (--override) if it is to "+
				"replace the other, or name the function in remove-bodies (--remove-body) to ignore the one of the linked file",
				name, fileA, fileB)},
		{File: fileA, Line: lineA, Column: min(lineA, 1), Severity: "note", Message: "the other definition is here"},
	}
}

// position returns the file and line of a definition from its debug information, or the module's file and 0. The file
// is that of the module if the metadata has the name that was passed to clang.
func position(a *asm.Module, s *asm.Symbol) (string, int) {
	p := a.Place(s)
	if p.Named && !strings.Contains(p.File, `\`) && !strings.Contains(p.Dir, `\`) { // escapes: use the module's name
		return absolute(p.File, p.Dir), p.Line
	}
	return a.File, p.Line
}

// reach marks everything that the roots need, in all modules. Constructors run before any entry, so the constructors of
// every module are roots. It can be called again after a module was added.
func (p *program) reach(roots []string) error {
	p.missing = map[string]asm.Kind{}
	for _, k := range p.keep {
		clear(k)
	}
	var todo []home
	visit := func(module int, s *asm.Symbol) {
		if k := p.keep[module]; k[s] != asm.Definition {
			k[s] = asm.Definition
			todo = append(todo, home{module, s})
		}
	}
	for module, a := range p.modules {
		for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
			if s, ok := a.Symbols[name]; ok {
				visit(module, s)
			}
		}
	}
	for _, name := range roots {
		if h, ok := p.owner[name]; ok {
			visit(h.module, h.Symbol)
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a := p.modules[at.module]
		var failed error
		asm.References(a.Bytes(at.Span), func(sigil byte, name []byte, _ int) {
			if sigil != '@' {
				return
			}
			s, ok := a.Symbols[string(name)]
			if !ok || s == at.Symbol {
				return
			}
			if s.Link == asm.Local || s.Link == asm.Appending || s.Link == asm.Common {
				visit(at.module, s)
				return
			}
			h, ok := p.owner[s.Name]
			switch {
			case !ok:
				p.keep[at.module][s] = asm.Definition // a declaration, in fact
				if !strings.HasPrefix(s.Name, "llvm.") {
					p.missing[s.Name] = s.Kind
				}
			case h.module == at.module:
				visit(at.module, h.Symbol)
			default:
				if at.Kind == asm.Alias {
					failed = &CompileError{Stage: "link", Diagnostics: []Diagnostic{{File: a.File, Severity: "error",
						Message: fmt.Sprintf("%s cannot be replaced by the one of %s: %s is an alias of it", s.Name,
							p.modules[h.module].File, at.Name)}}}
				}
				if p.keep[at.module][s] == 0 {
					p.keep[at.module][s] = asm.Declaration
				}
				visit(h.module, h.Symbol)
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// reachFromOutside keeps variables without a use in the program through which a function without a body can write used
// variables. They are global, not constant, and their initialisers lead to a kept variable that is writable.
func (p *program) reachFromOutside(roots []string) error {
	outside := false
	for name, kind := range p.missing {
		outside = outside || kind == asm.Function && !Builtin(name)
	}
	if !outside {
		return nil
	}
	isKept := func(h home) bool { return p.keep[h.module][h.Symbol] == asm.Definition }
	mutable := func(h home) bool { return bytes.Contains(p.modules[h.module].Bytes(h.Span), []byte(" global ")) }
	more := slices.Clone(roots)
	for _, name := range slices.Sorted(maps.Keys(p.owner)) {
		if h := p.owner[name]; h.Kind == asm.Variable && !isKept(h) && mutable(h) &&
			p.leads(h, func(to home) bool { return isKept(to) && mutable(to) }) {
			more = append(more, name)
		}
	}
	if len(more) == len(roots) {
		return nil
	}
	return p.reach(more)
}

// leads reports whether the initialiser of a variable refers, directly or through other variables, to a wanted
// variable.
func (p *program) leads(from home, wanted func(home) bool) bool {
	found := false
	seen := map[*asm.Symbol]bool{from.Symbol: true}
	for todo := []home{from}; len(todo) > 0 && !found; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a := p.modules[at.module]
		asm.References(a.Bytes(at.Span), func(sigil byte, name []byte, _ int) {
			s := a.Symbols[string(name)]
			if sigil != '@' || s == nil || s.Kind == asm.Function {
				return
			}
			to := home{at.module, s}
			if s.Link != asm.Local {
				to = p.owner[s.Name]
			}
			if to.Symbol == nil || seen[to.Symbol] {
				return
			}
			seen[to.Symbol] = true
			found = found || wanted(to)
			todo = append(todo, to)
		})
	}
	return found
}

// add appends a module whose definitions apply only to undefined names (the libc models).
func (p *program) add(a *asm.Module) {
	p.modules = append(p.modules, a)
	p.keep = append(p.keep, map[*asm.Symbol]asm.Keep{})
	for _, s := range a.Order {
		if s.Link == asm.Strong || s.Link == asm.Weak {
			if _, ok := p.owner[s.Name]; !ok {
				p.owner[s.Name] = home{len(p.modules) - 1, s}
			}
		}
	}
}

// texts returns the slimmed modules that contribute a definition. The entry's module is first, so that its static
// functions keep their names in the merged program.
func (p *program) texts(entry int) ([][]byte, error) {
	order := []int{entry}
	for i := range p.modules {
		if i != entry {
			order = append(order, i)
		}
	}
	var out [][]byte
	for _, i := range order {
		a := p.modules[i]
		if !slices.ContainsFunc(a.Order, func(s *asm.Symbol) bool {
			return p.keep[i][s] == asm.Definition && s.Link != asm.Declared && s.Link != asm.WeaklyDeclared
		}) {
			continue
		}
		text, err := asm.Slim(a, p.keep[i])
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}
