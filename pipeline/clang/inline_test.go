package clang

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestInlineDefinitions checks that the linker's definition is chosen, and that a different inline definition that a
// call may use is reported.
func TestInlineDefinitions(t *testing.T) {
	entry := "inline int f(int x) { return x + 1; }\nint g(void);\nint main(void) { return f(0) + g(); }"
	for _, test := range []struct {
		name, entry, source string
		counts              string // result of the chosen definition
		note                string // the file of the other one, "" for none
	}{
		{"external in the same unit", entry,
			"inline int f(int x) { return x + 2; }\nextern int f(int x);\nint g(void) { return f(0); }", "2", "p.c"},
		{"external", entry, "int f(int x) { return x + 2; }\nint g(void) { return f(0); }", "2", "p.c"},
		{"extern inline", entry, "extern inline int f(int x) { return x + 2; }\nint g(void) { return f(0); }", "2", "p.c"},
		{"two inline ones", entry, "inline int f(int x) { return x + 2; }\nint g(void) { return f(0); }", "1", "s.c"},
		{"GNU's", "extern " + strings.Replace(entry, "int f", "__attribute__((gnu_inline)) int f", 1),
			"int f(int x) { return x + 2; }\nint g(void) { return f(0); }", "2", "p.c"},
		{"the same twice", entry, "\n\ninline int f(int x)\n{\n  return x + 1;\n}\nint g(void) { return f(0); }", "1", ""},
		{"the same and external", entry, "\nint f(int x)\n{\n  return x + 1;\n}\nint g(void) { return f(0); }", "1", ""},
		{"not used", entry, "inline int f(int x) { return x + 2; }\nint g(void) { return 0; }", "1", ""},
		{"static", "static " + entry, "static inline int f(int x) { return x + 2; }\nint g(void) { return f(0); }", "1", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, "p.c", test.entry, "s.c", test.source)
			m := build(t, Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")},
				Sources: []Unit{{File: filepath.Join(dir, "s.c")}}})
			if !strings.Contains(string(m.Text), "(i32 %0, i32 "+test.counts+")") {
				t.Errorf("not %s:\n%s", test.counts, m.Text)
			}
			switch {
			case test.note == "" && len(m.Assumptions) > 0:
				t.Errorf("assumptions: %v", m.Assumptions)
			case test.note != "" && (len(m.Assumptions) != 1 || filepath.Base(m.Assumptions[0].At.File) != test.note ||
				m.Assumptions[0].At.Line != 1 || m.Assumptions[0].What != found.ExternalCounts ||
				filepath.Base(m.Assumptions[0].Names[0]) != test.note):
				t.Errorf("assumptions: %v", m.Assumptions)
			}
		})
	}
}

// TestInlineIsDefinedAgain checks that a second definition in one file replaces an inline one, as in goto-cc.
func TestInlineIsDefinedAgain(t *testing.T) {
	const main = "\nint main(void) { __CPROVER_assume(1); return g(); }"
	for _, test := range []struct{ name, text, fails string }{
		{"used before", "static inline int f(int x) { return x + 1; }\nint g(void) { return f(0); }\nint f(int x) { " +
			"return x + 2; }" + main, ""},
		{"used behind", "inline int f(int x) { return x + 1; }\nint f(int x) { return x + 2; }\n" +
			"int g(void) { return f(0); }" + main, ""},
		{"not inline", "static int f(int x) { return x + 1; }\nint f(int x) { return x + 2; }\nint g(void) { return f(0); }" +
			main, "redefinition of 'f'"},
		{"a variable", "int g(void) { return 0; }\nint v = 1;\nint v = 2;" + main, "redefinition of 'v'"},
		{"not for CBMC", "static inline int f(int x) { return x + 1; }\nint f(int x) { return x + 2; }\nint main(void) { " +
			"return f(0); }", "redefinition of 'f'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, "p.c", test.text)
			r := Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")},
				Store: cache.Open(t.TempDir(), cache.Options{})}
			if test.fails != "" {
				if _, err := toolchain(t).Build(t.Context(), r); err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("error: %v", err)
				}
				return
			}
			for range 2 { // the second time from the cache
				m := build(t, r)
				verify(t, m.Text)
				if text := string(m.Text); strings.Contains(text, conflictPrefix) || !strings.Contains(text, "(i32 %0, i32 2)") ||
					strings.Contains(text, "(i32 %0, i32 1)") {
					t.Errorf("module:\n%s", text)
				}
				if len(m.Assumptions) != 1 || m.Assumptions[0].What != found.SecondCounts ||
					m.Assumptions[0].Name != "f" {
					t.Errorf("assumptions: %v", m.Assumptions)
				}
			}
		})
	}
}

// TestIncludedAndLinked checks that a file has each definition once if the entry's file includes it and it is linked as
// well. A definition in a header that two files include clashes, as for a linker.
func TestIncludedAndLinked(t *testing.T) {
	const source = "int v = 3;\nstatic int s;\nint f(int x) { return x + v + s; }\n"
	for _, test := range []struct{ name, entry, source, header, fails string }{
		{"included", "#include \"s.c\"\nint main(void) { return f(1) + s; }", source, "", ""},
		{"a header", "#include \"h.h\"\nint main(void) { return f(1); }", "#include \"h.h\"\nint g(void) { return f(2); }",
			source, " is defined in"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := files(t, "p.c", test.entry, "s.c", test.source, "h.h", test.header)
			r := Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")},
				Sources: []Unit{{File: filepath.Join(dir, "s.c")}}}
			if test.fails != "" {
				if _, err := toolchain(t).Build(t.Context(), r); err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("error: %v", err)
				}
				return
			}
			m := build(t, r)
			verify(t, m.Text)
			if strings.Count(string(m.Text), "@f(i32") != 2 || len(m.Assumptions) != 1 ||
				m.Assumptions[0].What != found.IncludedCounts || filepath.Base(m.Assumptions[0].Other.File) != "p.c" {
				t.Errorf("assumptions %v of\n%s", m.Assumptions, m.Text)
			}
		})
	}
}
