package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// Assumption is something that the unfolded program takes for granted.
type Assumption struct {
	found.Assumption             // without its place
	Site             *seair.Site // nil: the whole program
	// Writes is the symbol that stands for the effect of a missing body, or for the size of a missing variable, 0 when
	// there is none.
	Writes smt.Term
}

// Program is the result of an unfolding.
type Program struct {
	Log         *seair.Log
	Memory      *mem.Memory
	Assumptions []Assumption
	quantify.Conditions
	ContractsUsed
	Instructions int64
	// Defined has, of weak functions that the program lacks, when something defines them.
	Defined map[string]smt.Term
	// Executed tells which instructions (by ID) were executed under some guard.
	Executed map[int]bool
	// Branches tells which branches a literal of a guard can come from, in the order of the execution.
	Branches map[smt.Term][]Branch
	// CutByContract: a loop was cut by its contract, so that not every violation is one of the program.
	CutByContract bool
	// Long: a loop runs often. It is told while the program is unfolded.
	Long bool
	// Endless: one of the long loops has no exit, so that its unrolling comes to no end.
	Endless bool
	// Loops tells how each loop was executed.
	Loops map[*flow.Loop]*LoopRun
	// Infeasible lists the iterations and recursive calls that the oracle excluded.
	Infeasible []Infeasible
	// Dead holds the ways behind branches that were not taken at all, each as it was when it was first left out.
	Dead map[Edge]Dead
	// Ways lists how each edge of a branch was followed, in the order of the execution; with Options.Ways.
	Ways map[Edge][]Way
	// Lines lists how each line of the user's code was reached, in the order of the execution; with Options.Lines.
	Lines map[Line][]Way
	cuts  []cutPoint
	run   *run
}

// Branch is a decision of the program: the condition holds where it goes the way Taken.
type Branch struct {
	Site  *seair.Site
	Taken bool
	Event int // length of the log when it was first met
}

// Edge is a way from a branch (the ID of its instruction) to a block of its function.
type Edge struct{ Branch, To int }

// Dead is an edge that was not followed: Cond, the branch's own condition for it, contradicts Guard, or both contradict
// what is assumed before it.
type Dead struct {
	Guard, Cond smt.Term
	Branch      Branch
}

// Line is a line of a source file.
type Line struct {
	File string
	Line int
}

// Way is an edge that executions take where Guard holds, and everything before Event does; or a line that they reach.
type Way struct {
	Guard smt.Term
	Event int // length of the log then
}

// Infeasible is a way that was left out: no execution on which everything before Event
// holds takes it.
type Infeasible struct {
	Guard  smt.Term
	Event  int // length of the log then
	Region int
}

// cutPoint is where the unfolding stopped: what the rest of the program may do from there
// is decided on the static control flow (Region).
type cutPoint struct {
	fr    *frame
	block int
	instr int  // first instruction not executed
	all   bool // anything may follow
}

// standing is a place in a call: the first instruction of a block that was not executed.
type standing struct {
	fn           *flow.Function
	block, instr int
}

// Region returns the IDs of the instructions that the program may execute after the k-th
// place where the unfolding stopped, by the static control flow of all frames.
func (p *Program) Region(k int) map[int]bool {
	cut := p.cuts[k]
	if cut.all {
		return p.behind(nil)
	}
	at := []standing{{cut.fr.fn, cut.block, cut.instr}}
	for fr := cut.fr; fr.caller != nil; fr = fr.caller {
		at = append(at, standing{fr.caller.fn, fr.callBlock, fr.callInstr + 1})
	}
	return p.behind(at)
}

// Behind is Region for what follows an instruction and the calls that led there.
func (p *Program) Behind(site *seair.Site) map[int]bool {
	r := p.run
	var at []standing
	for ; site != nil; site = site.Caller {
		found := false
		for _, f := range r.m.Funcs {
			for b, block := range f.Blocks {
				if i := slices.IndexFunc(block.Instrs, func(in *llvmir.Instr) bool { return in.ID == site.ID }); i >= 0 {
					at, found = append(at, standing{r.function(f), b, i + 1}), true
				}
			}
		}
		if !found { // it belongs to no instruction
			return p.behind(nil)
		}
	}
	return p.behind(at)
}

// behind returns the IDs of the instructions that may be executed after some calls, the innermost first. Where none is
// given, anything may follow.
func (p *Program) behind(calls []standing) map[int]bool {
	r := p.run
	out := map[int]bool{}
	doneFuncs := map[*llvmir.Func]bool{}
	var addFunc func(f *llvmir.Func)
	addInstr := func(in *llvmir.Instr) {
		out[in.ID] = true
		if in.Op != llvmir.OpCall {
			return
		}
		if in.Callee.Kind == llvmir.OperandConst && in.Callee.Const != nil && in.Callee.Const.Kind == llvmir.ConstFunc {
			addFunc(in.Callee.Const.Func)
			return
		}
		for _, f := range r.m.Funcs {
			if len(f.Blocks) > 0 && sameShape(f, in) {
				addFunc(f)
			}
		}
	}
	addFunc = func(f *llvmir.Func) {
		if doneFuncs[f] || len(f.Blocks) == 0 {
			return
		}
		doneFuncs[f] = true
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				addInstr(in)
			}
		}
	}
	for _, f := range r.m.After() {
		addFunc(f)
	}
	if len(calls) == 0 {
		for _, f := range r.m.Funcs {
			addFunc(f)
		}
		return out
	}
	for _, at := range calls {
		seen := map[int]bool{}
		var walk func(b, from int)
		walk = func(b, from int) {
			for i, in := range at.fn.Blocks[b].Instrs {
				if i >= from && i <= at.fn.Nodes[b].Stop {
					addInstr(in)
				}
			}
			for _, s := range at.fn.Nodes[b].Succs {
				if !seen[s] {
					seen[s] = true
					walk(s, 0)
				}
			}
		}
		walk(at.block, at.instr)
	}
	if calls[len(calls)-1].fn.Func != r.entry { // behind a constructor: the others and the entry
		for _, f := range r.m.Ctors {
			addFunc(f)
		}
		addFunc(r.entry)
	}
	return out
}

// sameShape reports whether an indirect call may go to f at all.
func sameShape(f *llvmir.Func, in *llvmir.Instr) bool {
	return f.Variadic || len(f.Params) == len(in.Args)
}

// Function returns a function of the unfolded module.
func (p *Program) Function(name string) *llvmir.Func { return p.run.m.FuncByName[name] }

// ObjectFunction returns the function that a Function object stands for.
func (p *Program) ObjectFunction(o *mem.Object) *llvmir.Func { return p.run.funcIDs[o.Fn] }
