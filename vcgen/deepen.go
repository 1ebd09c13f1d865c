package vcgen

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A proof whose loops are long may use up its time before the first question is asked, although the violation that it
// has shows in the first iteration. So a run that has taken a while pauses now and then for a round: the same proof,
// unfolded anew with few iterations of each loop whose end is not constant, and settled. Each round goes deeper than
// the last one (Korf, "Depth-first iterative-deepening", 1985). A round is to the whole what --unwind N is: its
// violations are violations, what no cut of it leads to is settled for good, and everything else holds within its
// bounds. When time or memory end, what the rounds know is what is known. Where even the first round does not end,
// since a loop of constant length takes all the time, those that follow cut every loop.
//
// When a round is due is counted in work and not by a clock, so that the same violations are found the same way on
// every machine. The work of a question whose answer is remembered counts as it did when it was asked, and what is due
// is done in the order in which it became due and with what it was given then, however late the run pauses: so a run
// that remembers goes the way of the first one. All rounds together may cost a run that gets to its end little; once
// that is given up, they have all.

// All this is work as package ask counts it.
const (
	// firstRound is when a run pauses for the first round.
	firstRound = 2_000_000
	// roundsPart is the part of its work that rounds may cost while the whole is under way.
	roundsPart = 30
	// slower is how many times the work may be underestimated before time takes its place.
	slower = 2
	never  = math.MaxInt64
	// deeper is how much more work the next round is expected to be.
	deeper = 2
	// inputDepth is how often a loop's body runs in a round for each byte of an input: most loops over it end by
	// themselves, so that the round is cut by the size of the input only.
	inputDepth = 4
	// hardShare is the share of the time after which the whole gives up obligations that are hard by themselves: the rest
	// is for the question which of the others are reached.
	hardShare = 0.8
	// wholeShare is that after which the whole is given up: the rest is for rounds.
	wholeShare = 0.9
	// roundShare is that after which the first round is given up: the rest is for rounds that cut loops whose end is
	// constant, too.
	roundShare = 0.95
)

// depths are how often a loop's body runs in the rounds, and how deep recursions go.
var depths = []int{1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45}

// Limits tell the engine, which has no clock and knows no memory, what a proof has left.
type Limits struct {
	// Used is how much of the proof's time was used, in microseconds.
	Used func() int64
	// Watch calls scarce once when memory gets scarce, and late when a share of the time was used, on any goroutine, until
	// leave is called, which gives back what is not used any more.
	Watch func(share float64, scarce, late func()) (leave func())
	// Time and Memory are why a proof ends if these do, Stuck if its processes make no progress.
	Time, Memory, Stuck found.Reason
}

// ErrStuck is the cause of a context that ends since the processes of a proof make no progress. It is a deadline, too,
// for solvers, which say that they gave no answer.
var ErrStuck = fmt.Errorf("the processes of the proof make no progress: %w", context.DeadlineExceeded)

// Causes for which a run is stopped before its proof is.
var (
	errScarce   = errors.New("memory is scarce")
	errLate     = errors.New("the time is needed for rounds")
	errBudget   = errors.New("the budget of a run ended")
	errComplete = errors.New("a round has settled everything")
)

// ended is why a run whose context has ended was stopped.
func (l *Limits) ended(ctx context.Context) found.Reason {
	reason := found.Reason{}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errScarce):
		reason = l.Memory
	case errors.Is(cause, ErrStuck):
		reason = l.Stuck
	case errors.Is(cause, errLate) || errors.Is(cause, context.DeadlineExceeded):
		reason = l.Time
	}
	if reason.None() { // somebody else stopped it
		reason.Why = found.Cancelled
	}
	return reason
}

// watch has a run stopped when memory gets scarce, and when a share of the time was used.
func (l *Limits) watch(share float64, stop context.CancelCauseFunc) (leave func()) {
	if l.Watch == nil {
		return func() {}
	}
	return l.Watch(share, func() { stop(errScarce) }, func() { stop(errLate) })
}

// until does something that is stopped when a share of the time was used, and nothing else of the run with it; 0: it is
// not stopped.
func (e *engine) until(share float64, do func()) {
	if share == 0 {
		do()
		return
	}
	whole := e.ctx
	ctx, stop := context.WithCancelCause(whole)
	defer stop(nil)
	defer e.opts.Limits.watch(share, stop)()
	e.ctx = ctx
	defer func() { e.ctx = whole }()
	do()
}

