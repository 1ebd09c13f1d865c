package lsp

import (
	"slices"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/project"
)

// entryOf returns the function of a document at which a proof is shown. The proof of a contract that unitproof.toml
// names (as for CBMC's kits) is shown at the harness that calls the function, and at the function itself, in any
// file.
func entryOf(p *editing.ProofState, d string, t *text) (csource.Function, bool) {
	own := p.Proof.File == d
	if f, ok := entryIn(d, t, p.Proof.Entry); ok || !p.Proof.Contract || !own {
		return f, ok
	}
	return caller(t, p.Proof.Entry)
}

// caller returns the first function whose body mentions another one.
func caller(t *text, name string) (csource.Function, bool) {
	for s := (csource.Scanner{Text: t.data}); ; {
		tok := s.Code()
		if tok.Kind == csource.End {
			return csource.Function{}, false
		}
		if tok.Kind != csource.Ident || tok.Of(t.data) != name {
			continue
		}
		if f, ok := t.source.FunctionAround(tok.Start); ok && f.Name != name && tok.Start > f.Body {
			return f, true
		}
	}
}

// proofsAt returns the proofs that are shown in a file: the proofs of the file, and those of contracts of functions
// that it defines.
func (v *view) proofsAt(path string) []*editing.ProofState {
	list := v.proofsIn(path)
	for _, p := range v.proofs() {
		if !p.Proof.Contract || slices.Contains(list, p) {
			continue
		}
		links := func(units []project.Unit) bool {
			return slices.ContainsFunc(units, func(u project.Unit) bool {
				return u.File == path || v.server.real.of(u.File) == v.server.real.of(path)
			})
		}
		found := p.Result != nil && slices.ContainsFunc(p.Result.Options.Sources, func(f string) bool {
			return fileOf(p, f) == path // the proof's own list may lack it
		})
		if found || links(p.Proof.Sources) || links(p.Proof.Overrides) {
			list = append(slices.Clip(list), p)
		}
	}
	return list
}
