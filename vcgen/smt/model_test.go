package smt

import (
	"math/big"
	"strings"
	"testing"
)

func TestModel(t *testing.T) {
	c := NewContext()
	f := c.NewFunc("mem", 65, 8)
	x := c.Var("x", BV(65))
	a := c.VarAligned("a", 16, 4)
	m := NewModel()
	big := new(big.Int).Lsh(big.NewInt(3), 63)
	m.SetVar(x, BigValueOf(65, big))
	m.SetVar(a, UintValue(16, 0x1237))
	m.SetFunc(f, BigValueOf(65, big), UintValue(8, 1))
	m.SetFunc(f, UintValue(65, 5), UintValue(8, 2))
	m.SetFunc(f, BigValueOf(65, big), UintValue(8, 7))
	e := c.NewEvaluator(m)
	if got := e.EvalUint(c.Apply(f, x)); got != 7 {
		t.Errorf("f(x) = %d, want 7", got)
	}
	if got := e.EvalUint(c.Apply(f, c.Int(65, 6))); got != 0 {
		t.Errorf("f(6) = %d, want 0", got)
	}
	if got := e.Eval(a); !got.Equal(UintValue(16, 0x1230)) {
		t.Errorf("aligned variable is %v", got)
	}
	n := 0
	for arg, res := range m.FuncEntries(f) {
		n++
		if v, ok := m.Func(f, arg); !ok || !v.Equal(res) {
			t.Errorf("entry %v -> %v", arg, res)
		}
	}
	if n != 2 {
		t.Errorf("%d entries, want 2", n)
	}
	if v, ok := m.Var(x); !ok || v.String() != "0x18000000000000000:65" {
		t.Errorf("x = %v", v)
	}
	if _, ok := m.Var(c.Var("y", Bool)); ok {
		t.Error("y has a value")
	}
	if e.EvalBool(c.Var("z", Bool)) {
		t.Error("missing variable is true")
	}
}

func TestSumParts(t *testing.T) {
	c := NewContext()
	x, y := c.Var("x", BV(8)), c.Var("y", BV(8))
	k, parts := c.SumParts(c.Add(c.Sub(c.Mul(x, c.Int(8, 3)), y), c.Int(8, 7)))
	if k != 7 || len(parts) != 2 || parts[0] != (Monomial{3, x}) || parts[1] != (Monomial{255, y}) {
		t.Errorf("3x-y+7 is %d + %v", k, parts)
	}
	if k, parts = c.SumParts(c.BvNot(x)); k != 255 || len(parts) != 1 || parts[0] != (Monomial{255, x}) {
		t.Errorf("~x is %d + %v", k, parts)
	}
}

func TestSortMismatchPanics(t *testing.T) {
	c := NewContext()
	x, y, b := c.Var("x", BV(8)), c.Var("y", BV(9)), c.Var("b", Bool)
	for name, f := range map[string]func(){
		"Add":        func() { c.Add(x, y) },
		"Eq":         func() { c.Eq(x, y) },
		"And":        func() { c.And(b, x) },
		"Not":        func() { c.Not(x) },
		"Ite":        func() { c.Ite(b, x, y) },
		"no term":    func() { c.Add(0, x) },
		"no ite":     func() { c.Ite(b, 0, 0) },
		"Extract":    func() { c.Extract(x, 8, 0) },
		"Zext":       func() { c.Zext(y, 8) },
		"FAdd":       func() { c.FAdd(x, x) },
		"BV":         func() { BV(0) },
		"VarAligned": func() { c.VarAligned("v", 8, 9) },
		"Apply":      func() { c.Apply(c.NewFunc("f", 8, 8), y) },
	} {
		func() {
			defer func() {
				if r, ok := recover().(string); !ok || !strings.HasPrefix(r, "smt: ") {
					t.Errorf("%s: panic %v", name, r)
				}
			}()
			f()
		}()
	}
}

func TestString(t *testing.T) {
	c := NewContext()
	x, a, b := c.Var("x", BV(8)), c.Var("a", Bool), c.Var("b", Bool)
	for want, term := range map[string]Term{
		"(or a!1 b!2)":                   c.Or(a, b),
		"(or (not a!1) b!2)":             c.Implies(a, b),
		"(not (bvult x!0 5:8))":          c.Ule(c.Int(8, 5), x),
		"((_ extract 3 1) x!0)":          c.Extract(x, 3, 1),
		"((_ zero_extend 8) x!0)":        c.Zext(x, 16),
		"(bvadd (bvmul x!0 3:8) 1:8)":    c.Add(c.Mul(x, c.Int(8, 3)), c.Int(8, 1)),
		"<no term 0>":                    0,
		"(ite (and a!1 b!2) x!0 0:8)":    c.Ite(c.And(a, b), x, c.Int(8, 0)),
		"(fround.RTZ (concat x!0 1:24))": c.FRound(RoundTrunc, c.Concat(x, c.Int(24, 1))),
	} {
		if got := c.String(term); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
