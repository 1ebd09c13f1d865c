package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
)

// allowRecursion reports whether the unfolding follows a recursive call: Options.Unwind bounds its depth.
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
	if fr.longRecursion(cut, outer.entered.T == p.g.T) {
		return false
	}
	if cut {
		r.event(seair.Event{Kind: seair.Cut, Guard: p.g.T, Site: fr.site, Loop: fr.fn.SourceName, Bound: bound,
			Region: len(r.prog.cuts)})
		r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr})
		return false
	}
	return true
}

// leadsInto reports whether executions reach a call that is not recursive; true if undecided. Only rounds with one size
// of the input ask: most code of a parser is dead for a short input, which no folding shows.
func (r *run) leadsInto(fr *frame, p *path) bool {
	if r.opts.Input == nil || fr.caller == nil || fr.caller.entered.T == p.g.T || r.asked[p.g.T] ||
		len(fr.fn.Nodes) == 1 {
		return true
	}
	r.asked[p.g.T] = true
	if r.feasible(p.g.T) {
		return true
	}
	r.infeasible(p.g.T, cutPoint{fr: fr})
	return false
}

// allowIteration reports whether the unfolding follows an edge that begins another iteration of a loop. It does so up
// to an explicit bound; without one, as long as the condition is constant or the next iteration is feasible.
func (fr *frame) allowIteration(v *visit, in *llvmir.Instr, to int, e edge, constant bool) bool {
	r := fr.r
	iters, back := fr.target(v, to)
	dst := &fr.fn.Nodes[to]
	var l *flow.Loop
	var run int32 // number of executions of the body so far
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
		fr.symbolic, fr.begun = map[*flow.Loop]int{}, map[*flow.Loop]progress{}
	}
	if run <= 1 && (back != nil && run == 1 || back == nil && run == 0) {
		fr.symbolic[l], fr.begun[l] = 0, r.progress()
	}
	cut := false
	if bound > 0 && (r.opts.Depth == 0 || int(run) >= bound) {
		cut = int(run) >= bound
	} else if run > 0 {
		// The oracle is not asked below a bound of the user's, or if few iterations are left anyway.
		asked := bound > 0 || r.opts.Depth > 0 && r.opts.Depth <= shallow
		// The condition is constant if it folded, or if no branch at all was decided since the loop was entered.
		if plain := fr.iterationGuard(l, e.g); constant || plain {
			// It may be left elsewhere, by a break. What it walks through has an end, which folding need not see.
			breaks := !plain && run >= longInside
			if breaks && run&(run-1) == 0 && !r.feasible(e.g.T) {
				r.infeasible(e.g.T, cutPoint{fr: fr, block: to})
				return false
			}
			endless := fr.fn.Endless(l) // its unrolling has no end, however constant its condition is
			cut = r.prog.Instructions > maxConstantInstructions || fr.long(l, run, true) || endless && run >= longConstant ||
				(r.opts.Every || breaks || endless) && r.opts.Depth > 0 && int(run) >= r.opts.Depth
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
			// A walk ends with its data, which is visible without the oracle.
			bound = r.symbolicLimit()
			if !asked && (e.at == nil || n >= 8 && n&(n-1) == 0 || n > bound) && !r.feasible(e.g.T) {
				r.infeasible(e.g.T, cutPoint{fr: fr, block: to})
				return false
			}
			if e.at == nil {
				fr.symbolic[l]++
			}
			r.prog.Open = r.prog.Open || fr.fn.EntersAtHead(l)
			cut = n > bound || fr.long(l, run, false)
			if r.opts.Depth > 0 { // constant iterations may precede them
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

// iterationGuard reports whether g adds no condition from inside the loop, that is, equals the guard on entry to the
// loop.
func (fr *frame) iterationGuard(l *flow.Loop, g *guard.Guard) bool {
	start := fr.loopEntry(l)
	return start != nil && start.T == g.T
}

// loopEntry returns the guard at the end of the last block before the loop that dominates it.
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
	// A run that finds the answer in a cache does not build the terms of the query.
	defer r.c.SeeFunctions(r.c.SeeFunctions(false))
	return r.oracle.Feasible(r.ctx, r.alive, g)
}

// symbolicLimit returns how many iterations with a symbolic condition may follow the first iteration of a loop.
func (r *run) symbolicLimit() int {
	if d := r.opts.Depth; d > 0 {
		return min(d-1, r.maxUnwind())
	}
	return r.maxUnwind()
}

// maxUnwind returns the bound of automatic unwinding.
func (r *run) maxUnwind() int {
	if r.opts.MaxUnwind > 0 {
		return r.opts.MaxUnwind
	}
	return DefaultMaxUnwind
}
