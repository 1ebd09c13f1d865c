package lockstep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// memory is a state of the memory: an unknown one, or the one behind a store to another state. Equal states are the
// same pointer.
type memory struct {
	id      int
	parent  *memory // nil for an unknown state
	address smt.Term
	value   smt.Term
	size    int64 // bytes
	pointer bool  // the value is a pointer, not a number (see comparePointers)
	begins  bool  // no store, but the lifetime of the variable at the address: its content is arbitrary
}

func (x *prover) node(key string, m memory) *memory {
	if n := x.nodes[key]; n != nil {
		return n
	}
	m.id = len(x.nodes) + 1
	x.nodes[key] = &m
	return &m
}

// base returns the unknown state with a name.
func (x *prover) base(name string) *memory { return x.node(name, memory{}) }

// written returns the state behind a store.
func (x *prover) written(m *memory, address, v smt.Term, pointer bool) *memory {
	n := int64(x.c.Width(v)) / 8
	return x.node(fmt.Sprint("store ", m.id, address, v, pointer),
		memory{parent: m, address: address, value: v, size: n, pointer: pointer})
}

// load returns n bytes, as a pointer or as a number: the same bytes may be both, but neither says anything about the
// other.
func (x *prover) load(k *config, m *memory, address smt.Term, n int64, pointer bool) smt.Term {
	c := x.c
	for m.parent != nil {
		d, ok := c.Int64(c.Sub(address, m.address))
		if !ok && x.differentObjects(address, m.address, k) {
			m = m.parent
			continue
		}
		if !ok {
			break
		}
		if d >= m.size || d <= -n {
			m = m.parent
			continue
		}
		if m.begins { // an arbitrary content, which is the same in both versions
			root := m
			for root.parent != nil {
				root = root.parent
			}
			return x.apply(fmt.Sprintf("content at the beginning in memory %d, %d bytes, pointer %v", root.id, n, pointer),
				smt.BV(int(8*n)), address)
		}
		if d >= 0 && d+n <= m.size && pointer == m.pointer {
			return c.Extract(m.value, int(8*(d+n)-1), int(8*d))
		}
		break
	}
	return x.apply(fmt.Sprintf("memory %d, %d bytes, pointer %v", m.id, n, pointer), smt.BV(int(8*n)), address)
}

// loadValue returns a value of a type. Each part has been checked.
func (x *prover) loadValue(k *config, m *memory, address smt.Term, t *llvmir.Type) value {
	if t.Kind == llvmir.StructType {
		v := value{e: []value{}}
		for i, f := range t.Fields {
			v.e = append(v.e, x.loadValue(k, m, x.c.Add(address, x.c.IntS(64, t.Offsets[i])), f))
		}
		return v
	}
	w := x.sortOf(t)
	if w.IsBool() || w.Width()%8 != 0 {
		x.fail("a load of type %s", t)
	}
	return value{t: x.load(k, m, address, int64(w.Width()/8), t.Kind == llvmir.PointerType)}
}

func (x *prover) storeValue(m *memory, address smt.Term, v value, t *llvmir.Type) *memory {
	if t.Kind == llvmir.StructType {
		for i, f := range t.Fields {
			m = x.storeValue(m, x.c.Add(address, x.c.IntS(64, t.Offsets[i])), v.e[i], f)
		}
		return m
	}
	w := x.sortOf(t)
	if w.IsBool() || w.Width()%8 != 0 {
		x.fail("a store of type %s", t)
	}
	return x.written(m, address, v.t, t.Kind == llvmir.PointerType)
}

// access is a valid access of the version before.
type access struct {
	address smt.Term
	size    int64
	write   bool
}

