package clang

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCompareBytes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"assert(a == b);", "assert((__builtin_memcmp(&(a), &(b), sizeof(a)) == 0));"},
		{"assert(p->x[i + 1] != *old);", "assert((__builtin_memcmp(&(p->x[i + 1]), &(*old), sizeof(p->x[i + 1])) != 0));"},
		{"if (n && *p == s.m || k) x();", "if (n && (__builtin_memcmp(&(*p), &(s.m), sizeof(*p)) == 0) || k) x();"},
		{"return a == f(b, c) ? 1 : 0;", "return (__builtin_memcmp(&(a), &(f(b, c)), sizeof(a)) == 0) ? 1 : 0;"},
		{"x = (a) == (b);", "x = (__builtin_memcmp(&((a)), &((b)), sizeof((a))) == 0);"},
		{"a ==\n  b;", ""},
		{"f(a < b);", ""},
		{"EQUAL(a, b);", ""},
	} {
		at := strings.Index(test.text, "==")
		if at < 0 {
			at = max(strings.Index(test.text, "!="), strings.Index(test.text, "<"), 0)
		}
		got, ok := compareBytes([]byte(test.text), at)
		if ok != (test.want != "") || ok && string(got) != test.want {
			t.Errorf("%s: %s, %t", test.text, got, ok)
		}
	}
}

// TestStructEquality checks that structs are compared as in goto-cc, and that it stays clang's error in programs that
// are not for CBMC.
func TestStructEquality(t *testing.T) {
	const text = "struct s { char c; int i; };\ntypedef struct s s_t;\nint main(void) {\n  struct s a = {0};\n  s_t b " +
		"= a, *p = &b;\n  ASSUME\n  return (a == *p) + (b != a);\n}"
	for _, test := range []struct{ assume, fails string }{{"__CPROVER_assume(1);", ""},
		{"", "invalid operands to binary expression"}} {
		dir := files(t, "p.c", strings.Replace(text, "ASSUME", test.assume, 1))
		m, err := toolchain(t).Build(t.Context(), Request{Entry: "main", EntryUnit: Unit{File: filepath.Join(dir, "p.c")}})
		switch {
		case test.fails != "":
			if err == nil || !strings.Contains(err.Error(), test.fails) {
				t.Errorf("error: %v", err)
			}
		case err != nil:
			t.Error(err)
		default:
			verify(t, m.Text)
			if n := strings.Count(string(m.Text), "call i32 @memcmp("); n != 2 {
				t.Errorf("%d comparisons in\n%s", n, m.Text)
			}
		}
	}
}
