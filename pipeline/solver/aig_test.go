package solver

import (
	"math"
	"math/bits"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// A bench feeds patterns to inputs of a graph and reads words back, 64
// patterns at a time.
type bench struct {
	g   *aig
	val []uint64
}

func newBench(g *aig) *bench { return &bench{g, make([]uint64, g.size())} }

func (b *bench) set(w word, lane int, v uint64) {
	for i, l := range w {
		x := l.node()
		b.val[x] &^= 1 << lane
		if i < 64 {
			b.val[x] |= v >> i & 1 << lane
		}
	}
}

func (b *bench) run() { b.g.simulate(b.val, 0) }

func (b *bench) get(w word, lane int) (v uint64) {
	for i, l := range w {
		v |= (b.val[l.node()]>>lane&1 ^ uint64(l&1)) << i
	}
	return v
}

// checkCircuit compares a circuit of up to three operands with a function on
// random and special operands.
func checkCircuit(t *testing.T, name string, widths []int, circuit func(g *aig, in []word) word,
	want func(in []uint64) (uint64, bool), operand func(r *rand.Rand, width int) uint64, rounds int) {
	t.Helper()
	g := newAIG()
	in := make([]word, len(widths))
	for i, n := range widths {
		in[i] = g.fresh(n)
	}
	out := circuit(g, in)
	b := newBench(g)
	r := rand.New(rand.NewSource(1))
	for k := 0; k < rounds; k++ {
		var args [64][]uint64
		for lane := range args {
			for i, n := range widths {
				v := operand(r, n)
				if i > 0 && r.Intn(8) == 0 && n == widths[0] {
					v = args[lane][0] ^ uint64(r.Intn(3)) // near-equal operands
				}
				v &= mask(n)
				args[lane] = append(args[lane], v)
				b.set(in[i], lane, v)
			}
		}
		b.run()
		for lane := range args {
			w, ok := want(args[lane])
			if !ok {
				continue
			}
			if got := b.get(out, lane); got != w&mask(len(out)) {
				t.Fatalf("%s(%#x): got %#x, want %#x", name, args[lane], got, w)
			}
		}
	}
	t.Logf("%-12s %7d nodes", name, g.size())
}

func mask(n int) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}

func intOperand(r *rand.Rand, n int) uint64 {
	switch r.Intn(6) {
	case 0:
		return uint64(r.Intn(4))
	case 1:
		return -uint64(r.Intn(4))
	case 2:
		return 1 << r.Intn(n)
	case 3:
		return 1<<r.Intn(n) - 1
	}
	return r.Uint64() >> r.Intn(64)
}

// floatOperand prefers corner cases: zeros, subnormals, infinities, NaNs, neighbours of powers of two, small integers
// and halves.
func floatOperand(r *rand.Rand, n int) uint64 {
	f := formatOf(n)
	m := f.sb - 1
	e := uint64(r.Intn(1 << f.eb))
	if r.Intn(3) > 0 {
		near := []int{0, 1, 2, f.bias() - 1, f.bias(), f.bias() + 1, f.bias() + r.Intn(70) - 5, f.bias() + m, f.bias() +
			m - 1, 1<<f.eb - 2, 1<<f.eb - 1}
		e = uint64(near[r.Intn(len(near))]) & (1<<f.eb - 1)
	}
	fr := r.Uint64()
	switch r.Intn(7) {
	case 0:
		fr = 0
	case 1:
		fr = mask(m)
	case 2:
		fr = 1 << r.Intn(m)
	case 3:
		fr = mask(m) << r.Intn(m)
	case 4:
		fr = uint64(r.Intn(3))
	}
	return uint64(r.Intn(2))<<(n-1) | e<<m | fr&mask(m)
}

func canonical(n int, v float64) uint64 {
	if n == 32 {
		if v != v {
			return 0x7fc00000
		}
		return uint64(math.Float32bits(float32(v)))
	}
	if v != v {
		return 0x7ff8000000000000
	}
	return math.Float64bits(v)
}

