package llvmir

import "strings"

// Undefined says who looks whether an operation has a result that C defines.
type Undefined uint8

// Who looks.
const (
	// Unguarded: nobody did. Clang checks no vectors, and nothing where it is told not to (no_sanitize).
	Unguarded Undefined = iota
	// Sanitized: the sanitizer's check right in front is of these very operands.
	Sanitized
	// Unused: the result is thrown away where there is none (__builtin_ffs of zero).
	Unused
)

// What the sanitizers check, see Func.SanitizerCheck.
const (
	divisionHandler = "divrem_overflow"
	shiftHandler    = "shift_out_of_bounds"
	floatHandler    = "float_cast_overflow"
	builtinHandler  = "invalid_builtin"
)

// mayBeUndefined tells whether an operation has no result for some operands, which the sanitizer named sees to.
// Additions, subtractions and multiplications are no such ones: where they are checked they are calls of other
// operations.
func mayBeUndefined(in *Instr) (handler string, ok bool) {
	switch in.Op {
	case OpUDiv, OpSDiv, OpURem, OpSRem:
		return divisionHandler, true
	case OpShl, OpLShr, OpAShr:
		return shiftHandler, true
	case OpFPToUI, OpFPToSI:
		return floatHandler, true
	case OpCall:
		return builtinHandler, in.Intrinsic == "cttz" || in.Intrinsic == "ctlz"
	}
	return "", false
}

// markUndefined finds what the sanitizers check. A check is a branch to a block that calls a handler with the operands;
// the operation is the first of its kind in the other block. It is found by its operands and not by its place: the
// expansion of a macro has one place.
func (f *funcReader) markUndefined() {
	defs := make([]*Instr, f.fn.NumRegs)
	index := make([]bool, f.fn.NumRegs) // of an array
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				defs[in.Dst] = in
			}
			for i, a := range in.Args {
				if in.Op == OpGEP && i > 0 && a.Kind == OperandReg {
					index[a.Reg] = true
				}
			}
		}
	}
	for _, b := range f.fn.Blocks {
		first := true
		for k, in := range b.Instrs {
			if in.NoSignedWrap {
				in.NoSignedWrap = !in.NoSanitize && !fits(in, defs) && !(in.Op == OpMul && index[in.Dst])
			}
			handler, ok := mayBeUndefined(in)
			if !ok {
				continue
			}
			if handler == shiftHandler {
				in.Exponent = f.exponent(in.Args[1], defs)
			}
			switch {
			case in.NoSanitize: // part of a check
				in.Undefined = Sanitized
				continue
			case ffs(b.Instrs[k:]):
				in.Undefined = Unused
			case first && f.sanitized(b, in, handler, defs):
				in.Undefined = Sanitized
			}
			first = false
		}
	}
}

// fits tells whether the types of operands before their promotion leave no overflow, where clang has no check either.
func fits(in *Instr, defs []*Instr) bool {
	sum, most := 0, 0 // bits of the operands, the sign among them
	for _, a := range in.Args {
		n := in.Type.Bits
		switch {
		case a.Kind == OperandConst && a.Const.Kind == ConstInt:
			n = signed(a.Const).BitLen() + 1
		case a.Kind == OperandReg && defs[a.Reg] != nil && defs[a.Reg].Op == OpSExt:
			n = defs[a.Reg].Args[0].Type.Bits
		case a.Kind == OperandReg && defs[a.Reg] != nil && defs[a.Reg].Op == OpZExt:
			n = defs[a.Reg].Args[0].Type.Bits + 1
		}
		sum, most = sum+n, max(most, n)
	}
	if in.Op == OpMul {
		return sum <= in.Type.Bits
	}
	return most < in.Type.Bits
}

// ffs recognizes clang's code for __builtin_ffs and its like: (x == 0) ? 0 : cttz(x) + 1.
func ffs(code []*Instr) bool {
	if len(code) < 4 || code[0].Intrinsic != "cttz" {
		return false
	}
	count, plus, zero, choice := code[0], code[1], code[2], code[3]
	of := func(o Operand, in *Instr) bool { return o.Kind == OperandReg && o.Reg == in.Dst }
	return plus.Op == OpAdd && of(plus.Args[0], count) && zero.Op == OpICmp && zero.Pred == PredEQ &&
		same(zero.Args[0], count.Args[0]) &&
		choice.Op == OpSelect && of(choice.Args[0], zero) && of(choice.Args[2], plus)
}

// sanitized tells whether block b is only entered where the named handler is not, and that is about the operands of in.
func (f *funcReader) sanitized(b *Block, in *Instr, handler string, defs []*Instr) bool {
	if len(b.Preds) != 1 {
		return false
	}
	br := f.fn.Blocks[b.Preds[0]].Term()
	if br.Op != OpCondBr || br.Succs[0] != b.Index || br.Succs[1] == b.Index {
		return false
	}
	fails := f.fn.Blocks[br.Succs[1]]
	if fails.Term().Op != OpUnreachable {
		return false
	}
	for _, call := range fails.Instrs {
		if call.Op != OpCall || call.Function().SanitizerCheck() != handler {
			continue
		}
		of := func(i int) Operand { return passed(call.Args[i], fails, defs) }
		switch {
		case handler == builtinHandler: // it gets no operand
			cond := br.Args[0]
			if cond.Kind != OperandReg || defs[cond.Reg] == nil {
				return false
			}
			c := defs[cond.Reg]
			return c.Op == OpICmp && c.Pred == PredNE && same(c.Args[0], in.Args[0])
		case handler == floatHandler:
			return len(call.Args) == 2 && same(of(1), in.Args[0])
		case len(call.Args) != 3 || !same(of(1), in.Args[0]):
			return false
		case handler == shiftHandler:
			return same(of(2), in.Exponent)
		default:
			return same(of(2), in.Args[1])
		}
	}
	return false
}

// passed is the operand that a handler gets as an argument. One of up to 64 bits is extended; the address of a wider
// one is passed, which is stored in the block of the call.
func passed(o Operand, fails *Block, defs []*Instr) Operand {
	for o.Kind == OperandReg && defs[o.Reg] != nil && defs[o.Reg].NoSanitize {
		def := defs[o.Reg]
		switch def.Op {
		case OpZExt, OpBitCast:
			o = def.Args[0]
		case OpPtrToInt:
			for _, in := range fails.Instrs {
				if in.Op == OpStore && same(in.Args[1], def.Args[0]) {
					return in.Args[0]
				}
			}
			return o
		default:
			return o
		}
	}
	return o
}

// same tells whether two operands are the same register or number. Of numbers the width does not count.
func same(a, b Operand) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case OperandReg:
		return a.Reg == b.Reg
	case OperandConst:
		x, y := a.Const, b.Const
		return x != nil && y != nil && x.Int != nil && y.Int != nil && x.Int.Cmp(y.Int) == 0
	}
	return false
}

// exponent is that of a shift as C has it: clang gives it the width of what is shifted, which may cut it.
func (f *funcReader) exponent(o Operand, defs []*Instr) Operand {
	if o.Kind == OperandReg && defs[o.Reg] != nil && strings.HasPrefix(f.fn.RegName(o.Reg), "sh_prom") {
		return defs[o.Reg].Args[0]
	}
	return o
}
