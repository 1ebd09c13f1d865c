package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/editing"
)

// The function that a proof is about, for lists of proofs that are grouped by function.

// subject is the function of a proof, at the place of its name.
type subject struct {
	Proof string               `json:"proof"` // ID
	Name  string               `json:"name"`
	URI   protocol.DocumentURI `json:"uri"`
	Range protocol.Range       `json:"range"`
}

type subjectList struct {
	Subjects []subject `json:"subjects"`
}

// subjects returns the functions of all proofs that have results. A proof without a known function is left out.
func (v *view) subjects(context.Context, *struct{}) (subjectList, error) {
	list := subjectList{Subjects: []subject{}}
	for _, p := range v.proofs() {
		for _, at := range v.subjectsOf(p) {
			if item, ok := v.functionItem(at); ok {
				list.Subjects = append(list.Subjects, subject{string(p.ID), at.name, item.URI, item.SelectionRange})
				break
			}
		}
	}
	return list, nil
}

// subjectsOf returns the functions that a proof may be about, the likeliest first: of those that its entry calls, the
// ones of other files before those of its own, then those whose name is in the proof's name, then those with the most
// findings.
func (v *view) subjectsOf(p *editing.ProofState) []executedFunction {
	entry := executedFunction{p.Proof.File, p.Proof.Entry}
	if p.Proof.Contract {
		for at := range v.executes(p) {
			if at.name == p.Proof.Entry {
				return []executedFunction{at}
			}
		}
		return []executedFunction{entry}
	}
	findings := map[executedFunction]int{}
	eachPath(p, func(functions []executedFunction, _ []callSite) {
		if len(functions) > 1 && functions[0] == entry {
			findings[functions[1]]++
		}
	})
	list := make([]executedFunction, 0, len(findings))
	for at := range findings {
		list = append(list, at)
	}
	rank := func(at executedFunction) int {
		n := 0
		if at.path != p.Proof.File {
			n += 2
		}
		if named(p, at) != "" {
			n++
		}
		return n
	}
	slices.SortFunc(list, func(a, b executedFunction) int {
		return cmp.Or(rank(b)-rank(a), len(named(p, b))-len(named(p, a)), findings[b]-findings[a], compareFunctions(a, b))
	})
	return list
}

// named returns the name of a function if the names of the proof contain it, "" otherwise.
func named(p *editing.ProofState, at executedFunction) string {
	if strings.Contains(p.Proof.Name, at.name) || strings.Contains(p.Proof.Entry, at.name) {
		return at.name
	}
	return ""
}
