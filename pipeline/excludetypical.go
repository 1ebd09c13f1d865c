package pipeline

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Typical counterexamples. A counterexample is minimized, so its values are as near to zero as possible: len = 0, cap =
// 0. Such values are often a corner case that explains little. The proof is checked once more with assumptions that
// exclude extreme values, as far as the failure remains.

// Typical values are above typicalMin and below typicalMax.
const (
	typicalMin = 1
	typicalMax = 100
	// typicalChecks bounds the runs of the proof.
	typicalChecks = 6
)

// Example is an execution that fails in the same way as a counterexample.
type Example struct {
	Message string        `json:"message"`
	Inputs  []found.Input `json:"inputs"`

	Run found.Run `json:"-"`
}

// Typical returns a counterexample of the same failure whose values are not extreme. It is nil if the given one is
// typical already, or if there is none.
func (l *Pool) Typical(ctx context.Context, j Job, p *diagnostics.Proof, f *diagnostics.Finding) (*Example, error) {
	e := &excluder{pool: l, job: j, proof: p, finding: f, out: &Exclusion{},
		budget: budget{total: excludeTime, run: l.Check}}
	err := e.read()
	if err == nil {
		var failing precondition.State
		if failing, _, err = e.prepare(ctx); err == nil {
			return e.typical(ctx, failing), ctx.Err()
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, nil // such as the proof of a contract, whose inputs have no names in a function
}

// typical finds a typical counterexample, given the values of the failing execution.
func (e *excluder) typical(ctx context.Context, failing precondition.State) *Example {
	type bound struct{ text string }
	var list []bound
	extreme := false
	for i := range e.vars {
		v := &e.vars[i]
		if v.Pointer || v.Bool || v.Float || v.Enum != nil || !v.Input || !v.Relevant || v.Bits < 8 || failing[i] == nil {
			continue
		}
		extreme = extreme || failing[i].Cmp(big.NewInt(typicalMin)) <= 0 || failing[i].Cmp(big.NewInt(typicalMax)) >= 0
		list = append(list, bound{fmt.Sprintf("%s > %d", v.Text, typicalMin)},
			bound{fmt.Sprintf("%s < %d", v.Text, typicalMax)})
	}
	if !extreme || len(list) == 0 {
		return nil
	}
	var best *Example
	holds := func(bounds []bound) bool {
		var parts []string
		for _, b := range bounds {
			parts = append(parts, b.text)
		}
		proof, _ := e.check(ctx, e.edited(e.statement(strings.Join(parts, " && "))))
		f := e.locate(proof, 0)
		if f == nil || f.Verdict != found.Failed {
			return false
		}
		x := e.original(ctx, f)
		if x != nil {
			best = x
		}
		return x != nil
	}
	first := e.out.Checks
	// Both bounds of everything, else one bound of everything, else one after the other.
	if holds(list) {
		return best
	}
	var lower []bound
	for i := 0; i < len(list); i += 2 {
		lower = append(lower, list[i])
	}
	if holds(lower) {
		return best
	}
	var holding []bound
	for _, b := range lower {
		if e.out.Checks-first >= typicalChecks || ctx.Err() != nil {
			break
		}
		if with := append(holding[:len(holding):len(holding)], b); len(lower) > 1 && holds(with) {
			holding = with
		}
	}
	return best
}

// original executes the counterexample of a text with an assumption on the proof as it is: an assumption makes no
// choices. It returns nil if that does not fail in the same way.
func (e *excluder) original(ctx context.Context, f *diagnostics.Finding) *Example {
	if e.program == nil {
		var err error
		if e.program, err = NewPlayground(ctx, e.job); err != nil {
			return nil
		}
	}
	run := e.finding.Run
	run.Tape = f.Run.Tape
	v, err := e.program.Vary(ctx, run, nil, vcgen.VaryOptions{})
	if err != nil || v.End != diagnostics.VariantFails || v.Finding.Message == e.finding.Message {
		return nil
	}
	return &Example{Message: v.Finding.Message, Inputs: v.Finding.Inputs, Run: v.Finding.Run}
}
