package explain

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxOperands bounds the operands of one instruction.
const maxOperands = 8

// reader collects the operands of an instruction.
//
// It traces registers back to the loads and calls that computed them, because these have names in the source. The
// registers still have the operand values, even if memory has changed since.
type reader struct {
	w    *View
	fr   *state.Frame
	out  []found.Operand
	said map[string]bool
}

func (w *View) operandsOf(fr *state.Frame, args ...llvmir.Operand) []found.Operand {
	r := reader{w: w, fr: fr, said: map[string]bool{}}
	for _, a := range args {
		r.value(a, maxExpression)
	}
	return r.out
}

// add adds an operand. It reports whether it is a new one.
func (r *reader) add(text, value string, loc *llvmir.Loc) bool {
	if text == "" || value == "" || value == Unknown || r.said[text] || language.Internal(text) ||
		len(r.out) >= maxOperands {
		return false
	}
	r.said[text] = true
	r.out = append(r.out, found.Operand{Text: text, Value: value, Pos: PosOf(loc, "")})
	return true
}

// value adds the operands from which a was computed.
func (r *reader) value(a llvmir.Operand, depth int) {
	if a.Kind != llvmir.OperandReg || depth == 0 {
		return
	}
	def := r.fr.Info.Def[a.Reg]
	v := r.fr.Regs[a.Reg]
	if def == nil {
		if a.Reg < len(r.fr.Fn.Params) {
			if p := r.fr.Fn.Params[a.Reg]; p.DIType != nil && IsScalar(p.DIType) {
				r.add(p.Name, r.w.Scalar(v, p.DIType), nil)
			}
		}
		return
	}
	switch def.Op {
	case llvmir.OpLoad:
		r.load(def, v, depth)
	case llvmir.OpCall:
		if def.Intrinsic != "" {
			for _, x := range def.Args {
				r.value(x, depth-1)
			}
			return
		}
		name := found.Indirect
		callee := def.Function()
		if callee != nil {
			name = callee.SourceName
		}
		text := r.w.Result(v, callee, def.Type)
		if t := def.Type; t.Kind == llvmir.IntType && t.Bits == 8 && (callee == nil || callee.RetDIType == nil) {
			text = r.w.Scalar(v, &llvmir.DIType{Kind: llvmir.DIInt, Bits: 8})
		}
		if n := len(r.out); r.add(name+"()", text, def.Loc) {
			r.out[n].Call = name
		}
		for _, x := range def.Args {
			r.value(x, depth-1)
		}
	case llvmir.OpPhi:
		r.phi(def, depth)
	case llvmir.OpGEP:
		r.value(def.Args[0], depth-1)
		r.indices(a, depth)
	case llvmir.OpAlloca:
	case llvmir.OpPtrToInt:
		n := len(r.out)
		r.value(def.Args[0], depth-1)
		if len(r.out) == n+1 && v.Obj != nil {
			r.out[n].Value += fmt.Sprintf(" at 0x%x", v.Bits)
		}
	case llvmir.OpSelect:
		r.value(def.Args[0], depth-1)
		if c := def.Args[0]; c.Kind == llvmir.OperandReg {
			r.value(def.Args[2-int(r.fr.Regs[c.Reg].Bits&1)], depth-1)
		}
	default:
		if load := r.bitField(def); load != nil {
			r.load(load, r.fr.Regs[load.Dst], depth)
			return
		}
		if to := r.fr.Info.Stored[a.Reg]; to != nil && r.reads(def, to.Args[1], depth) {
			r.place(to.Args[1], v, to.Args[0].Type, def.Loc)
			r.indices(to.Args[1], depth-1)
			return
		}
		for _, x := range def.Args {
			r.value(x, depth-1)
		}
	}
}

// bitField returns the load of the storage unit with which clang's code for reading a bit-field begins; otherwise
// nil.
func (r *reader) bitField(in *llvmir.Instr) *llvmir.Instr {
	for range 4 {
		switch in.Op {
		case llvmir.OpLoad:
			if f := r.w.Program.Of(in).BitField; f == nil || f.Width == 0 {
				return nil
			}
			return in
		case llvmir.OpAnd, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpShl:
		default:
			return nil
		}
		if in.Args[0].Kind != llvmir.OperandReg || in.Args[1].Kind != llvmir.OperandConst {
			return nil
		}
		if in = r.fr.Info.Def[in.Args[0].Reg]; in == nil {
			return nil
		}
	}
	return nil
}

