package equiv

import (
	"context"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// steps returns the reason why two versions of f are not shown to be equal step by step; nil if they are.
func steps(t *testing.T, before, after string) error {
	t.Helper()
	module := func(text string) []byte {
		return []byte(strings.ReplaceAll(clangtest.Compile(t, text), "x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu"))
	}
	_, err := Lockstep(context.Background(), module(after), module(before), "f", found.DefaultChecks(),
		func(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) })
	return err
}

// equalPairs are versions of f that behave equally, for all inputs and any number of iterations.
var equalPairs = map[string][2]string{
	"conditions": {"int f(int a, int b) { if (a) { if (b) return 1; } return 2; }",
		"int f(int a, int b) { return a && b ? 1 : 2; }"},
	"early return": {"int g(int); int f(int a) { int r = -1; if (a > 3) { r = g(a); } return r; }",
		"int g(int); int f(int a) { if (a <= 3) return -1; return g(a); }"},
	"loop": {"void g(int); void f(int *a, int n) { for (int i = 0; i < n; i++) g(a[i]); }",
		"void g(int); void f(int *a, int n) { int i = 0; while (!(i >= n)) { g(*(a + i)); ++i; } }"},
	"wider counter": {"void g(int); void f(int *a, int n) { for (int i = 0; i < n; i++) g(a[i]); }",
		"void g(int); void f(int *a, int n) { for (long i = 0; i < n; i++) g(a[i]); }"},
	"stores": {"struct s { int a, b; }; void f(struct s *p) { p->a = 1; p->b = 2; }",
		"struct s { int a, b; }; void f(struct s *p) { p->b = 2; p->a = 0; p->a = 1; }"},
	"cached member": {"struct s { int n, m; }; int f(struct s *p) { p->m = 1; return p->n + p->n; }",
		"struct s { int n, m; }; int f(struct s *p) { int n = p->n; p->m = 1; return n + n; }"},
	"null check behind an access": {"int f(int *p) { int x = *p; if (!p) return 0; return x; }",
		"int f(int *p) { return *p; }"},
	"inlined": {"int f(int a, int b) { return a < b ? a : b; }",
		"static int least(int a, int b) { return a < b ? a : b; } int f(int a, int b) { return least(a, b); }"},
	"recursion": {"int f(int n) { if (n <= 0) return 0; return f(n - 1); }",
		"int f(int n) { int r = 0; if (n > 0) r = f(n - 1); return r; }"},
	"switch": {"int f(int a) { if (a == 1) return 5; if (a == 2) return 6; return 7; }",
		"int f(int a) { switch (a) { case 1: return 5; case 2: return 6; default: return 7; } }"},
	"unsigned overflow": {"unsigned f(unsigned a, unsigned b) { return a + b + 1; }",
		"unsigned f(unsigned a, unsigned b) { return b + (1 + a); }"},
	"assertion on another line": {`#include <assert.h>
		int f(int a) { assert(a > 0); return a; }`, `#include <assert.h>

		int f(int a) { assert(a > 0); int r = a; return r; }`},
	"list": {`struct n { struct n *next; int v; }; int f(struct n *l) { int s = 0;
			for (; l; l = l->next) s ^= l->v; return s; }`,
		`struct n { struct n *next; int v; }; int f(struct n *l) { int s = 0;
			while (l != 0) { s = l->v ^ s; l = l->next; } return s; }`},
	"nested loops": {`void g(int, int); void f(int n, int m) { for (int i = 0; i < n; i++)
			for (int k = 0; k < m; k++) g(i, k); }`,
		`void g(int, int); void f(int n, int m) { int i = 0; while (i < n) { int k = 0;
			while (k < m) { g(i, k); k += 1; } i += 1; } }`},
}

// TestEqualSteps compares versions that behave equally, also each with itself.
func TestEqualSteps(t *testing.T) {
	for name, pair := range equalPairs {
		t.Run(name, func(t *testing.T) {
			if err := steps(t, pair[0], pair[1]); err != nil {
				t.Error(err)
			}
			if err := steps(t, pair[0], pair[0]); err != nil {
				t.Errorf("the version before and itself: %v", err)
			}
		})
	}
}

