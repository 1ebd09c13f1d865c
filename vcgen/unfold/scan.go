package unfold

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// scan is a call of Find, FindLast or Differ that is executed as a scan.
type scan struct {
	cc *callCtx
	quantify.Scan
}

// scanned executes Find, FindLast and Differ.
func (cc *callCtx) scanned(role language.Role) {
	c := cc.c()
	zero := c.Int(8, 0)
	s := &scan{cc, quantify.Scan{Set: cc.r().quantifiers, State: cc.p.st, Reads: []smt.Term{cc.arg(0)}}}
	switch role {
	case language.Differ:
		s.Reads = append(s.Reads, cc.arg(1))
		ends := cc.argBool(3)
		s.Hit = func(k smt.Term) smt.Term {
			x, y := s.load(cc.arg(0), k), s.load(cc.arg(1), k)
			return c.Or(c.Ne(x, y), c.And(ends, c.Eq(x, zero)))
		}
		s.Limit = cc.argInt(2, cc.r().mem.Width, false)
	default:
		b := cc.argInt(2, 8, false)
		ends := c.False()
		if role == language.Find {
			ends = cc.argBool(3)
		}
		s.Hit = func(k smt.Term) smt.Term {
			x := s.load(cc.arg(0), k)
			return c.Or(c.Eq(x, b), c.And(ends, c.Eq(x, zero)))
		}
		s.Limit = cc.argInt(1, cc.r().mem.Width, false)
	}
	for _, p := range s.Reads {
		rest := s.rest(p)
		s.Limit = c.Ite(c.Ult(rest, s.Limit), rest, s.Limit)
	}
	s.Limit = cc.r().known.Apply(s.Limit)
	if role == language.FindLast {
		n := s.Last()
		cc.r().countScan(n)
		s.written(c.Sub(n, cc.r().mem.Int(1)), s.Limit)
		cc.ret = value{t: n}
		return
	}
	n := s.First()
	cc.r().countScan(n)
	s.written(cc.r().mem.Int(0), c.Add(n, cc.r().mem.Int(1)))
	cc.ret = value{t: n}
}

// countScan counts a scan that ends at n, unless that is known.
func (r *run) countScan(n smt.Term) {
	if !r.c.IsConst(n) {
		r.scans++
	}
}

// load reads the byte at distance k from p.
func (s *scan) load(p, k smt.Term) smt.Term {
	r := s.cc.r()
	return r.mem.Load(s.cc.p.st, s.cc.c().Add(p, k), 1)
}

// rest returns the number of bytes from p to the end of its object, 0 if p points to no live object.
func (s *scan) rest(p smt.Term) smt.Term {
	r, c := s.cc.r(), s.cc.c()
	t := r.mem.Int(0)
	for _, x := range r.mem.Candidates(p, mem.AsNoObject) { // behind an access
		if x.Obj == mem.None || r.mem.Objects[x.Obj].Kind == mem.Function {
			continue
		}
		size := r.mem.Objects[x.Obj].Size
		inside := c.And(x.Cond, r.mem.Live(s.cc.p.st, x.Obj), c.Ule(x.Off, size))
		t = c.Ite(inside, c.Sub(size, x.Off), t)
	}
	return t
}

// written logs the obligation uninitialized-read of a scan: every byte in [from, to) below the limit was written; from
// is 0 if it is -1. The position of the first violating byte is the outcome of another scan.
func (s *scan) written(from, to smt.Term) {
	r, c := s.cc.r(), s.cc.c()
	if !r.opts.Checks[found.UninitializedRead] || !r.neverWritten.any() {
		return
	}
	from = c.Ite(c.Slt(from, r.mem.Int(0)), r.mem.Int(0), from)
	u := quantify.Scan{Set: s.Set, State: s.State, Reads: s.Reads, Limit: c.Ite(c.Ult(to, s.Limit), to, s.Limit)}
	u.Hit = func(k smt.Term) smt.Term {
		bad := c.False()
		for _, a := range s.Reads {
			_, part := r.neverWritten.of(s.load(a, k))
			bad = c.Or(bad, part)
		}
		return c.And(c.Ule(from, k), bad)
	}
	if !u.Never() {
		r.obligation(s.cc.p, s.cc.site, found.UninitializedRead, c.Not(c.Ult(u.First(), u.Limit)))
	}
}
