package found

// Why says what kept a verdict from being better, as one of a closed list. Comments give the sentence that package
// diagnostics writes of it, and the fields of Reason that it needs.
type Why string

// Of obligations and findings.
const (
	// OtherInstanceFails: "another instance of the finding fails".
	OtherInstanceFails Why = "other-instance-fails"
	// DependsOnBody: "depends on f", a function without a body that may write what the violation needs. Name.
	DependsOnBody Why = "depends-on-body"
	// DependsOnObject: "depends on which object a pointer points into that f leaves open". Name is the function whose
	// contract, loop or missing body does; without it, a caller does: the proof of a contract has an object for each
	// __CPROVER_is_fresh, and callers may pass parts of larger ones.
	DependsOnObject Why = "depends-on-object"
	// Contradiction: "the contract of f contradicts what is known at p.c:14, where it is used": the executions that the
	// program has there are none of those that the contract describes. Name, At, and Cause where it was not decided.
	Contradiction Why = "contradiction"
	// NeedsResult: "only if strtod may return NaN", of the function Name of the C library, which has no model that gives
	// its results. Text is the value, "" if not known.
	NeedsResult Why = "needs-result"
	// NeedsAssembly: "only if the inline assembly at p.c:3 may give 7". At, Text.
	NeedsAssembly Why = "needs-assembly"
	// NeedsRounding: "depends on how the operation at p.c:3 rounds, in a mode that is not to nearest". At.
	NeedsRounding Why = "needs-rounding"
	// DependsOnPlace: "depends on p.c:3", an unknown check that would have to hold. At.
	DependsOnPlace Why = "depends-on-place"
	// BehindViolation: "behind the violation at p.c:3": no execution on which earlier checks hold gets there.
	// At, if known.
	BehindViolation Why = "behind-violation"
	// BehindUnknown: "behind p.c:3, which is unknown". At.
	BehindUnknown Why = "behind-unknown"
	// NotSupported: "inline loops at p.c:3 is not supported". Name is the construct, At the place.
	NotSupported Why = "not-supported"
	// TooLong: "the program is too long: unrolling stopped after 60000000 instructions". N.
	TooLong Why = "too-long"
	// HoldsInBounds: "holds within the bounds; f#1 was cut after 4 iterations". Name is the loop, N its bound. With a
	// Cause, the limit that kept the loop from being unrolled further: "holds up to 4 iterations of f#1, nothing known
	// beyond: timeout of 1m0s reached". The two below have a Cause, too, where a limit ended.
	HoldsInBounds Why = "holds-in-bounds"
	// BeyondBounds: "not reached within the bounds; f#1 was cut after 4 iterations". Name and N, if one loop is to blame.
	BeyondBounds Why = "beyond-bounds"
	// NoneReached: "no assertion of the proof was reached within the bounds; f#1 was cut after 4 iterations". As
	// BeyondBounds, of a proof.
	NoneReached Why = "none-reached"
	// LoopCut: "the loop was cut after 4 iterations". Name is the loop, N its bound.
	LoopCut Why = "loop-cut"
	// ReachUndecided: "whether it is reached was not decided: ...". Cause.
	ReachUndecided Why = "reach-undecided"
	// NoCode: "clang made no code of it, and why could not be found out".
	NoCode Why = "no-code"
	// EqualsAddress: "the number that becomes a pointer at FILE:LINE equals the address of an object: C does not say
	// whether it points there". At.
	EqualsAddress Why = "equals-address"
	// NotInductive: "not shown for every number of iterations: ...", since an arbitrary iteration, of which only the
	// invariant is known, violates it.
	NotInductive Why = "not-inductive"
	// NotUnrolled: "not shown by the loop's invariant, and not by unrolling the loop: ...": what was proved rests on an
	// invariant that is open, or an arbitrary iteration violates it, and the loop was not unrolled that far. Cause.
	NotUnrolled Why = "not-unrolled"
	// TooManyInstances: "a condition about all positions of a string or an array was tried at 2000 of them, ...": its
	// quantifier was instantiated as often as the engine allows, and a model still violates it elsewhere.
	TooManyInstances Why = "too-many-instances"
)

