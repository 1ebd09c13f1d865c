package clang

import "testing"

func TestQuantifiers(t *testing.T) {
	tests := []struct{ text, want string }{
		{"assert(__CPROVER_forall { size_t i; i < n ==> a[i] == 0 });", "assert((__extension__( { size_t i; (!( i < n ) || ( a[i] == 0 )); })));"},
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
