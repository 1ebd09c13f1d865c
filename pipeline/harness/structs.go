package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// hasPointers reports whether values of a type contain pointers, or booleans, of whose representations only two are
// valid.
func (w *writer) hasPointers(t *llvmir.DIType, depth int) bool {
	if t == nil || depth > 20 {
		return false
	}
	switch t.Kind {
	case llvmir.DIPointer, llvmir.DIBool:
		return true
	case llvmir.DIArray:
		return w.hasPointers(t.Elem, depth+1)
	case llvmir.DIStruct, llvmir.DIUnion:
		return slices.ContainsFunc(t.Fields, func(f llvmir.DIField) bool { return w.hasPointers(f.Type, depth+1) })
	}
	return false
}

// usesDepth matches the parameter depth, but no member with that name.
var usesDepth = lazyregexp.New(`(?m)(^|[^\w.>])depth\b`)

// builderOf returns the name of the function that makes an object of a struct. "struct block" exists.
func builderOf(t *llvmir.DIType) string {
	name := "any_" + identifier(t)
	if slices.Contains([]string{"any_block", "any_object", "any_string"}, name) {
		name += "_struct"
	}
	return name
}

// object returns an expression that creates an object of a struct with arbitrary content, whose pointers point to
// objects of their own.
func (w *writer) object(t *llvmir.DIType, depth string) string {
	w.block = true
	t = plain(t)
	predicate := w.predicate(t)
	if !w.hasPointers(t, 0) && predicate == "" && !w.hasIndex(t) || anonymous(t) {
		return w.blockOf("sizeof("+declare(t, "")+")"+w.flexible(t), t)
	}
	name := builderOf(t)
	if !w.known[name] {
		w.known[name] = true
		at := len(w.builders)
		w.builders = append(w.builders, "")
		w.building = append(w.building, name)
		lines := w.members(t, "x->", "depth")
		w.building = w.building[:len(w.building)-1]
		parameter := "int depth"
		if w.flat[name] = !usesDepth.MatchString(strings.Join(lines, "\n")); w.flat[name] {
			parameter = "void"
		}
		head := "static " + declare(t, "*"+name+"("+parameter+")")
		var b strings.Builder
		fmt.Fprintf(&b, "%s {\n  %s = %s;\n", head, declare(t, "*x"), w.blockOf("sizeof *x"+w.flexible(t), t))
		indent := "  "
		for _, line := range lines {
			if line == "}" {
				indent = indent[2:]
			}
			b.WriteString(indent + line + "\n")
			if strings.HasSuffix(line, "{") {
				indent += "  "
			}
		}
		if predicate != "" {
			fmt.Fprintf(&b, "  assume(%s(x)); /* the project's own predicate */\n", predicate)
		}
		b.WriteString("  return x;\n}\n")
		// Builders that it calls were added behind it: move them before it, and declare it if one of them calls it.
		needed := slices.Clone(w.builders[at+1:])
		w.builders = append(w.builders[:at], append(needed, b.String())...)
		if strings.Contains(strings.Join(needed, ""), name+"(") {
			w.builders = slices.Insert(w.builders, at, head+";\n")
		}
	}
	if w.flat[name] {
		return name + "()"
	}
	return name + "(" + depth + ")"
}

// flexible returns the size of the elements behind a struct, as a term of a sum: its last member is an array without a
// length.
func (w *writer) flexible(t *llvmir.DIType) string {
	if t.Kind != llvmir.DIStruct || len(t.Fields) == 0 {
		return ""
	}
	last := &t.Fields[len(t.Fields)-1]
	if last.Type == nil || last.Type.Kind != llvmir.DIArray || last.Type.Count > 0 || last.Type.Elem == nil {
		return ""
	}
	w.sized = true
	w.ask("how many elements does " + last.Name + " of " + t.Name + " have?")
	if bytes := last.Type.Elem.Bits / 8; bytes > 1 {
		return fmt.Sprintf(" + %d * %s", bytes, SizeMacro)
	}
	return " + " + SizeMacro
}

