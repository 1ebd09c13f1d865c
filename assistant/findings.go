package assistant

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen/found"
)

// FindingInput names a finding.
type FindingInput struct {
	ID    string `json:"id" jsonschema:"the id of a finding, or the begin of it"`
	Proof string `json:"proof,omitempty" jsonschema:"the name of its proof, if several proofs have it"`
}

// FindingAnswer describes a finding.
type FindingAnswer struct {
	Brief
	Function  string   `json:"function,omitempty"`
	Source    []string `json:"source,omitempty" jsonschema:"the lines around the place, as they were checked"`
	Calls     []string `json:"calls,omitempty" jsonschema:"how the place is called, the entry first"`
	Inputs    []string `json:"inputs,omitempty" jsonschema:"the arbitrary values of the execution that matter"`
	Expected  string   `json:"expected,omitempty"`
	Actual    string   `json:"actual,omitempty"`
	Steps     []string `json:"steps,omitempty" jsonschema:"the execution, as far as the violation depends on it"`
	Related   []string `json:"related,omitempty" jsonschema:"other places that take part, such as an allocation"`
	Vacuity   []string `json:"contradiction,omitempty" jsonschema:"of a vacuous one: the assumptions and branches that contradict"`
	InTheWay  string   `json:"in_the_way,omitempty" jsonschema:"no execution, but a state that the loop's invariant lets through and that violates the finding: the invariant has to exclude it"`
	State     []string `json:"state,omitempty" jsonschema:"the variables of that state"`
	Memory    []string `json:"memory,omitempty" jsonschema:"objects near the violation"`
	Assumes   []string `json:"rests_on,omitempty" jsonschema:"assumptions of the check that the verdict rests on"`
	Explain   string   `json:"explain,omitempty" jsonschema:"what the kind means"`
	Whole     string   `json:"whole" jsonschema:"resource with everything"`
	More      int      `json:"more,omitempty" jsonschema:"entries that are left out here"`
	WithEdits bool     `json:"with_edits,omitempty" jsonschema:"the result is that of a try"`
	Stale     bool     `json:"stale,omitempty" jsonschema:"the files on disk have changed since the check: check again"`
}

func (s *Server) finding(ctx context.Context, _ *mcp.CallToolRequest, in FindingInput) (FindingAnswer, error) {
	now, err := s.look(ctx, s.base)
	if err != nil {
		return FindingAnswer{}, err
	}
	x, f, err := s.findingOf(in.ID, in.Proof)
	if err != nil {
		return FindingAnswer{}, err
	}
	out := FindingAnswer{Brief: briefOf(x.result, f), Function: f.Function, Expected: clip(f.Expected, 100),
		Actual: clip(f.Actual, 100), Whole: findingPrefix + f.ID, WithEdits: len(x.edits) > 0, Stale: x.stale(now)}
	_, out.Explain = diagnostics.Explain(f.Kind)
	out.Source = s.excerpt(x, f)
	for _, c := range f.CallPath {
		out.Calls = append(out.Calls, clip(c.Function, 60)+" ("+place(c.File, c.Line, 0)+")")
	}
	for i := range f.Inputs {
		if in := &f.Inputs[i]; !in.Idle {
			out.Inputs = append(out.Inputs, clip(fmt.Sprintf("%s = %s (%s, line %d)",
				cmp.Or(in.Variable, in.Function+"()"), in.Value, cmp.Or(in.Type, string(in.Kind)), in.Line), 160))
		}
	}
	out.Steps = steps(f.Trace)
	for _, r := range f.Related {
		out.Related = append(out.Related, place(r.File, r.Line, 0)+": "+clip(r.Text, 160))
	}
	for i := range f.VacuityCore {
		c := &f.VacuityCore[i]
		out.Vacuity = append(out.Vacuity, place(c.File, c.Line, 0)+": "+string(c.Kind)+" "+clip(c.Text, 160))
	}
	if o := f.InTheWay; o != nil {
		out.InTheWay = clip(o.Title(f.File)+"; there: "+o.Violation, 300)
		for _, v := range o.State {
			out.State = append(out.State, clip(v.Name+" = "+v.Value, 120))
		}
	}
	if m := f.Memory; m != nil {
		out.Memory = memoryLines(m)
	}
	for i := range x.result.Assumptions {
		if a := &x.result.Assumptions[i]; slices.Contains(a.Affects, f.ID) {
			out.Assumes = append(out.Assumes, clip(a.Message, 160))
		}
	}
	fit(&out, shorten(&out.Memory, &out.More), func() bool { // the last steps matter most
		if len(out.Steps) <= 6 {
			return false
		}
		out.Steps = slices.Delete(out.Steps, 0, 1)
		out.More++
		return true
	}, shorten(&out.Calls, &out.More), shorten(&out.State, &out.More), shorten(&out.Inputs, &out.More),
		shorten(&out.Source, &out.More), shorten(&out.Assumes, &out.More), shorten(&out.Related, &out.More),
		shorten(&out.Vacuity, &out.More), shorten(&out.Steps, &out.More), cut(&out.Explain, 50))
	return out, nil
}

