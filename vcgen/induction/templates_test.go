package induction

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// findIn searches invariants of the first loop of main in C, with the product's solver. survivors are the surviving
// candidates, refuted the dropped ones, each as its template and its C text.
func findIn(t *testing.T, body string) (survivors, refuted map[string]bool) {
	t.Helper()
	in := sampled(t, body)
	if in.Find(t.Context()) {
		in.Conclude()
		in.retract()
		in.refine(elements)
	}
	return candidatesOf(in)
}

// sampled returns a Finder for the first loop of main in C, with the samples of executions.
func sampled(t *testing.T, body string) *Finder {
	t.Helper()
	source := `#include <stdbool.h>
#include <stdint.h>
void assume(bool); void sassert(bool); unsigned nd_uint(void); int nd_int(void); bool nd_bool(void);
int main(void) {
` + body + "\n  return 0;\n}\n"
	in := cutWith(t, source)
	in.Sample(t.Context(), interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
		MaxSteps: 1_000_000}, func(int64) {})
	return in
}

// candidatesOf returns the surviving candidates and the dropped ones, each as its template and its C text.
func candidatesOf(in *Finder) (survivors, refuted map[string]bool) {
	survivors, refuted = map[string]bool{}, map[string]bool{}
	for i := range in.heads {
		ph := in.newPhraser(i)
		for _, l := range in.lemmas[i] {
			p, ok := ph.lemma(l)
			if !ok {
				p.text = "?"
			}
			if text := l.text + ": " + p.text; l.dropped {
				refuted[text] = true
			} else {
				survivors[text] = true
			}
		}
	}
	return survivors, refuted
}

// limited is a context that ends when it was asked so often.
type limited struct {
	context.Context
	left int
}

func (l *limited) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestStoppedSearchGoesOn ends a search again and again, after more and more steps, and lets it go on. It keeps what a
// search without an end keeps: a query that was stopped drops nothing.
func TestStoppedSearchGoesOn(t *testing.T) {
	for name, body := range map[string]string{"sums": doubles, "elements": fills, "terminator": keeps,
		"seldom": seldom, "disturbed": disturbed, "overwritten": passes} {
		want, _ := findIn(t, body)
		in, stops := sampled(t, body), 0
		concluded := false
		search := func(ctx context.Context) bool {
			if in.Find(ctx) {
				if !concluded {
					in.Conclude()
					in.retract()
					concluded = true
				}
				in.refine(elements)
			}
			return in.refined == elements
		}
		for steps := 1; !search(&limited{t.Context(), steps}); steps++ {
			if stops++; stops > 10_000 {
				t.Fatalf("%s: the search does not end", name)
			}
			for _, l := range slices.Concat(in.lemmas...) {
				if l.phase() == elements && !l.dropped {
					t.Fatalf("%s, after %d stops: a candidate about elements is a fact before it was shown", name, stops)
				}
			}
		}
		in.ctx = t.Context()
		survivors, _ := candidatesOf(in)
		for text := range want {
			if !survivors[text] {
				t.Errorf("%s, after %d stops: %q is lost", name, stops, text)
			}
		}
		for text := range survivors {
			if !want[text] {
				t.Errorf("%s, after %d stops: %q survives", name, stops, text)
			}
		}
		if stops < 3 {
			t.Errorf("%s: the search was stopped %d times", name, stops)
		}
	}
}

func cutWith(t *testing.T, source string) *Finder {
	t.Helper()
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cut := unfold.NewInduction([]string{"main#1", "f"})
	for {
		c := smt.NewContext()
		asker := ask.New(c, func(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) },
			ask.Options{})
		prog, err := unfold.Run(t.Context(), m, "main", c, feasible{}, unfold.Options{
			Semantics:     found.Semantics{Checks: found.DefaultChecks()},
			LoopContracts: language.LoopsChecked, Induction: cut, NoFacts: true, NoCursors: true, NoOutcomes: true,
			NoLifting: true, Bind: asker.Bind})
		if err != nil {
			t.Fatal(err)
		}
		if cut.Refused != "" {
			t.Fatalf("refused: %s", cut.Refused)
		}
		if cut.Settled() {
			in := New(Program{Module: m, Entry: "main", C: c, Unfolded: prog, Heads: cut.Heads,
				User: func(string) bool { return true }}, asker)
			t.Cleanup(in.Close)
			return in
		}
	}
}

