package diagnostics

import (
	"fmt"
	"io"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/markup"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// severityClass is the class of page.css that has the colour of a severity.
var severityClass = map[found.Severity]string{found.High: "failed", found.Medium: "unknown", found.Low: "bounded"}

// auditPage writes the page of an audit.
type auditPage struct {
	pageWriter
	sources *source.Cache
	doc     *AuditDocument
}

// WriteAuditPage writes an audit as one self-contained HTML page, without network access or scripts: the findings by
// kind, the worst first, then the proofs with their open points and assumptions.
func WriteAuditPage(w io.Writer, about About, doc AuditDocument, proofs []Proof, sources Sources) error {
	h := auditPage{sources: source.NewCache(sources), doc: &doc}
	title := "Audit of the unit proofs"
	if about.Project != "" {
		title += " of " + about.Project
	}
	h.head(title)
	counts := map[found.Severity]int{}
	for i := range doc.Findings {
		if !doc.Findings[i].Accepted {
			counts[doc.Findings[i].Severity]++
		}
	}
	h.Put("<header>\n<h1>%s</h1>\n<p>%s audited", title, phrase.Count(doc.Proofs, "proof"))
	for _, s := range []found.Severity{found.High, found.Medium, found.Low} {
		h.Put(` · <span class="%s">%d %s</span>`, severityClass[s], counts[s], s)
	}
	if n := len(doc.Findings) - doc.Open(); n > 0 {
		h.Put(" · %d accepted", n)
	}
	h.Put("</p>\n")
	h.about([][2]string{{"Commit", about.Commit}, {"Date", about.Date}, {"Command", about.Command}, {"Made by", doc.Tool},
		{"With", strings.Join(append([]string{doc.Toolchain.Clang}, doc.Toolchain.Solvers...), ", ")}})
	h.Put("</header>\n<main>\n<h2>Findings</h2>\n")
	if len(doc.Findings) == 0 {
		h.Put("<p>None.</p>\n")
	}
	h.index()
	for _, k := range found.AuditTable() {
		h.kind(&k)
	}
	h.proofs(proofs)
	h.Put("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, h.String())
	return err
}

// of are the findings of a kind, the accepted ones last.
func (h *auditPage) of(kind found.AuditKind) (list []*AuditFinding) {
	for _, accepted := range []bool{false, true} {
		for i := range h.doc.Findings {
			if f := &h.doc.Findings[i]; f.Kind == kind && f.Accepted == accepted {
				list = append(list, f)
			}
		}
	}
	return list
}

// index writes the table of kinds with findings.
func (h *auditPage) index() {
	if len(h.doc.Findings) == 0 {
		return
	}
	h.Put("<table class=\"proofs\">\n<thead><tr><th>Severity</th><th>Kind</th><th>Question</th><th>Findings</th></tr>" +
		"</thead>\n<tbody>\n")
	for _, k := range found.AuditTable() {
		if list := h.of(k.Kind); len(list) > 0 {
			h.Put(`<tr><td><span class="tag %s">%s</span></td><td>%s</td><td>%s</td><td>%d</td></tr>`+"\n",
				severityClass[k.Severity], k.Severity, markup.Link("#"+string(k.Kind), string(k.Kind)), markup.Words(k.Help),
				len(list))
		}
	}
	h.Put("</tbody>\n</table>\n")
}

// shownFindings is the number of findings of a kind that are open at first.
const shownFindings = 10

// kind writes the findings of a kind.
func (h *auditPage) kind(k *found.AuditInfo) {
	list := h.of(k.Kind)
	if len(list) == 0 {
		return
	}
	h.Put("<section id=\"%s\" aria-label=\"%s\">\n<h3>%s</h3> <span class=\"tag %s\">%s</span> <span class=\"soft\">%s"+
		"</span>\n", string(k.Kind), string(k.Kind), string(k.Kind), severityClass[k.Severity], k.Severity,
		phrase.Count(len(list), "finding"))
	h.Put("<p class=\"soft\">%s</p>\n", markup.Words(k.Help))
	for i, f := range list {
		if i == shownFindings {
			h.Put("<details><summary>%d more</summary>\n", len(list)-i)
		}
		h.finding(f)
	}
	if len(list) > shownFindings {
		h.Put("</details>\n")
	}
	h.Put("</section>\n")
}

// finding writes a finding with the line that it is about.
func (h *auditPage) finding(f *AuditFinding) {
	h.Put("<div class=\"finding\"><p><b>%s</b></p>\n<p class=\"soft\">", markup.Words(f.Message))
	at := f.File
	if f.Line > 0 {
		at = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	h.Put("%s", at)
	if f.Proof != "" {
		h.Put(" in the proof %s", f.Proof)
	}
	if f.Accepted {
		h.Put(", accepted")
		if f.AcceptReason != "" {
			h.Put(": %s", f.AcceptReason)
		}
	}
	h.Put("</p>\n")
	if src := h.sources.File(f.File); src != nil && f.Line > 0 && f.Line <= src.Lines() {
		h.Put("<div class=\"source code\"><div><span class=\"n\">%d</span>%s</div></div>\n", f.Line, string(src.Line(f.Line)))
	}
	h.Put("</div>\n")
}

// proofs writes the table of proofs, with everything that was not checked or was assumed.
func (h *auditPage) proofs(proofs []Proof) {
	doubts := map[string]int{}
	for i := range h.doc.Findings {
		if f := &h.doc.Findings[i]; !f.Accepted {
			doubts[f.Proof]++
		}
	}
	h.Put("<h2>Proofs</h2>\n<table class=\"proofs\">\n<thead><tr><th>Verdict</th><th>Proof</th><th>File</th>" +
		"<th>Not done or assumed</th><th>Findings</th></tr></thead>\n<tbody>\n")
	for i := range proofs {
		p := &proofs[i]
		h.Put(`<tr><td><span class="tag %s">%s</span></td><td>%s</td><td class="soft">%s</td><td>`, p.Verdict, p.Verdict,
			p.Name, p.File)
		for k, code := range p.NotDone {
			if k > 0 {
				h.Put(", ")
			}
			h.Put("<code>%s</code>", string(code))
		}
		if n := len(p.Assumes) + len(p.Assumptions); n > 0 {
			h.Put("<details><summary>%s</summary><ul>", phrase.Count(n, "assumption"))
			for _, text := range p.Assumes {
				h.Put("<li><code>%s</code></li>", text)
			}
			for k := range p.Assumptions {
				h.Put("<li>not checked: %s</li>", p.Assumptions[k].Message)
			}
			h.Put("</ul></details>")
		}
		h.Put("</td><td>%d</td></tr>\n", doubts[p.Name])
	}
	h.Put("</tbody>\n</table>\n")
	h.codes(proofs)
}

// codes writes the meanings of the codes in the table of proofs.
func (h *auditPage) codes(proofs []Proof) {
	used := map[NotDone]bool{}
	for i := range proofs {
		for _, code := range proofs[i].NotDone {
			used[code] = true
		}
	}
	if len(used) == 0 {
		return
	}
	h.Put("<dl class=\"soft\">")
	for _, x := range NotDoneCodes() {
		if used[x.Code] {
			h.Put("<dt><code>%s</code></dt><dd>%s</dd>", string(x.Code), markup.Words(x.Help))
		}
	}
	h.Put("</dl>\n")
}
