package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Rounds of a fuzz target decide one size of its input each: 0 bytes, 1 byte, 2 bytes, and so on. With a constant size
// most conditions fold, and many loops have constant bounds, so that a round takes a small part of the time that a
// round over several sizes takes. The decided sizes together are one report: "holds for all inputs up to 3 bytes". If
// all sizes are decided, that report equals the whole.
//
// The bound of a finding is its own. If a round does not decide it, or cuts a loop that leads to it, the finding keeps
// the bound of the round before, whatever later rounds decide.

// All these replace the constants of deepen.go for fuzz targets.
const (
	// firstSize is the work after which the first size is due.
	firstSize = 100_000
	// sizesPart is the part of the work that rounds may cost while the whole is under way.
	sizesPart = 1
	// wholeOfSizes is the share of the time after which the whole is given up.
	wholeOfSizes = 0.5
	// sizesShare is the share of the time after which the last size is given up. The rest is for the report: a step of
	// a run may take long, and a worker that is not done in time is killed, and its results are lost.
	sizesShare = 0.95
	// sizedDepth limits the iterations of loops in every other round while no size is decided.
	sizedDepth = 2
)

// sizes are the rounds of a fuzz target that decided one size of its input each.
type sizes struct {
	max, next int
	stopped   int     // rounds that did not end
	decided   *Report // of all sizes below next; nil if there are none
	// frozen are the findings whose bound does not grow any more.
	frozen map[findingKey]bool
	// cut is a loop that the round of a decided size cut, if any did: code behind it may be missing in the report.
	cut *loopCut
}

// loopCut is a loop and the number of its iterations that were executed.
type loopCut struct {
	loop  string
	bound int
}

// cutLoop returns a loop that the run cut, other than by the size of the input; nil if there is none.
func (r *Report) cutLoop() *loopCut {
	for i := range r.Instances {
		in := &r.Instances[i]
		if in.Kind == found.Unwinding && in.Verdict != found.Proved && in.Loop != language.InputSize {
			return &loopCut{in.Loop, in.Bound}
		}
	}
	if c := r.Bounded.Cause; c != nil && c.Why == found.LoopCut && c.Name != language.InputSize {
		return &loopCut{c.Name, int(c.N)}
	}
	return nil
}

// left reports whether a size is undecided.
func (s *sizes) left() bool { return s != nil && s.next <= s.max }

// rounding reports whether a round is left.
func (d *deepening) rounding() bool {
	if d.sizes != nil {
		return d.sizes.left()
	}
	return d.next < len(depths)
}

func (d *deepening) firstRound() int64 {
	if d.sizes != nil {
		return firstSize
	}
	return firstRound
}

func (d *deepening) roundsPart() int64 {
	if d.sizes != nil {
		return sizesPart
	}
	return roundsPart
}

func (d *deepening) wholeShare() float64 {
	if d.sizes != nil {
		return wholeOfSizes
	}
	return wholeShare
}

// decideSize adds the report of the next size.
func (d *deepening) decideSize(r *Report) {
	s := d.sizes
	cut := r.cutLoop()
	if s.decided == nil {
		s.decided, s.frozen = r, map[findingKey]bool{}
		s.decided.dropCores()
	} else {
		s.decided = s.join(r, cut != nil)
	}
	if cut != nil {
		s.cut = cut
	}
	s.next++
	d.rounds = []*Report{s.decided}
	bounded := func(in Instance) bool { return in.Verdict == found.Bounded }
	if !s.left() && !s.decided.short() && s.decided.Bounded.None() && !slices.ContainsFunc(s.decided.Instances, bounded) {
		d.settled = s.decided
	}
}

// dropCores removes the contradictions of unreached assertions, which are about one size only.
func (r *Report) dropCores() {
	for i := range r.Instances {
		r.Instances[i].Core = nil
	}
}

