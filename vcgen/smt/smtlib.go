package smt

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteSMTLIB writes a script in SMT-LIB 2.6 that asserts the given Bools and asks check-sat. Every shared node is a
// define-fun, so the script is linear in the number of terms. Float operations go through the theory of floating-point;
// since that theory has no function from floats back to bits, each such result is a constant of its own, fixed by an
// assertion (equality of floats makes all NaNs one, and the pattern of a NaN is asserted to be the canonical one).
// Variables are named name!k. Errors are those of w.
func (c *Context) WriteSMTLIB(w io.Writer, asserts []Term) error {
	c.mustBool("WriteSMTLIB", asserts...)
	out := bufio.NewWriter(w)
	p := &smtPrinter{c: c, w: out}
	fmt.Fprintln(out, "(set-logic ALL)")
	for _, f := range c.Funcs(asserts...) {
		fmt.Fprintf(out, "(declare-fun %s (%v) %v)\n", p.funcName(f), Sort(c.funcs[f].dom), Sort(c.funcs[f].rng))
	}
	cone := c.Cone(asserts...)
	p.uses = make(map[Term]int, len(cone))
	for _, t := range cone {
		for _, a := range c.Args(t) {
			p.uses[a]++
		}
	}
	for _, t := range asserts {
		p.uses[t]++
	}
	p.text = make(map[Term]string)
	for _, t := range cone {
		p.define(t)
	}
	for _, t := range asserts {
		fmt.Fprintf(out, "(assert %s)\n", p.text[t])
	}
	fmt.Fprintln(out, "(check-sat)")
	return out.Flush()
}

type smtPrinter struct {
	c    *Context
	w    *bufio.Writer
	uses map[Term]int
	text map[Term]string // how a term is referred to
}

// inlineLimit is the greatest length of an expression that is written in place when it is used once.
const inlineLimit = 120

// quoteSymbol makes any name a legal symbol.
func quoteSymbol(s string) string {
	return "|" + strings.Map(func(r rune) rune {
		if r == '|' || r == '\\' || r < ' ' || r > '~' {
			return '_'
		}
		return r
	}, s) + "|"
}

func (p *smtPrinter) funcName(f Func) string {
	return quoteSymbol(fmt.Sprintf("%s!f%d", p.c.funcs[f].name, f))
}

func (p *smtPrinter) define(t Term) {
	c := p.c
	n := &c.nodes[t]
	switch n.op {
	case OpTrue, OpFalse:
		p.text[t] = n.op.String()
		return
	case OpConst:
		p.text[t] = smtConst(c.constValue(t))
		return
	case OpVar:
		name := quoteSymbol(c.symbol(t))
		fmt.Fprintf(p.w, "(declare-fun %s () %v)\n", name, n.sort)
		if low := c.vars[n.aux].low; low > 0 {
			fmt.Fprintf(p.w, "(assert (= ((_ extract %d 0) %s) (_ bv0 %d)))\n", low-1, name, low)
		}
		p.text[t] = name
		return
	}
	e := p.expr(t, n)
	if p.uses[t] == 1 && len(e) <= inlineLimit {
		p.text[t] = e
	} else {
		name := fmt.Sprintf("t!%d", t)
		fmt.Fprintf(p.w, "(define-fun %s () %v %s)\n", name, n.sort, e)
		p.text[t] = name
	}
	for _, a := range c.Args(t) { // texts of inlined terms are needed once
		if p.uses[a] == 1 {
			delete(p.text, a)
		}
	}
}

func smtConst(v Value) string {
	if v.sort == Bool {
		return fmt.Sprint(v.Bool())
	}
	return fmt.Sprintf("(_ bv%v %d)", v.read(), int(v.sort))
}

func (p *smtPrinter) expr(t Term, n *node) string {
	c := p.c
	args := c.Args(t)
	a := make([]string, len(args))
	for i, x := range args {
		a[i] = p.text[x]
	}
	op := n.op.String()
	switch n.op {
	case OpExtract:
		hi, lo := c.ExtractBounds(t)
		op = fmt.Sprintf("(_ extract %d %d)", hi, lo)
	case OpZext, OpSext:
		op = fmt.Sprintf("(_ %v %d)", n.op, int(n.sort)-c.Width(args[0]))
	case OpApply:
		op = p.funcName(Func(n.aux))
	case OpFEq, OpFLt, OpFLe:
		aw := c.Width(args[0])
		name := map[Op]string{OpFEq: "fp.eq", OpFLt: "fp.lt", OpFLe: "fp.leq"}[n.op]
		return fmt.Sprintf("(%s %s %s)", name, toFP(a[0], aw), toFP(a[1], aw))
	case OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFSqrt, OpFFma, OpFMin, OpFMax, OpFToF, OpFRound, OpSToF, OpUToF:
		return p.floatResult(t, n, a)
	case OpFToS, OpFToU:
		return p.floatToInt(n, a[0], c.Width(args[0]))
	}
	return "(" + op + " " + strings.Join(a, " ") + ")"
}

