package induction

import (
	"context"
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Candidates are also proposed by executions (Ernst, Cockrell, Griswold and Notkin, "Dynamically Discovering Likely
// Program Invariants to Support Program Evolution", 2001): terms over the state at a head are evaluated at the arrivals
// of random executions, and the values show which terms have few values, which values never meet, and which linear
// equations hold in all states or in those in which a comparison is true. A query decides afterwards, as for any other
// candidate; an execution that was not made costs a candidate and never soundness.

// Limits of the samples of one head.
const (
	sampleSteps    = 200_000 // instructions of all executions
	sampleLongest  = 16_000  // instructions of one execution
	sampleDense    = 12
	maxSamples     = 160
	maxColumns     = 16
	maxAtomSize    = 10 // terms of a comparison
	maxAtoms       = 12
	maxValues      = 6   // of a term that has few values
	maxDisjoint    = 240 // candidates that two values do not meet
	maxConditional = 80  // candidates under a condition
	leastEvidence  = 3   // samples that make a candidate likely
	largestFactor  = 64  // of an equation
)

// samples are values of terms at the arrivals at a head.
type samples struct {
	columns []smt.Term
	rows    [][]uint64
	// unknown has, for each row, the columns whose value is unknown there; complete empties it.
	unknown [][]int
}

// complete drops the columns that are unknown in all rows, and then the rows that are not known completely.
func (s *samples) complete() {
	missing := make([]int, len(s.columns))
	for _, list := range s.unknown {
		for _, k := range list {
			missing[k]++
		}
	}
	always := func(k int) bool { return missing[k] == len(s.rows) }
	n := -1
	s.rows = slices.DeleteFunc(s.rows, func([]uint64) bool {
		n++
		return slices.ContainsFunc(s.unknown[n], func(k int) bool { return !always(k) })
	})
	for k := len(s.columns) - 1; k >= 0; k-- {
		if !always(k) {
			continue
		}
		s.columns = slices.Delete(s.columns, k, k+1)
		for i := range s.rows {
			s.rows[i] = slices.Delete(s.rows[i], k, k+1)
		}
	}
	s.unknown = nil
}

// Sample executes the program with random inputs and keeps the values of terms over the state at each head, for Find.
// executed is called with the number of instructions of each execution.
func (in *Finder) Sample(ctx context.Context, opts interp.Options, executed func(instructions int64)) {
	in.prepare()
	in.samples = make([]samples, len(in.heads))
	for i := range in.heads {
		in.samples[i].columns = in.columns(i)
	}
	v := visitor{(*arrivals).sample, sampleLongest, sampleDense, maxSamples, true, sampleSteps}
	in.iterations = in.arrive(ctx, opts, executed, v).iterations
	for i := range in.samples {
		if s := &in.samples[i]; len(s.rows) > 0 {
			s.complete()
		}
	}
}

// EndsWithin reports whether all executions were complete in which a loop was sampled, with at most n arrivals at it.
func (in *Finder) EndsWithin(loop string, n int) bool {
	known := false
	for i, h := range in.heads {
		if h.Loop == loop && i < len(in.iterations) {
			known = true
			if in.iterations[i] > n {
				return false
			}
		}
	}
	return known
}

// sample keeps the values of a head's columns.
func (a *arrivals) sample(i int) {
	s := &a.in.samples[i]
	a.eval.Forget()
	row, unknown := make([]uint64, len(s.columns)), []int(nil)
	for k, t := range s.columns {
		v, ok := a.value(i, t)
		if !ok {
			unknown = append(unknown, k)
		}
		row[k] = v
	}
	s.rows, s.unknown = append(s.rows, row), append(s.unknown, unknown)
}

// value returns the value of a term in the state at a head, if the execution determines it.
func (a *arrivals) value(i int, t smt.Term) (uint64, bool) {
	c := a.in.c
	for k := i + 1; k >= 0; k-- {
		if v, ok := a.given[k][t]; ok && v.Sort().IsBool() {
			return b2u(v.Bool()), true
		} else if ok {
			return v.Uint64(), true
		}
	}
	for _, sym := range c.Symbols(t) {
		if !a.known[sym] {
			return 0, false
		}
	}
	if c.Sort(t).IsBool() {
		return b2u(a.eval.EvalBool(t)), true
	}
	return a.eval.EvalUint(t), true
}

// columns returns the terms of a head that are sampled: first numbers, then comparisons.
func (in *Finder) columns(i int) (out []smt.Term) {
	c, h, state := in.c, in.heads[i], in.states[i]
	put := func(t smt.Term) {
		if t != 0 && !c.IsConst(t) && !slices.Contains(out, t) && len(out) < maxColumns && len(c.Funcs(t)) == 0 &&
			(c.Sort(t).IsBool() || c.Width(t) <= 64) && c.Size(t) < 60 && state.DependsOnHeadOnly(t) &&
			!in.concernsIrrelevant(t) {
			out = append(out, t)
		}
	}
	atoms := in.material(i).atoms
	for _, t := range in.arguments(i) {
		put(t)
	}
	for _, p := range h.Places {
		if p.Sym != 0 && (!p.Pointer || p.Start) {
			put(p.Old)
		}
	}
	for _, a := range atoms {
		for k := range 2 {
			if t := c.Arg(a, k); !c.Sort(t).IsBool() && !state.Varies(t) && c.Width(t) <= 64 {
				put(t)
			}
		}
	}
	for _, p := range h.Places {
		put(p.Sym)
	}
	n := len(out)
	for _, a := range atoms {
		if len(out) < n+maxAtoms && state.Varies(a) && state.DependsOnHeadOnly(a) && len(c.Funcs(a)) == 0 &&
			c.Size(a) <= maxAtomSize && !in.concernsIrrelevant(a) {
			out = append(out, a)
		}
	}
	return out
}

// sampled makes the candidates of a head that its samples propose.
func (in *Finder) sampled(i int) {
	if len(in.samples) == 0 {
		return
	}
	s := &in.samples[i]
	in.makeHulls(i, s.rows, in.c.True())
	if len(s.rows) < leastEvidence {
		return
	}
	few := in.fewValues(i)
	in.strides(i)
	in.disjoint(i, few)
	in.sums(i)
	in.conditional(i, few)
}

// values are the values that a column has, as terms.
type values struct {
	column int
	seen   []uint64
}

// fewValues makes candidates of the columns that the loop changes and that have few values, and returns these.
func (in *Finder) fewValues(i int) (out []values) {
	c, s := in.c, &in.samples[i]
	for k, t := range s.columns {
		if !in.states[i].Changes(t) {
			continue
		}
		v := values{column: k}
		for _, row := range s.rows {
			if !slices.Contains(v.seen, row[k]) {
				v.seen = append(v.seen, row[k])
			}
		}
		v.seen = in.assigned(i, t, v.seen)
		if len(v.seen) > maxValues || len(v.seen) >= len(s.rows) {
			continue
		}
		out = append(out, v)
		if !c.Sort(t).IsBool() {
			any := c.False()
			for _, x := range v.seen {
				any = c.Or(any, in.has(t, x))
			}
			in.add(i, "values", any)
		}
	}
	return out
}

// assigned adds to values the constants that an iteration gives a symbol.
func (in *Finder) assigned(i int, sym smt.Term, seen []uint64) []uint64 {
	c, h := in.c, in.heads[i]
	for k, p := range h.Places {
		if p.Sym != sym {
			continue
		}
		for _, b := range h.Back {
			for _, t := range in.leaves(b.Values[k], nil) {
				if v, ok := c.Uint64(t); ok && !slices.Contains(seen, v) {
					seen = append(seen, v)
				}
			}
		}
	}
	return seen
}

// leaves adds the terms among which a choice chooses to out.
func (in *Finder) leaves(t smt.Term, out []smt.Term) []smt.Term {
	const most = 24
	if in.c.Op(t) == smt.OpIte && len(out) < most {
		return in.leaves(in.c.Arg(t, 2), in.leaves(in.c.Arg(t, 1), out))
	}
	return append(out, t)
}

// has returns the condition that a term has a value.
func (in *Finder) has(t smt.Term, v uint64) smt.Term {
	if !in.c.Sort(t).IsBool() {
		return in.c.Eq(t, in.c.Int(in.c.Width(t), v))
	}
	if v == 0 {
		return in.c.Not(t)
	}
	return t
}

// strides makes candidates of how far numbers have moved: multiples of what divides all distances that were seen.
func (in *Finder) strides(i int) {
	c, h, s := in.c, in.heads[i], &in.samples[i]
	for _, p := range h.Places {
		k, from := slices.Index(s.columns, p.Sym), slices.Index(s.columns, p.Old)
		if k < 0 || c.Sort(p.Sym).IsBool() {
			continue
		}
		old, isConst := c.Uint64(p.Old)
		if from < 0 && !isConst {
			continue
		}
		w, divisor := c.Width(p.Sym), uint64(0)
		for _, row := range s.rows {
			was := old
			if from >= 0 {
				was = row[from]
			}
			d := (row[k] - was) << (64 - w) >> (64 - w)
			if neg := -(row[k] - was) << (64 - w) >> (64 - w); neg < d {
				d = neg
			}
			divisor = gcd(divisor, d)
		}
		d := c.Sub(p.Sym, p.Old)
		if g := bits.TrailingZeros64(divisor); g > 0 && g < w {
			in.add(i, "stride", c.Eq(c.Extract(d, g-1, 0), c.Int(g, 0)))
		}
		if divisor > 2 && divisor <= largestFactor && divisor&(divisor-1) != 0 {
			in.add(i, "stride", c.Eq(c.Urem(d, c.Int(w, divisor)), c.Int(w, 0)))
		}
	}
}

// disjoint makes candidates of values of two columns that no sample has together.
func (in *Finder) disjoint(i int, few []values) {
	c, s := in.c, &in.samples[i]
	made := 0
	for a, x := range few {
		for _, y := range few[a+1:] {
			met := map[[2]uint64]bool{}
			for _, row := range s.rows {
				met[[2]uint64{row[x.column], row[y.column]}] = true
			}
			for _, v := range x.seen {
				for _, w := range y.seen {
					if !met[[2]uint64{v, w}] && made < maxDisjoint {
						made++
						in.add(i, "disjoint", c.Not(c.And(in.has(s.columns[x.column], v), in.has(s.columns[y.column], w))))
					}
				}
			}
		}
	}
}

// conditional makes candidates of facts that hold in a part of the samples: equations and comparisons. The parts are
// those in which a comparison is true or false, or a column has a certain value.
func (in *Finder) conditional(i int, few []values) {
	c, s := in.c, &in.samples[i]
	type split struct {
		where smt.Term
		of    func(row []uint64) bool
	}
	var splits []split
	for _, v := range few {
		for _, x := range v.seen {
			if len(v.seen) > 1 {
				splits = append(splits, split{in.has(s.columns[v.column], x),
					func(row []uint64) bool { return row[v.column] == x }})
			}
		}
	}
	for k, t := range s.columns {
		if c.Sort(t).IsBool() && !in.states[i].Changes(t) {
			splits = append(splits, split{t, func(row []uint64) bool { return row[k] != 0 }},
				split{c.Not(t), func(row []uint64) bool { return row[k] == 0 }})
		}
	}
	made := 0
	for _, x := range splits {
		var rows [][]uint64
		for _, row := range s.rows {
			if x.of(row) {
				rows = append(rows, row)
			}
		}
		if len(rows) == len(s.rows) || len(rows) < leastEvidence || made > maxConditional {
			continue
		}
		made += in.makeHulls(i, rows, x.where)
		for k, t := range s.columns {
			if !c.Sort(t).IsBool() || t == x.where || c.Not(t) == x.where || in.states[i].Changes(t) {
				continue
			}
			if same := !slices.ContainsFunc(rows, func(row []uint64) bool { return row[k] != rows[0][k] }); same {
				in.add(i, "where", c.Implies(x.where, in.has(t, rows[0][k])))
				made++
			}
		}
	}
}
