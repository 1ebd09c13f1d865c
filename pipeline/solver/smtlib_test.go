package solver

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smtlib"
)

// The process back end is cross-checked with each of Debian's solvers that is installed.
func init() {
	for _, command := range []string{"z3 -in", "cvc5 --lang smt2"} {
		if _, err := exec.LookPath(strings.Fields(command)[0]); err == nil {
			kinds = append(kinds, "smtlib:"+command)
		}
	}
}

func TestReadModel(t *testing.T) {
	c := smt.NewContext()
	p, x := c.Var("p", smt.Bool), c.Var("x y", smt.BV(8))
	f := c.NewFunc("f", 8, 8)
	fx := c.Apply(f, x)
	ffx := c.Apply(f, fx)
	asserted := []smt.Term{c.And(p, c.Ult(ffx, c.Int(8, 9)))}
	s := &process{stateless: stateless{c: c}}
	m, err := s.readModel(asserted, parseSexprs(strings.NewReplacer("P", "|"+smtlib.Variable(c, p)+"|",
		"X", "|"+smtlib.Variable(c, x)+"|", "F", smtlib.Function(c, f)).Replace(`; a comment (
		((define-fun P () Bool true)
			(define-fun X () (_ BitVec 8) #x10)
			(define-fun f!0 ((a (_ BitVec 8))) (_ BitVec 8) (let ((k (_ bv7 8))) (ite (and (= a #x07) (not false)) #b00000001 k)))
			(define-fun F ((a (_ BitVec 8))) (_ BitVec 8) (f!0 a)))`)))
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

// TestProcessMisbehaves checks that a silent process is abandoned at the deadline. A process that dies or reports an
// error has failed, with its own message.
func TestProcessMisbehaves(t *testing.T) {
	c := smt.NewContext()
	p := c.Var("p", smt.Bool)
	name := smtlib.Variable(c, p)
	program := func(body string) string {
		file := filepath.Join(t.TempDir(), "solver")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return "smtlib:" + file
	}
	s := open(t, program("exec sleep 600"), c)
	s.Assert(p)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if res := s.Check(ctx, nil, 0); res.Answer != smt.Timeout {
		t.Errorf("a process that hangs: %v (%s), want timeout", res.Answer, res.Reason)
	}
	for body, want := range map[string]string{
		"cat >/dev/null; kill -SEGV $$":                                             "signal",
		"cat >/dev/null; echo out of memory >&2; exit 3":                            "out of memory",
		`cat >/dev/null; echo '(error "line 1: no such logic")'`:                    "no such logic",
		"cat >/dev/null; echo sat; echo '((define-fun |" + name + "| () Bool oh))'": "cannot read",
	} {
		s := open(t, program(body), c)
		s.Assert(p)
		if res := s.Check(context.Background(), nil, 0); res.Answer != smt.Failed || !strings.Contains(res.Reason, want) {
			t.Errorf("%s: %v (%s), want failed: %s", body, res.Answer, res.Reason, want)
		}
	}
}
