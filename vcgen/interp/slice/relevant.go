package slice

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A dynamic slice misses omissions: an assignment that a branch skipped is in no history, although the error may be in
// that branch. Therefore branches outside the slice are inverted, as in Zhang, Gupta, Gupta: Locating Faults Through
// Automated Predicate Switching (ICSE 2006). The branch, and everything that decided it, belongs to the slice if the
// run with the inverted branch reaches the violating place, and
//
//   - the place has other values, or
//   - the run takes another path through the branches of the slice, because it uses what the branch skipped.
//
// A run with another end provides no information.

// Budgets of the runs with an inverted branch: instructions, and runs.
const (
	switchSteps = 500_000
	switchRuns  = 400
	// switchShare is the fraction of the budget for a single branch of the program without results. Without it, the
	// executions of a branch in a long loop would use the whole budget.
	switchShare = 8
)

// turns reports whether the branches after in, the inverted one, have other outcomes than in the original run.
//
// Additional branches that are executed before the paths join do not count.
func turns(w *interp.Switching, in *llvmir.Instr, asIs *interp.Switching) bool {
	rest, after := asIs.Decided[min(w.Before, len(asIs.Decided)):], w.Decided[min(w.Before, len(w.Decided)):]
	if w.Sliced[in] && len(rest) > 0 {
		rest = rest[1:] // the inverted one
	}
	if len(rest) > len(after) {
		return true
	}
	return !slices.Equal(rest, after[len(after)-len(rest):])
}

// relevant returns the entries of branches outside the slice that are relevant to the violation of x.
func (h *history) relevant(ctx context.Context, x *interp.Machine, v *interp.Violation, entry string,
	again func() choice.Inputs, opts interp.Options, s *slicer) []int {
	if x.Leaked != nil || len(x.Frames) == 0 {
		return nil
	}
	fr := x.Top()
	watch := x.At
	if watch.Op == llvmir.OpCall && fr.Prev >= 0 && failureCall(watch) {
		watch = fr.Fn.Blocks[fr.Prev].Term() // the only purpose of the call is to fail
	}
	arrivals := 0
	sliced := map[*llvmir.Instr]bool{}
	for i := range h.entries {
		if h.entries[i].in == watch {
			arrivals++
		}
		if e := &h.entries[i]; s.in[i] && e.in.Op == llvmir.OpCondBr && !e.in.NoSanitize {
			sliced[e.in] = true
		}
	}
	// A failed assertion on the path does not end such a run: the original program does not take this path.
	accepted := opts.Accepted
	opts.Accepted = func(k found.Kind, frame found.Pos, innermost bool) bool {
		return k == found.Assertion || accepted != nil && accepted(k, frame, innermost)
	}
	opts.Wanted = func(k found.Kind, at []state.Site) bool { return k == v.Kind && at[len(at)-1].Loc == v.Loc }
	var out []int
	opts.MaxSteps = 2*int64(len(h.entries)) + 10_000
	asIs := &interp.Switching{At: -1, Sliced: sliced}
	opts.Switch = asIs
	steps, runs := interp.Run(ctx, x.View.Program, entry, again(), opts).Executed, 1
	spent := map[*llvmir.Instr]int64{} // on inversions without a result
	for i := len(h.entries) - 1; i >= 0 && steps < switchSteps && runs < switchRuns; i-- {
		e := &h.entries[i]
		in := e.in
		if in.Op != llvmir.OpCondBr || in.NoSanitize || in == watch || in.Args[0].Kind != llvmir.OperandReg || s.in[i] ||
			s.assumed[i] != 0 || spent[in] > switchSteps/switchShare {
			continue
		}
		opts.Switch = &interp.Switching{At: int64(i + 1), Watch: watch, Sliced: sliced}
		o := interp.Run(ctx, x.View.Program, entry, again(), opts)
		steps += o.Executed
		runs++
		found := len(out)
		if o.End == interp.EndViolation && o.Violation.Kind == v.Kind && interp.SameStack(o.Violation.Stack, v.Stack) {
			if turns(opts.Switch, in, asIs) || o.Violation.Message != v.Message ||
				!slices.Equal(o.Violation.Operands, v.Operands) {
				out = append(out, i)
			}
		} else if opts.Switch.Count >= arrivals && (o.End != interp.EndViolation ||
			!interp.SameStack(o.Violation.Stack, v.Stack)) {
			out = append(out, i)
		}
		if len(out) == found {
			spent[in] += o.Executed
		}
	}
	return out
}

// failureCall reports whether the only purpose of an instruction is to report a violation.
func failureCall(in *llvmir.Instr) bool {
	f := in.External()
	if f == nil {
		return false
	}
	role := language.Lookup(f.Name).Role
	return role == language.AssertFailure || role == language.Error || clangir.SanitizerCheck(f) != ""
}
