package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
)

// Debuggee is a counterexample whose execution was recorded.
type Debuggee struct {
	Proof   *diagnostics.Proof
	Finding *diagnostics.Finding
	Run     *recording.Recording
}

// Debug checks a proof and records the execution of a counterexample.
//
// The counterexample is that of the finding with an ID, or the first one if the ID is "". The recording is made in this
// process, from the program that is compiled here while a worker checks it. The errors are messages to the user: why
// there is nothing to debug, and what to do.
func (l *Pool) Debug(ctx context.Context, j Job, finding string) (*Debuggee, error) {
	type program struct {
		b   *built
		err error
	}
	compiled := make(chan program, 1)
	p := j.Proof // build adds sources
	go func() {
		checker := NewChecker(j.Settings)
		defer checker.Close()
		b, err := checker.build(ctx, &p, j.Define, &Live{Virtual: j.Virtual})
		compiled <- program{b, err}
	}()
	result := l.Check(ctx, j)
	c := <-compiled
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := counterexampleOf(&result.Proof, finding)
	if err != nil {
		return nil, err
	}
	if c.err != nil {
		return nil, fmt.Errorf("the program could not be built again: %w", c.err)
	}
	m, err := c.b.read()
	if err != nil {
		return nil, fmt.Errorf("the program could not be read: %w", err)
	}
	run, err := vcgen.Record(ctx, m, p.Start(), engineOptions(&p), f.Run)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; was the file changed meanwhile? start again", describeFinding(f), err)
	}
	return &Debuggee{Proof: &result.Proof, Finding: f, Run: run}, nil
}

// counterexampleOf returns the finding whose execution is to be debugged.
func counterexampleOf(p *diagnostics.Proof, id string) (*diagnostics.Finding, error) {
	if p.Verdict == found.Error {
		return nil, fmt.Errorf("%s cannot be run: %s", p.Name, p.Reason)
	}
	var failing []*diagnostics.Finding
	for i := range p.Obligations {
		if f := &p.Obligations[i]; f.Verdict == found.Failed && len(f.Run.Tape) > 0 {
			failing = append(failing, f)
		}
	}
	switch f := p.Finding(id); {
	case id == "" && len(failing) > 0:
		for _, f := range failing {
			if !f.Accepted {
				return f, nil
			}
		}
		return failing[0], nil
	case id == "" || len(failing) == 0:
		return nil, fmt.Errorf("%s has no counterexample to show: %s", p.Name, withoutCounterexample(p))
	case f == nil:
		return nil, fmt.Errorf("%s has no finding %s any more: the code was changed. What fails now: %s", p.Name, id,
			listFindings(failing))
	case f.Verdict != found.Failed:
		return nil, fmt.Errorf("%s does not fail any more: it is %s now. What still fails: %s", describeFinding(f), f.Verdict,
			listFindings(failing))
	case len(f.Run.Tape) == 0:
		return nil, fmt.Errorf("%s fails, but no execution of it is at hand. Others: %s", describeFinding(f),
			listFindings(failing))
	default:
		return f, nil
	}
}

// withoutCounterexample describes the verdict of a proof in which nothing fails.
func withoutCounterexample(p *diagnostics.Proof) string {
	switch p.Verdict {
	case found.Proved:
		return "it is proved, nothing fails"
	case found.Unknown, found.Bounded:
		s := fmt.Sprintf("it is %s, and nothing is known to fail", p.Verdict)
		if p.Reason != "" {
			s += " (" + p.Reason + ")"
		}
		return s
	case found.Vacuous:
		return "it is vacuous: no execution reaches its assertions. `unitproof check` lists the assumptions that " +
			"contradict " +
			"each other"
	}
	return fmt.Sprintf("it is %s", p.Verdict)
}

func describeFinding(f *diagnostics.Finding) string {
	return fmt.Sprintf("the %s at %s:%d", f.Kind, f.File, f.Line)
}

func listFindings(list []*diagnostics.Finding) string {
	var parts []string
	for _, f := range list {
		parts = append(parts, fmt.Sprintf("%s (%s:%d, %s)", f.ID, f.File, f.Line, f.Kind))
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// DebugProofs returns the proofs that a debugger's configuration selects.
func DebugProofs(w *project.Workspace, program, entry string) ([]project.Proof, error) {
	proofs, problems := w.Proofs([]string{program})
	if len(problems) > 0 {
		return nil, project.Problems(problems)
	}
	var names []string
	for i := range proofs {
		if proofs[i].Entry == entry {
			return proofs[i : i+1], nil
		}
		names = append(names, proofs[i].Entry)
	}
	switch {
	case len(proofs) == 0:
		return nil, fmt.Errorf("%s holds no unit proof: the entry is called main, ends in _harness or _proof, or starts "+
			"with proof_; name another one with \"entry\"", program)
	case entry != "":
		return nil, fmt.Errorf("%s has no entry %s; it has %s", program, entry, strings.Join(names, ", "))
	}
	return proofs, nil
}
