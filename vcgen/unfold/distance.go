package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Limits of a distance: the choices that it contains, one within another and in total, and the queries whether one is
// excluded.
const (
	maxDistanceDepth   = 40
	maxDistanceChoices = 400
	maxDistanceQueries = 12
)

// atHead returns the position of a head.
func (fr *frame) atHead(h *Head) cutPoint {
	if h.loop == nil { // the begin of an activation
		return cutPoint{fr: fr}
	}
	return cutPoint{fr: fr, block: h.loop.Head}
}

// distances is the search for the distance of two pointers.
type distances struct {
	*run
	// at is the position behind which results of excluded matter; without a frame, they may matter anywhere.
	at               cutPoint
	choices, queries int
	// guess: nothing is wrong if the result is, so no query is recorded.
	guess bool
}

// distance returns now - was for two pointers under a guard. If their difference is a choice between pointers, it
// returns the choice between the differences, in which the base of an object cancels: behind `end > s && *--end == ' '`
// the pointer is (end > s ? end - 1 : end), whose distance from end is (end > s ? -1 : 0). A choice that the guard
// excludes does not count: behind `if ((p = next(p)) == NULL) return` the NULL that next returns.
func (r *run) distance(now, was, guard smt.Term, at cutPoint) smt.Term {
	d := r.c.Sub(now, was)
	if out, ok := (&distances{run: r, at: at}).withoutBase(d, guard, maxDistanceDepth); ok {
		return out
	}
	return d
}

// withoutBase takes choices out of a sum until none of the values chosen has the base of an object, and reports whether
// that succeeds. The result equals the sum if the guard is true.
func (r *distances) withoutBase(t, guard smt.Term, depth int) (smt.Term, bool) {
	c := r.c
	if !r.mem.HasBase(t) {
		return t, true
	}
	if r.choices++; depth == 0 || r.choices > maxDistanceChoices {
		return 0, false
	}
	_, parts := c.SumParts(t)
	for _, p := range parts {
		if c.Op(p.T) != smt.OpIte || !r.mem.HasBase(p.T) {
			continue
		}
		by := c.Int(c.Width(t), p.Coef)
		rest := c.Sub(t, c.Mul(p.T, by))
		cond := c.Arg(p.T, 0)
		a, someA := r.withoutBase(c.Add(rest, c.Mul(c.Arg(p.T, 1), by)), c.And(guard, cond), depth-1)
		b, someB := r.withoutBase(c.Add(rest, c.Mul(c.Arg(p.T, 2), by)), c.And(guard, c.Not(cond)), depth-1)
		switch {
		case someA && someB:
			return c.Ite(cond, a, b), true
		case someA && r.excluded(c.And(guard, c.Not(cond))):
			return a, true
		case someB && r.excluded(c.And(guard, cond)):
			return b, true
		}
	}
	return 0, false
}

// chosen replaces each choice of pointers in a sum by the value that a guard leaves.
func (r *distances) chosen(t, guard smt.Term) smt.Term {
	c := r.c
	for again := true; again; {
		again = false
		_, parts := c.SumParts(t)
		for _, p := range parts {
			if c.Op(p.T) != smt.OpIte || !r.mem.HasBase(p.T) {
				continue
			}
			cond, value := c.Arg(p.T, 0), smt.Term(0)
			if r.excluded(c.And(guard, c.Not(cond))) {
				value = c.Arg(p.T, 1)
			} else if r.excluded(c.And(guard, cond)) {
				value = c.Arg(p.T, 2)
			} else {
				continue
			}
			t, again = c.Add(t, c.Mul(c.Sub(value, p.T), c.Int(c.Width(t), p.Coef))), true
			break
		}
	}
	return t
}

// excluded reports whether a guard is known to be false. A query assumes the obligations so far, so it is recorded:
// without one that stays open, the guard may be true, and the state behind lacks that case.
func (r *distances) excluded(guard smt.Term) bool {
	if r.c.IsFalse(guard) {
		return true
	}
	if r.queries++; r.queries > maxDistanceQueries || r.feasible(guard) {
		return false
	}
	if r.guess {
		return true
	}
	at := r.at
	at.all = at.fr == nil
	r.infeasible(guard, at)
	return true
}

// start splits a pointer under a guard into the begin of its object and an offset. It fails if the pointer is a choice
// between pointers into the middle of several objects.
func (r *distances) start(pointer, guard smt.Term) (begin, offset smt.Term, ok bool) {
	pointer = r.chosen(pointer, guard)
	begin = r.mem.Int(0)
	_, parts := r.c.SumParts(pointer)
	for _, p := range parts {
		if r.mem.HasBase(p.T) {
			begin = r.c.Add(begin, r.c.Mul(p.T, r.mem.Int(p.Coef)))
		}
	}
	object, single := mem.None, true
	middle := false
	for _, x := range r.mem.Candidates(begin, mem.AsNoObject) {
		if x.Obj == mem.None {
			continue
		}
		off, isConst := r.c.Uint64(x.Off)
		middle = middle || !isConst || off != 0
		single = single && (!ok || x.Obj == object)
		object, ok = x.Obj, true
	}
	if middle && single { // a choice between places in one object
		begin = r.mem.Objects[object].Base
		offset, ok = r.withoutBase(r.c.Sub(pointer, begin), guard, maxDistanceDepth)
		return begin, offset, ok
	}
	return begin, r.c.Sub(pointer, begin), ok && !middle
}

// maxCompared bounds the positions with which those of one head are compared.
const maxCompared = 4

// isChoice reports whether a part of a sum is a choice.
func (r *run) isChoice(t smt.Term) bool {
	_, parts := r.c.SumParts(t)
	return slices.ContainsFunc(parts, func(q smt.Monomial) bool { return r.c.Op(q.T) == smt.OpIte })
}

// compared notes the pointers with which a position that a loop changes is compared, measured from the begin of their
// object, if they are choices. The terms do not tell: a comparison with a choice is a choice between comparisons.
func (r *run) compared(x, y, guard smt.Term) {
	induction := r.opts.Induction
	if induction == nil || !r.mem.HasBase(x) || !r.mem.HasBase(y) {
		return
	}
	for _, p := range [2][2]smt.Term{{x, y}, {y, x}} {
		if !r.isChoice(p[1]) {
			continue
		}
		_, parts := r.c.SumParts(p[0])
		for _, q := range parts {
			h := induction.positions[q.T]
			if h == nil || len(h.Compared) == maxCompared {
				continue
			}
			d := &distances{run: r, guess: true}
			if _, offset, ok := d.start(p[1], guard); ok && !slices.Contains(h.Compared, offset) {
				h.Compared = append(h.Compared, offset)
			}
		}
	}
}
