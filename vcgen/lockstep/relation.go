package lockstep

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// cut is a pair of places at which executions are merged: heads of loops. Its relation describes the states of both
// versions there, over the terms of the executions that lead to it:
//
//	i of the version before  = v      an arbitrary value, of this cut
//	i of the version after   = sext(v)
//	n of both                = the argument n
//
// It begins with the first state that arrives, and is weakened by each state that it does not describe. An execution
// that arrives ends there: what follows is executed once from the relation, for all values of the terms.
//
// A state is described if there are values of all variables for which the terms have the values of the state, and the
// conditions hold. The values of the variables of the cut are those of the arriving state; all others are kept, so
// terms that are kept must not contain variables of the cut itself. They do not: the first state has none, and
// everything that is added later is a variable of the cut.
type cut struct {
	key        string
	shape      [2]*config // frames, without values
	items      []item
	terms      map[item]smt.Term
	forms      map[item]form
	conditions []smt.Term
	memory     *memory
	// accessed and done are those of all executions that arrive. Their terms have no variables of the cut.
	accessed []access
	done     []string
	dirty    bool
	version  int
}

// item is a register of a frame.
type item struct {
	side  sideNumber
	frame int
	reg   int
}

// form is the term of an item that depends on another one: its extension, or a sum if both have the same sort.
type form struct {
	of       item
	signed   bool
	distance smt.Term
}

// arrive handles executions before heads of loops.
func (x *prover) arrive(p *path) {
	x.arriveAt(p, "loop "+p.sides[before].place()+"|"+p.sides[after].place())
}

// arriveAt ends an execution at a cut.
func (x *prover) arriveAt(p *path, key string) {
	k := x.cuts[key]
	if k == nil {
		k = x.newCut(p, key)
		x.cuts[key] = k
		x.enqueue(k)
		return
	}
	if x.weaken(k, p) {
		x.enqueue(k)
	}
}

func (x *prover) enqueue(k *cut) {
	if !k.dirty {
		k.dirty = true
		x.dirty = append(x.dirty, k)
	}
}

// live returns the registers of a frame whose values are used later.
func (x *prover) live(k *config, i int, call bool) []int {
	f := k.frames[i]
	if i == len(k.frames)-1 && !call {
		list := slices.Clone(f.fn.Nodes[f.block].Live)
		for _, in := range f.fn.Blocks[f.block].Instrs[:f.next] { // phis
			if in.Op == llvmir.OpPhi && !slices.Contains(list, in.Dst) {
				list = append(list, in.Dst)
			}
		}
		return list
	}
	at := f.next
	if i == len(k.frames)-1 {
		at-- // behind the call
	}
	return f.fn.After(f.block, at).Live
}

// newCut returns the cut with exactly the state that arrives.
func (x *prover) newCut(p *path, key string) *cut {
	k := &cut{key: key, terms: map[item]smt.Term{}, forms: map[item]form{}, conditions: p.conditions,
		memory: p.sides[before].memory, done: p.done, accessed: p.stillValid()}
	for s, side := range p.sides {
		k.shape[s] = side.clone()
		for i, f := range side.frames {
			for _, r := range x.live(side, i, key[0] == 'c') {
				if v := f.regs[r]; v.t != 0 {
					it := item{sideNumber(s), i, r}
					k.items = append(k.items, it)
					k.terms[it] = v.t
				}
			}
			clear(k.shape[s].frames[i].regs)
		}
	}
	return k
}

// path returns an execution that begins at a cut.
func (k *cut) path(x *prover) *path {
	p := &path{memory: k.memory, conditions: slices.Clip(k.conditions), origin: " from " + k.key,
		done: slices.Clip(k.done), accessed: slices.Clip(k.accessed)}
	for s := range p.sides {
		p.sides[s] = k.shape[s].clone()
		p.sides[s].memory = k.memory
		p.sides[s].atHead = false
	}
	for _, it := range k.items {
		p.sides[it.side].frames[it.frame].regs[it.reg] = value{t: k.terms[it]}
	}
	return p
}