// Final reports whether a reason is the last word on a finding: unrolling loops further or asking for longer shows no
// more.
func (r Reason) Final() bool {
	return r.Why == BehindViolation || r.Why == DependsOnBody ||
		r.Why == DependsOnPlace && r.Cause != nil && r.Cause.Final()
}

// Of questions to a solver.
const (
	// StepBudget: "the budget of 400000 solver steps (--solver-steps) ended". N; 0: not known.
	StepBudget Why = "step-budget"
	// TimeLimit: "the time limit was reached: ...". Text is the solver's, if it said something.
	TimeLimit Why = "time-limit"
	// Cancelled: "the run was cancelled".
	Cancelled Why = "cancelled"
	// SolverFailed: "the solver failed: ...". Text.
	SolverFailed Why = "solver-failed"
)

// Of whole proofs.
const (
	// EndUndecided: "not decided whether any execution reaches an end: ...". Cause.
	EndUndecided Why = "end-undecided"
	// NoEnd: "no execution reaches an end of main: ...". Name is the entry, "" if not known.
	NoEnd Why = "no-end"
	// ByFinding: the finding of Kind at At decides the proof; Cause is the finding's own reason.
	ByFinding Why = "by-finding"
	// Timeout: "timeout of 1m0s reached; ...". Name is the limit, Text how far unrolling had come, "" behind it.
	Timeout Why = "timeout"
	// NoProgress: "no progress for longer than the timeout of 1m0s: ...". Name is the limit.
	NoProgress Why = "no-progress"
	// MemoryLimit: "memory limit of 2G reached; ...". Name is the limit.
	MemoryLimit Why = "memory-limit"
	// Interrupted: "interrupted".
	Interrupted Why = "interrupted"
	// NoSpace: "no space is left in the folder of temporary files, /tmp: ...". Name is the folder.
	NoSpace Why = "no-space"
)

// Of what should not happen.
const (
	// InternalError: "internal error: ...". Text.
	InternalError Why = "internal-error"
	// Stopped: the words of Text alone, an error that ended the proof.
	Stopped Why = "stopped"
)

// Reason is why a verdict is what it is, as data; the zero value is no reason. Nobody but package diagnostics makes a
// sentence of it, and nobody reads one back.
type Reason struct {
	Why  Why
	At   Pos    `json:",omitzero"`  // another place
	Kind Kind   `json:",omitempty"` // of the finding at At
	Name string `json:",omitempty"` // in the program: a function, a loop ("function#k"), a construct
	Text string `json:",omitempty"` // words that come from elsewhere: a solver's, an error's
	N    int64  `json:",omitempty"` // iterations, solver steps or bytes
	// Cause is the reason behind it.
	Cause *Reason `json:",omitempty"`
}

// None tells whether there is no reason.
func (r Reason) None() bool { return r.Why == "" }

// Behind tells whether an obligation was not examined only because an earlier one does not hold, or is not known to.
func (r Reason) Behind() bool { return r.Why == BehindViolation || r.Why == BehindUnknown }

// Lasts tells whether another run would give the same reason: neither it nor its causes speak of time, memory,
// cancelling or failures. A reason that nobody has entered here does not.
func (r Reason) Lasts() bool {
	switch r.Why {
	case "", OtherInstanceFails, DependsOnBody, DependsOnObject, Contradiction, NeedsResult, NeedsAssembly,
		NeedsRounding, DependsOnPlace, BehindViolation, BehindUnknown, NotSupported, TooLong, HoldsInBounds, BeyondBounds,
		NoneReached, LoopCut, ReachUndecided, EqualsAddress, NotInductive, NotUnrolled, StepBudget, EndUndecided, NoEnd,
		ByFinding:
		return r.Cause == nil || r.Cause.Lasts()
	}
	return false
}

// Because is the reason with a cause.
func (w Why) Because(cause Reason) Reason { return Reason{Why: w, Cause: &cause} }
