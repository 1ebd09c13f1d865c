package diagnostics

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/markup"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/picture"
	"github.com/unitproof/unitproof/vcgen/found"
)

//go:embed page.css
var pageStyle string

// pageWriter writes a page.
type pageWriter struct{ markup.Writer }

// head writes the beginning of a page, up to its body.
func (h *pageWriter) head(title string) {
	h.Put("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
	h.Put("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n", title, markup.Text(pageStyle+picture.Style))
}

// about writes a list of facts about the run; empty ones are left out.
func (h *pageWriter) about(facts [][2]string) {
	h.Put("<dl class=\"soft\">")
	for _, x := range facts {
		if x[1] != "" {
			h.Put("<dt>%s</dt><dd>%s</dd>", x[0], x[1])
		}
	}
	h.Put("</dl>\n")
}

func (h *pageWriter) page(p *page) {
	h.head(p.Title)
	h.Put("<header>\n<h1>%s</h1>\n<p>", p.Title)
	for i, c := range p.Counts {
		if i > 0 {
			h.Put(" · ")
		}
		h.Put(`<span class="%s">%d %s</span>`, c.Verdict, c.N, c.Verdict)
	}
	h.Put("</p>\n")
	h.about([][2]string{{"Commit", p.Commit}, {"Date", p.Date}, {"Command", p.Command}, {"Made by", p.Tool},
		{"With", p.Toolchain}})
	h.Put("</header>\n<main>\n<h2>Proofs</h2>\n<table class=\"proofs\">\n")
	h.Put("<thead><tr><th>Verdict</th><th>Proof</th><th>File</th><th>Why</th><th>Time</th></tr></thead>\n<tbody>\n")
	for i := range p.Proofs {
		proof := &p.Proofs[i]
		h.Put(`<tr><td><span class="tag %s">%s</span></td><td><a href="#%s">%s</a></td>`, proof.Verdict, proof.Verdict,
			proof.ID, proof.Name)
		h.Put("<td class=\"soft\">%s</td><td>%s</td><td class=\"soft\">%s</td></tr>\n", proof.File, markup.Words(proof.why()),
			proof.Took)
	}
	h.Put("</tbody>\n</table>\n")
	for i := range p.Proofs {
		h.proof(&p.Proofs[i])
	}
	if len(p.Files) > 0 {
		h.Put("<h2>Sources</h2>\n<p class=\"soft\">✗ fails, ? unknown, ~ bounded, ! vacuous, ✓ proved; " +
			"faded: no execution of any proof gets there.</p>\n")
	}
	for i := range p.Files {
		h.file(&p.Files[i])
	}
	h.Put("</main>\n</body>\n</html>\n")
}

func (h *pageWriter) proof(p *pageProof) {
	h.Put("<section id=\"%s\" aria-label=\"%s\">\n<h3>%s</h3> ", p.ID, p.Name, p.Name)
	h.Put("<span class=\"tag %s\">%s</span> <span class=\"soft\">%s, %s</span>\n", p.Verdict, p.Verdict, p.File, p.Entry)
	if p.Reason != "" {
		h.Put("<p>%s</p>\n", markup.Words(p.Reason))
	}
	for _, e := range p.Errors {
		at := e.File
		if e.Line != 0 {
			at = fmt.Sprintf("%s:%d", e.File, e.Line)
		}
		h.Put("<p class=\"error\">%s: %s</p>\n", at, e.Message)
	}
	for i := range p.Open {
		h.finding(&p.Open[i])
	}
	perhaps := ""
	if p.NotMinimal {
		perhaps = " (perhaps not minimal)"
	}
	if p.Needed != "" {
		h.Put("<p>Rests on %s%s</p>\n", markup.Words(p.Needed), perhaps)
	}
	if open := p.IfEnds(); open != "" {
		h.Put("<p>Holds %s: that is not proved</p>\n", open)
	}
	if p.Spare != "" {
		h.Put("<p>Not needed: %s</p>\n", markup.Words(p.Spare))
	}
	if len(p.Assumptions) > 0 {
		h.Put("<details><summary>%d assumed and not checked</summary><ul>", len(p.Assumptions))
		for _, a := range p.Assumptions {
			h.Put("<li>%s", a.Message)
			if a.File != "" {
				at := a.File
				if a.Line != 0 {
					at = fmt.Sprintf("%s:%d", a.File, a.Line)
				}
				h.Put(` <span class="soft">(%s)</span>`, at)
			}
			h.Put("</li>")
		}
		h.Put("</ul></details>\n")
	}
	h.loops(p.Loops)
	if len(p.Dead) > 0 {
		h.Put("<details><summary>%s of branches</summary><ul>", phrase.Count(len(p.Dead), "dead branch"))
		for _, d := range p.Dead {
			h.Put("<li>%s: %s</li>", markup.Link(d.Href, d.Where), markup.Words(d.Text))
		}
		h.Put("</ul></details>\n")
	}
	if p.Strength != "" {
		h.Put("<p>Strength: %s</p>\n", markup.Words(p.Strength))
	}
	if len(p.Survivors) > 0 {
		h.Put("<details><summary>%s that nothing notices</summary><ul>", phrase.Count(len(p.Survivors), "change"))
		for _, s := range p.Survivors {
			h.Put("<li>%s: %s</li>", markup.Link(s.Href, s.Where), markup.Words(s.Text))
		}
		h.Put("</ul></details>\n")
	}
	if len(p.Fine) > 0 {
		h.Put("<details><summary>%s proved</summary><table>", p.Findings)
		for i := range p.Fine {
			f := &p.Fine[i]
			h.Put("<tr><td>%s</td><td>%s</td><td>%s", f.place(), f.Kind, markup.Words(f.Message))
			if f.Rests != "" {
				h.Put(`<br><span class="soft">rests on %s</span>`, markup.Words(f.Rests))
			}
			if f.Depends != "" {
				h.Put(`<br><span class="soft">%s</span>`, markup.Words(f.Depends))
			}
			h.Put("</td></tr>")
		}
		h.Put("</table></details>\n")
	}
	h.Put("</section>\n")
}

// place returns a link to the finding's position.
func (f *pageFinding) place() markup.Text {
	return markup.Link(f.Href, fmt.Sprintf("%s:%d", f.File, f.Line))
}

// kindWithCWE names a kind, and its weaknesses in parentheses.
func kindWithCWE(k found.Kind) string {
	if ids := k.CWE(); len(ids) > 0 {
		return fmt.Sprintf("%s (%s)", k, strings.Join(ids, ", "))
	}
	return string(k)
}

// finding writes a finding that is to be fixed.
func (h *pageWriter) finding(f *pageFinding) {
	h.Put("<div class=\"finding\"><p><span class=\"tag %s\">%s</span> <b>%s</b></p>\n", f.Verdict, f.Verdict,
		markup.Words(f.Message))
	h.Put(`<p class="soft">%s at %s in %s`, kindWithCWE(f.Kind), f.place(), f.Function)
	if f.Accepted {
		h.Put(", accepted")
		if f.AcceptReason != "" {
			h.Put(": %s", f.AcceptReason)
		}
	}
	if f.ReplayDetail != "" {
		h.Put("; native replay: %s", f.ReplayDetail)
	}
	h.Put("</p>\n")
	if f.Reason != "" {
		h.Put("<p>%s</p>\n", markup.Words(f.Reason))
	}
	if len(f.CoreTexts) > 0 {
		h.Put("<p>What contradicts:</p><ul>")
		for _, text := range f.CoreTexts {
			h.Put("<li>%s</li>", markup.Words(text))
		}
		h.Put("</ul>\n")
	}
	if len(f.CallTexts) > 0 {
		h.Put("<p class=\"soft\">Calls: %s</p>\n", strings.Join(f.CallTexts, " → "))
	}
	if len(f.InputRows) > 0 {
		h.Put("<details open><summary>Inputs</summary><table>")
		for _, row := range f.InputRows {
			h.Put(`<tr><td><code>%s</code></td><td class="soft">%s</td></tr>`, row[0], row[1])
		}
		h.Put("</table></details>\n")
	}
	if f.Memory != nil {
		h.Put("<details open><summary>Memory</summary>\n%s</details>\n", picture.Memory(f.Memory, f.Kind, false))
	}
	h.steps("Trace", f.TraceSteps)
	h.obstacle(f)
	h.Put("</div>\n")
}

// steps writes a trace, if there is one.
func (h *pageWriter) steps(title string, steps []found.Step) {
	if len(steps) == 0 {
		return
	}
	h.Put(`<details><summary>%s, %s</summary><div class="steps code">`, title, phrase.Count(len(steps), "step"))
	for _, s := range steps {
		if s.Skipped != nil {
			h.Put("   … %d iterations left out\n", s.Skipped.Iterations)
		}
		h.Put("%5d %s%s: %s\n", s.Line, strings.Repeat("\u2003", min(max(s.Depth, 0), 12)), s.Function, s.Text)
	}
	h.Put("</div></details>\n")
}

// obstacle writes the state that prevents an induction.
func (h *pageWriter) obstacle(f *pageFinding) {
	o := f.InTheWay
	if o == nil {
		return
	}
	title := o.Title(f.File)
	h.Put("<details open><summary>%s</summary><table>", strings.ToUpper(title[:1])+title[1:])
	for _, v := range o.State {
		h.Put(`<tr><td><code>%s</code></td><td><code>%s</code></td></tr>`, v.Name, CompactValue(phrase.OneLine(v.Value), 200))
	}
	h.Put("</table><p>There: %s</p></details>\n", markup.Words(o.Violation))
	h.steps("From that state", o.Trace)
}

// file writes the lines of a file.
func (h *pageWriter) file(f *pageFile) {
	open := ""
	if f.marked() {
		open = " open"
	}
	h.Put("<details%s id=\"%s\"><summary><code>%s</code></summary><div class=\"source code\">\n", open, f.ID, f.Name)
	for i := range f.Lines {
		l := &f.Lines[i]
		class := markup.Text("")
		if l.Reached == "unreached" {
			class = ` class="never"`
		}
		h.Put(`<div id="%s"%s><span class="mark %s">%s</span><span class="n">%d</span>%s`, l.ID, class, l.Verdict,
			l.symbol(), l.N, l.Text)
		for _, note := range l.Notes {
			h.Put(`<span class="note soft">%s</span>`, markup.Words(note))
		}
		h.Put("</div>\n")
	}
	h.Put("</div></details>\n")
}

// covered counts loops and recursions: "2 loops for every number of iterations, 1 recursion for every depth".
func covered(list []Loop) string {
	loops, recursions := CountLoops(list)
	var parts []string
	if loops > 0 {
		parts = append(parts, phrase.Count(loops, "loop")+" for every number of iterations")
	}
	if recursions > 0 {
		parts = append(parts, phrase.Count(recursions, "recursion")+" for every depth")
	}
	return strings.Join(parts, ", ")
}

// loops lists the loops that hold for every number of iterations, with the reasons.
func (h *pageWriter) loops(list []Loop) {
	list = slices.DeleteFunc(slices.Clone(list), func(l Loop) bool { return !l.EveryLength() })
	if len(list) == 0 {
		return
	}
	h.Put("<details><summary>%s</summary><ul>", covered(list))
	for i := range list {
		h.Put(`<li>%s <span class="soft">(%s:%d)</span>: %s<ul>`, list[i].Title(), list[i].File, list[i].Line,
			LoopText(&list[i]))
		for _, c := range list[i].Conditions() {
			h.Put("<li><code>%s</code></li>", c)
		}
		h.Put("</ul></li>")
	}
	h.Put("</ul></details>\n")
}
