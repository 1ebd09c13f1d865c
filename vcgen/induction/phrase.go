package induction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// phraser writes terms over the state at a loop head as C, with the variables that are visible there. Terms without
// such a name cannot be written.
type phraser struct {
	*Finder
	head int
	// vars maps the values of variables and members to their names; names are all names.
	vars  map[smt.Term]operand
	names map[string]bool
	bases []named
	// floating maps the values of variables that are floats to their names.
	floating map[smt.Term]string
	// contents maps content functions to the object whose content they are, in the current state or on entry.
	contents map[smt.Func]content
	depth    int
	// size is set if the type name size_t is visible.
	size bool
}

// named is a way to name an object: a pointer into it, or a variable that is the object.
type named struct {
	text    string
	obj     int
	off     smt.Term
	typ     *llvmir.DIType // of the object, or of the pointer's target
	pointer bool
}

// content is the content of an object at the loop head, or on entry to the loop.
type content struct {
	obj   int
	entry bool
}

// operand is a C expression. Its value equals that of a term modulo 2^bits; if the term has more bits, it is an
// extension of the value.
type operand struct {
	text  string
	prec  int
	bits  int
	sign  bool // its type is signed
	konst bool
	typ   *llvmir.DIType // of a variable
}

// Precedences of C operators.
const (
	precImplies = iota
	precChoice
	precOr
	precAnd
	precBitOr
	precBitXor
	precBitAnd
	precEqual
	precLess
	precShift
	precAdd
	precMul
	precUnary
	precPostfix
)

// maxPhrase bounds the length of a condition, in bytes; maxPhraseDepth bounds the depth of terms.
const (
	maxPhrase      = 160
	maxPhraseDepth = 30
)

func (in *Finder) newPhraser(head int) *phraser {
	h := in.heads[head]
	ph := &phraser{Finder: in, head: head, vars: map[smt.Term]operand{}, names: map[string]bool{},
		floating: map[smt.Term]string{}, contents: map[smt.Func]content{}}
	var scope *llvmir.Scope
	if h.At != nil && h.At.Loc != nil {
		scope = h.At.Loc.Scope
	}
	ph.variables(h, scope)
	ph.globals(scope)
	for i, p := range h.Places {
		if cell, ok := h.Cell(i); ok && p.Sym != 0 && !p.Pointer {
			if o, ok := ph.lvalue(cell.Obj, in.prog.Memory.IntS(cell.Off), cell.N); ok {
				ph.vars[p.Sym] = o
			}
		}
	}
	if h.Begin != nil {
		ph.ofActivation(h)
	}
	for _, b := range ph.bases {
		if f, ok := h.Content(b.obj).Arbitrary(); ok {
			ph.contents[f] = content{obj: b.obj}
		}
	}
	for _, d := range h.Contents {
		if len(d.Cells) > 0 {
			continue
		}
		ph.contents[d.Func] = content{obj: d.Obj}
		if f, ok := d.Old.Arbitrary(); ok && h.Before == 0 { // otherwise it is not the content on entry to the loop
			ph.contents[f] = content{obj: d.Obj, entry: true}
		}
	}
	return ph
}

// ofActivation adds the result of an activation, and what was in memory at its begin.
func (ph *phraser) ofActivation(h *unfold.Head) {
	if t := h.Fn.ResultType; t != nil && len(h.Places) > 0 && h.Places[0].Sym != 0 && !h.Places[0].Pointer {
		if _, inMemory := h.Cell(0); !inMemory {
			ph.name(h.Places[0].Sym, "__CPROVER_return_value", t)
		}
	}
	for i, p := range h.Begin.Places {
		if cell, ok := h.Begin.Cell(i); ok && p.Sym != 0 && !p.Pointer {
			if o, ok := ph.lvalue(cell.Obj, ph.prog.Memory.IntS(cell.Off), cell.N); ok {
				o.text, o.prec = "__CPROVER_old("+o.text+")", precPostfix
				ph.vars[p.Sym] = o
			}
		}
	}
}

