package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// settleCuts determines the cuts and unsupported constructs that some execution reaches, and marks the obligations to
// which they can lead.
func (p *plan) settleCuts() {
	c := p.c
	hit := map[int]bool{}
	spent := map[int]*int64{} // cost of the queries about each cut
	var terms []smt.Term
	for _, k := range p.cuts {
		spent[k] = new(int64)
		terms = append(terms, c.And(p.ch.Held[k], p.log.Events[k].Guard))
	}
	q := ask.Question{Any: terms, Budget: p.batch(), Session: &p.standing}
	charge := func(which []int, _ ask.Outcome) {
		costs := make([]*int64, len(which))
		for n, i := range which {
			costs[n] = spent[p.cuts[i]]
		}
		p.charge(costs...)
	}
	for i, o := range p.Each(p.ctx, q, charge) {
		// An undecided cut counts as reached.
		if o.Answer != smt.Unsat {
			hit[p.cuts[i]] = true
		}
		p.endReach = p.endReach || o.Answer == smt.Sat
	}
	type cutKey struct {
		loop string
		pos  found.Pos
	}
	seen := map[cutKey]int{}
	for _, k := range p.cuts {
		if !hit[k] {
			continue
		}
		p.reached = append(p.reached, k)
		ev := &p.log.Events[k]
		ins := p.instance(ev)
		unsupported := found.Reason{Why: found.NotSupported, Name: ev.Text, At: ins.Pos}
		if ev.Bound > 0 {
			unsupported = found.Reason{Why: found.TooLong, N: int64(ev.Bound)}
		}
		region := p.prog.Region(ev.Region)
		for _, st := range p.obs {
			id := 0
			if s := p.log.Events[st.event].Site; s != nil {
				id = s.ID
			}
			// A leak is decided at the end, to which every cut may lead.
			if !region[id] && st.ins.Kind != found.MemoryLeak {
				continue
			}
			if ev.Kind == seair.Unsupported {
				if !st.failed {
					st.unknown = unsupported
					st.proved = false
				}
			} else if st.cut == "" || st.cut == language.InputSize { // "holds for all inputs up to 8 bytes" has no exception
				st.cut, st.bound = ev.Loop, ev.Bound
			}
		}
		if ev.Kind == seair.Unsupported {
			p.reason = unsupported
			continue
		}
		if !p.opts.Checks[found.Unwinding] {
			// The finding is not requested, but the unexplored part is not proved.
			if p.bounded.None() || p.bounded.Cause.Name == language.InputSize {
				cause := found.Reason{Why: found.LoopCut, Name: ev.Loop, N: int64(ev.Bound)}
				p.bounded = found.Reason{Why: found.ByFinding, Kind: found.Unwinding, At: ins.Pos, Cause: &cause}
			}
			continue
		}
		key := cutKey{ev.Loop, ins.Pos}
		if i, dup := seen[key]; dup {
			p.extra[i].Bound = max(p.extra[i].Bound, ev.Bound)
			p.extra[i].Reason.N = int64(p.extra[i].Bound)
			p.extra[i].Cost += *spent[k]
			continue
		}
		seen[key] = len(p.extra)
		ins.Kind, ins.Verdict = found.Unwinding, found.Bounded
		ins.Loop, ins.Bound, ins.Cost = ev.Loop, ev.Bound, *spent[k]
		ins.Reason = found.Reason{Why: found.LoopCut, Name: ev.Loop, N: int64(ev.Bound)}
		p.extra = append(p.extra, ins)
	}
}
