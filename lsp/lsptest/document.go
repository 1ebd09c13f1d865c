package lsptest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// Content returns the content of a file for the user: that of the open document, else that on disk, or "".
func (e *Editor) Content(path string) string {
	e.mu.Lock()
	d := e.docs[path]
	e.mu.Unlock()
	if d != nil {
		return d.Text
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}

// Open opens a file from the disk.
func (e *Editor) Open(path string) *Document {
	e.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	return e.OpenText(path, string(data))
}

// OpenText opens a document whose text need not be on disk.
func (e *Editor) OpenText(path, text string) *Document {
	e.t.Helper()
	d := &Document{Path: path, URI: URI(path), Version: 1, Text: text, versions: map[int32]string{1: text}}
	e.mu.Lock()
	e.docs[path] = d
	if _, known := e.raw[d.URI]; known {
		e.raw[d.URI] = "of the file" // the same set may be sent again for the document
	}
	e.mu.Unlock()
	// VS Code opens C headers as cpp.
	language := "c"
	switch filepath.Ext(path) {
	case ".h":
		language = "cpp"
	case ".toml":
		language = "toml"
	case ".rs":
		language = "rust"
	case ".ll":
		language = "llvm"
	}
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": d.URI, "languageId": language,
		"version": 1, "text": text}})
	return d
}

// Close closes a document.
func (e *Editor) Close(d *Document) {
	e.t.Helper()
	e.mu.Lock()
	delete(e.docs, d.Path)
	e.mu.Unlock()
	e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": d.URI}})
}

// SetText replaces the full text.
func (e *Editor) SetText(d *Document, text string) {
	e.t.Helper()
	e.update(d, text)
	e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": d.URI, "version": d.Version},
		"contentChanges": []any{map[string]any{"text": text}}})
}

func (e *Editor) update(d *Document, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d.Version++
	d.Text = text
	d.versions[d.Version] = text
}

// Replace replaces the first occurrence of a text by an incremental change.
func (e *Editor) Replace(d *Document, old, with string) {
	e.t.Helper()
	at := strings.Index(d.Text, old)
	if at < 0 {
		e.t.Fatalf("%s holds no %q", d.Path, old)
	}
	e.Edit(d, at, at+len(old), with)
}

// Edit replaces the bytes [start, end) by an incremental change.
func (e *Editor) Edit(d *Document, start, end int, with string) {
	e.t.Helper()
	change := map[string]any{"range": protocol.Range{Start: Position(d.Text, start), End: Position(d.Text, end)},
		"text": with}
	e.update(d, d.Text[:start]+with+d.Text[end:])
	e.Notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": d.URI, "version": d.Version},
		"contentChanges": []any{change}})
}

