package lsp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/editing"
)

// Pull diagnostics: the client requests the diagnostics of a document, or of all files, instead of being notified.
// A document that the client pulls is not published any more, as clients would show its diagnostics twice; all other
// files are published as before. When the diagnostics of a pulled document change, the client is asked to pull again.

// withoutPull, withoutHierarchy and withoutTokens are features that a client can switch off in its
// initializationOptions.
const (
	withoutPull      = "pullDiagnostics"
	withoutHierarchy = "callHierarchy"
	withoutTokens    = "semanticTokens"
)

// pulls reports whether the client may be offered pull diagnostics. A client that can also be notified, and cannot be
// asked to pull again, is notified only: it would show the results of runs twice or late.
func (c *clientCapabilities) pulls() bool {
	return c.TextDocument.Diagnostic.supported &&
		(c.Workspace.Diagnostics.RefreshSupport || !c.TextDocument.PublishDiagnostics.supported)
}

// diagnosticOptions is the server capability diagnosticProvider.
type diagnosticOptions struct {
	Identifier            string `json:"identifier"`
	InterFileDependencies bool   `json:"interFileDependencies"`
	WorkspaceDiagnostics  bool   `json:"workspaceDiagnostics"`
}

// diagnosticReport is a report about one document. A full one has items, an unchanged one has none.
type diagnosticReport struct {
	Kind     string                 `json:"kind"` // full, unchanged
	ResultID string                 `json:"resultId"`
	Items    *[]protocol.Diagnostic `json:"items,omitempty"`
}

// workspaceReport is a report about one file in the answer to workspace/diagnostic.
type workspaceReport struct {
	diagnosticReport
	URI     protocol.DocumentURI `json:"uri"`
	Version *int32               `json:"version"` // null for a file that is not open
}

type workspaceReports struct {
	Items []workspaceReport `json:"items"`
}

// reportOf returns the report about a list, given the ID of the client's last report.
func reportOf(list []protocol.Diagnostic, previous string) (report diagnosticReport, data []byte, err error) {
	if len(list) == 0 {
		list = []protocol.Diagnostic{}
	}
	if data, err = json.Marshal(list); err != nil {
		return report, nil, err
	}
	sum := sha256.Sum256(data)
	report = diagnosticReport{Kind: "full", ResultID: hex.EncodeToString(sum[:8]), Items: &list}
	if previous == report.ResultID {
		report.Kind, report.Items = "unchanged", nil
	}
	return report, data, nil
}

