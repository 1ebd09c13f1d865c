package assistant

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// StrengthInput names a proof.
type StrengthInput struct {
	Proof string `json:"proof" jsonschema:"the name of a proof that is proved"`
	Max   int    `json:"max,omitempty" jsonschema:"how many changes are tried, evenly chosen; 30 without it"`
}

// StrengthAnswer lists the changes that a proof does not notice.
type StrengthAnswer struct {
	Proof     string        `json:"proof"`
	Verdict   found.Verdict `json:"verdict" jsonschema:"of the proof as it is: only a proved one has a strength"`
	Reason    string        `json:"reason,omitempty"`
	Summary   string        `json:"summary,omitempty"`
	Score     float64       `json:"score" jsonschema:"percent of the changes with an effect that the proof notices"`
	Killed    int           `json:"killed"`
	Survived  int           `json:"survived"`
	Survivors []Survivor    `json:"survivors,omitempty" jsonschema:"changes that no check of the proof notices: assert what they break"`
	More      int           `json:"more,omitempty"`
	WithEdits bool          `json:"with_edits,omitempty" jsonschema:"the proof is that of the last try"`
}

// Survivor is a change that a proof does not notice.
type Survivor struct {
	At       string `json:"at"`
	Function string `json:"function"`
	Change   string `json:"change"`
	Example  string `json:"example,omitempty" jsonschema:"inputs with which the changed program differs"`
}

// defaultMutants and mostMutants bound how many changes a call tries.
const (
	defaultMutants = 30
	mostMutants    = 500
)

func (s *Server) strength(ctx context.Context, call *mcp.CallToolRequest, in StrengthInput) (StrengthAnswer, error) {
	if in.Max < 0 || in.Max > mostMutants {
		return StrengthAnswer{}, fmt.Errorf("max: must be a number from 1 to %d", mostMutants)
	}
	x, err := s.known(ctx, in.Proof)
	if err != nil {
		return StrengthAnswer{}, err
	}
	out := StrengthAnswer{Proof: x.result.Name, Verdict: x.result.Verdict, WithEdits: len(x.edits) > 0}
	if x.result.Verdict != found.Proved {
		out.Reason = "only a proved proof has a strength: " + clip(cmp.Or(x.result.Reason, "something fails"), 300)
		return out, nil
	}
	tell, tried, total := progress(ctx, call), 0, cmp.Or(in.Max, defaultMutants)
	result, err := s.pool.Strength(ctx, pipeline.StrengthRequest{Settings: s.settings(x), Proof: x.state.Proof,
		Define: s.define(x), Virtual: x.texts(), Max: total, Tell: func(diagnostics.Mutant) {
			if tried++; tell != nil {
				tell(tried, total)
			}
		}})
	if err != nil {
		return out, err
	}
	out.Verdict, out.Reason = result.Verdict, clip(result.Reason, 300)
	out.Summary, out.Score, out.Killed, out.Survived = result.Summary(), result.Score, result.Killed, result.Survived
	for i := range result.Mutants {
		if m := &result.Mutants[i]; m.Outcome == diagnostics.Survived && !m.Accepted {
			out.Survivors = append(out.Survivors, Survivor{place(m.File, m.Line, m.Column), m.Function, clip(m.Change(), 120),
				clip(m.Example(), 160)})
		}
	}
	fit(&out, shorten(&out.Survivors, &out.More))
	return out, nil
}

// CostInput names a proof.
type CostInput struct {
	Proof string `json:"proof" jsonschema:"the name of a proof"`
}

// CostAnswer splits the time of a proof.
type CostAnswer struct {
	Proof   string        `json:"proof"`
	Verdict found.Verdict `json:"verdict"`
	Stats   string        `json:"stats"`
	Lines   []string      `json:"lines" jsonschema:"shares of the time, and what helps"`
	More    int           `json:"more,omitempty"`
}

