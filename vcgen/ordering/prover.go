package ordering

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Limits of one implication.
const (
	maxProverFacts  = 48  // comparisons that are taken from the facts
	maxProverSize   = 400 // terms of a fact
	maxProverRounds = 4
	maxProverSplits = 3 // choices of the goal, one within another
	// Eliminations for the facts without a goal, and for a goal.
	maxFactEliminations = 200
	maxEliminations     = 60
)

// Prover shows that facts imply a comparison of sums, by linear arithmetic over integers. A sum of bit-vectors is read
// as one of integers if the facts imply that it does not wrap. It shows at once that a + b + 1 <= n follows from
// a <= n - b and n != a + b, which costs a solver thousands of conflicts. An equation of polynomials also follows from
// others by substitution. It never refutes anything. Its goals come from loops: a candidate after an iteration, from
// all candidates before it.
type Prover struct {
	c       *smt.Context
	symbols map[smt.Term][]smt.Term
}

// NewProver returns a Prover for terms of a context.
func NewProver(c *smt.Context) *Prover {
	return &Prover{c: c, symbols: map[smt.Term][]smt.Term{}}
}

// Facts are conditions that hold together, for several goals.
type Facts struct {
	p       *Prover
	atoms   []smt.Term // comparisons and their negations
	clauses []smt.Term // other conditions
	holds   map[smt.Term]bool
	work    int // eliminations so far
	// about are the facts that concern some variables, by these. equal are the equations, by the width of their numbers.
	about map[string]*system
	equal map[int]*equations
}

// Facts returns facts for Implies.
func (p *Prover) Facts(list ...smt.Term) *Facts {
	x := &Facts{p: p, holds: map[smt.Term]bool{}, about: map[string]*system{}, equal: map[int]*equations{}}
	x.Add(list...)
	return x
}

// Add adds facts.
func (x *Facts) Add(list ...smt.Term) {
	clear(x.about)
	clear(x.equal)
	for _, t := range list {
		x.add(t)
	}
	for some := true; some; {
		some = false
		clauses := x.clauses
		x.clauses = nil
		for _, t := range clauses {
			if last, ok := x.unit(t); ok {
				some = true
				x.add(last)
			} else {
				x.clauses = append(x.clauses, t)
			}
		}
	}
}

func (x *Facts) add(t smt.Term) {
	c := x.p.c
	for _, l := range literals(c, t) {
		if x.holds[l] {
			continue
		}
		x.holds[l] = true
		switch {
		case isComparison(c, l):
			x.atoms = append(x.atoms, l)
		case isClause(c, l):
			x.clauses = append(x.clauses, l)
		}
	}
}

// unit returns the only condition of a clause that is not known to be false. It is true if the clause holds anyway.
func (x *Facts) unit(t smt.Term) (last smt.Term, ok bool) {
	c := x.p.c
	for _, l := range disjuncts(c, t) {
		switch {
		case x.holds[l] || c.IsTrue(l):
			return c.True(), true
		case x.holds[c.Not(l)] || c.IsFalse(l):
		case c.Op(l) == smt.OpAnd && slices.ContainsFunc(c.Args(l), func(a smt.Term) bool { return x.holds[c.Not(a)] }):
		case last != 0:
			return 0, false
		default:
			last = l
		}
	}
	if last == 0 {
		last = c.False()
	}
	return last, true
}

// Work returns the number of eliminations so far, each of at most some thousand operations.
func (x *Facts) Work() int { return x.work }

// Implies reports whether the facts are found to imply a goal.
func (x *Facts) Implies(goal smt.Term) bool { return x.implies(goal, nil, maxProverSplits) }

