package quantifier_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/clang/quantifier"
)

func TestQuantifiers(t *testing.T) {
	tests := []struct{ text, want string }{
		{"assert(__CPROVER_forall { size_t i; i != n ==> a[i] == 0 });",
			"assert((__extension__( { size_t i; (!( i != n ) || ( a[i] == 0 )); })));"},
		{"#define Z(p) __CPROVER_forall \\\n { int i; (i > 0) ==> p[i] }\n",
			"#define Z(p) (__extension__( \\\n { int i; (!( (i > 0) ) || ( p[i] )); }))\n"},
		{"/* __CPROVER_forall { int i; i } */ \"__CPROVER_forall { int i; i }\" x__CPROVER_forall { int i; i }", ""},
		{"__CPROVER_forall { int i; a ==> b ==> c }", ""},
		{"__CPROVER_forall { int i; __CPROVER_exists { int j; j == i } }",
			"(__extension__( { int i; ( (__extension__( { int j; ( j == i ); })) ); }))"},
		{"__CPROVER_forall { int i; i", ""},
		{"__CPROVER_forall (i)", ""},
		{"__CPROVER_forall { int i; s[i] != '}' }", "(__extension__( { int i; ( s[i] != '}' ); }))"},
	}
	for _, test := range tests {
		got, ok := quantifier.Rewrite([]byte(test.text), quantifier.Expanded)
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

// TestBoundedQuantifiers checks which quantifiers have a loop as their other form, and the loop's range.
func TestBoundedQuantifiers(t *testing.T) {
	tests := []struct {
		text string
		want string // the head of the loop and the condition under which it is taken; empty: no loop
	}{
		{"__CPROVER_forall { size_t i; (i >= 0 && i < sizeof(x)) ==> a[i] == 0 }",
			"sizeof(x)) >= 0 && (sizeof(x)) <= 256 : 0|unitproof_i < (sizeof(x))"},
		{"__CPROVER_forall { unsigned i; i < N ==> a[i] }",
			"(N) >= 0 && (N) <= 256 && (unsigned)-1 > 0 : 0|unitproof_i < (N)"},
		{"__CPROVER_forall { int i; (0 <= i) && ((N >= i)) ==> a[i] }", "(N) >= 0 && (N) < 256 : 0|unitproof_i <= (N)"},
		{"__CPROVER_exists { unsigned long i; i < 7 && a[i] }",
			"(7) <= 256 && (unsigned long)-1 > 0 : 0|unitproof_all |= (i < 7 && a[i])"},
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
		got, ok := quantifier.Rewrite([]byte(test.text), quantifier.Expanded)
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

// TestQuantifiersRun compiles quantifiers with constant bounds, and compares their values with loops written by hand,
// for all arrays of four small numbers.
func TestQuantifiersRun(t *testing.T) {
	const forall, exists = "__CPROVER_forall", "__CPROVER_exists"
	tests := []quantifierRun{
		{forall + " { size_t i; i < 4 ==> a[i] == 0 }", "0", "4", "a[k] == 0", "all"},
		{forall + " { int i; (0 <= i && i <= 3) ==> (a[i] < 3) }", "0", "4", "a[k] < 3", "all"},
		{forall + " {\n unsigned i; // } ==> {\n i /* ==> */ < 4 ==>\n a[i] + '0' != '}' && a[i] != '\\2' }", "0", "4",
			"a[k] != 2", "all"},
		{forall + " { unsigned i; 4 > i && i < 3 && i > 0 ==> a[i] == 1 }", "1", "3", "a[k] == 1", "all"},
		{forall + " { unsigned char i; i <= 255 ==> a[i & 3] >= 1 }", "0", "4", "a[k] >= 1", "all"},
		{forall + " { unsigned i; i < 256 && a[i & 3] > 2 ==> i > 5 || a[3] == 3 }", "0", "4", "a[k] <= 2 || a[3] == 3",
			"all"},
		{forall + " { int i; i >= 0 && i < 0 ==> a[i] == 9 }", "0", "0", "a[k] == 9", "all"},
		{forall + " { unsigned i; i < 4 ==> " + exists + " { int j; j >= 0 && j <= 3 && a[j] == i } }", "0", "4",
			"a[0] == k || a[1] == k || a[2] == k || a[3] == k", "all"},
		{forall + " { int i; 0 <= (i) && (i) < (unsigned)(a[0] + 1) ==> (" + forall +
			" { int j; j >= 0 && j < 4 ==> a[j] >= i }) }", "0", "a[0] + 1", "a[0] >= k && a[1] >= k && a[2] >= k && a[3] >= k",
			"all"},
		{exists + " { unsigned i; i < 4 && a[i] == 2 }", "0", "4", "a[k] == 2", "some"},
		{exists + " { int i; (i >= 0 && 3 >= i) && (a[i] == i) }", "0", "4", "a[k] == k", "some"},
		{exists + " { int i; i >= 0 && i < 4 && " + forall + " { unsigned j; j < 4 ==> a[j] <= a[i] } && i != 1 }", "0", "4",
			"k != 1 && a[k] >= a[0] && a[k] >= a[1] && a[k] >= a[2] && a[k] >= a[3]", "some"},
	}
	for form, begins := range map[quantifier.Form]string{quantifier.Expanded: "__builtin_choose_expr",
		quantifier.Symbolic: "(__extension__({ extern int __unitproof_symbolic"} {
		quantifiersRun(t, tests, form, begins)
	}
}

// quantifierRun is a quantifier, and the same as a loop over all k of a range: kind is all or some.
type quantifierRun struct{ text, from, to, body, kind string }

func quantifiersRun(t *testing.T, tests []quantifierRun, form quantifier.Form, begins string) {
	var c strings.Builder
	c.WriteString("#include <stddef.h>\n#include <stdio.h>\ntypedef unsigned long long u;\n" +
		"int __unitproof_symbolic(void) { return 0; }\nu __unitproof_bound(void) { return 0; }\n" +
		"_Bool __unitproof_forall(_Bool c, u i, u j, u k) { return c; }\n" +
		"_Bool __unitproof_exists(_Bool c, u i, u j, u k) { return c; }\n" +
		"int main(void) {\n int failed = 0;\n for (int n = 0; n < 256; n++) {\n" +
		" unsigned char a[4] = {n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6};\n")
	for i, test := range tests {
		text, ok := quantifier.Rewrite([]byte(test.text), form)
		if !ok || !strings.HasPrefix(string(text), begins) {
			t.Errorf("%q became %q", test.text, text)
		}
		all, join := "1", "&&"
		if test.kind == "some" {
			all, join = "0", "||"
		}
		fmt.Fprintf(&c, "{ int all = %s; for (int k = %s; k < %s; k++) all = all %s (%s);\n int says = %s;\n if (says != "+
			"all && failed++ < 9) printf(\"%d: %%d for %%x\\n\", says, n); }\n",
			all, test.from, test.to, join, test.body, text, i)
	}
	c.WriteString(" }\n return failed;\n}\n")
	tc, err := clang.Find(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "all.c"), []byte(c.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{tc.Clang, "-w", "-O1", "all.c", "-o", "all"}, {"./all"}} {
		if out, stderr, err := tc.Run(context.Background(), dir, args[0], args[1:], nil); err != nil {
			t.Fatalf("%v: %v\n%s%s\n%s", args, err, out, stderr, c.String())
		}
	}
}

func FuzzQuantifiers(f *testing.F) {
	f.Add("__CPROVER_forall { int i; a ==> __CPROVER_exists { int j; b } } // x\n'\\'' \"")
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := quantifier.Rewrite([]byte(text), quantifier.Expanded)
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
