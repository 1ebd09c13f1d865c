// Package quantify represents quantified conditions by Boolean symbols with instances (quantify.go), and the results
// of searches in the C library by symbols with a quantified definition (scan.go).
//
//	forall (k < n) a[k] == 0
//
// becomes a symbol s. The log gets axioms about s only:
//
//	!s => !(w < n => a[w] == 0)    the witness w is a new symbol
//	s => (i < n => a[i] == 0)      an instance for each place i at which the program reads a
//
// Each axiom is true in every execution, so missing instances can lose proofs, but never make a wrong one.
//
// Principal types: Set has the quantifiers of one execution and creates instances for the reads of the program;
// Quantifier is one of them; Scan is a search. Reading order: Quantifier, Set.Holds, Set.Instantiate, solve.go, Scan.
//
// The package uses neither instructions nor solvers: package vcgen/ask creates further instances from models that
// violate a quantifier.
package quantify

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Quantifier is a condition for all values of variables. Sym is true if it holds. Each instance follows from Sym
// (Instance). If Sym is false, the body is false for a witness, one symbol per variable; an axiom in the log states
// that. Both kinds of axioms restrict auxiliary symbols only, so a missing instance can lose a proof, but never make a
// wrong one.
//
// Instances are created for the places of memory that the rest of the program reads (Detlefs, Nelson, and Saxe,
// "Simplify: A Theorem Prover for Program Checking", 2005, section 5). If the body reads at off(k) and the program at
// t, the instance is for the k with off(k) = t. Further instances are created from models that violate the quantifier
// (vcgen/ask/quantifiers.go; Ge and de Moura, "Complete Instantiation for Quantified Formulas in Satisfiability Modulo
// Theories", 2009).
type Quantifier struct {
	Sym  smt.Term
	Vars []smt.Term
	Body smt.Term
	// From and To, if not 0, bound the only variable: the body holds outside of [From, To).
	From, To smt.Term
	// Inner are the quantifiers in the body, which contains their Sym. Whether they hold depends on the values of
	// Vars, so each instance has copies of them, with new symbols (at).
	Inner []*Quantifier

	// nested is set if it contains quantifiers, or is a copy of a contained one. Each of its instances has reads at
	// new witnesses. Instances for reads of instances would not terminate, so none is created for these.
	nested bool

	witnesses map[smt.Term]smt.Term // the witness: values for which the body is false if Sym is
	reads     []contentRead         // of the body, at offsets that depend on Vars
	made      map[string]bool
}

// contentRead is a read of arbitrary content.
type contentRead struct {
	content smt.Func
	off     smt.Term
	n       int64
	// generation is the number of nested instantiations that led to the read: 2 for a read by an instance of an
	// instance.
	generation int
}

// Limits of instantiation.
const (
	maxGeneration = 3     // of reads
	maxInstances  = 1_000 // of a quantifier
	maxWide       = 8     // elements of a read that is wider than the body's
	maxCopies     = 200   // of quantifiers in others, which read memory and so lead to instances
)

// Work of an instance, and of the search for one, in steps of mem.Memory.Spend.
const (
	instanceSteps = 100
	matchSteps    = 10
)

// Set is the set of quantifiers of one execution. A nil set creates none.
type Set struct {
	// Enumerate is the maximum number of possible positions of a scan that are enumerated: folding selects one of them.
	Enumerate uint64

	c      *smt.Context
	mem    *mem.Memory
	log    *seair.Log
	out    *Conditions
	list   []*Quantifier
	bounds map[smt.Term]int // variables of bodies, with the number of reads when they were made
	reads  []contentRead    // all of them, in order
	done   int              // number of reads for which instances were created
	seen   map[contentRead]bool
	ground map[smt.Func][]contentRead // reads independent of bound variables, by content
	by     map[smt.Func][]*pattern    // reads of bodies, by content
	busy   bool
	open   int // number of variables that are bound now
	copies int // in list
	bySym  map[smt.Term]*Quantifier
}

// Conditions is the result of a Set.
type Conditions struct {
	// Quantifiers are those of contracts and of scans. Loose is set if some condition was replaced by its body for one
	// arbitrary value: a model of all formulas need not be an execution then.
	Quantifiers []*Quantifier
	Loose       bool

	set *Set
}

// Instantiate creates the instances for reads that were made after the execution.
func (c *Conditions) Instantiate() { c.set.Instantiate() }

// pattern is a read of a body.
type pattern struct {
	q *Quantifier
	contentRead
}

