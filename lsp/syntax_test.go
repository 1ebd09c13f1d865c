package lsp

import (
	"strings"
	"testing"
)

// The point is marked by ‸; what is found is compared as text.
func TestExpressionAt(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"void f(void) { ‸sassert(a < b); }", "sassert(a < b)"},
		{"void f(void) { sassert(a ‸< b); }", "a < b"},
		{"void f(void) { ‸a[i][j] = 3; }", "a[i][j]"},
		{"void f(void) { a[i][j] ‸= 3; }", "a[i][j] = 3"},
		{"void f(void) { x = p->‸next->val; }", "p->next"},
		{"void f(void) { x = p->next->‸val; }", "p->next->val"},
		{"void f(void) { ‸*p = 1; }", "*p"},
		{"void f(void) { y = x ‸/ z + 1; }", "x / z"},
		{"void f(void) { ‸for (int i = 0; i < (n); i++) { g(); } }", "for (int i = 0; i < (n); i++)"},
		{"void f(void) { ‸while (n) n--; }", "while (n)"},
		{"void f(void) { ‸return x; }", "return x;"},
		{"void f(void) { int ‸x = y << 3; }", "x"},
		{"void f(void) { int x = y ‸<< 3; }", "y << 3"},
		{"void f(void) { g(‸x, 2); }", "x"},
		{"void f(void) { broken ( ; x = ‸a[2]; }", "a[2]"},
	} {
		offset := strings.Index(test.code, "‸")
		data := []byte(strings.Replace(test.code, "‸", "", 1))
		start, end, ok := parseSyntax(data).expressionAt(data, offset)
		if !ok || string(data[start:end]) != test.want {
			t.Errorf("%s: %q, want %q", test.code, data[start:end], test.want)
		}
	}
}

func TestLoopAt(t *testing.T) {
	for _, test := range []struct{ code, want string }{
		{"void f(void) { for (int i = 0; i ‸< n; i++) { g(); } }", "for (int i = 0; i < n; i++)"},
		{"void f(void) { ‸while (n) n--; }", "while (n)"},
		{"void f(void) { do { n--; } while (‸n); }", "do"},
		{"void f(void) { ‸f(); }", ""},
	} {
		offset := strings.Index(test.code, "‸")
		data := []byte(strings.Replace(test.code, "‸", "", 1))
		start, end, _ := parseSyntax(data).loopAt(data, offset)
		if string(data[start:end]) != test.want {
			t.Errorf("%s: %q, want %q", test.code, data[start:end], test.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	data := []byte("static int *f(int a) { return 0; }\n#ifdef X\nvoid (g)(void) { }\n#endif\nint h(void);\n")
	s := parseSyntax(data)
	var names []string
	for _, f := range s.functions {
		names = append(names, f.name)
		if string(data[f.nameStart:f.nameEnd]) != f.name || data[f.body] != '{' {
			t.Errorf("%+v", f)
		}
	}
	if strings.Join(names, " ") != "f g" {
		t.Errorf("found %v", names)
	}
}
