package harness

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// arguments writes the arguments, lengths first, and the call.
func (w *writer) arguments() {
	lengths := map[int]bool{}
	for i := range w.params {
		if n := w.params[i].length; n >= 0 && n < len(w.params) {
			lengths[n] = true
		}
	}
	call := make([]string, len(w.params))
	for _, first := range []bool{true, false} {
		for i := range w.params {
			p := &w.params[i]
			if isList(p.typ) {
				continue
			}
			scalar := p.typ.Kind != llvmir.DIPointer && !isComposite(p.typ)
			if scalar != first {
				continue
			}
			call[i] = p.name
			switch {
			case scalar:
				w.scalar(p, lengths[i] || w.isLimit(i))
			case isComposite(p.typ):
				w.value(p)
			case w.hasLimit(i):
				call[i] = w.position(p, w.limits[i])
			case w.isLimit(i): // the end, which is written with the position
			default:
				call[i] = w.pointer(p)
			}
		}
	}
	if w.Compare {
		w.alias()
		return
	}
	if !w.Unasserted {
		w.asserted()
	}
	w.call(call)
	w.body = append(w.body, w.afterwards()...)
}

// call writes the call. A va_list is created by an intermediate variadic function; a format gets numbers.
func (w *writer) call(args []string) {
	list := slices.IndexFunc(w.params, func(p parameter) bool { return isList(p.typ) })
	numbers := strings.Repeat(", nd_int()", 3)
	if w.f.Variadic {
		w.body = append(w.body, "", w.Function+"("+strings.Join(args, ", ")+numbers+");")
		return
	}
	if list < 0 {
		w.body = append(w.body, "", w.Function+"("+strings.Join(args, ", ")+");")
		return
	}
	w.header("<stdarg.h>")
	var params, given, passed []string
	for i := range w.params {
		if i == list {
			passed = append(passed, "list")
			continue
		}
		params = append(params, declare(plain(w.params[i].typ), w.params[i].name))
		given, passed = append(given, args[i]), append(passed, w.params[i].name)
	}
	params, given = append(params, "int last, ..."), append(given, "0")
	name := "call_" + w.Function
	w.stubs = append(w.stubs, fmt.Sprintf("static void %s(%s) {\n  va_list list;\n  va_start(list, last);\n  %s(%s);\n"+
		"  va_end(list);\n}\n", name, strings.Join(params, ", "), w.Function, strings.Join(passed, ", ")))
	w.body = append(w.body, "", name+"("+strings.Join(given, ", ")+numbers+");")
}

// isList reports whether a parameter is a va_list.
func isList(t *llvmir.DIType) bool {
	return t != nil && t.Kind == llvmir.DIPointer && t.Elem != nil && t.Elem.Name == "struct __va_list_tag"
}

// isFormat reports whether a parameter is the format of variable arguments: the last string before them.
func (w *writer) isFormat(p *parameter) bool {
	last := len(w.params) - 1
	if !w.f.Variadic {
		if last = slices.IndexFunc(w.params, func(p parameter) bool { return isList(p.typ) }) - 1; last < 0 {
			return false
		}
	}
	t := p.typ.Elem
	return p == &w.params[last] && t != nil && t.Kind == llvmir.DIChar && t.Const
}

func (w *writer) scalar(p *parameter, length bool) {
	t := plain(p.typ)
	if value := arbitrary(t); value != "" {
		w.line(declare(t, p.name)+" = "+value+";", "")
	} else {
		w.line(declare(t, p.name)+";", "")
		w.line(fmt.Sprintf("memhavoc(&%s, sizeof %s);", p.name, p.name), "")
	}
	if length {
		w.sized = true
		low := ""
		if t.Signed {
			low = p.name + " >= 0 && "
		}
		if p.beyond > int64(w.Size) && p.beyond <= farthest && !w.Near { // longer than an array of the code
			lengths := fmt.Sprintf("%s <= %s || %s == %d || %s == %d", p.name, SizeMacro, p.name, p.beyond, p.name,
				p.beyond+beyondEven)
			if low != "" {
				lengths = low + "(" + lengths + ")"
			}
			w.line("assume("+lengths+");",
				fmt.Sprintf("an array of the code has %d", p.beyond-1))
		} else {
			w.line(fmt.Sprintf("assume(%s%s <= %s);", low, p.name, SizeMacro), "")
		}
	}
	if bound := within(t, p.name); bound != "" && !p.distinguishes(t) {
		w.line("assume("+bound+");", w.ask("does a caller pass other numbers than the enumerators?"))
	}
}

