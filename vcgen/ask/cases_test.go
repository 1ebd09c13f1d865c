package ask

import (
	"fmt"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// hardWhole is an asker whose queries about n < 8 and y are hard unless n has a value: a solver that gets n gives up.
// The query is whether y is the n-th of some numbers, and one more than another one of them.
type hardWhole struct {
	*Asker
	made  *[]*recorder
	n, y  smt.Term
	facts []smt.Term
}

func newHardWhole(hard func(h *hardWhole, solver int) bool) *hardWhole {
	h := &hardWhole{}
	h.Asker, h.made = bare(func(solver int, _ []smt.Term) smt.Answer {
		if hard(h, solver) {
			return smt.StepLimit
		}
		return 0
	})
	c := h.c
	h.n, h.y = c.Var("n", smt.BV(3)), c.Var("y", smt.BV(8))
	nth := c.Int(8, 0)
	for k := range uint64(8) {
		nth = c.Ite(c.Eq(h.n, c.Int(3, k)), c.Int(8, 10*k), nth)
	}
	h.facts = []smt.Term{c.Ult(c.Int(8, 5), h.y), c.Eq(c.Mul(h.y, h.y), c.Mul(nth, nth)), c.Ult(h.y, c.Int(8, 100))}
	return h
}

// speaksOf reports whether n occurs in the assertions of a solver.
func (h *hardWhole) speaksOf(solver int) bool {
	return slices.Contains(h.c.Symbols((*h.made)[solver].Asserted...), h.n)
}

func (h *hardWhole) ask(t *testing.T, more ...smt.Term) Outcome {
	return h.Ask(t.Context(), Question{Facts: append(slices.Clone(h.facts), more...), Budget: 1_500, Cases: true})
}

// TestCases checks that a query that is hard as a whole is answered if each case is. In some cases only two fixed
// values make it easy. A model of a case is a model of the whole.
func TestCases(t *testing.T) {
	h := newHardWhole((*hardWhole).speaksOf)
	if o := h.ask(t); o.Answer != smt.Sat || o.Model == nil {
		t.Fatalf("%v", o.Result)
	}
	h = newHardWhole((*hardWhole).speaksOf)
	never := h.c.Ne(h.c.BvAnd(h.y, h.c.Int(8, 1)), h.c.BvAnd(h.c.Mul(h.y, h.y), h.c.Int(8, 1)))
	odd := h.c.Eq(h.c.BvAnd(h.y, h.c.Int(8, 1)), h.c.Int(8, 1)) // the square of a multiple of ten is even
	if o := h.ask(t, h.c.Or(never, odd)); o.Answer != smt.Unsat || o.Model != nil {
		t.Fatalf("%v", o.Result)
	}
	if n := len(*h.made); n < 3 {
		t.Errorf("%d solvers", n)
	}
}

// TestCasesGiveUp checks that a single undecided case leaves the whole undecided, if the remaining budget does not
// suffice either. Queries without Cases are not split.
func TestCasesGiveUp(t *testing.T) {
	for name, test := range map[string]struct {
		budget  int64
		cases   bool
		solvers int // at least
		budgets []int64
	}{
		"small":     {1_500, true, 2, []int64{1_500}},
		"large":     {50_000, true, 2, []int64{casesAfter, 50_000 - casesAfter}},
		"unwanted":  {50_000, false, 1, []int64{50_000}},
		"by itself": {casesAfter, true, 2, []int64{casesAfter}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHardWhole(func(*hardWhole, int) bool { return true })
			o := h.Ask(t.Context(), Question{Facts: h.facts, Budget: test.budget, Cases: test.cases})
			if o.Answer != smt.StepLimit || len(*h.made) < test.solvers || !test.cases && len(*h.made) > 1 {
				t.Errorf("%v after %d solvers", o.Result, len(*h.made))
			}
			if got := (*h.made)[0].budgets; !slices.Equal(got, test.budgets) {
				t.Errorf("budgets of the whole: %v, want %v", got, test.budgets)
			}
			for _, s := range (*h.made)[1:] {
				for _, b := range s.budgets {
					if b > caseBudget {
						t.Errorf("a case has a budget of %d", b)
					}
				}
			}
		})
	}
}

// TestCasesSwitchedOff checks that Options.NoCases prevents the split.
func TestCasesSwitchedOff(t *testing.T) {
	h := newHardWhole((*hardWhole).speaksOf)
	h.opts.NoCases = true
	if o := h.ask(t); o.Answer != smt.StepLimit || len(*h.made) != 1 {
		t.Errorf("%v after %d solvers", o.Result, len(*h.made))
	}
}

// TestCasesAreAll checks that the model is found if a single value of n has one, for each value.
func TestCasesAreAll(t *testing.T) {
	for k := range uint64(8) {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			h := newHardWhole((*hardWhole).speaksOf)
			h.facts = h.facts[1:] // y may be 0, the first of the numbers
			o := h.ask(t, h.c.Eq(h.y, h.c.Int(8, 10*k)), h.c.Ult(h.c.Mul(h.c.Zext(h.n, 8), h.c.Int(8, 9)), h.c.Int(8, 64)))
			if o.Answer != smt.Sat {
				t.Fatalf("%v", o.Result)
			}
		})
	}
}

// TestCasesThatCostTooMuch checks that the split is given up if it costs too much, although each case has an answer.
func TestCasesThatCostTooMuch(t *testing.T) {
	h := newHardWhole(func(h *hardWhole, solver int) bool {
		if solver > 1 { // after the whole and its decided conditions
			h.Spend(1_000_000_000)
		}
		return solver == 0
	})
	odd := h.c.Eq(h.c.BvAnd(h.y, h.c.Int(8, 1)), h.c.Int(8, 1)) // no model: the square of a multiple of ten is even
	if o := h.ask(t, odd); o.Answer != smt.StepLimit || len(*h.made) != 3 {
		t.Errorf("%v after %d solvers", o.Result, len(*h.made))
	}
}

// TestComparisons checks that clauses about comparisons are added if cases do not help, unless that is switched off.
func TestComparisons(t *testing.T) {
	for name, off := range map[string]bool{"on": false, "off": true} {
		t.Run(name, func(t *testing.T) {
			x, made := bare(func(int, []smt.Term) smt.Answer { return smt.StepLimit })
			x.opts.NoOrdering = off
			c := x.c
			a, b, d := c.Var("a", smt.BV(16)), c.Var("b", smt.BV(16)), c.Var("d", smt.BV(16))
			facts := []smt.Term{c.Or(c.Ult(a, b), c.Ult(b, d)), c.Or(c.Ult(a, b), c.Ult(d, a)),
				c.Or(c.Ult(b, d), c.Ult(d, a))}
			o := x.Ask(t.Context(), Question{Facts: facts, Budget: 2 * casesAfter, Cases: true})
			s := (*made)[0]
			if o.Answer != smt.StepLimit || !slices.Equal(s.budgets, []int64{casesAfter, casesAfter}) {
				t.Errorf("%v with budgets %v", o.Result, s.budgets)
			}
			cycle := c.Or(c.Not(c.Ult(a, b)), c.Not(c.Ult(b, d)), c.Not(c.Ult(d, a)))
			if asserted := slices.Contains(s.Asserted, cycle); asserted == off {
				t.Errorf("told that not all three hold: %v", asserted)
			}
		})
	}
}
