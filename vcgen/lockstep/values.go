package lockstep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
)

// value is the value of a register: a term, or the values of the members of a structure. The zero value is undefined.
// Integers of one bit are Booleans; addresses and floats are bit vectors.
type value struct {
	t smt.Term
	e []value
}

func (v value) undefined() bool { return v.t == 0 && v.e == nil }

// terms returns the scalars of a value.
func (v value) terms() (list []smt.Term) {
	if v.t != 0 {
		list = append(list, v.t)
	}
	for _, e := range v.e {
		list = append(list, e.terms()...)
	}
	return list
}

// application is an arbitrary value that depends only on a key and arguments.
type application struct {
	key    string
	args   []smt.Term
	result smt.Term
}

// apply returns the value of an uninterpreted function.
func (x *prover) apply(key string, s smt.Sort, args ...smt.Term) smt.Term {
	id := fmt.Sprint(key, args)
	a := x.applications[id]
	if a == nil {
		a = &application{key: key, args: args, result: x.c.Var(fmt.Sprintf("%s.%d", key, len(x.applications)), s)}
		x.applications[id] = a
		x.of[a.result] = a
	}
	return a.result
}

// sortOf returns the sort of values of a scalar type.
func (x *prover) sortOf(t *llvmir.Type) smt.Sort {
	switch {
	case t.Kind == llvmir.PointerType:
		return smt.BV(64)
	case t.Kind == llvmir.IntType && t.Bits == 1:
		return smt.Bool
	case t.Kind == llvmir.IntType && t.Bits <= 128:
		return smt.BV(t.Bits)
	case t.Kind == llvmir.FloatType && t.IEEE() && t.Bits <= 64:
		return smt.BV(t.Bits)
	}
	x.fail("a value of type %s", t)
	return smt.Bool
}

// unwritten begins the keys of values of variables that were not written.
const unwritten = "unwritten "

// unwritten returns the value of a variable that was not written. It is another one for each load, so that nothing
// follows from it. The version after must not use it, except in a structure: a load of a bit-field has other bits, too.
func (x *prover) unwritten(p *path, s sideNumber, in *llvmir.Instr) value {
	f := p.sides[s].top()
	if d := x.defs[f.fn.Func][in.Args[0].Reg]; s == after && d != nil && d.ElemType.Kind != llvmir.StructType {
		if x.proves(p, x.c.False()) {
			panic(deadPath{})
		}
		x.fail("the version after may use %s before it is written, at line %d", f.fn.RegName(in.Args[0].Reg), line(in))
	}
	p.fresh++
	return x.arbitrary(in.Type, fmt.Sprintf("%s%d in version %d%s", unwritten, p.fresh, s, p.origin))
}

// isUnwritten reports whether a value may be that of a variable that was not written.
func (x *prover) isUnwritten(t smt.Term) bool {
	return t != 0 && slices.ContainsFunc(x.c.Symbols(t), func(v smt.Term) bool {
		a := x.of[v]
		return a != nil && (strings.HasPrefix(a.key, unwritten) || strings.HasPrefix(a.key, "undefined "))
	})
}

// arbitrary returns a value that is named.
func (x *prover) arbitrary(t *llvmir.Type, name string) value {
	if t.Kind == llvmir.StructType {
		v := value{e: []value{}}
		for i, f := range t.Fields {
			v.e = append(v.e, x.arbitrary(f, fmt.Sprintf("%s.%d", name, i)))
		}
		return v
	}
	return value{t: x.apply(name, x.sortOf(t))}
}

// operand returns the value of an operand.
func (x *prover) operand(p *path, s sideNumber, o llvmir.Operand) value {
	if o.Kind == llvmir.OperandReg {
		v := p.sides[s].top().regs[o.Reg]
		if v.undefined() {
			x.fail("a value is used where none is known")
		}
		return v
	}
	if o.Kind == llvmir.OperandMetadata || o.Const == nil {
		x.fail("an operand without a value")
	}
	return x.constant(p, s, o.Const)
}

func (x *prover) scalar(p *path, s sideNumber, o llvmir.Operand) smt.Term {
	v := x.operand(p, s, o)
	if v.t == 0 {
		x.fail("a structure as a value")
	}
	return v.t
}

