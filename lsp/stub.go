package lsp

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
)

// offerOwnStub offers a body for a function that the user declares and no linked file defines. The source then states
// what the proof assumes about it.
func (a *actions) offerOwnStub(p *editing.ProofState, name, kind string) {
	t := a.view.text(p.Proof.File)
	if t == nil || project.IsForeign(p.Proof.File) {
		return
	}
	entry, ok := t.source.Function(p.Proof.Entry)
	if !ok {
		return
	}
	declared, texts := a.view.declarationOf(p, name)
	text := harness.MissingStub(name, declared, texts)
	if text == "" {
		return
	}
	start := strings.LastIndexByte(string(t.data[:entry.Start]), '\n') + 1
	a.add(codeAction{Title: "Stub " + name, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(kind),
		Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
			a.view.uri(p.Proof.File): {{Range: t.span(start, start, a.view.encoding), NewText: text}}}}})
}

// declarationOf returns the declaration of a function, and the texts of the files that can have it. These are the
// proof's file, and then the files below the root that the proof depends on.
func (v *view) declarationOf(p *editing.ProofState, name string) (declared []string, texts [][]byte) {
	var files []string
	for f := range p.Rests {
		if f != p.Proof.File && paths.Within(string(p.Root), f) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	for _, f := range append([]string{p.Proof.File}, files...) {
		if t := v.text(f); t != nil {
			texts = append(texts, t.data)
			if declared == nil {
				declared = csource.Declaration(t.data, name)
			}
		}
	}
	return declared, texts
}
