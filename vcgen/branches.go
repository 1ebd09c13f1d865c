package vcgen

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// BranchWays is a branch of the user's code: of an if, a loop, an operand of && and ||, ?: or a switch.
type BranchWays struct {
	Pos found.Pos
	// Nth distinguishes several branches of a function at one position (macros), from 0. The copies of an inline
	// function in several files count as one.
	Nth int
	// Ways are, for a switch, its cases, the default last. Otherwise they are the true and the false direction of the
	// LLVM branch.
	Ways   []WayTaken
	Switch bool
	Turned Turned
	// Entered: some execution enters the function. If none does, no way is taken.
	Entered bool
}

// WayTaken describes one direction of a branch, and whether any execution takes it.
type WayTaken struct {
	Taken found.Taken
	// Values are the values of the switch cases that lead there, in decimal and signed, even if the default leads
	// there, too.
	Values  []string
	Default bool
	// Line and Column are the position of the target, 0 if it is unknown.
	Line, Column int
}

// maxBranchRounds bounds the queries about branches.
const maxBranchRounds = 300

// seenWays observes an execution of the interpreter.
type seenWays struct {
	interp.Unobserved
	edges   map[unfold.Edge]bool
	entered map[*llvmir.Func]bool
}

// Entered implements interp.Observer.
func (s *seenWays) Entered(fr *state.Frame, from, to int) {
	s.edges[unfold.Edge{Branch: fr.Fn.Blocks[from].Term().ID, To: to}] = true
}

// Pushed implements interp.Observer.
func (s *seenWays) Pushed(fr *state.Frame) { s.entered[fr.Fn] = true }

// userBranches lists the branches of the user's code, by function and position.
func (x *explainer) userBranches() (out []instruction) {
	for _, f := range x.m.Funcs {
		for _, b := range f.Blocks {
			in := b.Term()
			if in == nil || in.Op != llvmir.OpCondBr && in.Op != llvmir.OpSwitch || in.NoSanitize || in.Loc == nil ||
				in.Loc.Line <= 0 || !x.user(in.Loc.File) || in.Args[0].Kind == llvmir.OperandConst {
				continue
			}
			if slices.ContainsFunc(in.Succs, func(to int) bool { return fails(f.Blocks[to]) }) {
				continue // a check, not a choice
			}
			out = append(out, instruction{f, in})
		}
	}
	return out
}

// fails reports whether a block is the failure of an assertion or of a sanitizer's check.
func fails(b *llvmir.Block) bool {
	return slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool {
		return asserts(in) || in.NoSanitize && in.Op == llvmir.OpUnreachable
	})
}

// explainBranches determines the directions of the user's branches that executions take, over all executions that
// satisfy the assumptions. A direction is taken if the interpreter takes it with a model, and not taken if a query
// excludes it.
func (x *explainer) explainBranches(out *Explanation) {
	for _, in := range x.report.Instances {
		x.anyFailed = x.anyFailed || in.Verdict == found.Failed || in.Verdict == found.Unknown
	}
	prefix := x.ch.Held
	if x.anyFailed {
		prefix = x.ch.Assumed
	} else {
		x.reached = nil
		x.settleCuts()
	}
	seen := &seenWays{edges: map[unfold.Edge]bool{}, entered: map[*llvmir.Func]bool{}}
	opts := x.interpOptions(false)
	opts.Coverage, opts.MaxSteps = false, coverageSteps
	execute := func(m *ask.Model) {
		run := interp.New(x.ctx, x.m, x.entry, newModel(x.engine, m).choose, opts)
		run.Observe(seen)
		x.opts.meter.executed(run.Run().Executed)
	}
	for _, m := range x.Models() {
		execute(m)
	}
	branches := x.userBranches()
	impossible := map[unfold.Edge]bool{}
	var edges []unfold.Edge
	var terms []smt.Term
	for _, b := range branches {
		for _, to := range successors(b.in) {
			edge := unfold.Edge{Branch: b.in.ID, To: to}
			var conditions []smt.Term
			for _, w := range x.prog.Ways[edge] {
				conditions = append(conditions, x.c.And(prefix[w.Event], w.Guard))
			}
			t := x.c.Or(conditions...)
			if x.c.IsFalse(t) {
				impossible[edge] = true
			} else if !seen.edges[edge] {
				edges, terms = append(edges, edge), append(terms, t)
			}
		}
	}
	for rounds := 0; len(edges) > 0 && rounds < maxBranchRounds && x.ctx.Err() == nil; rounds++ {
		o := x.Ask(x.ctx, ask.Question{Any: terms, Budget: coreBudget, Session: &x.standing})
		if o.Answer == smt.Unsat {
			for _, e := range edges {
				impossible[e] = true
			}
			break
		}
		var first int // undecided if nothing else is known
		if o.Answer == smt.Sat {
			execute(o.Model)
			first = slices.IndexFunc(terms, o.Model.EvalBool)
		} else if len(edges) > 1 { // a hard one must not affect the others
			for i, t := range terms {
				q := ask.Question{Any: []smt.Term{t}, Budget: coreBudget / 4, Session: &x.standing}
				switch o := x.Ask(x.ctx, q); o.Answer {
				case smt.Unsat:
					impossible[edges[i]] = true
				case smt.Sat:
					execute(o.Model)
				}
			}
			break
		}
		var leftEdges []unfold.Edge
		var leftTerms []smt.Term
		for i, e := range edges {
			if i != first && !seen.edges[e] {
				leftEdges, leftTerms = append(leftEdges, e), append(leftTerms, terms[i])
			}
		}
		edges, terms = leftEdges, leftTerms
	}
	x.tellBranches(out, branches, seen, impossible)
}

