// Package lockstep proves that two versions of a function behave equally, for all inputs, by executing them side by
// side: a simulation, as in translation validation (Necula, "Translation validation for an optimizing compiler", 2000;
// Tristan, Govereau and Morrisett, "Evaluating value-graph translation validation for LLVM", 2011).
//
// For example, of
//
//	for (i = 0; i < n; i++) log_msg(a[i]);      before
//	while (i != n) { log_msg(*(a + i)); i++; }  after
//
// both versions begin with the same arguments and the same memory. They pause at events: calls, heads of loops and the
// return. If the events of both are equal, with equal arguments and equal memory, both continue. The call of log_msg
// gives the same result and the same memory in both, whatever it does: it is the same function. At the heads the two
// variables i are equal when the loop is entered, and again after each iteration.
//
// Memory is not modelled: an address is a number, and a load returns the last value that was stored there, or an
// arbitrary one, which is the same for equal addresses in equal memory. Therefore the package needs neither objects nor
// bounds for sizes. It has no counterexamples either: if two events cannot be shown to be equal, nothing is known.
//
// Undefined behaviour of the version before ends an execution: such inputs are not compared. Each check that the
// version after needs (an access, an operation without a defined result) must be implied by what the version before
// did on the same way: package vcgen and this package agree on the list of these checks.
//
// Recursion is compared like calls of other functions (Godlin and Strichman, "Regression verification: proving the
// equivalence of similar programs", 2013): the recursive calls of both are equal if all shorter executions are. A call
// that only one version has is executed.
//
// Reading order: lockstep.go (the search), relation.go (states at heads of loops), event.go (the comparison),
// execute.go, intrinsic.go and values.go (one version), memory.go, query.go.
package lockstep

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Version is one version of the program.
type Version struct {
	Module   *clangir.Module
	Function *llvmir.Func
	// Identity returns a text for a symbol. Symbols of both versions with equal texts have equal definitions, apart from
	// the compared function; "" if nothing is known.
	Identity func(symbol string) string
}

// Request has the inputs of a proof.
type Request struct {
	Before, After Version
	Checks        map[found.Kind]bool // which kinds of violations count
	NewSolver     func(c *smt.Context) (smt.Solver, error)
}

// Proof is a successful comparison.
type Proof struct {
	// Missing are the functions without a body, sorted: they do the same for equal arguments in equal memory.
	Missing []string
}

// sideNumber is one of the two versions.
type sideNumber int

const (
	before sideNumber = iota
	after
)

// The limits of a search, so that its result does not depend on the machine.
const (
	maxInstructions = 1_000_000
	maxPaths        = 10_000
	maxQueries      = 4_000
	querySteps      = 2_000
	maxInlined      = 3
	// mergedFrom is the number of visits of a pair of calls from which the states behind it are merged.
	mergedFrom = 6
)

// EnvironmentCalls are the functions that set or read the environment of floats.
var EnvironmentCalls = []string{"fesetround", "fesetenv", "feupdateenv", "feholdexcept", "feclearexcept",
	"feraiseexcept", "fetestexcept", "fegetexceptflag", "fesetexceptflag", "feenableexcept", "fedisableexcept",
	"llvm.x86.sse.ldmxcsr", "llvm.x86.sse.stmxcsr"}

// exact gives up at arithmetic of floats whose result depends on more than its operands.
func (x *prover) exact(in *llvmir.Instr) {
	if in.Relaxed {
		x.fail("arithmetic of floats that need not be exact, at line %d", line(in))
	}
	if x.environment {
		x.fail("arithmetic of floats where the program sets their environment, at line %d", line(in))
	}
}

// giveUp ends the search.
type giveUp struct{ reason string }

// prover is one search.
type prover struct {
	Request
	ctx    context.Context
	c      *smt.Context
	solver smt.Solver
	flows  [2]map[*llvmir.Func]*flow.Function
	defs   map[*llvmir.Func][]*llvmir.Instr
	cuts   map[string]*cut
	dirty  []*cut
	visits map[string]int // of pairs of calls

	nodes        map[string]*memory
	applications map[string]*application
	of           map[smt.Term]*application // by result
	nonNull      map[smt.Term]bool         // addresses of functions and variables that are defined
	proven       map[string]bool
	missing      map[string]bool
	locals       map[smt.Term]local // by address
	// scoped has the variables of the versions: whether their lifetimes begin at markers.
	scoped [2]map[smt.Term]bool
	// eager executes calls of functions that only compute their result, in both versions; computing: there are such calls.
	eager, computing bool
	called           [2]map[string]bool // names that the compared function calls itself
	environment      bool               // the program sets how floats are rounded, or reads their exceptions

	instructions, paths, queries int
}

