// Package unfold executes LLVM IR symbolically and returns a log of events over terms (package seair). Calls are
// inlined, loops are unrolled or cut, and states that meet at a block are merged by if-then-else terms over their
// guards, as in gated SSA.
//
//	int f(int x) {
//	  int y = 0;
//	  if (x > 0)
//	    y = x;
//	  sassert(y >= 0);
//	}
//
// becomes one input and one event; no branch is left:
//
//	input parameter x
//	0  5:3  obligation assertion: 0 <= (x > 0 ? x : 0)
//
// Terms:
//
//   - A guard is a path condition: the conjunction of the branch conditions on the way to a place (package guard).
//   - A path is a guard with the memory there.
//   - A visit is one execution of a block, in one iteration of each loop around it. It merges all edges that lead to
//     it.
//   - A cut is a place behind which the program was not unfolded, such as a loop after its last unrolled iteration
//     (iterations.go). The instructions that may follow it are its region.
//   - A cut loop is executed once, from a state in which everything that it changes is arbitrary, so no iteration is
//     left out. Package vcgen selects the loops that are cut by induction (Options.Induction). A loop with a contract
//     is cut by the code of package contract, if Options.LoopContracts says so.
//   - To havoc a value or an object is to replace it by new symbols, which have any values. memhavoc, functions without
//     a body and cut loops do so.
//   - To lift is to move if-then-else terms out of an asserted condition (smt.LiftChoices).
//
// Principal types: Run takes Options and an Oracle and returns a Program. Inside, run is the state of one unfolding,
// frame is one call, visit one execution of a block, value the content of a register.
//
// Reading order: unfold.go (the state of a run), program.go (the result), frame.go (one call: visits and merging),
// control.go (edges and terminators), iterations.go (bounds of loops and recursions), positions.go (states that are
// not merged), exec.go (instructions), induction.go and linked*.go (loops that are cut at their heads), assume.go
// (assumptions and inputs), call.go and the files after it (calls and built-in functions). Facts that are computed
// once per function are in package flow; everything that needs no execution is in the packages arith, guard and
// quantify.
//
// The package uses no solver: an Oracle decides whether the next iteration of a loop is feasible.
package unfold

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/space"
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// Oracle decides questions that folding of terms does not decide.
type Oracle interface {
	// Feasible reports whether alive and guard are satisfiable together; true if undecided. alive is the conjunction
	// of all assumptions and held obligations so far, so it only gets stronger from one call to the next.
	Feasible(ctx context.Context, alive, guard smt.Term) bool
}

// Options are the settings of an unfolding.
type Options struct {
	found.Semantics
	Unwind        int // 0: automatic
	MaxUnwind     int // if Unwind is 0: limit of iterations whose condition is not constant; 0: DefaultMaxUnwind
	LoopContracts language.Loops
	Loops         map[string]int
	Accepted      func(kind found.Kind, frame found.Pos, innermost bool) bool
	ReadsFreed    func(at found.Pos) bool // whether reads of freed memory there return its old content
	Off           mem.Mechanisms
	NoFacts       bool // do not narrow variables by assumptions
	NoCursors     bool // merge states even if they differ in the positions of cursors
	NoOutcomes    bool // merge the states behind a call even if it returned different constants
	NoLifting     bool // leave if-then-else terms inside of assertions
	// MaxInstructions is an additional limit of the executed instructions; 0 for none.
	MaxInstructions int64
	// Depth is an additional limit of the iterations of a loop whose condition is not constant, and of the depth of a
	// recursion; 0 for none.
	Depth int
	Every bool // Depth also limits loops whose condition is constant
	// Input is the only size of the input of a fuzz target, in bytes. Larger sizes are cut off; smaller ones are left
	// to other runs. nil: all sizes.
	Input *int
	// Poll, if any, is called regularly. It may cancel the context.
	Poll func()
	// Drop reports whether an assumption of the program (language.Assume) is ignored; nil: none is.
	Drop func(*seair.Site) bool
	// Ways requests Program.Ways.
	Ways bool
	// Lines requests Program.Lines.
	Lines bool
	// At, if any, is called with the new place whenever the place of execution changes. The zero Location is outside
	// of all functions.
	At func(Location)
	// Bind, if any, is called with the program before it is unfolded: the oracle needs its memory.
	Bind func(*Program)
	// Induction, if any, selects the loops that are cut at their heads.
	Induction *Induction
}