// New returns an empty set that observes all reads of a memory. It adds the axioms of its quantifiers to log, and the
// quantifiers to out.
func New(m *mem.Memory, log *seair.Log, out *Conditions) *Set {
	q := &Set{Enumerate: shortScan, c: log.C,
		mem: m, log: log, out: out, bounds: map[smt.Term]int{}, seen: map[contentRead]bool{},
		ground: map[smt.Func][]contentRead{}, by: map[smt.Func][]*pattern{}, bySym: map[smt.Term]*Quantifier{}}
	out.set = q
	m.OnRead = func(content smt.Func, off smt.Term, n int64) { q.add(contentRead{content: content, off: off, n: n}) }
	return q
}

// add records a read.
func (q *Set) add(x contentRead) {
	key := contentRead{content: x.content, off: x.off, n: x.n}
	if !q.seen[key] {
		q.seen[key] = true
		q.reads = append(q.reads, x)
	}
}

// Bound creates a bound variable of a width in bits. The condition on it is evaluated before Holds is called.
func (q *Set) Bound(width int) smt.Term {
	t := q.c.Var("any", smt.BV(width))
	q.bounds[t] = len(q.reads)
	q.open++
	return t
}

// dependent reports whether a term contains bound variables.
func (q *Set) dependent(t smt.Term) bool {
	if len(q.bounds) == 0 {
		return false
	}
	return slices.ContainsFunc(q.c.Symbols(t), func(v smt.Term) bool { _, is := q.bounds[v]; return is })
}

// Holds returns the condition that a body holds for all values, or for some value, of the variables in args.
func (q *Set) Holds(body smt.Term, args []smt.Term, exists bool) smt.Term {
	c := q.c
	q.open = max(q.open-len(args), 0)
	x := &Quantifier{made: map[string]bool{}}
	since := len(q.reads)
	for _, a := range args {
		for _, v := range c.Symbols(a) {
			if from, is := q.bounds[v]; is {
				x.Vars, since = append(x.Vars, v), min(since, from)
			}
		}
	}
	symbols := c.Symbols(body)
	x.Vars = slices.DeleteFunc(x.Vars, func(v smt.Term) bool { return !slices.Contains(symbols, v) })
	if len(x.Vars) == 0 {
		return body // independent of the variables
	}
	x.Body = body
	if exists {
		x.Body = c.Not(body)
	}
	if !q.nest(x, slices.Min(x.Vars)) {
		q.out.Loose = true
		return body // for arbitrary values: the body is implied by forall and implies exists
	}
	x.Sym = c.Var("for all", smt.Bool)
	q.bySym[x.Sym] = x
	q.enter(x, since)
	fact, made := x.witness(c)
	q.axiom(fact)
	q.enlist(made, 0)
	q.readAt(x, x.witnesses, 0)
	if exists {
		return c.Not(x.Sym)
	}
	return x.Sym
}

// nest finds the quantifiers in a body. It reports whether the rest of the body, and of the bodies in it, is the same
// for each value of the variables. first is the oldest variable: any other symbol created after it may depend on the
// variables.
func (q *Set) nest(x *Quantifier, first smt.Term) bool {
	for _, v := range q.c.Symbols(x.Body) {
		if v <= first || slices.Contains(x.Vars, v) {
			continue
		}
		in := q.bySym[v]
		if in == nil || !q.nestable(in, append(slices.Clip(x.Vars), in.Vars...), first) {
			return false
		}
		x.Inner, x.nested = append(x.Inner, in), true
	}
	return true
}

// nestable reports whether the condition of nest holds for an inner quantifier, given the bound variables.
func (q *Set) nestable(x *Quantifier, vars []smt.Term, first smt.Term) bool {
	for _, v := range q.c.Symbols(x.Body) {
		if v <= first || slices.Contains(vars, v) {
			continue
		}
		in := q.bySym[v]
		if !slices.Contains(x.Inner, in) || !q.nestable(in, append(slices.Clip(vars), in.Vars...), first) {
			return false
		}
	}
	return true
}

// enter adds a quantifier, whose body was read from the since-th read on, and creates its instances for existing
// reads.
func (q *Set) enter(x *Quantifier, since int) {
	for _, rd := range q.reads[since:] {
		symbols := q.c.Symbols(rd.off)
		// Copies of the inner quantifiers read the places that depend on inner variables.
		if slices.ContainsFunc(symbols, func(v smt.Term) bool { return slices.Contains(x.Vars, v) }) &&
			!slices.ContainsFunc(symbols, x.bindsWithin) {
			x.reads = append(x.reads, rd)
		}
	}
	q.list = append(q.list, x)
	q.out.Quantifiers = q.list
	q.trigger(x)
}

