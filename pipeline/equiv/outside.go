package equiv

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

//go:embed runtime/compare.c
var runtimeText string

// outsideCall is a function without a body, or a model of the C library that makes choices. The runtime has a function
// in its place, with a type of C.
type outsideCall struct {
	name, symbol string
	params       []outsideParam
	result       string // type of C
	resultSize   int64  // bytes behind a pointer
	text         bool   // the result is a string
	pair         string // members in C of a result of two numbers, a structure; "" for others
	pairType     string // its type of LLVM
	noReturn     bool
	variadic     bool
	err          error
}

type outsideParam struct {
	typ             string // type of C
	writable, plain bool   // of pointers: the memory behind it
	handle          bool   // only the address matters: the object is private to the functions without a body
	into            int64  // bytes of a structure that the function returns there
	cursor          bool   // leads to a pointer that the function may advance
	list            bool   // is a va_list, whose content is not compared
}

// fromOutside returns the models of the C library that make choices: two runs would make different ones. Calls of them
// are calls to the outside. acts has those that the outside can notice: the others, such as snprintf, only return and
// write values that are not modelled.
func (s *side) fromOutside() (chooses, acts map[string]bool) {
	chooses, acts = map[string]bool{}, map[string]bool{}
	refs := map[string][]string{}
	for _, sym := range s.m.Order {
		if sym.Kind != asm.Function || !defined(sym) || !language.IsModelFile(s.file(sym)) {
			continue
		}
		name := sym.Name
		if file := s.file(sym); strings.HasSuffix(file, "/file.c") || strings.HasSuffix(file, "/fuzz.c") ||
			language.Lookup(name).Stateful || language.Lookup(name).Synchronizes {
			chooses[name], acts[name] = true, true
		}
		asm.References(s.m.Bytes(sym.Span), func(sigil byte, ref []byte, _ int) {
			if sigil != '@' {
				return
			}
			refs[name] = append(refs[name], string(ref))
			switch language.Lookup(string(ref)).Role {
			case language.Nondet, language.OtherConversion, language.Havoc, language.Impossible:
				chooses[name] = true
			case language.Print, language.Lend:
				chooses[name], acts[name] = true, true
			}
		})
	}
	for changed := true; changed; {
		changed = false
		for name, list := range refs {
			for _, of := range []map[string]bool{chooses, acts} {
				if !of[name] && slices.ContainsFunc(list, func(r string) bool { return of[r] }) {
					of[name], changed = true, true
				}
			}
		}
	}
	return chooses, acts
}

// isOutside reports whether calls of a function without a definition are calls to the outside.
func (b *builder) isOutside(name string, inHarness bool) bool {
	name = unquoted(name)
	if strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, clangir.SanitizerHandler) ||
		strings.HasPrefix(name, RuntimePrefix) || name == b.Function+harness.BeforeSuffix {
		return false
	}
	switch role := language.Lookup(name).Role; role {
	case language.None, language.Unknown, language.Print, language.Lend, language.AlignedAlloc, language.Valloc,
		language.PosixMemalign:
		return true
	case language.Nondet:
		return !inHarness
	}
	return false
}

// call returns the call to the outside for a function; signature has the types of the arguments of a variadic call.
func (b *builder) call(s *side, name, signature string) *outsideCall {
	key := name + " " + signature
	if c := b.names[key]; c != nil {
		return c
	}
	c := &outsideCall{name: unquoted(name), noReturn: false}
	b.names[key] = c
	b.calls = append(b.calls, c)
	c.symbol = fmt.Sprintf("compare__call_%d_%s", len(b.calls), notInName.ReplaceAllString(c.name, "_"))
	if !slices.Contains(b.out.Outside, c.name) {
		b.out.Outside = append(b.out.Outside, c.name)
	}
	f := s.ir.FuncByName[c.name]
	if f == nil {
		c.err = fmt.Errorf("the type of %s is not known", c.name)
		return c
	}
	role := language.Lookup(c.name).Role
	c.noReturn = f.NoReturn || role == language.Exit || role == language.Abort
	if role == language.AlignedAlloc || role == language.Valloc || role == language.PosixMemalign {
		c.err = fmt.Errorf("%s is called, and its memory cannot be compared", c.name)
		return c
	}
	if language.Lookup(c.name).Synchronizes {
		c.err = fmt.Errorf("%s is called, and other threads may notice the order of accesses around it", c.name)
		return c
	}
	c.types(f, role, b.Callbacks[c.name], b.Executed)
	if f.Variadic {
		if signature == "" {
			c.err = fmt.Errorf("%s takes variable arguments, and its address is taken", c.name)
			return c
		}
		c.variadic = true
		for _, t := range strings.Fields(signature)[min(len(f.Params), len(strings.Fields(signature))):] {
			c.params = append(c.params, outsideParam{typ: variadicTypes[t], plain: false})
		}
	}
	if len(c.params) > maxArguments {
		c.err = fmt.Errorf("%s is called with %d arguments", c.name, len(c.params))
	}
	b.describe(c)
	return c
}

