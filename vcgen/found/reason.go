package found

// Why is the reason for a verdict that is not better, from a closed list.
//
// The comments give the sentence that package diagnostics writes for it, and the fields of Reason that it needs.
type Why string

// Reasons for obligations and findings.
const (
	// OtherInstanceFails: "another instance of the finding fails".
	OtherInstanceFails Why = "other-instance-fails"
	// DependsOnBody: "depends on f", a function without a body that may write memory on which the violation depends.
	// Name.
	DependsOnBody Why = "depends-on-body"
	// DependsOnObject: "depends on the object that a pointer points into, which f does not determine". Name is the
	// function whose contract, loop or missing body leaves it open. Without a name it is a caller: the proof of a
	// contract creates one object per __CPROVER_is_fresh, and callers may pass parts of larger objects.
	DependsOnObject Why = "depends-on-object"
	// Contradiction: "the contract of f contradicts what is known at p.c:14, where it is used": the contract excludes
	// all executions of the program at this place. Name, At, and Cause if that was not decided.
	Contradiction Why = "contradiction"
	// NoState: "the invariant of the loop at p.c:14 allows no state". At, and Cause if that was not decided.
	NoState Why = "no-state"
	// NeedsResult: "only if strtod may return NaN". Name is the function of the C library, whose model does not
	// compute its results. Text is the value, "" if unknown.
	NeedsResult Why = "needs-result"
	// NeedsAssembly: "only if the inline assembly at p.c:3 may give 7". At, Text.
	NeedsAssembly Why = "needs-assembly"
	// NeedsRounding: "depends on how the operation at p.c:3 rounds, in a mode that is not to nearest". At.
	NeedsRounding Why = "needs-rounding"
	// DependsOnPlace: "depends on p.c:3", a check with verdict unknown. At.
	DependsOnPlace Why = "depends-on-place"
	// BehindViolation: "behind the violation at p.c:3": no execution that passes the earlier checks reaches it. At,
	// if known.
	BehindViolation Why = "behind-violation"
	// BehindUnknown: "behind p.c:3, which is unknown". At.
	BehindUnknown Why = "behind-unknown"
	// NotSupported: "inline loops at p.c:3 is not supported". Name is the construct, At the place.
	NotSupported Why = "not-supported"
	// TooLong: "the program is too long: unrolling stopped after 60000000 instructions". N.
	TooLong Why = "too-long"
	// HoldsInBounds: "holds within the bounds; f#1 was cut after 4 iterations". Name is the loop, N its bound. A
	// Cause is the limit that stopped unrolling: "holds up to 4 iterations of f#1, nothing known beyond: timeout of
	// 1m0s reached". The next two reasons may also have a Cause.
	HoldsInBounds Why = "holds-in-bounds"
	// BeyondBounds: "not reached within the bounds; f#1 was cut after 4 iterations". Name and N, if a single loop is
	// the cause.
	BeyondBounds Why = "beyond-bounds"
	// NoneReached: "no assertion of the proof was reached within the bounds; f#1 was cut after 4 iterations". Like
	// BeyondBounds, for a proof.
	NoneReached Why = "none-reached"
	// LoopCut: "the loop was cut after 4 iterations". Name is the loop, N its bound.
	LoopCut Why = "loop-cut"
	// ReachUndecided: "whether it is reached was not decided: ...". Cause.
	ReachUndecided Why = "reach-undecided"
	// NoCode: "clang generated no code for it, for a reason that could not be determined".
	NoCode Why = "no-code"
	// EqualsAddress: "the number that becomes a pointer at FILE:LINE equals the address of an object: C does not say
	// whether it points there". At.
	EqualsAddress Why = "equals-address"
	// NotInductive: "not shown for every number of iterations: ...": an arbitrary iteration that satisfies the
	// invariant violates it.
	NotInductive Why = "not-inductive"
	// NotUnrolled: "neither the loop's invariant nor unrolling the loop proves it: ...": its proof rests on an
	// invariant that is not proved, or an arbitrary iteration violates it, and unrolling stopped earlier. Cause.
	NotUnrolled Why = "not-unrolled"
	// TooManyInstances: "a condition about all positions of a string or an array was tried at 2000 of them, ...": its
	// quantifier was instantiated as often as the engine allows, and a model violates it at another position.
	TooManyInstances Why = "too-many-instances"
)

