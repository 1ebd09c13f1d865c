package vcgen

import (
	"context"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// asker is an engine that has a memo and no program.
func asker(m *Memo) *engine {
	c := smt.NewContext()
	m.begin(c)
	return &engine{ctx: context.Background(), c: c, opts: Options{Memo: m}, log: &seair.Log{C: c}, models: &pool{c: c}}
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

// below is x < bound && y = x + 1 for new symbols, whose values it returns, too.
func below(c *smt.Context, bound uint64) (q, x, y smt.Term) {
	x, y = c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
	return c.And(c.Ult(x, c.Int(32, bound)), c.Eq(y, c.Add(x, c.Int(32, 1)))), x, y
}

func TestMemoKeepsModels(t *testing.T) {
	m := NewMemo(nil)
	e := asker(m)
	q, x, y := below(e.c, 10)
	known, _, ok := e.recall([]smt.Term{q}, nil, question{})
	if ok {
		t.Fatal("a new question is known")
	}
	model := smt.NewModel()
	model.SetVar(x, smt.UintValue(32, 7))
	model.SetVar(y, smt.UintValue(32, 8))
	e.learn(known, outcome{Result: smt.Result{Answer: smt.Sat}}, model)

	m = again(t, m)
	e = asker(m)
	e.c.Var("another", smt.BV(32)) // other handles
	q, x, y = below(e.c, 10)
	_, res, ok := e.recall([]smt.Term{q}, nil, question{})
	if !ok || res.Answer != smt.Sat || e.stats.CacheHits != 1 || !res.old {
		t.Fatalf("%v, %v, %+v", ok, res, e.stats)
	}
	if m := res.model; m.EvalUint(x) != 7 || m.EvalUint(y) != 8 {
		t.Errorf("the model has x = %d", m.EvalUint(x))
	}
	if m.Changed() {
		t.Error("a hit is no news")
	}
	// Another bound is another question; the old model answers it where it satisfies it.
	q, _, _ = below(e.c, 9)
	if _, _, ok := e.recall([]smt.Term{q}, nil, question{}); ok {
		t.Error("other symbols have the old values") // they are others for the memo
	}
	e = asker(again(t, m))
	q, _, _ = below(e.c, 9)
	if _, res, ok := e.recall([]smt.Term{q}, nil, question{}); ok && res.Answer != smt.Sat {
		t.Errorf("%v", res)
	}
	e = asker(again(t, m))
	q, _, _ = below(e.c, 5)
	if _, _, ok := e.recall([]smt.Term{q}, nil, question{}); ok {
		t.Error("a model that does not satisfy the question answered it")
	}
}

// TestMemoStaleModel: a kept model that does not satisfy its question is none.
func TestMemoStaleModel(t *testing.T) {
	m := NewMemo(nil)
	e := asker(m)
	q, x, _ := below(e.c, 10)
	known, _, _ := e.recall([]smt.Term{q}, nil, question{})
	wrong := smt.NewModel()
	wrong.SetVar(x, smt.UintValue(32, 7)) // y is missing
	e.learn(known, outcome{Result: smt.Result{Answer: smt.Sat}}, wrong)

	e = asker(again(t, m))
	q, _, _ = below(e.c, 10)
	if _, _, ok := e.recall([]smt.Term{q}, nil, question{}); ok || e.stats.CacheHits != 0 {
		t.Error("it was believed")
	}
}

// TestMemoKeepsNoAccidents: what ended by time, by cancelling or by a failure is asked again, and counted.
func TestMemoKeepsNoAccidents(t *testing.T) {
	for _, a := range []smt.Answer{smt.Timeout, smt.Cancelled, smt.Failed} {
		m := NewMemo(nil)
		e := asker(m)
		q, _, _ := below(e.c, 10)
		known, _, _ := e.recall([]smt.Term{q}, nil, question{budget: 100})
		e.learn(known, outcome{Result: smt.Result{Answer: a}}, nil)
		if m.Changed() || e.stats.Unsettled != 1 {
			t.Errorf("%v is kept", a)
		}
		e = asker(again(t, m))
		q, _, _ = below(e.c, 10)
		if _, _, ok := e.recall([]smt.Term{q}, nil, question{budget: 100}); ok {
			t.Errorf("%v is recalled", a)
		}
	}
}

// TestMemoStepLimits: they hold for the same terms in the same order, and for budgets that are no larger.
func TestMemoStepLimits(t *testing.T) {
	build := func(e *engine, swap bool) smt.Term {
		a, b := e.c.Var("a", smt.BV(8)), e.c.Var("b", smt.BV(8))
		if swap {
			a, b = b, a
		}
		return e.c.And(e.c.Ult(a, e.c.Int(8, 5)), e.c.Slt(b, a))
	}
	m := NewMemo(nil)
	e := asker(m)
	known, _, _ := e.recall([]smt.Term{build(e, false)}, nil, question{budget: 100})
	e.learn(known, outcome{Result: smt.Result{Answer: smt.StepLimit, Steps: 100}}, nil)
	for _, c := range []struct {
		swap   bool
		budget int64
		want   bool
	}{{false, 100, true}, {false, 50, true}, {false, 101, false}, {false, 0, false}, {true, 100, false}} {
		e := asker(again(t, m))
		_, res, ok := e.recall([]smt.Term{build(e, c.swap)}, nil, question{budget: c.budget})
		if ok != c.want || ok && res.Answer != smt.StepLimit {
			t.Errorf("%+v: %v, %v", c, ok, res)
		}
	}
	// Once it is answered, the answer counts.
	e = asker(again(t, m))
	q := build(e, false)
	known, _, _ = e.recall([]smt.Term{q}, nil, question{budget: 1000})
	e.learn(known, outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
	e2 := asker(again(t, e.opts.Memo))
	if _, res, ok := e2.recall([]smt.Term{build(e2, false)}, nil, question{budget: 100}); !ok || res.Answer != smt.Unsat {
		t.Errorf("%v, %v", ok, res)
	}
}

func TestMemoKeepsCores(t *testing.T) {
	terms := func(e *engine) []smt.Term {
		x, y := e.c.Var("x", smt.BV(8)), e.c.Var("y", smt.BV(8))
		return []smt.Term{e.c.Ult(x, e.c.Int(8, 3)), e.c.Ult(y, e.c.Int(8, 9)), e.c.Ult(e.c.Int(8, 7), x)}
	}
	m := NewMemo(nil)
	e := asker(m)
	list := terms(e)
	known, _, _ := e.recall(list, nil, question{})
	e.learn(known, outcome{Result: smt.Result{Answer: smt.Unsat}, core: []smt.Term{list[0], list[2]}}, nil)
	e = asker(again(t, m))
	list = terms(e)
	_, res, ok := e.recall(list, nil, question{})
	if !ok || res.Answer != smt.Unsat || len(res.core) != 2 || res.core[0] != list[0] ||
		res.core[1] != list[2] {
		t.Errorf("%v, %v", ok, res)
	}
}

// TestMemoGenerations: what was not used for some runs is forgotten, what is used stays.
func TestMemoGenerations(t *testing.T) {
	m := NewMemo(nil)
	for run := range 8 {
		e := asker(m)
		for _, bound := range []uint64{100, uint64(run)} {
			q, _, _ := below(e.c, bound+1)
			if known, _, ok := e.recall([]smt.Term{q}, nil, question{}); !ok {
				e.learn(known, outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
			}
		}
		m = again(t, m)
	}
	for bound, want := range map[uint64]bool{101: true, 8: true, 1: false} {
		e := asker(NewMemo(m.old))
		q, _, _ := below(e.c, bound)
		if _, _, ok := e.recall([]smt.Term{q}, nil, question{}); ok != want {
			t.Errorf("bound %d: known is %v", bound, ok)
		}
	}
}

// TestBrokenSegments are left out, and nothing panics.
func TestBrokenSegments(t *testing.T) {
	m := NewMemo(nil)
	e := asker(m)
	q, x, y := below(e.c, 10)
	known, _, _ := e.recall([]smt.Term{q}, nil, question{})
	model := smt.NewModel()
	model.SetVar(x, smt.UintValue(32, 7))
	model.SetVar(y, smt.UintValue(32, 8))
	e.learn(known, outcome{Result: smt.Result{Answer: smt.Sat}}, model)
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
		if _, res, ok := e.recall([]smt.Term{q}, nil, question{}); ok && res.Answer == smt.Sat {
			if !res.model.EvalBool(q) {
				t.Errorf("byte %d: a model that does not satisfy its question", i)
			}
		}
		_ = RecheckSegment(context.Background(), bad, func() bool { return true }, realSolver, func(Recheck) {})
	}
}

func realSolver(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) }

// TestRecheckFindsWrongAnswers: an answer that is the opposite, a model of another question, a key of another question.
func TestRecheckFindsWrongAnswers(t *testing.T) {
	segment := func(t *testing.T, damage func(m *Memo)) []byte {
		m := NewMemo(nil)
		e := asker(m)
		q, x, y := below(e.c, 10)
		known, _, _ := e.recall([]smt.Term{q}, nil, question{})
		model := smt.NewModel()
		model.SetVar(x, smt.UintValue(32, 7))
		model.SetVar(y, smt.UintValue(32, 8))
		e.learn(known, outcome{Result: smt.Result{Answer: smt.Sat}}, model)
		z := e.c.Var("z", smt.BV(8))
		known, _, _ = e.recall([]smt.Term{e.c.Ult(z, e.c.Int(8, 3)), e.c.Ult(e.c.Int(8, 7), z)}, nil, question{})
		e.learn(known, outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
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

// A question that was under way when a round's budget ended stops a round with that budget again, and no other one.
func TestMemoStops(t *testing.T) {
	const budget, cost = 1_000_000, 2_000_000
	paced := func(m *Memo, budget int64) *engine {
		ctx, stop := context.WithCancelCause(context.Background())
		t.Cleanup(func() { stop(nil) })
		e := asker(m)
		e.ctx, e.extent = ctx, extent{budget: budget, pace: func(e *engine) {
			if e.work() > budget {
				stop(errBudget)
			}
		}}
		return e
	}
	m := NewMemo(nil)
	e := paced(m, budget)
	q, _, _ := below(e.c, 10)
	key, _, _ := e.recall([]smt.Term{q}, nil, question{})
	e.began = effort{whole: e.work()}
	e.searched += cost
	e.began.paused = e.work()
	e.pause()
	e.learn(key, outcome{Result: smt.Stopped(e.ctx)}, nil)

	for _, c := range []struct {
		budget int64
		stops  bool
	}{{budget, true}, {4 * budget, false}} {
		m = again(t, m)
		e = paced(m, c.budget)
		q, _, _ = below(e.c, 10)
		before := e.work()
		_, o, known := e.recall([]smt.Term{q}, nil, question{})
		if known != c.stops || known && (o.Answer != smt.Cancelled || e.stats.Unsettled != 1) {
			t.Errorf("budget %d: %v, %v", c.budget, known, o)
		}
		if worked := e.work()-before >= cost; worked != c.stops {
			t.Errorf("budget %d: work of %d is counted", c.budget, e.work()-before)
		}
	}
}

// An answer that is remembered counts with its work, and the run pauses where it did when the question was asked.
func TestMemoWork(t *testing.T) {
	var pauses []int64
	m := NewMemo(nil)
	e := asker(m)
	q, _, _ := below(e.c, 10)
	key, _, _ := e.recall([]smt.Term{q}, nil, question{})
	e.began = effort{whole: e.work()}
	e.searched += 300
	e.began.paused = e.work()
	e.searched += 700
	e.learn(key, outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)

	m = again(t, m)
	e = asker(m)
	e.extent.pace = func(e *engine) { pauses = append(pauses, e.searched) }
	q, _, _ = below(e.c, 10)
	if _, _, known := e.recall([]smt.Term{q}, nil, question{}); !known || e.searched != 1000 ||
		!slices.Equal(pauses, []int64{300}) {
		t.Errorf("known: %v, work of %d, pauses at %v", known, e.searched, pauses)
	}
}

// What a run beside leaves when it has ended is kept, although nothing of it is held.
func TestMemoSealed(t *testing.T) {
	m := NewMemo(nil)
	asker(m)
	beside := m.beside()
	e := asker(beside)
	q, _, _ := below(e.c, 10)
	key, _, _ := e.recall([]smt.Term{q}, nil, question{})
	e.learn(key, outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
	beside.seal()
	if !m.Changed() || beside.canon != nil {
		t.Error("nothing was learned, or its terms are held")
	}
	e = asker(again(t, m))
	q, _, _ = below(e.c, 10)
	if _, o, known := e.recall([]smt.Term{q}, nil, question{}); !known || o.Answer != smt.Unsat {
		t.Errorf("%v, %v", known, o)
	}
}

// TestMemoWaits: a question that was postponed is postponed again, although its answer is known by now.
func TestMemoWaits(t *testing.T) {
	m := NewMemo(nil)
	for run := range 2 {
		e := asker(m)
		q, _, _ := below(e.c, 10)
		first, o, known := e.recall([]smt.Term{q}, nil, question{budget: 10, postpones: true})
		if known != (run == 1) || known && o.Answer != smt.StepLimit {
			t.Fatalf("run %d, before it is postponed: %t, %v", run, known, o.Answer)
		}
		if !known {
			e.learn(first, outcome{Result: smt.Result{Answer: smt.StepLimit}}, nil)
		}
		later, o, known := e.recall([]smt.Term{q}, nil, question{budget: 400})
		if known != (run == 1) || known && o.Answer != smt.Unsat {
			t.Fatalf("run %d, afterwards: %t, %v", run, known, o.Answer)
		}
		if !known {
			e.learn(later, outcome{Result: smt.Result{Answer: smt.Unsat}}, nil)
		}
		m = again(t, m)
	}
}
