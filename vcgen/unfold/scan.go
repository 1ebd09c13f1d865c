package unfold

import (
	"math"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
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

// scans tells whether the scans of models are executed as such. Where quantifiers are evaluated they are loops: what
// is made in a body may be another value for each value of its variables.
func (q *quantifiers) scans() bool { return q != nil && q.open == 0 }

// scan is where a scan may end: hit tells whether it ends at a position, 64 bits, which is below limit.
type scan struct {
	cc    *callCtx
	limit smt.Term
	hit   func(k smt.Term) smt.Term
	// reads are the addresses at which the scan begins.
	reads []smt.Term
	// plain are positions where no arbitrary content decides.
	plain []uint64
}

// scanned executes Find, FindLast and Differ.
func (cc *callCtx) scanned(role language.Role) {
	c := cc.c()
	zero := c.Int(8, 0)
	s := &scan{cc: cc, reads: []smt.Term{cc.arg(0)}}
	switch role {
	case language.Differ:
		s.reads = append(s.reads, cc.arg(1))
		ends := cc.argBool(3)
		s.hit = func(k smt.Term) smt.Term {
			x, y := s.load(cc.arg(0), k), s.load(cc.arg(1), k)
			return c.Or(c.Ne(x, y), c.And(ends, c.Eq(x, zero)))
		}
		s.limit = cc.argInt(2, 64, false)
	default:
		b := cc.argInt(2, 8, false)
		ends := c.False()
		if role == language.Find {
			ends = cc.argBool(3)
		}
		s.hit = func(k smt.Term) smt.Term {
			x := s.load(cc.arg(0), k)
			return c.Or(c.Eq(x, b), c.And(ends, c.Eq(x, zero)))
		}
		s.limit = cc.argInt(1, 64, false)
	}
	for _, p := range s.reads {
		rest := s.rest(p)
		s.limit = c.Ite(c.Ult(rest, s.limit), rest, s.limit)
	}
	s.limit = cc.r().known.Apply(s.limit)
	if role == language.FindLast {
		cc.ret = value{t: s.last()}
		return
	}
	n := s.first()
	s.written(c.Int(64, 0), c.Add(n, c.Int(64, 1)))
	cc.ret = value{t: n}
}

// load reads the byte at distance k from p.
func (s *scan) load(p, k smt.Term) smt.Term {
	r := s.cc.r()
	return r.mem.Load(s.cc.p.st, s.cc.c().Add(p, k), 1)
}

// rest is how many bytes there are from p to the end of its object, 0 where it points into none that lives.
func (s *scan) rest(p smt.Term) smt.Term {
	r, c := s.cc.r(), s.cc.c()
	t := c.Int(64, 0)
	for _, x := range r.mem.Candidates(p) {
		if x.Obj == mem.None || r.mem.Objects[x.Obj].Kind == mem.Function {
			continue
		}
		size := r.mem.Objects[x.Obj].Size
		inside := c.And(x.Cond, r.mem.Live(s.cc.p.st, x.Obj), c.Ule(x.Off, size))
		t = c.Ite(inside, c.Sub(size, x.Off), t)
	}
	return t
}

// first is the least position below the limit at which the scan ends, the limit where there is none.
func (s *scan) first() smt.Term {
	c := s.cc.c()
	from, to := s.known()
	if to-from <= shortScan {
		t := s.end(to)
		for k := to; k > from; k-- {
			at := c.Int(64, k-1)
			t = c.Ite(s.hit(at), at, t)
		}
		return c.Ite(c.Ult(t, s.limit), t, s.limit)
	}
	n := s.position(to)
	s.define(c.And(c.Ule(s.end(from), n), c.Ule(n, s.end(to))))
	s.define(c.Or(c.Not(c.Ult(n, s.limit)), s.hit(n)))
	s.nowhere(c.Int(64, from), n)
	return n
}

// last is 1 more than the greatest position below the limit at which the scan ends, 0 where there is none.
func (s *scan) last() smt.Term {
	c := s.cc.c()
	zero, one := c.Int(64, 0), c.Int(64, 1)
	_, to := c.Range(s.limit)
	if to <= shortScan {
		t := zero
		for k := range to {
			at := c.Int(64, k)
			t = c.Ite(c.And(c.Ult(at, s.limit), s.hit(at)), c.Int(64, k+1), t)
		}
		s.written(c.Sub(t, one), s.limit)
		return t
	}
	s.known()
	n := s.position(to)
	s.define(c.Ule(n, s.limit))
	s.define(c.Or(c.Eq(n, zero), s.hit(c.Sub(n, one))))
	s.nowhere(n, s.limit)
	s.written(c.Sub(n, one), s.limit)
	return n
}

// known looks at the first bytes: the scan ends at from or later, at the latest at to, if its limit allows that.
func (s *scan) known() (from, to uint64) {
	c := s.cc.c()
	_, to = c.Range(s.limit)
	s.plain = s.plain[:0]
	s.cc.r().mem.Probe(func() {
		for k := uint64(0); k < to && (k == from || k < knownScan); k++ {
			hit := s.hit(c.Int(64, k))
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
func (s *scan) end(to uint64) smt.Term {
	c := s.cc.c()
	t := c.Int(64, to)
	return c.Ite(c.Ult(t, s.limit), t, s.limit)
}

// position makes the symbol of a position, up to to.
func (s *scan) position(to uint64) smt.Term {
	c := s.cc.c()
	w := bits.Len64(to)
	n := c.Var("position", smt.BV(w))
	if w < 64 {
		n = c.Zext(n, 64)
	}
	return n
}

func (s *scan) define(t smt.Term) { s.cc.r().quantifiers.axiom(t) }

// nowhere defines that no position from one on, and before another, ends the scan.
func (s *scan) nowhere(from, to smt.Term) {
	r, c, q := s.cc.r(), s.cc.c(), s.cc.r().quantifiers
	since := len(q.reads)
	k := q.bound()
	q.open--
	body := c.Or(c.Ult(k, from), c.Ule(to, k), c.Not(s.hit(k)))
	x := &Quantifier{Sym: c.True(), Vars: []smt.Term{k}, Body: body, From: from, To: to, made: map[string]bool{}}
	q.enter(x, since)
	// What was written is no read of anybody's.
	for _, at := range s.plain {
		q.instance(x, map[smt.Term]smt.Term{k: c.Int(64, at)}, maxGeneration)
	}
	for _, p := range s.reads {
		for _, cand := range r.mem.Candidates(p) {
			if cand.Obj == mem.None || s.cc.p.st.Content(cand.Obj) == nil {
				continue
			}
			for _, off := range r.mem.Seams(s.cc.p.st.Content(cand.Obj)) {
				q.instance(x, map[smt.Term]smt.Term{k: c.Sub(off, cand.Off)}, 1)
			}
		}
	}
}

// written logs the obligation uninitialized-read of a scan: no byte from one position on (-1: from the first), before
// another and below the limit was never written. Where the first such byte lies is the outcome of a scan, too.
func (s *scan) written(from, to smt.Term) {
	r, c := s.cc.r(), s.cc.c()
	if !r.opts.Checks[found.UninitializedRead] || !r.neverWritten.any() {
		return
	}
	from = c.Ite(c.Slt(from, c.Int(64, 0)), c.Int(64, 0), from)
	u := &scan{cc: s.cc, reads: s.reads, limit: c.Ite(c.Ult(to, s.limit), to, s.limit)}
	u.hit = func(k smt.Term) smt.Term {
		bad := c.False()
		for _, a := range s.reads {
			_, some := r.neverWritten.of(s.load(a, k))
			bad = c.Or(bad, some)
		}
		return c.And(c.Ule(from, k), bad)
	}
	if !u.never() {
		r.obligation(s.cc.p, s.cc.site, found.UninitializedRead, c.Not(c.Ult(u.first(), u.limit)))
	}
}

// never tells whether a scan ends nowhere before its limit, by folding.
func (s *scan) never() (never bool) {
	s.cc.r().mem.Probe(func() { never = s.cc.c().IsFalse(s.hit(s.position(math.MaxUint64))) })
	return never
}
