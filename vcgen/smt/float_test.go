package smt

import (
	"math"
	"math/big"
	"math/rand"
	"testing"
)

var floatOps = []struct {
	name string
	n    int
	f    func(c *Context, a []Term) Term
}{
	{"add", 2, func(c *Context, a []Term) Term { return c.FAdd(a[0], a[1]) }},
	{"sub", 2, func(c *Context, a []Term) Term { return c.FSub(a[0], a[1]) }},
	{"mul", 2, func(c *Context, a []Term) Term { return c.FMul(a[0], a[1]) }},
	{"div", 2, func(c *Context, a []Term) Term { return c.FDiv(a[0], a[1]) }},
	{"sqrt", 1, func(c *Context, a []Term) Term { return c.FSqrt(a[0]) }},
	{"fma", 3, func(c *Context, a []Term) Term { return c.FFma(a[0], a[1], a[2]) }},
	{"rem", 2, func(c *Context, a []Term) Term { return c.FRem(a[0], a[1]) }},
}

// exactFloat computes a finite, nonzero result of finite operands with rationals or long precision and rounds it
// once.
//
// ok is false if it does not apply.
func exactFloat(op string, w int, v []float64) (uint64, bool) {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return 0, false
		}
	}
	const prec = 5000
	b := func(i int) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v[i]) }
	r := new(big.Float).SetPrec(prec)
	switch op {
	case "add":
		r.Add(b(0), b(1))
	case "sub":
		r.Sub(b(0), b(1))
	case "mul":
		r.Mul(b(0), b(1))
	case "div":
		if v[1] == 0 {
			return 0, false
		}
		r.Quo(b(0), b(1))
	case "sqrt":
		if v[0] < 0 {
			return 0, false
		}
		r.Sqrt(b(0))
	case "fma":
		r.Mul(b(0), b(1))
		r.Add(r, b(2))
	case "rem":
		if v[1] == 0 {
			return 0, false
		}
		x, _ := b(0).Rat(nil)
		y, _ := b(1).Rat(nil)
		q := new(big.Rat).Quo(x, y)
		n := new(big.Int).Quo(q.Num(), q.Denom())
		x.Sub(x, y.Mul(y, new(big.Rat).SetInt(n)))
		r.SetRat(x)
	}
	if r.Sign() == 0 {
		return 0, false // the operation determines its sign
	}
	if w == 32 {
		f, _ := r.Float32()
		return uint64(math.Float32bits(f)), true
	}
	f, _ := r.Float64()
	return math.Float64bits(f), true
}

func randomFloatBits(r *rand.Rand, w int) uint64 {
	exp, frac := 8, 23
	if w == 64 {
		exp, frac = 11, 52
	}
	e := uint64(r.Intn(1 << exp))
	switch r.Intn(4) {
	case 0: // near one
		e = uint64(1<<(exp-1)-1) + uint64(r.Intn(60)) - 30
	case 1:
		e = [...]uint64{0, 1, 1<<exp - 1, 1<<exp - 2}[r.Intn(4)]
	}
	m := r.Uint64() & (1<<frac - 1)
	switch r.Intn(4) {
	case 0: // few bits: ties and exact results
		m = uint64(r.Intn(8)) << uint(r.Intn(frac-2))
	case 1:
		m = (1<<frac - 1) &^ uint64(r.Intn(4))
	}
	return uint64(r.Intn(2))<<uint(w-1) | e<<uint(frac) | m
}

func TestFloatsAgainstExactArithmetic(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	rounds := 1500
	for range rounds {
		c := NewContext()
		for _, w := range []int{32, 64} {
			for _, op := range floatOps {
				if op.name == "rem" && w == 64 && r.Intn(10) != 0 { // slow in exact arithmetic
					continue
				}
				var args []Term
				var v []float64
				for range op.n {
					b := randomFloatBits(r, w)
					args = append(args, c.Int(w, b))
					v = append(v, decodeFloat(b, w))
				}
				got, _ := c.Uint64(op.f(c, args))
				want, ok := exactFloat(op.name, w, v)
				if ok && got != want {
					t.Fatalf("%s of %d bits %v: got %#x (%v), want %#x (%v)", op.name, w, v, got, decodeFloat(got, w), want,
						decodeFloat(want, w))
				}
			}
		}
	}
}

func TestHalf(t *testing.T) {
	prev := math.Inf(-1)
	for h := range 1 << 16 {
		f := decodeHalf(uint16(h))
		if f != f {
			if encodeHalf(f) != nan16 {
				t.Fatal("NaN")
			}
			continue
		}
		if got := encodeHalf(f); got != uint16(h) {
			t.Fatalf("half %#x is %v, encoded as %#x", h, f, got)
		}
		// Halfway to the next half rounds to even; a hair beyond rounds up.
		if h < 0x7bff {
			next := decodeHalf(uint16(h + 1))
			mid := (f + next) / 2
			even := uint16(h + h&1)
			if got := encodeHalf(mid); got != even {
				t.Fatalf("tie above %#x: got %#x", h, got)
			}
			if got := encodeHalf(math.Nextafter(mid, math.Inf(1))); got != uint16(h+1) {
				t.Fatalf("above tie above %#x: got %#x", h, got)
			}
			if f <= prev {
				t.Fatalf("not ascending at %#x", h)
			}
			prev = f
		}
	}
	if encodeHalf(65519.999) != 0x7bff || encodeHalf(65520) != 0x7c00 || encodeHalf(-1e9) != 0xfc00 {
		t.Error("overflow")
	}
}

