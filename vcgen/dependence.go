package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// asserted are the kinds whose conditions are written by the user: it is useful to report whether they depend on any
// input.
var asserted = map[found.Kind]bool{found.Assertion: true, found.Precondition: true, found.Postcondition: true,
	found.LoopInvariant: true}

// explainInputs determines the choices of an execution on which each assertion depends: the choices in the terms of
// its condition and of its guard. Terms are simplified, so a choice that is missing is irrelevant; one that is present
// may be irrelevant, too.
func (x *explainer) explainInputs(out *Explanation) {
	type about struct {
		terms  []smt.Term
		always bool
		open   bool // it may depend on inputs that the terms omit
	}
	findings := map[findingKey]*about{}
	var keys []findingKey
	instrs := x.instructions()
	for _, st := range x.obs {
		ev := &x.log.Events[st.event]
		if !asserted[st.key.kind] || ev.ConstFalse {
			continue
		}
		a := findings[st.key]
		if a == nil {
			a = &about{}
			findings[st.key] = a
			keys = append(keys, st.key)
		}
		a.terms = append(a.terms, ev.Cond)
		if !x.alwaysReached(st.event) {
			a.terms = append(a.terms, ev.Guard)
		}
		if at, ok := instrs[ev.Site.ID]; ok && st.key.kind == found.Assertion {
			a.always = writtenTrue(at)
			a.open = a.open || !writtenConstant(at)
		}
	}
	byVar, byFunc := map[smt.Term][]int{}, map[smt.Func][]int{}
	for i, in := range x.log.Inputs {
		switch {
		case in.Kind == choice.Object || in.Kind == choice.Size: // an address is no input
		case in.Bytes:
			byFunc[in.Content] = append(byFunc[in.Content], i)
		case in.Value != 0:
			for _, v := range x.c.Symbols(in.Value) {
				byVar[v] = append(byVar[v], i)
			}
		}
	}
	for _, key := range keys {
		a := findings[key]
		a.terms = x.withBodies(a.terms)
		var used []int
		for _, v := range x.c.Symbols(a.terms...) {
			used = append(used, byVar[v]...)
		}
		for _, f := range x.c.Funcs(a.terms...) {
			used = append(used, byFunc[f]...)
		}
		slices.Sort(used)
		f := out.finding(key)
		f.Always = a.always
		f.Inputs = []InputUse{}
		for _, i := range slices.Compact(used) {
			if use := x.inputUse(i, instrs); !slices.Contains(f.Inputs, use) {
				f.Inputs = append(f.Inputs, use)
			}
		}
		if len(f.Inputs) == 0 && a.open && !a.always {
			f.Inputs = nil // either simplified away or absent: unknown
		}
	}
}

// withBodies adds the bodies of the quantifiers and scans whose symbols occur in the terms.
func (x *explainer) withBodies(terms []smt.Term) []smt.Term {
	open := slices.Clone(x.prog.Quantifiers)
	for again := true; again; {
		again = false
		spoken := x.c.Symbols(terms...)
		open = slices.DeleteFunc(open, func(q *quantify.Quantifier) bool {
			defined := []smt.Term{q.Sym}
			if q.To != 0 {
				defined = x.c.Symbols(q.From, q.To)
			}
			if !slices.ContainsFunc(defined, func(s smt.Term) bool { return slices.Contains(spoken, s) }) {
				return false
			}
			terms, again = append(terms, q.Body), true
			return true
		})
	}
	return terms
}

// alwaysReached reports whether an event is reached by every execution on which everything before it holds. The guard
// may still contain an input if paths merge that were separated by it.
func (x *explainer) alwaysReached(event int) bool {
	guard := x.log.Events[event].Guard
	if x.c.IsTrue(guard) {
		return true
	}
	o := x.Ask(x.ctx, ask.Question{Facts: []smt.Term{x.ch.Held[event]}, Any: []smt.Term{x.c.Not(guard)},
		Budget: feasibilityBudget, Session: &x.standing})
	return o.Answer == smt.Unsat
}

