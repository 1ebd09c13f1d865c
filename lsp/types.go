package lsp

import (
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"
)

// Types of LSP 3.17 for which go.lsp.dev/protocol v0.12.0 (3.16) has no type, or a type that loses data.

// initializeParams replaces the library's type. Its capabilities end at 3.16, and one malformed capability is an
// error for all of them.
type initializeParams struct {
	ProcessID             *int                       `json:"processId"`
	ClientInfo            *protocol.ClientInfo       `json:"clientInfo"`
	RootPath              string                     `json:"rootPath"`
	RootURI               protocol.DocumentURI       `json:"rootUri"`
	WorkspaceFolders      []protocol.WorkspaceFolder `json:"workspaceFolders"`
	Capabilities          json.RawMessage            `json:"capabilities"`
	InitializationOptions json.RawMessage            `json:"initializationOptions"`
}

// clientCapabilities are the capabilities that the server uses. Absent ones are false.
type clientCapabilities struct {
	General struct {
		PositionEncodings []encoding `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		Configuration          bool               `json:"configuration"`
		DidChangeConfiguration dynamicRegistering `json:"didChangeConfiguration"`
		DidChangeWatchedFiles  dynamicRegistering `json:"didChangeWatchedFiles"`
		CodeLens               refreshing         `json:"codeLens"`
		InlayHint              refreshing         `json:"inlayHint"`
		Diagnostics            refreshing         `json:"diagnostics"`
		WorkspaceEdit          struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		PublishDiagnostics diagnosticSupport `json:"publishDiagnostics"`
		Diagnostic         diagnosticSupport `json:"diagnostic"`
		Hover              struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		CodeAction struct {
			CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
			IsPreferredSupport       bool      `json:"isPreferredSupport"`
			DataSupport              bool      `json:"dataSupport"`
			ResolveSupport           resolving `json:"resolveSupport"`
		} `json:"codeAction"`
		InlayHint struct {
			ResolveSupport resolving `json:"resolveSupport"`
		} `json:"inlayHint"`
		SemanticTokens present `json:"semanticTokens"`
		CallHierarchy  present `json:"callHierarchy"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
		ShowDocument     struct {
			Support bool `json:"support"`
		} `json:"showDocument"`
	} `json:"window"`
}

type dynamicRegistering struct {
	DynamicRegistration bool `json:"dynamicRegistration"`
}

// diagnosticSupport is a client's support of diagnostics that are published, or pulled.
type diagnosticSupport struct {
	RelatedInformation     bool `json:"relatedInformation"`
	VersionSupport         bool `json:"versionSupport"`
	CodeDescriptionSupport bool `json:"codeDescriptionSupport"`

	supported bool
}

// UnmarshalJSON also notes that the capability is there.
func (d *diagnosticSupport) UnmarshalJSON(data []byte) error {
	type plain diagnosticSupport
	if err := json.Unmarshal(data, (*plain)(d)); err != nil {
		return err
	}
	d.supported = string(data) != "null"
	return nil
}

// present is true for a capability that is an object, whatever its members.
type present bool

func (p *present) UnmarshalJSON(data []byte) error {
	*p = len(data) > 0 && data[0] == '{'
	return nil
}

// resolving are the properties that a client can request later.
type resolving struct {
	Properties []string `json:"properties"`
}

func (r resolving) has(property string) bool { return slices.Contains(r.Properties, property) }

type refreshing struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// serverCapabilities extends the library's type with later capabilities.
type serverCapabilities struct {
	protocol.ServerCapabilities
	ExecuteCommand    executeOptions     `json:"executeCommandProvider"`
	PositionEncoding  encoding           `json:"positionEncoding,omitempty"`
	InlayHintProvider any                `json:"inlayHintProvider,omitempty"`
	Diagnostics       *diagnosticOptions `json:"diagnosticProvider,omitempty"`
}

// executeOptions extends the library's type: progress is reported on the client's tokens.
type executeOptions struct {
	Commands         []string `json:"commands"`
	WorkDoneProgress bool     `json:"workDoneProgress"`
}

type initializeResult struct {
	Capabilities serverCapabilities   `json:"capabilities"`
	ServerInfo   *protocol.ServerInfo `json:"serverInfo,omitempty"`
}

// publishDiagnosticsParams replaces the library's type, which marshals an empty list as null, and always a version.
type publishDiagnosticsParams struct {
	URI         protocol.DocumentURI  `json:"uri"`
	Version     *int32                `json:"version,omitempty"`
	Diagnostics []protocol.Diagnostic `json:"diagnostics"`
}

type inlayHintParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Range        protocol.Range                  `json:"range"`
}

type inlayHint struct {
	Position    protocol.Position `json:"position"`
	Label       string            `json:"label"`
	Tooltip     string            `json:"tooltip,omitempty"`
	PaddingLeft bool              `json:"paddingLeft,omitempty"`
	// TextEdits write the invariants of a loop down as clauses.
	TextEdits []protocol.TextEdit `json:"textEdits,omitempty"`
	Data      *hintData           `json:"data,omitempty"` // for inlayHint/resolve
}

// hintData identifies a hint by its document and position.
type hintData struct {
	URI protocol.DocumentURI `json:"uri"`
}

// progressValue replaces the library's type, in which a begin at 0 % loses its percentage and becomes indefinite.
type progressValue struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable *bool  `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
	Percentage  *int   `json:"percentage,omitempty"`
}

type progressParams struct {
	Token any           `json:"token"` // a string, or a client's token as it was sent
	Value progressValue `json:"value"`
}

type didChangeParams struct {
	TextDocument struct {
		URI     protocol.DocumentURI `json:"uri"`
		Version *int32               `json:"version"`
	} `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

type textDocumentParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
}

type positionParams struct {
	TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
	Position     protocol.Position               `json:"position"`
}
