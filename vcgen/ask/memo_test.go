package ask

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// asker returns an asker with a memo, of an empty program.
func asker(m *Memo) *Asker {
	c := smt.NewContext()
	x := New(c, nil, Options{Memo: m})
	x.Bind(empty(c))
	return x
}

// again returns the memo of the next run.
func again(t *testing.T, m *Memo) *Memo {
	t.Helper()
	segments, err := m.Segments()
	if err != nil {
		t.Fatal(err)
	}
	return NewMemo(segments)
}

// below returns x < bound && y = x + 1 for new symbols x and y.
func below(c *smt.Context, bound uint64) (q, x, y smt.Term) {
	x, y = c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
	return c.And(c.Ult(x, c.Int(32, bound)), c.Eq(y, c.Add(x, c.Int(32, 1)))), x, y
}

func TestMemoKeepsModels(t *testing.T) {
	m := NewMemo(nil)
	e := asker(m)
	q, x, y := below(e.c, 10)
	known, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
	if ok {
		t.Fatal("a new question is known")
	}
	model := smt.NewModel()
	model.SetVar(x, smt.UintValue(32, 7))
	model.SetVar(y, smt.UintValue(32, 8))
	e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Sat}}, model)

	m = again(t, m)
	e = asker(m)
	e.c.Var("another", smt.BV(32)) // other handles
	q, x, y = below(e.c, 10)
	_, res, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
	if !ok || res.Answer != smt.Sat || e.counts.Hits != 1 || !res.Old {
		t.Fatalf("%v, %v, %+v", ok, res, e.counts)
	}
	if m := res.Model; m.EvalUint(x) != 7 || m.EvalUint(y) != 8 {
		t.Errorf("the model has x = %d", m.EvalUint(x))
	}
	if m.Changed() {
		t.Error("a hit is no news")
	}
	// Another bound is another query. The old model answers it if it satisfies it.
	q, _, _ = below(e.c, 9)
	if _, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); ok {
		t.Error("other symbols have the old values") // they are other symbols for the memo
	}
	e = asker(again(t, m))
	q, _, _ = below(e.c, 9)
	if _, res, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); ok && res.Answer != smt.Sat {
		t.Errorf("%v", res)
	}
	e = asker(again(t, m))
	q, _, _ = below(e.c, 5)
	if _, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); ok {
		t.Error("a model that does not satisfy the question answered it")
	}
}

// TestMemoStaleModel checks that a cached model that does not satisfy its query is not used.
func TestMemoStaleModel(t *testing.T) {
	m := NewMemo(nil)
	e := asker(m)
	q, x, _ := below(e.c, 10)
	known, _, _ := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
	wrong := smt.NewModel()
	wrong.SetVar(x, smt.UintValue(32, 7)) // y is missing
	e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Sat}}, wrong)

	e = asker(again(t, m))
	q, _, _ = below(e.c, 10)
	if _, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); ok || e.counts.Hits != 0 {
		t.Error("it was believed")
	}
}

// TestMemoKeepsNoAccidents checks that a query that ended by time, by cancelling or by a failure is repeated, and
// counted.
func TestMemoKeepsNoAccidents(t *testing.T) {
	for _, a := range []smt.Answer{smt.Timeout, smt.Cancelled, smt.Failed} {
		m := NewMemo(nil)
		e := asker(m)
		q, _, _ := below(e.c, 10)
		known, _, _ := e.recall(t.Context(), []smt.Term{q}, nil, Question{Budget: 100})
		e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: a}}, nil)
		if m.Changed() || e.counts.Unsettled != 1 {
			t.Errorf("%v is kept", a)
		}
		e = asker(again(t, m))
		q, _, _ = below(e.c, 10)
		if _, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{Budget: 100}); ok {
			t.Errorf("%v is recalled", a)
		}
	}
}

