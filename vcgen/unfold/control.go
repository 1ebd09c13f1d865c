package unfold

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// terminate follows the edges of a terminator.
func (fr *frame) terminate(v *visit, in *llvmir.Instr, k int, p *path) {
	r, c := fr.r, fr.r.c
	for _, f := range fr.fn.Nodes[v.block].Decides {
		fr.neverFails(f, p) // if the condition folded early; otherwise the failure call logs it
	}
	switch in.Op {
	case llvmir.OpRet:
		e := edge{g: p.g, p: p, from: v.block}
		if len(in.Args) > 0 {
			e.ret = fr.operand(in, in.Args[0], p)
			if clangir.NoResult(fr.fn.Func, in) {
				r.noValue.leaves(e.ret)
			}
		}
		fr.rets = append(fr.rets, e)
	case llvmir.OpUnreachable:
		if r.opts.Checks[found.Unreachable] {
			r.obligationAt(p.g.T, r.site(in, fr), found.Unreachable, c.False(), true)
		}
	case llvmir.OpBr:
		fr.follow(v, in, k, in.Succs[0], p, c.True())
	case llvmir.OpCondBr:
		cond := fr.scalar(in, in.Args[0], p)
		if in.Succs[0] == in.Succs[1] {
			fr.follow(v, in, k, in.Succs[0], p, c.True())
			return
		}
		if fr.notAssumed(v, in, k, p, cond) {
			return
		}
		fr.follow(v, in, k, in.Succs[0], p, cond)
		fr.follow(v, in, k, in.Succs[1], p, c.Not(cond))
	case llvmir.OpSwitch:
		x := fr.scalar(in, in.Args[0], p)
		// Cases are tested in order. The guard of each edge contains the negated earlier cases, so the guards collapse
		// one by one when the cases merge again.
		rest := p
		for i, k2 := range in.Cases {
			before := rest.g
			eq := c.Eq(x, r.constant(k2, nil).t)
			if rest.g = fr.followCase(v, in, k, in.Succs[i+1], rest, eq); rest.g == nil {
				for _, to := range append(in.Succs[i+2:], in.Succs[0]) {
					fr.dead(in, to, before, c.False())
				}
				return
			}
		}
		fr.follow(v, in, k, in.Succs[0], rest, c.True())
	}
}

// followCase follows one case of a switch and returns the guard of the other cases.
func (fr *frame) followCase(v *visit, in *llvmir.Instr, k, to int, p *path, eq smt.Term) *guard.Guard {
	fr.follow(v, in, k, to, p, eq)
	return p.g.Extend(fr.r.c, fr.r.c.Not(eq))
}

// follow adds the edge to block to under cond.
func (fr *frame) follow(v *visit, in *llvmir.Instr, k, to int, p *path, cond smt.Term) {
	r := fr.r
	bi := &fr.fn.Nodes[to]
	g := p.g.Extend(r.c, cond)
	if g == nil {
		if bi.Failure && len(bi.Succs) == 0 {
			fr.neverFails(to, p)
		}
		fr.dead(in, to, p.g, cond)
		return
	}
	if !r.c.IsConst(cond) {
		known := r.prog.Branches[cond]
		if n := len(known); n == 0 || known[n-1].Site.ID != in.ID {
			r.prog.Branches[cond] = append(known, Branch{r.site(in, fr), to == in.Succs[0], len(r.log.Events)})
		}
	}
	e := edge{g: g, p: &path{g, p.st.Fork()}, from: v.block}
	e.live = make([]value, len(bi.Live))
	for i, reg := range bi.Live {
		e.live[i] = fr.regs[reg]
	}
	for _, phi := range fr.fn.Blocks[to].Instrs {
		if phi.Op != llvmir.OpPhi {
			break
		}
		for i, from := range phi.In {
			if from == v.block {
				e.phis = append(e.phis, fr.operand(phi, phi.Args[i], p))
				break
			}
		}
	}
	if fr.cursors != nil {
		fr.place(v, to, &e)
		if !fr.leads(&e) {
			r.infeasible(g.T, cutPoint{fr: fr, block: to})
			fr.dead(in, to, p.g, cond)
			return
		}
	}
	if iters, back := fr.target(v, to); back != nil && fr.endsHere(back, iters[len(iters)-1]) {
		fr.backEdge(fr.heads[back], to, e)
		return
	}
	// A branch with a constant condition in the source decides nothing, whatever precedes it.
	folded := in.Op == llvmir.OpCondBr && in.Args[0].Kind != llvmir.OperandConst && fr.r.c.IsTrue(cond)
	if !fr.allowIteration(v, in, to, e, folded) {
		fr.dead(in, to, p.g, cond)
		return
	}
	if r.prog.Ways != nil {
		r.prog.Ways[Edge{in.ID, to}] = append(r.prog.Ways[Edge{in.ID, to}], Way{g.T, len(r.log.Events)})
	}
	fr.addEdge(v, to, e)
}