// predicate returns the project's function that reports whether an object of a type is valid, or "".
func (w *writer) predicate(t *llvmir.DIType) string {
	if t.Name == "" || anonymous(t) {
		return ""
	}
	pattern := regexp.MustCompile(`(?m)^(?:static\s+|inline\s+|extern\s+)*(?:bool|_Bool|int)\s+(\w*(?:valid|invariant|` +
		`_ok|consistent|sane)\w*)\s*\(\s*(?:const\s+)?` + regexp.QuoteMeta(t.Name) +
		`\s*(?:const\s*)?\*\s*(?:const\s*)?\w*\s*\)`)
	texts := w.Texts
	if w.Include {
		texts = append(slices.Clip(texts), w.Text)
	}
	for _, text := range texts {
		if m := pattern.FindSubmatch(text); m != nil && string(m[1]) != w.Function {
			return string(m[1])
		}
	}
	return ""
}

// lengthOf returns the member with the number of elements of a pointer member: by the code, otherwise by its name. fits
// are members that are at most that number.
func (w *writer) lengthOf(of *llvmir.DIType, pointer *llvmir.DIField) (length *llvmir.DIField, fits []*llvmir.DIField) {
	own, others := w.shownLengths(of, pointer)
	if !manyByName(pointer) && len(own) == 0 || pointer.Type.Elem != nil && pointer.Type.Elem.Kind == llvmir.DIFunc {
		return nil, nil
	}
	pointers := 0
	var lengths []*llvmir.DIField
	for i := range of.Fields {
		f := &of.Fields[i]
		if manyByName(f) {
			pointers++
		}
		if isLength(f.Name, f.Type) && !f.BitField && (f.Name != "argc" || strings.HasPrefix(pointer.Name, "arg")) {
			lengths = append(lengths, f)
		}
	}
	lengths = slices.DeleteFunc(lengths, func(f *llvmir.DIField) bool {
		return others[f.Name] && !affixed(f.Name, pointer.Name)
	})
	byName := slices.DeleteFunc(slices.Clone(lengths), func(f *llvmir.DIField) bool {
		return !affixed(f.Name, pointer.Name)
	})
	switch {
	case len(own) > 0:
		for _, f := range lengths { // the capacity, too
			if w.capacities[member{llvmName(of), f.BitOffset / 8}] && !slices.Contains(own, f) {
				own = append(own, f)
			}
		}
		lengths = own
	case len(lengths) == 0:
		return nil, nil
	case len(byName) == 1:
		return byName[0], nil
	case len(lengths) > 3:
		return nil, nil
	case pointers > 1: // the one with a similar name
		like := slices.DeleteFunc(slices.Clone(lengths), func(f *llvmir.DIField) bool {
			return !strings.Contains(strings.ToLower(f.Name), strings.ToLower(strings.TrimSuffix(pointer.Name, "s")))
		})
		if len(like) == 1 {
			return like[0], nil
		}
		lengths = slices.DeleteFunc(lengths, func(f *llvmir.DIField) bool { return ofAnother(of, pointer, f) })
		if len(lengths) == 0 {
			return nil, nil
		}
	}
	length = lengths[0]
	rank := func(f *llvmir.DIField) int {
		if w.capacities[member{llvmName(of), f.BitOffset / 8}] {
			return CapacityRank(f.Name) + 3
		}
		return CapacityRank(f.Name)
	}
	for _, f := range lengths {
		if rank(f) > rank(length) || rank(f) == rank(length) && rank(f) >= 2 {
			length = f
		}
	}
	for _, f := range lengths {
		if f != length {
			fits = append(fits, f)
		}
	}
	return length, fits
}

// ofAnother reports whether a length names another member than a pointer: addrlen is the length of saddr. It is called
// if a struct has several pointers.
func ofAnother(of *llvmir.DIType, pointer, length *llvmir.DIField) bool {
	stem := strings.Trim(lengthSuffix.ReplaceAllString(strings.ToLower(length.Name), ""), "_")
	return len(stem) > 1 && !general.MatchString(stem) && !strings.Contains(strings.ToLower(pointer.Name), stem)
}

var (
	lengthSuffix = lazyregexp.New(`_?(len|length|size|sz|count|cnt|num|bytes|entries|elements|items|capacity|cap|alloc)$`)
	general      = lazyregexp.New(`^(n|num|max|min|total|used|cur|current|alloc|allocated|buf|buffer|data|len|size|cap)$`)
)

// manyByName reports whether a member may point to several elements: numbers, pointers, or, if its name is a plural,
// structs.
func manyByName(f *llvmir.DIField) bool {
	if canHaveLength(f.Type) {
		return true
	}
	if f.Type == nil || f.Type.Kind != llvmir.DIPointer || f.Type.Elem == nil {
		return false
	}
	e := f.Type.Elem
	return e.Kind == llvmir.DIPointer || isComposite(e) && !incomplete(e) && strings.HasSuffix(f.Name, "s")
}

