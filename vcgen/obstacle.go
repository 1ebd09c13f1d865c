package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// If a loop is cut by its contract, a model of a violation is a state that the invariant permits, and its
// consequences. No execution of the program need have that state, so it shows no error of the program, but a gap in
// the invariant. The interpreter executes the program with the loops cut in the same way, and describes the state like
// a violation. Only a state is shown for which the interpreter has checked that it satisfies the invariant and
// violates the condition.

// obstacle returns a function that describes the state of a model in which an obligation is violated; nil if there is
// none. It is called only if there is no better result, since it takes executions.
func (p *plan) obstacle(st *status, facts []smt.Term, fails smt.Term, ev *ask.Model) func() *found.Obstacle {
	if !p.extent.loops.Cut() {
		return nil
	}
	return func() (way *found.Obstacle) {
		p.confirmBest(st, facts, fails, ev, func(st *status, ev *ask.Model) found.Reason {
			defer p.stage("confirm")()
			opts := p.interpOptions(true)
			opts.LoopContracts = p.extent.loops
			_, opts.Wanted = p.wanted(st)
			out, tape := p.execute(newModel(p.engine, ev).choose, opts, !p.opts.FullTrace)
			v, h := out.Violation, out.Head
			if out.End != interp.EndViolation || !opts.Wanted(v.Kind, v.Stack) || h == nil || h.At == nil {
				return found.Reason{Why: found.NotInductive}
			}
			cex := p.counterexample(out, tape)
			cex.Trace = cex.Trace[min(h.Steps, len(cex.Trace)):]
			way = &found.Obstacle{At: explain.PosOf(h.At, h.Func), State: h.Vars, Violation: cex}
			return found.Reason{}
		})
		return way
	}
}

// tellObstacles computes the states in the way of the proof, except for findings that other violates.
func (r *Report) tellObstacles(other *Report) {
	violated := map[findingKey]bool{}
	if other != nil {
		for i := range other.Instances {
			if failed(&other.Instances[i]) {
				violated[keyOf(&other.Instances[i])] = true
			}
		}
	}
	described := map[findingKey]bool{}
	for i := range r.Instances {
		in := &r.Instances[i]
		if key := keyOf(in); in.obstacle != nil && !described[key] && !violated[key] {
			in.InTheWay = in.obstacle()
			described[key] = in.InTheWay != nil
		}
		in.obstacle = nil
	}
}

// obstacle returns the state in the way of one of the instances, nil if none is known.
func (r *Report) obstacle(instances []int) *found.Obstacle {
	for _, i := range instances {
		if way := r.Instances[i].InTheWay; way != nil {
			return way
		}
	}
	return nil
}
