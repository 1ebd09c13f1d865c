package randproof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Said is a finding of the engine.
type Said struct {
	Place
	Verdict string
	Reason  string
	Behind  bool // unknown only because of another finding
	// Induction: a loop of the proof was covered by induction.
	Induction bool
}

// Compare returns the errors in the engine's verdicts (wrong), and the verdicts `unknown`, which are correct but
// unwelcome (soft).
func (p *Program) Compare(truth *Truth, said []Said) (wrong, soft []string) {
	verdicts := map[Place][]Said{}
	for _, s := range said {
		verdicts[s.Place] = append(verdicts[s.Place], s)
	}
	undecided := false
	for _, s := range said {
		if s.Verdict == "unknown" && !s.Behind {
			undecided = true
			soft = append(soft, fmt.Sprintf("line %d: unknown %s: %s", s.Line, s.Kind, s.Reason))
		}
	}
	has := func(at Place, verdict ...string) bool {
		return slices.ContainsFunc(verdicts[at], func(s Said) bool { return slices.Contains(verdict, s.Verdict) })
	}
	byPlace := func(a, b Place) int { return 1000*(a.Line-b.Line) + strings.Compare(a.Kind, b.Kind) }
	for _, at := range slices.SortedFunc(maps.Keys(truth.Violations), byPlace) {
		if at.Kind == p.Off {
			continue
		}
		// Bounded and unknown claim nothing.
		if has(at, "failed", "bounded") || has(at, "unknown") {
			continue
		}
		if at.Kind == "overlapping-copy" && (strings.HasPrefix(p.Off, "out-of-bounds") ||
			has(Place{at.Line, "out-of-bounds-read"}, "failed") || has(Place{at.Line, "out-of-bounds-write"}, "failed")) {
			continue // natively these are reported in another order
		}
		if p.Unwind > 0 && len(verdicts[at]) == 0 && has2(said, "unwinding") {
			continue // checks that were never executed are not listed
		}
		wrong = append(wrong, fmt.Sprintf("line %d: %s is violated natively (%s), the engine says %v: FALSE GREEN", at.Line,
			at.Kind, truth.Violations[at], names(verdicts[at])))
	}
	for _, s := range said {
		if s.Verdict == "failed" && s.Kind != "unwinding" && truth.Complete {
			_, overlap := truth.Violations[Place{s.Line, "overlapping-copy"}]
			if _, ok := truth.Violations[s.Place]; !ok && !(overlap && strings.HasPrefix(s.Kind, "out-of-bounds")) {
				wrong = append(wrong, fmt.Sprintf("line %d: %s fails for the engine and not natively: false alarm", s.Line, s.Kind))
			}
		}
		if s.Kind == "assertion" && (s.Verdict == "vacuous" || s.Verdict == "unreached") && truth.Reached[s.Line] {
			wrong = append(wrong, fmt.Sprintf("line %d: %s is %s, but is reached natively: FALSE GREEN", s.Line, s.Kind,
				s.Verdict))
		}
		if s.Kind == "assertion" && (s.Verdict == "proved" && !truth.MayBeFalse[s.Line] || s.Verdict == "failed") &&
			truth.Complete && !truth.Reached[s.Line] {
			wrong = append(wrong, fmt.Sprintf("line %d: %s is %s, but is not reached natively", s.Line, s.Kind, s.Verdict))
		}
	}
	if truth.Complete {
		for line := range truth.Reached {
			if !undecided && len(verdicts[Place{line, "assertion"}]) == 0 && !(p.Unwind > 0 && has2(said, "unwinding")) {
				wrong = append(wrong, fmt.Sprintf("line %d: the assertion is reached natively and not listed", line))
			}
		}
	}
	return wrong, soft
}

func has2(said []Said, kind string) bool {
	return slices.ContainsFunc(said, func(s Said) bool { return s.Kind == kind })
}

func names(said []Said) []string {
	var out []string
	for _, s := range said {
		out = append(out, s.Verdict)
	}
	return out
}