// deepening is the whole run of a proof and its rounds.
type deepening struct {
	ctx   context.Context
	m     *clangir.Module
	entry string
	opts  Options
	make  ask.NewSolver
	loops language.Loops

	due     int64     // the work of the whole at which the next round is due
	spent   int64     // the work of all rounds
	aside   int64     // the time that was not the whole's, in microseconds
	next    int       // of depths
	every   bool      // rounds cut all loops: even the first one takes too long where some are left whole
	rounds  []*Report // those that told something, in the order in which they were done
	settled *Report   // that of a round that was cut nowhere: it is the whole
	// explorer has random inputs (explore.go); executeAt is the work of the whole at which it does so again, and
	// executed are the violations that such inputs had, and rounds that were stopped.
	explorer  *fuzz.Inputs
	executeAt int64
	executed  []Instance
	// violated are the findings that a round has a counterexample of; told those that Options.Found knows.
	violated, told map[findingKey]bool
	// inducted: induction was tried to its end, and what came of it; inductions is how often it was stopped before that.
	// concluded is how many violations were known when it was last asked what holds beside them, from 1.
	inducted   bool
	inductions int
	induction  *inducted
	concluded  int
	raised     bool         // loops were unrolled to a larger bound
	defect     found.Reason // of the engine: what proves all that is open is false in an execution
	// farExplorer makes large inputs, and far is how many of farLooks were tried with them.
	farExplorer *fuzz.Inputs
	far         int
	ended       found.Reason // why the whole, or the deepest round, was given up
}

func newDeepening(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	loops language.Loops) *deepening {
	return &deepening{ctx: ctx, m: m, entry: entry, opts: opts, make: newSolver, loops: loops,
		violated: map[findingKey]bool{}, told: map[findingKey]bool{}}
}

// timed is run, and notes what it took.
func (d *deepening) timed() (*Report, error) {
	began := int64(0)
	if d.opts.Clock != nil {
		began, d.opts.unrolled = d.opts.Clock(), newUnrollings(d.opts.Clock)
	}
	report, err := d.run()
	if err == nil && d.opts.Coverage {
		report.Covered = report.Covered.Join(report.reachedLines())
	}
	if err == nil && d.opts.Clock != nil {
		report.Stats.Nanoseconds = d.opts.Clock() - began
		report.Stats.Executions, report.Stats.Unrolled = d.opts.unrolled.executions, d.opts.unrolled.list()
	}
	return report, err
}

// run gives the whole, or what is known in its place.
func (d *deepening) run() (*Report, error) {
	if d.loops.Cut() { // one iteration stands for all: there is nothing to be deepened
		return runExtent(d.ctx, d.m, d.entry, d.opts, d.make, extent{loops: d.loops, violated: d.violated})
	}
	d.due, d.executeAt = firstRound, firstExecutions
	whole, err := d.unfoldWhole()
	if d.settled != nil {
		return d.merge(d.settled, true), nil
	}
	if whole != nil && !whole.short() {
		return d.inductive(whole), nil
	}
	limit := int64(0) // of the work of rounds
	if whole != nil && whole.finished {
		limit = d.spent + whole.Stats.work // it got to its end, and questions were too hard
	} else if !d.ended.None() {
		d.execute(d.executeAt) // no proof takes longer for that
	}
	for d.ctx.Err() == nil && d.next < len(depths) && d.settled == nil && (limit == 0 || d.spent < limit) {
		left := int64(0)
		if limit > 0 {
			left = limit - d.spent
		}
		if d.round(left) {
			continue
		}
		if d.every || whole != nil || d.next > 0 {
			break // deeper ones would not end either
		}
		d.every = true
	}
	if d.settled != nil {
		return d.merge(d.settled, true), nil
	}
	if d.ctx.Err() != nil && d.ended.None() {
		d.ended = d.opts.Limits.ended(d.ctx)
	}
	var unfinished *Unfinished
	if errors.As(err, &unfinished) && !d.ended.None() {
		d.ended.Text = unfinished.Where()
	}
	if whole == nil && !d.known() {
		if d.ctx.Err() != nil || unfinished == nil {
			return nil, err
		}
		return &Report{Entry: d.entry, Reason: d.ended, EndReached: true, Stats: Stats{Unsettled: 1}}, nil
	}
	return d.merge(whole, whole != nil && whole.finished), nil
}

// known tells whether rounds or executions have told anything.
func (d *deepening) known() bool { return len(d.rounds) > 0 || len(d.executed) > 0 }

// unfoldWhole runs the proof without bounds of depth, pausing for rounds. Nil: it was stopped before it was unfolded.
func (d *deepening) unfoldWhole() (*Report, error) {
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	defer d.opts.Limits.watch(wholeShare, stop)()
	if d.opts.Limits.Used != nil { // a contract has several runs
		d.aside = d.opts.Limits.Used()
	}
	opts := d.opts
	opts.Found = d.tell
	x := extent{loops: d.loops, hard: hardShare, violated: d.violated}
	x.pace = func(e *engine) {
		used := int64(0)
		if d.opts.Limits.Used != nil {
			used = d.opts.Limits.Used()
			e.lag(used - d.aside)
		}
		for w := e.Work(); ctx.Err() == nil && d.step(w, e.prog); {
			if d.settled != nil {
				stop(errComplete)
			}
		}
		if d.opts.Limits.Used != nil {
			d.aside += d.opts.Limits.Used() - used
		}
	}
	report, err := runExtent(ctx, d.m, d.entry, opts, d.make, x)
	if ctx.Err() != nil {
		d.ended = d.opts.Limits.ended(ctx)
	} else if report != nil {
		report.finished = true
	}
	return report, err
}

