package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A loop that is cut by its contract, or by induction, continues from a state about which only the invariant is known.
// A proof for all these states is valid. But no execution need have such a state, so reaching a place from it shows
// nothing. Therefore findings that would be vacuous if unreached are searched in executions: with the inputs of models
// that reach them, with random inputs, and with unrolled loops. Findings that no execution reaches are assumed to be
// reached, and the report lists that assumption.

// Limits of these executions, in instructions of the interpreter. Short executions come first: if a loop may have any
// number of iterations, the execution of one model may take a second, and another one reaches the finding after a few
// iterations.
var looks = []struct{ longest, models, random int64 }{
	{20_000, 400_000, 200_000},
	{longestExecution, 2_000_000, 1_000_000},
	{10_000_000, 10_000_000, 0},
}

// unseen contains the findings of a report that count as reached though no execution was seen to reach them.
type unseen struct {
	findings map[findingKey]bool
	end      bool // an end of the proof
}

func (u unseen) none() bool { return len(u.findings) == 0 && !u.end }

// see removes the findings that executions of another report reach, such as one with unrolled loops.
func (u *unseen) see(r *Report) {
	for i := range r.Instances {
		if in := &r.Instances[i]; in.reached {
			delete(u.findings, keyOf(in))
		}
	}
	u.end = u.end && (!r.EndReached || r.cut)
}

// lookFor returns the findings that are reached according to the log, without the ones that executions reach.
func (p *plan) lookFor() unseen {
	u := unseen{findings: map[findingKey]bool{}, end: p.endReach}
	at := map[int][]findingKey{} // by instruction
	for _, st := range p.obs {
		s := p.log.Events[st.event].Site
		if !st.reached || st.failed || s == nil || !p.wantsCore(st) {
			continue
		}
		u.findings[st.key] = true
		for _, id := range reachedWith(p.m, s.ID) {
			at[id] = append(at[id], st.key)
		}
	}
	if p.opts.Vacuity == VacuityOff || u.none() {
		return unseen{}
	}
	opts := p.interpOptions(false)
	run := func(in choice.Inputs) (executed int64) {
		out := interp.Run(p.ctx, p.m, p.entry, in, opts)
		for id, keys := range at {
			if id < len(out.Instructions) && out.Instructions[id] {
				for _, k := range keys {
					delete(u.findings, k)
				}
			}
		}
		u.end = u.end && out.End != interp.EndReturn && out.End != interp.EndExit && out.End != interp.EndAbort
		executed = out.Cost() + 500 // including the cost of the start
		p.opts.meter.executed(executed)
		return executed
	}
	x := fuzz.New(p.m.Module, p.entry)
	for k, l := range looks {
		if k > 0 && len(u.findings) == 0 && p.extent.induction.Endless() {
			break // longer executions do not end either
		}
		opts.MaxSteps = l.longest
		remaining := l.models
		for _, m := range slices.Backward(p.Models()) {
			if u.none() || remaining <= 0 || p.ctx.Err() != nil {
				break
			}
			remaining -= run(newModel(p.engine, m).choose)
		}
		for remaining = l.random; !u.none() && remaining > 0 && p.ctx.Err() == nil; {
			x.Begin(x.Fresh())
			remaining -= run(x.Choose)
		}
	}
	return u
}

// reachedWith returns the instructions that count as reaching an instruction. The failure call of an assertion counts
// as reached at the branch that decides it.
func reachedWith(m *clangir.Module, id int) []int {
	ids := []int{id}
	for _, f := range m.Funcs {
		for i, b := range f.Blocks {
			if !slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool { return in.ID == id }) {
				continue
			}
			if n := flow.Analyse(m, f).Nodes[i]; n.Failure && n.Idom >= 0 {
				decides := f.Blocks[n.Idom].Instrs
				ids = append(ids, decides[len(decides)-1].ID)
			}
		}
	}
	return ids
}

// noteUnseen adds to a report the assumption that unseen findings are reached.
func (r *Report) noteUnseen() {
	affected := map[findingKey][]int{}
	var keys []findingKey
	for i := range r.Instances {
		if k := keyOf(&r.Instances[i]); r.unseen.findings[k] && r.Instances[i].Verdict == found.Proved {
			if affected[k] == nil {
				keys = append(keys, k)
			}
			affected[k] = append(affected[k], i)
		}
	}
	for _, k := range keys {
		r.Assumptions = append(r.Assumptions, found.Assumption{What: found.TakenAsReached,
			At: r.Instances[affected[k][0]].Pos, Affects: affected[k]})
	}
	if r.unseen.end && r.EndReached {
		r.Assumptions = append(r.Assumptions, found.Assumption{What: found.TakenAsReached,
			Name: language.Shown(r.Entry)})
	}
}