// Limits of automatic unwinding (Options.Unwind is 0) and of a whole unfolding.
const (
	maxConstantInstructions = 10_000_000
	DefaultMaxUnwind        = 64
	maxInstructions         = 60_000_000
	maxCallDepth            = 20_000
	// shallow is the depth up to which the oracle is not asked whether an iteration is feasible.
	shallow = 4
	// sizedScan is the number of positions of a scan that are enumerated if the input has one size. Its strings are
	// short then, and instances of quantifiers cost more than the positions.
	sizedScan = 300
)

// run is the state of one unfolding.
type run struct {
	ctx   context.Context
	m     *clangir.Module
	entry *llvmir.Func
	c     *smt.Context
	mem   *mem.Memory
	log   *seair.Log
	// applications are the calls of uninterpreted functions so far, by name.
	applications map[string][]application
	opts         Options
	oracle       Oracle
	prog         *Program
	location     Location // the last argument of Options.At

	program *flow.Program
	reached map[memoryPosition]bool     // positions in memory that are known to be reachable
	globals map[*llvmir.Global]smt.Term // base symbols
	funcs   map[*llvmir.Func]smt.Term
	funcIDs []*llvmir.Func // by mem.Object.Fn

	// taken are the functions whose address is taken. symbols caches the symbols of terms. Both are filled on demand,
	// by calls through arbitrary pointers.
	taken   map[*llvmir.Func]bool
	symbols map[smt.Term]symbols

	// alive is the conjunction of all assumptions and held obligations so far.
	alive   smt.Term
	stopped bool
	// inexpressible is the text of an evaluated constant that terms cannot express; "" for none.
	inexpressible string
	// stoppedIn are the loops that were under way when stopped was set.
	stoppedIn []LoopUnderWay
	current   *frame // the innermost one when the context was last polled, for Progress
	// at and atInstr are the place whose constant expression is being evaluated.
	at      *frame
	atInstr *llvmir.Instr
	depth   int
	// ending is set once the entry has returned or exit was called.
	ending bool
	// escaped holds the objects that functions without a body know, and how.
	escaped map[int]acquaintance
	// labels are the labels whose addresses are taken, by their objects.
	labels map[int]*llvmir.Global
	// required are the objects that a contract requires, in its proof: they exist before the call.
	required map[int]bool
	// shared are the variables with external linkage that are not constant, by their objects; nil until it is needed.
	shared map[int]bool
	// known is the set of facts about variables that the assumptions so far imply.
	known *smt.Knowledge
	// inputMade and contentMade are the path conditions under which symbols and arbitrary contents were created.
	inputMade   map[smt.Term]smt.Term
	contentMade map[smt.Func]smt.Term
	noted       map[noted]bool
	multiplied  bool // a product of floats was computed
	precisions  map[*llvmir.Func]clangir.Precision
	// allocSite is the place where a heap object was allocated.
	allocSite map[int]*seair.Site
	links     links
	running   *frame // of the visit that is executed
	// neverWritten recognizes the content of memory that was never written. noValue recognizes the results of
	// functions that return none, which are a part of that content.
	neverWritten, noValue *unwritten
	floats                *arith.Floats
	// quantifiers are the quantifiers of contracts and of scans; nil if the program has none.
	quantifiers *quantify.Set
	contracts
	// settledChecks are the guards of the logged instances of checks whose condition folded to true.
	settledChecks map[settledCheck]map[*guard.Guard]bool

	asked  map[smt.Term]bool // guards of calls that the oracle was asked about
	scans  int               // scans so far whose position is not known
	lifted int               // steps of lifting choices out of assertions
}

