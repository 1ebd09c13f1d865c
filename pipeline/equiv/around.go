package equiv

import (
	"bytes"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/lockstep"
)

// around lists, in words, the differences of the versions that no execution of their bodies shows, and calls whose
// effect neither comparison follows. If there are any, the versions must not be called equivalent.
func (b *builder) around() (list []string) {
	note := func(what string) {
		if !slices.Contains(list, what) {
			list = append(list, what)
		}
	}
	if b.before.header(b.before.function.Name) != b.after.header(b.after.function.Name) {
		note("the linkage, calling convention and attributes of " + b.Function)
	}
	if assembly(b.before.text) != assembly(b.after.text) {
		note("assembly outside of functions")
	}
	for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
		if b.before.firstLine(name) != b.after.firstLine(name) {
			note("the effect of constructors and destructors")
		}
	}
	for _, sym := range b.before.m.Order {
		twin := b.after.m.Symbols[sym.Name]
		if twin != nil && b.before.threadLocal[sym.Name] != b.after.threadLocal[sym.Name] {
			note("whether each thread has its own " + unquoted(sym.Name))
		}
		if sym.Kind == asm.Function && !defined(sym) && twin != nil && !defined(twin) && b.isOutside(sym.Name, true) &&
			b.before.header(sym.Name) != b.after.header(sym.Name) {
			note("calls of " + unquoted(sym.Name) + ", which the versions declare differently,")
		}
	}
	for _, s := range []*side{b.after, b.before} {
		for _, sym := range s.m.Order {
			switch sym.Link {
			case asm.WeaklyDeclared:
				note("whether " + unquoted(sym.Name) + ", which is weak, exists,")
			case asm.Weak:
				note("another definition of " + unquoted(sym.Name) + ", which is weak,")
			}
		}
		if relaxedCall.Match(s.text) {
			note("calls for floats that need not be exact")
		}
		if indirectConvention.Match(s.text) {
			note("calls through pointers with another calling convention")
		}
		for _, f := range s.ir.Funcs {
			if f.ReturnsTwice || strings.HasPrefix(f.Name, "llvm.eh.sjlj.") {
				note("what happens if " + f.Name + " returns several times")
			}
		}
	}
	return list
}

// indirectConvention finds a call through a pointer with a calling convention. The one of a direct call is that of the
// declaration.
var (
	indirectConvention = lazyregexp.New(`(?m)^ .*\bcall (?:[\w()]+ )*?(?:cc \d+|\w+cc|\w+_(?:fast|reg|std)call) ` +
		`[^@\n]* %[^@\n(]*\(`)
	relaxedCall = lazyregexp.New(`\bcall (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) `)
)

// environment lists the functions of a version that set or read how floats are computed.
func (s *side) environment() (names []string) {
	for _, f := range s.ir.Funcs {
		if slices.Contains(lockstep.EnvironmentCalls, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// assembly returns the assembly outside of functions.
func assembly(text []byte) string {
	var out []byte
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("module asm ")) {
			out = append(append(out, line...), '\n')
		}
	}
	return string(out)
}

// header returns the first line of a definition or declaration without the names of its parameters: linkage, calling
// convention, types and all attributes.
func (s *side) header(name string) string {
	return string(parameterName.ReplaceAll([]byte(s.firstLine(name)), []byte("$1")))
}

// firstLine returns the first line of a symbol, with the text of its attributes and without numbers of metadata.
func (s *side) firstLine(name string) string {
	sym := s.m.Symbols[name]
	if sym == nil {
		if sym = s.m.Symbols[`"`+name+`"`]; sym == nil {
			return ""
		}
	}
	return string(s.withoutNumbers(s.m.FirstLine(sym)))
}

var (
	// parameterName finds the name of a parameter, at its end.
	parameterName = lazyregexp.New(` %[-\w.$]+([,)])`)
	metadataOf    = lazyregexp.New(`,? ![\w.]+ !\d+|!\d+|metadata !\w+\(\)`)
	groupOf       = lazyregexp.New(` #\d+`)
	groupText     = lazyregexp.New(`(?m)^attributes( #\d+) = (\{.*\})$`)
)

// withoutNumbers drops the numbers of metadata from a text, and replaces the numbers of attributes by their text. In
// quotes, as in string constants, the same characters have a meaning. (A quote within quotes is \22.)
func (s *side) withoutNumbers(text []byte) []byte {
	if s.groups == nil {
		s.groups = map[string]string{}
		for _, m := range groupText.FindAllSubmatch(s.text, -1) {
			s.groups[string(m[1])] = " " + string(m[2])
		}
	}
	parts := bytes.Split(text, []byte(`"`))
	for i := 0; i < len(parts); i += 2 {
		parts[i] = groupOf.ReplaceAllFunc(metadataOf.ReplaceAll(parts[i], nil),
			func(number []byte) []byte { return []byte(s.groups[string(number)]) })
	}
	return bytes.Join(parts, []byte(`"`))
}
