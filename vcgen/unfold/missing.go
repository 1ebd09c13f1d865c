package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// acquaintance classifies how functions without a body have obtained the address of an object; 0: none has.
type acquaintance uint8

const (
	lent  acquaintance = iota + 1 // through pointers to const only: they may return its address, not write it
	given                         // they may write it at any time
)

// callbacks reports whether a function without a body receives function pointers. The effects of these calls are
// ignored.
func (cc *callCtx) callbacks() bool {
	for i, a := range cc.in.Args {
		if !isPointer(a.Type) {
			continue
		}
		function := a.Kind == llvmir.OperandConst && a.Const.Kind == llvmir.ConstFunc
		if t := cc.declared(i); t != nil {
			function = function || t.Kind == llvmir.DIPointer && t.Elem != nil && t.Elem.Kind == llvmir.DIFunc
		}
		if function {
			return true
		}
	}
	return false
}

// declared returns the C type of the i-th parameter, nil if it is unknown.
func (cc *callCtx) declared(i int) *llvmir.DIType {
	if i < len(cc.fn.Params) {
		return cc.fn.Params[i].DIType
	}
	return nil
}

// missingBody executes a call of a function without a body: the result is arbitrary, and the memory that the function
// can reach may have been written.
func (cc *callCtx) missingBody() {
	r, c := cc.r(), cc.c()
	f := cc.fn
	name := f.SourceName
	if r.opts.MissingBody == found.MissingError {
		cc.unsupported("no body for " + name)
		return
	}
	does := found.Assumption{What: found.MissingBody, Name: name}
	if cc.returns(name) {
		does.Call.Returns = true
		if i := f.InMemory(); i < 0 {
			r.mayPoint(cc.ret, cc.in.Type, cc.gives())
		} else if in := r.log.Inputs[len(r.log.Inputs)-1]; in.Bytes {
			r.mem.ContentMayPoint(in.Content, cc.gives())
		}
	}
	if bi := &cc.fr.fn.Nodes[cc.v.block]; f.NoReturn || cc.in.NoReturn || bi.Ends && bi.Stop == cc.k {
		does.Call = found.Call{Effect: found.EndsExecution}
		r.note(does, cc.site, 0)
		r.event(seair.Event{Kind: seair.End, Guard: cc.p.g.T, Site: cc.site})
		cc.dead = true
		return
	}
	does.Call.Callbacks = cc.callbacks()
	if r.opts.MissingBody == found.MissingPure {
		does.Call.Effect = found.WritesNothing
		r.note(does, cc.site, 0)
		return
	}
	reach, unknown := cc.writable()
	if len(reach) == 0 && c.IsFalse(unknown) {
		does.Call.Effect = found.ReachesNone
		r.note(does, cc.site, 0)
		return
	}
	if x := r.opts.Induction; x.hasMembers() {
		x.refuse("a loop over a list, and a function without a body that may write it")
	}
	writes := r.scalarInput(choice.Writes, cc.p, cc.in.ID, name, smt.Bool)
	does.Call.Effect = found.WritesMemory
	r.note(does, cc.site, writes)
	fits := c.True()
	for _, id := range reach {
		o := r.mem.Objects[id]
		old := cc.p.st.Content(id)
		v, in := r.content(choice.MissingBody, cc.p, cc.in.ID, name)
		in.Object = id
		r.mem.ContentMayPoint(in.Content, cc.gives())
		// It does not change a completely constant object. Other objects may be written as a whole, which is an
		// over-approximation.
		cond := c.And(writes, r.mem.Live(cc.p.st, id))
		if p := o.Parts; len(p) == 1 && p[0].Off == 0 && o.Size == cc.r().mem.IntS(p[0].Len) {
			cond = c.And(cond, c.Not(r.mem.Kept(cc.p.st, id, cc.r().mem.Int(0), o.Size)))
		}
		fits = c.And(fits, c.Or(c.Not(cond), r.orElsewhere(r.mem.MayWrite(cc.p.st, o.Base, o.Size))))
		r.mem.SetContent(cc.p.st, id, r.mem.Merge(cond, v, old), cond)
	}
	cc.limitedMissing(writes, fits, unknown)
}

