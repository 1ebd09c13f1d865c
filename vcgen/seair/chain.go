package seair

import (
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Chain gives, for each event of the log, the condition under which an execution reaches it.
//
// Only earlier events contribute, so a later assumption cannot hide a violation.
type Chain struct {
	// Assumed[k]: each assumption before event k holds if its guard does. Excluded are the assumptions that a
	// contract expression has a value; Stated[k] includes them.
	Assumed, Stated []smt.Term
	// Held[k]: Stated[k], and each obligation before k that is assumed to hold does hold.
	Held []smt.Term
}

// ChainOf computes the prefix conditions of all events.
//
// Obligations for which skip returns true, and accepted ones, are not assumed to hold.
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

// Fails returns the condition under which event k is violated.
func (ch Chain) Fails(l *Log, k int) smt.Term {
	e := &l.Events[k]
	return l.C.And(ch.Held[k], e.Guard, l.C.Not(e.Cond))
}
