package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Undefined describes whether and how an operation without a defined result for some operands is checked.
type Undefined uint8

// Values of Undefined.
const (
	// Unguarded: not checked. Clang does not check vectors, and nothing in functions with no_sanitize.
	Unguarded Undefined = iota
	// Sanitized: the sanitizer checks these operands directly before the operation.
	Sanitized
	// Unused: an undefined result is not used (__builtin_ffs of zero).
	Unused
)

// Names of sanitizer checks, see SanitizerCheck.
const (
	divisionHandler = "divrem_overflow"
	shiftHandler    = "shift_out_of_bounds"
	floatHandler    = "float_cast_overflow"
	builtinHandler  = "invalid_builtin"
)

// mayBeUndefined reports whether the result of an operation is undefined for some operands, and the handler of its
// check.
//
// Additions, subtractions and multiplications are not included: if they are checked, they are calls of overflow
// intrinsics.
func mayBeUndefined(in *llvmir.Instr) (handler string, ok bool) {
	switch in.Op {
	case llvmir.OpUDiv, llvmir.OpSDiv, llvmir.OpURem, llvmir.OpSRem:
		return divisionHandler, true
	case llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr:
		return shiftHandler, true
	case llvmir.OpFPToUI, llvmir.OpFPToSI:
		return floatHandler, true
	case llvmir.OpCall:
		return builtinHandler, in.Intrinsic == "cttz" || in.Intrinsic == "ctlz"
	}
	return "", false
}

// markUndefined sets Undefined of all operations.
//
// A sanitizer check is a branch to a block that calls a handler with the operands; the checked operation is the first
// of its kind in the other block. It is identified by its operands and not by its position, because all code of a
// macro expansion has the same position.
func (f *function) markUndefined() {
	defs := make([]*llvmir.Instr, f.fn.NumRegs)
	index := make([]bool, f.fn.NumRegs) // by register: it is an array index
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				defs[in.Dst] = in
			}
			for i, a := range in.Args {
				if in.Op == llvmir.OpGEP && i > 0 && a.Kind == llvmir.OperandReg {
					index[a.Reg] = true
				}
			}
		}
	}
	for _, b := range f.fn.Blocks {
		first := true
		for k, in := range b.Instrs {
			if in.NoSignedWrap && !in.NoSanitize && !fits(in, defs) && !(in.Op == llvmir.OpMul && index[in.Dst]) {
				f.m.about(in).Wraps = true
			}
			handler, ok := mayBeUndefined(in)
			if !ok {
				continue
			}
			facts := f.m.about(in)
			if handler == shiftHandler {
				facts.Exponent = f.exponent(in.Args[1], defs)
			}
			switch {
			case in.NoSanitize: // part of a check
				facts.Undefined = Sanitized
				continue
			case ffs(b.Instrs[k:]):
				facts.Undefined = Unused
			case first && !f.cut(in) && f.sanitized(b, in, handler, defs):
				facts.Undefined = Sanitized
			}
			first = false
		}
	}
}

// fits reports whether the types of the operands before promotion exclude overflow; clang then omits the check.
func fits(in *llvmir.Instr, defs []*llvmir.Instr) bool {
	sum, most := 0, 0 // bits of the operands, including the sign
	for _, a := range in.Args {
		n := in.Type.Bits
		switch {
		case a.Kind == llvmir.OperandConst && a.Const.Kind == llvmir.ConstInt:
			n = a.Const.Signed().BitLen() + 1
		case a.Kind == llvmir.OperandReg && defs[a.Reg] != nil && defs[a.Reg].Op == llvmir.OpSExt:
			n = defs[a.Reg].Args[0].Type.Bits
		case a.Kind == llvmir.OperandReg && defs[a.Reg] != nil && defs[a.Reg].Op == llvmir.OpZExt:
			n = defs[a.Reg].Args[0].Type.Bits + 1
		}
		sum, most = sum+n, max(most, n)
	}
	if in.Op == llvmir.OpMul {
		return sum <= in.Type.Bits
	}
	return most < in.Type.Bits
}

// ffs reports whether code is clang's code for __builtin_ffs and its variants: (x == 0) ? 0 : cttz(x) + 1.
func ffs(code []*llvmir.Instr) bool {
	if len(code) < 4 || code[0].Intrinsic != "cttz" {
		return false
	}
	count, plus, zero, choice := code[0], code[1], code[2], code[3]
	of := func(o llvmir.Operand, in *llvmir.Instr) bool { return o.Kind == llvmir.OperandReg && o.Reg == in.Dst }
	return plus.Op == llvmir.OpAdd && of(plus.Args[0], count) && zero.Op == llvmir.OpICmp && zero.Pred == llvmir.PredEQ &&
		same(zero.Args[0], count.Args[0]) &&
		choice.Op == llvmir.OpSelect && of(choice.Args[0], zero) && of(choice.Args[2], plus)
}

