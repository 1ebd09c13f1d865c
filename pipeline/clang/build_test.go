package clang

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen/found"
)

// unit returns a Unit for a file in a folder, with flags separated by blanks.
func unit(dir, file, flags string) Unit {
	return Unit{File: file, Dir: dir, Flags: strings.Fields(flags)}
}

func TestSingleFile(t *testing.T) {
	dir := files(t, "p.c", `#include <unitproof.h>
#include <stdlib.h>
struct s { const char *name; };
extern int limit, *volatile other;
void log_msg(const struct s *s, char *out);
static int unused(void) { return 7; }
int dead(void) { return unused(); }
static int twice(int x) { return x + x; }
int main(void) { struct s s = {"n"}; char b[2]; log_msg(&s, b); sassert(twice(nd_int()) != limit); free(malloc(3)); return 0; }
`)
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", "")})
	if have, want := defined(m), []string{"main", "twice"}; !slices.Equal(have, want) {
		t.Errorf("bodies of %q, want %q", have, want)
	}
	if !slices.Equal(m.Missing, []string{"log_msg"}) || !slices.Equal(m.MissingVariables, []string{"limit"}) {
		t.Errorf("missing: %q, variables %q", m.Missing, m.MissingVariables)
	}
	if !strings.Contains(string(m.Text), "declare !dbg ") {
		t.Error("no debug information at declarations: constness of parameters is lost")
	}
	for _, f := range []string{"p.c", "unitproof.h", "stdlib.h"} {
		if !slices.ContainsFunc(m.Files, func(p string) bool { return filepath.IsAbs(p) && filepath.Base(p) == f }) {
			t.Errorf("%s is not among the files: %q", f, m.Files)
		}
	}
	if len(m.Assumptions) != 0 {
		t.Errorf("assumptions: %v", m.Assumptions)
	}
	again := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", "")})
	if string(again.Text) != string(m.Text) {
		t.Error("the text differs from one time to the next")
	}
}

func TestChecksDecideSanitizers(t *testing.T) {
	dir := files(t, "p.c", `int f(int a, int b) { return a / b; }
int main(int argc, char **argv) { return f(argc, argc - 2); }`)
	for kind, want := range map[found.Kind]string{
		"signed-overflow": "icmp ne i32 %0, -2147483648", "division-by-zero": "icmp ne i32 %1, 0",
	} {
		m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Checks: map[found.Kind]bool{kind: true}})
		if text := string(m.Text); !strings.Contains(text, want) || strings.Count(text,
			"call void @__ubsan_handle_divrem_overflow_abort(") != 1 {
			t.Errorf("%s: no %q, or more than one check of the division", kind, want)
		}
	}
	if m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""),
		Checks: map[found.Kind]bool{"assertion": true}}); strings.Contains(string(m.Text), "__ubsan") {
		t.Error("checks that nobody asked for")
	}
}

func TestErrorsHavePlaces(t *testing.T) {
	dir := files(t, "p.c", "#include \"h.h\"\nint main(void) {\n  int x = 1;\n  return y;\n}\nint *p = 1.5;\n", "h.h",
		"#define N 3\n",
		"inc.c", "#include \"gone.h\"\nint main(void) { return 0; }\n", "a b/p.c", "int main(void) { return 1 }\n", "warn.c",
		"#warning soon\nint main(void) { f(); }\n")
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name string
		unit Unit
		want Diagnostic
		file string // has to be among the files
	}{
		{"undeclared", unit(dir, "p.c", ""), Diagnostic{at("p.c"), 4, 10, "error", "use of undeclared identifier 'y'",
			found.Lack{What: found.LacksDeclaration, Name: "y"}},
			at("h.h")},
		{"missing header", unit(dir, "inc.c", "-Iinclude"), Diagnostic{at("inc.c"), 1, 10, "error",
			"'gone.h' file not found", found.Lack{What: found.LacksHeader, Name: "gone.h"}}, at("include/gone.h")},
		{"path with a blank", unit("", at("a b/p.c"), ""), Diagnostic{at("a b/p.c"), 1, 26, "error",
			"expected ';' after return statement", found.Lack{}}, at("a b/p.c")},
		{"missing file", unit(dir, "gone.c", ""), Diagnostic{at("gone.c"), 0, 0, "error",
			"no such file or directory: 'gone.c'", found.Lack{}}, at("gone.c")},
		{"missing folder", unit(at("nowhere"), "p.c", ""), Diagnostic{at("nowhere/p.c"), 0, 0, "error",
			"the working directory " + at("nowhere") + " does not exist", found.Lack{}}, at("nowhere/p.c")},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := compileError(t, Request{Entry: "main", EntryUnit: c.unit})
			if e.Stage != "compile" || len(e.Diagnostics) == 0 || e.Diagnostics[0] != c.want {
				t.Errorf("%s: %+v, want %+v", e.Stage, e.Diagnostics, c.want)
			}
			if !slices.Contains(e.Files, c.file) {
				t.Errorf("%s is not among the files %q", c.file, e.Files)
			}
			if !strings.HasPrefix(e.Error(), c.want.File+":") {
				t.Errorf("as text: %s", e)
			}
		})
	}
	t.Run("warnings are none", func(t *testing.T) {
		build(t, Request{Entry: "main",
			EntryUnit: unit(dir, "warn.c", "-Werror -Wall -Werror=implicit-function-declaration")})
	})
	t.Run("one unit of two", func(t *testing.T) {
		e := compileError(t, Request{Entry: "main", EntryUnit: unit(dir, "warn.c", ""),
			Sources: []Unit{unit(dir, "p.c", "")}})
		if e.Diagnostics[0].File != at("p.c") || !strings.Contains(e.Error(), "(and 1 more)") ||
			!slices.Contains(e.Files, at("warn.c")) {
			t.Errorf("%+v", e)
		}
	})
}

