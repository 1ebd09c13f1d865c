package vcgen

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// question is a conjunction of facts, of which a query is the last. Simplifying it before
// it is given to a solver pays more than the choice of the solver: facts at the top level
// fix variables, bound them, and so make products narrow and comparisons constant.
type question struct {
	c     *smt.Context
	facts []smt.Term
	// solved gives variables that were eliminated, as terms over the others, in the order
	// of their elimination: a model is completed from the last to the first.
	solved []solution
}

type solution struct {
	v, as smt.Term
}

// maxRounds bounds how often new facts are looked for.
const maxRounds = 6

// simplify eliminates what the facts determine.
func (q *question) simplify() {
	c := q.c
	for range maxRounds {
		var flat []smt.Term
		seen := map[smt.Term]bool{}
		for _, f := range q.facts {
			for _, t := range conjuncts(c, f) {
				if !seen[t] {
					seen[t] = true
					flat = append(flat, t)
				}
			}
		}
		q.facts = flat
		subst := map[smt.Term]smt.Term{}
		add := func(v, as smt.Term) {
			if _, twice := subst[v]; !twice {
				subst[v] = as
				q.solved = append(q.solved, solution{v, as})
			}
		}
		bounds := map[smt.Term]*interval{}
		var order []smt.Term
		for _, f := range flat {
			if v, as, ok := q.fixes(f); ok {
				add(v, as)
			} else if v, lo, hi, ok := q.bounds(f); ok {
				if bounds[v] == nil {
					bounds[v] = &interval{0, ^uint64(0) >> (64 - c.Width(v))}
					order = append(order, v)
				}
				bounds[v].lo, bounds[v].hi = max(bounds[v].lo, lo), min(bounds[v].hi, hi)
			}
		}
		for _, v := range order {
			if as, ok := q.narrow(v, *bounds[v]); ok {
				add(v, as)
			}
		}
		if len(subst) == 0 {
			return
		}
		s := &substitution{c: c, to: subst, memo: map[smt.Term]smt.Term{}}
		for i, f := range q.facts {
			q.facts[i] = s.apply(f)
		}
	}
}

type interval struct{ lo, hi uint64 }

// fixes reads a fact that gives a variable its value.
func (q *question) fixes(f smt.Term) (v, as smt.Term, ok bool) {
	c := q.c
	switch c.Op(f) {
	case smt.OpVar:
		return f, c.True(), true
	case smt.OpEq:
		if a, b := c.Arg(f, 0), c.Arg(f, 1); c.Op(a) == smt.OpVar && c.VarLow(a) == 0 && c.IsConst(b) {
			return a, b, true
		}
	case smt.OpNot:
		if g := c.Arg(f, 0); c.Op(g) == smt.OpVar {
			return g, c.False(), true
		}
	}
	return 0, 0, false
}

// bounds reads a fact that bounds a variable of at most 64 bits, unsigned.
func (q *question) bounds(f smt.Term) (v smt.Term, lo, hi uint64, ok bool) {
	c := q.c
	strict := c.Op(f) == smt.OpUlt
	if !strict {
		if c.Op(f) != smt.OpNot {
			return 0, 0, 0, false
		}
		f = c.Arg(f, 0)
		if c.Op(f) == smt.OpEq { // not v = 0
			a, b := c.Arg(f, 0), c.Arg(f, 1)
			if k, isConst := c.Uint64(b); isConst && k == 0 && q.isPlain(a) {
				return a, 1, ^uint64(0), true
			}
		}
		if c.Op(f) != smt.OpUlt {
			return 0, 0, 0, false
		}
	}
	a, b := c.Arg(f, 0), c.Arg(f, 1)
	switch {
	case strict && q.isPlain(a): // a < b
		if _, top := c.Range(b); top > 0 {
			return a, 0, top - 1, true
		}
	case strict && q.isPlain(b):
		low, _ := c.Range(a)
		return b, low + 1, ^uint64(0), low != ^uint64(0)
	case !strict && q.isPlain(b): // b <= a
		_, top := c.Range(a)
		return b, 0, top, true
	case !strict && q.isPlain(a): // a >= b
		low, _ := c.Range(b)
		return a, low, ^uint64(0), true
	}
	return 0, 0, 0, false
}

func (q *question) isPlain(t smt.Term) bool {
	return q.c.Op(t) == smt.OpVar && !q.c.Sort(t).IsBool() && q.c.Width(t) <= 64 && q.c.VarLow(t) == 0
}

// narrow replaces a variable of [lo, hi] by lo plus the extension of one that has no more
// bits than the width of the interval needs, where that saves bits.
func (q *question) narrow(v smt.Term, in interval) (as smt.Term, ok bool) {
	c := q.c
	w := c.Width(v)
	if in.lo > in.hi {
		return 0, false // contradictory facts: the solver will see
	}
	n := bits.Len64(in.hi - in.lo)
	switch {
	case n >= w:
		return 0, false
	case n == 0:
		return c.Int(w, in.lo), true
	}
	small := c.Var(c.VarName(v), smt.BV(n))
	return c.Add(c.Zext(small, w), c.Int(w, in.lo)), true
}

