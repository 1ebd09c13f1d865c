package vcgen

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// OneValue is an input for which the assumptions leave one value.
type OneValue struct {
	Pos   found.Pos // of the first assumption about it
	Value string    // decimal and signed
}

// maxNarrow bounds the inputs that explainNarrow looks at, and its queries.
const maxNarrow = 40

// narrowBits is the least width of an input that can be narrow: a flag has few values anyway.
const narrowBits = 8

// narrowKinds are the choices that a proof makes on purpose.
var narrowKinds = []choice.Kind{choice.Nondet, choice.Parameter, choice.Uninitialized, choice.Malloc, choice.Havoc,
	choice.Global}

// explainNarrow determines the inputs that have one value in all executions that reach an end, since an assumption
// says so: n after "assume(n == 4)". Numbers are looked at, and numbers in memory that are read at constant offsets;
// single bytes of memory are not, since strings have a terminator.
func (x *explainer) explainNarrow(out *Explanation) {
	c := x.c
	scalars, contents := map[smt.Term]int{}, map[smt.Func]bool{}
	sites := map[int]int{}
	for _, in := range x.log.Inputs {
		if !slices.Contains(narrowKinds, in.Kind) {
			continue
		}
		out.Chooses = out.Chooses || in.Kind == choice.Nondet
		sites[in.Site]++
		if in.Bytes {
			contents[in.Content] = true
		} else if in.Value != 0 && c.Op(in.Value) == smt.OpVar && c.Sort(in.Value).Width() >= narrowBits {
			scalars[in.Value] = in.Site
		}
	}
	type candidate struct {
		term  smt.Term
		pos   found.Pos
		value smt.Value
	}
	var list []candidate
	known := map[smt.Term]bool{}
	statement, used := x.statements(), x.byContract()
	var ends []smt.Term
	for i := range x.log.Events {
		ev := &x.log.Events[i]
		if ev.Kind == seair.End {
			ends = append(ends, c.And(x.ch.Held[i], ev.Guard))
		}
		if ev.Kind != seair.Assume || !statement[ev.Site.ID] || used[i] || !x.user(x.place(ev.Site).pos.File) {
			continue
		}
		var bytes []smt.Term
		for _, t := range c.Parts(ev.Cond) {
			site, scalar := scalars[t]
			switch {
			case scalar && (site == 0 || sites[site] == 1) && !known[t] && len(list) < maxNarrow:
				known[t] = true
				list = append(list, candidate{term: t, pos: x.place(ev.Site).pos})
			case x.initial(t, contents) && c.Sort(t).Width() <= narrowBits:
				bytes = append(bytes, t)
			case x.initialNumber(t, contents) && !known[t] && len(list) < maxNarrow:
				known[t] = true
				list = append(list, candidate{term: t, pos: x.place(ev.Site).pos})
			}
		}
		if t := x.number(bytes); t != 0 && !known[t] && len(list) < maxNarrow {
			known[t] = true
			list = append(list, candidate{term: t, pos: x.place(ev.Site).pos})
		}
	}
	end := c.Or(ends...)
	for round := 0; len(list) > 0 && round < maxNarrow && !c.IsFalse(end); round++ {
		facts, any := []smt.Term{end}, []smt.Term(nil)
		if round > 0 {
			for _, k := range list {
				any = append(any, c.Ne(k.term, c.Const(k.value)))
			}
		} else {
			facts, any = nil, facts
		}
		o := x.Ask(x.ctx, ask.Question{Facts: facts, Any: any, Budget: coreBudget, Session: &x.standing})
		switch {
		case o.Answer == smt.Unsat && round > 0:
			for _, k := range list {
				out.OneValue = append(out.OneValue, OneValue{k.pos, signedValue(k.value)})
			}
			return
		case o.Answer != smt.Sat || o.Model == nil:
			return // undecided
		}
		left := list[:0]
		for _, k := range list {
			v := o.Model.Eval(k.term)
			if round == 0 {
				k.value = v
			}
			if round == 0 && !(v.Width() <= narrowBits && v.Big().BitLen() <= 1) || round > 0 && v.Equal(k.value) {
				left = append(left, k)
			}
		}
		list = left
	}
}

// byContract returns the events between the begin and the end of a use of a contract, by index: what a called function
// ensures, or an invariant, is no assumption about an input of the proof.
func (x *explainer) byContract() map[int]bool {
	out := map[int]bool{}
	for i := range x.prog.Uses {
		u := &x.prog.Uses[i]
		for k, from := range u.Begins {
			to := from.Event
			for _, end := range u.Ends {
				if end.Event >= from.Event && (k+1 == len(u.Begins) || end.Event <= u.Begins[k+1].Event) {
					to = max(to, end.Event)
				}
			}
			for at := from.Event; at < to; at++ {
				out[at] = true
			}
		}
	}
	return out
}

// initial reports whether a term is a part of the initial content of memory, at a constant offset.
func (x *explainer) initial(t smt.Term, contents map[smt.Func]bool) bool {
	if x.c.Op(t) != smt.OpApply || !x.c.IsConst(x.c.Arg(t, 0)) {
		return false
	}
	f := x.c.Funcs(t)
	return len(f) == 1 && contents[f[0]]
}

// initialNumber reports whether a term is a short or an int in a word of the initial content of memory.
func (x *explainer) initialNumber(t smt.Term, contents map[smt.Func]bool) bool {
	w := x.c.Sort(t).Width()
	return x.c.Op(t) == smt.OpExtract && (w == 16 || w == 32) && x.initial(x.c.Arg(t, 0), contents)
}

// number joins the bytes of a condition that lie behind each other in one object, the lowest first: 2, 4 or 8 of them.
// It returns 0 for others.
func (x *explainer) number(bytes []smt.Term) smt.Term {
	if n := len(bytes); n != 2 && n != 4 && n != 8 {
		return 0
	}
	at := func(t smt.Term) uint64 { v, _ := x.c.Uint64(x.c.Arg(t, 0)); return v }
	slices.SortFunc(bytes, func(a, b smt.Term) int { return cmp.Compare(at(a), at(b)) })
	out := bytes[0]
	for i, t := range bytes[1:] {
		if at(t) != at(bytes[0])+uint64(i)+1 || x.c.Funcs(t)[0] != x.c.Funcs(bytes[0])[0] {
			return 0
		}
		out = x.c.Concat(t, out)
	}
	return out
}

// signedValue is a number in decimal, as of a signed type.
func signedValue(v smt.Value) string {
	n := new(big.Int).Set(v.Big())
	if w := v.Width(); n.Bit(w-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return n.String()
}
