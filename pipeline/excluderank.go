package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
)

// rank sorts the conditions: first by reaching the failing place, then the weaker ones, the ones with fewer variables,
// and the ones without constants. Of equivalent conditions one is left.
func (e *excluder) rank(ctx context.Context) {
	list := e.out.Conditions
	simpler := func(a, b *Precondition) int {
		relational := func(p *Precondition) int {
			if p.is.Relational() {
				return 0
			}
			return 1
		}
		if n := len(a.is.Variables()) - len(b.is.Variables()); n != 0 {
			return n
		}
		if n := a.is.Comparisons() - b.is.Comparisons(); n != 0 {
			return n
		}
		return relational(a) - relational(b)
	}
	implied := e.implications(ctx)
	dropped := make([]bool, len(list))
	weaker := make([]int, len(list))
	for i := range list {
		for k := range list {
			switch {
			case i == k || dropped[k]:
			case list[i].Reaches == list[k].Reaches && list[k].is.Comparisons() == 1 && list[i].is.Implies(list[k].is):
				dropped[i] = true
			case !implied[i][k]:
			case !implied[k][i]:
				weaker[i]++ // the k-th follows from it
			case !dropped[i] && (simpler(&list[k], &list[i]) < 0 || simpler(&list[k], &list[i]) == 0 && k < i):
				dropped[i] = true
			}
		}
	}
	order := make([]int, 0, len(list))
	for i := range list {
		if !dropped[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if list[a].Reaches != list[b].Reaches {
			if list[a].Reaches == ReachesPlace {
				return -1
			}
			return 1
		}
		if n := weaker[a] - weaker[b]; n != 0 {
			return n
		}
		return simpler(&list[a], &list[b])
	})
	sorted := make([]Precondition, 0, len(order))
	for _, i := range order {
		sorted = append(sorted, list[i])
	}
	e.out.Conditions = sorted
}

// implications reports which conditions imply which others at the place, in one check for all of them.
func (e *excluder) implications(ctx context.Context) [][]bool {
	list := e.out.Conditions
	implied := make([][]bool, len(list))
	for i := range implied {
		implied[i] = make([]bool, len(list))
	}
	if len(list) < 2 {
		return implied
	}
	at, indent := e.place, e.indent
	if e.clause != "" {
		at, indent = e.entry.Body+1, ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{ extern _Bool %s(void); extern void %s(_Bool, const char *);\n", chooseName, assertName)
	assume := func(condition string) string { return e.assume + "(" + condition + ");" }
	line := bytes.Count(e.text[:at], []byte("\n")) + 2
	pairs := map[int][2]int{} // by line
	for i := range list {
		for k := range list {
			if i != k {
				pairs[line] = [2]int{i, k}
				line++
				fmt.Fprintf(&b, "if (%s()) { %s %s(%s, \"\"); %s }\n", chooseName,
					assume(list[i].Condition), assertName, list[k].Condition, assume("0"))
			}
		}
	}
	fmt.Fprintf(&b, "%s }\n%s", assume("0"), indent)
	proof, _ := e.check(ctx, slices.Concat(e.text[:at], []byte(b.String()), e.text[at:]))
	for i := range proof.Obligations {
		f := &proof.Obligations[i]
		if pair, ok := pairs[f.Line]; ok && f.File == e.proof.File && f.Kind == found.Assertion {
			implied[pair[0]][pair[1]] = f.Verdict == found.Proved
		}
	}
	return implied
}

// question asks the user for the missing fact.
func (e *excluder) question() string {
	if e.clause != "" {
		return fmt.Sprintf("do the callers of %s guarantee it?", e.job.Proof.Entry)
	}
	function := e.finding.Function
	if path := e.finding.CallPath; len(path) > 1 {
		function = path[1].Function
	}
	if function == "" || function == e.job.Proof.Entry {
		return "is it true of all inputs that matter?"
	}
	return fmt.Sprintf("do the callers of %s guarantee it?", function)
}
