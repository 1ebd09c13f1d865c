package interp

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxSteps bounds the events that a trace keeps: of a longer one it is the end.
const maxSteps = 50_000

// step appends an event to the trace.
func (m *machine) step(s Step) {
	if len(m.out.Steps) >= 2*maxSteps {
		m.out.Steps = append([]Step(nil), m.out.Steps[maxSteps:]...)
	}
	m.out.Steps = append(m.out.Steps, s)
}

// kept reports whether the instruction that is being executed belongs into the trace.
func (m *machine) kept() bool {
	return m.opts.Keep == nil || m.opts.Keep.has(int(m.out.Executed)-1)
}

// event appends an event at the instruction in of frame fr if the user wrote it.
func (m *machine) event(fr *frame, in *llvmir.Instr, s Step) {
	if in.Loc == nil || in.Loc.Line == 0 || !m.opts.UserFile(in.Loc.File) {
		return
	}
	if !m.kept() {
		return
	}
	s.Loc, s.Depth, s.Function = in.Loc, fr.depth, fr.fn.SourceName
	m.step(s)
}

// traceStore runs write, which stores n bytes at off of o, and reports what changed in
// variables and blocks.
func (m *machine) traceStore(fr *frame, in *llvmir.Instr, o *object, off, n uint64, write func()) {
	if in == nil || in.Loc == nil || in.Loc.Line == 0 || !m.opts.UserFile(in.Loc.File) || n == 0 || !m.kept() {
		write()
		return
	}
	ptr := in.Args[0]
	if in.Op == llvmir.OpStore {
		ptr = in.Args[1]
	}
	p := placeOf(fr, ptr)
	if !p.known || p.deref && p.typ == nil {
		p = placeOfObject(o, off)
	}
	if !p.known && o.kind == onStack {
		write() // a temporary of the compiler
		return
	}
	if fields, base := p.bitFieldsAt(n); len(fields) > 0 && in.Op == llvmir.OpStore { // others write structs as wholes
		m.traceBitFields(fr, in, o, off, base, fields, write)
		return
	}
	text, t := p.part(n)
	switch {
	case t == nil && o.kind == onHeap:
		text, t = fmt.Sprintf("*(%s *)(%s#%d%+d)", storedName(in, n), o.maker, o.number, off), nil
		if off == 0 {
			text = fmt.Sprintf("*(%s *)%s#%d", storedName(in, n), o.maker, o.number)
		}
	case text == "":
		text = o.name
	}
	render := func() string {
		if t != nil {
			return m.renderMemory(objectSource{o}, off, t, 0)
		}
		if in.Op == llvmir.OpStore && n <= 8 {
			if v, ok := word(objectSource{o}, off, int(n)); ok {
				return m.renderTyped(v, in.Args[0].Type)
			}
			return unknown
		}
		return fmt.Sprintf("(%s)", bytesWord(n))
	}
	old, before := render(), m.rawBytes(o, off, n)
	write()
	after := m.rawBytes(o, off, n)
	if before == after && before != "" && m.opts.Keep == nil {
		return
	}
	value := render()
	if strings.Contains(old, unknown) {
		old = ""
	}
	m.event(fr, in, Step{Event: "assign", LValue: text, Value: value, Old: old, Text: text + " = " + value})
}

// storedName is the C type of what an instruction stores.
func storedName(in *llvmir.Instr, n uint64) string {
	if in.Op == llvmir.OpStore {
		if name := llvmName(in.Args[0].Type); name != "" {
			return strings.TrimSuffix(name, " ")
		}
	}
	return fmt.Sprintf("char [%d]", n)
}

// rawBytes is the content of a small range for comparison, "" when it is not known in full.
func (m *machine) rawBytes(o *object, off, n uint64) string {
	if n > 256 {
		return ""
	}
	b := make([]byte, n)
	s := objectSource{o}
	for i := range n {
		c, ok := s.at(off + i)
		if !ok || c.state == uninitialized {
			return ""
		}
		b[i] = c.b
	}
	return string(b)
}