// sanitized reports whether block b is entered only if the named check of the operands of in succeeds.
func (f *function) sanitized(b *llvmir.Block, in *llvmir.Instr, handler string, defs []*llvmir.Instr) bool {
	if len(b.Preds) != 1 {
		return false
	}
	br := f.fn.Blocks[b.Preds[0]].Term()
	if br.Op != llvmir.OpCondBr || br.Succs[0] != b.Index || br.Succs[1] == b.Index {
		return false
	}
	fails := f.fn.Blocks[br.Succs[1]]
	if fails.Term().Op != llvmir.OpUnreachable {
		return false
	}
	for _, call := range fails.Instrs {
		if call.Op != llvmir.OpCall || SanitizerCheck(call.Function()) != handler {
			continue
		}
		of := func(i int) llvmir.Operand { return passed(call.Args[i], fails, defs) }
		switch {
		case handler == builtinHandler: // it receives no operand
			cond := br.Args[0]
			if cond.Kind != llvmir.OperandReg || defs[cond.Reg] == nil {
				return false
			}
			c := defs[cond.Reg]
			return c.Op == llvmir.OpICmp && c.Pred == llvmir.PredNE && same(c.Args[0], in.Args[0])
		case handler == floatHandler:
			return len(call.Args) == 2 && same(of(1), in.Args[0])
		case len(call.Args) != 3 || !same(of(1), in.Args[0]):
			return false
		case handler == shiftHandler:
			return same(of(2), f.m.Of(in).Exponent)
		default:
			return same(of(2), in.Args[1])
		}
	}
	return false
}

// passed returns the operand that is passed to a handler as an argument.
//
// An operand of up to 64 bits is extended. A wider one is stored in the block of the call, and its address is passed.
func passed(o llvmir.Operand, fails *llvmir.Block, defs []*llvmir.Instr) llvmir.Operand {
	for o.Kind == llvmir.OperandReg && defs[o.Reg] != nil && defs[o.Reg].NoSanitize {
		def := defs[o.Reg]
		switch def.Op {
		case llvmir.OpZExt, llvmir.OpBitCast:
			o = def.Args[0]
		case llvmir.OpPtrToInt:
			for _, in := range fails.Instrs {
				if in.Op == llvmir.OpStore && same(in.Args[1], def.Args[0]) {
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

// same reports whether two operands are the same register or number. The width of numbers is ignored.
func same(a, b llvmir.Operand) bool {
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case llvmir.OperandReg:
		return a.Reg == b.Reg
	case llvmir.OperandConst:
		x, y := a.Const, b.Const
		return x != nil && y != nil && x.Int != nil && y.Int != nil && x.Int.Cmp(y.Int) == 0
	}
	return false
}

// cut reports whether a shift amount was truncated before the sanitizer checked it.
//
// Clang's check of x << n, with n wider than x, accepts n = 2^32.
func (f *function) cut(in *llvmir.Instr) bool {
	n := f.m.Of(in).Exponent
	return n.Type != nil && n.Type.Bits > in.Args[1].Type.Bits
}

// exponent returns the shift amount in C; clang converts it to the width of the shifted value, which may truncate it.
func (f *function) exponent(o llvmir.Operand, defs []*llvmir.Instr) llvmir.Operand {
	if o.Kind == llvmir.OperandReg && defs[o.Reg] != nil && f.stem(o.Reg) == "sh_prom" {
		return defs[o.Reg].Args[0]
	}
	return o
}

// checkKinds are the kinds of violations that a check reports, by the check's name.
//
// If there are two kinds, the operands decide between them; see KindsOf.
var checkKinds = map[string][2]found.Kind{
	"add_overflow": {found.SignedOverflow}, "sub_overflow": {found.SignedOverflow},
	"mul_overflow": {found.SignedOverflow}, "negate_overflow": {found.SignedOverflow},
	divisionHandler:          {found.DivisionByZero, found.SignedOverflow},
	shiftHandler:             {found.InvalidShift, found.ShiftOverflow},
	"out_of_bounds":          {found.ArrayBounds},
	"float_cast_overflow":    {found.FloatToIntOverflow},
	"vla_bound_not_positive": {found.InvalidSize},
	"invalid_builtin":        {found.InvalidBuiltin},
	"type_mismatch_v1":       {found.Misaligned}, "alignment_assumption": {found.Misaligned},
	"nonnull_arg": {found.Misaligned}, "nonnull_return_v1": {found.Misaligned},
	"builtin_unreachable": {found.Unreachable}, "missing_return": {found.Unreachable},
}

// KindsOf returns the kinds that a handler reports, from its check and its static data.
//
// Checks of signed divisions and shifts report two kinds. second applies if first does not (the divisor is not zero,
// the shift amount is not too large); it is "" for other checks. An unsigned division cannot overflow.
func KindsOf(check string, data llvmir.Operand) (first, second found.Kind) {
	kinds, known := checkKinds[check]
	if !known {
		return found.Unreachable, ""
	}
	if check == builtinHandler && ofAssume(data) {
		return found.Unreachable, "" // as of llvm.assume, with older versions of clang
	}
	if ts := CheckedTypes(data); len(ts) > 0 && !ts[0].Signed {
		switch {
		case check == divisionHandler:
			return kinds[0], ""
		case kinds[0] == found.SignedOverflow:
			return found.UnsignedOverflow, ""
		}
	}
	return kinds[0], kinds[1]
}

// ofAssume reports whether the static data of a check of builtins is that of __builtin_assume.
func ofAssume(data llvmir.Operand) bool {
	c := data.Const
	if c == nil || c.Kind != llvmir.ConstGlobal || c.Global.Init == nil {
		return false
	}
	members := c.Global.Init.Elems // the position, and the kind of the check
	return len(members) == 2 && members[1].Int != nil && members[1].Int.Int64() == 2
}

// SanitizerHandler is the prefix of the functions that clang's sanitizers call if a check fails.
const SanitizerHandler = "__ubsan_handle_"

// SanitizerCheck returns the check that reports through f, such as "add_overflow"; "" if f is not a handler.
func SanitizerCheck(f *llvmir.Func) string {
	if f == nil || len(f.Blocks) > 0 {
		return ""
	}
	check, ok := strings.CutPrefix(f.Name, SanitizerHandler)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(check, "_abort")
}