// Save writes the document and notifies the server like VS Code: by didSave and by a file event.
func (e *Editor) Save(d *Document) {
	e.t.Helper()
	if err := os.WriteFile(d.Path, []byte(d.Text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": d.URI}})
	e.Watched(d.Path)
}

// WriteFile writes a file like another program; the editor sends a file event.
func (e *Editor) WriteFile(path, text string) {
	e.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
	e.Watched(path)
}

// Watched sends file events for changed files.
func (e *Editor) Watched(paths ...string) {
	e.t.Helper()
	var changes []any
	for _, p := range paths {
		kind := 2
		if _, err := os.Lstat(p); err != nil {
			kind = 3
		}
		changes = append(changes, map[string]any{"uri": URI(p), "type": kind})
	}
	e.Notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
}

// Position converts a byte offset to UTF-16 columns.
func Position(text string, offset int) protocol.Position {
	line := strings.Count(text[:offset], "\n")
	start := strings.LastIndexByte(text[:offset], '\n') + 1
	return protocol.Position{Line: uint32(line), Character: uint32(len(utf16.Encode([]rune(text[start:offset]))))}
}

// Offset is the inverse of Position; ok is false outside of the text.
func Offset(text string, p protocol.Position) (offset int, ok bool) {
	for range p.Line {
		i := strings.IndexByte(text[offset:], '\n')
		if i < 0 {
			return len(text), false
		}
		offset += i + 1
	}
	for units := int(p.Character); units > 0; {
		r, size := utf8.DecodeRuneInString(text[offset:])
		if size == 0 || r == '\n' {
			return offset, false
		}
		n := utf16.RuneLen(r)
		if n < 1 {
			n = 1
		}
		units -= n
		offset += size
	}
	return offset, true
}

// RangeOf returns the range of the first occurrence of a text in a document.
func (e *Editor) RangeOf(d *Document, text string) protocol.Range {
	e.t.Helper()
	at := strings.Index(d.Text, text)
	if at < 0 {
		e.t.Fatalf("%s holds no %q", d.Path, text)
	}
	return protocol.Range{Start: Position(d.Text, at), End: Position(d.Text, at+len(text))}
}

// TextAt returns the document's text in a range.
func (d *Document) TextAt(r protocol.Range) string {
	start, _ := Offset(d.Text, r.Start)
	end, _ := Offset(d.Text, r.End)
	return d.Text[start:max(start, end)]
}

// Lens is a code lens.
type Lens struct {
	Range   protocol.Range `json:"range"`
	Command *struct {
		Title     string            `json:"title"`
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments,omitempty"`
	} `json:"command,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Lenses requests the lenses of a document and resolves each.
func (e *Editor) Lenses(d *Document) []Lens {
	e.t.Helper()
	var lenses []Lens
	e.Must("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": d.URI}}, &lenses)
	for i := range lenses {
		var resolved Lens
		e.Must("codeLens/resolve", lenses[i], &resolved)
		lenses[i] = resolved
	}
	return lenses
}

// Hover returns the hover at the first occurrence of a text, or "".
func (e *Editor) Hover(d *Document, text string) string {
	e.t.Helper()
	var h *struct {
		Contents struct{ Value string } `json:"contents"`
	}
	e.Must("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": d.URI},
		"position": e.RangeOf(d, text).Start}, &h)
	if h == nil {
		return ""
	}
	return h.Contents.Value
}

// Action is a code action.
type Action struct {
	Title   string          `json:"title"`
	Kind    string          `json:"kind"`
	Edit    json.RawMessage `json:"edit,omitempty"`
	Command *struct {
		Title     string            `json:"title"`
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments,omitempty"`
	} `json:"command,omitempty"`
	Diagnostics []protocol.Diagnostic `json:"diagnostics,omitempty"`
	IsPreferred bool                  `json:"isPreferred,omitempty"`
}

// Actions requests the code actions at the first occurrence of a text, with the diagnostics there.
func (e *Editor) Actions(d *Document, text string) []Action {
	e.t.Helper()
	r := e.RangeOf(d, text)
	here := []protocol.Diagnostic{}
	for _, diag := range e.Diagnostics(d.Path) {
		if diag.Range.Start.Line <= r.End.Line && r.Start.Line <= diag.Range.End.Line {
			here = append(here, diag)
		}
	}
	var actions []Action
	e.Must("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": d.URI}, "range": r,
		"context": map[string]any{"diagnostics": here}}, &actions)
	return actions
}

// Apply applies a workspace edit, to open documents as changes, to other files on disk. It returns the files.
func (e *Editor) Apply(edit json.RawMessage) []string {
	e.t.Helper()
	var w struct {
		Changes         map[string][]protocol.TextEdit `json:"changes"`
		DocumentChanges []struct {
			Kind         string `json:"kind"`
			URI          string `json:"uri"`
			TextDocument struct {
				URI string `json:"uri"`
			} `json:"textDocument"`
			Edits []protocol.TextEdit `json:"edits"`
		} `json:"documentChanges"`
	}
	if err := json.Unmarshal(edit, &w); err != nil {
		e.t.Fatal(err)
	}
	var files []string
	apply := func(uri string, edits []protocol.TextEdit) {
		path := Path(uri)
		files = append(files, path)
		text := e.Content(path)
		// From the end, so that earlier positions stay valid.
		sort.SliceStable(edits, func(i, j int) bool {
			a, b := edits[i].Range.Start, edits[j].Range.Start
			return a.Line > b.Line || a.Line == b.Line && a.Character > b.Character
		})
		for _, t := range edits {
			start, ok1 := Offset(text, t.Range.Start)
			end, ok2 := Offset(text, t.Range.End)
			if !ok1 || !ok2 {
				e.t.Errorf("an edit outside of %s: %v", path, t.Range)
			}
			text = text[:start] + t.NewText + text[end:]
		}
		e.mu.Lock()
		d := e.docs[path]
		e.mu.Unlock()
		if d != nil {
			e.SetText(d, text)
			e.Save(d)
			return
		}
		e.WriteFile(path, text)
	}
	for uri, edits := range w.Changes {
		apply(uri, edits)
	}
	for _, c := range w.DocumentChanges {
		switch c.Kind {
		case "create":
			if _, err := os.Stat(Path(c.URI)); err != nil {
				e.WriteFile(Path(c.URI), "")
			}
		case "":
			apply(c.TextDocument.URI, c.Edits)
		default:
			e.t.Errorf("an unknown change: %s", c.Kind)
		}
	}
	return files
}

// Execute runs a command of the server.
func (e *Editor) Execute(command string, args, result any) error {
	e.t.Helper()
	list := []any{}
	if args != nil {
		list = append(list, args)
	}
	return e.Call("workspace/executeCommand", map[string]any{"command": "unitproof.server." + command, "arguments": list},
		result)
}
