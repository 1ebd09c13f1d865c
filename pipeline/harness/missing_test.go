package harness

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

func TestMissingStub(t *testing.T) {
	texts := [][]byte{[]byte("struct point { int x, y; }; struct list { struct list *next; }; " +
		"enum color { RED, GREEN, BLUE }; enum bits { ONE = 1, FOUR = 4 };")}
	for declaration, want := range map[string]string{
		"void f(void)": "void f(void) {}",
		"void f()":     "void f(void) {}",
		"extern struct s *f(struct s *, size_t n)":     "struct s *f(struct s *a, size_t n) {",
		"unsigned long f(unsigned long, const size_t)": "unsigned long f(unsigned long a, const size_t b) {",
		"int f(const char *fmt, ...)":                  "int f(const char *fmt, ...) {",
		"int f(void (*cb)(int))":                       "",
		"bool f(struct point *p)": "bool f(struct point *p) {\n  if (sea_is_dereferenceable(p, sizeof *p)) " +
			"memhavoc(p, sizeof *p);\n  return nd_bool();\n}",
		"void f(void *buf, size_t len)": "sea_is_dereferenceable(buf, len)) memhavoc(buf, len);",
		"void f(int *v, unsigned n)":    "memhavoc(v, n * sizeof *v);",
		"void f(struct list *l)":        "(void)l; /* Question: what does f write to l? */",
		"void f(struct hidden *)":       "(void)a; /* Question: what does f write to a? */",
		"void f(const int *v)":          "void f(const int *v) {}",
		"enum color f(void)":            "assume(arbitrary >= RED && arbitrary <= BLUE);",
		"enum bits f(void)": "enum bits arbitrary;\n  memhavoc(&arbitrary, sizeof arbitrary);\n  " +
			"return arbitrary;",
		"int f(int a[])":     "",
		"int (*f(int))(int)": "",
	} {
		got := MissingStub("f", declarationWords(declaration), texts)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q", declaration, got)
		}
	}
}

func declarationWords(text string) []string {
	const before = "#include <f.h>\n#define f2(x) \\\n\tf(x)\ntypedef int f(void); int g(void) { return f(1); }\n"
	return csource.Declaration([]byte(before+text+";\n"), "f")
}
