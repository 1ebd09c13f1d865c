package solver

/*
#cgo CXXFLAGS: -O2 -std=c++11
#cgo LDFLAGS: -lcadical -lm
#cgo linux LDFLAGS: -static-libstdc++ -static-libgcc
#cgo !linux LDFLAGS: -lstdc++
#include "cadical_shim.h"
#include <stdlib.h>
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"runtime"
	"unsafe"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// cadical decides terms by bit-blasting to one incremental instance of CaDiCaL. Asserted terms are converted by the
// next Check, under its context.
type cadical struct {
	c       *smt.Context
	b       *blaster
	f       *cnf
	s       *C.up_cadical
	pending []smt.Term // asserted, not yet converted
	memory  int64      // bound of the bytes of graph and clauses; 0: none
	search  func() (ended func())
	bones   int // minimal size of a query for a check of its skeleton
	small   int // maximal length of a small query, in literals

	outlook    smt.Outlook
	configured bool
	answer     smt.Answer
	core       []smt.Term
	model      *smt.Model
	stats      smt.SolverStats
	assumed    []int32
	terms      []smt.Term // of assumed
	inputs     []uint32   // nodes of inputs with a variable
	invars     []int32    // their variables
	scanned    int        // nodes searched for inputs
}

func newCadical(c *smt.Context, opts Options) *cadical {
	b := newBlaster(c)
	s := &cadical{c: c, b: b, f: newCNF(b.g), s: C.up_cadical_new(), memory: int64(opts.MemoryMB) << 20,
		search: opts.Search, bones: skeletonTerms, small: smallQuestion}
	b.side = s.f.or
	runtime.SetFinalizer(s, (*cadical).Close)
	return s
}

// Expect implements smt.Solver.
func (s *cadical) Expect(o smt.Outlook) { s.outlook = o }

// Assert implements smt.Solver.
func (s *cadical) Assert(t smt.Term) { s.pending = append(s.pending, t) }

// Close implements smt.Solver. It may be called more than once.
func (s *cadical) Close() {
	if s.s != nil {
		C.up_cadical_free(s.s)
		s.s = nil
		runtime.SetFinalizer(s, nil)
	}
}

var errMemory = errors.New("memory limit")

// footprint estimates the bytes of words, graph and clauses. CaDiCaL's copy of a clause is about as large.
func (s *cadical) footprint() int64 {
	return int64(len(s.b.arena))*4 + int64(len(s.b.g.nodes))*32 + s.f.lits*8 + int64(len(s.f.buf))*12
}

// Check implements smt.Solver.
func (s *cadical) Check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	res := s.check(ctx, assumptions, steps)
	s.answer = res.Answer
	s.stats.Queries++
	s.stats.Conflicts += int(res.Steps)
	return res
}

func (s *cadical) check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	s.core, s.model = nil, nil
	if s.s == nil {
		return smt.Result{Answer: smt.Failed, Reason: "solver is closed"}
	}
	if ctx.Err() != nil {
		return smt.Stopped(ctx)
	}
	over := s.polled(ctx)
	failed := func(err error) smt.Result {
		switch {
		case errors.Is(err, errStopped) && *over:
			err = errMemory
		case errors.Is(err, errStopped):
			return smt.Stopped(ctx)
		}
		return smt.Result{Answer: smt.Failed, Reason: err.Error()}
	}
	var spent int64
	if s.stats.Queries == 0 && len(assumptions) == 0 && s.c.Size(s.pending...) >= s.bones {
		unsat, n := s.skeleton(ctx, steps)
		if spent = n; unsat {
			s.stats.Skeletons++
			return smt.Result{Answer: smt.Unsat, Steps: n}
		}
		if steps > 0 && n >= steps {
			return smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up", Steps: n}
		}
	}
	if unsat, err := s.enter(assumptions); err != nil {
		return failed(err)
	} else if unsat {
		return smt.Result{Answer: smt.Unsat}
	}
	if s.f.drain(); s.owes() != nil {
		return failed(errStopped)
	}
	if err := s.flush(ctx); err != nil {
		return failed(err)
	}
	res := s.searchWithLemmas(ctx, steps, spent, failed)
	if res.Answer == smt.Unsat {
		s.readCore()
	}
	return res
}

// enter asserts the pending terms, and converts the assumptions. It reports whether that shows that they are
// unsatisfiable.
func (s *cadical) enter(assumptions []smt.Term) (unsat bool, err error) {
	for len(s.pending) > 0 {
		t := s.pending[0]
		if err := s.assert(t); err != nil {
			return false, err
		}
		s.pending = s.pending[1:]
	}
	s.pending = nil
	s.assumed, s.terms = s.assumed[:0], s.terms[:0]
	for _, t := range assumptions {
		if err := s.b.convert(t); err != nil {
			return false, err
		}
		switch l := s.b.bool(t); l {
		case litTrue:
		case litFalse:
			if !s.f.unsat {
				s.core = []smt.Term{t}
			}
			return true, nil
		default:
			s.assumed = append(s.assumed, s.f.literal(l))
			s.terms = append(s.terms, t)
		}
	}
	return s.f.unsat, nil
}

// searchWithLemmas solves the question, and adds lemmas as long as a model violates some. spent are the steps before,
// and failed returns the result of an error.
func (s *cadical) searchWithLemmas(ctx context.Context, steps, spent int64, failed func(error) smt.Result) smt.Result {
	limit := -1
	if steps > 0 {
		limit = int(min(steps, math.MaxInt32))
	}
	used := spent
	rest := limit
	if limit >= 0 {
		rest = max(limit-int(spent), 0)
	}
	res := s.solve(ctx, rest)
	used += res.Steps
	for res.Answer == smt.Sat {
		lemmas := s.read()
		if lemmas == nil {
			break
		}
		for _, p := range lemmas {
			s.b.tie(p)
		}
		s.stats.Lemmas += len(lemmas)
		if s.owes() != nil {
			res = failed(errStopped)
			res.Steps = used
			return res
		}
		if s.memory > 0 && s.footprint() > s.memory {
			return smt.Result{Answer: smt.Failed, Reason: errMemory.Error(), Steps: used}
		}
		if err := s.flush(ctx); err != nil {
			res = failed(err)
			res.Steps = used
			return res
		}
		if limit >= 0 {
			if used >= int64(limit) {
				return smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up", Steps: used}
			}
			res = s.solve(ctx, limit-int(used))
		} else {
			res = s.solve(ctx, -1)
		}
		used += res.Steps
	}
	res.Steps = used
	return res
}

// solve runs the search for at most so many conflicts; -1: no limit.
func (s *cadical) solve(ctx context.Context, limit int) smt.Result {
	if ctx.Err() != nil {
		return smt.Stopped(ctx) // the hook below is asynchronous, and the search may end before it runs
	}
	if s.search != nil {
		defer s.search()()
	}
	C.up_cadical_arm(s.s)
	fired := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() {
		C.up_cadical_stop(s.s)
		close(fired)
	})
	before := int64(C.up_cadical_conflicts(s.s))
	rc := C.up_cadical_solve(s.s, (*C.int32_t)(slicePtr(s.assumed)), C.size_t(len(s.assumed)), C.int(limit))
	if !unhook() {
		<-fired // the flag is not changed after this call
	}
	used := int64(C.up_cadical_conflicts(s.s)) - before
	switch rc {
	case 10:
		return smt.Result{Answer: smt.Sat, Steps: used}
	case 20:
		return smt.Result{Answer: smt.Unsat, Steps: used}
	}
	var res smt.Result
	switch {
	case C.up_cadical_stopped(s.s) != 0:
		res = smt.Stopped(ctx)
	case limit >= 0:
		// CaDiCaL's own count includes conflicts without a clause.
		res = smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up"}
		used = max(used, int64(limit))
	default:
		res = smt.Result{Answer: smt.Failed, Reason: "CaDiCaL gave up without a limit"}
	}
	res.Steps = used
	return res
}

// assert converts a term and asserts it. cnf.assert splits conjunctions, so that their gates need no variables.
func (s *cadical) assert(t smt.Term) error {
	if err := s.b.convert(t); err != nil {
		return err
	}
	s.f.assert(s.b.bool(t))
	return s.owes()
}

// owes returns errStopped if the output of clauses was stopped before its end.
func (s *cadical) owes() error {
	if len(s.f.work) > 0 {
		return errStopped
	}
	return nil
}

// smallQuestion is the maximal length of the initial clauses of a small query, in literals: 150,000 clauses.
const smallQuestion = 600_000

// configure chooses the options of the search, which CaDiCaL accepts only before the first clause and the first search.
//
//   - Small queries, mostly unsatisfiable: constant quick restarts, without stable phases, need a third to a half fewer
//     conflicts. No elimination of variables, which destroys the structure of words.
//   - Large queries, mostly unsatisfiable: the defaults, because restarts cost too much.
//   - Mostly satisfiable queries, and large mixed ones: only stable phases, which find models soonest, and no
//     inprocessing, which costs more than it gains.
//   - Small mixed queries: quick restarts, and no inprocessing.
//
// docs/benchmarks.md has the measurements.
func (s *cadical) configure() {
	if s.configured {
		return
	}
	s.configured = true
	large := len(s.f.buf) >= s.small
	switch {
	case s.outlook == smt.MostlySat || s.outlook == smt.Mixed && large:
		s.option("stabilizeonly", 1)
		s.option("inprocessing", 0)
	case s.outlook == smt.Mixed:
		s.option("stabilize", 0)
		s.option("inprocessing", 0)
	case !large:
		s.option("stabilize", 0)
		s.option("elim", 0)
	}
}

// option sets an option of CaDiCaL.
func (s *cadical) option(name string, value int) {
	option := C.CString(name)
	defer C.free(unsafe.Pointer(option))
	if C.up_cadical_option(s.s, option, C.int(value)) == 0 {
		panic("solver: CaDiCaL has no option " + name)
	}
}

// polled makes conversions stop when ctx ends, or when they exceed the memory limit, in which case it sets over. It
// also passes clauses to CaDiCaL in between.
func (s *cadical) polled(ctx context.Context) (over *bool) {
	over = new(bool)
	poll := func() bool {
		*over = s.memory > 0 && s.footprint() > s.memory
		return *over || ctx.Err() != nil || len(s.f.buf) > handedOver && s.flush(ctx) != nil
	}
	s.b.poll = poll
	s.f.resume(poll)
	return over
}

const (
	// handedOver is the number of literals in the buffer above which they are passed on during a conversion.
	handedOver = 1 << 20
	// handedAtOnce is the number of literals in one call, which cannot be interrupted: some milliseconds.
	handedAtOnce = 1 << 18
)

// flush passes the clauses to CaDiCaL. It returns errStopped if ctx ends; the next flush continues there.
func (s *cadical) flush(ctx context.Context) error {
	s.configure() // even if the first query needs no clause: CaDiCaL accepts no options after a search
	rest := s.f.buf
	for len(rest) > 0 && ctx.Err() == nil {
		n := min(len(rest), handedAtOnce)
		C.up_cadical_add(s.s, (*C.int32_t)(slicePtr(rest)), C.size_t(n))
		s.f.lits += int64(n)
		rest = rest[n:]
	}
	s.f.buf = s.f.buf[:copy(s.f.buf, rest)]
	if len(rest) > 0 {
		return errStopped
	}
	return nil
}

func slicePtr[T any](x []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// read reads the values of all inputs, which the next clause invalidates, and computes the values of inner nodes from
// them: a half encoding leaves some inner variables unconstrained. It returns pairs of applications that violate
// functional consistency; if there are none, it sets the model.
func (s *cadical) read() []pair {
	g := s.b.g
	s.f.sync()
	// Inputs may get their variables long after their creation.
	s.inputs, s.invars = s.inputs[:0], s.invars[:0]
	for x, v := range s.f.varOf {
		if v != 0 && g.gates[x] == gateInput {
			s.inputs = append(s.inputs, uint32(x))
			s.invars = append(s.invars, v)
		}
	}
	out := make([]uint8, len(s.invars))
	C.up_cadical_values(s.s, (*C.int32_t)(slicePtr(s.invars)), C.size_t(len(out)), (*C.uint8_t)(slicePtr(out)))
	val := make([]uint64, g.size())
	for i, x := range s.inputs {
		val[x] = uint64(out[i])
	}
	if wrong := s.b.functional(val, func(x uint32) bool { return s.f.varOf[x] != 0 }); wrong != nil {
		return wrong
	}
	s.model = s.b.model(val)
	return nil
}

func (s *cadical) readCore() {
	out := make([]uint8, len(s.assumed))
	C.up_cadical_failed(s.s, (*C.int32_t)(slicePtr(s.assumed)), C.size_t(len(out)), (*C.uint8_t)(slicePtr(out)))
	seen := map[int32]bool{}
	for i, v := range s.assumed {
		if out[i] != 0 && !seen[v] {
			seen[v] = true
			s.core = append(s.core, s.terms[i])
		}
	}
}

// Core implements smt.Solver.
func (s *cadical) Core() []smt.Term { return s.core }

// Model implements smt.Solver. It returns nil unless the last answer was Sat.
func (s *cadical) Model() *smt.Model { return s.model }

// Stats implements smt.Solver.
func (s *cadical) Stats() smt.SolverStats {
	st := s.stats
	st.Clauses = int(s.f.clauses)
	st.Vars = int(s.f.nvars)
	return st
}
