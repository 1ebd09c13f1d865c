package equiv

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// sharing has the variables that both versions use: the ones with equal definitions. Their addresses are the same in
// both runs, and their content is part of the state.
type sharing struct {
	after, before map[string]string // names in a version -> names in the product
	names         map[string]bool   // names in the product, of variables that both modules define
	variables     []variable
	// functions are the functions that both modules define equally. Where their address is taken, they are the ones of
	// the version after: both versions store the same pointers.
	functions map[string]bool
}

// variable is a shared variable that is part of the state.
type variable struct {
	name, source string
	typ          *llvmir.DIType // nil if unknown
	size         int64
	local        bool // only functions of its file use it by name
}

func (sh *sharing) of(s *side) map[string]string {
	if s.before {
		return sh.before
	}
	return sh.after
}

func (sh *sharing) is(s *side, name string) bool { return sh.of(s)[name] != "" }

func (sh *sharing) newName(s *side, name string) string { return sh.of(s)[name] }

// digest identifies the definition of a symbol with everything that it leads to.
type digest [sha256.Size]byte

// ownDigests returns a digest for the text of each symbol alone, without the names in it, and the names. The names of
// private constants, and the numbers of metadata and attributes, do not matter.
func (s *side) ownDigests() (own map[string]digest, refs map[string][]string) {
	own, refs = map[string]digest{}, map[string][]string{}
	for _, sym := range s.m.Order {
		h := sha256.New()
		if !isPrivate(s.m, sym) {
			io.WriteString(h, sym.Name)
		}
		if defined(sym) {
			text := s.withoutNumbers(s.m.Bytes(sym.Span))
			refs[sym.Name] = writeNameless(h, text)
		}
		own[sym.Name] = digest(h.Sum(nil))
	}
	return own, refs
}

// writeNameless writes a text without the names of globals, and returns these.
func writeNameless(w io.Writer, text []byte) (refs []string) {
	w.Write(asm.Rename(text, func(name string, _ int) string {
		refs = append(refs, name)
		return ""
	}))
	return refs
}

// digests returns digests of the symbols of both modules: equal ones have equal definitions, and so has everything that
// they lead to. They are refined by the digests of the symbols that a symbol refers to, until no further two of them
// become different.
func digests(a, b *side) (x, y map[string]digest) { return refined(a, b, (*side).ownDigests) }

// refined is digests from the digests of the texts alone.
func refined(a, b *side, texts func(s *side) (map[string]digest, map[string][]string)) (x, y map[string]digest) {
	type module struct {
		own, now map[string]digest
		refs     map[string][]string
	}
	var modules [2]module
	for i, s := range []*side{a, b} {
		modules[i].own, modules[i].refs = texts(s)
		modules[i].now = modules[i].own
	}
	for classes := 0; ; {
		seen := map[digest]bool{}
		for i := range modules {
			m := &modules[i]
			next := map[string]digest{}
			for name, d := range m.own {
				h := sha256.New()
				h.Write(d[:])
				for _, ref := range m.refs[name] {
					if r, ok := m.now[ref]; ok {
						h.Write(r[:])
					} else {
						io.WriteString(h, ref)
					}
				}
				next[name] = digest(h.Sum(nil))
				seen[next[name]] = true
			}
			m.now = next
		}
		if len(seen) == classes {
			return modules[0].now, modules[1].now
		}
		classes = len(seen)
	}
}

// isPrivate reports whether the name of a constant has no meaning.
func isPrivate(m *asm.Module, sym *asm.Symbol) bool {
	line := m.FirstLine(sym)
	return sym.Kind == asm.Variable && bytes.Contains(line, []byte(" private ")) &&
		bytes.Contains(line, []byte(" constant "))
}

// isData reports whether a variable is data of the compiler that no code writes, such as the types that sanitizers
// print.
func isData(m *asm.Module, sym *asm.Symbol) bool {
	return bytes.Contains(m.FirstLine(sym), []byte(" = private unnamed_addr "))
}

