package lsp

import (
	"bytes"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/tomledit"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
	prooflanguage "github.com/unitproof/unitproof/vcgen/language"
)

// Code actions that add a missing source file or header to a proof.

// forAssumption offers to link a file that defines a function without a body, or to write a stub.
func (a *actions) forAssumption(p *editing.ProofState, s *diagnostics.Assumption) {
	if a.wanted(protocol.QuickFix) && s.Is.What == found.MissingBody {
		a.offerSources(p, s.Is.Name, s.Kind)
		a.offerOwnStub(p, s.Is.Name, s.Kind)
	}
}

// offerStub offers a body for a function of the C library whose results are not modelled. The source then states what
// the finding assumes about them.
func (a *actions) offerStub(p *editing.ProofState, f shownFinding) {
	prototype, ok := prooflanguage.PrototypeOf(f.Why.Name)
	t := a.view.text(p.Proof.File)
	if f.Why.Why != found.NeedsResult || !ok || t == nil {
		return
	}
	entry, ok := t.source.Function(p.Proof.Entry)
	if !ok || project.IsForeign(p.Proof.File) {
		return
	}
	start := strings.LastIndexByte(string(t.data[:entry.Start]), '\n') + 1
	a.add(codeAction{Title: "Stub " + prototype.Name, Kind: protocol.QuickFix,
		Diagnostics: a.diagnosticsOf(string(f.Kind)),
		Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
			a.view.uri(p.Proof.File): {{Range: t.span(start, start, a.view.encoding), NewText: stub(prototype)}}}}})
}

// stub returns a function with an arbitrary result, and a comment at the place to restrict it.
func stub(f prooflanguage.Prototype) string {
	var params []string
	for i, t := range f.Parameters {
		space := " "
		if strings.HasSuffix(t, "*") {
			space = ""
		}
		params = append(params, fmt.Sprintf("%s%s%c", t, space, 'a'+i))
	}
	if f.Variadic {
		params = append(params, "...")
	}
	if len(params) == 0 {
		params = []string{"void"}
	}
	space, any := " ", "arbitrary;\n  memhavoc(&arbitrary, sizeof arbitrary)"
	if strings.HasSuffix(f.Result, "*") { // the user has to define the pointed-to object
		space, any = "", "arbitrary = 0"
	}
	if f.Result == "void" {
		return fmt.Sprintf("void %s(%s) {}\n\n", f.Name, strings.Join(params, ", "))
	}
	return fmt.Sprintf("/* Stub: say with assume() what %[1]s may return. */\n%[2]s%[3]s%[1]s(%[4]s) {\n"+
		"  %[2]s%[3]s%[5]s;\n"+
		"  return arbitrary;\n}\n\n", f.Name, f.Result, space, strings.Join(params, ", "), any)
}

// maxSources is the number of offered files that define a name, or folders that have a header.
const maxSources = 3

func (a *actions) offerSources(p *editing.ProofState, name, kind string) {
	c, err := a.view.config(p)
	if err != nil {
		return
	}
	w, _ := project.Open(string(p.Root), project.Flags{})
	if w == nil {
		return
	}
	linked := map[string]bool{}
	for _, u := range p.Proof.Sources {
		linked[u.File] = true
	}
	offered := 0
	for _, file := range w.DefinedBelow(p.Proof.File, []string{name})[name] {
		if linked[file] {
			continue
		}
		if offered++; offered > maxSources {
			break
		}
		edit, err := c.addSource(file)
		a.mend(fmt.Sprintf("Link %s, which defines %s, to %s", p.Root.Show(file), name, c.about), kind, edit, err)
	}
}

// offerIncludeDirs offers the folders below the root that have a missing header.
func (a *actions) offerIncludeDirs(p *editing.ProofState, header string) {
	c, err := a.view.config(p)
	w, _ := project.Open(string(p.Root), project.Flags{})
	if err != nil || w == nil {
		return
	}
	for i, dir := range w.IncludeDirs(p.Proof.File, header) {
		if i == maxSources {
			break
		}
		edit, err := c.addIncludeDir(dir)
		a.mend(fmt.Sprintf("Look for headers in %s, which holds %s", p.Root.Show(dir), header), "error", edit, err)
	}
}

// forError offers the header that declares a missing name, a source file that defines it, or the folder of a missing
// header.
func (a *actions) forError(p *editing.ProofState, lacks found.Lack) {
	if !a.wanted(protocol.QuickFix) {
		return
	}
	switch lacks.What {
	case found.LacksBody:
		a.offerSources(p, lacks.Name, "error")
		return
	case found.LacksHeader:
		a.offerIncludeDirs(p, lacks.Name)
		return
	case found.LacksDeclaration:
	default:
		return
	}
	header := prooflanguage.HeaderOf(lacks.Name)
	d := a.view.docs[a.path]
	if header == "" || d == nil {
		return
	}
	if bytes.Contains(d.text.data, []byte("#include "+header)) {
		return // it is included already; the error has another cause
	}
	line := includeLine(d.text)
	at := protocol.Position{Line: uint32(line)}
	a.add(codeAction{Title: "Insert #include " + header, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf("error"),
		remedy: true, Edit: &workspaceEdit{
			Changes: map[protocol.DocumentURI][]protocol.TextEdit{d.uri: {{Range: protocol.Range{Start: at, End: at},
				NewText: "#include " + header + tomledit.LineEnd(string(d.text.data))}}}}})
}

// includeLine returns the line (from 0) at which an include is inserted: behind the last one before the first
// function, else behind the comment at the top.
func includeLine(t *text) int {
	limit := len(t.data)
	if f, ok := t.source.FirstFunction(); ok {
		limit = f.Start
	}
	line, comment := -1, false
	code := -1
	for i, start := range t.lines {
		if start >= limit && line >= 0 {
			break
		}
		text := strings.TrimSpace(string(t.line(i)))
		switch {
		case comment:
			comment = !strings.Contains(text, "*/")
		case strings.HasPrefix(text, "#include"):
			line = i + 1
		case text == "" || strings.HasPrefix(text, "//"):
		case strings.HasPrefix(text, "/*"):
			comment = !strings.Contains(text, "*/")
		case code < 0:
			code = i
		}
	}
	switch {
	case line >= 0:
		return line
	case code >= 0:
		return code
	}
	return 0
}
