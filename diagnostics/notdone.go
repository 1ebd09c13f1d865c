package diagnostics

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// NotDone is a code for one thing that a result did not check, or took for granted. The list is closed: a proof that is
// proved without any code holds for every execution that its own assumptions allow.
type NotDone string

// Codes that no assumption has, and Unchecked, the most general code of an assumption. The kinds of assumptions are
// codes as well; see notDone.
const (
	NotCompiled      NotDone = "not-compiled"
	NotDecided       NotDone = "undecided"
	BehindViolations NotDone = "behind-violation"
	WithinBound      NotDone = "bound"
	MayNotEnd        NotDone = "termination"
	KindOff          NotDone = "kind-off"
	VacuityOff       NotDone = "vacuity-off"
	AcceptedFinding  NotDone = "accepted"
	MallocSucceeds   NotDone = "malloc-succeeds"
	BodyReplaced     NotDone = "body-replaced"
	BodyRemoved      NotDone = "body-removed"
	Unchecked        NotDone = "unchecked"
)

// NotDoneInfo is a code with its meaning.
type NotDoneInfo struct {
	Code NotDone
	Help string
}

// notDone is the table of codes. A code that leaves more open comes first.
var notDone = [...]NotDoneInfo{
	{NotCompiled, "the proof is an error: nothing was checked"},
	{NotDecided, "a finding, or the whole proof, is unknown"},
	{BehindViolations, "a finding is behind a violation, or behind an unknown finding: only executions without that " +
		"were checked"},
	{WithinBound, "a loop or recursion was cut: further iterations were not checked"},
	{MayNotEnd, "the verdicts after a loop hold if it terminates, which was neither observed nor proved"},
	{KindOff, "a kind that is checked by default is switched off"},
	{VacuityOff, "reachability of the assertions and of the end was not checked (`vacuity = \"off\"`)"},
	{AcceptedFinding, "a finding that is not proved was accepted (`[[accept]]`)"},
	{MallocSucceeds, "no allocation returns NULL (`malloc-may-fail = false`)"},
	{BodyReplaced, "a file replaces definitions of the program (`override`)"},
	{BodyRemoved, "a function's body was left out (`remove-bodies`)"},
	{"missing-body", "a function without a body was called"},
	{"missing-definition", "a variable has no definition: its content is arbitrary"},
	{"contract", "calls of a function are replaced by its contract, which this proof does not check"},
	{"inline-asm", "inline assembly is assumed to return arbitrary values, and to write no other memory"},
	{Unchecked, "accesses, calls or contracts are assumed to be valid, because their checks are off"},
	{"model-limit", "inputs or the library are limited: sizes, numbers of arguments, one given input"},
	{"ambiguous-definition", "a function has several definitions, and one of them was used"},
	{"stand-in", "another definition replaces a function, or an arbitrary value a missing result"},
	{"conflicting-types", "declarations differ in a way that C forbids"},
	{"option-dropped", "an option of the compile command has no effect here"},
	{"ndebug", "`NDEBUG` is defined: `assert` checks nothing"},
	{"compiled-elsewhere", "another compiler generated the code: checks see only the code that it kept"},
	{"ignored-pragma", "a pragma for checks was ignored"},
}

// harmlessAssumptions are the kinds of assumptions that are hints about the configuration: no verdict rests on them.
var harmlessAssumptions = []string{"unused-setting"}

// NotDoneCodes lists the codes with their meanings.
func NotDoneCodes() []NotDoneInfo { return notDone[:] }

// Order is the place of a code in the table, from 0; unknown codes come last.
func (n NotDone) Order() int {
	if i := slices.IndexFunc(notDone[:], func(x NotDoneInfo) bool { return x.Code == n }); i >= 0 {
		return i
	}
	return len(notDone)
}

// Help is the meaning of a code; "" for a word that is no code.
func (n NotDone) Help() string {
	if i := n.Order(); i < len(notDone) {
		return notDone[i].Help
	}
	return ""
}

// notDone derives the codes of a result from its data, in the order of the table.
func (p *Proof) notDone() []NotDone {
	has := map[NotDone]bool{
		NotCompiled:    p.Verdict == found.Error,
		NotDecided:     p.Verdict == found.Unknown || p.Why.Why == found.RestUndecided,
		WithinBound:    p.Verdict == found.Bounded,
		VacuityOff:     vcgen.VacuityMode(p.Options.Vacuity) == vcgen.VacuityOff,
		MallocSucceeds: !p.Options.MallocMayFail && p.Verdict != found.Error,
		BodyReplaced:   len(p.Options.Override) > 0,
		BodyRemoved:    len(p.Options.RemoveBodies) > 0,
	}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		switch f.Verdict {
		case found.Unknown:
			if f.Behind() {
				has[BehindViolations] = true
			} else {
				has[NotDecided] = true
			}
		case found.Bounded:
			has[WithinBound] = true
		}
		has[AcceptedFinding] = has[AcceptedFinding] || f.Accepted
	}
	for i := range p.Loops {
		has[MayNotEnd] = has[MayNotEnd] || p.Loops[i].MayNotEnd
	}
	normally := found.DefaultChecks()
	for kind, on := range p.Options.Checks {
		has[KindOff] = has[KindOff] || !on && normally[found.Kind(kind)]
	}
	for i := range p.Assumptions {
		switch code := NotDone(p.Assumptions[i].Kind); {
		case slices.Contains(harmlessAssumptions, string(code)):
		case code.Help() == "": // of a later version: the list stays closed
			has[Unchecked] = true
		default:
			has[code] = true
		}
	}
	list := []NotDone{}
	for code, is := range has {
		if is {
			list = append(list, code)
		}
	}
	slices.SortFunc(list, func(a, b NotDone) int { return a.Order() - b.Order() })
	return list
}
