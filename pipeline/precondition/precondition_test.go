package precondition

import (
	"fmt"
	"math"
	"math/big"
	"slices"
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
	integer := func(name string) Var { return Var{Text: name, Bits: 32, Signed: true, Input: true, Relevant: true} }
	var consts []Const
	for v := int64(-1); v <= 3; v++ {
		consts = append(consts, Const{Value: big.NewInt(v), Mask: v > 0, Mod: v > 1})
	}
	var states []State
	for a := int64(-3); a <= 5; a++ {
		for b := int64(-3); b <= 5; b++ {
			states = append(states, state(a, b))
		}
	}
	t.Run("integers", func(t *testing.T) {
		vars := []Var{integer("a"), integer("b")}
		opposites(t, Request{Vars: vars, Consts: consts, Overflow: true, Division: true}, states)
	})
	floats := []float64{math.Inf(-1), -1, math.Copysign(0, -1), 0, 0.5, 1, 3, math.Inf(1), math.NaN()}
	states = nil
	for _, a := range floats {
		for _, b := range floats {
			states = append(states, State{FloatKey(a), FloatKey(b)})
		}
	}
	float := func(name string) Var { return Var{Text: name, Bits: 64, Float: true, Input: true, Relevant: true} }
	t.Run("floats", func(t *testing.T) {
		opposites(t, Request{Vars: []Var{float("x"), float("y")}, Consts: consts, Floats: []float64{0.5}}, states)
	})
}

