package lsp

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// document is an open document. It is immutable.
type document struct {
	uri     protocol.DocumentURI // in the client's spelling
	path    string               // clean and absolute
	real    links.Real
	version *int32
	text    *text
}

// documents are the open documents by path.
type documents map[string]*document

func (d documents) with(doc *document) documents {
	next := maps.Clone(d)
	next[doc.path] = doc
	return next
}

func (d documents) without(path string) documents {
	next := maps.Clone(d)
	delete(next, path)
	return next
}

// of returns the document of a file, under any of the file's names; real resolves links.
func (d documents) of(path string, real func(string) links.Real) *document {
	if doc := d[path]; doc != nil {
		return doc
	}
	for _, doc := range d {
		if string(doc.real) == path {
			return doc
		}
	}
	if len(d) == 0 {
		return nil
	}
	resolved := real(path)
	for _, doc := range d {
		if doc.real == resolved {
			return doc
		}
	}
	return nil
}

func (s *server) didOpen(p *protocol.DidOpenTextDocumentParams) error {
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return nil // untitled:, git: and the like
	}
	version := p.TextDocument.Version
	s.real.forget()
	if s.opened == nil {
		s.opened = map[string]bool{}
	}
	s.opened[path] = true
	s.setDocument(&document{uri: p.TextDocument.URI, path: path, real: links.Resolve(path), version: &version,
		text: newText([]byte(p.TextDocument.Text))})
	return nil
}

// lose drops a document after an invalid edit, since its text differs from the editor's. The file on disk is used
// until the full text is available again: by an edit that has it, by a save, or when the document is opened again.
// The protocol has no request for it.
func (s *server) lose(d *document, why error) {
	if s.lost == nil {
		s.lost = map[string]*document{}
	}
	s.lost[d.path] = d
	s.docs = s.docs.without(d.path)
	if s.engine != nil {
		s.engine.workspace.CloseBuffer(d.path)
	}
	s.message(protocol.MessageTypeWarning, fmt.Sprintf("unitproof has lost the text of %s (%v). It uses the file "+
		"on disk until you save it, or close and open it", filepath.Base(d.path), why))
	s.wake()
}

// setDocument stores a document and passes its content to the workspace.
func (s *server) setDocument(d *document) {
	delete(s.lost, d.path)
	s.docs = s.docs.with(d)
	s.looseFolders()
	if s.engine != nil {
		s.engine.workspace.SetBuffer(d.path, d.text.data)
	}
	s.wake()
}

func (s *server) didChange(p *didChangeParams) error {
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return nil
	}
	old := s.docs[path]
	if lost := s.lost[path]; lost != nil && len(p.ContentChanges) > 0 && p.ContentChanges[0].Range == nil {
		old = lost // the change has the full text
	} else if lost != nil {
		return nil
	}
	if old == nil {
		return rpc.Failure(0, "a change of %s, which is not open", path)
	}
	next := *old
	var err error
	if next.text, err = old.text.apply(p.ContentChanges, s.encoding); err != nil {
		s.lose(old, err)
		return err
	}
	next.version = p.TextDocument.Version
	s.setDocument(&next)
	return nil
}

func (s *server) didSave(p *protocol.DidSaveTextDocumentParams) error {
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return nil
	}
	if lost := s.lost[path]; lost != nil {
		if data, err := regular.Source(path); err == nil {
			next := *lost
			next.text, next.version = newText(data), nil
			s.setDocument(&next)
		}
	}
	if s.engine != nil {
		s.engine.workspace.Saved(path)
	}
	return nil
}

func (s *server) didClose(p *protocol.DidCloseTextDocumentParams) error {
	path, ok := pathOf(p.TextDocument.URI)
	delete(s.lost, path)
	if !ok || s.docs[path] == nil {
		return nil
	}
	s.docs = s.docs.without(path)
	s.looseFolders()
	if s.engine != nil {
		s.engine.workspace.CloseBuffer(path)
	}
	s.wake()
	return nil
}

func (s *server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) error {
	var paths []string
	for _, c := range p.Changes {
		if c == nil {
			continue
		}
		if path, ok := pathOf(c.URI); ok {
			paths = append(paths, path)
		}
	}
	s.filesChanged(paths)
	return nil
}

// filesChanged passes the paths of files and folders that may have changed to the workspace. s.mu is held.
func (s *server) filesChanged(paths []string) {
	s.real.forget()
	if len(paths) > 0 && s.engine != nil {
		s.engine.workspace.FilesChanged(paths)
	}
}

// looseFolders adds the folders of open C files to the workspace if the client opened no folder. s.mu is held.
func (s *server) looseFolders() {
	if len(s.folders) > 0 {
		return
	}
	home, _ := os.UserHomeDir() // "" is no folder of a document
	var loose []string
	for path := range s.docs {
		dir := filepath.Dir(path)
		// A home or root folder is not searched because of one file.
		if ext := filepath.Ext(path); (ext == ".c" || ext == ".h") && dir != home && dir != "/" &&
			!slices.Contains(loose, dir) {
			loose = append(loose, dir)
		}
	}
	slices.Sort(loose)
	if slices.Equal(loose, s.loose) {
		return
	}
	s.loose = loose
	if s.engine != nil {
		s.engine.workspace.SetFolders(loose)
	}
}

// focus is the visible documents and the cursor.
type focus struct {
	visible []string
	active  string
	line    int // from 1; 0 if unknown
}

func (f *focus) apply(e *engine) {
	if e != nil && (len(f.visible) > 0 || f.active != "") {
		e.workspace.Focus(f.visible, f.active, f.line)
	}
}

func (s *server) visible(p *struct {
	URIs   []protocol.DocumentURI `json:"uris"`
	Active protocol.DocumentURI   `json:"active"`
	Line   *int                   `json:"line"`
}) error {
	f := focus{}
	for _, u := range p.URIs {
		if path, ok := pathOf(u); ok {
			f.visible = append(f.visible, path)
		}
	}
	if path, ok := pathOf(p.Active); ok {
		f.active = path
		if p.Line != nil {
			f.line = *p.Line + 1
		}
	}
	s.focus = f
	f.apply(s.engine)
	return nil
}