func TestEntry(t *testing.T) {
	dir := files(t, "p.c", `int limit; int decl(void);
static void proof_static(void) { decl(); }
static int unrelated(void) { return limit; }
void proof_a(void) {} void proof_b(void) {}`)
	e := compileError(t, Request{Entry: "decl", EntryUnit: unit(dir, "p.c", "")})
	if want := "no function decl in p.c; it defines proof_a, proof_b"; e.Stage != "entry" ||
		!strings.HasPrefix(e.Diagnostics[0].Message, want) {
		t.Errorf("%+v", e)
	}
	if m := build(t, Request{Entry: "proof_static", EntryUnit: unit(dir, "p.c", "")}); !slices.Equal(defined(m),
		[]string{"proof_static"}) {
		t.Errorf("a static entry: %q", defined(m))
	}
	if m := build(t, Request{Entry: "proof_a", EntryUnit: unit(dir, "p.c", ""),
		Keep: []string{"proof_b", "limit", "nowhere"}}); !slices.Equal(defined(m), []string{"proof_a", "proof_b"}) ||
		!strings.Contains(string(m.Text), "@limit = ") {
		t.Errorf("symbols to keep: %q", defined(m))
	}
}

func TestSourcesAndOverrides(t *testing.T) {
	dir := files(t,
		"t.h", "struct pair { int a; struct pair *next; }; int read_it(struct pair *p); int helper(int); extern int "+
			"level; extern struct pair table[2]; extern void (*hook)(int);",
		"p.c", "#include \"t.h\"\nstatic int same(void) { return 1; }\nint main(void) { struct pair p = {level, 0}; "+
			"hook(1); return read_it(&p) + same() + table[0].a; }",
		"a.c", "#include \"t.h\"\nint level = 3; struct pair table[2] = {{1, 0}, {2, table}}; static void h(int i) {} "+
			"void (*hook)(int) = h;\nstatic int same(void) { return 2; }\nint read_it(struct pair *p) { return helper(p->a) "+
			"+ same(); }\nint helper(int x) { return x / 3; }\nint unused_here(void) { return 9; }",
		"over.c", "#include \"t.h\"\nint helper(int x) { return x * 5; }\nint level = 4; struct pair table[2]; static "+
			"void h2(int i) {} void (*hook)(int) = h2;")
	r := Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "a.c", ""),
		unit(dir, "p.c", "")}, Checks: map[found.Kind]bool{}}
	plain := build(t, r)
	if have := defined(plain); !slices.Contains(have, "helper") || !slices.Contains(have, "h") ||
		slices.Contains(have, "unused_here") {
		t.Errorf("bodies of %q", have)
	}
	if text := string(plain.Text); !strings.Contains(text, "sdiv") || !strings.Contains(text,
		"@level = dso_local global i32 3") {
		t.Error("the sources' definitions are not there")
	}
	r.Overrides = []Unit{unit(dir, "over.c", "")}
	over := build(t, r)
	text := string(over.Text)
	if strings.Contains(text, "sdiv") || !strings.Contains(text, "@level = dso_local global i32 4") ||
		!strings.Contains(text, "@table = dso_local global [2 x %struct.pair] zeroinitializer") {
		t.Error("the override's definitions did not win")
	}
	if have := defined(over); slices.Contains(have, "h") || !slices.Contains(have, "h2") {
		t.Errorf("bodies of %q", have)
	}
}

