package interp

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// missingBody calls a function without a body (contract, section 2).
//
// The result is arbitrary, and memory that the function can reach may be written.
func (c *call) missingBody() {
	m := c.m
	if c.fn.Unsupported != "" {
		m.unsupported(c.fn.Unsupported)
	}
	if m.opts.MissingBody == found.MissingError {
		m.unsupported("no body for " + c.fn.SourceName)
	}
	if m.trace != nil {
		m.trace.Called(c.fr, c.in, c.fn, c.args)
	}
	c.result(c.nondet())
	if c.neverReturns() {
		m.stop(EndExit, "")
	}
	if m.opts.MissingBody == found.MissingPure {
		return
	}
	reach := c.reachable()
	if len(reach) == 0 {
		return
	}
	writes := m.fact(choice.Writes, c.in.ID)
	for _, o := range reach {
		name := objectName(o)
		if !writes || o.Keeps(0, o.Size) && len(o.Parts) == 1 && uint64(o.Parts[0].Len) == o.Size {
			m.in(choice.Question{Kind: choice.MissingBody, Content: true, Site: c.in.ID, Name: name})
			continue
		}
		r := m.choose(o, 0, o.Size, c.in.ID, choice.MissingBody, name, state.Arbitrary)
		r.Fn, r.Variable, r.DIType = c.fn.SourceName, o.Source, o.DIType
		m.touch(o)
	}
}

// reachable returns the objects that a function without a body may write.
//
//   - Objects that its arguments lead to, as pointers, as numbers, in pieces and in vectors.
//   - Objects known to earlier such functions.
//   - Global variables with external linkage.
//
// A pointer to const protects its target, but not the targets of pointers in it; so does an argument that is passed
// as a copy.
func (c *call) reachable() []*state.Object {
	m := c.m
	seen := map[*state.Object]bool{}
	var out []*state.Object
	add := func(o *state.Object) {
		if o.Kind != state.Function && o.Live && !o.Readonly && !seen[o] {
			seen[o] = true
			out = append(out, o)
		}
	}
	var visit func(v state.Value, protected bool)
	visit = func(v state.Value, protected bool) {
		for _, e := range v.Elems() {
			visit(e, protected)
		}
		if v.Obj == nil || v.Obj.Kind == state.Function {
			return
		}
		if !protected {
			add(v.Obj)
			return
		}
		if v.Obj.Live {
			v.Obj.Pointers(add)
		}
	}
	result := c.fn.InMemory()
	for i, a := range c.args {
		if i == result {
			continue
		}
		byval := i < len(c.in.ByVal) && c.in.ByVal[i] != nil
		visit(a, byval || i < len(c.fn.Params) && c.fn.Params[i].PointsToConst)
	}
	for _, o := range m.Escaped {
		add(o)
	}
	for _, g := range m.m.Globals {
		if g.External && !g.Constant {
			add(m.global(g))
		}
	}
	for i := 0; i < len(out); i++ {
		out[i].Pointers(add)
	}
	for _, o := range out {
		if !o.Escaped {
			o.Change()
			o.Escaped = true
			m.Escaped = append(m.Escaped, o)
		}
	}
	return out
}
