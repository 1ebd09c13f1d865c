package diagnostics

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/unitproof/unitproof/vcgen"
)

// sarifProofRule is the rule of what concerns a proof as a whole.
const sarifProofRule = "proof"

// sarifLog and sarifRun stand for the library's Report and Run, which leave an empty list of
// results out; an absent list means that nothing was looked for.
type sarifLog struct {
	Schema  string      `json:"$schema"`
	Version string      `json:"version"`
	Runs    []*sarifRun `json:"runs"`
}

type sarifRun struct {
	*sarif.Run
	Results []*sarif.Result `json:"results"`
}

// WriteSARIF writes a SARIF 2.1.0 log with one run: a rule per kind, a result per failed,
// vacuous, unknown and bounded finding (accepted ones suppressed), the trace as code flow. Proofs
// that are errors are notifications of the tool's execution.
func WriteSARIF(w io.Writer, doc Document, src Sources) error {
	s := &sarifWriter{sources: newSourceCache(src), rules: map[string]int{}}
	run := s.run(doc)
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
	sources *sourceCache
	rules   map[string]int // rule ID to index
}

func (s *sarifWriter) run(doc Document) *sarifRun {
	name, version, _ := strings.Cut(doc.Tool, " ")
	if name == "" {
		name = "unitproof"
	}
	driver := sarif.NewToolComponent().WithName(name)
	if version != "" {
		driver.WithVersion(version)
	}
	for _, k := range kinds {
		level := "error"
		if k.Kind == kindUnwinding {
			level = "note"
		}
		s.rule(driver, string(k.Kind), k.Title, k.Help, level)
	}
	s.rule(driver, sarifProofRule, "Unit proof", "A unit proof was decided, and some execution reaches an end of it.", "warning")

	run := sarif.NewRun().WithTool(sarif.NewTool().WithDriver(driver)).WithColumnKind("unicodeCodePoints")
	out := &sarifRun{Run: run, Results: []*sarif.Result{}}
	invocation := sarif.NewInvocation().WithExecutionSuccessful(true)
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		if p.Verdict == vcgen.VerdictError {
			invocation.WithExecutionSuccessful(false)
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
	run.AddInvocation(invocation)
	return out
}

func (s *sarifWriter) rule(driver *sarif.ToolComponent, id, title, help, level string) {
	s.rules[id] = len(driver.Rules)
	driver.AddRule(sarif.NewReportingDescriptor().WithID(id).WithName(camel(id)).
		WithShortDescription(sarif.NewMultiformatMessageString().WithText(title)).
		WithFullDescription(sarif.NewMultiformatMessageString().WithText(help)).
		WithHelp(sarif.NewMultiformatMessageString().WithText(help)).
		WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel(level)))
}

