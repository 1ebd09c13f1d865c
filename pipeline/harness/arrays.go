package harness

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// array returns statements that fill an array with pointers.
func (w *writer) array(t *llvmir.DIType, name, depth string) []string {
	if !w.hasPointers(t.Elem, 0) || t.Count <= 0 {
		return nil
	}
	const few, some = 8, 16 // pointers, structs
	if t.Elem.Kind == llvmir.DIStruct && t.Count <= some {
		i := counter(name)
		if lines := w.members(t.Elem, name+"["+i+"].", depth); len(lines) > 0 {
			return append(append([]string{fmt.Sprintf("for (int %s = 0; %s < %d; %s++) {", i, i, t.Count, i)}, lines...), "}")
		}
		return nil
	}
	if t.Elem.Kind == llvmir.DIPointer && t.Count <= few {
		i := counter(name)
		element := name + "[" + i + "]"
		value, _ := w.member(t.Elem, element, depth, true)
		return []string{fmt.Sprintf("for (int %s = 0; %s < %d; %s++) {", i, i, t.Count, i),
			element + " = " + value + ";", "}"}
	}
	w.header("<string.h>")
	return []string{fmt.Sprintf("memset(%s, 0, sizeof %s); /* %s */", name, name,
		w.ask("what do the elements of "+name+" hold?"))}
}

// sentinel fills an array that the code iterates over without a length: the last element is zero.
func (w *writer) sentinel(name string, t *llvmir.DIType, depth string) []string {
	w.header("<string.h>")
	object := writable(name, t)
	var lines []string
	i := counter(name)
	if members := w.members(t, object+"["+i+"].", depth); len(members) > 0 {
		lines = append(append([]string{forEach(i, SizeMacro)}, members...), "}")
	}
	return append(lines, fmt.Sprintf("memset(&%s[%s], 0, sizeof *%s); /* %s */", object, SizeMacro, name,
		w.ask("does "+lastWord(name)+" end with an element of zeros?")))
}

// elementsOf fills the elements of an array that a member points to, if they contain pointers.
func (w *writer) elementsOf(f *llvmir.DIField, m member, name, n string, signed, nullable bool, depth string) []string {
	e := f.Type.Elem
	i := counter(name)
	var before, lines []string
	switch {
	case e == nil || !w.hasPointers(e, 0):
		return nil
	case e.Kind == llvmir.DIPointer:
		value, _ := w.member(e, name+"["+i+"]", depth, w.nullElements[m])
		node, ok := strings.CutPrefix(value, "depth > 0 && nd_bool() ? ")
		if ok && !w.nullElements[m] { // a leaf has no elements, and none is NULL
			value = strings.TrimSuffix(node, " : NULL")
			before = []string{"assume(depth > 0 || " + n + " == 0);"}
		}
		lines = []string{fmt.Sprintf("%s[%s] = %s;", writable(name, e), i, value)}
	default:
		lines = w.members(e, writable(name, e)+"["+i+"].", depth)
	}
	if signed {
		n = "(size_t)" + n
	}
	head := forEach(i, n)
	if nullable {
		head = forEach(i, n, name+" != NULL")
	}
	return append(append(append(before, head), lines...), "}")
}

// counter returns the variable of a loop over the elements of an array. It differs from those of the loops around it.
func counter(array string) string {
	for _, i := range []string{"i", "j", "k", "l"} {
		if !strings.Contains(array, "["+i+"]") {
			return i
		}
	}
	return "m"
}

// forEach returns the head of a loop over n elements.
func forEach(i, n string, conditions ...string) string {
	condition := strings.Join(append(conditions, i+" < "+n), " && ")
	return fmt.Sprintf("for (size_t %s = 0; %s; %s++) {", i, condition, i)
}

// counters matches the indices of elements.
var counters = lazyregexp.New(`\[[i-m]\]`)