// steps returns the steps of a trace, one per line.
func steps(trace []found.Step) (lines []string) {
	for i := range trace {
		step := &trace[i]
		line := fmt.Sprintf("%s: %s", place(filepath.Base(step.File), step.Line, 0), phrase.Step(step))
		if step.Skipped != nil {
			line = fmt.Sprintf("… %d iterations left out … %s", step.Skipped.Iterations, line)
		}
		lines = append(lines, clip(line, 200))
	}
	return lines
}

// excerpt has the lines around a finding, of the text that was checked.
func (s *Server) excerpt(x *seen, f *diagnostics.Finding) (lines []string) {
	const around = 2
	data := s.sources(x)(f.File)
	if data == nil || f.Line <= 0 {
		return nil
	}
	all := bytes.Split(data, []byte("\n"))
	for n := max(f.Line-around, 1); n <= min(f.Line+around, len(all)); n++ {
		mark := " "
		if n == f.Line {
			mark = ">"
		}
		lines = append(lines, clip(fmt.Sprintf("%s%d %s", mark, n, bytes.ToValidUTF8(all[n-1], []byte("?"))), 160))
	}
	return lines
}

// sources read files as they were checked: with the edits of a result.
func (s *Server) sources(x *seen) diagnostics.Sources {
	read := pipeline.ReadSources(x.state.Root)
	return func(file string) []byte {
		if text, ok := x.texts()[x.state.Root.Find(file)]; ok {
			return text
		}
		return read(file)
	}
}

// ReplayInput names a failed finding, and the form of its execution.
type ReplayInput struct {
	ID    string `json:"id" jsonschema:"the id of a failed finding, or the begin of it"`
	Proof string `json:"proof,omitempty" jsonschema:"the name of its proof, if several proofs have it"`
	As    string `json:"as,omitempty" jsonschema:"run (the default): execute it natively, under sanitizers; c: a self-contained C file; input: the input of a fuzz target"`
}

// ReplayAnswer is the outcome of a native run, or the resource with the file.
type ReplayAnswer struct {
	ID       string `json:"id"`
	Outcome  string `json:"outcome,omitempty" jsonschema:"reproduced, not-reproduced or not-run"`
	Message  string `json:"message,omitempty"`
	Report   string `json:"report,omitempty" jsonschema:"what the sanitizer says"`
	Resource string `json:"resource,omitempty" jsonschema:"where the file can be read"`
	Build    string `json:"build,omitempty" jsonschema:"the command that builds the C file"`
	Text     string `json:"text,omitempty" jsonschema:"the begin of the C file"`
}

func (s *Server) replay(ctx context.Context, _ *mcp.CallToolRequest, in ReplayInput) (ReplayAnswer, error) {
	x, f, err := s.findingOf(in.ID, in.Proof)
	switch {
	case err != nil:
		return ReplayAnswer{}, err
	case f.Verdict != found.Failed:
		return ReplayAnswer{}, fmt.Errorf("%s is %s: only a failed finding has an execution", f.ID, f.Verdict)
	case !x.state.Trusted:
		return ReplayAnswer{}, untrusted(s.base.Snapshot(), s.root)
	}
	r := pipeline.ReplayRequest{Settings: s.settings(x), Proof: x.state.Proof, Findings: []diagnostics.Finding{*f},
		Define: s.define(x), Virtual: x.texts()}
	out := ReplayAnswer{ID: f.ID}
	if in.As == "" || in.As == "run" {
		answer := s.pool.Replay(ctx, r)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if len(answer.Outcomes) == 0 {
			out.Outcome, out.Message = diagnostics.ReplayNotRun, clip(answer.Problem, 500)
			return out, nil
		}
		o := &answer.Outcomes[0]
		out.Outcome, out.Message, out.Report = o.Result, clip(o.Message(), 500), clip(o.Report, 2500)
		fit(&out, cut(&out.Report, 100))
		return out, nil
	}
	dir, err := scratch.Mkdir("replay")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	name, mime := "reproducer.c", "text/x-c"
	switch in.As {
	case "c":
		r.Save = filepath.Join(dir, name)
	case "input":
		name, mime = "input.bin", "application/octet-stream"
		r.SaveInput = filepath.Join(dir, name)
	default:
		return out, fmt.Errorf("as: %q is not one of run, c, input", clip(in.As, 40))
	}
	answer := s.pool.Replay(ctx, r)
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case answer.Problem != "":
		return out, errors.New(answer.Problem)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return out, fmt.Errorf("there is no such file for this finding: %w", err)
	}
	out.Resource, out.Build = s.keep(name, mime, data), clip(strings.ReplaceAll(answer.Build, dir+"/", ""), 500)
	if in.As == "c" {
		out.Text = clip(string(data), 2500)
	}
	fit(&out, cut(&out.Text, 100))
	return out, nil
}

// memoryLines describe objects: "buf: char[8], heap, 8 bytes; [0] = 0, [1] = 1".
func memoryLines(m *found.Memory) (lines []string) {
	for i := range m.Objects {
		o := &m.Objects[i]
		line := fmt.Sprintf("%s: %s, %s, %d bytes", o.Name, cmp.Or(o.Type, "object"), o.Storage, o.Size)
		if o.Ended != "" {
			line += ", " + string(o.Ended)
		}
		for k := range o.Parts {
			if p := &o.Parts[k]; p.Value != "" {
				line += fmt.Sprintf("; %s = %s", cmp.Or(p.Name, "it"), p.Value)
			}
		}
		lines = append(lines, clip(line, 200))
	}
	return lines
}
