// Package harness writes unit proofs of functions: what the compiled program knows of a function (types, what its code
// does with its parameters) becomes the C text of a proof that calls it with every argument it could be meant for.
//
// It reads no files and runs nothing: the caller compiles, writes and checks.
package harness

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Request is what a proof is written from.
type Request struct {
	Program  *clangir.Module // has the function and what it calls
	Function string
	File     string // that defines the function, absolute
	Text     []byte // of it
	// Texts are those of the project's files that are part of the file: constructors and predicates are found there.
	Texts [][]byte
	// Dir is the folder of the proof, and Own reports whether a path is that of a file.
	Dir string
	Own func(path string) bool
	// Include: the file is included and not linked, as for a static function.
	Include bool
	Size    int // the largest number of elements
	// Note is said of Size.
	Note string
}

// Proof is a proof that was written.
type Proof struct {
	Text []byte
	// Sized: it has sizes that can be chosen.
	Sized bool
	// Included: the file of the function is included, as asked for or since it has variables that the proof sets.
	Included bool
	// Questions are what was not known, in words.
	Questions []string
}

// ErrNoDefinition is the error for a function that the program does not define.
var ErrNoDefinition = errors.New("the program does not define the function")

// SizeMacro is the name of the constant with the largest number of elements.
const SizeMacro = "MAX_SIZE"

// maxDepth is how many pointers are followed from a struct to others.
const maxDepth = 2

// writer writes one proof.
type writer struct {
	Request
	f      *llvmir.Func
	params []parameter
	*analysis

	stubs     []string        // functions that stand for callbacks
	builders  []string        // functions that make structs
	known     map[string]bool // builders that were begun
	flat      map[string]bool // builders that follow no pointers, so that they need no depth
	body      []string
	block     bool // any_block is used
	text      bool // any_string is used
	sized     bool
	headers   []string
	used      map[string]bool // names of variables
	questions []string
}

// Write writes the proof of a function.
func Write(r Request) (*Proof, error) {
	w := &writer{Request: r, known: map[string]bool{}, flat: map[string]bool{}, used: map[string]bool{},
		analysis: &analysis{known: map[*llvmir.Func]*function{}, nullable: map[member]bool{},
			walked: map[member]bool{}}}
	for _, f := range r.Program.Funcs {
		if f.SourceName != r.Function || len(f.Blocks) == 0 {
			continue
		}
		if w.f == nil || f.Loc != nil && f.Loc.File == r.File { // a static one of another file is not meant
			w.f = f
		}
	}
	if w.f == nil {
		return nil, ErrNoDefinition
	}
	for _, f := range r.Program.Funcs {
		w.analysis.of(f)
	}
	w.params = w.analysis.parametersOf(w.f)
	for i := range w.params {
		p := &w.params[i]
		if p.typ == nil {
			return nil, fmt.Errorf("the type of parameter %d is not in the debug information", i+1)
		}
		p.name = w.variable(p.name, i)
	}
	w.lengthsByName()
	for i := range w.params { // an end needs elements to count
		if p := &w.params[i]; p.ends >= 0 && (w.params[p.ends].typ.Elem == nil || w.params[p.ends].typ.Elem.Bits == 0 ||
			isComposite(w.params[p.ends].typ.Elem) || w.params[p.ends].typ.Elem.Kind == llvmir.DIPointer) {
			p.ends = -1
		}
	}
	w.globals()
	w.arguments()
	return &Proof{Text: []byte(w.file()), Sized: w.sized, Included: w.Include, Questions: w.questions}, nil
}

var reserved = []string{"main", "malloc", "free", "memset", "assume", "memhavoc", "any_block", "any_string"}

// variable is the name for a parameter in the proof.
func (w *writer) variable(name string, i int) string {
	if name == "" {
		name = fmt.Sprintf("arg%d", i+1)
	}
	for name == w.Function || slices.Contains(reserved, name) || w.used[name] {
		name += "_"
	}
	w.used[name] = true
	return name
}

// lengthsByName pairs pointers with the parameters beside them that are lengths by their names, where the code says
// nothing.
func (w *writer) lengthsByName() {
	taken := map[int]bool{}
	for i := range w.params {
		if w.params[i].length >= 0 {
			taken[w.params[i].length] = true
		}
	}
	for i := range w.params {
		p := &w.params[i]
		ofPointers := p.typ.Kind == llvmir.DIPointer && p.typ.Elem != nil && p.typ.Elem.Kind == llvmir.DIPointer
		if p.length >= 0 || !canHaveLength(p.typ) && !ofPointers || p.text && !p.indexed {
			continue
		}
		for _, k := range []int{i + 1, i - 1} {
			if k < 0 || k >= len(w.params) || p.length >= 0 {
				continue
			}
			if q := &w.params[k]; isLength(q.name, q.typ) && (k > i || !taken[k]) {
				p.length, p.why = k, "by its name, %s"
				p.bytes = p.typ.Elem == nil || p.typ.Elem.Kind == llvmir.DIVoid
				taken[k] = true
			}
		}
	}
}