// distinguishes reports whether the code compares the parameter with each enumerator of its type. Then it handles other
// numbers, too: all of them fail these comparisons.
func (f *facts) distinguishes(t *llvmir.DIType) bool {
	return !slices.ContainsFunc(t.Enums, func(e llvmir.DIEnumerator) bool { return !f.equals[e.Value] })
}

func (w *writer) value(p *parameter) {
	w.line(declare(plain(p.typ), p.name)+";", "")
	w.line(fmt.Sprintf("memhavoc(&%s, sizeof %s);", p.name, p.name), "")
	if w.hasPointers(p.typ, 0) {
		w.body = append(w.body, w.members(p.typ, p.name+".", fmt.Sprint(maxDepth))...)
	}
}

// pointer writes the argument for a pointer and returns it.
func (w *writer) pointer(p *parameter) string {
	if p.ends >= 0 {
		begin := &w.params[p.ends]
		w.line(declare(plain(p.typ), p.name)+" = "+begin.name+" + "+begin.size+";", "")
		return p.name
	}
	if w.hasEnd(p) {
		return w.stretch(p)
	}
	value, comment := w.target(p)
	if name, _, ok := strings.Cut(value, "("); ok {
		p.builder = name
	}
	if p.null && value != "NULL" && (!strings.HasPrefix(value, "nd_") || strings.HasPrefix(value, "nd_bool")) {
		if strings.Contains(value, " ? ") {
			value = "(" + value + ")"
		}
		value = "nd_bool() ? " + value + " : NULL"
		checks := "the code checks for it"
		if p.peers != "" {
			checks = w.ask("is " + p.name + " ever NULL? " + p.peers)
		}
		comment = strings.TrimSpace(strings.TrimSuffix(comment, ".") + "; NULL: " + checks)
		comment = strings.TrimPrefix(comment, "; ")
	}
	for _, n := range slices.Sorted(maps.Keys(p.specials)) {
		if t := p.typ.Elem; t != nil && (isComposite(t) || t.Kind == llvmir.DIPointer) {
			break // what it points to is filled below
		}
		value = fmt.Sprintf("nd_bool() ? (%s)%d : %s", declare(plain(p.typ), ""), n, value)
	}
	w.line(declare(plain(p.typ), p.name)+" = "+value+";", comment)
	if !p.null && w.makes(value) {
		w.line("assume("+p.name+" != NULL);", "")
	}
	if t := p.typ.Elem; t != nil && (incomplete(t) || w.hidden(t)) && strings.HasSuffix(value, ")") {
		if call := w.operated(plain(t), p.name); call != "" {
			w.line(call, "")
		}
	}
	w.elements(p)
	return p.name
}

// hasEnd reports whether another parameter points to the end of the block that p points to.
func (w *writer) hasEnd(p *parameter) bool {
	return slices.ContainsFunc(w.params, func(q parameter) bool { return q.ends >= 0 && &w.params[q.ends] == p })
}

// stretch returns a block whose end is another parameter.
func (w *writer) stretch(p *parameter) string {
	w.block, w.sized = true, true
	comment := "another parameter is its end"
	if p.size = ""; p.length >= 0 && !p.bytes {
		p.size = w.params[p.length].name
	} else {
		p.size = w.variable(p.name+"_size", 0)
		w.line("size_t "+p.size+" = nd_size_t();", "")
		w.line(fmt.Sprintf("assume(%s <= %s);", p.size, SizeMacro), "")
	}
	size := p.size
	if p.typ.Elem.Bits > 8 {
		size += " * sizeof *" + p.name
	}
	w.line(declare(plain(p.typ), p.name)+" = "+w.blockOf(size, p.typ.Elem)+";", comment)
	return p.name
}

