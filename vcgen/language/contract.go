package language

// EnforcePrefix and ReplacePrefix begin the names of what a function with a contract becomes: its proof, and what
// stands for calls of it.
const (
	EnforcePrefix = "unitproof_enforce_"
	ReplacePrefix = "unitproof_replace_"
)

// VariablePrefix begins the names of the variables that contracts are written with; users know nothing of them.
const VariablePrefix = "unitproof_"

// What Assuming says. What a function ensures and a loop's invariant are the words of a contract that is used:
// executions go on behind them. What is required may exclude all executions, and so may what a function ensures that
// never returns.
const (
	AssumesNothing = iota
	AssumesEnsured
	AssumesRequired
	AssumesInvariant
)

// contractNames are what pipeline/contract writes contracts in.
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

// Loops says how loops with contracts are executed. The numbers are those that programs see (LoopMode).
type Loops int

// Ways of loops with contracts.
const (
	LoopsPlain   Loops = 0 // as if they had none
	LoopsChecked Loops = 1 // unrolled, with their contracts checked at each arrival
	LoopsCut     Loops = 2 // one arbitrary iteration stands for all of them
	LoopsPeeled  Loops = 3 // one stands for all but the first, which is executed before it
)

// Cut tells whether an arbitrary iteration stands for others.
func (l Loops) Cut() bool { return l >= LoopsCut }