// finding returns the explanation of a finding.
func (e *Explanation) finding(key findingKey) *FindingExplanation {
	for i := range e.Findings {
		if f := &e.Findings[i]; f.Kind == key.kind && f.Pos.File == key.file && f.Pos.Line == key.line &&
			f.Pos.Column == key.col {
			return f
		}
	}
	e.Findings = append(e.Findings, FindingExplanation{Kind: key.kind,
		Pos: found.Pos{File: key.file, Line: key.line, Column: key.col}})
	return &e.Findings[len(e.Findings)-1]
}

// instruction is an instruction with its function.
type instruction struct {
	f  *llvmir.Func
	in *llvmir.Instr
}

// instructions returns the instructions of the module by ID.
func (e *engine) instructions() map[int]instruction {
	out := map[int]instruction{}
	for _, f := range e.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				out[in.ID] = instruction{f, in}
			}
		}
	}
	return out
}

// instructionAt returns the position of an instruction.
func (e *engine) instructionAt(id int) found.Pos {
	at, ok := e.instructions()[id]
	if !ok {
		return found.Pos{}
	}
	return explain.PosOf(at.in.Loc, at.f.SourceName)
}

// inputUse describes an input in terms of the source.
func (x *explainer) inputUse(i int, instrs map[int]instruction) InputUse {
	in := x.log.Inputs[i]
	use := InputUse{Kind: found.InputKind(in.Kind), Function: in.Name}
	at, ok := instrs[in.Site]
	if !ok {
		if in.Kind == choice.Parameter || in.Kind == choice.Global {
			use.Variable, use.Function = in.Name, ""
		}
		return use
	}
	use.Function = ""
	if in.Kind == choice.AllocFails { // the position distinguishes the two
		use.Kind = found.InputMalloc
	}
	if l := at.in.Loc; l != nil && !x.user(l.File) { // choices of our own code have no name
		return use
	} else if l != nil {
		use.Pos = found.Pos{File: l.File, Line: l.Line, Column: l.Col, Function: at.f.SourceName}
	}
	if called := at.in.External(); called != nil {
		use.Function = called.SourceName
	}
	use.Variable = variableOf(at)
	return use
}

// variableOf returns the name of the variable whose storage an instruction creates, or which receives its result.
func variableOf(at instruction) string {
	info := state.InfoOf(at.f)
	name := func(reg int) string {
		if reg >= 0 && reg < len(info.Vars) && info.Vars[reg] != nil {
			return info.Vars[reg].Name
		}
		return ""
	}
	if n := name(at.in.Dst); n != "" || at.in.Op == llvmir.OpAlloca {
		return n
	}
	if at.in.Intrinsic == "lifetime.start" && len(at.in.Args) == 2 && at.in.Args[1].Kind == llvmir.OperandReg {
		return name(throughCasts(info, at.in.Args[1].Reg))
	}
	value := at.in.Dst
	for _, b := range at.f.Blocks { // the first store of the possibly converted result
		for _, in := range b.Instrs {
			switch {
			case value < 0 || len(in.Args) == 0 || in.Args[0].Kind != llvmir.OperandReg || in.Args[0].Reg != value:
			case in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg:
				return name(throughCasts(info, in.Args[1].Reg))
			case in.Op == llvmir.OpZExt || in.Op == llvmir.OpTrunc || in.Op == llvmir.OpSExt || in.Op == llvmir.OpBitCast:
				value = in.Dst
			}
		}
	}
	return ""
}

func throughCasts(info *state.FuncInfo, reg int) int {
	for reg < len(info.Def) && info.Def[reg] != nil && info.Def[reg].Op == llvmir.OpBitCast &&
		info.Def[reg].Args[0].Kind == llvmir.OperandReg {
		reg = info.Def[reg].Args[0].Reg
	}
	return reg
}
