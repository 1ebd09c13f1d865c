package harness

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Callbacks get functions of the proof in their place: with an arbitrary result, or an allocation.

// stub adds a function in place of a callback, with an arbitrary result, which may write its buffers.
func (w *writer) stub(t *llvmir.DIType, name string) string {
	key := name + " " + declare(t, "x")
	if w.known[key] {
		return name
	}
	for w.used[name] {
		name += "_"
	}
	w.known[key], w.used[name] = true, true
	if w.Compare && !ownsMemory(t, name) {
		return w.declaredStub(t, name)
	}
	var params, lines []string
	for i, p := range t.Fields {
		if p.Type == nil {
			params = append(params, "...")
			continue
		}
		arg := string(rune('a' + i%26))
		params = append(params, declare(plain(p.Type), arg))
		e := p.Type.Elem
		switch {
		case canHaveLength(p.Type) && (e == nil || !e.Const) && i+1 < len(t.Fields) && t.Fields[i+1].Type != nil &&
			t.Fields[i+1].Type.Kind == llvmir.DIInt && t.Fields[i+1].Type.Bits >= 32:
			lines = append(lines, w.filled(arg, string(rune('a'+(i+1)%26)), p.Type)...)
		case p.Type.Kind != llvmir.DIPointer || e == nil || e.Kind == llvmir.DIVoid || e.Kind == llvmir.DIFunc || e.Const ||
			incomplete(e) || w.hasPointers(e, 0):
			lines = append(lines, "(void)"+arg+";")
		default:
			lines = append(lines, fmt.Sprintf("if (sea_is_dereferenceable(%s, sizeof *%s)) memhavoc(%s, sizeof *%s);", arg, arg,
				arg, arg))
		}
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	voidResult := t.Elem == nil || t.Elem.Kind == llvmir.DIVoid
	allocates := w.allocates(t, name)
	switch {
	case allocates != nil:
		lines = allocates
	case voidResult:
	case t.Elem.Kind == llvmir.DIPointer && len(t.Fields) > 0 && t.Fields[0].Type != nil &&
		t.Fields[0].Type.Name == t.Elem.Name && t.Elem.Elem != nil && !t.Elem.Elem.Const:
		lines = append(lines, "return nd_bool() ? a : NULL;")
	case t.Elem.Kind == llvmir.DIPointer:
		lines = append(lines, "return NULL; /* "+w.ask("what does "+name+" return?")+" */")
	case arbitrary(t.Elem) != "":
		lines = append(lines, "return "+arbitrary(plain(t.Elem))+";")
	default:
		lines = append(lines, declare(plain(t.Elem), "result")+";", "memhavoc(&result, sizeof result);", "return result;")
	}
	w.stubs = append(w.stubs, fmt.Sprintf("static %s {\n  %s\n}\n",
		declare(t.Elem, name+"("+strings.Join(params, ", ")+")"), strings.Join(lines, "\n  ")))
	return name
}

// allocates returns the statements of a stub that allocates, reallocates or frees memory; nil for another stub. The
// name and the type show it, as in void *alloc(void *context, size_t items, size_t size). A first pointer beside
// the memory is the allocator's own.
func (w *writer) allocates(t *llvmir.DIType, name string) []string {
	lower := strings.ToLower(name)
	var pointers, numbers, unused, contexts []string
	for i, p := range t.Fields {
		arg := string(rune('a' + i%26))
		switch {
		case p.Type == nil:
			return nil
		case p.Type.Kind == llvmir.DIPointer && w.contexts[w.callback].has(i) && w.contexts[w.callback] != one(0):
			contexts = append(contexts, arg)
		case p.Type.Kind == llvmir.DIPointer && (p.Type.Elem == nil || p.Type.Elem.Kind != llvmir.DIFunc):
			pointers = append(pointers, arg)
		case p.Type.Kind == llvmir.DIInt && p.Type.Bits >= 32:
			numbers = append(numbers, arg)
		default:
			return nil
		}
	}
	drop := func(list []string) []string {
		for _, arg := range list {
			unused = append(unused, "(void)"+arg+";")
		}
		return unused
	}
	if len(contexts) > 0 { // the first pointer, as without this evidence
		pointers = append(contexts, pointers...)
	}
	isVoid := t.Elem == nil || t.Elem.Kind == llvmir.DIVoid
	n := len(pointers)
	switch {
	case isVoid && strings.Contains(lower, "free") && n >= 1 && n <= 2 && len(numbers) <= 1:
		return append(drop(append(pointers[:n-1:n-1], numbers...)), "free((void *)"+pointers[n-1]+");")
	case isVoid || t.Elem.Kind != llvmir.DIPointer || !strings.Contains(lower, "alloc") || len(numbers) == 0 ||
		len(numbers) > 2:
		return nil
	}
	size := numbers[0]
	if len(numbers) == 2 {
		size = fmt.Sprintf("(size_t)%s * %s", numbers[0], numbers[1])
	}
	value := "malloc(" + size + ")"
	switch {
	case strings.Contains(lower, "realloc") && n >= 1 && n <= 2:
		drop(pointers[:n-1])
		value = fmt.Sprintf("realloc(%s, %s)", pointers[n-1], size)
	case n <= 1:
		drop(pointers)
	default:
		return nil
	}
	switch {
	case strings.Contains(lower, "calloc") && len(numbers) == 2 && n <= 1: // the memory is zero
		value = fmt.Sprintf("calloc(%s, %s)", numbers[0], numbers[1])
	case len(numbers) == 2:
		value = fmt.Sprintf("%s == 0 || %s <= (size_t)-1 / %s ? %s : NULL", numbers[0], numbers[1], numbers[0], value)
	}
	return append(unused, "return "+value+";")
}

// filled returns the statements of a stub that write arbitrary content to a buffer up to its length, with a terminator
// for strings.
func (w *writer) filled(buffer, length string, t *llvmir.DIType) []string {
	size := length
	if t.Elem != nil && t.Elem.Bits > 8 {
		size = length + " * sizeof *" + buffer
	}
	lines := []string{fmt.Sprintf("if (%s > 0 && sea_is_dereferenceable(%s, %s)) {", length, buffer, size),
		fmt.Sprintf("  memhavoc(%s, %s);", buffer, size)}
	if t.Elem != nil && t.Elem.Kind == llvmir.DIChar && t.Elem.Name == "char" {
		question := w.ask("does it write a string?")
		lines = append(lines, fmt.Sprintf("  %s[%s - 1] = 0; /* %s */", buffer, length, question))
	}
	return append(lines, "}")
}
