package smt

import (
	"fmt"
	"math/big"
	"strings"
)

// Sizes of printed terms, in operators. A repeated term of shareSize gets a name, and so does any term above
// lineSize.
const (
	shareSize = 4
	lineSize  = 24
)

// Infix prints terms in infix notation with C's operators, and names repeated subterms:
//
//		$1 = s64(i) * 4
//		$1 <u 17 && 16 - $1 >=u 4
//
//	  - The suffixes u and s of comparisons, divisions and right shifts mean unsigned and signed.
//	  - u64(x) and s64(x) are zero and sign extension.
//	  - x[7:0] is an extract of x, {x, y} a concatenation, f(x) the value of the function f at x.
//	  - A constant is written value:width unless another operand implies its width.
type Infix struct {
	c       *Context
	named   map[Term]string // "" until it is defined
	symbols map[Term]string
	funcs   map[Func]string
	used    map[string]bool
}

// NewInfix returns a printer for terms and their subterms.
func NewInfix(c *Context, roots ...Term) *Infix {
	p := &Infix{c: c, named: map[Term]string{}, symbols: map[Term]string{}, funcs: map[Func]string{},
		used: map[string]bool{}}
	uses, size := map[Term]int{}, map[Term]int{}
	var visit func(t Term) int
	visit = func(t Term) int {
		if uses[t]++; uses[t] > 1 {
			return size[t]
		}
		n := 0
		for _, a := range c.Args(t) {
			n += visit(a)
		}
		if c.NumArgs(t) > 0 && c.Op(t) != OpNot {
			n++
		}
		if n > lineSize {
			p.named[t], n = "", 1
		}
		size[t] = n
		return n
	}
	for _, t := range roots {
		if t != 0 {
			visit(t)
		}
	}
	for t, n := range uses {
		if n > 1 && size[t] >= shareSize && c.Op(t) != OpNot {
			p.named[t] = ""
		}
	}
	return p
}

// Define returns the definitions that a term needs and that no earlier call returned, in the order of their use.
func (p *Infix) Define(t Term) []string {
	var out []string
	seen := map[Term]bool{}
	var visit func(t Term)
	visit = func(t Term) {
		name, named := p.named[t]
		if seen[t] || named && name != "" {
			return
		}
		seen[t] = true
		for _, a := range p.c.Args(t) {
			visit(a)
		}
		if named {
			text := p.operation(t, 0)
			name = fmt.Sprintf("$%d", p.count()+1)
			p.named[t] = name
			out = append(out, name+" = "+text)
		}
	}
	visit(t)
	return out
}

func (p *Infix) count() (n int) {
	for _, name := range p.named {
		if name != "" {
			n++
		}
	}
	return n
}

// Term prints a term. Define must be called before.
func (p *Infix) Term(t Term) string { return p.term(t, 0) }

// Func returns the printed name of a function.
func (p *Infix) Func(f Func) string {
	if p.funcs[f] == "" {
		p.funcs[f] = p.unique(p.c.FuncName(f))
	}
	return p.funcs[f]
}

// unique returns a unique printed name for a symbol: its name, with a number if the name is already used.
func (p *Infix) unique(name string) string {
	name = strings.ReplaceAll(name, " ", "_")
	out := name
	for i := 2; p.used[out]; i++ {
		out = fmt.Sprintf("%s'%d", name, i)
	}
	p.used[out] = true
	return out
}

// Binding strengths of the notation, weakest first.
const (
	bindChoice = iota + 1
	bindOr
	bindAnd
	bindBitOr
	bindBitXor
	bindBitAnd
	bindCompare
	bindShift
	bindAdd
	bindMul
	bindUnary
)

// notation is the symbol of a binary operator with its binding strength.
type notation struct {
	sign string
	bind int
}

