package language

// EnforcePrefix and ReplacePrefix begin the names of two functions derived from a function with a contract.
//
// They are its proof, and the replacement of its calls.
const (
	EnforcePrefix = "unitproof_enforce_"
	ReplacePrefix = "unitproof_replace_"
)

// VariablePrefix begins the names of the variables in contracts that users do not see.
const VariablePrefix = "unitproof_"

// Arguments of Assuming. A contract in use assumes what its function ensures, or the invariant of a loop; executions
// must be able to continue after these assumptions. Exempt are the postconditions of a function that never returns,
// and preconditions, which may exclude all executions.
const (
	AssumesNothing = iota
	AssumesEnsured
	AssumesRequired
	AssumesInvariant
)

// contractNames are the primitives that pipeline/contract emits for contracts.
var contractNames = []Entry{
	{Name: "__unitproof_loops", Role: LoopMode, Dialect: Contract},
	{Name: "__unitproof_stop", Role: Abort, Dialect: Contract},
	{Name: "__unitproof_assuming", Role: Assuming, Dialect: Contract},
	{Name: "__unitproof_assume", Role: Assume, Dialect: Contract},
	{Name: "__unitproof_requires", Role: Requires, Dialect: Contract, Described: true},
	{Name: "__unitproof_ensures", Role: Ensures, Dialect: Contract, Described: true},
	{Name: "__unitproof_invariant", Role: Invariant, Dialect: Contract, Described: true},
	{Name: "__unitproof_variant", Role: Variant, Dialect: Contract, Described: true},
	{Name: "__unitproof_frame_begin", Role: FrameBegin, Dialect: Contract},
	{Name: "__unitproof_frame_add", Role: FrameAdd, Dialect: Contract},
	{Name: "__unitproof_frame_free", Role: FrameFree, Dialect: Contract},
	{Name: "__unitproof_frame_written", Role: FrameWritten, Dialect: Contract},
	{Name: "__unitproof_frame_pause", Role: FramePause, Dialect: Contract},
	{Name: "__unitproof_frame_go_on", Role: FrameGoOn, Dialect: Contract},
	{Name: "__unitproof_frame_end", Role: FrameEnd, Dialect: Contract},
	{Name: "__unitproof_loop_leave", Role: LoopLeave, Dialect: Contract},
	{Name: "__unitproof_loop_leaving", Role: LoopLeaving, Dialect: Contract},
	{Name: "__unitproof_havoc", Role: Havoc, Dialect: Contract},
	{Name: "__unitproof_malloc", Role: Malloc, Dialect: Contract},
	{Name: "__unitproof_part", Role: Part, Dialect: Contract},
	{Name: "__unitproof_free", Role: Free, Dialect: Contract},
	{Name: "__unitproof_choice", Role: Nondet, Dialect: Contract},
	{Name: "__unitproof_number", Role: Nondet, Dialect: Contract},
	{Name: "__unitproof_r_ok", Role: Dereferenceable, Dialect: Contract},
	{Name: "__unitproof_size", Role: ObjectSize, Dialect: Contract},
	{Name: "__unitproof_offset", Role: PointerOffset, Dialect: Contract},
	{Name: "__unitproof_object", Role: PointerObject, Dialect: Contract},
	{Name: "__unitproof_is_new", Role: IsNew, Dialect: Contract},
	{Name: "__unitproof_apart", Role: ApartByName, Dialect: Contract},
	{Name: "__unitproof_is_freeable", Role: IsFreeable, Dialect: Contract},
	{Name: "__unitproof_was_freed", Role: WasFreed, Dialect: Contract},
	{Name: "__unitproof_errno_at", Role: ErrnoAt, Dialect: Contract},
	{Name: "__unitproof_symbolic", Role: Symbolic, Dialect: Contract},
	{Name: "__unitproof_bound", Role: Bound, Dialect: Contract},
	{Name: "__unitproof_forall", Role: Forall, Dialect: Contract},
	{Name: "__unitproof_exists", Role: Exists, Dialect: Contract},
}

// Loops selects how loops with contracts are executed. Programs use the numbers (LoopMode).
type Loops int

// Modes of loops with contracts.
const (
	LoopsPlain   Loops = 0 // as loops without contracts
	LoopsChecked Loops = 1 // unrolled, with their contracts checked whenever control reaches the loop head
	LoopsCut     Loops = 2 // one arbitrary iteration represents all of them
)

// Cut reports whether an arbitrary iteration represents others.
func (l Loops) Cut() bool { return l == LoopsCut }
