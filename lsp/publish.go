package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/lsp/rpc"
	"go.lsp.dev/protocol"
)

// published is the last publication, so that nothing is sent twice.
type published struct {
	mu          sync.Mutex // held during computation and sending, so that publications are ordered
	diagnostics map[protocol.DocumentURI][]byte
	// opened are documents that were opened since the last publication. A client may have dropped the diagnostics of
	// a file that was not open, so they are sent again, with the document's version.
	opened map[protocol.DocumentURI]bool
	// pulled are the open documents whose diagnostics the client pulls; pullsAll reports that it pulls those of all
	// files. Their entries in diagnostics are compared, and not sent.
	pulled   map[protocol.DocumentURI]bool
	pullsAll bool
	changed  chan struct{} // closed at the next change of diagnostics
	marks    map[protocol.DocumentURI][]byte
	items    map[string][]byte // proofs
	lenses   []byte            // titles of lenses
	loops    string            // invariants of loops
	progress progressState
}

func newPublished() *published {
	return &published{diagnostics: map[protocol.DocumentURI][]byte{},
		opened: map[protocol.DocumentURI]bool{}, marks: map[protocol.DocumentURI][]byte{},
		pulled: map[protocol.DocumentURI]bool{}, changed: make(chan struct{}),
		items: map[string][]byte{}}
}

// publishing sends changes as soon as they occur. Changes during a publication are combined.
func (s *server) publishing() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.publish:
		}
		start := time.Now()
		// a panic is logged; there is no caller to report it to
		_, _ = s.conn.Guard("publish", func() (any, error) { s.flush(); return nil, nil })
		// If a publication is large and results arrive quickly, several are combined.
		select {
		case <-s.ctx.Done():
		case <-time.After(min(3*time.Since(start), maxPause)):
		}
	}
}

// maxPause is the longest delay of a publication.
const maxPause = 50 * time.Millisecond

// flush sends the differences between the current state and the last publication.
func (s *server) flush() {
	out := s.published
	out.mu.Lock()
	defer out.mu.Unlock()
	s.mu.Lock()
	if s.phase != initialized {
		s.mu.Unlock()
		return
	}
	v := s.viewLocked()
	notify := s.notifies
	s.forgetReplays(v)
	for path := range s.opened {
		if d := v.docs[path]; d != nil && out.diagnostics[d.uri] != nil {
			out.opened[d.uri] = true
		}
	}
	clear(s.opened)
	s.mu.Unlock()
	if v.snapshot == nil {
		return
	}
	s.sendDiagnostics(v)
	if notify {
		s.sendMarks(v)
		s.sendProofs(v)
	}
	s.sendProgress(v)
	s.refresh(v)
}

// flushed publishes at once, and returns after the messages were sent.
func (s *server) flushed(ctx context.Context) error {
	s.flush()
	return ctx.Err()
}

func (s *server) sendDiagnostics(v *view) {
	sets := v.diagnostics()
	s.published.closedPulls(v)
	known := s.published.diagnostics
	changed, again := false, false
	send := func(uri protocol.DocumentURI, path string, list []protocol.Diagnostic, data []byte) {
		changed = true
		if s.published.silent(uri) {
			again = true
			known[uri] = data
			return
		}
		p := publishDiagnosticsParams{URI: uri, Diagnostics: list}
		if d := v.document(path); d != nil && v.caps.TextDocument.PublishDiagnostics.VersionSupport {
			// A version is sent only if the results are about exactly this content.
			if v.snapshot.Holds(d.path, d.text.data) {
				p.Version = d.version
			}
		}
		s.conn.Notify("textDocument/publishDiagnostics", p)
		known[uri] = data
		delete(s.published.opened, uri)
	}
	seen := map[protocol.DocumentURI]bool{}
	paths := make([]string, 0, len(sets))
	for path := range sets {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		list := sets[path]
		uri := v.uri(path)
		seen[uri] = true
		data, err := json.Marshal(list)
		if err != nil {
			s.log.Error("diagnostics", "error", err)
			continue
		}
		if bytes.Equal(known[uri], data) {
			d := v.document(path)
			if !s.published.opened[uri] || s.published.silent(uri) || d == nil ||
				!v.snapshot.Holds(d.path, d.text.data) {
				continue
			}
		}
		send(uri, path, list, data)
	}
	for uri := range known {
		if !seen[uri] {
			path, _ := pathOf(uri)
			send(uri, path, []protocol.Diagnostic{}, nil)
			delete(known, uri)
		}
	}
	if changed {
		close(s.published.changed)
		s.published.changed = make(chan struct{})
	}
	if again && v.caps.Workspace.Diagnostics.RefreshSupport {
		s.ask("workspace/diagnostic/refresh")
	}
}

