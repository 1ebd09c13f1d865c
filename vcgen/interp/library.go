package interp

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// builtins are the implementations of functions without a body, by their roles. It is read-only after init.
var builtins = map[language.Role]func(c *call) state.Value{}

func init() {
	add := func(f func(c *call) state.Value, role language.Role) { builtins[role] = f }
	// The proof language.
	add(assume, language.Assume)
	add(assert, language.Assert)
	add(failAssertion, language.AssertFailure)
	add(failAssertion, language.Error)
	add(func(c *call) state.Value {
		if c.argInt(0) == 0 {
			return failAssertion(c)
		}
		c.m.stop(EndAbort, "")
		return state.Value{}
	}, language.CapacityError)
	add(func(c *call) state.Value { return state.Value{} }, language.Nothing)
	add((*call).nondet, language.Nondet)
	add(uninterpreted, language.Uninterpreted)
	add(func(c *call) state.Value {
		c.m.unsupported("a call of " + c.fn.Name + ", named like a verifier's primitive,")
		return state.Value{}
	}, language.Unknown)
	add(havoc, language.Havoc)
	add(dereferenceable, language.Dereferenceable)
	add(func(c *call) state.Value {
		o := c.arg(0).Obj
		if o != nil {
			c.m.mark(o, BitModified, false)
		}
		return state.BoolValue(o != nil && o.Modified)
	}, language.IsModified)
	add(func(c *call) state.Value {
		if o := c.arg(0).Obj; o != nil {
			c.m.mark(o, BitModified, true)
			o.Change()
			o.Modified = false
		}
		return state.Value{}
	}, language.ResetModified)
	add(func(c *call) state.Value { c.m.Tracking = true; return state.Value{} }, language.TrackingOn)
	add(func(c *call) state.Value { c.m.Tracking = false; return state.Value{} }, language.TrackingOff)
	add(objectSize, language.ObjectSize)
	add(pointerOffset, language.PointerOffset)
	add(pointerObject, language.PointerObject)

	addContracts(add)
	addMemory(add)
	addModels(add)

	// Ends of the execution.
	add(func(c *call) state.Value { c.m.stop(EndAbort, ""); return state.Value{} }, language.Abort)
	add(func(c *call) state.Value { c.m.exit(); return state.Value{} }, language.Exit)

	// Output: an arbitrary result, and no memory is written.
	add((*call).nondet, language.Print)

	unsupported := func(c *call) state.Value {
		c.m.unsupported("a call of " + c.fn.SourceName)
		return state.Value{}
	}
	for _, role := range []language.Role{language.Impossible, language.OtherConversion, language.Find, language.FindLast,
		language.Differ} {
		add(unsupported, role)
	}
}

// addMemory adds the functions that allocate, free and copy.
func addMemory(add adder) {
	add(func(c *call) state.Value { return c.made(c.allocate(c.argInt(0), false, state.MinAlign, false)) },
		language.Malloc)
	add(func(c *call) state.Value {
		return c.allocateAs(&state.Object{Lent: true}, c.argInt(0), false, 0, false)
	}, language.Lend)
	add(func(c *call) state.Value {
		return c.allocateAs(&state.Object{Part: true}, c.argInt(0), false, state.MinAlign, false)
	}, language.Part)
	add(func(c *call) state.Value {
		hi, lo := mul64(c.argInt(0), c.argInt(1))
		return c.made(c.allocate(lo, hi != 0, state.MinAlign, true))
	}, language.Calloc)
	add(func(c *call) state.Value { return c.made(c.allocate(c.argInt(1), false, c.argInt(0), false)) },
		language.AlignedAlloc)
	add(func(c *call) state.Value { return c.made(c.allocate(c.argInt(0), false, 4096, false)) }, language.Valloc)
	add(posixMemalign, language.PosixMemalign)
	add(func(c *call) state.Value { return c.allocate(c.argInt(0), false, c.argInt(1), false) }, language.RustAlloc)
	add(func(c *call) state.Value { return c.allocate(c.argInt(0), false, c.argInt(1), true) }, language.RustAllocZeroed)
	add(func(c *call) state.Value { return c.realloc(c.argInt(3), false, c.argInt(2)) }, language.RustRealloc)
	add(func(c *call) state.Value { return c.realloc(c.argInt(1), false, state.MinAlign) }, language.Realloc)
	add(func(c *call) state.Value {
		hi, lo := mul64(c.argInt(1), c.argInt(2))
		return c.realloc(lo, hi != 0, state.MinAlign)
	}, language.Reallocarray)
	for _, role := range []language.Role{language.Free, language.RustDealloc} {
		add(func(c *call) state.Value {
			c.checkFree()
			c.release()
			return state.Value{}
		}, role)
	}
	add(func(c *call) state.Value {
		c.m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), true)
		return c.arg(0)
	}, language.Memcpy)
	add(func(c *call) state.Value {
		c.m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), true)
		v := c.arg(0)
		v.Bits += c.argInt(2)
		return v
	}, language.Mempcpy)
	add(func(c *call) state.Value {
		c.m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), false)
		return c.arg(0)
	}, language.Memmove)
	add(func(c *call) state.Value {
		c.m.fillRange(c.fr, c.in, c.arg(0), byte(c.argInt(1)), c.argInt(2))
		return c.arg(0)
	}, language.Memset)
	add(func(c *call) state.Value {
		o := c.m.newStack(c.fr, "alloca", c.in.ID, c.argInt(0), state.MinAlign)
		c.m.choose(o, 0, o.Size, c.in.ID, choice.Uninitialized, "", state.Uninitialized)
		return state.PointerTo(o, 0)
	}, language.Alloca)
}

