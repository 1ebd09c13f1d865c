package pipeline

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mutate"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// StrengthOptions are the options of a mutation run.
type StrengthOptions struct {
	Jobs int // changes checked at the same time; 0: one per CPU
	Max  int // changes to try; if there are more, an even sample
	// Code, if not nil, matches the files, as shown, or the functions to be changed.
	Code *regexp.Regexp
	// Virtual has buffers in place of files, by absolute path.
	Virtual map[string][]byte
	// Marked is the first and the last line of the proof's file whose assertions are told apart: all of these that fail
	// with a change are in Mutant.Lines. 0: a change is checked until its first violation.
	Marked [2]int
}

// StrengthRequest is a request for a mutation run of a proof.
type StrengthRequest struct {
	Settings Settings
	Proof    project.Proof
	// Define finds the definitions that the proof misses, as in a Batch; may be nil.
	Define  func(p *project.Proof, names []string) map[string][]project.Unit
	Virtual map[string][]byte        // buffers in place of files, by absolute path
	Max     int                      // see StrengthOptions
	Marked  [2]int                   // see StrengthOptions
	Tell    func(diagnostics.Mutant) // called with each outcome; may be nil
}

// Strength measures the strength of a proof in a worker, with one change at a time for each of the pool's jobs.
func (l *Pool) Strength(ctx context.Context, r StrengthRequest) (*diagnostics.Strength, error) {
	j := Job{Settings: r.Settings, Proof: r.Proof, Live: Live{Virtual: r.Virtual},
		strength: &wireStrength{Jobs: l.opts.Jobs, Max: r.Max, Marked: r.Marked, tell: r.Tell}}
	if r.Define != nil && len(r.Proof.SourceCandidates) > 0 {
		j.Define = func(names []string) map[string][]project.Unit { return r.Define(&r.Proof, names) }
	}
	switch result := l.Check(ctx, j); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case result.strength == nil:
		return nil, errors.New(result.Proof.Reason)
	default:
		return result.strength, nil
	}
}

// changedWork bounds the instructions of a changed program, whose loops may not end, as a multiple of the proof's;
// changedExtra is added.
const (
	changedWork  = 20
	changedExtra = 200_000 // instructions
)

