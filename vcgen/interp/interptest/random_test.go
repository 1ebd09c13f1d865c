package interptest

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
)

func TestRandomRepeats(t *testing.T) {
	a, b := Random(3), Random(3)
	for range 100 {
		q := choice.Question{Kind: choice.Nondet, Site: 1, Bits: 96}
		x, y := a(q).Value, b(q).Value
		if x.Cmp(y) != 0 || x.Sign() < 0 || x.BitLen() > 96 {
			t.Fatalf("%v and %v", x, y)
		}
		q = choice.Question{Kind: choice.Havoc, Content: true, Site: 1}
		if a(q).Content(17) != b(q).Content(17) {
			t.Fatal("contents differ")
		}
	}
}
