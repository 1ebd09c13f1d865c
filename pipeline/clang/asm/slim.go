package asm

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// slimmer prints the needed part of a module: the chosen definitions, declarations of the symbols that they refer to,
// and the types, attributes and metadata that these use. A module of 2 MB shrinks to a few hundred KB; the engine's
// reader parses about 50 MB/s.
//
// The output does not depend on dropped entities: named functions and variables keep the order of the source, and
// everything else is printed in the order in which it is reached from them. Numbers that depend on the rest of the
// module are assigned again: the numbers of metadata, and the suffixes in `.str.12` and `struct.anon.7`. So an edit of
// one function changes only the programs of proofs that execute it, except for lines ([Shape]).
type slimmer struct {
	*Module
	keep map[*Symbol]Keep

	symbols       queue[*Symbol]
	nodes, groups queue[int]
	types         queue[string] // with sigils
	comdats       map[string]bool
	names         map[string]string // new names, with sigils
	taken         map[string]bool   // new names, and unchanged names
	nameless      int               // number of variables without a name
}

// queue numbers elements in the order of their first addition.
type queue[T comparable] struct {
	list   []T
	number map[T]int
}

// add returns the number of an element; a new element gets the next number.
func (q *queue[T]) add(x T) int {
	n, ok := q.number[x]
	if !ok {
		if q.number == nil {
			q.number = map[T]int{}
		}
		n = len(q.list)
		q.number[x] = n
		q.list = append(q.list, x)
	}
	return n
}

// Keep is the form in which a symbol is kept. The zero value means that it is dropped.
type Keep int

// The forms in which a symbol is kept.
const (
	Definition  Keep = iota + 1 // unchanged
	Declaration                 // the definition is overridden by another module's
)

// Slim prints the needed part of a module: the symbols in keep and everything that they use (see slimmer). The output
// depends only on the module and keep.
func Slim(m *Module, keep map[*Symbol]Keep) ([]byte, error) {
	s := slimmer{Module: m, keep: keep}
	return s.print()
}

func (s *slimmer) print() ([]byte, error) {
	s.comdats, s.names, s.taken = map[string]bool{}, map[string]string{}, map[string]bool{}
	for _, name := range inOrder(s.Module.types) {
		if isDigit(name[1]) { // they are few, and their numbers must have no gaps
			s.types.add(name)
		}
	}
	var bodies, variables, others []*Symbol
	size := 0
	for _, sym := range s.Order {
		switch as := s.keep[sym]; {
		case as == 0:
			continue
		case as == Definition && sym.Kind == Function && sym.Link != Declared && sym.Link != WeaklyDeclared:
			bodies = append(bodies, sym)
			size += sym.End - sym.Start
		case as == Definition && sym.Link != Declared && !s.numbered(sym):
			variables = append(variables, sym)
		default:
			others = append(others, sym)
		}
		if !s.numbered(sym) {
			s.taken["@"+sym.Name] = true
		}
	}
	var globals, functions, declarations, types bytes.Buffer
	functions.Grow(size)
	printed := map[*Symbol]bool{}
	write := func(out *bytes.Buffer, list ...*Symbol) error {
		for _, sym := range list {
			printed[sym] = true
			if err := s.symbol(out, sym); err != nil {
				return err
			}
		}
		return nil
	}
	err := errors.Join(write(&functions, bodies...), write(&globals, variables...))
	for done := 0; err == nil && (done < len(s.symbols.list) || len(others) > 0); {
		var sym *Symbol
		if done < len(s.symbols.list) {
			sym = s.symbols.list[done]
			done++
		} else { // nothing refers to it
			sym, others = others[0], others[1:]
		}
		switch {
		case printed[sym] || s.keep[sym] == 0:
		case sym.Kind == Function:
			err = write(&declarations, sym)
		default:
			err = write(&globals, sym)
		}
	}
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(s.types.list); i++ { // the list grows by element types
		s.rewrite(&types, s.Bytes(s.Module.types[s.types.list[i]]))
	}

	var out bytes.Buffer
	for _, h := range s.header {
		out.Write(s.Bytes(h))
	}
	out.Write(types.Bytes())
	for _, name := range slices.Sorted(maps.Keys(s.comdats)) {
		if at, ok := s.Module.comdats[name]; ok {
			out.Write(s.Bytes(at))
		}
	}
	for _, part := range []*bytes.Buffer{&globals, &functions, &declarations} {
		out.Write(part.Bytes())
	}
	if err := s.metadata(&out); err != nil {
		return nil, err
	}
	return bytes.Clone(out.Bytes()), nil // kept until the proof is done, so without spare capacity
}

// symbol prints a variable or a function.
func (s *slimmer) symbol(out *bytes.Buffer, sym *Symbol) error {
	text := s.Bytes(sym.Span)
	var err error
	switch {
	case s.keep[sym] == Declaration && sym.Link != Declared && sym.Link != WeaklyDeclared:
		text, err = declarationOf(sym, text)
	case sym.Link == AvailableExternally:
		text = bytes.Replace(text, []byte("available_externally "), nil, 1)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.File, err)
	}
	if s.keep[sym] == Definition {
		s.comdats["$"+sym.Name] = true
	}
	s.rewrite(out, text)
	return nil
}

