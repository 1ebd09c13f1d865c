package vcgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Mechanism is a part of the engine that can be switched off (Options.Disable), to measure it or to find out who is
// wrong. No verdict may depend on one, but by its cost.
type Mechanism string

// Mechanisms. Reports are those that are kept from run to run, which package pipeline does.
const (
	StoreMap          Mechanism = "store-map"
	AddressRangeMap   Mechanism = "address-range-map"
	Facts             Mechanism = "facts"
	Cursors           Mechanism = "cursors"
	Outcomes          Mechanism = "outcomes" // of calls keep states apart
	Lifting           Mechanism = "lifting"  // of choices out of assertions
	Feasibility       Mechanism = "feasibility"
	SharedFeasibility Mechanism = "shared-feasibility"
	Reports           Mechanism = "reports"
	Induction         Mechanism = "induction"
	Executions        Mechanism = "executions" // with random inputs, that look for violations
	Cases             Mechanism = "cases"      // of hard questions
	Ordering          Mechanism = "ordering"   // clauses about comparisons, for hard questions
	Backbones         Mechanism = "backbones"  // what facts decide of conditions, in hard questions
	// What is tried of loops with contracts before they are cut behind a first iteration.
	FirstCut Mechanism = "first-cut"
)

// mechanisms is the list of all but the rewriting rules, which package smt lists (smt.Rules).
var mechanisms = []Mechanism{StoreMap, AddressRangeMap, Facts, Cursors, Outcomes, Lifting, Feasibility,
	SharedFeasibility, Reports, Induction, Executions, Cases, Ordering, Backbones, FirstCut}

// ParseMechanism reads the name of a mechanism or of a rewriting rule; the error lists those that there are.
func ParseMechanism(s string) (Mechanism, error) {
	var names []string
	for _, m := range mechanisms {
		names = append(names, string(m))
	}
	names = append(names, smt.Rules()...)
	if !slices.Contains(names, s) {
		return "", fmt.Errorf("there is no mechanism %q; there are %s", s, strings.Join(names, ", "))
	}
	return Mechanism(s), nil
}
