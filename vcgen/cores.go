package vcgen

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxCoreQueries bounds the queries for one core.
const maxCoreQueries = 40

// explain returns a minimal set of assumptions and branches that together make a finding unreachable; nil if it finds
// none.
//
// Assumptions narrow variables (unfold's facts), so that terms contain assumed facts without their origin: with
// assume(lo <= hi && hi < 100) and assume(hi > 200), the second is the constant false. If any variable was narrowed,
// the program is unfolded again without narrowing, and the contradiction is searched there.
func (p *plan) explain(key findingKey) []CoreEntry {
	q := p.unnarrowed()
	if q == nil {
		return nil
	}
	tries := 0
	for _, st := range q.obs {
		if st.key != key || tries == maxCoreInstances {
			continue
		}
		tries++
		if core := q.core(st.event, q.log.Events[st.event].Guard, nil); core != nil {
			return core
		}
	}
	if tries > 0 {
		return nil
	}
	for _, f := range q.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Loc != nil && asserts(in) && (findingKey{found.Assertion, in.Loc.File, in.Loc.Line, in.Loc.Col}) == key {
					return q.deadCore(f, b)
				}
			}
		}
	}
	return nil
}

// maxCoreInstances bounds the instances of a finding for which a core is searched.
const maxCoreInstances = 4

// unnarrowed returns the plan without narrowed variables: p itself if there are none, nil if it takes too long.
func (p *plan) unnarrowed() *plan {
	if p.prog.Memory.Stats["facts-learned"] == 0 {
		return p
	}
	if p.triedPlain {
		return p.plain
	}
	p.triedPlain = true
	opts := p.opts
	opts.Disable = maps.Clone(opts.Disable)
	if opts.Disable == nil {
		opts.Disable = map[Mechanism]bool{}
	}
	opts.Disable[Facts] = true
	opts.Clock, opts.Stage, opts.Found = nil, nil, nil
	if opts.Memo != nil {
		opts.Memo = opts.Memo.Beside()
	}
	// Narrowing may have saved iterations; a core is worth only a limited number of them.
	e, err := generate(p.ctx, p.m, p.entry, opts, p.make,
		extent{instructions: 2*p.prog.Instructions + 20_000, depth: p.extent.depth, input: p.extent.input,
			loops: p.extent.loops})
	if err == nil {
		p.plain = e.newPlan()
	}
	return p.plain
}

// core returns a minimal set of assumptions and branches that together exclude all executions with a guard at event k.
// If last is set, they also have to pass a branch that is not taken. It starts from the solver's failed assumptions
// and deletes entries one by one.
func (p *plan) core(k int, guard smt.Term, last *unfold.Dead) []CoreEntry {
	c := p.c
	type entry struct {
		term smt.Term
		site *seair.Site
		kind found.CoreKind
		yes  bool
	}
	var all []entry
	passed := map[smt.Term]bool{} // conjuncts of the guard: true in every execution that gets there
	for _, lit := range c.Conjuncts(guard) {
		passed[lit] = true
	}
	for i := range p.log.Events[:k] {
		if ev := &p.log.Events[i]; ev.Kind == seair.Assume && !ev.HasValue && !c.IsTrue(ev.Cond) {
			t := ev.Cond
			if slices.ContainsFunc(c.Conjuncts(ev.Guard), func(lit smt.Term) bool { return !passed[lit] }) {
				t = c.Implies(ev.Guard, t) // only some of these executions pass it
			}
			all = append(all, entry{t, ev.Site, found.CoreAssume, true})
		}
	}
	parts := p.branchesByPart()
	for _, lit := range c.Conjuncts(guard) {
		var b unfold.Branch // the last one before; without a site if several paths merge
		for _, x := range parts[lit] {
			if x.Event <= k && x.Event >= b.Event {
				b = x
			}
		}
		all = append(all, entry{lit, b.Site, found.CoreBranch, b.Taken})
	}
	if last != nil {
		all = append(all, entry{last.Cond, last.Branch.Site, found.CoreBranch, last.Branch.Taken})
	}
	terms := func(es []entry) []smt.Term {
		out := make([]smt.Term, len(es))
		for i := range es {
			out[i] = es[i].term
		}
		return out
	}
	queries := 0
	ask := func(es []entry) ask.Outcome {
		queries++
		return p.Ask(p.ctx, ask.Question{Facts: terms(es), Budget: coreBudget, Session: &p.standing, Core: true})
	}
	outcome := ask(all)
	if outcome.Answer != smt.Unsat {
		return nil
	}
	failed := map[smt.Term]bool{}
	for _, t := range outcome.Core {
		failed[t] = true
	}
	var core []entry
	for _, e := range all {
		if failed[e.term] || c.IsFalse(e.term) {
			core = append(core, e)
		}
	}
	if len(core) == 0 {
		core = all
	}
	for i := len(core) - 1; i >= 0 && queries < maxCoreQueries; i-- {
		try := append(append([]entry(nil), core[:i]...), core[i+1:]...)
		if ask(try).Answer == smt.Unsat {
			core = try
		}
	}
	var out []CoreEntry
	seen := map[CoreEntry]bool{}
	instrs := p.instructions()
	for _, e := range core {
		if e.site == nil {
			return nil // without it the others do not contradict each other
		}
		// Parts of one condition are one entry.
		x := CoreEntry{Kind: e.kind, Pos: p.place(e.site).pos, Taken: e.yes}
		if e.kind == found.CoreBranch {
			x.Turned = turned(instrs[e.site.ID])
		}
		if !seen[x] || e.kind == found.CoreAssume {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// branchesByPart maps each literal of a guard to the branches from which it can come: the literal is their condition,
// or a conjunct of it.
func (p *plan) branchesByPart() map[smt.Term][]unfold.Branch {
	out := map[smt.Term][]unfold.Branch{}
	for _, cond := range slices.Sorted(maps.Keys(p.prog.Branches)) {
		for _, part := range p.c.Conjuncts(cond) {
			out[part] = append(out[part], p.prog.Branches[cond]...)
		}
	}
	return out
}

// deadCore explains why a block was never executed. It uses the nearest executed branch that could lead to the block,
// or to a call of its function.
func (p *plan) deadCore(f *llvmir.Func, b *llvmir.Block) []CoreEntry {
	type place struct {
		f     *llvmir.Func
		block int
	}
	seen := map[place]bool{{f, b.Index}: true}
	todo := []place{{f, b.Index}}
	for len(todo) > 0 {
		x := todo[0]
		todo = todo[1:]
		next := func(y place) {
			if !seen[y] {
				seen[y] = true
				todo = append(todo, y)
			}
		}
		for _, pr := range x.f.Blocks[x.block].Preds {
			t := x.f.Blocks[pr].Term()
			if !p.prog.Executed[t.ID] {
				next(place{x.f, pr})
				continue
			}
			dead, ok := p.prog.Dead[unfold.Edge{Branch: t.ID, To: x.block}]
			if !ok {
				continue
			}
			if core := p.core(dead.Branch.Event, dead.Guard, &dead); core != nil {
				return core
			}
		}
		if x.block != 0 {
			continue
		}
		for _, g := range p.m.Funcs {
			for _, cb := range g.Blocks {
				for _, in := range cb.Instrs {
					if in.Op == llvmir.OpCall && in.Callee.Const != nil && in.Callee.Const.Func == x.f && !p.prog.Executed[in.ID] {
						next(place{g, cb.Index})
					}
				}
			}
		}
	}
	return nil
}
