// Package explain describes the state of an execution in terms of the C source.
//
// For the violation of
//
//	s->buf[i] = 0;
//
// it computes the name of the accessed memory (`s->buf[i]`), its operands (`i` is 12), the message ("writes 1 byte at
// offset 12 of `s->buf`..."), and the variables and the memory around it.
//
// Principal types: View names memory as in the source (place.go), renders values in C syntax (render.go,
// render_aggregate.go), finds the operands and the comparison behind a violation (operands.go), and builds the
// sentences of messages (message.go) and the picture of memory (memory.go). Tracer records an execution step by step
// (trace.go): all of it, or a Slice.
//
// Reading order: view.go, place.go, render.go, operands.go, message.go, trace.go, memory.go with leaves.go and
// parts.go (pictures).
//
// The package only reads states and is independent of how instructions are executed. Its reads do not count as uses
// of inputs.
package explain

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// View presents the state of an execution in terms of the source.
type View struct {
	*state.State
	Program  *clangir.Module
	UserFile func(file string) bool // reports whether a file is user code
	// Operand evaluates an operand of the current instruction of a frame.
	Operand func(fr *state.Frame, a llvmir.Operand) state.Value
	Keep    *Slice                          // nil: all instructions are relevant
	Denials map[*llvmir.Instr]*found.Denial // in runs with a trace: why the last call there returned false; otherwise nil
	// Mentions are the places that sentences name, and Said the expressions whose values they contain. To get those
	// of one sentence, the caller must clear both before.
	Mentions []found.Mention
	Said     []string
}

// say records that a sentence contains the value of an expression, and returns the expression.
func (w *View) say(name string) string {
	w.Said = append(w.Said, name)
	return name
}

// Slice is the part of an execution that its violation depends on.
//
// It is valid for a module, an entry, inputs and options: all runs with these execute the same instructions.
type Slice struct {
	Executed   []bool       // by number of the instruction in the execution, from 0
	Constrains map[int]bool // likewise: assumptions that constrain instructions of the slice
	Inputs     map[int]bool // by order of the choice: inputs that the violation depends on
	Lost       *llvmir.Loc  // of a leak: where the last pointer to the object was lost
}

// has reports whether the slice contains instruction n of the execution.
func (s *Slice) has(n int) bool {
	return n >= 0 && n < len(s.Executed) && s.Executed[n] || s.Constrains[n]
}

// PosOf returns a location as a position in a named function.
func PosOf(l *llvmir.Loc, function string) found.Pos {
	if l == nil {
		return found.Pos{Function: function}
	}
	return found.Pos{File: l.File, Line: l.Line, Column: l.Col, Function: function}
}

// stepPos returns the position of a step.
func stepPos(l *llvmir.Loc) found.Pos {
	if l == nil || l.Scope == nil {
		return PosOf(l, "")
	}
	return PosOf(l, l.Scope.Function)
}