func (s *Server) cost(ctx context.Context, _ *mcp.CallToolRequest, in CostInput) (CostAnswer, error) {
	x, err := s.known(ctx, in.Proof)
	if err != nil {
		return CostAnswer{}, err
	}
	// A run from the cache has no costs, so this one has none.
	define := s.define(x)
	job := pipeline.Job{Settings: pipeline.Settings{Root: x.state.Root}, Proof: x.state.Proof,
		Live: pipeline.Live{Virtual: x.texts()}}
	if define != nil && len(job.Proof.SourceCandidates) > 0 {
		job.Define = func(names []string) map[string][]project.Unit { return define(&job.Proof, names) }
	}
	result := s.pool.Check(ctx, job)
	if ctx.Err() != nil {
		return CostAnswer{}, ctx.Err()
	}
	p := &result.Proof
	var b bytes.Buffer
	diagnostics.NewTextWriter(&b, diagnostics.TextOptions{Quiet: true, ExplainCost: true}).Proof(&diagnostics.Proof{
		Name: p.Name, Verdict: found.Proved, Obligations: quietly(p.Obligations), Stats: p.Stats, Engine: p.Engine,
		Loops: p.Loops})
	out := CostAnswer{Proof: p.Name, Verdict: p.Verdict, Lines: []string{}, Stats: fmt.Sprintf(
		"%d ms: compiling %d, unrolling %d, solving %d; %d MB; %d questions", p.Stats.TotalMS, p.Stats.CompileMS,
		p.Stats.VCGenMS, p.Stats.SolveMS, p.Stats.MemoryMB, p.Stats.SolverQueries)}
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimSpace(strings.TrimLeft(line, " =")); line != "" {
			out.Lines = append(out.Lines, clip(line, 200))
		}
	}
	fit(&out, shorten(&out.Lines, &out.More))
	return out, nil
}

// quietly returns findings for a text writer that is to print their costs only.
func quietly(list []diagnostics.Finding) []diagnostics.Finding {
	list = slices.Clone(list)
	for i := range list {
		if list[i].Kind != found.Unwinding {
			list[i].Verdict = found.Proved
		}
	}
	return list
}

// SuggestInput names a proof.
type SuggestInput struct {
	Proof string `json:"proof" jsonschema:"the name of a proof"`
}

// Suggestion is something that could be written.
type Suggestion struct {
	What string `json:"what" jsonschema:"precondition, invariant, definition, bound, assumption"`
	At   string `json:"at"`
	Text string `json:"text"`
}

// SuggestAnswer lists suggestions.
type SuggestAnswer struct {
	Proof       string       `json:"proof"`
	Suggestions []Suggestion `json:"suggestions"`
	More        int          `json:"more,omitempty"`
}

func (s *Server) suggest(ctx context.Context, _ *mcp.CallToolRequest, in SuggestInput) (SuggestAnswer, error) {
	x, err := s.known(ctx, in.Proof)
	if err != nil {
		return SuggestAnswer{}, err
	}
	p := x.result
	out := SuggestAnswer{Proof: p.Name, Suggestions: []Suggestion{}}
	add := func(what, at, format string, args ...any) {
		out.Suggestions = append(out.Suggestions, Suggestion{what, at, clip(fmt.Sprintf(format, args...), 300)})
	}
	s.suggestDefinitions(x, add)
	if err := s.suggestPreconditions(ctx, x, add); err != nil {
		return out, err
	}
	for i := range p.Obligations {
		f := &p.Obligations[i]
		if o := f.InTheWay; o != nil && open(f) {
			var state []string
			for _, v := range o.State {
				state = append(state, v.Name+" = "+v.Value)
			}
			add("invariant", place(o.File, o.Line, o.Column), "an invariant that excludes the state %s: from there %s",
				strings.Join(state[:min(len(state), 8)], ", "), o.Violation)
		}
		if f.Kind == found.Unwinding && open(f) {
			add("bound", place(f.File, f.Line, f.Column), "assume a bound on what the loop %s counts, or raise its bound "+
				"(loops of the [[proof]] in unitproof.toml): it was cut after %d iterations", f.Loop, f.Bound)
		}
	}
	for i := range p.Loops {
		l := &p.Loops[i]
		for _, text := range l.Found() {
			add("invariant", place(l.File, l.Line, l.Column), "found, and can be written down before the loop's body: "+
				"__CPROVER_loop_invariant(%s)", text)
		}
	}
	if p.Core != nil {
		for _, c := range p.Core.NotNeeded {
			add("assumption", place(c.File, c.Line, c.Column), "can go, no verdict rests on it: %s", c.Text)
		}
	}
	fit(&out, shorten(&out.Suggestions, &out.More))
	return out, nil
}