func TestClashes(t *testing.T) {
	dir := files(t,
		"p.c", "int twice(int);\nint main(void) { return twice(2); }",
		"a.c", "int level;\n\nint twice(int x) { return 2 * x; }\nint main(void) { return 1; }",
		"b.c", "int level = 2;\nint twice(int x) { return x + x; }",
		"weak.c", "__attribute__((weak)) int twice(int x) { return 0; }",
		"alias.c", "int real(int x) { return x - 2; } int twice(int x) __attribute__((alias(\"real\")));",
		"real.c", "int real(int x) { return 3; }",
		"oldstyle.c", "int twice(); int main(void) { return twice(4); }")
	t.Run("main beside the entry's", func(t *testing.T) {
		m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "a.c", "")}})
		if !slices.Equal(defined(m), []string{"main", "twice"}) {
			t.Errorf("%q", defined(m))
		}
	})
	t.Run("two definitions", func(t *testing.T) {
		e := compileError(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""),
			Sources: []Unit{unit(dir, "a.c", ""), unit(dir, "b.c", "")}})
		a, b := filepath.Join(dir, "a.c"), filepath.Join(dir, "b.c")
		want := Diagnostic{b, 2, 1, "error", "twice is defined in " + a + " and in " + b +
			"; give one of them as an override (--override) if it is to replace the other, or name the function in " +
			"remove-bodies (--remove-body) to ignore the one of the linked file", found.Lack{}}
		if e.Stage != "link" || !slices.Contains(e.Diagnostics, want) || !slices.Contains(e.Diagnostics,
			Diagnostic{a, 3, 1, "note", "the other definition is here", found.Lack{}}) {
			t.Errorf("%+v", e.Diagnostics)
		}
		if !slices.ContainsFunc(e.Diagnostics, func(d Diagnostic) bool {
			return strings.HasPrefix(d.Message,
				"level is defined in") && d.Line == 1
		}) {
			t.Errorf("variables clash, too: %+v", e.Diagnostics)
		}
	})
	t.Run("a strong one beside a weak one", func(t *testing.T) {
		for _, order := range [][]string{{"weak.c", "b.c"}, {"b.c", "weak.c"}} {
			m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""),
				Sources: []Unit{unit(dir, order[0], ""), unit(dir, order[1], "")}, Checks: map[found.Kind]bool{}})
			if !strings.Contains(string(m.Text), "add nsw") || strings.Contains(string(m.Text), "define weak") {
				t.Errorf("%v: the weak one won", order)
			}
		}
	})
	t.Run("a weak one alone", func(t *testing.T) {
		build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "weak.c", "")}})
	})
	t.Run("alias", func(t *testing.T) {
		m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "alias.c", "")}})
		if !slices.Equal(defined(m), []string{"main", "real"}) || !strings.Contains(string(m.Text), "@twice = ") {
			t.Errorf("%q", defined(m))
		}
		m = build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "alias.c", "")},
			Overrides: []Unit{unit(dir, "b.c", "")}})
		if !slices.Equal(defined(m), []string{"main", "twice"}) {
			t.Errorf("overridden alias: %q", defined(m))
		}
		e := compileError(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""),
			Sources: []Unit{unit(dir, "alias.c", "")}, Overrides: []Unit{unit(dir, "real.c", "")}})
		if !strings.Contains(e.Error(), "real cannot be replaced") {
			t.Error(e)
		}
	})
	t.Run("declared without a prototype", func(t *testing.T) {
		m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "oldstyle.c", ""), Sources: []Unit{unit(dir, "b.c", "")}})
		if !slices.Equal(defined(m), []string{"main", "twice"}) {
			t.Errorf("%q", defined(m))
		}
	})
	t.Run("tentative definitions", func(t *testing.T) {
		d := files(t, "p.c", "int n[4]; int main(void) { return n[0]; }", "q.c",
			"int n[4]; __attribute__((constructor)) void f(void) { n[1] = 2; }")
		m := build(t, Request{Entry: "main", EntryUnit: unit(d, "p.c", "-fcommon"),
			Sources: []Unit{unit(d, "q.c", "-fcommon")}})
		if strings.Count(string(m.Text), "@n = ") != 1 {
			t.Error("n is not one variable")
		}
	})
}