var infixNotation = map[Op]notation{
	OpAnd: {"&&", bindAnd}, OpOr: {"||", bindOr}, OpEq: {"==", bindCompare}, OpUlt: {"<u", bindCompare},
	OpUle: {"<=u", bindCompare}, OpSlt: {"<s", bindCompare}, OpSle: {"<=s", bindCompare}, OpMul: {"*", bindMul},
	OpUdiv: {"/u", bindMul}, OpUrem: {"%u", bindMul}, OpSdiv: {"/s", bindMul}, OpSrem: {"%s", bindMul},
	OpBvAnd: {"&", bindBitAnd}, OpBvOr: {"|", bindBitOr}, OpBvXor: {"^", bindBitXor}, OpShl: {"<<", bindShift},
	OpLshr: {">>u", bindShift}, OpAshr: {">>s", bindShift}, OpFAdd: {"+f", bindAdd}, OpFSub: {"-f", bindAdd},
	OpFMul: {"*f", bindMul}, OpFDiv: {"/f", bindMul}, OpFRem: {"%f", bindMul}, OpFEq: {"==f", bindCompare},
	OpFLt: {"<f", bindCompare}, OpFLe: {"<=f", bindCompare},
}

// negatedNotation has the symbols of negated comparisons. Float comparisons have none, because of NaN.
var negatedNotation = map[Op]string{OpEq: "!=", OpUlt: ">=u", OpUle: ">u", OpSlt: ">=s", OpSle: ">s"}

// term prints a term as an operand of an operator with the given binding strength.
func (p *Infix) term(t Term, bind int) string {
	if name := p.named[t]; name != "" {
		return name
	}
	return p.operation(t, bind)
}

func (p *Infix) operation(t Term, bind int) string {
	text, has := p.written(t)
	if has < bind {
		return "(" + text + ")"
	}
	return text
}

// atom is the binding strength of names, calls and terms in brackets.
const atom = bindUnary + 1

// written prints a term and returns the binding strength of its operator.
func (p *Infix) written(t Term) (string, int) {
	c := p.c
	switch op := c.Op(t); op {
	case OpTrue, OpFalse:
		return op.String(), atom
	case OpConst:
		return fmt.Sprintf("%s:%d", p.constant(t, false), c.Width(t)), atom
	case OpVar:
		if p.symbols[t] == "" {
			p.symbols[t] = p.unique(c.VarName(t))
		}
		return p.symbols[t], atom
	case OpNot:
		return p.negated(c.Arg(t, 0))
	case OpBvNot:
		return "~" + p.term(c.Arg(t, 0), bindUnary), bindUnary
	case OpAdd:
		return p.sum(c.Args(t)), bindAdd
	case OpIte:
		a := c.Args(t)
		return p.term(a[0], bindOr) + " ? " + p.operand(a[1], c.Op(a[2]) != OpConst, bindOr) + " : " +
				p.operand(a[2], c.Op(a[1]) != OpConst, bindChoice),
			bindChoice
	case OpExtract:
		hi, lo := c.ExtractBounds(t)
		if hi == lo {
			return fmt.Sprintf("%s[%d]", p.term(c.Arg(t, 0), atom), lo), atom
		}
		return fmt.Sprintf("%s[%d:%d]", p.term(c.Arg(t, 0), atom), hi, lo), atom
	case OpZext, OpUToF:
		return fmt.Sprintf("%s%d(%s)", map[Op]string{OpZext: "u", OpUToF: "f_u"}[op], c.Width(t),
			p.term(c.Arg(t, 0), 0)), atom
	case OpSext, OpSToF:
		return fmt.Sprintf("%s%d(%s)", map[Op]string{OpSext: "s", OpSToF: "f_s"}[op], c.Width(t),
			p.term(c.Arg(t, 0), 0)), atom
	case OpFToS, OpFToU, OpFToF:
		return fmt.Sprintf("%v%d(%s)", op, c.Width(t), p.term(c.Arg(t, 0), 0)), atom
	case OpApply:
		return fmt.Sprintf("%s(%s)", p.Func(c.FuncOf(t)), p.operand(c.Arg(t, 0), true, 0)), atom
	case OpConcat:
		return "{" + p.list(c.Args(t)) + "}", atom
	case OpFRound:
		return fmt.Sprintf("fround.%v(%s)", c.RoundModeOf(t), p.list(c.Args(t))), atom
	default:
		if n, ok := infixNotation[op]; ok {
			return p.chain(c.Args(t), n), n.bind
		}
		return fmt.Sprintf("%v(%s)", op, p.list(c.Args(t))), atom
	}
}

