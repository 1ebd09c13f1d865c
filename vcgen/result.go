package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Instance is an obligation reached through one call path.
type Instance struct {
	Kind found.Kind
	// Pos is the innermost place in the user's own files (models of libc functions and
	// system headers are not); Stack holds the calls that lead there, outermost first,
	// Deeper the frames below Pos that are not the user's.
	Pos    found.Pos
	Stack  []found.Pos
	Deeper []found.Pos
	// ConstFalse: the condition is the constant false (sassert(0), reach_error()).
	ConstFalse bool
	// Says is what a failure says of itself, where the program has it: the message of a panic.
	Says string
	// InEntryFile: Pos lies in the file of the entry.
	InEntryFile bool
	// Accepted: an [[accept]] rule covers it.
	Accepted bool

	Verdict found.Verdict
	// Reason, for unknown and bounded. An instance that is behind another one (Reason.Behind) is unknown without a
	// diagnostic.
	Reason found.Reason

	// LeftOut: the compiler made no code of it, since it saw that no way leads there. Not known to the engine.
	LeftOut bool

	Counterexample *found.Counterexample // failed
	// InTheWay is a state that keeps it from being shown, where its reason is NotInductive or NotUnrolled; nil: not known.
	InTheWay *found.Obstacle
	Core     []CoreEntry // vacuous or unreached: what contradicts, minimal

	// Cached: the solver was not asked about it in this run, and answers of earlier runs settled it.
	Cached bool
	// Cost is the time in nanoseconds that its questions and its counterexample took, by Options.Clock; of a question
	// about several each has its part.
	Cost int64

	obstacle func() *found.Obstacle // tells what is InTheWay; nil: nothing that is known

	reached bool // some execution gets there, as far as the run knows

	Loop  string // unwinding and bounded: "function#k"
	Bound int
}

// CoreEntry is an assumption or a branch that takes part in a contradiction.
type CoreEntry struct {
	Kind string // "assume" or "branch"
	Pos  found.Pos
	// Taken tells for a branch which way the contradiction needs.
	Taken  bool
	Turned Turned
}

// Turned tells whether a branch goes the way where its condition, as somebody wrote it, is true, when what it decides
// on is false: clang has the branch turn around for a ! of the source.
type Turned string

// Answers; "" is not known. OneOfSeveral is a branch with others at its place, of which the source shows one condition:
// a macro has && or || in it.
const (
	Straight     Turned = "no"
	TurnedAround Turned = "yes"
	OneOfSeveral Turned = "several"
)

// turned is that of an instruction.
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

// Report is what the engine says about one unit proof.
type Report struct {
	Entry       string
	Instances   []Instance
	Assumptions []found.Assumption
	// EndReached: some execution reaches an end (return, exit, abort) or a cut loop.
	// When false and vacuity is checked the proof is vacuous as a whole.
	EndReached bool
	// EndUnknown is why EndReached could not be decided, none when it could.
	EndUnknown found.Reason
	// Reason explains an Unknown of the whole proof that belongs to no instance
	// (for example: the step budget of unfolding ended before the program did).
	Reason found.Reason
	// Bounded is the loop or recursion that makes the whole proof bounded where there is no finding of it, since unwinding
	// is not checked.
	Bounded found.Reason
	// Loops are the user's loops that were executed, by their places.
	Loops []found.Loop
	// Covered is which lines of the user's code executions reach. It is only filled on demand.
	Covered found.Coverage
	// UnusedBounds are the names in Options.Loops that belong to nothing in the program.
	UnusedBounds []UnusedBound
	// Assumed are the places where the user's code assumes something, as far as it is linked.
	Assumed []found.Pos
	// Explained is what Options.Explain asks for.
	Explained *Explanation
	Stats     Stats

	cut      bool // some execution gets to where a loop or a recursion was cut
	unseen   unseen
	peeled   bool // where loops were cut by their contracts, it was behind a first iteration
	inducted bool // induction showed what needs any number of iterations
	finished bool // nothing stopped the run before its end
}