// addModels adds the primitives of our models of the C library.
func addModels(add adder) {
	add(func(c *call) state.Value {
		c.m.check(explain.Access{Ptr: c.arg(0), Op: argOf(c.in, 0), N: c.argInt(1)})
		return state.Value{}
	}, language.Reads)
	add(func(c *call) state.Value {
		c.m.put(c.arg(0).Obj, 0, state.IntValue(c.argInt(1)), intType(32))
		return state.Value{}
	}, language.SetsRounding)
	// In a concrete execution everything is known.
	add(func(c *call) state.Value { return state.BoolValue(true) }, language.Known)
	// The loops are executed.
	add(func(c *call) state.Value { return state.BoolValue(false) }, language.Scans)
	add(func(c *call) state.Value {
		c.m.checkDisjoint(c.arg(0), c.argInt(1), c.arg(2), c.argInt(3))
		return state.Value{}
	}, language.Apart)
}

// library returns the implementation of a function without a body, if there is one.
func library(c *call) (func(c *call) state.Value, bool) {
	known := language.Function(c.fn.Name, c.fn.Arity())
	if !known.Fits(len(c.in.Args), c.in.CanBeAddress(c.m.m.Layout), c.in.CanBeInteger) {
		c.m.unsupported("a call of " + c.fn.SourceName + ", which is declared with types of its own,")
	}
	if f, ok := builtins[known.Role]; ok {
		if !known.MayChangeErrno() {
			return f, true
		}
		return func(c *call) state.Value {
			c.mayChangeErrno()
			return f(c)
		}, true
	}
	if clangir.SanitizerCheck(c.fn) != "" {
		return ubsan, true
	}
	f := c.floatFunction(c.fn.Name)
	return f, f != nil
}

// tellsDomainErrors returns f, extended to set errno if the result is NaN and no argument is.
func tellsDomainErrors(f func(*call) state.Value) func(*call) state.Value {
	return func(c *call) state.Value {
		isNaN := func(v state.Value) bool {
			x := state.ToFloat(v, c.in.Type.Bits)
			return x != x
		}
		y := f(c)
		if isNaN(y) && !slices.ContainsFunc(c.args, isNaN) {
			c.m.setErrno(language.EDOM)
		}
		return y
	}
}

func assume(c *call) state.Value {
	if c.m.opts.Dropped != nil && c.m.opts.Dropped(c.m.StackNow()) {
		return state.Value{}
	}
	if !c.argTrue(0) {
		c.m.stop(EndAssume, "the assumption is false")
	}
	if c.m.obs != nil {
		c.m.obs.Assumed()
	}
	if c.m.trace != nil {
		c.m.trace.Assumed(c.fr, c.in)
		c.holds()
	}
	return state.Value{}
}

