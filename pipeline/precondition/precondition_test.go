package precondition

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

func TestBlocks(t *testing.T) {
	text := `int main(void) {
  int a = 1, b[2] = {f(1, 2), (2)};
#define UNUSED {
  if (a) g(a); else { h(a); }
  do { a++; } while (a < 4);
  switch (a) { case 1: again: k(b); break; default: ; }
  for (int i = 0; i < 3; i++) { use((struct s){i}); at(i); }
  return (struct t){0}.x;
}
int other(void) { return 0; }`
	for _, test := range []struct{ at, want string }{
		{"at(i)", "use((struct s){i});|at(i);"},
		{"f(1", "int a = 1, b[2] = {f(1, 2), (2)};|if (a) g(a); else { h(a); }|do { a++; } while (a < 4);|" +
			"switch (a) { case 1: again: k(b); break; default: ; }|" +
			"for (int i = 0; i < 3; i++) { use((struct s){i}); at(i); }|return (struct t){0}.x;"},
		{"h(a)", "h(a);"},
		{"a++", "a++;"},
		{"k(b)", "k(b);|break;|;"},
	} {
		blocks := Blocks([]byte(text), strings.IndexByte(text, '{'), strings.Index(text, test.at))
		var got []string
		for _, s := range blocks[len(blocks)-1] {
			got = append(got, text[s.Start:s.End])
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("around %s: %q", test.at, got)
		}
	}
	if Blocks([]byte("int f(void) {"), 13, 0) != nil || len(Blocks([]byte("{ a; b("), 0, 2)) != 1 {
		t.Error("a text that ends too early")
	}
}

// search finds the conditions that exclude all failing states among some, as a caller does who checks proofs.
func search(t *testing.T, r Request, all func(yield func(State)), fails func(State) bool) (*Search, []string) {
	t.Helper()
	var bad, good []State
	all(func(s State) {
		if fails(s) {
			bad = append(bad, s)
		} else {
			good = append(good, s)
		}
	})
	s := NewSearch(r, bad[0])
	for range 60 {
		c := s.Next()
		if c == nil || len(s.Holding()) == 3 {
			break
		}
		outcome := Excludes
		for _, state := range bad {
			if c.eval(state) == yes {
				outcome = Fails
				s.Failing(state)
				break
			}
		}
		if outcome == Excludes {
			outcome = Empty
			for _, state := range good {
				if c.eval(state) == yes {
					outcome = Excludes
				}
			}
		}
		s.Tried(c, outcome)
	}
	var texts []string
	for _, c := range s.Holding() {
		texts = append(texts, c.Text())
	}
	return s, texts
}

func state(values ...int64) (s State) {
	for _, v := range values {
		s = append(s, big.NewInt(v))
	}
	return s
}

func TestSearch(t *testing.T) {
	grid := func(lo, hi int64, n int) func(func(State)) {
		return func(yield func(State)) {
			values := make([]int64, n)
			var fill func(i int)
			fill = func(i int) {
				if i == n {
					yield(state(values...))
					return
				}
				for v := lo; v <= hi; v++ {
					values[i] = v
					fill(i + 1)
				}
			}
			fill(0)
		}
	}
	unsigned := func(name string) Var { return Var{Text: name, Bits: 64, Input: true, Relevant: true} }
	signed := func(name string) Var { return Var{Text: name, Bits: 32, Signed: true, Input: true, Relevant: true} }
	constants := func(values ...int64) (list []Const) {
		for _, v := range values {
			list = append(list, Const{Value: big.NewInt(v)})
		}
		return list
	}
	for _, test := range []struct {
		r     Request
		all   func(func(State))
		fails func(State) bool
		want  string // the first that is found
	}{
		{Request{Vars: []Var{unsigned("len"), unsigned("cap")}}, grid(0, 5, 2),
			func(s State) bool { return s[0].Cmp(s[1]) > 0 }, "len <= cap"},
		{Request{Vars: []Var{unsigned("len"), unsigned("cap")}}, grid(0, 5, 2),
			func(s State) bool { return s[0].Cmp(s[1]) == 0 }, "len != cap"},
		{Request{Vars: []Var{signed("k")}, Consts: constants(0, 4, 2)}, grid(-4, 9, 1),
			func(s State) bool { return s[0].Int64() < 0 || s[0].Int64() >= 4 }, "k >= 0 && k < 4"},
		{Request{Vars: []Var{unsigned("off"), unsigned("len"), unsigned("size")}}, grid(0, 4, 3),
			func(s State) bool { return s[0].Int64()+s[1].Int64() > s[2].Int64() }, "len <= size && off <= size - len"},
		{Request{Vars: []Var{{Text: "p", Pointer: true, Input: true, Relevant: true}, unsigned("n")}}, grid(0, 2, 2),
			func(s State) bool { return s[0].Sign() == 0 && s[1].Sign() > 0 }, "p != NULL"},
		{Request{Vars: []Var{unsigned("flags")}, Consts: []Const{{Value: big.NewInt(4), Mask: true}}}, grid(0, 15, 1),
			func(s State) bool { return s[0].Int64()&4 != 0 }, "(flags & 4) == 0"},
		{Request{Vars: []Var{signed("x")}, Consts: constants(0), Division: true}, grid(-2, 2, 1),
			func(s State) bool { return s[0].Sign() == 0 }, "x != 0"},
	} {
		_, got := search(t, test.r, test.all, test.fails)
		if len(got) == 0 || got[0] != test.want {
			t.Errorf("%s is not the first of %q", test.want, got)
		}
	}
}

// A condition and its negation are opposites, and one that implies another one by its form does so.
func TestNegationAndImplication(t *testing.T) {
	vars := []Var{{Text: "a", Bits: 32, Signed: true, Input: true, Relevant: true},
		{Text: "b", Bits: 32, Signed: true, Input: true, Relevant: true}}
	var consts []Const
	for v := int64(-1); v <= 3; v++ {
		consts = append(consts, Const{Value: big.NewInt(v), Mask: v > 0, Mod: v > 1})
	}
	all := candidates(Request{Vars: vars, Consts: consts, Overflow: true, Division: true})
	if len(all) < 50 {
		t.Fatalf("%d candidates", len(all))
	}
	var states []State
	for a := int64(-3); a <= 5; a++ {
		for b := int64(-3); b <= 5; b++ {
			states = append(states, state(a, b))
		}
	}
	for i, c := range all {
		for _, s := range states {
			negation := yes
			for _, clause := range c.clauses {
				for k := range clause {
					n := atom{clause[k].left, negated[clause[k].op], clause[k].right}
					if len(c.clauses) == 1 && n.eval(s) != yes {
						negation = no
					}
				}
			}
			if len(c.clauses) == 1 && (negation == yes) == (c.eval(s) == yes) {
				t.Fatalf("%s and its negation at %s", c.Text(), fmt.Sprint(s))
			}
		}
		for _, d := range all[i+1:] {
			for _, pair := range [][2]*Condition{{c, d}, {d, c}} {
				if !pair[0].Implies(pair[1]) {
					continue
				}
				for _, s := range states {
					if pair[0].eval(s) == yes && pair[1].eval(s) != yes {
						t.Fatalf("%s does not imply %s at %s", pair[0].Text(), pair[1].Text(), fmt.Sprint(s))
					}
				}
			}
			if contradict(c, d) {
				for _, s := range states {
					if c.eval(s) == yes && d.eval(s) == yes {
						t.Fatalf("%s and %s hold at %s", c.Text(), d.Text(), fmt.Sprint(s))
					}
				}
			}
		}
	}
}
