package vcgen

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestExplanationCosts checks that assumptions are also determined for loops with any number of iterations. If the
// check without an assumption takes far more than the proof did, the budget ends, and the core may not be minimal.
func TestExplanationCosts(t *testing.T) {
	const declared = "void assume(_Bool c); void sassert(_Bool c); unsigned nd_unsigned(void);\n"
	for name, test := range map[string]struct {
		source        string
		needed, spare []int // lines
		minimal       bool
	}{
		"any length": {declared + `int main(void) {
unsigned n = nd_unsigned(), m = nd_unsigned(), k = 0;
assume(m < 7);
assume(n != 5);
for (unsigned i = 0; i < n; i++) k++;
sassert(k != 5);
return 0; }`, []int{5}, []int{4}, true},
		"hard without": {declared + `int main(void) {
unsigned n = nd_unsigned(), m = nd_unsigned(), a = 1, b = 7;
assume(m < 7);
assume(n <= 3);
for (unsigned i = 0; i < n; i++)
  for (unsigned j = 0; j < i * i; j++) { unsigned t = nd_unsigned(); a = a ^ t * (t | 5); b = b ^ t * (5 | t); }
sassert((((a ^ b) & 6) == 6) | (a == 7));
return 0; }`, []int{5}, []int{4}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := clangir.Read([]byte(clangtest.Compile(t, test.source)), llvmir.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			report, err := Verify(context.Background(), m, "main", Options{
				Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
				Explain:   true}, realSolver)
			if err != nil {
				t.Fatal(err)
			}
			lines := func(list []CoreEntry) (out []int) {
				for _, e := range list {
					out = append(out, e.Pos.Line)
				}
				return out
			}
			x := report.Explained
			if !slices.Equal(lines(x.Needed), test.needed) || !slices.Equal(lines(x.Spare), test.spare) ||
				!x.Known || x.Minimal != test.minimal {
				t.Errorf("needed %v, not needed %v, known %v, minimal %v; want %v, %v, true, %v", lines(x.Needed), lines(x.Spare),
					x.Known, x.Minimal, test.needed, test.spare, test.minimal)
			}
			if most := 11*report.Stats.Steps + 13_000_000; x.work <= 0 || x.work > most {
				t.Errorf("work of %d, most %d, for a proof of %d", x.work, most, report.Stats.Steps)
			}
		})
	}
}

// TestCoresOfFindings checks findings behind loops with any number of iterations. A finding needs the assumptions
// without which it is not proved. If either of two assumptions suffices for it, it needs the core, perhaps not all of
// it.
func TestCoresOfFindings(t *testing.T) {
	const source = `void assume(_Bool c); void sassert(_Bool c); unsigned nd_unsigned(void);
int main(void) {
unsigned n = nd_unsigned(), m = nd_unsigned(), k = 0;
assume(m < 7);
assume(n != 5);
for (unsigned i = 0; i < n; i++) k++;
sassert(k == n);
sassert(k != 5 || m < 7);
sassert(8 * m + (k == 5) < 49);
sassert(k != 5);
sassert(m < 9);
return 0; }`
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := Verify(t.Context(), m, "main", Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks(), UserFile: func(string) bool { return true }},
		Explain:   true}, realSolver)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range report.Explained.Findings {
		if f.Kind == found.Assertion {
			s := fmt.Sprintf("%d:", f.Pos.Line)
			for _, e := range f.Needed {
				s += fmt.Sprintf(" %d", e.Pos.Line)
			}
			if !f.Known || !f.Minimal {
				s += " perhaps"
			}
			got = append(got, s)
		}
	}
	if want := []string{"7:", "8: 4 5 perhaps", "9: 4 5", "10: 5", "11: 4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOneValue checks that inputs are reported for which the assumptions leave one value, and no others.
func TestOneValue(t *testing.T) {
	const declared = `void assume(_Bool c); void sassert(_Bool c); unsigned nd_unsigned(void); char nd_char(void);
struct s { int a, b; };
`
	for source, want := range map[string][]string{
		"unsigned n = nd_unsigned(); assume(n == 4); sassert(n < 5);":                                      {"4"},
		"unsigned n = nd_unsigned(); assume(n >= 2 && n <= 2); sassert(n < 5);":                            {"2"},
		"unsigned n = nd_unsigned(); assume(n > 3); assume(n < 5); sassert(n < 5);":                        {"4"},
		"int n = (int)nd_unsigned(); assume(n == -7); sassert(n < 5);":                                     {"-7"},
		"char c = nd_char(); assume(c == 'x'); sassert(c > 5);":                                            {"120"},
		"struct s s; assume(s.b == 3); sassert(s.b < 4 || s.a);":                                           {"3"},
		"unsigned n = nd_unsigned(); assume(n < 5); sassert(n < 5);":                                       nil,
		"unsigned n = nd_unsigned(); if (n < 3) assume(n == 1); sassert(n);":                               nil,
		"struct s s; assume(s.b < 256 && s.b >= 0); sassert(s.b < 256 || s.a);":                            nil,
		"unsigned n = nd_unsigned(), m = nd_unsigned(); assume(n == m); sassert(n == m);":                  nil,
		"for (int i = 0; i < 3; i++) { unsigned n = nd_unsigned(); assume(i || n == 2); sassert(i || n);}": nil,
		"char s[4]; assume(s[3] == 0); sassert(!s[3]);":                                                    nil,
	} {
		m, err := clangir.Read([]byte(clangtest.Compile(t, declared+"int main(void) {\n"+source+"\nreturn 0; }")),
			llvmir.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		report, err := Verify(t.Context(), m, "main", Options{Semantics: found.Semantics{Checks: found.DefaultChecks(),
			UserFile: func(string) bool { return true }}, Explain: true}, realSolver)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range report.Explained.OneValue {
			got = append(got, v.Value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", source, got, want)
		}
	}
}