// The loops of the templates. The second loop of a pair makes the candidate false.
const (
	sum        = "unsigned n = nd_uint(), i = 0, s = 0; assume(n < 1000); while (i < n) { i++; "
	doubles    = sum + "s += 2; } sassert(s == 2 * i);"
	wraps      = "unsigned n = nd_uint(), i = 0, s = 0; while (i < n) { i++; s += 2; } sassert(s == 2 * i);"
	seldom     = sum + "s += nd_bool() ? 3 : 2; } sassert(s == 2 * i);"
	ahead      = from1 + "s += nd_bool() ? 3 : 2; } sassert(s + i);"
	from1      = "unsigned n = nd_uint(), i = 0, s = 1; assume(n < 1000); while (i < n) { i++; "
	odd        = from1 + "s += nd_bool() ? 3 : 0; } sassert(s);"
	fours      = from1 + "s += nd_bool() ? 4 : 0; } sassert(s);"
	down       = "int n = nd_int(), i = n; while (i > 0) i--; sassert(i <= 0 || n);"
	leaps      = "int n = nd_int(), i = n; while (i > 0) { i--; if (i == 5) i = 100; } sassert(i <= 0 || n);"
	anyElement = " unsigned k = nd_uint(); assume(k < i); "
	array      = "unsigned a[100], i = 0, n = nd_uint(); assume(n <= 100); "
	fills      = array + "while (i < n) { a[i] = 5; i++; }" + anyElement + "sassert(a[k] == 5);"
	disturbed  = array + "while (i < n) { a[i] = 5; a[0] = 4; i++; }" + anyElement + "sassert(a[k] == 5);"
	numbers    = array + "while (i < n) { a[i] = i; i++; }" + anyElement + "sassert(a[k] == k);"
	overwrites = array + "while (i < n) { a[i] = i; i++; a[n / 2] = 7; }" + anyElement + "sassert(a[k] == k);"
	searches   = array + "while (i < n && a[i] != 7) i++;" + anyElement + "sassert(a[k] != 7);"
	plants     = array + "while (i < n && a[i] != 7) { i++; a[n / 2] = 7; }" + anyElement + "sassert(a[k] != 7);"
	strided    = array + "while (i < n) { a[i] = i; i += 2; }" + anyElement + "sassert(k % 2 || a[k] == k);"
	backwards  = "unsigned a[100]; int n = nd_int(); assume(n > 0 && n < 100); int i = n; " +
		"while (i > 0) { a[i] = 5; i--; }" +
		" int k = nd_int(); assume(k > i && k <= n); sassert(a[k] == 5);"
	behind = array + "a[50] = 3; while (i < n && i < 50) { a[i] = 5; i++; } sassert(a[50] == 3);"
	around = "char a[256]; uint8_t i = 250; a[251] = 3; unsigned n = nd_uint(); " +
		"for (unsigned k = 0; k < n; k++) { a[i] = 5; i++; } sassert(n > 1 || a[251] == 3);"
	masked   = "unsigned s = 0; while (nd_bool()) { if (nd_bool()) s = (s + 1) & 3; } sassert(s < 9);"
	unmasked = "unsigned s = nd_uint(); while (nd_bool()) { if (nd_bool()) s = (s + 1) & 3; } sassert(s < 9);"
	machine  = "unsigned s = 0, lock = 0; while (nd_bool()) { if (s == 0) { lock = 1; s = 1; } " +
		"else if (s == 1) { lock = 0; s = 7; } else s = 0; } sassert(s < 9 || lock);"
	multi  = "unsigned y = 1; while (nd_bool()) y += 4 * nd_uint(); sassert(y);"
	single = "unsigned y = 1; while (nd_bool()) y += nd_bool() ? 4 : nd_uint() == 123456789; sassert(y);"
	phases = "int n = nd_int(), x = 0, y = 50; assume(n < 1000); while (x < n) { x++; if (x > 50) y++; } sassert(y);"
	turns  = "unsigned state = 0, x = 0; while (nd_bool()) { x = state == 0 ? 8 : x + 1; " +
		"state = state == 2 ? 0 : state + 1; } sassert(x <= 10);"
	ends   = "char s[100]; unsigned n = nd_uint(), i = 0; assume(n < 100); s[n] = 0; while (s[i]) { "
	keeps  = ends + "s[i] = 1; i++; } sassert(i <= n);"
	passes = ends + "i++; if (i < 100) s[i] = 1; else break; } sassert(i <= n);"
	signs  = "int t = 0; unsigned n = nd_uint(), i = 0; assume(n < 1000); while (i < n) { i++; int v = nd_int(); " +
		"if (v >= -3 && v <= 9) t += v; } sassert(t);"
	shared = "unsigned n = nd_uint(), a = 0, b = 0, i = 0; assume(n < 1000); while (i < n) { i++; " +
		"switch (nd_uint() % 3) { case 0: a++; break; case 1: b++; } } sassert(a + b <= 1000);"
	crowded = "unsigned n = nd_uint(), a = 0, b = 0, i = 0; assume(n < 1000); while (i < n) { i++; " +
		"if (nd_bool()) { a++; if (i > 900) b++; } else if (nd_bool()) b++; } sassert(a + b <= 2000);"
	halved = "unsigned n = nd_uint(), x = nd_uint(), at = 0, rest = n; while (rest > 0) { unsigned h = rest / 2; " +
		"if (at + h < x) { at += h + 1; rest -= h + 1; } else rest = h; } sassert(at <= n);"
	quotient = "unsigned n = nd_uint(), b = nd_uint(), q = 0, r = n; assume(b > 0); while (r >= b) { r -= b; q++; } " +
		"sassert(q * b + r == n);"
	digits = "unsigned n = nd_uint(), i = 0, o = 0, h = 0; while (i < n) { i++; if (++o == 100) { o = 0; h++; } } " +
		"sassert(100 * h + o == i);"
	latest = "int n = nd_int(), m = 0; assume(n < 1000); for (int x = 0; x < n; x++) if (nd_bool()) m = x; " +
		"if (n > 0) sassert(m < n);"
	tally = "unsigned n = nd_uint(); assume(n < 1000); int a[8] = {0}; for (unsigned i = 0; i < n; i++) " +
		"a[nd_uint() % 8]++; sassert(a[nd_uint() % 8] < 1000);"
	latestOf = "unsigned n = nd_uint(); assume(n < 1000); int a[8] = {0}; for (unsigned i = 0; i < n; i++) " +
		"a[nd_uint() % 8] = i % 100; sassert(a[nd_uint() % 8] < 100);"
)

