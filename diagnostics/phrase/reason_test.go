package phrase

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestReason checks the sentence of every reason.
func TestReason(t *testing.T) {
	at := found.Pos{File: "src/p.c", Line: 3}
	cause := &found.Reason{Why: found.StepBudget}
	for _, test := range []struct {
		reason found.Reason
		want   string
	}{
		{found.Reason{},
			""},
		{found.Reason{Why: found.OtherInstanceFails},
			"another instance of the finding fails"},
		{found.Reason{Why: found.DependsOnBody, Name: "f"},
			"depends on f"},
		{found.Reason{Why: found.DependsOnPlace, At: at},
			"depends on src/p.c:3"},
		{found.Reason{Why: found.BehindViolation, At: at},
			"behind the violation at src/p.c:3"},
		{found.Reason{Why: found.BehindViolation},
			"behind a violation"},
		{found.Reason{Why: found.BehindUnknown, At: at},
			"behind src/p.c:3, which is unknown"},
		{found.Reason{Why: found.NotSupported, Name: "va_arg", At: at},
			"va_arg at p.c:3 is not supported"},
		{found.Reason{Why: found.HoldsInBounds, Name: "size of the input", N: 4},
			"holds for all inputs up to 4 bytes, nothing known beyond"},
		{found.Reason{Why: found.LoopCut, Name: "size of the input", N: 1}, "inputs of more than 1 byte were left out"},
		{found.Reason{Why: found.BeyondBounds, Name: "size of the input", N: 4},
			"not reached within the bounds; inputs of more than 4 bytes were left out"},
		{found.Reason{Why: found.HoldsInBounds, Name: "f#1", N: 4},
			"holds within the bounds; f#1 was cut after 4 iterations"},
		{found.Reason{Why: found.HoldsInBounds, Name: "f#1", N: 4, Cause: &found.Reason{Why: found.Timeout, Name: "1m0s"}},
			"holds up to 4 iterations of f#1, nothing known beyond: timeout of 1m0s reached"},
		{found.Reason{Why: found.TooLong, N: 70}, "the program is too long: unrolling stopped after 70 instructions"},
		{found.NotUnrolled.Because(found.Reason{Why: found.Timeout, Name: "3s"}),
			"neither the loop's invariant nor unrolling the loop proves it: timeout of 3s reached"},
		{found.Reason{Why: found.BeyondBounds, Name: "f#1", N: 4},
			"not reached within the bounds; f#1 was cut after 4 iterations"},
		{found.Reason{Why: found.BeyondBounds},
			"not reached within the bounds"},
		{found.Reason{Why: found.NoneReached, Name: "f#1", N: 4},
			"no assertion of the proof was reached within the bounds; f#1 was cut after 4 iterations"},
		{found.Reason{Why: found.LoopCut, Name: "f#1", N: 4},
			"the loop was cut after 4 iterations"},
		{found.Reason{Why: found.ReachUndecided, Cause: cause},
			"whether it is reached was not decided: the budget of solver steps (--solver-steps) ended"},
		{found.Reason{Why: found.NoCode},
			"clang generated no code for it, for a reason that could not be determined"},
		{found.Reason{Why: found.TooManyInstances},
			"a condition about every position of a string or an array needed more instances than are tried; " +
				"a smaller bound on its length needs fewer"},
		{found.Reason{Why: found.StepBudget, N: 9},
			"the budget of 9 solver steps (--solver-steps) ended"},
		{found.Reason{Why: found.TimeLimit},
			"the time limit was reached"},
		{found.Reason{Why: found.TimeLimit, Text: "z3 said src/p.c"},
			"the time limit was reached: z3 said src/p.c"},
		{found.Reason{Why: found.Cancelled},
			"the run ended before the solver had answered"},
		{found.Reason{Why: found.SolverFailed, Text: "boom"},
			"the solver failed: boom"},
		{found.Reason{Why: found.EndUndecided, Cause: cause},
			"not decided whether any execution reaches an end: the budget of solver steps (--solver-steps) ended"},
		{found.Reason{Why: found.RestUndecided, Cause: cause},
			"not everything was checked: the budget of solver steps (--solver-steps) ended"},
		{found.Reason{Why: found.NoEnd, Name: "main"},
			"no execution reaches an end of main: its assumptions contradict each other or no path leads there"},
		{found.Reason{Why: found.NoEnd},
			"no execution reaches an end of the entry: its assumptions contradict each other or no path leads there"},
		{found.Reason{Why: found.ByFinding, Kind: found.Assertion, At: at},
			"the assertion at src/p.c:3 is never reached"},
		{found.Reason{Why: found.ByFinding, Kind: found.Assertion, At: at, Cause: cause},
			"the budget of solver steps (--solver-steps) ended (assertion at src/p.c:3)"},
		{found.Reason{Why: found.ByFinding, Kind: found.Unwinding, At: at,
			Cause: &found.Reason{Why: found.LoopCut, Name: "f#1", N: 1}},
			"loop `f#1` (src/p.c:3) was cut after 1 iteration"},
		{found.Reason{Why: found.ByFinding, Kind: found.Unwinding, At: at,
			Cause: &found.Reason{Why: found.LoopCut, Name: "f#1", N: 1,
				Cause: &found.Reason{Why: found.MemoryLimit, Name: "1G"}}},
			"loop `f#1` (src/p.c:3) was cut after 1 iteration: memory limit of 1G reached; --max-memory, in editors the " +
				"setting maxMemory, sets it"},
		{found.Reason{Why: found.ByFinding, Kind: found.Assertion, At: at,
			Cause: &found.Reason{Why: found.HoldsInBounds, Name: "f#1", N: 2}},
			"holds within the bounds; f#1 was cut after 2 iterations"},
		{found.Reason{Why: found.Timeout, Name: "1s"},
			"timeout of 1s reached; --timeout, or timeout in unitproof.toml, sets it"},
		{found.Reason{Why: found.Timeout, Name: "1s", Text: "after 7 instructions"},
			"timeout of 1s reached while the program was unrolled, after 7 instructions; " +
				"--unwind (unwind, loops) bounds the loops, " +
				"--timeout (timeout) sets the time"},
		{found.Reason{Why: found.MemoryLimit, Name: "2G"},
			"memory limit of 2G reached; --max-memory, in editors the setting maxMemory, sets it"},
		{found.Reason{Why: found.MemoryLimit, Name: "2G", Text: "after 64 instructions"},
			"memory limit of 2G reached while the program was unrolled, after 64 instructions; --max-memory, in editors the " +
				"setting maxMemory, sets it"},
		{found.Reason{Why: found.Interrupted},
			"interrupted"},
		{found.Reason{Why: found.NoSpace, Name: "/tmp"},
			"no space is left in the folder of temporary files, /tmp: free some space there, or set TMPDIR"},
		{found.Reason{Why: found.InternalError, Text: "index out of range"},
			"internal error: index out of range"},
		{found.Reason{Why: found.Stopped, Text: "the disk is on fire"},
			"the disk is on fire"},
	} {
		if got := Reason(test.reason); got != test.want {
			t.Errorf("%s:\n got  %s\n want %s", test.reason.Why, got, test.want)
		}
	}
}