// Strength checks a proof with small changes of the code under proof, one at a time, in this process.
//
// Candidates are in the user's code that executions of the proof reach: in files other than the entry's or, if none is
// reached there, in functions other than the entry. tell, if not nil, is called with each outcome, never concurrently.
// Outcomes depend on budgets of steps; the proof's timeout is a backstop for each change.
func (c *Checker) Strength(ctx context.Context, p project.Proof, define Define, opts StrengthOptions,
	tell func(diagnostics.Mutant)) (*diagnostics.Strength, error) {
	meta := c.meta(&p)
	out := &diagnostics.Strength{Name: p.Name, File: c.settings.Root.Show(p.File), Mutants: []diagnostics.Mutant{}}
	live := &Live{Virtual: opts.Virtual}
	b, err := c.build(ctx, &p, define, live)
	if err != nil {
		failed := failedBuild(ctx, &p, meta, err)
		out.Verdict, out.Reason = failed.Verdict, failed.Reason
		return out, nil
	}
	meta.Accept = acceptRules(&p)
	s := &strength{c: c, p: &p, b: b, code: opts.Code, marked: opts.Marked, opts: engineOptions(&p), meta: meta,
		sources: live.sources(c.settings.Root)}
	s.opts.Coverage, s.opts.Explain = true, false
	unchanged, err := s.verify(ctx, s.opts, func(*llvmir.Module) error { return nil })
	if err != nil {
		return nil, err
	}
	proof := diagnostics.Group(unchanged, s.sources, meta)
	if out.Verdict, out.Reason = proof.Verdict, proof.Reason; out.Verdict != found.Proved {
		return out, nil // other failures would mask those caused by changes
	}
	s.opts.Coverage = false
	s.opts.MaxInstructions = changedWork*unchanged.Stats.Instructions + changedExtra
	m, err := b.read()
	if err != nil {
		return nil, err
	}
	list := mutate.List(m.Module, mutate.Options{Code: s.codeUnderProof(m.Module, unchanged.Covered)})
	out.Possible = len(list)
	if opts.Max > 0 && len(list) > opts.Max {
		sample := make([]mutate.Mutation, 0, opts.Max)
		for i := range opts.Max {
			sample = append(sample, list[i*len(list)/opts.Max])
		}
		list = sample
	}
	out.Mutants = make([]diagnostics.Mutant, len(list))
	jobs := opts.Jobs
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	next := make(chan int)
	for range jobs {
		group.Go(func() {
			for i := range next {
				mutant := s.try(ctx, &list[i])
				mu.Lock()
				out.Mutants[i] = mutant
				if tell != nil && ctx.Err() == nil {
					tell(mutant)
				}
				mu.Unlock()
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	if ctx.Err() != nil {
		out.Mutants = slices.DeleteFunc(out.Mutants, func(m diagnostics.Mutant) bool { return m.Outcome == "" })
	}
	out.Count()
	return out, ctx.Err()
}

// strength is a mutation run.
type strength struct {
	c    *Checker
	p    *project.Proof
	b    *built
	code *regexp.Regexp
	// marked is StrengthOptions.Marked.
	marked [2]int
	opts   vcgen.Options
	meta   diagnostics.ProofMeta

	sources diagnostics.Sources
}

// verify checks the program with a change.
func (s *strength) verify(ctx context.Context, opts vcgen.Options, change func(*llvmir.Module) error) (r *vcgen.Report,
	err error) {
	// A change that crashes the engine must not end the others. (Checks run in a process of their own.)
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("the engine broke down: %v", p)
		}
	}()
	m, err := s.b.read()
	if err != nil {
		return nil, fmt.Errorf("the program could not be read: %w", err)
	}
	if err := change(m.Module); err != nil {
		return nil, err
	}
	return vcgen.Verify(ctx, m, s.p.Start(), opts, func(c *smt.Context) (smt.Solver, error) {
		return solver.New(s.c.settings.Solver, c, solver.Options{MemoryMB: int(s.p.MaxMemory >> 20)})
	})
}

// codeUnderProof returns a predicate for the locations to be changed.
func (s *strength) codeUnderProof(m *llvmir.Module, covered found.Coverage) func(*llvmir.Func,
	*llvmir.Loc) bool {
	executed := func(f *llvmir.Func, at *llvmir.Loc) bool {
		return f.Name != s.p.Start() && userFile(at.File) && covered[at.File][at.Line] == found.TakenBy
	}
	if s.code != nil {
		return func(f *llvmir.Func, at *llvmir.Loc) bool {
			return executed(f, at) && (s.code.MatchString(s.c.settings.Root.Show(at.File)) || s.code.MatchString(f.SourceName))
		}
	}
	elsewhere := false
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				elsewhere = elsewhere || in.Loc != nil && in.Loc.File != s.p.EntryUnit.File && executed(f, in.Loc)
			}
		}
	}
	return func(f *llvmir.Func, at *llvmir.Loc) bool {
		return executed(f, at) && (!elsewhere || at.File != s.p.EntryUnit.File)
	}
}

var errNoticed = errors.New("the change was noticed")

// try determines the outcome of a change.
func (s *strength) try(ctx context.Context, mu *mutate.Mutation) (out diagnostics.Mutant) {
	root := s.c.settings.Root
	out = diagnostics.Mutant{Kind: string(mu.Kind), From: mu.From, To: mu.To, File: root.Show(mu.File), Line: mu.Line,
		Column: mu.Column, Function: mu.Function}
	if s.marked[0] > 0 {
		return s.tryMarked(ctx, mu, out)
	}
	killer, report, err := s.firstViolation(ctx, mu.Apply)
	switch {
	case killer != nil:
		out.Outcome = diagnostics.Killed
		out.NoticedBy = fmt.Sprintf("%s at %s:%d", killer.Kind, root.Show(killer.Pos.File), killer.Pos.Line)
		return out
	case err != nil:
		out.Outcome, out.Reason = diagnostics.Undecided, err.Error()
		return out
	}
	proof := diagnostics.Group(report, s.sources, s.meta)
	switch proof.Verdict {
	case found.Proved:
	case found.Vacuous:
		out.Outcome, out.NoticedBy = diagnostics.Killed, proof.Reason
		return out
	default:
		out.Outcome, out.Reason = diagnostics.Undecided, proof.Reason
		return out
	}
	out.Outcome = diagnostics.Survived
	defer s.accept(&out)
	differs, report, err := s.firstViolation(ctx, mu.Probe)
	switch {
	case differs != nil && differs.Counterexample != nil:
		all := !slices.ContainsFunc(differs.Counterexample.Inputs, func(in found.Input) bool { return !in.Idle })
		for _, in := range differs.Counterexample.Inputs { // if the change is only reached, all inputs may matter
			if all || !in.Idle {
				in.File = root.Show(in.File)
				out.Inputs = append(out.Inputs, in)
			}
		}
	case err == nil && noDifference(report):
		out.Outcome = diagnostics.Equivalent
	}
	return out
}

