package found

// Assumption is an unchecked assumption on which verdicts rest, as data; package diagnostics has the sentences.
type Assumption struct {
	What Assumed `json:"what"`
	At   Pos     `json:"at,omitzero"`
	// Name is the function, variable, option or loop that it is about.
	Name string `json:"name,omitempty"`
	// Other is a second place, such as that of the definition in use.
	Other Pos `json:"other,omitzero"`
	// Names are several functions (NothingToRemove), files (OneOfSeveral), or words of a pragma (Pragma,
	// IgnoredPragma).
	Names []string `json:"names,omitempty"`
	// Kinds are the unchecked kinds, or those that a pragma would change.
	Kinds []Kind `json:"kinds,omitempty"`
	// Call is the assumed effect of a function without a body (MissingBody).
	Call Call `json:"call,omitzero"`
	// Unused is the reason why a bound has no effect (UnusedBound).
	Unused *Unused `json:"unused,omitempty"`
	// Count is the number in the assumption.
	Count int64 `json:"count,omitempty"`
	// Missed is the number of findings that no execution reaches (ShortInputs).
	Missed int `json:"missed,omitempty"`
	// Through is the last line of the lines that begin at At.
	Through int `json:"through,omitempty"`
	// Affects are the instances, by index in the report, that would be decided without it.
	Affects []int `json:"affects,omitempty"`
}

// Call is the assumed behaviour of a call of a function without a body.
type Call struct {
	Effect  Effect `json:"effect"`
	Returns bool   `json:"returns,omitempty"` // returns an arbitrary value
	// Callbacks: it receives functions, and is assumed to call none of them.
	Callbacks bool `json:"callbacks,omitempty"`
}

// Effect is the assumed effect of a call on memory.
type Effect string

// The effects.
const (
	EndsExecution Effect = "ends"    // the execution ends there
	WritesNothing Effect = "pure"    // nothing, as set by the options
	ReachesNone   Effect = "reaches" // nothing, because it can reach no memory
	WritesMemory  Effect = "writes"  // anything that it can reach
)

// Unused is a configured bound that matches nothing in a proof.
type Unused struct {
	Flag bool `json:"flag,omitempty"` // set on the command line, not in the configuration
	Loop bool `json:"loop,omitempty"` // it names a loop, not a recursion
	// Function: a function of that name exists, and has this number of Loops.
	Function bool `json:"function,omitempty"`
	Loops    int  `json:"loops,omitempty"`
	// Meant is the most similar existing name, "" if there is none.
	Meant string `json:"meant,omitempty"`
}

// Assumed is the kind of an Assumption. The values occur in caches.
type Assumed string

// Assumptions of the engine, each with the fields of Assumption that it uses.
const (
	// MissingBody: "no body for f: it may write memory that it can reach". Name, Call.
	MissingBody Assumed = "missing-body"
	// MissingVariable: "no definition of variable v: its content is arbitrary". Name.
	MissingVariable Assumed = "missing-variable"
	// InlineAssembly: "inline assembly is assumed to return arbitrary values and to write no other memory".
	InlineAssembly Assumed = "inline-assembly"
	// FreedContent: "freed memory keeps its content where a pragma switches use-after-free off".
	FreedContent Assumed = "freed-content"
	// ValidAccesses: "accesses are assumed to be valid: use-after-free is not checked". Kinds.
	ValidAccesses Assumed = "valid-accesses"
	// ValidFrees: "calls of free are assumed to be valid: ...". Kinds.
	ValidFrees Assumed = "valid-frees"
	// ValidCalls: "calls through pointers are assumed to be valid: ...". Kinds.
	ValidCalls Assumed = "valid-calls"
	// KeptContracts: "contracts are assumed to hold: assigns is not checked". Kinds.
	KeptContracts Assumed = "kept-contracts"
	// ValidStrings: "the strings that printf reads are assumed to be valid". Name.
	ValidStrings Assumed = "valid-strings"
	// WrappingArithmetic: "signed arithmetic of f is assumed to wrap around: its attribute switches the sanitizer
	// off". Name.
	WrappingArithmetic Assumed = "wrapping-arithmetic"
	// FewArguments: "main is assumed to get at most 8 arguments and 4 strings of its environment".
	FewArguments Assumed = "few-arguments"
	// ShortInputs: "inputs are assumed to have at most 64 bytes; none of them reaches 12 checks". Count, Missed.
	ShortInputs Assumed = "short-inputs"
	// ArraysFit: "arrays of variable length are assumed to fit into memory (1 TiB)". Count.
	ArraysFit Assumed = "arrays-fit"
	// WeakExchange: "a weak compare-and-exchange is assumed to fail only if the values differ".
	WeakExchange Assumed = "weak-exchange"
	// OneThread: "no other thread is assumed to change memory where a lock is used".
	OneThread Assumed = "one-thread"
	// ExtendedPrecision: "float and double are assumed to have no more than their own precision: x87 ...".
	ExtendedPrecision Assumed = "extended-precision"
	// FusedMultiplyAdd: "products are assumed to be rounded before they are added: ...".
	FusedMultiplyAdd Assumed = "fused-multiply-add"
	// CutIndex: "the index 4294967296 is taken modulo 2^32, the number of addresses". Name, Count.
	CutIndex Assumed = "cut-index"
)

