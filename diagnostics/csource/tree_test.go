package csource

import (
	"strings"
	"testing"
)

// TestRange compares ranges as text. The character ‸ marks the position.
func TestRange(t *testing.T) {
	for _, test := range []struct {
		part       Part
		code, want string
	}{
		{Operation, "void f(void) { ‸sassert(a < b); }", "sassert(a < b)"},
		{Operation, "void f(void) { sassert(a ‸< b); }", "a < b"},
		{Operation, "void f(void) { ‸assert(a /* ) */ &&\n b); }", "assert(a /* ) */ &&\n b)"},
		{Operation, "void f(void) { ‸a[i][j] = 3; }", "a[i][j]"},
		{Operation, "void f(void) { a[i][j] ‸= 3; }", "a[i][j] = 3"},
		{Operation, "void f(void) { a ‸<<= n; }", "a <<= n"},
		{Operation, "void f(void) { a ‸+ b[i].c->d; }", "a + b[i].c->d"},
		{Operation, "void f(void) { a ‸+ (int)b * c; }", "a + (int)b * c"},
		{Operation, "void f(void) { (a + b) ‸* c; }", "(a + b) * c"},
		{Operation, "void f(void) { x = p->‸next->val; }", "p->next"},
		{Operation, "void f(void) { x = p->next->‸val; }", "p->next->val"},
		{Operation, "void f(void) { ‸m[i][j].k = 2; }", "m[i][j]"},
		{Operation, "void f(void) { s.‸buf[n] = 2; }", "s.buf[n]"},
		{Operation, "void f(void) { s->‸call(n); }", "s->call(n)"},
		{Operation, "void f(void) { ‸*p = 1; }", "*p"},
		{Operation, "void f(void) { i‸++; }", "i++"},
		{Operation, "void f(void) { y = x ‸/ z + 1; }", "x / z"},
		{Operation, "void f(void) { ‸for (int i = 0; i < (n); i++) { g(); } }", "for (int i = 0; i < (n); i++)"},
		{Operation, "void f(void) { ‸while (n) n--; }", "while (n)"},
		{Operation, "void f(void) { ‸do { } while (x); }", "do"},
		{Operation, "int f(void) { ‸return x; }", "return x"},
		{Operation, "int f(void) { ‸return (a) + b; }", "return (a) + b"},
		{Operation, "void f(void) { int ‸x = y << 3; }", "x"},
		{Operation, "void f(void) { int x = y ‸<< 3; }", "y << 3"},
		{Operation, "void f(void) { g(‸x, 2); }", "x"},
		{Operation, "void f(void) { s = ‸\"a;b\"; }", "\"a;b\""},
		{Operation, "void f(void) { ‸größe(1); }", "größe(1)"},
		{Operation, "void f(void) { broken ( ; x = ‸a[2]; }", "a[2]"},
		{Operation, "int ‸global;", "global"},
		{Loop, "void f(void) { for (int i = 0; i ‸< n; i++) { g(); } }", "for (int i = 0; i < n; i++)"},
		{Loop, "void f(void) { ‸while (n) n--; }", "while (n)"},
		{Loop, "void f(void) { do { n--; } while (‸n); }", "do"},
		{Loop, "void f(void) { ‸f(); }", "f"},
	} {
		offset := strings.Index(test.code, "‸")
		text := []byte(strings.Replace(test.code, "‸", "", 1))
		text = append([]byte("#define X {\nint before(void) { return 1; } int x[] = { 1 };\n"), text...)
		offset += len(text) - len(strings.Replace(test.code, "‸", "", 1))
		start, end := NewSource(text).Range(offset, test.part)
		if got := string(text[start:end]); got != test.want {
			t.Errorf("%s: %q, want %q", test.code, got, test.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	text := "int before;\nstatic int *f(int a) { return h(0); }\n#ifdef X\nvoid (g)(void) { }\n#endif\nint " +
		"h(void);\nint *const (*k(int a))[2] { }\n"
	s := NewSource([]byte(text))
	for _, name := range []string{"f", "g", "k"} {
		f, ok := s.Function(name)
		if !ok || f.Name != name || text[f.NameStart:f.NameEnd] != name || text[f.Body] != '{' || text[f.End-1] != '}' {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if f, ok := s.Function("h"); ok {
		t.Errorf("%+v is no definition", f)
	}
	if f, _ := s.FirstFunction(); f.Name != "f" || !strings.HasPrefix(text[f.Start:], "static") {
		t.Errorf("the first is %+v", f)
	}
	if f, ok := NewSource([]byte("int x;")).FirstFunction(); ok {
		t.Errorf("%+v", f)
	}
}

// TestDeclaredFunctions expects prototypes, including functions that return pointers. It expects no definitions,
// variables, types, static functions or pointers to functions.
func TestDeclaredFunctions(t *testing.T) {
	text := `int nd_int(void);
extern void *get(int n, int (*f)(int)), other(void);
__attribute__((noreturn)) void stop(void);
static int hidden(void);
int defined(int);
int defined(int x) { extern int inner(void); return x + inner(); }
int (*pointer)(int);
typedef int callback(int);
int variable, array[3];
`
	got := strings.Join(DeclaredFunctions([]byte(text)), " ")
	if got != "get nd_int other stop" {
		t.Errorf("%s", got)
	}
}