// share finds the variables that both versions share, and the ones that they do not.
func (b *builder) share() {
	sh := &sharing{after: map[string]string{}, before: map[string]string{}, names: map[string]bool{},
		functions: map[string]bool{}}
	b.sharing = sh
	x, y := digests(b.after, b.before)
	byContent := map[digest]*asm.Symbol{}
	for _, sym := range b.after.m.Order {
		if sym.Kind == asm.Variable && sym.Link != asm.Appending {
			byContent[x[sym.Name]] = sym
		}
	}
	for _, sym := range b.before.m.Order {
		if sym.Kind != asm.Variable || sym.Link == asm.Appending || !defined(sym) {
			continue
		}
		twin := byContent[y[sym.Name]]
		if twin == nil || !defined(twin) {
			continue
		}
		to := sh.after[twin.Name]
		if to == "" {
			to = twin.Name
			if twin.Link == asm.Local {
				to = fmt.Sprintf("compare__shared_%d", len(sh.names)+1)
			}
			sh.after[twin.Name], sh.names[to] = to, true
		}
		sh.before[sym.Name] = to
	}
	for _, sym := range b.before.m.Order {
		twin := b.after.m.Symbols[sym.Name]
		if sym.Kind == asm.Function && defined(sym) && twin != nil && defined(twin) && x[sym.Name] == y[sym.Name] {
			sh.functions[sym.Name] = true
		}
	}
	b.state()
}

func defined(sym *asm.Symbol) bool { return sym.Link != asm.Declared && sym.Link != asm.WeaklyDeclared }

// state lists the variables that are part of the state.
func (b *builder) state() {
	sh := b.sharing
	variables := map[string]*llvmir.Global{}
	for _, g := range b.after.ir.Globals {
		variables[g.Name] = g
	}
	describe := func(g *llvmir.Global) string {
		if g.SourceName != "" {
			return g.SourceName
		}
		return g.Name
	}
	changes := func(g *llvmir.Global) bool {
		return g != nil && !g.Constant && !strings.HasPrefix(g.Name, "llvm.") && g.LabelOf == ""
	}
	for _, name := range []string{"llvm.global_ctors", "llvm.global_dtors"} {
		if b.before.m.Symbols[name] != nil || b.after.m.Symbols[name] != nil {
			b.notCompared("the effect of constructors and destructors")
		}
	}
	for _, sym := range b.after.m.Order {
		g := variables[unquoted(sym.Name)]
		if sym.Kind != asm.Variable || !changes(g) || isData(b.after.m, sym) || b.after.file(sym) == b.Harness {
			continue
		}
		to := sh.after[sym.Name]
		if sym.Link == asm.Declared {
			to = sym.Name
		}
		switch {
		case g.Type.Size == 0 && sym.Link == asm.Declared:
			b.notCompared("the variable " + describe(g) + ", an array of unknown size")
		case to == "" && b.oneUses(b.before, sym, g, true):
			if to = sym.Name; sym.Link == asm.Local {
				to = fmt.Sprintf("compare__one_%d", len(sh.variables)+1)
			}
			sh.after[sym.Name] = to
			sh.variables = append(sh.variables, variable{to, describe(g), g.DIType, g.Type.Size, sym.Link == asm.Local})
		case to == "":
			b.notCompared("the variable " + describe(g) + ", which the versions define differently")
		case !plainName.MatchString(to):
			b.notCompared("the variable " + describe(g))
		default:
			sh.variables = append(sh.variables, variable{to, describe(g), g.DIType, g.Type.Size, sym.Link == asm.Local})
		}
	}
	for _, g := range b.before.ir.Globals {
		sym := b.before.m.Symbols[g.Name]
		if sym != nil && isData(b.before.m, sym) {
			continue
		}
		if changes(g) && sh.before[g.Name] == "" && sh.before[`"`+g.Name+`"`] == "" {
			if sym != nil && sym.Link == asm.Declared {
				if other := variables[g.Name]; other != nil {
					continue
				}
				if g.Type.Size == 0 {
					b.notCompared("the variable " + describe(g) + ", an array of unknown size")
					continue
				}
				sh.variables = append(sh.variables, variable{g.Name, describe(g), g.DIType, g.Type.Size, false})
				continue
			}
			if sym != nil && b.oneUses(b.after, sym, g, false) {
				to := fmt.Sprintf("compare__one_%d", len(sh.variables)+1)
				sh.before[sym.Name] = to
				sh.variables = append(sh.variables, variable{to, describe(g), g.DIType, g.Type.Size, sym.Link == asm.Local})
				continue
			}
			b.notCompared("the variable " + describe(g) + ", which the versions define differently")
		}
	}
}

// oneUses reports whether a variable of one version exists in the other one, too, which does not use it: it belongs to
// the state, and the other version leaves it as it is.
func (b *builder) oneUses(other *side, sym *asm.Symbol, g *llvmir.Global, before bool) bool {
	return other.m.Symbols[sym.Name] == nil && plainName.MatchString(g.SourceName) && b.Mentions(before, g.SourceName)
}

var plainName = lazyregexp.New(`^[A-Za-z_]\w*$`)

func (b *builder) notCompared(what string) {
	if !slices.Contains(b.out.NotCompared, what) {
		b.out.NotCompared = append(b.out.NotCompared, what)
	}
}

