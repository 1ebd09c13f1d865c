package seair

import (
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Chain gives, for every event of the log, the executions that get to it: only what stands
// before an event helps it.
type Chain struct {
	// Assumed[k]: every assumption before event k holds where its guard does, but for those that what a contract says has
	// a value; Stated[k]: those, too.
	Assumed, Stated []smt.Term
	// Held[k]: so does every obligation before k that is taken to hold.
	Held []smt.Term
}

// ChainOf builds the prefix conditions; obligations for which skip holds, and accepted
// ones, are not taken to hold.
func ChainOf(l *Log, skip func(event int) bool) Chain {
	c := l.C
	n := len(l.Events)
	ch := Chain{Assumed: make([]smt.Term, n+1), Stated: make([]smt.Term, n+1), Held: make([]smt.Term, n+1)}
	a, s, h := c.True(), c.True(), c.True()
	for i := range l.Events {
		ch.Assumed[i], ch.Stated[i], ch.Held[i] = a, s, h
		e := &l.Events[i]
		switch {
		case e.Cond == 0 || c.IsTrue(e.Cond):
		case e.Kind == Assume:
			t := c.Implies(e.Guard, e.Cond)
			s, h = c.And(s, t), c.And(h, t)
			if !e.HasValue {
				a = c.And(a, t)
			}
		case e.Kind == Obligation && !e.Accepted && !skip(i):
			h = c.And(h, c.Implies(e.Guard, e.Cond))
		}
	}
	ch.Assumed[n], ch.Stated[n], ch.Held[n] = a, s, h
	return ch
}

// Fails is when event k is violated.
func (ch Chain) Fails(l *Log, k int) smt.Term {
	e := &l.Events[k]
	return l.C.And(ch.Held[k], e.Guard, l.C.Not(e.Cond))
}
