// Package export writes a proof as one C program for other tools: the sources after preprocessing, and the names of the
// proof language as functions over SV-COMP's (__VERIFIER_nondet_int, __VERIFIER_assume, reach_error).
//
// It compiles nothing and reads no files. A construct that such a program cannot express is an error.
package export

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/replay"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Request is a proof to be written.
type Request struct {
	Name    string // of the proof, for the head
	Program *clangir.Module
	Entry   string
	Units   []replay.SourceText // in the order of the linker
	// MallocMayFail: allocations may return NULL.
	MallocMayFail bool
	MaxLen        int // the largest input of a fuzz target
}

// Program is a proof as one C program.
type Program struct {
	Text []byte
	// Notes are differences of the program's meaning in other tools.
	Notes []string
}

// writer writes one program.
type writer struct {
	Request
	declared map[string]bool // functions that the sources declare
	words    map[string]bool // names in the sources
	macros   []string
	needs    map[string]string // declarations of SV-COMP's functions, by name
	defs     []string
	notes    []string
}

// Write writes a proof.
func Write(r Request) (*Program, error) {
	w := &writer{Request: r, declared: map[string]bool{}, words: map[string]bool{}, needs: map[string]string{}}
	source, err := w.merge()
	if err != nil {
		return nil, err
	}
	for _, name := range csource.DeclaredFunctions([]byte(source)) {
		w.declared[name] = true
	}
	for s := (csource.Scanner{Text: []byte(source)}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			break
		}
		if t.Kind != csource.Ident {
			continue
		}
		name := t.Of(s.Text)
		if isContract(name) {
			return nil, fmt.Errorf("%s cannot be expressed in other tools' C: contracts are not exported", name)
		}
		w.words[name] = true
	}
	for _, f := range w.Program.Funcs { // primitives that only our models of the C library call are left out
		if len(f.Blocks) == 0 && w.words[f.SourceName] ||
			language.Lookup(f.Name).Role == language.AssertFailure {
			if err := w.primitive(f); err != nil {
				return nil, err
			}
		}
	}
	w.allocations()
	entry, err := w.entry()
	if err != nil {
		return nil, err
	}
	return &Program{Text: w.file(source, entry), Notes: w.notes}, nil
}

// isContract reports whether a name is a word of contracts or of quantifiers.
func isContract(name string) bool {
	switch strings.TrimPrefix(name, "__CPROVER_") {
	case "requires", "ensures", "assigns", "frees", "loop_invariant", "decreases", "old", "loop_entry", "return_value",
		"is_fresh", "forall", "exists", "is_freeable", "was_freed", "obeys_contract", "pointer_equals":
		return strings.HasPrefix(name, "__CPROVER_")
	}
	return false
}

// merge makes one text of all files. A header that several of them include stands there once.
func (w *writer) merge() (string, error) {
	var b strings.Builder
	done := map[string]string{} // texts of headers that were written
	from := map[string]string{} // the first file that included them
	includes := map[string]bool{}
	for _, u := range w.Units {
		parts := map[string]*strings.Builder{}
		var order []string
		text := replay.Flatten(u, func(text, file string, _ int) string {
			file = path.Clean(file)
			if parts[file] == nil {
				parts[file] = &strings.Builder{}
				order = append(order, file)
			}
			if strings.TrimSpace(text) != "" {
				parts[file].WriteString(text + "\n")
			}
			return text
		})
		if len(w.Units) == 1 {
			return text, nil
		}
		fmt.Fprintf(&b, "/* ---- %s ---- */\n", u.Name)
		for _, name := range order {
			part := parts[name].String()
			switch before, seen := done[name]; {
			case seen && before == part, strings.TrimSpace(part) == "":
				continue
			case seen:
				return "", fmt.Errorf("%s and %s cannot be merged into one program: %s reads otherwise in each", from[name],
					u.Name, name[strings.LastIndexByte(name, '/')+1:])
			}
			done[name], from[name] = part, u.Name
		}
		w.interleave(&b, u, done, from, includes)
	}
	return b.String(), nil
}

// interleave writes a file in its order without the headers that files before it have included.
func (w *writer) interleave(b *strings.Builder, u replay.SourceText, done, from map[string]string,
	includes map[string]bool) {
	text := replay.Flatten(u, func(text, file string, _ int) string {
		file = path.Clean(file)
		if done[file] != "" && from[file] != u.Name {
			return ""
		}
		return text
	})
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#include <") {
			if includes[line] {
				continue
			}
			includes[line] = true
		}
		b.WriteString(line)
	}
}

