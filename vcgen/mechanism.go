package vcgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Mechanism is a part of the engine that can be switched off (Options.Disable), for measurements or to locate a
// defect. A mechanism changes no verdict except by its cost.
type Mechanism string

// Mechanisms. Reports is the cache of reports across runs, in package pipeline.
const (
	StoreMap          Mechanism = "store-map"
	AddressRangeMap   Mechanism = "address-range-map"
	Facts             Mechanism = "facts"
	Cursors           Mechanism = "cursors"
	Outcomes          Mechanism = "outcomes" // states behind calls are kept separate per result
	Lifting           Mechanism = "lifting"  // of choices out of assertions
	Feasibility       Mechanism = "feasibility"
	SharedFeasibility Mechanism = "shared-feasibility"
	Reports           Mechanism = "reports"
	Induction         Mechanism = "induction"
	Executions        Mechanism = "executions" // with random inputs, to find violations
	Cases             Mechanism = "cases"      // split of hard queries
	Ordering          Mechanism = "ordering"   // clauses about comparisons, for hard queries
	Backbones         Mechanism = "backbones"  // decided conditions, in hard queries
	// ContractCut is the run in which loops with contracts are cut by their written invariants alone.
	ContractCut Mechanism = "contract-cut"
	// Lockstep is the comparison of versions step by step, in package pipeline.
	Lockstep Mechanism = "lockstep"
)

// mechanisms lists all mechanisms except the rewriting rules, which package smt lists (smt.Rules).
var mechanisms = []Mechanism{StoreMap, AddressRangeMap, Facts, Cursors, Outcomes, Lifting, Feasibility,
	SharedFeasibility, Reports, Induction, Executions, Cases, Ordering, Backbones, ContractCut, Lockstep}

// ParseMechanism parses the name of a mechanism or of a rewriting rule; the error lists the valid names.
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