// BitFieldName returns the C name of the bit-field that a load reads; "" for other loads and unknown names.
func (w *View) BitFieldName(fr *state.Frame, load *llvmir.Instr) string {
	bits, p := w.Program.Of(load).BitField, PlaceOf(fr, load.Args[0])
	if bits == nil || !p.Known {
		return ""
	}
	fields, base := p.bitFieldsAt(uint64(load.Type.StoreSize))
	for _, f := range fields {
		if f.is(bits, base) {
			return f.text
		}
	}
	return ""
}

// is reports whether a field has these bits of its storage unit, which begins base bytes after the start of the
// struct.
func (f *namedField) is(bits *clangir.BitField, base int64) bool {
	return f.f.BitOffset+8*base == int64(bits.Low) && f.f.BitSize == int64(bits.Width)
}

// load adds the variable or member that is read, then the indices in its name.
func (r *reader) load(def *llvmir.Instr, v state.Value, depth int) {
	bits := r.w.Program.Of(def).BitField
	if p := PlaceOf(r.fr, def.Args[0]); p.ofContract() {
		r.stored(def.Args[0], depth-1)
		return
	}
	if p := PlaceOf(r.fr, def.Args[0]); p.Known {
		n := uint64(def.Type.StoreSize)
		if fields, base := p.bitFieldsAt(n); len(fields) > 0 {
			if ptr := r.w.Operand(r.fr, def.Args[0]); ptr.Obj != nil && (len(fields) <= 3 || bits != nil) {
				at := uint64(int64(ptr.Offset()) + base)
				for _, f := range fields {
					if bits == nil || f.is(bits, base) {
						r.add(f.text, r.w.Field(ptr.Obj, at, f.f, 1), nil)
					}
				}
			}
		} else {
			r.place(def.Args[0], v, def.Type, def.Loc)
		}
	}
	r.indices(def.Args[0], depth-1)
}

// place adds the value that was read from or written to an address.
func (r *reader) place(ptr llvmir.Operand, v state.Value, typ *llvmir.Type, loc *llvmir.Loc) {
	p := PlaceOf(r.fr, ptr)
	if !p.Known {
		return
	}
	if text, t := p.Part(uint64(typ.StoreSize)); t != nil && IsScalar(t) {
		r.add(text, r.w.Scalar(v, t), loc)
	} else if text != "" && !strings.Contains(text, "(byte ") {
		r.add(text, r.w.Typed(v, typ), loc)
	}
}

// reads reports whether a value was computed from the content of an address.
//
// If the value is stored there, the name refers to the new value: after ++i and i += 2, i is the result.
func (r *reader) reads(def *llvmir.Instr, ptr llvmir.Operand, depth int) bool {
	if depth == 0 || def == nil {
		return false
	}
	if def.Op == llvmir.OpLoad {
		return sameAddress(def.Args[0], ptr)
	}
	if def.Op == llvmir.OpCall && def.Intrinsic == "" {
		return false
	}
	for _, x := range def.Args {
		if r.reads(r.fr.Info.Definition(x), ptr, depth-1) {
			return true
		}
	}
	return false
}

// stored adds the operands of a contract condition that was stored in a variable.
func (r *reader) stored(a llvmir.Operand, depth int) {
	for _, b := range r.fr.Fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && in.Args[1].Reg == a.Reg &&
				in.Args[0].Type.Bits == 8 {
				r.value(in.Args[0], depth)
			}
		}
	}
}

// indices adds the operands of an address computation, without its pointers.
func (r *reader) indices(a llvmir.Operand, depth int) {
	if a.Kind != llvmir.OperandReg || depth <= 0 {
		return
	}
	def := r.fr.Info.Def[a.Reg]
	if def == nil {
		return
	}
	switch def.Op {
	case llvmir.OpGEP:
		r.indices(def.Args[0], depth-1)
		for _, x := range def.Args[1:] {
			r.value(x, depth-1)
		}
	case llvmir.OpBitCast, llvmir.OpLoad:
		r.indices(def.Args[0], depth-1)
	case llvmir.OpIntToPtr:
		r.value(def.Args[0], depth-1)
	}
}

