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
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Settings are what all proofs of a run share.
type Settings struct {
	// Root is the folder that paths in results are relative to; absolute.
	Root paths.Root
	// Solver is a kind of pipeline/solver; "" is the default.
	Solver string
	// CacheDir keeps results from one run to the next; "" keeps none. CacheReadOnly uses what is there and adds nothing.
	CacheDir      string
	CacheReadOnly bool
	// Remote is a cache that machines share, asked for what CacheDir does not have; without CacheDir it is not used.
	Remote remote.Config
	// Replay runs the counterexamples of failed findings natively (Finding.Replay).
	Replay bool
	// Measure tells what each stage costs beyond time (Result.Stages).
	Measure bool
	// Cluster are machines that do the engine's part of checks, where a Pool is asked for them.
	Cluster remote.Cluster
}

// Define says which files define a name that a proof misses, in the order of preference
// (see project.Workspace.Definitions).
type Define func(names []string) map[string][]project.Unit

// Result is what a check of one proof gives.
type Result struct {
	Proof diagnostics.Proof
	// Covered is the engine's coverage, when Options.Coverage asked for it.
	Covered found.Coverage
	// Stages is what the parts of the check cost, with Settings.Measure.
	Stages []StageCost
	// Unkept says why results are not kept although they should be ("/cache: no space left on device"); "" mostly.
	Unkept string
	// Lost says why a cluster has not done what it was to do (Job.Left); there is no result then.
	Lost error

	replay   *ReplayResult         // of Pool.Replay
	strength *diagnostics.Strength // of Pool.Strength
	prepared *prepared             // there is no result yet
}

// Checker checks proofs in this process, one after another or several at a time.
type Checker struct {
	settings Settings
	store    *cache.Store
	results  *results // nil: nothing is kept

	hashes ondisk.Hashes
	// cpu is the CPU time of the process where that does one proof at a time, else nil.
	cpu func() time.Duration

	mu         sync.Mutex
	toolchains map[string]*clang.Toolchain // by the name that was asked for
}

// NewChecker returns a Checker. It starts nothing; after checks it may have processes to be ended by Close.
func NewChecker(s Settings) *Checker { return newChecker(s, remoteStore(s)) }

// newChecker is NewChecker where far stands for the server of Settings.Remote.
func newChecker(s Settings, far cache.Remote) *Checker {
	store := cache.Open(s.CacheDir, cache.Options{ReadOnly: s.CacheReadOnly, Remote: checked(far)})
	return &Checker{settings: s, store: store, results: newResults(s, store), toolchains: map[string]*clang.Toolchain{}}
}

// Close ends the processes that the Checker keeps for the next proof, and waits for them. It can go on being used.
func (c *Checker) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.toolchains {
		t.Close()
	}
	c.store.Flush(flushTime)
}

// toolchain finds a front end once. Errors are not kept: the user may install it meanwhile.
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

// Check checks one proof. It never fails: what goes wrong is in the result, as the verdict
// error where the program is at fault (it does not compile or link, has no such entry) and as
// unknown with a reason where we are. define may be nil.
func (c *Checker) Check(ctx context.Context, p project.Proof, define Define) Result {
	return c.CheckLive(ctx, p, define, Live{})
}

// CheckLive is Check for those who cannot wait for its end, or who have texts that are not on disk.
func (c *Checker) CheckLive(ctx context.Context, p project.Proof, define Define, live Live) Result {
	result, _ := c.check(ctx, p, define, live)
	return result
}

