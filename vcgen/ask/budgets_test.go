package ask

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// toiling is a solver that uses up its budgets, and may report fewer steps.
type toiling struct {
	*smttest.Enumerator
	budgets []int64
	steps   func(budget int64) int64 // reported steps
	answers int                      // number of the check that has an answer; 0: none
	clauses int
}

func (s *toiling) Check(_ context.Context, _ []smt.Term, budget int64) smt.Result {
	s.budgets = append(s.budgets, budget)
	r := smt.Result{Answer: smt.StepLimit, Steps: budget}
	if s.steps != nil {
		r.Steps = s.steps(budget)
	}
	if s.answers == len(s.budgets) {
		r.Answer = smt.Unsat
	}
	return r
}

func (s *toiling) Stats() smt.SolverStats { return smt.SolverStats{Clauses: s.clauses} }

// TestBudgets checks that a search with pauses is divided into slices that double. Their sum is the budget, whatever
// number of steps the solver reports.
func TestBudgets(t *testing.T) {
	for _, test := range []struct {
		name         string
		budget, work int64
		interrupts   bool
		solver       toiling
		want         []int64
		answer       smt.Answer
		pauses       int
	}{
		{"as a whole", 10_000, 0, false, toiling{}, []int64{10_000}, smt.StepLimit, 0},
		{"in slices", 10_000, 0, true, toiling{}, []int64{500, 1000, 2000, 6500}, smt.StepLimit, 3},
		{"a small one", 900, 0, true, toiling{}, []int64{900}, smt.StepLimit, 0},
		{"twice the first slice", 1000, 0, true, toiling{}, []int64{500, 500}, smt.StepLimit, 1},
		{"that is answered on the way", 10_000, 0, true, toiling{answers: 2}, []int64{500, 1000}, smt.Unsat, 1},
		{"of a solver that counts otherwise", 10_000, 0, true,
			toiling{steps: func(int64) int64 { return 1 }}, []int64{500, 1000, 2000, 6500}, smt.StepLimit, 3},
		{"of a solver that spends more", 10_000, 0, true,
			toiling{steps: func(b int64) int64 { return 5 * b }}, []int64{500, 1000, 2500}, smt.StepLimit, 2},
		{"ended by its work", 10_000, 100_000, true, toiling{}, []int64{500, 1000}, smt.StepLimit, 1},
		{"ended by the work of large formulas", 10_000, 100_000, true, toiling{clauses: 200_000}, []int64{500},
			smt.StepLimit, 0},
	} {
		pauses := 0
		c := smt.NewContext()
		s := test.solver
		s.Enumerator = &smttest.Enumerator{C: c, Queries: new(int)}
		x := New(c, nil, Options{Pause: func() { pauses++ }, Interrupts: func() bool { return test.interrupts }})
		x.Bind(empty(c))
		before := x.Work()
		res := x.search(t.Context(), &s, nil, test.budget, test.work)
		if !slices.Equal(s.budgets, test.want) || res.Answer != test.answer || pauses != test.pauses {
			t.Errorf("%s: slices %v, %d pauses, %v; want %v, %d, %v", test.name, s.budgets, pauses, res.Answer, test.want,
				test.pauses, test.answer)
		}
		if x.Work() <= before {
			t.Errorf("%s: no work was counted", test.name)
		}
		reported := int64(0)
		for _, b := range s.budgets {
			if s.steps != nil {
				b = s.steps(b)
			}
			reported += b
		}
		if res.Steps != reported {
			t.Errorf("%s: %d steps, the solver told of %d", test.name, res.Steps, reported)
		}
	}
}

// randomFacts returns random comparisons of y, of the n-th of four numbers, and of terms computed from both.
func randomFacts(c *smt.Context, rng *rand.Rand, count int) (facts []smt.Term, n smt.Term) {
	n, y := c.Var("n", smt.BV(2)), c.Var("y", smt.BV(4))
	number := func() smt.Term { return c.Int(4, uint64(rng.Intn(16))) }
	nth := number()
	for k := range uint64(3) {
		nth = c.Ite(c.Eq(n, c.Int(2, k)), number(), nth)
	}
	operand := func() smt.Term {
		return []smt.Term{y, nth, c.Add(nth, number()), c.BvXor(nth, y), c.Add(c.Mul(nth, nth), y), number()}[rng.Intn(6)]
	}
	for len(facts) < count {
		p, q := operand(), operand()
		fact := []smt.Term{c.Ult(p, q), c.Ule(p, q), c.Eq(p, q), c.Ne(p, q)}[rng.Intn(4)]
		if !c.IsConst(fact) {
			facts = append(facts, fact)
		}
	}
	return facts, n
}

