package interp

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// call is a call that is being executed: what the library functions work on.
type call struct {
	m    *machine
	fr   *frame
	in   *llvmir.Instr
	fn   *llvmir.Func // the function that is called, nil for intrinsics
	args []value
}

func (m *machine) execCall(fr *frame, in *llvmir.Instr) {
	if in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end" {
		m.lifetime(fr, in)
		return
	}
	c := &call{m: m, fr: fr, in: in, args: make([]value, len(in.Args))}
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

func (c *call) result(v value) {
	if c.in.Dst >= 0 {
		c.fr.regs[c.in.Dst] = v
	}
}

// callee finds the function that is called and checks that it may be called like this.
func (c *call) callee() *llvmir.Func {
	m := c.m
	p := m.operand(c.fr, c.in, c.in.Callee)
	o := p.obj
	if !p.whole() {
		o = nil
	}
	if o == nil && p.bits != 0 {
		if o = m.functionAt(p.bits); o != nil {
			p = pointerTo(o, 0)
		}
	}
	direct := c.in.Function() != nil
	switch {
	case o == nil && p.bits == 0:
		if m.opts.Checks[found.NullDereference] {
			m.required(found.NullDereference, func() string { return "calls " + m.pointerText(c.fr, c.in.Callee, "NULL") + ", which is NULL" })
		}
		m.required(found.InvalidCall, func() string { return "calls NULL" })
	case o == nil || o.kind != function || p.offset() != 0:
		m.required(found.InvalidCall, func() string {
			return "calls " + m.pointerText(c.fr, c.in.Callee, m.renderPointer(p, nil)) + ", which points to no function"
		})
	case !(direct && len(o.fn.Blocks) == 0) && !m.compatible(c.fr, o.fn, c.in):
		m.required(found.InvalidCall, func() string {
			return m.wrongType(c, o.fn)
		})
	}
	return o.fn
}

// functionAt returns the function that lies at an address, nil for none: a number that was computed from no function's address
// may have been chosen to be one.
func (m *machine) functionAt(addr uint64) *object {
	for _, f := range m.m.Funcs {
		if f.Name == "" || strings.HasPrefix(f.Name, "llvm.") {
			continue
		}
		if o := m.function(f); o.base == addr {
			return o
		}
	}
	return nil
}

// class is how the ABI passes values of a type: integers up to 64 bits and pointers alike.
func class(t *llvmir.Type) string {
	switch t.Kind {
	case llvmir.PointerType:
		return "word"
	case llvmir.IntType:
		if t.Bits <= 64 {
			return "word"
		}
		return "wide"
	case llvmir.FloatType:
		return fmt.Sprintf("float%d", t.Bits)
	case llvmir.VoidType:
		return "void"
	}
	if t.Kind == llvmir.StructType {
		s := "{"
		for _, f := range t.Fields {
			s += class(f) + ","
		}
		return s + "}"
	}
	return fmt.Sprintf("%s*%d", class(t.Elem), t.Len)
}

// compatible reports whether a call fits a function: same number and classes of arguments,
// and a result of the same class where it is used.
func (m *machine) compatible(fr *frame, f *llvmir.Func, in *llvmir.Instr) bool {
	n := len(f.Params)
	if len(in.Args) < n || len(in.Args) > n && !f.Variadic {
		return false
	}
	for i, p := range f.Params {
		byval := i < len(in.ByVal) && in.ByVal[i] != nil
		if class(p.Type) != class(in.Args[i].Type) || (p.ByVal != nil) != byval {
			return false
		}
	}
	used := in.Dst >= 0 && fr.info.used[in.Dst]
	return !used || class(in.Type) == class(f.Ret)
}