// TestOtherSteps compares versions that must not be called equal: a wrong answer here is the worst of all defects.
func TestOtherSteps(t *testing.T) {
	for name, pair := range map[string][2]string{
		"variable that ended is passed": {"void g(int *); void f(void) { int a[2]; g(a); g(a); }",
			"void g(int *); void f(void) { int *p; { int a[2]; p = a; g(p); } g(p); }"},
		"variable that ended is copied": {
			"void g(int *); void f(char *out) { int a[2]; g(a); __builtin_memcpy(out, a, 8); }",
			"void g(int *); void f(char *out) { int *p; { int a[2]; p = a; g(p); } __builtin_memcpy(out, p, 8); }"},
		"variable that ended behind a loop": {`int f(void) { int *p; int x; { int a[8] = {1}; p = a;
				for (int i = 0; i < 5; i++) p++; x = *p; } return x; }`,
			`int f(void) { int *p; int x; { int a[8] = {1}; p = a;
				for (int i = 0; i < 5; i++) p++; } x = *p; return x; }`},
		"variable of a call that returned": {"int f(int n) { return n; }",
			"static int *h(int v) { return &v; } int f(int n) { return *h(n); }"},
		"pointers that are equal numbers": {"void f(char *p, char *q) { if ((unsigned long)p == (unsigned long)q) *p = 1; }",
			"void f(char *p, char *q) { if ((unsigned long)p == (unsigned long)q) *q = 1; }"},
		"returns twice": {`int save(long *) __attribute__((returns_twice)); void g(void); long b[20];
			int f(void) { int r; if (save(b)) return 1; r = 0; g(); return r; }`,
			`int save(long *) __attribute__((returns_twice)); void g(void); long b[20];
			int f(void) { int r = 1; if (save(b)) return r; r = 0; g(); return r; }`},
		"argument of another sign": {"void g(signed char); void f(int n) { g(n); }",
			"void g(unsigned char); void f(int n) { g(n); }"},
		"result of another sign": {"signed char f(int n) { return n; }", "unsigned char f(int n) { return n; }"},
		"copy that is not volatile": {`struct s { int a[8]; }; void f(struct s *p, struct s *q) {
				*(volatile struct s *)p = *(volatile struct s *)q; }`,
			"struct s { int a[8]; }; void f(struct s *p, struct s *q) { *p = *q; }"},
		"pointers that are equal numbers in memory": {
			"void f(char **a, char **b) { if (*(long *)a == *(long *)b) **a = 1; }",
			"void f(char **a, char **b) { if (*(long *)a == *(long *)b) **b = 1; }"},
		"result that is missing": {"int f(int n) { return 0; }",
			"static int h(int n) { if (n > 3) return n; } int f(int n) { return h(n) & 0; }"},
		"calling convention": {"void g(int); void f(int n) { g(n ^ 1); }",
			"void __attribute__((ms_abi)) g(int); void f(int n) { g(n ^ 1); }"},
		"own calling convention": {"int f(int n) { return n; }", "int __attribute__((ms_abi)) f(int n) { return n; }"},
		"weak callee": {"__attribute__((weak)) int h(void) { return 1; } int f(void) { return h(); }",
			"__attribute__((weak)) int h(void) { return 1; } int f(void) { return 1; }"},
		"rounding": {"int fesetround(int); double f(double a, double b) { double x = a / b; fesetround(1); return x; }",
			"int fesetround(int); double f(double a, double b) { fesetround(1); return a / b; }"},
		"own function like an assertion": {`int __assert(int, int); static int h(int n) { return __assert(7, n); }
			int f(int n) { int r = h(n); return r; }`,
			`int __assert(int, int); static int h(int n) { return __assert(8, n); } int f(int n) { return h(n); }`},
		"assembly outside of functions": {
			`__asm__(".globl g\ng: mov $1,%eax\nret"); int g(void); int f(void) { return g(); }`,
			`__asm__(".globl g\ng: mov $2,%eax\nret"); int g(void); int f(void) { return g(); }`},
		"restrict": {"int f(int *p, int *q) { *p = 1; *q = 2; return *p; }",
			"int f(int *restrict p, int *restrict q) { *p = 1; *q = 2; return *p; }"},
		"sums in any order": {"double f(double a, double b, double c) { return a + b + c; }",
			"double f(double a, double b, double c) {\n#pragma clang fp reassociate(on)\nreturn a + b + c; }"},
		"bound": {"void g(int); void f(int n) { for (int i = 0; i < n; i++) g(i); }",
			"void g(int); void f(int n) { for (int i = 0; i <= n; i++) g(i); }"},
		"first iteration": {"void g(int); void f(int n) { int i = 0; while (i < n) g(i++); }",
			"void g(int); void f(int n) { int i = 0; do g(i++); while (i < n); }"},
		"counter not reset": {`void g(int); void f(int n) { for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) g(k); }`,
			`void g(int); void f(int n) { int k = 0; for (int i = 0; i < n; i++) for (; k < n; k++) g(k); }`},
		"narrow counter": {"void g(int); void f(int n) { for (int i = 0; i < n; i++) g(i); }",
			"void g(int); void f(int n) { for (unsigned char i = 0; i < n; i++) g(i); }"},
		"late difference": {"void g(int); void f(int n) { for (int i = 0; i < n; i++) g(0); }",
			"void g(int); void f(int n) { for (int i = 0; i < n; i++) g(i == 1000); }"},
		"aliases": {"void f(int *p, int *q) { *p = 1; *q = 2; }", "void f(int *p, int *q) { *q = 2; *p = 1; }"},
		"load behind a store": {"int f(int *p, int *q) { int x = *p; *q = 2; return x; }",
			"int f(int *p, int *q) { *q = 2; return *p; }"},
		"part of a store": {"int f(char *p) { p[1] = 1; return *(short *)p; }",
			"int f(char *p) { short x = *(short *)p; p[1] = 1; return x; }"},
		"new access": {"int f(int *p, int n) { return n; }",
			"int f(int *p, int n) { (void)*(volatile int *)p; return n; }"},
		"new plain access": {"int f(int *p, int n) { return n; }", "int f(int *p, int n) { int x = *p; return n; }"},
		"wider access": {"int f(char *p) { return *p; }",
			"int f(char *p) { int x = *(int *)p; return *p; }"},
		"write of what is there": {"void f(int *p) { int x = *p; }", "void f(int *p) { *p = *p; }"},
		"new overflow": {"int f(int a, int b) { return (int)((unsigned)a + (unsigned)b); }",
			"int f(int a, int b) { return a + b; }"},
		"new overflow in a dead value": {"int f(int a, int b) { return 0; }",
			"int f(int a, int b) { int x = a + b; return 0; }"},
		"new division": {"int f(int a, int b) { return b; }",
			"int f(int a, int b) { int x = a / b; return b; }"},
		"shift": {"unsigned f(unsigned a, unsigned b) { return a << (b & 31); }",
			"unsigned f(unsigned a, unsigned b) { return a << b; }"},
		"use after free": {"void free(void *); int f(int *p) { int x = *p; free(p); return 0; }",
			"void free(void *); int f(int *p) { free(p); int x = *p; return 0; }"},
		"freed by a callee": {"void g(int *); int f(int *p) { int x = *p; g(p); return 0; }",
			"void g(int *); int f(int *p) { int x = *p; g(p); x = *p; return 0; }"},
		"endless": {"void f(int n) { }", "void f(int n) { while (n == 5) ; }"},
		"ends":    {"void f(int n) { while (n == 5) ; }", "void f(int n) { }"},
		"order of calls": {"void g(void); void h(void); void f(void) { g(); h(); }",
			"void g(void); void h(void); void f(void) { h(); g(); }"},
		"argument": {"void g(int); void f(int n) { if (n > 7) g(n); }", "void g(int); void f(int n) { if (n > 7) g(8); }"},
		"one call less": {"int g(int); int f(int n) { return g(n) + g(n); }",
			"int g(int); int f(int n) { int x = g(n); return x + x; }"},
		"null check": {"int f(int *p) { if (!p) return 0; return *p; }", "int f(int *p) { return *p; }"},
		"recursion": {"int f(int n) { if (n <= 0) return 0; return f(n - 1); }",
			"int f(int n) { if (n <= 0) return 0; return f(n - 2); }"},
		"base of a recursion": {"int f(int n) { if (n <= 0) return 0; return f(n - 1); }",
			"int f(int n) { if (n <= 0) return 1; return f(n - 1); }"},
		"table": {"static const int t[] = {1, 2, 3}; int f(unsigned i) { return t[i % 3]; }",
			"static const int t[] = {1, 2, 4}; int f(unsigned i) { return t[i % 3]; }"},
		"text": {`void g(const char *); void f(void) { g("a"); }`, `void g(const char *); void f(void) { g("b"); }`},
		"text like an attribute": {`void g(const char *); void f(void) { g("see #12"); }`,
			`void g(const char *); void f(void) { g("see #13"); }`},
		"text like metadata": {`void g(const char *); void f(void) { g("no!12"); }`,
			`void g(const char *); void f(void) { g("no!13"); }`},
		"text in a helper": {`void g(const char *); static void h(void) { g("see #12"); } void f(void) { h(); }`,
			`void g(const char *); static void h(void) { g("see #13"); } void f(void) { h(); }`},
		"never returns": {"void g(void); void f(void) { g(); }",
			"void g(void); void f(void) { g(); __builtin_unreachable(); }"},
		"dangling pointer": {"int *q; void f(void) { int a[2]; { int b[2]; q = b; *q = 1; } }",
			"int *q; void f(void) { int a[2]; { int b[2]; q = b; } *q = 1; }"},
		"helper": {"static int h(int x) { return x * 2; } int f(int x) { return h(x); }",
			"static int h(int x) { return x * 3; } int f(int x) { return h(x); }"},
		"helper of a helper": {`int r(int); static int k(int x) { return r(x) * 2; } static int h(int x) { return k(x); }
			int f(int x) { return h(x); }`,
			`int r(int); static int k(int x) { return r(x) * 3; } static int h(int x) { return k(x); }
			int f(int x) { return h(x); }`},
		"helper by address": {`static int h(int x) { return x * 2; } void g(int (*)(int)); void f(void) { g(h); }`,
			`static int h(int x) { return x * 3; } void g(int (*)(int)); void f(void) { g(h); }`},
		"layout": {`struct s { int a, b; }; __attribute__((noinline)) static int h(struct s *p) { return p->a; }
			int f(void *p) { return h(p); }`,
			`struct s { int b, a; }; __attribute__((noinline)) static int h(struct s *p) { return p->a; }
			int f(void *p) { return h(p); }`},
		"layout in the function": {"struct s { int a, b; }; int f(void *p) { return ((struct s *)p)->a; }",
			"struct s { int b, a; }; int f(void *p) { return ((struct s *)p)->a; }"},
		"sum of floats": {"double f(double a, double b, double c) { return (a + b) + c; }",
			"double f(double a, double b, double c) { return a + (b + c); }"},
		"not a number": {"int f(double a, double b) { return !(a < b); }", "int f(double a, double b) { return a >= b; }"},
		"length of a copy": {"void f(char *p, char *q) { __builtin_memcpy(p, q, 8); }",
			"void f(char *p, char *q) { __builtin_memcpy(p, q, 7); }"},
		"volatile": {"int f(volatile int *p) { return *p + *p; }", "int f(volatile int *p) { int x = *p; return x + x; }"},
		"scope": {"void g(int *); int f(void) { int a[2]; int *p = a; g(p); return *p; }",
			"void g(int *); int f(void) { int *p; { int a[2]; p = a; g(p); } return *p; }"},
		"content of an earlier iteration": {
			"void g(int); void f(int n) { int a[2]; for (int i = 0; i < n; i++) { if (i == 0) a[n & 1] = 1; g(a[n & 1]); } }",
			"void g(int); void f(int n) { for (int i = 0; i < n; i++) { int a[2]; if (i == 0) a[n & 1] = 1; g(a[n & 1]); } }"},
		"value of an earlier iteration": {
			"void g(int); void f(int n) { int a; for (int i = 0; i < n; i++) { if (i == 0) a = 1; g(a); } }",
			"void g(int); void f(int n) { for (int i = 0; i < n; i++) { int a; if (i == 0) a = 1; g(a); } }"},
		"behind a way that nothing takes": {
			"int f(int *p, int a) { if (a > 3) { if (a < 2) return *p; return 1; } return 2; }",
			"int f(int *p, int a) { if (a > 3) { if (a < 2) return *p; return *p & 0; } return 2; }"},
		"equal pointers": {"void f(char *p, char *q) { if (p == q) *p = 1; }",
			"void f(char *p, char *q) { if (p == q) *q = 1; }"},
		"order of pointers": {"int f(char *p, char *q, int n) { return n; }",
			"int f(char *p, char *q, int n) { int x = p < q; return n; }"},
		"index out of an array": {"struct s { int a[4], b[4]; }; int f(struct s *p, int i) { int *q = p->a; return q[i]; }",
			"struct s { int a[4], b[4]; }; int f(struct s *p, int i) { return p->a[i]; }"},
		"wrapping index": {"int f(int *a, unsigned long i) { return a[i & 3]; }",
			"int f(int *a, unsigned long i) { return a[(i & 3) + (1ul << 62)]; }"},
		"merged states": {`void g(void); int f(int a, int b, int c) { int r = 0; if (a) { r |= 1; g(); } if (b) { r |= 2; g(); }
			if (c) { r |= 4; g(); } g(); return r; }`,
			`void g(void); int f(int a, int b, int c) { int r = 0; if (a) { r |= 1; g(); } if (b) { r |= 2; g(); }
			if (c) { r |= 4; g(); } g(); return r == 7 ? 6 : r; }`},
		"two counters": {`void g(int, int); void f(int n) { int i = 0, k = 0; while (i < n) { g(i, k); i++; k++; } }`,
			`void g(int, int); void f(int n) { int i = 0, k = 0; while (i < n) { g(i, i); i++; if (i != 9) k++; } g(0, k); }`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := steps(t, pair[0], pair[1]); err == nil {
				t.Error("they are called equal")
			} else {
				t.Log(err)
			}
		})
	}
}
