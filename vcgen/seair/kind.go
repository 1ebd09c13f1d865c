package seair

// Kind is a kind of obligation. The names are fixed by the contract (section 3).
type Kind string

// Kinds of obligation.
const (
	Assertion          Kind = "assertion"
	NullDereference    Kind = "null-dereference"
	InvalidPointer     Kind = "invalid-pointer"
	UseAfterFree       Kind = "use-after-free"
	UseAfterScope      Kind = "use-after-scope"
	ArrayBounds        Kind = "array-bounds"
	OutOfBoundsRead    Kind = "out-of-bounds-read"
	OutOfBoundsWrite   Kind = "out-of-bounds-write"
	ReadOnlyWrite      Kind = "read-only-write"
	OverlappingCopy    Kind = "overlapping-copy"
	DoubleFree         Kind = "double-free"
	InvalidFree        Kind = "invalid-free"
	MemoryLeak         Kind = "memory-leak"
	UninitializedRead  Kind = "uninitialized-read"
	Misaligned         Kind = "misaligned"
	InvalidSize        Kind = "invalid-size"
	SignedOverflow     Kind = "signed-overflow"
	UnsignedOverflow   Kind = "unsigned-overflow"
	FloatToIntOverflow Kind = "float-to-int-overflow"
	DivisionByZero     Kind = "division-by-zero"
	InvalidShift       Kind = "invalid-shift"
	ShiftOverflow      Kind = "shift-overflow"
	InvalidCall        Kind = "invalid-call"
	Unreachable        Kind = "unreachable"
	InvalidBuiltin     Kind = "invalid-builtin"
	AmbiguousPointer   Kind = "ambiguous-pointer"
	Unwinding          Kind = "unwinding"
)

// Kinds lists every kind in the contract's order.
var Kinds = []Kind{
	Assertion, NullDereference, InvalidPointer, UseAfterFree, UseAfterScope, ArrayBounds,
	OutOfBoundsRead, OutOfBoundsWrite, ReadOnlyWrite, OverlappingCopy, DoubleFree, InvalidFree,
	MemoryLeak, UninitializedRead, Misaligned, InvalidSize, SignedOverflow, UnsignedOverflow,
	FloatToIntOverflow, DivisionByZero, InvalidShift, ShiftOverflow, InvalidCall, Unreachable,
	InvalidBuiltin, AmbiguousPointer, Unwinding,
}

// OffByDefault holds the kinds that are checked only when asked for.
var OffByDefault = map[Kind]bool{
	MemoryLeak: true, UninitializedRead: true, Misaligned: true, UnsignedOverflow: true, ShiftOverflow: true,
}

// DefaultChecks returns the set of kinds that are checked without further configuration.
func DefaultChecks() map[Kind]bool {
	on := map[Kind]bool{}
	for _, k := range Kinds {
		on[k] = !OffByDefault[k]
	}
	return on
}