// suggestPreconditions finds conditions that exclude the most useful failure, each checked as it would be written.
func (s *Server) suggestPreconditions(ctx context.Context, x *seen,
	add func(what, at, format string, args ...any)) error {
	list := useful(x.result)
	if len(list) == 0 || list[0].Verdict != found.Failed || x.state.Proof.Contract || x.state.Proof.IsFuzzTarget() {
		return nil
	}
	f, define := list[0], s.define(x)
	job := pipeline.Job{Settings: s.settings(x), Proof: x.state.Proof, Live: pipeline.Live{Virtual: x.texts()}}
	if define != nil {
		job.Define = func(names []string) map[string][]project.Unit { return define(&job.Proof, names) }
	}
	e, err := s.pool.Exclude(ctx, job, x.result, f, pipeline.ExcludeOptions{})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	}
	for i := range e.Conditions {
		c := &e.Conditions[i]
		add("precondition", place(c.File, c.Line, 0), "excludes the finding %s (%s); do all callers guarantee it? %s", f.ID,
			f.Kind, c.Text)
	}
	if len(e.Conditions) == 0 && e.Reason != "" {
		add("precondition", place(f.File, f.Line, f.Column), "no condition is known that excludes %s: %s", f.ID, e.Reason)
	}
	return nil
}

