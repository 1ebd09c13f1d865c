package phrase

import (
	"fmt"
	"path"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// NoReason is the text for a missing reason.
const NoReason = "no reason given"

// Reason returns the sentence for a reason, without full stop; "" for none. All texts of reasons are in this file.
func Reason(r found.Reason) string {
	at := fmt.Sprintf("%s:%d", r.At.File, r.At.Line)
	cause := func() string {
		if r.Cause == nil {
			return NoReason
		}
		return Reason(*r.Cause)
	}
	switch r.Why {
	case "":
		return ""
	case found.OtherInstanceFails:
		return "another instance of the finding fails"
	case found.DependsOnBody:
		return "depends on " + r.Name
	case found.DependsOnObject:
		if r.Name != "" {
			return fmt.Sprintf("depends on the object that a pointer points into, which `%s` does not determine", r.Name)
		}
		return "depends on the objects that a caller's pointers point into, which need not be those that is_fresh makes here"
	case found.Contradiction:
		if r.Cause != nil {
			return fmt.Sprintf("could not decide whether the contract of %s contradicts the state at %s: %s", r.Name, at,
				cause())
		}
		return fmt.Sprintf("the contract of %s, used at %s, contradicts the state there", r.Name, at)
	case found.NoState:
		if r.Cause != nil {
			return fmt.Sprintf("could not decide whether the invariant of the loop at %s allows any state: %s", at, cause())
		}
		return fmt.Sprintf("the invariant of the loop at %s allows no state; a pointer that the loop assigns may be any "+
			"address, unless pointer_in_range, same_object or == gives it its object", at)
	case found.NeedsResult:
		if r.Text == "" {
			return fmt.Sprintf("depends on what `%s` returns, which is not modelled", r.Name)
		}
		return fmt.Sprintf("only if `%s` may return %s, which is not modelled", r.Name, r.Text)
	case found.NeedsAssembly:
		return fmt.Sprintf("only if the inline assembly at %s may give %s, which is not modelled", at, r.Text)
	case found.NeedsRounding:
		return "depends on how the operation at " + at + " rounds, in a mode that is not to nearest"
	case found.DependsOnPlace:
		return "depends on " + at
	case found.BehindViolation:
		if r.At.Line == 0 {
			return "behind a violation"
		}
		return "behind the violation at " + at
	case found.BehindUnknown:
		return "behind " + at + ", which is unknown"
	case found.NotSupported:
		return fmt.Sprintf("%s at %s:%d is not supported", r.Name, path.Base(r.At.File), r.At.Line)
	case found.TooLong:
		return fmt.Sprintf("the program is too long: unrolling stopped after %d instructions", r.N)
	case found.HoldsInBounds:
		if IsInput(r.Name) {
			return fmt.Sprintf("holds for all inputs up to %s, nothing known beyond%s", Count(int(r.N), "byte"), EndedBy(r))
		}
		if r.Cause != nil && r.Name != "" {
			return fmt.Sprintf("holds up to %d iterations of %s, nothing known beyond%s", r.N, r.Name, EndedBy(r))
		}
		return "holds within the bounds" + cutAfter(r)
	case found.BeyondBounds:
		return "not reached within the bounds" + cutAfter(r) + EndedBy(r)
	case found.NoneReached:
		return "no assertion of the proof was reached within the bounds" + cutAfter(r) + afterCause(r)
	case found.LoopCut:
		if IsInput(r.Name) {
			return Cut(r.Name, "", int(r.N)) + EndedBy(r)
		}
		return fmt.Sprintf("the loop was cut after %d iterations", r.N) + EndedBy(r)
	case found.ReachUndecided:
		return "whether it is reached was not decided: " + cause()
	case found.NoCode:
		return "clang generated no code for it, for a reason that could not be determined"
	case found.EqualsAddress:
		return "the number that becomes a pointer at " + at +
			" equals the address of an object: C does not say whether it points there"
	case found.NotInductive:
		return "holds as far as the loop was unrolled, but not in an arbitrary iteration of which only the loops' " +
			"invariants are known" +
			EndedBy(r)
	case found.NotUnrolled:
		return "neither the loop's invariant nor unrolling the loop proves it" + EndedBy(r)
	case found.TooManyInstances:
		return "a condition about every position of a string or an array needed more instances than are tried; " +
			"a smaller bound on its length needs fewer"
	case found.StepBudget:
		if r.N == 0 {
			return "the budget of solver steps (--solver-steps) ended"
		}
		return fmt.Sprintf("the budget of %d solver steps (--solver-steps) ended", r.N)
	case found.TimeLimit:
		return "the time limit was reached" + AfterColon(r.Text)
	case found.Cancelled:
		return "the run ended before the solver had answered"
	case found.SolverFailed:
		return "the solver failed: " + r.Text
	}
	return proofReasonText(r, at, cause)
}

// proofReasonText returns the sentence for a reason that concerns a whole proof.
func proofReasonText(r found.Reason, at string, cause func() string) string {
	switch r.Why {
	case found.EndUndecided:
		return "not decided whether any execution reaches an end: " + cause()
	case found.RestUndecided:
		return "not everything was checked: " + cause()
	case found.NoEnd:
		entry := r.Name
		if entry == "" {
			entry = "the entry"
		}
		return "no execution reaches an end of " + entry + ": its assumptions contradict each other or no path leads there"
	case found.ByFinding:
		switch {
		case r.Cause == nil:
			return fmt.Sprintf("the %s at %s is never reached", r.Kind, at)
		case r.Cause.Why == found.LoopCut && r.Cause.Name != "":
			return Cut(r.Cause.Name, " ("+at+")", int(r.Cause.N)) + EndedBy(*r.Cause) + limitSetBy(r.Cause.Cause)
		case r.Cause.Why == found.HoldsInBounds || r.Cause.Why == found.BeyondBounds || r.Cause.Why == found.LoopCut:
			return cause()
		}
		return fmt.Sprintf("%s (%s at %s)", cause(), r.Kind, at)
	case found.NoProgress:
		return "no progress for longer than the timeout of " + r.Name + ": the processes of the proof neither computed nor " +
			"waited for a processor, as if an external program hung"
	case found.Timeout:
		if r.Text != "" {
			return fmt.Sprintf("timeout of %s reached while the program was unrolled, %s; "+
				"--unwind (unwind, loops) bounds the loops, --timeout (timeout) sets the time", r.Name, r.Text)
		}
		return "timeout of " + r.Name + " reached" + limitSetBy(&r)
	case found.MemoryLimit:
		if r.Text != "" {
			return fmt.Sprintf("memory limit of %s reached while the program was unrolled, %s%s", r.Name, r.Text,
				limitSetBy(&r))
		}
		return "memory limit of " + r.Name + " reached" + limitSetBy(&r)
	case found.Interrupted:
		return "interrupted"
	case found.NoSpace:
		return "no space is left in the folder of temporary files, " + r.Name + ": free some space there, or set TMPDIR"
	case found.InternalError:
		return "internal error: " + r.Text
	case found.Stopped:
		return r.Text
	}
	return string(r.Why)
}

// EndedBy returns the limit that kept a verdict within its bounds, or "".
func EndedBy(r found.Reason) string {
	switch {
	case r.Cause == nil:
		return ""
	case r.Cause.Why == found.Timeout:
		return ": timeout of " + r.Cause.Name + " reached"
	case r.Cause.Why == found.MemoryLimit:
		return ": memory limit of " + r.Cause.Name + " reached"
	}
	return ": " + Reason(*r.Cause)
}

// afterCause is like EndedBy, with all details of the limit, for the reason of a proof.
func afterCause(r found.Reason) string {
	if r.Cause == nil {
		return ""
	}
	return ": " + Reason(*r.Cause)
}

// limitSetBy names the flag and the key that set a limit.
func limitSetBy(limit *found.Reason) string {
	switch {
	case limit == nil:
		return ""
	case limit.Why == found.Timeout:
		return "; --timeout, or timeout in unitproof.toml, sets it"
	case limit.Why == found.MemoryLimit:
		return "; --max-memory, in editors the setting maxMemory, sets it"
	}
	return ""
}

func cutAfter(r found.Reason) string {
	if r.Name == "" {
		return ""
	}
	if IsInput(r.Name) {
		return "; " + Cut(r.Name, "", int(r.N))
	}
	return fmt.Sprintf("; %s was cut after %d iterations", r.Name, r.N)
}

// IsInput reports whether the name of a cut loop stands for the inputs of a fuzz target.
func IsInput(loop string) bool { return loop == language.InputSize }

// IsLoop reports whether the name of a cut loop is that of a loop, and not of a recursive function or of inputs.
func IsLoop(loop string) bool { return strings.Contains(loop, "#") }

// Cut describes the bound of a loop ("function#k"), of a recursion ("function") or of the inputs of a fuzz target.
func Cut(loop, at string, bound int) string {
	if IsInput(loop) {
		return "inputs of more than " + Count(bound, "byte") + " were left out"
	}
	if IsLoop(loop) {
		text := "loop " + Quote(loop) + at + " was cut"
		if bound > 0 {
			text += " after " + Count(bound, "iteration")
		}
		return text
	}
	text := "the recursion of " + Quote(loop) + at + " was cut"
	if bound > 0 {
		text += fmt.Sprintf(" at depth %d", bound)
	}
	return text
}
