package induction

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// An invariant holds whenever its loop head is reached. To test this, the program is executed with random inputs, and
// at each arrival at a head the invariants are evaluated: their symbols get the values of variables, memory and inputs
// there. Repeating the queries of induction would not detect a wrong query; this test does.
//
// The value of some symbols is unknown. If an invariant is false for the known values, a query decides whether any
// values of the other symbols make it true. If none do, though the facts before the head are satisfiable, the engine
// is wrong, and the proof has no verdict.

// Limits of these executions: instructions in total and per execution, executions, evaluated arrivals per head,
// compared words per object, elements per quantified condition, queries, and conflicts per query.
const (
	arrivalSteps     = 60_000
	arrivalLongest   = 6_000
	arrivalTries     = 64
	maxArrivals      = 32
	arrivalWords     = 32
	arrivalElements  = 24
	arrivalQuestions = 6
	arrivalBudget    = 500
)

// arrivals observes executions and evaluates the invariants at each arrival at a head.
type arrivals struct {
	interp.Unobserved
	in *Finder
	visitor
	run    *interp.Machine
	heads  map[*llvmir.Func]map[int][]int // by block
	begins map[*llvmir.Func][]int         // of activations
	// active has the values of the places at the begin of an activation, by its frame.
	active  map[*state.Frame]map[int]state.Value
	body    []*flow.Loop // of each head
	inputs  map[choice.Key][]*seair.Input
	objects map[string]*state.Object // the youngest object of each site, or name
	ofSite  map[string][]int         // objects of the engine, by site
	known   map[smt.Term]bool        // symbols with a value in this run
	model   *smt.Model
	eval    *smt.Evaluator
	// given are values of terms that determine no symbol. Index 0 is valid in the whole run, index i+1 until head i,
	// or a head around it, is reached again.
	given []map[smt.Term]smt.Value
	// same maps symbols to terms that are equal to them.
	same       map[smt.Term][]smt.Term
	bytes      map[smt.Func]uint64 // number of known bytes of a content
	entered    []map[int]state.Value
	pending    []bool // by head: it was reached and has not been visited
	before     []int  // by head: arrivals since its loop was entered, without the first
	turn       []int  // arrivals in this run
	seen       []int  // arrivals that were visited
	iterations []int  // by head, arrivals in one execution; MaxInt if an execution was stopped
	asked      int
	defect     found.Reason
}

// Attack executes the program with random inputs and evaluates the invariants at each arrival at a head. executed is
// called with the number of instructions of each execution. It returns the number of states in which invariants were
// evaluated, and the defect if one was false; otherwise an empty reason.
func (in *Finder) Attack(ctx context.Context, opts interp.Options, executed func(instructions int64),
) (states int, defect found.Reason) {
	a := in.arrive(ctx, opts, executed, visitor{(*arrivals).evaluate, arrivalLongest, 4, maxArrivals, false, arrivalSteps})
	for _, n := range a.seen {
		states += n
	}
	return states, a.defect
}

// visitor is called for states at heads.
type visitor struct {
	visit func(a *arrivals, head int)
	// longest limits the instructions of one execution.
	longest int64
	// dense is the number of arrivals of an execution that are all visited; later ones are visited at powers of two.
	dense int
	// most limits the visits of each head.
	most int
	// far: every second execution has large numbers.
	far bool
	// steps limits the instructions of all executions.
	steps int64
}

