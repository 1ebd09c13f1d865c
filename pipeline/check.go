package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/ir"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/ondisk"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Settings are shared by all proofs of a run.
type Settings struct {
	// Root is the folder that paths in results are relative to; absolute.
	Root paths.Root
	// Solver is a kind of pipeline/solver; "" is the default.
	Solver string
	// CacheDir keeps results from one run to the next; "" keeps none. With CacheReadOnly results are read and none is
	// added.
	CacheDir      string
	CacheReadOnly bool
	// Remote is the shared cache, consulted for entries that CacheDir lacks; it is not used without CacheDir.
	Remote remote.Config
	// Replay runs the counterexamples of failed findings natively (Finding.Replay).
	Replay bool
	// Measure records the costs of each stage beyond time (Result.Stages).
	Measure bool
	// Cluster runs the engine's part of checks when a Pool is given it.
	Cluster remote.Cluster
}

// Define returns the files that define the names that a proof misses, in order of preference (see
// project.Workspace.Definitions).
type Define func(names []string) map[string][]project.Unit

// Result is the outcome of the check of one proof.
type Result struct {
	Proof diagnostics.Proof
	// Covered is the engine's coverage; empty without Options.Coverage.
	Covered found.Coverage
	// Defined is that of clang.Module: the functions that are compiled, by file; nil without Options.Coverage.
	Defined map[string][]string
	// Stages has the costs of the stages of the check; empty without Settings.Measure.
	Stages []StageCost
	// Unkept is why results could not be written to the cache ("/cache: no space left on device"); usually "".
	Unkept string
	// Lost is why a cluster did not do its part (Job.Left); then there is no result.
	Lost error

	replay   *ReplayResult         // of Pool.Replay
	strength *diagnostics.Strength // of Pool.Strength
	prepared *prepared             // if not nil, the engine's part is still to be done
}

// Checker checks proofs in this process, one after another or several at a time.
type Checker struct {
	settings Settings
	store    *cache.Store
	results  *results // nil: nothing is kept

	hashes ondisk.Hashes
	// cpu returns the CPU time of the process if the process does one proof at a time; otherwise it is nil.
	cpu func() time.Duration

	mu         sync.Mutex
	toolchains map[string]*clang.Toolchain // by the name in the configuration
}

// NewChecker returns a Checker. It starts no process; checks may start some, which Close ends.
func NewChecker(s Settings) *Checker { return newChecker(s, remoteStore(s)) }

// newChecker is NewChecker with far as the client of Settings.Remote.
func newChecker(s Settings, far cache.Remote) *Checker {
	store := cache.Open(s.CacheDir, cache.Options{ReadOnly: s.CacheReadOnly, Remote: checked(far)})
	return &Checker{settings: s, store: store, results: newResults(s, store), toolchains: map[string]*clang.Toolchain{}}
}

// Close ends the processes that the Checker keeps for the next proof, and waits for them. The Checker remains usable.
func (c *Checker) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.toolchains {
		t.Close()
	}
	c.store.Flush(flushTime)
}

// toolchain finds a front end once. Errors are not remembered: the user may install it in the meantime.
func (c *Checker) toolchain(ctx context.Context, name string) (*clang.Toolchain, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.toolchains[name]; t != nil {
		return t, nil
	}
	t, err := clang.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	c.toolchains[name] = t
	return t, nil
}

// Check checks one proof. It never fails; errors are part of the result:
//
//   - the verdict is error if the program is at fault: it does not compile or link, or lacks the entry;
//   - the verdict is unknown, with a reason, if the checker is at fault.
//
// define may be nil.
func (c *Checker) Check(ctx context.Context, p project.Proof, define Define) Result {
	return c.CheckLive(ctx, p, define, Live{})
}

// CheckLive is Check for callers that need results before its end, or that have buffers in place of files.
func (c *Checker) CheckLive(ctx context.Context, p project.Proof, define Define, live Live) Result {
	result, _ := c.check(ctx, p, define, live)
	return result
}