// complete extends a model of the simplified question to one of the original.
func (q *question) complete(m *smt.Model) {
	for i := len(q.solved) - 1; i >= 0; i-- {
		s := q.solved[i]
		m.SetVar(s.v, q.c.NewEvaluator(m).Eval(s.as))
	}
}

// substitution replaces variables in terms and rewrites what comes out.
type substitution struct {
	c    *smt.Context
	to   map[smt.Term]smt.Term
	memo map[smt.Term]smt.Term
}

func (s *substitution) apply(t smt.Term) smt.Term {
	stack := []smt.Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, done := s.memo[x]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		if r, ok := s.to[x]; ok {
			s.memo[x] = r
			continue
		}
		args := s.c.Args(x)
		ready, same := true, true
		for _, a := range args {
			r, done := s.memo[a]
			if !done {
				stack = append(stack, a)
				ready = false
			} else if r != a {
				same = false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		if same {
			s.memo[x] = x
			continue
		}
		next := make([]smt.Term, len(args))
		for i, a := range args {
			next[i] = s.memo[a]
		}
		s.memo[x] = rebuild(s.c, x, next)
	}
	return s.memo[t]
}

// rebuild makes the term of x's operation over other arguments.
func rebuild(c *smt.Context, x smt.Term, a []smt.Term) smt.Term {
	fold := func(f func(a, b smt.Term) smt.Term) smt.Term {
		t := a[0]
		for _, b := range a[1:] {
			t = f(t, b)
		}
		return t
	}
	switch c.Op(x) {
	case smt.OpNot:
		return c.Not(a[0])
	case smt.OpAnd:
		return c.And(a...)
	case smt.OpOr:
		return c.Or(a...)
	case smt.OpEq:
		return c.Eq(a[0], a[1])
	case smt.OpIte:
		return c.Ite(a[0], a[1], a[2])
	case smt.OpUlt:
		return c.Ult(a[0], a[1])
	case smt.OpUle:
		return c.Ule(a[0], a[1])
	case smt.OpSlt:
		return c.Slt(a[0], a[1])
	case smt.OpSle:
		return c.Sle(a[0], a[1])
	case smt.OpAdd:
		return fold(c.Add)
	case smt.OpMul:
		return fold(c.Mul)
	case smt.OpUdiv:
		return c.Udiv(a[0], a[1])
	case smt.OpUrem:
		return c.Urem(a[0], a[1])
	case smt.OpSdiv:
		return c.Sdiv(a[0], a[1])
	case smt.OpSrem:
		return c.Srem(a[0], a[1])
	case smt.OpBvNot:
		return c.BvNot(a[0])
	case smt.OpBvAnd:
		return fold(c.BvAnd)
	case smt.OpBvOr:
		return fold(c.BvOr)
	case smt.OpBvXor:
		return fold(c.BvXor)
	case smt.OpShl:
		return c.Shl(a[0], a[1])
	case smt.OpLshr:
		return c.Lshr(a[0], a[1])
	case smt.OpAshr:
		return c.Ashr(a[0], a[1])
	case smt.OpConcat:
		return c.Concat(a[0], a[1])
	case smt.OpExtract:
		hi, lo := c.ExtractBounds(x)
		return c.Extract(a[0], hi, lo)
	case smt.OpZext:
		return c.Zext(a[0], c.Width(x))
	case smt.OpSext:
		return c.Sext(a[0], c.Width(x))
	case smt.OpApply:
		return c.Apply(c.FuncOf(x), a[0])
	case smt.OpFAdd:
		return c.FAdd(a[0], a[1])
	case smt.OpFSub:
		return c.FSub(a[0], a[1])
	case smt.OpFMul:
		return c.FMul(a[0], a[1])
	case smt.OpFDiv:
		return c.FDiv(a[0], a[1])
	case smt.OpFRem:
		return c.FRem(a[0], a[1])
	case smt.OpFSqrt:
		return c.FSqrt(a[0])
	case smt.OpFFma:
		return c.FFma(a[0], a[1], a[2])
	case smt.OpFMin:
		return c.FMin(a[0], a[1])
	case smt.OpFMax:
		return c.FMax(a[0], a[1])
	case smt.OpFEq:
		return c.FEq(a[0], a[1])
	case smt.OpFLt:
		return c.FLt(a[0], a[1])
	case smt.OpFLe:
		return c.FLe(a[0], a[1])
	case smt.OpFToS:
		return c.FToS(a[0], c.Width(x))
	case smt.OpFToU:
		return c.FToU(a[0], c.Width(x))
	case smt.OpSToF:
		return c.SToF(a[0], c.Width(x))
	case smt.OpUToF:
		return c.UToF(a[0], c.Width(x))
	case smt.OpFToF:
		return c.FToF(a[0], c.Width(x))
	case smt.OpFRound:
		return c.FRound(c.RoundModeOf(x), a[0])
	}
	panic("vcgen: rebuild of operation " + c.String(x))
}