// fpSort gives the exponent and significand widths of a float of w bits.
func fpSort(w int) string {
	switch w {
	case 16:
		return "5 11"
	case 32:
		return "8 24"
	}
	return "11 53"
}

// toFP reads a bit pattern as a float.
func toFP(bv string, w int) string { return fmt.Sprintf("((_ to_fp %s) %s)", fpSort(w), bv) }

func canonicalNaN(w int) string {
	v := uint64(nan64)
	switch w {
	case 16:
		v = nan16
	case 32:
		v = nan32
	}
	return smtConst(UintValue(w, v))
}

// floatResult declares the bits of a float result.
func (p *smtPrinter) floatResult(t Term, n *node, a []string) string {
	w := int(n.sort)
	aw := p.c.Width(p.c.arg0(t))
	f := make([]string, len(a))
	if n.op != OpSToF && n.op != OpUToF {
		for i := range a {
			f[i] = fmt.Sprintf("x!%d!%d", t, i)
			fmt.Fprintf(p.w, "(define-fun %s () (_ FloatingPoint %s) %s)\n", f[i], fpSort(aw), toFP(a[i], aw))
		}
	}
	var e string
	switch n.op {
	case OpFAdd, OpFSub, OpFMul, OpFDiv:
		name := map[Op]string{OpFAdd: "fp.add", OpFSub: "fp.sub", OpFMul: "fp.mul", OpFDiv: "fp.div"}[n.op]
		e = fmt.Sprintf("(%s RNE %s %s)", name, f[0], f[1])
	case OpFSqrt:
		e = fmt.Sprintf("(fp.sqrt RNE %s)", f[0])
	case OpFFma:
		e = fmt.Sprintf("(fp.fma RNE %s %s %s)", f[0], f[1], f[2])
	case OpFRound:
		e = fmt.Sprintf("(fp.roundToIntegral %v %s)", RoundMode(n.aux), f[0])
	case OpFToF:
		e = fmt.Sprintf("((_ to_fp %s) RNE %s)", fpSort(w), f[0])
	case OpSToF:
		e = fmt.Sprintf("((_ to_fp %s) RNE %s)", fpSort(w), a[0])
	case OpUToF:
		e = fmt.Sprintf("((_ to_fp_unsigned %s) RNE %s)", fpSort(w), a[0])
	case OpFMin, OpFMax: // fp.min leaves the choice between zeros open
		x, y := f[0], f[1]
		sign := "fp.isNegative"
		if n.op == OpFMax {
			sign = "fp.isPositive"
		}
		less := fmt.Sprintf("(fp.lt %s %s)", x, y)
		more := fmt.Sprintf("(fp.lt %s %s)", y, x)
		if n.op == OpFMax {
			less, more = more, less
		}
		e = fmt.Sprintf("(ite (fp.isNaN %s) %s (ite (fp.isNaN %s) %s (ite %s %s (ite %s %s (ite (%s %s) %s %s)))))", x, y, y,
			x, less, x, more, y, sign, x, x, y)
	case OpFRem:
		// fp.rem rounds the quotient to nearest: where its result on magnitudes is negative, one divisor more gives fmod,
		// exactly.
		r := fmt.Sprintf("r!%d", t)
		fmt.Fprintf(p.w, "(define-fun %s () (_ FloatingPoint %s) (fp.rem (fp.abs %s) (fp.abs %s)))\n", r, fpSort(w), f[0],
			f[1])
		m := fmt.Sprintf("(fp.abs (ite (fp.lt %s ((_ to_fp %s) (_ bv0 %d))) (fp.add RNE %s (fp.abs %s)) %s))", r, fpSort(w),
			w, r, f[1], r)
		e = fmt.Sprintf("(ite (fp.isNegative %s) (fp.neg %s) %s)", f[0], m, m)
	}
	name := fmt.Sprintf("f!%d", t)
	fmt.Fprintf(p.w, "(declare-fun %s () %v)\n", name, n.sort)
	fmt.Fprintf(p.w, "(assert (= %s %s))\n", toFP(name, w), e)
	fmt.Fprintf(p.w, "(assert (=> (fp.isNaN %s) (= %s %s)))\n", toFP(name, w), name, canonicalNaN(w))
	return name
}

// floatToInt writes a conversion to an integer, 0 where SMT-LIB leaves it open.
func (p *smtPrinter) floatToInt(n *node, a string, aw int) string {
	w := int(n.sort)
	x := toFP(a, aw)
	r := fmt.Sprintf("(fp.roundToIntegral RTZ %s)", x)
	// power writes 2^k as a float, or "" when it exceeds the floats.
	bias, frac := 127, 23
	if aw == 64 {
		bias, frac = 1023, 52
	}
	power := func(k int, negative bool) string {
		if k > bias {
			return ""
		}
		v := uint64(k+bias) << uint(frac)
		if negative {
			v |= 1 << uint(aw-1)
		}
		return toFP(smtConst(UintValue(aw, v)), aw)
	}
	conv, lo, hi := "fp.to_ubv", toFP(smtConst(UintValue(aw, 0)), aw), power(w, false)
	if n.op == OpFToS {
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
