package lsp

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/vcgen/found"
)

// invariantClause is the name of the clause for loop invariants.
const invariantClause = "__CPROVER_loop_invariant"

// provedLoop is a loop of a document that proofs cover for every number of iterations. found has the invariants that
// were inferred in all of them, in the order of the first.
type provedLoop struct {
	*diagnostics.Loop
	start, end int // of its head
	found      []string
	unwritten  int
	proofs     []editing.ProofID
}

// provedLoops returns the loops of a document that were proved by induction, sorted by position. Results about an
// earlier text are ignored: an edited loop may have other invariants.
func (v *view) provedLoops(d *document) []*provedLoop {
	var list []*provedLoop
	known := map[int]*provedLoop{}
	for _, p := range v.proofs() {
		if p.Result == nil || !slices.ContainsFunc(p.Result.Loops, byInduction) || !v.fresh(p) {
			continue
		}
		for i := range p.Result.Loops {
			l := &p.Result.Loops[i]
			if !byInduction(*l) || v.document(fileOf(p, l.File)) != d {
				continue
			}
			at, ok := d.text.offsetAt(l.Line, l.Column)
			if !ok {
				continue
			}
			start, end, ok := csource.LoopHead(d.text.data, at)
			if !ok {
				continue
			}
			if x := known[start]; x != nil {
				x.found = slices.DeleteFunc(x.found, func(t string) bool { return !slices.Contains(l.Found(), t) })
				x.unwritten, x.proofs = max(x.unwritten, l.Unwritten), append(x.proofs, p.ID)
				continue
			}
			known[start] = &provedLoop{l, start, end, l.Found(), l.Unwritten, []editing.ProofID{p.ID}}
			list = append(list, known[start])
		}
	}
	slices.SortFunc(list, func(a, b *provedLoop) int { return a.start - b.start })
	return list
}

func byInduction(l diagnostics.Loop) bool { return l.Method == found.Induction }

// conditions returns the invariants of the loop, and the number of further ones.
func (l *provedLoop) conditions() []string {
	shown := diagnostics.Loop{Unwritten: l.unwritten}
	for _, text := range l.found {
		shown.Invariants = append(shown.Invariants, found.Invariant{Text: text, Origin: found.Found})
	}
	return shown.Conditions()
}

// clauses returns the found invariants that can be written as clauses. A clause has to hold at the first arrival, too.
func (l *provedLoop) clauses() []string {
	if l.Before > 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(l.found), readsElementOnEntry)
}

// loopHints returns hints with the invariants of loops, at the ends of their heads.
func (v *view) loopHints(d *document, q *inlayHintParams) (hints []inlayHint) {
	for _, l := range v.provedLoops(d) {
		at := d.text.position(l.end, v.encoding)
		if at.Line < q.Range.Start.Line || at.Line > q.Range.End.Line || len(l.found) == 0 {
			continue
		}
		keeps := "keeps "
		if from := l.From(); from != "" {
			keeps = from + ": "
		}
		text := diagnostics.LoopText(l.Loop)
		hints = append(hints, inlayHint{Position: at, PaddingLeft: true,
			Label:   phrase.Shorten(keeps+strings.Join(l.short(), ", "), maxHintValue),
			Tooltip: strings.ToUpper(text[:1]) + text[1:] + ", with\n" + strings.Join(l.conditions(), "\n")})
	}
	return hints
}

// short returns the unquantified invariants, or all if there are none.
func (l *provedLoop) short() []string {
	plain := slices.DeleteFunc(slices.Clone(l.found), func(t string) bool {
		return strings.Contains(t, "__CPROVER_forall")
	})
	if len(plain) == 0 {
		return l.found
	}
	return plain
}

