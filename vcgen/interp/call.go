package interp

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// call is a call that is being executed: the context of the library functions.
type call struct {
	m    *Machine
	fr   *state.Frame
	in   *llvmir.Instr
	fn   *llvmir.Func // the callee, nil for intrinsics
	args []state.Value
}

func (m *Machine) execCall(fr *state.Frame, in *llvmir.Instr) {
	if in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end" {
		m.lifetime(fr, in)
		return
	}
	c := &call{m: m, fr: fr, in: in, args: make([]state.Value, len(in.Args))}
	for i, a := range in.Args {
		c.args[i] = m.operand(fr, in, a)
	}
	if in.Intrinsic != "" {
		c.result(c.intrinsic())
		return
	}
	c.fn = c.callee()
	if len(c.fn.Blocks) > 0 {
		c.enter()
		return
	}
	if f, ok := library(c); ok {
		c.result(f(c))
		return
	}
	c.missingBody()
}

func (c *call) result(v state.Value) {
	if c.in.Dst >= 0 {
		c.fr.Regs[c.in.Dst] = v
	}
}

// callee returns the function that is called and checks that the call is valid.
func (c *call) callee() *llvmir.Func {
	m := c.m
	p := m.operand(c.fr, c.in, c.in.Callee)
	o := p.Obj
	if !p.Whole() {
		o = nil
	}
	if o == nil && p.Bits != 0 {
		if o = m.functionAt(p.Bits); o != nil {
			p = state.PointerTo(o, 0)
		}
	}
	direct := c.in.Function() != nil
	switch {
	case o == nil && p.Bits == 0:
		m.required(found.InvalidCall, func() string { return m.View.NullCall(c.fr, c.in.Callee) })
	case o == nil || o.Kind != state.Function || p.Offset() != 0:
		m.required(found.InvalidCall, func() string {
			return "calls " + m.View.PointerText(c.fr, c.in.Callee, m.View.Pointer(p, nil)) + ", which points to no function"
		})
	case !(direct && len(o.Fn.Blocks) == 0) && !clangir.Fits(c.m.m.Layout, o.Fn, c.in,
		c.in.Dst >= 0 && c.fr.Info.Used[c.in.Dst]):
		m.required(found.InvalidCall, func() string {
			return m.View.WrongType(c.fr, c.in, o.Fn)
		})
	}
	return o.Fn
}

// functionAt returns the function at an address, or nil if there is none.
//
// A number that was not computed from a function's address may still equal one.
func (m *Machine) functionAt(addr uint64) *state.Object {
	for _, f := range m.m.Funcs {
		if f.Name == "" || strings.HasPrefix(f.Name, "llvm.") {
			continue
		}
		if o := m.function(f); o.Base == addr {
			return o
		}
	}
	return nil
}

// enter executes the body of the callee. Parameters passed by value are copied.
func (c *call) enter() {
	m, f := c.m, c.fn
	args := c.args
	var copies []*state.Object
	for i := range args {
		var p llvmir.Param
		if i < len(f.Params) {
			p = f.Params[i]
		} else if i < len(c.in.ByVal) && c.in.ByVal[i] != nil {
			p.ByVal, p.Align = c.in.ByVal[i], c.in.ByValAlign[i] // a struct passed through "..."
		}
		if p.ByVal == nil {
			if p.Type != nil {
				args[i] = adapt(extended(args[i], c.in.Args[i].Type, i < len(c.in.SignExt) && c.in.SignExt[i]), p.Type)
			}
			continue
		}
		size := uint64(p.ByVal.Size)
		src, off := m.check(explain.Access{Ptr: args[i], Op: &c.in.Args[i], N: size})
		o := m.newStack(nil, p.Name, c.in.ID, size, uint64(max(p.Align, p.ByVal.Align)))
		if src != nil {
			m.copyBytes(o, 0, src, off, size)
		}
		args[i] = state.PointerTo(o, 0)
		copies = append(copies, o)
	}
	if m.trace != nil {
		m.trace.Called(c.fr, c.in, f, args)
	}
	m.push(f, args, c.in)
	m.Top().Own = append(m.Top().Own, copies...)
}

// neverReturns reports whether the callee does not return.
func (c *call) neverReturns() bool {
	return c.fn != nil && c.fn.NoReturn || clangir.NeverReturns(c.fr.Fn, c.fr.Block, c.fr.PC-1)
}

func (c *call) arg(i int) state.Value {
	if i < len(c.args) {
		return c.args[i]
	}
	return state.Value{}
}

// argInt returns argument i as an unsigned number of up to 64 bits, argSigned as a signed one.
func (c *call) argInt(i int) uint64 { return c.arg(i).Big().Uint64() }

func (c *call) argSigned(i int) int64 {
	if i >= len(c.in.Args) || c.in.Args[i].Type.Kind != llvmir.IntType {
		return int64(c.argInt(i))
	}
	return state.SignExtend(c.argInt(i), min(c.in.Args[i].Type.Bits, 64))
}

// argTrue reports whether argument i is not zero.
func (c *call) argTrue(i int) bool { return c.arg(i).Big().Sign() != 0 }

// ofLibrary reports whether an arbitrary result stands for a result of the C library.
func (c *call) ofLibrary() bool { return language.OfLibrary(c.fn.Name, len(c.fn.Params)) }

// nondet returns an arbitrary result: a value, or the content of the memory for the result.
func (c *call) nondet() state.Value {
	if i := c.fn.InMemory(); i >= 0 {
		size := uint64(c.fn.Params[i].Pointee().Size)
		if o, off := c.m.check(explain.Access{Ptr: c.arg(i), Op: argOf(c.in, i), N: size, Write: true}); o != nil {
			r := c.m.choose(o, off, off+size, c.in.ID, choice.Nondet, "", state.Arbitrary)
			r.Fn, r.DIType, r.Unmodelled = c.fn.SourceName, c.fn.RetDIType, c.ofLibrary()
			if p := explain.PlaceOf(c.fr, c.in.Args[i]); p.Known {
				r.Variable, r.DIType = p.Part(size)
			}
		}
		return state.Value{}
	}
	return c.m.arbitrary(c.in.Type, c.in.ID, choice.Nondet, func(r *state.Input) {
		r.Fn, r.Unmodelled = c.fn.SourceName, c.ofLibrary()
		if language.Internal(r.Fn) { // a choice of the contract
			r.Fn = c.fr.Fn.SourceName
		}
		if r.Unmodelled && r.Model != "" { // the value of a variable of the model
			r.Fn, r.Model, r.DIType = r.Model, "", c.fn.RetDIType
			return
		}
		explain.NameResult(c.fr, c.in, func(variable string, t *llvmir.DIType) { r.Variable, r.DIType = variable, t })
		if r.DIType == nil {
			r.DIType = c.fn.RetDIType
		}
	})
}
