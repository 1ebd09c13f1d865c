package lsp

import (
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen"
)

// explanationItems are hints on what a proof that was explained does not need, and on what none of its executions
// does. What several proofs say of a place is one hint that names them; what another proof needs, or takes, is none.
func (v *view) explanationItems(p *pipeline.ProofState, r *diagnostics.Proof) []item {
	if !r.Explained() {
		return nil
	}
	var items []item
	hint := func(kind, file string, line, column int, unnecessary bool, format string, args ...any) {
		at, ok := v.find(p, point{file: file, line: line, column: column, part: csource.Operation})
		if !ok {
			return
		}
		it := item{at: at, kind: kind, severity: protocol.DiagnosticSeverityHint, proof: p,
			message: fmt.Sprintf(format, args...)}
		if unnecessary {
			it.tags = []protocol.DiagnosticTag{protocol.DiagnosticTagUnnecessary}
		}
		items = append(items, it)
	}
	if r.Core != nil {
		for _, e := range r.Core.NotNeeded {
			if !v.neededElsewhere(p, &e) {
				hint("not-needed", e.File, e.Line, e.Column, true, "no verdict rests on this assumption")
			}
		}
	}
	for i := range r.Obligations {
		if f := &r.Obligations[i]; f.Independent != "" {
			hint(f.Independent, f.File, f.Line, f.Column, false, "%s", f.Dependence())
		}
	}
	for i := range r.Branches {
		if b := &r.Branches[i]; b.DeadSentence() != "" && !v.takenElsewhere(p, b) {
			hint("dead-branch", b.File, b.Line, b.Column, false, "%s under these assumptions", b.DeadSentence())
		}
	}
	return items
}

// neededElsewhere tells whether another proof rests on an assumption.
func (v *view) neededElsewhere(p *pipeline.ProofState, e *diagnostics.CoreEntry) bool {
	for _, o := range v.proofs() {
		if o == p || o.Result == nil || o.Result.Core == nil {
			continue
		}
		for _, n := range o.Result.Core.Needed {
			if n.File == e.File && n.Line == e.Line && n.Column == e.Column {
				return true
			}
		}
	}
	return false
}

// takenElsewhere tells whether an execution of another proof takes a way of a branch that no one of this proof does.
func (v *view) takenElsewhere(p *pipeline.ProofState, b *diagnostics.Branch) bool {
	for _, o := range v.proofs() {
		if o == p || o.Result == nil {
			continue
		}
		for i := range o.Result.Branches {
			x := &o.Result.Branches[i]
			if x.File != b.File || x.Line != b.Line || x.Column != b.Column || x.Nth != b.Nth || len(x.Ways) != len(b.Ways) {
				continue
			}
			for k, w := range b.Ways {
				if w.Taken == vcgen.NeverTaken && x.Ways[k].Taken == vcgen.TakenBy {
					return true
				}
			}
		}
	}
	return false
}
