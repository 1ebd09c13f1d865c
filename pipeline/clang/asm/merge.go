package asm

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Merge links several modules with opaque pointers into one. The modules are resolved: no name has two definitions.
// Merge
//
//   - renames different entities with equal names (types, static functions and variables),
//   - renumbers metadata, attributes, and variables without names,
//   - drops declarations of defined symbols,
//   - concatenates arrays of constructors, and
//   - prints entities that are equal in several modules once.
//
// Typed pointers require more, since the types of a declaration and of its definition may differ: see clang.Toolchain.
func Merge(texts [][]byte) ([]byte, error) {
	m := &merger{
		types: map[string]string{}, comdats: map[string]string{}, groups: map[string]string{}, nodes: map[string]string{},
		symbols: map[string]mergedSymbol{}, appended: map[string]*appendedArray{}, flags: map[string]bool{},
	}
	for _, text := range texts {
		a, err := Cut("the linked program", text)
		if err != nil {
			return nil, err
		}
		m.modules = append(m.modules, a)
	}
	for _, a := range m.modules {
		m.choose(a)
	}
	for i, a := range m.modules {
		if err := m.add(i, a); err != nil {
			return nil, err
		}
	}
	return m.print(), nil
}

type merger struct {
	modules []*Module

	// The texts of the entities in the program by name; for attribute groups and metadata, the names by text.
	types, comdats map[string]string
	groups, nodes  map[string]string

	symbols  map[string]mergedSymbol // by name: the chosen symbol
	appended map[string]*appendedArray
	flags    map[string]bool // module flags by name
	nameless int             // number of variables without a name
	numbered int             // number of metadata nodes

	header, typeLines, comdatLines, globals, functions, groupLines, nodeLines bytes.Buffer
	arrays                                                                    []string // names in appended
	units, flagNodes                                                          []string
}

// mergedSymbol is the symbol that was chosen for a name that modules share.
type mergedSymbol struct {
	*Symbol
	rank int
}

// The rank of a symbol is the amount of information in it; the greatest rank is chosen.
const (
	weakDeclarationRank = iota
	declarationRank
	describedRank // a declaration with debug information
	definitionRank
)

// appendedArray is an array with elements from all modules, such as llvm.global_ctors.
type appendedArray struct {
	before, elem, after string
	count               int
	elems               []string
}

// choose updates the chosen symbols with the symbols of a module.
func (m *merger) choose(a *Module) {
	for _, s := range a.Order {
		rank := definitionRank
		switch s.Link {
		case Local, Appending:
			continue
		case WeaklyDeclared:
			rank = weakDeclarationRank
		case Declared:
			rank = declarationRank
			if bytes.Contains(a.Bytes(s.Span), []byte("!dbg !")) {
				rank = describedRank
			}
		}
		if known, ok := m.symbols[s.Name]; !ok || rank > known.rank {
			m.symbols[s.Name] = mergedSymbol{s, rank}
		}
	}
}

// renaming maps the names of a module to names of the program.
type renaming struct {
	types, comdats, groups, nodes, globals map[string]string // with sigils
}

// rewrite returns a text with the names of the program.
func (r *renaming) rewrite(text []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(text) + len(text)/16)
	done := 0
	References(text, func(sigil byte, name []byte, at int) {
		var names map[string]string
		switch sigil {
		case '%':
			names = r.types
		case '$':
			names = r.comdats
		case '#':
			names = r.groups
		case '!':
			names = r.nodes
		case '@':
			names = r.globals
		}
		end := at + 1 + len(name)
		if to, ok := names[string(text[at:end])]; ok {
			out.Write(text[done:at])
			out.WriteString(to)
			done = end
		}
	})
	out.Write(text[done:])
	return out.Bytes()
}