// checkAccess handles the validity of an access: the version before assumes it, and the version after needs it.
func (x *prover) checkAccess(p *path, s sideNumber, in *llvmir.Instr, o llvmir.Operand, size int64,
	write bool) smt.Term {
	c := x.c
	at := x.scalar(p, s, o)
	x.checkWithin(p, s, in)
	if s == before {
		p.accessed = append(p.accessed[:len(p.accessed):len(p.accessed)], access{at, size, write})
		for o.Kind == llvmir.OperandReg { // no access through the null pointer, or at an offset from it, is valid
			d := x.defs[p.sides[s].top().fn.Func][o.Reg]
			if d == nil || d.Op != llvmir.OpGEP {
				break
			}
			o = d.Args[0]
		}
		if t := x.operand(p, s, o).t; t != 0 && !x.nonNull[t] {
			p.assume(x, c.Ne(t, c.Int(64, 0)))
		}
		return at
	}
	if x.inLocal(p, at, size) {
		return at
	}
	for _, a := range p.accessed {
		if d, ok := c.Int64(c.Sub(at, a.address)); ok && d >= 0 && d+size <= a.size && (a.write || !write) {
			return at
		}
	}
	for _, a := range p.accessed {
		if size <= a.size && (a.write || !write) && x.equal(p, at, a.address) {
			return at
		}
	}
	if v := x.variable(at); v != 0 && x.locals[v].size >= size &&
		x.proves(p, c.Ule(c.Sub(at, v), c.Int(64, uint64(x.locals[v].size-size)))) { // inLocal checked its lifetime
		return at
	}
	if x.proves(p, c.False()) {
		panic(deadPath{})
	}
	x.fail("an access of the version after, at line %d, was not found in the version before", line(in))
	return at
}

// inLocal reports whether an access of the version after is certainly inside of a variable of the function. It gives
// up if the variable's lifetime has ended.
func (x *prover) inLocal(p *path, at smt.Term, size int64) bool {
	c := x.c
	for _, v := range c.Symbols(at) {
		l, ok := x.locals[v]
		if !ok {
			continue
		}
		alive := slices.ContainsFunc(p.sides[after].frames, func(f *frame) bool { return f.id == l.frame })
		if !alive || x.scoped[after][v] && !slices.Contains(p.sides[after].scope, v) {
			x.fail("the version after uses %s outside of its lifetime", l.name)
		}
		if d, ok := c.Int64(c.Sub(at, v)); ok && d >= 0 && d+size <= l.size {
			return true
		}
	}
	for _, v := range p.ended {
		if slices.Contains(p.sides[after].escaped, v) {
			x.endsEarly(v)
		}
	}
	x.checkScopes(p)
	return false
}

// touch records that variables are written, or that their addresses may be known elsewhere.
func (x *prover) touch(k *config, terms ...smt.Term) {
	for _, v := range x.c.Symbols(terms...) {
		if _, ok := x.locals[v]; ok {
			k.touched = with(k.touched, v)
		}
	}
	for _, v := range x.mentioned(terms...) {
		k.maybe = with(k.maybe, v)
	}
}

// escape records that the addresses of variables may be known elsewhere.
func (x *prover) escape(k *config, terms ...smt.Term) {
	for _, v := range x.mentioned(terms...) {
		k.escaped = with(k.escaped, v)
	}
}

func with(list []smt.Term, t smt.Term) []smt.Term {
	if slices.Contains(list, t) {
		return list
	}
	return append(slices.Clip(list), t)
}

func without(list []smt.Term, t smt.Term) []smt.Term {
	return slices.DeleteFunc(slices.Clone(list), func(o smt.Term) bool { return o == t })
}

// mentioned returns the variables on whose addresses terms depend, also through conversions to numbers.
func (x *prover) mentioned(terms ...smt.Term) (list []smt.Term) {
	seen := map[smt.Term]bool{}
	for work := terms; len(work) > 0; {
		var next []smt.Term
		for _, v := range x.c.Symbols(work...) {
			if seen[v] {
				continue
			}
			seen[v] = true
			if _, ok := x.locals[v]; ok {
				list = append(list, v)
			} else if a := x.of[v]; a != nil {
				next = append(next, a.args...)
			}
		}
		work = next
	}
	return list
}