// step does what became due first of all that is due when the whole, which has unfolded so much of the program, has done
// some work. It reports whether something was due.
func (d *deepening) step(work int64, prog *unfold.Program) bool {
	induction, far, round := int64(never), int64(never), int64(never)
	if prog.Long && !d.inducted && d.inductions == 0 && !d.opts.Coverage && d.mayInduct() {
		if induction = firstInduction; prog.Endless { // unrolling does not decide the proof
			induction = 0
		}
	}
	if d.inducted || d.inductions > 0 {
		far = d.farDue()
	}
	if d.next < len(depths) {
		round = d.due
	}
	switch due := min(induction, far, d.executeAt, round); {
	case due > work:
		return false
	case due == induction:
		d.induct(nil, firstInductionWork)
	case due == far:
		d.executeFar(due)
	case due == d.executeAt:
		d.execute(due)
		d.executeAt *= 2
	default:
		d.pause(due)
	}
	d.conclude()
	return true
}

// pause does a round while the whole waits, which was due after some work.
func (d *deepening) pause(work int64) {
	leave := func() {}
	if d.opts.Stage != nil {
		leave = d.opts.Stage("rounds")
	}
	defer leave()
	budget := work/roundsPart - d.spent
	before := d.spent
	expect := deeper * budget
	if d.round(max(budget, 1)) {
		expect = deeper * (d.spent - before)
	}
	d.due = max((d.spent+expect)*roundsPart, work+1)
}

// round does the next round with so much work, 0 for any, and tells whether it got to its end.
func (d *deepening) round(budget int64) bool {
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	share := 1.0
	if budget == 0 && !d.every && d.next == 0 {
		share = roundShare
	}
	defer d.opts.Limits.watch(share, stop)()
	opts := d.opts
	if opts.Memo != nil {
		opts.Memo = opts.Memo.Beside()
		defer opts.Memo.Seal()
	}
	var violations []Instance
	opts.Found = func(in Instance) {
		violations = append(violations, in)
		d.violated[keyOf(&in)] = true
		d.tell(in)
	}
	var work int64
	x := extent{loops: d.loops, depth: depths[d.next], every: d.every, budget: budget,
		violated: d.violated, again: d.next > 0}
	if d.m.MaxInput(d.m.FuncByName[d.entry]) > 0 { // the input of a fuzz target is made longer along
		x.input, x.depth = x.depth, inputDepth*x.depth
	}
	x.pace = func(e *engine) {
		if work = e.Work(); budget > 0 && work > budget {
			stop(errBudget)
		}
	}
	report, err := runExtent(ctx, d.m, d.entry, opts, d.make, x)
	d.spent += work
	switch cause := context.Cause(ctx); {
	case cause == errScarce:
		d.ended = d.opts.Limits.Memory
	case cause == nil && err == nil:
		report.finished = true
		d.rounds = append(d.rounds, report)
		d.next++
		if !report.cut { // deeper ones would be the same
			d.next = len(depths)
			if !report.short() {
				d.settled = report
			}
		}
		return true
	}
	if report != nil { // it was stopped between questions
		d.rounds = append(d.rounds, report)
	} else {
		d.executed = append(d.executed, violations...)
	}
	return false
}

// tell hands on the violation of a finding once, whichever run found it.
func (d *deepening) tell(in Instance) {
	if key := keyOf(&in); !d.told[key] && d.opts.Found != nil {
		d.told[key] = true
		d.opts.Found(in)
	}
}

// extent is how far a run goes.
type extent struct {
	instructions int64 // to be unfolded at most; 0: as many as there are
	budget       int64 // of work, after which the run is stopped; 0: any
	depth        int   // how often a loop's body runs whose end is not constant; 0: as the options say
	every        bool  // depth bounds loops whose end is constant, too
	input        int   // the size of the input of a fuzz target at most; 0: as the program says
	loops        language.Loops
	hard         float64 // the share of the time after which obligations that are hard by themselves are given up; 0: none
	induction    *unfold.Induction
	// pace is called now and then while the run is under way: it may do something else, or end its context.
	pace func(*engine)
	// steady: it is called between questions only. What is asked of candidates is to be decided within few conflicts, and
	// a search that pauses may need more.
	steady bool
	// again: a round less deep got to its end, and one that is stopped has only its violations to tell. What else it would
	// know takes long to find out where there are 100,000 obligations, and the time has ended.
	again bool
	// violated are findings of which a counterexample is known.
	violated map[findingKey]bool
}

// lag counts time, in microseconds, where the work is harder than it looks.
func (e *engine) lag(used int64) {
	behind := max(used/slower-e.Work(), 0)
	e.Spend(behind)
	e.lagged += behind
}

// pause lets others work.
func (e *engine) pause() {
	e.tellMeter()
	if e.extent.pace != nil {
		e.extent.pace(e)
	}
}

// interrupts tells whether others work during searches, too.
func (e *engine) interrupts() bool {
	return (e.extent.pace != nil || e.opts.meter.limits()) && !e.extent.steady
}

// recurs tells whether a run that was stopped for a cause is stopped there whenever it does the same.
func recurs(cause error) bool { return cause == errBudget || cause == errComplete }