// variables adds the variables of the function that are visible at the loop.
func (ph *phraser) variables(h *unfold.Head, scope *llvmir.Scope) {
	info := state.InfoOf(h.Fn.Func)
	depth := func(s *llvmir.Scope) (n int) {
		for ; s != nil; s = s.Parent {
			n++
		}
		return n
	}
	inner := map[string]int{} // the innermost register of each name
	for reg := range h.Vars {
		v := info.Vars[reg]
		if v == nil || v.Name == "" || strings.HasPrefix(v.Name, language.VariablePrefix) || v.Type == nil ||
			!explain.InScope(v.Scope, scope) {
			continue
		}
		o, known := inner[v.Name]
		if !known || depth(info.Vars[o].Scope) < depth(v.Scope) {
			inner[v.Name] = reg
		}
		ph.names[v.Name] = true
		ph.size = ph.size || v.Type.Name == "size_t"
	}
	var regs []int
	for _, reg := range inner {
		regs = append(regs, reg)
	}
	slices.Sort(regs)
	for _, reg := range regs {
		v, value := info.Vars[reg], h.Vars[reg]
		if !h.Fn.Promoted[reg] {
			ph.base(v.Name, value, v.Type, false)
			continue
		}
		if v.Type.Kind == llvmir.DIPointer {
			ph.base(v.Name, value, v.Type.Elem, true)
		}
		ph.name(value, v.Name, v.Type)
	}
}

// globals adds the variables of the file, and the static variables of the function.
func (ph *phraser) globals(scope *llvmir.Scope) {
	for _, o := range ph.prog.Memory.Objects {
		if o.Kind != mem.Static {
			continue
		}
		g := ph.m.GlobalByName[o.Name]
		if g != nil && g.DIType != nil && g.Loc != nil && g.SourceName != "" && !ph.names[g.SourceName] &&
			ph.user(g.Loc.File) && (g.Loc.Scope == nil || explain.InScope(g.Loc.Scope, scope)) {
			ph.names[g.SourceName] = true
			ph.base(g.SourceName, o.Base, g.DIType, false)
		}
	}
}

// name records that a term is the value of a variable. Small constants are excluded because they are ambiguous.
func (ph *phraser) name(t smt.Term, name string, typ *llvmir.DIType) {
	if v, ok := ph.c.Uint64(t); ok && v < 100 {
		return
	}
	if _, known := ph.vars[t]; known || ph.c.Sort(t).IsBool() {
		return
	}
	switch typ.Kind {
	case llvmir.DIFloat:
		if int(typ.Bits) == ph.c.Width(t) {
			ph.floating[t] = name
		}
	case llvmir.DIInt, llvmir.DIChar, llvmir.DIBool, llvmir.DIEnum, llvmir.DIPointer:
		if int(typ.Bits) == ph.c.Width(t) {
			ph.vars[t] = operand{text: name, prec: precPostfix, bits: int(typ.Bits), sign: typ.Signed, typ: typ}
		}
	}
}

// base records that an object can be named through a variable.
func (ph *phraser) base(name string, value smt.Term, typ *llvmir.DIType, pointer bool) {
	m := ph.prog.Memory
	if typ == nil || ph.c.Sort(value).IsBool() || ph.c.Width(value) != m.Width || !m.HasBase(value) {
		return
	}
	b := named{text: name, obj: mem.None, typ: typ, pointer: pointer}
	for _, x := range ph.prog.Memory.Candidates(value, mem.AsNoObject) {
		switch {
		case x.Obj == mem.None:
		case b.obj != mem.None:
			return // ambiguous
		default:
			b.obj, b.off = x.Obj, x.Off
		}
	}
	if b.obj != mem.None {
		ph.bases = append(ph.bases, b)
	}
}

// lvalue returns an lvalue for n bytes of an object.
func (ph *phraser) lvalue(obj int, off smt.Term, n int64) (operand, bool) {
	if ph.depth++; ph.depth > maxPhraseDepth {
		return operand{}, false
	}
	defer func() { ph.depth-- }()
	for _, b := range ph.bases {
		if b.obj != obj {
			continue
		}
		k, parts := ph.c.SumParts(ph.c.Sub(off, b.off))
		if o, ok := ph.part(b.text, b.typ, ph.distance(k), parts, n, b.pointer); ok {
			return o, true
		}
	}
	return operand{}, false
}

