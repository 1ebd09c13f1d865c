package explain

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxSteps bounds the events of a trace; only the end of a longer one is kept.
const maxSteps = 50_000

// Tracer records an execution step by step.
type Tracer struct {
	*View
	Steps []found.Step // only the end of a very long run
	From  int64        // the number of instructions to skip at the beginning
}

// Violated records the violation that ends the execution.
func (t *Tracer) Violated(at state.Site, depth int, message string) {
	t.step(found.Step{Event: found.StepViolation, Pos: stepPos(at.Loc), Depth: depth, Text: message})
}

// step appends an event to the trace.
func (t *Tracer) step(s found.Step) {
	if len(t.Steps) >= 2*maxSteps {
		t.Steps = append([]found.Step(nil), t.Steps[maxSteps:]...)
	}
	t.Steps = append(t.Steps, s)
}

// traced reports whether the current instruction belongs into the trace.
func (t *Tracer) traced() bool {
	return t.Executed > t.From && (t.Keep == nil || t.Keep.has(int(t.Executed)-1))
}

// event appends an event at instruction in of frame fr, if it is user code.
func (x *Tracer) event(fr *state.Frame, in *llvmir.Instr, s found.Step) {
	if in.Loc == nil || in.Loc.Line == 0 || !x.UserFile(in.Loc.File) {
		return
	}
	if !x.traced() {
		return
	}
	s.Pos, s.Depth = stepPos(in.Loc), fr.Depth
	x.step(s)
}

// Stored calls write, which stores n bytes at off of o, and records the changes of variables and heap blocks.
func (x *Tracer) Stored(fr *state.Frame, in *llvmir.Instr, o *state.Object, off, n uint64, write func()) {
	if in == nil || in.Loc == nil || in.Loc.Line == 0 || !x.UserFile(in.Loc.File) || n == 0 || !x.traced() {
		write()
		return
	}
	ptr := in.Args[0]
	if in.Op == llvmir.OpStore {
		ptr = in.Args[1]
	}
	p := PlaceOf(fr, ptr)
	if !p.Known || p.deref && p.typ == nil {
		p = placeOfObject(o, off)
	}
	if !p.Known && o.Kind == state.OnStack && o.Maker == "" || p.ofContract() {
		write() // a temporary of the compiler, or of a contract
		return
	}
	if fields, base := p.bitFieldsAt(n); len(fields) > 0 && in.Op == llvmir.OpStore { // others write whole structs
		x.bitFieldStore(fr, in, o, off, base, fields, write)
		return
	}
	text, t := p.Part(n)
	switch {
	case t == nil && o.Maker != "":
		text, t = fmt.Sprintf("*(%s *)(%s%+d)", storedName(in, n), o.MadeName(), off), nil
		if off == 0 {
			text = fmt.Sprintf("*(%s *)%s", storedName(in, n), o.MadeName())
		}
	case text == "":
		text = o.Name
	}
	render := func() string {
		if t != nil {
			return x.Memory(o, off, t, 0)
		}
		if in.Op == llvmir.OpStore && n <= 8 {
			if v, ok := state.Word(o, off, int(n)); ok {
				return x.Typed(v, in.Args[0].Type)
			}
			return Unknown
		}
		return fmt.Sprintf("(%s)", BytesWord(n))
	}
	old, before := render(), x.rawBytes(o, off, n)
	write()
	after := x.rawBytes(o, off, n)
	if before == after && before != "" && x.Keep == nil {
		return
	}
	value := render()
	if strings.Contains(old, Unknown) {
		old = ""
	}
	x.event(fr, in, found.Step{Event: found.StepAssign, LValue: text, Value: value, Old: old, Text: text + " = " + value})
}

// storedName returns the C type of the value that an instruction stores.
func storedName(in *llvmir.Instr, n uint64) string {
	if in.Op == llvmir.OpStore {
		if name := TypeName(in.Args[0].Type); name != "" {
			return strings.TrimSuffix(name, " ")
		}
	}
	return fmt.Sprintf("char [%d]", n)
}

// rawBytes returns the content of a small range for comparison; "" if some of it is unknown.
func (x *Tracer) rawBytes(o *state.Object, off, n uint64) string {
	if n > 256 {
		return ""
	}
	b := make([]byte, n)
	s := o
	for i := range n {
		c, ok := s.Peek(off + i)
		if !ok || c.State == state.Uninitialized {
			return ""
		}
		b[i] = c.B
	}
	return string(b)
}