// arrive executes the program with random inputs until a defect is found, and visits states at heads.
func (in *Finder) arrive(ctx context.Context, opts interp.Options, executed func(instructions int64), v visitor,
) *arrivals {
	in.ctx = ctx
	a := &arrivals{in: in, visitor: v, heads: map[*llvmir.Func]map[int][]int{}, inputs: map[choice.Key][]*seair.Input{},
		begins: map[*llvmir.Func][]int{}, ofSite: map[string][]int{}, same: map[smt.Term][]smt.Term{},
		body: make([]*flow.Loop, len(in.heads)),
		seen: make([]int, len(in.heads)), iterations: make([]int, len(in.heads))}
	for i, h := range in.heads {
		a.takeHead(i, h)
	}
	for _, x := range in.log.Inputs {
		k := choice.Key{Kind: x.Kind, Site: x.Site}
		if x.Site == 0 {
			k.Name = x.Name
		}
		a.inputs[k] = append(a.inputs[k], x)
	}
	a.takeNarrower()
	for _, o := range in.prog.Memory.Objects {
		a.ofSite[siteKey(o.Site, o.Name)] = append(a.ofSite[siteKey(o.Site, o.Name)], o.ID)
	}
	// Reads by conditions here are no reads of the program.
	defer func(was bool) { in.prog.Memory.Reading = was }(in.prog.Memory.Reading)
	in.prog.Memory.Reading = false
	x := fuzz.New(in.m.Module, in.entry)
	opts.Coverage, opts.MaxSteps, opts.Infos = false, v.longest, &x.Infos
	for k, left := 0, v.steps; k < arrivalTries && left > 0 && in.ctx.Err() == nil && a.defect.None(); k++ {
		x.Far = v.far && k%2 != 0
		x.Begin(x.Fresh())
		a.begin()
		a.run = interp.New(in.ctx, in.m, in.entry, a.choosing(x.Choose), opts)
		a.run.Observe(a)
		out := a.run.Run()
		n := out.Cost() + 500
		left -= n
		executed(n)
		a.flush(0)
		for i, turns := range a.turn {
			if a.iterations[i] = max(a.iterations[i], turns); out.End == interp.EndSteps {
				a.iterations[i] = math.MaxInt
			}
		}
		if !slices.ContainsFunc(a.seen, func(n int) bool { return n < v.most }) {
			break
		}
	}
	return a
}

func siteKey(site int, name string) string {
	if site != 0 {
		return strconv.Itoa(site)
	}
	return name
}

// takeHead records the position of a head, unless another head has the same position and calls.
func (a *arrivals) takeHead(i int, h *unfold.Head) {
	for k, o := range a.in.heads {
		x, y := o.Site.Caller, h.Site.Caller
		if h.OfFunction() { // two calls in one function differ
			x, y = o.Site, h.Site
		}
		if k != i && o.Loop == h.Loop && (o.Begin == nil) == (h.Begin == nil) && sameSites(x, y) {
			return
		}
	}
	if h.OfFunction() {
		if h.Begin == nil {
			a.begins[h.Fn.Func] = append(a.begins[h.Fn.Func], i)
		}
		return
	}
	for b := range h.Fn.Nodes {
		for _, l := range h.Fn.Nodes[b].Loops {
			if l.Name == h.Loop && l.Head == b {
				a.body[i] = l
				if a.heads[h.Fn.Func] == nil {
					a.heads[h.Fn.Func] = map[int][]int{}
				}
				a.heads[h.Fn.Func][b] = append(a.heads[h.Fn.Func][b], i)
			}
		}
	}
}

func sameSites(x, y *seair.Site) bool {
	for ; x != nil && y != nil; x, y = x.Caller, y.Caller {
		if x.ID != y.ID {
			return false
		}
	}
	return x == nil && y == nil
}

// begin prepares an execution.
func (a *arrivals) begin() {
	a.objects, a.known = map[string]*state.Object{}, map[smt.Term]bool{}
	a.active = map[*state.Frame]map[int]state.Value{}
	a.model, a.bytes = smt.NewModel(), map[smt.Func]uint64{}
	a.given = make([]map[smt.Term]smt.Value, len(a.in.heads)+1)
	for k := range a.given {
		a.given[k] = map[smt.Term]smt.Value{}
	}
	a.eval = a.in.c.NewEvaluator(a.model)
	a.entered, a.pending = make([]map[int]state.Value, len(a.in.heads)), make([]bool, len(a.in.heads))
	a.turn, a.before = make([]int, len(a.in.heads)), make([]int, len(a.in.heads))
}

// Entered implements interp.Observer.
func (a *arrivals) Entered(fr *state.Frame, from, to int) {
	for _, i := range a.heads[fr.Fn][to] {
		if !a.sameCalls(a.in.heads[i].Site.Caller, len(a.run.Frames)) {
			continue
		}
		h := a.in.heads[i]
		if from < 0 || !slices.Contains(h.Fn.Nodes[from].Loops, a.body[i]) {
			a.before[i] = 0
		} else {
			a.before[i]++
		}
		if a.before[i] >= h.Before { // otherwise the loop is cut at a later arrival
			a.arriveAt(i, fr, a.before[i] == h.Before)
		}
	}
}

// sameCalls reports whether the first n open calls are those of a site.
func (a *arrivals) sameCalls(s *seair.Site, n int) bool {
	for k := n - 1; k >= 0; k-- {
		call := a.run.Frames[k].Call
		if call == nil || s == nil {
			return call == nil && s == nil
		}
		if call.ID != s.ID {
			return false
		}
		s = s.Caller
	}
	return s == nil
}