// Variants of these loops.
var (
	opened  = strings.Replace(machine, "else s = 0;", "else { s = 0; lock = nd_uint() == 12345; }", 1)
	either  = strings.Replace(sum, "s = 0;", "s = 0, t = 0;", 1) + "if (nd_bool()) s++; else t++; } sassert(s + t < 5000);"
	inexact = strings.Replace(quotient, "q++", "q += 1 + (q == 77)", 1)
	skipped = strings.Replace(digits, "h++", "h += 1 + (h == 7)", 1)
	beyond  = strings.Replace(latest, "m = x", "m = x + 1", 1)
	begun   = strings.Replace(strings.Replace(tally, "a[8] = {0}", "a[16] = {0, 0, 0, 2}", 1), "% 8", "% 16", 2)
)

// TestTemplates checks, for each template, a loop for which it is found and one for which it is refuted.
func TestTemplates(t *testing.T) {
	known := map[string][2]map[string]bool{}
	of := func(body string) [2]map[string]bool {
		if _, ok := known[body]; !ok {
			f, r := findIn(t, body)
			known[body] = [2]map[string]bool{f, r}
		}
		return known[body]
	}
	const found, refuted = 0, 1
	all := func(what string, given ...string) string {
		return "__CPROVER_forall { unsigned int k; " + strings.Join(append([]string{"k < i"}, given...), " && ") + " ==> " +
			what + " }"
	}
	wide := func(what string) string { return strings.Replace(all(what), "unsigned int", "unsigned long", 1) }
	for _, test := range []struct {
		template, says string
		body           string
		is             int
	}{
		{"what is asserted", ": s == 2 * i", wraps, found},
		{"what is asserted", ": s == 2 * i", seldom, refuted},
		{"what let the loop go on", ": i < n", doubles, refuted},
		{"a bound", "<=: i <= n", doubles, found},
		{"a bound", "<=: n <= i", doubles, refuted},
		{"a bound of what goes down", "<=: i <= n", down, found},
		{"a bound of what goes down", "<=: i <= n", leaps, refuted},
		{"a strict bound", "<: i < s", ahead, found},
		{"a strict bound", "<: i < s", odd, refuted},
		{"a stride", "stride: s % 2 == 0", doubles, found},
		{"a stride", "stride: (s - 1) % 4 == 0", fours, found},
		{"two distances", "==: s == 2 * i", doubles, found},
		{"the range of what is assigned", "<=: s <= 3", masked, found},
		{"the range of what is assigned", "<=: s <= 3", unmasked, refuted},
		{"few values", "values: s == 0 || s == 1 || s == 7", machine, found},
		{"values that do not meet", "disjoint: s != 0 || lock != 1", machine, found},
		{"values that do not meet", "disjoint: s != 0 || lock != 1", opened, refuted},
		{"a stride of inputs", "stride: (y - 1) % 4 == 0", multi, found},
		{"a stride of inputs", "stride: (y - 1) % 4 == 0", single, refuted},
		{"a sum of variables", "==: i == s + t", either, found},
		{"a bound that needs the state", ": x <= 10", turns, found},
		{"an equation under a condition", "==: x <= 50 || x == y", phases, found},
		{"the condition behind a branch", ": n <= 0 || m < n", latest, found},
		{"the condition behind a branch", ": n <= 0 || m < n", beyond, refuted},
		{"two distances", "==: s == 2 * (unsigned long)i", wraps, refuted},
		{"two distances, at least", "<=: 2 * i <= s", seldom, found},
		{"two distances, at most", "<=: s <= 3 * i", seldom, found},
		{"one value", "all elements have one value: " + wide("a[k] == 5"), fills, found},
		{"one value", "all elements have one value", disturbed, refuted},
		{"what an iteration wrote", "elements are as their iteration wrote them: " + all("a[k] == k"), numbers, found},
		{"what an iteration wrote", "elements are as their iteration wrote them", overwrites, refuted},
		{"what let the loop go on, of elements", "each element let the loop go on: " + all("a[k] != 7"), searches, found},
		{"what let the loop go on, of elements", "each element let the loop go on", plants, refuted},
		{"a distance of both signs", "<=: t <= (long)(9 * (unsigned long)i)", signs, found},
		{"a sum that is at most a number", "sum: a + b <= i", shared, found},
		{"a sum that is at most a number", "sum: a + b <= i", crowded, refuted},
		{"what is asked, with what remains", "finished: at + rest <= n", halved, found},
		{"an equation of products", ": n == r + b * q", quotient, found},
		{"an equation of products", ": n == r + b * q", inexact, refuted},
		{"an equation with asserted factors", ": i == o + 100 * h", digits, found},
		{"an equation with asserted factors", ": i == o + 100 * h", skipped, refuted},
		{"what is asserted, of elements", "what is asserted holds of other elements, too: " + all("a[k] == k"),
			numbers, found},
		{"what is asserted, of elements", "what is asserted holds of other elements, too", overwrites, refuted},
		{"what an iteration wrote, at each second place",
			"elements are as their iteration wrote them: " + all("a[k] == k", "k % 2 == 0"), strided, found},
		{"what an iteration wrote, downwards",
			"elements are as their iteration wrote them: __CPROVER_forall { int k; i < k && k <= n ==> a[k] == 5 }",
			backwards, found},
		{"nothing else", "nothing else has changed", behind, found},
		{"nothing else", "nothing else has changed", around, refuted},
		{"an element that is survivors", "==: s[n] == 0", keeps, found},
		{"an element that is survivors", "==: s[n] == 0", passes, refuted},
		{"before the first iteration", "nothing has changed before the first iteration", behind, found},
		{"bounds of elements by a counter", "bounds of elements: __CPROVER_forall { unsigned long k; k <= 7 ==> " +
			"(unsigned int)a[k] <= i }", tally, found},
		{"bounds of elements by a counter", "bounds of elements", begun, refuted},
		{"bounds of elements by constants", "bounds of elements: __CPROVER_forall { unsigned long k; k <= 7 ==> " +
			"(unsigned int)a[k] <= 99 }", latestOf, found},
	} {
		body := of(test.body)
		has := func(is int) bool {
			for text := range body[is] {
				if text == test.says || strings.HasPrefix(text, test.says+":") {
					return true
				}
			}
			return false
		}
		if !has(test.is) || has(1-test.is) {
			t.Errorf("%s (%s) of\n%s\nfound: %v, refuted: %v\nleft: %q\nrefuted: %q", test.template, test.says, test.body,
				has(found), has(refuted), keys(body[found]), keys(body[refuted]))
		}
	}
}

// TestPositions checks that a pointer is measured from the begin of its object. On entry it may be a choice, or
// point into the middle. No cell is left of the run to which the pointer was still a constant.
func TestPositions(t *testing.T) {
	for _, entry := range []string{"p = s;", "p = s + nd_uint() % 4;",
		"if (nd_bool()) p = s + nd_uint() % 4; else p = 0; if (!p) return 1;"} {
		h := cutWith(t, `#include <stdbool.h>
unsigned nd_uint(void); bool nd_bool(void); void assume(bool);
static void put(char **p) { *(*p)++ = 1; }
int main(void) {
  char s[100], *p;
  unsigned n = nd_uint();
  assume(n <= 100);
  `+entry+`
  while (p < s + n) put(&p);
  return 0;
}
`).heads[0]
		if i := slices.IndexFunc(h.Places, func(p unfold.Place) bool { return p.Pointer }); i < 0 || !h.Places[i].Start {
			t.Errorf("%s the pointer is not measured from the begin of its object: %+v", entry, h.Places)
		}
		if len(h.Contents) != 1 || len(h.Contents[0].Cells) > 0 {
			t.Errorf("%s the content of one object changes, without known cells: %+v", entry, h.Contents)
		}
	}
}

func keys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
