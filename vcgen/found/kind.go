package found

import "slices"

// Kind is a kind of obligation. The names are fixed by the contract (section 3).
type Kind string

// Kinds of obligation; the table below describes each.
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
	Precondition       Kind = "precondition"
	Postcondition      Kind = "postcondition"
	Assigns            Kind = "assigns"
	LoopInvariant      Kind = "loop-invariant"
	LoopVariant        Kind = "loop-variant"
)

// Evaluated reports whether a kind is about undefined or error-prone behaviour in the evaluation of an expression.
//
// The others are about a statement of the user or of a contract, or about the whole execution.
func (k Kind) Evaluated() bool {
	switch k {
	case Assertion, MemoryLeak, Unwinding, Precondition, Postcondition, Assigns, LoopInvariant, LoopVariant:
		return false
	}
	return true
}

// KindInfo describes a kind of obligation.
type KindInfo struct {
	Kind Kind
	// Title is a short name for lists of rules.
	Title string
	// Off: checked only on request.
	Off bool
	// Holds and Fails are the sentences of a finding for which the engine provides none. Predicate: Holds has no
	// subject ("does not overflow"), because the subject is the operation at the place.
	Holds, Fails string
	Predicate    bool
	// Help explains the check.
	Help string
	// Sanitizer is the value of clang's -fsanitize that instruments the operations to be checked; "" if the engine
	// finds them itself.
	Sanitizer string
	// Native describes how a run of the compiled program shows a violation; NotNative is the reason if it cannot.
	// Reports are the names under which AddressSanitizer, or UndefinedBehaviorSanitizer in its summary, reports it;
	// all other checks report the kind by name.
	Native, NotNative string
	Reports           []string
	// CWE are the weaknesses that a violation is (cwe.go); several if the value or the access decides which.
	CWE []CWE
}

// outside are the reports of accesses outside an object.
//
// The report depends on the memory there: a red zone of this object or of another one, or freed memory.
var outside = []string{"heap-buffer-overflow", "stack-buffer-overflow", "stack-buffer-underflow",
	"dynamic-stack-buffer-overflow", "dynamic-stack-buffer-underflow", "global-buffer-overflow", "container-overflow",
	"intra-object-overflow", "negative-size-param", "unknown-crash",
	"use-after-poison", // blocks of size 0
}

// freed and unscoped are the reports of accesses to dead objects. An invalid pointer may have their address, too.
var (
	freed    = []string{"heap-use-after-free"}
	unscoped = []string{"stack-use-after-return", "stack-use-after-scope"}
)

