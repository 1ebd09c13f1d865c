package induction

import (
	"math"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Bounds of the elements that a loop writes at any index: of a histogram, of the counters in a table of tokens, of the
// positions in a hash table. All values that are written to one field of the elements are collected:
//
//	for (i = 0; i < n; i++) { count[s[i]]++; last[s[i]] = i; }
//
// The candidates are that each element lies between the least and the greatest constant, that it has grown by at most
// what an iteration adds for each step of a counter (count[k] <= i), and that it is at most a counter (last[k] <= i).

// Limits of the bounds of one head.
const (
	maxFields   = 8 // fields of elements
	maxCounters = 4
	maxReached  = 2 // accesses below which elements may have bounds
)

// field is the same member of all elements of an array: the offsets rest, rest + stride, ...
type field struct{ stride, rest, n int64 }

// written is what a loop writes to a field of an object.
type written struct {
	field
	content int
	// least and most are bounds of the values that are constants, or limited by their terms; some: there are any.
	least, most int64
	some        bool
	// up and down bound what one iteration adds to an element.
	up, down int64
	// open: other values are written, too.
	open bool
}

// elementBounds adds the candidates of a head about the bounds of elements. accesses are those that move with the loop.
func (in *Finder) elementBounds(i int, accesses []access) {
	counters := in.counters(i)
	for k, d := range in.heads[i].Contents {
		fields := in.fields(i, k)
		if len(fields) == 0 {
			continue
		}
		asked := in.askedOf(i, d.Obj)
		for _, w := range fields {
			if slices.ContainsFunc(asked, w.concerns) {
				in.bounded(i, w, counters, accesses)
			}
		}
	}
}

// element is a place in an array: its offset is rest plus multiples of by, which is 0 if there are none.
type element struct{ rest, by, n int64 }

// question is an element that an obligation compares; if constant, with value only.
type question struct {
	element
	constant bool
	value    int64
}

// concerns reports whether bounds of a field may answer a question. A constant that the program writes answers none.
func (w *written) concerns(q question) bool {
	return q.n == w.n && q.by%w.stride == 0 && (q.rest-w.rest)%w.stride == 0 &&
		!(q.constant && w.some && w.least <= q.value && q.value <= w.most)
}

// askedOf returns what obligations behind a head compare of the elements of an object, without the conditions of their
// choices. Bounds of other elements would cost much and decide little.
func (in *Finder) askedOf(i, obj int) (out []question) {
	c := in.c
	var fns []smt.Func
	for _, h := range in.heads {
		for _, d := range h.Contents {
			if d.Obj == obj {
				fns = append(fns, d.Func)
			}
		}
	}
	seen := map[smt.Term]bool{}
	var visit func(t, constant smt.Term)
	visit = func(t, constant smt.Term) {
		if r, ok := in.terms.Read(t); ok {
			if x, ok := in.elementOf(r.Off, r.N); ok && slices.Contains(fns, r.Func) {
				q := question{element: x}
				if constant != 0 {
					q.value, q.constant = in.signed(constant)
				}
				if !slices.Contains(out, q) {
					out = append(out, q)
				}
			}
			t, constant = r.Off, 0
		}
		if seen[t] {
			return
		}
		seen[t] = true
		args := c.Args(t)
		switch c.Op(t) {
		case smt.OpIte:
			args = args[1:]
		case smt.OpEq:
			for k := range 2 {
				if _, ok := in.signed(args[k]); ok && !c.Sort(args[k]).IsBool() {
					visit(args[1-k], args[k])
					return
				}
			}
		default:
			constant = 0
		}
		for _, a := range args {
			visit(a, constant)
		}
	}
	for k := in.heads[i].Event + 1; k < len(in.log.Events); k++ {
		if ev := &in.log.Events[k]; ev.Kind == seair.Obligation && !ev.Found {
			visit(ev.Cond, 0)
		}
	}
	return out
}

// within returns the offset of a place in its element.
func (x element) within(stride int64) int64 { return (x.rest%stride + stride) % stride }

// elementOf returns the elements that an offset may access.
func (in *Finder) elementOf(off smt.Term, n int64) (element, bool) {
	k, parts := in.c.SumParts(off)
	x := element{rest: in.distance(k), n: n}
	for _, p := range parts {
		by := in.distance(p.Coef)
		if by == math.MinInt64 {
			return x, false
		}
		x.by = int64(gcd(uint64(x.by), uint64(max(by, -by))))
	}
	return x, true
}

// fieldOf returns the field that an offset accesses, if the offset is that of an element with any index.
func (in *Finder) fieldOf(off smt.Term, n int64) (field, bool) {
	x, ok := in.elementOf(off, n)
	if !ok || x.by < n || n == 0 || n > 8 {
		return field{}, false
	}
	f := field{x.by, x.within(x.by), n}
	return f, f.rest+n <= f.stride
}

// fields returns the fields of a content that the loop writes.
func (in *Finder) fields(i, content int) (out []*written) {
	in.writes(i, content, func(inner int, w mem.Written) {
		if w.Val == 0 || in.c.Sort(w.Val).IsBool() || in.c.Width(w.Val) != 8*int(w.N) {
			return
		}
		f, ok := in.fieldOf(w.Off, w.N)
		if !ok {
			return
		}
		at := slices.IndexFunc(out, func(x *written) bool { return x.field == f })
		if at < 0 {
			if len(out) == maxFields {
				return
			}
			at = len(out)
			out = append(out, &written{field: f, content: content})
		}
		in.take(i, out[at], w.Val, inner != i)
	})
	return out
}

// take adds a written value to a field; inner: an inner loop writes it.
func (in *Finder) take(i int, w *written, val smt.Term, inner bool) {
	c := in.c
	for _, leaf := range in.leaves(val, nil) {
		if least, most, ok := in.growth(i, w, leaf); ok && (!inner || least == 0 && most == 0) {
			w.up, w.down = max(w.up, most), min(w.down, least)
			continue
		}
		least, most, ok := in.between(leaf, bounds{}, maxLeaves)
		if !ok {
			if least, most = c.SignedRange(leaf); least <= -1<<(c.Width(leaf)-1) || most >= 1<<(c.Width(leaf)-1)-1 {
				w.open = true
				continue
			}
		}
		if !w.some {
			w.least, w.most, w.some = least, most, true
		}
		w.least, w.most = min(w.least, least), max(w.most, most)
	}
}

// growth returns bounds of how much a written value exceeds the one that some element had at the head.
func (in *Finder) growth(i int, w *written, val smt.Term) (least, most int64, ok bool) {
	c := in.c
	element, olds := c.Var("element", c.Sort(val)), map[smt.Term]smt.Term{}
	for _, r := range in.terms.Reads(val) {
		f, ok := in.fieldOf(r.Off, r.N)
		if ok && f == w.field && r.Func == in.heads[i].Contents[w.content].Func && c.Sort(r.Value) == c.Sort(val) {
			olds[r.Value] = element
		}
	}
	if len(olds) == 0 {
		return 0, 0, false
	}
	return in.between(c.Sub(in.terms.Replace(val, olds), element), bounds{}, maxLeaves)
}

// counter is a number of a head that only grows, as far as is known.
type counter struct {
	now, distance smt.Term // its value, and how far it has moved since the loop was entered
}

// counters returns the counters of a head, first those whose steps are known.
func (in *Finder) counters(i int) (out []counter) {
	c, h := in.c, in.heads[i]
	var others []counter
	for k, p := range h.Places {
		if p.Sym == 0 || p.Ghost || p.Pointer || c.Sort(p.Sym).IsBool() || c.Width(p.Sym) < 16 || c.Width(p.Sym) > 64 ||
			in.irrelevant[p.Sym] {
			continue
		}
		x := counter{p.Sym, c.Sub(p.Sym, p.Old)}
		switch least, most, ok := in.steps(h, k); {
		case ok && least > 0:
			out = append(out, x)
		case ok && most < 0:
			out = append(out, counter{distance: c.Sub(p.Old, p.Sym)})
		case !ok && !in.fell(i, p):
			others = append(others, x)
		}
	}
	out = append(out, others...)
	return out[:min(len(out), maxCounters)]
}

// fell reports whether a place was smaller than on entry in a sample, or was not sampled.
func (in *Finder) fell(i int, p unfold.Place) bool {
	if len(in.samples) == 0 {
		return true
	}
	s := &in.samples[i]
	now, was := slices.Index(s.columns, p.Sym), slices.Index(s.columns, p.Old)
	old, isConst := in.c.Uint64(p.Old)
	if now < 0 || was < 0 && !isConst || len(s.rows) == 0 {
		return true
	}
	return slices.ContainsFunc(s.rows, func(row []uint64) bool {
		if was >= 0 {
			old = row[was]
		}
		return row[now] < old
	})
}

// bounded adds the candidates about one field.
func (in *Finder) bounded(i int, w *written, counters []counter, accesses []access) {
	c, m, d := in.c, in.prog.Memory, in.heads[i].Contents[w.content]
	l := line{sym: c.Var("index", smt.BV(m.Width)), from: m.IntS(w.rest), plus: m.Int(0), coef: w.stride, inner: 1,
		ext: smt.OpVar}
	for _, within := range in.parts(i, w, l, accesses) {
		for _, holds := range in.limits(w, counters) {
			in.addAll(i, l.sym, func(y smt.Term) smt.Term {
				return c.Implies(within(y), holds(m.Read(d.New, in.at(l, y), w.n)))
			}, lemma{text: "bounds of elements", triggers: []trigger{in.trigger(d.Func, l)}})
		}
	}
}

// parts returns the parts of an array that a candidate may be about, as conditions on an index: all of the object, and
// what lies below the elements that an access has reached. l is the line of the field.
func (in *Finder) parts(i int, w *written, l line, accesses []access) []func(index smt.Term) smt.Term {
	c, m, d := in.c, in.prog.Memory, in.heads[i].Contents[w.content]
	size := m.Objects[d.Obj].Size
	out := []func(y smt.Term) smt.Term{func(y smt.Term) smt.Term {
		if n, ok := c.Uint64(size); ok {
			return c.Ult(y, m.Int(n/uint64(w.stride)))
		}
		return c.And(c.Ult(y, size), c.Ult(in.at(l, y), size))
	}}
	var reached []smt.Term
	for _, a := range accesses {
		if a.place < 0 || a.fn != d.Func || a.coef != w.stride || a.inner != 1 || len(reached) == maxReached {
			continue
		}
		now, first := in.at(a.line, a.sym), l
		x, _ := in.elementOf(now, a.n)
		first.from = m.IntS(x.within(w.stride))
		index, ok := in.solve(first, now)
		if ok && c.Op(index) != smt.OpAshr && !slices.Contains(reached, index) {
			reached = append(reached, index)
			out = append(out, func(y smt.Term) smt.Term { return c.Ult(y, index) })
		}
	}
	return out
}

// limits returns the conditions on a value of a field that may hold for all elements.
func (in *Finder) limits(w *written, counters []counter) (out []func(v smt.Term) smt.Term) {
	c := in.c
	negative := w.least < 0 || w.down < 0
	atMost := func(bound smt.Term) {
		out = append(out, func(v smt.Term) smt.Term {
			if negative {
				return c.Sle(c.Sext(v, 64), bound)
			}
			return c.Ule(c.Zext(v, 64), bound)
		})
	}
	atLeast := func(bound smt.Term) {
		out = append(out, func(v smt.Term) smt.Term { return c.Sle(bound, c.Sext(v, 64)) })
	}
	if negative && w.down == 0 {
		atLeast(c.IntS(64, w.least))
	}
	if !w.open && w.up == 0 && (w.some || w.down < 0) {
		atMost(c.IntS(64, w.most))
	}
	for _, x := range counters {
		distance := c.Zext(x.distance, 64)
		if !w.open && w.up > 0 {
			atMost(c.Add(c.IntS(64, w.most), c.Mul(distance, c.IntS(64, w.up))))
		}
		if w.down < 0 {
			atLeast(c.Sub(c.IntS(64, w.least), c.Mul(distance, c.IntS(64, -w.down))))
		}
		if w.open && x.now != 0 && c.Width(x.now) >= 8*int(w.n) {
			atMost(c.Zext(x.now, 64))
		}
	}
	return out
}
