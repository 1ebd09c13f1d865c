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

// A loop that is cut by its contract, or by induction, goes on in a state of which the invariant is all that is known.
// That holds for each state there is, so what is proved of it is proved; but no execution need have it, so that
// something is reached from it shows nothing. What would be vacuous if nobody got there is therefore looked for in
// executions: of the inputs of the models that get there, of random ones, and of loops that are unrolled. What none of
// them gets to is taken to be reached, and the verdict says so.

// Limits of that, in instructions of the interpreter. Short executions come first: where a loop may have any number of
// iterations, a model has some for which an execution takes a second, and another one gets there after a few.
var looks = []struct{ longest, models, random int64 }{
	{20_000, 400_000, 200_000},
	{longestExecution, 2_000_000, 1_000_000},
	{10_000_000, 10_000_000, 0},
}

// unseen is what a report says is reached and no execution was seen to get to.
type unseen struct {
	findings map[findingKey]bool
	end      bool // an end of the proof
}

func (u unseen) none() bool { return len(u.findings) == 0 && !u.end }

// see takes out what the executions that another report knows of get to: one of loops that are unrolled.
func (u *unseen) see(r *Report) {
	for i := range r.Instances {
		if in := &r.Instances[i]; in.reached {
			delete(u.findings, keyOf(in))
		}
	}
	u.end = u.end && (!r.EndReached || r.cut)
}

// lookFor finds out which of the things that are reached, as far as the log knows, executions get to.
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
		executed = out.Executed + 500 // and what it takes to begin
		p.opts.meter.executed(executed)
		return executed
	}
	x := fuzz.New(p.m.Module, p.entry)
	for k, l := range looks {
		if k > 0 && len(u.findings) == 0 && p.extent.induction.Endless() {
			break // longer executions do not end either
		}
		opts.MaxSteps = l.longest
		left := l.models
		for _, m := range slices.Backward(p.Models()) {
			if u.none() || left <= 0 || p.ctx.Err() != nil {
				break
			}
			left -= run(newModel(p.engine, m).choose)
		}
		for left = l.random; !u.none() && left > 0 && p.ctx.Err() == nil; {
			x.Begin(x.Fresh())
			left -= run(x.Choose)
		}
	}
	return u
}

// reachedWith are instructions with which one is reached: an assertion that calls a function where it fails is reached
// where that is decided.
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

// noteUnseen says in a report what was taken to be reached.
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