// placeOfObject returns the place of an object that is a variable.
func placeOfObject(o *state.Object, off uint64) lvalue {
	if o.Source == "" || o.DIType == nil {
		return lvalue{}
	}
	return lvalue{Known: true, text: o.Source, typ: o.DIType, off: int64(off)}
}

func (x *Tracer) bitFieldStore(fr *state.Frame, in *llvmir.Instr, o *state.Object, off uint64, base int64,
	fields []namedField, write func()) {
	at := uint64(int64(off) + base)
	old := make([]string, len(fields))
	fresh := make([]bool, len(fields))
	for i, f := range fields {
		old[i] = x.Field(o, at, f.f, 1)
		c, ok := o.Known(at + uint64(f.f.BitOffset/8))
		fresh[i] = !ok || c.State == state.Uninitialized
	}
	write()
	for i, f := range fields {
		value := x.Field(o, at, f.f, 1)
		if value == old[i] {
			continue
		}
		if fresh[i] {
			old[i] = ""
		}
		x.event(fr, in, found.Step{Event: found.StepAssign, LValue: f.text, Value: value, Old: old[i],
			Text: f.text + " = " + value})
	}
}

func (x *Tracer) Branched(fr *state.Frame, in *llvmir.Instr, taken bool) {
	if in.NoSanitize || in.Args[0].Kind == llvmir.OperandConst {
		return
	}
	if !x.traced() {
		return
	}
	ops := x.operandsOf(fr, in.Args[0])
	// A check added by the compiler corresponds to no condition of the source.
	panics := compilerPanic(fr, in)
	if overflow := checksOverflow(fr, in.Args[0]); overflow || panics != "" {
		if taken && overflow || strings.Contains(panics, "overflow") && leadsTo(fr, in, taken) == panics {
			x.event(fr, in, found.Step{Event: found.StepBranch, Value: found.Overflows,
				Text: "the operation overflows", Operands: ops})
		}
		return
	}
	// The value of the operand without a preceding !, which clang either computes or implements by exchanging the
	// successors.
	if a := in.Args[0]; a.Kind == llvmir.OperandReg {
		if d := fr.Info.Def[a.Reg]; d != nil && d.Op == llvmir.OpXor && d.Type.Bits == 1 &&
			d.Args[1].Kind == llvmir.OperandConst {
			taken = !taken
		}
	}
	if taken {
		x.event(fr, in, found.Step{Event: found.StepBranch, Value: "true", Text: "condition is true", Operands: ops})
	} else {
		x.event(fr, in, found.Step{Event: found.StepBranch, Value: "false", Text: "condition is false", Operands: ops})
	}
}

// compilerPanic returns the function of Rust's library to which a compiler's check branches if it fails.
//
// It returns "" for other branches.
func compilerPanic(fr *state.Frame, in *llvmir.Instr) string {
	for _, taken := range []bool{true, false} {
		if name := leadsTo(fr, in, taken); language.IsCompilerPanic(name) {
			return name
		}
	}
	return ""
}

// leadsTo returns the name of the first function called in the successor of a branch; "" if there is none.
func leadsTo(fr *state.Frame, in *llvmir.Instr, taken bool) string {
	to := in.Succs[0]
	if !taken {
		to = in.Succs[1]
	}
	for _, x := range fr.Fn.Blocks[to].Instrs {
		if f := x.Function(); x.Op == llvmir.OpCall && f != nil {
			return f.Name
		}
	}
	return ""
}

// checksOverflow reports whether a condition is the overflow flag of an arithmetic operation.
func checksOverflow(fr *state.Frame, cond llvmir.Operand) bool {
	for range maxExpression {
		if cond.Kind != llvmir.OperandReg {
			return false
		}
		def := fr.Info.Def[cond.Reg]
		switch {
		case def == nil:
			return false
		case def.Op == llvmir.OpCall && strings.HasPrefix(def.Intrinsic, "expect"):
			cond = def.Args[0]
		case def.Op == llvmir.OpExtractValue && len(def.Path) == 1 && def.Path[0] == 1:
			of := def.Args[0]
			return of.Kind == llvmir.OperandReg && fr.Info.Def[of.Reg] != nil &&
				strings.HasSuffix(fr.Info.Def[of.Reg].Intrinsic, ".with.overflow")
		default:
			return false
		}
	}
	return false
}

