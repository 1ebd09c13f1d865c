package smt

// substitution replaces terms, and rewrites the terms that contain them.
type substitution struct {
	c    *Context
	to   map[Term]Term
	memo map[Term]Term
	deep bool // replacements are rewritten, too
}

func (s *substitution) apply(t Term) Term {
	stack := []Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, done := s.memo[x]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		if r, ok := s.to[x]; ok {
			if s.deep {
				to, done := s.memo[r]
				if !done {
					stack = append(stack, r)
					continue
				}
				r = to
			}
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
		s.memo[x] = s.below(x)
	}
	return s.memo[t]
}

// below rewrites the arguments of a term.
func (s *substitution) below(t Term) Term {
	args := s.c.Args(t)
	next := make([]Term, len(args))
	same := true
	for i, a := range args {
		next[i] = s.apply(a)
		same = same && next[i] == a
	}
	if same {
		return t
	}
	return rebuild(s.c, t, next)
}

// fact rewrites a fact by all other facts.
//
// Each fact is rewritten only by facts about its subterms, which are kept; so the conjunction remains equivalent.
func (s *substitution) fact(f Term) Term {
	c := s.c
	switch c.Op(f) {
	case OpNot:
		if a := c.Arg(f, 0); c.Op(a) != OpVar {
			return c.Not(s.below(a))
		}
	case OpEq:
		if a, b := c.Arg(f, 0), c.Arg(f, 1); c.Op(a) != OpVar && s.to[a] == b {
			return c.Eq(s.below(a), b)
		}
		return s.below(f)
	case OpVar:
		return s.apply(f)
	}
	return s.below(f)
}

// acyclic reports whether replacing v by a term creates no cycle through the replacements of the term's variables.
//
// work is the remaining budget of the search.
func (s *substitution) acyclic(v, as Term, work *int) bool {
	if _, twice := s.to[v]; twice {
		return false
	}
	seen := map[Term]bool{}
	stack := []Term{as}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[x] {
			continue
		}
		if *work--; *work < 0 || x == v {
			return false
		}
		seen[x] = true
		if r, ok := s.to[x]; ok {
			stack = append(stack, r)
			continue
		}
		stack = append(stack, s.c.Args(x)...)
	}
	return true
}

// rebuild returns the term of x's operator with other arguments.
func rebuild(c *Context, x Term, a []Term) Term {
	fold := func(f func(a, b Term) Term) Term {
		t := a[0]
		for _, b := range a[1:] {
			t = f(t, b)
		}
		return t
	}
	switch c.Op(x) {
	case OpNot:
		return c.Not(a[0])
	case OpAnd:
		return c.And(a...)
	case OpOr:
		return c.Or(a...)
	case OpEq:
		return c.Eq(a[0], a[1])
	case OpIte:
		return c.Ite(a[0], a[1], a[2])
	case OpUlt:
		return c.Ult(a[0], a[1])
	case OpUle:
		return c.Ule(a[0], a[1])
	case OpSlt:
		return c.Slt(a[0], a[1])
	case OpSle:
		return c.Sle(a[0], a[1])
	case OpAdd:
		return fold(c.Add)
	case OpMul:
		return fold(c.Mul)
	case OpUdiv:
		return c.Udiv(a[0], a[1])
	case OpUrem:
		return c.Urem(a[0], a[1])
	case OpSdiv:
		return c.Sdiv(a[0], a[1])
	case OpSrem:
		return c.Srem(a[0], a[1])
	case OpBvNot:
		return c.BvNot(a[0])
	case OpBvAnd:
		return fold(c.BvAnd)
	case OpBvOr:
		return fold(c.BvOr)
	case OpBvXor:
		return fold(c.BvXor)
	case OpShl:
		return c.Shl(a[0], a[1])
	case OpLshr:
		return c.Lshr(a[0], a[1])
	case OpAshr:
		return c.Ashr(a[0], a[1])
	case OpConcat:
		return c.Concat(a[0], a[1])
	case OpExtract:
		hi, lo := c.ExtractBounds(x)
		return c.Extract(a[0], hi, lo)
	case OpZext:
		return c.Zext(a[0], c.Width(x))
	case OpSext:
		return c.Sext(a[0], c.Width(x))
	case OpApply:
		return c.Apply(c.FuncOf(x), a[0])
	case OpFAdd:
		return c.FAdd(a[0], a[1])
	case OpFSub:
		return c.FSub(a[0], a[1])
	case OpFMul:
		return c.FMul(a[0], a[1])
	case OpFDiv:
		return c.FDiv(a[0], a[1])
	case OpFRem:
		return c.FRem(a[0], a[1])
	case OpFSqrt:
		return c.FSqrt(a[0])
	case OpFFma:
		return c.FFma(a[0], a[1], a[2])
	case OpFMin:
		return c.FMin(a[0], a[1])
	case OpFMax:
		return c.FMax(a[0], a[1])
	case OpFEq:
		return c.FEq(a[0], a[1])
	case OpFLt:
		return c.FLt(a[0], a[1])
	case OpFLe:
		return c.FLe(a[0], a[1])
	case OpFToS:
		return c.FToS(a[0], c.Width(x))
	case OpFToU:
		return c.FToU(a[0], c.Width(x))
	case OpSToF:
		return c.SToF(a[0], c.Width(x))
	case OpUToF:
		return c.UToF(a[0], c.Width(x))
	case OpFToF:
		return c.FToF(a[0], c.Width(x))
	case OpFRound:
		return c.FRound(c.RoundModeOf(x), a[0])
	}
	panic("smt: rebuild of operation " + c.String(x))
}

// Substitute simultaneously replaces symbols in a term by terms of the same sorts.
func (c *Context) Substitute(t Term, to map[Term]Term) Term {
	s := &substitution{c: c, to: to, memo: map[Term]Term{}}
	return s.apply(t)
}

// Rewrite replaces parts of a term, from the root downwards.
//
// special returns the replacement of a part. If it returns false, the part is rebuilt from its rewritten arguments.
// memo keeps results between calls.
func (c *Context) Rewrite(t Term, memo map[Term]Term, special func(Term) (Term, bool)) Term {
	for stack := []Term{t}; len(stack) > 0; {
		x := stack[len(stack)-1]
		if _, done := memo[x]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		if r, ok := special(x); ok {
			memo[x] = r
			continue
		}
		ready := true
		args := append([]Term(nil), c.Args(x)...)
		same := true
		for i, a := range args {
			r, done := memo[a]
			if !done {
				stack, ready = append(stack, a), false
				continue
			}
			same, args[i] = same && r == a, r
		}
		if !ready {
			continue
		}
		if memo[x] = x; !same {
			memo[x] = rebuild(c, x, args)
		}
	}
	return memo[t]
}
