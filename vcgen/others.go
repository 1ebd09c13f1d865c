package vcgen

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
)

// Other executions with the same violation. The executions that are known are repeated with a few changed choices, as a
// fuzzer does; executions with the same violation that enter other blocks are kept, and changed in turn. Two executions
// that enter the same blocks take the same branches, as far as this search distinguishes them.

// Budgets of a search for other executions.
const (
	othersSteps = 6_000_000 // instructions of all executions
	othersRuns  = 6_000
	othersEach  = 400_000 // instructions of one execution
	othersMost  = 8       // executions that are kept
)

// Others finds executions with the same violation as a given one that take other branches, at most most of them: the
// shorter ones first. seeds are further executions that are tried and changed.
func Others(ctx context.Context, m *clangir.Module, entry string, opts Options, run found.Run, seeds []found.Run,
	most int) ([]found.Run, error) {
	s := &others{ctx: ctx, m: m, entry: entry, opts: runOptions(opts, run), fuzz: fuzz.New(m.Module, entry),
		visits: &interp.Visits{}}
	s.opts.MaxSteps, s.opts.Brief, s.opts.Infos, s.opts.Visits = othersEach, true, &interp.Infos{}, s.visits
	for i, seed := range slices.Concat([]found.Run{run}, seeds) {
		tape, err := choice.Decode(seed.Tape)
		if err != nil {
			return nil, err
		}
		if s.try(tape.Cursor().Choose); i == 0 && len(s.known) == 0 {
			return nil, fmt.Errorf("the counterexample did not reach its violation when it was executed again")
		}
	}
	for s.runs < othersRuns && s.steps < othersSteps && len(s.known) <= othersMost && ctx.Err() == nil {
		s.try(s.changed(s.known[s.below(len(s.known))].list))
	}
	rest := s.known[1:]
	slices.SortStableFunc(rest, func(a, b *failing) int { return len(a.list.Choices) - len(b.list.Choices) })
	var out []found.Run
	for _, k := range rest[:min(len(rest), most)] {
		k.list.Trim()
		out = append(out, found.Run{Kind: run.Kind, At: run.At, Tape: k.list.Encode()})
	}
	return out, ctx.Err()
}

// others is a search for executions.
type others struct {
	ctx    context.Context
	m      *clangir.Module
	entry  string
	opts   interp.Options
	fuzz   *fuzz.Inputs
	visits *interp.Visits
	known  []*failing
	runs   int
	steps  int64
	state  uint64 // of the random numbers
}

// failing is an execution with the violation.
type failing struct {
	list   *choice.List
	blocks string // that it enters
}

// below returns a random number below n; the sequence is the same in each search.
func (s *others) below(n int) int {
	s.state = s.state*6364136223846793005 + 1442695040888963407
	return int(s.state>>33) % n
}

// try executes the program, and keeps the execution if it has the violation and enters other blocks.
func (s *others) try(in choice.Inputs) {
	list := &choice.List{}
	out := interp.Run(s.ctx, s.m, s.entry, list.Record(in), s.opts)
	s.runs++
	s.steps += out.Cost() + 200
	s.visits.Next()
	v := out.Violation
	if out.End != interp.EndViolation || v == nil || out.ByAddress != nil || !s.opts.Wanted(v.Kind, v.Stack) {
		return
	}
	entered := slices.Clone(s.visits.Last())
	slices.Sort(entered)
	k := &failing{list, fmt.Sprint(entered)}
	if !slices.ContainsFunc(s.known, func(o *failing) bool { return o.blocks == k.blocks }) {
		s.known = append(s.known, k)
	}
}

// changed returns inputs with a few other choices than those of an execution.
func (s *others) changed(list *choice.List) choice.Inputs {
	again, at := list.Matching(), 0
	changes := map[int]bool{}
	for range 1 + s.below(3) {
		changes[s.below(len(list.Choices)+1)] = true
	}
	s.fuzz.Begin(s.fuzz.Fresh())
	return func(q choice.Question) choice.Answer {
		a := again(q)
		change := changes[at]
		at++
		switch {
		case !change, !changeable(q.Kind):
			return a
		case !q.Content && s.below(2) == 0: // small numbers are typical
			return choice.Answer{Value: big.NewInt(int64(s.below(20)))}
		case q.Content && a.Content != nil && s.below(4) > 0:
			from, to, of := uint64(s.below(24)), byte(s.below(256)), a.Content
			if s.below(2) == 0 {
				to = byte(s.below(16))
			}
			return choice.Answer{Content: func(off uint64) byte {
				if off == from {
					return to
				}
				return of(off)
			}}
		}
		return s.fuzz.Choose(q)
	}
}

// changeable reports whether choices of a kind are free values of the proof, and not those of code that is missing.
func changeable(k choice.Kind) bool {
	switch k {
	case choice.Nondet, choice.Parameter, choice.Uninitialized, choice.Havoc, choice.Malloc, choice.AllocFails:
		return true
	}
	return false
}