func decode(n int, v uint64) float64 {
	if n == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func TestIntegerCircuits(t *testing.T) {
	for _, n := range []int{1, 3, 8, 32, 64} {
		two := []int{n, n}
		sx := func(v uint64) int64 { return int64(v<<(64-n)) >> (64 - n) }
		bin := func(name string, c func(g *aig, a, b word) word, want func(a, b uint64) uint64) {
			checkCircuit(t, name, two, func(g *aig, in []word) word { return c(g, in[0], in[1]) },
				func(in []uint64) (uint64, bool) { return want(in[0], in[1]), true }, intOperand, 30)
		}
		bin("add", func(g *aig, a, b word) word { s, _ := g.add(a, b, litFalse); return s },
			func(a, b uint64) uint64 { return a + b })
		bin("sub", (*aig).sub, func(a, b uint64) uint64 { return a - b })
		bin("mul", (*aig).mul, func(a, b uint64) uint64 { return a * b })
		bin("square", func(g *aig, a, b word) word { return g.mul(a, a) }, func(a, b uint64) uint64 { return a * a })
		bin("ult", func(g *aig, a, b word) word { return word{g.ult(a, b)} }, func(a, b uint64) uint64 { return b2u(a < b) })
		bin("slt", func(g *aig, a, b word) word { return word{g.slt(a, b)} },
			func(a, b uint64) uint64 { return b2u(sx(a) < sx(b)) })
		bin("eq", func(g *aig, a, b word) word { return word{g.eqWord(a, b)} },
			func(a, b uint64) uint64 { return b2u(a == b) })
		bin("shl", func(g *aig, a, b word) word { return g.shift(a, b, shiftLeft) }, func(a, b uint64) uint64 {
			if b >= uint64(n) {
				return 0
			}
			return a << b
		})
		bin("lshr", func(g *aig, a, b word) word { return g.shift(a, b, shiftRight) }, func(a, b uint64) uint64 {
			if b >= uint64(n) {
				return 0
			}
			return a >> b
		})
		bin("ashr", func(g *aig, a, b word) word { return g.shift(a, b, shiftArith) }, func(a, b uint64) uint64 {
			return uint64(sx(a) >> min(b, 63))
		})
		bin("udiv", func(g *aig, a, b word) word { q, _ := g.divide(a, b); return q }, func(a, b uint64) uint64 {
			if b == 0 {
				return math.MaxUint64
			}
			return a / b
		})
		bin("urem", func(g *aig, a, b word) word { _, r := g.divide(a, b); return r }, func(a, b uint64) uint64 {
			if b == 0 {
				return a
			}
			return a % b
		})
		bin("normalise", func(g *aig, a, b word) word { w, _ := g.normalise(a); return w }, func(a, b uint64) uint64 {
			if a == 0 {
				return 0
			}
			return a << (bits.LeadingZeros64(a) - (64 - n))
		})
	}
}

// TestNarrowProducts checks that narrow operands give the same product in a smaller circuit.
func TestNarrowProducts(t *testing.T) {
	for _, c := range []struct {
		name   string
		na, nb int
		sa, sb bool
	}{{"u8*u8", 8, 8, false, false}, {"s8*s8", 8, 8, true, true}, {"u8*s16", 8, 16, false, true},
		{"s32*s32", 32, 32, true, true}, {"s1*u5", 1, 5, true, false}} {
		ext := func(w word, s bool) word {
			if s {
				return w.sext(64)
			}
			return w.zext(64)
		}
		sx := func(v uint64, n int, s bool) uint64 {
			if s {
				return uint64(int64(v<<(64-n)) >> (64 - n))
			}
			return v
		}
		checkCircuit(t, c.name, []int{c.na, c.nb}, func(g *aig, in []word) word {
			return g.mul(ext(in[0], c.sa),
				ext(in[1], c.sb))
		},
			func(in []uint64) (uint64, bool) { return sx(in[0], c.na, c.sa) * sx(in[1], c.nb, c.sb), true }, intOperand, 30)
	}
	for _, k := range []uint64{0, 1, 3, 7, 10, 12, 24, 255, 1000, 1 << 40, math.MaxUint64, ^uint64(11),
		0xdeadbeef12345678} {
		for _, n := range []int{5, 16} {
			checkCircuit(t, "const", []int{n}, func(g *aig, in []word) word { return g.mul(in[0].sext(64), constWord(64, k)) },
				func(in []uint64) (uint64, bool) { return uint64(int64(in[0]<<(64-n))>>(64-n)) * k, true }, intOperand, 8)
			checkCircuit(t, "const", []int{n}, func(g *aig, in []word) word { return g.mul(in[0].zext(64), constWord(64, k)) },
				func(in []uint64) (uint64, bool) { return in[0] * k, true }, intOperand, 8)
			if k != 0 {
				checkCircuit(t, "divconst", []int{n}, func(g *aig, in []word) word {
					q, r := g.divide(in[0].zext(64), constWord(64, k))
					return q[:32].above(r[:32])
				},
					func(in []uint64) (uint64, bool) { return in[0]/k<<32 | in[0]%k, true }, intOperand, 8)
			}
		}
	}
}

func TestFloatCircuits(t *testing.T) {
	rounds := fewer(400)
	for _, n := range []int{32, 64} {
		one, two, three := []int{n}, []int{n, n}, []int{n, n, n}
		rnd := func(v float64) uint64 { return canonical(n, v) }
		arith := func(f32 func(a, b float32) float32, f64 func(a, b float64) float64) func(in []uint64) (uint64, bool) {
			return func(in []uint64) (uint64, bool) {
				if n == 32 {
					return rnd(float64(f32(math.Float32frombits(uint32(in[0])), math.Float32frombits(uint32(in[1]))))), true
				}
				return rnd(f64(math.Float64frombits(in[0]), math.Float64frombits(in[1]))), true
			}
		}
		bin := func(name string, c func(g *aig, a, b word) word, want func(in []uint64) (uint64, bool)) {
			checkCircuit(t, name, two, func(g *aig, in []word) word { return c(g, in[0], in[1]) }, want, floatOperand, rounds)
		}
		bin("fadd", (*aig).fadd, arith(func(a, b float32) float32 { return a + b },
			func(a, b float64) float64 { return a + b }))
		bin("fmul", (*aig).fmul, arith(func(a, b float32) float32 { return a * b },
			func(a, b float64) float64 { return a * b }))
		bin("fdiv", (*aig).fdiv, arith(func(a, b float32) float32 { return a / b },
			func(a, b float64) float64 { return a / b }))
		rel := func(name string, c func(g *aig, a, b word) lit, want func(a, b float64) bool) {
			bin(name, func(g *aig, a, b word) word { return word{c(g, a, b)} }, func(in []uint64) (uint64, bool) {
				return b2u(want(decode(n, in[0]), decode(n, in[1]))), true
			})
		}
		rel("feq", (*aig).feq, func(a, b float64) bool { return a == b })
		rel("flt", (*aig).flt, func(a, b float64) bool { return a < b })
		rel("fle", (*aig).fle, func(a, b float64) bool { return a <= b })
		for _, isMax := range []bool{false, true} {
			bin("fminmax", func(g *aig, a, b word) word { return g.fminmax(a, b, isMax) }, func(in []uint64) (uint64, bool) {
				a, b := decode(n, in[0]), decode(n, in[1])
				switch {
				case a != a:
					return rnd(b), true
				case b != b:
					return rnd(a), true
				case isMax:
					return rnd(math.Max(a, b)), true
				}
				return rnd(math.Min(a, b)), true
			})
		}
		checkCircuit(t, "fsqrt", one, func(g *aig, in []word) word { return g.fsqrt(in[0]) },
			func(in []uint64) (uint64, bool) {
				return rnd(math.Sqrt(decode(n, in[0]))), true
			}, floatOperand, rounds)
		if n == 64 {
			checkCircuit(t, "ffma", three, func(g *aig, in []word) word { return g.ffma(in[0], in[1], in[2]) },
				func(in []uint64) (uint64, bool) {
					return rnd(math.FMA(decode(n, in[0]), decode(n, in[1]), decode(n, in[2]))), true
				}, floatOperand, rounds)
		}
		for mode, want := range map[smt.RoundMode]func(float64) float64{
			smt.RoundFloor: math.Floor, smt.RoundCeil: math.Ceil, smt.RoundTrunc: math.Trunc,
			smt.RoundNearestEven: math.RoundToEven, smt.RoundNearestAway: math.Round,
		} {
			checkCircuit(t, "fround", one, func(g *aig, in []word) word { return g.fround(mode, in[0]) },
				func(in []uint64) (uint64, bool) {
					return rnd(want(decode(n, in[0]))), true
				}, floatOperand, rounds)
		}
		for _, w := range []int{1, 8, 16, 32, 64} {
			checkCircuit(t, "ftos", one, func(g *aig, in []word) word { return g.ftoint(in[0], w, true) },
				func(in []uint64) (uint64, bool) {
					v := math.Trunc(decode(n, in[0]))
					lim := math.Ldexp(1, w-1)
					if !(v >= -lim && v < lim) {
						return 0, true
					}
					return uint64(int64(v)), true
				}, floatOperand, rounds)
			checkCircuit(t, "ftou", one, func(g *aig, in []word) word { return g.ftoint(in[0], w, false) },
				func(in []uint64) (uint64, bool) {
					v := math.Trunc(decode(n, in[0]))
					if !(v >= 0 && v < math.Ldexp(1, w)) {
						return 0, true
					}
					if v >= 1<<63 {
						return 1<<63 | uint64(int64(v-1<<63)), true
					}
					return uint64(int64(v)), true
				}, floatOperand, rounds)
			checkCircuit(t, "stof", []int{w}, func(g *aig, in []word) word { return g.inttof(in[0], n, true) },
				func(in []uint64) (uint64, bool) {
					v := int64(in[0]<<(64-w)) >> (64 - w)
					if n == 32 {
						return uint64(math.Float32bits(float32(v))), true
					}
					return math.Float64bits(float64(v)), true
				}, intOperand, rounds)
			checkCircuit(t, "utof", []int{w}, func(g *aig, in []word) word { return g.inttof(in[0], n, false) },
				func(in []uint64) (uint64, bool) {
					if n == 32 {
						return uint64(math.Float32bits(float32(in[0]))), true
					}
					return math.Float64bits(float64(in[0])), true
				}, intOperand, rounds)
		}
	}
	checkCircuit(t, "f32tof64", []int{32}, func(g *aig, in []word) word { return g.ftof(in[0], 64) },
		func(in []uint64) (uint64, bool) {
			return canonical(64, decode(32, in[0])), true
		}, floatOperand, rounds)
	checkCircuit(t, "f64tof32", []int{64}, func(g *aig, in []word) word { return g.ftof(in[0], 32) },
		func(in []uint64) (uint64, bool) {
			return canonical(32, decode(64, in[0])), true
		}, floatOperand, rounds)
	// Every half survives the conversion to float32 and back, with the same value.
	half := func(v uint64) float64 {
		m, e := float64(v&1023), int(v>>10&31)
		s := 1.0
		if v>>15 == 1 {
			s = -1
		}
		switch {
		case e == 31 && m == 0:
			return math.Inf(int(s))
		case e == 31:
			return math.NaN()
		case e == 0:
			return math.Copysign(math.Ldexp(m, -24), s)
		}
		return math.Copysign(math.Ldexp(m+1024, e-25), s)
	}
	checkCircuit(t, "f16tof32", []int{16}, func(g *aig, in []word) word { return g.ftof(in[0], 32) },
		func(in []uint64) (uint64, bool) {
			return canonical(32, half(in[0])), true
		}, func(r *rand.Rand, n int) uint64 { return r.Uint64() }, rounds)
	checkCircuit(t, "f64tof16", []int{64}, func(g *aig, in []word) word { return g.ftof(in[0], 16) },
		func(in []uint64) (uint64, bool) {
			v := decode(64, in[0])
			best, dist := uint64(0), math.Inf(1)
			switch {
			case v != v:
				return 0x7e00, true
			case math.Abs(v) >= 65520:
				best = 0x7c00
			default:
				for h := uint64(0); h < 0x7c00; h++ {
					d := math.Abs(half(h) - math.Abs(v))
					if d < dist || d == dist && h&1 == 0 {
						best, dist = h, d
					}
				}
			}
			return best | in[0]>>63<<15, true
		}, func(r *rand.Rand, n int) uint64 {
			v := math.Copysign(math.Ldexp(1+float64(r.Intn(4096))/4096, r.Intn(45)-27), float64(r.Intn(2))-0.5)
			return math.Float64bits(v)
		}, 2)
}

// TestSimplification checks every two-level shape of gates against its truth
// table: a rule that is wrong shows on some assignment.
func TestSimplification(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for k := 0; k < fewer(20000); k++ {
		g := newAIG()
		in := g.fresh(3)
		truth := map[lit]uint8{litFalse: 0, in[0]: 0xaa, in[1]: 0xcc, in[2]: 0xf0}
		pool := []lit{litFalse, in[0], in[1], in[2]}
		for j := 0; j < 6; j++ {
			pick := func() (lit, uint8) {
				l := pool[r.Intn(len(pool))]
				if r.Intn(2) == 0 {
					return l ^ 1, ^truth[l]
				}
				return l, truth[l]
			}
			a, ta := pick()
			b, tb := pick()
			c, tc := pick()
			var l lit
			var tl uint8
			switch r.Intn(4) {
			case 0:
				l, tl = g.and(a, b), ta&tb
			case 1:
				l, tl = g.xor(a, b), ta^tb
			case 2:
				l, tl = g.mux(a, b, c), ta&tb|^ta&tc
			case 3:
				l, tl = g.maj(a, b, c), ta&tb|tc&(ta|tb)
			}
			b2 := newBench(g)
			for lane := 0; lane < 8; lane++ {
				b2.set(in, lane, uint64(lane))
			}
			b2.run()
			for lane := 0; lane < 8; lane++ {
				if b2.get(word{l}, lane) != uint64(tl>>lane&1) {
					t.Fatalf("round %d: wrong function", k)
				}
			}
			if _, ok := truth[l]; !ok {
				truth[l] = tl
				pool = append(pool, l)
			}
		}
	}
}
