package diagnostics

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// undecided are the checks of a function that one cause kept from an answer, in the order in which findings are shown.
// To a reader they are one thing: a time limit leaves hundreds of them.
type undecided []*Finding

// maxUndecided is how many lines about undecided checks a proof may have until they are told by function, whatever the
// cause, and then by file.
const maxUndecided = 12

// sameCause gathers the findings that are unknown for one reason in one function, or by what else leaves few lines,
// under the first of each where there are several; rest are those that are not the first. Assertions are what a proof
// is about: each is told, unless time or memory ended before any of them was reached.
func sameCause(findings []*Finding, folded map[*Finding]bool) (groups map[*Finding]undecided, rest map[*Finding]bool) {
	type cause struct{ file, function, reason string }
	for _, key := range []func(f *Finding) cause{
		func(f *Finding) cause { return cause{f.File, f.Function, rootReason(f)} },
		func(f *Finding) cause { return cause{f.File, f.Function, ""} },
		func(f *Finding) cause { return cause{f.File, "", ""} },
	} {
		first := map[cause]*Finding{}
		groups, rest = map[*Finding]undecided{}, map[*Finding]bool{}
		for _, f := range findings {
			if f.Verdict != found.Unknown || f.Kind == found.Assertion && !ranOut(f) || f.Accepted || f.Behind() || folded[f] ||
				!f.Reported() || f.InTheWay != nil {
				continue
			}
			head := first[key(f)]
			if head == nil {
				first[key(f)], head = f, f
			} else {
				rest[f] = true
			}
			groups[head] = append(groups[head], f)
		}
		if len(groups) <= maxUndecided {
			break
		}
	}
	for head, group := range groups {
		if len(group) == 1 {
			delete(groups, head)
		}
	}
	return groups, rest
}

// ranOut reports whether time or memory ended before a finding was reached.
func ranOut(f *Finding) bool { return f.Why.Why == found.BeyondBounds && f.Why.Cause != nil }

// functions are those that the group has findings in.
func (u undecided) functions() (names []string) {
	for _, f := range u {
		if !slices.Contains(names, f.Function) {
			names = append(names, f.Function)
		}
	}
	return names
}

// reason is the cause of the group, or that there are several. That some depend on others is none of its own.
func (u undecided) reason() string {
	var reasons []string
	for _, f := range u {
		if f.Why.Why != found.DependsOnPlace && !slices.Contains(reasons, rootReason(f)) {
			reasons = append(reasons, rootReason(f))
		}
	}
	switch len(reasons) {
	case 0:
		return rootReason(u[0])
	case 1:
		return reasons[0]
	}
	return fmt.Sprintf("%s, and %s", reasons[0], phrase.Count(len(reasons)-1, "other reason"))
}

// rootReason is the sentence of what is behind the finding's reason: whether a check is reached, and whether it holds,
// are left open by the same limit.
func rootReason(f *Finding) string {
	why := f.Why
	for why.Cause != nil {
		why = *why.Cause
	}
	return phrase.Reason(why)
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
	switch names := u.functions(); {
	case len(names) > 1:
		what += fmt.Sprintf(" of %d functions", len(names))
	case names[0] != "":
		what += " of " + phrase.Printable(names[0])
	}
	where := "-v lists them"
	if to > from {
		where = fmt.Sprintf("lines %d to %d; %s", from, to, where)
	}
	line := fmt.Sprintf("%s (%s): %s", t.style.bold(what), where, phrase.OneLine(u.reason()))
	if dependents > 0 {
		line += fmt.Sprintf("; %s on them", phrase.Count(dependents, "more finding")+" "+dependVerb(dependents))
	}
	t.printf("%s %s\n", t.style.verdict(found.Unknown, string(found.Unknown)), line)
}

func dependVerb(n int) string {
	if n == 1 {
		return "depends"
	}
	return "depend"
}