// begin begins the lifetime of a variable. Its content is arbitrary. The other version may begin it at another moment.
func (x *prover) begin(k *config, at smt.Term) {
	l, ok := x.locals[at]
	if !ok {
		x.fail("a lifetime of a part of a variable")
	}
	if x.scoped[k.side][at] {
		k.scope = with(k.scope, at)
	}
	k.touched, k.maybe = without(k.touched, at), without(k.maybe, at)
	k.memory = x.begun(k.memory, at, l.size)
}

// begun returns the state behind the beginning of a variable's lifetime.
func (x *prover) begun(m *memory, at smt.Term, size int64) *memory {
	return x.node(fmt.Sprint("begin ", m.id, at), memory{parent: m, address: at, size: size, begins: true})
}

// variable returns the variable that an address is in: it is the variable's address, or an offset from it. No other
// variable is in the term.
func (x *prover) variable(at smt.Term) smt.Term {
	list := x.mentioned(at)
	if len(list) != 1 || len(x.mentioned(x.c.Sub(at, list[0]))) > 0 {
		return 0
	}
	return list[0]
}

// differentObjects reports whether two valid accesses certainly concern different objects. One is to a variable of the
// function. The other one is to another variable, or by a pointer that cannot lead to it: no memory has its address.
func (x *prover) differentObjects(a, b smt.Term, sides ...*config) bool {
	u, v := x.variable(a), x.variable(b)
	if u == v {
		return false
	}
	if u != 0 && v != 0 {
		return true
	}
	other := b
	if u == 0 {
		u, other = v, a
	}
	return len(x.mentioned(other)) == 0 &&
		!slices.ContainsFunc(sides, func(k *config) bool { return slices.Contains(k.escaped, u) })
}

// checkWritten gives up if the version after loads from a variable that nothing has written, and the version before
// does not: its content is not even the same at each load.
func (x *prover) checkWritten(p *path, s sideNumber, in *llvmir.Instr, at smt.Term) {
	if s == before {
		return
	}
	for _, v := range x.c.Symbols(at) {
		l, ok := x.locals[v]
		if !ok || slices.Contains(p.sides[s].touched, v) {
			continue
		}
		if slices.Contains(p.sides[before].maybe, v) ||
			!slices.ContainsFunc(p.accessed, func(a access) bool { return a.address == at }) {
			x.fail("the version after may use %s before it is written, at line %d", l.name, line(in))
		}
	}
}

// checkScopes gives up if only the version before still has a variable that other functions may know: its address may
// be in memory.
func (x *prover) checkScopes(p *path) {
	for _, v := range p.sides[before].scope {
		if !slices.Contains(p.sides[after].scope, v) && slices.Contains(p.sides[before].escaped, v) {
			x.endsEarly(v)
		}
	}
}

func (x *prover) endsEarly(v smt.Term) {
	x.fail("the lifetime of %s ends earlier in the version after, and its address may be used then", x.locals[v].name)
}

// deadPath ends a path that no execution takes.
type deadPath struct{}

func line(in *llvmir.Instr) int {
	if in.Loc == nil {
		return 0
	}
	return in.Loc.Line
}

// checkWithin handles the bounds of arrays within an object.
func (x *prover) checkWithin(p *path, s sideNumber, in *llvmir.Instr) {
	c := x.c
	for _, w := range x.version(s).Module.Of(in).Within {
		var sum smt.Term
		for _, o := range w.Indices {
			i := x.scalar(p, s, o)
			if c.Width(i) < 64 {
				i = c.Sext(i, 64)
			}
			if sum == 0 {
				sum = i
			} else {
				sum = c.Add(sum, i)
			}
		}
		cond := c.Ult(sum, c.Int(c.Width(sum), uint64(w.Len)))
		x.defined(p, s, fmt.Sprint("within ", w.Len, sum), &cond)
	}
}

