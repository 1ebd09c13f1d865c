package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// builtins are the functions that the engine knows when they have no body, by their roles.
// It is filled once and only read later.
var builtins = map[language.Role]func(c *call) value{}

func init() {
	add := func(f func(c *call) value, role language.Role) { builtins[role] = f }
	// The proof language.
	add(assume, language.Assume)
	add(assert, language.Assert)
	add(failAssertion, language.AssertFailure)
	add(failAssertion, language.Error)
	add((*call).nondet, language.Nondet)
	add(uninterpreted, language.Uninterpreted)
	add(func(c *call) value {
		c.m.unsupported("a call of " + c.fn.Name + ", named like a verifier's primitive,")
		return value{}
	}, language.Unknown)
	add(havoc, language.Havoc)
	add(dereferenceable, language.Dereferenceable)
	add(func(c *call) value {
		o := c.arg(0).obj
		if o != nil {
			c.m.mark(o, bitModified, false)
		}
		return boolValue(o != nil && o.modified)
	}, language.IsModified)
	add(func(c *call) value {
		if o := c.arg(0).obj; o != nil {
			c.m.mark(o, bitModified, true)
			o.change()
			o.modified = false
		}
		return value{}
	}, language.ResetModified)
	add(func(c *call) value { c.m.tracking = true; return value{} }, language.TrackingOn)
	add(func(c *call) value { c.m.tracking = false; return value{} }, language.TrackingOff)
	add(objectSize, language.ObjectSize)
	add(pointerOffset, language.PointerOffset)
	add(pointerObject, language.PointerObject)

	// Ends of the execution.
	add(func(c *call) value { c.m.stop(EndAbort, ""); return value{} }, language.Abort)
	add(func(c *call) value { c.m.stop(EndExit, ""); return value{} }, language.Exit)

	// Memory.
	add(func(c *call) value { return c.allocate(c.argInt(0), false, minAlign, false) }, language.Malloc)
	add(func(c *call) value {
		hi, lo := mul64(c.argInt(0), c.argInt(1))
		return c.allocate(lo, hi != 0, minAlign, true)
	}, language.Calloc)
	add(func(c *call) value { return c.allocate(c.argInt(1), false, alignment(c.argInt(0)), false) }, language.AlignedAlloc)
	add(posixMemalign, language.PosixMemalign)
	add(func(c *call) value { return c.realloc(c.argInt(1), false) }, language.Realloc)
	add(func(c *call) value {
		hi, lo := mul64(c.argInt(1), c.argInt(2))
		return c.realloc(lo, hi != 0)
	}, language.Reallocarray)
	add(func(c *call) value {
		c.checkFree()
		c.release()
		return value{}
	}, language.Free)
	add(func(c *call) value {
		c.m.check(access{ptr: c.arg(0), op: argOf(c.in, 0), n: c.argInt(1)})
		return value{}
	}, language.Reads)
	add(func(c *call) value {
		c.m.apart(c.arg(0), c.argInt(1), c.arg(2), c.argInt(3))
		return value{}
	}, language.Apart)
	add(func(c *call) value {
		c.m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), true)
		return c.arg(0)
	}, language.Memcpy)
	add(func(c *call) value {
		c.m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), true)
		v := c.arg(0)
		v.bits += c.argInt(2)
		return v
	}, language.Mempcpy)
	add(func(c *call) value {
		c.m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), false)
		return c.arg(0)
	}, language.Memmove)
	add(func(c *call) value {
		c.m.fillRange(c.fr, c.in, c.arg(0), byte(c.argInt(1)), c.argInt(2))
		return c.arg(0)
	}, language.Memset)
	add(func(c *call) value {
		o := c.m.newStack(c.fr, "alloca", c.in.ID, c.argInt(0), minAlign)
		c.m.choose(o, 0, o.size, c.in.ID, "uninitialized", "", uninitialized)
		return pointerTo(o, 0)
	}, language.Alloca)

	// Output: an arbitrary result, and no memory is written.
	add((*call).nondet, language.Print)

	add(func(c *call) value { c.m.unsupported("a call of " + c.fn.SourceName); return value{} }, language.Impossible)
}

// library finds what a function without a body does, if the engine knows it.
func library(c *call) (func(c *call) value, bool) {
	if f, ok := builtins[language.Function(c.fn.Name, len(c.fn.Params)).Role]; ok {
		return f, true
	}
	if c.fn.SanitizerCheck() != "" {
		return ubsan, true
	}
	f := c.floatFunction(c.fn.Name)
	return f, f != nil
}

