// Package language is the table of names that mean something without a body: the proof language of unitproof.h, the
// dialects of other verifiers, and the functions of the C library that the engine executes by itself.
//
// names.go and library.go hold the table. Who executes, compiles, replays or shows calls asks for the role of a name
// and never for the name, so that a name more of a role that exists is one entry of the table. A function with a body
// is executed as it is written, whatever it is called: the table is about those without.
package language

import (
	"slices"
	"strings"
	"sync"
)

// Role is what a call means.
type Role uint8

// Roles. Arguments are counted from 0.
const (
	// None: the name means nothing by itself.
	None Role = iota
	// Unknown: the name looks like a primitive of a verifier that the table does not have. What it means, the proof
	// rests on, so it is no ordinary missing body.
	Unknown

	Assume        // only executions where the condition is not zero go on
	Assert        // the condition must not be zero
	StaticAssert  // the compiler checks the condition
	AssertFailure // what assert() of <assert.h> calls where its condition is false
	Error         // must not be called: an assertion of the constant false
	Nondet        // an arbitrary value of the result's type
	Uninterpreted // an arbitrary value, the same one for the same arguments
	Havoc         // the bytes at argument 0, as many as argument 1 says, get arbitrary content
	// whether the bytes at argument 0, as many as argument 1 says, lie in the object that it was derived from
	Dereferenceable
	IsModified    // whether the object at argument 0 was written since its last reset
	ResetModified // forgets the writes to the object at argument 0
	TrackingOn    // writes count from here on
	TrackingOff   // writes do not count from here on
	ObjectSize    // size of the object that argument 0 was derived from
	PointerOffset // offset of argument 0 in that object
	PointerObject // a number that stands for that object
	Reads         // of our models of the C library: reads the bytes at argument 0, as many as argument 1 says
	Known         // of our models: whether argument 0 is a constant, which only what is faster may depend on
	SetsRounding  // of our models: argument 1 is the rounding mode, which is kept at argument 0, from here on
	Apart         // of our models: the ranges (0, 1) and (2, 3), each address and size, share no byte
	Scans         // of our models: whether the three below are executed (1) or loops in their place (0)
	// the first of the bytes at argument 0, as many as argument 1 says, that equals argument 2 or, if argument 3, is
	// zero; without one, the number of those that there are
	Find
	FindLast // 1 more than the last such byte that equals argument 2, 0 without one
	// the first position at which the bytes at the arguments 0 and 1, as many as argument 2 says, differ or, if argument
	// 3, are zero; without one, the number of those that there are
	Differ

	LoopMode // how loops with contracts are executed (Loops)
	Assuming // argument 0 says which conditions of contracts are assumed from here on (AssumesNothing and so on)
	Requires // asserts what a called function requires
	Ensures  // asserts what a function ensures
	// asserts the invariant of a loop, on entry where argument 1 holds, else behind an iteration
	Invariant
	Variant    // asserts that what a loop decreases went down, and is not below zero
	FrameBegin // what was there before may be written only as the frame says, from FrameGoOn on
	FrameAdd   // argument 1 bytes at argument 0 may be written
	FrameFree  // what argument 0 points to may be freed
	// FrameWritten: all that the loop writes may be written; where loops are cut, and the argument is true, it gets
	// arbitrary content.
	FrameWritten
	FramePause // no frame holds
	FrameGoOn  // all frames hold again
	FrameEnd   // ends the innermost frame
	LoopLeave  // likewise, where loops have frames (see LoopMode)
	// what the program does is no part of the loop, which it is about to leave: if argument 0, one frame more of a loop
	// does not hold; else all hold again
	LoopLeaving
	IsNew      // whether the object at argument 0 was made since the innermost frame began
	IsFreeable // whether argument 0 may be given to free
	// the object at argument 0 is one of its own for a function that is called: no variable that the function uses by name
	ApartByName
	WasFreed // whether the object at argument 0 was freed
	ErrnoAt  // where errno is, NULL where no file of the program uses it
	// whether a quantifier is evaluated once for arbitrary values (1) or for all values in order (0)
	Symbolic
	Bound  // an arbitrary value of a quantifier's variable
	Forall // whether argument 0 holds for all values of the arguments behind it, which came from Bound
	Exists // whether it holds for some

	Exit  // ends the execution as a return of the entry does
	Abort // ends the execution at once, which is no violation
	Malloc
	Lend // argument 0 bytes that belong to the caller of the entry or to the system: they are not to be freed
	Part // argument 0 bytes that are there: an object, or a part of one
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
	Print           // prints: an arbitrary result, and no memory is written
	OtherConversion // of printf, that the models lack: like Impossible, but a native run ends there
	RustAlloc       // argument 0 bytes, aligned as argument 1 says
	RustAllocZeroed // likewise, all zero
	RustRealloc     // the object at argument 0, of argument 1 bytes, aligned as argument 2 says, gets argument 3 bytes
	RustDealloc     // frees the object at argument 0, of argument 1 bytes, aligned as argument 2 says
	CapacityError   // a violation where argument 0 is zero; else memory is out, which ends the execution
	Nothing         // does nothing
	Impossible      // what the engine cannot follow: threads, jumps out of functions, processes
)