// placeOfObject is the place of an object that is a variable.
func placeOfObject(o *object, off uint64) place {
	if o.source == "" || o.dtype == nil {
		return place{}
	}
	return place{known: true, text: o.source, typ: o.dtype, off: int64(off)}
}

// bitFieldsAt returns the bit-fields that a store of n bytes at the place may change, each
// with its name, and the offset of the struct relative to the place.
func (p place) bitFieldsAt(n uint64) (fields []namedField, base int64) {
	if !p.known {
		return nil, 0
	}
	t, off, text, sep := p.typ, p.off, p.text, "."
	if p.deref {
		size := typeSize(t)
		if size == 0 || off < 0 {
			return nil, 0
		}
		text, sep = p.operand(), "->"
		if off >= size {
			text, sep = fmt.Sprintf("%s[%d]", text, off/size), "."
			off %= size
		}
	}
	for range maxExpression {
		if t == nil {
			return nil, 0
		}
		if t.Kind == llvmir.DIArray && t.Elem != nil && typeSize(t.Elem) > 0 && off >= 0 {
			es := typeSize(t.Elem)
			text, off, t, sep = fmt.Sprintf("%s[%d]", text, off/es), off%es, t.Elem, "."
			continue
		}
		next := (*llvmir.DIField)(nil)
		if t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion {
			next = fieldAt(t, off, n)
		}
		if next == nil {
			break
		}
		if next.Name != "" {
			text, sep = text+sep+next.Name, "."
		}
		off, t = off-next.BitOffset/8, next.Type
	}
	if int64(n) >= typeSize(t) && n > 8 {
		return nil, 0
	}
	for _, f := range bitFields(t, off, n) {
		fields = append(fields, namedField{text + sep + f.Name, f})
	}
	return fields, -off
}

type namedField struct {
	text string
	f    *llvmir.DIField
}

func (m *machine) traceBitFields(fr *frame, in *llvmir.Instr, o *object, off uint64, base int64, fields []namedField, write func()) {
	at := uint64(int64(off) + base)
	old := make([]string, len(fields))
	fresh := make([]bool, len(fields))
	for i, f := range fields {
		old[i] = m.renderField(objectSource{o}, at, f.f, 1)
		c, ok := o.known(at + uint64(f.f.BitOffset/8))
		fresh[i] = !ok || c.state == uninitialized
	}
	write()
	for i, f := range fields {
		value := m.renderField(objectSource{o}, at, f.f, 1)
		if value == old[i] {
			continue
		}
		if fresh[i] {
			old[i] = ""
		}
		m.event(fr, in, Step{Event: "assign", LValue: f.text, Value: value, Old: old[i], Text: f.text + " = " + value})
	}
}

func (m *machine) traceBranch(fr *frame, in *llvmir.Instr, taken bool) {
	if in.NoSanitize || in.Args[0].Kind == llvmir.OperandConst {
		return
	}
	if !m.kept() {
		return
	}
	ops := m.operandsOf(fr, in.Args[0])
	// The truth of the operand without the ! before it, which clang either computes or turns
	// the branch around for.
	if a := in.Args[0]; a.Kind == llvmir.OperandReg {
		if d := fr.info.def[a.Reg]; d != nil && d.Op == llvmir.OpXor && d.Type.Bits == 1 && d.Args[1].Kind == llvmir.OperandConst {
			taken = !taken
		}
	}
	if taken {
		m.event(fr, in, Step{Event: "branch", Value: "true", Text: "condition is true", Operands: ops})
	} else {
		m.event(fr, in, Step{Event: "branch", Value: "false", Text: "condition is false", Operands: ops})
	}
}

func (m *machine) traceSwitch(fr *frame, in *llvmir.Instr, x value) {
	if in.NoSanitize || in.Args[0].Kind == llvmir.OperandConst {
		return
	}
	if !m.kept() {
		return
	}
	v := m.renderTyped(x, in.Args[0].Type)
	m.event(fr, in, Step{Event: "branch", Value: v, Text: "switch on " + v, Operands: m.operandsOf(fr, in.Args[0])})
}

