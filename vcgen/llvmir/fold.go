package llvmir

import (
	"math/big"
)

// fold returns the value of an operation on constants.
//
// It returns a ConstExpr if the value depends on the addresses of objects, or is undefined (division by zero,
// oversized shift).
func (r *reader) fold(in *Instr) *Const {
	expr := &Const{Kind: ConstExpr, Type: in.Type, Expr: in}
	arg := func(i int) *Const { return in.Args[i].Const }
	switch in.Op {
	case OpGEP:
		if len(in.Args) == 1 {
			if c := r.offset(arg(0), in.Type, in.GEP.Const); c != nil {
				if g := in.GEP; (c.Kind == ConstGlobal || c.Kind == ConstFunc) && (g.moves || g.Outside != nil) {
					c.Outside = g.Outside
				}
				base := arg(0)
				if k := in.GEP.carried; k != nil && c.Kind == ConstGlobal && k.array.isMember(c.Global.Type, base.Offset) {
					c.Outside = &k.Outside
				}
				return c
			}
		}
		return expr
	case OpBitCast:
		return r.foldBitCast(arg(0), in.Type, expr)
	case OpPtrToInt:
		if in.Type.Kind == IntType {
			if a, ok := r.numericAddress(arg(0)); ok {
				return r.intConst(in.Type, a)
			}
		}
		return expr
	case OpIntToPtr:
		x := arg(0)
		switch {
		case x.Kind == ConstInt && x.Int.Sign() == 0 && in.Type.Kind == PointerType:
			return &Const{Kind: ConstNull, Type: in.Type}
		case x.Kind == ConstExpr && x.Expr.Op == OpPtrToInt && x.Type.Bits == r.m.Layout.Pointer:
			// The address survives the conversion to its own width and back.
			return r.foldBitCast(x.Expr.Args[0].Const, in.Type, expr)
		}
		return expr
	case OpSelect:
		if c := arg(0); c.Kind == ConstInt {
			if c.Int.Sign() != 0 {
				return arg(1)
			}
			return arg(2)
		}
		return expr
	case OpTrunc, OpZExt, OpSExt:
		x := arg(0)
		if x.Kind != ConstInt || in.Type.Kind != IntType {
			return expr
		}
		if in.Op == OpSExt {
			return r.intConst(in.Type, signed(x))
		}
		return r.intConst(in.Type, x.Int)
	case OpICmp:
		if v, ok := foldICmp(in.Pred, arg(0), arg(1)); ok && in.Type.Kind == IntType {
			return r.intConst(in.Type, boolInt(v))
		}
		return expr
	case OpSub:
		if d, ok := addressDifference(arg(0), arg(1)); ok && in.Type.Kind == IntType {
			return r.intConst(in.Type, big.NewInt(d))
		}
	}
	if len(in.Args) == 2 && in.Type.Kind == IntType && arg(0).Kind == ConstInt && arg(1).Kind == ConstInt {
		if v := foldInt(in.Op, arg(0), arg(1)); v != nil {
			return r.intConst(in.Type, v)
		}
	}
	return expr
}

// offset returns the address base plus off bytes with type t; nil if base is not a known address.
func (r *reader) offset(base *Const, t *Type, off int64) *Const {
	switch base.Kind {
	case ConstGlobal, ConstFunc:
		c := *base
		c.Type = t
		c.Offset += off
		return &c
	case ConstNull:
		if off == 0 {
			return &Const{Kind: ConstNull, Type: t}
		}
	case ConstUndef:
		return r.undef(t)
	}
	return nil
}

// foldBitCast reinterprets x as type t; expr is the result if the value is unknown.
func (r *reader) foldBitCast(x *Const, t *Type, expr *Const) *Const {
	if x.Type == t {
		return x
	}
	switch x.Kind {
	case ConstGlobal, ConstFunc, ConstNull:
		if t.Kind == PointerType {
			return r.offset(x, t, 0)
		}
	case ConstUndef:
		return r.undef(t)
	case ConstInt, ConstFloat:
		if t.Kind == FloatType && x.Type.Bits == t.Bits {
			return &Const{Kind: ConstFloat, Type: t, Int: x.Int}
		}
		if t.Kind == IntType && x.Type.Bits == t.Bits {
			return r.intConst(t, x.Int)
		}
	case ConstExpr:
		// A pointer keeps its value: only the type of the expression changes.
		if x.Type.Kind == PointerType && t.Kind == PointerType && x.Expr.Op != OpUnsupported {
			return &Const{Kind: ConstExpr, Type: t, Expr: retyped(x.Expr, t)}
		}
	}
	return expr
}