// TestCasesSayWhatTheWholeDoes checks that a query answered by cases has the same answer as an enumeration of the
// whole. The model satisfies the whole.
func TestCasesSayWhatTheWholeDoes(t *testing.T) {
	byCases := map[smt.Answer]int{}
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		var n smt.Term
		made := 0
		var x *Asker
		var solvers *[]*recorder
		x, solvers = bare(func(solver int, _ []smt.Term) smt.Answer {
			if made = solver + 1; slices.Contains((*solvers)[solver].C.Symbols((*solvers)[solver].Asserted...), n) {
				return smt.StepLimit
			}
			return 0
		})
		facts, number := randomFacts(x.c, rng, 4)
		n = number
		want := (&smttest.Enumerator{C: x.c, Queries: new(int), Asserted: facts}).Check(t.Context(), nil, 0).Answer
		o := x.Ask(t.Context(), Question{Facts: facts, Cases: true, Budget: 100_000})
		if o.Answer != smt.StepLimit && o.Answer != want {
			t.Errorf("seed %d: %v, want %v", seed, o.Answer, want)
		}
		if o.Answer == smt.Sat && slices.ContainsFunc(facts, func(f smt.Term) bool { return !o.Model.EvalBool(f) }) {
			t.Errorf("seed %d: a model that does not satisfy the question", seed)
		}
		if made > 1 {
			byCases[o.Answer]++
		}
	}
	if byCases[smt.Sat] < 20 || byCases[smt.Unsat] < 20 {
		t.Errorf("answers by cases: %v", byCases)
	}
}

// TestCores checks, in sessions with earlier queries, that a core is a contradicting subset of the query.
func TestCores(t *testing.T) {
	cores := 0
	for seed := range int64(60) {
		rng := rand.New(rand.NewSource(seed))
		x, _ := bare(nil)
		s := &Session{}
		for range 3 {
			facts, _ := randomFacts(x.c, rng, 4)
			o := x.Ask(t.Context(), Question{Facts: facts, Session: s, Core: true})
			want := (&smttest.Enumerator{C: x.c, Queries: new(int), Asserted: facts}).Check(t.Context(), nil, 0).Answer
			if o.Answer != want || o.Answer != smt.Unsat && o.Core != nil {
				t.Errorf("seed %d: %v with core %v, want %v", seed, o.Answer, o.Core, want)
			}
			if o.Answer != smt.Unsat || x.c.IsFalse(x.c.And(facts...)) {
				continue
			}
			cores++
			for _, k := range o.Core {
				if !slices.Contains(facts, k) {
					t.Errorf("seed %d: %s is in the core and was not asked", seed, x.c.String(k))
				}
			}
			alone := &smttest.Enumerator{C: x.c, Queries: new(int), Asserted: o.Core}
			if a := alone.Check(t.Context(), nil, 0).Answer; a != smt.Unsat {
				t.Errorf("seed %d: the core alone is %v", seed, a)
			}
		}
	}
	if cores < 10 {
		t.Errorf("only %d cores", cores)
	}
}

// TestRounds checks that Each makes at most Rounds queries, and that the other alternatives have no answer.
func TestRounds(t *testing.T) {
	for rounds, want := range map[int]int{0: 4, 1: 1, 3: 3} {
		x, _ := bare(nil)
		c := x.c
		y := c.Var("y", smt.BV(4))
		q := Question{Rounds: rounds, Facts: []smt.Term{c.Ult(y, c.Int(4, 9))}}
		for n := range uint64(4) {
			q.Any = append(q.Any, c.Eq(y, c.Int(4, n)))
		}
		asked, settled := 0, 0
		for _, o := range x.Each(t.Context(), q, func([]int, Outcome) { asked++ }) {
			if o.Answer == smt.Sat {
				settled++
			}
		}
		if settled != want || asked != want {
			t.Errorf("%d rounds: %d alternatives are settled by %d questions, want %d", rounds, settled, asked, want)
		}
	}
}