func assume(c *call) value {
	if !c.argTrue(0) {
		c.m.stop(EndAssume, "the assumption is false")
	}
	if h := c.m.history; h != nil {
		h.assumed = append(h.assumed, h.now())
	}
	if c.m.opts.Trace {
		c.m.traceAssume(c.fr, c.in)
	}
	return value{}
}

func assert(c *call) value {
	if !c.argTrue(0) {
		c.m.violated(found.Assertion, func() string { return "assertion is false" })
	}
	return value{}
}

// failAssertion is the failure call of an assertion. Where the finding is accepted the
// execution goes on as if the assertion had held.
func failAssertion(c *call) value {
	c.m.violated(found.Assertion, func() string { return "assertion is false" })
	if !c.neverReturns() {
		return value{}
	}
	if !c.fr.resume(c.m) {
		c.m.stop(EndAbort, "")
	}
	return value{}
}

// resume leaves a failure block for the other successor of the branch that led there.
func (fr *frame) resume(m *machine) bool {
	if fr.prev < 0 {
		return false
	}
	from := fr.fn.Blocks[fr.prev]
	t := from.Term()
	if t.Op != llvmir.OpCondBr {
		return false
	}
	to := t.Succs[0]
	if to == fr.block.Index {
		to = t.Succs[1]
	}
	if to == fr.block.Index {
		return false
	}
	fr.enter(m, fr.prev, to)
	return true
}

func havoc(c *call) value {
	n := c.argInt(1)
	if v := c.arg(0); v.obj == nil && v.bits == 0 {
		n = 0 // as free(NULL): harnesses havoc what an allocation gave them
	}
	tracking := c.m.tracking
	c.m.tracking = false // it builds an input: no write of the code under proof
	o, off := c.m.check(access{ptr: c.arg(0), op: argOf(c.in, 0), n: n, write: true})
	c.m.tracking = tracking
	if o == nil {
		c.m.in.Content(c.in.ID, "havoc", "")
		return value{}
	}
	r := c.m.choose(o, off, off+n, c.in.ID, "havoc", "", arbitrary)
	r.fn = c.fn.SourceName
	if p := placeOf(c.fr, c.in.Args[0]); p.known {
		r.variable, r.dtype = p.part(n)
	} else if o.source != "" && off == 0 && n == o.size {
		r.variable, r.dtype = o.source, o.dtype
	}
	return value{}
}

// dereferenceable: n bytes at p lie inside the live object that p was derived from; n = 0
// holds for NULL and up to one past the end, n < 0 never.
func dereferenceable(c *call) value {
	p, n := c.arg(0), int64(1)
	if len(c.args) > 1 {
		n = c.argSigned(1)
	}
	o := p.obj
	switch {
	case n < 0:
		return boolValue(false)
	case o == nil || !p.whole():
		return boolValue(p.bits == 0 && n == 0)
	case o.kind == function || !o.live:
		c.m.mark(o, bitLive, false)
		return boolValue(false)
	}
	off := p.offset()
	return boolValue(int64(off) >= 0 && off <= o.size && uint64(n) <= o.size-off)
}

// alignment is what an allocation function makes of the alignment it is asked for.
func alignment(a uint64) uint64 {
	if a > minAlign && a&(a-1) == 0 && a <= 1<<20 {
		return a
	}
	return minAlign
}

// allocate makes a heap object of n bytes; NULL when it is refused, when no address space
// can hold it, or when the inputs let it fail.
func (c *call) allocate(n uint64, refused bool, align uint64, zeroed bool) value {
	m := c.m
	fails := m.in.AllocFails(c.in.ID) && m.opts.MallocMayFail
	o := &object{kind: onHeap, name: c.fn.Name, site: c.in.ID, size: n, maker: c.fn.SourceName}
	if fails || refused || n > maxObject || !m.newObject(o, align) {
		if m.opts.Trace {
			m.traceAlloc(c, n, nil)
		}
		return value{}
	}
	m.blocks++
	o.number = m.blocks
	if m.opts.Checks[found.MemoryLeak] {
		o.stack = m.stackNow()
		m.heap = append(m.heap, o)
	}
	if !zeroed {
		r := m.choose(o, 0, n, c.in.ID, "malloc", "", uninitialized)
		r.fn = c.fn.SourceName
		c.fr.name(c.in, func(variable string, t *llvmir.DIType) {
			r.variable = variable
			if t != nil {
				r.points = t.Elem
			}
		})
	}
	if m.opts.Trace {
		m.traceAlloc(c, n, o)
	}
	return pointerTo(o, 0)
}

