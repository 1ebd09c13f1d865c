package diagnostics

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
)

// line is a line of a file, as reasons refer to places.
type line struct {
	file string
	line int
}

func (f *Finding) place() line { return line{f.File, f.Line} }

// dependsOn returns the line of the unknown check on which the finding depends. It returns false if the finding is
// not unknown, or unknown for another reason.
func (f *Finding) dependsOn() (line, bool) {
	return line{f.Why.At.File, f.Why.At.Line}, f.Verdict == found.Unknown && f.Why.Why == found.DependsOnPlace
}

// Dependents separates the findings of a proof that only follow from another finding, their origin, which is the one
// to fix. counts has the number of followers of each origin, folded is the set of all followers. A finding follows if
//
//   - it is undecided because an earlier check is undecided or fails, or
//   - it holds within the bound of a loop that has a finding of its own.
//
// Assertions that hold within a bound are not folded, since they are the purpose of the proof. A finding without an
// origin among the findings is not folded either.
func Dependents(findings []*Finding) (counts map[*Finding]int, folded map[*Finding]bool) {
	places, loops := map[line]*Finding{}, map[string]*Finding{}
	for _, f := range findings {
		if !f.Reported() || f.Accepted {
			continue
		}
		_, depends := f.dependsOn()
		switch old := places[f.place()]; {
		case f.Verdict == found.Unknown && !depends:
			if old == nil || old.Verdict == found.Failed {
				places[f.place()] = f
			}
		case f.Verdict == found.Failed && old == nil:
			places[f.place()] = f
		case f.Kind == found.Unwinding && loops[f.Loop] == nil:
			loops[f.Loop] = f
		}
	}
	counts, folded = map[*Finding]int{}, map[*Finding]bool{}
	for _, f := range findings {
		var origin *Finding
		switch {
		case f.Accepted || !f.Reported() || f.InTheWay != nil: // it has information of its own
		case f.Verdict == found.Unknown:
			if at, ok := f.dependsOn(); ok {
				origin = places[at]
			}
		case f.Verdict == found.Bounded && f.Kind != found.Unwinding && f.Kind != found.Assertion:
			origin = loops[f.Loop]
		}
		if origin != nil {
			counts[origin]++
			folded[f] = true
		}
	}
	return counts, folded
}

// DependentsNote describes how n findings depend on their origin.
func DependentsNote(origin *Finding, n int) string {
	findings, verb := "1 more finding", "holds"
	if n != 1 {
		findings, verb = fmt.Sprintf("%d more findings", n), "hold"
	}
	switch origin.Verdict {
	case found.Bounded:
		return findings + " " + verb + " only within this bound"
	case found.Failed:
		return findings + " would hold if this did"
	}
	return findings + " " + verb + " if this does"
}
