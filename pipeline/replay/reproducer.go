package replay

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A reproducer is one C file that needs nothing else: the preprocessed sources of the proof, with
// headers of the system as #include lines again, and functions that hand out the
// counterexample's inputs in the order in which the program requests them. It is for a bug report or a test suite.
// Native runs of unitproof itself use the instrumented module, which can have inputs that C cannot express; the head of
// the file lists these.

// SourceText is a file of the proof after preprocessing, with line markers.
type SourceText struct {
	Name  string // as shown to users
	Text  []byte
	Flags []string // of the compiler; only the language and the feature macros are used
	Entry bool     // it defines the entry
}

// Reproducer is the output of "Save reproducer".
type Reproducer struct {
	Text  []byte
	Build string // the command that builds and runs the file
}

// Reproducer returns the reproducer as a file called name. title describes the violation in a sentence.
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
			body.WriteString(atomics(text))
			body.WriteString(w.implicit(text))
			body.WriteString(w.notReached(text)) // before the declarations: later pragmas have no effect in clang
			body.WriteString(text)
			body.WriteString(w.runtime())
		} else {
			body.WriteString(w.macros(false))
			body.WriteString(atomics(text))
			body.WriteString(w.implicit(text))
			body.WriteString(w.notReached(text))
			body.WriteString(text)
		}
		if len(units) > 1 {
			body.WriteString("\n#endif\n\n")
		}
	}
	r := &Reproducer{Build: w.build(name)}
	head := w.head(title, r.Build)
	// Suppress warnings, which the user has seen in the original code: the text counts as a system header (3).
	head += fmt.Sprintf("# %d %s 3\n", strings.Count(head, "\n")+2, strconv.Quote(filepath.Base(name)))
	r.Text = []byte(head + body.String())
	return r, nil
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
	args      []string          // of the call of the entry
	fuzzMain  string            // main of a fuzz target
	allocates bool
}

var declaredReturn = lazyregexp.New(`(?m)^declare [^@\n]*?\b(zeroext|signext) [^@\n]*@("[^"]*"|[-\w.$]+)\(`)

// macros redirects allocation functions, before the headers that declare them.
func (w *reproducer) macros(end bool) string {
	if !w.allocates {
		return ""
	}
	var b strings.Builder
	for _, f := range w.job.Program.Funcs {
		switch entryOf(f).Role {
		case language.Malloc, language.Calloc, language.Realloc:
		default:
			continue
		}
		if !language.IsStandard(f.Name) {
			continue
		}
		if end {
			fmt.Fprintf(&b, "#undef %s\n", f.Name)
		} else {
			fmt.Fprintf(&b, "#define %s unitproof_%s\n", f.Name, f.Name)
		}
	}
	return b.String()
}

// prelude returns the text before the file of the entry.
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

// atomics returns definitions for gcc of the builtins in clang's <stdatomic.h>.
func atomics(text string) string {
	if !strings.Contains(text, "__c11_atomic_") {
		return ""
	}
	return gccAtomics
}

const gccAtomics = `#ifndef __clang__
#define __c11_atomic_init(p, v) (*(p) = (v))
#define __c11_atomic_load(p, o) ({ __auto_type q_ = (p); __typeof__((void)0, *q_) r_; __atomic_load(q_, &r_, o); r_; })
#define __c11_atomic_store(p, v, o) ({ __auto_type q_ = (p); __typeof__((void)0, *q_) v_ = (v); \
                                       __atomic_store(q_, &v_, o); })
#define __c11_atomic_exchange(p, v, o) ({ __auto_type q_ = (p); __typeof__((void)0, *q_) v_ = (v), r_; \
                                          __atomic_exchange(q_, &v_, &r_, o); r_; })
#define __c11_atomic_compare_exchange_strong(p, e, v, s, f) ({ __auto_type q_ = (p); \
    __typeof__((void)0, *q_) v_ = (v); __atomic_compare_exchange(q_, e, &v_, 0, s, f); })
#define __c11_atomic_compare_exchange_weak __c11_atomic_compare_exchange_strong
#define __c11_atomic_fetch_add __atomic_fetch_add
#define __c11_atomic_fetch_sub __atomic_fetch_sub
#define __c11_atomic_fetch_and __atomic_fetch_and
#define __c11_atomic_fetch_or __atomic_fetch_or
#define __c11_atomic_fetch_xor __atomic_fetch_xor
#define __c11_atomic_thread_fence __atomic_thread_fence
#define __c11_atomic_signal_fence __atomic_signal_fence
#endif
`

// implicit declares the functions that a file calls without a declaration, as in C89: newer compilers refuse them.
func (w *reproducer) implicit(text string) string {
	var b strings.Builder
	var declared map[string]bool
	for _, f := range w.job.Program.Funcs {
		if len(f.Blocks) > 0 || !f.Variadic || len(f.Params) > 0 || !strings.Contains(text, f.Name) {
			continue
		}
		if declared == nil {
			declared = map[string]bool{}
			for _, name := range csource.DeclaredFunctions([]byte(text)) {
				declared[name] = true
			}
		}
		if !declared[f.Name] {
			fmt.Fprintf(&b, "int %s();\n", f.Name)
		}
	}
	return b.String()
}