// nondet is SV-COMP's function for a type of C, "" if there is none.
func nondet(t *llvmir.DIType) (name, result string) {
	if t == nil {
		return "", ""
	}
	switch t.Kind {
	case llvmir.DIBool:
		return "bool", "_Bool"
	case llvmir.DIInt, llvmir.DIChar, llvmir.DIEnum:
		for _, n := range []struct {
			bits         int64
			name, result string
		}{{8, "char", "char"}, {16, "short", "short"}, {32, "int", "int"}, {64, "long", "long"}} {
			switch {
			case n.bits != t.Bits:
			case t.Signed:
				return n.name, n.result
			default:
				return "u" + n.name, "unsigned " + n.result
			}
		}
	case llvmir.DIFloat:
		switch t.Bits {
		case 32:
			return "float", "float"
		case 64:
			return "double", "double"
		}
	case llvmir.DIPointer:
		return "ulong", "unsigned long"
	}
	return "", ""
}

// any is a call that gives any value of a type; "" if there is none.
func (w *writer) any(t *llvmir.DIType) string {
	name, result := nondet(t)
	if name == "" {
		return ""
	}
	name = "__VERIFIER_nondet_" + name
	w.needs[name] = fmt.Sprintf("extern %s %s(void);", result, name)
	if t.Kind == llvmir.DIPointer || t.Kind == llvmir.DIEnum {
		return fmt.Sprintf("(%s)%s()", t.Name, name)
	}
	return name + "()"
}

func (w *writer) fails() string {
	w.needs["reach_error"] = "extern void reach_error(void);"
	w.needs["abort"] = "extern void abort(void);"
	return "{ reach_error(); abort(); }"
}

func (w *writer) assumes(condition string) string {
	w.needs["__VERIFIER_assume"] = "extern void __VERIFIER_assume(int cond);"
	return fmt.Sprintf("__VERIFIER_assume(%s);", condition)
}

// typeOf is the type of a parameter in C.
func typeOf(p *llvmir.Param) string {
	switch {
	case p.DIType != nil && p.DIType.Name != "":
		return p.DIType.Name
	case p.Type.Kind == llvmir.PointerType:
		return "void *"
	case p.Type.Bits == 1:
		return "_Bool"
	case p.Type.Bits == 64:
		return "unsigned long"
	}
	return "int"
}

// primitive writes the definition of a name of the proof language, or a macro if the sources do not declare it.
func (w *writer) primitive(f *llvmir.Func) error {
	name := f.SourceName
	entry := language.Lookup(name)
	var params []string
	for i := range f.Params {
		params = append(params, join(typeOf(&f.Params[i]), string(rune('a'+i%26))))
	}
	define := func(result, body string) {
		if len(params) == 0 {
			params = []string{"void"}
		}
		w.defs = append(w.defs, fmt.Sprintf("%s(%s) { %s }", join(result, name), strings.Join(params, ", "), body))
	}
	switch entry.Role {
	case language.Assume:
		switch {
		case name == "__VERIFIER_assume":
		case w.declared[name]:
			define("void", w.assumes("a != 0"))
		default:
			w.assumes("")
			w.macros = append(w.macros, fmt.Sprintf("#define %s(c) __VERIFIER_assume((c) != 0)", name))
		}
	case language.Assert:
		if w.declared[name] {
			define("void", "if (!a) "+w.fails())
			return nil
		}
		w.fails()
		w.macros = append(w.macros, fmt.Sprintf("#define %s(c, ...) do { if (!(c)) { reach_error(); abort(); } } while (0)",
			name))
	case language.Error:
		if name != "reach_error" {
			define("void", w.fails())
		}
	case language.AssertFailure:
		w.needs["reach_error"], w.needs["abort"] = "extern void reach_error(void);", "extern void abort(void);"
		define("void", "reach_error(); abort();")
	case language.Nondet:
		return w.value(f, define)
	case language.Havoc, language.Symbolic:
		byteType := &llvmir.DIType{Kind: llvmir.DIChar, Bits: 8, Name: "unsigned char"}
		define("void", "for (unsigned long unitproof_i = 0; a != 0 && unitproof_i < b; unitproof_i++) ((unsigned char *)a)"+
			"[unitproof_i] = "+w.any(byteType)+";")
	case language.None, language.Abort:
		return nil
	default:
		if entry.IsProofLanguage() {
			return fmt.Errorf("%s has no counterpart in other tools, so the proof cannot be exported", name)
		}
	}
	return nil
}

// value defines a function that gives an arbitrary value.
func (w *writer) value(f *llvmir.Func, define func(result, body string)) error {
	name, t := f.SourceName, f.RetDIType
	if known, _ := nondet(t); strings.HasPrefix(name, "__VERIFIER_nondet_") && (known != "" || t == nil) {
		return nil
	}
	switch {
	case t == nil || !w.declared[name]:
		return fmt.Errorf("%s is not declared, so its type is not known", name)
	case w.any(t) != "":
		define(t.Name, "return "+w.any(t)+";")
	default:
		byteType := &llvmir.DIType{Kind: llvmir.DIChar, Bits: 8, Name: "unsigned char"}
		define(t.Name, fmt.Sprintf("%s; for (unsigned long unitproof_i = 0; unitproof_i < sizeof unitproof_r; "+
			"unitproof_i++) ((unsigned char *)&unitproof_r)[unitproof_i] = %s; return unitproof_r;",
			join(t.Name, "unitproof_r"), w.any(byteType)))
	}
	return nil
}