// target returns a value for a non-NULL pointer, and a comment.
func (w *writer) target(p *parameter) (value, comment string) {
	if w.isFormat(p) {
		return "\"%d %x\"", w.ask("which formats are passed?")
	}
	t := p.typ.Elem
	if p.declared != "" {
		w.block = true
		size := p.declared
		if t.Bits > 8 {
			size += " * sizeof *" + p.name
		}
		return w.blockOf(size, t), "as declared"
	}
	if p.length >= 0 && w.handle(p.typ) == "" && (t == nil || t.Kind != llvmir.DIFunc && !incomplete(t)) {
		n := &w.params[p.length]
		w.block = true
		size := n.name
		if !p.bytes && t != nil && t.Bits > 8 {
			size = fmt.Sprintf("%s * sizeof *%s", n.name, p.name)
		}
		why := strings.ReplaceAll(p.why, "%s", n.name)
		if p.plus > 0 && (t == nil || t.Bits <= 8) { // the elements begin behind others
			room := max(p.plus, p.extent)
			size = fmt.Sprintf("%s + %d", size, room)
			why += ". " + w.ask(fmt.Sprintf("has %s %d bytes more than %s?", p.name, room, n.name))
		}
		return w.blockOf(size, t), why
	}
	if call := w.handle(p.typ); call != "" {
		return call, ""
	}
	variants := isComposite(t) && !p.indexed && (p.within != nil && p.offset == 0 || len(w.bases[llvmName(t)]) > 1)
	if variants && w.choice(t) != "" { // the tag of the struct may be checked
		if p.within == nil {
			return w.choice(t), ""
		}
		value, comment := w.contained(p.within, p.offset, fmt.Sprint(maxDepth))
		return "nd_bool() ? " + w.choice(t) + " : " + value, comment
	}
	if p.within != nil {
		return w.contained(p.within, p.offset, fmt.Sprint(maxDepth))
	}
	scanned := t != nil && isText(t) && t.Const && p.indexed && !p.written // a string, as far as the code shows
	if t != nil && t.Bits > 0 && !p.text && !scanned && !isComposite(t) && t.Kind != llvmir.DIPointer &&
		p.extent > t.Bits/8 {
		w.block = true
		n := fmt.Sprint((p.extent*8 + t.Bits - 1) / t.Bits)
		size := n
		if t.Bits > 8 {
			size += " * sizeof *" + p.name
		}
		return "any_block(" + size + ")", w.ask("does " + p.name + " have the " + n + " elements that the code accesses?")
	}
	switch {
	case (t == nil || t.Kind == llvmir.DIVoid) && p.freed:
		w.block, w.sized = true, true
		return "any_block(" + SizeMacro + ")", "it is freed"
	case t == nil || t.Kind == llvmir.DIVoid:
		if !p.accessed && !p.text {
			return "nd_voidp()", "nothing is read or written through it"
		}
		if p.text && !p.filled {
			w.text, w.sized = true, true
			return "any_string()", ""
		}
		w.block = true
		shown := p.extent > 0 && len(p.storedIn) == 0
		if shown && !p.indexed {
			return fmt.Sprintf("any_block(%d)", p.extent), "the code accesses so many bytes"
		}
		w.sized = true
		size := SizeMacro
		if shown {
			size = fmt.Sprintf("%d + %s", p.extent, SizeMacro)
		}
		return "any_block(" + size + ")", w.ask("how many bytes does " + p.name + " have?")
	case t.Kind == llvmir.DIFunc:
		return w.stub(t, "stub_"+p.name), "any result"
	case isText(t) || p.text && t.Bits == 8:
		if (p.filled || p.written && !t.Const) && !p.text {
			w.block, w.sized = true, true
			return "any_block(" + SizeMacro + " + 1)", w.ask("how many characters does " + p.name + " have room for?")
		}
		w.text, w.sized = true, true
		if !isText(t) {
			return "(void *)any_string()", ""
		}
		return "any_string()", ""
	case incomplete(t):
		return w.opaque(t)
	case w.hidden(t) && w.constructor(made(t)) != "":
		return w.constructor(made(t)), w.askPartly("are there other states of a " + t.Name + " than those that are made so?")
	case w.hidden(t) && w.constructed(t) != "":
		return w.constructed(t), w.askPartly("are there other states of a " + t.Name + " than those that are made so?")
	case isComposite(t) && p.indexed:
		w.block, w.sized = true, true
		return w.blockOf(fmt.Sprintf("(%s + 1) * sizeof *%s", SizeMacro, p.name), t), ""
	case isComposite(t):
		return w.object(t, fmt.Sprint(maxDepth)), ""
	case p.indexed && t.Kind == llvmir.DIPointer:
		w.block, w.sized = true, true
		return w.blockOf(fmt.Sprintf("(%s + 1) * sizeof *%s", SizeMacro, p.name), t), ""
	case p.indexed:
		w.block, w.sized = true, true
		return fmt.Sprintf("any_block(%s * sizeof *%s)", SizeMacro, p.name),
			w.ask("how many elements does " + p.name + " have?")
	}
	w.block = true
	return fmt.Sprintf("any_block(sizeof *%s)", p.name), ""
}

