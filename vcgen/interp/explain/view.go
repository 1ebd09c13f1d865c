// Package explain says what the state of an execution is in the words of the C source. View names memory as the source does
// (place.go), writes values in C syntax (render.go), finds the operands and the comparison behind a violation (operands.go),
// and makes the sentences of messages (message.go). Tracer tells an execution step by step, all of it or a Slice.
//
// It only reads states: it knows nothing of how an instruction is executed, and what it looks at does not count as used.
package explain

import (
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// View is the state of an execution as its source has it.
type View struct {
	*state.State
	Program  *llvmir.Module
	UserFile func(file string) bool // tells whether a file is the user's
	// Operand evaluates an operand of the instruction that a frame is at.
	Operand func(fr *state.Frame, a llvmir.Operand) state.Value
	Keep    *Slice                    // nil: everything counts
	Denials map[*llvmir.Instr]*Denial // of traced runs: why the last call there said no; nil otherwise
}

// Slice is the part of an execution that its violation depends on. It belongs to a module,
// an entry, inputs and options: every run with these executes the same instructions.
type Slice struct {
	Executed   []bool       // by number of the instruction in the execution, from 0
	Constrains map[int]bool // likewise: assumptions that constrain what is in it
	Inputs     map[int]bool // by order of the choice: inputs that it depends on
	Lost       *llvmir.Loc  // of a leak: where the last pointer to the object went
}

// has reports whether the slice holds the n-th instruction of the execution.
func (s *Slice) has(n int) bool {
	return n >= 0 && n < len(s.Executed) && s.Executed[n] || s.Constrains[n]
}

// Var is a variable with its value in C syntax.
type Var struct{ Name, Value string }

// Step is one event of a trace.
type Step struct {
	Depth    int
	Event    string // assign, branch, call, return, alloc, free, assume, violation
	Loc      *llvmir.Loc
	Function string // C name of the function that holds the place
	LValue   string
	Value    string
	Old      string
	Text     string
	Operands []Operand // of a branch: what its condition was computed from
}

// InputRecord is one arbitrary value that the execution used.
type InputRecord struct {
	Kind     string // nondet, havoc, malloc, uninitialized, parameter, ... as for Inputs
	Function string // the function that was called, or the one that holds the place
	Variable string // the variable that received it, when known
	Type     string // C type, when known
	Value    string // C syntax
	Bytes    string // hex, memory order
	Loc      *llvmir.Loc
	In       string // C name of the function that holds the place
	// Idle: with Options.Keep, the violation does not depend on it.
	Idle bool
}