// settledCheck identifies a check of a sanitizer by the call that reports its failure.
type settledCheck struct {
	call int
	kind found.Kind
}

// quantifying are the functions that create quantifiers.
var quantifying = []string{"__unitproof_forall", "__unitproof_exists", "unitproof_find", "unitproof_find_last",

	"unitproof_differ"}

// Run unfolds the entry of a module. If ctx is cancelled it returns an Unfinished error.
func Run(ctx context.Context, m *clangir.Module, entry string, c *smt.Context, oracle Oracle, opts Options) (*Program,
	error) {
	f := m.FuncByName[entry]
	if f == nil || len(f.Blocks) == 0 {
		return nil, fmt.Errorf("no function %s in the program", entry)
	}
	defer c.SeeFunctions(c.SeeFunctions(true))
	r := &run{ctx: ctx, m: m, entry: f, c: c,
		mem: mem.NewFor(c, space.Of(m.Layout.Pointer, m.Layout.HeapAlign()), m.Layout.BigEndian), opts: opts, oracle: oracle,
		program: flow.NewProgram(m), reached: map[memoryPosition]bool{},
		globals: map[*llvmir.Global]smt.Term{}, funcs: map[*llvmir.Func]smt.Term{},
		alive: c.True(), escaped: map[int]acquaintance{}, required: map[int]bool{}, labels: map[int]*llvmir.Global{},
		noted: map[noted]bool{}, precisions: map[*llvmir.Func]clangir.Precision{}, allocSite: map[int]*seair.Site{},
		links:         links{members: map[int]*member{}, tags: map[smt.Term]*tag{}},
		settledChecks: map[settledCheck]map[*guard.Guard]bool{},
		asked:         map[smt.Term]bool{},
		known:         smt.NewKnowledge(c),
		inputMade:     map[smt.Term]smt.Term{},
		contentMade:   map[smt.Func]smt.Term{},
		neverWritten:  newUnwritten(c), noValue: newUnwritten(c), floats: arith.NewFloats(c),
		symbols: map[smt.Term]symbols{}, contracts: newContracts()}
	r.mem.ReadsFreed = opts.ReadsFreed != nil
	r.mem.Off, r.mem.Ended = opts.Off, r.ended
	defer func() { r.mem.Ended = nil }()
	if opts.Induction != nil {
		opts.Induction.begin()
		r.mem.Reading = true
	}
	r.log = &seair.Log{C: c}
	r.prog = &Program{Log: r.log, Memory: r.mem, Defined: map[string]smt.Term{}, Executed: map[int]bool{},
		Branches: map[smt.Term][]Branch{},
		Dead:     map[Edge]Dead{}, Loops: map[*flow.Loop]*LoopRun{}, run: r}
	if opts.Ways {
		r.prog.Ways = map[Edge][]Way{}
	}
	if opts.Lines {
		r.prog.Lines = map[Line][]Way{}
	}
	if opts.Bind != nil {
		opts.Bind(r.prog)
	}
	if slices.ContainsFunc(quantifying, func(name string) bool { return m.FuncByName[name] != nil }) {
		if r.quantifiers = quantify.New(r.mem, r.log, &r.prog.Conditions); opts.Input != nil {
			r.quantifiers.Enumerate = sizedScan
		}
	}
	p := &path{g: guard.Root(c), st: r.mem.NewState()}
	r.makeGlobals(p)
	if m.Unsupported != "" {
		r.unsupportedProgram(m.Unsupported)
	}
	for _, ctor := range m.Ctors {
		if p = r.enter(ctor, nil, p, nil); p == nil {
			break
		}
	}
	for _, first := range m.First(f) {
		if p == nil {
			break
		}
		if first.Name == language.MakeArguments {
			r.note(found.Assumption{What: found.FewArguments}, nil, 0)
		}
		p = r.enter(first, nil, p, nil)
	}
	if max := m.MaxInput(f); max > 0 && p != nil {
		r.note(found.Assumption{What: found.ShortInputs, Count: max}, nil, 0)
	}
	if p != nil {
		args := r.parameters(f, p)
		p = r.enter(f, args, p, nil)
		for _, after := range m.After() {
			if r.ending = true; p != nil {
				p = r.enter(after, nil, p, nil)
			}
		}
		if p != nil {
			site := &seair.Site{Pos: found.Pos{Function: f.SourceName}}
			if f.Loc != nil {
				site.Pos = found.Pos{File: f.Loc.File, Line: f.Loc.Line, Column: max(f.Loc.Col, 1), Function: f.SourceName}
			}
			r.checkLeaks(p)
			r.event(seair.Event{Kind: seair.End, Guard: p.g.T, Site: site})
		}
	}
	if r.repeats() {
		return nil, ErrRepeat
	}
	if opts.Induction != nil {
		r.learnReads()
	}
	if x := opts.Induction; x != nil && x.frees && !x.Changed {
		x.refuse("a loop that frees memory allocated before it")
	}
	if err := ctx.Err(); err != nil {
		return nil, &Unfinished{Err: err, Instructions: r.prog.Instructions, Loops: r.stoppedIn}
	}
	if err := r.log.Verify(); err != nil {
		return nil, fmt.Errorf("internal error: the unfolded program is malformed: %w", err)
	}
	return r.prog, nil
}

