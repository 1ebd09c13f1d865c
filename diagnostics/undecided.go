package diagnostics

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// undecided are the undecided checks of a function that have the same cause, in the order of display. They are shown
// as one: a time limit leaves hundreds of them.
type undecided []*Finding

// maxUndecided is the number of lines about undecided checks above which they are grouped by function only, and then
// by file.
const maxUndecided = 12

// sameCause groups the unknown findings of a proof by function and reason, or more coarsely if that leaves too many
// lines. groups has each group of several under its first finding, rest the other findings of groups. Assertions are
// the purpose of a proof and are not grouped, unless time or memory ran out before they were reached.
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

// functions returns the functions of the group's findings.
func (u undecided) functions() (names []string) {
	for _, f := range u {
		if !slices.Contains(names, f.Function) {
			names = append(names, f.Function)
		}
	}
	return names
}

// reason returns the common cause of the group, or the number of causes. A dependency on another finding is no cause.
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

// rootReason returns the sentence of the innermost cause of a finding's reason. The reachability and the truth of a
// check are left open by the same limit.
func rootReason(f *Finding) string {
	why := f.Why
	for why.Cause != nil {
		why = *why.Cause
	}
	return phrase.Reason(why)
}

// lines returns the first and the last line of the group's findings.
func (u undecided) lines() (from, to int) {
	from, to = u[0].Line, u[0].Line
	for _, f := range u {
		from, to = min(from, f.Line), max(to, f.Line)
	}
	return from, to
}

// undecided writes a group as one line; dependents is the number of other findings that follow from its members.
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
