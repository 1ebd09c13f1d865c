package replay

import (
	"context"
	"fmt"
	"math/big"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// A reproducer is one C file that needs nothing else: the preprocessed sources of the proof, with
// headers of the system as #include lines again, and functions that hand out the
// counterexample's inputs in the order in which the program asks for them. It goes into a bug report
// or a test suite; for the native run unitproof itself uses the instrumented module, which can hold
// inputs that C cannot express. Those are named in the file's head.

// SourceText is a file of the proof after preprocessing, with line markers.
type SourceText struct {
	Name  string // as users see it
	Text  []byte
	Flags []string // the compiler's, of which the language and the feature macros count
	Entry bool     // it defines the entry
}

// Reproducer is what "Save reproducer" writes.
type Reproducer struct {
	Text  []byte
	Build string // the command, for a file called Name
}

// Reproducer makes one for a file called name. title says what it shows, in a sentence.
func (j Job) Reproducer(ctx context.Context, name, title string, units []SourceText) (*Reproducer, error) {
	choices, err := vcgen.Choices(ctx, j.Program, j.Entry, j.Options, j.Run)
	if err != nil {
		return nil, err
	}
	w := &reproducer{job: j, units: units, sites: map[int]*site{}, stubs: map[string]string{}}
	w.findSites()
	w.inputs(choices)
	var body strings.Builder
	for i, u := range units {
		if len(units) > 1 {
			fmt.Fprintf(&body, "#if UNIT == %d /* %s */\n\n", i+1, u.Name)
		}
		text := w.source(u)
		if u.Entry {
			body.WriteString(w.prelude())
			body.WriteString(text)
			body.WriteString(w.runtime())
		} else {
			body.WriteString(w.macros(false))
			body.WriteString(text)
		}
		if len(units) > 1 {
			body.WriteString("\n#endif\n\n")
		}
	}
	r := &Reproducer{Build: w.build(name)}
	r.Text = []byte(w.head(title, r.Build) + body.String())
	return r, nil
}

// site is an instruction that asks for inputs.
type site struct {
	in       *llvmir.Instr
	fn       *llvmir.Func
	variable string // whose lifetime begins there
}

// local is a variable whose first content is an input.
type local struct {
	name   string
	file   string
	line   int
	number int
	placed bool
}

type reproducer struct {
	job    Job
	units  []SourceText
	sites  map[int]*site
	table  []string
	locals []*local
	// lost are inputs that C cannot express.
	lost      []string
	stubs     map[string]string // definitions of functions without a body, by name
	args      []string          // of the entry
	allocates bool
}

func (w *reproducer) findSites() {
	for _, f := range w.job.Program.Funcs {
		vars := map[int]string{}
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Op == llvmir.OpDbgDeclare && in.Args[0].Kind == llvmir.OperandReg && in.Text == "" && in.Var != nil {
					vars[in.Args[0].Reg] = in.Var.Name
				}
			}
		}
		from := map[int]int{} // casts of allocas
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				s := &site{in: in, fn: f}
				if in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg {
					from[in.Dst] = in.Args[0].Reg
				}
				if in.Op == llvmir.OpAlloca {
					s.variable = vars[in.Dst]
				}
				if in.Intrinsic == "lifetime.start" && in.Args[1].Kind == llvmir.OperandReg {
					reg := in.Args[1].Reg
					if base, ok := from[reg]; ok {
						reg = base
					}
					s.variable = vars[reg]
				}
				w.sites[in.ID] = s
			}
		}
	}
}

