// Package asm processes LLVM assembly as text. It cuts a module into its top-level entities ([Cut]), turns definitions
// into declarations ([DeclareFunction]), prints the needed part of a module ([Slim]), links several modules into one
// ([Merge]), and abstracts a program from its line numbers ([ShapeOf]).
//
// For example, if f is needed and another module's definition of g overrides this one, Slim turns
//
//	@x = global i32 1
//	define void @f() !dbg !7 { call void @g() ... }
//	define void @g() !dbg !9 { store i32 2, ptr @x ... }
//
// into the definition of f, a declaration of g, and the metadata that f refers to, with new numbers.
//
// The principal types are [Module], [Symbol] and [Shape]. Reading order: asm.go, declare.go, slim.go, merge.go,
// shape.go. The package does not depend on compilers, C or files, and its callers choose among the definitions of a
// name.
package asm

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Module is the text of one module, cut into its top-level entities. LLVM prints each entity on one line, except that a
// function body extends to a line with only "}". The package relies on this and on the sigils, but on no more of the
// grammar: @ globals, % types and locals, ! metadata, # attribute groups, $ comdats.
type Module struct {
	File    string // the C file, for messages
	Text    []byte // the complete text, to which Spans refer
	header  []Span // source_filename, target …, module asm
	Symbols map[string]*Symbol
	Order   []*Symbol       // in the order of the text
	types   map[string]Span // "%struct.s"
	comdats map[string]Span // "$f"
	groups  map[string]Span // "#0"
	nodes   map[int]Span    // numbered metadata
	named   []Span          // named metadata
	Triple  string          // the target machine
}

// Span is a part of a text, as bytes from Start to before End.
type Span struct{ Start, End int }

// Symbol is one global name of a module: a variable, function, alias or ifunc. Names keep LLVM's notation, with quotes
// if LLVM prints them: LLVM prints equal names equally.
type Symbol struct {
	Name string // without the @
	Kind Kind
	Link Linkage
	Span
}

// Kind is the kind of a symbol.
type Kind int

// The kinds of symbols.
const (
	Function Kind = iota
	Variable
	Alias // or ifunc: another name for something that must be defined in the same module
)

// Linkage is the linkage of a symbol. Of two definitions of a name the one with the greater Linkage wins, up to Strong.
type Linkage int

// Linkages, the weakest first.
const (
	Declared            Linkage = iota // no definition here
	WeaklyDeclared                     // extern_weak: NULL without a definition
	AvailableExternally                // a C99 inline body: only without another definition
	Weak                               // weak, linkonce and their odr forms
	Common                             // a tentative definition under -fcommon
	Strong
	Appending // llvm.global_ctors and the like
	Local     // internal, private
)

var linkages = map[string]Linkage{
	"private": Local, "internal": Local, "available_externally": AvailableExternally, "linkonce": Weak,
	"linkonce_odr": Weak,
	"weak":         Weak, "weak_odr": Weak, "common": Common, "appending": Appending, "extern_weak": WeaklyDeclared,
	"external": Declared,
}

