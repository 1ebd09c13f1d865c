package induction

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// recursive is a program whose main calls the recursive function f.
func recursive(function, body string) string {
	return `#include <stdbool.h>
#include <stddef.h>
void assume(bool); void sassert(bool); unsigned nd_uint(void); int nd_int(void); bool nd_bool(void);
` + function + "\nint main(void) { " + body + " return 0; }\n"
}

// Recursive functions, and calls of them with an assertion.
const (
	sums = "static unsigned f(unsigned n) { if (n == 0) return 0; return 2 + f(n - 1); }"
	// jumps is sums, except for one number.
	jumps      = "static unsigned f(unsigned n) { if (n == 0) return 0; if (n == 77) return 3; return 2 + f(n - 1); }"
	callsSum   = "unsigned n = nd_uint(); assume(n < 1000); sassert(f(n) == 2 * n);"
	counts     = "static unsigned c; static void f(unsigned n) { if (n > 0) { c++; f(n - 1); } }"
	callsCount = "unsigned n = nd_uint(); f(n); sassert(c == n);"
	// resets sets the counter back behind the inner call.
	resets = "static unsigned c; static void f(unsigned n) { if (n > 0) { c++; f(n - 1); if (n == 50) c = 0; } }"
	points = "static const char *f(const char *p, const char *end) { return p == end || *p == 'x' ? p : f(p + 1, end); }"
	calls  = "char s[40]; unsigned n = nd_uint(); assume(n <= 40); sassert(f(s, s + n) <= s + n);"
)

// TestActivations checks that the relation of arguments and results is found, and dropped if one activation violates
// it. What is found holds at each begin and end of an activation in executions.
func TestActivations(t *testing.T) {
	for _, test := range []struct {
		name, function, body string
		found, refuted       string
	}{
		{"sum", sums, callsSum, "__CPROVER_return_value == 2 * n", ""},
		{"sum but for one", jumps, callsSum, "", "__CPROVER_return_value == 2 * n"},
		{"count", counts, callsCount, "c == n + __CPROVER_old(c)", ""},
		{"count that is reset", resets, callsCount, "", "c == n + __CPROVER_old(c)"},
		{"pointer", points, calls, "", ""},
	} {
		in := cutWith(t, recursive(test.function, test.body))
		opts := interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}, MaxSteps: 1_000_000}
		in.Sample(t.Context(), opts, func(int64) {})
		if !in.Find(t.Context()) {
			t.Errorf("%s: the search did not end", test.name)
			continue
		}
		in.Conclude()
		survivors, refuted := candidatesOf(in)
		has := func(in map[string]bool, part string) bool {
			for text := range in {
				if _, clause, _ := strings.Cut(text, ": "); clause == part {
					return true
				}
			}
			return part == ""
		}
		if !has(survivors, test.found) {
			t.Errorf("%s: %q is not among %q", test.name, test.found, keys(survivors))
		}
		if !has(refuted, test.refuted) || test.refuted != "" && has(survivors, test.refuted) {
			t.Errorf("%s: %q survives, or is no candidate: %q", test.name, test.refuted, keys(refuted))
		}
		states, defect := in.Attack(t.Context(), opts, func(int64) {})
		if !defect.None() || states < 20 {
			t.Errorf("%s: %d states, %v", test.name, states, defect)
		}
	}
}

// TestAttackOfActivations checks that a wrong relation is noticed in an execution. The attack sees the arguments and
// results of inner calls, not only of the first.
func TestAttackOfActivations(t *testing.T) {
	in := cutWith(t, recursive(sums, callsSum))
	opts := interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}, MaxSteps: 1_000_000}
	in.Sample(t.Context(), opts, func(int64) {})
	if !in.Find(t.Context()) {
		t.Fatal("the search did not end")
	}
	end := len(in.heads) - 1
	h := in.heads[end]
	result, n := h.Places[0].Sym, h.Begin.Places[0].Sym
	c := in.c
	// It holds for the first activation, which has First set.
	in.add(end, "", c.Or(h.Begin.First, c.Eq(result, c.Add(n, n)), c.Ult(c.Int(32, 0), n)))
	in.add(end, "", c.Or(h.Begin.First, c.Ult(result, c.Int(32, 2))))
	if _, defect := in.Attack(t.Context(), opts, func(int64) {}); defect.None() {
		t.Error("a wrong relation of inner calls is not noticed")
	}
}

// TestEnds checks that a measure is found for loops and recursions that end, and for no other.
func TestEnds(t *testing.T) {
	unsigned := "unsigned n = nd_uint(), m = nd_uint(); "
	for _, test := range []struct {
		name, function, body, loop string
		ends                       bool
	}{
		{"down", "", "unsigned n = nd_uint(); while (n > 0) n -= n > 5 ? 5 : 1; sassert(n == 0);", "main#1", true},
		{"up by choice", "", unsigned + "while (n < m) n += nd_bool() ? 1 : m - n; sassert(n >= m);", "main#1", true},
		{"towards each other", "", "int lo = 0, hi = nd_int(); assume(hi < 1000); while (lo <= hi) " +
			"if (nd_bool()) lo++; else hi--; sassert(lo > hi);", "main#1", true},
		{"sometimes not", "", unsigned + "while (n < m) if (n != 77) n++; sassert(n >= m);", "main#1", false},
		{"down and up", "", unsigned + "while (n > 0) n = n == 50 ? m : n - 1; sassert(n == 0);", "main#1", false},
		{"recursion", sums, callsSum, "f", true},
		{"pointer", points, calls, "f", true},
		{"recursion that may not end", strings.Replace(sums, "f(n - 1)", "f(n == 60 ? n : n - 1)", 1), callsSum, "f", false},
	} {
		in := cutWith(t, recursive(test.function, test.body))
		in.Sample(t.Context(), interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
			MaxSteps: 1_000_000}, func(int64) {})
		if !in.Find(t.Context()) {
			t.Fatalf("%s: the search did not end", test.name)
		}
		in.Conclude()
		if got := in.Ends(t.Context(), test.loop); got != test.ends {
			t.Errorf("%s: ends: %v", test.name, got)
		}
	}
}

// TestEndIsNotKept checks that an equation of the arguments alone is not shown at the end of an activation because an
// activation does not change it. At the head of a loop it would be: there it held before.
func TestEndIsNotKept(t *testing.T) {
	in := cutWith(t, recursive(sums, callsSum))
	in.Sample(t.Context(), interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
		MaxSteps: 1_000_000}, func(int64) {})
	if !in.Find(t.Context()) {
		t.Fatal("the search did not end")
	}
	end := len(in.heads) - 1
	n, back := in.heads[end].Begin.Places[0].Sym, in.states[end].Back[0]
	in.add(end, "", in.c.Eq(n, in.c.Int(32, 5)))
	l := in.lemmas[end][len(in.lemmas[end])-1]
	violated := []smt.Term{in.c.Not(l.In(back))}
	if left, _ := in.shown(end, []*lemma{l}, violated, nil, in.heads[end].Back[0].Event, 0, back); len(left) != 1 {
		t.Error("n == 5 is shown")
	}
}
