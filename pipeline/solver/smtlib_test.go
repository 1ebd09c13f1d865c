package solver

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// The process back end joins the cross-checks where Debian's z3 is installed.
func init() {
	c := smt.NewContext()
	var script bytes.Buffer
	if err := c.WriteSMTLIB(&script, []smt.Term{c.Var("p", smt.Bool)}); err != nil || script.Len() == 0 {
		return // no printer in this build of smt
	}
	if _, err := exec.LookPath("z3"); err == nil {
		kinds = append(kinds, "smtlib:z3 -in")
	}
}

func TestReadModel(t *testing.T) {
	c := smt.NewContext()
	p, x := c.Var("p", smt.Bool), c.Var("x y", smt.BV(8))
	f := c.NewFunc("f", 8, 8)
	fx := c.Apply(f, x)
	ffx := c.Apply(f, fx)
	asserted := []smt.Term{c.And(p, c.Ult(ffx, c.Int(8, 9)))}
	s := &process{c: c}
	m, err := s.readModel(`
		(declare-const p!1 Bool) ; a comment (
		(declare-fun |x y!2| () (_ BitVec 8))
		(declare-fun f ((_ BitVec 8)) (_ BitVec 8))`, asserted,
		parseSexprs(`((define-fun p!1 () Bool true)
			(define-fun |x y!2| () (_ BitVec 8) #x10)
			(define-fun f!0 ((a (_ BitVec 8))) (_ BitVec 8) (let ((k (_ bv7 8))) (ite (and (= a #x07) (not false)) #b00000001 k)))
			(define-fun f ((a (_ BitVec 8))) (_ BitVec 8) (f!0 a)))`))
	if err != nil {
		t.Fatal(err)
	}
	e := c.NewEvaluator(m)
	if !e.EvalBool(p) || e.EvalUint(x) != 16 || e.EvalUint(fx) != 7 || e.EvalUint(ffx) != 1 {
		t.Errorf("p=%v x=%v f(x)=%v f(f(x))=%v", e.Eval(p), e.Eval(x), e.Eval(fx), e.Eval(ffx))
	}
}

func TestProcessNotFound(t *testing.T) {
	for kind, want := range map[string]string{"smtlib:": "no command", "smtlib:no-such-solver -in": "no-such-solver"} {
		if _, err := New(kind, smt.NewContext(), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestProcessFailures(t *testing.T) {
	c := smt.NewContext()
	p := c.Var("p", smt.Bool)
	s := open(t, "smtlib:false", c)
	check(t, s, smt.Failed, p)
	s = open(t, "smtlib:echo unknown", c)
	check(t, s, smt.Failed, p)
}