// check is CheckLive. With live.onlyKept the error is not nil where the result does not follow from what was kept.
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
	meta.Accept = acceptRules(&p) // those of the source are known now
	report, err := c.verify(limited, &p, b, &meta, &live, stages, timer)
	if errors.Is(err, errElsewhere) {
		result.prepared, err = c.prepare(ctx, &p, b, &meta, &live, timer)
		if err == nil {
			result.Proof = unknownProof(meta, interrupted) // of those who go on no longer
			return result, nil
		}
	}
	if err != nil {
		return Result{Proof: unknownProof(meta, stopReason(limited, &p, err))}, err
	}
	leave = stages.enter("compile")
	omitted, err := c.omitted(ctx, &p, b, &live) // takes little, and is as much part of the answer as what was decided
	leave()
	if err != nil {
		return Result{Proof: unknownProof(meta, stopReason(limited, &p, err))}, err
	}
	leave = stages.enter("generate/findings")
	result = c.conclude(&p, report, omitted, b.assumptions, meta, &live)
	leave()
	if c.settings.Replay {
		defer stages.enter("replay")()
		c.replayAll(limited, &p, b, &result.Proof)
	}
	return result, nil
}

// conclude makes findings of what the engine said, and of what was found out beside it.
func (c *Checker) conclude(p *project.Proof, report *vcgen.Report, omitted []vcgen.Instance,
	assumptions []found.Assumption, meta diagnostics.ProofMeta, live *Live) Result {
	report.Instances = slices.Concat(report.Instances, omitted)
	report.Assumptions = slices.Concat(report.Assumptions, assumptions, unusedBounds(p, report.UnusedBounds))
	return Result{Proof: diagnostics.Group(report, live.sources(c.settings.Root), meta), Covered: report.Covered}
}

// verify has the engine check a program, or takes what it said before.
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
	opts.Memo = live.memo
	var keys reportKeys
	var answers cache.Key
	cached := false
	if c.results != nil {
		leave := stages.enter("generate/recall")
		// Without reports everything is worked out again from the solver's answers: to measure, and to test these.
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
		// Answers hold even if the run did not get to its end.
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

// engineOptions are the proof's options with what only this package knows.
func engineOptions(p *project.Proof) vcgen.Options {
	opts := p.Options
	opts.UserFile = remembered(userFile)
	opts.EntryFile = p.EntryUnit.File
	opts.NoLoopContracts = !p.LoopContracts
	return opts
}

// undecided tells whether the run's end can have left something open.
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

// stopReason says why the engine stopped.
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

// Interrupted tells whether nothing is known of a proof because the run ended before it was done.
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

// meta is what the results of a proof have in common.
func (c *Checker) meta(p *project.Proof) diagnostics.ProofMeta { return metaOf(c.settings.Root, p) }

func metaOf(root paths.Root, p *project.Proof) diagnostics.ProofMeta {
	o := diagnostics.OptionsOf(p.Options)
	o.Timeout = p.Timeout.String()
	o.Flags = p.EntryUnit.Flags
	o.Expect = p.Expect
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

// acceptRules are the rules of what is accepted with their reasons.
func acceptRules(p *project.Proof) (list []diagnostics.Accept) {
	for i, a := range p.Accepts {
		list = append(list, diagnostics.Accept{AcceptRule: p.Options.Accept[i], Reason: a.Reason})
	}
	return list
}

// unknownProof is the result of a proof that the engine did not get through.
func unknownProof(meta diagnostics.ProofMeta, reason found.Reason) diagnostics.Proof {
	return diagnostics.Group(&vcgen.Report{Entry: meta.Entry, Reason: reason, EndReached: true}, nil, meta)
}

// failedBuild is the result of a proof that did not become a program.
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

// ReadSources reads the files that results name, from the disk.
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

// InSystemFolder tells whether a file belongs to the compiler or the system, by its place.
func InSystemFolder(file string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool { return strings.HasPrefix(file, dir) })
}

// rustLibrary matches the files of Rust's own library as its builds name them: Debian's, those of rustup, and those of
// rustup with its sources.
var rustLibrary = lazyregexp.New(`^/rustc/[0-9a-f]+/library/|/rustlib/src/rust/library/|^/usr/src/rustc-[^/]+/library/`)

// remembered is a question about files that is answered once for each: an execution of a million steps asks at each of
// them.
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

// userFile tells the user's files from models of libc and headers of the system.
func userFile(file string) bool {
	if language.IsModelFile(file) || filepath.Base(file) == "unitproof.h" || filepath.Base(file) == contract.File {
		return false
	}
	return !InSystemFolder(file) && !rustLibrary.MatchString(file)
}