func TestConstructors(t *testing.T) {
	dir := files(t, "p.c", "int state(void); int main(void) { return state(); }",
		"a.c", "static int s; static void used(void) { s = 2; }\n__attribute__((constructor)) static void init(void) { "+
			"used(); }\nint state(void) { return s; }",
		"b.c", "int t; __attribute__((constructor(101))) static void early(void) { t = 1; }")
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""),
		Sources: []Unit{unit(dir, "a.c", ""), unit(dir, "b.c", "")}})
	if have, want := defined(m), []string{"early", "init", "main", "state", "used"}; !slices.Equal(have, want) {
		t.Errorf("bodies of %q, want %q", have, want)
	}
	if !strings.Contains(string(m.Text), "@llvm.global_ctors = appending global [2 x") {
		t.Error("the constructors were not joined")
	}
}

func TestLanguageFeatures(t *testing.T) {
	dir := files(t, "odd.c", `
_Thread_local int tls = 3;
__asm__(".globl marker");
static int table[] = {1, 2, 3};
int *const end = &table[3], (*const row)[3] = &table;
int named __asm__("other name") = 4;
const char *text(void) { return "; not a comment } @x !3 #4 \" \\ \n}\n"; }
int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int v = __builtin_va_arg(l, int); __builtin_va_end(l); return v; }
int jump(int i) { static void *const to[] = {&&a, &&b}; goto *to[i & 1]; a: return 1; b: return 2; }
int vla(int n) { int a[n]; a[0] = 1; __asm__ volatile("nop # \" @y" ::: "memory"); return a[0]; }
extern int maybe(void) __attribute__((weak));
__attribute__((section("mine"), aligned(64))) int placed;
_Complex double z(double d) { return d + 1.0i; }
__attribute__((used)) static int kept(void) { return 0; }
int main(int argc, char **argv) {
  struct { struct { int x : 3; } in; union { float f; unsigned u; }; } s = {{1}, {2.0f}};
  return tls + *end + (*row)[argc] + named + text()[0] + f(1, 2) + jump(argc) + vla(argc) + (maybe ? maybe() : 0) + placed + (int)__real__ z(1) + s.in.x + (int)s.u;
}`, "user.c", "extern _Thread_local int tls; extern int placed; int main(void) { return tls + placed; }")
	m := build(t, Request{Entry: "main", EntryUnit: unit(dir, "odd.c", "")})
	if have := defined(m); slices.Contains(have, "kept") || !slices.Contains(have, "jump") {
		t.Errorf("bodies of %q", have)
	}
	build(t, Request{Entry: "main", EntryUnit: unit(dir, "user.c", ""), Sources: []Unit{unit(dir, "odd.c", "")},
		Overrides: []Unit{unit(files(t, "o.c", "_Thread_local int tls = 7;"), "o.c", "")}})
}

