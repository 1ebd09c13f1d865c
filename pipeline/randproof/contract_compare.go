package randproof

import (
	"fmt"
	"slices"
	"strings"
)

// ContractSaid is a finding of the engine in the proof of a function.
type ContractSaid struct {
	Function string
	Said
	// Replay is the result of a native replay of a failure; "" if there was none.
	Replay string
}

// Compare returns the errors in the engine's findings (wrong), its verdicts `unknown` (soft), and the number of
// failures that could not be replayed. verdicts are the verdicts of the proofs, by function.
func (c *Contracts) Compare(said []ContractSaid, verdicts map[string]string) (wrong, soft []string,
	notRun int) {
	found := map[ContractPlace][]string{}
	kind := func(k string) string {
		if strings.HasPrefix(k, "out-of-bounds") || k == "array-bounds" || k == "invalid-pointer" {
			return "out-of-bounds"
		}
		return k
	}
	for _, s := range said {
		at := ContractPlace{s.Function, Place{s.Line, kind(s.Kind)}}
		found[at] = append(found[at], s.Verdict)
		tell := func(format string, args ...any) {
			wrong = append(wrong, fmt.Sprintf("%s, line %d: %s ", s.Function, s.Line, s.Kind)+fmt.Sprintf(format, args...))
		}
		switch s.Verdict {
		case "failed":
			switch s.Replay {
			case "reproduced":
			case "not-run": // frames, and the objects of pointers, have no native form
				notRun++
			default:
				tell("fails, and the replay is %s", s.Replay)
			}
			if _, ok := c.Violated[at]; !ok && c.Functions[s.Function] {
				tell("fails for the engine, and in no run with any input: false alarm")
			}
		case "vacuous", "unreached":
			if c.Reached[at] {
				tell("is %s, and reached natively: FALSE GREEN", s.Verdict)
			}
		case "unknown":
			if !s.Behind {
				soft = append(soft, fmt.Sprintf("%s, line %d: unknown %s: %s", s.Function, s.Line, s.Kind, s.Reason))
			}
		}
	}
	for at, how := range c.Violated {
		list := found[at]
		if slices.ContainsFunc(list, func(v string) bool { return v == "failed" || v == "bounded" || v == "unknown" }) {
			continue
		}
		if len(list) == 0 && verdicts[at.Function] != "proved" {
			continue // the proof ended earlier
		}
		wrong = append(wrong, fmt.Sprintf("%s, line %d: %s is violated natively (%s), the engine says %v: FALSE GREEN",
			at.Function, at.Line, at.Kind, how, list))
	}
	slices.Sort(wrong)
	return wrong, soft, notRun
}

// Tally counts the verdicts of clauses: "false" if some run violates them, "true" if none does.
func (c *Contracts) Tally(said []ContractSaid) map[string]map[string]int {
	counts := map[string]map[string]int{"true": {}, "false": {}}
	for _, s := range said {
		switch s.Kind {
		case "postcondition", "loop-invariant", "loop-variant", "assertion", "precondition", "assigns":
			what := "true"
			if _, ok := c.Violated[ContractPlace{s.Function, s.Place}]; ok {
				what = "false"
			}
			counts[what][s.Verdict]++
		}
	}
	return counts
}
