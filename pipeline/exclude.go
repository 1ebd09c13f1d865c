package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/precondition"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/recording"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

const (
	excludeMost   = 4
	excludeChecks = 40
	excludeTime   = 20 * time.Second
	maxVars       = 14
)

// Exclude finds conditions over the inputs of a proof that exclude one of its failures. A candidate is offered only if
// a check of the proof with the assumption shows that the failure is gone and that executions are left. The error is
// for the user; a failure without such a condition is no error.
func (l *Pool) Exclude(ctx context.Context, j Job, p *diagnostics.Proof, f *diagnostics.Finding,
	opts ExcludeOptions) (*Exclusion, error) {
	began := time.Now()
	e := &excluder{pool: l, job: j, opts: opts, proof: p, finding: f,
		out: &Exclusion{Proof: p.Name, Entry: p.Entry, Finding: f.ID, Kind: f.Kind, Message: f.Message, File: f.File,
			Line:       f.Line,
			Conditions: []Precondition{}}}
	if e.opts.Most <= 0 {
		e.opts.Most = excludeMost
	}
	if e.opts.Checks <= 0 {
		e.opts.Checks = excludeChecks
	}
	if e.opts.Time <= 0 {
		e.opts.Time = excludeTime
	}
	e.budget = budget{total: e.opts.Time, run: l.Check}
	if opts.check != nil {
		e.budget.run = opts.check
	}
	err := e.run(ctx)
	e.out.MS = time.Since(began).Milliseconds()
	var none noConditions
	if errors.As(err, &none) {
		e.out.Reason, err = string(none), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return e.out, err
}

// noConditions is why there cannot be conditions.
type noConditions string

func (n noConditions) Error() string { return string(n) }

// excluder is a search for conditions.
type excluder struct {
	pool    *Pool
	job     Job
	opts    ExcludeOptions
	budget  budget
	proof   *diagnostics.Proof
	finding *diagnostics.Finding
	out     *Exclusion

	text      []byte // of the entry's file
	entry     csource.Function
	place     int                      // offset in text
	at        int                      // of the expression of the entry that fails, or leads to the failure
	failing   precondition.Statement   // at or behind the place
	loop      precondition.Statement   // the outermost loop of the entry around it; zero for none
	code      []precondition.Statement // before the place, with calls that make no inputs
	indent    string                   // of the statement there
	assume    string                   // the name of the primitive
	clause    string                   // of the proof of a contract: the name of the clause that requires conditions
	vars      []precondition.Var
	search    *precondition.Search
	aborts    bool // the program can end without coming to the end that watch checks
	allocates bool // the program can allocate memory
	inputs    bool // the program may have inputs
	// program is the proof as it is, for executions; nil until it is needed.
	program *Playground
	hoisted *hoisted // nil if no input of the failing statement got a name
}

func (e *excluder) run(ctx context.Context) error {
	if err := e.read(); err != nil {
		return err
	}
	failing, request, err := e.prepare(ctx)
	if err != nil {
		return err
	}
	if e.hoist(ctx) {
		if failing, request, err = e.prepare(ctx); err != nil {
			return err
		}
	}
	e.search = precondition.NewSearch(*request, failing)
	all := inexact
	if !e.aborts {
		all = e.exactly(ctx, always)
	}
	if all == exact || len(e.vars) == 0 {
		e.out.Typical = e.typical(ctx, failing)
		return e.withoutCondition(ctx, all)
	}
	for !e.isExact() && ctx.Err() == nil {
		var c *precondition.Condition
		e.budget.work(func() {
			if c = e.search.Separating(); c == nil && len(e.search.Holding()) < e.opts.Most {
				c = e.search.Next()
			}
		})
		if c == nil {
			break
		}
		if e.out.Checks >= e.opts.Checks || e.budget.used() {
			e.out.Reason = fmt.Sprintf("the search stopped after %d checks", e.out.Checks)
			break
		}
		if err := e.try(ctx, c); err != nil {
			return err
		}
	}
	if e.hoisted == nil { // else its inputs have another order
		e.out.Typical = e.typical(ctx, failing)
	}
	if len(e.out.Conditions) == 0 {
		return e.withoutCondition(ctx, all)
	}
	e.selectConditions()
	e.rank(ctx)
	for i := range e.out.Conditions {
		e.hoisted.place(e, &e.out.Conditions[i])
	}
	if c := e.called(); c != nil && e.clause == "" {
		e.out.Function, e.out.FunctionFile = c.name, c.file
	}
	best := slices.IndexFunc(e.out.Conditions, func(c Precondition) bool { return c.Exact })
	if c := e.out.Conditions[max(best, 0)]; (c.Reaches == ReachesPlace || c.Exact) && !e.varies(c.is) {
		e.out.FailingSet = &FailingSet{Condition: c.Negation, Exact: c.Exact, Allocated: c.Allocated, Bounded: c.Bounded,
			Inputs: e.hoisted.inputs(c.Condition)}
		e.out.Guard = e.guard(ctx, e.out.FailingSet)
		if g := e.out.Guard; g != nil && e.hoisted != nil && g.File == e.proof.File && g.Line > e.hoisted.line {
			g.Line -= e.hoisted.lines
		}
	}
	return ctx.Err()
}

// withoutCondition finds the failing set if no condition over the inputs is known, given the exactness of the one that
// all executions satisfy.
func (e *excluder) withoutCondition(ctx context.Context, all exactness) error {
	if all != inexact {
		e.out.FailingSet = &FailingSet{Condition: always, Exact: true, Allocated: all == allocated}
	} else if !e.inputs {
		e.out.FailingSet = &FailingSet{Condition: always, Exact: true, NoInput: true}
		return ctx.Err()
	} else if mayFail := &e.job.Proof.Options.MallocMayFail; !e.aborts && e.allocates && *mayFail {
		*mayFail = false
		proof, _ := e.check(ctx, e.edited(""))
		*mayFail = true
		if f := e.locate(proof, 0); f == nil && (proof.Verdict == found.Proved || e.reachesPlace(proof, f)) ||
			f != nil && (f.Verdict == found.Proved || f.Verdict == found.Unreached) {
			e.out.FailingSet = &FailingSet{Condition: always, Unallocated: true}
		}
	}
	switch {
	case e.out.Reason != "":
		return ctx.Err()
	case len(e.vars) == 0:
		return noConditions("the proof has no named input before the failing statement")
	}
	return noConditions("no simple condition over the inputs excludes it and leaves executions")
}

// selectConditions removes conditions that are not exact: the guessed ones, and those behind the first ones. The search
// for an exact condition finds more than are shown.
func (e *excluder) selectConditions() {
	left := e.opts.Most
	others := slices.ContainsFunc(e.out.Conditions, func(c Precondition) bool { return !c.is.Guessed() })
	e.out.Conditions = slices.DeleteFunc(e.out.Conditions, func(c Precondition) bool {
		if c.Exact {
			return false
		}
		if others && c.is.Guessed() {
			return true
		}
		left--
		return left < 0
	})
}

// isExact reports whether a condition was found that excludes nothing but failures: no other one is weaker.
func (e *excluder) isExact() bool {
	return slices.ContainsFunc(e.out.Conditions, func(c Precondition) bool { return c.Exact })
}

// read reads the file of the proof and chooses the name of its assumptions.
func (e *excluder) read() error {
	p := &e.job.Proof
	switch {
	case p.IsFuzzTarget():
		return noConditions("a fuzz target takes every input")
	case ir.KindOf(p.EntryUnit.File) != ir.C:
		return noConditions("conditions are written in C only")
	}
	text, ok := e.job.Virtual[p.File]
	if !ok {
		var err error
		if text, err = regular.Source(p.File); err != nil {
			return err
		}
	}
	e.text = text
	if p.Contract {
		e.entry, ok = withClauses(text, p.Entry)
	} else {
		e.entry, ok = csource.NewSource(text).Function(p.Entry)
	}
	if !ok {
		return noConditions("the file does not show the body of " + p.Entry)
	}
	e.assume = assumeIn(text)
	if p.Contract {
		if e.clause = "__CPROVER_requires"; bytes.Contains(text, []byte("unitproof_requires")) {
			e.clause = "unitproof_requires"
		}
	}
	return nil
}

// withClauses finds a function whose clauses are no C: between its parameters and its body are words and parentheses.
func withClauses(text []byte, name string) (csource.Function, bool) {
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			return csource.Function{}, false
		}
		if t.Kind != csource.Ident || t.Of(text) != name {
			continue
		}
		f := csource.Function{Name: name, NameStart: t.Start, NameEnd: t.End, Start: t.Start}
		rest := csource.Scanner{Text: text, Next: t.End}
		for first := true; ; first = false {
			t := rest.Code()
			end, closed := csource.Closing(text, t.Start)
			switch {
			case t.Is(text, "(") && closed:
				rest.Next = end + 1
				continue
			case t.Kind == csource.Ident && !first:
				continue
			case t.Is(text, "{") && closed && !first:
				f.Body, f.End = t.Start, end+1
				return f, true
			}
			break
		}
	}
}

