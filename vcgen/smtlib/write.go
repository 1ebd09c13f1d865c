// Package smtlib writes terms in SMT-LIB.
//
// For example, the assertion that x + 1 <u y, with x and y of 32 bits, becomes
//
//	(set-logic ALL)
//	(declare-fun |x!3| () (_ BitVec 32))
//	(declare-fun |y!4| () (_ BitVec 32))
//	(assert (bvult (bvadd |x!3| (_ bv1 32)) |y!4|))
//	(check-sat)
//
// The semantics of the terms are those of package smt.
package smtlib

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Write writes a script in SMT-LIB 2.6 that asserts the given Bools and ends with check-sat.
//
// Each shared node is a define-fun, so the script is linear in the number of terms. Float operations use the theory
// of floating-point. That theory has no function from floats to bits; therefore each float result is a new constant,
// determined by an assertion. (Equality of floats identifies all NaNs, and the pattern of a NaN is asserted to be the
// canonical one.) Errors are those of w.
func Write(w io.Writer, c *smt.Context, asserts []smt.Term) error {
	out := bufio.NewWriter(w)
	p := &printer{c: c, w: out}
	fmt.Fprintln(out, "(set-logic ALL)")
	for _, f := range c.Funcs(asserts...) {
		fmt.Fprintf(out, "(declare-fun |%s| (%v) %v)\n", Function(c, f), smt.Sort(c.FuncDomain(f)), smt.Sort(c.FuncRange(f)))
	}
	cone := c.Cone(asserts...)
	p.uses = make(map[smt.Term]int, len(cone))
	for _, t := range cone {
		for _, a := range c.Args(t) {
			p.uses[a]++
		}
	}
	for _, t := range asserts {
		p.uses[t]++
	}
	p.text = make(map[smt.Term]string)
	for _, t := range cone {
		p.define(t)
	}
	for _, t := range asserts {
		fmt.Fprintf(out, "(assert %s)\n", p.text[t])
	}
	fmt.Fprintln(out, "(check-sat)")
	return out.Flush()
}

type printer struct {
	c    *smt.Context
	w    *bufio.Writer
	uses map[smt.Term]int
	text map[smt.Term]string // the text of a reference to a term
}

// inlineLimit is the maximum length of an expression with a single use that is written in place.
const inlineLimit = 120

// Variable returns the symbol of a variable without bars: its name and its handle.
func Variable(c *smt.Context, t smt.Term) string { return legal(fmt.Sprintf("%s!%d", c.VarName(t), t)) }

// Function returns the symbol of a function without bars: its name and its handle.
func Function(c *smt.Context, f smt.Func) string {
	return legal(fmt.Sprintf("%s!f%d", c.FuncName(f), f))
}

// legal replaces characters that are not allowed between bars.
func legal(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '|' || r == '\\' || r < ' ' || r > '~' {
			return '_'
		}
		return r
	}, name)
}

func (p *printer) define(t smt.Term) {
	c := p.c
	switch c.Op(t) {
	case smt.OpTrue, smt.OpFalse:
		p.text[t] = c.Op(t).String()
		return
	case smt.OpConst:
		p.text[t] = number(c.Width(t), c.BigValue(t))
		return
	case smt.OpVar:
		name := "|" + Variable(c, t) + "|"
		fmt.Fprintf(p.w, "(declare-fun %s () %v)\n", name, c.Sort(t))
		if low := c.VarLow(t); low > 0 {
			fmt.Fprintf(p.w, "(assert (= ((_ extract %d 0) %s) (_ bv0 %d)))\n", low-1, name, low)
		}
		p.text[t] = name
		return
	}
	e := p.expr(t)
	if p.uses[t] == 1 && len(e) <= inlineLimit {
		p.text[t] = e
	} else {
		name := fmt.Sprintf("t!%d", t)
		fmt.Fprintf(p.w, "(define-fun %s () %v %s)\n", name, c.Sort(t), e)
		p.text[t] = name
	}
	for _, a := range c.Args(t) { // the text of an inlined term is needed once
		if p.uses[a] == 1 {
			delete(p.text, a)
		}
	}
}