func posixMemalign(c *call) value {
	a := c.argInt(1)
	bad := a == 0 || a&(a-1) != 0 || a%8 != 0
	p := c.allocate(c.argInt(2), bad, alignment(a), false)
	t := &llvmir.Type{Kind: llvmir.PointerType, Size: 8, StoreSize: 8, Align: 8}
	if p.obj == nil {
		c.m.check(access{ptr: c.arg(0), op: argOf(c.in, 0), n: 8, write: true})
		if bad {
			return intValue(22) // EINVAL
		}
		return intValue(12) // ENOMEM
	}
	c.m.storeTo(c.arg(0), p, t)
	return intValue(0)
}

// checkFree makes sure that the first argument may be freed.
func (c *call) checkFree() {
	m, p := c.m, c.arg(0)
	o := p.obj
	if !p.whole() {
		o = nil
	}
	if o == nil && p.bits == 0 {
		return
	}
	if o != nil {
		m.accuse(o, p.offset(), 0, false)
	}
	text := func() string { return m.pointerText(c.fr, c.in.Args[0], m.renderPointer(p, nil)) }
	switch {
	case o == nil:
		m.required(found.InvalidFree, func() string { return "frees " + text() + ", which points to no object" })
	case o.kind != onHeap:
		m.required(found.InvalidFree, func() string {
			return "frees " + text() + ", which points to " + m.describe(o, "") + ": no allocation returned it"
		})
	case p.offset() != 0:
		m.required(found.InvalidFree, func() string {
			return fmt.Sprintf("frees %s, which points to offset %d of %s", text(), int64(p.offset()), m.describe(o, ""))
		})
	case !o.live:
		m.concerns(o)
		m.required(found.DoubleFree, func() string {
			return "frees " + m.describe(o, m.pointerText(c.fr, c.in.Args[0], "")) + " a second time: it was freed" + at(o.ended)
		})
	}
}

// release ends the life of what the first argument points to.
func (c *call) release() {
	o := c.arg(0).obj
	if o == nil {
		return
	}
	c.m.end(o)
	if c.m.opts.Trace {
		c.m.traceFree(c, o)
	}
}

// realloc makes another object, which may lie where the old one was; realloc(p, 0) frees,
// realloc(NULL, n) is malloc(n).
func (c *call) realloc(n uint64, refused bool) value {
	c.checkFree()
	old := c.arg(0).obj
	drop := old != nil && n == 0
	live := old != nil && old.live
	if live {
		old.change()
		old.live = false // its place is free
	}
	fresh := c.allocate(n, refused || drop, minAlign, false)
	if live {
		old.live = true
	}
	if fresh.obj != nil && old != nil {
		c.m.copyBytes(fresh.obj, 0, old, 0, min(old.size, n))
	}
	if old != nil && (drop || fresh.obj != nil) {
		c.release()
	}
	return fresh
}

// checkLeaks makes sure, at the return of the entry, that every heap object is freed or
// reachable from global variables.
func (m *machine) checkLeaks() {
	if !m.opts.Checks[found.MemoryLeak] {
		return
	}
	kept := map[*object]bool{}
	var todo []*object
	add := func(o *object) {
		if o.kind == onHeap && o.live && !kept[o] {
			kept[o] = true
			todo = append(todo, o)
		}
	}
	for _, g := range m.m.Globals {
		if o := m.globals[g]; o != nil && !o.readonly {
			o.pointers(add)
		}
	}
	for len(todo) > 0 {
		o := todo[0]
		todo = todo[1:]
		o.pointers(add)
	}
	for _, o := range m.heap {
		if !o.live || kept[o] {
			continue
		}
		accepted := false
		for _, f := range o.stack {
			accepted = accepted || m.opts.Accepted != nil && m.opts.Accepted(found.MemoryLeak, f.Func.SourceName)
		}
		if !accepted || m.wanted(found.MemoryLeak, o.stack) {
			m.leaked = o
			m.fail(found.MemoryLeak, o.stack, m.leakMessage(o))
		}
	}
}
