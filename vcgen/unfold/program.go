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

// Assumption is a fact that the unfolded program relies on without a check.
type Assumption struct {
	found.Assumption             // without its place
	Site             *seair.Site // nil: the whole program
	// Writes is the symbol of the effect of a missing body, or of the size of a missing variable; 0 if there is none.
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
	// Defined maps weak functions that the program lacks to the condition that they are defined elsewhere.
	Defined map[string]smt.Term
	// Executed contains the instructions (by ID) that were executed under some guard.
	Executed map[int]bool
	// Branches maps the literals of guards to the branches that they come from, in execution order.
	Branches map[smt.Term][]Branch
	// CutByContract is set if a loop was cut by its contract: not every violation is then one of the program.
	CutByContract bool
	// Long is set, during the unfolding, once a loop has many iterations.
	Long bool
	// Open is set, during the unfolding, once the end of a loop depends on inputs, and the loop could be cut at its head.
	Open bool
	// Endless: one of the long loops has no exit, so that its unrolling comes to no end.
	Endless bool
	// Loops summarizes the executions of each loop.
	Loops map[*flow.Loop]*LoopRun
	// Infeasible lists the iterations and recursive calls that the oracle excluded.
	Infeasible []Infeasible
	// Dead holds the edges of branches that were never followed, each as it was when it was first omitted.
	Dead map[Edge]Dead
	// Ways lists how each edge of a branch was followed, in execution order; nil without Options.Ways.
	Ways map[Edge][]Way
	// Lines lists how each line of the user's code was reached, in execution order; nil without Options.Lines.
	Lines map[Line][]Way
	cuts  []cutPoint
	run   *run
}

// Branch is a conditional branch of the program. Taken is the direction in which the condition holds.
type Branch struct {
	Site  *seair.Site
	Taken bool
	Event int // length of the log when it was first reached
}

// Edge leads from a branch (the ID of its instruction) to a block of its function.
type Edge struct{ Branch, To int }

// Dead is an edge that was not followed: its condition Cond contradicts Guard, or both together contradict the
// assumptions before it.
type Dead struct {
	Guard, Cond smt.Term
	Branch      Branch
}

// Line is a line of a source file.
type Line struct {
	File string
	Line int
}

// Way is a condition under which executions take an edge or reach a line: Guard holds, and everything before Event
// does.
type Way struct {
	Guard smt.Term
	Event int // length of the log at that time
}

// Infeasible is an edge or call that was not followed: no execution on which everything before Event holds takes it.
type Infeasible struct {
	Guard  smt.Term
	Event  int // length of the log at that time
	Region int
}

// cutPoint is a place at which the unfolding stopped. The instructions that may follow are determined by the static
// control flow (Region).
type cutPoint struct {
	fr    *frame
	block int
	instr int  // first instruction not executed
	all   bool // anything may follow
}

// standing is a position in a call: the first instruction of a block that was not executed.
type standing struct {
	fn           *flow.Function
	block, instr int
}

// Region returns the IDs of the instructions that may be executed after the k-th cut. It follows the static control
// flow of all frames.
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

// Behind returns the IDs of the instructions that may be executed after a site and the calls that led there.
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
		if !found { // the site belongs to no instruction
			return p.behind(nil)
		}
	}
	return p.behind(at)
}

// behind returns the IDs of the instructions that may be executed after some calls, the innermost first. If calls is
// empty, any instruction may follow.
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
	if calls[len(calls)-1].fn.Func != r.entry { // behind a constructor: the other ones and the entry
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
