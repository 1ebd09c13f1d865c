package clang

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// program is a set of modules in which every name has at most one definition that counts.
type program struct {
	modules []*assembly // overrides first, then the entry's, then the sources, last the models
	owner   map[string]home
	keep    []map[*symbol]keepAs // by module
	missing map[string]symbolKind
	notes   []found.Assumption
}

// home is where the definition of a name is.
type home struct {
	module int
	*symbol
}

// resolve decides which definition each global name means. An override wins; then the linker's
// order: strong, weak, common, and at last a C99 inline body, which the linker never takes but which
// is what the program does if it is inlined. Two strong definitions are an error, as they are for
// a linker, except that a `main` beside the entry's file gives way: a proof of a program's functions
// links the file that holds the program's main; except that a file which an earlier one includes has its definitions
// there; and in programs for CBMC, whose linker takes the first, so do we, and say so: the entry's file, as kits name
// it before their stubs, then overrides, then the sources.
func resolve(overrides []*assembly, entry *assembly, sources []*assembly, firstCounts bool) (*program, error) {
	p := &program{owner: map[string]home{}, missing: map[string]symbolKind{}}
	var clashes []Diagnostic
	p.modules = slices.Concat(overrides, []*assembly{entry}, sources)
	for range p.modules {
		p.keep = append(p.keep, map[*symbol]keepAs{})
	}
	enlist := func(module int, replaced func(name string) bool) {
		a := p.modules[module]
		for _, s := range a.order {
			if !s.defines() || replaced(s.name) {
				continue
			}
			old, ok := p.owner[s.name]
			if ok && old.link == strong && s.link == strong {
				if file, line := a.position(s); line > 0 && file == a.file && s.name != "main" &&
					p.modules[old.module].at(old.symbol, file, line) {
					p.twice(file, p.modules[old.module], line) // one file includes the other: it is the same definition
				} else if firstCounts && s.name != "main" {
					file, line := a.position(s)
					other, otherLine := p.modules[old.module].position(old.symbol)
					if line > 0 && file == other && line == otherLine {
						continue // one header in two files, whose `static` is defined away
					}
					p.notes = append(p.notes, found.Assumption{What: found.FirstCounts, Name: s.name,
						At: found.Pos{File: file, Line: line}, Other: found.Pos{File: other}})
				} else if s.name != "main" {
					clashes = append(clashes, clash(s.name, p.modules[old.module], a)...)
				}
				continue
			}
			if !ok || s.link > old.link {
				p.owner[s.name] = home{module, s}
			}
		}
	}
	overriding := map[string]bool{}
	for _, a := range overrides {
		for _, s := range a.order {
			overriding[s.name] = overriding[s.name] || s.defines()
		}
	}
	none := func(string) bool { return false }
	replaced := func(name string) bool { return overriding[name] }
	if firstCounts {
		enlist(len(overrides), func(name string) bool { return overriding[name] && entry.symbols[name].link != strong })
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

// defines reports whether a symbol is a definition that other modules can mean.
func (s *symbol) defines() bool {
	return s.link != declared && s.link != weaklyDeclared && s.link != local && s.link != appending
}

// at reports whether a definition stands at a place.
func (a *assembly) at(s *symbol, file string, line int) bool {
	f, l := a.position(s)
	return f == file && l == line
}

// twice notes, once, that a file is linked and included by one that comes before it: the definitions of that one count.
func (p *program) twice(file string, by *assembly, line int) {
	if !slices.ContainsFunc(p.notes, func(n found.Assumption) bool {
		return n.What == found.IncludedCounts && n.At.File == file && n.Other.File == by.file
	}) {
		p.notes = append(p.notes, found.Assumption{What: found.IncludedCounts, At: found.Pos{File: file, Line: line},
			Other: found.Pos{File: by.file}})
	}
}

func clash(name string, a, b *assembly) []Diagnostic {
	at := func(m *assembly) (string, int) {
		file, line := m.position(m.symbols[name])
		return file, line
	}
	fileA, lineA := at(a)
	fileB, lineB := at(b)
	return []Diagnostic{
		{File: fileB, Line: lineB, Column: min(lineB, 1), Severity: "error",
			Message: fmt.Sprintf("%s is defined in %s and in %s; give one of them as an override (--override) if it is to "+
				"replace the other, or name the function in remove-bodies (--remove-body) if the one of the linked file does "+
				"not count", name, fileA, fileB)},
		{File: fileA, Line: lineA, Column: min(lineA, 1), Severity: "note", Message: "the other definition is here"},
	}
}

// position is the file and line of a definition from its debug information, or the module's file
// and 0. The file is that of the module where the metadata names it as it was given to clang.
func (a *assembly) position(s *symbol) (string, int) {
	text := a.bytes(s.span)
	if i := strings.IndexByte(string(text), '\n'); i >= 0 {
		text = text[:i]
	}
	line, file := 0, a.file
	_, node, ok := strings.Cut(string(text), "!dbg !")
	if !ok {
		return file, 0
	}
	n := a.bytes(a.nodes[atoi(digits(node))])
	if strings.Contains(string(n), "!DIGlobalVariableExpression(") {
		_, v, _ := strings.Cut(string(n), "var: !")
		n = a.bytes(a.nodes[atoi(digits(v))])
	}
	if _, l, ok := strings.Cut(string(n), ", line: "); ok {
		line = atoi(digits(l))
	}
	if _, f, ok := strings.Cut(string(n), ", file: !"); ok {
		d := string(a.bytes(a.nodes[atoi(digits(f))]))
		if _, q, ok := strings.Cut(d, `filename: "`); ok {
			name := q[:strings.IndexByte(q, '"')]
			_, dir, _ := strings.Cut(d, `directory: "`)
			dir, _, _ = strings.Cut(dir, `"`)
			if !strings.Contains(name, `\`) && !strings.Contains(dir, `\`) { // escapes: the module's name will do
				file = absolute(name, dir)
			}
		}
	}
	return file, line
}

func digits(s string) []byte {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return []byte(s[:i])
}

// reach marks what the roots need, in all modules. Constructors run before the entry whatever it
// calls, so those of every module are roots. It can be called again after a module was added.
func (p *program) reach(roots []string) error {
	p.missing = map[string]symbolKind{}
	for _, k := range p.keep {
		clear(k)
	}
	var todo []home
	visit := func(module int, s *symbol) {
		if k := p.keep[module]; k[s] != definition {
			k[s] = definition
			todo = append(todo, home{module, s})
		}
	}
	for module, a := range p.modules {
		for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
			if s, ok := a.symbols[name]; ok {
				visit(module, s)
			}
		}
	}
	for _, name := range roots {
		if h, ok := p.owner[name]; ok {
			visit(h.module, h.symbol)
		}
	}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a := p.modules[at.module]
		var failed error
		references(a.bytes(at.span), func(sigil byte, name []byte, _ int) {
			if sigil != '@' {
				return
			}
			s, ok := a.symbols[string(name)]
			if !ok || s == at.symbol {
				return
			}
			if s.link == local || s.link == appending || s.link == common {
				visit(at.module, s)
				return
			}
			h, ok := p.owner[s.name]
			switch {
			case !ok:
				p.keep[at.module][s] = definition // a declaration, in fact
				if !strings.HasPrefix(s.name, "llvm.") {
					p.missing[s.name] = s.kind
				}
			case h.module == at.module:
				visit(at.module, h.symbol)
			default:
				if at.kind == alias {
					failed = &CompileError{Stage: "link", Diagnostics: []Diagnostic{{File: a.file, Severity: "error",
						Message: fmt.Sprintf("%s cannot be replaced by the one of %s: %s is an alias of it", s.name,
							p.modules[h.module].file, at.name)}}}
				}
				if p.keep[at.module][s] == 0 {
					p.keep[at.module][s] = declaration
				}
				visit(h.module, h.symbol)
			}
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// reachFromOutside keeps variables that nothing here uses, but through which a function without a
// body can write what is used: global, not constant, and initialised so that pointers lead from them
// to a variable that is kept and can be written.
func (p *program) reachFromOutside(roots []string) error {
	outside := false
	for name, kind := range p.missing {
		outside = outside || kind == function && !Builtin(name)
	}
	if !outside {
		return nil
	}
	kept := func(h home) bool { return p.keep[h.module][h.symbol] == definition }
	mutable := func(h home) bool { return bytes.Contains(p.modules[h.module].bytes(h.span), []byte(" global ")) }
	more := slices.Clone(roots)
	for _, name := range slices.Sorted(maps.Keys(p.owner)) {
		if h := p.owner[name]; h.kind == variable && !kept(h) && mutable(h) &&
			p.leads(h, func(to home) bool { return kept(to) && mutable(to) }) {
			more = append(more, name)
		}
	}
	if len(more) == len(roots) {
		return nil
	}
	return p.reach(more)
}

// leads reports whether the initialiser of a variable, or of one that it names and so on, names a
// variable that is wanted.
func (p *program) leads(from home, wanted func(home) bool) bool {
	found := false
	seen := map[*symbol]bool{from.symbol: true}
	for todo := []home{from}; len(todo) > 0 && !found; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		a := p.modules[at.module]
		references(a.bytes(at.span), func(sigil byte, name []byte, _ int) {
			s := a.symbols[string(name)]
			if sigil != '@' || s == nil || s.kind == function {
				return
			}
			to := home{at.module, s}
			if s.link != local {
				to = p.owner[s.name]
			}
			if to.symbol == nil || seen[to.symbol] {
				return
			}
			seen[to.symbol] = true
			found = found || wanted(to)
			todo = append(todo, to)
		})
	}
	return found
}

// add appends a module whose definitions serve only names that have none (the libc models).
func (p *program) add(a *assembly) {
	p.modules = append(p.modules, a)
	p.keep = append(p.keep, map[*symbol]keepAs{})
	for _, s := range a.order {
		if s.link == strong || s.link == weak {
			if _, ok := p.owner[s.name]; !ok {
				p.owner[s.name] = home{len(p.modules) - 1, s}
			}
		}
	}
}

// texts are the slimmed modules that contribute a definition, in order of the modules but the
// entry's first, so that its static functions keep their names when they are merged.
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
		if !slices.ContainsFunc(a.order, func(s *symbol) bool {
			return p.keep[i][s] == definition && s.link != declared && s.link != weaklyDeclared
		}) {
			continue
		}
		s := slimmer{assembly: a, keep: p.keep[i]}
		text, err := s.print()
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// defines reports whether the module has a body for the function.
func (a *assembly) defines(name string) bool {
	s, ok := a.symbols[name]
	return ok && s.kind == function && s.link != declared && s.link != weaklyDeclared
}

// functions are the names of the functions a module defines for others or for itself, sorted.
func (a *assembly) functions() []string {
	var names []string
	for _, s := range a.order {
		if s.kind == function && s.link != declared && s.link != weaklyDeclared {
			names = append(names, s.name)
		}
	}
	slices.Sort(names)
	return names
}
