package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// assume logs an assumption and narrows the inputs that it bounds. From here on the bounded inputs are replaced by
// narrower ones, and the definition is assumed too. Only inputs created under a guard that implies this one are
// narrowed: an execution that does not come here has no such input, so its value is irrelevant there.
func (r *run) assume(p *path, site *seair.Site, cond smt.Term) {
	r.event(seair.Event{Kind: seair.Assume, Guard: p.g.T, Cond: cond, Site: site})
	if r.c.IsConst(cond) || r.opts.NoFacts {
		return
	}
	var may func(v smt.Term) bool
	if !r.c.IsTrue(p.g.T) {
		may = func(v smt.Term) bool {
			made, ok := r.madeWhere(v)
			return ok && r.c.IsTrue(r.c.Implies(made, p.g.T))
		}
	}
	definitions := r.known.Learn(cond, may)
	for _, d := range definitions {
		r.mem.Stats["facts-learned"]++
		r.event(seair.Event{Kind: seair.Assume, Guard: p.g.T, Cond: r.c.Eq(d.Of, d.Is), Site: site})
		r.mem.Narrowed(d.Of, r.c.Symbols(d.Is))
		if made, ok := r.madeWhere(d.Of); ok {
			for _, v := range r.c.Symbols(d.Is) {
				r.inputMade[v] = made
			}
		}
	}
	if len(definitions) > 0 || may == nil {
		r.mem.Narrow(r.known.Apply)
	}
}

// madeWhere returns the path condition under which an input was created: a symbol, or a word of arbitrary content.
func (r *run) madeWhere(v smt.Term) (smt.Term, bool) {
	if f, ok := r.c.FuncOfWord(v); ok {
		made, ok := r.contentMade[f]
		return made, ok
	}
	made, ok := r.inputMade[v]
	return made, ok
}

// input logs a choice.
func (r *run) input(kind choice.Kind, p *path, site int, name string) *seair.Input {
	in := &seair.Input{Kind: kind, Site: site, Name: name, Guard: p.g.T}
	r.log.Inputs = append(r.log.Inputs, in)
	return in
}

// scalarInput logs an arbitrary value of a sort and returns it.
func (r *run) scalarInput(kind choice.Kind, p *path, site int, name string, s smt.Sort) smt.Term {
	in := r.input(kind, p, site, name)
	in.Value = r.c.Var(name, s)
	r.inputMade[in.Value] = in.Guard
	return in.Value
}
