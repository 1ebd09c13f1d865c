package contract

import (
	"slices"
	"strings"
	"testing"
)

// TestWords checks the roles of the words of clauses in whole, macro-like and unfinished text.
func TestWords(t *testing.T) {
	letters := map[Role]string{ClauseName: "C", Primitive: "p", Quantifier: "q", Result: "r", Parameter: "a", Member: "m",
		Call: "f", Other: "o", Digits: "d"}
	for _, test := range []struct{ text, want string }{
		{"int get(int *a, int n) __CPROVER_requires(n > 0 && __CPROVER_is_fresh(a, n * sizeof *a))\n" +
			"__CPROVER_ensures(__CPROVER_return_value == a[0] && limit(n) <= max) { return n; }",
			"C:__CPROVER_requires a:n d:0 p:__CPROVER_is_fresh a:a a:n o:sizeof a:a C:__CPROVER_ensures " +
				"r:__CPROVER_return_value a:a d:0 f:limit a:n o:max"},
		{"#define __CPROVER_requires(...)\nvoid f(struct s *p);", ""},
		{"void f(struct s *p, int (*g)(int), char q[4]) unitproof_requires(p->n < q[0] && g != p)\n;\nint n(n)",
			"C:unitproof_requires a:p m:n a:q d:0 a:g a:p"},
		{"void f(int n) { for (int i = 0; i < n; i++) __CPROVER_loop_invariant(__CPROVER_forall { int k; (0 <= k) ==> " +
			"a[k] == 0 }) { a[i] = 0; } }",
			"C:__CPROVER_loop_invariant q:__CPROVER_forall o:int o:k d:0 o:k o:a o:k d:0"},
		{"int f(int n) __CPROVER_requires(n > \n__CPROVER_ensures(n) ; int y;",
			"C:__CPROVER_requires a:n C:__CPROVER_ensures a:n"},
		{"int f(int n) __CPROVER_requires(n > 0; int y = 3;", "C:__CPROVER_requires a:n d:0"},
		{"// __CPROVER_requires(n)\nchar *s = \"__CPROVER_requires(n)\";", ""},
	} {
		var got []string
		for _, w := range Words([]byte(test.text)) {
			got = append(got, letters[w.Role]+":"+test.text[w.Start:w.End])
		}
		want := strings.Fields(test.want)
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", test.text, got, want)
		}
	}
}