// UnusedBound is a bound of Options.Loops for a loop or a recursion that the program does not have.
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
	CacheHits       int // questions answered from the memo of earlier runs
	Unsettled       int // questions that ended by time, by cancelling or by a failure
	SolverConflicts int64
	Clauses         int64
	Steps           int64       // work as rounds are counted by, which does not depend on what is remembered
	Nanoseconds     int64       // that Verify took, by Options.Clock
	Executions      int64       // nanoseconds of it that went into executions with random inputs
	Unrolled        []Unrolling // what unrolling took of it, by place; what took most comes first
	// Mechanisms counts what each memory mechanism resolved, by name.
	Mechanisms map[string]int64
	// Rules counts how often the rewriting rules were used (smt.Rules); those that were not are left out.
	Rules map[string]int64

	work int64 // as deepening counts it
}

// addQuestions adds the questions of an asker.
func (s *Stats) addQuestions(c ask.Counts) {
	s.SolverQueries += c.Queries
	s.SolverConflicts += c.Conflicts
	s.CacheHits += c.Hits
	s.Unsettled += c.Unsettled
}

// VacuityMode says which dead obligations are reported as vacuous.
type VacuityMode string

// Vacuity modes.
const (
	VacuityEntry VacuityMode = "entry"
	VacuityAll   VacuityMode = "all"
	VacuityOff   VacuityMode = "off"
)

// MissingBody says what a called function without a body does.
type MissingBody string

// Ways to treat missing bodies.
const (
	MissingHavoc MissingBody = "havoc"
	MissingPure  MissingBody = "pure"
	MissingError MissingBody = "error"
)

// AcceptRule accepts findings of a kind in a function and what it calls ("" matches every function), and, where it has
// Lines, only those that lie there themselves.
type AcceptRule struct {
	Kind     found.Kind
	Function string
	Lines    found.Lines
}

// Covers tells whether the rule accepts a finding of a kind for a frame of its stack, of which only Function, File and
// Line count. innermost: it is the frame of the finding itself.
func (a *AcceptRule) Covers(kind found.Kind, frame found.Pos, innermost bool) bool {
	return a.Kind == kind && (a.Function == "" || a.Function == frame.Function) &&
		(a.Lines == found.Lines{} || innermost && a.Lines.Has(frame))
}

// DefaultMaxUnwind is where automatic unwinding ends.
const DefaultMaxUnwind = unfold.DefaultMaxUnwind

// DefaultSolverSteps are the steps that a solver may take for one question.
const DefaultSolverSteps = ask.SingleBudget

// Options are the settings of one proof.
type Options struct {
	Checks        map[found.Kind]bool
	MallocMayFail bool
	MissingBody   MissingBody
	// NoLoopContracts: loops are unrolled as if they had no contracts.
	NoLoopContracts bool
	Vacuity         VacuityMode
	Unwind          int            // 0: automatic, with at most MaxUnwind iterations of a loop whose end is not constant
	MaxUnwind       int            // 0: DefaultMaxUnwind
	SolverSteps     int            // 0: DefaultSolverSteps
	Loops           map[string]int // "function#k" -> bound
	Accept          []AcceptRule
	// UserFile tells whether a source file belongs to the user (and not to the models of
	// libc or to system headers).
	UserFile func(file string) bool
	// EntryFile is the file of the entry as it stands in the module's positions.
	EntryFile string
	Coverage  bool
	// Explain asks for Report.Explained.
	Explain bool
	// Found, if any, is told of each violation as soon as it is confirmed.
	Found func(Instance)
	// Stage, if any, is told when a part of the work begins; what it returns, when that ends. Parts nest.
	Stage func(name string) (leave func())
	// Clock, if any, gives the time in nanoseconds since some moment, for Instance.Cost, Stats.Nanoseconds and
	// Stats.Unrolled. No verdict depends on it.
	Clock func() int64
	// Limits tell what is left of the proof's time and memory.
	Limits Limits
	// Memo holds answers from run to run; nil: every question is asked.
	Memo *ask.Memo
	// FullTrace: counterexamples have all steps of their execution, not the slice only.
	FullTrace bool
	// MaxInstructions bounds the unfolding further than it is bounded anyway; what is left then is unknown. 0: no bound.
	MaxInstructions int64 `json:",omitempty"`
	// Disable switches mechanisms off, for measuring.
	Disable map[Mechanism]bool
	// Without are assumptions of the program that do not count, by file, line and column; for attacks on cores.
	Without []found.Pos `json:",omitempty"`

	drop func(*seair.Site) bool // assumptions of the program that do not count; nil: all do
	ways bool                   // note how branches are followed
	// meter, if any, counts the work of all runs.
	meter *meter

	unrolled *unrollings // nil: nobody counts
}
