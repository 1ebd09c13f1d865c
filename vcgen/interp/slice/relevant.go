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

// A dynamic slice misses what did not happen: an assignment that a branch skipped is in no
// history, though the mistake may be in that branch. So branches outside the slice are tried the
// other way, as in Zhang, Gupta, Gupta: Locating Faults Through Automated Predicate Switching
// (ICSE 2006): where the execution then gets to the violating place and meets other values
// there, or on another way through the branches of the slice (it would have used what the branch
// skipped), the branch, and what it was decided by, belongs to the slice. A run that gets to some
// other end tells nothing.

// Budgets of the runs with a branch switched: instructions, and runs.
const (
	switchSteps = 500_000
	switchRuns  = 400
	// switchShare is the part of the budget that one branch of the program gets while it changes nothing, each time it was
	// executed: in a long loop it would be all of it.
	switchShare = 8
)

// turns tells whether the branches behind in, the one that was switched, go another way than in a run as it is.
// What the other way executes in addition, before it comes back, does not count.
func turns(w *interp.Switching, in *llvmir.Instr, asIs *interp.Switching) bool {
	rest, after := asIs.Decided[min(w.Before, len(asIs.Decided)):], w.Decided[min(w.Before, len(w.Decided)):]
	if w.Sliced[in] && len(rest) > 0 {
		rest = rest[1:] // the switched one itself
	}
	if len(rest) > len(after) {
		return true
	}
	return !slices.Equal(rest, after[len(after)-len(rest):])
}

// relevant returns the entries of branches outside the slice that matter to the violation of x.
func (h *history) relevant(ctx context.Context, x *interp.Machine, v *interp.Violation, entry string,
	again func() choice.Inputs, opts interp.Options, s *slicer) []int {
	if x.Leaked != nil || len(x.Frames) == 0 {
		return nil
	}
	fr := x.Top()
	watch := x.At
	if watch.Op == llvmir.OpCall && fr.Prev >= 0 && failureCall(watch) {
		watch = fr.Fn.Blocks[fr.Prev].Term() // the call is there only to fail
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
	// A failed assertion on the way does not end such a run: it is no part of what the program does.
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
	spent := map[*llvmir.Instr]int64{} // without a result
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

// failureCall reports whether an instruction is executed only to report a violation.
func failureCall(in *llvmir.Instr) bool {
	f := in.External()
	if f == nil {
		return false
	}
	role := language.Lookup(f.Name).Role
	return role == language.AssertFailure || role == language.Error || clangir.SanitizerCheck(f) != ""
}