// limitedMissing logs the obligation that the frames of contracts permit the possible writes of a function without a
// body. fits is the condition for the objects that it reaches; unknown is true if it may reach others. The obligation
// is violated only if the function writes, so a violation depends on its body.
func (cc *callCtx) limitedMissing(writes, fits, unknown smt.Term) {
	r, c := cc.r(), cc.c()
	l := cc.p.st.Limits
	switch {
	case l.Inner == nil || l.Paused > 0:
	case l.Unclear:
		r.unclear(cc.p, cc.site)
	default:
		for x := l.Inner; x != nil; x = x.Outer {
			if !x.Everything {
				fits = c.And(fits, c.Not(c.And(writes, unknown)))
			}
		}
		r.allowed(cc.p, cc.site, fits)
	}
}

// gives returns the origin of addresses that a function without a body returns or stores.
func (cc *callCtx) gives() mem.Origin {
	o := mem.Origin{Known: mem.ByMissingBody, By: cc.fn.SourceName}
	if language.OfLibrary(cc.fn.Name, len(cc.fn.Params)) {
		o.Known = mem.ByLibrary
	}
	return o
}

// mayPoint declares that the pointers in a value may be addresses of objects that the model does not know.
func (r *run) mayPoint(v value, t *llvmir.Type, o mem.Origin) {
	switch {
	case v.t != 0 && isPointer(t):
		r.mem.MayPoint(v.t, o)
	case len(v.e) > 0:
		types, _ := elements(t)
		for i, e := range v.e {
			r.mayPoint(e, types[i], o)
		}
	}
}

// writable returns the objects that a function without a body may write, ascending. They are reachable from its
// non-const pointer arguments, from objects that earlier such calls received, or from non-const globals with external
// linkage. unknown is the condition that it may write an object which the model cannot identify.
func (cc *callCtx) writable() (reach []int, unknown smt.Term) {
	r, c := cc.r(), cc.c()
	seen := map[int]bool{}
	var todo []int
	unknown = c.False()
	add := func(id int) {
		o := r.mem.Objects[id]
		if !seen[id] && o.Kind != mem.Function && !o.Const && cc.p.st.Content(id) != nil {
			seen[id] = true
			todo = append(todo, id)
		}
	}
	stored := func(id int, t *llvmir.DIType) { // targets of the pointers in an object
		for _, in := range r.mem.PointsTo(cc.p.st, id) {
			add(in)
		}
		from := r.mem.OriginsIn(cc.p.st, id)
		if !r.mayHoldAddresses(id, t) {
			from = slices.DeleteFunc(from, func(o mem.Origin) bool { return !o.Stored })
		}
		for _, in := range r.mayBelongTo(cc.p.st, from) {
			add(in)
		}
		unknown = c.Or(unknown, c.BoolConst(hasForeign(from)))
	}
	// An address may be passed as a number, in parts, or in a vector.
	types := map[int]*llvmir.DIType{} // of objects, according to the parameters' types
	var visit func(a value, pointsToConst bool, t *llvmir.DIType)
	visit = func(a value, pointsToConst bool, t *llvmir.DIType) {
		for _, e := range a.e {
			visit(e, pointsToConst, nil)
		}
		if a.t == 0 {
			return
		}
		ids := r.mem.ObjectsIn(a.t)
		if from := r.mem.Origins(a.t); len(from) > 0 && (!isNumber(t) || r.mem.WasPointer(a.t)) {
			ids = append(slices.Clone(ids), r.mayBelongTo(cc.p.st, from)...)
			if !pointsToConst && hasForeign(from) {
				unknown = c.Or(unknown, r.mem.UnknownWhen(a.t))
			}
		}
		var target *llvmir.DIType
		if t != nil && t.Kind == llvmir.DIPointer {
			target = t.Elem
		}
		for _, id := range ids {
			if !pointsToConst {
				add(id)
				types[id] = target
				continue
			}
			// The target itself is protected, but not the targets of pointers in it.
			r.escaped[id] = max(r.escaped[id], lent)
			stored(id, target)
		}
	}
	if r.mem.ForAllCallers() {
		// Callers of a contract may have passed any memory that existed before the call to functions without a body,
		// including memory that is unknown in this proof.
		unknown = c.True()
		for id, o := range r.mem.Objects {
			if o.Kind == mem.Static || r.required[id] {
				add(id)
			}
		}
	}
	result := cc.fn.InMemory()
	for i, a := range cc.args {
		if i == result { // the function has no address of it in C
			continue
		}
		// The same holds for a struct passed by value: the function has a copy.
		copied := i < len(cc.in.ByVal) && cc.in.ByVal[i] != nil
		visit(a, copied || i < len(cc.fn.Params) && cc.fn.Params[i].PointsToConst, cc.declared(i))
	}
	for id := range r.mem.Objects {
		if r.escaped[id] == given || r.isShared(id) {
			add(id)
		}
		if r.escaped[id] == lent { // its current targets
			stored(id, nil)
		}
	}
	for len(todo) > 0 {
		id := todo[0]
		todo = todo[1:]
		stored(id, types[id])
	}
	for id := range r.mem.Objects {
		if seen[id] {
			reach = append(reach, id)
			r.escaped[id] = given
		}
	}
	return reach, unknown
}

