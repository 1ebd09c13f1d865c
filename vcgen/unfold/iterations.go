package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// allowRecursion bounds the depth of a recursion: the contract's --unwind.
func (r *run) allowRecursion(fr *frame, p *path) bool {
	bound := r.opts.Unwind
	if b, ok := r.opts.Loops[fr.fn.SourceName]; ok {
		bound = b
	}
	cut := false
	outer := fr.caller
	for outer.fn != fr.fn {
		outer = outer.caller
	}
	switch {
	case bound > 0:
		cut = fr.depth > bound
	default:
		if outer.entered.T == p.g.T {
			cut = r.prog.Instructions > maxConstantInstructions || fr.fn.RecursesOnly && fr.depth > r.maxUnwind()
			bound = fr.depth - 1
			break
		}
		if (r.opts.Depth == 0 || r.opts.Depth > shallow) && !r.feasible(p.g.T) {
			r.infeasible(p.g.T, cutPoint{fr: fr})
			return false
		}
		bound = r.maxUnwind()
		cut = fr.depth > bound
	}
	if d := r.opts.Depth; d > 0 && fr.depth > d && outer.entered.T != p.g.T {
		cut, bound = true, d
	}
	if cut {
		r.event(seair.Event{Kind: seair.Cut, Guard: p.g.T, Site: fr.site, Loop: fr.fn.SourceName, Bound: bound,
			Region: len(r.prog.cuts)})
		r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr})
		return false
	}
	return true
}

// allowIteration decides whether the unfolding follows an edge that runs the body of a
// loop once more: an explicit bound, or as long as conditions are constant, or as long as
// the next iteration is feasible.
func (fr *frame) allowIteration(v *visit, in *llvmir.Instr, to int, e edge, constant bool) bool {
	r := fr.r
	iters, back := fr.target(v, to)
	dst := &fr.fn.Nodes[to]
	var l *flow.Loop
	var run int32 // how many times the body ran already
	switch {
	case back != nil && back.Body < 0:
		l, run = back, iters[len(iters)-1]
	default:
		for i, x := range dst.Loops {
			if x.Body == to {
				l, run = x, iters[i]
			}
		}
	}
	if l == nil {
		return true
	}
	bound := r.opts.Unwind
	if b, ok := r.opts.Loops[l.Name]; ok {
		bound = b
	}
	if fr.symbolic == nil {
		fr.symbolic = map[*flow.Loop]int{}
	}
	if run <= 1 && (back != nil && run == 1 || back == nil && run == 0) {
		fr.symbolic[l] = 0
	}
	cut := false
	if bound > 0 && (r.opts.Depth == 0 || int(run) >= bound) {
		cut = int(run) >= bound
	} else if run > 0 {
		// Below a bound of the user's, and where few iterations follow anyway, nothing is asked.
		asked := bound > 0 || r.opts.Depth > 0 && r.opts.Depth <= shallow
		// The condition is constant when it folded, or when nothing at all was decided
		// since the loop was entered.
		if constant || fr.iterationGuard(l, e.g) {
			cut = r.prog.Instructions > maxConstantInstructions || fr.long(l, run, true) ||
				r.opts.Every && int(run) >= r.opts.Depth
			bound = int(run)
		} else {
			n := 0
			if e.at != nil {
				i := slices.Index(dst.Loops, l)
				e.decided[i]++
				n = int(e.decided[i])
			} else {
				n = fr.symbolic[l] + 1
			}
			// A walk comes to an end where its data does; that is seen without asking.
			bound = r.symbolicLimit()
			if !asked && (e.at == nil || n >= 8 && n&(n-1) == 0 || n > bound) && !r.feasible(e.g.T) {
				r.infeasible(e.g.T, cutPoint{fr: fr, block: to})
				return false
			}
			if e.at == nil {
				fr.symbolic[l]++
			}
			cut = n > bound || fr.long(l, run, false)
			if r.opts.Depth > 0 { // constant ones may stand before them
				bound = int(run)
			}
		}
	}
	if !cut {
		fr.ran(l, run+1)
		return true
	}
	at := in
	if l.At != nil {
		at = l.At
	}
	r.event(seair.Event{Kind: seair.Cut, Guard: e.g.T, Site: r.site(at, fr), Loop: l.Name, Bound: bound,
		Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr, block: to})
	return false
}

// iterationGuard reports whether g adds no condition that was met inside the loop: it is
// the guard with which the loop was entered.
func (fr *frame) iterationGuard(l *flow.Loop, g *guard.Guard) bool {
	start := fr.loopEntry(l)
	return start != nil && start.T == g.T
}

// loopEntry is the guard at the end of the last block before the loop that dominates it.
func (fr *frame) loopEntry(l *flow.Loop) *guard.Guard {
	d := fr.fn.Nodes[l.Head].Idom
	if d < 0 {
		return fr.entered
	}
	return fr.ends[d]
}

func (r *run) infeasible(g smt.Term, at cutPoint) {
	r.prog.Infeasible = append(r.prog.Infeasible, Infeasible{Guard: g, Event: len(r.log.Events), Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, at)
}

func (r *run) feasible(g smt.Term) bool {
	r.quantifiers.Instantiate()
	if r.c.IsFalse(r.c.And(r.alive, g)) {
		return false
	}
	// A run that remembers the answer does not make the terms of the question.
	defer r.c.SeeFunctions(r.c.SeeFunctions(false))
	return r.oracle.Feasible(r.ctx, r.alive, g)
}

// symbolicLimit is how many iterations whose condition is not constant may follow the first one of a loop.
func (r *run) symbolicLimit() int {
	if d := r.opts.Depth; d > 0 {
		return min(d-1, r.maxUnwind())
	}
	return r.maxUnwind()
}

// maxUnwind is where automatic unwinding ends.
func (r *run) maxUnwind() int {
	if r.opts.MaxUnwind > 0 {
		return r.opts.MaxUnwind
	}
	return DefaultMaxUnwind
}