// join returns the report of all sizes up to s.next. r is the report of s.next alone. cut is set if that run cut a
// loop.
//
// The runs execute different inputs, so that a finding holds up to the size for which both hold, and ranks of the one
// or the other do not select it: choose compares them.
func (s *sizes) join(r *Report, cut bool) *Report {
	old := s.decided
	r.dropCores()
	j := newJoining(source{Report: r, depth: s.next}, source{Report: old, depth: s.next - 1})
	const next, before = 0, 1
	j.pick = func(key findingKey) int {
		a, b := old.pick(j.of[before][key]), r.pick(j.of[next][key])
		b.hidden = cut && !b.some
		if s.choose(key, a, b) == 0 {
			return next
		}
		return before
	}
	j.take = func(key findingKey, from, _ int, in *Instance) bool {
		if key.kind == found.Unwinding && in.Loop == language.InputSize && from == before {
			return false // this size is decided now
		}
		if s.cut != nil && j.is[before][key] == absent && (in.Loop == language.InputSize || in.Verdict == found.Proved ||
			in.Verdict == found.Unreached) { // a smaller size may have it behind the loop
			in.Verdict, in.Loop, in.Bound = found.Bounded, s.cut.loop, s.cut.bound
			in.Reason = found.Reason{Why: found.BeyondBounds, Name: in.Loop, N: int64(in.Bound)}
		}
		if !s.frozen[key] {
			s.extend(in)
		}
		return true
	}
	out := j.join(r)
	out.Loops = joinLoops(r.Loops, old.Loops)
	if !out.EndReached && !old.EndUnknown.None() {
		out.EndUnknown = old.EndUnknown
	}
	if !old.Reason.None() {
		out.Reason = old.Reason
	}
	if loop := old.Bounded; !loop.None() && loop.Cause != nil && loop.Cause.Name != language.InputSize {
		out.Bounded = loop
	}
	out.Stats.work += old.Stats.work
	return out
}

// sizedFinding summarizes the instances of a finding in a report.
type sizedFinding struct {
	some          bool // it has instances
	fails         bool
	unknown, open bool // undecided; for lack of time only
	holds         bool // some execution reaches it, and it holds
	cut           bool // a cut loop leads to it
	hidden        bool // the run does not have it, and cut a loop that may lead to it
}

func (r *Report) pick(list []int) (x sizedFinding) {
	x.some, x.open = len(list) > 0, true
	for _, i := range list {
		in := &r.Instances[i]
		switch in.Verdict {
		case found.Failed:
			x.fails = true
		case found.Unknown:
			x.unknown, x.open = true, x.open && fellShort(in.Reason)
		case found.Proved:
			x.holds = true
		case found.Bounded:
			x.holds = x.holds || in.Reason.Why == found.HoldsInBounds
			x.cut = x.cut || in.Loop != language.InputSize
		}
	}
	x.open = x.open && x.unknown
	return x
}

// choose returns 0 if a finding is taken from the report of the next size, and 1 if from that of the smaller ones. old
// and next are the finding in these.
func (s *sizes) choose(key findingKey, old, next sizedFinding) int {
	switch {
	case !old.some:
		return 0
	case key.kind == found.Unwinding:
		if next.some {
			return 0
		}
		return 1
	case old.fails:
		return 1
	case next.fails:
		return 0
	case s.frozen[key] || old.unknown || next.hidden:
		s.frozen[key] = true
		return 1
	case next.unknown && !next.open:
		return 0
	case old.holds && (next.unknown || next.cut):
		s.frozen[key] = true
		return 1
	case next.unknown || next.cut:
		return 0
	case old.cut:
		s.frozen[key] = true
		return 1
	case next.holds || !old.holds && next.some:
		return 0
	}
	return 1
}

// extend gives an instance that no size violates the bound s.next.
func (s *sizes) extend(in *Instance) {
	held := in.Verdict == found.Proved || in.Verdict == found.Bounded && in.Reason.Why == found.HoldsInBounds
	switch {
	case in.Kind == found.Unwinding || in.Verdict == found.Failed || in.Verdict == found.Unknown,
		in.Verdict == found.Bounded && in.Loop != language.InputSize:
	case s.next < s.max:
		in.Verdict, in.Loop, in.Bound = found.Bounded, language.InputSize, s.next
		in.Reason = found.Reason{Why: found.BeyondBounds, Name: language.InputSize, N: int64(s.next)}
		if held {
			in.Reason.Why = found.HoldsInBounds
		}
	case held:
		in.Verdict, in.Loop, in.Bound, in.Reason = found.Proved, "", 0, found.Reason{}
	default:
		in.Verdict, in.Loop, in.Bound, in.Reason = found.Unreached, "", 0, found.Reason{}
	}
}