// check is CheckLive. With live.onlyKept the error is not nil if the result does not follow from the cache.
func (c *Checker) check(ctx context.Context, p project.Proof, define Define, live Live) (result Result, missed error) {
	timer := c.startTimer()
	stages := newStages(c.settings.Measure)
	meta := c.meta(&p)
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "%s: panic: %v\n%s", p.Name, r, debug.Stack())
			result = Result{Proof: unknownProof(meta, found.Reason{Why: found.InternalError, Text: fmt.Sprint(r)})}
			missed = clang.ErrNotKept
		}
		result.Proof.Stats.TotalMS = time.Since(timer.start).Milliseconds()
		if timer.cpu != nil {
			result.Proof.Stats.CPUMS = timer.used().Milliseconds()
		}
		if c.settings.Measure {
			result.Stages = stages.costs()
		}
		if err := c.store.Err(); err != nil {
			result.Unkept = err.Error()
		}
	}()
	limited, cancel := timer.limit(ctx, p.Timeout)
	defer cancel()

	leave := stages.enter("compile")
	live.stage = stages.enter
	b, err := c.buildLive(limited, &p, define, &live)
	leave()
	meta.Stats.CompileMS = time.Since(timer.start).Milliseconds()
	if err != nil {
		return Result{Proof: failedBuild(limited, &p, meta, err)}, err
	}
	meta.Accept = acceptRules(&p) // with the rules in the source, which build has read
	report, err := c.verify(limited, &p, b, &meta, &live, stages, timer)
	if errors.Is(err, errElsewhere) {
		result.prepared, err = c.prepare(ctx, &p, b, &meta, &live, timer)
		if err == nil {
			result.Proof = unknownProof(meta, interrupted) // read only by callers that do not go on
			return result, nil
		}
	}
	if wrong := (*clangir.UnsupportedTarget)(nil); errors.As(err, &wrong) {
		return Result{Proof: diagnostics.ErrorProof(meta, wrong.Error(), diagnostics.Error{Message: wrong.Error(),
			File: p.File, Line: p.Line, Column: p.Column})}, err
	}
	if err != nil {
		return Result{Proof: unknownProof(meta, stopReason(limited, &p, err))}, err
	}
	leave = stages.enter("compile")
	omitted, err := c.omitted(ctx, &p, b, &live) // cheap, and as much part of the answer as the verdicts
	leave()
	if err != nil {
		return Result{Proof: unknownProof(meta, stopReason(limited, &p, err))}, err
	}
	leave = stages.enter("generate/findings")
	result = c.conclude(&p, report, omitted, b.assumptions, meta, &live)
	if p.Options.Coverage {
		result.Defined = b.module.Defined
	}
	leave()
	if c.settings.Replay {
		defer stages.enter("replay")()
		c.replayAll(limited, &p, b, &result.Proof)
	}
	return result, nil
}

// conclude groups the engine's report and the omitted assertions and assumptions into findings.
func (c *Checker) conclude(p *project.Proof, report *vcgen.Report, omitted []vcgen.Instance,
	assumptions []found.Assumption, meta diagnostics.ProofMeta, live *Live) Result {
	report.Instances = slices.Concat(report.Instances, omitted)
	report.Assumptions = slices.Concat(report.Assumptions, assumptions, unusedBounds(p, report.UnusedBounds))
	return Result{Proof: diagnostics.Group(report, live.sources(c.settings.Root), meta), Covered: report.Covered}
}

// verify runs the engine on a program, or returns its earlier report from the cache.
func (c *Checker) verify(ctx context.Context, p *project.Proof, b *built, meta *diagnostics.ProofMeta, live *Live,
	stages *stages, timer *timer) (*vcgen.Report, error) {
	defer func() { meta.Stats.SolveMS, meta.Stats.VCGenMS = stages.millis("solve"), stages.millis("generate") }()
	defer stages.enter("generate")()
	opts := engineOptions(p)
	opts.Limits = timer.limits(p)
	began := time.Now()
	opts.Clock = func() int64 { return int64(time.Since(began)) }
	opts.Stage = func(name string) func() { return stages.enter("generate/" + name) }
	live.streamTo(&opts, c, *meta)
	live.locate(&opts)
	opts.Memo = live.memo
	var keys reportKeys
	var answers cache.Key
	cached := false
	if c.results != nil {
		leave := stages.enter("generate/recall")
		// Without vcgen.Reports all is recomputed from the solver's answers: for measurements, and for tests of the answers.
		if keys, cached = c.results.reportKeys(p, b.module); cached && !opts.Disable[vcgen.Reports] {
			if report := c.results.report(keys, p.MaxMemory); report != nil {
				meta.Cached = true
				leave()
				return report, nil
			}
		}
		if live.onlyKept {
			leave()
			return nil, clang.ErrNotKept
		}
		if !live.elsewhere {
			answers = c.results.answersKey(p)
			opts.Memo = c.results.answers(answers, p.MaxMemory)
		}
		leave()
	}
	switch {
	case live.onlyKept:
		return nil, clang.ErrNotKept
	case live.elsewhere:
		live.later = unfinished{Report: keys, Keep: cached}
		return nil, errElsewhere
	}
	leave := stages.enter("generate/read")
	m, err := b.read()
	leave()
	if err != nil {
		return nil, fmt.Errorf("the program could not be read: %w", err)
	}
	if f := m.FuncByName[p.Start()]; f != nil && f.Loc != nil && ir.KindOf(p.EntryUnit.File) != ir.C {
		opts.EntryFile = f.Loc.File // the source that was compiled
	}
	report, err := vcgen.Verify(ctx, m, p.Start(), opts, stages.solvers(c.settings.Solver, p.MaxMemory))
	if err != nil {
		return nil, err
	}
	if c.results != nil {
		defer stages.enter("generate/keep")()
		// Answers hold even if the run did not end.
		c.results.keepAnswers(answers, opts.Memo)
		if cached && ctx.Err() == nil {
			c.results.keepReport(keys, report)
		}
	}
	if ctx.Err() != nil && report.Reason.None() && undecided(report) {
		report.Reason = stopReason(ctx, p, ctx.Err())
	}
	return report, nil
}