// camel makes the Pascal case name that SARIF asks for: OutOfBoundsRead.
func camel(id string) string {
	var b strings.Builder
	for _, word := range strings.Split(id, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// explained tells whether a result says why the proof is not proved.
func explained(p *Proof, results []*sarif.Result) bool {
	if p.Verdict == vcgen.Proved {
		return true
	}
	for _, r := range results {
		if len(r.Suppressions) == 0 && r.Level == sarifLevel(p.Verdict) {
			return true
		}
	}
	return false
}

func sarifLevel(v vcgen.Verdict) string {
	switch v {
	case vcgen.Failed, vcgen.VerdictError:
		return "error"
	case vcgen.Vacuous:
		return "warning"
	}
	return "note"
}

func (s *sarifWriter) newResult(p *Proof, rule string, verdict vcgen.Verdict, message string) *sarif.Result {
	r := sarif.NewResult().WithRuleID(rule).WithKind("fail").WithLevel(sarifLevel(verdict)).WithMessage(sarif.NewTextMessage(message))
	if i, ok := s.rules[rule]; ok {
		r.WithRuleIndex(i)
	}
	bag := sarif.NewPropertyBag()
	bag.Add("proof", p.Name)
	bag.Add("verdict", string(verdict))
	if len(p.Assumptions) > 0 {
		var assumed []string
		for _, a := range p.Assumptions {
			assumed = append(assumed, a.Message)
		}
		bag.Add("assumptions", assumed)
	}
	return r.WithProperties(bag)
}

func (s *sarifWriter) result(p *Proof, f *Finding) *sarif.Result {
	r := s.newResult(p, string(f.Kind), f.Verdict, sentence(f))
	loc := s.location(f.File, f.Line, f.Column, f.EndLine, f.EndColumn)
	if f.Function != "" {
		loc.AddLogicalLocation(sarif.NewLogicalLocation().WithName(f.Function).WithKind("function"))
	}
	r.AddLocation(loc)
	r.WithPartialFingerprints(map[string]string{"unitproof/v1": f.ID})
	for i := range f.VacuityCore {
		c := &f.VacuityCore[i]
		related := s.location(c.File, c.Line, c.Column, 0, 0).WithMessage(sarif.NewTextMessage(c.phrase(f.File)))
		r.AddRelatedLocation(related.WithID(i + 1))
	}
	if len(f.Trace) > 0 {
		r.AddCodeFlow(s.codeFlow(f))
	}
	if f.Accepted {
		sup := sarif.NewSuppression().WithKind("external").WithStatus("accepted")
		if f.AcceptReason != "" {
			sup.WithJustification(f.AcceptReason)
		}
		r.AddSuppression(sup)
	}
	return r
}

// sentence is the message with the verdict where the message alone leaves it open.
func sentence(f *Finding) string {
	text := f.Message
	if f.Verdict == vcgen.Vacuous {
		text = "vacuous: " + text
	}
	return text
}

func (s *sarifWriter) proofResult(p *Proof) *sarif.Result {
	text := fmt.Sprintf("%s is %s", p.Name, p.Verdict)
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	r := s.newResult(p, sarifProofRule, p.Verdict, text)
	if p.File != "" {
		r.AddLocation(s.location(p.File, 0, 0, 0, 0))
	}
	r.WithPartialFingerprints(map[string]string{"unitproof/v1": "proof/" + p.Name})
	return r
}

func (s *sarifWriter) codeFlow(f *Finding) *sarif.CodeFlow {
	flow := sarif.NewThreadFlow()
	for _, step := range f.Trace {
		text := stepText(&step)
		if step.Skipped != nil {
			text = fmt.Sprintf("… %s; the last one: %s", count(step.Skipped.Iterations, "more iteration"), text)
		}
		loc := s.location(step.File, step.Line, step.Column, 0, 0).WithMessage(sarif.NewTextMessage(text))
		at := sarif.NewThreadFlowLocation().WithLocation(loc).WithNestingLevel(max(step.Depth, 0)).WithKinds([]string{sarifStepKind(step.Event)})
		switch step.Event {
		case "violation":
			at.WithImportance("essential")
		case "assume", "return":
			at.WithImportance("unimportant")
		}
		flow.AddLocation(at)
	}
	return sarif.NewCodeFlow().AddThreadFlow(flow)
}

// sarifStepKind uses the specification's words (section 3.38.8) where it has them.
func sarifStepKind(event string) string {
	switch event {
	case "alloc":
		return "acquire"
	case "free":
		return "release"
	case "violation":
		return "danger"
	}
	return event
}

func (s *sarifWriter) notify(invocation *sarif.Invocation, p *Proof) {
	add := func(text, file string, line, column int) {
		n := sarif.NewNotification().WithLevel("error").WithMessage(sarif.NewTextMessage(text))
		if file != "" {
			n.AddLocation(s.location(file, line, column, 0, 0))
		}
		invocation.AddToolExecutionNotification(n)
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

// location converts byte columns to code points; an unknown line leaves the region out.
func (s *sarifWriter) location(file string, line, column, endLine, endColumn int) *sarif.Location {
	artifact := sarif.NewArtifactLocation().WithURI(fileURI(file))
	if !strings.HasPrefix(file, "/") {
		artifact.WithURIBaseID("%SRCROOT%")
	}
	physical := sarif.NewPhysicalLocation().WithArtifactLocation(artifact)
	if line > 0 {
		src := s.sources.file(file)
		region := sarif.NewRegion().WithStartLine(line)
		if column > 0 {
			region.WithStartColumn(src.runeColumn(line, column))
			if endLine > line || endLine == line && endColumn > column {
				region.WithEndLine(endLine).WithEndColumn(src.runeColumn(endLine, endColumn))
			}
		}
		physical.WithRegion(region)
	}
	return sarif.NewLocation().WithPhysicalLocation(physical)
}

// runeColumn converts a column in bytes to one in code points; without the source they are taken
// to be equal.
func (f *sourceFile) runeColumn(line, column int) int {
	text := f.line(line)
	if column < 1 || column > len(text)+1 {
		return max(column, 1)
	}
	return utf8.RuneCount(text[:column-1]) + 1
}

// fileURI writes a path as a URI reference (RFC 3986).
func fileURI(file string) string {
	var b strings.Builder
	if strings.HasPrefix(file, "/") {
		b.WriteString("file://")
	}
	for i := 0; i < len(file); i++ {
		c := file[i]
		switch {
		case isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
