package lsp

import (
	"context"

	"go.lsp.dev/protocol"
)

// verbKind is the kind of the actions that are also lenses.
const verbKind protocol.CodeActionKind = "source.unitproof"

func (v *view) codeActions(_ context.Context, p *protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	return []protocol.CodeAction{}, nil
}