// engineOptions returns the proof's options, completed with those that only this package can set.
func engineOptions(p *project.Proof) vcgen.Options {
	opts := p.Options
	opts.UserFile = remembered(userFile)
	opts.EntryFile = p.EntryUnit.File
	opts.NoLoopContracts = !p.LoopContracts
	return opts
}

// undecided reports whether the end of the run can have left an obligation undecided.
func undecided(r *vcgen.Report) bool {
	if !r.EndReached && !r.EndUnknown.None() {
		return true
	}
	for i := range r.Instances {
		if r.Instances[i].Verdict == found.Unknown {
			return true
		}
	}
	return false
}

// stopReason returns why the engine stopped.
func stopReason(ctx context.Context, p *project.Proof, err error) found.Reason {
	switch {
	case errors.Is(context.Cause(ctx), vcgen.ErrStuck):
		return stuckReason(p)
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		r := timeoutReason(p)
		var unfinished *vcgen.Unfinished
		if errors.As(err, &unfinished) {
			r.Text = unfinished.Where()
		}
		return r
	case ctx.Err() != nil:
		return interrupted
	}
	return found.Reason{Why: found.Stopped, Text: err.Error()}
}

var interrupted = found.Reason{Why: found.Interrupted}

// Interrupted reports whether a proof has no results because the run ended before it.
func Interrupted(p *diagnostics.Proof) bool {
	return p.Why.Why == found.Interrupted && len(p.Obligations) == 0
}

func timeoutReason(p *project.Proof) found.Reason {
	return found.Reason{Why: found.Timeout, Name: p.Timeout.String()}
}

func stuckReason(p *project.Proof) found.Reason {
	return found.Reason{Why: found.NoProgress, Name: p.Timeout.String()}
}

func memoryReason(p *project.Proof) found.Reason {
	return found.Reason{Why: found.MemoryLimit, Name: project.Size(p.MaxMemory)}
}

// meta returns the part of a proof's result that all its verdicts share.
func (c *Checker) meta(p *project.Proof) diagnostics.ProofMeta { return metaOf(c.settings.Root, p) }

func metaOf(root paths.Root, p *project.Proof) diagnostics.ProofMeta {
	o := diagnostics.OptionsOf(p.Options)
	o.Timeout = p.Timeout.String()
	o.Flags = p.EntryUnit.Flags
	o.Expect, o.Target = p.Expect, p.Target
	for _, u := range p.Sources {
		o.Sources = append(o.Sources, root.Show(u.File))
	}
	for _, u := range p.Overrides {
		o.Override = append(o.Override, root.Show(u.File))
	}
	o.RemoveBodies, o.NondetStatic = p.RemoveBodies, p.NondetStatic
	if p.IsFuzzTarget() && p.Input == nil {
		o.MaxLen = p.MaxLen
	}
	m := diagnostics.ProofMeta{Name: p.Name, File: p.File, Entry: p.Entry, Root: root, Options: o,
		WholeTrace: p.Options.FullTrace}
	m.Accept = acceptRules(p)
	return m
}

// acceptRules returns the proof's rules of accepted findings with their reasons.
func acceptRules(p *project.Proof) (list []diagnostics.Accept) {
	for i, a := range p.Accepts {
		list = append(list, diagnostics.Accept{AcceptRule: p.Options.Accept[i], Reason: a.Reason})
	}
	return list
}