func opposites(t *testing.T, r Request, states []State) {
	all := candidates(r)
	if len(all) < 40 {
		t.Fatalf("%d candidates", len(all))
	}
	for i, c := range all {
		for _, s := range states {
			negation := yes
			for _, clause := range c.clauses {
				for k := range clause {
					n := clause[k].negation(r.Vars)
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

// TestFloatKey checks that keys are ordered like the numbers, and that constants are written in C.
func TestFloatKey(t *testing.T) {
	last := FloatKey(math.Inf(-1))
	for _, test := range []struct {
		value float64
		bits  int
		text  string
	}{
		{-math.MaxFloat64, 64, "-1.7976931348623157e+308"}, {-1.5, 32, "-1.5f"},
		{-math.SmallestNonzeroFloat64, 64, "-5e-324"},
		{0, 64, "0.0"}, {1, 32, "1.0f"}, {1e20, 64, "1e+20"}, {math.Inf(1), 64, "__builtin_inf()"},
	} {
		key := FloatKey(test.value)
		if key.Cmp(last) <= 0 || floatOf(key) != test.value {
			t.Errorf("key of %v: %v", test.value, key)
		}
		last = key
		if c, ok := floatConstant(test.value, test.bits); !ok || c.name != test.text {
			t.Errorf("%v is written %+v, want %s", test.value, c, test.text)
		}
	}
	if _, ok := floatConstant(0.1, 32); ok {
		t.Error("0.1 is called a float")
	}
}

// TestSeparating searches exact conditions as a caller does who checks proofs: each answer is a state.
func TestSeparating(t *testing.T) {
	number := func(name string) Var { return Var{Text: name, Bits: 32, Signed: true, Input: true, Relevant: true} }
	for _, test := range []struct {
		fails func(x, y int64) bool
		want  string
	}{
		{func(x, y int64) bool { return x == 3 && y == 4 }, "x == 3 && y == 4"},
		{func(x, y int64) bool { return x < -7 || y > 11 }, "x <= -8 || y >= 12"},
		{func(x, y int64) bool { return x >= 5 && x < 9 }, "x >= 5 && x <= 8"},
		{func(x, y int64) bool { return x > y }, "x > y"},
		{func(x, y int64) bool { return x*y == 35 }, ""},
		{func(x, y int64) bool { return x > 2 && x < 9 && y > 3 && y < 8 }, "x >= 3 && y >= 4 && x <= 8 && y <= 7"},
	} {
		r := Request{Vars: []Var{number("x"), number("y")}, Consts: []Const{{Value: new(big.Int)}}}
		// The first state is the one nearest to zero, as of a minimized counterexample.
		find := func(matches func(s State) bool, fails bool) State {
			var best State
			size := int64(1 << 40)
			for x := int64(-20); x <= 20; x++ {
				for y := int64(-20); y <= 20; y++ {
					if s := state(x, y); test.fails(x, y) == fails && x*x+y*y < size && matches(s) {
						best, size = s, x*x+y*y
					}
				}
			}
			return best
		}
		any := func(State) bool { return true }
		s := NewSearch(r, find(any, true))
		if s.Separating() != nil {
			t.Error("a condition separates executions of which none is known to pass")
		}
		s.Passing(find(any, false))
		got := ""
		for c := s.Separating(); c != nil; c = s.Separating() {
			holds := func(s State) bool { return c.eval(s) == yes }
			if failing := find(holds, true); failing != nil {
				s.Failing(failing)
				s.Tried(c, Fails)
				continue
			}
			s.Tried(c, Excludes)
			passing := find(func(s State) bool { return !holds(s) }, false)
			if passing == nil {
				got = c.Negation()
				break
			}
			s.Passing(passing)
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestFamilies checks that the same comparison of several elements becomes one condition, and one of several relations
// with more than two parts.
func TestFamilies(t *testing.T) {
	element := func(i int) Var {
		return Var{Text: fmt.Sprintf("text[%d]", i), Bits: 8, Signed: true, Input: true, Relevant: true}
	}
	number := func(name string) Var { return Var{Text: name, Bits: 32, Signed: true, Input: true, Relevant: true} }
	for _, test := range []struct {
		vars  []Var
		fails func(s State) bool
		want  string
	}{
		{[]Var{element(0), element(1), element(2), element(3)},
			func(s State) bool { return s[0].Sign() != 0 && s[1].Sign() != 0 && s[2].Sign() != 0 },
			"text[0] != 0 && text[1] != 0 && text[2] != 0"},
		{[]Var{number("a"), number("b"), number("c")},
			func(s State) bool { // c is between
				low, high := s[0], s[1]
				if low.Cmp(high) > 0 {
					low, high = high, low
				}
				return low.Cmp(s[2]) <= 0 && s[2].Cmp(high) < 0
			}, "(a > c && c >= b) || (b > c && c >= a)"},
	} {
		r := Request{Vars: test.vars, Consts: []Const{{Value: new(big.Int)}}}
		var all []State
		var fill func(s State)
		fill = func(s State) {
			if len(s) == len(test.vars) {
				all = append(all, slices.Clone(s))
				return
			}
			for _, v := range []int64{0, 1, -1, 2} {
				fill(append(s, big.NewInt(v)))
			}
		}
		fill(nil)
		find := func(matches func(s State) bool, fails bool) State {
			i := slices.IndexFunc(all, func(s State) bool { return test.fails(s) == fails && matches(s) })
			if i < 0 {
				return nil
			}
			return all[i]
		}
		any := func(State) bool { return true }
		s := NewSearch(r, find(any, true))
		s.Passing(find(any, false))
		got := ""
		for c := s.Separating(); c != nil; c = s.Separating() {
			holds := func(s State) bool { return c.eval(s) == yes }
			if failing := find(holds, true); failing != nil {
				s.Failing(failing)
				s.Tried(c, Fails)
				continue
			}
			s.Tried(c, Excludes)
			passing := find(func(s State) bool { return !holds(s) }, false)
			if passing == nil {
				got = c.Negation()
				break
			}
			s.Passing(passing)
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

func TestSimplest(t *testing.T) {
	for _, test := range []struct{ low, high, want float64 }{
		{1, 1e9, 32768}, {8388608, 16777215, 12582912}, {0, 1, math.NaN()},
	} {
		key := simplest(FloatKey(test.low), FloatKey(test.high), 32)
		if key == nil || floatOf(key) <= test.low || floatOf(key) >= test.high ||
			test.want == test.want && floatOf(key) != test.want {
			t.Errorf("between %v and %v: %v", test.low, test.high, key)
		}
	}
	if key := simplest(FloatKey(1), FloatKey(float64(math.Nextafter32(1, 2))), 32); key != nil {
		t.Errorf("a float between two neighbours: %v", floatOf(key))
	}
}

// TestConstants checks that a literal beside a value gets no name of a macro. Values that the code never compares with
// a constant come later.
func TestConstants(t *testing.T) {
	four := Const{Value: big.NewInt(4), Name: "SIZE", Beside: map[string]bool{"type": true}}
	vars := []Var{{Text: "s->type", Bits: 32, Signed: true, Input: true, Relevant: true},
		{Text: "n", Bits: 32, Signed: true, Input: true, Relevant: true}}
	texts := map[string]float64{}
	for _, c := range candidates(Request{Vars: vars, Consts: []Const{four}}) {
		texts[c.Text()] = c.score
	}
	near, far := texts["s->type <= 4"], texts["n <= SIZE"]
	if near == 0 || far == 0 || far <= near {
		t.Errorf("s->type <= 4 costs %v, n <= SIZE %v", near, far)
	}
	four.Sized = true
	for _, c := range candidates(Request{Vars: vars, Consts: []Const{four}}) {
		if c.Text() == "n <= SIZE" && c.score != near {
			t.Errorf("a size costs %v instead of %v", c.score, near)
		}
	}
}