// applied returns a view in which the workspace has applied all earlier messages.
func (s *server) applied(ctx context.Context) (*view, error) {
	e, err := s.waitEngine(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := e.workspace.Applied(ctx); err != nil {
		return nil, err
	}
	return s.view(), nil
}

// documentDiagnostic returns the diagnostics of a document. A client that can be asked to pull again gets those that
// are known; for all others the request waits for the runs that may add diagnostics to the document.
func (v *view) documentDiagnostic(ctx context.Context, p *struct {
	TextDocument     protocol.TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                          `json:"previousResultId"`
}) (any, error) {
	now, err := v.server.applied(ctx)
	if err != nil {
		return nil, err
	}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok { // untitled:, git: and the like
		report, _, err := reportOf(nil, p.PreviousResultID)
		return report, err
	}
	if !v.caps.Workspace.Diagnostics.RefreshSupport && now.engine != nil {
		if err := now.engine.settled(ctx, now.runsAbout(path)); err != nil {
			return nil, err
		}
		now = v.server.view()
	}
	list := now.diagnosticsOf(path)
	report, data, err := reportOf(list, p.PreviousResultID)
	if err == nil {
		v.server.pulled(now, p.TextDocument.URI, data, len(list) == 0)
	}
	return report, err
}

// runsAbout returns the proofs that are queued or running and may have diagnostics in a file.
func (v *view) runsAbout(path string) (ids []editing.ProofID) {
	for _, p := range v.proofs() {
		_, rests := p.Rests[path]
		if p.Phase != editing.Idle && (p.Result == nil || rests || p.Proof.File == path) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// diagnosticsOf returns the diagnostics of a file under any of its names.
func (v *view) diagnosticsOf(path string) (list []protocol.Diagnostic) {
	if v.snapshot == nil {
		return nil
	}
	d := v.document(path)
	for file, set := range v.diagnostics() {
		if file == path || d != nil && v.document(file) == d {
			list = append(list, set...)
		}
	}
	slices.SortStableFunc(list, compareDiagnostics)
	return list
}

// pulled notes that the client pulls the diagnostics of a document. Those that were published are withdrawn.
func (s *server) pulled(v *view, uri protocol.DocumentURI, data []byte, none bool) {
	out := s.published
	out.mu.Lock()
	defer out.mu.Unlock()
	if !v.caps.Workspace.Diagnostics.RefreshSupport || !v.isOpen(uri) {
		return
	}
	if !out.silent(uri) {
		s.withdraw(uri)
		out.pulled[uri] = true
	}
	if none {
		delete(out.diagnostics, uri)
	} else {
		out.diagnostics[uri] = data
	}
}

// isOpen reports whether the client has opened a document.
func (v *view) isOpen(uri protocol.DocumentURI) bool {
	for _, d := range v.docs {
		if d.uri == uri {
			return true
		}
	}
	return false
}

// withdraw publishes that a file has no diagnostics, if the client was notified of some. published.mu is held.
func (s *server) withdraw(uri protocol.DocumentURI) {
	if s.published.diagnostics[uri] != nil {
		s.conn.Notify("textDocument/publishDiagnostics", publishDiagnosticsParams{URI: uri,
			Diagnostics: []protocol.Diagnostic{}})
		delete(s.published.opened, uri)
	}
}

// silent reports whether the diagnostics of a file are pulled, and therefore not published. mu is held.
func (p *published) silent(uri protocol.DocumentURI) bool { return p.pullsAll || p.pulled[uri] }

// closedPulls makes the server publish the diagnostics of documents again that were pulled and then closed. mu is held.
func (p *published) closedPulls(v *view) {
	for uri := range p.pulled {
		if !v.isOpen(uri) {
			delete(p.pulled, uri)
			if !p.pullsAll {
				delete(p.diagnostics, uri)
			}
		}
	}
}

// news returns a channel that is closed when diagnostics change.
func (p *published) news() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// workspaceDiagnostic returns the diagnostics of all files. If nothing differs from the last reports, a client that
// takes partial results waits for the next change: it would ask again at once.
func (v *view) workspaceDiagnostic(ctx context.Context, p *struct {
	PreviousResultIDs []struct {
		URI   protocol.DocumentURI `json:"uri"`
		Value string               `json:"value"`
	} `json:"previousResultIds"`
	PartialResultToken json.RawMessage `json:"partialResultToken"`
}) (any, error) {
	s := v.server
	previous := map[protocol.DocumentURI]string{}
	for _, x := range p.PreviousResultIDs {
		previous[x.URI] = x.Value
	}
	waits := len(p.PartialResultToken) > 0 && string(p.PartialResultToken) != "null"
	for {
		news := s.published.news()
		now, err := s.applied(ctx)
		if err != nil {
			return nil, err
		}
		if now.caps.Workspace.Diagnostics.RefreshSupport {
			s.pulledAll()
		}
		reports, differ, err := now.reports(previous)
		if err != nil || differ || !waits {
			return reports, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-news:
		}
	}
}

// pulledAll notes that the client pulls the diagnostics of all files.
func (s *server) pulledAll() {
	out := s.published
	out.mu.Lock()
	defer out.mu.Unlock()
	if out.pullsAll {
		return
	}
	for uri := range out.diagnostics {
		if !out.pulled[uri] {
			s.withdraw(uri)
		}
	}
	out.pullsAll = true
}

// reports returns a report about each file that has diagnostics now, or had some in the client's last reports. differ
// reports whether one of them is not "unchanged".
func (v *view) reports(previous map[protocol.DocumentURI]string) (out workspaceReports, differ bool, err error) {
	out.Items = []workspaceReport{}
	lists := map[protocol.DocumentURI][]protocol.Diagnostic{}
	for uri := range previous {
		lists[uri] = nil
	}
	if v.snapshot != nil {
		for path, list := range v.diagnostics() {
			uri := v.uri(path)
			lists[uri] = append(lists[uri], list...)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(lists)) {
		report, _, err := reportOf(lists[uri], previous[uri])
		if err != nil {
			return out, false, err
		}
		r := workspaceReport{diagnosticReport: report, URI: uri}
		if path, ok := pathOf(uri); ok && v.docs[path] != nil && v.snapshot != nil &&
			v.snapshot.Holds(path, v.docs[path].text.data) {
			r.Version = v.docs[path].version
		}
		differ = differ || report.Kind == "full"
		out.Items = append(out.Items, r)
	}
	return out, differ, nil
}