// flush visits the pending heads from the i-th on.
func (a *arrivals) flush(i int) {
	for k := i; k < len(a.pending); k++ {
		if a.pending[k] && a.defect.None() {
			a.visit(a, k)
		}
		a.pending[k] = false
	}
}

// evaluate evaluates the invariants of a head.
func (a *arrivals) evaluate(i int) {
	in, c := a.in, a.in.c
	a.eval.Forget()
	for _, l := range in.lemmas[i] {
		if l.dropped {
			continue
		}
		if !l.Quantified() {
			if !a.eval.EvalBool(l.Fact()) {
				a.refute(i, l, l.Fact())
			}
			continue
		}
		fact := l.Fact()
		of := c.Symbols(l.Witness())
		bound := of[len(of)-1] // made for it
		if c.Width(bound) > 64 {
			continue
		}
		for _, v := range a.elements(i, c.Width(bound)) {
			a.model.SetVar(bound, smt.UintValue(c.Width(bound), v>>c.VarLow(bound)<<c.VarLow(bound)))
			a.known[bound] = true
			a.eval.Forget()
			if !a.eval.EvalBool(fact) {
				a.refute(i, l, fact)
				break
			}
		}
		delete(a.known, bound)
	}
}

// elements returns candidate values of an element: small numbers, and numbers close to the values of places.
func (a *arrivals) elements(i, bits int) (out []uint64) {
	put := func(v uint64) {
		if bits < 64 {
			v &= 1<<bits - 1
		}
		if len(out) < arrivalElements && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for k := range uint64(6) {
		put(k)
	}
	for k, p := range a.in.heads[i].Places {
		if p.Sym != 0 && a.known[p.Sym] && !a.in.c.Sort(p.Sym).IsBool() {
			v, _ := a.model.Var(p.Sym)
			if was, ok := a.entered[i][k]; ok && !p.Pointer {
				put(v.Uint64() - was.Bits)
				put(v.Uint64() - was.Bits - 1)
			}
			for k := range uint64(4) {
				put(v.Uint64() - k)
			}
			put(v.Uint64() + 1)
		}
	}
	for k := range uint64(arrivalElements) {
		put(8 * k)
	}
	return out
}

// refute checks by a query whether a condition can be true in the current state of the execution, for some values of
// the unknown symbols. If it cannot, refute records a defect.
func (a *arrivals) refute(i int, l *lemma, fact smt.Term) {
	in, c, h := a.in, a.in.c, a.in.heads[i]
	if a.asked >= arrivalQuestions {
		return
	}
	a.asked++
	facts := append([]smt.Term{in.factsBefore(h.Event), h.Guard}, in.facts(h.Event, again)...)
	for _, given := range a.given {
		for t, v := range given {
			facts = append(facts, c.Eq(t, a.constant(v)))
		}
	}
	about := append(slices.Clone(facts), fact)
	for _, s := range c.Symbols(about...) {
		if v, ok := a.model.Var(s); ok && a.known[s] {
			facts = append(facts, c.Eq(s, a.constant(v)))
		}
	}
	for _, f := range c.Funcs(about...) {
		n := a.bytes[f]
		for k := uint64(0); 8*k < n; k++ {
			if v, ok := a.model.Func(f, smt.UintValue(61, k)); ok {
				w := int(8 * min(8, n-8*k))
				now := c.Int(w, v.Uint64()<<(64-w)>>(64-w))
				facts = append(facts, c.Eq(c.Extract(c.Apply(f, c.Int(61, k)), w-1, 0), now))
			}
		}
	}
	slices.Sort(facts)
	ask := func(t smt.Term) smt.Answer {
		return in.asker.Ask(in.ctx, ask.Question{Facts: facts, Any: []smt.Term{t}, Budget: arrivalBudget}).Answer
	}
	if ask(fact) != smt.Unsat || ask(c.Not(fact)) != smt.Sat {
		return
	}
	text := l.text
	if text == "" {
		text = "a bound"
	}
	a.defect = found.Reason{Why: found.InternalError, Text: fmt.Sprintf(
		"an invariant that was found (%s) of the loop at %s:%d is false in an execution",
		text, path.Base(h.Pos().File), h.Pos().Line)}
}

func (a *arrivals) constant(v smt.Value) smt.Term {
	if v.Sort().IsBool() {
		return a.in.c.BoolConst(v.Bool())
	}
	return a.in.c.Int(v.Width(), v.Uint64())
}
