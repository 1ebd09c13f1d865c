package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// target is a function that is called through a pointer if cond holds.
type target struct {
	f    *llvmir.Func
	cond smt.Term
}

// indirect executes a call through a pointer: a switch over its possible functions. The default, which includes NULL,
// is the violation invalid-call.
func (cc *callCtx) indirect(ptr smt.Term) {
	r, c := cc.r(), cc.c()
	var targets []target
	add := func(f *llvmir.Func, cond smt.Term) {
		if c.IsFalse(cond) {
			return
		}
		for i := range targets {
			if targets[i].f == f {
				targets[i].cond = c.Or(targets[i].cond, cond)
				return
			}
		}
		targets = append(targets, target{f, cond})
	}
	number := c.False() // condition that it is an arbitrary value
	coincidence := c.False()
	unknown := mem.Unknown(mem.AsNoObject)
	if !r.enforced(found.InvalidCall, cc.site) {
		unknown = cc.undecided("a call through a pointer to an unknown function, without the check invalid-call,")
	}
	for _, x := range r.mem.Candidates(ptr, unknown) {
		if x.Obj == mem.None {
			if v, ok := c.Uint64(x.Off); ok && v < 4096 {
				continue // no function lies in the first page
			}
			number = c.Or(number, x.Cond)
			at, other := cc.byAddress(x)
			for _, t := range at {
				add(t.f, t.cond)
			}
			coincidence = c.Or(coincidence, other)
			continue
		}
		if o := r.mem.Objects[x.Obj]; o.Kind == mem.Function && cc.fits(r.funcIDs[o.Fn]) {
			add(r.funcIDs[o.Fn], c.And(x.Cond, c.Eq(x.Off, cc.r().mem.Int(0))))
		}
	}
	valid := c.False()
	for _, t := range targets {
		valid = c.Or(valid, t.cond)
	}
	elsewhere := c.And(number, c.Not(valid))
	if r.opts.Checks[found.InvalidCall] {
		obliged := len(r.log.Events)
		r.obligationAbout(cc.p, cc.site, found.InvalidCall, valid, ptr)
		if r.accepted(found.InvalidCall, cc.site) {
			r.assume(cc.p, cc.site, valid) // execution continues only there, even if the violation is accepted
		}
		if e := &r.log.Events[obliged]; !c.IsFalse(coincidence) {
			e.Coincidence = coincidence
		}
	} else {
		r.assume(cc.p, cc.site, valid)
		r.note(found.Assumption{What: found.ValidCalls, Kinds: []found.Kind{found.InvalidCall}}, cc.site, 0)
	}
	if !c.IsFalse(elsewhere) {
		// The value may be the address of a function that is no target: that function was not examined.
		r.infeasible(c.And(cc.p.g.T, elsewhere), cutPoint{fr: cc.fr, block: cc.v.block, instr: cc.k})
	}
	var out []edge
	start := cc.p
	for i, t := range targets {
		cond := t.cond
		if i == len(targets)-1 {
			cond = c.True() // the obligation excludes everything else
		}
		g := start.g.Extend(c, cond)
		if g == nil {
			continue
		}
		sub := *cc
		sub.p = &path{g, start.st.Fork()}
		sub.fn = t.f
		sub.direct()
		if !sub.dead {
			out = append(out, edge{g: sub.p.g, p: sub.p, ret: sub.ret})
		}
		if start.g.Extend(c, c.Not(cond)) == nil {
			break
		}
		start = &path{start.g.Extend(c, c.Not(cond)), start.st}
	}
	if len(targets) == 0 {
		r.infeasible(cc.p.g.T, cutPoint{fr: cc.fr, block: cc.v.block, instr: cc.k + 1})
	}
	if len(out) == 0 {
		cc.dead = true
		return
	}
	g, p, _, _, ret := cc.fr.merge(out, cc.in.Type, nil, nil)
	cc.p, cc.ret = &path{g, p.st}, ret
}