// version returns the inputs of a side.
func (x *prover) version(s sideNumber) *Version {
	if s == before {
		return &x.Before
	}
	return &x.After
}

// Prove reports whether the versions behave equally. An error gives the first reason why this was not shown.
//
// A call is an event first: its result is the same in both versions if its arguments are. If that does not succeed, all
// calls of functions that only compute their result are executed: one version may have more of them.
func Prove(ctx context.Context, r Request) (proof *Proof, err error) {
	proof, computing, err := prove(ctx, r, false)
	if err != nil && computing && ctx.Err() == nil {
		if second, _, failed := prove(ctx, r, true); failed == nil {
			return second, nil
		}
	}
	return proof, err
}

func prove(ctx context.Context, r Request, eager bool) (proof *Proof, computing bool, err error) {
	c := smt.NewContext()
	solver, err := r.NewSolver(c)
	if err != nil {
		return nil, false, err
	}
	defer solver.Close()
	solver.Expect(smt.Mixed)
	x := &prover{Request: r, ctx: ctx, c: c, solver: solver, defs: map[*llvmir.Func][]*llvmir.Instr{},
		cuts: map[string]*cut{}, visits: map[string]int{}, nodes: map[string]*memory{},
		applications: map[string]*application{}, of: map[smt.Term]*application{},
		nonNull: map[smt.Term]bool{}, proven: map[string]bool{},
		missing: map[string]bool{}, locals: map[smt.Term]local{}, eager: eager}
	for s := range x.flows {
		for _, f := range x.version(sideNumber(s)).Module.Funcs {
			x.environment = x.environment || slices.Contains(EnvironmentCalls, f.Name)
		}
		x.flows[s] = map[*llvmir.Func]*flow.Function{}
		x.scoped[s] = map[smt.Term]bool{}
		x.called[s] = map[string]bool{}
		for _, b := range x.version(sideNumber(s)).Function.Blocks {
			for _, in := range b.Instrs {
				if f := in.Function(); in.Op == llvmir.OpCall && f != nil {
					x.called[s][f.Name] = true
				}
			}
		}
	}
	defer func() {
		if p := recover(); p != nil {
			g, ok := p.(giveUp)
			if !ok {
				g = giveUp{fmt.Sprintf("internal error: %v", p)}
			}
			proof, computing, err = nil, x.computing, errors.New(g.reason)
		}
	}()
	for kind, on := range r.Checks {
		if on && !found.DefaultChecks()[kind] && kind != found.UnsignedOverflow {
			x.fail("the check %s is on", kind)
		}
	}
	x.search()
	return &Proof{Missing: slices.Sorted(maps.Keys(x.missing))}, false, nil
}

func (x *prover) fail(format string, args ...any) { panic(giveUp{fmt.Sprintf(format, args...)}) }

// search explores all executions, from the entry and from each cut, until the relations of the cuts are stable.
func (x *prover) search() {
	p := &path{memory: x.base("start")}
	args := x.arguments()
	for s := range p.sides {
		v := x.version(sideNumber(s))
		f := newFrame(x.flow(sideNumber(s), v.Function), "", args)
		p.sides[s] = &config{side: sideNumber(s), memory: p.memory, frames: []*frame{f}}
		if x.isHead(f.fn, 0) {
			p.sides[s].atHead = true
		}
	}
	x.step(p)
	for rounds := 0; len(x.dirty) > 0; rounds++ {
		if rounds > 300 {
			x.fail("the states at the heads of loops do not become stable")
		}
		k := x.dirty[0]
		x.dirty = x.dirty[1:]
		k.dirty = false
		x.step(k.path(x))
	}
}

