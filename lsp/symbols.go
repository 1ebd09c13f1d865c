package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
)

// symbols returns the proofs whose names contain the letters of the query in order, the usual fuzzy match of editors.
func (v *view) symbols(_ context.Context, p *protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	out := []protocol.SymbolInformation{}
	for _, proof := range v.proofs() {
		if matches(p.Query, proof.Proof.Name) || matches(p.Query, proof.Proof.Entry) {
			out = append(out, protocol.SymbolInformation{Name: proof.Proof.Name, Kind: protocol.SymbolKindFunction,
				Location: v.location(v.entry(proof)), ContainerName: "unit proof"})
		}
	}
	return out, nil
}

func matches(query, name string) bool {
	rest := strings.ToLower(name)
	for _, r := range strings.ToLower(query) {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+len(string(r)):]
	}
	return true
}