func number(w int, v *big.Int) string { return fmt.Sprintf("(_ bv%v %d)", v, w) }

func (p *printer) expr(t smt.Term) string {
	c := p.c
	args := c.Args(t)
	a := make([]string, len(args))
	for i, x := range args {
		a[i] = p.text[x]
	}
	op := c.Op(t).String()
	switch c.Op(t) {
	case smt.OpExtract:
		hi, lo := c.ExtractBounds(t)
		op = fmt.Sprintf("(_ extract %d %d)", hi, lo)
	case smt.OpZext, smt.OpSext:
		op = fmt.Sprintf("(_ %s %d)", op, c.Width(t)-c.Width(args[0]))
	case smt.OpApply:
		op = "|" + Function(c, c.FuncOf(t)) + "|"
	case smt.OpFEq, smt.OpFLt, smt.OpFLe:
		aw := c.Width(args[0])
		name := map[smt.Op]string{smt.OpFEq: "fp.eq", smt.OpFLt: "fp.lt", smt.OpFLe: "fp.leq"}[c.Op(t)]
		return fmt.Sprintf("(%s %s %s)", name, toFP(a[0], aw), toFP(a[1], aw))
	case smt.OpFAdd, smt.OpFSub, smt.OpFMul, smt.OpFDiv, smt.OpFRem, smt.OpFSqrt, smt.OpFFma, smt.OpFMin, smt.OpFMax,
		smt.OpFToF, smt.OpFRound, smt.OpSToF, smt.OpUToF:
		return p.floatResult(t, a)
	case smt.OpFToS, smt.OpFToU:
		return floatToInt(c.Op(t), c.Width(t), a[0], c.Width(args[0]))
	}
	return "(" + op + " " + strings.Join(a, " ") + ")"
}

// precision returns the exponent and significand widths of a float of w bits.
func precision(w int) (exponent, significand int) {
	switch w {
	case 16:
		return 5, 11
	case 32:
		return 8, 24
	}
	return 11, 53
}

func fpSort(w int) string {
	e, s := precision(w)
	return fmt.Sprintf("%d %d", e, s)
}

// toFP returns a bit pattern converted to a float.
func toFP(bv string, w int) string { return fmt.Sprintf("((_ to_fp %s) %s)", fpSort(w), bv) }

// canonicalNaN returns the bit pattern of a NaN result: all bits of the exponent and the next lower one.
func canonicalNaN(w int) string {
	e, s := precision(w)
	ones := big.NewInt(1<<(e+1) - 1)
	return number(w, ones.Lsh(ones, uint(s-2)))
}

