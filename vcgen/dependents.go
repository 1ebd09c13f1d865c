package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// dropWhatRestsOnUnknown queries proved obligations behind an unknown one again, without assuming that the unknown one
// holds. It reports whether any proof was dropped.
func (p *plan) dropWhatRestsOnUnknown() (dropped bool) {
	c := p.c
	unknown := map[int]*status{}
	first := -1
	for _, st := range p.obs {
		if !st.failed && !st.proved && st.unknown.Why != found.OtherInstanceFails {
			if unknown[st.event] = st; first < 0 {
				first = st.event
			}
		}
	}
	if first < 0 {
		return false
	}
	ch := seair.ChainOf(p.log, func(i int) bool { return unknown[i] != nil })
	var open []*status
	for _, st := range p.obs {
		if st.proved && st.event > first && !c.IsFalse(ch.Fails(p.log, st.event)) {
			open = append(open, st)
		}
	}
	depends := found.Reason{Why: found.DependsOnPlace, At: unknown[first].ins.Pos}
	var terms []smt.Term
	for _, st := range open {
		terms = append(terms, ch.Fails(p.log, st.event))
	}
	q := ask.Question{Any: terms, Budget: p.batch(), Undecided: ask.Halve, Session: &p.standing}
	credit := func(which []int, o ask.Outcome) {
		var list []*status
		for _, i := range which {
			list = append(list, open[i])
		}
		p.credit(list, o.Old)
	}
	for i, o := range p.Each(p.ctx, q, credit) {
		if o.Answer != smt.Unsat {
			dropped = true
			open[i].proved, open[i].unknown = false, depends
		}
	}
	for _, st := range p.obs {
		if unknown[st.event] == st {
			dropped = p.dropWhatIsAssumed(st) || dropped
		}
	}
	return p.dropWhatIsLost(ch, depends) || dropped
}

// dropWhatIsAssumed drops the proofs behind an unknown obligation whose violation has an effect that no execution of
// the model has. It reports whether it dropped any.
//
// Such an effect occurs if a loop or a call was replaced by a contract that need not hold there, or if an access goes
// to an object outside of the model. An execution of the program may continue there without a violation, in another
// state.
func (p *plan) dropWhatIsAssumed(st *status) (dropped bool) {
	e := &p.log.Events[st.event]
	site, open := e.Site, e.ObjectOpen && (e.AlsoKnown || p.prog.CutByContract)
	switch kind, why := st.ins.Kind, st.unknown.Why; {
	case kind == found.LoopInvariant || kind == found.Precondition:
	case kind == found.Assigns && p.prog.CutByContract: // it may be the frame of that loop
	case open && kind != found.AmbiguousPointer: // a load, too: it reads the known object, and a pointer in it is lost
	case kind.Evaluated() && (why == found.DependsOnObject || why == found.DependsOnBody) && p.mayWrite(site.ID):
	default:
		return false
	}
	depends := found.Reason{Why: found.DependsOnPlace, At: st.ins.Pos, Cause: &st.unknown}
	behind, fixed := p.prog.Behind(site), p.namedAccesses()
	for _, other := range p.obs {
		s := p.log.Events[other.event].Site
		if other.proved && s != nil && behind[s.ID] && !fixed[s.ID] {
			dropped = true
			other.proved, other.unknown = false, depends
		}
	}
	return dropped
}

// mayWrite reports whether an instruction may write memory. The result of a load behind an open check is arbitrary.
func (p *plan) mayWrite(id int) bool {
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.ID == id {
					return in.Op != llvmir.OpLoad
				}
			}
		}
	}
	return true
}

// dropWhatIsLost drops proofs behind paths that were omitted, or behind cuts that counted as unreachable, only because
// an unknown obligation is assumed to hold. Without it (ch) some execution takes such a path, which was never
// examined. It reports whether it dropped any.
func (p *plan) dropWhatIsLost(ch seair.Chain, depends found.Reason) (dropped bool) {
	c := p.c
	type way struct{ event, region int }
	var open []way
	var terms []smt.Term
	add := func(event, region int, guard smt.Term) {
		if t := c.And(ch.Held[event], guard, c.Not(p.ch.Held[event])); !c.IsFalse(t) {
			open = append(open, way{event, region})
			terms = append(terms, t)
		}
	}
	for _, x := range p.prog.Infeasible {
		add(x.Event, x.Region, x.Guard)
	}
	for _, k := range p.cuts {
		add(k, p.log.Events[k].Region, p.log.Events[k].Guard)
	}
	var fixed map[int]bool
	lost := map[int]bool{} // regions
	lose := func(w way) {
		if lost[w.region] {
			return
		}
		lost[w.region] = true
		if fixed == nil {
			fixed = p.namedAccesses()
		}
		region := p.prog.Region(w.region)
		for _, st := range p.obs {
			if s := p.log.Events[st.event].Site; st.proved && s != nil && region[s.ID] && !fixed[s.ID] {
				dropped = true
				st.proved, st.unknown = false, depends
			}
		}
	}
	q := ask.Question{Any: terms, Budget: p.batch(), Session: &p.standing}
	for i, o := range p.Each(p.ctx, q, func([]int, ask.Outcome) {}) {
		if o.Answer != smt.Unsat { // an undecided path counts as taken
			lose(open[i])
		}
	}
	return dropped
}

// namedAccesses returns the loads and stores of a whole variable by its name: they are valid in every execution.
func (p *plan) namedAccesses() map[int]bool {
	out := map[int]bool{}
	for _, f := range p.m.Funcs {
		allocas := map[int]int64{} // register to size
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				var ptr llvmir.Operand
				var size int64
				switch in.Op {
				case llvmir.OpAlloca:
					if n := in.Args; len(n) == 0 || n[0].Const != nil && n[0].Const.Int != nil && n[0].Const.Int.Sign() > 0 {
						allocas[in.Dst] = in.ElemType.Size
					}
					continue
				case llvmir.OpLoad:
					ptr, size = in.Args[0], in.Type.StoreSize
				case llvmir.OpStore:
					ptr, size = in.Args[1], in.Args[0].Type.StoreSize
				default:
					continue
				}
				room, ok := int64(0), false
				if ptr.Kind == llvmir.OperandReg {
					room, ok = allocas[ptr.Reg]
				} else if k := ptr.Const; k != nil && k.Kind == llvmir.ConstGlobal && k.Offset == 0 &&
					(in.Op == llvmir.OpLoad || !k.Global.Constant) {
					room, ok = k.Global.Type.Size, true
				}
				out[in.ID] = ok && size <= room
			}
		}
	}
	return out
}