// symbol returns the address of a function or variable: the same one in both versions for equal definitions.
func (x *prover) symbol(s sideNumber, name string) smt.Term {
	plain, _, _ := strings.Cut(name, "#") // another occurrence of a string literal
	id := x.version(s).Identity(plain)
	if id == "" {
		id = fmt.Sprintf("%d of version %d", len(name), s) + name
	}
	return x.apply("address of "+id, smt.BV(64))
}

func (x *prover) constant(p *path, s sideNumber, k *llvmir.Const) value {
	c := x.c
	switch k.Kind {
	case llvmir.ConstInt:
		if k.Type.Bits == 1 {
			return value{t: c.BoolConst(k.Int.Sign() != 0)}
		}
		return value{t: c.Big(k.Type.Bits, k.Int)}
	case llvmir.ConstFloat:
		x.sortOf(k.Type)
		return value{t: c.Big(k.Type.Bits, k.Int)}
	case llvmir.ConstNull:
		return value{t: c.Int(64, 0)}
	case llvmir.ConstUndef:
		p.fresh++
		return x.arbitrary(k.Type, fmt.Sprintf("undefined %d in version %d%s", p.fresh, s, p.origin))
	case llvmir.ConstZero:
		return x.zero(k.Type)
	case llvmir.ConstAggregate:
		if k.Type.Kind == llvmir.StructType {
			v := value{e: []value{}}
			for _, e := range k.Elems {
				v.e = append(v.e, x.constant(p, s, e))
			}
			return v
		}
	case llvmir.ConstGlobal:
		if k.Outside != nil || k.Global.ThreadLocal {
			break
		}
		t := x.symbol(s, k.Global.Name)
		x.nonNull[t] = x.nonNull[t] || k.Global.Init != nil
		return value{t: c.Add(t, c.IntS(64, k.Offset))}
	case llvmir.ConstFunc:
		if k.Func.Weak {
			break
		}
		t := x.symbol(s, k.Func.Name)
		x.nonNull[t] = true
		return value{t: c.Add(t, c.IntS(64, k.Offset))}
	case llvmir.ConstExpr:
		v, ok := x.pure(p, s, k.Expr)
		if ok {
			return v
		}
	}
	x.fail("a constant of type %s", k.Type)
	return value{}
}

func (x *prover) zero(t *llvmir.Type) value {
	switch {
	case t.Kind == llvmir.StructType:
		v := value{e: []value{}}
		for _, f := range t.Fields {
			v.e = append(v.e, x.zero(f))
		}
		return v
	case x.sortOf(t).IsBool():
		return value{t: x.c.False()}
	}
	return value{t: x.c.Int(x.sortOf(t).Width(), 0)}
}