func assert(c *call) state.Value {
	if !c.argTrue(0) {
		c.m.violated(found.Assertion, func() string { return "assertion is false" })
	}
	return state.Value{}
}

// failAssertion is the failure call of an assertion.
//
// If the finding is accepted, the execution continues as if the assertion held.
func failAssertion(c *call) state.Value {
	c.m.violated(found.Assertion, func() string {
		if text := clangir.Panic(c.in); text != "" {
			return "panics: " + text
		}
		return "assertion is false"
	})
	if !c.neverReturns() {
		return state.Value{}
	}
	if !c.m.resume(c.fr) {
		c.m.stop(EndAbort, "")
	}
	return state.Value{}
}

// resume leaves a failure block for the other successor of the branch that led to it. It reports whether there is
// one.
func (m *Machine) resume(fr *state.Frame) bool {
	if fr.Prev < 0 {
		return false
	}
	from := fr.Fn.Blocks[fr.Prev]
	t := from.Term()
	if t.Op != llvmir.OpCondBr {
		return false
	}
	to := t.Succs[0]
	if to == fr.Block.Index {
		to = t.Succs[1]
	}
	if to == fr.Block.Index {
		return false
	}
	m.enter(fr, fr.Prev, to)
	return true
}

func havoc(c *call) state.Value {
	n := c.argInt(1)
	if v := c.arg(0); v.Obj == nil && v.Bits == 0 {
		n = 0 // like free(NULL): harnesses havoc the result of an allocation
	}
	tracking, leaves := c.m.Tracking, false
	if own := c.arg(0).Obj != nil && strings.HasPrefix(c.arg(0).Obj.Name, language.VariablePrefix); !own &&
		language.Lookup(c.fn.Name).Dialect == language.Contract {
		assigned := c.m.number(choice.Question{Kind: choice.Assigns, Bits: 1, Site: c.in.ID}) != 0
		c.m.Tracking = c.m.Tracking && assigned
		leaves = !assigned && c.m.opts.Checks[found.UninitializedRead]
	} else {
		c.m.Tracking = false // the callee builds an input: these are not writes of the code under proof
	}
	o, off := c.m.check(explain.Access{Ptr: c.arg(0), Op: argOf(c.in, 0), N: n, Write: true})
	c.m.Tracking = tracking
	if o == nil || leaves {
		c.m.in(choice.Question{Kind: choice.Havoc, Content: true, Site: c.in.ID})
		return state.Value{}
	}
	r := c.m.choose(o, off, off+n, c.in.ID, choice.Havoc, "", state.Arbitrary)
	r.Fn = c.fn.SourceName
	text, t := "", (*llvmir.DIType)(nil)
	if p := explain.PlaceOf(c.fr, c.in.Args[0]); p.Known {
		text, t = p.Part(n)
	}
	if strings.Contains(text, language.VariablePrefix) { // a variable in which a contract stores a value
		text, t = c.m.View.PointedTo(o, off, n)
	}
	if text != "" {
		r.Variable, r.DIType = text, t
	} else if o.Name == language.Errno {
		r.Variable, r.DIType = "errno", o.DIType
	} else if o.Source != "" && off == 0 && n == o.Size {
		r.Variable, r.DIType = o.Source, o.DIType
	}
	return state.Value{}
}

// dereferenceable reports whether n bytes at p lie inside the live object that p was derived from.
//
// n = 0 holds for NULL and up to one past the end, n < 0 never.
func dereferenceable(c *call) state.Value {
	p, n := c.arg(0), int64(1)
	if len(c.args) > 1 {
		n = c.argSigned(1)
	}
	o := p.Obj
	switch {
	case n < 0:
		return state.BoolValue(false)
	case o == nil || !p.Whole():
		return state.BoolValue(p.Bits == 0 && n == 0)
	case o.Kind == state.Function || !o.Live:
		c.m.mark(o, BitLive, false)
		return state.BoolValue(false)
	}
	off := p.Offset()
	return state.BoolValue(int64(off) >= 0 && off <= o.Size && uint64(n) <= o.Size-off)
}

// pointerType returns the type of pointers.
func (m *Machine) pointerType() *llvmir.Type {
	n := m.Layout.Space.Bytes()
	return &llvmir.Type{Kind: llvmir.PointerType, Size: n, StoreSize: n, Align: n}
}
