package diagnostics

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// sarifProofRule is the rule of results about a proof as a whole.
const sarifProofRule = "proof"

// WriteSARIF writes a SARIF 2.1.0 log with one run.
//
//   - A rule is a kind.
//   - A result is a failed, vacuous, unknown or bounded finding, with the trace as code flow. Accepted ones are
//     suppressed.
//   - A proof that is an error is a notification of the tool's execution.
func WriteSARIF(w io.Writer, doc Document, src Sources) error {
	s := &sarifWriter{sources: source.NewCache(src), rules: map[string]int{}}
	return writeSARIFRun(w, s.run(doc))
}

// writeSARIFRun writes a log of one run.
func writeSARIFRun(w io.Writer, run *sarifRun) error {
	log := sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []*sarifRun{run}}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return fmt.Errorf("sarif: %w", err)
	}
	return nil
}

type sarifWriter struct {
	sources *source.Cache
	rules   map[string]int // index by rule ID
}

// emptyRun is a run of the tool without rules and results.
func (s *sarifWriter) emptyRun(tool string) *sarifRun {
	name, version, _ := strings.Cut(tool, " ")
	if name == "" {
		name = "unitproof"
	}
	return &sarifRun{Tool: sarifTool{sarifDriver{Name: name, Version: version}}, ColumnKind: "unicodeCodePoints",
		Invocations: []*sarifInvocation{{ExecutionSuccessful: true}}, Results: []*sarifResult{}}
}

func (s *sarifWriter) run(doc Document) *sarifRun {
	out := s.emptyRun(doc.Tool)
	driver := &out.Tool.Driver
	for _, k := range found.Kinds() {
		level := "error"
		if k == found.Unwinding {
			level = "note"
		}
		s.rule(driver, string(k), k.Info().Title, k.Info().Help, level)
	}
	weaknesses := weaknessTaxonomy()
	driver.SupportedTaxonomies = []sarifComponent{{Name: weaknesses.Name}}
	s.rule(driver, sarifProofRule, "Unit proof", "A unit proof was decided, and some execution reaches an end of it.",
		"warning")

	out.Taxonomies = []sarifTaxonomy{weaknesses}
	invocation := out.Invocations[0]
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		if p.Verdict == found.Error {
			invocation.ExecutionSuccessful = false
			s.notify(invocation, p)
			continue
		}
		before := len(out.Results)
		for j := range p.Obligations {
			if f := &p.Obligations[j]; f.Reported() {
				out.Results = append(out.Results, s.result(p, f))
			}
		}
		if !explained(p, out.Results[before:]) {
			out.Results = append(out.Results, s.proofResult(p))
		}
	}
	return out
}

func (s *sarifWriter) rule(driver *sarifDriver, id, title, help, level string) {
	s.rules[id] = len(driver.Rules)
	rule := sarifRule{ID: id, Name: camel(id), ShortDescription: sarifMessage{title},
		FullDescription: sarifMessage{help},
		Help:            sarifMessage{help}, DefaultConfiguration: sarifDefault{level}}
	for _, weakness := range taxaOf(found.Kind(id)) {
		rule.Relationships = append(rule.Relationships, sarifRelationship{weakness, []string{"relevant"}})
		if rule.Properties == nil {
			rule.Properties = &sarifRuleProperties{}
		}
		rule.Properties.Tags = append(rule.Properties.Tags, "external/cwe/cwe-"+weakness.ID)
	}
	driver.Rules = append(driver.Rules, rule)
}

// weaknessTaxonomy is the part of the Common Weakness Enumeration that kinds refer to.
func weaknessTaxonomy() sarifTaxonomy {
	t := sarifTaxonomy{Name: "CWE", Version: found.CWEVersion, Organization: "MITRE",
		InformationURI:   "https://cwe.mitre.org/",
		ShortDescription: sarifMessage{"The Common Weakness Enumeration"}}
	for _, c := range found.CWEs() {
		id := strconv.Itoa(int(c))
		t.Taxa = append(t.Taxa, sarifTaxon{ID: id,
			HelpURI: "https://cwe.mitre.org/data/definitions/" + id + ".html", ShortDescription: sarifMessage{c.Name()}})
	}
	return t
}

// taxaOf are the weaknesses of a kind, as references into weaknessTaxonomy.
func taxaOf(kind found.Kind) (list []sarifTaxonReference) {
	all := found.CWEs()
	for _, c := range kind.Info().CWE {
		list = append(list, sarifTaxonReference{ID: strconv.Itoa(int(c)), Index: slices.Index(all, c),
			ToolComponent: sarifComponent{Name: "CWE"}})
	}
	return list
}

