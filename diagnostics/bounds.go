package diagnostics

import (
	"fmt"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// A proof that runs out of time has many bounded findings, and one more for each loop that was cut. They are
// summarized in few lines, so that the failures do not scroll away.

// maxQuoted is the number of bounded findings of a proof above which no bounded finding quotes its source.
const maxQuoted = 4

// cuts are the loops and recursions of a file that were cut for the same reason.
type cuts []*Finding

// sameCut groups the cut loops of a proof by file and reason. groups has each group of more than maxQuoted loops
// under its first finding, rest the other findings of groups. terse reports whether bounded findings are shown
// without their source.
func sameCut(findings []*Finding, folded map[*Finding]bool) (groups map[*Finding]cuts, rest map[*Finding]bool,
	terse bool) {
	type cause struct{ file, reason string }
	first := map[cause]*Finding{}
	groups, rest = map[*Finding]cuts{}, map[*Finding]bool{}
	bounded := 0
	for _, f := range findings {
		if f.Verdict != found.Bounded || f.Accepted || folded[f] || !f.Reported() {
			continue
		}
		bounded++
		if f.Kind != found.Unwinding || f.Line == 0 {
			continue
		}
		key := cause{f.File, rootReason(f)}
		head := first[key]
		if head == nil {
			first[key], head = f, f
		} else {
			rest[f] = true
		}
		groups[head] = append(groups[head], f)
	}
	for head, group := range groups {
		if len(group) <= maxQuoted {
			for _, f := range group {
				delete(rest, f)
			}
			delete(groups, head)
		}
	}
	return groups, rest, bounded > maxQuoted
}

// cuts writes a group as one line; dependents is the number of other findings that hold only within its bounds.
func (t *TextWriter) cuts(group cuts, dependents int) {
	from, to := undecided(group).lines()
	t.head(group[0].File, from, 0)
	line := fmt.Sprintf("%s (lines %d to %d; -v lists them) were cut and may need more",
		t.style.bold(fmt.Sprintf("%d loops and recursions", len(group))), from, to)
	if reason := rootReason(group[0]); reason != "" {
		line += ": " + phrase.OneLine(reason)
	}
	t.printf("%s %s\n", t.style.verdict(found.Bounded, string(found.Bounded)), line)
	if dependents > 0 && !t.opts.Quiet {
		t.note(DependentsNote(group[0], dependents) + " (-v)")
	}
}