// maxArguments is ARGUMENTS of the runtime.
const maxArguments = 8

// variadicTypes are the types of C for the types of arguments behind an ellipsis.
var variadicTypes = map[string]string{"ptr": "void *", "i32": "int", "i64": "long", "double": "double"}

var notInName = lazyregexp.New(`\W`)

// types sets the types of parameters and result. Executions do more than formulas: a structure as the result is any
// bytes, and a pointer to a pointer may be advanced.
func (c *outsideCall) types(f *llvmir.Func, role language.Role, callback *llvmir.DIType, executed bool) {
	for i := range f.Params {
		p := &f.Params[i]
		t, ok := cType(p.Type)
		if !ok || p.ByVal != nil || p.SRet != nil && !executed {
			c.err = fmt.Errorf("%s is called with a structure by value", c.name)
		}
		param := outsideParam{typ: t, writable: !p.PointsToConst && role != language.Print}
		d := p.DIType
		if d == nil && callback != nil && len(callback.Fields) == len(f.Params) {
			d = callback.Fields[i].Type
		}
		if d != nil && d.Kind == llvmir.DIPointer && d.Elem != nil {
			param.plain = !hasPointers(d.Elem, 0)
			param.writable = param.writable && !d.Elem.Const
			param.handle = isHandle(d.Elem)
			param.list = executed && d.Elem.Name == "struct __va_list_tag"
			param.cursor = executed && param.writable && d.Elem.Kind == llvmir.DIPointer &&
				d.Elem.Elem != nil && !hasPointers(d.Elem.Elem, 0)
		}
		if p.SRet != nil {
			param.into = p.SRet.Size
		}
		c.params = append(c.params, param)
	}
	c.result = "void"
	if f.Ret != nil && f.Ret.Kind != llvmir.VoidType {
		t, ok := cType(f.Ret)
		if !ok && executed {
			if c.pair, ok = pairOfNumbers(f.Ret); ok {
				t, c.pairType = "struct "+strings.TrimPrefix(c.symbol, RuntimePrefix), f.Ret.String()
			}
		}
		if !ok {
			c.err = fmt.Errorf("%s returns a structure", c.name)
		}
		c.result = t
	}
	if c.result == "void *" {
		c.resultSize = 64
		if d := f.RetDIType; d != nil && d.Kind == llvmir.DIPointer && d.Elem != nil {
			c.text = d.Elem.Kind == llvmir.DIChar
			if d.Elem.Bits > 8 {
				c.resultSize = d.Elem.Bits / 8
			}
		}
	}
}

// isHandle reports whether a type is incomplete, or FILE.
func isHandle(t *llvmir.DIType) bool {
	return t.Name == "FILE" || t.Name == "struct _IO_FILE" || isIncomplete(t)
}

