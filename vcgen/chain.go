package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// chain gives, for every event of the log, the executions that get to it: only what stands
// before an event helps it.
type chain struct {
	// assumed[k]: every assumption before event k holds where its guard does, but for those that what a contract says has
	// a value; stated[k]: those, too.
	assumed, stated []smt.Term
	// held[k]: so does every obligation before k that is taken to hold.
	held []smt.Term
}

// chainOf builds the prefix conditions; obligations for which skip holds, and accepted
// ones, are not taken to hold.
func chainOf(l *seair.Log, skip func(event int) bool) chain {
	c := l.C
	n := len(l.Events)
	ch := chain{assumed: make([]smt.Term, n+1), stated: make([]smt.Term, n+1), held: make([]smt.Term, n+1)}
	a, s, h := c.True(), c.True(), c.True()
	for i := range l.Events {
		ch.assumed[i], ch.stated[i], ch.held[i] = a, s, h
		e := &l.Events[i]
		switch {
		case e.Cond == 0 || c.IsTrue(e.Cond):
		case e.Kind == seair.Assume:
			t := c.Implies(e.Guard, e.Cond)
			s, h = c.And(s, t), c.And(h, t)
			if !e.HasValue {
				a = c.And(a, t)
			}
		case e.Kind == seair.Obligation && !e.Accepted && !skip(i):
			h = c.And(h, c.Implies(e.Guard, e.Cond))
		}
	}
	ch.assumed[n], ch.stated[n], ch.held[n] = a, s, h
	return ch
}

// fails is when event k is violated.
func (ch chain) fails(l *seair.Log, k int) smt.Term {
	e := &l.Events[k]
	return l.C.And(ch.held[k], e.Guard, l.C.Not(e.Cond))
}