// enter runs a function that no instruction calls, such as the entry or a constructor.
func (r *run) enter(f *llvmir.Func, args []value, p *path, site *seair.Site) *path {
	_, p = r.call(nil, 0, 0, f, args, nil, p, site)
	return p
}

// path is a place of an execution inside a function: its guard and its memory.
type path struct {
	g  *guard.Guard
	st *mem.State
}

// event appends an event to the log and returns its index. Assumptions and obligations that hold trivially are logged
// too, because they are findings; they add nothing to alive.
func (r *run) event(e seair.Event) int {
	c := r.c
	r.quantifiers.Instantiate()
	r.log.Events = append(r.log.Events, e)
	if (e.Kind == seair.Assume || e.Kind == seair.Obligation && !e.Accepted) && !c.IsTrue(e.Cond) {
		r.alive = c.And(r.alive, c.Implies(e.Guard, e.Cond))
	}
	return len(r.log.Events) - 1
}

// obligation logs that cond must hold on p.
func (r *run) obligation(p *path, site *seair.Site, kind found.Kind, cond smt.Term) {
	if p.st.Limits.Use > 0 && kind.Evaluated() {
		// A condition of a contract is assumed to have a value: each state that satisfies the contract gives it one,
		// and that is checked where the contract has to hold.
		r.event(seair.Event{Kind: seair.Assume, Guard: p.g.T, Cond: cond, Site: site, HasValue: true})
		return
	}
	r.obligationAt(p.g.T, site, kind, cond, false)
}

// obligationAbout is obligation for a condition about pointers. Its kinds below are false for an unknown object.
func (r *run) obligationAbout(p *path, site *seair.Site, kind found.Kind, cond smt.Term, pointers ...smt.Term) {
	n := len(r.log.Events)
	r.obligation(p, site, kind, cond)
	switch kind {
	case found.InvalidPointer, found.InvalidFree, found.InvalidCall, found.AmbiguousPointer:
	default:
		return
	}
	for _, t := range pointers {
		if len(r.mem.Origins(t)) == 0 || n == len(r.log.Events) {
			continue
		}
		known := func(x mem.Candidate) bool { return x.Obj != mem.None }
		e := &r.log.Events[n]
		e.ObjectOpen = true
		e.AlsoKnown = e.AlsoKnown || slices.ContainsFunc(r.mem.Candidates(t, mem.AsNoObject), known)
	}
}

