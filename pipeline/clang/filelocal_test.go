package clang

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// testdata/proofs/cbmc has the proofs that test the engine on these modules.

func TestFileLocalNames(t *testing.T) {
	for file, want := range map[string]string{
		"/a/b/ring.c": "__CPROVER_file_local_ring_c_f", "x-y.2.h": "__CPROVER_file_local_x_y_2_h_f",
	} {
		if got := fileLocalName(file, "f"); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func TestExportedStatics(t *testing.T) {
	const header = "static inline int twice(int x) { return 2 * x; }\n"
	const source = "#include \"h.h\"\nstatic int inner(int x) { return twice(x) + 1; }\nint outer(int x) { return " +
		"inner(x); }\n"
	tests := []struct {
		name, harness string
		remove        []string
		defined       []string // by the module
		missing       []string
	}{
		{"called by another file",
			"int __CPROVER_file_local_s_c_inner(int);\nint main(void) { return __CPROVER_file_local_s_c_inner(3); }", nil,
			[]string{"__CPROVER_file_local_s_c_inner", "main", "twice"}, nil},
		{"of a header that two files have",
			"#include \"h.h\"\nint outer(int);\nint __CPROVER_file_local_h_h_twice(int);\nint main(void) { return " +
				"outer(twice(1)) + __CPROVER_file_local_h_h_twice(3); }", nil,
			[]string{"__CPROVER_file_local_h_h_twice", "inner", "main", "outer", "twice"}, nil},
		{"stood in for", "int outer(int);\nint __CPROVER_file_local_s_c_inner(int x) { return x; }\nint main(void) { " +
			"return outer(1); }", nil,
			[]string{"__CPROVER_file_local_s_c_inner", "main", "outer"}, nil},
		{"removed by its exported name", "int outer(int);\nint main(void) { return outer(1); }",
			[]string{"__CPROVER_file_local_s_c_inner"},
			[]string{"main", "outer"}, []string{"__CPROVER_file_local_s_c_inner"}},
		{"removed by its own name", "int outer(int);\nint main(void) { return outer(1); }", []string{"inner"},
			[]string{"main", "outer"}, []string{"__CPROVER_file_local_s_c_inner"}},
		{"removed and defined by the proof", "int outer(int x) { return x; }\nint main(void) { return outer(1); }",
			[]string{"outer"},
			[]string{"main", "outer"}, nil},
		{"of the proof's own file: stays",
			"static int inner(int x) { return x; }\nint outer(int);\nint main(void) { return inner(outer(1)); }",
			[]string{"inner"},
			[]string{"inner", "main", "outer"}, []string{"__CPROVER_file_local_s_c_inner"}},
		{"of a file that has none of that name",
			"int __CPROVER_file_local_t_c_inner(int);\nint main(void) { return __CPROVER_file_local_t_c_inner(3); }", nil,
			[]string{"main"}, []string{"__CPROVER_file_local_t_c_inner"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, "h.h", header, "s.c", source, "p.c", test.harness)
			m := build(t, Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")},
				Sources: []Unit{{File: filepath.Join(dir, "s.c")}}, RemoveBodies: test.remove})
			if got := defined(m); !slices.Equal(got, test.defined) {
				t.Errorf("defined: %q, want %q", got, test.defined)
			}
			if !slices.Equal(m.Missing, test.missing) {
				t.Errorf("missing: %q, want %q", m.Missing, test.missing)
			}
			notes := sentences(m.Assumptions)
			var want []string
			if test.name == "stood in for" { // its body is not checked
				want = []string{"s.c:2 stand-in inner p.c:2"}
			}
			if !slices.Equal(notes, want) {
				t.Errorf("assumptions: %q, want %q", notes, want)
			}
		})
	}
}

func TestRemovedBodiesAreInTheLinkCacheKey(t *testing.T) {
	dir := files(t, "s.c", "int outer(int x) { return x; }\n", "p.c",
		"int outer(int);\nint main(void) { return outer(1); }")
	r := Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")},
		Sources: []Unit{{File: filepath.Join(dir, "s.c")}}, Store: cache.Open(t.TempDir(), cache.Options{})}
	if m := build(t, r); len(m.Missing) != 0 {
		t.Errorf("missing: %q", m.Missing)
	}
	r.RemoveBodies = []string{"outer"}
	if m := build(t, r); !slices.Equal(m.Missing, []string{"outer"}) {
		t.Errorf("missing with the body removed: %q", m.Missing)
	}
}

