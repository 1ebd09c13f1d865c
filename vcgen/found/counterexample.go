package found

// Counterexample is one violating execution.
type Counterexample struct {
	// Message is a sentence with the operand values, without trailing full stop.
	Message string
	Inputs  []Input
	Trace   []Step
	// Vars are the variables in scope at the violation, innermost frame first.
	Vars []Variable
	// Operands are the values that the violating place worked with, as far as they have names.
	Operands []Operand
	// Comparison is what makes an assertion false, nil where it is not one comparison.
	Comparison *Comparison
	// Denial is why the function whose answer is asserted says no, nil where that is not known.
	Denial *Denial
	// Expression is the part of Message that stands for the expression at the place, written with
	// values ("2147483647 + 1"); "" when there is none.
	Expression string
	// Mentions are the other places that Message is about.
	Mentions []Mention
	// Said are the expressions whose values Message tells.
	Said []string
	// Memory is what memory holds at the violation; nil where it is about none, and there is nothing in scope.
	Memory *Memory
	// Run is what it takes to execute it again.
	Run Run
}

// Mention is a place in an object's life.
type Mention struct {
	What Event
	Name string // of Made: the function that made the object
	Pos  Pos
}

// Event is what befell an object.
type Event string

// Events.
const (
	Made       Event = "made"
	Freed      Event = "freed"
	OutOfScope Event = "out-of-scope" // its lifetime ended
	Lost       Event = "lost"         // the last pointer to it
)

// Run is a violating execution as it can be kept and executed again on the same module under
// the same options.
type Run struct {
	Kind Kind
	At   Pos // the violating place, which need not be in the user's files
	// Tape holds the choices of the execution (choice.Decode).
	Tape []byte
}

// Variable is a variable with its value in C syntax.
type Variable struct{ Name, Value string }

// Operand is a value that was worked with: a C lvalue, with indices as they were ("t[3].open"), or the result of a call
// ("f()").
type Operand struct {
	Text  string `json:"text"`
	Value string `json:"value"`
	Pos   Pos    `json:"-"` // where the source reads it
}

// Comparison is a comparison that did not hold, with the values of both sides.
type Comparison struct {
	Op          string // as in C
	Left, Right string
	Pos         Pos // of the operator
}

// Denial is why a function that was asked for a condition said no: the comparison in it, or in a function
// that it asked in turn, that was false.
type Denial struct {
	Function   string // that has the comparison
	Comparison Comparison
	Operands   []Operand
}

// Input is one arbitrary value of a counterexample, in the order of the execution.
type Input struct {
	Kind     string `json:"kind"`     // choice.Kind
	Function string `json:"function"` // the function that was called (nd_int), or the one that holds the place
	Variable string `json:"variable"` // the variable that received it, when known
	Type     string `json:"type"`     // C type, when known
	Value    string `json:"value"`    // C syntax
	Bytes    string `json:"bytes"`    // hex, memory order
	// Model is the function of the C library whose model makes the choice, and File and Line are its call; "" for others.
	Model string `json:"model,omitempty"`
	// Unmodelled: the value stands for one that the C library or inline assembly computes, which is not modelled.
	Unmodelled bool `json:"unmodelled,omitempty"`
	// Idle: the violation does not depend on it. Only known where the trace is a slice.
	Idle bool `json:"idle,omitempty"`
	Pos
}

// Overflows is the Value of a branch step that the compiler added behind an operation: the operation overflowed.
const Overflows = "overflow"

// Step is one event of a counterexample's execution.
type Step struct {
	Depth int `json:"depth"`
	Pos
	Event  string `json:"event"` // assign, branch, call, return, alloc, free, assume, violation
	LValue string `json:"lvalue,omitempty"`
	Value  string `json:"value,omitempty"`
	Old    string `json:"old,omitempty"`
	Text   string `json:"text"`
	// Condition is, for branches and assumptions, what they are about as it stands in the source, where that is known.
	Condition string `json:"condition,omitempty"`
	// Operands are, for branches and assumptions, what the condition was computed from.
	Operands []Operand `json:"-"`
	// Skipped: iterations of a loop are left out before this step, which begins the last one.
	Skipped *Skipped `json:"skipped,omitempty"`
}

// Skipped counts what a folded loop leaves out: iterations like the one that stands before the gap (the
// same places write to the same variables), and their steps.
type Skipped struct {
	Iterations int `json:"iterations"`
	Steps      int `json:"steps"`
}
