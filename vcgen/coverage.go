package vcgen

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxLineRounds bounds the queries about lines.
const maxLineRounds = 300

// coverage determines the lines that executions reach with all checks so far passed. A line is missed if a query
// excludes it, or if it was never unfolded and no cut leads to it.
func (p *plan) coverage() found.Coverage {
	all, doubt := p.lines(), p.doubtfulLines()
	known := map[unfold.Line]found.Taken{}
	for _, st := range p.obs {
		if at := st.ins.Pos; st.reached || st.failed {
			known[unfold.Line{File: at.File, Line: at.Line}] = found.TakenBy
		}
	}
	reach := func(at unfold.Line, prefix []smt.Term) smt.Term { return p.within(p.prog.Lines[at], prefix) }
	open := slices.DeleteFunc(slices.Clone(all), func(at unfold.Line) bool { return known[at] != "" })
	p.settleLines(open, p.ch.Held, reach, known)
	if p.undecided() {
		// An undecided check may be violated only in the formulas, and executions that it ends may continue.
		assumed := map[unfold.Line]found.Taken{}
		missed := slices.DeleteFunc(open, func(at unfold.Line) bool { return known[at] != found.NeverTaken || doubt[at] })
		p.settleLines(missed, p.ch.Assumed, reach, assumed)
		for _, at := range missed {
			if assumed[at] != found.NeverTaken {
				known[at] = found.MaybeTaken
			}
		}
	}
	out := found.Coverage{}
	for _, at := range all {
		if out[at.File] == nil {
			out[at.File] = map[int]found.Taken{}
		}
		if known[at] == found.NeverTaken && doubt[at] {
			known[at] = found.MaybeTaken
		}
		out[at.File][at.Line] = known[at]
	}
	return out
}

// settleLines determines for each line whether executions reach it under a chain of prefixes.
func (p *plan) settleLines(lines []unfold.Line, prefix []smt.Term, reach func(unfold.Line, []smt.Term) smt.Term,
	known map[unfold.Line]found.Taken) {
	byTerm := map[smt.Term][]unfold.Line{}
	var terms []smt.Term
	for _, at := range lines {
		t := reach(at, prefix)
		if p.c.IsFalse(t) {
			known[at] = found.NeverTaken
			continue
		}
		known[at] = found.MaybeTaken
		if slices.ContainsFunc(p.Models(), func(m *ask.Model) bool { return p.Witnessed(m, t) }) {
			known[at] = found.TakenBy
			continue
		}
		if byTerm[t] == nil {
			terms = append(terms, t)
		}
		byTerm[t] = append(byTerm[t], at)
	}
	if len(terms) == 0 {
		return
	}
	q := ask.Question{Any: terms, Budget: coreBudget, Undecided: ask.Halve, Rounds: maxLineRounds, Session: &p.standing}
	for i, o := range p.Each(p.ctx, q, func([]int, ask.Outcome) {}) {
		for _, at := range byTerm[terms[i]] {
			switch o.Answer {
			case smt.Sat:
				known[at] = found.TakenBy
			case smt.Unsat:
				known[at] = found.NeverTaken
			}
		}
	}
}

// reachedLines returns the lines of the findings that executions reach. Induction reaches findings behind loops that
// are cut in the run to which the coverage belongs.
func (r *Report) reachedLines() found.Coverage {
	out := found.Coverage{}
	for i := range r.Instances {
		in := &r.Instances[i]
		if _, known := r.Covered[in.Pos.File][in.Pos.Line]; !known || !in.reached {
			continue
		}
		if out[in.Pos.File] == nil {
			out[in.Pos.File] = map[int]found.Taken{}
		}
		out[in.Pos.File][in.Pos.Line] = found.TakenBy
	}
	return out
}

// undecided reports whether an obligation has no verdict.
func (p *plan) undecided() bool {
	return slices.ContainsFunc(p.obs, func(st *status) bool { return !st.unknown.None() })
}

// lines returns the lines of the user's code.
func (p *plan) lines() (out []unfold.Line) {
	seen := map[unfold.Line]bool{}
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Loc == nil || in.Loc.Line <= 0 || !p.user(in.Loc.File) {
					continue
				}
				if at := (unfold.Line{File: in.Loc.File, Line: in.Loc.Line}); !seen[at] {
					seen[at] = true
					out = append(out, at)
				}
			}
		}
	}
	return out
}

// doubtfulLines returns the lines that executions may reach though the unfolding did not follow them. They are behind
// a cut or, if an obligation is undecided, behind an omitted iteration: it may have been omitted because the
// obligation ends all executions there.
func (p *plan) doubtfulLines() map[unfold.Line]bool {
	regions := map[int]bool{}
	cuts := p.reached
	if p.ctx.Err() != nil { // the run was stopped, perhaps before the reached cuts were known
		cuts = p.cuts
	}
	for _, k := range cuts {
		if ev := &p.log.Events[k]; ev.Kind == seair.Cut || ev.Kind == seair.Unsupported {
			maps.Copy(regions, p.prog.Region(ev.Region))
		}
	}
	if p.undecided() {
		var conditions []smt.Term
		for _, x := range p.prog.Infeasible {
			conditions = append(conditions, p.c.And(p.ch.Assumed[x.Event], x.Guard))
		}
		q := ask.Question{Any: conditions, Budget: coreBudget, Rounds: maxCoverAll, Session: &p.standing}
		for i, o := range p.Each(p.ctx, q, func([]int, ask.Outcome) {}) {
			if o.Answer != smt.Unsat {
				maps.Copy(regions, p.prog.Region(p.prog.Infeasible[i].Region))
			}
		}
	}
	// A contradiction ends executions at a place without a cut.
	all := !p.reason.None() && p.reason.Why != found.NotSupported && p.reason.Why != found.TooLong
	out := map[unfold.Line]bool{}
	for _, f := range p.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Loc != nil && (all || regions[in.ID]) {
					out[unfold.Line{File: in.Loc.File, Line: in.Loc.Line}] = true
				}
			}
		}
	}
	return out
}