// part returns an lvalue for n bytes of an expression of type t, at the offset k plus a sum. If pointer is set, the
// expression is a pointer to elements of type t.
func (ph *phraser) part(text string, t *llvmir.DIType, k int64, parts []smt.Monomial, n int64, pointer bool,
) (operand, bool) {
	c := ph.c
	if t == nil {
		return operand{}, false
	}
	size := t.Bits / 8
	switch {
	case pointer || t.Kind == llvmir.DIArray:
		elem := t
		if !pointer {
			elem = t.Elem
		}
		if elem == nil || elem.Bits < 8 {
			return operand{}, false
		}
		size = elem.Bits / 8
		at := k / size
		if k%size < 0 {
			at--
		}
		index := ph.prog.Memory.IntS(at)
		var rest []smt.Monomial
		for _, p := range parts {
			if ph.distance(p.Coef)%size != 0 {
				rest = append(rest, p)
				continue
			}
			index = c.Add(index, c.Mul(p.T, ph.prog.Memory.IntS(ph.distance(p.Coef)/size)))
		}
		if pointer && c.IsConst(index) && at == 0 && elem.Kind == llvmir.DIStruct {
			return ph.member(text+"->", elem, k, rest, n)
		}
		i, ok := ph.natural(index)
		if !ok {
			return operand{}, false
		}
		return ph.part(text+"["+i.text+"]", elem, k-at*size, rest, n, false)
	case t.Kind == llvmir.DIStruct:
		return ph.member(text+".", t, k, parts, n)
	case k != 0 || len(parts) > 0 || size != n:
		return operand{}, false
	case t.Kind == llvmir.DIInt || t.Kind == llvmir.DIChar || t.Kind == llvmir.DIEnum || t.Kind == llvmir.DIPointer:
		return operand{text: text, prec: precPostfix, bits: int(t.Bits), sign: t.Signed, typ: t}, true
	}
	return operand{}, false
}

func (ph *phraser) member(text string, t *llvmir.DIType, k int64, parts []smt.Monomial, n int64) (operand, bool) {
	for _, f := range t.Fields {
		if off := f.BitOffset / 8; f.Name != "" && !f.BitField && off <= k && k < off+f.BitSize/8 {
			return ph.part(text+f.Name, f.Type, k-off, parts, n, false)
		}
	}
	return operand{}, false
}

// lemma writes an invariant in C.
func (ph *phraser) lemma(l *lemma) (phrased, bool) {
	o, ok := operand{}, false
	if !l.Quantified() {
		o, ok = ph.condition(ph.narrow(l))
	} else {
		o, ok = ph.forAll(l)
	}
	return phrased{lemma: l, text: o.text}, ok && len(o.text) <= maxPhrase
}

// narrow returns a condition in the type of its variables, instead of the wider type in which it was found: sum == 2 *
// i for (size_t)sum == 2 * (size_t)i. It returns the original condition unless both are equivalent, given the other
// invariants.
func (ph *phraser) narrow(l *lemma) smt.Term {
	c, h, fact := ph.c, ph.heads[ph.head], l.Fact()
	r, ordered := ph.relation(fact)
	if !ordered {
		if c.Op(fact) != smt.OpEq || c.Sort(c.Arg(fact, 0)).IsBool() {
			return fact
		}
		r = relation{a: c.Arg(fact, 0), b: c.Arg(fact, 1)}
	}
	w, wide := 0, c.Width(r.a)
	if wide > 64 {
		return fact
	}
	for _, t := range []smt.Term{r.a, r.b} {
		_, parts := c.SumParts(t)
		for _, p := range parts {
			if c.Op(p.T) != smt.OpZext {
				return fact
			}
			w = max(w, c.Width(c.Arg(p.T, 0)))
		}
	}
	if w < 32 || w >= wide {
		return fact
	}
	r.a, r.b = c.Extract(r.a, w-1, 0), c.Extract(r.b, w-1, 0)
	t := c.Eq(r.a, r.b)
	if ordered {
		t = ph.term(r)
	}
	facts := append([]smt.Term{ph.factsBefore(h.Event), h.Guard}, ph.facts(h.Event, again)...)
	for _, o := range ph.lemmas[ph.head] {
		if o != l && !o.Quantified() && !o.dropped {
			facts = append(facts, o.Fact())
		}
	}
	o := ph.asker.Ask(ph.ctx, ask.Question{Facts: facts, Any: []smt.Term{c.And(t, c.Not(fact)), c.And(fact, c.Not(t))},
		Budget: toldBudget, Session: ph.session(h.Event)})
	if o.Answer != smt.Unsat {
		return fact
	}
	return t
}

