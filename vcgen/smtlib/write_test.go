package smtlib

import (
	"io"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

func TestWrite(t *testing.T) {
	c := smt.NewContext()
	x := c.Var("x|y", smt.BV(8))
	a := c.VarAligned("p", 16, 3)
	f := c.NewFunc("f", 8, 8)
	fx := c.Apply(f, x)
	var b strings.Builder
	if err := Write(&b, c, []smt.Term{c.Ult(fx, c.Int(8, 9)), c.Eq(c.Zext(fx, 16),
		c.Urem(a, c.Zext(x, 16)))}); err != nil {
		t.Fatal(err)
	}
	want := `(set-logic ALL)
(declare-fun |f!f1| ((_ BitVec 8)) (_ BitVec 8))
(declare-fun |x_y!3| () (_ BitVec 8))
(declare-fun |p!4| () (_ BitVec 16))
(assert (= ((_ extract 2 0) |p!4|) (_ bv0 3)))
(define-fun t!5 () (_ BitVec 8) (|f!f1| |x_y!3|))
(assert (bvult t!5 (_ bv9 8)))
(assert (= ((_ zero_extend 8) t!5) (bvurem |p!4| ((_ zero_extend 8) |x_y!3|))))
(check-sat)
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// TestCanonicalNaN checks that the pattern of a NaN agrees with the evaluation of terms.
func TestCanonicalNaN(t *testing.T) {
	c := smt.NewContext()
	for w, inf := range map[int]uint64{32: 0x7f800000, 64: 0x7ff0000000000000} {
		nan := c.FSub(c.Int(w, inf), c.Int(w, inf))
		if got, want := canonicalNaN(w), number(w, c.BigValue(nan)); got != want {
			t.Errorf("%d bits: %s, want %s", w, got, want)
		}
	}
}

// TestWriteDeep checks that depth needs no stack.
func TestWriteDeep(t *testing.T) {
	c := smt.NewContext()
	x, sum := c.Var("x", smt.BV(32)), c.Int(32, 0)
	for range 300000 {
		sum = c.BvXor(c.Mul(sum, x), c.Int(32, 5))
	}
	if err := Write(io.Discard, c, []smt.Term{c.Eq(sum, x)}); err != nil {
		t.Error(err)
	}
}