// tryMarked determines which of the marked assertions fail with a change. There are no lines if another check fails:
// the proof notices the change without them.
func (s *strength) tryMarked(ctx context.Context, mu *mutate.Mutation, out diagnostics.Mutant) diagnostics.Mutant {
	ctx, cancel := context.WithTimeoutCause(ctx, s.p.Timeout, context.DeadlineExceeded)
	defer cancel()
	report, err := s.verify(ctx, s.opts, mu.Apply)
	out.Outcome = diagnostics.Undecided
	if err != nil {
		out.Reason = err.Error()
		return out
	}
	for i := range report.Instances {
		in := &report.Instances[i]
		if in.Verdict != found.Failed || in.Accepted {
			continue
		}
		if in.Pos.File != s.p.File || in.Pos.Line < s.marked[0] || in.Pos.Line > s.marked[1] {
			out.Outcome, out.NoticedBy, out.Lines = diagnostics.Killed, string(in.Kind), nil
			return out
		}
		if !slices.Contains(out.Lines, in.Pos.Line) {
			out.Lines = append(out.Lines, in.Pos.Line)
		}
	}
	if len(out.Lines) > 0 {
		out.Outcome = diagnostics.Killed
	} else if diagnostics.Group(report, s.sources, s.meta).Verdict == found.Proved {
		out.Outcome = diagnostics.Survived
	}
	return out
}

// accept marks a survivor that the configuration accepts.
func (s *strength) accept(m *diagnostics.Mutant) {
	if m.Outcome != diagnostics.Survived {
		return
	}
	for _, a := range s.p.AcceptSurvivors {
		if (a.Change == "*" || a.Change == m.Change()) && (a.Function == "" || a.Function == m.Function) {
			m.Accepted, m.AcceptReason = true, a.Reason
			return
		}
	}
}

// noDifference reports whether the assertions of the probe all hold or are unreachable.
func noDifference(r *vcgen.Report) bool {
	return r.Reason.None() && r.Bounded.None() && !slices.ContainsFunc(r.Instances, func(in vcgen.Instance) bool {
		return !in.Accepted && in.Verdict != found.Proved && in.Verdict != found.Unreached
	})
}

// firstViolation checks a changed program until its first violation.
func (s *strength) firstViolation(ctx context.Context, change func(*llvmir.Module) error) (*vcgen.Instance,
	*vcgen.Report,
	error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.p.Timeout, context.DeadlineExceeded)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var first *vcgen.Instance
	opts := s.opts
	opts.Found = func(in vcgen.Instance) {
		if first == nil && !in.Accepted {
			first = &in
			stop(errNoticed)
		}
	}
	report, err := s.verify(ctx, opts, change)
	if first == nil && report != nil {
		for i := range report.Instances {
			if in := &report.Instances[i]; in.Verdict == found.Failed && !in.Accepted {
				first = in
				break
			}
		}
	}
	if first == nil && err == nil && ctx.Err() != nil {
		err = stopError(ctx, s.p)
	}
	return first, report, err
}

func stopError(ctx context.Context, p *project.Proof) error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return fmt.Errorf("timeout of %s", p.Timeout)
	}
	return errors.New("interrupted")
}
