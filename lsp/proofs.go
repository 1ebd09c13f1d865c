package lsp

import (
	"context"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/vcgen/found"
)

// proofItem is a proof as clients list it (docs/protocol.md).
type proofItem struct {
	ID          string               `json:"id"`
	Name        string               `json:"name"`
	URI         protocol.DocumentURI `json:"uri"`
	Range       protocol.Range       `json:"range"`
	Entry       string               `json:"entry"`
	Phase       string               `json:"phase"`
	Verdict     found.Verdict        `json:"verdict,omitempty"`
	Stale       bool                 `json:"stale"`
	Title       string               `json:"title"`
	Reason      string               `json:"reason,omitempty"`
	MS          int64                `json:"ms,omitempty"`
	Cached      bool                 `json:"cached"`
	Imported    bool                 `json:"imported"`
	Assumptions []placedMessage      `json:"assumptions"`
	Findings    []findingItem        `json:"findings"`
	Errors      []placedMessage      `json:"errors"`
}

type placedMessage struct {
	Message string               `json:"message"`
	URI     protocol.DocumentURI `json:"uri"`
	Range   protocol.Range       `json:"range"`
}

type findingItem struct {
	ID        string               `json:"id"`
	Kind      found.Kind           `json:"kind"`
	Verdict   found.Verdict        `json:"verdict"`
	Message   string               `json:"message"`
	URI       protocol.DocumentURI `json:"uri"`
	Range     protocol.Range       `json:"range"`
	Stale     bool                 `json:"stale"`
	Accepted  bool                 `json:"accepted"`
	Instances int                  `json:"instances"`
	Replay    string               `json:"replay,omitempty"`
	Expected  string               `json:"expected,omitempty"`
	Actual    string               `json:"actual,omitempty"`
}

type proofList struct {
	Proofs []proofItem `json:"proofs"`
}

type proofsChanged struct {
	Changed []proofItem `json:"changed"`
	Removed []string    `json:"removed"`
}

// allProofs returns all proofs. From then on the client is notified of changes.
func (v *view) allProofs(context.Context, *struct{}) (proofList, error) {
	s := v.server
	s.mu.Lock()
	first := !s.notifies
	s.notifies = true
	s.mu.Unlock()
	if first {
		s.wake()
	}
	return v.items(v.proofs()), nil
}

func (v *view) items(proofs []*editing.ProofState) proofList {
	list := proofList{Proofs: []proofItem{}}
	for _, p := range proofs {
		list.Proofs = append(list.Proofs, v.item(p))
	}
	return list
}

func (v *view) item(p *editing.ProofState) proofItem {
	at := v.entry(p)
	it := proofItem{ID: string(p.ID), Name: p.Proof.Name, URI: v.uri(at.path), Range: at.span, Entry: p.Proof.Entry,
		Phase: p.Phase.String(), Title: v.proofTitle(p), Reason: p.Reason,
		Assumptions: []placedMessage{}, Findings: []findingItem{}, Errors: []placedMessage{}}
	for _, f := range v.findings(p) {
		if !f.Reported() {
			continue
		}
		place, ok := v.findFinding(p, f)
		if !ok {
			continue
		}
		item := findingItem{ID: f.ID, Kind: f.Kind, Verdict: f.Verdict, Message: f.Message, URI: v.uri(place.path),
			Range: place.span,
			Stale: f.stale, Accepted: f.Accepted, Instances: f.Instances, Replay: v.replayed(p, f.Finding)}
		if f.Condition != "" {
			item.Expected, item.Actual = f.Condition, f.Values
		}
		it.Findings = append(it.Findings, item)
	}
	r := p.Result
	if r == nil {
		return it
	}
	it.Verdict, it.Stale, it.MS, it.Cached = r.Verdict, !v.fresh(p), p.Elapsed.Milliseconds(), cached(r)
	it.Imported = p.Imported != ""
	if r.Reason != "" {
		it.Reason = r.Reason
	}
	for i := range r.Assumptions {
		a := &r.Assumptions[i]
		if place, ok := v.find(p, point{file: a.File, line: a.Line}); ok {
			it.Assumptions = append(it.Assumptions, placedMessage{a.Message, v.uri(place.path), place.span})
		}
	}
	for i := range r.Errors {
		e := &r.Errors[i]
		if place, ok := v.find(p, point{file: e.File, line: e.Line, column: e.Column}); ok {
			it.Errors = append(it.Errors, placedMessage{e.Message, v.uri(place.path), place.span})
		}
	}
	return it
}