// bindsWithin reports whether a variable belongs to an inner quantifier.
func (x *Quantifier) bindsWithin(v smt.Term) bool {
	return slices.ContainsFunc(x.Inner, func(in *Quantifier) bool {
		return slices.Contains(in.Vars, v) || in.bindsWithin(v)
	})
}

// enlist adds the copies of inner quantifiers that an instance of a generation has created.
func (q *Set) enlist(made []*Quantifier, generation int) {
	q.copies += len(made)
	for _, x := range made {
		q.list = append(q.list, x)
		q.out.Quantifiers = q.list
		q.trigger(x)
		q.readAt(x, x.witnesses, generation)
	}
}

// readAt records the reads of a body for values of the variables. Conditions on all elements that induction finds need
// them, too: the memory notes them for it.
func (q *Set) readAt(x *Quantifier, values map[smt.Term]smt.Term, generation int) {
	for _, rd := range x.reads {
		off := q.c.Substitute(rd.off, values)
		q.add(contentRead{rd.content, off, rd.n, generation})
		if q.mem.Reading {
			q.mem.ReadArbitrary(rd.content, off, rd.n)
		}
	}
}

// trigger creates the instances of a quantifier for existing reads, and registers it for future ones.
func (q *Set) trigger(x *Quantifier) {
	for _, rd := range distinct(q.c, x) {
		p := &pattern{x, rd}
		q.by[rd.content] = append(q.by[rd.content], p)
		for _, g := range slices.Clone(q.ground[rd.content]) {
			q.match(p, g)
		}
	}
}

// distinct returns the reads of a body; of several reads in one element it keeps only one.
func distinct(c *smt.Context, x *Quantifier) (out []contentRead) {
	for _, rd := range x.reads {
		same := slices.ContainsFunc(out, func(o contentRead) bool {
			d, ok := c.Int64(c.Sub(rd.off, o.off))
			return ok && o.content == rd.content && d > 0 && d < 8 && rd.n == 1 && o.n == 1 && stride(c, rd.off, x.Vars) > d
		})
		if !same {
			out = append(out, rd)
		}
	}
	return out
}

// stride returns the least distance in bytes between offsets for different values of the variables, 0 if unknown.
func stride(c *smt.Context, off smt.Term, vars []smt.Term) (least int64) {
	_, parts := c.SumParts(off)
	for _, p := range parts {
		if speaks(c, p.T, vars) {
			if k := magnitude(p.Coef, c.Width(off)); least == 0 || k < least {
				least = k
			}
		}
	}
	return least
}

func speaks(c *smt.Context, t smt.Term, vars []smt.Term) bool {
	return slices.ContainsFunc(c.Symbols(t), func(v smt.Term) bool { return slices.Contains(vars, v) })
}

// magnitude returns |coef|, a number of w bits.
func magnitude(coef uint64, w int) int64 {
	k := int64(coef<<(64-w)) >> (64 - w)
	return max(k, -k)
}

func (q *Set) axiom(t smt.Term) {
	if !q.c.IsTrue(t) {
		q.log.Events = append(q.log.Events, seair.Event{Kind: seair.Axiom, Guard: q.c.True(), Cond: t})
	}
}

// Instantiate creates the instances for the reads since the last call.
func (q *Set) Instantiate() {
	if q == nil || q.busy {
		return
	}
	q.busy = true
	for ; q.done < len(q.reads); q.done++ {
		g := q.reads[q.done]
		if q.dependent(g.off) {
			continue
		}
		q.ground[g.content] = append(q.ground[g.content], g)
		for _, p := range q.by[g.content] {
			q.match(p, g)
		}
	}
	q.busy = false
}

// match creates the instances of a quantifier whose body and the program read the same content.
func (q *Set) match(p *pattern, g contentRead) {
	c := q.c
	if g.generation > maxGeneration || p.q.nested && g.generation > 0 || q.mem.Spend(matchSteps) {
		return
	}
	for k := range min(maxWide, max(1, g.n/p.n)) {
		for _, syntactic := range []bool{true, false} {
			s := &solving{c: c, vars: p.q.Vars, syntactic: syntactic, values: map[smt.Term]smt.Term{}}
			if !s.solve(p.off, c.Add(g.off, q.mem.Int(uint64(k*p.n)))) || len(s.values) < len(p.q.Vars) {
				continue
			}
			q.instance(p.q, s.values, g.generation+1)
			if !s.inexact {
				break
			}
		}
	}
}

