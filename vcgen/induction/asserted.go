package induction

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxAsserted bounds the candidates of a head that come from assertions.
const maxAsserted = 24

// asserted adds, for assertions behind a loop about one element, the candidate that they hold for all visited
// elements. A call of an error function asserts that its guard is false.
func (in *Finder) asserted(i int, accesses []access) {
	c, h := in.c, in.heads[i]
	n := 0
	seen := map[smt.Term]bool{}
	for k := h.Event + 1; k < len(in.log.Events); k++ {
		ev := &in.log.Events[k]
		if ev.Kind != seair.Obligation || ev.Check != found.Assertion || c.IsTrue(ev.Cond) {
			continue
		}
		for _, cond := range c.Conjuncts(ev.Cond) {
			given := c.True()
			for _, g := range c.Conjuncts(ev.Guard) {
				if len(in.terms.Reads(g)) > 0 {
					given = c.And(given, g)
				}
			}
			for _, f := range []smt.Term{cond, c.Implies(given, cond)} {
				if seen[f] || c.IsConst(f) || c.Size(f) > 400 || n > maxAsserted {
					continue
				}
				seen[f] = true
				n += in.assertedOf(i, f, accesses)
			}
		}
	}
}

// assertedOf adds the candidates that a condition about one element holds for others:
//
//   - for the elements that an access has passed;
//   - for those below an access that moves in both directions, or that did not begin at the first element: of a stack,
//     or of the elements before the second one;
//   - for all elements, if the loop writes at offsets that do not move with it: x[data[i]]++.
//
// The element is the one of a symbol that the loop does not change, or of a place if the loop changes the elements.
// A condition that mentions the end of the loop is also read with the iterations that are done (ends).
func (in *Finder) assertedOf(i int, f smt.Term, accesses []access) (made int) {
	c, state := in.c, in.states[i]
	isLater := func(s smt.Term) bool { return !state.HasSymbol(s) }
	isConstant := func(s smt.Term) bool { return !state.Changes(s) }
	f = in.narrowed(i, f)
	forms := []smt.Term{f}
	for _, e := range in.ends(i) {
		if e.fixed == 0 {
			continue
		}
		if g := c.Substitute(f, map[smt.Term]smt.Term{e.fixed: e.varying}); g != f {
			forms = append(forms, g)
			break
		}
	}
	tried := map[smt.Term]bool{}
	for _, r := range in.terms.Reads(f) {
		var wanted func(smt.Term) bool
		var l line
		ok := false
		for _, of := range []func(smt.Term) bool{isLater, isConstant, state.Changes} {
			if !ok {
				wanted = of
				l, ok = in.lineOf(r.Off, of)
			}
		}
		if !ok || tried[l.sym] || state.Changes(l.sym) && !state.Reads(r.Value) {
			continue
		}
		tried[l.sym] = true
		triggers := in.triggers(f, l.sym, wanted)
		add := func(within func(off smt.Term) smt.Term) {
			for _, g := range forms {
				if in.addAll(i, c.Var("witness", c.Sort(l.sym)), func(y smt.Term) smt.Term {
					return c.Implies(within(in.at(l, y)), in.terms.Replace(g, map[smt.Term]smt.Term{l.sym: y}))
				}, lemma{text: "what is asserted holds of other elements, too", triggers: triggers}) {
					made++
				}
			}
		}
		moves := false
		for _, a := range accesses {
			if a.fn != r.Func || a.place < 0 {
				continue
			}
			moves = true
			now := in.at(a.line, a.sym)
			first, constant := c.Uint64(state.Entry.Evaluate(now))
			if _, ok := in.passedOver(i, a, r.Off); ok {
				add(func(off smt.Term) smt.Term { t, _ := in.passedOver(i, a, off); return t })
				if constant && first == 0 {
					continue
				}
			}
			add(func(off smt.Term) smt.Term { return c.Ult(off, now) })
		}
		if !moves && state.Reads(r.Value) {
			add(func(smt.Term) smt.Term { return c.True() })
		}
	}
	return made
}

// narrowed returns a condition with new symbols in place of the parts of symbols at which it reads, if the loop does
// not change these: a number of 8 bits is returned in 32.
func (in *Finder) narrowed(i int, f smt.Term) smt.Term {
	c, to := in.c, map[smt.Term]smt.Term{}
	for _, r := range in.terms.Reads(f) {
		for stack := []smt.Term{r.Off}; len(stack) > 0; {
			t := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if c.Op(t) == smt.OpExtract && c.Op(c.Arg(t, 0)) == smt.OpVar {
				if !in.states[i].Changes(c.Arg(t, 0)) && to[t] == 0 {
					to[t] = c.Var("part", c.Sort(t))
				}
				continue
			}
			stack = append(stack, c.Args(t)...)
		}
	}
	if len(to) == 0 {
		return f
	}
	return in.terms.Replace(f, to)
}