// arguments returns the values of the parameters, which are the same for both versions.
func (x *prover) arguments() (list []value) {
	a, b := x.Before.Function, x.After.Function
	if len(a.Params) != len(b.Params) || a.Variadic || b.Variadic {
		x.fail("the parameters differ")
	}
	if a.RetSigned != b.RetSigned {
		x.fail("the results have different types")
	}
	for i := range a.Params {
		if a.Params[i].Type.String() != b.Params[i].Type.String() {
			x.fail("the parameters differ")
		}
		if b.Params[i].NoAlias && !a.Params[i].NoAlias {
			x.fail("a parameter of the version after is a restrict pointer")
		}
		list = append(list, x.arbitrary(a.Params[i].Type, fmt.Sprintf("argument %d", i)))
	}
	return list
}

func (x *prover) flow(s sideNumber, f *llvmir.Func) *flow.Function {
	fn := x.flows[s][f]
	if fn == nil {
		if f.Unsupported != "" {
			x.fail("%s", f.Unsupported)
		}
		fn = flow.Analyse(x.version(s).Module, f)
		x.flows[s][f] = fn
		defs := make([]*llvmir.Instr, f.NumRegs)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Dst >= 0 {
					defs[in.Dst] = in
				}
			}
		}
		x.defs[f] = defs
	}
	return fn
}

// isHead reports whether a block is the head of a loop.
func (x *prover) isHead(fn *flow.Function, block int) bool {
	loops := fn.Nodes[block].Loops
	return len(loops) > 0 && loops[len(loops)-1].Head == block
}

// local is a variable whose address is used.
type local struct {
	size  int64
	name  string
	frame string // of the call whose variable it is
}

// path is a pair of executions.
type path struct {
	sides [2]*config
	// conditions hold in the execution; done are the operations of the version before whose checks held.
	conditions []smt.Term
	done       []string
	// accessed are the valid accesses of the version before since the last call.
	accessed []access
	// ended are the variables whose lifetimes the version after has ended since the last call, by address.
	ended  []smt.Term
	memory *memory // of both at the last event
	// fresh is the number of arbitrary values so far, and origin the place from which they count.
	fresh  int
	origin string
}

func (p *path) clone() *path {
	q := *p
	for s := range q.sides {
		q.sides[s] = p.sides[s].clone()
	}
	q.conditions = slices.Clip(p.conditions)
	q.done = slices.Clip(p.done)
	q.accessed = slices.Clip(p.accessed)
	return &q
}

func (p *path) assume(x *prover, t smt.Term) {
	if !x.c.IsTrue(t) && !slices.Contains(p.conditions, t) {
		p.conditions = append(slices.Clip(p.conditions), t)
	}
}

// config is the state of one version.
type config struct {
	side   sideNumber
	frames []*frame
	memory *memory
	event  event
	// scope has the variables whose lifetimes have begun, by address.
	scope []smt.Term
	// touched has the variables with an address that were written since, or whose address may be known elsewhere.
	// maybe has those for which that holds in some execution.
	touched, maybe []smt.Term
	// escaped has the variables whose address may be in memory, known to other functions, or in a term without it.
	escaped []smt.Term
	// private are the stores since the last event to variables that only this version has, and no other function knows.
	// The latest is first.
	private []*memory
	// atHead: the execution is about to enter the head of a loop.
	atHead bool
}

func (k *config) clone() *config {
	o := *k
	o.frames = nil
	for _, f := range k.frames {
		g := *f
		g.regs = slices.Clone(f.regs)
		o.frames = append(o.frames, &g)
	}
	return &o
}

func (k *config) top() *frame { return k.frames[len(k.frames)-1] }

// frame is a called function.
type frame struct {
	fn    *flow.Function
	id    string // of the call path
	block int
	next  int // index of the next instruction
	prev  int // the block before
	regs  []value
}

func newFrame(fn *flow.Function, id string, args []value) *frame {
	f := &frame{fn: fn, id: id, regs: make([]value, fn.NumRegs), prev: -1}
	copy(f.regs, args)
	return f
}

// place identifies the position of a configuration.
func (k *config) place() string {
	var b strings.Builder
	for _, f := range k.frames {
		fmt.Fprintf(&b, "%s:%d:%d/", f.fn.Name, f.block, f.next)
	}
	return b.String()
}