// Final reports whether unrolling further or solving longer cannot change a finding with this reason.
func (r Reason) Final() bool {
	return r.Why == BehindViolation || r.Why == DependsOnBody ||
		r.Why == DependsOnPlace && r.Cause != nil && r.Cause.Final()
}

// Reasons for queries to a solver.
const (
	// StepBudget: "the budget of 400000 solver steps (--solver-steps) ended". N; 0 if unknown.
	StepBudget Why = "step-budget"
	// TimeLimit: "the time limit was reached: ...". Text is the solver's message, if any.
	TimeLimit Why = "time-limit"
	// Cancelled: "the run ended before the solver had answered": the time of the proof did, or the user ended it.
	Cancelled Why = "cancelled"
	// SolverFailed: "the solver failed: ...". Text.
	SolverFailed Why = "solver-failed"
)

// Reasons for whole proofs.
const (
	// EndUndecided: "not decided whether any execution reaches an end: ...". Cause.
	EndUndecided Why = "end-undecided"
	// RestUndecided: "not everything was checked: ...", of a failed proof. Cause.
	RestUndecided Why = "rest-undecided"
	// NoEnd: "no execution reaches an end of main: ...". Name is the entry, "" if unknown.
	NoEnd Why = "no-end"
	// ByFinding: the finding of Kind at At decides the proof; Cause is the finding's own reason.
	ByFinding Why = "by-finding"
	// Timeout: "timeout of 1m0s reached; ...". Name is the limit, Text the progress of unrolling, "" after unrolling.
	Timeout Why = "timeout"
	// NoProgress: "no progress for longer than the timeout of 1m0s: ...". Name is the limit.
	NoProgress Why = "no-progress"
	// MemoryLimit: "memory limit of 2G reached; ...". Name is the limit, Text as of Timeout.
	MemoryLimit Why = "memory-limit"
	// Interrupted: "interrupted".
	Interrupted Why = "interrupted"
	// NoSpace: "no space is left in the folder of temporary files, /tmp: ...". Name is the folder.
	NoSpace Why = "no-space"
)

// Reasons that indicate errors.
const (
	// InternalError: "internal error: ...". Text.
	InternalError Why = "internal-error"
	// Stopped: an error ended the proof. Text is the complete message.
	Stopped Why = "stopped"
)

// Reason explains a verdict, as data; the zero value is no reason.
//
// Only package diagnostics converts it to a sentence, and sentences are never parsed.
type Reason struct {
	Why  Why
	At   Pos    `json:",omitzero"`  // another place
	Kind Kind   `json:",omitempty"` // of the finding at At
	Name string `json:",omitempty"` // in the program: a function, a loop ("function#k"), a construct
	Text string `json:",omitempty"` // text from another source: a solver, an error
	N    int64  `json:",omitempty"` // iterations, solver steps or bytes
	// Cause is the underlying reason.
	Cause *Reason `json:",omitempty"`
}

// None reports whether there is no reason.
func (r Reason) None() bool { return r.Why == "" }

// Behind reports whether an obligation was not examined because an earlier one is violated or unknown.
func (r Reason) Behind() bool { return r.Why == BehindViolation || r.Why == BehindUnknown }

// Lasts reports whether another run would give the same reason.
//
// It does if neither the reason nor its causes depend on time, memory, cancellation or failures. A reason that is not
// listed here does not last.
func (r Reason) Lasts() bool {
	switch r.Why {
	case "", OtherInstanceFails, DependsOnBody, DependsOnObject, Contradiction, NoState, NeedsResult, NeedsAssembly,
		NeedsRounding, DependsOnPlace, BehindViolation, BehindUnknown, NotSupported, TooLong, HoldsInBounds,
		BeyondBounds, NoneReached, LoopCut, ReachUndecided, EqualsAddress, NotInductive, NotUnrolled, StepBudget,
		EndUndecided, RestUndecided, NoEnd, ByFinding:
		return r.Cause == nil || r.Cause.Lasts()
	}
	return false
}

// Because returns the reason w with a cause.
func (w Why) Because(cause Reason) Reason { return Reason{Why: w, Cause: &cause} }