// TestMemoStepLimits checks that cached step limits are used for the same terms in the same order, with the same or a
// smaller budget.
func TestMemoStepLimits(t *testing.T) {
	build := func(e *Asker, swap bool) smt.Term {
		a, b := e.c.Var("a", smt.BV(8)), e.c.Var("b", smt.BV(8))
		if swap {
			a, b = b, a
		}
		return e.c.And(e.c.Ult(a, e.c.Int(8, 5)), e.c.Slt(b, a))
	}
	m := NewMemo(nil)
	e := asker(m)
	known, _, _ := e.recall(t.Context(), []smt.Term{build(e, false)}, nil, Question{Budget: 100})
	e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.StepLimit, Steps: 100}}, nil)
	for _, c := range []struct {
		swap   bool
		budget int64
		want   bool
	}{{false, 100, true}, {false, 50, true}, {false, 101, false}, {false, 0, false}, {true, 100, false}} {
		e := asker(again(t, m))
		_, res, ok := e.recall(t.Context(), []smt.Term{build(e, c.swap)}, nil, Question{Budget: c.budget})
		if ok != c.want || ok && res.Answer != smt.StepLimit {
			t.Errorf("%+v: %v, %v", c, ok, res)
		}
	}
	additional := asker(m.Beside())
	if _, _, ok := additional.recall(t.Context(), []smt.Term{build(additional, false)}, nil, Question{Budget: 100}); !ok {
		t.Error("an additional run does not know the step limit")
	}
	// A later answer replaces the step limit.
	e = asker(again(t, m))
	q := build(e, false)
	known, _, _ = e.recall(t.Context(), []smt.Term{q}, nil, Question{Budget: 1000})
	e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
	e2 := asker(again(t, e.opts.Memo))
	_, res, ok := e2.recall(t.Context(), []smt.Term{build(e2, false)}, nil, Question{Budget: 100})
	if !ok || res.Answer != smt.Unsat {
		t.Errorf("%v, %v", ok, res)
	}
}

func TestMemoKeepsCores(t *testing.T) {
	terms := func(e *Asker) []smt.Term {
		x, y := e.c.Var("x", smt.BV(8)), e.c.Var("y", smt.BV(8))
		return []smt.Term{e.c.Ult(x, e.c.Int(8, 3)), e.c.Ult(y, e.c.Int(8, 9)), e.c.Ult(e.c.Int(8, 7), x)}
	}
	m := NewMemo(nil)
	e := asker(m)
	list := terms(e)
	known, _, _ := e.recall(t.Context(), list, nil, Question{})
	e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Unsat}, Core: []smt.Term{list[0], list[2]}}, nil)
	e = asker(again(t, m))
	list = terms(e)
	_, res, ok := e.recall(t.Context(), list, nil, Question{})
	if !ok || res.Answer != smt.Unsat || len(res.Core) != 2 || res.Core[0] != list[0] ||
		res.Core[1] != list[2] {
		t.Errorf("%v, %v", ok, res)
	}
}

// TestMemoGenerations checks that answers are dropped after several runs without use, and kept otherwise.
func TestMemoGenerations(t *testing.T) {
	m := NewMemo(nil)
	for run := range 8 {
		e := asker(m)
		for _, bound := range []uint64{100, uint64(run)} {
			q, _, _ := below(e.c, bound+1)
			if known, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); !ok {
				e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
			}
		}
		m = again(t, m)
	}
	for bound, want := range map[uint64]bool{101: true, 8: true, 1: false} {
		e := asker(NewMemo(m.old))
		q, _, _ := below(e.c, bound)
		if _, _, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); ok != want {
			t.Errorf("bound %d: known is %v", bound, ok)
		}
	}
}

// TestBrokenSegments checks that broken segments are skipped without a panic.
func TestBrokenSegments(t *testing.T) {
	m := NewMemo(nil)
	e := asker(m)
	q, x, y := below(e.c, 10)
	known, _, _ := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
	model := smt.NewModel()
	model.SetVar(x, smt.UintValue(32, 7))
	model.SetVar(y, smt.UintValue(32, 8))
	e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Sat}}, model)
	segments, err := m.Segments()
	if err != nil || len(segments) != 1 {
		t.Fatal(err)
	}
	data := segments[0]
	for i := range data {
		NewMemo([][]byte{data[:i]})
		bad := append([]byte(nil), data...)
		bad[i] ^= 0x55
		damaged := NewMemo([][]byte{bad})
		e := asker(damaged)
		q, _, _ := below(e.c, 10)
		if _, res, ok := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); ok && res.Answer == smt.Sat {
			if !res.Model.EvalBool(q) {
				t.Errorf("byte %d: a model that does not satisfy its question", i)
			}
		}
		_ = RecheckSegment(context.Background(), bad, func() bool { return true }, realSolver, func(Recheck) {})
	}
}