// camel converts an ID to the Pascal case that SARIF prescribes: OutOfBoundsRead.
func camel(id string) string {
	var b strings.Builder
	for _, word := range strings.Split(id, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// explained reports whether a result gives the reason that the proof is not proved.
func explained(p *Proof, results []*sarifResult) bool {
	if p.Verdict == found.Proved {
		return true
	}
	for _, r := range results {
		if len(r.Suppressions) == 0 && r.Level == sarifLevel(p.Verdict) {
			return true
		}
	}
	return false
}

func sarifLevel(v found.Verdict) string {
	switch v {
	case found.Failed, found.Error:
		return "error"
	case found.Vacuous:
		return "warning"
	}
	return "note"
}

func (s *sarifWriter) newResult(p *Proof, rule string, verdict found.Verdict, message string) *sarifResult {
	r := &sarifResult{RuleID: rule, Kind: "fail", Level: sarifLevel(verdict), Message: sarifMessage{message},
		Properties: sarifProperties{Proof: p.Name, Verdict: string(verdict)}}
	if i, ok := s.rules[rule]; ok {
		r.RuleIndex = &i
	}
	for _, a := range p.Assumptions {
		r.Properties.Assumptions = append(r.Properties.Assumptions, a.Message)
	}
	return r
}

func (s *sarifWriter) result(p *Proof, f *Finding) *sarifResult {
	r := s.newResult(p, string(f.Kind), f.Verdict, sentence(f))
	loc := s.location(f.File, f.Line, f.Column, f.textRange())
	if f.Function != "" {
		loc.LogicalLocations = []sarifLogicalLocation{{f.Function, "function"}}
	}
	r.Locations = []*sarifLocation{loc}
	r.PartialFingerprints = map[string]string{"unitproof/v1": f.ID}
	r.Taxa = taxaOf(f.Kind)
	for i := range f.VacuityCore {
		c := &f.VacuityCore[i]
		related := s.location(c.File, c.Line, c.Column, source.Range{})
		related.ID, related.Message = i+1, &sarifMessage{c.phrase(f.File)}
		r.RelatedLocations = append(r.RelatedLocations, related)
	}
	if len(f.Trace) > 0 {
		r.CodeFlows = []sarifCodeFlow{s.codeFlow(f)}
	}
	if f.Accepted {
		r.Suppressions = []sarifSuppression{{"external", "accepted", f.AcceptReason}}
	}
	return r
}

// sentence returns the message, with the verdict if the message does not imply it.
func sentence(f *Finding) string {
	text := f.Message
	if f.Verdict == found.Vacuous {
		text = "vacuous: " + text
	}
	return text
}

func (s *sarifWriter) proofResult(p *Proof) *sarifResult {
	text := fmt.Sprintf("%s is %s", p.Name, p.Verdict)
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	r := s.newResult(p, sarifProofRule, p.Verdict, text)
	if p.File != "" {
		r.Locations = []*sarifLocation{s.location(p.File, 0, 0, source.Range{})}
	}
	r.PartialFingerprints = map[string]string{"unitproof/v1": "proof/" + p.Name}
	return r
}

func (s *sarifWriter) codeFlow(f *Finding) sarifCodeFlow {
	flow := sarifThreadFlow{}
	for _, step := range f.Trace {
		text := phrase.Step(&step)
		if step.Skipped != nil {
			text = fmt.Sprintf("… %s; the last one: %s", phrase.Count(step.Skipped.Iterations, "more iteration"), text)
		}
		at := sarifFlowLocation{Location: s.location(step.File, step.Line, step.Column, source.Range{}),
			NestingLevel: max(step.Depth, 0), Kinds: []string{sarifStepKind(step.Event)}}
		at.Location.Message = &sarifMessage{text}
		switch step.Event {
		case found.StepViolation:
			at.Importance = "essential"
		case found.StepAssume, found.StepReturn:
			at.Importance = "unimportant"
		}
		flow.Locations = append(flow.Locations, at)
	}
	return sarifCodeFlow{[]sarifThreadFlow{flow}}
}

// sarifStepKind maps an event to the term of the specification (section 3.38.8), if there is one.
func sarifStepKind(event found.StepEvent) string {
	switch event {
	case found.StepAlloc:
		return "acquire"
	case found.StepFree:
		return "release"
	case found.StepViolation:
		return "danger"
	}
	return string(event)
}

func (s *sarifWriter) notify(invocation *sarifInvocation, p *Proof) {
	add := func(text, file string, line, column int) {
		n := sarifNotification{Level: "error", Message: sarifMessage{text}}
		if file != "" {
			n.Locations = []*sarifLocation{s.location(file, line, column, source.Range{})}
		}
		invocation.Notifications = append(invocation.Notifications, n)
	}
	if len(p.Errors) == 0 {
		add(fmt.Sprintf("%s: %s", p.Name, p.Reason), p.File, 0, 0)
	}
	for _, e := range p.Errors {
		file := e.File
		if file == "" {
			file = p.File
		}
		add(fmt.Sprintf("%s: %s", p.Name, e.Message), file, e.Line, e.Column)
	}
}

// location returns a location with columns in code points. Without a line it has no region.
func (s *sarifWriter) location(file string, line, column int, r source.Range) *sarifLocation {
	out := &sarifLocation{Physical: sarifPhysicalLocation{Artifact: sarifArtifact{URI: fileURI(file)}}}
	if !strings.HasPrefix(file, "/") {
		out.Physical.Artifact.URIBaseID = "%SRCROOT%"
	}
	if line <= 0 {
		return out
	}
	src := s.sources.File(file)
	region := &sarifRegion{StartLine: line}
	if column > 0 {
		if r.StartLine > 0 {
			region.StartLine, column = r.StartLine, r.StartColumn
		}
		region.StartColumn = src.RuneColumn(region.StartLine, column)
		if r.EndLine > r.StartLine || r.EndLine == r.StartLine && r.EndColumn > r.StartColumn {
			region.EndLine, region.EndColumn = r.EndLine, src.RuneColumn(r.EndLine, r.EndColumn)
		}
	}
	out.Physical.Region = region
	return out
}

// fileURI converts a path to a URI reference (RFC 3986).
func fileURI(file string) string {
	var b strings.Builder
	if strings.HasPrefix(file, "/") {
		b.WriteString("file://")
	}
	for i := 0; i < len(file); i++ {
		c := file[i]
		switch {
		case csource.IsDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