// instance creates an instance unless it exists.
func (q *Set) instance(x *Quantifier, values map[smt.Term]smt.Term, generation int) {
	if len(x.made) >= maxInstances || len(x.Inner) > 0 && q.copies >= maxCopies || !x.first(values) ||
		q.mem.Spend(instanceSteps) {
		return
	}
	fact, made := x.instance(q.c, values)
	q.axiom(fact)
	q.enlist(made, generation)
	q.readAt(x, values, generation)
}

// first reports whether there is no instance for values yet, and records that there is one.
func (x *Quantifier) first(values map[smt.Term]smt.Term) bool {
	var key []byte
	for _, v := range x.Vars {
		key = binary.AppendUvarint(key, uint64(values[v]))
	}
	if x.made[string(key)] {
		return false
	}
	x.made[string(key)] = true
	return true
}

// instance returns the axiom that the body holds for values if the quantifier holds. made are the new quantifiers that
// the axiom contains.
func (x *Quantifier) instance(c *smt.Context, values map[smt.Term]smt.Term) (fact smt.Term, made []*Quantifier) {
	body, facts, made := x.at(c, values)
	return c.And(append(facts, c.Or(c.Not(x.Sym), body))...), made
}

// witness returns the axiom that the body is false for some values if the quantifier does not hold.
func (x *Quantifier) witness(c *smt.Context) (fact smt.Term, made []*Quantifier) {
	x.witnesses = map[smt.Term]smt.Term{}
	for _, v := range x.Vars {
		x.witnesses[v] = c.Var("some", c.Sort(v))
	}
	body, facts, made := x.at(c, x.witnesses)
	return c.And(append(facts, c.Or(x.Sym, c.Not(body)))...), made
}

// at returns the body for values of the variables, with copies of the inner quantifiers. facts are the axioms of the
// copies; made are the copies, and those in their witnesses.
func (x *Quantifier) at(c *smt.Context, values map[smt.Term]smt.Term) (body smt.Term, facts []smt.Term,
	made []*Quantifier) {
	if len(x.Inner) == 0 {
		return c.Substitute(x.Body, values), nil, nil
	}
	to := maps.Clone(values)
	for _, in := range x.Inner {
		y := in.substitute(c, values)
		y.Sym = c.Var("for all", smt.Bool)
		to[in.Sym] = y.Sym
		fact, more := y.witness(c)
		facts, made = append(facts, fact), append(append(made, y), more...)
	}
	return c.Substitute(x.Body, to), facts, made
}

// substitute returns a copy whose body has values in place of outer variables.
func (x *Quantifier) substitute(c *smt.Context, values map[smt.Term]smt.Term) *Quantifier {
	y := &Quantifier{Sym: x.Sym, Vars: x.Vars, Body: c.Substitute(x.Body, values), nested: true,
		made: map[string]bool{}}
	for _, in := range x.Inner {
		y.Inner = append(y.Inner, in.substitute(c, values))
	}
	for _, rd := range x.reads {
		y.reads = append(y.reads, contentRead{rd.content, c.Substitute(rd.off, values), rd.n, 0})
	}
	return y
}

// Words returns the words of arbitrary content that the body reads if the only variable is in [from, to). Each element
// is a content with its first and last word (mem.Memory.Arbitrary). Reads are omitted unless their offset is the
// variable plus a fixed term.
func (x *Quantifier) Words(c *smt.Context, ev *smt.Evaluator, from, to uint64) iter.Seq2[smt.Func, [2]uint64] {
	return func(yield func(smt.Func, [2]uint64) bool) {
		for _, rd := range x.reads {
			rest := c.Sub(rd.off, x.Vars[0])
			if speaks(c, rest, x.Vars) || from >= to {
				continue
			}
			at := ev.EvalUint(rest)
			if at+from > at+to-1+uint64(rd.n)-1 { // beyond the last address
				continue
			}
			if !yield(rd.content, [2]uint64{(at + from) >> 3, (at + to + uint64(rd.n) - 2) >> 3}) {
				return
			}
		}
	}
}

// Instance returns the axiom that the body holds for values of the variables, in their order, if the quantifier holds.
// It is true in every execution. made are further quantifiers that the axiom contains. They are equivalent for each
// call with the same values, so a quantifier with inner ones has at most one instance for them.
func (x *Quantifier) Instance(c *smt.Context, values []smt.Term) (fact smt.Term, made []*Quantifier) {
	to := map[smt.Term]smt.Term{}
	for i, v := range x.Vars {
		to[v] = values[i]
	}
	if x.nested && !x.first(to) {
		return c.True(), nil
	}
	return x.instance(c, to)
}