func TestDialect(t *testing.T) {
	t.Run("a built-in function is defined", func(t *testing.T) {
		dir := files(t, "p.c",
			"void *__builtin___memcpy_chk(void *d, const void *s, __SIZE_TYPE__ n, __SIZE_TYPE__ m) { return d; }\nint "+
				"main(void) { return 0; }")
		m := build(t, Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}})
		if !slices.Equal(sentences(m.Assumptions), []string{"p.c:0 own-builtin __builtin___memcpy_chk"}) {
			t.Errorf("assumptions: %v", m.Assumptions)
		}
	})
	t.Run("sizes are not int", func(t *testing.T) {
		dir := files(t, "p.c", "int main(void) { char *p = 0; return __CPROVER_OBJECT_SIZE(p) == 1; }")
		m := build(t, Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}})
		if !regexp.MustCompile(`i64 @__CPROVER_OBJECT_SIZE\((i8\*|ptr) noundef`).Match(m.Text) {
			t.Errorf("not declared:\n%s", m.Text)
		}
	})
	t.Run("the user's own declarations count", func(t *testing.T) {
		dir := files(t, "p.c",
			"extern void __CPROVER_assume(int);\n_Bool __CPROVER_r_ok(void *, long);\nint main(int x) { __CPROVER_assume(x); "+
				"return __CPROVER_r_ok(0, 1); }")
		build(t, Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}})
	})
	t.Run("a function contract", func(t *testing.T) {
		dir := files(t, "p.c",
			"int f(int x)\n__CPROVER_requires(x > 0)\n__CPROVER_ensures(__CPROVER_return_value > 1)\n;\nint f(int x) { "+
				"return x + 1; }\nint main(int x) {\n  return f(x);\n}")
		r := Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}, Checks: allChecks}
		// The replacement has the function's name, and the function is not called.
		if m := build(t, r); !slices.Equal(defined(m), []string{"f", "main"}) || len(m.Assumptions) != 1 ||
			m.Assumptions[0].What != found.Contract || !bytes.Contains(m.Text, []byte("@__unitproof_requires(")) {
			t.Errorf("defined: %q, assumptions: %v", defined(m), m.Assumptions)
		}
		r.InlineContracts = true
		if m := build(t, r); len(m.Assumptions) != 0 || bytes.Contains(m.Text, []byte("__unitproof_requires")) {
			t.Errorf("defined: %q, assumptions: %v", defined(m), m.Assumptions)
		}
		r.Entry = language.EnforcePrefix + "f"
		if m := build(t, r); !slices.Equal(defined(m), []string{"unitproof_body_f", "unitproof_enforce_f"}) {
			t.Errorf("defined: %q", defined(m))
		}
		r.Entry, r.InlineContracts = "main", false
		r.EntryUnit.Flags = []string{"-D__CPROVER_requires(...)=", "-D__CPROVER_ensures(...)="}
		if m := build(t, r); !slices.Equal(defined(m), []string{"f", "main"}) {
			t.Errorf("defined: %q", defined(m))
		}
	})
}

