package unfold

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// comparePointers executes icmp on pointers.
func (fr *frame) comparePointers(in *llvmir.Instr, p *path) smt.Term {
	r, c := fr.r, fr.r.c
	x, y := fr.scalar(in, in.Args[0], p), fr.scalar(in, in.Args[1], p)
	r.compared(x, y, p.g.T)
	equal := func() smt.Term {
		eq := r.mem.Equal(p.st, x, y)
		if in.Dispatch {
			return eq
		}
		return c.Or(eq, r.sameLabel(x, y))
	}
	switch in.Pred {
	case llvmir.PredEQ:
		return equal()
	case llvmir.PredNE:
		return c.Not(equal())
	}
	if r.opts.Checks[found.AmbiguousPointer] {
		r.obligationAbout(p, r.site(in, fr), found.AmbiguousPointer, r.oneObject(x, y), x, y)
	}
	switch in.Pred {
	case llvmir.PredULT, llvmir.PredSLT:
		return r.mem.Less(x, y, false)
	case llvmir.PredULE, llvmir.PredSLE:
		return r.mem.Less(x, y, true)
	case llvmir.PredUGT, llvmir.PredSGT:
		return r.mem.Less(y, x, false)
	default:
		return r.mem.Less(y, x, true)
	}
}

// sameLabel returns the condition that a compiler gave the same address to two different labels of a function, at
// which x and y point. A compiler may do so if no code, or equal code, follows them.
func (r *run) sameLabel(x, y smt.Term) smt.Term {
	c := r.c
	same := c.False()
	if len(r.labels) < 2 || x == y {
		return same
	}
	for _, a := range r.mem.Candidates(x, mem.AsNoObject) {
		for _, b := range r.mem.Candidates(y, mem.AsNoObject) {
			if of := r.labels[a.Obj]; of != nil && a.Obj != b.Obj && r.labels[b.Obj] != nil &&
				of.LabelOf == r.labels[b.Obj].LabelOf {
				same = c.Or(same, c.And(a.Cond, b.Cond, r.elsewhere("label", of.SourceName)))
			}
		}
	}
	return same
}

// oneObject returns the condition that two pointers belong to one object, as their comparison and difference require.
func (r *run) oneObject(x, y smt.Term) smt.Term {
	distinct, unknown := r.mem.Distinct(x, y)
	fine := r.c.Not(distinct)
	if r.c.IsFalse(unknown) {
		return fine
	}
	return r.c.And(fine, r.c.Not(r.c.And(unknown, r.elsewhere("order", r.leftOpenBy(x)))))
}

// pointerDifference executes the subtraction that clang emits for p - q.
func (fr *frame) pointerDifference(in *llvmir.Instr, p *path) (smt.Term, bool) {
	r := fr.r
	if !r.m.Of(in).PointerDifference {
		return 0, false
	}
	x, y := fr.scalar(in, in.Args[0], p), fr.scalar(in, in.Args[1], p)
	if r.opts.Checks[found.AmbiguousPointer] {
		r.obligationAbout(p, r.site(in, fr), found.AmbiguousPointer, r.oneObject(x, y), x, y)
	}
	return r.mem.Sub(x, y), true
}
