// Package unfold executes LLVM IR symbolically with merging and leaves a log of events in
// pure data-flow form (package seair): calls are inlined, loops unrolled, and states that
// meet at a block are merged by select on the guards (gated SSA).
//
// Reading order: unfold.go (the state of a run), program.go (what comes of it), frame.go (one call: visits of blocks
// and merging), control.go (where control goes at the end of a block), iterations.go (how far loops and recursions are
// unfolded), positions.go (where states are kept apart), exec.go (the instructions), assume.go (what is assumed, and
// inputs), call.go and the files behind it (the built-in functions).
// What is computed once per function is package flow's, and what needs no execution is with the packages in here.
//
// It knows no solver: whether the next iteration of a loop is feasible is asked through
// Oracle.
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
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
	"github.com/unitproof/unitproof/vcgen/unfold/guard"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// Oracle answers what the unfolder cannot see in a term.
type Oracle interface {
	// Feasible reports whether alive and guard may hold together. When in doubt they do. alive is what was assumed and
	// held so far: from one call to the next it only gets stronger.
	Feasible(ctx context.Context, alive, guard smt.Term) bool
}

// Options are the settings of an unfolding.
type Options struct {
	Checks        map[found.Kind]bool
	MallocMayFail bool
	MissingBody   string // havoc, pure, error
	Unwind        int    // 0: automatic
	MaxUnwind     int    // where it is automatic: how many iterations whose condition is not constant; 0: DefaultMaxUnwind
	LoopContracts language.Loops
	Loops         map[string]int
	Accepted      func(kind found.Kind, frame found.Pos, innermost bool) bool
	ReadsFreed    func(at found.Pos) bool // whether memory that was freed is read there as it was left; nil: nowhere
	Off           mem.Mechanisms
	NoFacts       bool // do not narrow variables by assumptions
	NoCursors     bool // join states whatever the positions of their cursors
	NoOutcomes    bool // join states behind a call whatever it returned
	NoLifting     bool // leave choices in assertions
	// MaxInstructions bounds the unfolding further than it is bounded anyway, 0 for no bound.
	MaxInstructions int64
	// Depth bounds how often a loop's body runs whose end is not constant, and how deep a recursion goes, further than
	// they are bounded anyway; 0 for no bound.
	Depth int
	Every bool // Depth bounds loops whose end is constant, too
	// MaxInput is the size after which inputs of a fuzz target are left out; 0 for none.
	MaxInput int
	// Poll, if any, is called now and then. It may end the context.
	Poll func()
	// UserFile tells whether a file is the user's and no model of libc's; nil: all are.
	UserFile func(file string) bool
	// Drop tells which assumptions that the program makes (language.Assume) do not count; nil: all do.
	Drop func(*seair.Site) bool
	// Ways asks for Program.Ways.
	Ways bool
	// Lines asks for Program.Lines.
	Lines bool
	// At, if any, is told whenever the unfolding goes on in another place; the zero Location is outside.
	At func(Location)
	// Bind is told of the program while it grows: the oracle needs its memory.
	Bind func(*Program)
	// Induction, if any, says which loops are cut at their heads.
	Induction *Induction
}

// Limits of automatic unwinding (contract, --unwind 0) and of a whole unfolding.
const (
	maxConstantInstructions = 10_000_000
	DefaultMaxUnwind        = 64
	maxInstructions         = 60_000_000
	maxCallDepth            = 20_000
	// shallow is the depth up to which iterations are not worth a question whether they are feasible.
	shallow = 4
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
	location     Location // as Options.At was told last

	program *flow.Program
	met     map[met]bool                // positions in memory that some execution gets to
	globals map[*llvmir.Global]smt.Term // base symbols
	funcs   map[*llvmir.Func]smt.Term
	funcIDs []*llvmir.Func // by mem.Object.Fn

	// taken are the functions whose address is taken, symbols those of terms, as far as calls through arbitrary pointers
	// asked.
	taken   map[*llvmir.Func]bool
	symbols map[smt.Term]symbols

	// alive is the conjunction of all assumptions and held obligations so far.
	alive   smt.Term
	stopped bool
	// inexpressible is what a constant says that was evaluated and has no value here, "" for none so far.
	inexpressible string
	// stoppedIn are the loops that were under way then.
	stoppedIn []LoopUnderWay
	// at and atInstr are where a constant expression is evaluated.
	at      *frame
	atInstr *llvmir.Instr
	depth   int
	// ending: the entry has returned, or exit was called.
	ending bool
	// escaped are the objects that a function without a body has seen.
	escaped map[int]acquaintance
	// labels are the labels whose addresses are taken, by their objects.
	labels map[int]*llvmir.Global
	// required are the objects that a contract requires, in its proof: its callers have them before the call.
	required map[int]bool
	// shared are the variables with external linkage that are not constant, by their objects; nil until it is needed.
	shared map[int]bool
	// known is what the assumptions so far say about variables.
	known *smt.Knowledge
	// inputMade and contentMade are the path conditions under which symbols and arbitrary contents were made.
	inputMade   map[smt.Term]smt.Term
	contentMade map[smt.Func]smt.Term
	noted       map[noted]bool
	// allocSite is where a heap object was made.
	allocSite map[int]*seair.Site
	// neverWritten knows the content of memory that was never written; noValue, of that,
	// the results of functions that return none.
	neverWritten, noValue *unwritten
	floats                *arith.Floats
	// quantifiers are those of contracts and of scans; nil where the program has none.
	quantifiers *quantify.Set
	contracts
	// settledChecks counts the instances of checks that folded.
	settledChecks map[settledCheck]int

	lifted int // steps of lifting choices out of assertions
}

