package diagnostics

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	File      string        `xml:"file,attr,omitempty"`
	Time      string        `xml:"time,attr"`
	Failure   *junitOutcome `xml:"failure"`
	Error     *junitOutcome `xml:"error"`
	Skipped   *junitOutcome `xml:"skipped"`
	SystemOut *junitText    `xml:"system-out"`
}

type junitOutcome struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",cdata"`
}

type junitText struct {
	Text string `xml:",cdata"`
}

// WriteJUnit writes one test case per proof, in a suite per file.
//
//   - failed and vacuous are failures, error is an error;
//   - unknown and bounded are skipped, unless accept has them;
//   - a proof with an expectation passes if it meets it, and is a failure otherwise.
func WriteJUnit(w io.Writer, doc Document, src Sources, accept []found.Verdict) error {
	all := junitSuites{Name: "unitproof"}
	at := map[string]int{}
	var total int64
	suiteMS := map[string]int64{}
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		n, ok := at[p.File]
		if !ok {
			n = len(all.Suites)
			at[p.File] = n
			all.Suites = append(all.Suites, junitSuite{Name: phrase.Name(p.File)})
		}
		s := &all.Suites[n]
		c := junitCaseOf(p, src, accept)
		s.Cases = append(s.Cases, c)
		s.Tests++
		all.Tests++
		switch {
		case c.Error != nil:
			s.Errors++
			all.Errors++
		case c.Failure != nil:
			s.Failures++
			all.Failures++
		case c.Skipped != nil:
			s.Skipped++
			all.Skipped++
		}
		suiteMS[p.File] += p.Stats.TotalMS
		s.Time = junitTime(suiteMS[p.File])
		total += p.Stats.TotalMS
	}
	all.Time = junitTime(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitCaseOf(p *Proof, src Sources, accept []found.Verdict) junitCase {
	c := junitCase{
		Name: phrase.Name(p.Name), Classname: phrase.Printable(junitClass(p.File)), File: phrase.Printable(p.File),
		Time: junitTime(p.Stats.TotalMS),
	}
	outcome := &junitOutcome{Message: junitMessage(p), Type: string(p.Verdict), Text: proofText(p, src)}
	expect := p.Options.Expect
	switch status := p.exitStatus(accept); {
	case status == ExitError:
		c.Error = outcome
	case status == ExitFailed:
		if expect != "" && expect != p.Verdict {
			outcome.Message = fmt.Sprintf("expected %s: %s", expect, outcome.Message)
		}
		c.Failure = outcome
	case status == ExitUndecided:
		c.Skipped = outcome
	case p.Verdict != found.Proved || len(p.Assumptions) > 0:
		// It passes; its assumptions are in the output.
		c.SystemOut = &junitText{outcome.Message + "\n" + outcome.Text}
	}
	return c
}

// junitMessage returns the result in one line.
func junitMessage(p *Proof) string {
	text := string(p.Verdict)
	var first *Finding
	others := 0
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if f.Verdict == p.Verdict && f.Reported() && !f.Accepted {
			if first == nil {
				first = f
			} else {
				others++
			}
		}
	}
	switch {
	case first != nil && p.Verdict != found.Proved:
		text += ": " + first.Message
		if others > 0 {
			text += fmt.Sprintf(" (and %d more)", others)
		}
	case p.Reason != "":
		text += ": " + p.Reason
	}
	if p.Verdict != found.Error {
		text += assuming(p)
	}
	return phrase.Printable(text)
}

// proofText returns the terminal text of one proof.
func proofText(p *Proof, src Sources) string {
	var b strings.Builder
	t := NewTextWriter(&b, TextOptions{Sources: src})
	t.Proof(p)
	return "\n" + phrase.Printable(b.String())
}

func junitTime(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

// junitClass returns a file name that viewers show as a path of packages.
func junitClass(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(file, ".c"), "/", ".")
}
