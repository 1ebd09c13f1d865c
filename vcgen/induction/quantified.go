package induction

import (
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// access is a read or write of memory by a loop, at an offset that moves with the loop.
type access struct {
	line
	off   smt.Term
	n     int64
	val   smt.Term // written value, 0 if unknown
	fn    smt.Func
	place int // the place that moves it, -1: a place of an inner loop
	write bool
}

// quantified adds the candidates of a head about all elements that the loop has visited.
func (in *Finder) quantified(i int) {
	h := in.heads[i]
	isOwn := in.states[i].Changes
	var accesses []access
	for k := range h.Contents {
		accesses = append(accesses, in.unchanged(i, k)...)
	}
	for _, b := range h.Back {
		for _, r := range in.prog.Memory.Reads[h.Reads:b.Reads] {
			l, ok := in.lineOf(in.outside(i, r.Off), isOwn)
			same := func(a access) bool { return a.off == r.Off && a.fn == r.Func && !a.write }
			if ok && len(accesses) < 40 && !slices.ContainsFunc(accesses, same) {
				accesses = append(accesses, access{line: l, off: r.Off, n: r.N, fn: r.Func, place: in.placeOf(h, l.sym)})
			}
		}
	}
	for _, a := range accesses {
		if a.write && a.val != 0 && a.place >= 0 {
			in.storedValue(i, a)
		}
	}
	seen := map[smt.Term]bool{}
	for k := range h.Back {
		for _, l := range in.literals(h, &h.Back[k]) {
			if !seen[l] {
				seen[l] = true
				in.passed(i, l, isOwn)
			}
		}
	}
	in.asserted(i, accesses)
	in.elementBounds(i, accesses)
}

// outside returns an offset with the symbols of inner loops replaced by their values on entry.
func (in *Finder) outside(i int, off smt.Term) smt.Term {
	for j := len(in.heads) - 1; j > i; j-- {
		g := in.heads[j]
		vars := map[smt.Term]smt.Term{}
		for _, p := range g.Places {
			if p.Sym != 0 {
				vars[p.Sym] = p.Old
			}
		}
		off = in.terms.Replace(off, vars)
	}
	return off
}

func (in *Finder) placeOf(h *unfold.Head, sym smt.Term) int {
	return slices.IndexFunc(h.Places, func(p unfold.Place) bool { return p.Sym == sym })
}

// visited returns the condition that a place had the value y in an earlier iteration.
func (in *Finder) visited(h *unfold.Head, place int, y smt.Term) (smt.Term, bool) {
	c := in.c
	p := h.Places[place]
	least, most, ok := in.steps(h, place)
	if !ok || least < 0 && most > 0 || least == 0 && most == 0 {
		return 0, false
	}
	t := c.And(c.Ule(p.Old, y), c.Ult(y, p.Sym))
	if most <= 0 {
		t = c.And(c.Slt(p.Sym, y), c.Sle(y, p.Old))
	}
	if g := in.unitOf(h, place); g > 0 {
		t = c.And(t, c.Eq(c.Extract(c.Sub(y, p.Old), g-1, 0), c.Int(g, 0)))
	}
	return t, true
}

// unitOf returns how many low bits of the distance that a place has moved are 0, according to its steps. Candidates
// quantify over these distances, and are proved for a witness, which is one of them: both have to agree.
func (in *Finder) unitOf(h *unfold.Head, place int) int {
	least, most, ok := in.steps(h, place)
	if g := bits.TrailingZeros64(uint64(least | most)); ok && g < in.c.Width(h.Places[place].Sym) {
		return g
	}
	return 0
}

// passedOver returns the condition that an offset lies between those of an access in the first and in the current
// iteration.
func (in *Finder) passedOver(i int, a access, o smt.Term) (smt.Term, bool) {
	c, h := in.c, in.heads[i]
	least, most, ok := in.steps(h, a.place)
	if !ok || least < 0 && most > 0 || least == 0 && most == 0 {
		return 0, false
	}
	now := in.at(a.line, a.sym)
	then := in.states[i].Entry.Evaluate(now)
	if (most > 0) == (a.coef > 0) == (a.inner > 0) {
		return c.And(c.Ule(then, o), c.Ult(o, now)), true
	}
	return c.And(c.Slt(now, o), c.Sle(o, then)), true
}

// unit returns an arbitrary multiple of n, a power of two, of w bits.
func (in *Finder) unit(name string, w int, n int64) smt.Term {
	return in.c.VarAligned(name, w, bits.TrailingZeros64(uint64(n)))
}

// elements returns the function that computes, for a read, the multiples of size at which it reads.
func (in *Finder) elements(size int64) func(off smt.Term, n int64) []smt.Term {
	c, m := in.c, in.prog.Memory
	return func(off smt.Term, n int64) []smt.Term {
		if k, ok := c.Int64(off); ok {
			var out []smt.Term
			for at := k &^ (size - 1); at < k+n; at += size {
				out = append(out, in.prog.Memory.IntS(at))
			}
			return out
		}
		if !m.Aligned(off, size) || n != size {
			return nil
		}
		var out []smt.Term
		for at := int64(0); at < n; at += size {
			out = append(out, c.Add(off, in.prog.Memory.IntS(at)))
		}
		return out
	}
}

// writes calls each for the writes of an iteration to a content, with the number of the head that they belong to. For
// those of inner loops, that is another one. It reports whether these are all.
func (in *Finder) writes(i, content int, each func(head int, w mem.Written)) (complete bool) {
	obj := in.heads[i].Contents[content].Obj
	complete = true
	var take func(j int, d unfold.Contents)
	take = func(j int, d unfold.Contents) {
		for _, b := range in.heads[j].Back {
			writes, _, bottoms, whole := in.prog.Memory.WritesSince(obj, b.State.Content(obj), d.New)
			complete = complete && whole
			for _, w := range writes {
				each(j, w)
			}
			for _, f := range bottoms {
				for k := j + 1; k < len(in.heads); k++ {
					for _, x := range in.heads[k].Contents {
						if x.Func == f && x.Obj == obj {
							take(k, x)
						}
					}
				}
			}
		}
	}
	take(i, in.heads[i].Contents[content])
	return complete
}

// unchanged adds the candidate that an object is unchanged wherever the loop has not written. It returns the writes of
// the loop to the object at moving offsets.
func (in *Finder) unchanged(i, content int) (out []access) {
	c, m, h := in.c, in.prog.Memory, in.heads[i]
	d := h.Contents[content]
	isOwn := in.states[i].Changes
	size := int64(8)
	moving := true
	complete := in.writes(i, content, func(inner int, w mem.Written) {
		a := access{off: w.Off, n: w.N, val: w.Val, fn: d.Func, place: -1, write: true}
		off := in.outside(i, w.Off)
		l, ok := in.lineOf(off, isOwn)
		if !ok || w.Len != 0 {
			moving = false
			return
		}
		for a.n > 0 && (size > a.n || !m.Aligned(off, size)) && size > 1 {
			size /= 2
		}
		a.line, a.place = l, in.placeOf(h, l.sym)
		if inner != i {
			a.val = in.outside(i, w.Val)
		}
		same := func(o access) bool { return o.off == a.off && o.n == a.n && o.val == a.val && o.line == a.line }
		if !slices.ContainsFunc(out, same) { // it is on another back edge
			out = append(out, a)
		}
	}) && moving
	witness := in.unit("byte", m.Width, size)
	trig := []trigger{{d.Func, in.elements(size)}}
	same := func(o smt.Term) smt.Term { return c.Eq(m.Read(d.New, o, size), m.Read(d.Old, o, size)) }
	in.addAll(i, witness, func(o smt.Term) smt.Term { return c.Implies(h.First, same(o)) },
		lemma{text: "nothing has changed before the first iteration", copies: true, unit: size, triggers: trig})
	if !complete {
		return out
	}
	in.addAll(i, witness, func(o smt.Term) smt.Term {
		changed := c.False()
		for _, a := range out {
			t, ok := in.passedOver(i, a, o)
			if !ok {
				return c.True()
			}
			changed = c.Or(changed, t)
		}
		for _, k := range d.Cells {
			for _, p := range in.cellsChanged(h, d.Obj) {
				if p == k.Off {
					behind := c.Ult(in.prog.Memory.IntS(k.Off), c.Add(o, in.prog.Memory.IntS(size)))
					changed = c.Or(changed, c.And(c.Ult(o, in.prog.Memory.IntS(k.Off+k.N)), behind))
				}
			}
		}
		return c.Or(changed, same(o))
	}, lemma{text: "nothing else has changed", copies: true, unit: size, triggers: trig})
	for _, a := range out {
		if a.val == 0 || !m.Aligned(in.at(a.line, a.sym), a.n) {
			continue
		}
		holds := func(text string, of func(v smt.Term) smt.Term) {
			in.addAll(i, in.unit("element", m.Width, a.n), func(o smt.Term) smt.Term {
				t, ok := in.passedOver(i, a, o)
				if !ok {
					return c.True()
				}
				return c.Implies(t, of(m.Read(d.New, o, a.n)))
			}, lemma{text: text, unit: a.n, triggers: []trigger{{d.Func, in.elements(a.n)}}})
		}
		// A value that is not the same in all iterations would only cost time.
		if state := in.states[i]; !state.Varies(a.val) && state.DependsOnHeadOnly(a.val) {
			holds("all elements have one value", func(v smt.Term) smt.Term { return c.Eq(v, a.val) })
			continue
		}
		for _, of := range in.knownOf(i, a.val) {
			holds("what is known of a value when it is written", of)
		}
	}
	return out
}

// maxKnown bounds the conditions of knownOf.
const maxKnown = 4

// knownOf returns conditions on a value that hold in each iteration: its range, and the assumptions and branches on the
// way to the next iteration that say something about it.
func (in *Finder) knownOf(i int, val smt.Term) (out []func(v smt.Term) smt.Term) {
	c, h := in.c, in.heads[i]
	w := c.Width(val)
	if w > 64 {
		return nil
	}
	if lo, hi := c.Range(val); lo > 0 || hi < ^uint64(0)>>(64-w) {
		out = append(out, func(v smt.Term) smt.Term { return c.And(c.Ule(c.Int(w, lo), v), c.Ule(v, c.Int(w, hi))) })
	}
	probe := c.Var("value", c.Sort(val))
	seen := map[smt.Term]bool{}
	for k := range h.Back {
		for _, l := range in.literals(h, &h.Back[k]) {
			with := in.terms.Replace(l, map[smt.Term]smt.Term{val: probe})
			if with == l || seen[l] || len(out) == maxKnown || in.states[i].Varies(with) {
				continue
			}
			seen[l] = true
			out = append(out, func(v smt.Term) smt.Term { return in.terms.Replace(l, map[smt.Term]smt.Term{val: v}) })
		}
	}
	return out
}

// cellsChanged returns the constant offsets of an object that the loop changes.
func (in *Finder) cellsChanged(h *unfold.Head, obj int) []int64 { return h.ChangedCells(obj) }

// storedValue adds the candidate that visited elements have the value that their iteration stored.
func (in *Finder) storedValue(i int, a access) {
	c, m, h := in.c, in.prog.Memory, in.heads[i]
	k := slices.IndexFunc(h.Contents, func(d unfold.Contents) bool { return d.Func == a.fn })
	d := h.Contents[k]
	if _, ok := in.visited(h, a.place, a.sym); !ok {
		return
	}
	for _, before := range in.whose(i, a.val) {
		in.addAll(i, in.witness(h, a.place), func(y smt.Term) smt.Term {
			seen, _ := in.visited(h, a.place, y)
			vars, ok := in.iteration(h, a.place, y)
			if !ok {
				return c.True()
			}
			val := in.terms.Replace(a.val, vars)
			if before {
				val = in.states[i].Before.Evaluate(val)
			}
			return c.Implies(seen, c.Eq(m.Read(d.New, in.at(a.line, y), a.n), val))
		}, lemma{text: "elements are as their iteration wrote them", over: a.sym,
			triggers: []trigger{in.trigger(a.fn, a.line)}})
	}
}

// whose returns the contents that a condition on all elements may refer to: false is the current content, true the
// content before the loop. Both are possible if the iteration reads content that the loop changes, for example to move
// elements.
func (in *Finder) whose(i int, seen smt.Term) []bool {
	if in.states[i].Reads(seen) {
		return []bool{false, true}
	}
	return []bool{false}
}

// trigger returns the trigger of a line.
func (in *Finder) trigger(fn smt.Func, l line) trigger {
	return trigger{fn, func(off smt.Term, _ int64) []smt.Term {
		if y, ok := in.solve(l, off); ok {
			return []smt.Term{y}
		}
		return nil
	}}
}

// triggers returns the triggers of the reads in a term at offsets that depend on sym; wanted selects the relevant
// symbols.
func (in *Finder) triggers(t, sym smt.Term, wanted func(smt.Term) bool) (out []trigger) {
	for _, r := range in.terms.Reads(t) {
		if l, ok := in.lineOf(r.Off, wanted); ok && l.sym == sym {
			out = append(out, in.trigger(r.Func, l))
		}
	}
	return out
}

// witness returns an arbitrary value that a place may have had (visited).
func (in *Finder) witness(h *unfold.Head, place int) smt.Term {
	c := in.c
	p := h.Places[place]
	if g := in.unitOf(h, place); g > 0 {
		return c.Add(p.Old, c.VarAligned("witness", c.Width(p.Sym), g))
	}
	return c.Var("witness", c.Sort(p.Sym))
}

// iteration returns the values of places in the iteration in which one of them has the value y.
func (in *Finder) iteration(h *unfold.Head, place int, y smt.Term) (map[smt.Term]smt.Term, bool) {
	c := in.c
	p := h.Places[place]
	by, same, ok := in.steps(h, place)
	vars := map[smt.Term]smt.Term{p.Sym: y}
	if !ok || by != same || by == 0 {
		return vars, true
	}
	for k, q := range h.Places {
		step, steady, ok := in.steps(h, k)
		if k == place || !ok || step != steady {
			continue
		}
		d := c.Sub(y, p.Old)
		w := c.Width(q.Sym)
		if step == by && c.Width(d) == w {
			vars[q.Sym] = c.Add(q.Old, d)
			continue
		}
		n := by
		if by < 0 {
			d, n = c.Neg(d), -by
		}
		switch g := bits.TrailingZeros64(uint64(n)); {
		case step%by == 0: // distance times the quotient
			n = 1
			step /= by
			if by < 0 {
				step = -step
			}
		case n == 1<<g:
			d = c.Lshr(d, c.Int(c.Width(d), uint64(g)))
		default:
			continue
		}
		if c.Width(d) > w {
			d = c.Extract(d, w-1, 0)
		}
		vars[q.Sym] = c.Add(q.Old, c.Mul(c.Zext(d, w), c.IntS(w, step)))
	}
	return vars, true
}

// passed adds the candidate that a condition of the loop's continuation held for each visited element.
func (in *Finder) passed(i int, lit smt.Term, isOwn func(smt.Term) bool) {
	c, h := in.c, in.heads[i]
	if c.Size(lit) > 400 {
		return
	}
	done := map[int]bool{}
	for _, r := range in.terms.Reads(lit) {
		l, ok := in.lineOf(r.Off, isOwn)
		if !ok {
			continue
		}
		place := in.placeOf(h, l.sym)
		if place < 0 || done[place] {
			continue
		}
		if _, ok := in.visited(h, place, l.sym); !ok {
			continue
		}
		done[place] = true
		for _, before := range in.whose(i, lit) {
			present := lit
			if before {
				present = in.states[i].Before.Evaluate(lit)
			}
			in.addAll(i, in.witness(h, place), func(y smt.Term) smt.Term {
				seen, _ := in.visited(h, place, y)
				vars, ok := in.iteration(h, place, y)
				if !ok {
					return c.True()
				}
				was := in.terms.Replace(lit, vars)
				if before {
					was = in.states[i].Before.Evaluate(was)
				}
				return c.Implies(seen, was)
			}, lemma{text: "each element let the loop go on", over: l.sym,
				triggers: in.triggers(present, l.sym, isOwn)})
		}
	}
}
