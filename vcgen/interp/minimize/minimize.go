// Package minimize makes counterexamples small: it searches for smaller inputs with the same violation.
//
// It runs the program with changed inputs, in which more values are zero and the others are small. For
//
//	unsigned n = nd_uint(), m = nd_uint();
//	sassert(n < 1000);
//
// and a violation with n = 3735928559 and m = 77, the result is n = 1000 and m = 0.
//
// The search is delta debugging (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, TSE 2002):
// choices are reset in chunks, halves first. Choices that cannot be reset are reduced by bisection, then groups of
// related numbers together (joint.go). The search is deterministic: its budget is a number of instructions.
//
// The alternative, further solver queries with bounds on the inputs, was measured and rejected;
// docs/counterexamples.md has the figures.
//
// Reading order: minimize.go, numbers.go, joint.go, goal.go. The package is independent of solvers, traces, and the
// meaning of inputs.
package minimize

import (
	"context"
	"maps"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Budgets of a search: instructions in all its runs, and runs.
const (
	minimizeSteps = 2_000_000
	minimizeRuns  = 1_500
)

// Inputs returns inputs with the same violation as in: the same kind, place and call path.
//
// again must be called once per run. first is the outcome of a run with in, which must be a violation.
func Inputs(ctx context.Context, m *clangir.Module, entry string, in choice.Inputs,
	opts interp.Options) (again func() choice.Inputs, first *interp.Outcome) {
	opts.Trace, opts.Coverage, opts.Keep = false, false, nil
	opts.Infos = &interp.Infos{}
	s := &search{ctx: ctx, m: m, entry: entry, opts: opts, list: &choice.List{}, failed: map[uint64]bool{}}
	n := &noter{list: s.list, made: map[*choice.Choice]*state.Input{}}
	x := interp.New(ctx, m, entry, s.list.Record(in), opts)
	x.Observe(n)
	first = x.Run()
	s.list.Trim()
	again = s.list.Matching
	if first.End != interp.EndViolation || first.Executed > minimizeSteps/8 {
		return again, first // the few runs that fit the budget would find nothing
	}
	s.order = ofInterest(s.list, n.made)
	s.want = first.Violation
	s.opts.Brief, s.opts.Goal = true, goalOf(m, entry, first.Violation)
	s.opts.MaxSteps = min(opts.MaxSteps, 2*first.Executed+10_000)
	if opts.MaxSteps <= 0 {
		s.opts.MaxSteps = 2*first.Executed + 10_000
	}
	s.minimize()
	return again, first
}

// chosen is a choice with its record from the first run, or nil if there is none.
type chosen struct {
	*choice.Choice
	made *state.Input
	bits int // 1 for yes-no choices, such as whether an address is chosen; the address itself is not made smaller
}

// ofInterest returns the choices to minimize. Numbers have a Value.
func ofInterest(list *choice.List, made map[*choice.Choice]*state.Input) []*chosen {
	out := make([]*chosen, len(list.Choices))
	zero := new(big.Int)
	for i, c := range list.Choices {
		x := &chosen{Choice: c, made: made[c], bits: c.Bits}
		switch c.Kind {
		case choice.AllocFails, choice.Writes, choice.Assigns, choice.LoopWrites, choice.Object,
			choice.Defined:
			x.bits = 1
		case choice.Size:
			x.bits = 64
		}
		if !c.Content && c.Value == nil {
			c.Value = zero
		}
		out[i] = x
	}
	return out
}

// noter is the observer of the first run: it records the use of the latest choice.
type noter struct {
	interp.Unobserved
	list *choice.List
	made map[*choice.Choice]*state.Input
}

// Chosen implements interp.Observer.
func (n *noter) Chosen(in *state.Input, _ *state.Object, _ uint64) {
	n.made[n.list.Choices[len(n.list.Choices)-1]] = in
}

type search struct {
	ctx   context.Context
	m     *clangir.Module
	entry string
	opts  interp.Options
	list  *choice.List
	order []*chosen // of list
	want  *interp.Violation
	steps int64
	runs  int
	// failed has the digests of choices that were run without success: a later round repeats many attempts of an
	// earlier one.
	failed map[uint64]bool
}

func (s *search) done() bool {
	return s.steps >= minimizeSteps || s.runs >= minimizeRuns || s.ctx.Err() != nil
}

// holds runs the program on the choices. It reports whether the violation is the wanted one.
func (s *search) holds() bool {
	if s.done() {
		return false
	}
	digest := s.digest()
	if s.failed[digest] {
		return false
	}
	out := interp.Run(s.ctx, s.m, s.entry, s.list.Matching(), s.opts)
	s.steps += out.Cost() + 200 // overhead of a run
	s.runs++
	if v, w := out.Violation, s.want; out.End == interp.EndViolation && v.Kind == w.Kind &&
		interp.SameStack(v.Stack, w.Stack) {
		return true
	}
	s.failed[digest] = true
	return false
}

// digest returns a hash of the nonzero answers. A collision can only miss a smaller counterexample.
func (s *search) digest() uint64 {
	mix := func(x, y uint64) uint64 { // splitmix64
		x += y * 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	sum := uint64(0)
	for i, c := range s.order {
		at := mix(uint64(i), 1)
		if c.Content {
			for off, x := range c.Bytes { // in any order
				if x != 0 {
					sum += mix(mix(at, off), uint64(x))
				}
			}
			continue
		}
		for _, w := range c.Value.Bits() {
			at = mix(at, uint64(w))
		}
		if c.Value.Sign() != 0 {
			sum += at
		}
	}
	return sum
}

// maxRounds bounds the number of repetitions after a choice became smaller.
const maxRounds = 3

func (s *search) minimize() {
	// Chosen addresses first: an execution without them is easier to understand.
	s.reset(func(c *chosen) bool { return c.Kind == choice.Object })
	for range 2 * maxRounds {
		changed := s.reset(func(*chosen) bool { return true })
		for _, c := range s.order {
			if s.done() {
				return
			}
			switch {
			case c.IsZero() || c.bits == 1:
			case c.Content:
				changed = s.shrinkContent(c) || changed
			case c.Float:
				changed = s.shrinkFloat(c) || changed
			default:
				changed = s.shrinkNumber(c) || changed
			}
		}
		changed = s.together() || changed
		if !changed && !s.jointly() { // cheap steps first
			return
		}
	}
}

// together makes dependent numbers smaller: it lowers all numbers from a given one upwards by the same amount.
//
// It reports whether a number changed.
func (s *search) together() bool {
	var list []*chosen
	for _, c := range s.order {
		if !c.Content && !c.Float && c.bits > 8 && c.Value.IsUint64() && c.Value.Sign() > 0 &&
			c.Value.BitLen() < min(c.bits, 48) {
			list = append(list, c)
		}
	}
	changed := false
	floor := uint64(0)
	for _, from := range distinct(list) {
		var group []*chosen
		for _, c := range list {
			if c.Value.Uint64() >= from {
				group = append(group, c)
			}
		}
		if len(group) < 2 {
			break
		}
		minus := func(d uint64) bool {
			for _, c := range group {
				c.Value = new(big.Int).SetUint64(c.Value.Uint64() - d)
			}
			if s.holds() {
				return true
			}
			for _, c := range group {
				c.Value = new(big.Int).SetUint64(c.Value.Uint64() + d)
			}
			return false
		}
		for d := from - floor; d > 0 && !s.done(); {
			if minus(d) {
				changed = true
				from -= d
				d = min(d, from-floor)
			} else {
				d /= 2
			}
		}
		floor = from
	}
	return changed
}

// distinct returns the different values in a list, ascending.
func distinct(list []*chosen) []uint64 {
	var out []uint64
	for _, c := range list {
		out = append(out, c.Value.Uint64())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// inChunks calls try for chunks of n items, largest first, and reports whether any call succeeded.
//
// try reports whether the chunk is finished.
func inChunks(n int, try func(from, to int) bool) bool {
	changed := false
	open := make([]bool, n)
	for i := range open {
		open[i] = true
	}
	for size := n; size >= 1; size /= 2 {
		for to := n; to > 0; to -= size { // the high bytes of numbers first
			from := max(to-size, 0)
			if !slices.Contains(open[from:to], true) {
				continue
			}
			if try(from, to) {
				changed = true
				for i := from; i < to; i++ {
					open[i] = false
				}
			}
		}
	}
	return changed
}

// reset sets choices to zero and reports whether any changed.
func (s *search) reset(which func(*chosen) bool) bool {
	var list []*chosen
	for _, c := range s.order {
		if !c.IsZero() && which(c) {
			list = append(list, c)
		}
	}
	return inChunks(len(list), func(from, to int) bool {
		old := make([]choice.Choice, to-from)
		for i, c := range list[from:to] {
			old[i] = *c.Choice
			if c.Content {
				c.Bytes = nil
			} else {
				c.Value = new(big.Int)
			}
		}
		if s.holds() {
			return true
		}
		for i, c := range list[from:to] {
			*c.Choice = old[i]
		}
		return false
	})
}

// try sets a number and reports whether the violation remains; otherwise it restores the old value.
func (s *search) try(c *chosen, v *big.Int) bool {
	if v.Cmp(c.Value) == 0 {
		return true
	}
	old := c.Value
	c.Value = v
	if s.holds() {
		return true
	}
	c.Value = old
	return false
}

// shrinkContent makes bytes zero, otherwise small, or printable in text. It reports whether a byte changed.
func (s *search) shrinkContent(c *chosen) bool {
	changed := false
	offsets := slices.Sorted(maps.Keys(c.Bytes))
	set := func(next map[uint64]byte) bool {
		old := c.Bytes
		c.Bytes = next
		if s.holds() {
			changed = true
			return true
		}
		c.Bytes = old
		return false
	}
	inChunks(len(offsets), func(from, to int) bool {
		next := maps.Clone(c.Bytes)
		for _, off := range offsets[from:to] {
			delete(next, off)
		}
		return len(next) < len(c.Bytes) && set(next)
	})
	for _, off := range offsets {
		b := c.Bytes[off]
		if b == 0 || s.done() || b == 1 && !c.isText() || b >= 0x20 && b < 0x7f && c.isText() {
			continue
		}
		with := func(x byte) bool {
			next := maps.Clone(c.Bytes)
			next[off] = x
			return set(next)
		}
		if c.isText() && with('a') || b == 1 || with(1) {
			continue
		}
		low, high := byte(1), b
		for high-low > 1 && !s.done() {
			if mid := low + (high-low)/2; with(mid) {
				high = mid
			} else {
				low = mid
			}
		}
	}
	return changed
}

// isText reports whether content is displayed as characters: character arrays, and untyped content.
func (c *chosen) isText() bool {
	if c.made == nil {
		return true
	}
	t := c.made.DIType
	if t == nil {
		t = c.made.Points
	}
	if t == nil || t.Kind == llvmir.DIVoid {
		return true
	}
	return t.Kind == llvmir.DIChar && t.Signed || t.Kind == llvmir.DIArray && t.Elem != nil &&
		t.Elem.Kind == llvmir.DIChar && t.Elem.Signed
}

// isSigned reports whether a number is displayed with a sign.
func (c *chosen) isSigned() bool {
	return c.bits > 1 && (c.made == nil || c.made.DIType == nil || c.made.DIType.Signed)
}
