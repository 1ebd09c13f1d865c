package clangir

import (
	"testing"
)

// How many indices an access has to keep inside of arrays, that no sanitizer sees to.
func TestWithinArrays(t *testing.T) {
	const types = "struct s { int a[4]; char c[8]; int m[2][3]; short one[1]; int n; char last[1]; }; union u { int " +
		"few[2]; int many[6]; };\n"
	for _, tt := range []struct {
		code string
		want int
	}{
		{"int f(struct s *s, int i) { return s->a[i]; }", 0}, // the sanitizer does
		{"void f(struct s *s, int i) { s->a[i] = 1; }", 0},
		{"void f(struct s *s, int i) { s->c[i]++; }", 2},    // is read and written
		{"void f(struct s *s, int i) { s->m[1][i]--; }", 1}, // it is written behind the check of the difference
		{"void f(struct s *s, int i) { s->one[i]++; }", 2},
		{"void f(struct s *s, int i) { s->last[i]++; }", 0}, // flexible
		{"char f(struct s *s, int i) { return *(s->c + i); }", 1},
		{"void f(union u *u, int i) { u->few[i]++; }", 1},
		{"int *f(struct s *s, int i) { return &s->a[i]; }", 0}, // no access
		{"int f(struct s *s, long i) { return *(int *)((char *)s->m + i); }", 0},
		{"int f(int i) { int a[3] = {0}; a[i]++; return a[0]; }", 0}, // an object of its own
		{`__attribute__((no_sanitize("undefined"))) int f(struct s *s, int i) { return s->a[i]; }`, 1},
	} {
		m, n := compiled(t, types+tt.code), 0
		for _, in := range instrs(m.FuncByName["f"]) {
			n += len(m.Of(in).Within)
		}
		if n != tt.want {
			t.Errorf("%s: %d indices, want %d", tt.code, n, tt.want)
		}
	}
}
