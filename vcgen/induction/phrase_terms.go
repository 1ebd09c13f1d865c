package induction

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// within returns the text as an operand of an operator with a precedence.
func (o operand) within(prec int) string {
	if o.prec < prec {
		return "(" + o.text + ")"
	}
	return o.text
}

// typeName returns the type of a cast.
func (ph *phraser) typeName(bits int, signed bool) string {
	name := map[int]string{8: "char", 16: "short", 32: "int", 64: "long"}[bits]
	if bits == 64 && ph.prog.Memory.Width < 64 {
		name = "long long"
	}
	switch {
	case bits == ph.prog.Memory.Width && !signed && ph.size:
		return "size_t"
	case !signed:
		return "unsigned " + name
	case bits == 8:
		return "signed char"
	}
	return name
}

func (ph *phraser) cast(o operand, bits int, signed bool) (operand, bool) {
	name := ph.typeName(bits, signed)
	if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
		return operand{}, false
	}
	return operand{text: "(" + name + ")" + o.within(precUnary), prec: precUnary, bits: bits, sign: signed}, true
}

// value returns an expression with the value of a term as a signed or unsigned number.
func (ph *phraser) value(t smt.Term, signed bool) (operand, bool) {
	o, ok := ph.natural(t)
	if !ok {
		return o, false
	}
	w := ph.c.Width(t)
	switch {
	case o.konst:
		return ph.number(t, signed)
	case o.sign == signed, o.bits < w && !o.sign:
		return o, true
	case o.typ != nil && o.typ.Elem != nil && o.bits == ph.prog.Memory.Width: // addresses are compared without a cast
		return o, true
	}
	if w <= 64 {
		if _, hi := ph.c.Range(t); hi < 1<<(w-1) {
			return o, true
		}
	}
	return ph.cast(o, w, signed)
}

// unsaid is the least number that is assumed to be a memory limit of the engine, not a number of the program.
const unsaid = uint64(1) << 46

func (ph *phraser) number(t smt.Term, signed bool) (operand, bool) {
	w := ph.c.Width(t)
	o := operand{prec: precPostfix, bits: w, sign: signed, konst: true}
	if v, ok := ph.c.Int64(t); ok && signed {
		if o.text = strconv.FormatInt(v, 10); v < 0 {
			o.prec = precUnary
		}
		return o, v != -1<<63
	}
	v, ok := ph.c.Uint64(t)
	if v >= unsaid && v < math.MaxUint64-unsaid {
		return operand{}, false
	}
	if o.text = strconv.FormatUint(v, 10); v > 1<<31-1 {
		o.text += "u"
	}
	return o, ok
}

// natural returns the shortest expression with the bits of a term.
func (ph *phraser) natural(t smt.Term) (operand, bool) {
	c := ph.c
	if o, ok := ph.vars[t]; ok {
		return o, true
	}
	if ph.depth++; ph.depth > maxPhraseDepth {
		ph.depth--
		return operand{}, false
	}
	defer func() { ph.depth-- }()
	if c.Sort(t).IsBool() {
		return operand{}, false
	}
	w := c.Width(t)
	if r, ok := ph.terms.Read(t); ok {
		return ph.element(r.Func, r.Off, r.N)
	}
	switch c.Op(t) {
	case smt.OpConst:
		o, ok := ph.number(t, false)
		return o, ok
	case smt.OpMul:
		if a, b := c.Arg(t, 0), c.Arg(t, 1); !c.IsConst(a) && !c.IsConst(b) {
			return ph.product(a, b)
		}
		return ph.sum(t)
	case smt.OpAdd:
		return ph.sum(t)
	case smt.OpZext:
		return ph.value(c.Arg(t, 0), false)
	case smt.OpSext:
		o, ok := ph.value(c.Arg(t, 0), true)
		return o, ok && o.sign
	case smt.OpExtract:
		if hi, lo := c.ExtractBounds(t); lo == 0 {
			if o, ok := ph.natural(c.Arg(t, 0)); ok {
				return ph.cast(o, hi+1, false)
			}
		}
	case smt.OpUdiv, smt.OpUrem:
		a, ok := ph.value(c.Arg(t, 0), false)
		b, also := ph.value(c.Arg(t, 1), false)
		sign := " / "
		if c.Op(t) == smt.OpUrem {
			sign = " % "
		}
		return operand{text: a.within(precMul) + sign + b.within(precUnary), prec: precMul, bits: w,
			sign: a.sign && b.sign}, ok && also && w >= 32
	case smt.OpBvAnd:
		return ph.bitwise(t, " & ", precBitAnd)
	case smt.OpBvOr:
		return ph.bitwise(t, " | ", precBitOr)
	case smt.OpBvXor:
		return ph.bitwise(t, " ^ ", precBitXor)
	case smt.OpLshr:
		a, ok := ph.value(c.Arg(t, 0), false)
		b, also := ph.value(c.Arg(t, 1), false)
		return operand{text: a.within(precShift) + " >> " + b.within(precAdd), prec: precShift, bits: w, sign: a.sign},
			ok && also
	case smt.OpIte:
		q, ok := ph.condition(c.Arg(t, 0))
		a, one := ph.natural(c.Arg(t, 1))
		b, two := ph.natural(c.Arg(t, 2))
		if a.konst {
			a.sign = b.sign
		}
		if b.konst {
			b.sign = a.sign
		}
		return operand{text: q.within(precOr) + " ? " + a.within(precChoice) + " : " + b.within(precChoice),
			prec: precChoice, bits: w, sign: a.sign}, ok && one && two && a.sign == b.sign && a.bits == w && b.bits == w
	}
	return operand{}, false
}