// inputs writes the table of inputs.
func (w *reproducer) inputs(choices []vcgen.Choice) {
	lost := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !slices.Contains(w.lost, s) {
			w.lost = append(w.lost, s)
		}
	}
	add := func(name string, value *big.Int, content map[uint64]byte, s *site) {
		where := ""
		if s != nil && s.in.Loc != nil && s.in.Loc.Line > 0 {
			where = fmt.Sprintf(" /* %s:%d */", filepath.Base(s.in.Loc.File), s.in.Loc.Line)
		}
		if value == nil {
			value = new(big.Int)
		}
		low := new(big.Int).And(value, new(big.Int).SetUint64(^uint64(0)))
		text, size := cBytes(content)
		w.table = append(w.table, fmt.Sprintf("  {%s, %sU, %s, %d},%s", strconv.Quote(name), low, text, size, where))
	}
	numbers := map[string]int{}
	for _, c := range choices {
		s := w.sites[c.Site]
		switch c.Kind {
		case seair.InNondet:
			if s == nil {
				continue
			}
			name := "?"
			if k := s.in.Callee.Const; k != nil && k.Kind == llvmir.ConstFunc {
				name = k.Func.Name
			}
			if c.Bits > 64 {
				lost("results of %s that are wider than 64 bits", name)
			}
			add(name, c.Value, nil, s)
		case seair.InParameter:
			w.args = append(w.args, fmt.Sprintf("%sU", c.Value))
		case seair.InHavoc:
			add("memhavoc", nil, c.Bytes, s)
		case seair.InMalloc:
			add("malloc content", nil, c.Bytes, s)
		case seair.InAllocFails:
			w.allocates = true
			v := new(big.Int)
			if c.True {
				v.SetInt64(1)
			}
			add("malloc fails", v, nil, s)
		case seair.InUninitialized:
			if len(c.Bytes) == 0 && (s == nil || s.variable == "") {
				continue
			}
			if s == nil || s.variable == "" || s.in.Loc == nil {
				if len(c.Bytes) > 0 && s != nil && s.in.Op != llvmir.OpAlloca {
					lost("the content of a variable without a name in %s", s.fn.SourceName)
				}
				continue
			}
			if s.in.Op == llvmir.OpAlloca {
				continue // its lifetime, which begins later, counts
			}
			key := fmt.Sprintf("%s:%d:%s", s.in.Loc.File, s.in.Loc.Line, s.variable)
			n, ok := numbers[key]
			if !ok {
				n = len(w.locals)
				numbers[key] = n
				w.locals = append(w.locals, &local{name: s.variable, file: s.in.Loc.File, line: s.in.Loc.Line, number: n})
			}
			add(fmt.Sprintf("local %d", n), nil, c.Bytes, s)
		case seair.InWrites:
			if c.True {
				lost("what functions without a body write")
			}
		case seair.InGlobal:
			text, size := cBytes(c.Bytes)
			n := uint64(size)
			if g := w.job.Program.GlobalByName[c.Name]; g != nil {
				n = max(n, uint64(g.Type.Size))
			}
			w.stubs[c.Name] = fmt.Sprintf("unsigned char unitproof_variable_%d[%d] __asm__(%s) __attribute__((aligned(16))) = %s;\n",
				len(w.stubs), max(n, uint64(size)+1), strconv.Quote(c.Name), text)
		case seair.InAsm:
			lost("results of inline assembly")
		case seair.InObject:
			lost("where objects lie in memory")
		}
	}
	w.functions()
}