// byAddress returns the functions whose address an arbitrary pointer value (x, in no object) may be.
//
// Assumptions and branches on the way may determine the function, such as `assume(f == &g)`. Only functions are
// considered that some fact ties to the value. coincidence is the condition that the value is the address of another
// function. Omitting a function makes the obligation stronger, so it hides no violation. If no fact ties the value to
// a function, the value may as well be no function's address, which is a violation. If the call has no obligation, all
// functions whose address is taken are considered.
func (cc *callCtx) byAddress(x mem.Candidate) (out []target, coincidence smt.Term) {
	r, c := cc.r(), cc.c()
	asserted := r.opts.Checks[found.InvalidCall] && !r.accepted(found.InvalidCall, cc.site)
	if r.taken == nil {
		r.taken = r.m.AddressTaken()
	}
	var tied map[smt.Term]bool
	if asserted {
		tied = r.tied(x.Off, r.alive, cc.p.g.T, x.Cond)
	}
	coincidence = c.False()
	for _, f := range r.m.Funcs {
		base, made := r.funcs[f]
		if !made || !r.taken[f] || !cc.fits(f) {
			continue
		}
		cond := c.And(x.Cond, c.Eq(x.Off, base))
		switch {
		case c.IsFalse(cond):
		case !asserted || tied[base] && r.feasible(c.And(cc.p.g.T, cond)):
			out = append(out, target{f, cond})
		default:
			coincidence = c.Or(coincidence, cond)
		}
	}
	return out, coincidence
}

// tied returns the symbols that the conjuncts of the facts connect to t: conjuncts that share a symbol are connected,
// transitively. An application of a function counts like a symbol that all applications of the function share.
func (r *run) tied(t smt.Term, facts ...smt.Term) map[smt.Term]bool {
	c := r.c
	in := map[smt.Term][]int{}      // conjuncts in which a symbol occurs
	applied := map[smt.Func][]int{} // the same for functions
	var conjuncts []smt.Term
	hold := map[smt.Term]bool{}
	for _, x := range r.conjuncts(facts...) {
		hold[x] = true
	}
	for _, x := range r.conjuncts(facts...) {
		if c.Op(x) == smt.OpNot && slices.ContainsFunc(r.conjuncts(c.Arg(x, 0)),
			func(y smt.Term) bool { return hold[c.Not(y)] }) {
			continue // a fact of another path, on which y holds
		}
		of := r.symbolsOf(x)
		for _, s := range of.vars {
			in[s] = append(in[s], len(conjuncts))
		}
		for _, f := range of.funcs {
			applied[f] = append(applied[f], len(conjuncts))
		}
		conjuncts = append(conjuncts, x)
	}
	out := map[smt.Term]bool{}
	seen := make([]bool, len(conjuncts))
	for todo := []smt.Term{t}; len(todo) > 0; {
		of := r.symbolsOf(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		var next []int
		for _, s := range of.vars {
			if !out[s] {
				out[s] = true
				next = append(next, in[s]...)
			}
		}
		for _, f := range of.funcs {
			next = append(next, applied[f]...)
			delete(applied, f) // once is enough: thousands of conjuncts may apply it
		}
		for _, k := range next {
			if !seen[k] {
				seen[k] = true
				todo = append(todo, conjuncts[k])
			}
		}
	}
	return out
}

// conjuncts splits conjunctions into their parts.
func (r *run) conjuncts(ts ...smt.Term) []smt.Term {
	var out []smt.Term
	for todo := slices.Clone(ts); len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if r.c.Op(x) == smt.OpAnd {
			todo = append(todo, r.c.Args(x)...)
			continue
		}
		out = append(out, x)
	}
	return out
}

// symbols are the variables and functions that occur in a term.
type symbols struct {
	vars  []smt.Term
	funcs []smt.Func
}

func (r *run) symbolsOf(t smt.Term) symbols {
	of, ok := r.symbols[t]
	if !ok {
		of = symbols{r.c.Symbols(t), r.c.Funcs(t)}
		r.symbols[t] = of
	}
	return of
}