// cached reports whether a result was obtained without a solver query.
func cached(r *diagnostics.Proof) bool { return r.Stats.CacheHits > 0 && r.Stats.SolverQueries == 0 }

// proofTitle returns the state of a proof, as part of a sentence.
func (v *view) proofTitle(p *editing.ProofState) string {
	r := p.Result
	if r == nil {
		switch {
		case p.Phase == editing.Queued:
			return "waits to be verified"
		case p.Phase == editing.Running:
			return "is being verified"
		case p.Reason != "":
			return "not verified: " + p.Reason
		}
		return "not verified"
	}
	title := verdictWords(r)
	if p.Imported != "" {
		title += " in CI"
	} else if ms := p.Elapsed.Milliseconds(); ms > 0 && r.Verdict != found.Error {
		title += " in " + diagnostics.Duration(ms)
	}
	if open := r.IfEnds(); open != "" {
		title += ", " + open
	}
	if r.Verdict != found.Error {
		title += r.Assuming()
	}
	if !v.fresh(p) {
		title += ", before your last edit"
	}
	return title
}

// verdictWords returns the number of findings with the proof's verdict: "2 failed", "proved".
func verdictWords(r *diagnostics.Proof) string {
	n := 0
	for i := range r.Obligations {
		if f := &r.Obligations[i]; f.Verdict == r.Verdict && f.Reported() && !f.Accepted {
			n++
		}
	}
	if n > 0 && r.Verdict != found.Proved {
		return fmt.Sprintf("%d %s", n, r.Verdict)
	}
	return string(r.Verdict)
}

// mark is the state of a line: the worst verdict of its assertions and of other unproved findings.
type mark struct {
	Line    uint32        `json:"line"`
	Verdict found.Verdict `json:"verdict"`
	Stale   bool          `json:"stale"`
	Title   string        `json:"title"`
}

type marksParams struct {
	URI   protocol.DocumentURI `json:"uri"`
	Marks []mark               `json:"marks"`
}

// marks returns the marks of all open documents by path, in the order of lines.
func (v *view) marks() map[string][]mark {
	type key struct {
		path string
		line uint32
	}
	best := map[key]*mark{}
	count := map[key]int{}
	put := func(d *document, line uint32, verdict found.Verdict, stale bool, title string) {
		k := key{d.path, line}
		count[k]++
		m := best[k]
		switch {
		case m == nil || verdict.Rank() > m.Verdict.Rank():
			best[k] = &mark{line, verdict, stale, title}
		case verdict == m.Verdict && stale:
			m.Stale = true // one of the merged findings is stale
		}
	}
	proofFiles := map[string]bool{}
	for _, p := range v.proofs() {
		proofFiles[p.Proof.File] = true
	}
	for _, d := range v.docs { // the proof of a contract has no assertion of its own
		for _, p := range v.proofsAt(d.path) {
			if f, ok := entryOf(p, d.path, d.text); ok && p.Proof.Contract && p.Result != nil {
				put(d, d.text.span(f.NameStart, f.NameEnd, v.encoding).Start.Line, p.Result.Verdict, !v.fresh(p),
					"contract of "+p.Proof.Entry+": "+v.proofTitle(p))
			}
		}
	}
	for _, p := range v.proofs() {
		for _, f := range v.findings(p) {
			for _, it := range v.contradictionItems(p, f) { // each part of the contradiction has its own line
				if d := v.document(it.at.path); d != nil {
					put(d, it.at.span.Start.Line, it.verdict, it.stale, it.message)
				}
			}
			d := v.document(fileOf(p, f.File))
			if d == nil || f.Accepted {
				continue
			}
			quiet := f.Verdict == found.Unreached && !f.Reported() || f.Kind != found.Assertion && !f.Reported() && !f.Behind()
			if quiet && (proofFiles[d.path] || f.Verdict != found.Proved && f.Verdict != found.Unreached) {
				continue // in code under proof, lines show whether they hold, or are never reached
			}
			at, ok := v.findFinding(p, f)
			if !ok {
				continue
			}
			put(d, at.span.Start.Line, f.Verdict, f.stale, f.Message)
		}
	}
	out := map[string][]mark{}
	for k, m := range best {
		if n := count[k]; n > 1 {
			m.Title += fmt.Sprintf(" (worst of %d)", n)
		}
		out[k.path] = append(out[k.path], *m)
	}
	for _, list := range out {
		slices.SortFunc(list, func(a, b mark) int { return int(a.Line) - int(b.Line) })
	}
	return out
}