// sameMemory reports whether both versions have equal memory: their stores since the last event are the same, apart
// from the order of stores to different addresses.
func (x *prover) sameMemory(p *path) bool {
	a, b := p.sides[before], p.sides[after]
	a.private, b.private = nil, nil
	if a.memory == b.memory {
		return true
	}
	list := func(m *memory) (out []*memory, ok bool) {
		for ; m != p.memory; m = m.parent {
			if m == nil || m.parent == nil {
				return nil, false
			}
			out = append(out, m)
		}
		return out, true
	}
	old, ok1 := list(a.memory) // the latest first
	now, ok2 := list(b.memory)
	if !ok1 || !ok2 {
		return false
	}
	old, now = x.last(x.alive(a, old)), x.last(x.alive(b, now))
	old, a.private = x.shared(a, b, old)
	if p.sides[before].event.kind != atLoop { // a cut has the memory of the version before
		now, b.private = x.shared(b, a, now)
	}
	if p.sides[before].event.kind == atReturn { // variables of the function end
		local := func(m *memory) bool { return x.isLocal(m.address) }
		old, now = slices.DeleteFunc(old, local), slices.DeleteFunc(now, local)
	}
	if len(old) != len(now) {
		return false
	}
	for _, n := range now {
		found := -1
		for i, o := range old {
			if o.size == n.size && o.pointer == n.pointer && o.begins == n.begins && x.equal(p, o.address, n.address) &&
				(o.begins || x.equal(p, o.value, n.value)) {
				found = i
				break
			}
			if !x.disjoint(o, n) && !x.differentObjects(o.address, n.address, a, b) {
				return false
			}
		}
		if found < 0 {
			return false
		}
		old = append(old[:found:found], old[found+1:]...)
	}
	b.memory = a.memory
	return true
}

// shared separates the stores that the other version must have, too, from private ones. These are to variables that it
// does not have at this moment, and whose addresses no other function knows.
func (x *prover) shared(k, other *config, list []*memory) (rest, private []*memory) {
	for _, m := range list {
		if v := x.variable(m.address); v != 0 && !x.isAlive(other, v) && !slices.Contains(k.escaped, v) {
			private = append(private, m)
		} else {
			rest = append(rest, m)
		}
	}
	return rest, private
}

// alive drops the stores to variables that have ended.
func (x *prover) alive(k *config, list []*memory) []*memory {
	return slices.DeleteFunc(list, func(m *memory) bool {
		v := x.variable(m.address)
		_, own := x.scoped[k.side][v]
		return own && !x.isAlive(k, v)
	})
}

// isAlive reports whether a version has a variable at this moment.
func (x *prover) isAlive(k *config, v smt.Term) bool {
	scoped, own := x.scoped[k.side][v]
	return own && slices.ContainsFunc(k.frames, func(f *frame) bool { return f.id == x.locals[v].frame }) &&
		(!scoped || slices.Contains(k.scope, v))
}

// isLocal reports whether an address is that of a variable of the function, at a constant offset.
func (x *prover) isLocal(t smt.Term) bool {
	return slices.ContainsFunc(x.c.Symbols(t), func(v smt.Term) bool {
		a := x.of[v]
		return a != nil && strings.HasPrefix(a.key, "local ") && x.c.IsConst(x.c.Sub(t, v))
	})
}

// last drops stores that later ones overwrite. The list has the latest first.
func (x *prover) last(list []*memory) (out []*memory) {
	for _, m := range list {
		covered := false
		for _, o := range out {
			if d, ok := x.c.Int64(x.c.Sub(m.address, o.address)); ok && d >= 0 && d+m.size <= o.size {
				covered = true
			}
		}
		if !covered {
			out = append(out, m)
		}
	}
	return out
}

// disjoint reports whether two stores certainly write different bytes.
func (x *prover) disjoint(a, b *memory) bool {
	d, ok := x.c.Int64(x.c.Sub(a.address, b.address))
	return ok && (d >= b.size || d <= -a.size)
}
