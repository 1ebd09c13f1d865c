package found

// Counterexample is one violating execution.
type Counterexample struct {
	// Message is a sentence with operand values, without a full stop.
	Message string
	Inputs  []Input
	Trace   []Step
	// Vars are the variables in scope at the violation, innermost frame first.
	Vars []Variable
	// Operands are the named values that the violating place used.
	Operands []Operand
	// Comparison is the comparison that makes an assertion false; nil if it is not a single comparison.
	Comparison *Comparison
	// Denial explains why the asserted function returned false; nil if unknown.
	Denial *Denial
	// Expression is the part of Message that stands for the source expression, written with values ("2147483647 +
	// 1"); "" if there is none.
	Expression string
	// Mentions are the other places that Message refers to.
	Mentions []Mention
	// Said are the expressions whose values Message contains.
	Said []string
	// Memory is the memory at the violation; nil if there is no access and no variable in scope.
	Memory *Memory
	// Run is the data needed to execute it again.
	Run Run
}

// Mention is a place of an event in the lifetime of an object.
type Mention struct {
	What Event
	Name string // with Made: the function that allocated the object
	Pos  Pos
}

// Event is an event in the lifetime of an object.
type Event string

// The events.
const (
	Made       Event = "made"
	Freed      Event = "freed"
	OutOfScope Event = "out-of-scope" // its lifetime ended
	Lost       Event = "lost"         // the last pointer to it was destroyed
)

// Run is a stored violating execution; it can be executed again on the same module with the same options.
type Run struct {
	Kind Kind
	At   Pos // the violating place, possibly outside the user's files
	// Tape has the choices of the execution (choice.Decode).
	Tape []byte
}

// Variable is a variable with its value in C syntax.
type Variable struct{ Name, Value string }

// Operand is a value used by an instruction.
//
// It is a C lvalue, with the values of its indices ("t[3].open"), or the result of a call ("f()").
type Operand struct {
	Text  string `json:"text"`
	Value string `json:"value"`
	Pos   Pos    `json:"-"` // where the source reads it
	// Call is, for the result of a call, the called function, or Indirect. Text is the name with brackets.
	Call string `json:"-"`
}

// Indirect is the function of a call through a pointer.
const Indirect = "(*f)"

// Comparison is a comparison that did not hold, with the values of both sides.
type Comparison struct {
	Op          string // as in C
	Left, Right string
	Pos         Pos // of the operator
}

// Denial explains why a function that computes a condition returned false.
//
// It has the false comparison in it, or in a function that it called in turn.
type Denial struct {
	Function   string // the function that contains the comparison
	Comparison Comparison
	Operands   []Operand
}

// InputKind is the kind of an input: a choice.Kind. Those that sentences distinguish are listed here.
type InputKind string

// Kinds of inputs.
const (
	InputNondet        InputKind = "nondet"
	InputParameter     InputKind = "parameter"
	InputUninitialized InputKind = "uninitialized"
	InputMalloc        InputKind = "malloc"
	InputHavoc         InputKind = "havoc"
	InputAsm           InputKind = "asm"
	InputRounding      InputKind = "rounding"
	InputGlobal        InputKind = "global" // content of a variable without a definition
)

// Input is one arbitrary value of a counterexample. Inputs are listed in execution order.
type Input struct {
	Kind     InputKind `json:"kind"`
	Function string    `json:"function"` // the function that was called (nd_int), or the one that contains the place
	Variable string    `json:"variable"` // the variable that received it, if known
	Type     string    `json:"type"`     // C type, if known
	Value    string    `json:"value"`    // C syntax
	Bytes    string    `json:"bytes"`    // hex, memory order
	// Model is the library function whose model made the choice, and File and Line are its call; "" for other inputs.
	Model string `json:"model,omitempty"`
	// Unmodelled: the C library or inline assembly computes the value, which is not modelled.
	Unmodelled bool `json:"unmodelled,omitempty"`
	// Idle: the violation does not depend on it. Known only if the trace is a slice.
	Idle bool `json:"idle,omitempty"`
	Pos
}

// StepEvent is the event of a step.
type StepEvent string

// Events of steps.
const (
	StepAssign    StepEvent = "assign"
	StepBranch    StepEvent = "branch"
	StepCall      StepEvent = "call"
	StepReturn    StepEvent = "return"
	StepAlloc     StepEvent = "alloc"
	StepFree      StepEvent = "free"
	StepAssume    StepEvent = "assume"
	StepViolation StepEvent = "violation"
)

// Overflows is the Value of a branch step of a compiler's overflow check: the operation overflowed.
const Overflows = "overflow"

// Step is one event of a counterexample's execution.
type Step struct {
	Depth int `json:"depth"`
	Pos
	Event  StepEvent `json:"event"`
	LValue string    `json:"lvalue,omitempty"`
	Value  string    `json:"value,omitempty"`
	Old    string    `json:"old,omitempty"`
	Text   string    `json:"text"`
	// Condition is, for branches and assumptions, the source text of the condition, if known.
	Condition string `json:"condition,omitempty"`
	// Operands are, for branches and assumptions, the operands of the condition.
	Operands []Operand `json:"-"`
	// Skipped: iterations of a loop are omitted before this step, which begins the last iteration.
	Skipped *Skipped `json:"skipped,omitempty"`
}

// Skipped counts the omitted iterations of a folded loop, and their steps.
//
// They are like the iteration before the gap: the same places write to the same variables.
type Skipped struct {
	Iterations int `json:"iterations"`
	Steps      int `json:"steps"`
}

// CoreKind is the kind of an entry of a core, of a contradiction or a proof. Cores of proofs have kinds of assumptions,
// too.
type CoreKind string

// Kinds of entries.
const (
	CoreAssume CoreKind = "assume"
	CoreBranch CoreKind = "branch"
	CoreMalloc CoreKind = "malloc" // malloc and its like do not fail
)