// dead records that an edge of a branch is not followed under a guard.
func (fr *frame) dead(in *llvmir.Instr, to int, g *guard.Guard, cond smt.Term) {
	edge := Edge{in.ID, to}
	if _, known := fr.r.prog.Dead[edge]; !known {
		fr.r.prog.Dead[edge] = Dead{g.T, cond, Branch{fr.r.site(in, fr), to == in.Succs[0], len(fr.r.log.Events)}}
	}
}

// neverFails logs an assertion or check that is reached and holds because its failure folded to false.
func (fr *frame) neverFails(block int, p *path) {
	call := fr.fn.Blocks[block].Instrs[fr.fn.Nodes[block].Stop]
	if check := clangir.SanitizerCheck(call.Function()); check != "" {
		fr.r.mem.Stats["arithmetic-settled-by-folding"]++
		fr.settled(call, check, p)
		return
	}
	if flow.IsFailure(call) && fr.r.opts.Checks[found.Assertion] {
		fr.r.obligation(p, fr.r.site(call, fr), found.Assertion, fr.r.c.True())
		fr.r.says(call)
	}
}

// settled logs a sanitizer's check that is reached and holds. All findings are listed, including the proved ones.
//
// A finding needs one reachable instance. So an instance is omitted only if its guard extends the guard of a logged
// one: each execution that reaches it has reached that one before. All others are logged, since the solver may find
// that no execution reaches the logged ones.
func (fr *frame) settled(call *llvmir.Instr, check string, p *path) {
	r := fr.r
	site := r.site(call, fr)
	if r.opts.UserFile != nil && !r.opts.UserFile(site.Pos.File) {
		return
	}
	kind, _ := clangir.KindsOf(check, call.Args[0]) // second: overflow of a signed division
	key := settledCheck{call.ID, kind}
	if kind == "" || kind == found.Unreachable || !r.opts.Checks[kind] || p.st.Limits.Use > 0 && kind.Evaluated() {
		return
	}
	logged := r.settledChecks[key]
	if logged == nil {
		logged = map[*guard.Guard]bool{}
		r.settledChecks[key] = logged
	} else if p.g.Extends(logged) {
		return
	}
	logged[p.g] = true
	r.obligation(p, site, kind, r.c.True())
}

// says attaches the failure call's own message to the last obligation.
func (r *run) says(call *llvmir.Instr) { r.log.Events[len(r.log.Events)-1].Text = clangir.Panic(call) }

// target computes the iteration vector of the visit to which an edge from v to block to leads. back is the loop whose
// next iteration the edge begins, or nil.
func (fr *frame) target(v *visit, to int) (iters []int32, back *flow.Loop) {
	src, dst := &fr.fn.Nodes[v.block], &fr.fn.Nodes[to]
	iters = make([]int32, len(dst.Loops))
	for i, l := range dst.Loops {
		if i >= len(src.Loops) || src.Loops[i] != l {
			break
		}
		iters[i] = v.iters[i]
		if l.Head == to && src.Order >= dst.Order {
			iters[i]++
			back = l
		}
	}
	return iters, back
}

func (fr *frame) addEdge(v *visit, to int, e edge) {
	iters, _ := fr.target(v, to)
	fr.addVisit(&visit{block: to, iters: iters, at: e.at, decided: e.decided}, e)
}

// addVisit adds an edge to a pending visit, or to a new one.
func (fr *frame) addVisit(x *visit, e edge) {
	for _, w := range fr.pending {
		if w.block == x.block && w.start == x.start && w.outcome == x.outcome && fr.sameVisit(w, x.iters, x.at) {
			w.in = append(w.in, e)
			for i, n := range x.iters {
				w.iters[i] = max(w.iters[i], n)
			}
			for i, n := range x.decided {
				w.decided[i] = max(w.decided[i], n)
			}
			return
		}
	}
	if x.at != nil {
		fr.places[x.block]++
	}
	x.in = []edge{e}
	fr.pending = append(fr.pending, x)
}