// successors returns the successors of a branch without duplicates.
func successors(in *llvmir.Instr) []int {
	var out []int
	for _, to := range in.Succs {
		if !slices.Contains(out, to) {
			out = append(out, to)
		}
	}
	return out
}

// tellBranches stores the results in the explanation.
func (x *explainer) tellBranches(out *Explanation, branches []instruction, seen *seenWays,
	impossible map[unfold.Edge]bool) {
	open := map[int]bool{} // by ID of a branch: unexplored parts of the program may lead to it
	doubtful := func(id int) bool {
		is, known := open[id]
		if !known {
			is = !x.prog.Executed[id] && !x.report.Reason.None() || !x.reason.None() || x.regionHas(id) != "" ||
				x.lostToObligations(id)
			open[id] = is
		}
		return is
	}
	merged := branchList{at: map[found.Pos][]int{}}
	for _, b := range branches {
		pos := found.Pos{File: b.in.Loc.File, Line: b.in.Loc.Line, Column: b.in.Loc.Col, Function: b.f.SourceName}
		w := BranchWays{Pos: pos, Switch: b.in.Op == llvmir.OpSwitch, Turned: turned(b), Entered: seen.entered[b.f]}
		tell := func(to int) {
			edge := unfold.Edge{Branch: b.in.ID, To: to}
			way := WayTaken{Taken: found.MaybeTaken}
			switch {
			case seen.edges[edge]:
				way.Taken = found.TakenBy
			case impossible[edge] && !doubtful(b.in.ID):
				way.Taken = found.NeverTaken
			}
			for _, in := range b.f.Blocks[to].Instrs {
				if in.Loc != nil && in.Loc.File == pos.File && in.Loc.Line > 0 {
					way.Line, way.Column = in.Loc.Line, in.Loc.Col
					break
				}
			}
			if w.Switch {
				way.Values, way.Default = casesOf(b.in, to)
			}
			w.Ways = append(w.Ways, way)
		}
		if !w.Switch {
			tell(b.in.Succs[0])
			tell(b.in.Succs[1])
		} else {
			for _, to := range successors(b.in) {
				if to != b.in.Succs[0] {
					tell(to)
				}
			}
			tell(b.in.Succs[0])
		}
		merged.add(b.f, w)
	}
	out.Branches = merged.list
	slices.SortStableFunc(out.Branches, func(a, b BranchWays) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Pos.Function, b.Pos.Function), cmp.Compare(a.Nth, b.Nth))
	})
}

// branchList is a list of branches in which copies of a function are merged.
type branchList struct {
	list []BranchWays
	of   [][]*llvmir.Func    // by branch: the copies that contain it
	at   map[found.Pos][]int // indexes into list
}

// add adds a branch of a function, or merges it with the same branch in a copy of that function.
func (l *branchList) add(f *llvmir.Func, w BranchWays) {
	for _, i := range l.at[w.Pos] {
		if !slices.Contains(l.of[i], f) && l.list[i].merge(&w) {
			l.of[i] = append(l.of[i], f)
			return
		}
	}
	w.Nth = len(l.at[w.Pos])
	l.at[w.Pos] = append(l.at[w.Pos], len(l.list))
	l.list, l.of = append(l.list, w), append(l.of, []*llvmir.Func{f})
}

// merge adds the results for the same branch in a copy of its function. It reports whether it is the same branch.
func (b *BranchWays) merge(other *BranchWays) bool {
	same := b.Switch == other.Switch && b.Turned == other.Turned &&
		slices.EqualFunc(b.Ways, other.Ways, func(v, w WayTaken) bool {
			return v.Default == w.Default && slices.Equal(v.Values, w.Values)
		})
	if !same {
		return false
	}
	b.Entered = b.Entered || other.Entered
	for i := range b.Ways {
		b.Ways[i].Taken = b.Ways[i].Taken.Or(other.Ways[i].Taken)
	}
	return true
}

// casesOf returns the switch cases that lead to a block. otherwise is set if the default leads there, too.
func casesOf(in *llvmir.Instr, to int) (values []string, otherwise bool) {
	for i, k := range in.Cases {
		if in.Succs[i+1] == to && k.Int != nil {
			values = append(values, signedCase(k).String())
		}
	}
	return values, in.Succs[0] == to
}

// signedCase returns the value of a case as a signed number.
func signedCase(k *llvmir.Const) *big.Int {
	bits := int(k.Type.Bits)
	if k.Int.Bit(bits-1) == 0 {
		return k.Int
	}
	return new(big.Int).Sub(k.Int, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
}