// line adds a statement to main, with what is to be said of it.
func (w *writer) line(statement, comment string) {
	if comment != "" {
		statement += " /* " + comment + " */"
	}
	w.body = append(w.body, statement)
}

// ask notes what was not known.
func (w *writer) ask(question string) string {
	w.questions = append(w.questions, question)
	return "Question: " + question
}

// arguments makes the arguments, lengths first, and the call.
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
				w.scalar(p, lengths[i])
			case isComposite(p.typ):
				w.value(p)
			default:
				call[i] = w.pointer(p)
			}
		}
	}
	w.call(call)
}

// call writes the call. A list of arguments (va_list) is made by a function with variable arguments in between; a
// format gets numbers.
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
		w.line(fmt.Sprintf("assume(%s%s <= %s);", low, p.name, SizeMacro), "")
	}
	if bound := within(t, p.name); bound != "" {
		w.line("assume("+bound+");", w.ask("does a caller pass other numbers than the enumerators?"))
	}
}

func (w *writer) value(p *parameter) {
	w.line(declare(plain(p.typ), p.name)+";", "")
	w.line(fmt.Sprintf("memhavoc(&%s, sizeof %s);", p.name, p.name), "")
	if w.hasPointers(p.typ, 0) {
		w.body = append(w.body, w.members(p.typ, p.name+".", fmt.Sprint(maxDepth))...)
	}
}

// pointer makes the argument for a pointer and returns it.
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
	if p.null && value != "NULL" && !strings.HasPrefix(value, "nd_") {
		value = "nd_bool() ? " + value + " : NULL"
		comment = strings.TrimSpace(strings.TrimSuffix(comment, ".") + "; NULL: the code checks for it")
		comment = strings.TrimPrefix(comment, "; ")
	}
	w.line(declare(plain(p.typ), p.name)+" = "+value+";", comment)
	if !p.null && w.makes(value) {
		w.line("assume("+p.name+" != NULL);", "")
	}
	w.elements(p)
	return p.name
}

// hasEnd reports whether another parameter is the end of the block that one points to.
func (w *writer) hasEnd(p *parameter) bool {
	return slices.ContainsFunc(w.params, func(q parameter) bool { return q.ends >= 0 && &w.params[q.ends] == p })
}

// stretch makes the block that ends at another parameter.
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
	w.line(declare(plain(p.typ), p.name)+" = any_block("+size+");", comment)
	return p.name
}

// target is the value of a pointer that is not NULL, and what is to be said of it.
func (w *writer) target(p *parameter) (value, comment string) {
	if w.isFormat(p) {
		return "\"%d %x\"", w.ask("which formats are passed?")
	}
	t := p.typ.Elem
	if p.length >= 0 && w.handle(p.typ) == "" && (t == nil || t.Kind != llvmir.DIFunc && !incomplete(t)) {
		n := &w.params[p.length]
		w.block = true
		size := n.name
		if !p.bytes && t != nil && t.Bits > 8 {
			size = fmt.Sprintf("%s * sizeof *%s", n.name, p.name)
		}
		return "any_block(" + size + ")", strings.ReplaceAll(p.why, "%s", n.name)
	}
	if call := w.handle(p.typ); call != "" {
		return call, ""
	}
	if t != nil && t.Bits > 0 && !p.text && !isComposite(t) && t.Kind != llvmir.DIPointer && p.extent > t.Bits/8 {
		w.block = true
		n := (p.extent*8 + t.Bits - 1) / t.Bits
		return fmt.Sprintf("any_block(%d * sizeof *%s)", n, p.name), "the code accesses so many elements"
	}
	switch {
	case (t == nil || t.Kind == llvmir.DIVoid) && p.freed:
		w.block, w.sized = true, true
		return "any_block(" + SizeMacro + ")", "it is freed"
	case t == nil || t.Kind == llvmir.DIVoid:
		if !p.accessed && !p.text {
			return "nd_voidp()", "nothing is read or written through it"
		}
		w.block, w.sized = true, true
		return "any_block(" + SizeMacro + ")", w.ask("how many bytes does " + p.name + " have?")
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
		return w.constructor(made(t)), w.ask("are there other states of a " + t.Name + " than those that are made so?")
	case isComposite(t) && p.indexed:
		w.block, w.sized = true, true
		return fmt.Sprintf("any_block((%s + 1) * sizeof *%s)", SizeMacro, p.name), ""
	case isComposite(t):
		return w.object(t, fmt.Sprint(maxDepth)), ""
	case p.indexed:
		w.block, w.sized = true, true
		return fmt.Sprintf("any_block(%s * sizeof *%s)", SizeMacro, p.name),
			w.ask("how many elements does " + p.name + " have?")
	}
	w.block = true
	return fmt.Sprintf("any_block(sizeof *%s)", p.name), ""
}