// settledCheck is a check of a sanitizer, by the call that reports its failure.
type settledCheck struct {
	call int
	kind found.Kind
}

// quantifying are the functions that make quantifiers.
var quantifying = []string{"__unitproof_forall", "__unitproof_exists", "unitproof_find", "unitproof_find_last",

	"unitproof_differ"}

// Run unfolds the entry of a module. A context that is cancelled ends it with its error.
func Run(ctx context.Context, m *clangir.Module, entry string, c *smt.Context, oracle Oracle, opts Options) (*Program,
	error) {
	f := m.FuncByName[entry]
	if f == nil || len(f.Blocks) == 0 {
		return nil, fmt.Errorf("no function %s in the program", entry)
	}
	defer c.SeeFunctions(c.SeeFunctions(true))
	r := &run{ctx: ctx, m: m, entry: f, c: c, mem: mem.New(c), opts: opts, oracle: oracle,
		program: flow.NewProgram(m), met: map[met]bool{},
		globals: map[*llvmir.Global]smt.Term{}, funcs: map[*llvmir.Func]smt.Term{},
		alive: c.True(), escaped: map[int]acquaintance{}, required: map[int]bool{}, labels: map[int]*llvmir.Global{},
		noted: map[noted]bool{}, allocSite: map[int]*seair.Site{},
		settledChecks: map[settledCheck]int{},
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
		r.quantifiers = quantify.New(r.mem, r.log, &r.prog.Conditions)
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
		p = r.shortInput(f, p)
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
	if err := ctx.Err(); err != nil {
		return nil, &Unfinished{Err: err, Instructions: r.prog.Instructions, Loops: r.stoppedIn}
	}
	if err := r.log.Verify(); err != nil {
		return nil, fmt.Errorf("internal error: the unfolded program is malformed: %w", err)
	}
	return r.prog, nil
}

// enter runs a function outside of any call.
func (r *run) enter(f *llvmir.Func, args []value, p *path, site *seair.Site) *path {
	_, p = r.call(nil, 0, 0, f, args, nil, p, site)
	return p
}

// path is where an execution stands inside a function: its guard and memory.
type path struct {
	g  *guard.Guard
	st *mem.State
}

// event appends to the log. Obligations and assumptions that hold trivially are logged
// too (they are findings), but do not burden the terms.
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
		// What a contract says is assumed: it has a value in each state that keeps the contract, which is checked where
		// the contract has to hold.
		r.event(seair.Event{Kind: seair.Assume, Guard: p.g.T, Cond: cond, Site: site, HasValue: true})
		return
	}
	r.obligationAt(p.g.T, site, kind, cond, false)
}

// Steps of lifting choices out of what is asserted: of one assertion, and of all.
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

// lift lifts choices out of what is asserted. Other checks compare one number with what bounds it.
func (r *run) lift(cond smt.Term) smt.Term {
	cond, spent := r.c.LiftChoices(cond, min(liftEach, liftAll-r.lifted))
	r.lifted += spent
	return cond
}

// enforced reports whether executions end where an obligation of a kind does not hold.
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

// note records an assumption once.
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

// unsupported ends a path at a construct that is not understood: what the program does
// from there is unknown.
func (r *run) unsupported(fr *frame, p *path, site *seair.Site, block, instr int, what string) {
	r.event(seair.Event{Kind: seair.Unsupported, Guard: p.g.T, Site: site, Text: what, Region: len(r.prog.cuts)})
	r.prog.cuts = append(r.prog.cuts, cutPoint{fr: fr, block: block, instr: instr})
}

// unsupportedProgram says that nothing is known of the program as a whole.
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

// matches reports whether name is one of the dotted names or begins with one ending in *.
func matches(name string, patterns ...string) bool {
	for _, p := range patterns {
		if stem, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(name, stem) || name == p {
			return true
		}
	}
	return false
}
