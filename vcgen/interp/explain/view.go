// Package explain says what the state of an execution is in the words of the C source. View names memory as the source
// does (place.go), writes values in C syntax (render.go), finds the operands and the comparison behind a violation
// (operands.go), and makes the sentences of messages (message.go). Tracer tells an execution step by step, all of it or
// a Slice.
//
// It only reads states: it knows nothing of how an instruction is executed, and what it looks at does not count as
// used.
package explain

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// View is the state of an execution as its source has it.
type View struct {
	*state.State
	Program  *clangir.Module
	UserFile func(file string) bool // tells whether a file is the user's
	// Operand evaluates an operand of the instruction that a frame is at.
	Operand func(fr *state.Frame, a llvmir.Operand) state.Value
	Keep    *Slice                          // nil: everything counts
	Denials map[*llvmir.Instr]*found.Denial // of traced runs: why the last call there said no; nil otherwise
	// Mentions are the places that sentences name, and Said the expressions that they tell the values of; who wants those
	// of one sentence empties both before.
	Mentions []found.Mention
	Said     []string
}

// say keeps that a sentence tells the value of an expression, and gives the expression back.
func (w *View) say(name string) string {
	w.Said = append(w.Said, name)
	return name
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

// PosOf is a place as findings have it: in the function that is named.
func PosOf(l *llvmir.Loc, function string) found.Pos {
	if l == nil {
		return found.Pos{Function: function}
	}
	return found.Pos{File: l.File, Line: l.Line, Column: l.Col, Function: function}
}

// stepPos is the place of a step.
func stepPos(l *llvmir.Loc) found.Pos {
	if l == nil || l.Scope == nil {
		return PosOf(l, "")
	}
	return PosOf(l, l.Scope.Function)
}
