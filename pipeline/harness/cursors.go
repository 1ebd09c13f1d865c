package harness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

var (
	startName  = lazyregexp.New(`(?i)^(\w*_)?(start|begin|base|first|buf|buffer|data)$`)
	endName    = lazyregexp.New(`(?i)^(\w*_)?(end|limit|stop|buf_end)$`)
	cursorName = lazyregexp.New(`(?i)^(\w*_)?(top|cur|curr|current|pos|position|ptr|pointer|cursor|head|tail|next|last|` +
		`at|p|data)$`)
)

// cursorsOf returns the members of a struct that point into one block: its start, its end, and others of the same type.
// It returns nil if the names do not show it.
func cursorsOf(t *llvmir.DIType) []*llvmir.DIField {
	var start, end *llvmir.DIField
	count := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Type == nil || f.Type.Kind != llvmir.DIPointer || f.Type.Elem == nil || f.Type.Elem.Bits == 0 ||
			f.Type.Elem.Kind == llvmir.DIFunc {
			continue
		}
		switch {
		case strings.HasSuffix(f.Name, "data") && start != nil: // within a buffer
		case startName.MatchString(f.Name):
			start = f
			count++
		case endName.MatchString(f.Name):
			end = f
			count++
		}
	}
	if start == nil || end == nil || count > 2 || start.Type.Elem.Name != end.Type.Elem.Name || t.Kind != llvmir.DIStruct {
		return nil
	}
	list := []*llvmir.DIField{start, end}
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Type != nil && f.Type.Kind == llvmir.DIPointer && f.Type.Elem != nil && f != start && f != end &&
			f.Type.Elem.Name == start.Type.Elem.Name && cursorName.MatchString(f.Name) {
			list = append(list, f)
		}
	}
	return list
}

// cursors returns the statements that allocate one block for the start, the end and the other pointers into it.
func (w *writer) cursors(of *llvmir.DIType, list []*llvmir.DIField, shown bool, prefix,
	depth string) []string {
	w.block, w.sized = true, true
	start, end := list[0], list[1]
	name := prefix + start.Name
	elem := start.Type.Elem
	size := "size"
	if elem.Bits > 8 {
		size += " * sizeof *" + name
	}
	why := "guessed from the names"
	if shown {
		why = "the code compares their order"
	}
	variables := "size_t size = nd_size_t();"
	if len(list) > 2 {
		variables = "size_t size = nd_size_t(), at = nd_size_t();"
	}
	lines := []string{"{", variables, "assume(size <= " + SizeMacro + ");",
		fmt.Sprintf("%s = %s; /* %s. %s */", name, w.blockOf(size, elem), why,
			w.ask("do "+start.Name+" and "+end.Name+" enclose one block?"))}
	if length, _ := w.lengthOf(of, start); length != nil {
		lines = append(lines, fmt.Sprintf("assume(%s%s == size);", prefix, length.Name))
	}
	lines = append(lines, w.elementsOf(start, member{llvmName(of), start.BitOffset / 8}, name, "size", false, false,
		depth)...)
	lines = append(lines, fmt.Sprintf("%s%s = %s + size;", prefix, end.Name, name))
	slices.SortStableFunc(list[2:], func(a, b *llvmir.DIField) int { // the head first
		return orderOf(a.Name) - orderOf(b.Name)
	})
	for i, f := range list[2:] {
		low := ""
		if i > 0 {
			lines = append(lines, "{", "size_t low = at;", "at = nd_size_t();")
			low = "at >= low && "
		}
		lines = append(lines, "assume("+low+"at <= size);", fmt.Sprintf("%s%s = %s + at;", prefix, f.Name, name))
		if i > 0 {
			lines = append(lines, "}")
		}
	}
	return append(lines, "}")
}

// orderOf orders the pointers into a block: the last element that was added is behind the first.
func orderOf(name string) int {
	if behindName.MatchString(name) {
		return 1
	}
	return 0
}

var behindName = lazyregexp.New(`(?i)(tail|last)$`)