// forAll writes a condition on all elements.
func (ph *phraser) forAll(l *lemma) (operand, bool) {
	c, h := ph.c, ph.heads[ph.head]
	name := ""
	for _, try := range []string{"k", "m", "p", "q", "at", "index"} {
		if !ph.names[try] {
			name = try
			break
		}
	}
	sort := c.Sort(l.Witness())
	if name == "" || sort.IsBool() {
		return operand{}, false
	}
	k := operand{text: name, prec: precPostfix, bits: c.Width(l.Witness())}
	typeName := ph.typeName(k.bits, false)
	if v, ok := ph.vars[l.over]; ok && l.over != 0 && v.bits == k.bits && v.typ != nil && !v.typ.Const {
		k.sign, typeName = v.sign, v.typ.Name
	}
	sym := c.Var(name, sort)
	ph.vars[sym] = k
	defer delete(ph.vars, sym)
	y := sym
	if l.unit > 1 {
		y = c.Mul(sym, c.IntS(k.bits, l.unit))
	}
	var premises []smt.Term
	var conclusion []smt.Term
	for _, t := range ph.disjuncts(l.Of(y)) {
		if len(ph.terms.Reads(t)) > 0 {
			conclusion = append(conclusion, t)
		} else {
			premises = append(premises, c.Conjuncts(c.Not(t))...)
		}
	}
	if len(premises) == 0 || len(conclusion) == 0 {
		return operand{}, false
	}
	if plain := ph.plainer(premises, k.sign); ph.implies(h, plain, premises) {
		premises = plain
	}
	premises, ok := ph.bounds(premises, sym)
	if !ok {
		return operand{}, false
	}
	from, ok := ph.join(premises, " && ", precAnd)
	to, also := ph.join(conclusion, " || ", precOr)
	if !ok || !also {
		return operand{}, false
	}
	return operand{text: fmt.Sprintf("__CPROVER_forall { %s %s; %s ==> %s }", typeName, name, from.within(precOr),
		to.within(precOr)), prec: precPostfix}, true
}

// bounds sorts the bounds of a symbol to the front: lower, then upper. It reports whether there is an upper bound.
func (ph *phraser) bounds(premises []smt.Term, sym smt.Term) (list []smt.Term, bounded bool) {
	rank := func(t smt.Term) int {
		switch r, ok := ph.relation(t); {
		case !ok:
			return 2
		case slices.Contains(ph.c.Symbols(r.a), sym):
			bounded = true
			return 1
		case slices.Contains(ph.c.Symbols(r.b), sym):
			return 0
		}
		return 2
	}
	list = slices.Clone(premises)
	slices.SortStableFunc(list, func(a, b smt.Term) int { return rank(a) - rank(b) })
	if len(list) == 1 {
		rank(list[0])
	}
	return list, bounded
}

// implies reports whether the conditions a imply the conditions b at the loop head. A quantified condition with the
// premises a is then weaker than with b, except for elements beyond any object.
func (ph *phraser) implies(h *unfold.Head, a, b []smt.Term) bool {
	c := ph.c
	if slices.Equal(a, b) {
		return false
	}
	facts := append([]smt.Term{ph.factsBefore(h.Event), h.Guard}, ph.facts(h.Event, again)...)
	facts = append(facts, ph.known(ph.head, again)...)
	o := ph.asker.Ask(ph.ctx, ask.Question{Facts: facts, Any: []smt.Term{c.And(c.And(a...), c.Not(c.And(b...)))},
		Budget: toldBudget, Session: ph.session(h.Event)})
	return o.Answer == smt.Unsat
}
