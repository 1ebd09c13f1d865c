package vcgen

import (
	"context"
	"errors"
	"math"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A proof with long loops may use up its time before the first query, although its violation appears in the first
// iteration. Therefore a long run pauses from time to time for a round: the same proof, unfolded again with few
// iterations of each loop whose condition is not constant, and settled. Each round goes deeper than the last one
// (Korf, "Depth-first iterative-deepening", 1985). A round corresponds to --unwind N: its violations are violations,
// obligations to which none of its cuts leads are settled finally, and everything else holds within its bounds. When
// time or memory end, the results of the rounds are reported. If even the first round does not end, because a loop
// with a constant bound takes all the time, the following rounds cut every loop.
//
// Rounds are scheduled by work, not by a clock, so that the same violations are found in the same way on every
// machine. A cached answer counts with the work of the original query. Due tasks are executed in the order in which
// they became due, with the budget of that moment, however late the run pauses. So a run with cached answers takes the
// course of the original run. If the whole reaches its end, all rounds together have cost it little; once the whole is
// given up, they get all that remains.

// All these are units of work of package ask.
const (
	// firstRound is the work after which a run pauses for the first round.
	firstRound = 2_000_000
	// roundsPart is the part of the work that rounds may cost while the whole is under way.
	roundsPart = 30
	// slower is the factor by which the work may be underestimated before time replaces it.
	slower = 2
	never  = math.MaxInt64
	// deeper is the expected increase in work from one round to the next.
	deeper = 2
	// hardShare is the share of the time after which the whole gives up obligations that are hard by themselves. The
	// rest is for the reachability of the others.
	hardShare = 0.8
	// wholeShare is the share of the time after which the whole is given up; the rest is for rounds.
	wholeShare = 0.9
	// hurryShare is the share of the time after which the first round without a limit of work decides only cheap
	// obligations: otherwise, a single hard query leaves the proof without results. hurryEveryShare is the same for the
	// round that cuts all loops.
	hurryShare, hurryEveryShare = 0.92, 0.97
	// roundShare is the share of the time after which the first round is given up. The rest is for rounds that cut
	// loops with constant bounds, too.
	roundShare = 0.95
)

// depths are the iterations of loops, and the depths of recursions, in the rounds.
var depths = []int{1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45}

// deepening coordinates the whole run of a proof with its rounds, executions and induction.
type deepening struct {
	ctx   context.Context
	m     *clangir.Module
	entry string
	opts  Options
	make  ask.NewSolver
	loops language.Loops

	due     int64     // the work of the whole after which the next round is due
	spent   int64     // the work of all rounds
	aside   int64     // time not spent on the whole, in microseconds
	next    int       // index into depths
	paused  bool      // the whole has paused for a round
	every   bool      // rounds cut all loops: otherwise even the first takes too long
	sizes   *sizes    // of the input, if the entry is a fuzz target: rounds decide one size each; else nil
	rounds  []*Report // the finished and useful ones, in execution order
	settled *Report   // report of a round without cuts: it equals the whole
	// explorer generates random inputs (explore.go). executeAt is the work of the whole after which they are used
	// again. executed are the violations of such executions, and of stopped rounds.
	explorer  *fuzz.Inputs
	executeAt int64
	executed  []Instance
	// violated are the findings with a counterexample from a round; reported are the findings passed to Options.Found.
	violated, reported map[findingKey]bool
	// inducted: induction was tried to its end, with the result in induction. inductions counts the stopped attempts
	// before. concluded is 1 plus the number of violations that were known at the last evaluation of induction beside
	// them.
	inducted   bool
	inductions int
	stopped    bool  // its evaluation was stopped, and goes on as a search does
	inductAt   int64 // the work of the whole after which a stopped attempt goes on
	induction  *inducted
	unsettled  *inducted // the search of a stopped attempt
	concluded  int
	part       *Report      // findings that induction proves although others stay open
	raised     bool         // loops were unrolled to a larger bound
	defect     found.Reason // of the engine: an invariant of the inductive proof is false in an execution
	// farExplorer generates large inputs; far is the number of farLooks that were tried.
	farExplorer *fuzz.Inputs
	far         int
	ended       found.Reason // why the whole, or the deepest round, was given up
}

func newDeepening(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	loops language.Loops) *deepening {
	d := &deepening{ctx: ctx, m: m, entry: entry, opts: opts, make: newSolver, loops: loops,
		violated: map[findingKey]bool{}, reported: map[findingKey]bool{}}
	if n := m.MaxInput(m.FuncByName[entry]); n > 0 {
		d.sizes = &sizes{max: int(n)}
	}
	return d
}

// timed is run with measured times.
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

// run returns the report of the whole, or the best replacement.
func (d *deepening) run() (*Report, error) {
	if d.loops.Cut() {
		return d.cutByContracts()
	}
	d.due, d.executeAt = d.firstRound(), firstExecutions
	full, err := d.unfoldWhole()
	if d.settled != nil {
		return d.merge(d.settled, true), nil
	}
	if full != nil && !full.short() {
		return d.inductive(full), nil
	}
	d.provePart(d.violated)
	limit := int64(0) // of the work of rounds
	if full != nil && full.finished {
		limit = d.spent + full.Stats.work // it finished, and queries were too hard
	} else if !d.ended.None() {
		d.execute(d.executeAt) // no proof takes longer because of them
	}
	for d.ctx.Err() == nil && d.rounding() && d.settled == nil && (limit == 0 || d.spent < limit) {
		remaining := int64(0)
		if limit > 0 {
			remaining = limit - d.spent
		}
		if d.round(remaining) {
			continue
		}
		if d.every || full != nil || d.next > 0 || d.sizes != nil && d.sizes.decided != nil {
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
	if full == nil && !d.known() {
		if d.ctx.Err() != nil || unfinished == nil {
			return nil, err
		}
		return &Report{Entry: d.entry, Reason: d.ended, EndReached: true, Stats: Stats{Unsettled: 1}}, nil
	}
	return d.withPart(d.merge(full, full != nil && full.finished)), nil
}

// cutByContracts is run for a program whose loops with contracts are cut: one iteration represents all, so there are no
// rounds. Loops without a contract are unrolled, and cut by induction if they are long.
func (d *deepening) cutByContracts() (*Report, error) {
	if !d.mayInduct() {
		return runExtent(d.ctx, d.m, d.entry, d.opts, d.make, extent{loops: d.loops, violated: d.violated})
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	d.next, d.executeAt, d.far = len(depths), never, len(farLooks)
	var run *engine
	x := extent{loops: d.loops, violated: d.violated, steady: true}
	x.pace = func(e *engine) {
		if run == nil {
			run = e
		}
		for w := e.Work(); ctx.Err() == nil && d.step(w, e.prog); {
			if d.settled != nil {
				stop(errComplete)
			}
		}
	}
	r, err := runExtent(ctx, d.m, d.entry, d.opts, d.make, x)
	if run != nil {
		run.ctx = d.ctx // states in the way are computed later
	}
	if d.settled != nil {
		return d.settled, nil
	}
	if err != nil {
		return nil, err
	}
	return d.inductive(r), nil
}

// known reports whether rounds or executions have results.
func (d *deepening) known() bool { return len(d.rounds) > 0 || len(d.executed) > 0 }

// unfoldWhole runs the proof without bounds of depth, with pauses for rounds. It returns nil if it was stopped before
// the program was unfolded.
func (d *deepening) unfoldWhole() (*Report, error) {
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	defer d.opts.Limits.watch(d.wholeShare(), stop)()
	if d.opts.Limits.Used != nil { // a proof with contracts has several runs
		d.aside = d.opts.Limits.Used()
	}
	opts := d.opts
	opts.Found = d.report
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

// step executes the task that became due first, given the work of the whole and the program that it has unfolded. It
// reports whether a task was due.
func (d *deepening) step(work int64, prog *unfold.Program) bool {
	induction, far, round := int64(never), int64(never), int64(never)
	if (prog.Long || prog.Open) && (!d.inducted || d.stopped) && d.inductions < inductionAttempts && !d.opts.Coverage &&
		d.mayInduct() {
		switch {
		case d.inductions > 0:
			induction = d.inductAt
		case prog.Endless: // unrolling does not decide the proof
			induction = 0
		case prog.Long:
			induction = firstInduction
		default:
			induction = openInduction
		}
	}
	if d.inducted || d.inductions > 0 && prog.Long {
		far = d.farDue()
	}
	if d.rounding() {
		round = d.due
	}
	// Induction may take all the time that there is, so the first round comes before it.
	early := !d.paused && induction < round && round < never
	switch due := min(induction, far, d.executeAt, round); {
	case due > work:
		return false
	case due == induction && early:
		d.pause(round)
	case due == induction:
		budget := d.inductionBudget()
		if d.stopped {
			d.concluded = 0 // evaluate it again
		} else {
			d.induct(nil, budget)
		}
		d.inductAt = due + budget/inductionTurns
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

// pause executes a round while the whole waits; the round was due after the given work.
func (d *deepening) pause(work int64) {
	leave := func() {}
	if d.opts.Stage != nil {
		leave = d.opts.Stage("rounds")
	}
	defer leave()
	d.paused = true
	part := d.roundsPart()
	budget := work/part - d.spent
	before := d.spent
	expect := deeper * budget
	if d.round(max(budget, 1)) {
		expect = deeper * (d.spent - before)
	}
	d.due = max((d.spent+expect)*part, work+1)
}

// round executes the next round with a budget of work, 0 for no limit, and reports whether it finished.
func (d *deepening) round(budget int64) bool {
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	share := 1.0
	if d.sizes != nil {
		share = sizesShare
	}
	if budget == 0 && !d.every && d.next == 0 && d.sizes == nil {
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
		d.report(in)
	}
	var work int64
	x := extent{loops: d.loops, every: d.every, budget: budget, violated: d.violated, again: d.next > 0}
	if d.sizes == nil || d.every {
		x.depth = depths[d.next]
	}
	if budget == 0 && d.next == 0 && d.sizes == nil {
		if x.hurry = hurryShare; d.every {
			x.hurry = hurryEveryShare
		}
	}
	began := int64(0)
	if d.sizes != nil {
		size := d.sizes.next
		x.input, x.again = &size, true
		if d.sizes.decided == nil && d.sizes.stopped%2 == 1 { // its loops may depend on something else
			x.depth = sizedDepth
		}
		if d.opts.Limits.Used != nil {
			began = d.opts.Limits.Used()
		}
	}
	x.pace = func(e *engine) {
		if x.input != nil && d.opts.Limits.Used != nil {
			e.lag(d.opts.Limits.Used() - began)
		}
		if work = e.Work(); budget > 0 && work > budget {
			stop(errBudget)
		}
	}
	report, err := runExtent(ctx, d.m, d.entry, opts, d.make, x)
	d.spent += work
	switch cause := context.Cause(ctx); {
	case cause == errScarce:
		d.ended = d.opts.Limits.Memory
	case cause == nil && err == nil && !report.hurried:
		report.finished = true
		if x.input != nil {
			d.decideSize(report)
			return true
		}
		d.rounds = append(d.rounds, report)
		d.next++
		if !report.cut { // deeper ones would be equal
			d.next = len(depths)
			if !report.short() {
				d.settled = report
			}
		}
		return true
	}
	if d.sizes != nil {
		d.sizes.stopped++
	}
	if report != nil { // it was stopped between queries
		d.rounds = append(d.rounds, report)
	} else {
		d.executed = append(d.executed, violations...)
	}
	return false
}

// report calls Options.Found once per violated finding, whichever run found it.
func (d *deepening) report(in Instance) {
	if key := keyOf(&in); !d.reported[key] && d.opts.Found != nil {
		d.reported[key] = true
		d.opts.Found(in)
	}
}
