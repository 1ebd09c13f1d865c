package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// If findings are accepted or checks are off, the execution continues behind operations without a defined result. A
// division by zero would end the program, and a shift has the processor's result. In such programs the runtime computes
// these operations, and returns the counterexample's arbitrary value if the result is undefined.

// operation has the instructions' names in the text and their numbers in the runtime.
var operation = map[llvmir.Op]struct {
	text   string
	number int
}{
	llvmir.OpUDiv: {"udiv ", 0}, llvmir.OpSDiv: {"sdiv ", 1}, llvmir.OpURem: {"urem ", 2}, llvmir.OpSRem: {"srem ", 3},
	llvmir.OpShl: {"shl ", 4}, llvmir.OpLShr: {"lshr ", 5}, llvmir.OpAShr: {"ashr ", 6},
	llvmir.OpFPToUI: {"fptoui ", 0}, llvmir.OpFPToSI: {"fptosi ", 1},
}

// goesOn reports whether executions continue behind operations without a defined result.
func goesOn(o vcgen.Options) bool {
	if len(o.Accept) > 0 {
		return true
	}
	return slices.ContainsFunc([]found.Kind{found.DivisionByZero, found.SignedOverflow, found.InvalidShift,
		found.FloatToIntOverflow}, func(k found.Kind) bool { return isOff(o, k) })
}

// isOff reports whether a check was switched off.
func isOff(o vcgen.Options, k found.Kind) bool {
	on, said := o.Checks[k]
	return said && !on
}

// magnitude emits a check of the operand that __builtin_abs and the like negate: no sanitizer checks it.
func (w *instrumenter) magnitude(s string, in *llvmir.Instr) {
	if !w.m.Of(in).Magnitude || isOff(w.opts, found.SignedOverflow) || w.resumes || in.Type.Bits > 64 {
		return
	}
	_, x, ok := strings.Cut(s, " 0, ")
	if !ok {
		return
	}
	x, _, _ = strings.Cut(x, ",")
	if in.Type.Bits < 64 {
		n := w.fresh
		w.fresh++
		w.emit("  %%up.%d.m = sext %s %s to i64", n, typeText(in.Type), x)
		x = fmt.Sprintf("%%up.%d.m", n)
	}
	w.emit("  call void @unitproof_magnitude(i64 %s, i64 %d)%s", x, int64(-1)<<(in.Type.Bits-1), debugOf(s))
}

// register returns a register of the function in the text's syntax.
func (w *instrumenter) register(reg int) string {
	return "%" + quoteLocal(w.fn.RegName(reg))
}

// computed emits a call of the runtime for an operation whose result may be undefined. It reports whether it did.
func (w *instrumenter) computed(s string, in *llvmir.Instr) bool {
	op, known := operation[in.Op]
	if !w.computes || !known || in.Type.Kind != llvmir.IntType || in.Type.Bits > 64 {
		return false
	}
	name, rest, ok := strings.Cut(strings.TrimSpace(s), " = ")
	if !ok || !strings.HasPrefix(rest, op.text) {
		return false
	}
	rest = strings.TrimPrefix(rest, op.text)
	for _, flag := range []string{"nuw ", "nsw ", "exact "} {
		rest = strings.TrimPrefix(rest, flag)
	}
	n, t, call := w.fresh, typeText(in.Type), ""
	switch in.Op {
	case llvmir.OpFPToUI, llvmir.OpFPToSI:
		from, _, ok := strings.Cut(rest, " to ")
		typ, value := splitOperand(from)
		if typ == "float" && ok {
			w.emit("  %%up.%d.x = fpext float %s to double", n, value)
		} else if typ == "double" && ok {
			w.emit("  %%up.%d.x = fadd double %s, -0.0", n, value)
		} else {
			return false
		}
		call = fmt.Sprintf("@unitproof_to_integer(i32 %d, i32 %d, double %%up.%d.x, i32 %d)", in.ID, op.number, n,
			in.Type.Bits)
	default:
		ops := splitTop(rest)
		if len(ops) < 2 {
			return false
		}
		_, x := splitOperand(ops[0])
		for _, operand := range [][2]string{{"x", x}, {"y", ops[1]}} {
			suffix, value := operand[0], operand[1]
			if in.Type.Bits == 64 {
				w.emit("  %%up.%d.%s = add i64 %s, 0", n, suffix, value)
			} else {
				w.emit("  %%up.%d.%s = zext %s %s to i64", n, suffix, t, value)
			}
		}
		call = fmt.Sprintf("@unitproof_integer(i32 %d, i32 %d, i64 %%up.%d.x, i64 %%up.%d.y, i32 %d)", in.ID, op.number, n, n,
			in.Type.Bits)
	}
	w.fresh++
	if in.Type.Bits == 64 {
		w.emit("  %s = call i64 %s%s", name, call, debugOf(s))
		return true
	}
	w.emit("  %%up.%d.r = call i64 %s%s", n, call, debugOf(s))
	w.emit("  %s = trunc i64 %%up.%d.r to %s", name, n, t)
	return true
}

// floating has the operations whose result may be a NaN, with sign and payload chosen by the counterexample.
var floating = map[llvmir.Op]bool{llvmir.OpFAdd: true, llvmir.OpFSub: true, llvmir.OpFMul: true, llvmir.OpFDiv: true,
	llvmir.OpFRem:    true,
	llvmir.OpFPTrunc: true, llvmir.OpFPExt: true}

// notANumber emits the choice of a NaN's bits behind a floating-point operation. It reports whether it did.
func (w *instrumenter) notANumber(s string, in *llvmir.Instr) bool {
	if !floating[in.Op] || in.Type.Kind != llvmir.FloatType || in.Type.Bits != 32 && in.Type.Bits != 64 {
		return false
	}
	name, rest, ok := strings.Cut(strings.TrimSpace(s), " = ")
	if !ok {
		return false
	}
	n, t := w.fresh, typeText(in.Type)
	w.fresh++
	w.emit("  %%up.%d.f = %s", n, rest)
	w.emit("  %s = call %s @unitproof_nan%d(i32 %d, %s %%up.%d.f)%s", name, t, in.Type.Bits, in.ID, t, n, debugOf(s))
	return true
}