// join puts a type and a name together.
func join(typ, name string) string {
	if strings.HasSuffix(typ, "*") {
		return typ + name
	}
	return typ + " " + name
}

// allocations lets functions that allocate return NULL, too: other tools assume that they succeed.
func (w *writer) allocations() {
	if !w.MallocMayFail {
		return
	}
	for _, f := range w.Program.Funcs {
		switch language.Lookup(f.Name).Role {
		case language.Malloc, language.Calloc, language.Realloc:
		default:
			continue
		}
		declared, standard := language.PrototypeOf(f.Name)
		if !standard || len(f.Blocks) > 0 && f.Loc != nil && slices.ContainsFunc(w.Units, func(u replay.SourceText) bool {
			return strings.HasSuffix(f.Loc.File, "/"+u.Name)
		}) {
			continue
		}
		var params, args []string
		for i, t := range declared.Parameters {
			arg := string(rune('a' + i))
			params, args = append(params, join(strings.Replace(t, "size_t", "unsigned long", 1), arg)), append(args, arg)
		}
		w.macros = append(w.macros, fmt.Sprintf("#define %s unitproof_%[1]s", f.Name))
		fails := w.any(&llvmir.DIType{Kind: llvmir.DIBool})
		w.defs = append(w.defs, fmt.Sprintf("#undef %s\nextern void *%[1]s(%[2]s);\n"+
			"void *unitproof_%[1]s(%[2]s) { return %[3]s ? (void *)0 : %[1]s(%[4]s); }", f.Name, strings.Join(params, ", "),
			fails, strings.Join(args, ", ")))
	}
}

// entry is main of the program, "" if the proof is that.
func (w *writer) entry() (string, error) {
	f := w.Program.FuncByName[w.Entry]
	if f == nil {
		return "", errors.New("the program has no " + w.Entry)
	}
	var b strings.Builder
	if w.Entry == "main" {
		if len(f.Params) > 0 {
			return "", errors.New("main takes arguments of any number and content, which other tools do not support")
		}
		return "", nil
	}
	w.macros = append(w.macros, "#define main unitproof_other_main")
	b.WriteString("\n#undef main\nint main(void) {\n")
	if w.Entry == language.FuzzTarget {
		size := &llvmir.DIType{Kind: llvmir.DIInt, Bits: 64, Name: "size_t"}
		byteType := &llvmir.DIType{Kind: llvmir.DIChar, Bits: 8, Name: "unsigned char"}
		fmt.Fprintf(&b, "  unsigned long size = %s;\n  %s\n", w.any(size), w.assumes(fmt.Sprintf("size <= %d", w.MaxLen)))
		b.WriteString("  unsigned char *data = __builtin_malloc(size);\n  " + w.assumes("data != 0") + "\n")
		fmt.Fprintf(&b, "  for (unsigned long i = 0; i < size; i++) data[i] = %s;\n", w.any(byteType))
		if init := w.Program.FuncByName["LLVMFuzzerInitialize"]; init != nil {
			return "", errors.New("LLVMFuzzerInitialize takes the arguments of main, which are not exported")
		}
		fmt.Fprintf(&b, "  %s(data, size);\n  return 0;\n}\n", w.Entry)
		return b.String(), nil
	}
	var args []string
	for i := range f.Params {
		p := &f.Params[i]
		value := w.any(p.DIType)
		if value == "" || p.ByVal != nil {
			return "", fmt.Errorf("parameter %d of %s is not a number, and is not exported", i+1, w.Entry)
		}
		args = append(args, value)
	}
	fmt.Fprintf(&b, "  %s(%s);\n  return 0;\n}\n", f.SourceName, strings.Join(args, ", "))
	return b.String(), nil
}

// file puts the program together.
func (w *writer) file(source, entry string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "/*\n * %s: a proof of unitproof as one program, in the words of SV-COMP: an assertion that is\n"+
		" * violated calls reach_error(). Memory safety and undefined behaviour are properties that the other tool has\n"+
		" * to be asked for.\n */\n",
		strings.ReplaceAll(w.Name, "*/", "* /"))
	for _, m := range w.macros {
		b.WriteString(m + "\n")
	}
	names := make([]string, 0, len(w.needs))
	for name := range w.needs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !w.declared[name] {
			b.WriteString(w.needs[name] + "\n")
		}
	}
	b.WriteString(source)
	b.WriteString("\n/* ---- names of the proof language ---- */\n")
	for _, line := range w.defs {
		b.WriteString(line + "\n")
	}
	b.WriteString(entry)
	return b.Bytes()
}
