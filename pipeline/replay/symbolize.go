package replay

import (
	"debug/dwarf"
	"debug/elf"
	"fmt"
	"io"
	"path/filepath"
)

// place is a place in the source; the frame of a native stack.
type place struct {
	Function string
	File     string
	Line     int
	Column   int
}

// symbols maps addresses of a program to places. The sanitizers could use llvm-symbolizer for that, which may be
// missing and takes longer than the run.
type symbols struct {
	data *dwarf.Data
	file *elf.File
}

func readSymbols(program string) (*symbols, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("read the native program: %w", err)
	}
	d, err := f.DWARF()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("read the native program: %w", err)
	}
	return &symbols{data: d, file: f}, nil
}

// places returns the source places of an address, innermost first; more than one if functions were inlined. It returns
// nil for code without debug information.
func (s *symbols) places(pc uint64) []place {
	r := s.data.Reader()
	unit, err := r.SeekPC(pc)
	if err != nil {
		return nil
	}
	lines, err := s.data.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	var at dwarf.LineEntry
	if err := lines.SeekPC(pc, &at); err != nil {
		return nil
	}
	dir, _ := unit.Val(dwarf.AttrCompDir).(string)
	absolute := func(name string) string {
		if name != "" && !filepath.IsAbs(name) {
			return filepath.Join(dir, name)
		}
		return name
	}
	here := place{Line: at.Line, Column: at.Column}
	if at.File != nil {
		here.File = absolute(at.File.Name)
	}
	var out []place
	files := lines.Files()
	// The functions around the address, outermost first.
	type around struct {
		name      string
		file      string
		line, col int // place of the call if it is inlined
	}
	var chain []around
	depth, skip := 0, -1
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		if e.Tag == 0 {
			if depth--; depth < 0 {
				break
			}
			if depth < skip {
				skip = -1
			}
			continue
		}
		switch e.Tag {
		case dwarf.TagNamespace: // of Rust, whose functions are in modules
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock:
			if !s.covers(e, pc) {
				if e.Children {
					r.SkipChildren()
				}
				continue
			}
			if e.Tag != dwarf.TagLexDwarfBlock {
				a := around{name: s.name(e)}
				if n, ok := e.Val(dwarf.AttrCallFile).(int64); ok && int(n) < len(files) && files[n] != nil {
					a.file = absolute(files[n].Name)
				}
				if n, ok := e.Val(dwarf.AttrCallLine).(int64); ok {
					a.line = int(n)
				}
				if n, ok := e.Val(dwarf.AttrCallColumn).(int64); ok {
					a.col = int(n)
				}
				chain = append(chain, a)
			}
		default:
			if e.Children {
				r.SkipChildren()
			}
			continue
		}
		if e.Children {
			depth++
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		here.Function = chain[i].name
		out = append(out, here)
		here = place{File: chain[i].file, Line: chain[i].line, Column: chain[i].col}
	}
	if out == nil {
		out = []place{here}
	}
	return out
}

// covers reports whether an entry's code includes an address.
func (s *symbols) covers(e *dwarf.Entry, pc uint64) bool {
	ranges, err := s.data.Ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if r[0] <= pc && pc < r[1] {
			return true
		}
	}
	return false
}

// name returns the source name of a function.
func (s *symbols) name(e *dwarf.Entry) string {
	for range 4 {
		if n, ok := e.Val(dwarf.AttrName).(string); ok {
			return n
		}
		off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			if off, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
				return ""
			}
		}
		r := s.data.Reader()
		r.Seek(off)
		next, err := r.Next()
		if err != nil || next == nil {
			return ""
		}
		e = next
	}
	return ""
}

var _ io.Closer = (*symbols)(nil)

// Close closes the file of the program.
func (s *symbols) Close() error { return s.file.Close() }

// constant reports whether an address is in a read-only segment of the program.
func (s *symbols) constant(address uint64) bool {
	for _, p := range s.file.Progs {
		if p.Type == elf.PT_LOAD && p.Vaddr <= address && address < p.Vaddr+p.Memsz {
			return p.Flags&elf.PF_W == 0
		}
	}
	return false
}