func realSolver(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) }

// TestRecheckFindsWrongAnswers checks three errors: the opposite answer, the model of another query, and the key of
// another query.
func TestRecheckFindsWrongAnswers(t *testing.T) {
	segment := func(t *testing.T, damage func(m *Memo)) []byte {
		m := NewMemo(nil)
		e := asker(m)
		q, x, y := below(e.c, 10)
		known, _, _ := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
		model := smt.NewModel()
		model.SetVar(x, smt.UintValue(32, 7))
		model.SetVar(y, smt.UintValue(32, 8))
		e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Sat}}, model)
		z := e.c.Var("z", smt.BV(8))
		known, _, _ = e.recall(t.Context(), []smt.Term{e.c.Ult(z, e.c.Int(8, 3)), e.c.Ult(e.c.Int(8, 7), z)}, nil, Question{})
		e.learn(t.Context(), known, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
		damage(m)
		data, err := m.encodeSegment()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, c := range map[string]struct {
		damage func(m *Memo)
		wrong  int
	}{
		"nothing":          {func(*Memo) {}, 0},
		"sat for unsat":    {func(m *Memo) { m.used[1].is, m.used[1].model = smt.Sat, m.used[0].model }, 1},
		"unsat for sat":    {func(m *Memo) { m.used[0].is = smt.Unsat }, 1},
		"another model":    {func(m *Memo) { m.used[0].model = &assignment{} }, 1},
		"another question": {func(m *Memo) { m.used[0].set, m.used[1].set = m.used[1].set, m.used[0].set }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			asked, wrong := 0, 0
			err := RecheckSegment(context.Background(), segment(t, c.damage), func() bool { return true }, realSolver,
				func(r Recheck) {
					asked++
					if r.Detail != "" {
						wrong++
					}
				})
			if err != nil || asked != 2 || wrong != c.wrong {
				t.Errorf("%d asked, %d wrong, %v; want %d", asked, wrong, err, c.wrong)
			}
		})
	}
}