// stillValid returns the accesses that stay valid as long as nothing is freed: none if a variable has ended.
func (p *path) stillValid() []access {
	if len(p.ended) > 0 {
		return nil
	}
	return p.accessed
}

// isOwn reports whether a term is a variable of a cut.
func (x *prover) isOwn(k *cut, t smt.Term) bool {
	a := x.of[t]
	return a != nil && len(a.key) > len(k.key) && a.key[:len(k.key)] == k.key && a.key[len(k.key)] == '#'
}

// weaken makes the relation of a cut describe one more state, and reports whether it changed.
func (x *prover) weaken(k *cut, p *path) (changed bool) {
	c := x.c
	arriving := func(it item) smt.Term { return p.sides[it.side].frames[it.frame].regs[it.reg].t }
	old := map[item]smt.Term{}
	var items []item
	for _, it := range k.items { // without a value in this state
		if arriving(it) == 0 || c.Sort(arriving(it)) != c.Sort(k.terms[it]) {
			changed = true
			delete(k.terms, it)
			delete(k.forms, it)
			continue
		}
		items = append(items, it)
		old[it] = k.terms[it]
	}
	k.items = items
	if m := p.sides[before].memory; m != k.memory && k.memory != x.base(k.key+" memory") {
		k.memory = x.base(k.key + " memory")
		changed = true
	}
	accessed := slices.DeleteFunc(slices.Clone(k.accessed), func(a access) bool {
		return !slices.Contains(p.stillValid(), a)
	})
	done := slices.DeleteFunc(slices.Clone(k.done), func(o string) bool { return !slices.Contains(p.done, o) })
	if len(accessed) < len(k.accessed) || len(done) < len(k.done) {
		k.accessed, k.done, changed = accessed, done, true
	}
	changed = k.weakenShapes(p) || changed
	leaving := x.leaving(k, p, old, arriving)
	if len(leaving) > 0 {
		changed = true
		x.separate(k, p, leaving, old, arriving)
	}
	var implied []smt.Term
	for _, cond := range k.conditions {
		if x.proves(p, cond) {
			implied = append(implied, cond)
		}
	}
	if len(implied) < len(k.conditions) {
		changed = true
		k.conditions = implied
	}
	return changed
}

// weakenShapes makes the shapes of a cut describe one more state, and reports whether one of them changed.
func (k *cut) weakenShapes(p *path) (changed bool) {
	for s, side := range p.sides {
		shape := k.shape[s]
		maybe, escaped := len(shape.maybe), len(shape.escaped)
		for _, v := range side.maybe {
			shape.maybe = with(shape.maybe, v)
		}
		for _, v := range side.escaped {
			shape.escaped = with(shape.escaped, v)
		}
		changed = changed || len(shape.maybe) > maybe || len(shape.escaped) > escaped
	}
	for s, side := range p.sides { // the version after needs lifetimes
		has := k.shape[s].scope
		want := slices.DeleteFunc(slices.Clone(has), func(v smt.Term) bool {
			return s == int(after) && !slices.Contains(side.scope, v)
		})
		written := slices.DeleteFunc(slices.Clone(k.shape[s].touched), func(v smt.Term) bool {
			return !slices.Contains(side.touched, v)
		})
		if len(written) != len(k.shape[s].touched) {
			changed = true
			k.shape[s].touched = written
		}
		for _, v := range side.scope {
			if s == int(before) && !slices.Contains(want, v) {
				want = append(want, v)
			}
		}
		if len(want) != len(has) {
			changed = true
			k.shape[s].scope = want
		}
	}
	return changed
}