// cBytes writes content as a C string: the bytes up to the last one that is not zero.
func cBytes(content map[uint64]byte) (string, int) {
	n := uint64(0)
	for off := range content {
		if off < 1<<16 {
			n = max(n, off+1)
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range n {
		if i > 0 && i%16 == 0 {
			b.WriteString("\"\n     \"")
		}
		fmt.Fprintf(&b, "\\%03o", content[i])
	}
	b.WriteByte('"')
	return b.String(), int(n)
}

// functions defines what the program misses. Names are given to the assembler, so that no
// declaration in the sources contradicts the types here.
func (w *reproducer) functions() {
	returns := returnTypes(w.job.Module)
	for i, f := range w.job.Program.Funcs {
		name := f.Name
		if len(f.Blocks) > 0 || strings.HasPrefix(name, "llvm.") || strings.HasPrefix(name, "__ubsan_") || native[name] || isMath(f) || w.stubs[name] != "" {
			continue
		}
		define := func(result, params, body string) {
			w.stubs[name] = fmt.Sprintf("%s unitproof_stub_%d(%s) __asm__(%s);\n%s unitproof_stub_%d(%s) { %s }\n", result, i, params, strconv.Quote(name), result, i, params, body)
		}
		switch renamed[name] {
		case "unitproof_assume":
			define("void", "_Bool c", "unitproof_assume(c);")
		case "unitproof_assert":
			define("void", "_Bool c", "if (!c) unitproof_violation();")
		case "unitproof_fail":
			if strings.HasPrefix(name, "__assert") {
				continue // the library's
			}
			define("void", "void", "unitproof_violation();")
		case "unitproof_havoc":
			define("void", "void *p, unsigned long n", `unitproof_content(p, n, "memhavoc");`)
		case "unitproof_dereferenceable":
			define("_Bool", "const void *p, long n", "return unitproof_readable(p, n);")
		case "unitproof_is_modified":
			define("_Bool", "void *p", "return p != p;")
			w.lost = append(w.lost, "whether something was written ("+name+" answers no)")
		case "unitproof_reset_modified":
			define("void", "void *p", "(void)p;")
		case "unitproof_tracking_on", "unitproof_tracking_off":
			define("void", "void", "")
		case "":
			w.nondet(name, f, returns[name], define)
		default: // of the library, see macros
		}
	}
}

func (w *reproducer) nondet(name string, f *llvmir.Func, attribute string, define func(result, params, body string)) {
	if libraryFunction[name] {
		return
	}
	q := strconv.Quote(name)
	switch t := f.Ret; {
	case t.Kind == llvmir.VoidType:
		body := ""
		if f.NoReturn {
			body = "_Exit(0);"
		}
		define("void", "void", body)
	case t.Kind == llvmir.FloatType && t.Bits == 64:
		define("double", "void", "double d; unsigned long long v = unitproof_next("+q+")->value; memcpy(&d, &v, sizeof d); return d;")
	case t.Kind == llvmir.FloatType && t.Bits == 32:
		define("float", "void", "float d; unsigned v = (unsigned)unitproof_next("+q+")->value; memcpy(&d, &v, sizeof d); return d;")
	case t.Kind == llvmir.PointerType:
		define("void *", "void", "return (void *)(unsigned long)unitproof_next("+q+")->value;")
	case t.Kind == llvmir.IntType && t.Bits <= 64:
		c := map[int]string{1: "_Bool", 8: "char", 16: "short", 32: "int", 64: "long"}[t.Bits]
		if c == "" {
			w.lost = append(w.lost, "results of "+name)
			return
		}
		if t.Bits > 1 {
			sign := "unsigned "
			if attribute == "signext" {
				sign = "signed "
			}
			c = sign + c
		}
		define(c, "void", "return ("+c+")unitproof_next("+q+")->value;")
	default:
		w.lost = append(w.lost, "results of "+name)
	}
}

// libraryFunction are those of the C library whose result is arbitrary for the engine; here the
// library's own are called.
var libraryFunction = writesNothing

var declaredReturn = regexp.MustCompile(`(?m)^declare [^@\n]*?\b(zeroext|signext) [^@\n]*@("[^"]*"|[-\w.$]+)\(`)

// returnTypes says how declared functions extend their results.
func returnTypes(module []byte) map[string]string {
	out := map[string]string{}
	for _, m := range declaredReturn.FindAllSubmatch(module, -1) {
		out[unquote(string(m[2]))] = string(m[1])
	}
	return out
}

// macros redirect allocation functions, before the headers that declare them are read.
func (w *reproducer) macros(end bool) string {
	if !w.allocates {
		return ""
	}
	var b strings.Builder
	for _, name := range []string{"malloc", "calloc", "realloc"} {
		if f := w.job.Program.FuncByName[name]; f == nil || len(f.Blocks) > 0 {
			continue
		}
		if end {
			fmt.Fprintf(&b, "#undef %s\n", name)
		} else {
			fmt.Fprintf(&b, "#define %s unitproof_%s\n", name, name)
		}
	}
	return b.String()
}

// prelude is what stands before the file of the entry.
func (w *reproducer) prelude() string {
	var b strings.Builder
	b.WriteString(w.macros(false))
	if w.job.Entry != "main" {
		b.WriteString("#define main unitproof_other_main\n")
	}
	if len(w.locals) > 0 {
		b.WriteString("void unitproof_content(void *p, unsigned long n, const char *name);\n")
	}
	return b.String()
}

// runtime is what stands behind it.
func (w *reproducer) runtime() string {
	var b strings.Builder
	b.WriteString("\n/* ---- the inputs ------------------------------------------------------------------------------ */\n\n")
	b.WriteString(w.macros(true))
	if w.job.Entry != "main" {
		b.WriteString("#undef main\n")
	}
	b.WriteString(`#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which the program asks for them; each function gets those under its name. */
struct unitproof_input {
  const char *name;
  unsigned long long value;
  const char *bytes; /* content; what is not given is zero */
  unsigned long size;
};
static struct unitproof_input unitproof_inputs[] = {
`)
	for _, line := range w.table {
		b.WriteString(line + "\n")
	}
	b.WriteString(`  {0, 0, "", 0},
};

static struct unitproof_input *unitproof_next(const char *name) {
  static struct unitproof_input none = {"", 0, "", 0};
  for (struct unitproof_input *i = unitproof_inputs; i->name; i++)
    if (strcmp(i->name, name) == 0) {
      i->name = "";
      return i;
    }
  return &none;
}

/* Break here. */
__attribute__((noinline)) void unitproof_violation(void) {
  fprintf(stderr, "assertion violated\n");
  abort();
}

`)
	uses := func(name string) bool {
		for _, s := range w.stubs {
			if strings.Contains(s, name) {
				return true
			}
		}
		return false
	}
	if uses("unitproof_assume(") {
		b.WriteString(`static void unitproof_assume(_Bool c) {
  if (!c) {
    fprintf(stderr, "an assumption is false: these are not the counterexample's inputs\n");
    _Exit(3);
  }
}

`)
	}
	if uses("unitproof_content(") || len(w.locals) > 0 || w.allocates {
		b.WriteString(`void unitproof_content(void *p, unsigned long n, const char *name) {
  struct unitproof_input *i = unitproof_next(name);
  if (p == NULL)
    return;
  memset(p, 0, n);
  memcpy(p, i->bytes, i->size < n ? i->size : n);
}

`)
	}
	if uses("unitproof_readable(") {
		b.WriteString(`__attribute__((weak)) void *__asan_region_is_poisoned(void *p, unsigned long n);
static _Bool unitproof_readable(const void *p, long n) {
  if (n < 0)
    return 0;
  if (n == 0)
    return 1;
  if ((unsigned long)p < 4096 || (unsigned long)p >> 47)
    return 0;
  return !__asan_region_is_poisoned || __asan_region_is_poisoned((void *)(unsigned long)p, (unsigned long)n) == NULL;
}

`)
	}
	if w.allocates {
		b.WriteString(`void *unitproof_malloc(size_t n) {
  if (unitproof_next("malloc fails")->value)
    return NULL;
  void *p = malloc(n);
  unitproof_content(p, n, "malloc content");
  return p;
}
void *unitproof_calloc(size_t n, size_t m) { return unitproof_next("malloc fails")->value ? NULL : calloc(n, m); }
void *unitproof_realloc(void *p, size_t n) {
  if (unitproof_next("malloc fails")->value)
    return NULL;
  unitproof_next("malloc content");
  return realloc(p, n);
}

`)
	}
	names := make([]string, 0, len(w.stubs))
	for n := range w.stubs {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		b.WriteString(w.stubs[n])
	}
	if e := w.job.Entry; e != "main" {
		f := w.job.Program.FuncByName[e]
		args := slices.Clone(w.args)
		for i, p := range f.Params {
			if i >= len(args) {
				break
			}
			switch p.Type.Kind {
			case llvmir.PointerType:
				args[i] = "(void *)" + args[i]
			case llvmir.FloatType:
				t, bits := "double", "unsigned long long"
				if p.Type.Bits == 32 {
					t, bits = "float", "unsigned"
				}
				args[i] = fmt.Sprintf("((union { %s u; %s f; }){%s}).f", bits, t, args[i])
			}
		}
		fmt.Fprintf(&b, "\nint main(void) {\n  %s(%s);\n  return 0;\n}\n", f.SourceName, strings.Join(args, ", "))
	}
	return b.String()
}

var (
	lineMarker    = regexp.MustCompile(`^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)$`)
	systemFolder  = regexp.MustCompile(`^(?:/usr/include/x86_64-linux-gnu/|/usr/local/include/|/usr/include/|.*/lib/clang/[^/]+/include/)`)
	featureMacro  = regexp.MustCompile(`^-D(_\w+)(?:=(.*))?$`)
	emptyLineRuns = regexp.MustCompile(`\n{3,}`)
)

// source writes a file without the text of system headers.
func (w *reproducer) source(u SourceText) string {
	var b strings.Builder
	for _, f := range u.Flags {
		if m := featureMacro.FindStringSubmatch(f); m != nil {
			value := m[2]
			if value == "" {
				value = "1"
			}
			fmt.Fprintf(&b, "#ifndef %s\n#define %s %s\n#endif\n", m[1], m[1], value)
		}
	}
	type open struct {
		file   string
		system bool
	}
	var stack []open
	hidden := func() bool { return len(stack) > 0 && stack[len(stack)-1].system }
	file, line := "", 1
	for _, text := range strings.Split(string(u.Text), "\n") {
		m := lineMarker.FindStringSubmatch(text)
		if m == nil {
			if !hidden() {
				b.WriteString(w.line(text, file, line) + "\n")
			}
			line++
			continue
		}
		n, _ := strconv.Atoi(m[1])
		name, flags := m[2], strings.Fields(m[3])
		switch {
		case slices.Contains(flags, "1"):
			inside := hidden()
			system := inside
			if !inside && slices.Contains(flags, "3") {
				if folder := systemFolder.FindString(name); folder != "" {
					fmt.Fprintf(&b, "#include <%s>\n", name[len(folder):])
					system = true
				}
			}
			if !system && !strings.HasPrefix(name, "<") {
				fmt.Fprintf(&b, "/* ---- %s ---- */\n", filepath.Base(name))
			}
			stack = append(stack, open{name, system})
		case slices.Contains(flags, "2"):
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
		file, line = name, n
	}
	return emptyLineRuns.ReplaceAllString(b.String(), "\n\n")
}

// line adds to a line of the source what C cannot say otherwise: the content of variables that it
// declares without initialising them, and which violation happens there.
func (w *reproducer) line(text, file string, line int) string {
	if strings.TrimSpace(text) == "" {
		return text
	}
	for _, l := range w.locals {
		if l.placed || l.line != line || !sameFile(l.file, file) {
			continue
		}
		if at := declarationEnd(text, l.name); at > 0 {
			text = fmt.Sprintf("%s unitproof_content((void *)&%s, sizeof %s, \"local %d\");%s", text[:at], l.name, l.name, l.number, text[at:])
			l.placed = true
		}
	}
	if line == w.job.Line && sameFile(file, w.job.File) {
		text += " /* <- " + string(w.job.Run.Kind) + " */"
	}
	return text
}

// declarationEnd finds the end of the statement that declares a variable without an initialiser; 0
// when the line has none.
func declarationEnd(text, name string) int {
	m := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*(\[[^\]]*\]\s*)*[;,]`).FindStringIndex(text)
	if m == nil {
		return 0
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ';':
			if i >= m[1]-1 && depth == 0 {
				return i + 1
			}
		}
		if i == m[0] && depth != 0 {
			return 0 // the head of a for
		}
	}
	return 0
}

// build is the command that makes a program of the reproducer.
func (w *reproducer) build(name string) string {
	quoted := name
	if strings.ContainsAny(name, " '\"\\$&;()<>|*?`") {
		quoted = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	options := "-g -fsanitize=address,undefined -fno-sanitize-recover=all"
	if w.job.Options.Checks[seair.UnsignedOverflow] {
		options += ",unsigned-integer-overflow" // clang only
	}
	for _, u := range w.units {
		for _, f := range u.Flags {
			if strings.HasPrefix(f, "-std=") && !strings.Contains(options, f) {
				options += " " + f
			}
		}
	}
	if len(w.units) == 1 {
		return fmt.Sprintf("cc %s %s -lm -o reproducer && ./reproducer", options, quoted)
	}
	return fmt.Sprintf("for u in $(seq %d); do cc %s -DUNIT=$u -c %s -o reproducer$u.o || exit; done; cc %s reproducer[0-9]*.o -lm -o reproducer && ./reproducer",
		len(w.units), options, quoted, options)
}

// head is the comment at the beginning.
func (w *reproducer) head(title, build string) string {
	var b strings.Builder
	safe := func(s string) string { return strings.ReplaceAll(s, "*/", "* /") }
	fmt.Fprintf(&b, "/*\n * %s\n * [%s] at %s:%d\n *\n * A counterexample of unitproof with its inputs; this file needs no other. Build and run it (cc may be\n * clang or gcc):\n *\n *   %s\n",
		safe(title), w.job.Run.Kind, filepath.Base(w.job.File), w.job.Line, safe(build))
	for _, l := range w.locals {
		if l.placed {
			continue
		}
		for _, row := range w.table {
			if strings.HasPrefix(row, fmt.Sprintf("  {\"local %d\", 0U, \"\\", l.number)) {
				w.lost = append(w.lost, fmt.Sprintf("the content of `%s` (%s:%d)", l.name, filepath.Base(l.file), l.line))
				break
			}
		}
	}
	if len(w.lost) > 0 {
		b.WriteString(" *\n * The counterexample also depends on what C cannot express, so that it may not happen here:\n")
		for _, l := range w.lost {
			fmt.Fprintf(&b, " *   %s\n", safe(l))
		}
	}
	b.WriteString(" */\n")
	return b.String()
}
