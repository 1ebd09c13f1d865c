package ask

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/sampletest"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// smallLog is a log with an event for each seed, about five numbers of two bits.
type smallLog struct {
	*seair.Log
	vars   []smt.Term
	events []int // the obligations
	fails  []smt.Term
}

func newSmallLog(c *smt.Context, seeds []int64) *smallLog {
	l := &smallLog{Log: &seair.Log{C: c}}
	for k := range 5 {
		l.vars = append(l.vars, c.Var(fmt.Sprint("x", k), smt.BV(2)))
	}
	for _, seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		comparison := func() smt.Term {
			p := l.vars[rng.Intn(len(l.vars))]
			q := c.Int(2, uint64(rng.Intn(4)))
			if rng.Intn(3) == 0 {
				q = l.vars[rng.Intn(len(l.vars))]
			}
			return []smt.Term{c.Ule(p, q), c.Ult(p, q), c.Ne(p, q), c.Ule(q, p)}[rng.Intn(4)]
		}
		e := seair.Event{Kind: seair.Obligation, Check: found.Assertion, Guard: c.True(), Cond: comparison(),
			Accepted: rng.Intn(6) == 0, Site: &seair.Site{}}
		if rng.Intn(3) == 0 {
			e.Guard = comparison()
		}
		switch rng.Intn(6) {
		case 0, 1:
			e.Kind, e.Accepted = seair.Assume, false
		case 2:
			e.Kind, e.Guard, e.Accepted = seair.Axiom, c.True(), false
		default:
			l.events = append(l.events, len(l.Events))
			l.fails = append(l.fails, c.And(e.Guard, c.Not(e.Cond)))
		}
		l.Events = append(l.Events, e)
	}
	return l
}

// violated tries all values. It returns, for each obligation, whether an execution violates it that satisfies all
// axioms and all earlier assumptions and obligations. reach is an execution that gets as far as any.
func (l *smallLog) violated() (violated map[int]bool, reach *smt.Model) {
	c := l.C
	violated = map[int]bool{}
	best := -1
	for n := range uint64(1) << (2 * len(l.vars)) {
		m := smt.NewModel()
		for k, v := range l.vars {
			m.SetVar(v, smt.UintValue(2, n>>(2*k)&3))
		}
		ev := c.NewEvaluator(m)
		possible, at := true, 0
		for _, e := range l.Events {
			possible = possible && (e.Kind != seair.Axiom || ev.EvalBool(e.Cond))
		}
		for ; possible && at < len(l.Events); at++ {
			e := l.Events[at]
			holds := ev.EvalBool(c.Implies(e.Guard, e.Cond))
			if e.Kind == seair.Obligation && !holds {
				violated[at] = true
			}
			possible = holds || e.Accepted
		}
		if at > best {
			best, reach = at, m
		}
	}
	return violated, reach
}

// TestMembersOfEditedLogs checks cached obligations in logs with a changed, added or removed event. An obligation that
// is known to hold there must hold.
func TestMembersOfEditedLogs(t *testing.T) {
	stored, known, rounds := 0, 0, sampletest.Rounds(100)
	for seed := range sampletest.Seeds(t, 100) {
		rng := rand.New(rand.NewSource(seed))
		seeds := make([]int64, 6+rng.Intn(6))
		for i := range seeds {
			seeds[i] = rng.Int63()
		}
		m := NewMemo(nil)
		for run := range 4 {
			c := smt.NewContext()
			for range run {
				c.Var("another", smt.BV(8)) // other handles
			}
			x := New(c, nil, Options{Memo: m})
			l := newSmallLog(c, seeds)
			x.Bind(&unfold.Program{Memory: mem.New(c), Log: l.Log})
			violated, reach := l.violated()
			members := x.Members(l.events, l.fails)
			var proved []int
			for _, i := range l.events {
				switch {
				case members[i].Known():
					if known++; violated[i] {
						t.Errorf("seed %d, run %d: event %d is known to hold, and an execution violates it", seed, run, i)
					}
				case !violated[i]:
					proved = append(proved, i)
				}
			}
			if reach != nil && rng.Intn(4) > 0 && x.models.add(reach, nil) == nil {
				t.Fatal("no model")
			}
			x.KeepMembers(proved, members)
			stored += len(proved)
			m = again(t, m)
			switch at := rng.Intn(len(seeds)); rng.Intn(3) {
			case 0:
				seeds[at] = rng.Int63()
			case 1:
				seeds = append(seeds[:at:at], seeds[at+1:]...)
			default:
				seeds = append(seeds[:at:at], append([]int64{rng.Int63()}, seeds[at:]...)...)
			}
		}
		if t.Failed() {
			return
		}
	}
	if n := int(rounds) * 3 / 2; stored < n || known < n {
		t.Errorf("%d were kept, %d were known", stored, known)
	}
}