func TestOptions(t *testing.T) {
	dir := files(t, "p.c", "#include \"x.h\"\n#include <assert.h>\nint main(void) { assert(VALUE == 2); return 0; }",
		"my inc/x.h", "#define VALUE 2\n",
		"n.c", "\n#define NDEBUG\n#include <assert.h>\nint main(void) { assert(0); return 0; }", "-o.c",
		"int main(void) { return 0; }", "x.h", "#error wrong one")
	r := Request{Entry: "main", EntryUnit: Unit{File: "p.c", Dir: dir, Flags: []string{"-iquote", "my inc", "-include",
		"my inc/x.h", "-Imy inc", "-fno-such-thing",
		"-fplugin=x.so", "-march=quantum", "-O2", "-DNDEBUG", "-fconserve-bits"}}}
	r.EntryUnit.Flags = slices.Insert(r.EntryUnit.Flags, 0, "-DVALUE_UNUSED")
	r.EntryUnit.File = filepath.Join(dir, "sub", "p.c")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "p.c"), r.EntryUnit.File); err != nil {
		t.Fatal(err)
	}
	r.Sources = []Unit{{File: filepath.Join(dir, "n.c"), Flags: r.EntryUnit.Flags[:7], Dir: dir}}
	tc := toolchain(t)
	for round := range 2 { // in the second round clang is not given the options that it rejected
		r.Checks = allChecks
		m, err := tc.Build(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		var have []string
		for _, n := range m.Assumptions {
			have = append(have, strings.TrimSpace(string(n.What)+" "+n.Name))
		}
		slices.Sort(have)
		want := []string{"dropped-option -fconserve-bits", "dropped-option -fno-such-thing", "dropped-option -fplugin=x.so",
			"dropped-option -march=quantum", "no-assert", "no-assert"}
		if !slices.Equal(have, want) {
			t.Errorf("round %d: assumptions\n%s\nwant\n%s", round, strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
		if !slices.ContainsFunc(m.Assumptions, func(n found.Assumption) bool {
			return n.What == found.NoAssert && n.At.Line == 2 &&
				filepath.Base(n.At.File) == "n.c"
		}) {
			t.Errorf("no place for a definition of NDEBUG: %v", m.Assumptions)
		}
	}
	build(t, Request{Entry: "main", EntryUnit: unit(dir, "-o.c", "")})
}

func TestCancel(t *testing.T) {
	dir := files(t, "p.c", "int main(void) { return 0; }")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := toolchain(t).Build(ctx, Request{Entry: "main", EntryUnit: unit(dir, "p.c", "")}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	slow := files(t, "p.c",
		"#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(x))\nint main(void) { int x = 0; "+
			"C(x++;) return x; }")
	begin := time.Now()
	if _, err := toolchain(t).Build(ctx, Request{Entry: "main", EntryUnit: unit(slow, "p.c", "")}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("cancelling took %v", d)
	}
}

func TestTemporaryFilesGo(t *testing.T) {
	dir, tmp := files(t, "p.c", "int f(void); int main(void) { return f(); }", "q.c", "int f(void) { return 1; }", "bad.c",
		"int main(void) {"), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	build(t, Request{Entry: "main", EntryUnit: unit(dir, "p.c", ""), Sources: []Unit{unit(dir, "q.c", "")}})
	compileError(t, Request{Entry: "main", EntryUnit: unit(dir, "bad.c", "")})
	if remaining, err := filepath.Glob(filepath.Join(tmp, "*", "*", "*")); err != nil || len(remaining) > 0 {
		t.Errorf("left behind: %v %v", remaining, err)
	}
	if made, err := filepath.Glob(filepath.Join(tmp, "*", "*")); err != nil || len(made) != 1 {
		t.Errorf("temporary files were elsewhere than in %s: %v, %v", tmp, made, err)
	}
	t.Setenv("TMPDIR", filepath.Join(tmp, "nowhere"))
	if _, err := toolchain(t).Build(context.Background(), Request{Entry: "main",
		EntryUnit: unit(dir, "p.c", "")}); err == nil {
		t.Error("a folder for temporary files that does not exist went unnoticed")
	}
}

func TestFind(t *testing.T) {
	for _, name := range []string{"clang-14", "/usr/lib/llvm-14/bin/clang"} {
		if name[0] == '/' {
			if _, err := os.Stat(name); err != nil {
				continue
			}
		}
		tc, err := Find(context.Background(), name)
		if err != nil || tc.Major != 14 || major(tc.Version) != 14 || !filepath.IsAbs(tc.Clang) || tc.Link == "" {
			t.Errorf("%s: %+v %v", name, tc, err)
		}
	}
	if _, err := Find(context.Background(), "clang-of-nobody"); err == nil ||
		!strings.Contains(err.Error(), "clang-of-nobody was not found: name a clang of version 14 to 23 by the key clang") {
		t.Errorf("%v", err)
	}
	dir := files(t, "clang-old", "#!/bin/sh\necho clang version 13.0.1\n", "clang-broken",
		"#!/bin/sh\necho broken >&2; exit 3\n")
	for name, want := range map[string]string{"clang-old": "version 14 or newer is needed: name a clang of version 14 " +
		"to 23 by the key clang",
		"clang-broken": "broken"} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Find(context.Background(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A system whose only clang is too old says so.
	if err := os.Rename(filepath.Join(dir, "clang-old"), filepath.Join(dir, "clang-13")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	const want = `clang-13 is "clang version 13.0.1", but version 14 or newer is needed: install`
	if _, err := choose(context.Background(), "", tooOld(), func() string { return "install" }); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}
