// Package equiv builds a program that compares two versions of a function. It joins the linked module of the version
// after an edit, which includes the program of the comparison (harness.Request.Compare), with the linked module of the
// version before, whose functions get other names.
//
// For example, from two modules that define @sum, @table and call @log_msg it makes one with
//
//	@sum, @sum__before  the versions; likewise for every function that they call
//	@table              shared, if both modules define it equally: the state is the same for both versions
//	@compare__call_1     in place of @log_msg: the runtime records the calls of the first run, and compares the second
//
// Allocation (malloc, free), the end of the program (exit) and functions without a body are replaced by functions of
// the runtime (runtime/compare.c). The package works on texts, and depends on neither files nor processes.
//
// Reading order: product.go with types.go and names.go, around.go, share.go (variables), outside.go (calls of
// functions without a body), runtime/compare.c.
package equiv

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Request has the inputs of a comparison.
type Request struct {
	// After is the linked module of the program of the comparison, which includes the version after the edit. Before is
	// that of the other version.
	After, Before []byte
	Function      string
	File          string                    // that defines the function, absolute; "" if unknown
	Harness       string                    // the file of the program of the comparison, absolute
	Callbacks     map[string]*llvmir.DIType // of the program of the comparison, by name
	// Executed: the program is only executed. It records more, and compares everything.
	Executed bool
	// Mentions reports whether the files of a version contain an identifier.
	Mentions func(before bool, name string) bool
	// Moved returns the path of a file of the version before in results.
	Moved func(path string) string
}

// Call is a function that takes the place of a call to the outside.
type Call struct {
	Name string
	// Quiet: the outside does not notice the call. It returns and writes values that are not modelled.
	Quiet bool
	// Pointer: it gets an object, which it may access like code of the versions.
	Pointer bool
}

// Product is the program that compares the versions: an LLVM module, and a C file to link.
type Product struct {
	Module  []byte
	Runtime []byte
	// Outside are the functions without a body that the versions can call.
	Outside []string
	// Calls are the functions of the runtime for them, by their numbers from 1.
	Calls []Call
	// Assumed are the assumptions under which both versions behave equally, in words.
	Assumed []string
	// NotCompared is what the runs may change and the program does not compare, in words. If there is any, the versions
	// must not be called equivalent.
	NotCompared []string
	// KeepsMemory reports whether a function without a body may write memory that the comparison leaves as it is.
	KeepsMemory bool
}

// side is one of the two versions.
type side struct {
	text   []byte
	m      *asm.Module
	ir     *llvmir.Module
	before bool
	// function is the definition of the compared function.
	function *llvmir.Func
	groups   map[string]string // attributes by number, see withoutNumbers
	// threadLocal are the thread-local variables.
	threadLocal map[string]bool
}

func newSide(name string, text []byte, before bool) (*side, error) {
	s := &side{before: before, threadLocal: map[string]bool{}}
	s.text = s.inOneThread(text)
	return s, s.read(name)
}

var (
	threadVariable = lazyregexp.New(`(?m)^(@("[^"]*"|[-\w.$]+) = (?:[a-z_]+ )*?)thread_local(?:\([a-z]+\))? `)
	threadAddress  = lazyregexp.New(`= (?:tail )?call (?:[a-z]+(?: \d+)? )*ptr @llvm\.threadlocal\.address\.p0\(` +
		`ptr (?:[a-z]+(?: \d+)? )*(@(?:"[^"]*"|[-\w.$]+))\)(?: #\d+)?`)
)

// inOneThread makes the variables of a thread plain ones: both versions run in one thread.
func (s *side) inOneThread(text []byte) []byte {
	for _, m := range threadVariable.FindAllSubmatch(text, -1) {
		s.threadLocal[string(m[2])] = true
	}
	if len(s.threadLocal) == 0 {
		return text
	}
	text = threadVariable.ReplaceAll(text, []byte("$1"))
	return threadAddress.ReplaceAll(text, []byte("= getelementptr i8, ptr $1, i64 0"))
}

func (s *side) read(name string) (err error) {
	if s.m, err = asm.Cut(name, s.text); err != nil {
		return err
	}
	s.ir, err = llvmir.Read(s.text, llvmir.ReadOptions{})
	return err
}

// builder makes one product.
type builder struct {
	Request
	after, before *side
	out           *Product
	calls         []*outsideCall
	names         map[string]*outsideCall
	sharing       *sharing
	quiet         map[string]bool // models of the C library that the outside does not notice
}

