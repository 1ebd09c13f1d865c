package quantify

import (
	"math"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A scan is a search of the C library for the first (or last) byte that satisfies a condition. Its result is a new
// symbol with an axiom that defines it: the condition holds at that position, and at no earlier one. The second part
// is a Quantifier, so it is instantiated at the bytes that the proof reads, whatever the size of the memory. Exactly
// one position satisfies the definition in every memory, so the axiom restricts nothing but its symbol.

// Limits of scans.
const (
	// shortScan is the default of Set.Enumerate.
	shortScan = 16
	// knownScan is the number of bytes at the beginning that are inspected for constants.
	knownScan = 256
)

// Scans reports whether searches are executed as scans. While a quantifier's body is evaluated they are executed as
// loops: a symbol created in a body could differ for each value of the bound variable.
func (q *Set) Scans() bool { return q != nil && q.open == 0 }

// Scan describes a search: Hit returns the condition that it ends at a position, as wide as an address, below Limit.
type Scan struct {
	Set   *Set
	State *mem.State
	Limit smt.Term
	Hit   func(k smt.Term) smt.Term
	// Reads are the addresses at which the scan begins.
	Reads []smt.Term
	// plain are positions whose bytes have no arbitrary content.
	plain []uint64
}

// First returns the least position below the limit at which the scan ends, or the limit.
func (s *Scan) First() smt.Term {
	c := s.Set.c
	from, to := s.known()
	if to-from <= s.Set.Enumerate {
		t := s.end(to)
		for k := to; k > from; k-- {
			at := s.Set.mem.Int(k - 1)
			t = c.Ite(s.Hit(at), at, t)
		}
		return c.Ite(c.Ult(t, s.Limit), t, s.Limit)
	}
	n := s.position(to)
	s.define(c.And(c.Ule(s.end(from), n), c.Ule(n, s.end(to))))
	s.define(c.Or(c.Not(c.Ult(n, s.Limit)), s.Hit(n)))
	s.nowhere(s.Set.mem.Int(from), n)
	return n
}

// Last returns 1 plus the greatest position below the limit at which the scan ends, or 0.
func (s *Scan) Last() smt.Term {
	c := s.Set.c
	zero, one := s.Set.mem.Int(0), s.Set.mem.Int(1)
	_, to := c.Range(s.Limit)
	if to <= s.Set.Enumerate {
		t := zero
		for k := range to {
			at := s.Set.mem.Int(k)
			t = c.Ite(c.And(c.Ult(at, s.Limit), s.Hit(at)), s.Set.mem.Int(k+1), t)
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

// known inspects the first bytes: the scan ends at from or later, and at to at the latest, unless its limit is lower.
func (s *Scan) known() (from, to uint64) {
	c := s.Set.c
	_, to = c.Range(s.Limit)
	s.plain = s.plain[:0]
	s.Set.mem.Probe(func() {
		for k := uint64(0); k < to && (k == from || k < knownScan); k++ {
			hit := s.Hit(s.Set.mem.Int(k))
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

// end returns a known position, or the limit if that is lower.
func (s *Scan) end(to uint64) smt.Term {
	c := s.Set.c
	t := s.Set.mem.Int(to)
	return c.Ite(c.Ult(t, s.Limit), t, s.Limit)
}

// position creates the symbol of a position between 0 and to.
func (s *Scan) position(to uint64) smt.Term {
	c := s.Set.c
	w := min(bits.Len64(to), s.Set.mem.Width)
	n := c.Var("position", smt.BV(w))
	return c.Zext(n, s.Set.mem.Width)
}

func (s *Scan) define(t smt.Term) { s.Set.axiom(t) }

// nowhere adds the axiom that no position in [from, to) ends the scan.
func (s *Scan) nowhere(from, to smt.Term) {
	q, c, m := s.Set, s.Set.c, s.Set.mem
	since := len(q.reads)
	k := q.Bound(s.Set.mem.Width)
	q.open--
	body := c.Or(c.Ult(k, from), c.Ule(to, k), c.Not(s.Hit(k)))
	x := &Quantifier{Sym: c.True(), Vars: []smt.Term{k}, Body: body, From: from, To: to, made: map[string]bool{}}
	q.enter(x, since)
	// Written bytes are no reads, so their instances are created here.
	for _, at := range s.plain {
		q.instance(x, map[smt.Term]smt.Term{k: s.Set.mem.Int(at)}, maxGeneration)
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

// Never reports whether folding shows that the scan ends at no position.
func (s *Scan) Never() (never bool) {
	s.Set.mem.Probe(func() { never = s.Set.c.IsFalse(s.Hit(s.position(math.MaxUint64))) })
	return never
}