// describe records the assumptions about a call to the outside.
func (b *builder) describe(c *outsideCall) {
	role := language.Lookup(c.name).Role
	if c.err != nil || role == language.Exit || role == language.Abort {
		return
	}
	pointers, written, unwritten := 0, false, false
	defer func() { b.out.KeepsMemory = b.out.KeepsMemory || unwritten }()
	for _, p := range c.params {
		if p.typ == "void *" && !p.handle {
			pointers++
			written = written || p.writable && p.plain
			unwritten = unwritten || p.writable && !p.plain
		}
	}
	text := c.name + " has no body: it does the same in both versions if its arguments are the same"
	switch {
	case written && unwritten:
		text += ", writes at most the objects of its arguments that hold no pointers"
	case written:
		text += ", writes at most the objects of its arguments"
	case unwritten:
		text += ", and writes no memory of the program"
	}
	if pointers > 0 {
		text += ", reads at most these objects, and frees nothing"
	}
	b.assume(text)
}

// cType returns the type of C for a type of an argument or result.
func cType(t *llvmir.Type) (string, bool) {
	switch t.Kind {
	case llvmir.PointerType:
		return "void *", true
	case llvmir.IntType:
		switch {
		case t.Bits == 1:
			return "bool", true
		case t.Bits == 8 || t.Bits == 16 || t.Bits == 32 || t.Bits == 64:
			return fmt.Sprintf("int%d_t", t.Bits), true
		}
	case llvmir.FloatType:
		if t.IEEE() && t.Bits == 32 {
			return "float", true
		}
		if t.IEEE() && t.Bits == 64 {
			return "double", true
		}
	}
	return "", false
}

// pairOfNumbers returns the members in C of a structure of two integers, which a function returns in registers.
func pairOfNumbers(t *llvmir.Type) (string, bool) {
	if t.Kind != llvmir.StructType || len(t.Fields) != 2 {
		return "", false
	}
	var members []string
	for i, f := range t.Fields {
		typ, ok := cType(f)
		if !ok || f.Kind != llvmir.IntType {
			return "", false
		}
		members = append(members, fmt.Sprintf("%s m%d;", typ, i))
	}
	return strings.Join(members, " "), true
}

// specialize gives each call of a function with variable arguments a function with the types of its arguments.
func (b *builder) specialize(s *side, text []byte, dropped map[string]bool) ([]byte, error) {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		out.Write(b.specializeLine(s, line, dropped))
	}
	return out.Bytes(), b.err()
}

var variadicCall = lazyregexp.New(`^(.*\bcall .*?)\(([^()]*(?:, )?)\.\.\.\) @("[^"]*"|[-\w.$]+)\(`)

func (b *builder) specializeLine(s *side, line []byte, dropped map[string]bool) []byte {
	m := variadicCall.FindSubmatchIndex(line)
	if m == nil {
		return line
	}
	name := string(line[m[6]:m[7]])
	sym := s.m.Symbols[name]
	if sym == nil || defined(sym) && !dropped[name] || !b.isOutside(name, false) && !dropped[name] {
		return line
	}
	open := m[1] - 1
	end := asm.Closing(line, open)
	if end < 0 {
		return line
	}
	var types []string
	for _, arg := range splitArguments(string(line[open+1 : end])) {
		t, _, _ := strings.Cut(arg, " ")
		if variadicTypes[t] == "" && len(types) >= strings.Count(string(line[m[4]:m[5]]), ",") {
			b.calls = append(b.calls, &outsideCall{name: name, err: fmt.Errorf(
				"%s is called with an argument of type %s", unquoted(name), t)})
			return line
		}
		types = append(types, t)
	}
	c := b.call(s, name, strings.Join(types, " "))
	return slices.Concat(line[:m[3]], []byte("@"+c.symbol), line[open:])
}

