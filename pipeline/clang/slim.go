package clang

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// slimmer prints the part of a module that is needed: the chosen definitions, declarations of what
// they refer to, and the types, attributes and metadata that these use. A module of 2 MB shrinks to
// a few hundred KB, and the engine's reader parses about 50 MB/s.
type slimmer struct {
	*assembly
	keep map[*symbol]keepAs
}

type keepAs int

const (
	definition  keepAs = iota + 1
	declaration        // what is defined here is defined elsewhere as well, and the other one counts
)

// print is deterministic: entities come in the order of the source.
func (s *slimmer) print() ([]byte, error) {
	var globals, functions bytes.Buffer
	// Nameless variables (@0, @1 …) have to be numbered without gaps.
	numbers := map[string]string{}
	for _, sym := range s.order {
		if s.keep[sym] != 0 && isDigit(sym.name[0]) {
			numbers[sym.name] = strconv.Itoa(len(numbers))
		}
	}
	types, groups, comdats := map[string]bool{}, map[string]bool{}, map[string]bool{}
	nodes := map[int]bool{}
	var todo []int
	note := func(text []byte) {
		references(text, func(sigil byte, name []byte, at int) {
			switch sigil {
			case '%':
				full := text[at : at+1+len(name)]
				if _, ok := s.types[string(full)]; ok {
					types[string(full)] = true
				}
			case '#':
				groups["#"+string(name)] = true
			case '$':
				comdats["$"+string(name)] = true
			case '!':
				if n := atoi(name); !nodes[n] {
					nodes[n] = true
					todo = append(todo, n)
				}
			}
		})
	}
	size := map[*bytes.Buffer]int{}
	place := func(sym *symbol) *bytes.Buffer {
		if sym.kind == function {
			return &functions
		}
		return &globals
	}
	for _, sym := range s.order {
		if s.keep[sym] != 0 {
			size[place(sym)] += sym.end - sym.start
		}
	}
	globals.Grow(size[&globals])
	functions.Grow(size[&functions])
	for _, sym := range s.order {
		as := s.keep[sym]
		if as == 0 {
			continue
		}
		text := s.bytes(sym.span)
		var err error
		switch {
		case as == declaration && sym.link != declared && sym.link != weaklyDeclared:
			text, err = declarationOf(sym, text)
		case sym.link == availableExternally:
			text = bytes.Replace(text, []byte("available_externally "), nil, 1)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
		note(text)
		if as == definition {
			if _, ok := s.comdats["$"+sym.name]; ok {
				comdats["$"+sym.name] = true
			}
		}
		renumber(place(sym), text, numbers)
	}
	for _, t := range s.types { // numbered types are few, and must have no gaps either
		if text := s.bytes(t); isDigit(text[1]) {
			types[string(text[:1+len(globalName(text[1:]))])] = true
		}
	}

	var out bytes.Buffer
	for _, h := range s.header {
		out.Write(s.bytes(h))
	}
	for more := true; more; { // types of types
		more = false
		for name := range types {
			before := len(types)
			note(s.bytes(s.types[name]))
			more = more || len(types) > before
		}
	}
	writeSorted(&out, s.assembly, types, s.types)
	writeSorted(&out, s.assembly, comdats, s.comdats)
	out.Write(globals.Bytes())
	out.Write(functions.Bytes())
	writeSorted(&out, s.assembly, groups, s.groups)

	// Module flags decide whether modules fit together; compile units are listed if anything uses
	// them, since the verifier insists on the list.
	var units [][]byte
	for _, at := range s.named {
		line := s.bytes(at)
		switch {
		case bytes.HasPrefix(line, []byte("!llvm.module.flags ")):
			out.Write(line)
			note(line)
		case bytes.HasPrefix(line, []byte("!llvm.dbg.cu ")):
			units = append(units, line)
		}
	}
	var unit []int
	printed := map[int][]byte{}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		at, ok := s.nodes[n]
		if !ok {
			return nil, fmt.Errorf("assembly of %s: no metadata !%d", s.file, n)
		}
		line := s.bytes(at)
		if bytes.Contains(line, []byte("!DICompileUnit(")) {
			line = withoutLists(line)
		}
		printed[n] = line
		note(line)
	}
	for _, line := range units {
		references(line, func(sigil byte, name []byte, _ int) {
			if sigil == '!' && nodes[atoi(name)] {
				unit = append(unit, atoi(name))
			}
		})
	}
	if unit != nil {
		out.WriteString("!llvm.dbg.cu = !{")
		for i, n := range unit {
			if i > 0 {
				out.WriteString(", ")
			}
			fmt.Fprintf(&out, "!%d", n)
		}
		out.WriteString("}\n")
	}
	ids := make([]int, 0, len(printed))
	for n := range printed {
		ids = append(ids, n)
	}
	slices.Sort(ids)
	for _, n := range ids {
		out.Write(printed[n])
	}
	return bytes.Clone(out.Bytes()), nil // it is kept until the proof is done, so without room to grow
}

func writeSorted(out *bytes.Buffer, a *assembly, want map[string]bool, all map[string]span) {
	var list []span
	for name := range want {
		if at, ok := all[name]; ok {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, func(a, b span) int { return a.start - b.start })
	for _, at := range list {
		out.Write(a.bytes(at))
	}
}

// renumber writes the text with the new numbers of nameless variables.
func renumber(out *bytes.Buffer, text []byte, numbers map[string]string) {
	if len(numbers) == 0 {
		out.Write(text)
		return
	}
	done := 0
	references(text, func(sigil byte, name []byte, at int) {
		if sigil != '@' || !isDigit(name[0]) {
			return
		}
		if n, ok := numbers[string(name)]; ok {
			out.Write(text[done : at+1])
			out.WriteString(n)
			done = at + 1 + len(name)
		}
	})
	out.Write(text[done:])
}

// withoutLists takes from a compile unit the lists of all it declares: they would keep everything
// alive. What is used is referred to from where it is used.
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