// add adds the entities of a module to the program.
func (m *merger) add(index int, a *Module) error {
	r := &renaming{types: map[string]string{}, comdats: map[string]string{}, groups: map[string]string{},
		nodes: map[string]string{}, globals: map[string]string{}}
	for _, h := range a.header {
		if line := a.Bytes(h); index == 0 || bytes.HasPrefix(line, []byte("module asm ")) {
			m.header.Write(line)
		}
	}
	for _, name := range inOrder(a.types) {
		if isDigit(name[1]) { // a local value may have the same number
			return fmt.Errorf("%s: the type %s has no name, which cannot be linked", a.File, name)
		}
		if err := m.addType(index, a, r, name, 0); err != nil {
			return err
		}
	}
	for _, name := range inOrder(a.comdats) {
		text := string(a.Bytes(a.comdats[name]))
		if m.comdats[name] == "" {
			m.comdats[name] = text
			m.comdatLines.WriteString(text)
		}
	}
	for _, name := range inOrder(a.groups) {
		_, body, _ := strings.Cut(string(a.Bytes(a.groups[name])), " = ")
		to, ok := m.groups[body]
		if !ok {
			to = "#" + strconv.Itoa(len(m.groups))
			m.groups[body] = to
			fmt.Fprintf(&m.groupLines, "attributes %s = %s", to, body)
		}
		r.groups[name] = to
	}
	for _, s := range a.Order {
		switch {
		case isDigit(s.Name[0]):
			r.globals["@"+s.Name] = "@" + strconv.Itoa(m.nameless)
			m.nameless++
		case s.Link == Local:
			if to := m.localName(s.Name); to != s.Name {
				r.globals["@"+s.Name] = "@" + to
			}
		}
	}
	m.addNodes(a, r)
	for _, s := range a.Order {
		if s.Link == Appending {
			if err := m.append(s.Name, string(r.rewrite(a.Bytes(s.Span)))); err != nil {
				return err
			}
			continue
		}
		if s.Link != Local && m.symbols[s.Name].Symbol != s {
			continue
		}
		to := &m.globals
		if s.Kind == Function {
			to = &m.functions
		}
		to.Write(r.rewrite(a.Bytes(s.Span)))
	}
	for _, at := range a.named {
		m.addNamed(a, r, string(a.Bytes(at)))
	}
	return nil
}

// maxTypeDepth limits the nesting of structs.
const maxTypeDepth = 1000

// addType adds a type and its element types to the program, under another name if its name is taken.
func (m *merger) addType(index int, a *Module, r *renaming, name string, depth int) error {
	if r.types[name] != "" {
		return nil
	}
	if depth > maxTypeDepth {
		return fmt.Errorf("%s: types are nested too deeply", a.File)
	}
	_, body, ok := bytes.Cut(a.Bytes(a.types[name]), []byte(" = "))
	if !ok {
		return fmt.Errorf("%s: the type %s has no body", a.File, name)
	}
	var err error
	References(body, func(sigil byte, part []byte, _ int) {
		if _, ok := a.types["%"+string(part)]; ok && sigil == '%' && err == nil {
			err = m.addType(index, a, r, "%"+string(part), depth+1)
		}
	})
	if err != nil {
		return err
	}
	text := string(r.rewrite(body))
	to := name
	for n := 1; m.types[to] != "" && m.types[to] != text; n++ {
		to = suffixed(name, n)
	}
	if m.types[to] == "" {
		m.types[to] = text
		m.typeLines.WriteString(to + " = " + text)
	}
	r.types[name] = to
	return nil
}

// suffixed returns another name: with a number at its end, inside the quotes.
func suffixed(name string, n int) string {
	if before, ok := strings.CutSuffix(name, `"`); ok {
		return fmt.Sprintf(`%s.%d"`, before, n)
	}
	return fmt.Sprintf("%s.%d", name, n)
}

// localName returns an unused name for an entity that is private to a module.
func (m *merger) localName(name string) string {
	to := name
	for n := 1; ; n++ {
		if _, taken := m.symbols[to]; !taken {
			m.symbols[to] = mergedSymbol{}
			return to
		}
		to = suffixed(name, n)
	}
}

