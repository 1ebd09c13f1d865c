package inspect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Types of literals and results of operators. They are immutable.
var (
	cInt     = &llvmir.DIType{Kind: llvmir.DIInt, Name: "int", Bits: 32, Signed: true}
	cUInt    = &llvmir.DIType{Kind: llvmir.DIInt, Name: "unsigned int", Bits: 32}
	cLong    = &llvmir.DIType{Kind: llvmir.DIInt, Name: "long", Bits: 64, Signed: true}
	cULong   = &llvmir.DIType{Kind: llvmir.DIInt, Name: "unsigned long", Bits: 64}
	cDouble  = &llvmir.DIType{Kind: llvmir.DIFloat, Name: "double", Bits: 64, Signed: true}
	cVoidPtr = &llvmir.DIType{Kind: llvmir.DIPointer, Name: "void *", Bits: 64}
)

func pointerType(to *llvmir.DIType) *llvmir.DIType {
	name := "void *"
	if to != nil {
		if name = to.Name + " *"; strings.HasSuffix(to.Name, "*") {
			name = to.Name + "*"
		}
	}
	return &llvmir.DIType{Kind: llvmir.DIPointer, Name: name, Bits: 64, Elem: to}
}

// decay converts an array to a pointer.
func (v Value) decay() Value {
	if v.typ == nil || v.typ.Kind != llvmir.DIArray || v.obj == nil {
		return v
	}
	return Value{r: v.r, typ: pointerType(v.typ.Elem), num: state.PointerTo(v.obj, v.off)}
}

func (v Value) address() (Value, error) {
	switch {
	case v.field != nil:
		return Value{}, errors.New("a bit-field has no address")
	case v.obj == nil:
		return Value{}, errors.New("only what lies in memory has an address")
	case v.obj.Serial == 0:
		return Value{}, fmt.Errorf("%s is not used yet", v.obj.Source)
	}
	return Value{r: v.r, typ: pointerType(v.typ), num: state.PointerTo(v.obj, v.off)}, nil
}

// scalar returns the number of a value that is an operand of an operator.
func (v Value) scalar() (state.Value, *llvmir.DIType, error) {
	v = v.decay()
	if v.typ == nil {
		return state.Value{}, nil, errors.New("a value of unknown type")
	}
	n, err := v.load()
	if err != nil {
		return state.Value{}, nil, err
	}
	if v.typ.Bits > 64 || n.X != nil {
		return state.Value{}, nil, fmt.Errorf("%s is too wide to compute with", v.typ.Name)
	}
	return n, v.typ, nil
}

// asInt returns an integer, sign- or zero-extended to 64 bits.
func asInt(n state.Value, t *llvmir.DIType) uint64 {
	if t.Signed && t.Bits < 64 && t.Kind != llvmir.DIBool {
		return uint64(state.SignExtend(n.Bits, int(t.Bits)))
	}
	return n.Bits & state.Mask(int(t.Bits))
}

func asFloat(n state.Value, t *llvmir.DIType) float64 {
	switch {
	case t.Kind == llvmir.DIFloat:
		return state.ToFloat(n, int(t.Bits))
	case t.Signed:
		return float64(int64(asInt(n, t)))
	}
	return float64(asInt(n, t))
}

// operate applies a binary operator with the conversions of C.
func (r *Inspector) operate(op string, a, b Value) (Value, error) {
	x, tx, err := a.scalar()
	if err != nil {
		return Value{}, err
	}
	y, ty, err := b.scalar()
	if err != nil {
		return Value{}, err
	}
	if tx.Kind == llvmir.DIPointer || ty.Kind == llvmir.DIPointer {
		return r.pointerOp(op, x, tx, y, ty)
	}
	result := func(t *llvmir.DIType, n uint64) (Value, error) {
		return Value{r: r, typ: t, num: state.IntValue(n & state.Mask(int(t.Bits)))}, nil
	}
	truth := func(c bool) (Value, error) {
		if c {
			return result(cInt, 1)
		}
		return result(cInt, 0)
	}
	if tx.Kind == llvmir.DIFloat || ty.Kind == llvmir.DIFloat {
		f, g := asFloat(x, tx), asFloat(y, ty)
		switch op {
		case "+", "-", "*", "/":
			h := map[string]float64{"+": f + g, "-": f - g, "*": f * g, "/": f / g}[op]
			return Value{r: r, typ: cDouble, num: state.FromFloat(h, 64)}, nil
		case "%", "&", "|", "^", "<<", ">>":
			return Value{}, fmt.Errorf("`%s` needs integers", op)
		}
		return truth(compared(op, f < g, f == g, f > g))
	}
	t := commonType(tx, ty)
	m, n := asInt(x, tx), asInt(y, ty)
	if op == "<<" || op == ">>" {
		t = commonType(tx, cInt)
		if n >= uint64(t.Bits) {
			return Value{}, fmt.Errorf("a shift by %d is undefined", int64(n))
		}
		if op == "<<" {
			return result(t, m<<n)
		}
		if t.Signed {
			return result(t, uint64(int64(m)>>n))
		}
		return result(t, m&state.Mask(int(t.Bits))>>n)
	}
	m, n = asInt(state.IntValue(m), t), asInt(state.IntValue(n), t)
	switch op {
	case "+":
		return result(t, m+n)
	case "-":
		return result(t, m-n)
	case "*":
		return result(t, m*n)
	case "&":
		return result(t, m&n)
	case "|":
		return result(t, m|n)
	case "^":
		return result(t, m^n)
	case "/", "%":
		switch {
		case n == 0:
			return Value{}, errors.New("division by zero")
		case t.Signed && int64(n) == -1:
			if op == "%" {
				return result(t, 0)
			}
			return result(t, -m)
		case t.Signed && op == "/":
			return result(t, uint64(int64(m)/int64(n)))
		case t.Signed:
			return result(t, uint64(int64(m)%int64(n)))
		case op == "/":
			return result(t, m/n)
		}
		return result(t, m%n)
	}
	if t.Signed {
		return truth(compared(op, int64(m) < int64(n), m == n, int64(m) > int64(n)))
	}
	return truth(compared(op, m < n, m == n, m > n))
}