// leaving returns the items of a cut whose terms do not describe an arriving state. old contains their terms before.
func (x *prover) leaving(k *cut, p *path, old map[item]smt.Term, arriving func(it item) smt.Term) (leaving []item) {
	c := x.c
	// The values of the variables of the cut in the arriving state: those of the first items that have them.
	first := map[smt.Term]item{}
	for _, it := range k.items {
		if t := k.terms[it]; x.isOwn(k, t) {
			if _, ok := first[t]; !ok {
				first[t] = it
			}
		}
	}
	for _, it := range k.items {
		t := k.terms[it]
		holds := false
		if f, ok := k.forms[it]; ok {
			_, has := old[f.of]
			holds = has && x.equal(p, arriving(it), x.formed(f, arriving(f.of), c.Sort(t)))
		} else if of, own := first[t]; own {
			holds = x.equal(p, arriving(it), arriving(of))
		} else {
			holds = x.equal(p, arriving(it), t)
		}
		if !holds {
			leaving = append(leaving, it)
		}
	}
	return leaving
}

// separate gives new variables to the items that leave their terms: one for all items that were equal and are equal.
func (x *prover) separate(k *cut, p *path, leaving []item, old map[item]smt.Term, arriving func(it item) smt.Term) {
	c := x.c
	k.version++
	// Items that were equal, and are equal, stay so.
	var groups [][]item
	for _, it := range leaving {
		x.escape(k.shape[it.side], old[it], arriving(it)) // its new term is any address
		delete(k.forms, it)
		i := slices.IndexFunc(groups, func(g []item) bool {
			return old[g[0]] == old[it] && x.equal(p, arriving(g[0]), arriving(it))
		})
		if i < 0 {
			groups = append(groups, []item{it})
			continue
		}
		groups[i] = append(groups[i], it)
	}
	for n, g := range groups {
		v := x.apply(fmt.Sprintf("%s#%d.%d", k.key, k.version, n), c.Sort(old[g[0]]))
		for _, it := range g {
			k.terms[it] = v
		}
	}
	for _, g := range groups {
		x.relate(k, p, g, groups, old, arriving)
	}
	// The terms of forms follow the items that they depend on.
	for _, it := range k.items {
		if f, ok := k.forms[it]; ok {
			k.terms[it] = x.formed(f, k.terms[f.of], c.Sort(k.terms[it]))
		}
	}
}

// formed returns the term of a form.
func (x *prover) formed(f form, t smt.Term, to smt.Sort) smt.Term {
	switch {
	case f.distance != 0:
		return x.c.Add(t, f.distance)
	case f.signed:
		return x.c.Sext(t, to.Width())
	}
	return x.c.Zext(t, to.Width())
}

// relate finds a variable that determines the variable of a group in all states so far: i is an int in one version, and
// a size_t in the other, or one counts from 0 and the other from 1.
func (x *prover) relate(k *cut, p *path, g []item, groups [][]item, old map[item]smt.Term,
	arriving func(it item) smt.Term) {
	c := x.c
	sort := c.Sort(old[g[0]])
	if sort.IsBool() {
		return
	}
	for _, h := range groups {
		of := h[0]
		from := c.Sort(old[of])
		if from.IsBool() || from.Width() > sort.Width() || of == g[0] ||
			slices.ContainsFunc(h, func(it item) bool { _, is := k.forms[it]; return is }) {
			continue
		}
		forms := []form{{of: of, signed: true}, {of: of}}
		if from == sort {
			d := c.Sub(old[g[0]], old[of])
			if !c.IsConst(d) || of.side == g[0].side {
				continue
			}
			forms = []form{{of: of, distance: d}}
		}
		for _, f := range forms {
			if !x.equal(p, arriving(g[0]), x.formed(f, arriving(of), sort)) {
				continue
			}
			q := &path{conditions: k.conditions}
			if !x.equal(q, old[g[0]], x.formed(f, old[of], sort)) {
				continue
			}
			for _, it := range g {
				k.forms[it] = f
				k.terms[it] = x.formed(f, k.terms[of], sort)
			}
			return
		}
	}
}
