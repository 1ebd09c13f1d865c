package diagnostics

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
)

// undecided are the checks of a function that one cause kept from an answer, in the order in which findings are shown.
// To a reader they are one thing: a time limit leaves hundreds of them.
type undecided []*Finding

// sameCause gathers the findings that are unknown for one reason in one function, under the first of each where there
// are several; rest are those that are not the first. Assertions are what a proof is about: each is told.
func sameCause(findings []*Finding, folded map[*Finding]bool) (groups map[*Finding]undecided, rest map[*Finding]bool) {
	type cause struct{ file, function, reason string }
	first := map[cause]*Finding{}
	groups, rest = map[*Finding]undecided{}, map[*Finding]bool{}
	for _, f := range findings {
		if f.Verdict != found.Unknown || f.Kind == found.Assertion || f.Accepted || f.Behind() || folded[f] ||
			!f.Reported() || f.InTheWay != nil {
			continue
		}
		key := cause{f.File, f.Function, rootReason(f)}
		head := first[key]
		if head == nil {
			first[key], head = f, f
		} else {
			rest[f] = true
		}
		groups[head] = append(groups[head], f)
	}
	for head, group := range groups {
		if len(group) == 1 {
			delete(groups, head)
		}
	}
	return groups, rest
}

// rootReason is the sentence of what is behind the finding's reason: whether a check is reached, and whether it holds,
// are left open by the same limit.
func rootReason(f *Finding) string {
	why := f.Why
	for why.Cause != nil {
		why = *why.Cause
	}
	return reasonText(why)
}

// lines are the first and the last line that the group has findings on.
func (u undecided) lines() (from, to int) {
	from, to = u[0].Line, u[0].Line
	for _, f := range u {
		from, to = min(from, f.Line), max(to, f.Line)
	}
	return from, to
}

// undecided writes a group in one line; dependents is how many other findings follow from its members.
func (t *TextWriter) undecided(u undecided, dependents int) {
	from, to := u.lines()
	t.head(u[0].File, from, 0)
	what := fmt.Sprintf("%d checks", len(u))
	if u[0].Function != "" {
		what += " of " + printable(u[0].Function)
	}
	where := "-v lists them"
	if to > from {
		where = fmt.Sprintf("lines %d to %d; %s", from, to, where)
	}
	line := fmt.Sprintf("%s (%s): %s", t.style.bold(what), where, oneLine(rootReason(u[0])))
	if dependents > 0 {
		line += fmt.Sprintf("; %s on them", count(dependents, "more finding")+" "+dependVerb(dependents))
	}
	t.printf("%s %s\n", t.style.verdict(found.Unknown, string(found.Unknown)), line)
}

func dependVerb(n int) string {
	if n == 1 {
		return "depends"
	}
	return "depend"
}