// Build joins the two versions. An error says why they cannot be compared.
func Build(r Request) (*Product, error) {
	b := &builder{Request: r, out: &Product{}, names: map[string]*outsideCall{}, quiet: map[string]bool{}}
	var err error
	if b.after, err = newSide("the version after", r.After, false); err != nil {
		return nil, err
	}
	if b.before, err = newSide("the version before", r.Before, true); err != nil {
		return nil, err
	}
	if triple := b.after.m.Triple; !strings.HasPrefix(triple, "x86_64-") {
		return nil, fmt.Errorf("the runtime of comparisons is that of x86-64, and the target is %s", triple)
	}
	if !b.after.ir.OpaquePointers && hasPointerTypes(r.After) || !b.before.ir.OpaquePointers && hasPointerTypes(r.Before) {
		return nil, fmt.Errorf("clang 15 or newer is needed: older ones give pointers types")
	}
	if err := b.sameType(); err != nil {
		return nil, err
	}
	b.share()
	b.noteUnlike()
	var texts [][]byte
	for _, s := range []*side{b.after, b.before} {
		text, err := b.transformed(s)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	if b.out.Module, err = asm.Merge(texts); err != nil {
		return nil, err
	}
	b.out.Runtime = b.runtime()
	for _, c := range b.calls {
		b.out.Calls = append(b.out.Calls, Call{c.name, b.quiet[c.name],
			slices.ContainsFunc(c.params, func(p outsideParam) bool { return p.typ == "void *" && !p.handle })})
	}
	if b.hasPointer() {
		for _, v := range b.sharing.variables {
			if v.name != language.Errno {
				b.assume("no pointer of the arguments leads to the variable " + v.source)
			}
		}
		if b.comparesPointers() {
			b.assume("no pointer of the arguments is the end of an object")
		}
		b.assume("no object that the arguments lead to is constant")
		if truths(b.after) > truths(b.before) {
			b.assume("each _Bool that the version after reads in memory is 0 or 1")
		}
	}
	return b.out, nil
}

// truths counts the instructions of a version that read a _Bool.
func truths(s *side) (n int) {
	for _, f := range s.ir.Funcs {
		for _, block := range f.Blocks {
			for _, in := range block.Instrs {
				if in.Op == llvmir.OpTrunc && in.Type.Bits == 1 && f.SourceName != "main" {
					n++
				}
			}
		}
	}
	return n
}

// transformed returns a side's module with the names of the product.
func (b *builder) transformed(s *side) ([]byte, error) {
	dropped, acts := s.fromOutside()
	for name := range dropped {
		if !acts[name] {
			b.quiet[unquoted(name)] = true
		}
	}
	var text bytes.Buffer
	done := 0
	for _, sym := range s.m.Order {
		if sym.Start < done {
			continue
		}
		text.Write(s.text[done:sym.Start])
		done = sym.End
		part, err := b.symbol(s, sym, dropped)
		if err != nil {
			return nil, err
		}
		text.Write(part)
	}
	text.Write(s.text[done:])
	renamed := text.Bytes()
	if s.before {
		renamed = b.moveFiles(renamed)
	}
	m, err := asm.Cut(s.m.File, append(renamed, b.declarations(s)...))
	if err != nil {
		return nil, err
	}
	keep := map[*asm.Symbol]asm.Keep{}
	for _, sym := range m.Order {
		keep[sym] = asm.Definition
		if s.before && b.sharing.names[sym.Name] {
			keep[sym] = asm.Declaration
		}
	}
	return asm.Slim(m, keep)
}

// symbol returns the text of a symbol in the product.
func (b *builder) symbol(s *side, sym *asm.Symbol, dropped map[string]bool) ([]byte, error) {
	text := s.m.Bytes(sym.Span)
	if dropped[sym.Name] {
		return nil, nil
	}
	if b.sharing.is(s, sym.Name) {
		text = withoutLinkage(text, sym)
	}
	if s.before && sym.Name == s.function.Name { // the other module calls it
		text = exported(text)
	}
	if sym.Kind == asm.Function && !defined(sym) {
		return text, nil
	}
	inHarness := !s.before && sym.Kind == asm.Function && s.file(sym) == b.Harness
	if sym.Kind == asm.Function {
		var err error
		if text, err = b.specialize(s, text, dropped); err != nil {
			return nil, err
		}
	}
	if !s.before && b.sharing.functions[sym.Name] {
		text = exported(text)
	}
	return b.rename(s, text, func(name string, called bool) string {
		if s.before && !called && name != sym.Name && b.sharing.functions[name] {
			return name
		}
		return b.newName(s, name, dropped, inHarness)
	})
}

// err returns the first reason why calls of functions without a body cannot be compared.
func (b *builder) err() error {
	for _, c := range b.calls {
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// unlike are operations that may do something else in each version, which the product does not see.
var unlike = []struct {
	what string
	text *lazyregexp.Regexp
}{
	{"the order of volatile or atomic accesses", lazyregexp.New(
		`(?m)^.*\b(?:load volatile|store volatile|load atomic|store atomic|atomicrmw|cmpxchg|fence) .*$` +
			`|@llvm\.mem\w+\.[^(]*\(.*, i1 true\)`)},
	{"arithmetic of floats that need not be exact", lazyregexp.New(
		`\bf(?:add|sub|mul|div|rem|neg|cmp) (?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\b`)},
}

// noteUnlike notes these operations, and what changed around the bodies.
func (b *builder) noteUnlike() {
	for _, what := range b.around() {
		b.notCompared(what)
	}
	for _, s := range []*side{b.after, b.before} {
		for _, sym := range s.m.Order {
			if sym.Kind != asm.Function || !defined(sym) || s.file(sym) == b.Harness || language.IsModelFile(s.file(sym)) {
				continue
			}
			for _, u := range unlike {
				if u.text.Match(s.m.Bytes(sym.Span)) {
					b.notCompared(u.what + " in " + unquoted(sym.Name))
				}
			}
		}
		for _, name := range s.environment() {
			b.notCompared("arithmetic of floats in the environment that " + name + " sets or reads")
		}
	}
}
