// Package interp runs LLVM IR on concrete inputs. It is the oracle of the engine: each
// counterexample that a solver finds is run again here, on the program as the compiler
// wrote it, and yields the violation with a sentence, the values around it and the trace.
// It shares no code with the symbolic executor, so that it does not share its mistakes.
//
// Run executes a program; choice.Inputs supply what an execution may choose. A Machine is a run that is
// gone through step by step, or watched by an Observer. Reading order:
// machine.go (the main loop), access.go (the checks of a memory access), exec.go (instructions), call.go with the
// library behind it, violation.go (what happens when a check fails). What frames and memory are has package state, how
// they are called in C explain; slice, minimize and recording run programs for purposes of their own.
//
// Absences: no solver, no symbolic value, no file and no clock. The same module and the
// same inputs give the same outcome.
package interp

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Options are the settings of a run.
type Options struct {
	Checks        map[found.Kind]bool
	MallocMayFail bool
	MissingBody   string // "havoc", "pure", "error"
	// LoopContracts is how loops with contracts are executed. A run with loops that are cut need be none of the program:
	// the loop is entered in an arbitrary state that its invariant allows, and ends with one iteration.
	LoopContracts language.Loops
	// Accepted tells whether findings of a kind are accepted for a frame of their stack: the execution goes on. Of a frame
	// only Function, File and Line count; innermost is that of the finding.
	Accepted func(kind found.Kind, frame found.Pos, innermost bool) bool
	// ReadsFreed tells whether memory that was freed is read at a place as it was left, where that is accepted; nil:
	// nowhere.
	ReadsFreed func(at found.Pos) bool
	// Wanted tells which violation ends the execution although it is accepted.
	Wanted func(kind found.Kind, stack []state.Site) bool
	// Dropped tells of an assumption of the program, by the frames that are active, that it does not count; nil: all do.
	Dropped func(stack []state.Site) bool
	// UserFile tells whether a file is the user's; nil takes all of them for it.
	UserFile func(file string) bool
	// MaxSteps bounds the number of instructions; 0 stands for defaultSteps.
	MaxSteps int64
	// Trace asks for the steps of the execution: all of them, or those in Keep, behind so many instructions.
	Trace     bool
	Keep      *explain.Slice
	TraceFrom int64
	Coverage  bool
	EntryFile string

	// Switch has one branch go the other way; nil for none.
	Switch *Switching
	// Brief: of the outcome nothing counts but how it ended, and kind and stack of the violation.
	Brief bool
	// Goal tells for each block of the entry whether the run may go on from there, else it ends hopeless; nil: from
	// anywhere.
	Goal []bool
	// Infos is shared between runs of a module; nil for none.
	Infos *Infos
	// Visits counts which blocks are entered; nil: nobody counts.
	Visits *Visits
}

// Infos is what is known about the functions of a module before they run, once it was asked for. The zero value is
// ready; it is not safe for concurrent use.
type Infos struct {
	of map[*llvmir.Func]*state.FuncInfo
}

func (n *Infos) about(f *llvmir.Func) *state.FuncInfo {
	i := n.of[f]
	if i == nil {
		i = state.InfoOf(f)
		if n.of == nil {
			n.of = map[*llvmir.Func]*state.FuncInfo{}
		}
		n.of[f] = i
	}
	return i
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
	// EndHopeless: the execution got to where the violation that it is run for can no longer happen (Options.Goal).
	EndHopeless = "hopeless"
)

// Outcome is what a run found.
type Outcome struct {
	End       string
	Violation *Violation   // for EndViolation
	Steps     []found.Step // with Options.Trace, in execution order; of a very long run the end
	Inputs    []found.Input
	Where     *llvmir.Loc // where the execution ended, nil when unknown
	// Head is the state at the last head of a loop that was cut; with Options.CutLoops and Trace. At is nil where nothing
	// was assumed there.
	Head   *Head
	Reason string // for EndSteps, EndUnsupported, EndAssume
	// ByAddress is where a number first became a pointer whose object its address decides: a number that was computed
	// from no address, as far as the run could follow, that has bytes of several pointers, or of a pointer and others, or
	// that bitwise operations led out of its object. Nil: nowhere.
	ByAddress *llvmir.Loc
	// Covered has the lines that were executed, by file; with Options.Coverage.
	Covered map[string]map[int]bool
	// Instructions tells by their ID which were executed; with Options.Coverage. It ends behind the last one.
	Instructions []bool
	// Executed is the number of instructions.
	Executed int64
}

// Head is an arbitrary state at a loop's head that the loop's invariant allows.
type Head struct {
	At   *llvmir.Loc // of the invariant
	Func string
	// Vars are the variables of the loop's function in scope, what they point to, and global variables.
	Vars []found.Variable
	// Steps is how many steps of the trace lead there.
	Steps int
}

// Violation is a check that failed.
type Violation struct {
	Kind  found.Kind
	Loc   *llvmir.Loc
	Stack []state.Site // outermost first, the last one is the violating place
	// Message is a sentence with operand values, without full stop.
	Message  string
	Mentions []found.Mention // places that Message is about
	Said     []string        // expressions whose values Message tells
	// Vars are the named variables in scope, innermost user frame first, then the user's
	// global variables that may change.
	Vars []found.Variable
	// Memory is what memory holds around it; with Options.Trace.
	Memory *found.Memory
	explain.Reasons
	Expression string // the part of Message that stands for the expression at the place
}

// Run executes the constructors of a module and then the entry, whose parameters are
// arbitrary. It never panics; what it cannot execute ends in EndUnsupported.
func Run(ctx context.Context, m *clangir.Module, entry string, in choice.Inputs, opts Options) (out *Outcome) {
	return New(ctx, m, entry, in, opts).Run()
}