// element returns an expression for a read of arbitrary content.
func (ph *phraser) element(f smt.Func, off smt.Term, n int64) (operand, bool) {
	at, ok := ph.contents[f]
	if !ok {
		return operand{}, false
	}
	o, ok := ph.lvalue(at.obj, off, n)
	if at.entry {
		o.text = "__CPROVER_loop_entry(" + o.text + ")"
	}
	return o, ok
}

func (ph *phraser) bitwise(t smt.Term, sign string, prec int) (operand, bool) {
	var texts []string
	out := operand{prec: prec, bits: ph.c.Width(t)}
	for _, a := range ph.c.Args(t) {
		o, ok := ph.value(a, false)
		if !ok {
			return operand{}, false
		}
		texts = append(texts, o.within(prec+1))
	}
	out.text = strings.Join(texts, sign)
	return out, true
}

// product writes a product modulo 2^w, if C computes it so.
func (ph *phraser) product(a, b smt.Term) (operand, bool) {
	w := ph.c.Width(a)
	x, ok := ph.natural(a)
	y, also := ph.natural(b)
	unsigned := x.bits == w && !x.sign || y.bits == w && !y.sign
	exact := (x.bits == w || !x.sign) && (y.bits == w || !y.sign)
	return operand{text: x.within(precMul) + " * " + y.within(precUnary), prec: precMul, bits: w},
		ok && also && w >= 32 && unsigned && exact
}

// sum writes a sum modulo 2^w.
func (ph *phraser) sum(t smt.Term) (operand, bool) {
	c := ph.c
	w := c.Width(t)
	if w > 64 {
		return operand{}, false
	}
	konst, parts := c.SumParts(t)
	signedOf := func(v uint64) int64 { return int64(v<<(64-w)) >> (64 - w) }
	var plus, minus []operand
	coefs := map[bool][]int64{}
	widest, unsigned := 0, false
	for _, p := range parts {
		if p.T == t {
			return operand{}, false
		}
		o, ok := ph.natural(p.T)
		if !ok || o.typ != nil && o.typ.Elem != nil {
			return operand{}, false
		}
		widest = max(widest, o.bits)
		unsigned = unsigned || o.bits == w && !o.sign
		coef := signedOf(p.Coef)
		if coef < 0 {
			minus, coefs[false] = append(minus, o), append(coefs[false], -coef)
		} else {
			plus, coefs[true] = append(plus, o), append(coefs[true], coef)
		}
	}
	if len(parts) == 0 {
		return operand{}, false
	}
	out := operand{prec: precAdd, bits: w, sign: !unsigned}
	if w >= 32 && widest < w { // the type of the operands is too narrow for the sum
		list := plus
		if len(list) == 0 {
			list = minus
		}
		all := true
		for _, o := range append(append([]operand(nil), plus...), minus...) {
			all = all && o.sign
		}
		var ok bool
		if list[0], ok = ph.cast(list[0], w, all); !ok {
			return operand{}, false
		}
		out.sign = all
	}
	write := func(o operand, coef int64) string {
		if coef == 1 {
			return o.within(precMul)
		}
		return fmt.Sprintf("%d * %s", coef, o.within(precUnary))
	}
	k := signedOf(konst)
	for i, o := range plus {
		if i > 0 {
			out.text += " + "
		}
		out.text += write(o, coefs[true][i])
	}
	switch {
	case len(plus) == 0 && k > 0:
		out.text, k = strconv.FormatInt(k, 10), 0
	case len(plus) == 0:
		out.text = "0"
	case k > 0:
		out.text += " + " + strconv.FormatInt(k, 10)
	}
	for i, o := range minus {
		out.text += " - " + write(o, coefs[false][i])
	}
	if k < 0 {
		out.text += " - " + strconv.FormatUint(uint64(-k), 10)
	}
	if k == 0 && len(plus) == 1 && len(minus) == 0 {
		out.prec = precMul
	}
	if w < 32 {
		return ph.cast(out, w, false)
	}
	return out, true
}

