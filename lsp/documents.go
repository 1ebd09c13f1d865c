package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/pipeline/links"
)

// document is an open document. It is immutable.
type document struct {
	uri     protocol.DocumentURI // as the client spells it
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

// of finds the document of a file, whatever name the file goes by; real resolves links.
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
	s.setDocument(&document{uri: p.TextDocument.URI, path: path, real: links.Resolve(path), version: &version,
		text: newText([]byte(p.TextDocument.Text))})
	return nil
}

// setDocument makes a document's content known everywhere.
func (s *server) setDocument(d *document) {
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
	if old == nil {
		return failure(0, "a change of %s, which is not open", path)
	}
	next := *old
	var err error
	if next.text, err = old.text.apply(p.ContentChanges, s.encoding); err != nil {
		return err
	}
	next.version = p.TextDocument.Version
	s.setDocument(&next)
	return nil
}

func (s *server) didSave(p *protocol.DidSaveTextDocumentParams) error {
	if path, ok := pathOf(p.TextDocument.URI); ok && s.engine != nil {
		s.engine.workspace.Saved(path)
	}
	return nil
}

func (s *server) didClose(p *protocol.DidCloseTextDocumentParams) error {
	path, ok := pathOf(p.TextDocument.URI)
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
	s.real.forget()
	if len(paths) > 0 && s.engine != nil {
		s.engine.workspace.FilesChanged(paths)
	}
	return nil
}

// looseFolders has the folders of open C files looked at when the client opened none. s.mu is held.
func (s *server) looseFolders() {
	if len(s.folders) > 0 {
		return
	}
	home, _ := os.UserHomeDir() // "" is no folder of a document
	var loose []string
	for path := range s.docs {
		dir := filepath.Dir(path)
		// Nobody wants all that is theirs to be searched because of one file.
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

// focus is what the user looks at.
type focus struct {
	visible []string
	active  string
	line    int // from 1, 0 unknown
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
