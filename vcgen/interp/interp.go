// Package interp runs LLVM IR on concrete inputs. It is the oracle of the engine: each
// counterexample that a solver finds is run again here, on the program as the compiler
// wrote it, and yields the violation with a sentence, the values around it and the trace.
// It shares no code with the symbolic executor, so that it does not share its mistakes.
//
// Run is the only way in; Inputs supplies what an execution may choose. Reading order:
// machine.go (frames and the main loop), value.go and memory.go (what registers and
// objects hold: every pointer, and every integer made from one, knows its object),
// access.go (the checks of a memory access), exec.go (instructions), call.go with the
// library behind it, violation.go (what happens when a check fails). The rest renders:
// place.go names places in C, render.go values, trace.go events.
//
// Absences: no solver, no symbolic value, no file and no clock. The same module and the
// same inputs give the same outcome.
package interp

import (
	"context"
	"fmt"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Inputs supplies the arbitrary choices of an execution. site is Instr.ID of the instruction
// that asks; for the parameters of the entry it is minus (index+1), for global variables and
// functions 0. The n-th request at a site in the order of the execution gets the n-th value.
type Inputs interface {
	// Value returns an arbitrary value of bits bits, taken modulo 2^bits. Kinds are "nondet"
	// (nd_*, the result of a function without a body), "parameter", "undef" (an undefined
	// operand, the result of a failed but accepted operation) and "asm". Pointers are asked for with
	// 64 bits: an address in no object.
	Value(site int, kind string, bits int) *big.Int
	// Content returns fresh content of an object or a range by offset from its start. Kinds are
	// "uninitialized" (an alloca or llvm.lifetime.start), "malloc", "havoc", "global" (an
	// undefined variable, called name) and "missing-body" (an object that a function without a body
	// can write; name is "site#ordinal" of the object's allocation, or the variable's name). That
	// of "missing-body" is also asked for, and not used, where the call writes nothing, so that
	// the n-th request is the n-th call that reaches the object.
	Content(site int, kind string, name string) func(off uint64) byte
	// AllocFails reports whether an allocation returns NULL. It is asked once per call, also
	// where the answer is forced.
	AllocFails(site int) bool
	// Address returns the wanted address of the object that was made at site, ok is false where
	// any will do. name is that of a variable or function when site is 0.
	Address(site int, name string) (addr uint64, ok bool)
	// MissingBodyWrites reports whether this call of a function without a body writes the
	// memory that it can reach. It is asked only where there is some.
	MissingBodyWrites(site int) bool
}

// UnknownSizes is implemented by Inputs that know how large variables of incomplete type
// (extern int table[];) are. Without it such a variable has no bytes.
type UnknownSizes interface {
	// UnknownSize returns the size of the variable called name in bytes.
	UnknownSize(name string) uint64
}

// Options are the settings of a run.
type Options struct {
	Checks        map[found.Kind]bool
	MallocMayFail bool
	MissingBody   string // "havoc", "pure", "error"
	// Accepted tells whether findings of a kind in a function are accepted: the execution goes on.
	Accepted func(kind found.Kind, function string) bool
	// Wanted tells which violation ends the execution although it is accepted.
	Wanted func(kind found.Kind, loc *llvmir.Loc) bool
	// UserFile tells whether a file is the user's; nil takes all of them for it.
	UserFile func(file string) bool
	// MaxSteps bounds the number of instructions; 0 stands for defaultSteps.
	MaxSteps int64
	// Trace asks for the steps of the execution: all of them, or those in Keep.
	Trace     bool
	Keep      *Slice
	Coverage  bool
	EntryFile string

	switched *switching
	brief    bool      // of the outcome nothing counts but how it ended, and kind and stack of the violation
	goal     []bool    // by block of the entry: whether the run may go on from there; nil: from anywhere
	prepared *prepared // shared between runs of a module; nil for none
}

const defaultSteps = 100_000_000

// Ways in which an execution ends.
const (
	EndViolation   = "violation"
	EndReturn      = "return"
	EndExit        = "exit"
	EndAbort       = "abort"
	EndAssume      = "assume"      // an assumption was false, or an unchecked access invalid
	EndSteps       = "steps"       // the budget ended or the context was cancelled
	EndUnsupported = "unsupported" // see Reason
)

// Outcome is what a run found.
type Outcome struct {
	End       string
	Violation *Violation // for EndViolation
	Steps     []Step     // with Options.Trace, in execution order; of a very long run the end
	Inputs    []InputRecord
	Where     *llvmir.Loc // where the execution ended, nil when unknown
	Reason    string      // for EndSteps, EndUnsupported, EndAssume
	// Covered has the lines that were executed, by file; with Options.Coverage.
	Covered map[string]map[int]bool
	// Executed is the number of instructions.
	Executed int64
}

// Frame is an entry of a call stack: a function and the place in it that is being executed.
type Frame struct {
	Func *llvmir.Func
	Loc  *llvmir.Loc
}

// Violation is a check that failed.
type Violation struct {
	Kind  found.Kind
	Loc   *llvmir.Loc
	Stack []Frame // outermost first, the last one is the violating place
	// Message is a sentence with operand values, without full stop.
	Message string
	// Vars are the named variables in scope, innermost user frame first, then the user's
	// global variables that may change.
	Vars []Var
	// Operands are the values that the violating instruction worked with; Comparison is the
	// one that makes an assertion false, nil where it is not a single one.
	Operands   []Operand
	Expression string // the part of Message that stands for the expression at the place
	Comparison *Comparison
	// Denial is, of an assertion of what a function says, why it says no; nil where that is not known.
	Denial *Denial
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

// Run executes the constructors of a module and then the entry, whose parameters are
// arbitrary. It never panics; what it cannot execute ends in EndUnsupported.
func Run(ctx context.Context, m *llvmir.Module, entry string, in Inputs, opts Options) (out *Outcome) {
	return newMachine(ctx, m, in, opts).run(entry)
}

func (x *machine) run(entry string) (out *Outcome) {
	defer func() {
		switch p := recover().(type) {
		case nil, halt:
		default:
			x.out.End, x.out.Reason = EndUnsupported, fmt.Sprintf("internal error of the interpreter: %v", p)
		}
		x.finish()
		out = x.out
	}()
	x.start(entry)
	return x.out
}