// negated prints the negation of a Bool.
func (p *Infix) negated(t Term) (string, int) {
	c := p.c
	if p.named[t] == "" {
		args := c.Args(t)
		if sign, ok := negatedNotation[c.Op(t)]; ok {
			return p.chain(args, notation{sign, bindCompare}), bindCompare
		}
		if c.Op(t) == OpAnd && (c.Op(args[0]) == OpNot || c.Op(args[1]) == OpNot) {
			var out []string
			for _, a := range args {
				text, has := p.negated(a)
				if c.Op(a) == OpNot {
					text, has = p.term(c.Arg(a, 0), bindOr), atom
				}
				if has < bindOr {
					text = "(" + text + ")"
				}
				out = append(out, text)
			}
			return strings.Join(out, " || "), bindOr
		}
	}
	return "!" + p.term(t, bindUnary), bindUnary
}

// chain prints operands with an operator between them. Nested comparisons are put in brackets.
func (p *Infix) chain(args []Term, n notation) string {
	var out []string
	for i, a := range args {
		bind := n.bind
		switch n.bind {
		case bindAnd, bindOr, bindBitAnd, bindBitOr, bindBitXor:
		case bindCompare, bindShift:
			bind++
		default:
			if i > 0 {
				bind++
			}
		}
		if other := args[1-min(i, 1)]; p.c.Op(a) == OpConst && p.c.Op(other) != OpConst {
			out = append(out, p.constant(a, strings.HasSuffix(n.sign, "u")))
			continue
		}
		out = append(out, p.term(a, bind))
	}
	return strings.Join(out, " "+n.sign+" ")
}

// operand prints an operand, without the width of a constant if tells is true: the context implies it.
func (p *Infix) operand(t Term, tells bool, bind int) string {
	if tells && p.c.Op(t) == OpConst {
		return p.constant(t, false)
	}
	return p.term(t, bind)
}

func (p *Infix) list(args []Term) string {
	var out []string
	for _, a := range args {
		out = append(out, p.term(a, 0))
	}
	return strings.Join(out, ", ")
}

// sum prints a sum; terms with a negative factor are subtracted.
func (p *Infix) sum(args []Term) string {
	c := p.c
	var plus, minus []string
	for _, a := range args {
		switch {
		case c.Op(a) == OpConst:
			if v := p.signed(a); v.Sign() < 0 {
				minus = append(minus, decimal(v.Neg(v)))
			} else {
				plus = append(plus, decimal(v))
			}
		case p.named[a] == "" && c.Op(a) == OpMul && c.NumArgs(a) == 2 && c.Op(c.Arg(a, 1)) == OpConst &&
			p.signed(c.Arg(a, 1)).Sign() < 0:
			x, v := p.term(c.Arg(a, 0), bindMul), p.signed(c.Arg(a, 1))
			if v.Neg(v).Cmp(big.NewInt(1)) != 0 {
				x += " * " + decimal(v)
			}
			minus = append(minus, x)
		default:
			plus = append(plus, p.term(a, bindAdd))
		}
	}
	out := strings.Join(plus, " + ")
	for _, m := range minus {
		if out == "" {
			out = "-" + m
		} else {
			out += " - " + m
		}
	}
	return out
}

func (p *Infix) signed(t Term) *big.Int {
	v := new(big.Int).Set(p.c.BigValue(t))
	if w := p.c.Width(t); w > 1 && v.Bit(w-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(w)))
	}
	return v
}

// constant prints a constant without its width.
//
// Small negative numbers have a sign, unless the operator is unsigned.
func (p *Infix) constant(t Term, unsigned bool) string {
	v := p.signed(t)
	if few := min(19, p.c.Width(t)/2); !unsigned && few >= 4 && v.Sign() < 0 && v.BitLen() <= few {
		return "-" + decimal(v.Neg(v))
	}
	return decimal(p.c.BigValue(t))
}

// decimal prints a number, in hexadecimal if it is large.
func decimal(v *big.Int) string {
	if v.BitLen() > 20 {
		return fmt.Sprintf("0x%x", v)
	}
	return v.String()
}