// Limits of lifting choices out of assertions, in steps: per assertion, and in total.
const (
	liftEach = 2_000
	liftAll  = 100_000
)

func (r *run) obligationAt(g smt.Term, site *seair.Site, kind found.Kind, cond smt.Term, constFalse bool) {
	if kind == found.Assertion && !r.opts.NoLifting {
		cond = r.lift(cond)
	}
	r.event(seair.Event{Kind: seair.Obligation, Guard: g, Cond: cond, Site: site, Check: kind, ConstFalse: constFalse,
		Accepted: r.accepted(kind, site)})
}

// lift moves if-then-else terms out of an asserted condition. Only assertions profit: other checks compare one number
// with a bound.
func (r *run) lift(cond smt.Term) smt.Term {
	cond, spent := r.c.LiftChoices(cond, min(liftEach, liftAll-r.lifted))
	r.lifted += spent
	return cond
}

// enforced reports whether an execution ends when an obligation of a kind is violated.
func (r *run) enforced(kind found.Kind, site *seair.Site) bool {
	return r.opts.Checks[kind] && !r.accepted(kind, site)
}

func (r *run) accepted(kind found.Kind, site *seair.Site) bool {
	if r.opts.Accepted == nil {
		return false
	}
	for s := site; s != nil; s = s.Caller {
		if r.opts.Accepted(kind, s.Pos, s == site) {
			return true
		}
	}
	return false
}

// note records an assumption. An assumption without writes is recorded once.
func (r *run) note(a found.Assumption, site *seair.Site, writes smt.Term) {
	same := noted{what: a.What, name: a.Name, names: strings.Join(a.Names, " "), call: a.Call}
	if len(a.Kinds) > 0 {
		same.kind = a.Kinds[0]
	}
	if writes == 0 && r.noted[same] {
		return
	}
	r.noted[same] = true
	r.prog.Assumptions = append(r.prog.Assumptions, Assumption{a, site, writes})
}

// noted is an assumption without its place.
type noted struct {
	what        found.Assumed
	name, names string
	kind        found.Kind
	call        found.Call
}

// unsupported ends a path at a construct that is not understood: the behavior of the program from there on is unknown.
func (r *run) unsupported(fr *frame, p *path, site *seair.Site, block, instr int, what string) {
	r.event(seair.Event{Kind: seair.Unsupported, Guard: p.g.T, Site: site, Text: what, Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr, block: block, instr: instr})
}

// unsupportedProgram logs that nothing is known about the program as a whole.
func (r *run) unsupportedProgram(what string) {
	site := &seair.Site{Pos: found.Pos{Function: r.entry.SourceName}}
	if l := r.entry.Loc; l != nil {
		site.Pos.File, site.Pos.Line, site.Pos.Column = l.File, l.Line, l.Col
	}
	r.event(seair.Event{Kind: seair.Unsupported, Guard: r.c.True(), Site: site, Text: what, Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, cutPoint{all: true})
}

func (r *run) function(f *llvmir.Func) *flow.Function {
	return r.program.Function(f)
}

func (r *run) site(in *llvmir.Instr, fr *frame) *seair.Site {
	s := &seair.Site{ID: in.ID, Caller: fr.site, Pos: found.Pos{Function: fr.fn.SourceName}}
	if fr.site != nil {
		s.Depth = fr.site.Depth + 1
	}
	if l := in.LocIn(fr.fn.Func); l != nil {
		s.Pos.File, s.Pos.Line, s.Pos.Column = l.File, l.Line, l.Col
	}
	return s
}

// matches reports whether name is one of the patterns, or begins with a pattern that ends in "*".
func matches(name string, patterns ...string) bool {
	for _, p := range patterns {
		if stem, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(name, stem) || name == p {
			return true
		}
	}
	return false
}
