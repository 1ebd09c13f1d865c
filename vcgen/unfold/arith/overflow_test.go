package arith

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestConstantOverflow checks, for all operands of small widths, that arithmetic with a constant overflows exactly if
// the exact result does not fit.
func TestConstantOverflow(t *testing.T) {
	for _, op := range []string{"sadd", "uadd", "ssub", "usub", "smul", "umul"} {
		for w := 1; w <= 5; w++ {
			c := smt.NewContext()
			v := c.Var("v", smt.BV(w))
			for k := range uint64(1 << w) {
				for _, first := range []bool{false, true} {
					x, y := v, c.Int(w, k)
					if first {
						x, y = y, x
					}
					result, overflow := Overflowing(c, op, x, y)
					for n := range uint64(1 << w) {
						m := smt.NewModel()
						m.SetVar(v, smt.UintValue(w, n))
						ev := c.NewEvaluator(m)
						number := func(t smt.Term) int64 {
							u := int64(ev.EvalUint(t))
							if op[0] == 's' && u >= 1<<(w-1) {
								u -= 1 << w
							}
							return u
						}
						a, b := number(x), number(y)
						exact := map[string]int64{"add": a + b, "sub": a - b, "mul": a * b}[op[1:]]
						least, most := int64(0), int64(1)<<w-1
						if op[0] == 's' {
							least, most = -1<<(w-1), 1<<(w-1)-1
						}
						if got, want := ev.EvalBool(overflow), exact < least || exact > most; got != want {
							t.Fatalf("%s of %d and %d in %d bits: overflow %v, want %v", op, a, b, w, got, want)
						}
						if got, want := ev.EvalUint(result), uint64(exact)&(1<<w-1); got != want {
							t.Fatalf("%s of %d and %d in %d bits: %d, want %d", op, a, b, w, got, want)
						}
					}
				}
			}
		}
	}
}

// TestConstantOverflowOf64Bits checks the full width of 64 bits, at which the bounds themselves must not overflow.
func TestConstantOverflowOf64Bits(t *testing.T) {
	const least, most = -1 << 63, 1<<63 - 1
	tests := []struct {
		op   string
		x, y int64
		want bool
	}{
		{"ssub", 0, least, true}, {"ssub", -1, least, false}, {"ssub", least, 1, true}, {"ssub", most, -1, true},
		{"ssub", -2, most, true},
		{"ssub", -1, most, false}, {"sadd", least, least, true}, {"sadd", most, 1, true}, {"sadd", most, 0, false},
		{"sadd", 0, least, false},
		{"smul", least, -1, true}, {"smul", least + 1, -1, false}, {"smul", least, 1, false}, {"smul", 1, least, false},
		{"smul", 2, least, true},
		{"smul", -1, least, true}, {"smul", 0, least, false}, {"smul", most / 3, 3, false}, {"smul", most/3 + 1, 3, true},
		{"smul", least / 2, 2, false}, {"smul", least/2 - 1, 2, true},
	}
	for _, test := range tests {
		for _, constant := range []bool{false, true} { // the second operand, or the first
			c := smt.NewContext()
			v := c.Var("v", smt.BV(64))
			m := smt.NewModel()
			x, y := v, c.IntS(64, test.y)
			m.SetVar(v, smt.UintValue(64, uint64(test.x)))
			if constant {
				x, y = c.IntS(64, test.x), v
				m.SetVar(v, smt.UintValue(64, uint64(test.y)))
			}
			_, overflow := Overflowing(c, test.op, x, y)
			if got := c.NewEvaluator(m).EvalBool(overflow); got != test.want {
				t.Errorf("%s of %d and %d: %v", test.op, test.x, test.y, got)
			}
		}
	}
}
