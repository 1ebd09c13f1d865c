package lsp

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// view is the state of the server at one moment. It is immutable; every request uses the one at its arrival.
type view struct {
	server   *server
	conn     *rpc.Conn
	engine   *engine
	snapshot *editing.Snapshot // nil before the first update
	batch    batch
	docs     documents
	encoding encoding
	caps     clientCapabilities
	settings settings
	denied   bool // the client declared the workspace untrusted
	// commandLinks reports that the client executes links to commands of the server.
	commandLinks bool
	shown        *shownTrace
	strengths    map[editing.ProofID]shownStrength

	comparing sync.Once
	differing bool
	unsettled []*document // see compare

	// Caches, filled on demand.
	remembering sync.Mutex
	documents   map[string]*document
	texts       map[string]*text
}

// document returns the open document of a file under any of its names; nil if there is none.
func (v *view) document(path string) *document {
	v.remembering.Lock()
	defer v.remembering.Unlock()
	d, known := v.documents[path]
	if !known {
		d = v.docs.of(path, v.server.real.of)
		if v.documents == nil {
			v.documents = map[string]*document{}
		}
		v.documents[path] = d
	}
	return d
}

// view returns the current state.
func (s *server) view() *view {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewLocked()
}

func (s *server) viewLocked() *view {
	v := &view{server: s, conn: s.conn, engine: s.engine, docs: s.docs, encoding: s.encoding, caps: s.caps,
		settings: s.settings,
		denied:   s.denied(), commandLinks: s.commandLinks, shown: s.shown, strengths: s.strengths}
	v.snapshot, v.batch = s.engine.state()
	return v
}

// proofs returns all proofs, by file and position.
func (v *view) proofs() []*editing.ProofState {
	if v.snapshot == nil {
		return nil
	}
	return v.snapshot.Proofs()
}

func (v *view) proof(id string) *editing.ProofState {
	if v.snapshot == nil {
		return nil
	}
	return v.snapshot.Proof(editing.ProofID(id))
}

// proofsIn returns the proofs whose entry is in a file, under any of the file's names.
func (v *view) proofsIn(path string) []*editing.ProofState {
	if v.snapshot == nil {
		return nil
	}
	if list := v.snapshot.InFile(path); len(list) > 0 {
		return list
	}
	real := v.server.real.of(path)
	var list []*editing.ProofState
	for _, p := range v.snapshot.Proofs() {
		if v.server.real.of(p.Proof.File) == real {
			list = append(list, p)
		}
	}
	return list
}

// fresh reports whether a proof's result is about the current text. The workspace learns of an edit a little later
// than the server, so the documents that it may not have are compared with the result's dependencies.
func (v *view) fresh(p *editing.ProofState) bool {
	if !p.Fresh {
		return false
	}
	v.compare()
	for _, d := range v.unsettled {
		for _, name := range []string{d.path, string(d.real)} {
			if sum, ok := p.Rests[name]; ok && sum != d.text.sum() {
				return false
			}
		}
	}
	return true
}

// behind reports whether the snapshot lacks content of an open document.
func (v *view) behind() bool {
	v.compare()
	return v.differing
}

// compare finds, once, the documents whose content the workspace may not have. With hundreds of open documents,
// comparing all of them for each proof took most of the time of a save.
func (v *view) compare() {
	v.comparing.Do(func() {
		for _, d := range v.docs {
			switch {
			case !v.snapshot.Holds(d.path, d.text.data):
				v.differing = true
				v.unsettled = append(v.unsettled, d)
			case d.path != string(d.real): // the file may be open under another name, too
				v.unsettled = append(v.unsettled, d)
			}
		}
	})
}

// text returns the content of a file in the snapshot, to which the positions of results are moved. It returns nil if
// the file does not exist.
func (v *view) text(path string) *text {
	if v.snapshot == nil {
		return nil
	}
	d := v.document(path)
	v.remembering.Lock()
	defer v.remembering.Unlock()
	t, known := v.texts[path]
	if !known {
		if d != nil && v.snapshot.Holds(path, d.text.data) {
			t = d.text
		} else if data, ok := v.snapshot.Text(path); ok {
			t = v.server.texts.get(path, data)
		}
		if v.texts == nil {
			v.texts = map[string]*text{}
		}
		v.texts[path] = t
	}
	return t
}

// uri returns the client's URI of a file.
func (v *view) uri(path string) protocol.DocumentURI {
	if d := v.document(path); d != nil {
		return d.uri
	}
	return uriOf(path)
}

// fileOf returns the absolute path of a file name in a result.
func fileOf(p *editing.ProofState, file string) string {
	if file == "" {
		return p.Proof.File
	}
	return p.Root.Find(file)
}

// fileRange is a range in a file.
type fileRange struct {
	path string
	span protocol.Range
}

func (v *view) location(at fileRange) protocol.Location {
	return protocol.Location{URI: v.uri(at.path), Range: at.span}
}

// find returns the current place of a position in a result: the smallest expression there, or the code of the line if
// there is no column. ok is false if the text was deleted.
func (v *view) find(p *editing.ProofState, at point) (fileRange, bool) {
	path := fileOf(p, at.file)
	line, column := at.line, at.column
	if at.file == "" || line < 1 {
		return v.entry(p), true
	}
	wholeLine := column < 1
	if !at.still {
		var ok bool
		move := v.snapshot.Move
		if at.earlier {
			move = v.snapshot.MoveEarlier
		}
		if line, column, ok = move(p, at.file, line, max(column, 1)); !ok {
			return fileRange{}, false
		}
	}
	t := v.text(path)
	if t == nil {
		return fileRange{path, protocol.Range{}}, true
	}
	if wholeLine {
		start, end := t.lineSpan(line)
		return fileRange{path, t.span(start, end, v.encoding)}, true
	}
	point, _ := t.offsetAt(line, column)
	start, end := t.source.Range(point, at.part)
	return fileRange{path, t.span(start, end, v.encoding)}, true
}

