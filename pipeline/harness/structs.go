package harness

import (
	"fmt"
	"maps"
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

// hasEnumeration reports whether a member of a struct is an enumeration whose values are its enumerators.
func (w *writer) hasEnumeration(t *llvmir.DIType) bool {
	return !w.Compare && slices.ContainsFunc(t.Fields, func(f llvmir.DIField) bool {
		return f.Name != "" && !f.BitField && f.Type != nil && within(f.Type, f.Name) != ""
	})
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
	if known := w.structs[llvmName(t)]; t.Kind == llvmir.DIStruct && known != nil && known.Bits == t.Bits &&
		known.Kind == t.Kind && len(known.Fields) == len(t.Fields) && !anonymous(t) {
		t = known // one builder for struct node and its typedef
	}
	predicate := w.predicate(t)
	if !w.hasPointers(t, 0) && predicate == "" && !w.hasIndex(t) && !w.hasEnumeration(t) || anonymous(t) {
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
			if strings.HasPrefix(line, "}") {
				indent = indent[2:]
			}
			b.WriteString(indent + line + "\n")
			if strings.HasSuffix(line, "{") {
				indent += "  "
			}
		}
		if predicate != "" {
			fmt.Fprintf(&b, "  assume(%s(x)); /* %s */\n", predicate, w.ask("does "+predicate+" hold for every object?"))
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

// predicate returns the project's function that reports whether an object of a type is valid, or "". It must not change
// the object: an assumption has no effects.
func (w *writer) predicate(t *llvmir.DIType) string {
	if t.Name == "" || anonymous(t) {
		return ""
	}
	name := regexp.QuoteMeta(t.Name)
	pattern := regexp.MustCompile(`(?m)^(?:static\s+|inline\s+|extern\s+)*(?:bool|_Bool|int)\s+(\w*(?:valid|invariant|` +
		`_ok|consistent|sane)\w*)\s*\(\s*(?:const\s+` + name + `|` + name + `\s+const)\s*\*\s*(?:const\s*)?\w*\s*\)`)
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

// members returns statements that make the pointers of a struct valid. The other content of the struct is arbitrary.
func (w *writer) members(t *llvmir.DIType, prefix, depth string) (lines []string) {
	if t.Kind == llvmir.DIUnion {
		if !w.hasPointers(t, 0) {
			return nil
		}
		return []string{fmt.Sprintf("%s /* %s */", w.zeroUnion(prefix),
			w.ask("which member of the union "+strings.TrimSuffix(prefix, ".")+" is used?"))}
	}
	groups, shown := w.orderedCursors(t), true
	if named := cursorsOf(t); named != nil {
		groups, shown = [][]*llvmir.DIField{named}, false
	}
	cursors := slices.Concat(groups...)
	for _, list := range groups {
		if slices.ContainsFunc(list, func(f *llvmir.DIField) bool { return !w.spare(t, f) }) {
			lines = append(lines, w.cursors(t, list, shown, prefix, depth)...)
		}
	}
	starts := map[*llvmir.DIField]*llvmir.DIField{} // by position in a block
	for i := range t.Fields {
		f := &t.Fields[i]
		if start := w.startOfBlock(t, f); start != nil && !slices.Contains(cursors, f) && !slices.Contains(cursors, start) {
			starts[f] = start
			if w.texts[member{llvmName(t), f.BitOffset / 8}] {
				w.texts[member{llvmName(t), start.BitOffset / 8}] = true
			}
		}
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if slices.Contains(cursors, f) || starts[f] != nil {
			continue
		}
		if f.Type == nil || f.Name == "" || f.BitField {
			switch {
			case f.Name != "":
			case f.Type != nil && f.Type.Kind == llvmir.DIUnion:
				lines = append(lines, w.unnamedUnion(t, f.Type, prefix, depth)...)
			case isComposite(f.Type):
				lines = append(lines, w.members(f.Type, prefix, depth)...)
			}
			continue
		}
		name := prefix + f.Name
		switch f.Type.Kind {
		case llvmir.DIInt, llvmir.DIChar:
			if bound := w.indexBound(t, f, prefix); bound != "" {
				lines = append(lines, bound)
			}
		case llvmir.DIBool:
			lines = append(lines, name+" = nd_bool();")
		case llvmir.DIStruct, llvmir.DIUnion:
			if f.Type.Kind == llvmir.DIUnion && w.hasPointers(f.Type, 0) {
				if by := w.tagged(t, f.Type, prefix, name+".", depth, []string{w.zeroUnion(name + ".")}); by != nil {
					lines = append(lines, by...)
					continue
				}
				if by := w.usedAs(t, f, name, depth); by != nil {
					lines = append(lines, by...)
					continue
				}
			}
			lines = append(lines, w.members(f.Type, name+".", depth)...)
		case llvmir.DIArray:
			if w.spare(t, f) {
				continue
			}
			lines = append(lines, w.array(f.Type, name, depth)...)
		case llvmir.DIEnum:
			if bound := within(f.Type, name); bound != "" {
				lines = append(lines, "assume("+bound+");")
			}
		case llvmir.DIPointer:
			if w.spare(t, f) && !slices.Contains(slices.Collect(maps.Values(starts)), f) {
				continue
			}
			lines = append(lines, w.pointerMember(t, f, prefix, depth)...)
		}
	}
	for i := range t.Fields { // behind the blocks
		if f := &t.Fields[i]; starts[f] != nil {
			lines = append(lines, w.withinBlock(t, f, starts[f], prefix, depth)...)
		}
	}
	return lines
}

// unnamedUnion returns the statements for a union without a name: for the member that the tag beside it names. If the
// tag names none, the longest member is zero.
func (w *writer) unnamedUnion(of, t *llvmir.DIType, prefix, depth string) []string {
	longest := -1
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Type != nil && f.Name != "" && (longest < 0 || f.Type.Bits > t.Fields[longest].Type.Bits) {
			longest = i
		}
	}
	if longest < 0 || !w.hasPointers(t, 0) {
		return nil
	}
	zero := w.zeroUnion(prefix + t.Fields[longest].Name + ".")
	if by := w.tagged(of, t, prefix, prefix, depth, []string{zero}); by != nil {
		return by
	}
	return []string{fmt.Sprintf("%s /* %s */", zero,
		w.ask("which member of the union with "+t.Fields[longest].Name+" is used?"))}
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
	if length != nil && !w.showsLength(m, t, length) { // what the code accesses is stronger than a name
		if within, _ := w.container(f.Type.Elem, w.as[m]); within != nil {
			length = nil
		}
	}
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
		lines = append(lines, w.positionsBelow(t, length, prefix)...)
		for _, other := range fits {
			if w.below[member{m.of, other.BitOffset / 8}][member{m.of, length.BitOffset / 8}] {
				continue
			}
			low = ""
			if other.Type.Signed {
				low = prefix + other.Name + " >= 0 && "
			}
			condition := low + prefix + other.Name + " <= " + n
			why := "guessed from the names. "
			if w.showsLength(m, t, length) && w.showsLength(m, t, other) {
				why = ""
				w.keeps(prefix, condition, false)
			}
			lines = append(lines, fmt.Sprintf("assume(%s); /* %s%s */", condition, why,
				w.ask("is "+other.Name+" at most "+length.Name+" in every call?")))
		}
		size := n
		if f.Type.Elem != nil && f.Type.Elem.Bits > 8 {
			size = fmt.Sprintf("%s * sizeof *%s", n, name)
		}
		text := w.texts[m] && f.Type.Elem != nil && isText(f.Type.Elem)
		value := w.blockOf(size, f.Type.Elem)
		if text {
			value = w.blockOf(size+" + 1", f.Type.Elem)
		}
		if nullable {
			value = fmt.Sprintf("%s == 0 && nd_bool() ? NULL : %s", n, value)
		}
		why := length.Name + " bounds its index"
		if w.showsLength(m, t, length) {
			none := n + " == 0"
			if length.Type.Signed {
				none = n + " <= 0"
			}
			// NULL: its allocation failed, or the object is empty.
			w.keeps(prefix, fmt.Sprintf("%s || %s == NULL || sea_is_dereferenceable(%s, %s)", none, name, name, size), true)
		}
		switch n := (member{m.of, length.BitOffset / 8}); {
		case w.lengths[m][n] && !w.capacities[n] || w.indices[m][n]:
		case w.capacities[n]:
			why = length.Name + " is the size of an allocation. " + w.ask("is "+length.Name+" the size of "+f.Name+"?")
		default:
			why = "guessed from the names. " + w.ask("is "+length.Name+" the size of "+f.Name+"?")
		}
		lines = append(lines, fmt.Sprintf("%s = %s; /* %s */", target, value, why))
		if text {
			end := fmt.Sprintf("%s[%s] = 0;", writable(name, f.Type.Elem), n)
			if nullable {
				end = "if (" + name + " != NULL) " + end
			}
			lines = append(lines, end+" /* "+w.ask("does "+f.Name+" end with 0 behind "+length.Name+" characters?")+" */")
		}
		return append(lines, w.elementsOf(f, m, name, n, length.Type.Signed, nullable, depth)...)
	}
	w.callback = m
	defer func() { w.callback = member{} }()
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
	recursive := slices.ContainsFunc([]*llvmir.DIType{t, w.structs[llvmName(t)]}, func(t *llvmir.DIType) bool {
		return t != nil && slices.Contains(w.building, builderOf(plain(t)))
	})
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
		return "NULL", w.askPartly("what does " + lastWord(name) + " point to?")
	}
	w.block = true
	return maybe(fmt.Sprintf("any_block(sizeof *%s)", name)), ""
}

var lastIdentifier = lazyregexp.New(`(\w+)\W*$`)

func lastWord(name string) string {
	if m := lastIdentifier.FindStringSubmatch(counters.ReplaceAllString(name, "")); m != nil {
		return m[1]
	}
	return "value"
}