var capacity = lazyregexp.New(`(?i)cap|alloc|max|limit|room|total|^a_?(?:size|len)$`)

// CapacityRank returns how likely the name of a length is that of a capacity, beside others: size beside len is one.
func CapacityRank(name string) int {
	switch {
	case capacity.MatchString(name):
		return 2
	case strings.HasSuffix(strings.ToLower(name), "size"):
		return 1
	}
	return 0
}

// members returns statements that make the pointers of a struct valid. The other content of the struct is arbitrary.
func (w *writer) members(t *llvmir.DIType, prefix, depth string) (lines []string) {
	if t.Kind == llvmir.DIUnion {
		if !w.hasPointers(t, 0) {
			return nil
		}
		w.header("<string.h>")
		object := strings.TrimSuffix(strings.TrimSuffix(prefix, "->"), ".")
		if strings.HasSuffix(prefix, "->") {
			object = "*" + object
		}
		return []string{fmt.Sprintf("memset(&%s, 0, sizeof %s); /* %s */", object, object,
			w.ask("which member of the union "+strings.TrimSuffix(prefix, ".")+" is used?"))}
	}
	cursors := cursorsOf(t)
	if cursors != nil {
		lines = append(lines, w.cursors(t, cursors, prefix, depth)...)
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if slices.Contains(cursors, f) {
			continue
		}
		if f.Type == nil || f.Name == "" || f.BitField {
			switch {
			case f.Name != "":
			case f.Type != nil && f.Type.Kind == llvmir.DIUnion:
				lines = append(lines, w.unnamedUnion(f.Type, prefix)...)
			case isComposite(f.Type):
				lines = append(lines, w.members(f.Type, prefix, depth)...)
			}
			continue
		}
		name := prefix + f.Name
		switch f.Type.Kind {
		case llvmir.DIInt:
			if bound := w.indexBound(t, f, prefix); bound != "" {
				lines = append(lines, bound)
			}
		case llvmir.DIBool:
			lines = append(lines, name+" = nd_bool();")
		case llvmir.DIStruct, llvmir.DIUnion:
			lines = append(lines, w.members(f.Type, name+".", depth)...)
		case llvmir.DIArray:
			lines = append(lines, w.array(f.Type, name, depth)...)
		case llvmir.DIEnum:
			if bound := within(f.Type, name); bound != "" {
				lines = append(lines, "assume("+bound+");")
			}
		case llvmir.DIPointer:
			lines = append(lines, w.pointerMember(t, f, prefix, depth)...)
		}
	}
	return lines
}

// unnamedUnion returns the statement that makes the longest member of a union without a name zero.
func (w *writer) unnamedUnion(t *llvmir.DIType, prefix string) []string {
	longest := -1
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Type != nil && f.Name != "" && (longest < 0 || f.Type.Bits > t.Fields[longest].Type.Bits) {
			longest = i
		}
	}
	if longest < 0 || !w.hasPointers(t, 0) {
		return nil
	}
	w.header("<string.h>")
	name := prefix + t.Fields[longest].Name
	return []string{fmt.Sprintf("memset(&%s, 0, sizeof %s); /* %s */", name, name,
		w.ask("which member of the union with "+t.Fields[longest].Name+" is used?"))}
}