// phi adds the operand that a phi selected, if control has just arrived there.
//
// If it is a constant, as for && and ||, the condition of the branch is added instead.
func (r *reader) phi(def *llvmir.Instr, depth int) {
	if r.fr.Block.Instrs[0].Op != llvmir.OpPhi {
		return
	}
	for _, in := range r.fr.Block.Instrs {
		if in == def {
			break
		}
		if in.Op != llvmir.OpPhi {
			return
		}
	}
	for i, p := range def.In {
		if p != r.fr.Prev {
			continue
		}
		if def.Args[i].Kind == llvmir.OperandReg {
			r.value(def.Args[i], depth-1)
		} else if t := r.fr.Fn.Blocks[p].Term(); t.Op == llvmir.OpCondBr {
			r.value(t.Args[0], depth-1)
		}
		return
	}
}

// Reasons are the values that caused a violation.
type Reasons struct {
	// Operands are the values of the violating instruction's operands. Comparison is the comparison that makes an
	// assertion false, nil if it is not a single one.
	Operands   []found.Operand
	Comparison *found.Comparison
	// Denial explains why a function returned false in an assertion of its result; nil if unknown.
	Denial *found.Denial
}

// Reasons returns the reasons of a violation of the given kind, in the innermost frame of the user's code.
func (w *View) Reasons(kind found.Kind) (out Reasons) {
	for i := len(w.Frames) - 1; i >= 0; i-- {
		fr, at := w.Frames[i], w.At
		if i+1 < len(w.Frames) {
			at = w.Frames[i+1].Call
		}
		if l := state.LocOf(fr.Fn, at); l == nil || !w.UserFile(l.File) {
			continue
		}
		return w.reasonsAt(kind, fr, at, i+1 == len(w.Frames))
	}
	return out
}

func (w *View) reasonsAt(kind found.Kind, fr *state.Frame, in *llvmir.Instr, innermost bool) (out Reasons) {
	r := reader{w: w, fr: fr, said: map[string]bool{}}
	cond := llvmir.Operand{}
	switch {
	case kind == found.Assertion && innermost && in.Op == llvmir.OpCall:
		if f := in.External(); f != nil && language.Lookup(f.Name).Role == language.Assert && len(in.Args) > 0 {
			cond = in.Args[0]
		} else if fr.Prev >= 0 {
			// A failure call: the assertion is the condition of the branch to this block.
			if t := fr.Fn.Blocks[fr.Prev].Term(); t.Op == llvmir.OpCondBr {
				cond = t.Args[0]
			}
		}
		out.Comparison = w.comparison(fr, cond, maxExpression)
		if call := denyingCall(fr, cond, maxExpression); call != nil {
			out.Denial = w.Denials[call]
		}
		r.value(cond, maxExpression)
	case in.Op == llvmir.OpLoad || in.Op == llvmir.OpStore:
		r.indices(in.Args[len(in.Args)-1], maxExpression)
	case in.Op == llvmir.OpCall:
		check := clangir.SanitizerCheck(in.Function())
		r.value(in.Callee, maxExpression)
		if check == "invalid_builtin" && fr.Prev >= 0 {
			r.value(fr.Fn.Blocks[fr.Prev].Term().Args[0], maxExpression)
		}
		for _, a := range in.Args {
			if a.Type != nil && a.Type.Kind == llvmir.PointerType && check == "" {
				r.indices(a, maxExpression)
			} else {
				r.value(a, maxExpression)
			}
		}
	default:
		for _, a := range in.Args {
			r.value(a, maxExpression)
		}
	}
	out.Operands = r.out
	return out
}