// Cut splits the text of a compiled C file. An unknown entity is an error: dropping it could change the program.
func Cut(file string, text []byte) (*Module, error) {
	a := &Module{
		File: file, Text: text,
		Symbols: map[string]*Symbol{}, types: map[string]Span{}, comdats: map[string]Span{}, groups: map[string]Span{},
		nodes: map[int]Span{},
	}
	for pos := 0; pos < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[pos:], '\n'); n >= 0 {
			end = pos + n + 1
		}
		line := text[pos:end]
		at := Span{pos, end}
		switch {
		case line[0] == '\n' || line[0] == ';' || line[0] == '\r':
		case line[0] == '!':
			i := 1
			for i < len(line) && isDigit(line[i]) {
				i++
			}
			if i > 1 {
				a.nodes[atoi(line[1:i])] = at
			} else {
				a.named = append(a.named, at)
			}
		case line[0] == '@':
			name := GlobalName(line[1:])
			rest := line[1+len(name):]
			s := &Symbol{Name: string(name), Kind: Variable, Link: Strong, Span: at}
		words:
			for word := range bytes.FieldsSeq(rest) {
				switch w := string(word); w {
				case "global", "constant":
					break words
				case "alias", "ifunc":
					s.Kind = Alias
					break words
				default:
					if l, ok := linkages[w]; ok {
						s.Link = l
					}
				}
			}
			a.add(s)
		case bytes.HasPrefix(line, []byte("define ")):
			n := bytes.Index(text[end:], []byte("\n}\n"))
			if n < 0 {
				return nil, fmt.Errorf("assembly of %s: a function without an end at byte %d", file, pos)
			}
			s, err := FunctionSymbol(line, Strong)
			if err != nil {
				return nil, fmt.Errorf("assembly of %s: %w", file, err)
			}
			end += n + len("\n}\n")
			s.Span = Span{pos, end}
			a.add(s)
		case bytes.HasPrefix(line, []byte("declare ")):
			s, err := FunctionSymbol(line, Declared)
			if err != nil {
				return nil, fmt.Errorf("assembly of %s: %w", file, err)
			}
			s.Span = at
			a.add(s)
		case line[0] == '%':
			a.types[string(line[:1+len(GlobalName(line[1:]))])] = at
		case line[0] == '$':
			a.comdats[string(line[:1+len(GlobalName(line[1:]))])] = at
		case bytes.HasPrefix(line, []byte("attributes #")):
			word := line[len("attributes "):]
			a.groups[string(word[:bytes.IndexByte(word, ' ')])] = at
		case bytes.HasPrefix(line, []byte("source_filename")), bytes.HasPrefix(line, []byte("target ")),
			bytes.HasPrefix(line, []byte("module asm ")):
			a.header = append(a.header, at)
			if t, ok := bytes.CutPrefix(line, []byte(`target triple = "`)); ok {
				a.Triple = strings.TrimSuffix(strings.TrimSpace(string(t)), `"`)
			}
		case bytes.HasPrefix(line, []byte("uselistorder")):
		default:
			return nil, fmt.Errorf("assembly of %s: what is %q?", file, bytes.TrimSpace(line))
		}
		pos = end
	}
	return a, nil
}

func (a *Module) add(s *Symbol) {
	a.Symbols[s.Name] = s
	a.Order = append(a.Order, s)
}

// Bytes returns a part of the text.
func (a *Module) Bytes(s Span) []byte { return a.Text[s.Start:s.End] }

// FunctionSymbol parses the name and the linkage from the first line of a function.
func FunctionSymbol(line []byte, link Linkage) (*Symbol, error) {
	at := NameStart(line)
	if at < 0 {
		return nil, fmt.Errorf("no name in %q", bytes.TrimSpace(line))
	}
	s := &Symbol{Name: string(GlobalName(line[at+1:])), Kind: Function, Link: link}
	for word := range bytes.FieldsSeq(line[:at]) {
		if l, ok := linkages[string(word)]; ok {
			s.Link = l
			break
		}
	}
	return s, nil
}

// NameStart returns the position of the @ of a function's name. It is the first @ outside strings, since neither
// attributes nor result types mention a global.
func NameStart(line []byte) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i += 1 + bytes.IndexByte(line[i+1:], '"')
		case '@':
			return i
		}
	}
	return -1
}

// GlobalName returns the name at the start of the text, without its sigil but with quotes.
func GlobalName(text []byte) []byte {
	if len(text) > 0 && text[0] == '"' {
		return text[:bytes.IndexByte(text[1:], '"')+2]
	}
	i := 0
	for i < len(text) && nameByte[text[i]] {
		i++
	}
	return text[:i]
}

// InName reports whether a byte may occur in a name without quotes.
func InName(c byte) bool { return nameByte[c] }

var nameByte = func() (t [256]bool) {
	for c := range t {
		b := byte(c)
		t[c] = isDigit(b) || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b == '$' || b == '.' || b == '_'
	}
	return
}()

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func atoi(digits []byte) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