// implies reports whether the facts and further ones are found to imply a goal. splits is the number of choices of the
// goal that may be split, one within another.
func (x *Facts) implies(goal smt.Term, more []smt.Term, splits int) bool {
	c := x.p.c
	if c.IsTrue(goal) {
		return true
	}
	if c.Op(goal) == smt.OpAnd {
		return !slices.ContainsFunc(c.Args(goal), func(t smt.Term) bool { return !x.implies(t, more, splits) })
	}
	s := x.concerning(append(slices.Clone(more), goal)...)
	s.assume(more...)
	s.assume(c.Not(goal))
	if s.contradicts() || x.equals(goal, more) {
		return true
	}
	if splits == 0 {
		return false
	}
	cond := x.choice(goal, more)
	if cond == 0 {
		return false
	}
	for _, way := range []smt.Term{cond, c.Not(cond)} {
		if !x.implies(c.Substitute(goal, map[smt.Term]smt.Term{cond: truth(c, way == cond)}),
			append(slices.Clone(more), way), splits-1) {
			return false
		}
	}
	return true
}

func truth(c *smt.Context, is bool) smt.Term {
	if is {
		return c.True()
	}
	return c.False()
}

// choice returns the condition of the first choice in a goal that no fact decides; 0 if there is none.
func (x *Facts) choice(goal smt.Term, more []smt.Term) smt.Term {
	c := x.p.c
	if c.Size(goal) > maxProverSize {
		return 0
	}
	for _, t := range c.Cone(goal) {
		if c.Op(t) != smt.OpIte {
			continue
		}
		if cond := c.Arg(t, 0); !slices.Contains(more, cond) && !slices.Contains(more, c.Not(cond)) &&
			c.Size(cond) <= maxProverSize/4 {
			return cond
		}
	}
	return 0
}

// literals returns the conditions of a conjunction, with negations of disjunctions taken apart.
func literals(c *smt.Context, t smt.Term) (out []smt.Term) {
	for stack := []smt.Term{t}; len(stack) > 0; {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch not := c.Op(x) == smt.OpNot; {
		case c.IsTrue(x):
		case c.Op(x) == smt.OpAnd:
			stack = append(stack, c.Args(x)...)
		case not && c.Op(c.Arg(x, 0)) == smt.OpOr:
			for _, a := range c.Args(c.Arg(x, 0)) {
				stack = append(stack, c.Not(a))
			}
		default:
			out = append(out, x)
		}
	}
	slices.Reverse(out)
	return out
}

// isClause reports whether a condition is a disjunction.
func isClause(c *smt.Context, t smt.Term) bool {
	return c.Op(t) == smt.OpOr || c.Op(t) == smt.OpNot && c.Op(c.Arg(t, 0)) == smt.OpAnd
}

// disjuncts returns the conditions of a disjunction.
func disjuncts(c *smt.Context, t smt.Term) (out []smt.Term) {
	for stack := []smt.Term{t}; len(stack) > 0; {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case c.Op(x) == smt.OpOr:
			stack = append(stack, c.Args(x)...)
		case c.Op(x) == smt.OpNot && c.Op(c.Arg(x, 0)) == smt.OpAnd:
			for _, a := range c.Args(c.Arg(x, 0)) {
				stack = append(stack, c.Not(a))
			}
		default:
			out = append(out, x)
		}
	}
	return out
}

// isComparison reports whether a condition is a comparison of bit-vectors of at most 64 bits, or its negation.
func isComparison(c *smt.Context, t smt.Term) bool {
	if c.Op(t) == smt.OpNot {
		t = c.Arg(t, 0)
	}
	switch c.Op(t) {
	case smt.OpUlt, smt.OpSlt, smt.OpEq:
		a := c.Arg(t, 0)
		return !c.Sort(a).IsBool() && c.Width(a) > 1 && c.Width(a) <= 64
	}
	return false
}

// symbolsOf returns the variables of a condition.
func (p *Prover) symbolsOf(t smt.Term) []smt.Term {
	out, ok := p.symbols[t]
	if !ok {
		out = slices.DeleteFunc(p.c.Symbols(t), func(v smt.Term) bool { return p.c.Sort(v).IsBool() })
		p.symbols[t] = out
	}
	return out
}
