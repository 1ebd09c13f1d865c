package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Whether the callers of a function guarantee a condition on its parameters: the condition becomes an assertion at the
// begin of the function, and the first proof of each caller is checked with it. No file is written.

// Caller is a function that calls another one, with the result of a condition that is asserted at the calls.
type Caller struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"` // of the first call
	// Verdict is that of the assertion, for all arguments of the caller's first proof: proved if the caller guarantees
	// the condition, failed if it does not, unreached if no execution of the proof calls the function.
	Verdict found.Verdict `json:"verdict"`
	Message string        `json:"message,omitempty"` // of the violation
	Reason  string        `json:"reason,omitempty"`  // for a verdict that decides nothing
}

// Limits of a search in callers.
const (
	maxCallers = 8
	// callerTime is the CPU time for the proof of one caller, callersTime that of all.
	callerTime  = 10 * time.Second
	callersTime = 20 * time.Second
)

// Sentence returns the result in words.
func (c *Caller) Sentence() string {
	switch c.Verdict {
	case found.Proved:
		return "it guarantees it, for all arguments of its first proof"
	case found.Bounded:
		return "it guarantees it as far as loops are unrolled"
	case found.Failed:
		return "it does not guarantee it: " + c.Message
	case found.Unreached:
		return "no execution of its first proof comes to a call"
	}
	if c.Reason == "" {
		return "not decided"
	}
	return "not decided: " + c.Reason
}

// callers checks whether the functions of the project that call a function guarantee conditions on its parameters. It
// returns a list for each condition. At most maxCallers are checked, within a time; left is the number of the others.
func (g *Generator) callers(ctx context.Context, function, file string, conditions []string,
	limit time.Duration) (lists [][]Caller,
	left int, err error) {
	if limit <= 0 {
		limit = callersTime
	}
	b := budget{total: limit, run: g.Pool.Check}
	w, err := project.Open(g.Base, g.Flags)
	if err != nil {
		return nil, 0, err
	}
	text, err := regular.Source(file)
	if err != nil {
		return nil, 0, err
	}
	f, ok := csource.NewSource(text).Function(function)
	if !ok {
		return nil, 0, fmt.Errorf("%s does not show the body of %s", paths.Root(w.Root).Show(file), function)
	}
	asserted := slices.Concat(text[:f.Body+1], assertions(conditions), text[f.Body+1:])
	line := bytes.Count(text[:f.Body], []byte("\n")) + 2 // of the first assertion
	lists = make([][]Caller, len(conditions))
	calls := w.CallersBelow(function, file)
	for i, c := range calls {
		if i == maxCallers || b.used() || ctx.Err() != nil {
			left = len(calls) - i
			break
		}
		linked := *g
		if c.File != file && !strings.EqualFold(filepath.Ext(file), ".h") {
			linked.Flags.Sources = append(slices.Clip(g.Flags.Sources), file)
		}
		proof, err := linked.proofOf(ctx, w, c, &b, map[string][]byte{file: asserted})
		for k := range conditions {
			out := Caller{Function: c.Function, File: paths.Root(w.Root).Show(c.File), Line: c.Line, Verdict: found.Unknown}
			switch {
			case err != nil:
				out.Reason = err.Error()
			case proof.Verdict == found.Error:
				out.Reason = errorOf(proof)
			default:
				out.take(proof, function, line+k)
			}
			lists[k] = append(lists[k], out)
		}
	}
	return lists, left, ctx.Err()
}

// assertions returns statements that assert each of some conditions, a line each. None is assumed for the next ones.
func assertions(conditions []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, " { extern _Bool %s(void); extern void %s(_Bool, const char *), __ESBMC_assume(_Bool);\n", chooseName,
		assertName)
	for _, c := range conditions {
		fmt.Fprintf(&b, "if (%s()) { %s(%s, \"\"); __ESBMC_assume(0); }\n", chooseName, assertName, c)
	}
	b.WriteString("} ")
	return b.Bytes()
}

// maxAsked limits the conditions that callers are asked about.
const maxAsked = 4

