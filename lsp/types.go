package lsp

import (
	"encoding/json"

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
		WorkspaceEdit          struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		PublishDiagnostics struct {
			RelatedInformation     bool `json:"relatedInformation"`
			VersionSupport         bool `json:"versionSupport"`
			CodeDescriptionSupport bool `json:"codeDescriptionSupport"`
			DataSupport            bool `json:"dataSupport"`
		} `json:"publishDiagnostics"`
		Hover struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		CodeAction struct {
			CodeActionLiteralSupport *struct{} `json:"codeActionLiteralSupport"`
			IsPreferredSupport       bool      `json:"isPreferredSupport"`
		} `json:"codeAction"`
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

type refreshing struct {
	RefreshSupport bool `json:"refreshSupport"`
}

// serverCapabilities extends the library's type with later capabilities.
type serverCapabilities struct {
	protocol.ServerCapabilities
	PositionEncoding  encoding `json:"positionEncoding,omitempty"`
	InlayHintProvider bool     `json:"inlayHintProvider,omitempty"`
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
	Token string        `json:"token"`
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
