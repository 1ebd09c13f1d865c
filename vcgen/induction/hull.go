package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/ordering"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// The linear equations that hold in some states of a head are candidates. If a query finds another state at the head
// that violates one, this state is added, and the equations that hold in all of them are the new candidates: buf == s
// and len == n become buf - s + len == n after one iteration. So the equations are the strongest ones that are
// inductive with the other candidates, and they depend little on the states that executions visited (T. Reps, M. Sagiv
// and G. Yorsh, "Symbolic Implementation of the Best Transformer", VMCAI 2004; M. Elder, J. Lim, T. Sharma, T. Andersen
// and T. Reps, "Abstract Domains of Affine Relations", TOPLAS 2014).

// Limits of the equations of one head.
const (
	maxHullColumns = 20
	maxWidened     = 24 // states that queries add to one hull
)

// hull has the linear equations between terms of one width at a head, in the states so far.
type hull struct {
	where   smt.Term // states in which this is false do not count
	width   int
	columns []smt.Term // first those that the loop does not change
	fixed   int        // the number of these
	rows    [][]uint64 // the states: 1 and the values of the columns
	widened int
}

// makeHulls makes a hull for each width, of the samples in which a condition holds, with its candidates. It returns
// their number.
func (in *Finder) makeHulls(i int, rows [][]uint64, where smt.Term) (made int) {
	c, s := in.c, &in.samples[i]
	for _, w := range []int{32, 64, 16, 8} {
		h := &hull{where: where, width: w}
		var from []int // the index of the sample's column
		take := func(of func(t smt.Term) bool) {
			for k, t := range s.columns {
				if !c.Sort(t).IsBool() && c.Width(t) <= w && of(t) && len(h.columns) < maxHullColumns {
					h.columns, from = append(h.columns, c.Zext(t, w)), append(from, k)
				}
			}
		}
		take(func(t smt.Term) bool { return c.Width(t) == w && !in.states[i].Varies(t) })
		h.fixed = len(h.columns)
		take(func(t smt.Term) bool { return c.Width(t) == w && in.states[i].Varies(t) })
		if len(h.columns) == h.fixed {
			continue
		}
		// A position may be related to a counter of another width, and a sum of bytes to these bytes.
		take(func(t smt.Term) bool {
			return c.Width(t) < w && (c.Width(t) == 32 || c.IsTrue(where)) && in.states[i].Varies(t)
		})
		for _, row := range rows {
			values := []uint64{1}
			for _, k := range from {
				values = append(values, row[k])
			}
			h.rows = append(h.rows, values)
		}
		in.hulls[i] = append(in.hulls[i], h)
		made += in.equations(i, h)
	}
	return made
}

// equations makes candidates of the equations of a hull that are none yet, and returns their number.
func (in *Finder) equations(i int, h *hull) (made int) {
	c := in.c
	if len(h.rows) == 0 {
		return 0
	}
	x := eliminate(h.rows, len(h.columns)+1, h.width)
	x.factors = in.material(i).factors
	if !c.IsTrue(h.where) && h.widened == 0 && len(h.rows) < len(x.pivots)+leastEvidence {
		return 0 // any few rows have equations
	}
	for _, r := range x.sparseEquations(h.fixed) {
		sum := c.IntS(h.width, r.factors[0])
		for k, t := range h.columns {
			if by := r.factors[k+1]; by != 0 {
				sum = c.Add(sum, c.Mul(t, c.IntS(h.width, by)))
			}
		}
		text := "=="
		if r.bits < h.width {
			text = "stride"
		}
		if in.addEquation(i, h, text, c.Implies(h.where, c.Eq(c.Extract(sum, r.bits-1, 0), c.Int(r.bits, 0)))) {
			made++
		}
	}
	return made
}

// addEquation adds a candidate that belongs to a hull, and reports whether it is new.
func (in *Finder) addEquation(head int, h *hull, text string, fact smt.Term) bool {
	for _, l := range in.lemmas[head] {
		if !l.Quantified() && l.Fact() == fact {
			if l.hull == nil {
				l.hull = h
			}
			return false
		}
	}
	x, ok := in.states[head].Condition(fact)
	if ok {
		in.addLemma(head, &lemma{Condition: x, text: text, holds: map[int]int{}, hull: h})
	}
	return ok
}

// widen adds the states in which equations were violated to their hulls.
func (in *Finder) widen(head int, violated []*lemma, at *invariant.State) {
	for _, l := range violated {
		if l.hull != nil && l.model != nil {
			in.addState(head, l.hull, l.model, at)
		}
		l.model = nil
	}
}