// hasForeign reports whether one of the origins is left open by the program's callers, by contracts or by loops. A
// function without a body passes on only addresses that it received, or addresses of its own objects.
func hasForeign(origins []mem.Origin) bool {
	return slices.ContainsFunc(origins, func(o mem.Origin) bool { return o.Known == mem.ByAny })
}

// isShared reports whether an object is a non-constant variable with external linkage.
func (r *run) isShared(id int) bool {
	if r.shared == nil {
		r.shared = map[int]bool{}
		for g, base := range r.globals {
			if obj, ok := r.mem.ObjectOfBase(base); ok && g.External && !g.Constant {
				r.shared[obj] = true
			}
		}
	}
	return r.shared[id]
}

// isNumber reports whether a parameter of a type receives numbers and no addresses. An unknown type may receive both.
func isNumber(t *llvmir.DIType) bool {
	if t == nil {
		return false
	}
	switch t.Kind {
	case llvmir.DIInt:
		return !addressNumber(t)
	case llvmir.DIChar, llvmir.DIBool, llvmir.DIFloat, llvmir.DIEnum:
		return true
	}
	return false
}

// addressNumber reports whether an integer type is one of those of C for addresses.
func addressNumber(t *llvmir.DIType) bool { return t.Name == "uintptr_t" || t.Name == "intptr_t" }

// mayHoldAddresses reports whether bytes of an object that the program has not written may hold addresses. They cannot
// if the type of the object, or the target type t of the parameter, has no pointers.
func (r *run) mayHoldAddresses(id int, t *llvmir.DIType) bool {
	if t != nil && t.Kind != llvmir.DIVoid {
		return hasPointers(t, 0)
	}
	if r.mem.Objects[id].Kind != mem.Static {
		return true
	}
	for g, base := range r.globals {
		if obj, ok := r.mem.ObjectOfBase(base); ok && obj == id && g.DIType != nil {
			return hasPointers(g.DIType, 0)
		}
	}
	return true
}

// maxTypeDepth bounds the nesting of types that are examined.
const maxTypeDepth = 12

// hasPointers reports whether values of a type may hold addresses.
func hasPointers(t *llvmir.DIType, depth int) bool {
	if t == nil || depth > maxTypeDepth {
		return true
	}
	switch t.Kind {
	case llvmir.DIInt:
		return addressNumber(t)
	case llvmir.DIChar, llvmir.DIBool, llvmir.DIFloat, llvmir.DIEnum:
		return false
	case llvmir.DIArray:
		return hasPointers(t.Elem, depth+1)
	case llvmir.DIStruct, llvmir.DIUnion:
		return len(t.Fields) == 0 || slices.ContainsFunc(t.Fields, func(f llvmir.DIField) bool {
			return hasPointers(f.Type, depth+1)
		})
	}
	return true
}