// loopHover describes the loop whose head is at a position; nil if there is none.
func (v *view) loopHover(path string, at protocol.Position) *protocol.Hover {
	d := v.document(path)
	if d == nil {
		return nil
	}
	for _, l := range v.provedLoops(d) {
		if span := d.text.span(l.start, l.end, v.encoding); holds(span, at) {
			b := v.newProse()
			b.strong("Loop " + l.Loop.Loop)
			b.say(": " + diagnostics.LoopText(l.Loop))
			if len(l.found)+l.unwritten > 0 {
				arrival := "each arrival"
				if l.Before > 0 {
					arrival = "each later arrival"
				}
				b.say(". Found at " + arrival + " at its head:")
				b.paragraph()
				b.code(l.found)
				if l.unwritten > 0 {
					b.paragraph()
					b.say(l.conditions()[len(l.found)])
				}
			}
			return b.hover(span)
		}
	}
	return nil
}

// forLoop offers to write the inferred invariants of the loop at the range as clauses, for this loop and for all loops
// of its proofs.
func (a *actions) forLoop() {
	d := a.view.document(a.path)
	if d == nil || !a.wanted(protocol.RefactorRewrite) {
		return
	}
	all := slices.DeleteFunc(a.view.provedLoops(d), func(l *provedLoop) bool { return len(l.clauses()) == 0 })
	for _, l := range all {
		if !overlaps(d.text.span(l.start, l.end, a.view.encoding), a.span) {
			continue
		}
		var loops []*provedLoop
		for _, o := range all {
			if slices.ContainsFunc(o.proofs, func(id editing.ProofID) bool { return slices.Contains(l.proofs, id) }) {
				loops = append(loops, o)
			}
		}
		a.writeDown(d, "Write down the invariants of this loop", []*provedLoop{l})
		if len(loops) > 1 {
			a.writeDown(d, fmt.Sprintf("Write down the invariants of all %d loops of its proof", len(loops)), loops)
		}
	}
}

func (a *actions) writeDown(d *document, title string, loops []*provedLoop) {
	if edits := a.view.writtenDown(d, loops); edits != nil {
		a.add(codeAction{Title: title, Kind: protocol.RefactorRewrite,
			Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{d.uri: edits}}})
	}
}

// writtenDown returns the edits that add inferred invariants as clauses; nil if none can be written.
func (v *view) writtenDown(d *document, loops []*provedLoop) []protocol.TextEdit {
	text := d.text.data
	insert := func(at int, what string) protocol.TextEdit {
		return protocol.TextEdit{Range: d.text.span(at, at, v.encoding), NewText: what}
	}
	var edits []protocol.TextEdit
	for _, l := range loops {
		line := text[bytes.LastIndexByte(text[:l.start], '\n')+1 : l.start]
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		var clauses strings.Builder
		for _, t := range l.clauses() {
			fmt.Fprintf(&clauses, "\n%s%s(%s)", indent, invariantClause, t)
		}
		if clauses.Len() > 0 {
			edits = append(edits, insert(l.end, clauses.String()))
		}
	}
	if len(edits) > 0 && !bytes.Contains(text, []byte("unitproof.h")) &&
		!bytes.Contains(text, []byte("define "+invariantClause)) {
		first := (&csource.Scanner{Text: text}).Code().Start
		edits = append(edits, insert(first, "#if !defined __UNITPROOF__ && !defined __CPROVER__\n#define "+invariantClause+
			"(...) /* for checkers only */\n#endif\n"))
	}
	return edits
}

// readsElementOnEntry reports whether a quantified invariant refers to the elements' values at loop entry. A clause
// can refer to fixed locations only.
func readsElementOnEntry(text string) bool {
	const entry = "__CPROVER_loop_entry"
	_, rest, quantified := strings.Cut(text, "{ ")
	head, _, _ := strings.Cut(rest, ";")
	name := head[strings.LastIndexByte(head, ' ')+1:]
	for quantified {
		at := strings.Index(rest, entry+"(")
		if at < 0 {
			return false
		}
		rest = rest[at+len(entry):]
		end, ok := csource.Closing([]byte(rest), 0)
		if !ok {
			return true
		}
		for scan := (csource.Scanner{Text: []byte(rest[:end])}); ; {
			t := scan.Code()
			if t.Kind == csource.End {
				break
			}
			if t.Of(scan.Text) == name {
				return true
			}
		}
	}
	return false
}
