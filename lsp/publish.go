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

// published is what the client was told last, so that nothing is sent twice.
type published struct {
	mu          sync.Mutex // held while something is worked out and sent: publications have one order
	diagnostics map[protocol.DocumentURI][]byte
	// opened are documents that were opened since. A client may have dropped what it was told of a file that was not
	// open: it is told again, of the document's version.
	opened   map[protocol.DocumentURI]bool
	marks    map[protocol.DocumentURI][]byte
	items    map[string][]byte // proofs
	lenses   []byte            // what the lenses say
	loops    string            // what loops keep
	progress progressState
}

func newPublished() *published {
	return &published{diagnostics: map[protocol.DocumentURI][]byte{},
		opened: map[protocol.DocumentURI]bool{}, marks: map[protocol.DocumentURI][]byte{},
		items: map[string][]byte{}}
}

// publishing sends what changed, as soon as it does; changes that come meanwhile are taken together.
func (s *server) publishing() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.publish:
		}
		start := time.Now()
		// a panic is in the log; there is nobody to tell
		_, _ = s.conn.Guard("publish", func() (any, error) { s.flush(); return nil, nil })
		// Where much is shown and results come in one after the other, several are taken together.
		select {
		case <-s.ctx.Done():
		case <-time.After(min(3*time.Since(start), maxPause)):
		}
	}
}

// maxPause bounds how long something new waits to be shown.
const maxPause = 50 * time.Millisecond

// flush sends what differs between the present state and what the client knows.
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
	told := s.told
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
	if told {
		s.sendMarks(v)
		s.sendProofs(v)
	}
	s.sendProgress(v)
	s.refresh(v)
}

// flushed sends everything at once and returns when the client was told.
func (s *server) flushed(ctx context.Context) error {
	s.flush()
	return ctx.Err()
}

func (s *server) sendDiagnostics(v *view) {
	sets := v.diagnostics()
	known := s.published.diagnostics
	send := func(uri protocol.DocumentURI, path string, list []protocol.Diagnostic, data []byte) {
		p := publishDiagnosticsParams{URI: uri, Diagnostics: list}
		if d := v.document(path); d != nil && v.caps.TextDocument.PublishDiagnostics.VersionSupport {
			// Only a set that is about the document's very content has its version.
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
			if !s.published.opened[uri] || d == nil || !v.snapshot.Holds(d.path, d.text.data) {
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
}

// sendMarks tells a client that asked for proofs of the lines of its open documents.
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

// sendProofs tells a client that asked for proofs of those that changed.
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

// refresh has the client ask for lenses again when these would say something else, and for inlay hints
// with them.
func (s *server) refresh(v *view) {
	s.refreshLoops(v)
	if !v.caps.Workspace.CodeLens.RefreshSupport {
		return
	}
	var b bytes.Buffer
	for _, p := range v.proofs() {
		if v.document(p.Proof.File) != nil || p.Proof.Contract { // which stands elsewhere, too
			b.WriteString(string(p.ID))
			b.WriteString(v.lensTitle(p))
			if list := v.counterexamples(p); len(list) > 0 {
				b.WriteString(list[0].ID) // that its verbs are about
			}
			b.WriteByte('\n')
		}
	}
	if !bytes.Equal(b.Bytes(), s.published.lenses) {
		s.published.lenses = b.Bytes()
		s.ask("workspace/codeLens/refresh")
	}
}

// refreshLoops has the client ask for inlay hints again when they would tell something else of loops.
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

// waitEngine waits until the settings are known and work has started.
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