func (b *builder) assume(what string) {
	if !slices.Contains(b.out.Assumed, what) {
		b.out.Assumed = append(b.out.Assumed, what)
	}
}

var linkageWord = lazyregexp.New(`\b(?:private|internal|common|weak|weak_odr|linkonce|linkonce_odr|hidden|dso_local|` +
	`unnamed_addr|local_unnamed_addr) `)

// withoutLinkage makes the definition of a variable visible to the other module.
func withoutLinkage(text []byte, sym *asm.Symbol) []byte {
	head, rest, ok := bytes.Cut(text, []byte(" = "))
	if !ok || sym.Kind != asm.Variable {
		return text
	}
	n := bytes.Index(rest, []byte("global "))
	if c := bytes.Index(rest, []byte("constant ")); n < 0 || c >= 0 && c < n {
		n = c
	}
	if n < 0 {
		return text
	}
	return slices.Concat(head, []byte(" = "), linkageWord.ReplaceAll(rest[:n], nil), rest[n:])
}

// hasPointers reports whether values of a type hold addresses or booleans, which arbitrary bytes may not represent.
func hasPointers(t *llvmir.DIType, depth int) bool {
	if t == nil || depth > 20 {
		return true
	}
	switch t.Kind {
	case llvmir.DIPointer, llvmir.DIBool, llvmir.DIFunc, llvmir.DIVoid:
		return true
	case llvmir.DIArray:
		return hasPointers(t.Elem, depth+1)
	case llvmir.DIStruct, llvmir.DIUnion:
		return len(t.Fields) == 0 || slices.ContainsFunc(t.Fields,
			func(f llvmir.DIField) bool { return hasPointers(f.Type, depth+1) })
	}
	return false
}

// stateOfVariables returns the C function of the runtime that makes variables arbitrary, or adds them to the state.
func (b *builder) stateOfVariables() string {
	var declared, start, add strings.Builder
	for _, v := range b.sharing.variables {
		if v.name == language.Errno { // the runtime handles it
			continue
		}
		fmt.Fprintf(&declared, "extern unsigned char %s[%d];\n", v.name, max(v.size, 1))
		switch {
		case v.typ != nil && v.typ.Kind == llvmir.DIBool && v.size == 1:
			fmt.Fprintf(&start, "    %s[0] = nd_bool();\n", v.name)
		case v.typ == nil || hasPointers(v.typ, 0):
			b.assume("the variable " + v.source + " has its initial value before the call")
		default:
			fmt.Fprintf(&start, "    memhavoc(%s, %d);\n", v.name, v.size)
		}
		fmt.Fprintf(&add, "  add(%s, %d, 0);\n", v.name, v.size)
	}
	declared.WriteString(b.variablesAtCalls())
	return fmt.Sprintf("%s\nstatic void variables(bool start) {\n  if (start) {\n%s    return;\n  }\n%s}\n",
		declared.String(), start.String(), add.String())
}

// Functions without a body can read and write at most seenVariables variables, of at most seenBytes bytes each. They
// are assumed not to use the others.
const (
	seenVariables = 8
	seenBytes     = 64
)

// variablesAtCalls returns the C function of the runtime for the variables at calls of functions without a body. It
// compares them at the call, and gives them arbitrary values behind it, the same in both versions.
func (b *builder) variablesAtCalls() string {
	var lines strings.Builder
	n := 0
	for _, v := range b.sharing.variables {
		plain := v.typ != nil && !hasPointers(v.typ, 0)
		switch {
		case v.name == language.Errno || !b.callsOutside():
			continue
		case n == seenVariables || v.size > seenBytes || v.size == 0:
			b.assume("functions without a body do not use the variable " + v.source)
			continue
		case !plain:
			b.assume("functions without a body do not change the variable " + v.source)
		}
		fmt.Fprintf(&lines, "  variable(&seen[k][%d], %s, %d, %v, %v);\n", n, v.name, v.size, plain, v.local)
		n++
	}
	if n == 0 {
		return "static void variables_at_call(const struct call *c) { (void)c; }\n"
	}
	return fmt.Sprintf("static void variables_at_call(const struct call *c) {\n  static struct seen seen[CALLS][%d];\n"+
		"  if (c == &building) return;\n  unsigned k = (unsigned)(c - calls);\n%s}\n", n, lines.String())
}

// callsOutside reports whether the versions call functions without a body that may use variables of the program.
func (b *builder) callsOutside() bool {
	return slices.ContainsFunc(b.calls, func(c *outsideCall) bool { return c.usesVariables() })
}
