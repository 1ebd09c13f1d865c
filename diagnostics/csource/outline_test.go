package csource

import (
	"slices"
	"testing"
)

// TestOuterNames checks which braces hide names: those of functions, not those of extern "C".
func TestOuterNames(t *testing.T) {
	for text, want := range map[string][]string{
		"int f(void) { int inner; }": {"f", "int", "void"},
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void) { g(); }\n#ifdef __cplusplus\n}\n#endif\nint h;": {
			"__cplusplus", "endif", "extern", "f", "h", "ifdef", "int", "void"},
		"extern /* of C */ \"C\" { int a; extern \"C\" { int b; } } int c;": {"a", "b", "c", "extern", "int"},
		"extern const char *s; char t[] = { 1, inner };":                    {"char", "const", "extern", "s", "t"},
		"#if A\nint f(int a) {\n#else\nint f(void) {\n#endif\n return a; }": {
			"A", "a", "else", "endif", "f", "if", "int", "return", "void"},
	} {
		if got := OuterNames([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// TestExportedVariables checks the names of variables with a macro before their type.
func TestExportedVariables(t *testing.T) {
	const text = "#include <x.h>\nLIB_EXPORT handler_t handler = NULL;\nLIB_EXPORT table_t *table[3];\n" +
		"extern LIB_EXPORT handler_t other;\nLIB_EXPORT void f(int a);\nint g(void) { LIB_LOCAL int b = 1; return b; }\n"
	got := DefinedNames([]byte(text))
	for name, want := range map[string]bool{"handler": true, "table": true, "other": false, "f": false, "b": false,
		"g": true} {
		if slices.Contains(got, name) != want {
			t.Errorf("%s: %v, want %v (%q)", name, !want, want, got)
		}
	}
}

// TestMacroNames checks which parts of names are read from the definitions of functions that macros name.
func TestMacroNames(t *testing.T) {
	const text = "#define API(f) lib_##f##A\n#define TWO(f) API(f)(void) {\n" +
		"int API(Reset)(struct list *l) { API(Called)(l); return PURE(l); }\n" +
		"int API(Declared)(struct list *l);\nstatic int API(Hidden)(void) { return 0; }\n" +
		"void API(Free)(struct list *l) ATTRIBUTE((cold)) {}\nint plain(int a) { return a; }\n" +
		"int (*pointer(int a))(int b) { return 0; }\n#ifdef X\nLIST_OF(item);\n#endif\n"
	if got, want := MacroNames([]byte(text)), []string{"Free", "Reset"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
