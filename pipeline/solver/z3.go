//go:build linux && !static

package solver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"runtime"
	"strings"
	"time"

	"github.com/aclements/go-z3/z3"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// z3Solver is the cross-check with go-z3. Each query has a fresh context with all assertions: Z3's default solver slows
// down in a context with old terms, and the binding has no assumptions.
type z3Solver struct {
	stateless
	contexts int // number of contexts so far
}

func newZ3(c *smt.Context) (smt.Solver, error) {
	if err := loadZ3(); err != nil {
		return nil, err
	}
	s := &z3Solver{stateless: stateless{c: c}}
	s.ask = s.query
	return s, nil
}

func (s *z3Solver) query(ctx context.Context, assumptions []smt.Term, steps int64) (res smt.Result, m *smt.Model) {
	if ctx.Err() != nil {
		return smt.Stopped(ctx), nil
	}
	if s.contexts++; s.contexts%8 == 0 {
		runtime.GC() // finalizers free the contexts, whose memory is not Go's
	}
	// The binding panics on errors of Z3.
	defer func() {
		if p := recover(); p != nil {
			res = smt.Result{Answer: smt.Failed, Reason: fmt.Sprint(p)}
			if err, ok := p.(error); ok && errors.Is(err, errStopped) {
				res = smt.Stopped(ctx)
			}
			m = nil
		}
	}()
	config := z3.NewContextConfig()
	if steps > 0 {
		config.SetUint("rlimit", uint(min(steps, math.MaxUint32/z3UnitsPerStep)*z3UnitsPerStep))
	}
	zc := z3.NewContext(config)
	tr := newTranslator(s.c, zc)
	tr.poll = func() {
		if ctx.Err() != nil {
			panic(errStopped)
		}
	}
	zs := z3.NewSolver(zc)
	for _, ts := range [][]smt.Term{s.asserted, assumptions} {
		tr.translate(ts)
		for _, t := range ts {
			zs.Assert(tr.at[t].(z3.Bool))
		}
	}
	// An interrupt before the search has begun is lost, so it is repeated until Check returns.
	done := make(chan struct{})
	helper := make(chan struct{})
	go func() {
		defer close(helper)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		for {
			zc.Interrupt()
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	sat, err := zs.Check()
	close(done)
	<-helper
	switch {
	case err != nil && ctx.Err() != nil:
		return smt.Stopped(ctx), nil
	case err != nil && steps > 0 && (strings.Contains(err.Error(), "resource") ||
		strings.Contains(err.Error(), "canceled")):
		return smt.Result{Answer: smt.StepLimit, Reason: err.Error(), Steps: steps}, nil
	case err != nil:
		return smt.Result{Answer: smt.Failed, Reason: "z3: " + err.Error()}, nil
	case !sat:
		return smt.Result{Answer: smt.Unsat}, nil
	}
	return smt.Result{Answer: smt.Sat}, tr.model(zs.Model())
}

// translator maps terms to values of one Z3 context.
type translator struct {
	c     *smt.Context
	z     *z3.Context
	at    map[smt.Term]z3.Value
	funcs map[smt.Func]z3.FuncDecl
	vars  []smt.Term
	apps  []smt.Term
	poll  func()
}

func newTranslator(c *smt.Context, z *z3.Context) *translator {
	return &translator{c: c, z: z, at: map[smt.Term]z3.Value{}, funcs: map[smt.Func]z3.FuncDecl{}, poll: func() {}}
}

func (tr *translator) translate(ts []smt.Term) {
	for i, t := range tr.c.Cone(ts...) {
		if i&255 == 0 {
			tr.poll()
		}
		if tr.at[t] == nil {
			tr.at[t] = tr.term(t)
		}
	}
}

func (tr *translator) bv(n int) z3.Sort { return tr.z.BVSort(n) }

func (tr *translator) number(n int, v *big.Int) z3.BV {
	return tr.z.FromBigInt(v, tr.bv(n)).(z3.BV)
}

func (tr *translator) floatSort(n int) z3.Sort {
	f := formatOf(n)
	return tr.z.FloatSort(f.eb, f.sb)
}

// toFloat converts a bit pattern to a float.
func (tr *translator) toFloat(v z3.BV, n int) z3.Float { return v.IEEEToFloat(tr.floatSort(n)) }

// fromFloat returns the bit pattern, canonical for NaN.
func (tr *translator) fromFloat(v z3.Float, n int) z3.BV {
	nan := tr.number(n, formatOf(n).nan().bigValue())
	return v.IsNaN().IfThenElse(nan, v.ToIEEEBV()).(z3.BV)
}

func (tr *translator) term(t smt.Term) z3.Value {
	c := tr.c
	n := c.Width(t)
	args := c.Args(t)
	b := func(i int) z3.Bool { return tr.at[args[i]].(z3.Bool) }
	v := func(i int) z3.BV { return tr.at[args[i]].(z3.BV) }
	width := func(i int) int { return c.Width(args[i]) }
	f := func(i int) z3.Float { return tr.toFloat(v(i), width(i)) }
	fold := func(op func(x, y z3.BV) z3.BV) z3.Value {
		r := v(0)
		for i := 1; i < len(args); i++ {
			r = op(r, v(i))
		}
		return r
	}
	switch op := c.Op(t); op {
	case smt.OpTrue, smt.OpFalse:
		return tr.z.FromBool(op == smt.OpTrue)
	case smt.OpConst:
		return tr.number(n, c.BigValue(t))
	case smt.OpVar:
		tr.vars = append(tr.vars, t)
		name := fmt.Sprintf("%s!%d", c.VarName(t), t)
		if n == 0 {
			return tr.z.BoolConst(name)
		}
		low := c.VarLow(t)
		if low == 0 {
			return tr.z.BVConst(name, n)
		}
		return tr.z.BVConst(name, n-low).Concat(tr.number(low, new(big.Int)))
	case smt.OpNot:
		return b(0).Not()
	case smt.OpAnd, smt.OpOr:
		r := b(0)
		for i := 1; i < len(args); i++ {
			if op == smt.OpAnd {
				r = r.And(b(i))
			} else {
				r = r.Or(b(i))
			}
		}
		return r
	case smt.OpEq:
		if width(0) == 0 {
			return b(0).Iff(b(1))
		}
		return v(0).Eq(v(1))
	case smt.OpIte:
		return b(0).IfThenElse(tr.at[args[1]], tr.at[args[2]])
	case smt.OpUlt:
		return v(0).ULT(v(1))
	case smt.OpUle:
		return v(0).ULE(v(1))
	case smt.OpSlt:
		return v(0).SLT(v(1))
	case smt.OpSle:
		return v(0).SLE(v(1))
	case smt.OpAdd:
		return fold(z3.BV.Add)
	case smt.OpMul:
		return fold(z3.BV.Mul)
	case smt.OpUdiv:
		return v(0).UDiv(v(1))
	case smt.OpUrem:
		return v(0).URem(v(1))
	case smt.OpSdiv:
		return v(0).SDiv(v(1))
	case smt.OpSrem:
		return v(0).SRem(v(1))
	case smt.OpBvNot:
		return v(0).Not()
	case smt.OpBvAnd:
		return fold(z3.BV.And)
	case smt.OpBvOr:
		return fold(z3.BV.Or)
	case smt.OpBvXor:
		return fold(z3.BV.Xor)
	case smt.OpShl:
		return v(0).Lsh(v(1))
	case smt.OpLshr:
		return v(0).URsh(v(1))
	case smt.OpAshr:
		return v(0).SRsh(v(1))
	case smt.OpConcat:
		return fold(z3.BV.Concat)
	case smt.OpExtract:
		return v(0).Extract(c.ExtractBounds(t))
	case smt.OpZext:
		return v(0).ZeroExtend(n - width(0))
	case smt.OpSext:
		return v(0).SignExtend(n - width(0))
	case smt.OpApply:
		tr.apps = append(tr.apps, t)
		fn := c.FuncOf(t)
		d, ok := tr.funcs[fn]
		if !ok {
			d = tr.z.FreshFuncDecl(c.FuncName(fn), []z3.Sort{tr.bv(width(0))}, tr.bv(n))
			tr.funcs[fn] = d
		}
		return d.Apply(v(0))
	case smt.OpFAdd:
		return tr.fromFloat(f(0).Add(f(1)), n)
	case smt.OpFSub:
		return tr.fromFloat(f(0).Sub(f(1)), n)
	case smt.OpFMul:
		return tr.fromFloat(f(0).Mul(f(1)), n)
	case smt.OpFDiv:
		return tr.fromFloat(f(0).Div(f(1)), n)
	case smt.OpFRem:
		return tr.fmod(v(0), v(1), n)
	case smt.OpFSqrt:
		return tr.fromFloat(f(0).Sqrt(), n)
	case smt.OpFFma:
		return tr.fromFloat(f(0).MulAdd(f(1), f(2)), n)
	case smt.OpFMin:
		return tr.minmax(v(0), v(1), n, z3.Float.LT, z3.BV.Or)
	case smt.OpFMax:
		return tr.minmax(v(0), v(1), n, z3.Float.GT, z3.BV.And)
	case smt.OpFEq:
		return f(0).IEEEEq(f(1))
	case smt.OpFLt:
		return f(0).LT(f(1))
	case smt.OpFLe:
		return f(0).LE(f(1))
	case smt.OpFToS, smt.OpFToU:
		return tr.toInt(f(0), width(0), n, op == smt.OpFToS)
	case smt.OpSToF:
		return tr.fromFloat(v(0).SToFloat(tr.floatSort(n)), n)
	case smt.OpUToF:
		return tr.fromFloat(v(0).UToFloat(tr.floatSort(n)), n)
	case smt.OpFToF:
		return tr.fromFloat(f(0).ToFloat(tr.floatSort(n)), n)
	case smt.OpFRound:
		mode := map[smt.RoundMode]z3.RoundingMode{
			smt.RoundFloor: z3.RoundToNegative, smt.RoundCeil: z3.RoundToPositive, smt.RoundTrunc: z3.RoundToZero,
			smt.RoundNearestEven: z3.RoundToNearestEven, smt.RoundNearestAway: z3.RoundToNearestAway,
		}[c.RoundModeOf(t)]
		return tr.fromFloat(f(0).Round(mode), n)
	default:
		panic(fmt.Errorf("%w: %v", errUnsupported, op))
	}
}

// minmax implements libm's functions explicitly, because SMT-LIB leaves the result for two zeros open. before is the
// order in which the result comes first. For two zeros min returns -0 and max +0, so sign combines the patterns
// bitwise.
func (tr *translator) minmax(a, b z3.BV, n int, before func(x, y z3.Float) z3.Bool,
	sign func(a, b z3.BV) z3.BV) z3.Value {
	x, y := tr.toFloat(a, n), tr.toFloat(b, n)
	zeros := x.IsZero().And(y.IsZero())
	r := zeros.IfThenElse(sign(a, b), before(x, y).IfThenElse(a, b))
	r = y.IsNaN().IfThenElse(tr.fromFloat(x, n), r)
	return x.IsNaN().IfThenElse(tr.fromFloat(y, n), r)
}

// toInt truncates; the result is zero if out of range or NaN.
func (tr *translator) toInt(x z3.Float, from, n int, signed bool) z3.Value {
	f := formatOf(from)
	sort := tr.floatSort(from)
	x = x.Round(z3.RoundToZero)
	ok := x.IsNaN().Or(x.IsInfinite()).Not()
	power := func(e int) z3.Float { return tr.z.FromFloat64(math.Ldexp(1, e), sort) }
	if signed {
		if n-1 <= f.bias() {
			ok = ok.And(x.LT(power(n-1)), x.GE(power(n-1).Neg()))
		}
	} else {
		ok = ok.And(x.GE(tr.z.FloatZero(sort, false)))
		if n <= f.bias() {
			ok = ok.And(x.LT(power(n)))
		}
	}
	var r z3.BV
	if signed {
		r = x.ToSBV(n)
	} else {
		r = x.ToUBV(n)
	}
	return ok.IfThenElse(r, tr.number(n, new(big.Int)))
}

// fmod is computed from the IEEE remainder r of the magnitudes, which is in [-|y|/2, |y|/2]. If r is negative, the
// result is r + |y|, which is exact because the true result is representable.
func (tr *translator) fmod(a, b z3.BV, n int) z3.Value {
	x, y := tr.toFloat(a, n), tr.toFloat(b, n)
	ax, ay := x.Abs(), y.Abs()
	r := ax.Rem(ay)
	r = r.LT(tr.z.FloatZero(tr.floatSort(n), false)).IfThenElse(r.Add(ay), r).(z3.Float).Abs()
	return tr.fromFloat(x.IsNegative().IfThenElse(r.Neg(), r).(z3.Float), n)
}

// model returns the values of all translated variables and applications.
func (tr *translator) model(zm *z3.Model) *smt.Model {
	m := smt.NewModel()
	value := func(t smt.Term) smt.Value {
		switch v := zm.Eval(tr.at[t], true).(type) {
		case z3.Bool:
			b, _ := v.AsBool()
			return smt.BoolValue(b)
		case z3.BV:
			if x, ok := v.AsBigUnsigned(); ok {
				return smt.BigValueOf(tr.c.Width(t), x)
			}
		}
		panic("z3: model leaves " + tr.c.String(t) + " open")
	}
	for _, t := range tr.vars {
		m.SetVar(t, value(t))
	}
	for _, t := range tr.apps {
		m.SetFunc(tr.c.FuncOf(t), value(tr.c.Arg(t, 0)), value(t))
	}
	return m
}
