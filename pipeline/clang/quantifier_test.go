package clang

import (
	"strings"
	"testing"
)

func TestQuantifiers(t *testing.T) {
	tests := []struct{ text, want string }{
		{"assert(__CPROVER_forall { size_t i; i != n ==> a[i] == 0 });", "assert((__extension__( { size_t i; (!( i != n ) || ( a[i] == 0 )); })));"},
		{"#define Z(p) __CPROVER_forall \\\n { int i; (i > 0) ==> p[i] }\n", "#define Z(p) (__extension__( \\\n { int i; (!( (i > 0) ) || ( p[i] )); }))\n"},
		{"/* __CPROVER_forall { int i; i } */ \"__CPROVER_forall { int i; i }\" x__CPROVER_forall { int i; i }", ""},
		{"__CPROVER_forall { int i; a ==> b ==> c }", ""},
		{"__CPROVER_forall { int i; __CPROVER_exists { int j; j == i } }", "(__extension__( { int i; ( (__extension__( { int j; ( j == i ); })) ); }))"},
		{"__CPROVER_forall { int i; i", ""},
		{"__CPROVER_forall (i)", ""},
		{"__CPROVER_forall { int i; s[i] != '}' }", "(__extension__( { int i; ( s[i] != '}' ); }))"},
	}
	for _, test := range tests {
		got, ok := rewriteQuantifiers([]byte(test.text))
		if test.want == "" {
			if ok {
				t.Errorf("%q became %q", test.text, got)
			}
			continue
		}
		if string(got) != test.want {
			t.Errorf("%q\nbecame %q\nwant   %q", test.text, got, test.want)
		}
	}
}

// TestBoundedQuantifiers: which quantifiers have a loop as their other form, and over what.
func TestBoundedQuantifiers(t *testing.T) {
	tests := []struct {
		text string
		want string // the head of the loop and the condition under which it is taken; empty: no loop
	}{
		{"__CPROVER_forall { size_t i; (i >= 0 && i < sizeof(x)) ==> a[i] == 0 }", "sizeof(x)) >= 0 && (sizeof(x)) <= 256 : 0|unitproof_i < (sizeof(x))"},
		{"__CPROVER_forall { unsigned i; i < N ==> a[i] }", "(N) >= 0 && (N) <= 256 && (unsigned)-1 > 0 : 0|unitproof_i < (N)"},
		{"__CPROVER_forall { int i; (0 <= i) && ((N >= i)) ==> a[i] }", "(N) >= 0 && (N) < 256 : 0|unitproof_i <= (N)"},
		{"__CPROVER_exists { unsigned long i; i < 7 && a[i] }", "(7) <= 256 && (unsigned long)-1 > 0 : 0|unitproof_all |= (i < 7 && a[i])"},
		{"__CPROVER_forall { int i; i < n || i < 4 ==> a[i] }", ""},
		{"__CPROVER_forall { int i; i < (n || 4) && i > 2 ? 1 : 0 ==> a[i] }", ""},
		{"__CPROVER_forall { int i; i < 4 == b ==> a[i] }", ""},
		{"__CPROVER_forall { int i; i < i + 4 ==> a[i] }", ""},
		{"__CPROVER_forall { int i; !(i < 4) ==> a[i] }", ""},
		{"__CPROVER_forall { int i; i < 4 && a[i] }", ""},
		{"__CPROVER_exists { int i; i < 4 ==> a[i] }", ""},
		{"__CPROVER_forall { int i, j; i < 4 ==> a[i] }", ""},
	}
	for _, test := range tests {
		got, ok := rewriteQuantifiers([]byte(test.text))
		if !ok {
			t.Errorf("%q is left alone", test.text)
		}
		if has := strings.Contains(string(got), "__builtin_choose_expr"); has != (test.want != "") {
			t.Errorf("%q became %q", test.text, got)
		}
		for _, part := range strings.Split(test.want, "|unit") {
			if !strings.Contains(string(got), part) {
				t.Errorf("%q became %q without %q", test.text, got, part)
			}
		}
	}
}

func FuzzQuantifiers(f *testing.F) {
	f.Add("__CPROVER_forall { int i; a ==> __CPROVER_exists { int j; b } } // x\n'\\'' \"")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := rewriteQuantifiers([]byte(text))
		lines := 0
		for i := range text {
			if text[i] == '\n' {
				lines++
			}
		}
		for _, c := range got {
			if c == '\n' {
				lines--
			}
		}
		if ok && lines != 0 {
			t.Errorf("%q became %q: another number of lines", text, got)
		}
	})
}