// enter executes the body of the function that is called. Parameters passed by value are
// copies of their own.
func (c *call) enter() {
	m, f := c.m, c.fn
	args := c.args
	types := make([]*llvmir.Type, len(args))
	var copies []*object
	for i := range args {
		types[i] = c.in.Args[i].Type
		var p llvmir.Param
		if i < len(f.Params) {
			p = f.Params[i]
		} else if i < len(c.in.ByVal) && c.in.ByVal[i] != nil {
			p.ByVal = c.in.ByVal[i] // a struct passed through "..."
			types[i] = p.ByVal
		}
		if p.ByVal == nil {
			if p.Type != nil {
				args[i] = adapt(extended(args[i], types[i], i < len(c.in.SignExt) && c.in.SignExt[i]), p.Type)
			}
			continue
		}
		size := uint64(p.ByVal.Size)
		src, off := m.check(access{ptr: args[i], op: &c.in.Args[i], n: size})
		o := m.newStack(nil, p.Name, c.in.ID, size, uint64(max(p.Align, p.ByVal.Align)))
		if src != nil {
			m.copyBytes(o, 0, src, off, size)
		}
		args[i] = pointerTo(o, 0)
		copies = append(copies, o)
	}
	if m.opts.Trace {
		m.traceCall(c.fr, c.in, f, args)
	}
	m.push(f, args, types, c.in)
	m.top().own = append(m.top().own, copies...)
}

// neverReturns reports whether the call is of a function that does not return.
func (c *call) neverReturns() bool {
	return c.fn != nil && c.fn.NoReturn || c.fr.fn.NeverReturns(c.fr.block, c.fr.pc-1)
}

func (c *call) arg(i int) value {
	if i < len(c.args) {
		return c.args[i]
	}
	return value{}
}

// argInt returns the i-th argument as an unsigned number of up to 64 bits, argSigned as a
// signed one.
func (c *call) argInt(i int) uint64 { return c.arg(i).big().Uint64() }

func (c *call) argSigned(i int) int64 {
	if i >= len(c.in.Args) || c.in.Args[i].Type.Kind != llvmir.IntType {
		return int64(c.argInt(i))
	}
	return signExtend(c.argInt(i), min(c.in.Args[i].Type.Bits, 64))
}

// argTrue reports whether the i-th argument is not zero.
func (c *call) argTrue(i int) bool { return c.arg(i).big().Sign() != 0 }

// nondet is an arbitrary result.
func (c *call) nondet() value {
	return c.m.arbitrary(c.in.Type, c.in.ID, "nondet", func(r *record) {
		r.fn = c.fn.SourceName
		c.fr.name(c.in, func(variable string, t *llvmir.DIType) { r.variable, r.dtype = variable, t })
		if r.dtype == nil {
			r.dtype = c.fn.RetDIType
		}
	})
}

// wrongType is the sentence about a call of a function of another type: what the pointer is
// and which function it holds, with both types as the calling convention has them.
func (m *machine) wrongType(c *call, f *llvmir.Func) string {
	s := fmt.Sprintf("calls `%s`", f.SourceName)
	if name := pointerName(c.fr, c.in.Callee); name != "" && name != f.SourceName {
		s = fmt.Sprintf("calls `%s`, which holds `%s`,", name, f.SourceName)
	}
	have := make([]string, len(f.Params))
	for i, p := range f.Params {
		have[i] = llvmName(p.Type)
		if p.DIType != nil && p.DIType.Name != "" {
			have[i] = p.DIType.Name
		}
	}
	got := make([]string, len(c.in.Args))
	for i, a := range c.in.Args {
		got[i] = llvmName(a.Type)
		if t := m.typeOf(c.fr, a); t != nil && t.Name != "" && t.Bits == int64(a.Type.Bits) {
			got[i] = t.Name
		}
	}
	if len(have) != len(got) {
		return fmt.Sprintf("%s with %s (%s); it takes %d (%s)", s, countWord(len(got), "argument"), strings.Join(got, ", "), len(have), strings.Join(have, ", "))
	}
	if strings.Join(have, ", ") != strings.Join(got, ", ") {
		return fmt.Sprintf("%s with (%s); it takes (%s)", s, strings.Join(got, ", "), strings.Join(have, ", "))
	}
	return fmt.Sprintf("%s as a function that returns %s; it returns %s", s, llvmName(c.in.Type), llvmName(f.Ret))
}

func countWord(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