// splitArguments splits a list at its outer commas.
func splitArguments(list string) (parts []string) {
	depth, from := 0, 0
	quoted := false
	for i, r := range list {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case strings.ContainsRune("([{<", r):
			depth++
		case strings.ContainsRune(")]}>", r):
			depth--
		case r == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	if last := strings.TrimSpace(list[from:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}

// declarations returns declarations of the functions of the runtime and, in the version before, of shared functions.
func (b *builder) declarations(s *side) []byte {
	var out bytes.Buffer
	for name := range b.sharing.functions {
		if sym := s.m.Symbols[name]; s.before && sym != nil {
			if line, err := asm.DeclareFunction(sym, s.m.FirstLine(sym)); err == nil {
				out.Write(line)
			}
		}
	}
	for _, d := range []string{"ptr @compare__malloc(i64)", "ptr @compare__calloc(i64, i64)",
		"ptr @compare__realloc(ptr, i64)", "ptr @compare__reallocarray(ptr, i64, i64)", "void @compare__free(ptr)"} {
		fmt.Fprintf(&out, "declare %s\n", d)
	}
	llvm := map[string]string{"void *": "ptr", "int": "i32", "long": "i64", "double": "double", "float": "float",
		"bool": "i1", "int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "int64_t": "i64", "void": "void"}
	declared := map[string]bool{}
	for _, c := range b.calls {
		if c.symbol == "" || c.err != nil || declared[c.symbol] {
			continue
		}
		declared[c.symbol] = true
		var params []string
		for _, p := range c.params {
			params = append(params, llvm[p.typ])
		}
		fmt.Fprintf(&out, "declare %s @%s(%s)\n", cmp.Or(c.pairType, llvm[c.result]), c.symbol, strings.Join(params, ", "))
	}
	return out.Bytes()
}

// runtime returns the C file of the runtime.
func (b *builder) runtime() []byte {
	var out strings.Builder
	if b.Executed {
		out.WriteString("#define EXECUTED\n")
	}
	if slices.ContainsFunc(b.sharing.variables, func(v variable) bool { return v.name == language.Errno }) {
		out.WriteString("#define HAS_ERRNO\n")
	}
	out.WriteString(runtimeText)
	out.WriteString(b.stateOfVariables())
	for i, c := range b.calls {
		if c.symbol == "" {
			continue
		}
		out.WriteString("\n" + c.definition(i+1))
	}
	return []byte(out.String())
}

// usesVariables reports whether the function may read and write variables of the program: it is not of the C library.
func (c *outsideCall) usesVariables() bool {
	return c.symbol != "" && c.err == nil && !language.OfLibrary(c.name, len(c.params))
}

// definition returns the function of the runtime for a call to the outside.
func (c *outsideCall) definition(number int) string {
	var params, lines []string
	for i, p := range c.params {
		params = append(params, fmt.Sprintf("%s a%d", p.typ, i))
		switch {
		case p.list:
			lines = append(lines, fmt.Sprintf("(void)a%d;", i))
		case p.into > 0:
			lines = append(lines, fmt.Sprintf("into(c, %d, a%[1]d, %d);", i, p.into))
		case p.handle:
			lines = append(lines, fmt.Sprintf("value(c, %d, (uint64_t)(uintptr_t)a%[1]d);", i))
		case p.typ == "void *":
			lines = append(lines, fmt.Sprintf("pointer(c, %d, a%[1]d, %v, %v);", i, p.writable, p.plain))
			if p.cursor {
				lines = append(lines, fmt.Sprintf("cursor(c, %d, a%[1]d);", i))
			}
		case p.typ == "float" || p.typ == "double":
			lines = append(lines, fmt.Sprintf("number(c, %d, a%[1]d);", i))
		default:
			lines = append(lines, fmt.Sprintf("value(c, %d, (uint64_t)a%[1]d);", i))
		}
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	if c.usesVariables() {
		lines = append(lines, "variables_at_call(c);")
	}
	switch {
	case c.noReturn:
		lines = append(lines, fmt.Sprintf("end(%d);", number))
	case c.result == "void":
	case c.pair != "":
		lines = append(lines, fmt.Sprintf("return (%s){result(c), second_result(c)};", c.result))
	case c.result == "void *":
		lines = append(lines, fmt.Sprintf("return address(c, %d, %v);", c.resultSize, c.text))
	case c.result == "float" || c.result == "double":
		lines = append(lines, "return number_result(c);")
	case c.result == "bool":
		lines = append(lines, "return result(c) & 1;")
	default:
		lines = append(lines, "return ("+c.result+")result(c);")
	}
	before := ""
	if c.pair != "" {
		before = c.result + " { " + c.pair + " };\n"
	}
	return before + fmt.Sprintf("%s %s(%s) {\n  struct call *c = call(%d);\n  (void)c;\n  %s\n}\n", c.result, c.symbol,
		strings.Join(params, ", "), number, strings.Join(lines, "\n  "))
}
