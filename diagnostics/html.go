package diagnostics

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

//go:embed page.css
var pageStyle string

// html writes a page. It is no template of html/template's: with these the linker keeps each exported method of the
// program, whoever calls it, a tenth of it.
type html struct{ strings.Builder }

// markup is text of HTML, where anything else is plain text.
type markup string

// put writes markup with arguments in it: plain text is escaped.
func (h *html) put(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case int, markup:
		default:
			args[i] = plain(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(h, format, args...)
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\uFFFD")

// plain is plain text in HTML, also between quotes.
func plain(s string) markup { return markup(htmlEscapes.Replace(s)) }

// words is a sentence with what stands in backticks as code.
func words(s string) markup {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 {
		return plain(s)
	}
	var b strings.Builder
	for i, part := range parts {
		text := string(plain(part))
		if i%2 == 1 {
			text = "<code>" + text + "</code>"
		}
		b.WriteString(text)
	}
	return markup(b.String())
}

// link is text that leads to a place of the page, if there is one.
func link(href, text string) markup {
	if href == "" {
		return plain(text)
	}
	return markup(`<a href="` + string(plain(href)) + `">` + string(plain(text)) + "</a>")
}

func (h *html) page(p *page) {
	h.put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
	h.put("<title>%s</title>\n<style>\n%s</style>\n</head>\n", p.Title, markup(pageStyle+pictureStyle))
	h.put("<body>\n<header>\n<h1>%s</h1>\n<p>", p.Title)
	for i, c := range p.Counts {
		if i > 0 {
			h.put(" · ")
		}
		h.put(`<span class="%s">%d %s</span>`, c.Verdict, c.N, c.Verdict)
	}
	h.put("</p>\n<p class=\"soft\">%s; %s</p>\n</header>\n<main>\n<h2>Proofs</h2>\n<table>\n", p.Tool, p.Toolchain)
	h.put("<thead><tr><th>Verdict</th><th>Proof</th><th>File</th><th>Why</th><th>Time</th></tr></thead>\n<tbody>\n")
	for i := range p.Proofs {
		proof := &p.Proofs[i]
		h.put(`<tr><td><span class="tag %s">%s</span></td><td><a href="#%s">%s</a></td>`, proof.Verdict, proof.Verdict,
			proof.ID, proof.Name)
		h.put("<td>%s</td><td>%s</td><td>%s</td></tr>\n", proof.File, words(proof.Reason), proof.Took)
	}
	h.put("</tbody>\n</table>\n")
	for i := range p.Proofs {
		h.proof(&p.Proofs[i])
	}
	if len(p.Files) > 0 {
		h.put("<h2>Sources</h2>\n<p class=\"soft\">✗ fails, ? unknown, ~ bounded, ! vacuous, ✓ proved; " +
			"faded: no execution of any proof gets there.</p>\n")
	}
	for i := range p.Files {
		h.file(&p.Files[i])
	}
	h.put("</main>\n</body>\n</html>\n")
}

func (h *html) proof(p *pageProof) {
	h.put("<section id=\"%s\" aria-label=\"%s\">\n<h3>%s</h3> ", p.ID, p.Name, p.Name)
	h.put("<span class=\"tag %s\">%s</span> <span class=\"soft\">%s, %s</span>\n", p.Verdict, p.Verdict, p.File, p.Entry)
	if p.Reason != "" {
		h.put("<p>%s</p>\n", words(p.Reason))
	}
	for _, e := range p.Errors {
		at := e.File
		if e.Line != 0 {
			at = fmt.Sprintf("%s:%d", e.File, e.Line)
		}
		h.put("<p class=\"error\">%s: %s</p>\n", at, e.Message)
	}
	for i := range p.Open {
		h.finding(&p.Open[i])
	}
	perhaps := ""
	if p.NotMinimal {
		perhaps = " (perhaps not minimal)"
	}
	if p.Needed != "" {
		h.put("<p>Rests on %s%s</p>\n", words(p.Needed), perhaps)
	}
	if p.Spare != "" {
		h.put("<p>Not needed: %s</p>\n", words(p.Spare))
	}
	if len(p.Assumptions) > 0 {
		h.put("<details><summary>%d assumed and not checked</summary><ul>", len(p.Assumptions))
		for _, a := range p.Assumptions {
			h.put("<li>%s", a.Message)
			if a.File != "" {
				at := a.File
				if a.Line != 0 {
					at = fmt.Sprintf("%s:%d", a.File, a.Line)
				}
				h.put(` <span class="soft">(%s)</span>`, at)
			}
			h.put("</li>")
		}
		h.put("</ul></details>\n")
	}
	h.loops(p.Loops)
	if len(p.Dead) > 0 {
		h.put("<details><summary>%s of branches</summary><ul>", phrase.Count(len(p.Dead), "dead way"))
		for _, d := range p.Dead {
			h.put("<li>%s: %s</li>", link(d.Href, d.Where), words(d.Text))
		}
		h.put("</ul></details>\n")
	}
	if p.Strength != "" {
		h.put("<p>Strength: %s</p>\n", words(p.Strength))
	}
	if len(p.Survivors) > 0 {
		h.put("<details><summary>%s that nothing notices</summary><ul>", phrase.Count(len(p.Survivors), "change"))
		for _, s := range p.Survivors {
			h.put("<li>%s: %s</li>", link(s.Href, s.Where), words(s.Text))
		}
		h.put("</ul></details>\n")
	}
	if len(p.Fine) > 0 {
		h.put("<details><summary>%s proved</summary><table>", p.Findings)
		for i := range p.Fine {
			f := &p.Fine[i]
			h.put("<tr><td>%s</td><td>%s</td><td>%s", f.place(), f.Kind, words(f.Message))
			if f.Rests != "" {
				h.put(`<br><span class="soft">rests on %s</span>`, words(f.Rests))
			}
			if f.Depends != "" {
				h.put(`<br><span class="soft">%s</span>`, words(f.Depends))
			}
			h.put("</td></tr>")
		}
		h.put("</table></details>\n")
	}
	h.put("</section>\n")
}

// place is where a finding is.
func (f *pageFinding) place() markup { return link(f.Href, fmt.Sprintf("%s:%d", f.File, f.Line)) }

// finding writes one that is not fine.
func (h *html) finding(f *pageFinding) {
	h.put("<div class=\"finding\"><p><span class=\"tag %s\">%s</span> <b>%s</b></p>\n", f.Verdict, f.Verdict,
		words(f.Message))
	h.put(`<p class="soft">%s at %s in %s`, f.Kind, f.place(), f.Function)
	if f.Accepted {
		h.put(", accepted")
		if f.AcceptReason != "" {
			h.put(": %s", f.AcceptReason)
		}
	}
	if f.ReplayDetail != "" {
		h.put("; native replay: %s", f.ReplayDetail)
	}
	h.put("</p>\n")
	if f.Reason != "" {
		h.put("<p>%s</p>\n", words(f.Reason))
	}
	if len(f.CoreTexts) > 0 {
		h.put("<p>What contradicts:</p><ul>")
		for _, text := range f.CoreTexts {
			h.put("<li>%s</li>", words(text))
		}
		h.put("</ul>\n")
	}
	if len(f.CallTexts) > 0 {
		h.put("<p class=\"soft\">Calls: %s</p>\n", strings.Join(f.CallTexts, " → "))
	}
	if len(f.InputRows) > 0 {
		h.put("<details open><summary>Inputs</summary><table>")
		for _, row := range f.InputRows {
			h.put(`<tr><td><code>%s</code></td><td class="soft">%s</td></tr>`, row[0], row[1])
		}
		h.put("</table></details>\n")
	}
	if f.Memory != nil {
		h.put("<details open><summary>Memory</summary>\n%s</details>\n", markup(MemoryPicture(f.Finding, false)))
	}
	h.steps("Trace", f.TraceSteps)
	h.obstacle(f)
	h.put("</div>\n")
}

// steps writes a trace, if there is one.
func (h *html) steps(title string, steps []found.Step) {
	if len(steps) == 0 {
		return
	}
	h.put(`<details><summary>%s, %s</summary><div class="steps code">`, title, phrase.Count(len(steps), "step"))
	for _, s := range steps {
		if s.Skipped != nil {
			h.put("   … %d iterations left out\n", s.Skipped.Iterations)
		}
		h.put("%5d %s%s: %s\n", s.Line, strings.Repeat("\u2003", min(s.Depth, 12)), s.Function, s.Text)
	}
	h.put("</div></details>\n")
}

// obstacle writes what keeps a finding from being shown.
func (h *html) obstacle(f *pageFinding) {
	o := f.InTheWay
	if o == nil {
		return
	}
	title := o.Title(f.File)
	h.put("<details open><summary>%s</summary><table>", strings.ToUpper(title[:1])+title[1:])
	for _, v := range o.State {
		h.put(`<tr><td><code>%s</code></td><td><code>%s</code></td></tr>`, v.Name, CompactValue(phrase.OneLine(v.Value), 200))
	}
	h.put("</table><p>There: %s</p></details>\n", words(o.Violation))
	h.steps("From that state", o.Trace)
}

// file writes the lines of a file.
func (h *html) file(f *pageFile) {
	open := ""
	if f.marked() {
		open = " open"
	}
	h.put("<details%s id=\"%s\"><summary><code>%s</code></summary><div class=\"source code\">\n", open, f.ID, f.Name)
	for i := range f.Lines {
		l := &f.Lines[i]
		class := markup("")
		if l.Reached == "unreached" {
			class = ` class="never"`
		}
		h.put(`<div id="%s"%s><span class="mark %s">%s</span><span class="n">%d</span>%s`, l.ID, class, l.Verdict,
			l.symbol(), l.N, l.Text)
		for _, note := range l.Notes {
			h.put(`<span class="note soft">%s</span>`, words(note))
		}
		h.put("</div>\n")
	}
	h.put("</div></details>\n")
}

// loops lists those that hold for every number of iterations, and why.
func (h *html) loops(list []Loop) {
	list = slices.DeleteFunc(slices.Clone(list), func(l Loop) bool { return !l.EveryLength() })
	if len(list) == 0 {
		return
	}
	h.put("<details><summary>%s for every number of iterations</summary><ul>", phrase.Count(len(list), "loop"))
	for i := range list {
		h.put(`<li>%s <span class="soft">(%s:%d)</span>: %s<ul>`, list[i].Loop, list[i].File, list[i].Line,
			LoopText(&list[i]))
		for _, c := range list[i].Conditions() {
			h.put("<li><code>%s</code></li>", c)
		}
		h.put("</ul></li>")
	}
	h.put("</ul></details>\n")
}