// metadata prints the attribute groups and metadata that the printed text refers to.
func (s *slimmer) metadata(out *bytes.Buffer) error {
	// Module flags determine whether modules can be linked. Compile units are listed if one is used, since the verifier
	// requires the list.
	var named, nodes bytes.Buffer
	var units [][]byte
	for _, at := range s.named {
		line := s.Bytes(at)
		switch {
		case bytes.HasPrefix(line, []byte("!llvm.module.flags ")):
			s.rewrite(&named, line)
		case bytes.HasPrefix(line, []byte("!llvm.dbg.cu ")):
			units = append(units, line)
		}
	}
	for i := 0; i < len(s.nodes.list); i++ { // the list grows
		n := s.nodes.list[i]
		at, ok := s.Module.nodes[n]
		if !ok {
			return fmt.Errorf("assembly of %s: no metadata !%d", s.File, n)
		}
		line := s.Bytes(at)
		switch {
		case bytes.Contains(line, []byte("!DICompileUnit(")):
			line = withoutLists(line)
		case bytes.Contains(line, []byte("!DIFile(")):
			line = withoutChecksum(line)
		}
		s.rewrite(&nodes, line)
	}
	for i := 0; i < len(s.groups.list); i++ {
		if at, ok := s.Module.groups["#"+strconv.Itoa(s.groups.list[i])]; ok {
			s.rewrite(out, s.Bytes(at))
		}
	}
	var used []string
	for _, line := range units {
		References(line, func(sigil byte, name []byte, _ int) {
			if n, ok := s.nodes.number[atoi(name)]; ok && sigil == '!' {
				used = append(used, "!"+strconv.Itoa(n))
			}
		})
	}
	out.Write(named.Bytes())
	if used != nil {
		fmt.Fprintf(out, "!llvm.dbg.cu = !{%s}\n", strings.Join(used, ", "))
	}
	out.Write(nodes.Bytes())
	return nil
}

// rewrite prints a text with its new names, and queues the entities that it refers to.
func (s *slimmer) rewrite(out *bytes.Buffer, text []byte) {
	done := 0
	References(text, func(sigil byte, name []byte, at int) {
		end := at + 1 + len(name)
		number := -1
		switch sigil {
		case '!':
			number = s.nodes.add(atoi(name))
		case '#':
			number = s.groups.add(atoi(name))
		case '$':
			s.comdats[string(text[at:end])] = true
		case '%':
			if _, ok := s.Module.types[string(text[at:end])]; !ok {
				return
			}
			full := string(text[at:end])
			s.types.add(full)
			if strings.HasPrefix(full, "%struct.") || strings.HasPrefix(full, "%union.") {
				out.Write(text[done:at])
				out.WriteString(s.newName(full))
				done = end
			}
		case '@':
			sym := s.Symbols[string(name)]
			if sym == nil {
				return
			}
			s.symbols.add(sym)
			if s.numbered(sym) {
				out.Write(text[done:at])
				out.WriteString(s.newName(string(text[at:end])))
				done = end
			}
		}
		if number >= 0 {
			out.Write(text[done : at+1])
			out.Write(strconv.AppendInt(out.AvailableBuffer(), int64(number), 10))
			done = end
		}
	})
	out.Write(text[done:])
}

// numbered reports whether a variable's name has no meaning outside the module, and may be a number or end in one.
func (s *slimmer) numbered(sym *Symbol) bool {
	if isDigit(sym.Name[0]) {
		return true
	}
	return sym.Link == Local && sym.Kind == Variable && sym.Name[0] != '"' &&
		(unnumbered(sym.Name) != sym.Name || bytes.HasPrefix(s.Text[sym.Start+1+len(sym.Name):], []byte(" = private ")))
}

// newName returns the new name of a numbered variable or type: the base name for the first one, with a number behind it
// for the others.
func (s *slimmer) newName(name string) string {
	to, ok := s.names[name]
	if ok {
		return to
	}
	if isDigit(name[1]) { // without gaps
		s.nameless++
		to = "@" + strconv.Itoa(s.nameless-1)
	} else {
		base := unnumbered(name)
		to = base
		for n := 1; s.taken[to]; n++ {
			to = suffixed(base, n)
		}
	}
	s.names[name], s.taken[to] = to, true
	return to
}

// unnumbered returns a name without the number that LLVM appends behind a dot if a name is taken.
func unnumbered(name string) string {
	digits := strings.TrimRight(name, "0123456789")
	if before, ok := strings.CutSuffix(digits, "."); ok && before != "" && len(digits) < len(name) {
		return before
	}
	return name
}

// withoutLists removes the lists of declarations from a compile unit, which would keep everything alive. Declarations
// in use are referred to by their users.
func withoutLists(line []byte) []byte {
	for _, field := range []string{", enums: !", ", retainedTypes: !", ", globals: !", ", imports: !", ", macros: !"} {
		i := bytes.Index(line, []byte(field))
		if i < 0 {
			continue
		}
		j := i + len(field)
		for j < len(line) && isDigit(line[j]) {
			j++
		}
		line = slices.Concat(line[:i], line[j:])
	}
	return line
}

// withoutChecksum removes the hash of the content from a DIFile.
func withoutChecksum(line []byte) []byte {
	before, rest, ok := bytes.Cut(line, []byte(", checksumkind: "))
	if !ok {
		return line
	}
	_, rest, ok = bytes.Cut(rest, []byte(`checksum: "`))
	_, rest, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed {
		return line
	}
	return slices.Concat(before, rest)
}
