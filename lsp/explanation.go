package lsp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/vcgen/found"
)

// explanationItems returns hints for an explained proof: assumptions that it does not need, and ways that its
// executions never take. Equal hints of several proofs are merged. A hint is dropped if another proof needs the
// assumption, or takes the way.
func (v *view) explanationItems(p *editing.ProofState, r *diagnostics.Proof) []item {
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
	return append(items, v.deadItems(p, r)...)
}

// deadItems returns the code that no execution reaches, as far as the branches around it imply that. Editors grey it
// out.
func (v *view) deadItems(p *editing.ProofState, r *diagnostics.Proof) []item {
	var items []item
	files := map[string][]*diagnostics.Branch{}
	for i := range r.Branches {
		if b := &r.Branches[i]; b.Entered && b.Text != "" {
			files[b.File] = append(files[b.File], b)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		branches, path := files[file], fileOf(p, file)
		t := v.text(path)
		if t == nil {
			continue
		}
		at := make([]int, len(branches)) // offsets
		for i, b := range branches {
			at[i] = -1
			if offset, ok := t.offsetAt(b.Line, b.Column); ok {
				at[i] = offset
			}
		}
		never := func(head, start, end int, way bool) bool {
			dead, known := false, 0
			for i, b := range branches {
				if b.Switch() || at[i] < head || at[i] >= end || b.Text != string(csource.OneLine(t.data[start:end])) ||
					at[i] >= start && b.Nth > 0 {
					continue
				}
				known++
				k := 0
				if !way {
					k = 1
				}
				dead = b.Ways[k].Taken == found.NeverTaken && !v.mayBeTakenElsewhere(p, b, k)
			}
			return dead && known == 1 // of two equal texts it is unknown which is meant
		}
		dead := map[[2]int]string{} // message by range
		for i, b := range branches {
			switch {
			case at[i] < 0 || len(b.Dead()) == 0:
			case b.Switch() && b.Nth == 0:
				for _, c := range t.source.DeadCases(at[i], func(c csource.CaseBody) bool { return v.neverTaken(p, b, c, t) }) {
					dead[[2]int{c.Start, c.End}] = "no execution takes this case of `switch (" + b.Text + ")` under these assumptions"
				}
			case !b.Switch():
				for _, part := range t.source.DeadCode(at[i], never) {
					if dead[part] == "" {
						dead[part] = "no execution reaches this line"
					}
				}
			}
		}
		parts := slices.SortedFunc(maps.Keys(dead), func(a, b [2]int) int { return cmp.Or(a[0]-b[0], b[1]-a[1]) })
		end := 0
		for _, part := range parts {
			if part[1] <= end {
				continue // inside a range that has a message
			}
			end = part[1]
			items = append(items, item{at: fileRange{path, t.span(part[0], part[1], v.encoding)}, kind: "dead-code",
				severity: protocol.DiagnosticSeverityHint, proof: p, message: dead[part],
				tags: []protocol.DiagnosticTag{protocol.DiagnosticTagUnnecessary}})
		}
	}
	return items
}

// neverTaken reports whether no execution enters the body of a switch through its labels.
func (v *view) neverTaken(p *editing.ProofState, b *diagnostics.Branch, body csource.CaseBody, t *text) bool {
	dead, known := false, 0
	for k := range b.Ways {
		w := &b.Ways[k]
		if offset, ok := t.offsetAt(w.Line, w.Column); !ok || offset < body.Body || offset >= body.End {
			continue
		}
		known++
		labels := len(w.Values)
		if w == b.Default() {
			labels++
		}
		dead = w.Taken == found.NeverTaken && (w == b.Default()) == body.Default && !v.mayBeTakenElsewhere(p, b, k) &&
			labels == body.Labels
	}
	return dead && known == 1
}

// mayBeTakenElsewhere reports whether an execution of another proof takes, or may take, a way of a branch.
func (v *view) mayBeTakenElsewhere(p *editing.ProofState, b *diagnostics.Branch, way int) bool {
	for _, o := range v.proofs() {
		if o == p || o.Result == nil {
			continue
		}
		for i := range o.Result.Branches {
			if x := &o.Result.Branches[i]; x.File == b.File && x.Line == b.Line && x.Column == b.Column && x.Nth == b.Nth &&
				len(x.Ways) == len(b.Ways) && x.Ways[way].Taken != found.NeverTaken {
				return true
			}
		}
	}
	return false
}

// neededElsewhere reports whether another proof rests on an assumption.
func (v *view) neededElsewhere(p *editing.ProofState, e *diagnostics.CoreEntry) bool {
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

// takenElsewhere reports whether an execution of another proof takes a way of a branch that this proof never takes.
func (v *view) takenElsewhere(p *editing.ProofState, b *diagnostics.Branch) bool {
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
				if w.Taken == found.NeverTaken && x.Ways[k].Taken == found.TakenBy {
					return true
				}
			}
		}
	}
	return false
}