// sendMarks sends the marks of open documents to a client that requested proofs.
func (s *server) sendMarks(v *view) {
	known := s.published.marks
	seen := map[protocol.DocumentURI]bool{}
	all := v.marks()
	for _, d := range v.docs {
		marks := all[d.path]
		seen[d.uri] = true
		if marks == nil {
			marks = []mark{}
		}
		data, err := json.Marshal(marks)
		if err != nil || bytes.Equal(known[d.uri], data) || known[d.uri] == nil && len(marks) == 0 {
			continue
		}
		known[d.uri] = data
		s.conn.Notify("unitproof/marks", marksParams{URI: d.uri, Marks: marks})
	}
	for uri := range known {
		if !seen[uri] {
			delete(known, uri) // it was closed
		}
	}
}

// sendProofs sends changed and removed proofs to a client that requested proofs.
func (s *server) sendProofs(v *view) {
	known := s.published.items
	params := proofsChanged{Changed: []proofItem{}, Removed: []string{}}
	seen := map[string]bool{}
	for _, p := range v.proofs() {
		id := string(p.ID)
		seen[id] = true
		item := v.item(p)
		data, err := json.Marshal(item)
		if err != nil || bytes.Equal(known[id], data) {
			continue
		}
		known[id] = data
		params.Changed = append(params.Changed, item)
	}
	for id := range known {
		if !seen[id] {
			delete(known, id)
			params.Removed = append(params.Removed, id)
		}
	}
	if len(params.Changed)+len(params.Removed) > 0 {
		slices.Sort(params.Removed)
		s.conn.Notify("unitproof/proofsChanged", params)
	}
}

// refresh asks the client to request lenses and inlay hints again, if their content has changed.
func (s *server) refresh(v *view) {
	s.refreshLoops(v)
	if !v.caps.Workspace.CodeLens.RefreshSupport {
		return
	}
	var b bytes.Buffer
	for _, p := range v.proofs() {
		if v.document(p.Proof.File) != nil || p.Proof.Contract { // a proof of a contract has lenses in other files too
			b.WriteString(string(p.ID))
			b.WriteString(v.lensTitle(p))
			if list := v.counterexamples(p); len(list) > 0 {
				b.WriteString(list[0].ID) // the finding of its verbs
			}
			b.WriteByte('\n')
		}
	}
	v.coverTitles(func(title string) { b.WriteString(title) })
	if !bytes.Equal(b.Bytes(), s.published.lenses) {
		s.published.lenses = b.Bytes()
		s.ask("workspace/codeLens/refresh")
	}
}

// refreshLoops asks the client to request inlay hints again, if the invariants of loops have changed.
func (s *server) refreshLoops(v *view) {
	if !v.caps.Workspace.InlayHint.RefreshSupport || !v.settings.InlayHints {
		return
	}
	var b strings.Builder
	for _, p := range v.proofs() {
		if p.Result == nil || !slices.ContainsFunc(p.Result.Loops, byInduction) || !v.fresh(p) {
			continue
		}
		for _, l := range p.Result.Loops {
			if byInduction(l) {
				fmt.Fprintf(&b, "%s %s %d %q\n", p.ID, l.File, l.Line, l.Invariants)
			}
		}
	}
	if b.String() != s.published.loops {
		s.published.loops = b.String()
		s.ask("workspace/inlayHint/refresh")
	}
}

func (s *server) refreshInlayHints() {
	if s.caps.Workspace.InlayHint.RefreshSupport {
		s.ask("workspace/inlayHint/refresh")
	}
}

// waitEngine waits until the settings have arrived and the engine has started.
func (s *server) waitEngine(ctx context.Context) (*engine, error) {
	for {
		s.mu.Lock()
		e, phase := s.engine, s.phase
		s.mu.Unlock()
		if e != nil {
			return e, nil
		}
		if phase == shutDown {
			return nil, rpc.ErrClosed
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}