// floatResult declares the bits of a float result.
func (p *printer) floatResult(t smt.Term, a []string) string {
	op, w, aw := p.c.Op(t), p.c.Width(t), p.c.Width(p.c.Arg(t, 0))
	f := make([]string, len(a))
	if op != smt.OpSToF && op != smt.OpUToF {
		for i := range a {
			f[i] = fmt.Sprintf("x!%d!%d", t, i)
			fmt.Fprintf(p.w, "(define-fun %s () (_ FloatingPoint %s) %s)\n", f[i], fpSort(aw), toFP(a[i], aw))
		}
	}
	var e string
	switch op {
	case smt.OpFAdd, smt.OpFSub, smt.OpFMul, smt.OpFDiv:
		name := map[smt.Op]string{smt.OpFAdd: "fp.add", smt.OpFSub: "fp.sub", smt.OpFMul: "fp.mul", smt.OpFDiv: "fp.div"}[op]
		e = fmt.Sprintf("(%s RNE %s %s)", name, f[0], f[1])
	case smt.OpFSqrt:
		e = fmt.Sprintf("(fp.sqrt RNE %s)", f[0])
	case smt.OpFFma:
		e = fmt.Sprintf("(fp.fma RNE %s %s %s)", f[0], f[1], f[2])
	case smt.OpFRound:
		e = fmt.Sprintf("(fp.roundToIntegral %v %s)", p.c.RoundModeOf(t), f[0])
	case smt.OpFToF:
		e = fmt.Sprintf("((_ to_fp %s) RNE %s)", fpSort(w), f[0])
	case smt.OpSToF:
		e = fmt.Sprintf("((_ to_fp %s) RNE %s)", fpSort(w), a[0])
	case smt.OpUToF:
		e = fmt.Sprintf("((_ to_fp_unsigned %s) RNE %s)", fpSort(w), a[0])
	case smt.OpFMin, smt.OpFMax: // fp.min does not determine the sign of a zero result
		x, y := f[0], f[1]
		sign := "fp.isNegative"
		if op == smt.OpFMax {
			sign = "fp.isPositive"
		}
		less := fmt.Sprintf("(fp.lt %s %s)", x, y)
		more := fmt.Sprintf("(fp.lt %s %s)", y, x)
		if op == smt.OpFMax {
			less, more = more, less
		}
		e = fmt.Sprintf("(ite (fp.isNaN %s) %s (ite (fp.isNaN %s) %s (ite %s %s (ite %s %s (ite (%s %s) %s %s)))))", x, y, y,
			x, less, x, more, y, sign, x, x, y)
	case smt.OpFRem:
		// fp.rem rounds the quotient to nearest. If its result on magnitudes is negative, adding one divisor gives
		// fmod exactly.
		r := fmt.Sprintf("r!%d", t)
		fmt.Fprintf(p.w, "(define-fun %s () (_ FloatingPoint %s) (fp.rem (fp.abs %s) (fp.abs %s)))\n", r, fpSort(w), f[0],
			f[1])
		m := fmt.Sprintf("(fp.abs (ite (fp.lt %s ((_ to_fp %s) (_ bv0 %d))) (fp.add RNE %s (fp.abs %s)) %s))", r, fpSort(w),
			w, r, f[1], r)
		e = fmt.Sprintf("(ite (fp.isNegative %s) (fp.neg %s) %s)", f[0], m, m)
	}
	name := fmt.Sprintf("f!%d", t)
	fmt.Fprintf(p.w, "(declare-fun %s () %v)\n", name, p.c.Sort(t))
	fmt.Fprintf(p.w, "(assert (= %s %s))\n", toFP(name, w), e)
	fmt.Fprintf(p.w, "(assert (=> (fp.isNaN %s) (= %s %s)))\n", toFP(name, w), name, canonicalNaN(w))
	return name
}

// floatToInt returns a conversion to an integer; 0 for values without a result in SMT-LIB.
func floatToInt(op smt.Op, w int, a string, aw int) string {
	x := toFP(a, aw)
	r := fmt.Sprintf("(fp.roundToIntegral RTZ %s)", x)
	// power returns 2^k as a float, or "" if it exceeds the range.
	exponent, significand := precision(aw)
	bias := 1<<(exponent-1) - 1
	power := func(k int, negative bool) string {
		if k > bias {
			return ""
		}
		v := uint64(k+bias) << (significand - 1)
		if negative {
			v |= 1 << (aw - 1)
		}
		return toFP(number(aw, new(big.Int).SetUint64(v)), aw)
	}
	conv, lo, hi := "fp.to_ubv", toFP(number(aw, new(big.Int)), aw), power(w, false)
	if op == smt.OpFToS {
		conv, lo, hi = "fp.to_sbv", power(w-1, true), power(w-1, false)
	}
	cond := fmt.Sprintf("(not (fp.isNaN %s)) (not (fp.isInfinite %s))", x, x)
	if lo != "" {
		cond += fmt.Sprintf(" (fp.leq %s %s)", lo, r)
	}
	if hi != "" {
		cond += fmt.Sprintf(" (fp.lt %s %s)", r, hi)
	}
	return fmt.Sprintf("(ite (and %s) ((_ %s %d) RTZ %s) (_ bv0 %d))", cond, conv, w, x, w)
}