// elements fills the array that a pointer to pointers, or to several structs, points to.
func (w *writer) elements(p *parameter) {
	t := p.typ.Elem
	if t == nil || t.Kind == llvmir.DIFunc || incomplete(t) {
		return
	}
	several := p.length >= 0 && !p.bytes
	object := writable(p.name, t)
	element := "(*" + object + ")"
	if several {
		element = object + "[i]"
	}
	if isComposite(t) && p.length < 0 && p.indexed && w.handle(p.typ) == "" {
		lines := w.sentinel(p.name, t, fmt.Sprint(maxDepth))
		if p.null {
			lines = append(append([]string{"if (" + p.name + " != NULL) {"}, lines...), "}")
		}
		w.body = append(w.body, lines...)
		return
	}
	var lines []string
	switch {
	case t.Kind == llvmir.DIPointer:
		value, _ := w.member(t, element, fmt.Sprint(maxDepth), w.Compare || p.nullElements)
		lines = []string{fmt.Sprintf("%s = %s;", element, value)}
	case isComposite(t) && several && w.hasPointers(t, 0):
		lines = w.members(t, element+".", fmt.Sprint(maxDepth))
	default:
		return
	}
	guard := ""
	if p.null {
		guard = p.name + " != NULL"
	}
	if t.Kind == llvmir.DIPointer && p.length < 0 && p.indexed { // all elements; the last is NULL
		value, _ := w.member(t, object+"[i]", fmt.Sprint(maxDepth), w.Compare)
		head := forEach("i", SizeMacro)
		if guard != "" {
			w.body = append(w.body, "if ("+guard+") {")
		}
		w.body = append(w.body, head, fmt.Sprintf("%s[i] = %s;", object, value), "}",
			fmt.Sprintf("%s[%s] = NULL; /* %s */", object, SizeMacro, w.ask("does "+p.name+" end with NULL?")))
		if guard != "" {
			w.body = append(w.body, "}")
		}
		return
	}
	switch {
	case several:
		n := w.params[p.length].name
		if guard != "" {
			guard += " && "
		}
		w.body = append(w.body, fmt.Sprintf("for (size_t i = 0; %si < %s; i++) {", guard, w.asSize(n, p.length)))
		w.body = append(append(w.body, lines...), "}")
	case guard != "":
		w.body = append(append(append(w.body, "if ("+guard+") {"), lines...), "}")
	default:
		w.body = append(w.body, lines...)
	}
}

func (w *writer) asSize(name string, i int) string {
	if w.params[i].typ.Signed {
		return "(size_t)" + name
	}
	return name
}