// AskCallers checks the conditions that are about parameters in the callers of the function that fails. It keeps the
// results of the one that most callers guarantee. limit is the CPU time of all checks; 0 is the default.
func (g *Generator) AskCallers(ctx context.Context, x *Exclusion, limit time.Duration) error {
	var conditions []string
	for i := range x.Conditions {
		if c := x.Conditions[i].InCode; c != "" && len(conditions) < maxAsked {
			conditions = append(conditions, c)
		}
	}
	if len(conditions) == 0 || x.Function == "" {
		return nil
	}
	lists, left, err := g.callers(ctx, x.Function, g.Settings.Root.Find(x.FunctionFile), conditions, limit)
	if err != nil {
		return err
	}
	guarantee := func(list []Caller) (n int) {
		for i := range list {
			if list[i].Verdict == found.Proved || list[i].Verdict == found.Unreached {
				n++
			}
		}
		return n
	}
	best := 0
	for k := range lists {
		if guarantee(lists[k]) > guarantee(lists[best]) {
			best = k
		}
	}
	x.Asked, x.Callers, x.OtherCallers = conditions[best], lists[best], left
	return nil
}

// take copies the result of the assertion in a line of a function.
func (c *Caller) take(p *diagnostics.Proof, function string, line int) {
	c.Verdict = found.Unreached
	for i := range p.Obligations {
		if f := &p.Obligations[i]; f.Function == function && f.Line == line && f.Kind == found.Assertion {
			c.Verdict, c.Message, c.Reason = f.Verdict, f.Message, f.Reason
			return
		}
	}
	if !finished(p) || p.Verdict == found.Bounded {
		c.Verdict, c.Reason = found.Unknown, p.Reason
		return
	}
	if len(bodiesMissing(p)) > 0 {
		c.Verdict, c.Reason = found.Unknown, "functions without a body are between it and the call"
	}
}

// proofOf checks the first proof of a caller, which is not written, with texts in place of files, within a budget.
func (g *Generator) proofOf(ctx context.Context, w *project.Workspace, c project.CallPlace, b *budget,
	virtual map[string][]byte) (*diagnostics.Proof, error) {
	var request *harness.Request
	var source *project.Proof
	var err error
	b.work(func() { g, request, source, err = g.understood(ctx, w, c.Function, c.File) })
	if err != nil {
		return nil, err
	}
	path := filepath.Join(g.folder(w), "unitproof_caller_"+c.Function+"_harness.c")
	request.Dir = filepath.Dir(path)
	for {
		made, err := harness.Write(*request)
		if err != nil {
			return nil, err
		}
		request.Include = made.Included
		t := &trial{g: g, root: paths.Root(w.Root), path: path, request: request, source: source, budget: *b}
		texts := map[string][]byte{path: made.Text}
		for name, text := range virtual {
			texts[name] = text
		}
		result, err := t.checkUnwritten(ctx, texts)
		*b = t.budget
		if err != nil {
			return nil, err
		}
		switch {
		case result.Verdict == found.Vacuous && !request.Unasserted: // the assertions contradict the rest
			request.Unasserted = true
		case result.Verdict == found.Error && !request.AllHeaders && !request.Include:
			request.AllHeaders = true
		case result.Verdict == found.Error && !request.Include:
			request.Include = true
		default:
			return result, nil
		}
	}
}

// checkUnwritten checks a proof whose file is among texts that are not on disk.
func (t *trial) checkUnwritten(ctx context.Context, texts map[string][]byte) (*diagnostics.Proof, error) {
	read := func(path string) ([]byte, error) {
		if text, ok := texts[path]; ok {
			return bytes.Clone(text), nil
		}
		return project.ReadFile(path)
	}
	extra := []string{t.path}
	for {
		w, err := project.OpenView(t.g.Base, project.View{ReadFile: read, Extra: extra}, t.g.Flags)
		if err != nil {
			return nil, err
		}
		list, problems := w.Proofs(nil) // an argument would have to be on disk
		i := slices.IndexFunc(list, func(p project.Proof) bool { return p.File == t.path })
		switch {
		case i >= 0:
		case len(problems) > 0:
			return nil, errors.New(problems[0].Message)
		default:
			return nil, errors.New("it has no proof")
		}
		p := list[i]
		if config := t.config(); texts[config] == nil && t.needsEntry(&p) {
			text, err := project.ReadFile(config)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				extra = append(extra, config)
			case err != nil:
				return nil, err
			}
			texts[config] = t.entered(config, text)
			continue
		}
		p.Timeout = callerTime
		job := Job{Settings: t.g.Settings, Proof: p, Live: Live{Virtual: texts},
			Define: func(names []string) map[string][]project.Unit { return w.Definitions(&p, names) }}
		result := t.budget.check(ctx, job)
		return &result.Proof, ctx.Err()
	}
}