// traceCall reports the call of a function with its arguments.
func (m *machine) traceCall(fr *frame, in *llvmir.Instr, f *llvmir.Func, args []value) {
	if !m.kept() || m.inner(f) {
		return
	}
	var parts []string
	for i, a := range args {
		if i < len(f.Params) && f.Params[i].SRet {
			continue
		}
		text := ""
		switch {
		case i < len(f.Params) && f.Params[i].ByVal != nil && f.Params[i].DIType != nil && a.obj != nil:
			text = m.renderMemory(objectSource{a.obj}, a.offset(), f.Params[i].DIType, 0)
		case i < len(f.Params) && f.Params[i].DIType != nil && !isAggregate(in.Args[i].Type):
			text = m.renderArgument(a, f.Params[i].DIType)
		default:
			text = m.renderTyped(a, in.Args[i].Type)
		}
		if i < len(f.Params) && f.Params[i].Name != "" && !strings.ContainsAny(f.Params[i].Name[:1], "0123456789") {
			text = strings.TrimSuffix(f.Params[i].Name, ".coerce") + " = " + text
		}
		parts = append(parts, text)
	}
	m.event(fr, in, Step{Event: "call", LValue: f.SourceName, Text: f.SourceName + "(" + strings.Join(parts, ", ") + ")"})
}

// inner tells whether a function is a part of the C library that macros like isdigit call and nobody writes.
func (m *machine) inner(f *llvmir.Func) bool {
	return strings.HasPrefix(f.SourceName, "__") && f.Loc != nil && !m.opts.UserFile(f.Loc.File)
}

// renderArgument renders a scalar that holds a parameter of type t, which may be a struct
// that fits a register.
func (m *machine) renderArgument(a value, t *llvmir.DIType) string {
	if isScalar(t) {
		return m.renderScalar(a, t)
	}
	o := &object{size: 8}
	o.write(0, a, 8)
	return m.renderMemory(objectSource{o}, 0, t, 0)
}

func isScalar(t *llvmir.DIType) bool {
	switch t.Kind {
	case llvmir.DIStruct, llvmir.DIUnion, llvmir.DIArray, llvmir.DIVoid, llvmir.DIFunc:
		return false
	}
	return t.Bits <= 64
}

// traceReturn reports that fr, which has just been left, returned.
func (m *machine) traceReturn(fr *frame, ret value) {
	if !m.kept() || m.inner(fr.fn) {
		return
	}
	s := Step{Event: "return", LValue: fr.fn.SourceName, Text: fr.fn.SourceName + " returns"}
	if fr.fn.Ret.Kind != llvmir.VoidType {
		s.Value = m.renderResult(ret, fr.fn, fr.fn.Ret)
		s.Text += " " + s.Value
	}
	m.event(m.top(), fr.call, s)
}

func (m *machine) traceAlloc(c *call, n uint64, o *object) {
	call := fmt.Sprintf("%s(%d)", c.fn.SourceName, n)
	if o == nil {
		m.event(c.fr, c.in, Step{Event: "alloc", LValue: call, Value: "NULL", Text: call + " fails and returns NULL"})
		return
	}
	v := m.renderPointer(pointerTo(o, 0), nil)
	if n == 0 {
		v = fmt.Sprintf("%s#%d", o.maker, o.number)
	}
	m.event(c.fr, c.in, Step{Event: "alloc", LValue: call, Value: v, Text: call + " returns " + v})
}

func (m *machine) traceFree(c *call, o *object) {
	v := fmt.Sprintf("%s#%d", o.maker, o.number)
	text := c.fn.SourceName + "(" + v + ")"
	if c.fn.Name != "free" {
		text = c.fn.SourceName + " frees " + v
	}
	m.event(c.fr, c.in, Step{Event: "free", LValue: v, Text: text})
}

func (m *machine) traceAssume(fr *frame, in *llvmir.Instr) {
	if m.kept() {
		m.event(fr, in, Step{Event: "assume", Value: "true", Text: "assumption holds", Operands: m.operandsOf(fr, in.Args[0])})
	}
}
