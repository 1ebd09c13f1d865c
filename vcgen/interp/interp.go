// Package interp runs LLVM IR on concrete inputs. It is the oracle of the engine.
//
// Each counterexample of a solver is executed again here, on the program as the compiler emitted it. For
//
//	unsigned i = nd_uint();
//	int a[4];
//	if (i <= 4)
//		a[i] = 0;
//
// and the input i = 4, the run ends with a violation of kind array-bounds at the store. The outcome has its message
// with the concrete values, the variables in scope, and with Options.Trace the steps that lead there. The package
// shares no code that executes with the symbolic executor, so that both do not have the same errors. It shares the
// readers (llvmir, which folds constants, and clangir) and packages language and space.
//
// Principal types: Run executes a program; choice.Inputs answer its nondeterministic choices; Outcome is the result.
// Machine is a run that is executed step by step, or observed by an Observer, which receives all reads, writes and
// branches.
//
// Reading order: machine.go (the main loop), access.go (the checks of a memory access), exec.go (instructions),
// call.go with library.go and heap.go (functions without a body), violation.go (a failed check), observe.go (the event
// stream).
//
// Subpackages: state has frames and memory; explain describes them in terms of the source; slice computes the part of
// a run that its violation depends on; minimize searches for smaller inputs; recording makes all states of a run
// accessible; inspect displays such a state to a debugger.
//
// The package uses no solver, symbolic value, file or clock. The same module and inputs give the same outcome.
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
	found.Semantics
	// LoopContracts selects how loops with contracts are executed. If they are cut, the run may not be one of the
	// program: a loop is entered in an arbitrary state that satisfies its invariant, and ends after one iteration.
	LoopContracts language.Loops
	// Accepted reports whether findings of a kind are accepted for a frame of their stack; if so, the execution
	// continues. Only Function, File and Line of the frame are relevant; innermost marks the frame of the finding.
	Accepted func(kind found.Kind, frame found.Pos, innermost bool) bool
	// ReadsFreed reports whether an accepted read of freed memory at a position returns the old content; nil:
	// nowhere.
	ReadsFreed func(at found.Pos) bool
	// Wanted reports whether a violation ends the execution although it is accepted.
	Wanted func(kind found.Kind, stack []state.Site) bool
	// Dropped reports whether an assumption is ignored, given its active frames; nil: none is.
	Dropped func(stack []state.Site) bool
	// MaxSteps bounds the number of instructions; 0 means defaultSteps.
	MaxSteps int64
	// Trace records the steps of the execution: all, or those in Keep, after TraceFrom instructions.
	Trace     bool
	Keep      *explain.Slice
	TraceFrom int64
	Coverage  bool
	EntryFile string

	// Switch inverts one branch; nil for none.
	Switch *Switching
	// Brief: of the outcome only the end, and the violation's kind and stack, are needed.
	Brief bool
	// Goal[b] is whether the target can still be reached from block b of the entry; otherwise the run ends as
	// EndHopeless. nil: from all blocks.
	Goal []bool
	// Infos is shared between runs of a module; nil if it is not shared.
	Infos *Infos
	// Visits counts the blocks that are entered; nil: they are not counted.
	Visits *Visits
}

// Infos caches static information about the functions of a module.
//
// The zero value is ready to use; it is not safe for concurrent use.
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

// defaultSteps bounds an execution, in instructions, if the options do not.
const defaultSteps = 100_000_000

// Ways for an execution to end.
const (
	EndViolation   = "violation"
	EndReturn      = "return"
	EndExit        = "exit"
	EndAbort       = "abort"
	EndAssume      = "assume"      // an assumption was false, or an unchecked access invalid
	EndSteps       = "steps"       // the budget ended or the context was cancelled
	EndUnsupported = "unsupported" // see Reason
	// EndHopeless: the execution cannot reach the target violation any more (Options.Goal).
	EndHopeless = "hopeless"
)

// Outcome is the result of a run.
type Outcome struct {
	End       string
	Violation *Violation   // for EndViolation
	Steps     []found.Step // with Options.Trace, in execution order; only the end of a very long run
	Inputs    []found.Input
	Where     *llvmir.Loc // where the execution ended, nil if unknown
	// Head is the state at the last head of a loop that was cut; if LoopContracts cuts loops, with Trace. At is nil if
	// nothing was assumed there.
	Head   *Head
	Reason string // for EndSteps, EndUnsupported, EndAssume
	// ByAddress is the first place where the target of a pointer was determined by its numeric address; nil if there
	// is none. The pointer was computed from no object's address as far as the run could follow, from bytes of
	// several pointers or of a pointer and other values, or by bitwise operations that left its object.
	ByAddress *llvmir.Loc
	// Covered has the executed lines, by file; with Options.Coverage.
	Covered map[string]map[int]bool
	// Instructions[id] is whether an instruction was executed; with Options.Coverage. It may be shorter than the
	// number of instructions.
	Instructions []bool
	// Executed is the number of instructions, Skipped that of instructions in iterations that were executed at once.
	Executed, Skipped int64
}

// Cost returns the number of instructions that were executed one by one.
func (o *Outcome) Cost() int64 { return o.Executed - o.Skipped }

// Head is an arbitrary state at a loop head that satisfies the loop invariant.
type Head struct {
	At   *llvmir.Loc // of the invariant
	Func string
	// Vars are the variables of the loop's function in scope, what they point to, and global variables.
	Vars []found.Variable
	// Steps is the number of trace steps before this state.
	Steps int
}

// Violation is a check that failed.
type Violation struct {
	Kind  found.Kind
	Loc   *llvmir.Loc
	Stack []state.Site // outermost first; the last one is the place of the violation
	// Message is a sentence with operand values, without a full stop.
	Message  string
	Mentions []found.Mention // places that Message refers to
	Said     []string        // expressions whose values Message contains
	// Vars are the named variables in scope, of the innermost user frame first, then the user's global variables that
	// may change.
	Vars []found.Variable
	// Memory is the content of memory around the violation; with Options.Trace.
	Memory *found.Memory
	explain.Reasons
	Expression string // the part of Message that stands for the source expression
}

// Run executes the constructors of a module and then the entry, whose parameters are arbitrary.
//
// It never panics; unsupported constructs end in EndUnsupported.
func Run(ctx context.Context, m *clangir.Module, entry string, in choice.Inputs, opts Options) (out *Outcome) {
	return New(ctx, m, entry, in, opts).Run()
}