// Assumptions made while the module is compiled and linked.
const (
	// FirstCounts: "f is the one of a.c; the definition here is ignored". Name, Other.
	FirstCounts Assumed = "first-counts"
	// IncludedCounts: "the file is linked and is also included in a.c: ...". Other.
	IncludedCounts Assumed = "included-counts"
	// ExternalCounts: "calls of f in a.c go to the definition at b.c:3, ...". Name, Other; Names has the file that calls.
	ExternalCounts Assumed = "external-counts"
	// OneOfSeveral: "f is the one of a.c; also defined in b.c". Name; Names has the other files.
	OneOfSeveral Assumed = "one-of-several"
	// StandIn: "f is replaced by the one of stub.c:3". Name, Other.
	StandIn Assumed = "stand-in"
	// SecondCounts: "f is defined twice in one file, which C forbids: ...". Name.
	SecondCounts Assumed = "second-counts"
	// ConflictingTypes: "f has another type here than it was declared with before, ...". Name.
	ConflictingTypes Assumed = "conflicting-types"
	// StaticBehind: "f is static here but was declared non-static before, which C forbids: ...". Name.
	StaticBehind Assumed = "static-behind"
	// HiddenParameter: "v has the name of a parameter of its function, which C forbids: ...". Name.
	HiddenParameter Assumed = "hidden-parameter"
	// ConstMember: "the member m is const but assigned to, which C forbids". Name.
	ConstMember Assumed = "const-member"
	// AnyResult: "f returns no value: a caller that uses the result gets an arbitrary value". Name.
	AnyResult Assumed = "any-result"
	// FewerParameters: "f has fewer parameters here than a call has arguments: the other arguments are dropped". Name.
	FewerParameters Assumed = "fewer-parameters"
	// DroppedOption: "the option -fplugin was dropped". Name.
	DroppedOption Assumed = "dropped-option"
	// GivenInput: "the only input is that of crash-1 (12 bytes)". Name, Count.
	GivenInput Assumed = "given-input"
	// OwnBuiltin: "the definition of memcpy in a.c serves that file only: ...". Name; At has the file.
	OwnBuiltin Assumed = "own-builtin"
	// OtherFunction: "f is not the function of the C library: it is declared with another type". Name.
	OtherFunction Assumed = "other-function"
	// NoAssert: "NDEBUG is defined: assert() checks nothing".
	NoAssert Assumed = "no-assert"
	// Pragma is a pragma for CBMC's checks, before its relevance is determined. Names: enable or disable, and the
	// check. At and Through are the lines in which the check is switched off.
	Pragma Assumed = "pragma"
	// IgnoredPragma: "#pragma CPROVER check enable "pointer" is not followed: ...". Names as for Pragma. Kinds are
	// the checks that it would change; none if there is no such check.
	IgnoredPragma Assumed = "ignored-pragma"
	// NothingToRemove: "nothing to remove: no linked file has a body for f". Names.
	NothingToRemove Assumed = "nothing-to-remove"
	// Contract: "using the contract of f" at a call. Name.
	Contract Assumed = "contract"
	// ApartByName: "f is assumed not to use the variable v by name: it is given to it as a fresh object". Name is v,
	// Names is f.
	ApartByName Assumed = "apart-by-name"
	// LibraryState: "calls replaced by contracts are assumed not to change the state of the C library: ...".
	LibraryState Assumed = "library-state"
	// TakenAsReached: "some execution is assumed to get here: ...". The place is an assertion, or an end of the
	// function Name, on whose paths a loop was cut.
	TakenAsReached Assumed = "taken-as-reached"
	// CompiledElsewhere: "x.ll is taken as it is: what its compiler left out is not seen". Name.
	CompiledElsewhere Assumed = "compiled-elsewhere"
	// UnusedBound: "the bound for f#2 is not used: f has one loop here". Name, Unused.
	UnusedBound Assumed = "unused-bound"
)

// assumptionKinds are the kinds under which assumptions are listed (contract, section 6), if they differ from the
// name.
var assumptionKinds = map[Assumed]string{
	MissingVariable: "missing-definition", OtherFunction: "missing-body", InlineAssembly: "inline-asm",
	ValidAccesses: "unchecked", ValidFrees: "unchecked", ValidCalls: "unchecked", ValidStrings: "unchecked",
	KeptContracts: "unchecked", TakenAsReached: "unchecked", FreedContent: "unchecked",
	WrappingArithmetic: "unchecked",
	FewArguments:       "model-limit", ShortInputs: "model-limit", GivenInput: "model-limit",
	ArraysFit: "model-limit", CutIndex: "model-limit", WeakExchange: "model-limit", OneThread: "model-limit",
	ExtendedPrecision: "model-limit", FusedMultiplyAdd: "model-limit",
	FirstCounts: "ambiguous-definition", IncludedCounts: "ambiguous-definition",
	ExternalCounts: "ambiguous-definition", OneOfSeveral: "ambiguous-definition",
	SecondCounts: "stand-in", AnyResult: "stand-in", FewerParameters: "conflicting-types",
	StaticBehind: "conflicting-types", HiddenParameter: "conflicting-types", ConstMember: "conflicting-types",
	DroppedOption: "option-dropped", OwnBuiltin: "option-dropped", NoAssert: "ndebug",
	ApartByName: "contract", LibraryState: "contract",
	NothingToRemove: "unused-setting", UnusedBound: "unused-setting",
}

// Kind returns the kind under which an assumption is listed.
func (a Assumed) Kind() string {
	if kind := assumptionKinds[a]; kind != "" {
		return kind
	}
	return string(a)
}

// Lack is an item that a file needs and that was not found, if an error is about that.
type Lack struct {
	What Lacked `json:"what,omitempty"`
	Name string `json:"name,omitempty"`
}

// Lacked is the type of a missing item; "" if nothing is missing.
type Lacked string

// Types of missing items.
const (
	LacksBody        Lacked = "body"        // of a function
	LacksHeader      Lacked = "header"      // in an include directive
	LacksDeclaration Lacked = "declaration" // of a name
)