// addState adds a state of a model to a hull, and what then are its equations to the candidates.
func (in *Finder) addState(head int, h *hull, m *ask.Model, at *invariant.State) {
	if h.widened == maxWidened {
		return
	}
	row := []uint64{1}
	for _, t := range h.columns {
		row = append(row, m.EvalUint(at.Evaluate(t)))
	}
	if slices.ContainsFunc(h.rows, func(old []uint64) bool { return slices.Equal(old, row) }) {
		return
	}
	h.widened++
	h.rows = append(h.rows, row)
	in.equations(head, h)
}

// seen queries a state on entry to a loop that no execution has reached, for its hulls.
func (in *Finder) seen(head int, facts []smt.Term, entry *invariant.State) {
	for _, h := range in.hulls[head] {
		if len(h.rows) > 0 || h.widened > 0 {
			continue
		}
		o := in.asker.Ask(in.ctx, ask.Question{Facts: facts, Any: []smt.Term{in.c.True()}, Budget: houdiniBudget})
		in.spent += o.Steps
		if o.Answer != smt.Sat {
			h.widened = maxWidened
			continue
		}
		in.addState(head, h, o.Model, entry)
	}
}

// Limits of keeps: the choices that it takes apart, one within another, and the size of the difference.
const (
	maxChoices    = 8
	maxDifference = 1000
)

// isEquation reports whether a candidate is a linear equation that holds in all states so far.
func (in *Finder) isEquation(l *lemma) bool { return l.hull != nil && in.c.IsTrue(l.hull.where) }

// keeps reports whether the two sides of an equation at a head differ as much after an iteration as before it, whatever
// its choices. Then the equation is inductive by itself. A solver needs thousands of conflicts to see that of sums with
// factors, and does not see it of products: of 2 * sum == i * (i - 1), or q * b + r == a.
func (in *Finder) keeps(equation smt.Term, after *invariant.State) bool {
	c := in.c
	if c.Op(equation) != smt.OpEq || c.Sort(c.Arg(equation, 0)).IsBool() || c.Width(c.Arg(equation, 0)) > 64 {
		return false
	}
	difference := c.Sub(c.Arg(equation, 0), c.Arg(equation, 1))
	return in.isZero(c.Sub(after.Evaluate(difference), difference), maxChoices)
}

// isZero reports whether a term is shown to be 0 as a polynomial, with choices taken apart.
func (in *Finder) isZero(t smt.Term, choices int) bool {
	c := in.c
	if v, ok := c.Uint64(t); ok {
		return v == 0
	}
	if choices == 0 || c.Size(t) > maxDifference {
		return false
	}
	if ordering.IsZero(c, t) {
		return true
	}
	yes, no := in.decide(t)
	return yes != nil && in.isZero(c.Substitute(t, yes), choices-1) && in.isZero(c.Substitute(t, no), choices-1)
}

// outermost returns a choice in a sum that is in no other one, preferably not in a product; 0 if there is none.
func (in *Finder) outermost(sum smt.Term) smt.Term {
	c := in.c
	_, parts := c.SumParts(sum)
	for _, p := range parts {
		if c.Op(p.T) == smt.OpIte {
			return p.T
		}
	}
	for _, t := range slices.Backward(c.Parts(sum)) { // the parts of a term come before it
		if c.Op(t) == smt.OpIte {
			return t
		}
	}
	return 0
}

// decide takes the first comparison in the outermost condition of a sum, and returns it as true and as false. If it is
// true, others in the sum's conditions are false: if v == 1, v == 2 is, as in the cases of a switch. It returns nil for
// a sum without choices.
func (in *Finder) decide(sum smt.Term) (yes, no map[smt.Term]smt.Term) {
	c := in.c
	var atoms []smt.Term
	var collect func(t smt.Term)
	collect = func(t smt.Term) {
		if op := c.Op(t); op != smt.OpAnd && op != smt.OpNot {
			atoms = append(atoms, t)
			return
		}
		for _, a := range c.Args(t) {
			collect(a)
		}
	}
	choice := in.outermost(sum)
	if choice == 0 {
		return nil, nil
	}
	collect(c.Arg(choice, 0))
	first := atoms[0]
	for _, t := range c.Parts(sum) {
		if c.Op(t) == smt.OpIte {
			collect(c.Arg(t, 0))
		}
	}
	yes, no = map[smt.Term]smt.Term{first: c.True()}, map[smt.Term]smt.Term{first: c.False()}
	for _, t := range atoms[1:] {
		if t != first && c.IsFalse(c.And(first, t)) {
			yes[t] = c.False()
		}
	}
	return yes, no
}
