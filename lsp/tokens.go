package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline/contract"
)

// Semantic tokens of the clauses of contracts. A compiler expands the clauses to nothing, so a server for C has no
// tokens for them.

// tokenTypes and tokenModifiers are the legend of the tokens.
var (
	tokenTypes = []protocol.SemanticTokenTypes{protocol.SemanticTokenKeyword, protocol.SemanticTokenFunction,
		protocol.SemanticTokenParameter, protocol.SemanticTokenProperty, protocol.SemanticTokenVariable,
		protocol.SemanticTokenNumber, protocol.SemanticTokenType}
	tokenModifiers = []protocol.SemanticTokenModifiers{protocol.SemanticTokenModifierDefaultLibrary,
		protocol.SemanticTokenModifierReadonly}
)

// Indices into tokenTypes, and bits of tokenModifiers.
const (
	keywordToken uint32 = iota
	functionToken
	parameterToken
	propertyToken
	variableToken
	numberToken
	typeToken

	noModifier     uint32 = 0
	libraryToken   uint32 = 1
	constantResult uint32 = 1 | 2
)

// tokenOptions is the server capability semanticTokensProvider.
var tokenOptions = map[string]any{"full": true,
	"legend": protocol.SemanticTokensLegend{TokenTypes: tokenTypes, TokenModifiers: tokenModifiers}}

// tokenOf returns the type and the modifiers of a word's token.
func tokenOf(role contract.Role, word string) (kind, modifiers uint32) {
	switch role {
	case contract.ClauseName, contract.Quantifier:
		return keywordToken, libraryToken
	case contract.Primitive:
		return functionToken, libraryToken
	case contract.Result:
		return variableToken, constantResult
	case contract.Parameter:
		return parameterToken, noModifier
	case contract.Member:
		return propertyToken, noModifier
	case contract.Call:
		return functionToken, noModifier
	case contract.Digits:
		return numberToken, noModifier
	}
	switch word {
	case "sizeof", "const", "volatile", "struct", "union", "enum", "_Alignof", "__typeof__", "typeof":
		return keywordToken, noModifier
	case "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool", "bool":
		return typeToken, noModifier
	}
	if strings.HasSuffix(word, "_t") {
		return typeToken, noModifier
	}
	return variableToken, noModifier
}

// semanticTokens returns the tokens of a document's clauses; nil, which leaves the document to other servers, if it
// has none.
func (v *view) semanticTokens(_ context.Context, p *textDocumentParams) (*protocol.SemanticTokens, error) {
	path, ok := pathOf(p.TextDocument.URI)
	d := v.docs[path]
	if !ok || d == nil || len(d.text.data) > maxLensText {
		return nil, nil
	}
	words := contract.Words(d.text.data)
	if len(words) == 0 {
		return nil, nil
	}
	out := &protocol.SemanticTokens{Data: []uint32{}}
	var last protocol.Position
	for _, w := range words {
		word := string(d.text.data[w.Start:w.End])
		at := d.text.position(w.Start, v.encoding)
		kind, modifiers := tokenOf(w.Role, word)
		column := at.Character
		if at.Line == last.Line {
			column -= last.Character
		}
		length := uint32(columns(d.text.data[w.Start:w.End], v.encoding))
		out.Data = append(out.Data, at.Line-last.Line, column, length, kind, modifiers)
		last = at
	}
	return out, nil
}