// array returns statements that fill an array with pointers.
func (w *writer) array(t *llvmir.DIType, name, depth string) []string {
	if !w.hasPointers(t.Elem, 0) || t.Count <= 0 {
		return nil
	}
	const few = 8
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

// pointerMember returns the statements for one pointer of a struct.
func (w *writer) pointerMember(t *llvmir.DIType, f *llvmir.DIField, prefix, depth string) []string {
	name := prefix + f.Name
	target := name
	if f.Type.Const {
		target = "*(" + declare(plain(f.Type), "*") + ")&" + name
	}
	m := member{llvmName(t), f.BitOffset / 8}
	nullable := w.nullable[m] || w.Compare
	shown, _ := w.shownLengths(t, f)
	if e := f.Type.Elem; len(shown) == 0 && e != nil && isComposite(e) && !incomplete(e) &&
		w.walked[m] && !anonymous(e) && e.Name != t.Name {
		w.block, w.sized = true, true
		block := w.blockOf(fmt.Sprintf("(%s + 1) * sizeof *%s", SizeMacro, name), e)
		return append([]string{target + " = " + block + ";"}, w.sentinel(name, e, depth)...)
	}
	length, fits := w.lengthOf(t, f)
	if w.handle(f.Type) != "" {
		length = nil
	}
	if length != nil {
		w.block, w.sized = true, true
		var lines []string
		n := prefix + length.Name
		low := ""
		if length.Type.Signed {
			low = n + " >= 0 && "
		}
		lines = append(lines, fmt.Sprintf("assume(%s%s <= %s);", low, n, SizeMacro))
		for _, other := range fits {
			low = ""
			if other.Type.Signed {
				low = prefix + other.Name + " >= 0 && "
			}
			lines = append(lines, fmt.Sprintf("assume(%s%s%s <= %s); /* guessed from the names. %s */", low, prefix, other.Name,
				n, w.ask("is "+other.Name+" at most "+length.Name+" in every call?")))
		}
		size := n
		if f.Type.Elem != nil && f.Type.Elem.Bits > 8 {
			size = fmt.Sprintf("%s * sizeof *%s", n, name)
		}
		value := w.blockOf(size, f.Type.Elem)
		if nullable {
			value = fmt.Sprintf("%s == 0 && nd_bool() ? NULL : %s", n, value)
		}
		why := length.Name + " bounds its index"
		if !w.lengths[m][member{m.of, length.BitOffset / 8}] {
			why = "guessed from the names. " + w.ask("is "+length.Name+" the size of "+f.Name+"?")
		}
		lines = append(lines, fmt.Sprintf("%s = %s; /* %s */", target, value, why))
		return append(lines, w.elementsOf(f, name, n, length.Type.Signed, nullable, depth)...)
	}
	value, comment := w.byUse(f.Type, m, depth, nullable)
	if value == "" {
		value, comment = w.member(f.Type, name, depth, nullable)
	}
	if comment != "" {
		comment = " /* " + comment + " */"
	}
	return []string{fmt.Sprintf("%s = %s;%s", target, value, comment)}
}

// maxChain limits the chains of pointers between structs of different types.
const maxChain = 4

// deeper returns the value of a pointer to a struct, that build returns. The depth counts the structs of a chain that
// contain each other, as in a list, and those behind a long chain.
func (w *writer) deeper(t *llvmir.DIType, depth string, nullable bool, build func(depth string) string) string {
	recursive := slices.Contains(w.building, builderOf(t))
	if depth == "depth" && (recursive || len(w.building) >= maxChain) {
		end := ""
		if nullable || recursive {
			end = " && nd_bool()"
		}
		return fmt.Sprintf("depth > 0%s ? %s : NULL", end, build("depth - 1"))
	}
	if value := build(depth); !nullable {
		return value
	} else {
		return "nd_bool() ? " + value + " : NULL"
	}
}

// byUse returns the value of a pointer in a member by the use of its target, or "" if the type shows more.
func (w *writer) byUse(t *llvmir.DIType, m member, depth string, nullable bool) (value, comment string) {
	e := t.Elem
	if w.handle(t) != "" || e != nil && (incomplete(e) || isText(e) || e.Kind == llvmir.DIPointer ||
		e.Kind == llvmir.DIFunc) {
		return "", ""
	}
	if within, offset := w.container(e, w.as[m]); within != nil {
		value = w.deeper(within, depth, nullable, func(less string) string {
			value, comment = w.contained(within, offset, less)
			return value
		})
		return value, comment
	}
	untyped := e == nil || e.Kind == llvmir.DIVoid
	if size := w.extents[m]; size > 0 && !isComposite(e) && (untyped || size > e.Bits/8) {
		w.block = true
		value, comment = fmt.Sprintf("any_block(%d)", size), "the code accesses so many bytes"
		if e != nil && e.Kind == llvmir.DIChar {
			w.sized = true
			value, comment = fmt.Sprintf("any_block(%d + %s)", size, SizeMacro), "the code accesses at least so many bytes"
		}
	}
	if nullable && value != "" {
		value = "nd_bool() ? " + value + " : NULL"
	}
	return value, comment
}

// writable returns a non-const pointer to an object whose type may be const.
func writable(name string, t *llvmir.DIType) string {
	if !t.Const {
		return name
	}
	return "((" + declare(plain(t), "*") + ")" + name + ")"
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
func (w *writer) elementsOf(f *llvmir.DIField, name, n string, signed, nullable bool, depth string) []string {
	e := f.Type.Elem
	i := counter(name)
	var lines []string
	switch {
	case e == nil || !w.hasPointers(e, 0):
		return nil
	case e.Kind == llvmir.DIPointer:
		value, _ := w.member(e, name+"["+i+"]", depth, false)
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
	return append(append([]string{head}, lines...), "}")
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

// member returns the value of a pointer in memory.
func (w *writer) member(t *llvmir.DIType, name, depth string, nullable bool) (value, comment string) {
	e := t.Elem
	maybe := func(value string) string {
		if nullable {
			return "nd_bool() ? " + value + " : NULL"
		}
		return value
	}
	if call := w.handle(t); call != "" {
		return maybe(call), ""
	}
	switch {
	case e == nil || e.Kind == llvmir.DIVoid:
		return "nd_voidp()", ""
	case e.Kind == llvmir.DIFunc:
		return maybe(w.stub(e, "stub_"+lastWord(name))), ""
	case e.Kind == llvmir.DIChar:
		w.text, w.sized, w.block = true, true, true
		return maybe("(void *)any_string()"), ""
	case incomplete(e):
		value, comment = w.opaque(e)
		return value, comment
	case isComposite(e) && len(w.bases[llvmName(e)]) > 1 && w.choice(e) != "":
		return maybe(w.choice(e)), ""
	case isComposite(e):
		return w.deeper(e, depth, nullable, func(less string) string { return w.object(e, less) }), ""
	case e.Kind == llvmir.DIPointer:
		return "NULL", w.ask("what does " + lastWord(name) + " point to?")
	}
	w.block = true
	return maybe(fmt.Sprintf("any_block(sizeof *%s)", name)), ""
}

var lastIdentifier = lazyregexp.New(`(\w+)\W*$`)

// counters matches the indices of elements.
var counters = lazyregexp.New(`\[[i-m]\]`)

func lastWord(name string) string {
	if m := lastIdentifier.FindStringSubmatch(counters.ReplaceAllString(name, "")); m != nil {
		return m[1]
	}
	return "value"
}

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
	var pointers, numbers, unused []string
	for i, p := range t.Fields {
		arg := string(rune('a' + i%26))
		switch {
		case p.Type == nil:
			return nil
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

// globals makes variables arbitrary that other functions of the file write.
func (w *writer) globals() {
	for _, g := range w.Program.Globals {
		if !w.changes(g) {
			continue
		}
		if !w.Include && !g.External && w.inFile(g) { // to name it, the proof has to include the file
			w.Include = true
		}
		if w.visible(g) {
			w.line(fmt.Sprintf("memhavoc(&%s, sizeof %s);", g.SourceName, g.SourceName), "other functions write it")
		}
	}
}

// changes reports whether functions of the file write a variable that can have any content.
func (w *writer) changes(g *llvmir.Global) bool {
	if g.Constant || g.DIType == nil || g.SourceName == "" || strings.Contains(g.SourceName, ".") ||
		w.hasPointers(g.DIType, 0) || g.DIType.Const {
		return false
	}
	writes := regexp.MustCompile(`\b` + regexp.QuoteMeta(g.SourceName) +
		`\b\s*(?:\[[^\]]*\]|\.\w+)*\s*(?:=[^=]|[-+*/|&^]=|\+\+|--)`)
	written := len(writes.FindAllIndex(w.Text, 3))
	initialised := regexp.MustCompile(outsideFunctions + regexp.QuoteMeta(g.SourceName) +
		`\b[^;=()]*=`)
	if initialised.Match(w.Text) {
		written--
	}
	return written > 0
}

// inFile reports whether the function's file declares a variable outside its functions.
func (w *writer) inFile(g *llvmir.Global) bool { return outside(g.SourceName).Match(w.Text) }

// outsideFunctions is the first part of the pattern for a declaration outside functions, up to the name.
const outsideFunctions = `(?m)^(?:static\s+|extern\s+)?[A-Za-z_][\w\s*]*\b`

// outside returns the pattern for a declaration of a variable outside functions.
func outside(name string) *regexp.Regexp {
	return regexp.MustCompile(outsideFunctions + regexp.QuoteMeta(name) + `\b\s*[=;\[]`)
}

// visible reports whether the proof can name a variable.
func (w *writer) visible(g *llvmir.Global) bool {
	if w.Include {
		return w.inFile(g)
	}
	return g.External && slices.ContainsFunc(w.Texts, outside(g.SourceName).Match)
}