// kinds is the table of all kinds, in the contract's order. It is the only list of them in the program.
var kinds = [...]KindInfo{
	{Kind: Assertion, Title: "Assertion",
		Holds: "the assertion holds", Fails: "the assertion is false",
		Help:   "An asserted condition holds on every execution that reaches it.",
		Native: "the assertion's own call"},
	{Kind: NullDereference, Title: "Null dereference", CWE: []CWE{476},
		Holds: "the pointer is not NULL", Fails: "dereferences NULL",
		Help:    "A dereferenced pointer is not NULL.",
		Native:  "AddressSanitizer: SEGV near address 0",
		Reports: []string{"unknown-crash"}},
	{Kind: InvalidPointer, Title: "Invalid pointer", CWE: []CWE{822, 824},
		Holds: "the pointer points to an object", Fails: "dereferences a pointer to no object",
		Help:    "A dereferenced pointer was derived from an object.",
		Native:  "AddressSanitizer: SEGV",
		Reports: slices.Concat(outside, freed, unscoped)},
	{Kind: UseAfterFree, Title: "Use after free", CWE: []CWE{416},
		Holds: "the object is not freed", Fails: "accesses an object that was freed",
		Help:    "An accessed heap object was not freed before.",
		Native:  "AddressSanitizer: heap-use-after-free",
		Reports: freed},
	{Kind: UseAfterScope, Title: "Use after scope", CWE: []CWE{825},
		Holds: "the object is in scope", Fails: "accesses a local object after its scope ended",
		Help:    "An accessed local object is still in scope.",
		Native:  "AddressSanitizer: stack-use-after-scope, stack-use-after-return",
		Reports: unscoped},
	{Kind: ArrayBounds, Title: "Array bounds", CWE: []CWE{129},
		Holds: "the index is within the array", Fails: "the index is outside the array",
		Help:      "An index into a declared array lies within it, even where the object that holds the array is larger.",
		Sanitizer: "array-bounds",
		Native:    "UndefinedBehaviorSanitizer: array-bounds",
		Reports:   []string{"out-of-bounds-index"}},
	{Kind: OutOfBoundsRead, Title: "Out-of-bounds read", CWE: []CWE{125},
		Holds: "reads within the object", Predicate: true, Fails: "reads outside the object",
		Help:    "A read lies within the object that the pointer was derived from.",
		Native:  "AddressSanitizer: a buffer overflow, or SEGV far outside; our check where another object lies there",
		Reports: outside},
	{Kind: OutOfBoundsWrite, Title: "Out-of-bounds write", CWE: []CWE{787},
		Holds: "writes within the object", Predicate: true, Fails: "writes outside the object",
		Help:    "A write lies within the object that the pointer was derived from.",
		Native:  "AddressSanitizer: a buffer overflow, or SEGV far outside; our check where another object lies there",
		Reports: outside},
	{Kind: ReadOnlyWrite, Title: "Write to read-only memory", CWE: []CWE{758},
		Holds: "the memory is writable", Fails: "writes to constant memory",
		Help:   "Constant objects and string literals are not written.",
		Native: "AddressSanitizer: SEGV of a write to a segment that may not be written"},
	{Kind: OverlappingCopy, Title: "Overlapping copy", CWE: []CWE{475},
		Holds: "source and destination do not overlap", Fails: "copies between overlapping ranges",
		Help:    "The source and destination of memcpy, strcpy and the like do not overlap.",
		Native:  "AddressSanitizer: memcpy-param-overlap",
		Reports: []string{"memcpy-param-overlap", "strcpy-param-overlap"}},
	{Kind: DoubleFree, Title: "Double free", CWE: []CWE{415},
		Holds: "the object was not freed before", Fails: "frees an object twice",
		Help:    "No object is freed twice.",
		Native:  "AddressSanitizer: attempting double-free",
		Reports: []string{"attempting double-free"}},
	{Kind: InvalidFree, Title: "Invalid free", CWE: []CWE{590, 761},
		Holds: "frees NULL or the start of a heap object", Predicate: true,
		Fails:   "frees a pointer that no allocation returned",
		Help:    "free and realloc get NULL or a pointer that an allocation returned.",
		Native:  "AddressSanitizer: attempting free on an address that was not malloc()-ed",
		Reports: []string{"attempting free", "bad-free", "alloc-dealloc-mismatch"}},
	{Kind: MemoryLeak, Title: "Memory leak", Off: true, CWE: []CWE{401},
		Holds:  "the object is freed or still reachable at the end",
		Fails:  "the object is never freed and no longer reachable at the end",
		Help:   "When the entry returns, every heap object is freed or reachable from a global.",
		Native: "our search from the global variables when the entry returns"},
	{Kind: UninitializedRead, Title: "Uninitialized read", Off: true, CWE: []CWE{457, 908},
		Holds: "the memory was written before", Fails: "reads memory that was never written",
		Help:   "Memory is written before it is read.",
		Native: "our check before each read, in the shadow memory of MemorySanitizer, in a program of its own"},
	{Kind: Misaligned, Title: "Misaligned access", Off: true, CWE: []CWE{758},
		Holds: "the address is aligned", Fails: "accesses a misaligned address",
		Help:    "An address is a multiple of the accessed type's alignment.",
		Native:  "UndefinedBehaviorSanitizer: alignment",
		Reports: []string{"misaligned-pointer-use", "alignment-assumption"}},
	{Kind: InvalidSize, Title: "Invalid array size", CWE: []CWE{131},
		Holds: "the array's size is positive", Fails: "the array's size is not positive",
		Help:      "The size of a variable length array is positive.",
		Sanitizer: "vla-bound",
		Native:    "UndefinedBehaviorSanitizer: vla-bound",
		Reports:   []string{"non-positive-vla-index"}},
	{Kind: SignedOverflow, Title: "Signed overflow", CWE: []CWE{190, 191},
		Holds: "does not overflow", Predicate: true, Fails: "the signed operation overflows",
		Help:      "The result of signed arithmetic fits its type.",
		Sanitizer: "signed-integer-overflow",
		Native: "UndefinedBehaviorSanitizer: signed-integer-overflow, integer-divide-by-zero; " +
			"our check before __builtin_abs",
		Reports: []string{"FPE", "signed-integer-overflow"}},
	{Kind: UnsignedOverflow, Title: "Unsigned overflow", Off: true, CWE: []CWE{190, 191},
		Holds: "does not wrap around", Predicate: true, Fails: "the unsigned operation wraps around",
		Help:      "The result of unsigned arithmetic does not wrap around.",
		Sanitizer: "unsigned-integer-overflow",
		Native:    "UndefinedBehaviorSanitizer: unsigned-integer-overflow",
		Reports:   []string{"unsigned-integer-overflow"}},
	{Kind: FloatToIntOverflow, Title: "Float to integer overflow", CWE: []CWE{681},
		Holds: "the value fits the integer type", Fails: "the value does not fit the integer type",
		Help:      "A floating point value that is converted to an integer fits the integer's type.",
		Sanitizer: "float-cast-overflow",
		Native:    "UndefinedBehaviorSanitizer: float-cast-overflow",
		Reports:   []string{"float-cast-overflow", "float-cast-overflow-v1"}},
	{Kind: DivisionByZero, Title: "Division by zero", CWE: []CWE{369},
		Holds: "the divisor is not zero", Fails: "divides by zero",
		Help:      "The divisor of an integer division or remainder is not zero.",
		Sanitizer: "integer-divide-by-zero",
		Native:    "UndefinedBehaviorSanitizer: integer-divide-by-zero",
		Reports:   []string{"FPE", "integer-divide-by-zero", "float-divide-by-zero"}},
	{Kind: InvalidShift, Title: "Invalid shift", CWE: []CWE{1335},
		Holds:     "the shift amount is within the type's width",
		Fails:     "the shift amount is negative or not below the type's width",
		Help:      "A shift amount is not negative and below the width of the shifted type.",
		Sanitizer: "shift-exponent",
		Native:    "UndefinedBehaviorSanitizer: shift-exponent",
		Reports:   []string{"invalid-shift-exponent", "invalid-shift"}},
	{Kind: ShiftOverflow, Title: "Shift overflow", Off: true, CWE: []CWE{190},
		Holds: "no bit is shifted into or past the sign", Fails: "a bit is shifted into or past the sign",
		Help:      "A left shift of a signed value loses no bit.",
		Sanitizer: "shift-base",
		Native:    "UndefinedBehaviorSanitizer: shift-base",
		Reports:   []string{"invalid-shift-base"}},
	{Kind: InvalidCall, Title: "Invalid call", CWE: []CWE{476, 628},
		Holds: "calls a function of a compatible type", Predicate: true,
		Fails:  "calls through a pointer to no function of a compatible type",
		Help:   "A call through a pointer meets a function with a compatible ABI.",
		Native: "our check before each call through a pointer"},
	{Kind: Unreachable, Title: "Unreachable code reached", CWE: []CWE{758},
		Holds: "is never executed", Predicate: true, Fails: "executes code that was declared unreachable",
		Help:      "__builtin_unreachable, traps, and the missing value of a function are not reached.",
		Sanitizer: "return,unreachable",
		Native:    "UndefinedBehaviorSanitizer: unreachable; a trap; our check where a missing result is used",
		Reports:   []string{"ILL", "unreachable-call", "missing-return"}},
	{Kind: InvalidBuiltin, Title: "Invalid builtin argument", CWE: []CWE{475},
		Holds: "the argument is valid", Fails: "calls a builtin with an argument for which it is undefined",
		Help:      "Builtins such as clz and ctz do not get 0.",
		Sanitizer: "builtin",
		Native:    "UndefinedBehaviorSanitizer: builtin",
		Reports:   []string{"invalid-builtin-use"}},
	{Kind: AmbiguousPointer, Title: "Pointers into different objects", CWE: []CWE{469},
		Holds: "the pointers point into one object", Fails: "orders or subtracts pointers into different objects",
		Help:    "Pointers that are ordered or subtracted point into one object.",
		Native:  "AddressSanitizer: invalid-pointer-pair",
		Reports: []string{"invalid-pointer-pair"}},
	{Kind: Unwinding, Title: "Unwinding bound",
		Holds: "the bound suffices", Fails: "needs more iterations than its bound",
		Help:      "No loop or recursion needs more than its bound.",
		NotNative: "a loop that needs more iterations is no violation"},
	{Kind: Precondition, Title: "Precondition",
		Holds: "the precondition of the function holds", Fails: "the precondition of the function is false",
		Help:   "At each call of a function with a contract, its precondition holds.",
		Native: "our check at the call"},
	{Kind: Postcondition, Title: "Postcondition",
		Holds: "the postcondition of the function holds", Fails: "the postcondition of the function is false",
		Help:   "When a function with a contract returns, its postcondition holds.",
		Native: "our check when the function returns"},
	{Kind: Assigns, Title: "Write outside the frame",
		Holds: "the contract allows the write", Fails: "writes or frees memory that the contract does not allow",
		Help: "A function or loop with a contract writes and frees only the memory that its contract names, or " +
			"that was allocated since its start.",
		NotNative: "a native run cannot check the assigns clauses of a contract"},
	{Kind: LoopInvariant, Title: "Loop invariant",
		Holds: "the invariant holds at each arrival at the loop's head", Fails: "the loop invariant is false",
		Help:   "The invariant of a loop holds when the loop is entered, and is preserved by each iteration.",
		Native: "our check at the loop's head"},
	{Kind: LoopVariant, Title: "Loop variant",
		Holds: "the measure decreases with each iteration", Fails: "the measure does not decrease, or is below " +
			"zero",
		Help: "The measure of a loop (its decreases clause) gets smaller with each iteration, and is not below zero " +
			"before one.",
		Native: "our check at the loop's head"},
}

var kindOrder = func() map[Kind]int {
	m := map[Kind]int{}
	for i := range kinds {
		m[kinds[i].Kind] = i
	}
	return m
}()

// Kinds lists all kinds in the contract's order.
func Kinds() []Kind {
	out := make([]Kind, len(kinds))
	for i := range kinds {
		out[i] = kinds[i].Kind
	}
	return out
}

// Known reports whether the table has the kind.
func (k Kind) Known() bool { return k.Order() < len(kinds) }

// Order returns the position of a kind in the contract's order, from 0. Unknown kinds come last.
func (k Kind) Order() int {
	if i, ok := kindOrder[k]; ok {
		return i
	}
	return len(kinds)
}

// Info returns the description of a kind; an unknown kind is described by its name.
func (k Kind) Info() KindInfo {
	if i := k.Order(); i < len(kinds) {
		return kinds[i]
	}
	return KindInfo{Kind: k, Title: string(k), Holds: "holds", Predicate: true, Fails: "is violated", Help: string(k)}
}

// DefaultChecks returns, for each kind, whether it is checked by default.
func DefaultChecks() map[Kind]bool {
	on := map[Kind]bool{}
	for i := range kinds {
		on[kinds[i].Kind] = !kinds[i].Off
	}
	return on
}
