package unfold

import (
	"github.com/unitproof/unitproof/vcgen/flow"
)

// Numbers of iterations beyond which a loop is long, that is, worth cutting: with a constant condition, outside and
// inside of a cut loop; and with any other condition or without an exit, if they made few terms, if they made
// heavyTerms, and if loops in them were cut. With any condition, longHeavy is the number of iterations with scans
// (scan.go): each of them stands for a loop, and the positions of several with writes in between are hard for a solver.
const (
	longConstant = 260
	longInside   = 40
	longSymbolic = 20
	longHeavy    = 3
	longAround   = 4
	heavyTerms   = 40_000
)

// progress counts what an unfolding has made so far.
type progress struct{ terms, heads, scans int }

func (r *run) progress() progress {
	m := progress{terms: r.c.NumTerms(), scans: r.scans}
	if x := r.opts.Induction; x != nil {
		m.heads = len(x.Heads)
	}
	return m
}

// Numbers of recursive calls in one from outside beyond which a recursion is worth cutting, even if it is not deep. If
// loops are cut, so is the recursion after longAround calls: each call may have loops, and calls branch.
const (
	longCalls         = 40
	longConstantCalls = 4_000
)

// Numbers of heads of one loop, and of all, beyond which the loop around it is cut instead of unrolled.
const (
	manyHeadsOfLoop = 3
	manyHeads       = 12
)

// cutAround records that the innermost loop around l is cut from the next run on.
func (fr *frame) cutAround(l *flow.Loop) {
	x := fr.r.opts.Induction
	for block := l.Head; fr != nil; block, fr = fr.callBlock, fr.caller {
		loops := fr.fn.Nodes[block].Loops
		for k := len(loops) - 1; k >= 0; k-- {
			if outer := loops[k]; outer != l && !x.Cut[outer.Name] && fr.fn.EntersAtHead(outer) {
				x.Cut[outer.Name], x.Changed, x.repeat = true, true, true
				return
			}
		}
	}
}

// withinCut reports whether a loop is executed in an iteration of another loop that is cut.
func (fr *frame) withinCut(l *flow.Loop) bool {
	for block := l.Head; fr != nil; block, fr = fr.callBlock, fr.caller {
		for _, outer := range fr.fn.Nodes[block].Loops {
			if outer != l && fr.heads[outer] != nil {
				return true
			}
		}
	}
	return false
}

// cutsLoop reports whether a loop is cut at its head. A loop with another entry cannot be cut.
func (fr *frame) cutsLoop(l *flow.Loop) bool {
	x := fr.r.opts.Induction
	return x != nil && x.cutting[l.Name] && fr.fn.EntersAtHead(l)
}

// maxArrivalsBefore bounds the arrivals at a head before the loop is cut. A loop with a contract is cut at the second
// or third one: its frame begins at the first, and it may check its contract in an iteration of its own.
const maxArrivalsBefore = 2

// cutsHere reports whether a loop is cut at an arrival at its head, which is counted from 0.
func (fr *frame) cutsHere(l *flow.Loop, arrival int32) bool {
	return fr.cutsLoop(l) && int(arrival) == fr.r.opts.Induction.arrivals[l.Name]
}

// endsHere reports whether an arrival at the head of a loop ends a path, because the loop is cut at an earlier one.
func (fr *frame) endsHere(l *flow.Loop, arrival int32) bool {
	return fr.cutsLoop(l) && int(arrival) > fr.r.opts.Induction.arrivals[l.Name]
}

// long records a loop with many iterations. It reports whether the loop is cut at its head from the next run on.
func (fr *frame) long(l *flow.Loop, iterations int32, constant bool) bool {
	x := fr.r.opts.Induction
	limit := int32(longConstant)
	switch {
	case fr.fn.Endless(l): // no number of iterations is enough
		limit = longSymbolic
	case x != nil && fr.withinCut(l):
		limit = longInside
	}
	symbolic := longSymbolic
	now, begin := fr.r.progress(), fr.begun[l]
	if x != nil && now.terms-begin.terms > heavyTerms {
		symbolic = longHeavy
	} else if x != nil && now.heads > begin.heads {
		symbolic = longAround
	}
	if now.scans-begin.scans > longHeavy {
		limit, symbolic = longHeavy, longHeavy
	}
	if constant && iterations <= limit || !constant && fr.symbolic[l] <= symbolic {
		return false
	}
	fr.r.prog.Long = true
	fr.r.prog.Endless = fr.r.prog.Endless || fr.fn.Endless(l)
	if x == nil || x.Cut[l.Name] || !fr.fn.EntersAtHead(l) {
		return false
	}
	x.Cut[l.Name], x.Changed, x.repeat = true, true, true
	return true
}

// longRecursion records a recursion that is deep, or has made many terms; constant: its depth is so far. It reports
// whether the recursion is cut from the next run on.
func (fr *frame) longRecursion(cut, constant bool) bool {
	r, x := fr.r, fr.r.opts.Induction
	if !fr.mayCutRecursion() {
		return false
	}
	first := fr
	for c := fr.caller; c != nil; c = c.caller {
		if c.fn == fr.fn {
			first = c
		}
	}
	between := map[*flow.Function]bool{}
	for c := fr; c != first; c = c.caller {
		between[c.fn] = true
	}
	for c := first.caller; c != nil; c = c.caller {
		if between[c.fn] { // functions that call each other are cut at the one that was called first
			return false
		}
	}
	r.prog.Open = r.prog.Open || !constant
	first.recursions++
	depth, calls := longSymbolic, longCalls
	switch {
	case constant:
		depth, calls = longConstant, longConstantCalls
	case x != nil:
		depth, calls = longAround, longAround
	}
	if !cut && fr.depth <= depth && first.recursions <= calls {
		return false
	}
	r.prog.Long = true
	if x == nil || x.Cut[fr.fn.SourceName] {
		return false
	}
	x.Cut[fr.fn.SourceName], x.Changed, x.repeat = true, true, true
	return true
}