// digits returns the digits at the start of a text.
func digits(s string) []byte {
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	return []byte(s[:i])
}

// Rename replaces names of globals in a text. to returns the new name of one, or the name itself; end is the position
// behind it. Strings and comments are left as they are.
func Rename(text []byte, to func(name string, end int) string) []byte {
	var out []byte
	done := 0
	References(text, func(sigil byte, name []byte, at int) {
		if sigil != '@' {
			return
		}
		end := at + 1 + len(name)
		if n := to(string(name), end); n != string(name) {
			out = append(append(out, text[done:at+1]...), n...)
			done = end
		}
	})
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// References calls f for every reference in the text, with its sigil and the name without it. Strings and comments are
// skipped.
func References(text []byte, f func(sigil byte, name []byte, at int)) {
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '"':
			n := bytes.IndexByte(text[i+1:], '"')
			if n < 0 {
				return
			}
			i += n + 2
		case ';':
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return
			}
			i += n
		case '@', '%', '!', '#', '$':
			name := GlobalName(text[i+1:])
			if len(name) > 0 && !(c == '!' && !isDigit(name[0])) && !(c == '#' && !isDigit(name[0])) {
				f(c, name, i)
			}
			i += 1 + len(name)
		default:
			i++
		}
	}
}

// Defines reports whether a symbol is a definition that other modules can refer to.
func (s *Symbol) Defines() bool {
	return s.Link != Declared && s.Link != WeaklyDeclared && s.Link != Local && s.Link != Appending
}

// Place is the position of a definition according to the debug information.
type Place struct {
	Line      int    // 0: unknown
	Named     bool   // the file is known
	File, Dir string // with escapes; File is relative to Dir, and Dir to clang's working directory
}

// Place returns the position of a definition.
func (a *Module) Place(s *Symbol) (p Place) {
	text := a.Bytes(s.Span)
	if i := strings.IndexByte(string(text), '\n'); i >= 0 {
		text = text[:i]
	}
	_, node, ok := strings.Cut(string(text), "!dbg !")
	if !ok {
		return p
	}
	n := a.Bytes(a.nodes[atoi(digits(node))])
	if strings.Contains(string(n), "!DIGlobalVariableExpression(") {
		_, v, _ := strings.Cut(string(n), "var: !")
		n = a.Bytes(a.nodes[atoi(digits(v))])
	}
	if _, l, ok := strings.Cut(string(n), ", line: "); ok {
		p.Line = atoi(digits(l))
	}
	if _, f, ok := strings.Cut(string(n), ", file: !"); ok {
		d := string(a.Bytes(a.nodes[atoi(digits(f))]))
		if _, q, ok := strings.Cut(d, `filename: "`); ok {
			p.Named, p.File = true, q[:strings.IndexByte(q, '"')]
			_, dir, _ := strings.Cut(d, `directory: "`)
			p.Dir, _, _ = strings.Cut(dir, `"`)
		}
	}
	return p
}

// DefinesFunction reports whether the module has a body for the function.
func (a *Module) DefinesFunction(name string) bool {
	s, ok := a.Symbols[name]
	return ok && s.Kind == Function && s.Link != Declared && s.Link != WeaklyDeclared
}

// Functions returns the sorted names of the functions that a module defines, including local ones.
func (a *Module) Functions() []string {
	var names []string
	for _, s := range a.Order {
		if s.Kind == Function && s.Link != Declared && s.Link != WeaklyDeclared {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Exports returns the sorted names of the functions with a body that other modules can refer to.
func (a *Module) Exports() []string {
	var names []string
	for _, s := range a.Order {
		if s.Kind == Function && s.Defines() {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// FirstLine returns the first line of a function's definition.
func (a *Module) FirstLine(s *Symbol) []byte {
	line, _, _ := bytes.Cut(a.Bytes(s.Span), []byte("\n"))
	return line
}
