// Package language is the table of functions that have a meaning without a body.
//
// These are the proof language of unitproof.h, the dialects of other verifiers, and the functions of the C library
// that the engine executes itself. For example, the calls in
//
//	int n = nd_int();            // Nondet: an arbitrary int
//	__CPROVER_assume(n > 0);     // Assume
//	char *p = malloc(n);         // Malloc
//	memcpy(p, q, n);             // Memcpy
//
// have the roles in the comments. All clients (symbolic execution, interpreter, compiler, replay, editor) look up the
// role of a name, never the name itself. Therefore another name for an existing role is a single entry of the table.
// A function with a body is executed as written, whatever its name is.
//
// Principal types: Entry is a row of the table, Role the meaning of a call, Dialect the origin of the name. Lookup
// finds the entry of a name, Function that of a call.
//
// Reading order: language.go (types and lookup), names.go, library.go, contract.go and rust.go (the table), roles.go
// (the properties of a role: argument types, effects, native form), standard.go (declarations and headers).
package language

import (
	"slices"
	"strings"
	"sync"
)

// Role is the meaning of a call.
type Role uint8

// Roles. Arguments are counted from 0.
const (
	// None: the name has no meaning.
	None Role = iota
	// Unknown: the name looks like a primitive of a verifier, but is not in the table. Proofs depend on its meaning,
	// so it is not treated as an ordinary missing body.
	Unknown

	Assume        // executions continue only if the condition is not zero
	Assert        // the condition must not be zero
	StaticAssert  // the compiler checks the condition
	AssertFailure // the failure function of assert() in <assert.h>
	Error         // must not be called: an assertion of the constant false
	Nondet        // an arbitrary value of the result's type
	Uninterpreted // an arbitrary value, the same one for the same arguments
	Havoc         // sets argument 1 bytes at argument 0 to arbitrary content
	// whether argument 1 bytes at argument 0 lie in the object that it was derived from
	Dereferenceable
	IsModified    // whether the object at argument 0 was written since its last reset
	ResetModified // marks the object at argument 0 as not written
	TrackingOn    // writes are recorded from here on
	TrackingOff   // writes are not recorded from here on
	ObjectSize    // size of the object that argument 0 was derived from
	PointerOffset // offset of argument 0 in that object
	PointerObject // a number that identifies that object
	Reads         // of our models of the C library: reads argument 1 bytes at argument 0
	Known         // of our models: whether argument 0 is a constant; may only affect performance
	SetsRounding  // of our models: sets the rounding mode, stored at argument 0, to argument 1
	Apart         // of our models: the ranges (0, 1) and (2, 3), each address and size, do not overlap
	Scans         // of our models: whether Find, FindLast and Differ are executed (1) or replaced by loops (0)
	// position of the first of n (argument 1) bytes at argument 0 that equals argument 2 or, if argument 3, is zero.
	// Without such a byte, n, or the number of bytes up to the end of the object if that is less
	Find
	FindLast // 1 + position of the last such byte that equals argument 2, 0 without one
	// the first position at which n (argument 2) bytes at the arguments 0 and 1 differ or, if argument 3, are zero.
	// Without such a position, n, or less if an object ends before
	Differ

	LoopMode // how loops with contracts are executed (Loops)
	Assuming // argument 0 is the kind of contract conditions assumed from here on (AssumesNothing, ...)
	Requires // asserts the precondition of a called function
	Ensures  // asserts the postcondition of a function
	// asserts the invariant of a loop: on entry if argument 1 is true, otherwise after an iteration
	Invariant
	Variant    // asserts that the measure of a loop has decreased, and is not negative
	FrameBegin // begins a frame: it restricts writes to existing objects, from FrameGoOn on
	FrameAdd   // argument 1 bytes at argument 0 may be written
	FrameFree  // what argument 0 points to may be freed
	// FrameWritten: everything that the loop writes may be written. If loops are cut, and the argument is true, these
	// locations get arbitrary content.
	FrameWritten
	FramePause // suspends all frames
	FrameGoOn  // resumes all frames
	FrameEnd   // ends the innermost frame
	LoopLeave  // likewise, if loops have frames (see LoopMode)
	// the code until the loop is left is not part of the loop: if argument 0, the frame of one more loop is
	// suspended; otherwise all are resumed
	LoopLeaving
	IsNew      // whether the object at argument 0 was created since the innermost frame began
	IsFreeable // whether free(argument 0) is valid
	// the called function may treat the object at argument 0 as distinct from the variables that it uses by name
	ApartByName
	WasFreed // whether the object at argument 0 was freed
	ErrnoAt  // address of errno; NULL if no file of the program uses it
	// whether quantifiers are evaluated once for arbitrary values (1) or for all values in sequence (0)
	Symbolic
	Bound  // an arbitrary value of a quantifier's variable
	Forall // whether argument 0 holds for all values of the following arguments, which are results of Bound
	Exists // whether it holds for some values

	Exit  // ends the execution like a return of the entry
	Abort // ends the execution immediately; not a violation
	Malloc
	Lend // argument 0 bytes that belong to the caller of the entry or to the system, and must not be freed
	Part // argument 0 existing bytes: an object, or a part of an object
	Calloc
	Realloc
	Reallocarray
	AlignedAlloc
	Valloc
	PosixMemalign
	Free
	Alloca
	Memcpy
	Mempcpy
	Memmove
	Memset
	Print           // output: an arbitrary result, and no memory is written
	OtherConversion // of printf, unsupported by the models: like Impossible, except that a native run ends there
	RustAlloc       // argument 0 bytes with alignment argument 1
	RustAllocZeroed // likewise, zeroed
	RustRealloc     // resizes the object at argument 0, of argument 1 bytes with alignment argument 2, to argument 3 bytes
	RustDealloc     // frees the object at argument 0, of argument 1 bytes with alignment argument 2
	CapacityError   // a violation if argument 0 is zero; otherwise out of memory, which ends the execution
	Nothing         // does nothing
	Impossible      // not supported by the engine: threads, jumps out of functions, processes
)

