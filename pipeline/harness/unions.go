package harness

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A union often stands beside its tag, and the names of the tag's enumerators are those of the members:
//
//	struct value { enum { VALUE_TEXT, VALUE_LIST, VALUE_NONE } type; union { char *text; struct list *list; } u; };

// tagged returns the statements that make the member of a union valid which the tag beside it names. rest are those for
// other tags. It returns nil if the names do not show which enumerator belongs to which member.
func (w *writer) tagged(of, union *llvmir.DIType, prefix, member, depth string, rest []string) []string {
	tag := tagOf(of)
	if tag == nil {
		return nil
	}
	w.variant++
	defer func() { w.variant-- }()
	lines := []string{"switch (" + prefix + tag.Name + ") {"}
	shown := 0
	for _, e := range tag.Type.Enums {
		f := namedBy(union, stem(tag.Type, e.Name))
		if f == nil {
			continue
		}
		if w.hasPointers(f.Type, 0) {
			shown++
		}
		alone := &llvmir.DIType{Kind: llvmir.DIStruct, Name: union.Name, Tag: union.Tag, Bits: union.Bits,
			Fields: []llvmir.DIField{*f}}
		lines = append(append(append(lines, "case "+e.Name+": {"), w.members(alone, member, depth)...), "break;", "}")
	}
	if shown == 0 {
		return nil
	}
	w.ask("does " + tag.Name + " say which member of the union beside it is used?")
	return append(append(append(lines, "default: {"), rest...), "}", "}")
}

// usedAs returns the statements that make a union's only pointer valid, if the code loads a pointer from the union. It
// returns nil otherwise.
func (w *writer) usedAs(of *llvmir.DIType, f *llvmir.DIField, name, depth string) []string {
	m := member{llvmName(of), f.BitOffset / 8}
	if !w.asPointer[m] {
		return nil
	}
	var only *llvmir.DIField
	for i := range f.Type.Fields {
		p := &f.Type.Fields[i]
		if p.Type == nil || p.Name == "" || p.Type.Kind != llvmir.DIPointer {
			continue
		}
		if only != nil {
			return nil
		}
		only = p
	}
	if only == nil {
		return nil
	}
	w.ask("is " + only.Name + " always the member of " + lastWord(name) + " that is used?")
	w.variant++
	defer func() { w.variant-- }()
	alone := &llvmir.DIType{Kind: llvmir.DIStruct, Name: f.Type.Name, Tag: f.Type.Tag, Bits: f.Type.Bits,
		Fields: []llvmir.DIField{*only}}
	inUnion := member{llvmName(alone), 0}
	w.nullable[inUnion] = w.nullable[inUnion] || w.nullable[m]
	return w.members(alone, name+".", depth)
}

// tagOf returns the only enumeration of a struct; nil if it has none or several.
func tagOf(t *llvmir.DIType) (tag *llvmir.DIField) {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Type != nil && f.Type.Kind == llvmir.DIEnum && f.Name != "" && len(f.Type.Enums) > 1 {
			if tag != nil {
				return nil
			}
			tag = f
		}
	}
	return tag
}

// stem returns the name of an enumerator in lower case, without the words with which all enumerators begin.
func stem(t *llvmir.DIType, name string) string {
	common := name
	for _, e := range t.Enums {
		for !strings.HasPrefix(e.Name, common) {
			common = common[:len(common)-1]
		}
	}
	return strings.ToLower(name[strings.LastIndexByte(common, '_')+1:])
}

// namedBy returns the member of a union that a word names: entirely, otherwise by its begin, as str and string.
func namedBy(union *llvmir.DIType, word string) (best *llvmir.DIField) {
	const begin = 3 // characters
	for i := range union.Fields {
		f := &union.Fields[i]
		name := strings.ToLower(f.Name)
		switch {
		case f.Type == nil || name == "":
		case name == word:
			return f
		case len(name) >= begin && len(word) >= begin && (strings.HasPrefix(name, word) || strings.HasPrefix(word, name)):
			best = f
		}
	}
	return best
}

// zeroUnion returns the statement that makes a union with a name zero.
func (w *writer) zeroUnion(prefix string) string {
	w.header("<string.h>")
	object := strings.TrimSuffix(strings.TrimSuffix(prefix, "->"), ".")
	if strings.HasSuffix(prefix, "->") {
		object = "*" + object
	}
	return fmt.Sprintf("memset(&%s, 0, sizeof %s);", object, object)
}
