package interp

import (
	"fmt"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// operand reads an operand of a handler: a value as wide as an address is passed directly, a wider one by address.
func (c *call) operand(i int, t clangir.CheckedType) state.Value {
	v := c.arg(i)
	if t.Bits > c.m.m.Layout.Pointer && v.Obj != nil {
		v, _ = c.m.fetch(v.Obj, v.Offset(), intType(t.Bits))
		return v
	}
	return state.IntValue(v.Bits & state.Mask(max(t.Bits, 1)))
}

// number returns an operand of a handler.
func (c *call) number(i int, t clangir.CheckedType) *big.Int {
	v := c.operand(i, t)
	if t.Signed {
		return v.SignedBig(t.Bits)
	}
	return v.Big()
}

// ubsan executes a call of a sanitizer's failure handler.
//
// If the check is off or accepted, the execution continues after it, with the value that the operation computes then.
func ubsan(c *call) state.Value {
	m := c.m
	name := clangir.SanitizerCheck(c.fn)
	types := append(clangir.CheckedTypes(c.in.Args[0]), clangir.CheckedType{Name: "the type"},
		clangir.CheckedType{Name: "the type"})
	t := types[0]
	x := func() *big.Int { return c.number(1, t) }
	kind, second := clangir.KindsOf(name, c.in.Args[0])
	message := func() string { return "executes code that was declared unreachable" }
	switch name {
	case "add_overflow", "sub_overflow", "mul_overflow", "negate_overflow":
		message = func() string { return c.overflowMessage(kind, name, t) }
	case "divrem_overflow":
		y := c.number(2, t)
		message = func() string { return m.expressed(fmt.Sprintf("%s / 0", x())) + " divides by zero" }
		if y.Sign() != 0 && second != "" {
			kind = second
			message = func() string {
				return fmt.Sprintf("%s is %s, which does not fit %s", m.expressed(fmt.Sprintf("%s / %s", x(), bracketed(y))),
					new(big.Int).Neg(x()), t.Name)
			}
		}
	case "shift_out_of_bounds":
		by := c.number(2, types[1])
		width := t.Bits
		message = func() string {
			return fmt.Sprintf("%s moves a %d-bit value by %s bits", m.expressed("the shift"), width, by)
		}
		if by.Sign() >= 0 && by.Cmp(big.NewInt(int64(width))) < 0 {
			kind = second
			message = func() string {
				return fmt.Sprintf("%s shifts a bit into or past the sign of %s", m.expressed(fmt.Sprintf("%s << %s", x(), by)),
					t.Name)
			}
		}
	case "out_of_bounds":
		message = func() string {
			return fmt.Sprintf("%s: index %s is outside %s", m.expressed("the access"), c.number(1, types[1]), t.Name)
		}
	case "float_cast_overflow":
		message = func() string {
			from := "the value"
			if t.Float && t.Bits <= 64 {
				from = explain.Float(c.operand(1, t).Bits, t.Bits)
			}
			return fmt.Sprintf("%s does not fit %s", from, types[1].Name)
		}
	case "vla_bound_not_positive":
		message = func() string { return fmt.Sprintf("the array would have %s elements", x()) }
	case "invalid_builtin":
		message = func() string {
			if kind == found.Unreachable {
				return m.expressed("the condition") + " is false"
			}
			return m.expressed("the call") + " is undefined for 0"
		}
	case "type_mismatch_v1", "alignment_assumption", "nonnull_arg", "nonnull_return_v1":
		message = func() string { return "the address " + m.View.Pointer(c.arg(1), nil) + " is not aligned" }
	case "missing_return":
		message = func() string { return fmt.Sprintf("`%s` ends without a value", c.fr.Fn.SourceName) }
	}
	if name == "out_of_bounds" {
		c.accuseArray()
	}
	m.violated(kind, message)
	if !m.resume(c.fr) {
		m.stop(EndAssume, "the check "+string(kind)+" is off or accepted here and does not hold")
	}
	return state.Value{}
}

// magnitude checks the operand that __builtin_abs and similar functions negate.
func (m *Machine) magnitude(x state.Value, width int) {
	n := x.SignedBig(width)
	if n.BitLen() < width || n.Sign() >= 0 {
		return
	}
	m.violated(found.SignedOverflow, func() string {
		name := map[int]string{32: "int", 64: "long"}[width]
		return fmt.Sprintf("%s is %s, which does not fit %s", m.expressed("-("+n.String()+")"), new(big.Int).Neg(n), name)
	})
}

func (c *call) overflowMessage(kind found.Kind, name string, t clangir.CheckedType) string {
	x, z := c.number(1, t), new(big.Int)
	var formula string
	y := new(big.Int)
	if name != "negate_overflow" {
		y = c.number(2, t)
	}
	switch name {
	case "negate_overflow":
		formula = "-(" + x.String() + ")"
		z.Neg(x)
	case "add_overflow":
		formula = x.String() + " + " + bracketed(y)
		z.Add(x, y)
	case "sub_overflow":
		formula = x.String() + " - " + bracketed(y)
		z.Sub(x, y)
	default:
		formula = x.String() + " * " + bracketed(y)
		z.Mul(x, y)
	}
	if kind == found.UnsignedOverflow {
		return fmt.Sprintf("%s is %s, which wraps around to %s in %s", c.m.expressed(formula), z,
			state.BigValue(z, t.Bits).Big(), t.Name)
	}
	return fmt.Sprintf("%s is %s, which does not fit %s", c.m.expressed(formula), z, t.Name)
}

// expressed records text as the part of a message that stands for the source expression.
func (m *Machine) expressed(text string) string {
	m.expression = text
	return text
}

// bracketed returns a number in the form of a right operand.
func bracketed(y *big.Int) string {
	if y.Sign() < 0 {
		return "(" + y.String() + ")"
	}
	return y.String()
}