func TestConflictingTypes(t *testing.T) {
	const header = "int f(const char *s);\nint g(int x);\n"
	tests := []struct {
		name, stub string
		want       string // in an assumption, or in the error
		fails      bool
	}{
		{"of a definition", "int __CPROVER_x;\nint f(char *s) { return *s == *__func__; }\nint g(int x) { return x; }\n",
			"s.c:3 conflicting-types f", false},
		{"used in the same file", "int __CPROVER_x;\nint f(char *s) { return *s; }\nint g(int x) { return f(0); }\n",
			"conflicting types for 'f'", true},
		{"not for CBMC", "int f(char *s) { return *s; }\nint g(int x) { return x; }\n", "conflicting types for 'f'", true},
		{"beside another error", "int __CPROVER_x;\nint f(char *s) { return *s; }\nint g(int x) { return y; }\n",
			"conflicting types for 'f'", true},
		{"made by a macro", "int __CPROVER_x;\n#define DEFINE int f(char *s) { return *s; }\nDEFINE\n",
			"conflicting types for 'f'", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, "h.h", header, "s.c", "#include \"h.h\"\n"+test.stub, "p.c",
				"#include \"h.h\"\nint main(void) { return f(\"\") + g(1); }")
			r := Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")},
				Sources: []Unit{{File: filepath.Join(dir, "s.c")}}, Checks: allChecks}
			m, err := toolchain(t).Build(context.Background(), r)
			switch {
			case test.fails && (err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "s.c:")):
				t.Errorf("error: %v", err)
			case !test.fails && err != nil:
				t.Error(err)
			case !test.fails:
				verify(t, m.Text)
				if !slices.Equal(sentences(m.Assumptions), []string{test.want}) {
					t.Errorf("assumptions: %v", m.Assumptions)
				}
				if strings.Contains(string(m.Text), "@"+conflictPrefix) || !slices.Equal(defined(m), []string{"f", "g", "main"}) {
					t.Errorf("module:\n%s", m.Text)
				}
			}
		})
	}
}

func TestFirstDefinitionCountsForCBMC(t *testing.T) {
	dir := files(t, "a.c", "int f(void) { return 1; }", "b.c", "int f(void) { return 2; }", "p.c",
		"int f(void);\nint main(void) { __CPROVER_assume(1); return f(); }")
	unit := func(name string) Unit { return Unit{File: filepath.Join(dir, name)} }
	r := Request{Entry: "main", EntryUnit: unit("p.c"), Sources: []Unit{unit("a.c"), unit("b.c")},
		Store: cache.Open(t.TempDir(), cache.Options{})}
	for range 2 { // the second time from the cache
		m := build(t, r)
		if !strings.Contains(string(m.Text), "ret i32 1") || len(m.Assumptions) != 1 ||
			m.Assumptions[0].What != found.FirstCounts || filepath.Base(m.Assumptions[0].At.File) != "b.c" {
			t.Errorf("assumptions %v of\n%s", m.Assumptions, m.Text)
		}
	}
}

// TestQuantifiersAreNotTheError checks that another error of the file is the one that is reported.
func TestQuantifiersAreNotTheError(t *testing.T) {
	dir := files(t, "p.c",
		"int main(void) {\n  int a[2] = {0, 0};\n  __CPROVER_assert(__CPROVER_forall { int i; i == 1 ==> a[i] == 0 }, "+
			"\"\");\n  return b;\n}")
	r := Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}, Checks: allChecks}
	_, err := toolchain(t).Build(context.Background(), r)
	if err == nil || !strings.Contains(err.Error(), "undeclared identifier 'b'") ||
		strings.Contains(err.Error(), "forall") || !strings.Contains(err.Error(), "p.c:4:") {
		t.Errorf("error: %v", err)
	}
}

// TestHarnessComesBeforeOverridesForCBMC checks that the harness wins over stubs, since kits link it first. Its weak
// definitions lose.
func TestHarnessComesBeforeOverridesForCBMC(t *testing.T) {
	dir := files(t, "stub.c", "int f(void) { return 3; }\nint g(void) { return 4; }\nint h(void) { return 5; }",
		"code.c", "int f(void) { return 6; }\nint h(void) { return 7; }",
		"p.c", "int f(void) { return 1; }\n__attribute__((weak)) int g(void) { return 2; }\nint h(void);\n"+
			"int main(void) { __CPROVER_assume(1); return f() + g() + h(); }")
	unit := func(name string) Unit { return Unit{File: filepath.Join(dir, name)} }
	m := build(t, Request{Entry: "main", EntryUnit: unit("p.c"), Overrides: []Unit{unit("stub.c")},
		Sources: []Unit{unit("code.c")}})
	for _, want := range []string{"ret i32 1,", "ret i32 4,", "ret i32 5,"} {
		if !strings.Contains(string(m.Text), want) {
			t.Errorf("no %q in\n%s", want, m.Text)
		}
	}
	if len(m.Assumptions) != 1 || m.Assumptions[0].What != found.FirstCounts || m.Assumptions[0].Name != "f" ||
		filepath.Base(m.Assumptions[0].Other.File) != "p.c" {
		t.Errorf("assumptions: %v", m.Assumptions)
	}
}