// pure returns the result of an instruction without effects. ok is false for others.
func (x *prover) pure(p *path, s sideNumber, in *llvmir.Instr) (v value, ok bool) {
	c := x.c
	arg := func(i int) smt.Term { return x.scalar(p, s, in.Args[i]) }
	switch in.Op {
	case llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv, llvmir.OpSDiv, llvmir.OpURem, llvmir.OpSRem,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		x.sortOf(in.Type)
		return value{t: x.integer(p, s, in, arg(0), arg(1))}, true
	case llvmir.OpFAdd, llvmir.OpFSub, llvmir.OpFMul, llvmir.OpFDiv, llvmir.OpFRem, llvmir.OpFNeg, llvmir.OpFPTrunc,
		llvmir.OpFPExt, llvmir.OpUIToFP, llvmir.OpSIToFP:
		x.exact(in)
		var args []smt.Term
		for i := range in.Args {
			args = append(args, arg(i))
		}
		return value{t: x.apply(fmt.Sprintf("operation %d to %s", in.Op, in.Type), x.sortOf(in.Type), args...)}, true
	case llvmir.OpFPToUI, llvmir.OpFPToSI:
		x.exact(in)
		key := fmt.Sprintf("operation %d to %s", in.Op, in.Type)
		if x.unchecked(s, in) {
			x.defined(p, s, fmt.Sprint(key, arg(0)), nil)
		}
		return value{t: x.apply(key, x.sortOf(in.Type), arg(0))}, true
	case llvmir.OpFCmp:
		x.exact(in)
		a, b, pred := arg(0), arg(1), in.Pred
		switch pred { // the same as with exchanged operands
		case llvmir.PredOGT:
			a, b, pred = b, a, llvmir.PredOLT
		case llvmir.PredOGE:
			a, b, pred = b, a, llvmir.PredOLE
		case llvmir.PredFUGT:
			a, b, pred = b, a, llvmir.PredFULT
		case llvmir.PredFUGE:
			a, b, pred = b, a, llvmir.PredFULE
		}
		return value{t: x.apply(fmt.Sprintf("comparison %d of %s", pred, in.Args[0].Type), smt.Bool, a, b)}, true
	case llvmir.OpICmp:
		if t := in.Args[0].Type; t.Kind == llvmir.PointerType {
			return value{t: x.comparePointers(p, s, in.Pred, arg(0), arg(1))}, true
		}
		x.sortOf(in.Args[0].Type)
		return value{t: arith.Compare(c, in.Pred, arg(0), arg(1))}, true
	case llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		// An address as a number names no object: equal numbers do not make pointers equal (comparePointers).
		if x.version(s).Module.Of(in).Extent != 0 {
			x.defined(p, s, fmt.Sprint("extent ", in.Op, in.Type, arg(0)), nil)
		}
		return value{t: x.apply(fmt.Sprintf("operation %d to %s", in.Op, in.Type), x.sortOf(in.Type), arg(0))}, true
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt:
		from, to := arg(0), x.sortOf(in.Type)
		if to.IsBool() { // a byte of a _Bool, which has no other values than 0 and 1
			truth := c.Ult(from, c.Int(c.Width(from), 2))
			x.defined(p, s, fmt.Sprint("truth value ", from), &truth)
		}
		t := arith.Resize(c, from, to, in.Op == llvmir.OpSExt)
		if x.version(s).Module.Of(in).Extent != 0 {
			x.defined(p, s, fmt.Sprint("extent ", in.Op, in.Type, from), nil)
		}
		return value{t: t}, true
	case llvmir.OpBitCast:
		from, to := x.sortOf(in.Args[0].Type), x.sortOf(in.Type)
		if from != to {
			break
		}
		return value{t: arg(0)}, true
	case llvmir.OpFreeze:
		return x.operand(p, s, in.Args[0]), true
	case llvmir.OpSelect:
		cond, a, b := arg(0), x.operand(p, s, in.Args[1]), x.operand(p, s, in.Args[2])
		if a.t == 0 || b.t == 0 {
			break
		}
		return value{t: c.Ite(cond, a.t, b.t)}, true
	case llvmir.OpGEP:
		if in.GEP.Outside != nil {
			x.defined(p, s, fmt.Sprint("outside ", in.GEP.Outside.Index, in.GEP.Outside.Len, arg(0)), nil)
		}
		t := c.Add(arg(0), c.IntS(64, in.GEP.Const))
		for i, scale := range in.GEP.Scales {
			t = c.Add(t, x.scaled(p, s, arg(i+1), scale))
		}
		return value{t: t}, true
	case llvmir.OpExtractValue:
		v := x.operand(p, s, in.Args[0])
		for _, i := range in.Path {
			if i >= len(v.e) {
				return value{}, false
			}
			v = v.e[i]
		}
		return v, true
	case llvmir.OpInsertValue:
		return insert(x.operand(p, s, in.Args[0]), x.operand(p, s, in.Args[1]), in.Path), true
	}
	return value{}, false
}

func insert(v, part value, path []int) value {
	if len(path) == 0 {
		return part
	}
	out := value{e: append([]value{}, v.e...)}
	out.e[path[0]] = insert(v.e[path[0]], part, path[1:])
	return out
}

// scaled returns the distance of an element in bytes. The product must not wrap around: an index so large is outside
// of every object, although the sum may be the address of one.
func (x *prover) scaled(p *path, s sideNumber, index smt.Term, scale int64) smt.Term {
	c := x.c
	if w := c.Width(index); w < 64 {
		index = c.Sext(index, 64)
	} else if w > 64 {
		index = c.Extract(index, 63, 0)
	}
	limit := llvmir.FarAway(64) / max(scale, -scale, 1)
	small := c.And(c.Slt(c.IntS(64, -limit), index), c.Slt(index, c.IntS(64, limit)))
	if !c.IsTrue(small) && (scale > 1 || scale < -1) {
		x.computed(p, s, fmt.Sprint("index ", scale, index), small)
	}
	return c.Mul(index, c.IntS(64, scale))
}

// unchecked reports whether an operation without a result for some operands is not checked by a sanitizer.
func (x *prover) unchecked(s sideNumber, in *llvmir.Instr) bool {
	return x.version(s).Module.Of(in).Undefined == 0
}