// Dialect is the origin of a name.
type Dialect uint8

// The dialects.
const (
	Unitproof Dialect = iota // declared in unitproof.h
	Seahorn
	SVComp
	CBMC
	ESBMC
	KLEE
	GNU      // the C library with which programs are linked here
	Library  // C libraries in general
	Model    // our own models of the C library
	Rust     // the standard library of Rust
	Contract // primitives of contracts
)

// Entry is a row of the table.
type Entry struct {
	Name    string // or the common prefix of names, in the lists of prefixes
	Role    Role
	Dialect Dialect
	// Described (Assume, Assert, StaticAssert): the condition is argument 0, and the other arguments describe it.
	// Otherwise all arguments in the source text are the condition, because a macro also collects its commas.
	Described bool
	// AnyAddress (Nondet): a pointer may be the address of any object; otherwise it is an address in no object.
	AnyAddress bool
	// Library (Nondet): the value is computed by the C library, but not by our models.
	Library bool
	// Ordinary: other programs use the name, too. It indicates a proof only if a file calls or declares it and does
	// not define it.
	Ordinary bool
	// Format (Print): the number of the format argument, from 1; 0 if there is none.
	Format int
	// Strings (Print): string arguments are read, without a format.
	Strings bool

	// Float is the operation of a function on floats.
	Float Float
	// Variants: with the suffixes f and l, the name is that of the same function on float and long double.
	Variants bool
	// Evaluated: clang evaluates calls or replaces them by instructions, even if the program defines the function.
	Evaluated bool
	// Stateful: a call changes the state of the library, on which later calls depend.
	Stateful bool
	// Synchronizes: a call orders the accesses of threads, which may notice the accesses around it.
	Synchronizes bool
	// Compares: the function compares memory.
	Compares bool
	// Callers: a violation in a body of the function is a mistake of its caller, which findings name.
	Callers bool
	// Arguments has a letter for each argument (Use), for functions whose use of pointers shows what they point to.
	Arguments string

	bits int // of the floats, if Float is set
}

// Use is the use of an argument by a function of the C library.
type Use byte

// Uses of arguments.
const (
	UseString Use = 's' // a string that is read
	UseFill   Use = 'f' // memory that is filled with a string
	UseUpdate Use = 'u' // a string that is read, and memory that is filled with a string
	UseBlock  Use = 'b' // memory of as many bytes as the argument with UseLength
	UseLength Use = 'n'
	UseFree   Use = 'x' // memory that is freed
	UseOther  Use = '-'
)

// Prefix reports whether the entry is for all names with this prefix.
func (e Entry) Prefix() bool { return slices.Contains(namePrefixes, e) }

// HasCondition reports whether calls have a condition, which is argument 0.
func (e Entry) HasCondition() bool {
	return e.Role == Assume || e.Role == Assert || e.Role == StaticAssert
}

// IsProofLanguage reports whether a text that uses the name was written as a proof (see Ordinary).
func (e Entry) IsProofLanguage() bool { return e.Name != "" && e.Dialect <= KLEE }

// byName is built on first use, because not each run of the program looks up names.
var byName = sync.OnceValue(func() map[string]Entry {
	m := map[string]Entry{}
	for _, e := range slices.Concat(proofNames, libraryNames, contractNames) {
		suffixes := []string{""}
		if e.Variants {
			suffixes = []string{"", "f", "l"}
		}
		name := e.Name
		for _, suffix := range suffixes {
			e.Name, e.bits = name+suffix, bitsOfVariant[suffix]
			m[e.Name] = e
		}
	}
	return m
})

var namePrefixes = slices.Concat(proofPrefixes, libraryPrefixes)

// ProofLanguage returns the entries of the proof language and of its dialects, prefixes last.
func ProofLanguage() []Entry { return slices.Concat(proofNames, proofPrefixes) }

// Lookup returns the entry of a name if only the name is known, as in source text.
//
// The entry has the role None if the name has no meaning.
func Lookup(name string) Entry {
	if e, ok := byName()[name]; ok {
		return e
	}
	if e, ok := rust(name); ok {
		return e
	}
	for _, e := range namePrefixes {
		if strings.HasPrefix(name, e.Name) {
			return e
		}
	}
	return Entry{}
}

// Function returns the meaning of a call of a function without a body with the given number of parameters.
func Function(name string, params int) Entry {
	e := Lookup(name)
	switch {
	case e.Role == Nondet && params > 0 && e.Dialect == Unitproof:
		return Entry{}
	case e.Role == Nondet && params > 0, e.Role == None && looksLikePrimitive(name):
		return Entry{Name: name, Role: Unknown, Dialect: e.Dialect}
	}
	return e
}

// looksLikePrimitive reports whether an unlisted name has the form of a verifier's primitive.
//
// These are __NAME_assert, NAME_assume and NAME_nondet_TYPE.
func looksLikePrimitive(name string) bool {
	if strings.HasPrefix(name, fileLocal) {
		return false
	}
	if _, rest, ok := strings.Cut(name, "_nondet"); ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
		return true
	}
	return strings.HasSuffix(name, "_assume") || strings.HasPrefix(name, "sea_") ||
		strings.HasPrefix(name, "__") && strings.HasSuffix(name, "_assert")
}