func retyped(e *Instr, t *Type) *Instr {
	if e.Op == OpBitCast || e.Op == OpIntToPtr || e.Op == OpGEP {
		out := *e
		out.Type = t
		return &out
	}
	x := &Const{Kind: ConstExpr, Type: e.Type, Expr: e}
	return &Instr{Op: OpBitCast, Type: t, Dst: -1, Args: []Operand{{Kind: OperandConst, Const: x, Type: e.Type}}}
}

// numericAddress returns the address of a pointer computed only from integers.
func (r *reader) numericAddress(c *Const) (*big.Int, bool) {
	switch c.Kind {
	case ConstNull:
		return new(big.Int), true
	case ConstExpr:
		e := c.Expr
		switch e.Op {
		case OpIntToPtr:
			if x := e.Args[0].Const; x.Kind == ConstInt {
				return wrap(x.Int, r.m.Layout.Pointer), true
			}
		case OpGEP:
			if len(e.Args) != 1 {
				return nil, false
			}
			base, ok := r.numericAddress(e.Args[0].Const)
			if !ok {
				return nil, false
			}
			return wrap(new(big.Int).Add(base, big.NewInt(e.GEP.Const)), r.m.Layout.Pointer), true
		}
	}
	return nil, false
}

// addressDifference returns x - y for two integers that are addresses in one object.
func addressDifference(x, y *Const) (int64, bool) {
	px, py := pointerOf(x), pointerOf(y)
	if px == nil || py == nil || !sameObject(px, py) {
		return 0, false
	}
	return px.Offset - py.Offset, true
}

func pointerOf(c *Const) *Const {
	if c.Kind == ConstExpr && c.Expr.Op == OpPtrToInt {
		return c.Expr.Args[0].Const
	}
	return nil
}

func sameObject(x, y *Const) bool {
	return x.Kind == ConstGlobal && y.Kind == ConstGlobal && x.Global == y.Global ||
		x.Kind == ConstFunc && y.Kind == ConstFunc && x.Func == y.Func
}

func foldICmp(p Pred, x, y *Const) (value, ok bool) {
	var cmp int
	switch {
	case x.Kind == ConstInt && y.Kind == ConstInt:
		if p >= PredSGT && p <= PredSLE {
			cmp = signed(x).Cmp(signed(y))
		} else {
			cmp = x.Int.Cmp(y.Int)
		}
	case sameObject(x, y) && (p == PredEQ || p == PredNE):
		// Equality only: the order depends on the location of the object if an offset is outside of it.
		if x.Offset != y.Offset {
			cmp = 1
		}
	case x.Kind == ConstNull && y.Kind == ConstNull:
	default:
		return false, false
	}
	switch p {
	case PredEQ:
		return cmp == 0, true
	case PredNE:
		return cmp != 0, true
	case PredUGT, PredSGT:
		return cmp > 0, true
	case PredUGE, PredSGE:
		return cmp >= 0, true
	case PredULT, PredSLT:
		return cmp < 0, true
	case PredULE, PredSLE:
		return cmp <= 0, true
	}
	return false, false
}

func boolInt(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// foldInt returns the result of a binary operation before reduction modulo 2^Bits; nil if it is undefined.
func foldInt(op Op, x, y *Const) *big.Int {
	z := new(big.Int)
	switch op {
	case OpAdd:
		return z.Add(x.Int, y.Int)
	case OpSub:
		return z.Sub(x.Int, y.Int)
	case OpMul:
		return z.Mul(x.Int, y.Int)
	case OpAnd:
		return z.And(x.Int, y.Int)
	case OpOr:
		return z.Or(x.Int, y.Int)
	case OpXor:
		return z.Xor(x.Int, y.Int)
	case OpUDiv, OpURem, OpSDiv, OpSRem:
		if y.Int.Sign() == 0 {
			return nil
		}
		switch op {
		case OpUDiv:
			return z.Quo(x.Int, y.Int)
		case OpURem:
			return z.Rem(x.Int, y.Int)
		}
		sx, sy := signed(x), signed(y)
		if sy.IsInt64() && sy.Int64() == -1 && sx.Sign() < 0 && sx.TrailingZeroBits() == uint(x.Type.Bits-1) {
			return nil // INT_MIN / -1
		}
		if op == OpSDiv {
			return z.Quo(sx, sy)
		}
		return z.Rem(sx, sy)
	case OpShl, OpLShr, OpAShr:
		if y.Int.Cmp(big.NewInt(int64(x.Type.Bits))) >= 0 {
			return nil
		}
		n := uint(y.Int.Uint64())
		switch op {
		case OpShl:
			return z.Lsh(x.Int, n)
		case OpLShr:
			return z.Rsh(x.Int, n)
		}
		return z.Rsh(signed(x), n)
	}
	return nil
}
