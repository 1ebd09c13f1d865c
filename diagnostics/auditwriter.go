package diagnostics

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Open counts the findings that no rule accepts.
func (d *AuditDocument) Open() (n int) {
	for i := range d.Findings {
		if !d.Findings[i].Accepted {
			n++
		}
	}
	return n
}

// Audit writes the findings of an audit, and how many there are.
func (t *TextWriter) Audit(d *AuditDocument) {
	counts := map[found.Severity]int{}
	for i := range d.Findings {
		f := &d.Findings[i]
		t.head(f.File, f.Line, f.Column)
		word := string(f.Severity)
		if f.Accepted {
			word = "accepted"
		} else {
			counts[f.Severity]++
		}
		t.printf("%s %s %s\n", word, t.style.dim("["+string(f.Kind)+"]"), t.style.bold(phrase.Printable(f.Message)))
		if f.Accepted && f.AcceptReason != "" {
			t.note("accepted: " + phrase.OneLine(f.AcceptReason))
		}
		t.excerpt(f.File, f.Line, f.Column, source.Range{}, sgrYellow, "")
	}
	if len(d.Findings) > 0 {
		t.printf("\n")
	}
	t.printf("%s audited: %d high, %d medium, %d low", phrase.Count(d.Proofs, "proof"), counts[found.High],
		counts[found.Medium], counts[found.Low])
	if n := len(d.Findings) - d.Open(); n > 0 {
		t.printf(", %d accepted", n)
	}
	t.printf("\n")
}

// WriteAuditJSON writes an audit as JSON.
func WriteAuditJSON(w io.Writer, d AuditDocument) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// WriteAuditSARIF writes an audit as a SARIF 2.1.0 log: a rule per kind, accepted findings suppressed.
func WriteAuditSARIF(w io.Writer, d AuditDocument, src Sources) error {
	s := &sarifWriter{sources: source.NewCache(src), rules: map[string]int{}}
	run := s.emptyRun(d.Tool)
	driver := &run.Tool.Driver
	levels := map[found.Severity]string{found.High: "error", found.Medium: "warning", found.Low: "note"}
	for _, k := range found.AuditTable() {
		s.rule(driver, "audit-"+string(k.Kind), "Audit: "+string(k.Kind), k.Help, levels[k.Severity])
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		index := s.rules["audit-"+string(f.Kind)]
		r := &sarifResult{RuleID: "audit-" + string(f.Kind), RuleIndex: &index, Kind: "fail", Level: levels[f.Severity],
			Message: sarifMessage{f.Message}, PartialFingerprints: map[string]string{"unitproof/v1": f.ID},
			Properties: sarifProperties{Proof: f.Proof, Verdict: string(f.Severity)}}
		if f.File != "" {
			r.Locations = []*sarifLocation{s.location(f.File, f.Line, f.Column, source.Range{})}
		}
		if f.Accepted {
			r.Suppressions = []sarifSuppression{{"external", "accepted", f.AcceptReason}}
		}
		run.Results = append(run.Results, r)
	}
	return writeSARIFRun(w, run)
}

// WriteAssurance writes the project's statement in Markdown: verdicts, assumptions, versions of the programs, and the
// findings of the audit.
func WriteAssurance(w io.Writer, d AuditDocument, proofs []Proof) error {
	var err error
	say := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(w, format, args...)
		}
	}
	say("# What is proved\n\nWritten by `unitproof audit --assurance`; do not edit.\n\n")
	say("| | |\n|---|---|\n| checked by | %s |\n| compiled by | %s |\n", d.Tool, d.Toolchain.Clang)
	for _, s := range d.Toolchain.Solvers {
		say("| solver | %s |\n", s)
	}
	plain := 0
	for i := range proofs {
		if proofs[i].Verdict == found.Proved && len(proofs[i].NotDone) == 0 {
			plain++
		}
	}
	say("\n%s, of which %d are proved with nothing left open.\n\n", phrase.Count(len(proofs), "proof"), plain)
	say("| proof | verdict | checks | not done |\n|---|---|---|---|\n")
	codes := []NotDone{}
	for i := range proofs {
		p := &proofs[i]
		n, list := 0, "—"
		for k := range p.Obligations {
			if p.Obligations[k].Verdict == found.Proved {
				n++
			}
		}
		for k, code := range p.NotDone {
			if k == 0 {
				list = ""
			} else {
				list += ", "
			}
			list += "`" + string(code) + "`"
			if !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
		say("| %s (%s) | %s | %d | %s |\n", markdownCell(p.Name), markdownCell(p.File), p.Verdict, n, list)
	}
	if len(codes) > 0 {
		slices.SortFunc(codes, func(a, b NotDone) int { return a.Order() - b.Order() })
		say("\n")
		for _, code := range codes {
			say("- `%s`: %s\n", code, code.Help())
		}
	}
	say("\n## What the proofs assume\n\n")
	any := false
	for i := range proofs {
		p := &proofs[i]
		for _, text := range p.Assumes {
			any = true
			say("- %s: %s\n", phrase.OneLine(p.Name), markdownCode(text))
		}
		for k := range p.Assumptions {
			any = true
			say("- %s: not checked: %s\n", phrase.OneLine(p.Name), phrase.OneLine(p.Assumptions[k].Message))
		}
	}
	if !any {
		say("Nothing.\n")
	}
	say("\n## What the audit found\n\n")
	if len(d.Findings) == 0 {
		say("Nothing.\n")
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		say("- %s, %s: %s", f.Severity, f.Kind, phrase.OneLine(f.Message))
		if f.Accepted {
			say(" (accepted: %s)", phrase.OneLine(f.AcceptReason))
		}
		say("\n")
	}
	return err
}

// markdownCell is a text on one line that ends no cell of a table.
func markdownCell(text string) string { return strings.ReplaceAll(phrase.OneLine(text), "|", "\\|") }

// markdownCode is a text on one line as code.
func markdownCode(text string) string {
	return "`" + strings.ReplaceAll(phrase.OneLine(text), "`", "'") + "`"
}