// notReached returns weak declarations of functions without a body that this proof does not reach, such as those of
// other proofs of the file: the linker need not find them.
func (w *reproducer) notReached(text string) string {
	var b strings.Builder
	for _, name := range csource.DeclaredFunctions([]byte(text)) {
		if w.job.Program.FuncByName[name] == nil && w.stubs[name] == "" {
			fmt.Fprintf(&b, "#pragma weak %s\n", name)
		}
	}
	return b.String()
}

// runtime returns the text behind the file of the entry.
func (w *reproducer) runtime() string {
	var b strings.Builder
	b.WriteString("\n/* ---- the inputs ------------------------------------------------------------------------------ " +
		"*/\n\n")
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
	w.helpers(&b)
	names := make([]string, 0, len(w.stubs))
	for n := range w.stubs {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		b.WriteString(w.stubs[n])
	}
	b.WriteString(w.main())
	return b.String()
}

// helpers writes the functions that the stubs call.
func (w *reproducer) helpers(b *strings.Builder) {
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
		// <stdlib.h> was read with the macros, and is not read again: these functions have no declaration.
		b.WriteString(`void *unitproof_libc_malloc(size_t n) __asm__("malloc");
void *unitproof_libc_calloc(size_t n, size_t m) __asm__("calloc");
void *unitproof_libc_realloc(void *p, size_t n) __asm__("realloc");

void *unitproof_malloc(size_t n) {
  if (unitproof_next("malloc fails")->value)
    return NULL;
  void *p = unitproof_libc_malloc(n);
  unitproof_content(p, n, "malloc content");
  return p;
}
void *unitproof_calloc(size_t n, size_t m) { return unitproof_next("malloc fails")->value ? NULL : unitproof_libc_calloc(n, m); }
void *unitproof_realloc(void *p, size_t n) {
  if (unitproof_next("malloc fails")->value)
    return NULL;
  unitproof_next("malloc content");
  return unitproof_libc_realloc(p, n);
}

`)
	}
}

// main returns the function that calls the entry; none if the entry is main.
func (w *reproducer) main() string {
	switch w.job.Entry {
	case language.FuzzTarget:
		return w.fuzzMain
	case "main":
		return ""
	}
	f := w.job.Program.FuncByName[w.job.Entry]
	args := slices.Clone(w.args)
	params := slices.DeleteFunc(slices.Clone(f.Params), func(p llvmir.Param) bool { return p.SRet != nil })
	for i, p := range params {
		if i >= len(args) {
			break
		}
		if p.ByVal != nil {
			continue
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
	return fmt.Sprintf("\nint main(void) {\n  %s(%s);\n  return 0;\n}\n", f.SourceName, strings.Join(args, ", "))
}

var (
	lineMarker   = lazyregexp.New(`^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)$`)
	systemFolder = lazyregexp.New(
		`^(?:/usr/include/x86_64-linux-gnu/|/usr/local/include/|/usr/include/|.*/lib/clang/[^/]+/include/)`)
	featureMacro = lazyregexp.New(`^-D(_\w+)(?:=(.*))?$`)
	// Text before a declared name; "return i;" has a word before the name, too.
	behindType    = lazyregexp.New(`[\w*,]\s*$`)
	behindKeyword = lazyregexp.New(`\b(?:return|goto|case|else|sizeof)\s*$`)
	emptyLineRuns = lazyregexp.New(`\n{3,}`)
)

// build returns the command that builds and runs the reproducer.
func (w *reproducer) build(name string) string {
	quoted := name
	if strings.ContainsAny(name, " '\"\\$&;()<>|*?`") {
		quoted = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	options := "-g -fsanitize=address,undefined -fno-sanitize-recover=all"
	compiler, start := "cc", "./reproducer"
	switch m := w.job.Machine; {
	case emulated(m):
		// The library of UndefinedBehaviorSanitizer exists for some machines only; a trap needs none.
		compiler, start = m.Linker, m.Emulator+" ./reproducer"
		options = "-static -g -fsanitize=undefined -fsanitize-undefined-trap-on-error"
	case m != nil:
		options = "-m32 " + options
	}
	if w.job.Options.Checks[found.UnsignedOverflow] {
		options += ",unsigned-integer-overflow" // clang only
	}
	for _, u := range w.units {
		for _, f := range u.Flags {
			if strings.HasPrefix(f, "-std=") && !strings.Contains(options, f) {
				options += " " + f
			}
		}
	}
	libraries := "-lm"
	called := func(f *llvmir.Func) bool { return strings.HasPrefix(f.Name, "__atomic_") }
	if slices.ContainsFunc(w.job.Program.Funcs, called) {
		libraries += " -latomic" // for operations that the processor lacks
	}
	if len(w.units) == 1 {
		return fmt.Sprintf("%s %s %s %s -o reproducer && %s", compiler, options, quoted, libraries, start)
	}
	return fmt.Sprintf("for u in $(seq %d); do %s %s -DUNIT=$u -c %s -o reproducer$u.o || exit; done; %[2]s %[3]s "+
		"reproducer[0-9]*.o %[5]s -o reproducer && %s",
		len(w.units), compiler, options, quoted, libraries, start)
}

// head returns the comment at the beginning.
func (w *reproducer) head(title, build string) string {
	var b strings.Builder
	safe := func(s string) string { return strings.ReplaceAll(s, "*/", "* /") }
	fmt.Fprintf(&b, "/*\n * %s\n * [%s] at %s:%d\n *\n * A counterexample of unitproof with its inputs; this file needs "+
		"no other. Build and run it (cc may be\n * clang or gcc):\n *\n *   %s\n",
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
