package diagnostics

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
)

// line is a line of a file, as reasons name places.
type line struct {
	file string
	line int
}

func (f *Finding) place() line { return line{f.File, f.Line} }

// dependsOn is the line of the unknown check that would have to hold for the finding to hold; false where it is unknown
// for another reason.
func (f *Finding) dependsOn() (line, bool) {
	return line{f.Why.At.File, f.Why.At.Line}, f.Verdict == found.Unknown && f.Why.Why == found.DependsOnPlace
}

// Dependents tells which findings of a proof only follow from another one, which is what has to be looked at: what
// could not be decided because an earlier check was not, or does not hold; what holds within the bound of a loop that
// has a finding of its own. It gives the number of these for each such origin, and their set. Assertions that hold
// within a bound are told all the same, since they are what the proof is about; what has no origin among the
// findings stands for itself.
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
		case f.Accepted || !f.Reported() || f.InTheWay != nil: // it has something of its own to tell
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

// DependentsNote says what n findings have to do with the one that they follow from.
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
