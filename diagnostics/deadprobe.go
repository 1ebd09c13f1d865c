package diagnostics

import (
	"cmp"
	"slices"
)

// ProbeDead writes into a C source that ways of branches that are said to be dead are errors: a condition that is
// always false becomes `((c) ? (unitproof_dead_way(), 1) : 0)`. Branches are those of the file of which it is certain
// where the condition stands; of some that overlap the outermost. It returns the text, in which no line has another
// number, and how many ways are errors in it.
func ProbeDead(sources Sources, file string, branches []Branch) (text []byte, n int) {
	src := newSourceCache(sources).file(file)
	if src == nil {
		return nil, 0
	}
	text = slices.Clone(src.data)
	type probe struct {
		start, end int
		dead       string
	}
	var probes []probe
	for i := range branches {
		b := &branches[i]
		dead := b.Dead()
		if b.File != file || b.Nth > 0 || !b.Entered || b.Text == "" || len(dead) != 1 || b.Ways[0].Way != "true" {
			continue
		}
		if start, end, certain, ok := src.branchSpan(b.Line, b.Column); ok && certain && end > start {
			probes = append(probes, probe{start, end, dead[0].Way})
		}
	}
	// From the end, so that no offset moves.
	slices.SortFunc(probes, func(a, b probe) int { return cmp.Or(b.start-a.start, a.end-b.end) })
	whole := []probe{}
	for _, p := range probes {
		if !slices.ContainsFunc(probes, func(q probe) bool { return q != p && q.start <= p.start && q.end >= p.end }) {
			whole = append(whole, p)
		}
	}
	for _, p := range whole {
		yes, no := "(unitproof_dead_way(), 1)", "0"
		if p.dead == "false" {
			yes, no = "1", "(unitproof_dead_way(), 0)"
		}
		text = slices.Replace(text, p.start, p.end,
			[]byte("(("+string(text[p.start:p.end])+") ? "+yes+" : "+no+")")...)
	}
	const declaration = "void __VERIFIER_error(void);\n" +
		"static inline void unitproof_dead_way(void) { __VERIFIER_error(); }\n#line 1\n"
	return append([]byte(declaration), text...), len(whole)
}