func (x *Tracer) Switched(fr *state.Frame, in *llvmir.Instr, v state.Value) {
	if in.NoSanitize || in.Args[0].Kind == llvmir.OperandConst {
		return
	}
	if !x.traced() {
		return
	}
	text := x.Typed(v, in.Args[0].Type)
	x.event(fr, in, found.Step{Event: found.StepBranch, Value: text, Text: "switch on " + text,
		Operands: x.operandsOf(fr, in.Args[0])})
}

// Called records the call of a function with its arguments.
func (x *Tracer) Called(fr *state.Frame, in *llvmir.Instr, f *llvmir.Func, args []state.Value) {
	if !x.traced() || x.inner(f) {
		return
	}
	var parts []string
	for i, a := range args {
		if i < len(f.Params) && (f.Params[i].SRet != nil || language.Internal(f.Params[i].Name)) {
			continue
		}
		text := ""
		switch {
		case i < len(f.Params) && f.Params[i].ByVal != nil && f.Params[i].DIType != nil && a.Obj != nil:
			text = x.Memory(a.Obj, a.Offset(), f.Params[i].DIType, 0)
		case i < len(f.Params) && f.Params[i].DIType != nil && !state.IsAggregate(in.Args[i].Type):
			text = x.renderArgument(a, f.Params[i].DIType)
		default:
			text = x.Typed(a, in.Args[i].Type)
		}
		if i < len(f.Params) && f.Params[i].Name != "" && !strings.ContainsAny(f.Params[i].Name[:1], "0123456789") {
			text = strings.TrimSuffix(f.Params[i].Name, ".coerce") + " = " + text
		}
		parts = append(parts, text)
	}
	x.event(fr, in, found.Step{Event: found.StepCall, LValue: f.SourceName,
		Text: f.SourceName + "(" + strings.Join(parts, ", ") +
			")"})
}

// inner reports whether a function is an internal function of the C library that macros such as isdigit call.
func (x *Tracer) inner(f *llvmir.Func) bool {
	return strings.HasPrefix(f.SourceName, "__") && f.Loc != nil && !x.UserFile(f.Loc.File)
}

// Returned records that fr, which has just been left, returned.
func (x *Tracer) Returned(fr *state.Frame, ret state.Value) {
	if !x.traced() || x.inner(fr.Fn) {
		return
	}
	s := found.Step{Event: found.StepReturn, LValue: fr.Fn.SourceName, Text: fr.Fn.SourceName + " returns"}
	if fr.Fn.Ret.Kind != llvmir.VoidType {
		s.Value = x.Result(ret, fr.Fn, fr.Fn.Ret)
		s.Text += " " + s.Value
	}
	x.event(x.Top(), fr.Call, s)
}

func (x *Tracer) Allocated(fr *state.Frame, in *llvmir.Instr, f *llvmir.Func, n uint64, o *state.Object) {
	call := fmt.Sprintf("%s(%d)", f.SourceName, n)
	if o == nil {
		x.event(fr, in, found.Step{Event: found.StepAlloc, LValue: call, Value: "NULL",
			Text: call + " fails and returns NULL"})
		return
	}
	v := x.Pointer(state.PointerTo(o, 0), nil)
	if n == 0 {
		v = o.MadeName()
	}
	x.event(fr, in, found.Step{Event: found.StepAlloc, LValue: call, Value: v, Text: call + " returns " + v})
}

func (x *Tracer) Freed(fr *state.Frame, in *llvmir.Instr, f *llvmir.Func, o *state.Object) {
	v := o.MadeName()
	text := f.SourceName + "(" + v + ")"
	if !language.IsStandard(f.Name) {
		text = f.SourceName + " frees " + v
	}
	x.event(fr, in, found.Step{Event: found.StepFree, LValue: v, Text: text})
}

func (x *Tracer) Assumed(fr *state.Frame, in *llvmir.Instr) {
	if x.traced() {
		x.event(fr, in, found.Step{Event: found.StepAssume, Value: "true", Text: "assumption holds",
			Operands: x.operandsOf(fr, in.Args[0])})
	}
}