// elements fills what a pointer to pointers, or to several structs, leads to.
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
		w.body = append(w.body, w.sentinel(p.name, t, fmt.Sprint(maxDepth))...)
		return
	}
	var lines []string
	switch {
	case t.Kind == llvmir.DIPointer:
		value, _ := w.member(t, element, fmt.Sprint(maxDepth), false)
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

// opaque is a value of a pointer to a type that the proof cannot see into: what a constructor of the project returns.
func (w *writer) opaque(t *llvmir.DIType) (value, comment string) {
	switch t.Name {
	case "FILE", "struct _IO_FILE":
		w.header("<stdio.h>")
		return "fopen(\"file\", \"r+\")", w.ask("is the file open for reading and writing?")
	}
	if call := w.constructor(made(t)); call != "" {
		return call, ""
	}
	return "NULL", w.ask("how is a " + t.Name + " made? No function of the project returns one")
}

// made is the pattern of the result of a function that makes objects of a type.
func made(t *llvmir.DIType) string { return regexp.QuoteMeta(t.Name) + `\s*\*\s*` }

// hidden reports whether the members of a struct are known to the function's own file only: headers declare it.
func (w *writer) hidden(t *llvmir.DIType) bool {
	if !isComposite(t) || anonymous(t) {
		return false
	}
	word := regexp.QuoteMeta(identifier(t))
	defined := regexp.MustCompile(`\bstruct\s+` + word + `\s*\{|\}\s*` + word + `\s*;`)
	named := regexp.MustCompile(`\b` + word + `\b`)
	return !slices.ContainsFunc(w.Texts, defined.Match) && slices.ContainsFunc(w.Texts, named.Match)
}

// constructor is a call of a function of the project that makes a value of a type, given by a pattern; "" for none. Its
// arguments are strings and numbers, two at most.
func (w *writer) constructor(result string) string {
	pattern := regexp.MustCompile(`(?m)^(?:extern\s+|[A-Z_]{3,}\s+|[A-Z_]+\()?\s*` + result +
		`\)?\s*(?:[A-Z_]{3,}\s+)?\b(\w*(?:[nN]ew|[cC]reate|[iI]nit|[aA]lloc|[oO]pen|[mM]ake|[eE]mpty)\w*)\s*\(([^()]*)\)\s*[;{]?`)
	best, most := "", 0 // the more arguments, the more values
	texts := w.Texts
	if w.Include {
		texts = append(slices.Clip(texts), w.Text)
	}
	for _, text := range texts {
		for _, m := range pattern.FindAllSubmatch(text, -1) {
			args, ok := w.simpleArguments(string(m[2]))
			if name := string(m[1]); ok && len(args) <= 2 && name != w.Function && (best == "" || len(args) > most) {
				best, most = name+"("+strings.Join(args, ", ")+")", len(args)
			}
		}
	}
	if strings.Contains(best, "any_string") {
		w.text, w.sized = true, true
	}
	return best
}

var (
	stringParameter = lazyregexp.New(`^const\s+char\s*\*\s*(?:const\s+)?\w*$`)
	numberParameter = lazyregexp.New(`^(?:const\s+)?(?:unsigned\s+|signed\s+)?(int|unsigned|long|short|size_t|bool|u?int\d+_t)\b(?:\s+\w+)?$`)
)

// simpleArguments makes arguments for parameters that are strings and numbers; ok is false if there are others.
func (w *writer) simpleArguments(params string) (args []string, ok bool) {
	params = strings.TrimSpace(params)
	if params == "" || params == "void" {
		return nil, true
	}
	for _, p := range strings.Split(params, ",") {
		switch p := strings.Join(strings.Fields(p), " "); {
		case stringParameter.MatchString(p):
			args = append(args, "any_string()")
		case strings.HasPrefix(p, "size_t"):
			args = append(args, SizeMacro)
			w.sized = true
		case numberParameter.MatchString(p):
			args = append(args, "nd_int()")
		default:
			return nil, false
		}
	}
	return args, true
}

// makes reports whether a value is the call of a constructor, which may return NULL.
func (w *writer) makes(value string) bool {
	return strings.HasSuffix(value, ")") && !strings.Contains(value, "any_block(") && !slices.ContainsFunc(
		[]string{"any_", "nd_", "(void"}, func(p string) bool { return strings.HasPrefix(value, p) })
}

// handle is a value of a pointer whose typedef the project makes values of: what its constructor returns.
func (w *writer) handle(t *llvmir.DIType) string {
	if t.Kind != llvmir.DIPointer || !named(t) {
		return ""
	}
	return w.constructor(regexp.QuoteMeta(t.Name) + `\s+`)
}

func (w *writer) header(name string) {
	if !slices.Contains(w.headers, name) {
		w.headers = append(w.headers, name)
	}
}

// includes are the lines that make the types and the function known.
func (w *writer) includes() []string {
	path := func(to string) string {
		if rel, err := filepath.Rel(w.Dir, to); err == nil {
			return filepath.ToSlash(rel)
		}
		return to
	}
	if w.Include {
		lines := []string{}
		if definesMain.Match(w.Text) && w.Function != "main" {
			return append(lines, "#define main program_main", fmt.Sprintf("#include %q", path(w.File)), "#undef main")
		}
		return append(lines, fmt.Sprintf("#include %q", path(w.File)))
	}
	var lines []string
	depth := 0
	for _, line := range strings.Split(string(w.Text), "\n") {
		m := directive.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch m[1] {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			depth--
		case "include":
			name := strings.TrimSpace(m[2])
			if i := strings.IndexAny(name[min(1, len(name)):], "\">"); i >= 0 {
				name = name[:i+2]
			}
			if depth > 0 || len(name) < 3 || name == "<unitproof.h>" || name == "<stdlib.h>" {
				continue
			}
			if name[0] == '"' {
				if beside := filepath.Join(filepath.Dir(w.File), name[1:len(name)-1]); w.Own(beside) {
					name = fmt.Sprintf("%q", path(beside))
				}
			}
			if line := "#include " + name; !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

var (
	directive   = lazyregexp.New(`^\s*#\s*(if|ifdef|ifndef|endif|include)\b\s*(.*)$`)
	definesMain = lazyregexp.New(`(?m)^\s*(?:int\s+|void\s+)?main\s*\(`)
)

// prototype declares the function as its definition has it, for headers that do not.
func (w *writer) prototype() string {
	var params []string
	for _, p := range w.params {
		if isList(p.typ) {
			params = append(params, "va_list")
			continue
		}
		params = append(params, declare(plain(p.typ), ""))
	}
	if w.f.Variadic {
		params = append(params, "...")
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	return declare(w.f.RetDIType, w.Function+"("+strings.Join(params, ", ")+")") + ";"
}

// declared reports whether a header of the project declares the function.
func (w *writer) declared() bool {
	pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(w.Function) + `\s*\)?\s*\(`)
	return slices.ContainsFunc(w.Texts, func(text []byte) bool { return pattern.Match(text) })
}

// file is the text of the proof.
func (w *writer) file() string {
	var b strings.Builder
	fmt.Fprintf(&b, "/*\n * %s: memory safety and defined behaviour for all arguments below.\n"+
		" * Written by \"unitproof new\"; what could not be known is a question in a comment.\n */\n", w.Function)
	b.WriteString("#include <stdlib.h>\n#include <unitproof.h>\n")
	for _, h := range w.headers {
		fmt.Fprintf(&b, "#include %s\n", h)
	}
	for _, line := range w.includes() {
		b.WriteString(line + "\n")
	}
	b.WriteString("\n")
	if w.sized {
		note := "elements of an array, characters of a string"
		if w.Note != "" {
			note += ": " + w.Note
		}
		fmt.Fprintf(&b, "#ifndef %s\n#define %s %d /* %s */\n#endif\n", SizeMacro, SizeMacro, w.Size, note)
	}
	if !w.Include && !w.declared() {
		b.WriteString(w.prototype() + "\n")
	}
	b.WriteString("\n")
	if w.block || w.text {
		b.WriteString("static void *any_block(size_t n) {\n  void *p = malloc(n);\n  assume(p != NULL);\n" +
			"  memhavoc(p, n);\n  return p;\n}\n\n")
	}
	if w.text {
		fmt.Fprintf(&b, "static char *any_string(void) {\n  size_t n = nd_size_t();\n  assume(n <= %s);\n"+
			"  char *s = any_block(n + 1);\n  s[n] = 0;\n  return s;\n}\n\n", SizeMacro)
	}
	for _, s := range slices.Concat(w.stubs, w.builders) {
		b.WriteString(s + "\n")
	}
	b.WriteString("int main(void) {\n")
	indent := "  "
	if len(w.body) > 0 && w.body[0] == "" {
		w.body = w.body[1:]
	}
	for _, line := range w.body {
		if line == "}" {
			indent = indent[2:]
		}
		if line == "" {
			b.WriteString("\n")
		} else {
			b.WriteString(indent + line + "\n")
		}
		if strings.HasSuffix(line, "{") {
			indent += "  "
		}
	}
	b.WriteString("  return 0;\n}\n")
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
}
