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

// view is what the server knew at one moment. It is immutable; every request works on the one of its
// arrival.
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
	denied   bool // the client said that the workspace is not trusted
	// commandLinks: the client executes links to commands of the server.
	commandLinks bool
	shown        *shownTrace
	strengths    map[editing.ProofID]shownStrength

	comparing sync.Once
	differing bool
	unsettled []*document // see compare

	// What is known of files, worked out once.
	remembering sync.Mutex
	documents   map[string]*document
	texts       map[string]*text
}

// document is the open document of a file, whatever name the file goes by; nil for none.
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

// view takes the present state.
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

// proofs are all proofs, by file and place.
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

// proofsIn are the proofs whose entry is in a file, whatever name the file goes by.
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

// fresh tells whether a proof's result is about what is there now: in the workspace's opinion, and by
// comparing the open documents that it may not know with what the result rests on. The workspace learns of an edit a
// little later than we do.
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

// behind tells whether the snapshot knows less than the documents.
func (v *view) behind() bool {
	v.compare()
	return v.differing
}

// compare finds the documents that have to be looked at beside the workspace's opinion, once: with hundreds of them
// open, looking at all for each proof took most of what a save cost.
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

// text is the content of a file as of the snapshot, which is what the places of results are moved to.
// It is nil for a file that is not there.
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

// uri is how the client calls a file.
func (v *view) uri(path string) protocol.DocumentURI {
	if d := v.document(path); d != nil {
		return d.uri
	}
	return uriOf(path)
}

// fileOf is the absolute path of a file that a result names.
func fileOf(p *editing.ProofState, file string) string {
	if file == "" {
		return p.Proof.File
	}
	return p.Root.Find(file)
}

// place is a range in a file.
type place struct {
	path string
	span protocol.Range
}

func (v *view) location(at place) protocol.Location {
	return protocol.Location{URI: v.uri(at.path), Range: at.span}
}

// find says where a place of a result is now: the smallest expression around the point, or the code of
// the line where there is no column. ok is false when the text there is gone.
func (v *view) find(p *editing.ProofState, at point) (place, bool) {
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
			return place{}, false
		}
	}
	t := v.text(path)
	if t == nil {
		return place{path, protocol.Range{}}, true
	}
	if wholeLine {
		start, end := t.lineSpan(line)
		return place{path, t.span(start, end, v.encoding)}, true
	}
	point, _ := t.offsetAt(line, column)
	start, end := t.source.Range(point, at.part)
	return place{path, t.span(start, end, v.encoding)}, true
}

// findFinding is find for a finding.
func (v *view) findFinding(p *editing.ProofState, f shownFinding) (place, bool) {
	return v.find(p, f.point(f.File, f.Line, f.Column))
}

// point is a place of a result; lines and byte columns count from 1, a column of 0 is the whole line.
type point struct {
	file         string
	line, column int
	still        bool         // the place is not of an earlier text, but of the snapshot's
	earlier      bool         // it is of the result before the present one
	part         csource.Part // what is meant there
}

// entry is the name of a proof's entry in the present text.
func (v *view) entry(p *editing.ProofState) place {
	path := p.Proof.File
	t := v.text(path)
	if t == nil {
		return place{path, protocol.Range{}}
	}
	if f, ok := entryOf(p, path, t); ok {
		return place{path, t.span(f.NameStart, f.NameEnd, v.encoding)}
	}
	if p.Proof.Line > 0 {
		if start, ok := t.offsetAt(p.Proof.Line, p.Proof.Column); ok {
			return place{path, t.span(start, csource.SkipToken(t.data, start), v.encoding)}
		}
	}
	return place{path, protocol.Range{}}
}

// entryIn finds an entry in the text of its file. Of one that is no C the function ends where the next begins that
// others can call.
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

// shownFinding is a finding with what the server adds to it.
type shownFinding struct {
	*diagnostics.Finding
	stale          bool
	still, earlier bool // see point
}

// point is a place that the finding names.
func (f *shownFinding) point(file string, line, column int) point {
	at := point{file: file, line: line, column: column, still: f.still, earlier: f.earlier}
	if file == f.File && line == f.Line && column == f.Column {
		at.part = diagnostics.PartOf(f.Kind)
	}
	return at
}

// findings are those of a proof that are to be shown: what the run under way has settled, and of
// earlier runs what it has not.
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

// spot is what one finding is about.
type spot struct {
	path         string
	line, column int
	kind         found.Kind
}

func spotOf(p *editing.ProofState, f shownFinding) spot {
	return spot{fileOf(p, f.File), f.Line, f.Column, f.Kind}
}

// textCache keeps the lines and the syntax of files that are not open.
type textCache struct {
	mu    sync.Mutex
	texts map[string]*text
	order []string // first made first
	bytes int
}

// cachedBytes bounds the texts; lines and syntax take a few times as much.
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

// sync answers when everything that was said so far is applied and shown; with Settle, when no run
// is under way either. It is for tests and for clients that want to be sure.
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
