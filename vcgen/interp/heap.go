package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// alignment returns the alignment of an allocation with a requested alignment.
func alignment(a uint64) uint64 {
	if a > state.MinAlign && a&(a-1) == 0 {
		return a
	}
	return state.MinAlign
}

// allocate creates a heap object of n bytes.
//
// It returns NULL if the allocation is refused, if no address space can hold it, or if the inputs let it fail.
func (c *call) allocate(n uint64, refused bool, align uint64, zeroed bool) state.Value {
	return c.allocateAs(&state.Object{}, n, refused, align, zeroed)
}

// allocateAs is allocate for an object with further attributes.
func (c *call) allocateAs(o *state.Object, n uint64, refused bool, align uint64, zeroed bool) state.Value {
	m := c.m
	fails := m.fact(choice.AllocFails, c.in.ID) && m.opts.MallocMayFail
	o.Kind, o.Name, o.Site, o.Size, o.Maker = state.OnHeap, c.fn.Name, c.in.ID, n, c.fn.SourceName
	if o.Lent {
		o.Maker = "malloc"
	}
	if refused = refused || n > m.Layout.Space.MaxSize || align > m.Layout.Space.MaxAlign; fails && !refused {
		c.failedAllocation()
	}
	if fails || refused || !m.newObject(o, alignment(align)) {
		if m.trace != nil {
			m.trace.Allocated(c.fr, c.in, c.fn, n, nil)
		}
		return state.Value{}
	}
	m.Blocks++
	o.Number = m.Blocks
	if m.opts.Checks[found.MemoryLeak] {
		o.Stack = m.StackNow()
		m.Heap = append(m.Heap, o)
	}
	if !zeroed {
		r := m.choose(o, 0, n, c.in.ID, choice.Malloc, "", state.Uninitialized)
		r.Fn = c.fn.SourceName
		explain.NameResult(c.fr, c.in, func(variable string, t *llvmir.DIType) {
			r.Variable = variable
			if t != nil {
				r.Points = t.Elem
			}
		})
	}
	if m.trace != nil {
		m.trace.Allocated(c.fr, c.in, c.fn, n, o)
	}
	return state.PointerTo(o, 0)
}

// failedAllocation records that the inputs let the allocation fail.
func (c *call) failedAllocation() {
	r := c.m.newInput(choice.Malloc, c.in.ID)
	r.Fails, r.IsValue, r.Fn = true, true, c.fn.SourceName
	r.Typ = c.m.pointerType()
	explain.NameResult(c.fr, c.in, func(variable string, t *llvmir.DIType) { r.Variable, r.DIType = variable, t })
	c.m.Inputs = append(c.m.Inputs, r)
	if c.m.obs != nil {
		c.m.obs.Chosen(r, nil, 0)
	}
}

// made returns the result of an allocation, and sets errno if it is NULL.
func (c *call) made(p state.Value) state.Value {
	if p.Obj == nil {
		c.m.setErrno(language.ENOMEM)
	}
	return p
}

func posixMemalign(c *call) state.Value {
	a := c.argInt(1)
	t := c.m.pointerType()
	bad := a == 0 || a&(a-1) != 0 || a%uint64(t.Size) != 0
	p := c.allocate(c.argInt(2), bad, a, false)
	if p.Obj == nil {
		c.m.check(explain.Access{Ptr: c.arg(0), Op: argOf(c.in, 0), N: uint64(t.Size), Write: true})
		if bad {
			return state.IntValue(language.EINVAL)
		}
		return state.IntValue(language.ENOMEM)
	}
	c.m.storeTo(c.arg(0), p, t)
	return state.IntValue(0)
}

// checkFree checks that the first argument may be freed.
func (c *call) checkFree() {
	m, p := c.m, c.arg(0)
	o := p.Obj
	if !p.Whole() {
		o = nil
	}
	if o == nil && p.Bits == 0 {
		return
	}
	if o != nil {
		m.accuse(o, p.Offset(), 0, false)
	} else {
		m.accuse(nil, p.Bits, 0, false)
	}
	text := func() string { return m.View.PointerText(c.fr, c.in.Args[0], m.View.Pointer(p, nil)) }
	switch {
	case o == nil:
		m.required(found.InvalidFree, func() string { return "frees " + text() + ", which points to no object" })
	case o.Kind != state.OnHeap || o.Lent:
		m.required(found.InvalidFree, func() string {
			return "frees " + text() + ", which points to " + m.View.Describe(o, "") + ": no allocation returned it"
		})
	case p.Offset() != 0:
		m.required(found.InvalidFree, func() string {
			return fmt.Sprintf("frees %s, which points to offset %d of %s", text(), int64(p.Offset()), m.View.Describe(o, ""))
		})
	case !o.Live:
		m.concerning(o)
		m.required(found.DoubleFree, func() string {
			return "frees " + m.View.Describe(o, m.View.PointerText(c.fr, c.in.Args[0], "")) + " a second time: it was freed" +
				m.View.AtPlace(found.Mention{What: found.Freed}, o.Ended)
		})
	}
	if o != nil && m.Limits != nil && !m.MayFree(o) {
		m.violated(found.Assigns, func() string {
			return "frees " + m.View.Describe(o, "") + ", which the contract does not allow"
		})
		m.stop(EndAssume, "a free that a contract does not allow, which is not checked here")
	}
}

// release ends the lifetime of the object that the first argument points to.
func (c *call) release() {
	o := c.arg(0).Obj
	if o == nil {
		return
	}
	c.m.end(o)
	if c.m.trace != nil {
		c.m.trace.Freed(c.fr, c.in, c.fn, o)
	}
}

// realloc creates another object, which may have the address of the old one.
//
// realloc(p, 0) frees p, realloc(NULL, n) is malloc(n).
func (c *call) realloc(n uint64, refused bool, align uint64) state.Value {
	c.checkFree()
	old := c.arg(0).Obj
	drop := old != nil && n == 0 && !refused // n is the rest of a product that may be too large
	live := old != nil && old.Live
	if live {
		old.Change()
		old.Live = false // its address may be reused
	}
	fresh := c.allocate(n, refused || drop, align, false)
	if fresh.Obj == nil && !drop {
		c.m.setErrno(language.ENOMEM)
	}
	if live {
		old.Live = true
	}
	if fresh.Obj != nil && old != nil {
		c.m.copyBytes(fresh.Obj, 0, old, 0, min(old.Size, n))
	}
	if old != nil && (drop || fresh.Obj != nil) {
		c.release()
	}
	return fresh
}

// checkLeaks checks, at the return of the entry, that each heap object is freed or reachable from global variables.
func (m *Machine) checkLeaks() {
	if !m.opts.Checks[found.MemoryLeak] {
		return
	}
	reachable := map[*state.Object]bool{}
	var todo []*state.Object
	add := func(o *state.Object) {
		if o.Kind == state.OnHeap && o.Live && !reachable[o] {
			reachable[o] = true
			todo = append(todo, o)
		}
	}
	for _, g := range m.m.Globals {
		if o := m.Globals[g]; o != nil && !o.Readonly {
			o.Holds(add)
		}
	}
	for len(todo) > 0 {
		o := todo[0]
		todo = todo[1:]
		o.Holds(add)
	}
	for _, o := range m.Heap {
		if !o.Live || reachable[o] {
			continue
		}
		if !m.accepted(found.MemoryLeak, o.Stack) || m.wanted(found.MemoryLeak, o.Stack) {
			m.Leaked, m.View.Mentions, m.View.Said = o, nil, nil
			m.fail(found.MemoryLeak, o.Stack, m.View.LeakMessage(o))
		}
	}
}