// condition writes a Boolean term.
func (ph *phraser) condition(t smt.Term) (operand, bool) {
	c := ph.c
	if ph.depth++; ph.depth > maxPhraseDepth {
		ph.depth--
		return operand{}, false
	}
	defer func() { ph.depth-- }()
	if r, ok := ph.relation(t); ok {
		return ph.compare(r)
	}
	if list := ph.disjuncts(t); len(list) > 1 {
		return ph.join(list, " || ", precOr)
	}
	switch c.Op(t) {
	case smt.OpFLt, smt.OpFLe:
		return ph.compareFloats(t)
	case smt.OpEq:
		return ph.equal(c.Arg(t, 0), c.Arg(t, 1), false)
	case smt.OpAnd:
		return ph.join(c.Conjuncts(t), " && ", precAnd)
	case smt.OpNot:
		if in := c.Arg(t, 0); c.Op(in) == smt.OpEq {
			return ph.equal(c.Arg(in, 0), c.Arg(in, 1), true)
		}
	}
	return operand{}, false
}

// compareFloats writes a comparison of float variables and constants.
func (ph *phraser) compareFloats(t smt.Term) (operand, bool) {
	sides := [2]string{}
	for i := range sides {
		side := ph.c.Arg(t, i)
		sides[i] = ph.floating[side]
		if f, ok := ph.c.FloatConst(side); ok {
			sides[i] = floatLiteral(f, ph.c.Width(side))
		}
	}
	sign := " <= "
	if ph.c.Op(t) == smt.OpFLt {
		sign = " < "
	}
	return operand{text: sides[0] + sign + sides[1], prec: precLess}, sides[0] != "" && sides[1] != ""
}

// floatLiteral writes a number as a C literal of w bits; "" for infinity, which has none.
func floatLiteral(f float64, w int) string {
	if math.IsInf(f, 0) {
		return ""
	}
	s := strconv.FormatFloat(f, 'g', -1, w)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	if w == 32 {
		s += "f"
	}
	return s
}

// join writes several conditions with an operator between them.
func (ph *phraser) join(list []smt.Term, sign string, prec int) (operand, bool) {
	var texts []string
	out := operand{prec: prec}
	for _, t := range list {
		o, ok := ph.condition(t)
		if !ok {
			return operand{}, false
		}
		if len(list) == 1 {
			return o, true
		}
		texts = append(texts, o.within(precBitOr))
	}
	out.text = strings.Join(texts, sign)
	return out, true
}

func (ph *phraser) compare(r relation) (operand, bool) {
	c := ph.c
	w := c.Width(r.a)
	if v, ok := c.Uint64(r.b); ok && r.less && v > 0 && (!r.signed || w <= 64 && v != 1<<(w-1)) { // x <= 9 for x < 10
		r.b, r.less = c.Int(w, v-1), false
	} else if v, ok := c.Uint64(r.a); ok && r.less && w <= 64 && v != 1<<(w-1)-1 && v+1 != 0 && v != 0 {
		r.a, r.less = c.Int(w, v+1), false
	}
	x, ok := ph.value(r.a, r.signed)
	y, also := ph.value(r.b, r.signed)
	if !ok || !also {
		return operand{}, false
	}
	if r.signed { // C compares unsigned if one operand is unsigned
		for _, o := range []*operand{&x, &y} {
			if !o.sign && !o.konst && o.bits >= 32 {
				if *o, ok = ph.cast(*o, w, true); !ok {
					return operand{}, false
				}
			}
		}
	}
	sign := " <= "
	if r.less {
		sign = " < "
	}
	return operand{text: x.within(precShift) + sign + y.within(precShift), prec: precLess}, true
}

func (ph *phraser) equal(a, b smt.Term, not bool) (operand, bool) {
	c := ph.c
	if c.IsConst(a) {
		a, b = b, a
	}
	if c.Sort(a).IsBool() {
		return operand{}, false
	}
	sign := " == "
	if not {
		sign = " != "
	}
	if v, ok := c.Uint64(b); ok && c.Op(a) == smt.OpExtract { // a stride
		if hi, lo := c.ExtractBounds(a); lo == 0 && hi < 16 {
			if hi == 0 && not {
				v, sign = 1-v, " == "
			}
			o, ok := ph.value(c.Arg(a, 0), false)
			return operand{text: fmt.Sprintf("%s %% %d%s%d", o.within(precMul), 1<<(hi+1), sign, v), prec: precEqual}, ok
		}
	}
	x, ok := ph.natural(a)
	y, also := ph.natural(b)
	if !ok || !also {
		return operand{}, false
	}
	if x.prec < precPostfix && y.prec == precPostfix && !y.konst { // the element first
		a, b, x, y = b, a, y, x
	} else if !y.konst && strings.Contains(y.text, "[") && !strings.Contains(x.text, "[") {
		a, b, x, y = b, a, y, x
	}
	if signed := x.sign || x.konst && y.sign; !x.konst && y.konst || x.sign != y.sign || x.bits != y.bits {
		if y.sign != x.sign && !x.konst && !y.konst {
			signed = false
		}
		x, ok = ph.value(a, signed)
		y, also = ph.value(b, signed)
	}
	if v, isConst := c.Uint64(b); isConst && x.typ != nil && x.typ.Kind == llvmir.DIChar &&
		(v >= ' ' && v < 127 || v == '\t' || v == '\n' || v == '\r') {
		y.text = strconv.QuoteRuneToASCII(rune(v))
	}
	return operand{text: x.within(precLess) + sign + y.within(precLess), prec: precEqual}, ok && also
}