// assumeIn is the name of the primitive that a file assumes with.
func assumeIn(text []byte) string {
	for s := (csource.Scanner{Text: text}); ; {
		t := s.Code()
		if t.Kind == csource.End {
			break
		}
		if t.Kind == csource.Ident && language.Lookup(t.Of(text)).Role == language.Assume {
			return t.Of(text)
		}
	}
	if bytes.Contains(text, []byte("unitproof.h")) {
		return "assume"
	}
	return "__CPROVER_assume"
}

// record executes a counterexample of the proof with a text.
func (e *excluder) record(ctx context.Context, virtual map[string][]byte, f *diagnostics.Finding) (
	run *recording.Recording, err error) {
	e.budget.work(func() { run, err = e.recorded(ctx, virtual, f) })
	return run, err
}

func (e *excluder) recorded(ctx context.Context, virtual map[string][]byte, f *diagnostics.Finding) (
	*recording.Recording, error) {
	checker := NewChecker(e.job.Settings)
	defer checker.Close()
	p := e.job.Proof
	b, err := checker.build(ctx, &p, e.job.Define, &Live{Virtual: virtual})
	if err != nil {
		return nil, err
	}
	m, err := b.read()
	if err != nil {
		return nil, err
	}
	return vcgen.Record(ctx, m, p.Start(), engineOptions(&p), f.Run)
}

