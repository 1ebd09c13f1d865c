package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Instance is an obligation reached through one call path.
type Instance struct {
	Kind found.Kind
	// Pos is the innermost position in the user's own files, which exclude models of libc functions and system
	// headers. Stack contains the calls that lead there, outermost first; Deeper the frames below Pos, which are not
	// the user's.
	Pos    found.Pos
	Stack  []found.Pos
	Deeper []found.Pos
	// ConstFalse: the condition is the constant false (sassert(0), reach_error()).
	ConstFalse bool
	// Says is the program's own message for the failure, if it has one: the message of a panic.
	Says string
	// InEntryFile: Pos is in the file of the entry.
	InEntryFile bool
	// Accepted: an [[accept]] rule covers it.
	Accepted bool

	Verdict found.Verdict
	// Reason explains unknown and bounded. An instance behind another one (Reason.Behind) is unknown without a
	// diagnostic.
	Reason found.Reason

	// LeftOut: the compiler emitted no code for it, because it is unreachable. The engine does not set it.
	LeftOut bool

	Counterexample *found.Counterexample // if failed
	// InTheWay is a state that prevents its proof, if the reason is NotInductive or NotUnrolled; nil if it is unknown.
	InTheWay *found.Obstacle
	Core     []CoreEntry // if vacuous or unreached: a minimal contradiction

	// Cached: answers of earlier runs settled it, without a solver query in this run.
	Cached bool
	// Cost is the time, in nanoseconds of Options.Clock, of its queries and its counterexample. A query about several
	// instances is divided among them.
	Cost int64

	obstacle func() *found.Obstacle // computes InTheWay; nil if there is none

	reached bool // a known execution reaches it
	found   bool // it is an invariant that was found for a loop
	// unsure: it is violated in an execution, and is about a pointer whose object the cut loops leave open. It may hold in
	// an execution though it is false in the log, so nothing may rest on it.
	unsure bool

	Loop  string // if unwinding or bounded: "function#k"
	Bound int
}

// CoreEntry is an assumption or a branch in a contradiction.
type CoreEntry struct {
	Kind found.CoreKind
	Pos  found.Pos
	// Taken is, for a branch, the direction in the contradiction.
	Taken  bool
	Turned Turned
}

// Turned states whether a branch instruction tests the negation of its condition in the source: clang exchanges the
// successors for a ! operator.
type Turned string

// Values of Turned; "" is unknown. OneOfSeveral is a branch that shares its position with others, though the source
// has one condition there: a macro contains && or ||.
const (
	Straight     Turned = "no"
	TurnedAround Turned = "yes"
	OneOfSeveral Turned = "several"
)

// turned returns the Turned of a branch instruction.
func turned(at instruction) Turned {
	if at.in == nil || at.in.Loc == nil {
		return ""
	}
	for _, b := range at.f.Blocks {
		if in := b.Term(); in != at.in && in.Op == llvmir.OpCondBr && !in.NoSanitize && in.Loc != nil &&
			in.Loc.Line == at.in.Loc.Line && in.Loc.Col == at.in.Loc.Col && in.Loc.File == at.in.Loc.File {
			return OneOfSeveral
		}
	}
	switch around, known := clangir.Turned(at.f, at.in); {
	case !known:
		return ""
	case around:
		return TurnedAround
	}
	return Straight
}

// Report is the result of one unit proof.
type Report struct {
	Entry       string
	Instances   []Instance
	Assumptions []found.Assumption
	// EndReached: some execution reaches an end (return, exit, abort) or a cut loop. If it is false and vacuity is
	// checked, the whole proof is vacuous.
	EndReached bool
	// EndUnknown is the reason why EndReached is undecided, if it is.
	EndUnknown found.Reason
	// Reason explains an unknown of the whole proof that belongs to no instance. For example, the unfolding used up
	// its step budget before the end of the program.
	Reason found.Reason
	// Bounded is the loop or recursion that makes the whole proof bounded, if that is no finding because unwinding is
	// not checked.
	Bounded found.Reason
	// Loops are the user's executed loops, sorted by position.
	Loops []found.Loop
	// Covered contains the lines of the user's code that executions reach; only with Options.Coverage.
	Covered found.Coverage
	// UnusedBounds are the names in Options.Loops that match nothing in the program.
	UnusedBounds []UnusedBound
	// Assumed are the positions of assumptions in the user's linked code.
	Assumed []found.Pos
	// Explained is the result of Options.Explain.
	Explained *Explanation
	Stats     Stats

	cut      bool // some execution reaches a cut of a loop or recursion
	unseen   unseen
	loops    language.Loops // how the run that proved the most executed loops with contracts
	inducted bool           // induction proved a part, for any number of iterations
	finished bool           // the run ended by itself
	hurried  bool           // its time ended while hard obligations were open; it then decided cheap ones only
}