func compared(op string, less, equal, greater bool) bool {
	switch op {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return less
	case ">":
		return greater
	case "<=":
		return less || equal
	}
	return greater || equal
}

// commonType returns the type of an operation on integers (the usual arithmetic conversions).
func commonType(a, b *llvmir.DIType) *llvmir.DIType {
	wide := a.Bits > 32 || b.Bits > 32
	unsigned := false
	for _, t := range []*llvmir.DIType{a, b} {
		if !t.Signed && t.Kind != llvmir.DIBool && (t.Bits == 64 || t.Bits == 32 && !wide) {
			unsigned = true
		}
	}
	switch {
	case wide && unsigned:
		return cULong
	case wide:
		return cLong
	case unsigned:
		return cUInt
	}
	return cInt
}

func (r *Inspector) pointerOp(op string, x state.Value, tx *llvmir.DIType, y state.Value, ty *llvmir.DIType) (Value,
	error) {
	bothPointers := tx.Kind == llvmir.DIPointer && ty.Kind == llvmir.DIPointer
	size := func(t *llvmir.DIType) uint64 { return uint64(max(explain.TypeSize(t.Elem), 1)) }
	switch {
	case op == "+" && !bothPointers:
		if ty.Kind == llvmir.DIPointer {
			x, tx, y, ty = y, ty, x, tx
		}
		if ty.Kind == llvmir.DIFloat {
			return Value{}, errors.New("a float cannot be added to a pointer")
		}
		x.Bits += asInt(y, ty) * size(tx)
		return Value{r: r, typ: tx, num: x}, nil
	case op == "-" && !bothPointers && tx.Kind == llvmir.DIPointer && ty.Kind != llvmir.DIFloat:
		x.Bits -= asInt(y, ty) * size(tx)
		return Value{r: r, typ: tx, num: x}, nil
	case op == "-" && bothPointers:
		if x.Obj != y.Obj {
			return Value{}, errors.New("the pointers point into different objects")
		}
		return Value{r: r, typ: cLong, num: state.IntValue(uint64(int64(x.Bits-y.Bits) / int64(size(tx))))}, nil
	case op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=":
		n := uint64(0)
		if compared(op, x.Bits < y.Bits, x.Bits == y.Bits, x.Bits > y.Bits) {
			n = 1
		}
		return Value{r: r, typ: cInt, num: state.IntValue(n)}, nil
	}
	return Value{}, fmt.Errorf("`%s` does not work on pointers", op)
}

// convert returns the value cast to t.
func (v Value) convert(t *llvmir.DIType) (Value, error) {
	if v.typ != nil && v.typ.Kind == t.Kind && (t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion) &&
		v.typ.Bits == t.Bits {
		return v, nil
	}
	if !explain.IsScalar(t) {
		return Value{}, fmt.Errorf("nothing can be cast to %s", t.Name)
	}
	n, from, err := v.scalar()
	if err != nil {
		return Value{}, err
	}
	out := Value{r: v.r, typ: t}
	switch {
	case t.Kind == llvmir.DIFloat:
		out.num = state.FromFloat(asFloat(n, from), int(t.Bits))
	case t.Kind == llvmir.DIBool:
		if from.Kind == llvmir.DIFloat && asFloat(n, from) != 0 || from.Kind != llvmir.DIFloat && n.Bits != 0 {
			out.num = state.IntValue(1)
		}
	case from.Kind == llvmir.DIFloat:
		if f := asFloat(n, from); f < 0 {
			out.num = state.IntValue(uint64(int64(f)) & state.Mask(int(t.Bits)))
		} else {
			out.num = state.IntValue(uint64(f) & state.Mask(int(t.Bits)))
		}
	case t.Bits == 64:
		n.Bits = asInt(n, from) // keeps the object of a pointer
		out.num = n
	default:
		out.num = state.IntValue(asInt(n, from) & state.Mask(int(t.Bits)))
	}
	return out, nil
}