// prepare finds the place for conditions and the variables and constants that they compare.
func (e *excluder) prepare(ctx context.Context) (precondition.State, *precondition.Request, error) {
	if len(e.finding.Run.Tape) == 0 {
		return nil, nil, noConditions("no execution of it is at hand")
	}
	run, err := e.record(ctx, e.job.Virtual, e.finding)
	if err != nil {
		return nil, nil, err
	}
	frame, ok := e.entryFrame(run)
	if !ok && e.clause != "" {
		frame, ok = e.lastInEntry(run) // a postcondition fails behind it
	}
	if !ok {
		return nil, nil, noConditions("it fails outside of " + e.job.Proof.Entry)
	}
	at, ok := e.offset(e.text, frame.Loc)
	if !ok && e.clause == "" {
		return nil, nil, noConditions("the failing statement is not in the body of " + e.job.Proof.Entry)
	}
	e.at = at
	if !e.findPlace(run, frame, at) {
		return nil, nil, noConditions("the failing statement is not in the body of " + e.job.Proof.Entry)
	}
	moment := e.moment(run, frame, e.text, e.place)
	if moment < 0 {
		moment = run.End()
	}
	if err := run.GoTo(moment); err != nil {
		return nil, nil, err
	}
	if frame, ok = e.entryFrame(run); !ok {
		return nil, nil, noConditions("it fails outside of " + e.job.Proof.Entry)
	}
	e.variables(run, frame)
	outside := func(g *llvmir.Global) bool { return g.Init == nil }
	e.inputs = e.job.Proof.NondetStatic || len(run.FrameRecord(0).Func.Params) > 0 ||
		slices.ContainsFunc(run.Program.Globals, outside)
	for _, f := range run.Program.Funcs {
		if len(f.Blocks) > 0 {
			continue
		}
		e.inputs = e.inputs || mayBeInput(f)
		switch language.Lookup(f.Name).Role {
		case language.Abort:
			e.aborts = true
		case language.Exit:
			e.aborts = e.aborts || e.clause != "" // without postconditions
		case language.Malloc, language.Calloc, language.Realloc, language.Reallocarray:
			e.allocates = true
		}
	}
	accused := run.Accused()
	request := &precondition.Request{Vars: e.vars, Overflow: e.finding.Kind == found.SignedOverflow,
		Division: e.finding.Kind == found.DivisionByZero || e.finding.Kind == found.SignedOverflow, Limit: e.limit}
	request.Consts, request.Floats = e.constants(run, accused)
	state, err := e.state(run, moment)
	return state, request, err
}