// UnusedBound is a bound in Options.Loops for a loop or recursion that the program lacks.
type UnusedBound = flow.UnusedBound

// Stats counts the engine's work.
type Stats struct {
	Instructions    int64 // LLVM instructions executed symbolically
	Terms           int
	Events          int
	Obligations     int
	Objects         int
	SettledFolded   int // obligations settled without a query
	SolverQueries   int
	CacheHits       int // queries answered from the memo
	Unsettled       int // queries that ended by time, by cancelling or by a failure
	SolverConflicts int64
	Clauses         int64
	Steps           int64       // work by which rounds are scheduled; it is independent of cached answers
	Nanoseconds     int64       // time of Verify, by Options.Clock
	Executions      int64       // nanoseconds of it spent on executions with random inputs
	Unrolled        []Unrolling // time of it spent on unrolling, by place, the largest first
	// Mechanisms counts the uses of each memory mechanism, by name.
	Mechanisms map[string]int64
	// Rules counts the uses of the rewriting rules (smt.Rules); unused rules are omitted.
	Rules map[string]int64

	work int64 // as counted by deepening
}

// addQuestions adds the counts of an asker.
func (s *Stats) addQuestions(c ask.Counts) {
	s.SolverQueries += c.Queries
	s.SolverConflicts += c.Conflicts
	s.CacheHits += c.Hits
	s.Unsettled += c.Unsettled
}

// VacuityMode selects the unreachable obligations that are reported as vacuous.
type VacuityMode string

// Vacuity modes.
const (
	VacuityEntry VacuityMode = "entry"
	VacuityAll   VacuityMode = "all"
	VacuityOff   VacuityMode = "off"
)

// AcceptRule accepts findings of a kind in a function and its callees ("" matches every function). If Lines is set, it
// accepts only findings on these lines.
type AcceptRule struct {
	Kind     found.Kind
	Function string
	Lines    found.Lines
}

// Covers reports whether the rule accepts a finding of a kind for a frame of its stack. It uses only Function, File
// and Line of the frame. innermost: it is the frame of the finding itself.
func (a *AcceptRule) Covers(kind found.Kind, frame found.Pos, innermost bool) bool {
	return a.Kind == kind && (a.Function == "" || a.Function == frame.Function) &&
		(a.Lines == found.Lines{} || innermost && a.Lines.Has(frame))
}

// DefaultMaxUnwind is the default bound of automatic unwinding.
const DefaultMaxUnwind = unfold.DefaultMaxUnwind

// DefaultSolverSteps is the default limit of solver steps per query.
const DefaultSolverSteps = ask.SingleBudget

// Options are the settings of one proof.
type Options struct {
	found.Semantics
	// NoLoopContracts: loops are unrolled as if they had no contracts.
	NoLoopContracts bool
	Vacuity         VacuityMode
	Unwind          int            // 0: automatic, with at most MaxUnwind iterations whose condition is not constant
	MaxUnwind       int            // 0: not given, DefaultMaxUnwind unless the engine raises it
	SolverSteps     int            // 0: DefaultSolverSteps
	Loops           map[string]int // "function#k" -> bound
	Accept          []AcceptRule
	// EntryFile is the file of the entry, as in the module's positions.
	EntryFile string
	Coverage  bool
	// Explain requests Report.Explained. NoCores leaves out the assumptions that the findings need, which take most of its
	// time.
	Explain, NoCores bool
	// Found, if any, is called with each violation as soon as it is confirmed.
	Found func(Instance)
	// Progress, if any, is called regularly, and before work that does not poll the context, with a function that returns
	// where the time goes: if the process is killed, there is no other account of it.
	Progress func(where func() string)
	// Stage, if any, is called at the beginning of a phase of work; it returns a function that is called at its end.
	// Phases nest.
	Stage func(name string) (leave func())
	// Clock, if any, returns the time in nanoseconds since some moment, for Instance.Cost, Stats.Nanoseconds and
	// Stats.Unrolled. No verdict depends on it.
	Clock func() int64
	// Limits report the remaining time and memory of the proof.
	Limits Limits
	// Memo caches answers across runs; nil: every query is solved.
	Memo *ask.Memo
	// FullTrace: counterexamples contain all steps of their execution, not only the slice.
	FullTrace bool
	// MaxInstructions is an additional limit of the unfolding; everything beyond it is unknown. 0: no limit.
	MaxInstructions int64 `json:",omitempty"`
	// Disable switches mechanisms off, for measurements.
	Disable map[Mechanism]bool
	// Without are assumptions of the program to ignore, by file, line and column; for tests of cores.
	Without []found.Pos `json:",omitempty"`

	drop     func(*seair.Site) bool // assumptions of the program to ignore; nil: none
	branches bool                   // record how branches are followed
	// meter, if any, counts the work of all runs.
	meter *meter

	unrolled *unrollings // nil: not counted
}
