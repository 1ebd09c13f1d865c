package vcgen

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
)

// loops describes the executions of the user's loops, sorted by position.
func (e *engine) loops() []found.Loop {
	var out []found.Loop
	for _, x := range e.prog.Loops {
		if !e.user(x.Site.Pos.File) || x.Site.Pos.Line == 0 {
			continue
		}
		l := found.Loop{Name: x.Name, Method: found.Unrolled, Iterations: x.Iterations, At: x.Site.Pos,
			NoExit: x.NoExit}
		for _, text := range x.Written {
			l.Invariants = append(l.Invariants, found.Invariant{Text: text, Origin: found.Written})
		}
		if x.Cut {
			l.Method, l.Iterations, l.MayNotEnd = found.ByContract, 0, !e.ends(x.Name)
		}
		if l.Iterations > 0 || x.Cut {
			out = append(out, l)
		}
	}
	sortLoops(out)
	return out
}

// ends reports whether the loops of a name are known to end if the program is proved; see flow.LoopEnds.
func (e *engine) ends(name string) bool {
	checked := func(kinds ...found.Kind) bool {
		return len(e.opts.Accept) == 0 && !slices.ContainsFunc(kinds, func(k found.Kind) bool { return !e.opts.Checks[k] })
	}
	return flow.LoopEnds(e.m, name, flow.Checked{
		SignedOverflow: checked(found.SignedOverflow),
		Memory: checked(found.NullDereference, found.InvalidPointer, found.UseAfterFree, found.UseAfterScope,
			found.ArrayBounds, found.OutOfBoundsRead, found.OutOfBoundsWrite),
	})
}

func sortLoops(list []found.Loop) {
	slices.SortFunc(list, func(a, b found.Loop) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line),
			cmp.Compare(a.At.Column, b.At.Column), cmp.Compare(a.Name, b.Name))
	})
}

// loops returns the loops of a program that was cut at them, with the invariants.
func (x *inducted) loops() []found.Loop {
	if x.told != nil {
		return x.told
	}
	defer x.finder.Close()
	written := map[string][]found.Invariant{}
	out := slices.DeleteFunc(x.engine.loops(), func(l found.Loop) bool {
		written[l.Name] = append(written[l.Name], l.Invariants...)
		return x.finder.Cuts(l.Name)
	})
	done := map[string]bool{}
	for _, h := range x.extent.induction.Heads {
		at := h.Pos()
		if done[h.Loop] || !x.user(at.File) || at.Line == 0 {
			continue
		}
		done[h.Loop] = true
		l := found.Loop{Name: h.Loop, Method: found.Induction, At: at, Before: h.Before, NoExit: h.Endless(),
			MayNotEnd: !x.ends(h.Loop) && !x.finder.Ends(x.ctx, h.Loop)}
		var others []found.Invariant
		others, l.Unwritten = x.finder.Invariants(x.ctx, h.Loop)
		l.Invariants = slices.Concat(written[h.Loop], slices.DeleteFunc(others, func(o found.Invariant) bool {
			return slices.ContainsFunc(written[h.Loop], func(w found.Invariant) bool { return w.Text == o.Text })
		}))
		out = append(out, l)
	}
	sortLoops(out)
	x.told = out
	return out
}

// joinLoops returns the loops of the first run, and the ones that only the second run executed.
func joinLoops(first, second []found.Loop) []found.Loop {
	out := slices.Clone(first)
	for _, l := range second {
		if !slices.ContainsFunc(out, func(o found.Loop) bool { return o.Name == l.Name && o.At == l.At }) {
			out = append(out, l)
		}
	}
	sortLoops(out)
	return out
}