// unknownProof is the result of a proof that the engine did not finish.
func unknownProof(meta diagnostics.ProofMeta, reason found.Reason) diagnostics.Proof {
	return diagnostics.Group(&vcgen.Report{Entry: meta.Entry, Reason: reason, EndReached: true}, nil, meta)
}

// unfinishedProof is the result of a proof that ended without an answer, with the violations that were known by then.
func unfinishedProof(meta diagnostics.ProofMeta, reason found.Reason, violations []diagnostics.Finding,
) diagnostics.Proof {
	p := unknownProof(meta, reason)
	if len(violations) > 0 {
		p.Obligations, p.Stats.Obligations = violations, len(violations)
		p.Verdict, p.Reason = found.Failed, ""
	}
	return p
}

// failedBuild is the result of a proof that was not compiled and linked.
func failedBuild(ctx context.Context, p *project.Proof, meta diagnostics.ProofMeta, err error) diagnostics.Proof {
	if ctx.Err() != nil {
		return unknownProof(meta, stopReason(ctx, p, err))
	}
	if diskFull(err) {
		return unknownProof(meta, found.Reason{Why: found.NoSpace, Name: scratch.System()})
	}
	var killed *clang.SignalError
	if errors.As(err, &killed) {
		return unknownProof(meta, stoppedBy(killed.Error()))
	}
	var removed *clang.RemovedError
	if errors.As(err, &removed) {
		return unknownProof(meta, stoppedBy(removed.Error()))
	}
	var wrong *clang.CompileError
	if !errors.As(err, &wrong) {
		return diagnostics.ErrorProof(meta, "", diagnostics.Error{Message: err.Error(), File: p.File, Line: p.Line,
			Column: p.Column})
	}
	var list []diagnostics.Error
	for _, d := range wrong.Diagnostics {
		if d.Severity != "error" {
			continue
		}
		e := diagnostics.Error{Message: strings.ReplaceAll(d.Message, string(meta.Root)+"/", ""), File: d.File, Line: d.Line,
			Column: d.Column, Lacks: d.Lacks}
		if e.File == "" {
			e.File, e.Line, e.Column = p.File, p.Line, p.Column
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		list = append(list, diagnostics.Error{Message: wrong.Error(), File: p.File, Line: p.Line, Column: p.Column})
	}
	reason := list[0].Message
	if file := meta.Root.Show(list[0].File); list[0].Line > 0 {
		reason = fmt.Sprintf("%s:%d:%d: %s", file, list[0].Line, list[0].Column, reason)
	}
	if more := len(list) - 1; more > 0 {
		reason += fmt.Sprintf(" (and %d more)", more)
	}
	return diagnostics.ErrorProof(meta, reason, list...)
}

// ReadSources reads the files that results name from disk.
func ReadSources(root paths.Root) diagnostics.Sources {
	return func(file string) []byte {
		data, err := regular.Source(root.Find(file))
		if err != nil {
			return nil
		}
		return data
	}
}

// systemFolders hold headers that came with the compiler or the system.
var systemFolders = []string{"/usr/include/", "/usr/lib/", "/usr/local/include/", "/usr/local/lib/"}

// InSystemFolder reports whether the path of a file is in a folder of the compiler or the system.
func InSystemFolder(file string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool { return strings.HasPrefix(file, dir) }) ||
		clang.CrossHeader(file)
}

// rustLibrary matches the files of Rust's standard library in Debian's builds, and in builds of rustup with and without
// its sources.
var rustLibrary = lazyregexp.New(`^/rustc/[0-9a-f]+/library/|/rustlib/src/rust/library/|^/usr/src/rustc-[^/]+/library/`)

// remembered returns a memoized version of a predicate on files: an execution calls it at each of a million steps.
func remembered(is func(file string) bool) func(file string) bool {
	var known sync.Map // file to answer
	return func(file string) bool {
		answer, ok := known.Load(file)
		if !ok {
			answer = is(file)
			known.Store(file, answer)
		}
		return answer.(bool)
	}
}

// userFile reports whether a file is the user's, rather than a model of libc or a header of the system.
func userFile(file string) bool {
	if language.IsModelFile(file) || filepath.Base(file) == "unitproof.h" || filepath.Base(file) == contract.File {
		return false
	}
	return !InSystemFolder(file) && !rustLibrary.MatchString(file)
}