// TestMemoStops checks queries that were under way when a round's budget ended. They stop later rounds with that
// budget, and no other ones, even if a round with another budget has answered them.
func TestMemoStops(t *testing.T) {
	const budget, cost = 1_000_000, 2_000_000
	errBudget := errors.New("the budget ended")
	paced := func(m *Memo, budget int64) (*Asker, context.Context) {
		ctx, stop := context.WithCancelCause(t.Context())
		t.Cleanup(func() { stop(nil) })
		e := asker(m)
		e.opts.Budget, e.opts.Recurs = budget, func(cause error) bool { return cause == errBudget }
		e.opts.Pause = func() {
			if e.Work() > budget {
				stop(errBudget)
			}
		}
		return e, ctx
	}
	m := NewMemo(nil)
	e, ctx := paced(m, budget)
	q, _, _ := below(e.c, 10)
	key, _, _ := e.recall(ctx, []smt.Term{q}, nil, Question{})
	e.began = effort{total: e.Work()}
	e.searched += cost
	e.began.paused = e.Work()
	e.opts.Pause()
	e.learn(ctx, key, Outcome{Result: smt.Stopped(ctx)}, nil)

	for _, c := range []struct {
		budget int64
		stops  bool
	}{{budget, true}, {4 * budget, false}} {
		m = again(t, m)
		e, ctx := paced(m, c.budget)
		q, _, _ := below(e.c, 10)
		before := e.Work()
		_, o, known := e.recall(ctx, []smt.Term{q}, nil, Question{})
		if known != c.stops || known && (o.Answer != smt.Cancelled || e.counts.Unsettled != 1) {
			t.Errorf("budget %d: %v, %v", c.budget, known, o)
		}
		if worked := e.Work()-before >= cost; worked != c.stops {
			t.Errorf("budget %d: work of %d is counted", c.budget, e.Work()-before)
		}
		if !c.stops {
			key, _, _ := e.recall(ctx, []smt.Term{q}, nil, Question{})
			e.learn(ctx, key, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
		}
	}
	m = again(t, m)
	e, ctx = paced(m, budget)
	q, _, _ = below(e.c, 10)
	if !e.Answered(Question{Facts: []smt.Term{q}}) {
		t.Error("a stopped query counts as new")
	}
	if _, o, _ := e.recall(ctx, []smt.Term{q}, nil, Question{}); o.Answer != smt.Cancelled {
		t.Errorf("after a later answer: %v", o)
	}
}

// TestMemoBeside checks that a run beside another one knows what that one solved, and does not count it as a cache hit:
// otherwise, both could find a model, and a later process would know only one of them.
func TestMemoBeside(t *testing.T) {
	m := NewMemo(nil)
	main := asker(m)
	first := asker(m.Beside())
	q, x, y := below(first.c, 10)
	key, _, _ := first.recall(t.Context(), []smt.Term{q}, nil, Question{})
	model := smt.NewModel()
	model.SetVar(x, smt.UintValue(32, 7))
	model.SetVar(y, smt.UintValue(32, 8))
	first.learn(t.Context(), key, Outcome{Result: smt.Result{Answer: smt.Sat}}, model)

	for _, second := range []*Asker{asker(m.Beside()), main} {
		q, x, _ := below(second.c, 10)
		_, o, known := second.recall(t.Context(), []smt.Term{q}, nil, Question{})
		if !known || o.Old || second.counts.Hits != 0 || o.Model.EvalUint(x) != 7 {
			t.Errorf("known %v, old %v, %d hits", known, o.Old, second.counts.Hits)
		}
	}
	later := asker(again(t, m).Beside())
	q, _, _ = below(later.c, 10)
	_, o, known := later.recall(t.Context(), []smt.Term{q}, nil, Question{})
	if !known || !o.Old || later.counts.Hits != 1 {
		t.Errorf("in a later process: known %v, old %v, %d hits", known, o.Old, later.counts.Hits)
	}
}

// TestMemoWork checks that a cached answer counts with its work, and that the run pauses at the same places as the
// original one.
func TestMemoWork(t *testing.T) {
	var pauses []int64
	m := NewMemo(nil)
	e := asker(m)
	q, _, _ := below(e.c, 10)
	key, _, _ := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
	e.began = effort{total: e.Work()}
	e.searched += 300
	e.began.paused = e.Work()
	e.searched += 700
	e.learn(t.Context(), key, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)

	m = again(t, m)
	e = asker(m)
	e.opts.Pause = func() { pauses = append(pauses, e.searched) }
	q, _, _ = below(e.c, 10)
	if _, _, known := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); !known || e.searched != 1000 ||
		!slices.Equal(pauses, []int64{300}) {
		t.Errorf("known: %v, work of %d, pauses at %v", known, e.searched, pauses)
	}
}

// TestMemoSealed checks that the answers of an additional run are kept after Seal.
func TestMemoSealed(t *testing.T) {
	m := NewMemo(nil)
	asker(m)
	sibling := m.Beside()
	e := asker(sibling)
	q, _, _ := below(e.c, 10)
	key, _, _ := e.recall(t.Context(), []smt.Term{q}, nil, Question{})
	e.learn(t.Context(), key, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
	sibling.Seal()
	if !m.Changed() || sibling.canon != nil {
		t.Error("nothing was learned, or its terms are held")
	}
	e = asker(again(t, m))
	q, _, _ = below(e.c, 10)
	if _, o, known := e.recall(t.Context(), []smt.Term{q}, nil, Question{}); !known || o.Answer != smt.Unsat {
		t.Errorf("%v, %v", known, o)
	}
}

// TestMemoWaits checks that a postponed query is postponed again although its later answer is cached.
func TestMemoWaits(t *testing.T) {
	m := NewMemo(nil)
	for run := range 2 {
		e := asker(m)
		q, _, _ := below(e.c, 10)
		first, o, known := e.recall(t.Context(), []smt.Term{q}, nil, Question{Budget: 10, Postpones: true})
		if known != (run == 1) || known && o.Answer != smt.StepLimit {
			t.Fatalf("run %d, before it is postponed: %t, %v", run, known, o.Answer)
		}
		if !known {
			e.learn(t.Context(), first, Outcome{Result: smt.Result{Answer: smt.StepLimit}}, nil)
		}
		later, o, known := e.recall(t.Context(), []smt.Term{q}, nil, Question{Budget: 400})
		if known != (run == 1) || known && o.Answer != smt.Unsat {
			t.Fatalf("run %d, afterwards: %t, %v", run, known, o.Answer)
		}
		if !known {
			e.learn(t.Context(), later, Outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
		}
		m = again(t, m)
	}
}
