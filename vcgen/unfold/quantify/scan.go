package quantify

import (
	"math"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A scan is a loop of the C library over bytes that ends at the first (or, from behind, the last) for which a condition
// holds. Its outcome is a new symbol with the definition of that position: the condition holds there, and nowhere
// before it. The latter is a Quantifier, so that it is instantiated at the bytes that the proof reads, however long the
// memory is. Every memory has exactly one such position, so the definition restricts nothing but its symbol.

// Limits of scans.
const (
	// shortScan is up to how many positions are listed: a choice among them is settled by folding.
	shortScan = 16
	// knownScan is how many bytes from the first are looked at for what is known of them.
	knownScan = 256
)

// Scans tells whether scans are executed as such. Where quantifiers are evaluated they are loops: what is made in a
// body may be another value for each value of its variables.
func (q *Set) Scans() bool { return q != nil && q.open == 0 }

// Scan is where a scan may end: Hit tells whether it ends at a position, 64 bits, which is below Limit.
type Scan struct {
	Set   *Set
	State *mem.State
	Limit smt.Term
	Hit   func(k smt.Term) smt.Term
	// Reads are the addresses at which the scan begins.
	Reads []smt.Term
	// plain are positions where no arbitrary content decides.
	plain []uint64
}

// First is the least position below the limit at which the scan ends, the limit where there is none.
func (s *Scan) First() smt.Term {
	c := s.Set.c
	from, to := s.known()
	if to-from <= shortScan {
		t := s.end(to)
		for k := to; k > from; k-- {
			at := c.Int(64, k-1)
			t = c.Ite(s.Hit(at), at, t)
		}
		return c.Ite(c.Ult(t, s.Limit), t, s.Limit)
	}
	n := s.position(to)
	s.define(c.And(c.Ule(s.end(from), n), c.Ule(n, s.end(to))))
	s.define(c.Or(c.Not(c.Ult(n, s.Limit)), s.Hit(n)))
	s.nowhere(c.Int(64, from), n)
	return n
}

// Last is 1 more than the greatest position below the limit at which the scan ends, 0 where there is none.
func (s *Scan) Last() smt.Term {
	c := s.Set.c
	zero, one := c.Int(64, 0), c.Int(64, 1)
	_, to := c.Range(s.Limit)
	if to <= shortScan {
		t := zero
		for k := range to {
			at := c.Int(64, k)
			t = c.Ite(c.And(c.Ult(at, s.Limit), s.Hit(at)), c.Int(64, k+1), t)
		}
		return t
	}
	s.known()
	n := s.position(to)
	s.define(c.Ule(n, s.Limit))
	s.define(c.Or(c.Eq(n, zero), s.Hit(c.Sub(n, one))))
	s.nowhere(n, s.Limit)
	return n
}

// known looks at the first bytes: the scan ends at from or later, at the latest at to, if its limit allows that.
func (s *Scan) known() (from, to uint64) {
	c := s.Set.c
	_, to = c.Range(s.Limit)
	s.plain = s.plain[:0]
	s.Set.mem.Probe(func() {
		for k := uint64(0); k < to && (k == from || k < knownScan); k++ {
			hit := s.Hit(c.Int(64, k))
			switch {
			case c.IsTrue(hit):
				to = k
			case c.IsFalse(hit) && k == from:
				from++
			case len(c.Funcs(hit)) == 0:
				s.plain = append(s.plain, k)
			}
		}
	})
	return from, to
}

// end is a position that is known, or the limit where that comes first.
func (s *Scan) end(to uint64) smt.Term {
	c := s.Set.c
	t := c.Int(64, to)
	return c.Ite(c.Ult(t, s.Limit), t, s.Limit)
}

// position makes the symbol of a position, up to to.
func (s *Scan) position(to uint64) smt.Term {
	c := s.Set.c
	w := bits.Len64(to)
	n := c.Var("position", smt.BV(w))
	if w < 64 {
		n = c.Zext(n, 64)
	}
	return n
}

func (s *Scan) define(t smt.Term) { s.Set.axiom(t) }

// nowhere defines that no position from one on, and before another, ends the scan.
func (s *Scan) nowhere(from, to smt.Term) {
	q, c, m := s.Set, s.Set.c, s.Set.mem
	since := len(q.reads)
	k := q.Bound()
	q.open--
	body := c.Or(c.Ult(k, from), c.Ule(to, k), c.Not(s.Hit(k)))
	x := &Quantifier{Sym: c.True(), Vars: []smt.Term{k}, Body: body, From: from, To: to, made: map[string]bool{}}
	q.enter(x, since)
	// What was written is no read of anybody's.
	for _, at := range s.plain {
		q.instance(x, map[smt.Term]smt.Term{k: c.Int(64, at)}, maxGeneration)
	}
	for _, p := range s.Reads {
		for _, cand := range m.Candidates(p, mem.AsNoObject) {
			if cand.Obj == mem.None || s.State.Content(cand.Obj) == nil {
				continue
			}
			for _, off := range m.Seams(s.State.Content(cand.Obj)) {
				q.instance(x, map[smt.Term]smt.Term{k: c.Sub(off, cand.Off)}, 1)
			}
		}
	}
}

// Never tells whether a scan ends nowhere before its limit, by folding.
func (s *Scan) Never() (never bool) {
	s.Set.mem.Probe(func() { never = s.Set.c.IsFalse(s.Hit(s.position(math.MaxUint64))) })
	return never
}
