package clang

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestGuessedDialect checks that a file for CBMC is compiled once, and that a file that only looks like one is compiled
// unchanged.
func TestGuessedDialect(t *testing.T) {
	tc, runs := counting(t)
	for _, c := range []struct {
		name, text, has string
		runs            int
	}{
		{"a primitive", "int proof(int n, char **v) { return __CPROVER_r_ok(v, 8); }", "@__CPROVER_r_ok(", 1},
		{"a quantifier", "int proof(int n, char **v) { return __CPROVER_forall { int i; i >= 0 ==> v[i] != 0 }; }",
			"%i = alloca", 1},
		{"both", "int proof(int n, char **v) { return __CPROVER_r_ok(v, 8) && __CPROVER_forall { int i; i >= 0 ==> v[i] != " +
			"0 }; }", "%i = alloca", 1},
		{"in a comment", "/* __CPROVER_r_ok */ int proof(void) { return 7; }", "ret i32 7", 1},
		{"a macro of its own", "#define __CPROVER_r_ok(p) 9\nint proof(void) { return __CPROVER_r_ok(0); }", "ret i32 9", 1},
		{"a macro for want of one",
			"#ifndef __CPROVER_r_ok\n#define __CPROVER_r_ok(p) 9\n#endif\nint proof(void) { return __CPROVER_r_ok(0); }",
			"ret i32 9", 1},
		{"a function of its own",
			"static int __CPROVER_overflow_plus(int a, int b) { return 8; }\nint proof(void) { return " +
				"__CPROVER_overflow_plus(1, 2); }", "ret i32 8", 2},
		{"a quantifier behind a macro",
			"#define ALL(i, p) __CPROVER_##forall { int i; p }\nint proof(int n, char **v) { return __CPROVER_r_ok(v, 8); }",
			"@__CPROVER_r_ok(", 1},
		{"a conflict beside it", "void f(int); void f(long x) {}\n" +
			"int proof(int n, char **v) { return __CPROVER_r_ok(v, 8); }", "@__CPROVER_r_ok(", 2},
		{"a conflict with what is declared", "int __CPROVER_overflow_plus(char *a);\n" +
			"int proof(void) { return __CPROVER_overflow_plus(\"\"); }", "call i32 @__CPROVER_overflow_plus(", 2},
		{"behind a macro", "#define OK __CPROVER_##r_ok\nint proof(int n, char **v) { return OK(v, 8); }", "@__CPROVER_r_ok(",
			2},
	} {
		dir := files(t, "p.c", c.text)
		m, err := tc.Build(context.Background(), Request{Entry: "proof", EntryUnit: unit(dir, "p.c", ""),
			Checks: map[found.Kind]bool{}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n := runs(); n != c.runs {
			t.Errorf("%s: clang ran %d times, want %d", c.name, n, c.runs)
		}
		if !strings.Contains(string(m.Text), c.has) {
			t.Errorf("%s: no %q in\n%s", c.name, c.has, m.Text)
		}
	}
	dir := files(t, "p.c", "#include \"h.h\"\nint proof(int n, char **v) { return all(v); }",
		"h.h", "static int all(char **v) { return __CPROVER_r_ok(v, 8) && __CPROVER_forall { int i; i >= 0 ==> v[i] != 0 "+
			"}; }")
	if _, err := tc.Build(context.Background(), Request{Entry: "proof", EntryUnit: unit(dir, "p.c", ""),
		Checks: map[found.Kind]bool{}}); err != nil || runs() != 1 {
		t.Errorf("both in a header: more than one run, or %v", err)
	}
	for include, want := range map[string]int{"#include \"h.h\"\n": 1, "#define H \"h.h\"\n#include H\n": 2} {
		dir = files(t, "p.c", include+"int proof(void) { return __CPROVER_r_ok(0); }", "h.h",
			"#ifndef __CPROVER_r_ok\n#define __CPROVER_r_ok(p) 9\n#endif\n")
		if m, err := tc.Build(context.Background(), Request{Entry: "proof", EntryUnit: unit(dir, "p.c", ""),
			Checks: map[found.Kind]bool{}}); err != nil || runs() != want || !strings.Contains(string(m.Text), "ret i32 9") {
			t.Errorf("a macro for want of one in a header: its own is not taken, or too late: %v", err)
		}
	}
	dir = files(t, "p.c", "int proof(void) { return __CPROVER_r_ok(x, 8); }")
	_, err := tc.Build(context.Background(), Request{Entry: "proof", EntryUnit: unit(dir, "p.c", ""),
		Checks: map[found.Kind]bool{}})
	if err == nil || !strings.Contains(err.Error(), "undeclared identifier 'x'") {
		t.Errorf("error: %v", err)
	}
}

// TestGuessedQuantifier checks that a quantifier in a header of the same folder is found without a failed compilation.
// Code that is not compiled, and macros with the name of a quantifier, stay unchanged.
func TestGuessedQuantifier(t *testing.T) {
	tc, runs := counting(t)
	const macro = "#define ZERO(p) __CPROVER_forall { unsigned i; i < sizeof(*(p)) ==> ((char *)(p))[i] == 0 }\n"
	const use = "int proof(int n, char **v) { int x = n; return ZERO(&x); }\n"
	for _, c := range []struct {
		name, text, header, has string
		runs                    int
	}{
		{"in a header", "# include \"sub/all.h\"\n" + use, macro, "alloca i32", 1},
		{"in a header that is not read", "#if 0\n#include \"sub/all.h\"\n#endif\nint proof(void) { return 7; }\n", macro,
			"ret i32 7", 1},
		{"in a macro that nobody uses", "#include \"sub/all.h\"\nint proof(void) { return 7; }\n", macro, "ret i32 7", 1},
		{"in a header by another folder", "#include <all.h>\n" + use, macro, "alloca i32", 1},
		{"a macro called so",
			"#define __CPROVER_forall if (0)\n#include \"sub/all.h\"\nint proof(void) { ZERO(1) return 7; }\n",
			"#define ZERO(p) __CPROVER_forall { unsigned i; (void)i; return 8; }\n", "ret i32 7", 1},
		{"a macro called so in the header", "#include \"sub/all.h\"\nint proof(void) { ZERO(1) return 7; }\n",
			"#define __CPROVER_forall if (0)\n#define ZERO(p) __CPROVER_forall { unsigned i; (void)i; return 8; }\n",
			"ret i32 7", 1},
	} {
		dir := files(t, "p.c", c.text, "sub/all.h", "#include \"more.h\"\n", "sub/more.h", c.header)
		m, err := tc.Build(context.Background(), Request{Entry: "proof", EntryUnit: unit(dir, "p.c",
			"-I"+filepath.Join(dir, "sub")), Checks: map[found.Kind]bool{}})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if n := runs(); n != c.runs {
			t.Errorf("%s: clang ran %d times, want %d", c.name, n, c.runs)
		}
		if !strings.Contains(string(m.Text), c.has) {
			t.Errorf("%s: no %q in\n%s", c.name, c.has, m.Text)
		}
	}
}

func TestIncludes(t *testing.T) {
	got := includes([]byte("#include \"a.h\"\n # \tinclude\"b/c.h\" // x\n#include <d.h>\n#include NAME\n// " +
		"include \"e.h\"\n#include \"f.h\n#include \"\"\n#include <i.h\nx = \"include\";\n#include \"g.h\"\n" +
		"#include_next <j.h>\n#if __has_include ( <k.h>) || __has_include_next(\"l.h\") || has_include(<m.h>)\n" +
		"#import <n.h>\n__has_include \"o.h\"\n__has_import(<p.h>)\n#import_next <q.h>\n#include"))
	want := []includeName{{"a.h", true}, {"b/c.h", true}, {"d.h", false}, {"g.h", true}, {"j.h", false}, {"k.h", false},
		{"l.h", true}, {"n.h", false}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestReached checks that quoted names are searched in the folder of their file first, and all names in the folders of
// the flags in order.
func TestReached(t *testing.T) {
	dir := files(t, "p.c", "#include \"a.h\"\n#include <a.h>\n#include <none.h>\n", "a.h", "#include \"b.h\"\n",
		"one/a.h", "#include \"a.h\"\n#include <b.h>\n", "two/a.h", "", "two/b.h", "#include <a.h>\n")
	c := &compilation{overlay: newOverlay(nil, dir)}
	names := func(flags ...string) (list []string) {
		for _, f := range c.reached(unit(dir, "p.c", ""), flags) {
			name, err := filepath.Rel(dir, f.path)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, filepath.ToSlash(name))
		}
		return list
	}
	if got, want := names(), []string{"p.c", "a.h"}; !slices.Equal(got, want) {
		t.Errorf("without folders: %v, want %v", got, want)
	}
	got := names("-Ione", "-I"+filepath.Join(dir, "two"))
	if want := []string{"p.c", "a.h", "one/a.h", "two/b.h"}; !slices.Equal(got, want) {
		t.Errorf("with folders: %v, want %v", got, want)
	}
	got = names("-include", "two/a.h", "-Itwo", "-imacros", "b.h")
	if want := []string{"p.c", "two/a.h", "two/b.h", "a.h"}; !slices.Equal(got, want) {
		t.Errorf("included by flags: %v, want %v", got, want)
	}
}