func TestFloatCases(t *testing.T) {
	c := NewContext()
	f32 := func(f float32) Term { return c.Int(32, uint64(math.Float32bits(f))) }
	f64 := func(f float64) Term { return c.Int(64, math.Float64bits(f)) }
	inf, nan := math.Inf(1), math.NaN()
	neg0 := math.Copysign(0, -1)
	x := c.Var("x", BV(32))
	for _, r := range []struct {
		name      string
		got, want Term
	}{
		{"inf-inf", c.FSub(f64(inf), f64(inf)), c.Int(64, nan64)},
		{"nan payload", c.FAdd(c.Int(32, 0xffc12345), f32(1)), c.Int(32, nan32)},
		{"sqrt -0", c.FSqrt(f64(neg0)), f64(neg0)},
		{"sqrt -1", c.FSqrt(f32(-1)), c.Int(32, nan32)},
		{"fmin nan", c.FMin(f64(nan), f64(2)), f64(2)},
		{"fmin zeros", c.FMin(f64(0), f64(neg0)), f64(neg0)},
		{"fmax zeros", c.FMax(f64(0), f64(neg0)), f64(0)},
		{"fmax inf nan", c.FMax(f64(-inf), f64(nan)), f64(-inf)},
		{"fmod", c.FRem(f64(-5.5), f64(2)), f64(-1.5)},
		{"fmod inf", c.FRem(f64(3), f64(inf)), f64(3)},
		{"fneg nan", c.FNeg(c.Int(32, nan32)), c.Int(32, nan32|1<<31)},
		{"fabs", c.FAbs(f64(-2)), f64(2)},
		{"feq zeros", c.FEq(f64(0), f64(neg0)), c.True()},
		{"feq nan", c.FEq(f64(nan), f64(nan)), c.False()},
		{"flt", c.FLt(f32(1), f32(2)), c.True()},
		{"fle self", c.FLe(x, x), c.Not(c.FIsNaN(x))},
		{"isnan", c.FIsNaN(c.Int(32, 0x7f800001)), c.True()},
		{"isnan inf", c.FIsNaN(f32(float32(-inf))), c.False()},
		{"ftos", c.FToS(f64(-128.9), 8), c.IntS(8, -128)},
		{"ftos out", c.FToS(f64(128), 8), c.Int(8, 0)},
		{"ftou", c.FToU(f64(-0.5), 8), c.Int(8, 0)},
		{"ftou 64", c.FToU(f64(1<<63), 64), c.Int(64, 1<<63)},
		{"ftos nan", c.FToS(f32(float32(nan)), 32), c.Int(32, 0)},
		{"stof", c.SToF(c.IntS(64, -1<<62-1), 32), f32(-1 << 62)},
		{"utof double rounding", c.UToF(c.Int(64, 1<<63|1<<39|1), 32), f32(1<<63 + 1<<40)},
		{"utof 128", c.UToF(c.Big(128, new(big.Int).Lsh(big.NewInt(1), 127)), 32), f32(1 << 127)},
		{"ftof", c.FToF(f64(1e300), 32), f32(float32(inf))},
		{"ftof half", c.FToF(f32(1), 16), c.Int(16, 0x3c00)},
		{"round away", c.FRound(RoundNearestAway, f64(-2.5)), f64(-3)},
		{"round even", c.FRound(RoundNearestEven, f64(2.5)), f64(2)},
		{"floor", c.FRound(RoundFloor, f32(-0.5)), f32(-1)},
		{"ceil", c.FRound(RoundCeil, f32(-0.5)), f32(float32(neg0))},
		{"trunc", c.FRound(RoundTrunc, f32(-1.5)), f32(-1)},
	} {
		if r.got != r.want {
			t.Errorf("%s: got %s, want %s", r.name, c.String(r.got), c.String(r.want))
		}
	}
}

// TestFloatRules checks the rules for a float compared with itself against the evaluator, including NaNs.
func TestFloatRules(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, test := range []struct {
		rule string
		f    func(c *Context, a Term) Term
		want func(x float64) bool
	}{
		{"feq-self", func(c *Context, a Term) Term { return c.FEq(a, a) }, func(x float64) bool { return x == x }},
		{"flt-self", func(c *Context, a Term) Term { return c.FLt(a, a) }, func(x float64) bool { return x < x }},
		{"fle-self", func(c *Context, a Term) Term { return c.FLe(a, a) }, func(x float64) bool { return x <= x }},
	} {
		with, without := NewContext(), NewContext()
		without.DisableRule(test.rule)
		for _, c := range []*Context{with, without} {
			a := c.Var("a", BV(64))
			compared := test.f(c, a)
			for range 200 {
				bits := randomFloatBits(r, 64)
				m := NewModel()
				m.SetVar(a, UintValue(64, bits))
				if got := c.NewEvaluator(m).Eval(compared); got.Bool() != test.want(math.Float64frombits(bits)) {
					t.Errorf("%s of %#x: %v by %s", test.rule, bits, got, c.String(compared))
				}
			}
		}
		for i, name := range Rules() {
			if name == test.rule && (with.RuleUses()[i] != 1 || without.RuleUses()[i] != 0) {
				t.Errorf("%s: used %d times, off %d times", name, with.RuleUses()[i], without.RuleUses()[i])
			}
		}
	}
}
