package flow

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
)

// TestBranchesOn checks that a block branches on the result of a call if C tests it directly, or in a variable.
func TestBranchesOn(t *testing.T) {
	const before = `
int f(void); _Bool g(void); int *h(void); void use(int *);
static int own(void) { return 1; }
int t(int a) {
  int v = 0, *p = 0;
`
	for body, want := range map[string]bool{
		"if (f()) a++; return a;":                               true,
		"if (f() < 0) return 1; return a;":                      true,
		"v = f(); if (v != 3) return v; return a;":              true,
		"if ((v = f()) == a) return v; return a;":               true,
		"if (!g()) return 1; return a;":                         true,
		"_Bool ok = g(); if (ok) return 1; return a;":           true,
		"p = h(); if (p == 0) return 1; return *p;":             true,
		"if (__builtin_expect(!!f(), 0)) return 1; return a;":   true,
		"switch (f()) { case 0: return 1; case -1: return 2; }": true,
		"for (;;) { if (f() == 0) break; } return a;":           true,
		"while (f() == 0) a = 1; return a;":                     false,
		"do a = 1; while (f() == 0); return a;":                 false,
		"v = f(); own(); if (v) return 1; return a;":            false,
		"if (f() == own()) return 1; return a;":                 false,
		"v = f(); use(p); if (v) return 1; return a;":           true,
		"f(); if (a) return 1; return a;":                       false,
		"v = f(); v = a; if (v) return 1; return a;":            false,
		"v = f(); if (a) return 1; return v;":                   false,
		"return f();":                                           false,
		"v = f() + 1; if (v) return 1; return a;":               false,
		"p = h(); if (*p) return 1; return a;":                  false,
		"use(&v); v = f(); use(&v); if (v) return 1; return a;": false,
	} {
		got, calls := someCall(t, before+body+"\n}", "fgh", (*Function).BranchesOn)
		if calls == 0 || got != want {
			t.Errorf("%s: %v of %d calls, want %v", body, got, calls, want)
		}
	}
}

// someCall applies is to the calls in a function t of the functions that names lists, one letter each. It reports
// whether is was true for one of them, and their number.
func someCall(t *testing.T, text, names string, is func(fn *Function, b, k int) bool) (yes bool, calls int) {
	t.Helper()
	m := flowtest.Read(t, clangtest.Compile(t, text))
	fn := NewProgram(m).Function(m.FuncByName["t"])
	for _, b := range fn.Blocks {
		for k, in := range b.Instrs {
			if f := in.Function(); f != nil && len(f.Name) == 1 && strings.Contains(names, f.Name) {
				calls++
				yes = yes || is(fn, b.Index, k)
			}
		}
	}
	return yes, calls
}