// suggestDefinitions names the files that define functions without a body.
func (s *Server) suggestDefinitions(x *seen, add func(what, at, format string, args ...any)) {
	var names []string
	for i := range x.result.Assumptions {
		if a := &x.result.Assumptions[i]; a.Is.What == found.MissingBody && !slices.Contains(names, a.Is.Name) {
			names = append(names, a.Is.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	w, _ := project.Open(string(x.state.Root), project.Flags{})
	if w == nil {
		return
	}
	defined := w.DefinedBelow(x.state.Proof.File, names)
	for _, name := range names {
		if files := defined[name]; len(files) > 0 {
			file := x.state.Root.Show(files[0])
			add("definition", file, "%s is defined in %s: sources = [%q] in the [[proof]] of %s in unitproof.toml", name, file,
				file, x.result.File)
		} else {
			add("definition", x.result.File, "no file of the project defines %s: write a stub in the proof's file that "+
				"describes its effects",
				name)
		}
	}
}

// NewInput names a function.
type NewInput struct {
	Function string `json:"function" jsonschema:"the function to be proved"`
	File     string `json:"file,omitempty" jsonschema:"the C file or header that defines it, relative to the root; needed if several do"`
}

// NewAnswer is a proof that was written into memory.
type NewAnswer struct {
	Function   string       `json:"function"`
	File       string       `json:"file" jsonschema:"where the proof belongs"`
	Text       string       `json:"text" jsonschema:"the text of the file, or its begin"`
	Whole      string       `json:"whole,omitempty" jsonschema:"resource with the whole text, if it is longer"`
	Config     string       `json:"config,omitempty" jsonschema:"text that has to stand at the end of config_file"`
	ConfigFile string       `json:"config_file,omitempty"`
	Questions  []string     `json:"questions,omitempty" jsonschema:"what the types and the code leave open"`
	Check      *CheckAnswer `json:"check,omitempty" jsonschema:"what a check of this text says"`
}

func (s *Server) new(ctx context.Context, call *mcp.CallToolRequest, in NewInput) (NewAnswer, error) {
	out := NewAnswer{Function: clip(in.Function, 100)}
	now, err := s.look(ctx, s.base)
	if err != nil {
		return out, err
	}
	if len(now.Untrusted()) > 0 {
		return out, untrusted(now, s.root)
	}
	file := in.File
	if file != "" {
		if file, err = inside(s.root, file); err != nil {
			return out, err
		}
	}
	g := &pipeline.Generator{Base: string(s.root), Pool: s.pool,
		Settings: pipeline.Settings{Root: s.root, CacheDir: s.opts.CacheDir}}
	var draft *pipeline.Draft
	var o *outcome
	for _, include := range []bool{false, true} {
		if draft, err = g.Draft(ctx, in.Function, file, include); err != nil {
			return out, err
		}
		edits := overlay{draft.Path: draft.Text}
		if draft.Config != "" {
			edits[draft.Config] = draft.ConfigText
		}
		o, err = s.check(ctx, request{names: []string{draft.Path}, edits: edits, budget: budget{time: pipeline.FirstCheck},
			tell: progress(ctx, call)})
		if err != nil {
			return out, err
		}
		if draft.Included || len(o.states) == 0 || verdictOf(o.states[0]) != found.Error {
			break
		}
	}
	out.File, out.Text, out.Questions = s.root.Show(draft.Path), string(draft.Text), draft.Questions
	if draft.Config != "" {
		out.ConfigFile = s.root.Show(draft.Config)
		text := string(draft.ConfigText)
		if i := strings.LastIndex(text, "[[proof]]"); i >= 0 {
			text = text[i:]
		}
		out.Config = text
	}
	answer := checkAnswer(s.root, o, false)
	out.Check = &answer
	if size(&out) > maxAnswer {
		out.Whole = s.keep(s.root.Show(draft.Path), "text/x-c", draft.Text)
		fit(&out, func() bool {
			if len(answer.Proofs) == 0 || len(answer.Proofs[0].IDs) == 0 {
				return false
			}
			answer.Proofs[0].IDs = nil
			return true
		}, cut(&out.Text, 600), shorten(&out.Questions, new(int)), cut(&out.Text, 0))
	}
	return out, nil
}

// ExplainInput is a word.
type ExplainInput struct {
	Word string `json:"word" jsonschema:"a kind of finding, a verdict, a code of not_done, or another word of an answer"`
}

// ExplainAnswer is a section of the documentation.
type ExplainAnswer struct {
	Word string `json:"word"`
	Text string `json:"text"`
}

func (s *Server) explain(_ context.Context, _ *mcp.CallToolRequest, in ExplainInput) (ExplainAnswer, error) {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(in.Word)), " ", "-")
	text := cmp.Or(docs.Word(word), docs.Kind(word))
	if help := diagnostics.NotDone(word).Help(); text == "" && help != "" {
		text = word + ", a code of not_done: " + help
	}
	if text == "" {
		if kind, err := project.ParseKind(word); err == nil {
			text = docs.Kind(string(kind))
		}
	}
	if text == "" {
		return ExplainAnswer{}, errors.New(clip(fmt.Sprintf("%q is unknown; the words are the kinds %s, and %s",
			clip(in.Word, 60), strings.Join(project.KindNames(), ", "), strings.Join(docs.Words(), ", ")), 3000))
	}
	out := ExplainAnswer{Word: word, Text: text}
	fit(&out, func() bool {
		if len(out.Text) < 100 {
			return false
		}
		out.Text = clip(out.Text, len(out.Text)*9/10)
		return true
	})
	return out, nil
}

// SelfTestInput has no fields.
type SelfTestInput struct{}

// SelfTestAnswer reports whether the tool works.
type SelfTestAnswer struct {
	OK       bool              `json:"ok"`
	Canaries []pipeline.Canary `json:"canaries"`
}

func (s *Server) selftest(ctx context.Context, _ *mcp.CallToolRequest, _ SelfTestInput) (SelfTestAnswer, error) {
	list, err := pipeline.SelfTest(ctx, s.pool)
	if err != nil {
		return SelfTestAnswer{}, err
	}
	out := SelfTestAnswer{OK: true, Canaries: list}
	for i := range list {
		out.OK = out.OK && list[i].OK
		list[i].Detail = clip(list[i].Detail, 500)
	}
	return out, nil
}

// AuditToolInput selects findings of the audit.
type AuditToolInput struct {
	Clauses bool   `json:"clauses,omitempty" jsonschema:"also find clauses and assumptions that no proof needs, and assertions that could say more; takes long"`
	Match   string `json:"match,omitempty" jsonschema:"a part of the kind, the proof, the file or the function of the findings to list"`
	From    int    `json:"from,omitempty" jsonschema:"leave out so many of the list, as the field next of an answer says"`
}

// Doubt is a finding of the audit.
type Doubt struct {
	Kind     found.AuditKind `json:"kind"`
	Severity found.Severity  `json:"severity"`
	Message  string          `json:"message"`
	Proof    string          `json:"proof,omitempty"`
	At       string          `json:"at"`
}

// AuditAnswer lists the findings of the audit of the proofs on disk.
type AuditAnswer struct {
	Proofs   int                    `json:"proofs" jsonschema:"how many were audited"`
	Counts   map[found.Severity]int `json:"counts" jsonschema:"findings that nothing accepts, by severity"`
	Findings []Doubt                `json:"findings" jsonschema:"the worst first"`
	Accepted int                    `json:"accepted,omitempty" jsonschema:"findings that unitproof.toml accepts, which are not listed"`
	Next     int                    `json:"next,omitempty" jsonschema:"from of the next call; there are more findings"`
}

func (s *Server) audit(ctx context.Context, call *mcp.CallToolRequest, in AuditToolInput) (AuditAnswer, error) {
	now, err := s.look(ctx, s.base)
	if err != nil {
		return AuditAnswer{}, err
	}
	var proofs []project.Proof
	for _, p := range now.Proofs() {
		if !p.Trusted {
			return AuditAnswer{}, untrusted(now, s.root)
		}
		proofs = append(proofs, p.Proof)
	}
	w, err := project.Open(string(s.root), project.Flags{})
	switch {
	case w == nil:
		return AuditAnswer{}, err
	case len(proofs) == 0:
		return AuditAnswer{}, errNoProofs
	}
	tell, done := progress(ctx, call), 0
	batch := pipeline.Batch{Proofs: proofs, Define: w.Definitions,
		Settings: pipeline.Settings{Root: s.root, CacheDir: s.opts.CacheDir}}
	_, findings := s.pool.Audit(ctx, batch, w, pipeline.AuditOptions{Clauses: in.Clauses}, func(e pipeline.Event) {
		if e.Result != nil {
			if done++; tell != nil {
				tell(done, len(proofs))
			}
		}
	})
	if ctx.Err() != nil {
		return AuditAnswer{}, ctx.Err()
	}
	out := AuditAnswer{Proofs: len(proofs), Counts: map[found.Severity]int{}, Findings: []Doubt{}}
	matching := 0
	for i := range findings {
		f := &findings[i]
		switch {
		case !strings.Contains(strings.Join([]string{string(f.Kind), f.Proof, f.File, f.Function}, "\n"), in.Match):
			continue
		case f.Accepted:
			out.Accepted++
			continue
		}
		out.Counts[f.Severity]++
		if matching++; matching > max(in.From, 0) {
			out.Findings = append(out.Findings, Doubt{f.Kind, f.Severity, clip(f.Message, 250), f.Proof,
				place(f.File, f.Line, f.Column)})
		}
	}
	dropped := max(len(out.Findings)-100, 0)
	out.Findings = out.Findings[:len(out.Findings)-dropped]
	out.Next = matching
	fit(&out, shorten(&out.Findings, &dropped))
	if out.Next -= dropped; dropped == 0 {
		out.Next = 0
	}
	return out, nil
}