var predText = map[llvmir.Pred]string{
	llvmir.PredEQ: "==", llvmir.PredNE: "!=",
	llvmir.PredUGT: ">", llvmir.PredUGE: ">=", llvmir.PredULT: "<", llvmir.PredULE: "<=",
	llvmir.PredSGT: ">", llvmir.PredSGE: ">=", llvmir.PredSLT: "<", llvmir.PredSLE: "<=",
	llvmir.PredOEQ: "==", llvmir.PredUNE: "!=", llvmir.PredOGT: ">", llvmir.PredOGE: ">=", llvmir.PredOLT: "<",
	llvmir.PredOLE: "<=",
}

// comparison returns the comparison that makes a condition false; nil if it is not a comparison.
func (w *View) comparison(fr *state.Frame, a llvmir.Operand, depth int) *found.Comparison {
	if a.Kind != llvmir.OperandReg || depth == 0 {
		return nil
	}
	def := fr.Info.Def[a.Reg]
	if def == nil || fr.Regs[a.Reg].Bits != 0 {
		return nil
	}
	switch def.Op {
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpFreeze:
		return w.comparison(fr, def.Args[0], depth-1)
	case llvmir.OpPhi:
		// The operand of && that was evaluated last.
		if fr.Block.Instrs[0] != def {
			return nil
		}
		for i, p := range def.In {
			if p != fr.Prev {
				continue
			}
			if def.Args[i].Kind == llvmir.OperandReg {
				return w.comparison(fr, def.Args[i], depth-1)
			}
			if t := fr.Fn.Blocks[p].Term(); t.Op == llvmir.OpCondBr {
				return w.comparison(fr, t.Args[0], depth-1)
			}
		}
		return nil
	case llvmir.OpICmp, llvmir.OpFCmp:
	default:
		return nil
	}
	op := predText[def.Pred]
	if op == "" || def.Type.Kind == llvmir.VectorType {
		return nil
	}
	unsigned := def.Pred >= llvmir.PredUGT && def.Pred <= llvmir.PredULE
	t := w.typeOf(fr, def.Args[0])
	if u := w.typeOf(fr, def.Args[1]); t == nil || u != nil && u.Kind == llvmir.DIEnum {
		t = u
	}
	c := &found.Comparison{Op: op, Pos: PosOf(def.Loc, "")}
	c.Left, c.Right = w.side(fr, def.Args[0], t, unsigned), w.side(fr, def.Args[1], t, unsigned)
	if c.Left == Unknown || c.Right == Unknown {
		return nil
	}
	return c
}

// typeOf returns the C type of the variable that an operand was read from; nil for other operands.
func (w *View) typeOf(fr *state.Frame, a llvmir.Operand) *llvmir.DIType {
	for range maxExpression {
		if a.Kind != llvmir.OperandReg {
			return nil
		}
		def := fr.Info.Def[a.Reg]
		if def == nil {
			return nil
		}
		switch def.Op {
		case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpBitCast:
			a = def.Args[0]
			continue
		case llvmir.OpLoad:
			if _, t := PlaceOf(fr, def.Args[0]).Part(uint64(def.Type.StoreSize)); t != nil && IsScalar(t) {
				return t
			}
		}
		return nil
	}
	return nil
}

// side renders one side of a comparison; t is the type of either side's variable, or nil.
func (w *View) side(fr *state.Frame, a llvmir.Operand, t *llvmir.DIType, unsigned bool) string {
	v := w.Operand(fr, a)
	lt := a.Type
	if lt == nil {
		return Unknown
	}
	if lt.Kind != llvmir.IntType || lt.Bits == 1 || lt.Bits > 64 {
		if lt.Kind == llvmir.PointerType && t != nil && t.Kind == llvmir.DIPointer {
			return w.Scalar(v, t)
		}
		return w.Typed(v, lt)
	}
	if t != nil {
		switch t.Kind {
		case llvmir.DIEnum, llvmir.DIChar, llvmir.DIBool:
			wide := *t
			wide.Bits = int64(lt.Bits)
			if t.Kind != llvmir.DIEnum {
				wide.Signed = !unsigned && (t.Signed || t.Bits < int64(lt.Bits))
			}
			return w.Scalar(v, &wide)
		}
		if int64(lt.Bits) == t.Bits && !t.Signed {
			unsigned = true
		}
	}
	return w.Scalar(v, &llvmir.DIType{Kind: llvmir.DIInt, Bits: int64(lt.Bits), Signed: !unsigned})
}