// Dialect is whose name it is.
type Dialect uint8

// Dialects.
const (
	Unitproof Dialect = iota // declared in unitproof.h
	Seahorn
	SVComp
	CBMC
	ESBMC
	KLEE
	GNU      // the C library that programs are linked with here
	Library  // C libraries in general
	Model    // our own models of the C library
	Rust     // the library of Rust
	Contract // what contracts are written in
)

// Entry is what is known of a name.
type Entry struct {
	Name    string // or what the names begin with, in the lists of prefixes
	Role    Role
	Dialect Dialect
	// Described (Assume, Assert, StaticAssert): the condition is argument 0, and what comes behind it describes it. Else
	// all arguments in the text are the condition, of which a macro takes the commas as well.
	Described bool
	// AnyAddress (Nondet): a pointer may be the address of any object. Else it is an address in no object.
	AnyAddress bool
	// Library (Nondet): the value stands for one that the C library computes and our models do not.
	Library bool
	// Ordinary: the name could be anybody's, so that it tells of a proof only where a file calls or declares it and
	// does not define it.
	Ordinary bool
	// Format (Print): the argument that is a format, from 1; 0 for none.
	Format int
	// Strings (Print): strings among the arguments are read, whatever a format says.
	Strings bool
}

// Prefix tells whether the entry is of all names that begin so.
func (e Entry) Prefix() bool { return slices.Contains(namePrefixes, e) }

// HasCondition tells whether the calls have a condition, which is argument 0.
func (e Entry) HasCondition() bool {
	return e.Role == Assume || e.Role == Assert || e.Role == StaticAssert
}

// IsProofLanguage tells whether a text that uses the name was written as a proof (see Ordinary).
func (e Entry) IsProofLanguage() bool { return e.Name != "" && e.Dialect <= KLEE }

// byName is made when it is used first: not every start of the program looks names up.
var byName = sync.OnceValue(func() map[string]Entry {
	m := map[string]Entry{}
	for _, e := range slices.Concat(proofNames, libraryNames, contractNames) {
		m[e.Name] = e
	}
	return m
})

var namePrefixes = slices.Concat(proofPrefixes, libraryPrefixes)

// ProofLanguage are the entries of the proof language and of its dialects, prefixes last.
func ProofLanguage() []Entry { return slices.Concat(proofNames, proofPrefixes) }

// Lookup finds what a name means where nothing but the name is known, as in a text. The entry has the role None where
// that is nothing.
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

// Function finds what a call of a function without a body means, which takes so many parameters.
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

// looksLikePrimitive tells whether a name that is not in the table is formed as the primitives of verifiers are:
// __NAME_assert, NAME_assume, NAME_nondet_TYPE.
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
