package vcgen

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxCoreQueries bounds the deletion of one core.
const maxCoreQueries = 40

// core finds a minimal set of assumptions and branches that together let no execution get
// to event k: failed assumptions of the solver, then deletion one by one.
func (p *plan) core(k int) []CoreEntry {
	c := p.c
	type entry struct {
		term smt.Term // a definition that rests on an assumption is part of it
		site *seair.Site
		kind string
		yes  bool
	}
	var all []entry
	for i := range p.log.Events[:k] {
		if ev := &p.log.Events[i]; ev.Kind == seair.Assume && !c.IsTrue(ev.Cond) {
			t := c.Implies(ev.Guard, ev.Cond)
			if ev.Derived && len(all) > 0 {
				all[len(all)-1].term = c.And(all[len(all)-1].term, t)
				continue
			}
			all = append(all, entry{t, ev.Site, "assume", true})
		}
	}
	whole := p.branchesByPart()
	for _, lit := range c.Conjuncts(p.log.Events[k].Guard) {
		b, ok := p.prog.Branches[lit]
		if !ok {
			b = whole[lit] // without a site where several ways meet
		}
		all = append(all, entry{lit, b.Site, "branch", b.Taken})
	}
	terms := func(es []entry) []smt.Term {
		out := make([]smt.Term, len(es))
		for i := range es {
			out[i] = es[i].term
		}
		return out
	}
	queries := 0
	unsat := func(es []entry) bool {
		queries++
		return p.check(terms(es), coreBudget).Answer == smt.Unsat
	}
	if !unsat(all) {
		return nil
	}
	failed := map[smt.Term]bool{}
	for _, t := range p.contradiction {
		failed[t] = true
	}
	var left []entry
	for _, e := range all {
		if failed[e.term] || c.IsFalse(e.term) {
			left = append(left, e)
		}
	}
	if len(left) == 0 {
		left = all
	}
	for i := len(left) - 1; i >= 0 && queries < maxCoreQueries; i-- {
		try := append(append([]entry(nil), left[:i]...), left[i+1:]...)
		if unsat(try) {
			left = try
		}
	}
	var out []CoreEntry
	seen := map[CoreEntry]bool{}
	for _, e := range left {
		if e.site == nil {
			return nil // the others do not contradict each other without it
		}
		// Parts of one condition are one entry.
		if x := (CoreEntry{Kind: e.kind, Pos: p.place(e.site).pos, Taken: e.yes}); !seen[x] || e.kind == "assume" {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// branchesByPart tells of which branch's condition, when that is a conjunction, a literal of a guard is a part: the first one.
func (p *plan) branchesByPart() map[smt.Term]unfold.Branch {
	c := p.c
	out := map[smt.Term]unfold.Branch{}
	for _, cond := range slices.Sorted(maps.Keys(p.prog.Branches)) {
		if c.Op(cond) != smt.OpAnd {
			continue
		}
		for _, part := range c.Conjuncts(cond) {
			if _, ok := out[part]; !ok {
				out[part] = p.prog.Branches[cond]
			}
		}
	}
	return out
}

// staticCore names the branch that keeps a block that was never executed from being
// reached: the nearest one that was executed and could lead there.
func (p *plan) staticCore(f *llvmir.Func, b *llvmir.Block) []CoreEntry {
	seen := map[int]bool{b.Index: true}
	todo := []int{b.Index}
	for len(todo) > 0 {
		x := f.Blocks[todo[0]]
		todo = todo[1:]
		for _, pr := range x.Preds {
			t := f.Blocks[pr].Term()
			if p.prog.Executed[t.ID] {
				if t.Loc == nil {
					continue
				}
				return []CoreEntry{{Kind: "branch", Pos: found.Pos{File: t.Loc.File, Line: t.Loc.Line, Column: t.Loc.Col, Function: f.SourceName},
					Taken: len(t.Succs) > 1 && t.Succs[0] == x.Index}}
			}
			if !seen[pr] {
				seen[pr] = true
				todo = append(todo, pr)
			}
		}
	}
	return nil
}