// findFinding is find for the position of a finding.
func (v *view) findFinding(p *editing.ProofState, f shownFinding) (fileRange, bool) {
	return v.find(p, f.point(f.File, f.Line, f.Column))
}

// point is a position in a result; lines and byte columns count from 1, a column of 0 is the whole line.
type point struct {
	file         string
	line, column int
	still        bool         // the position refers to the snapshot's text
	earlier      bool         // the position refers to the result before the current one
	part         csource.Part // the code that the position refers to
}

// entry returns the place of the name of a proof's entry in the current text.
func (v *view) entry(p *editing.ProofState) fileRange {
	path := p.Proof.File
	t := v.text(path)
	if t == nil {
		return fileRange{path, protocol.Range{}}
	}
	if f, ok := entryOf(p, path, t); ok {
		return fileRange{path, t.span(f.NameStart, f.NameEnd, v.encoding)}
	}
	if p.Proof.Line > 0 {
		if start, ok := t.offsetAt(p.Proof.Line, p.Proof.Column); ok {
			return fileRange{path, t.span(start, csource.SkipToken(t.data, start), v.encoding)}
		}
	}
	return fileRange{path, protocol.Range{}}
}

// entryIn returns the entry of a file. In a language other than C the function ends at the next exported function.
func entryIn(path string, t *text, name string) (csource.Function, bool) {
	if !project.IsForeign(path) {
		return t.source.Function(name)
	}
	f, found := csource.Function{Name: name, End: len(t.data)}, false
	for _, e := range project.ForeignFunctions(path, t.data) {
		start, ok := t.offsetAt(e.Line, e.Column)
		switch {
		case !ok:
		case found:
			f.End = t.lines[e.Line-1]
			return f, true
		case e.Name == name:
			f.Start, f.NameStart, f.NameEnd, found = t.lines[e.Line-1], start, start+len(name), true
		}
	}
	return f, found
}

// shownFinding is a finding with data of the server.
type shownFinding struct {
	*diagnostics.Finding
	stale          bool
	still, earlier bool // see point
}

// point returns a position that the finding mentions.
func (f *shownFinding) point(file string, line, column int) point {
	at := point{file: file, line: line, column: column, still: f.still, earlier: f.earlier}
	if file == f.File && line == f.Line && column == f.Column {
		at.part = diagnostics.PartOf(f.Kind)
	}
	return at
}

// findings returns the findings of a proof to show: those that the current run has decided, and of earlier runs those
// that it has not.
func (v *view) findings(p *editing.ProofState) []shownFinding {
	var out []shownFinding
	settled := map[spot]bool{}
	if p.Phase == editing.Running {
		for i := range p.Partial {
			f := &p.Partial[i]
			settled[spot{fileOf(p, f.File), f.Line, f.Column, f.Kind}] = true
			out = append(out, shownFinding{Finding: f, stale: v.behind(), still: true})
		}
	}
	result, stale, earlier := p.Result, !v.fresh(p), false
	if result != nil && result.Verdict == found.Error && p.Earlier != nil {
		result, stale, earlier = p.Earlier, true, true
	}
	if result == nil {
		return out
	}
	for i := range result.Obligations {
		f := &result.Obligations[i]
		if len(settled) > 0 {
			move := v.snapshot.Move
			if earlier {
				move = v.snapshot.MoveEarlier
			}
			if line, column, ok := move(p, f.File, f.Line, f.Column); ok && settled[spot{fileOf(p, f.File), line, column,
				f.Kind}] {
				continue
			}
		}
		out = append(out, shownFinding{Finding: f, stale: stale, earlier: earlier})
	}
	return out
}

// spot identifies a finding by position and kind.
type spot struct {
	path         string
	line, column int
	kind         found.Kind
}

func spotOf(p *editing.ProofState, f shownFinding) spot {
	return spot{fileOf(p, f.File), f.Line, f.Column, f.Kind}
}

// textCache caches the lines and the syntax of files that are not open.
type textCache struct {
	mu    sync.Mutex
	texts map[string]*text
	order []string // oldest first
	bytes int
}

// cachedBytes limits the size of the texts; lines and syntax take a few times as much.
const cachedBytes = 8 << 20

func (c *textCache) get(path string, data []byte) *text {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.texts[path]
	if old != nil && bytes.Equal(old.data, data) {
		return old
	}
	if c.texts == nil {
		c.texts = map[string]*text{}
	}
	if old != nil {
		c.drop(slices.Index(c.order, path))
	}
	for len(c.order) > 0 && c.bytes+len(data) > cachedBytes {
		c.drop(0)
	}
	t := newText(data)
	c.order = append(c.order, path)
	c.texts[path] = t
	c.bytes += len(data)
	return t
}

func (c *textCache) drop(i int) {
	path := c.order[i]
	c.bytes -= len(c.texts[path].data)
	delete(c.texts, path)
	c.order = slices.Delete(c.order, i, i+1)
}

// sync returns when all earlier messages were applied and the results published; with Settle, when no run is active
// either. It is for tests and for clients that need certainty.
func (v *view) sync(ctx context.Context, p *struct {
	Settle bool `json:"settle"`
}) (any, error) {
	s := v.server
	e, err := s.waitEngine(ctx)
	if err != nil {
		return nil, err
	}
	if p.Settle {
		_, err = e.workspace.Sync(ctx)
	} else {
		_, err = e.workspace.Applied(ctx)
	}
	if err != nil {
		return nil, err
	}
	return nil, s.flushed(ctx)
}