// addNodes adds metadata to the program. Equal nodes are merged unless they are distinct or on a cycle.
func (m *merger) addNodes(a *Module, r *renaming) {
	begun := map[int]bool{}
	number := func(name string) {
		r.nodes[name] = "!" + strconv.Itoa(m.numbered)
		m.numbered++
	}
	var visit func(n int)
	visit = func(n int) {
		begun[n] = true
		name := "!" + strconv.Itoa(n)
		_, body, _ := bytes.Cut(a.Bytes(a.nodes[n]), []byte(" = "))
		if bytes.HasPrefix(body, []byte("distinct ")) {
			number(name)
		}
		References(body, func(sigil byte, part []byte, _ int) {
			if sigil != '!' {
				return
			}
			k := atoi(part)
			if !begun[k] {
				visit(k)
			}
			if to := "!" + string(part); r.nodes[to] == "" { // on a cycle
				number(to)
			}
		})
		text := string(r.rewrite(body))
		if r.nodes[name] == "" {
			if to, ok := m.nodes[text]; ok {
				r.nodes[name] = to
				return
			}
			number(name)
			m.nodes[text] = r.nodes[name]
		}
		fmt.Fprintf(&m.nodeLines, "%s = %s", r.nodes[name], text)
	}
	var ids []int
	for n := range a.nodes {
		ids = append(ids, n)
	}
	slices.Sort(ids)
	for _, n := range ids {
		if !begun[n] {
			visit(n)
		}
	}
}

// append adds the elements of an array of constructors or the like, "@NAME = appending global [N x TYPE] [ELEMENTS],
// REST".
func (m *merger) append(name, line string) error {
	before, rest, ok := strings.Cut(line, " [")
	n := Closing([]byte("["+rest), 0)
	if !ok || n < 0 {
		return fmt.Errorf("the array %s was not understood", name)
	}
	count, elem, _ := strings.Cut(rest[:n-1], " x ")
	rest, ok = strings.CutPrefix(rest[n:], " [")
	n = Closing([]byte("["+rest), 0)
	if !ok || n < 0 {
		return fmt.Errorf("the array %s was not understood", name)
	}
	all := m.appended[name]
	if all == nil {
		all = &appendedArray{before: before, elem: elem, after: rest[n:]}
		m.appended[name] = all
		m.arrays = append(m.arrays, name)
	}
	if all.elem != elem {
		return fmt.Errorf("the array %s has elements of type %s in one file and of type %s in another", name, all.elem, elem)
	}
	all.elems = append(all.elems, rest[:n-1])
	all.count += atoi([]byte(count))
	return nil
}

// addNamed adds the named metadata that slimming keeps: module flags, each once, and compile units.
func (m *merger) addNamed(a *Module, r *renaming, line string) {
	name, _, _ := strings.Cut(line, " = ")
	References([]byte(line), func(sigil byte, part []byte, _ int) {
		if sigil != '!' {
			return
		}
		to := r.nodes["!"+string(part)]
		switch name {
		case "!llvm.dbg.cu":
			m.units = append(m.units, to)
		case "!llvm.module.flags": // !{i32 BEHAVIOR, !"NAME", VALUE}
			_, flag, _ := strings.Cut(string(a.Bytes(a.nodes[atoi(part)])), `!"`)
			if flag, _, _ = strings.Cut(flag, `"`); !m.flags[flag] {
				m.flags[flag] = true
				m.flagNodes = append(m.flagNodes, to)
			}
		}
	})
}

// print writes the program.
func (m *merger) print() []byte {
	var out bytes.Buffer
	for _, part := range []*bytes.Buffer{&m.header, &m.typeLines, &m.comdatLines, &m.globals} {
		out.Write(part.Bytes())
	}
	for _, name := range m.arrays {
		all := m.appended[name]
		fmt.Fprintf(&out, "%s [%d x %s] [%s]%s", all.before, all.count, all.elem, strings.Join(all.elems, ", "), all.after)
	}
	out.Write(m.functions.Bytes())
	out.Write(m.groupLines.Bytes())
	if m.flagNodes != nil {
		fmt.Fprintf(&out, "!llvm.module.flags = !{%s}\n", strings.Join(m.flagNodes, ", "))
	}
	if m.units != nil {
		fmt.Fprintf(&out, "!llvm.dbg.cu = !{%s}\n", strings.Join(m.units, ", "))
	}
	out.Write(m.nodeLines.Bytes())
	return bytes.Clone(out.Bytes()) // kept until the proof is done, so without spare capacity
}

// inOrder returns the names of entities in the order of the text.
func inOrder(entities map[string]Span) []string {
	names := slices.Collect(maps.Keys(entities))
	slices.SortFunc(names, func(a, b string) int { return entities[a].Start - entities[b].Start })
	return names
}