// integer returns the result of arithmetic on integers.
func (x *prover) integer(p *path, s sideNumber, in *llvmir.Instr, a, b smt.Term) smt.Term {
	c := x.c
	if c.Sort(a).IsBool() {
		if t, ok := arith.Booleans(c, in.Op, a, b); ok {
			return t
		}
		x.fail("arithmetic on one bit")
	}
	facts := x.version(s).Module.Of(in)
	key := fmt.Sprint("operation ", in.Op, " ", a, b)
	if facts.Wraps || facts.Magnitude || facts.PointerDifference || facts.Extent != 0 {
		x.defined(p, s, key, nil)
	}
	w := c.Width(a)
	switch in.Op {
	case llvmir.OpAdd:
		return c.Add(a, b)
	case llvmir.OpSub:
		return c.Sub(a, b)
	case llvmir.OpMul:
		return c.Mul(a, b)
	case llvmir.OpAnd:
		return c.BvAnd(a, b)
	case llvmir.OpOr:
		return c.BvOr(a, b)
	case llvmir.OpXor:
		return c.BvXor(a, b)
	case llvmir.OpUDiv, llvmir.OpURem, llvmir.OpSDiv, llvmir.OpSRem:
		if x.unchecked(s, in) {
			cond := c.Ne(b, c.Int(w, 0))
			if in.Op == llvmir.OpSDiv || in.Op == llvmir.OpSRem {
				least := c.BvNot(c.Lshr(c.IntS(w, -1), c.Int(w, 1)))
				cond = c.And(cond, c.Or(c.Ne(a, least), c.Ne(b, c.IntS(w, -1))))
			}
			x.defined(p, s, key, &cond)
		}
	default:
		if x.unchecked(s, in) {
			cond := c.Ult(b, c.Int(w, uint64(w)))
			if e := facts.Exponent; e.Kind == llvmir.OperandReg && e.Type.Kind == llvmir.IntType && e.Type.Bits > w {
				n := x.scalar(p, s, e)
				cond = c.Ult(n, c.Int(c.Width(n), uint64(w)))
			}
			x.defined(p, s, key, &cond)
		}
	}
	switch in.Op {
	case llvmir.OpUDiv:
		return c.Udiv(a, b)
	case llvmir.OpURem:
		return c.Urem(a, b)
	case llvmir.OpSDiv:
		return c.Sdiv(a, b)
	case llvmir.OpSRem:
		return c.Srem(a, b)
	case llvmir.OpShl:
		return c.Shl(a, b)
	case llvmir.OpLShr:
		return c.Lshr(a, b)
	default:
		return c.Ashr(a, b)
	}
}

// comparePointers compares two addresses. Equal addresses need not belong to the same object, so that two pointers are
// equal is never used to replace one by the other: it is an arbitrary property of both.
func (x *prover) comparePointers(p *path, s sideNumber, pred llvmir.Pred, a, b smt.Term) smt.Term {
	c := x.c
	if distance := c.Sub(a, b); c.IsConst(distance) { // of the same object, or both constants
		if pred == llvmir.PredEQ || pred == llvmir.PredNE {
			return arith.Compare(c, pred, a, b)
		}
	}
	null := func(t smt.Term) bool { v, ok := c.Uint64(t); return ok && v == 0 }
	if pred == llvmir.PredEQ || pred == llvmir.PredNE {
		if null(a) {
			a, b = b, a
		}
		var equal smt.Term
		switch {
		case null(b) && x.nonNull[a]:
			equal = c.False()
		case null(b):
			equal = c.Eq(a, b)
		default:
			if a > b {
				a, b = b, a
			}
			equal = x.apply("equal pointers", smt.Bool, a, b)
		}
		if pred == llvmir.PredNE {
			return c.Not(equal)
		}
		return equal
	}
	switch pred { // a > b is b < a, and a <= b is not b < a
	case llvmir.PredUGT, llvmir.PredUGE, llvmir.PredULT, llvmir.PredULE:
	default:
		x.fail("a signed comparison of pointers")
	}
	if pred == llvmir.PredUGT || pred == llvmir.PredULE {
		a, b = b, a
	}
	x.defined(p, s, fmt.Sprint("order of pointers ", min(a, b), max(a, b)), nil)
	less := x.apply("less pointer", smt.Bool, a, b)
	if pred == llvmir.PredUGE || pred == llvmir.PredULE {
		return c.Not(less)
	}
	return less
}