// edited is the proof's file with a statement at the place.
func (e *excluder) edited(statement string) []byte {
	return slices.Concat(e.text[:e.place], []byte(statement+"\n"+e.indent), e.text[e.place:])
}

// check checks the proof with another text.
func (e *excluder) check(ctx context.Context, text []byte) (*diagnostics.Proof, map[string][]byte) {
	j := e.job
	j.Virtual = maps.Clone(j.Virtual)
	if j.Virtual == nil {
		j.Virtual = map[string][]byte{}
	}
	j.Virtual[j.Proof.File] = text
	return e.checkJob(ctx, j), j.Virtual
}

// checkJob checks a job within the budget.
func (e *excluder) checkJob(ctx context.Context, j Job) *diagnostics.Proof {
	if !e.budget.used() {
		e.out.Checks++
	}
	result := e.budget.check(ctx, j)
	return &result.Proof
}

// statement is an assumption as it is written.
func (e *excluder) statement(condition string) string {
	if e.clause != "" {
		return e.clause + "(" + condition + ")"
	}
	return e.assume + "(" + condition + ");"
}

// try checks the proof with a condition.
func (e *excluder) try(ctx context.Context, c *precondition.Condition) error {
	text := e.edited(e.statement(c.Text()))
	proof, virtual := e.check(ctx, text)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	f := e.locate(proof, 0)
	if proof.Verdict == found.Error || !e.harmless(proof) {
		e.search.Tried(c, precondition.Empty) // it cannot be written, and neither can conjunctions with it
		return nil
	}
	held := Precondition{Condition: c.Text(), Negation: c.Negation(), Text: e.statement(c.Text()), Verdict: proof.Verdict,
		File: e.proof.File, is: c}
	switch {
	case f != nil && f.Verdict == found.Failed:
		e.search.Tried(c, precondition.Fails)
		e.learn(ctx, virtual, text, f)
		return nil
	case f != nil && (f.Verdict == found.Proved || f.Verdict == found.Bounded):
		held.Reaches, held.Bounded = ReachesPlace, f.Verdict == found.Bounded
	case e.reachesPlace(proof, f):
		held.Reaches = ReachesPlace
	case f == nil && finished(proof) || f != nil && (f.Verdict == found.Unreached || f.Verdict == found.Vacuous):
		if !e.reachesEnd(ctx, c) {
			e.search.Tried(c, precondition.Empty)
			return ctx.Err()
		}
		held.Reaches = ReachesEnd
	default:
		e.search.Tried(c, precondition.Fails)
		return nil
	}
	for i := range proof.Obligations {
		if g := &proof.Obligations[i]; g.Verdict == found.Failed && !g.Accepted {
			held.Failing++
		}
	}
	line := bytes.LastIndexByte(e.text[:e.place], '\n') + 1
	held.Line, held.Column = bytes.Count(e.text[:e.place], []byte("\n"))+1, e.place-line+1
	held.Question = e.question()
	held.InCode, _ = e.inCode(held.Condition)
	if !e.aborts {
		how := e.exactly(ctx, c.Negation())
		held.Exact, held.Allocated = how != inexact, how == allocated
	}
	e.out.Conditions = append(e.out.Conditions, held)
	e.search.Tried(c, precondition.Excludes)
	return ctx.Err()
}
