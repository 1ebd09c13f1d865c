package clangir

import (
	"testing"
)

// TestWithinArrays checks the number of indices of an access that no sanitizer checks.
func TestWithinArrays(t *testing.T) {
	const types = "struct s { int a[4]; char c[8]; int m[2][3]; short one[1]; int n; char last[1]; }; union u { int " +
		"few[2]; int many[6]; };\n"
	for _, tt := range []struct {
		code string
		want int
	}{
		{"int f(struct s *s, int i) { return s->a[i]; }", 0}, // the sanitizer checks it
		{"void f(struct s *s, int i) { s->a[i] = 1; }", 0},
		{"void f(struct s *s, int i) { s->c[i]++; }", 1},    // the store follows the load
		{"void f(struct s *s, int i) { s->m[1][i]--; }", 1}, // written after the check of the difference
		{"void f(struct s *s, int i) { s->one[i]++; }", 1},
		{"void f(struct s *s, int i) { s->last[i]++; }", 0}, // flexible
		{"char f(struct s *s, int i) { return *(s->c + i); }", 1},
		{"void f(union u *u, int i) { u->few[i]++; }", 1},
		{"int *f(struct s *s, int i) { return &s->a[i]; }", 0}, // no access
		{"void f(struct s *s, int i, int k) { (s->m[i])[k] = 1; }", 1},
		{"int f(struct s *s, int i, int k) { return s->m[i][k]; }", 0},
		{"void f(struct s *s, int i, int k) { *(k ? &s->a[i] : &s->n) = 1; }", 1},
		{"int *f(struct s *s, int i, int k) { int *p = k ? &s->a[i] : &s->n; *p = 1; return p; }", 0}, // stored in a variable
		{"struct g { int a[3]; } g; void f(int i) { g.a[i]++; }", 1},
		{"struct g { int a[3]; } g; void f(int i) { g.a[3]++; }", 2},
		{"struct g { int a[3]; } g; int *f(int i) { return &g.a[3]; }", 0},
		{"struct g { int a[3]; } g; int f(int i) { return *(&g.a[3] - 1); }", 0},
		{"struct g { int a[3]; } g; int f(int i) { return *(g.a + i); }", 1},
		{"struct g { int a[3]; } g; int f(int i) { return ((int *)&g)[i]; }", 0},
		{"int g[3]; void f(int i) { g[i]++; *(g + i) = 2; }", 0}, // a separate object
		{"int g[3][4]; void f(int i) { g[1][i]++; }", 1},
		{"struct g { int n, last[1]; } g; void f(int i) { g.last[1]++; g.last[i]++; }", 0},                    // flexible
		{"struct l { long v[4]; }; void use(struct l); void f(struct l (*s)[2], int i) { use((*s)[i]); }", 1}, // copied
		{"int f(struct s *s, long i) { return *(int *)((char *)s->m + i); }", 0},
		{"int f(struct s *s, int i, int k) { return *(s->a + i - k); }", 1},
		{"struct g { int a[3]; } g; int f(int i, int k) { return *(g.a + i + k); }", 1},
		{"int f(struct s *s, int i, int k) { return *((int *)s->m + i + k); }", 0}, // anywhere in the object after the cast
		{"int f(struct s *s, int i, int k) { return *(int *)((char *)(s->a + i) + k); }", 0},
		{"int f(int i) { int a[3] = {0}; a[i]++; return a[0]; }", 0}, // a separate object
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
