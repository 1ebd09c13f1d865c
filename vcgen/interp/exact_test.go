package interp

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// TestExact compares results and overflow of arithmetic at the limits of each width with numbers of any size.
func TestExact(t *testing.T) {
	for _, width := range []int{8, 16, 32, 64} {
		edges := []uint64{0, 1, 2, 3, 1 << (width - 1), 1<<(width-1) - 1, 1<<(width-1) + 1, state.Mask(width),
			state.Mask(width) - 1, 1 << (width / 2), 1<<(width/2) - 1}
		for _, op := range []string{"sadd", "uadd", "ssub", "usub", "smul", "umul"} {
			for _, a := range edges {
				for _, b := range edges {
					x, y := state.IntValue(a), state.IntValue(b)
					wantBits, wantOver := exactly(op, x, y, width)
					got, over := exact(op, x, y, width)
					if got.Bits != wantBits || over != wantOver {
						t.Errorf("%s of %d bits: %#x, %#x: %#x (overflow: %v), want %#x (%v)", op, width, a, b, got.Bits, over,
							wantBits, wantOver)
					}
				}
			}
		}
	}
}

// exactly is exact with numbers of any size.
func exactly(op string, x, y state.Value, width int) (bits uint64, over bool) {
	a, b := x.Big(), y.Big()
	least, bound := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if op[0] == 's' {
		a, b = x.SignedBig(width), y.SignedBig(width)
		bound.Rsh(bound, 1)
		least.Neg(bound)
	}
	z := new(big.Int)
	switch op[1:] {
	case "add":
		z.Add(a, b)
	case "sub":
		z.Sub(a, b)
	case "mul":
		z.Mul(a, b)
	default:
		panic(fmt.Sprintf("no operation %q", op))
	}
	return new(big.Int).And(z, new(big.Int).SetUint64(state.Mask(width))).Uint64(), z.Cmp(least) < 0 || z.Cmp(bound) >= 0
}
