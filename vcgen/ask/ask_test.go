package ask

import (
	"context"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// recorder is a solver that records its inputs, and fails or gives up on request.
type recorder struct {
	*smttest.Enumerator
	assumed [][]smt.Term
	budgets []int64
	answer  func(assumed []smt.Term) smt.Answer // 0: the correct one
}

func (s *recorder) Check(ctx context.Context, assumed []smt.Term, budget int64) smt.Result {
	s.assumed, s.budgets = append(s.assumed, slices.Clone(assumed)), append(s.budgets, budget)
	if s.answer != nil {
		if a := s.answer(assumed); a != 0 {
			return smt.Result{Answer: a}
		}
	}
	return s.Enumerator.Check(ctx, assumed, budget)
}

// bare returns an asker of an empty program, and the solvers that it creates.
func bare(answer func(solver int, assumed []smt.Term) smt.Answer) (*Asker, *[]*recorder) {
	c := smt.NewContext()
	made := &[]*recorder{}
	x := New(c, func(c *smt.Context) (smt.Solver, error) {
		n := len(*made)
		s := &recorder{Enumerator: &smttest.Enumerator{C: c, Queries: new(int)}}
		if answer != nil {
			s.answer = func(assumed []smt.Term) smt.Answer { return answer(n, assumed) }
		}
		*made = append(*made, s)
		return s, nil
	}, Options{})
	x.Bind(empty(c))
	return x, made
}

func empty(c *smt.Context) *unfold.Program {
	return &unfold.Program{Memory: mem.New(c), Log: &seair.Log{C: c}}
}

// TestSessionOutlook checks that a session sets the outlook of its solvers, including one created after Close.
func TestSessionOutlook(t *testing.T) {
	e, made := bare(nil)
	s := &Session{Outlook: smt.MostlySat}
	for range 2 {
		e.Ask(t.Context(), Question{Facts: []smt.Term{e.c.Var("p", smt.Bool)}, Session: s})
		s.Close()
	}
	e.Ask(t.Context(), Question{Facts: []smt.Term{e.c.Var("q", smt.Bool)}})
	var got []smt.Outlook
	for _, solver := range *made {
		got = append(got, solver.Outlook)
	}
	if want := []smt.Outlook{smt.MostlySat, smt.MostlySat, smt.MostlyUnsat}; !slices.Equal(got, want) {
		t.Errorf("solvers expect %v, want %v", got, want)
	}
}

// TestSessionGrows checks that given facts are asserted once, and that other facts are assumed for one query only.
func TestSessionGrows(t *testing.T) {
	e, made := bare(nil)
	c := e.c
	x, y := c.Var("x", smt.BV(4)), c.Var("y", smt.BV(4))
	low, more := c.Ult(x, c.Int(4, 5)), c.Ult(y, x)
	s := &Session{}
	ask := func(given, fact smt.Term) smt.Answer {
		return e.Ask(t.Context(), Question{Given: []smt.Term{given}, Facts: []smt.Term{fact}, Session: s}).Answer
	}
	if a := ask(low, c.Ult(c.Int(4, 7), x)); a != smt.Unsat {
		t.Errorf("x < 5 and x > 7: %v", a)
	}
	if a := ask(c.And(low, more), c.Ult(c.Int(4, 3), x)); a != smt.Sat {
		t.Errorf("x < 5, y < x and x > 3: %v", a)
	}
	if a := ask(c.And(low, more), c.Eq(x, c.Int(4, 0))); a != smt.Unsat {
		t.Errorf("y < 0: %v", a)
	}
	if len(*made) != 1 || !slices.Equal((*made)[0].Asserted, []smt.Term{low, more}) {
		t.Errorf("%d solvers; the first was told %v", len(*made), (*made)[0].Asserted)
	}
}

// TestBrokenSession checks that the queries of a broken session get solvers of their own and are answered, including
// new queries.
func TestBrokenSession(t *testing.T) {
	e, made := bare(func(solver int, _ []smt.Term) smt.Answer {
		if solver == 0 {
			return smt.Failed
		}
		return 0
	})
	x := e.c.Var("x", smt.BV(4))
	s := &Session{}
	for i, want := range []smt.Answer{smt.Sat, smt.Unsat} {
		o := e.Ask(t.Context(), Question{Facts: []smt.Term{e.c.Ult(x, e.c.Int(4, uint64(1-i)))}, Session: s, Budget: 7})
		if o.Answer != want || (o.Model != nil) != (want == smt.Sat) {
			t.Errorf("question %d: %v, want %v", i, o.Result, want)
		}
	}
	if e.counts.Unsettled != 0 || !s.broke || len(*made) < 2 || (*made)[1].budgets[0] != 7 {
		t.Errorf("%d unsettled, %d solvers, broke: %v", e.counts.Unsettled, len(*made), s.broke)
	}
}

// TestCore checks that a core is computed on request, and consists of terms of the query.
func TestCore(t *testing.T) {
	e, _ := bare(nil)
	c := e.c
	x := c.Var("x", smt.BV(4))
	facts := []smt.Term{c.Ult(x, c.Int(4, 3)), c.Ult(c.Int(4, 7), x)}
	for _, want := range []bool{false, true} {
		o := e.Ask(t.Context(), Question{Facts: facts, Session: &Session{}, Core: want})
		if o.Answer != smt.Unsat || (len(o.Core) > 0) != want {
			t.Errorf("wanted: %v; %v, core %v", want, o.Result, o.Core)
		}
	}
}

// TestEach checks that every alternative has exactly one outcome, and that a model decides all alternatives that hold
// in it.
func TestEach(t *testing.T) {
	build := func(c *smt.Context, x smt.Term) (out []smt.Term) {
		for n := range uint64(6) { // x == 0, ..., x == 5
			out = append(out, c.Eq(x, c.Int(4, n)))
		}
		return append(out, c.And(out[1], c.Var("b", smt.Bool)))
	}
	sat, unsat, limit := smt.Sat, smt.Unsat, smt.StepLimit
	for name, test := range map[string]struct {
		q      Question
		answer func(c *smt.Context, x, asked smt.Term) smt.Answer
		want   []smt.Answer
	}{
		"all": {Question{}, nil, []smt.Answer{sat, sat, sat, sat, unsat, unsat, sat}},
		"one hard": {Question{Undecided: Halve},
			func(c *smt.Context, x, asked smt.Term) smt.Answer {
				m := smt.NewModel()
				m.SetVar(x, smt.UintValue(4, 3))
				if c.NewEvaluator(m).EvalBool(asked) {
					return limit
				}
				return 0
			}, []smt.Answer{sat, sat, sat, limit, unsat, unsat, sat}},
		"hard together": {Question{},
			func(*smt.Context, smt.Term, smt.Term) smt.Answer { return limit },
			[]smt.Answer{limit, limit, limit, limit, limit, limit, limit}},
		"one question": {Question{Rounds: 1}, nil, []smt.Answer{sat, limit, limit, limit, limit, limit, limit}},
	} {
		t.Run(name, func(t *testing.T) {
			var c *smt.Context
			var x smt.Term
			e, made := bare(func(_ int, assumed []smt.Term) smt.Answer {
				if test.answer == nil {
					return 0
				}
				return test.answer(c, x, assumed[len(assumed)-1])
			})
			c = e.c
			x = c.Var("x", smt.BV(4))
			all := build(e.c, x)
			q := test.q
			q.Given, q.Any, q.Session = []smt.Term{e.c.Ult(x, e.c.Int(4, 4))}, all, &Session{}
			got := make([]smt.Answer, len(all))
			asked := 0
			for i, o := range e.Each(t.Context(), q, func(open []int, _ Outcome) { asked++ }) {
				if got[i] != 0 {
					t.Errorf("alternative %d comes twice", i)
				}
				got[i] = o.Answer
				if o.Answer == sat && !o.Model.EvalBool(all[i]) {
					t.Errorf("alternative %d does not hold in its model", i)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if n := len((*made)[0].budgets); n != asked {
				t.Errorf("told of %d questions of %d", asked, n)
			}
		})
	}
}
