package diagnostics

import "github.com/unitproof/unitproof/vcgen"

// The kinds that this package treats specially.
const (
	kindAssertion vcgen.Kind = "assertion"
	kindUnwinding vcgen.Kind = "unwinding"
)

// kindInfo describes a kind of obligation to users.
type kindInfo struct {
	Kind vcgen.Kind
	// Title names the kind in a few words, for rule lists.
	Title string
	// Holds and Fails are what a finding says when the engine gives no sentence of its own.
	Holds, Fails string
	// Help explains what is checked.
	Help string
	// Off: checked only when asked for.
	Off bool
}

// kinds holds every kind in the contract's order (section 3).
var kinds = []kindInfo{
	{Kind: kindAssertion, Title: "Assertion",
		Holds: "the assertion holds", Fails: "the assertion is false",
		Help: "An asserted condition holds on every execution that reaches it."},
	{Kind: "null-dereference", Title: "Null dereference",
		Holds: "the pointer is not NULL", Fails: "dereferences NULL",
		Help: "A dereferenced pointer is not NULL."},
	{Kind: "invalid-pointer", Title: "Invalid pointer",
		Holds: "the pointer points to an object", Fails: "dereferences a pointer to no object",
		Help: "A dereferenced pointer was derived from an object."},
	{Kind: "use-after-free", Title: "Use after free",
		Holds: "the object is not freed", Fails: "accesses an object that was freed",
		Help: "An accessed heap object was not freed before."},
	{Kind: "use-after-scope", Title: "Use after scope",
		Holds: "the object is in scope", Fails: "accesses a local object after its scope ended",
		Help: "An accessed local object is still in scope."},
	{Kind: "array-bounds", Title: "Array bounds",
		Holds: "the index is within the array", Fails: "the index is outside the array",
		Help: "An index into a declared array lies within it, even where the object that holds the array is larger."},
	{Kind: "out-of-bounds-read", Title: "Out-of-bounds read",
		Holds: "reads within the object", Fails: "reads outside the object",
		Help: "A read lies within the object that the pointer was derived from."},
	{Kind: "out-of-bounds-write", Title: "Out-of-bounds write",
		Holds: "writes within the object", Fails: "writes outside the object",
		Help: "A write lies within the object that the pointer was derived from."},
	{Kind: "read-only-write", Title: "Write to read-only memory",
		Holds: "the memory is writable", Fails: "writes to constant memory",
		Help: "Constant objects and string literals are not written."},
	{Kind: "overlapping-copy", Title: "Overlapping copy",
		Holds: "source and destination do not overlap", Fails: "copies between overlapping ranges",
		Help: "What memcpy, strcpy and the like copy from and to does not overlap."},
	{Kind: "double-free", Title: "Double free",
		Holds: "the object was not freed before", Fails: "frees an object twice",
		Help: "No object is freed twice."},
	{Kind: "invalid-free", Title: "Invalid free",
		Holds: "frees NULL or the start of a heap object", Fails: "frees a pointer that no allocation returned",
		Help: "free and realloc get NULL or a pointer that an allocation returned."},
	{Kind: "memory-leak", Title: "Memory leak", Off: true,
		Holds: "the object is freed or still reachable at the end", Fails: "the object is never freed and no longer reachable at the end",
		Help: "When the entry returns, every heap object is freed or reachable from a global."},
	{Kind: "uninitialized-read", Title: "Uninitialized read", Off: true,
		Holds: "the memory was written before", Fails: "reads memory that was never written",
		Help: "Memory is written before it is read."},
	{Kind: "misaligned", Title: "Misaligned access", Off: true,
		Holds: "the address is aligned", Fails: "accesses a misaligned address",
		Help: "An address is a multiple of the accessed type's alignment."},
	{Kind: "invalid-size", Title: "Invalid array size",
		Holds: "the array's size is positive", Fails: "the array's size is not positive",
		Help: "The size of a variable length array is positive."},
	{Kind: "signed-overflow", Title: "Signed overflow",
		Holds: "does not overflow", Fails: "the signed operation overflows",
		Help: "The result of signed arithmetic fits its type."},
	{Kind: "unsigned-overflow", Title: "Unsigned overflow", Off: true,
		Holds: "does not wrap around", Fails: "the unsigned operation wraps around",
		Help: "The result of unsigned arithmetic does not wrap around."},
	{Kind: "float-to-int-overflow", Title: "Float to integer overflow",
		Holds: "the value fits the integer type", Fails: "the value does not fit the integer type",
		Help: "A floating point value that is converted to an integer fits the integer's type."},
	{Kind: "division-by-zero", Title: "Division by zero",
		Holds: "the divisor is not zero", Fails: "divides by zero",
		Help: "The divisor of an integer division or remainder is not zero."},
	{Kind: "invalid-shift", Title: "Invalid shift",
		Holds: "the shift amount is within the type's width", Fails: "the shift amount is negative or not below the type's width",
		Help: "A shift amount is not negative and below the width of the shifted type."},
	{Kind: "shift-overflow", Title: "Shift overflow", Off: true,
		Holds: "no bit is shifted into or past the sign", Fails: "a bit is shifted into or past the sign",
		Help: "A left shift of a signed value loses no bit."},
	{Kind: "invalid-call", Title: "Invalid call",
		Holds: "calls a function of a compatible type", Fails: "calls through a pointer to no function of a compatible type",
		Help: "A call through a pointer meets a function with a compatible ABI."},
	{Kind: "unreachable", Title: "Unreachable code reached",
		Holds: "is never executed", Fails: "executes what was declared unreachable",
		Help: "__builtin_unreachable, traps, and the missing value of a function are not reached."},
	{Kind: "invalid-builtin", Title: "Invalid builtin argument",
		Holds: "the argument is valid", Fails: "calls a builtin with an argument for which it is undefined",
		Help: "Builtins such as clz and ctz do not get 0."},
	{Kind: "ambiguous-pointer", Title: "Pointers into different objects",
		Holds: "the pointers point into one object", Fails: "orders or subtracts pointers into different objects",
		Help: "Pointers that are ordered or subtracted point into one object."},
	{Kind: kindUnwinding, Title: "Unwinding bound",
		Holds: "the bound suffices", Fails: "needs more iterations than its bound",
		Help: "No loop or recursion needs more than its bound."},
}

var kindIndex = func() map[vcgen.Kind]int {
	m := map[vcgen.Kind]int{}
	for i, k := range kinds {
		m[k.Kind] = i
	}
	return m
}()

// infoOf describes a kind; one this package has not heard of describes itself.
func infoOf(k vcgen.Kind) kindInfo {
	if i, ok := kindIndex[k]; ok {
		return kinds[i]
	}
	return kindInfo{Kind: k, Title: string(k), Holds: "holds", Fails: "is violated", Help: string(k)}
}

// kindRank orders kinds as the contract lists them, unknown ones last.
func kindRank(k vcgen.Kind) int {
	if i, ok := kindIndex[k]; ok {
		return i
	}
	return len(kinds)
}

// Kinds lists every kind in the contract's order.
func Kinds() []vcgen.Kind {
	var out []vcgen.Kind
	for _, k := range kinds {
		out = append(out, k.Kind)
	}
	return out
}
