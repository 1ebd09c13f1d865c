package diagnostics

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen"
)

// dependsPrefix begins the reason of what would be proved if an earlier check, itself unknown, held.
const dependsPrefix = "depends on "

// place is "FILE:LINE", as reasons name it.
func (f *Finding) place() string { return fmt.Sprintf("%s:%d", f.File, f.Line) }

// dependsOnPlace is the place ("FILE:LINE") of the unknown check that would have to hold for the finding to hold, ""
// where it is unknown for another reason. What depends on a function without a body names that, and no place.
func (f *Finding) dependsOnPlace() string {
	on, ok := strings.CutPrefix(f.Reason, dependsPrefix)
	if !ok || f.Verdict != vcgen.Unknown || !strings.Contains(on, ":") {
		return ""
	}
	return on
}

// dependents maps the place of a finding that is unknown for a reason of its own to how many others are unknown
// only because they depend on what stands there, and gives the set of these. One check that cannot be decided
// leaves everything behind it undecided; the one is what has to be looked at. Findings without such an origin in
// the proof stand for themselves.
func dependents(p *Proof) (counts map[string]int, folded map[*Finding]bool) {
	origins := map[string]bool{}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if f.Verdict == vcgen.Unknown && f.Reported() && !f.Accepted && f.dependsOnPlace() == "" {
			origins[f.place()] = true
		}
	}
	counts, folded = map[string]int{}, map[*Finding]bool{}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if on := f.dependsOnPlace(); !f.Accepted && origins[on] {
			counts[on]++
			folded[f] = true
		}
	}
	return counts, folded
}

// moreHold says how many further findings hold.
func moreHold(n int) string {
	if n == 1 {
		return "1 more finding holds"
	}
	return fmt.Sprintf("%d more findings hold", n)
}
