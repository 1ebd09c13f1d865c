package clang

import (
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/found"
)

var (
	narrowAddress = lazyregexp.New(`(?m)^target datalayout = "[^"]*-p:(16|32):`)
	treeID        = lazyregexp.New(`0x[0-9a-f]+`)
	treeOperator  = lazyregexp.New(`'([^']*)'`)
)

// wideIndices notes each constant index that has more bits than an address of the target.
//
// Clang reduces a constant index to the width of an address, so that the assembly has p[0] for p[1LL << 32]. The index
// is found in the syntax tree. Indices that are not constant are handled by clangir.Extent.
func (c *compilation) wideIndices(ctx context.Context, u Unit, flags []string, result *compiled) error {
	m := narrowAddress.FindSubmatch(result.text[:min(len(result.text), 1<<12)])
	if m == nil {
		return nil
	}
	bits, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return err
	}
	file, err := c.input(u)
	if err != nil {
		return err
	}
	overlay, err := c.overlay.flags()
	if err != nil {
		return err
	}
	dump, _, err := c.Run(ctx, u.Dir, c.Clang, slices.Concat(flags, overlay, []string{"-fsyntax-only", "-U__UNITPROOF__",
		"-w", "-fno-color-diagnostics", "-Xclang", "-ast-dump", file}), nil)
	if err != nil && (ctx.Err() != nil || !Exited(err)) {
		return processError(ctx, "compile", err, nil)
	}
	k := constants{bits: bits, values: map[string]value{}}
	if err != nil { // without __UNITPROOF__ it does not compile, so a part of the tree is missing
		k.wide = append(k.wide, wideIndex{"of type long long", found.Pos{File: u.path(), Line: 1}})
	}
	for n := range syntaxTree(dump, u.Dir) {
		k.declare(n)
	}
	for _, w := range k.wide {
		result.notes = append(result.notes,
			found.Assumption{What: found.CutIndex, Name: w.name, Count: int64(bits), At: w.at})
	}
	return nil
}

// value is the value of an expression: a number, an unknown constant, or (fixed is false) a result of the execution.
type value struct {
	fixed bool
	n     *big.Int
}

// constants computes constant expressions, as far as indices are written in them, and collects the indices that do not
// fit into an address.
type constants struct {
	bits int
	// values are the values of enumerators and of const variables, by the ids of their declarations.
	values map[string]value
	wide   []wideIndex
	// last is the value of the enumerator before.
	last value
}

type wideIndex struct {
	name string
	at   found.Pos
}

// integerBits are the widths of types of integers on machines with addresses of 16 or 32 bits.
var integerBits = map[string]int{"long long": 64, "unsigned long long": 64, "int": 32, "unsigned int": 32, "long": 32,
	"unsigned long": 32, "short": 16, "unsigned short": 16, "signed char": 8, "unsigned char": 8, "_Bool": 1}

// width returns the width of a type of integers, 0 if it is not known, and whether it has no sign.
func (k *constants) width(typ string) (bits int, unsigned bool) {
	typ = strings.TrimPrefix(typ, "const ")
	unsigned = strings.HasPrefix(typ, "unsigned ") || typ == "_Bool"
	bits = integerBits[typ]
	if k.bits == 16 && (typ == "int" || typ == "unsigned int") {
		bits = 16
	}
	return bits, unsigned
}

// declare visits a declaration with all that is inside.
func (k *constants) declare(n *node) {
	switch n.class {
	case "EnumDecl":
		k.last = value{true, big.NewInt(-1)}
	case "EnumConstantDecl":
		if len(n.children) > 0 && !strings.HasSuffix(n.children[0].class, "Comment") {
			k.last = k.value(n.children[0])
		} else if k.last.n != nil {
			k.last.n = new(big.Int).Add(k.last.n, big.NewInt(1))
		}
		k.values[n.id] = k.last
	case "VarDecl":
		if len(n.children) > 0 && strings.HasPrefix(n.typ, "const ") && !strings.HasSuffix(n.typ, "]") {
			if v := k.value(n.children[0]); v.fixed {
				k.values[n.id] = v
			}
		}
	case "ArraySubscriptExpr", "BinaryOperator", "CompoundAssignOperator":
		k.index(n)
	}
	for _, c := range n.children {
		k.declare(c)
	}
}

// index checks the index of p[i], p + i, p - i, p += i and p -= i.
func (k *constants) index(n *node) {
	if len(n.children) != 2 {
		return
	}
	op := operator(n)
	if n.class != "ArraySubscriptExpr" && (!slices.Contains([]string{"+", "-", "+=", "-="}, op) ||
		!strings.HasSuffix(n.typ, "*")) {
		return
	}
	i := n.children[1]
	if bits, _ := k.width(i.typ); bits == 0 {
		i = n.children[0] // i[p], i + p
	}
	if bits, _ := k.width(i.typ); bits <= k.bits {
		return
	}
	v := k.value(i)
	if !v.fixed {
		return
	}
	name := "of type " + i.typ
	if v.n != nil {
		if v.n.Sign() >= 0 && v.n.BitLen() <= k.bits || v.n.Sign() < 0 && new(big.Int).Not(v.n).BitLen() < k.bits {
			return
		}
		name = v.n.String()
		if strings.HasPrefix(op, "-") {
			name = new(big.Int).Neg(v.n).String()
		}
	}
	k.wide = append(k.wide, wideIndex{name, n.at})
}

// operator returns the operator of an expression.
func operator(n *node) string {
	if m := treeOperator.FindStringSubmatch(n.rest); m != nil {
		return m[1]
	}
	return ""
}

// wrapped returns a number in a type.
func (k *constants) wrapped(x *big.Int, typ string) value {
	bits, unsigned := k.width(typ)
	if bits == 0 {
		return value{fixed: true}
	}
	one := big.NewInt(1)
	n := new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one))
	if !unsigned && n.Bit(bits-1) == 1 {
		n.Sub(n, new(big.Int).Lsh(one, uint(bits)))
	}
	return value{true, n}
}

func known(x *big.Int, ok bool) value {
	if !ok {
		return value{fixed: true}
	}
	return value{true, x}
}

// unary returns the value of an operator before or behind its operand.
func (k *constants) unary(n *node) value {
	v := k.value(n.children[0])
	if !v.fixed {
		return value{}
	}
	x := new(big.Int)
	switch op := operator(n); {
	case op == "++" || op == "--" || op == "*" || op == "&":
		return value{}
	case v.n == nil:
		return v
	case op == "-":
		x.Neg(v.n)
	case op == "~":
		x.Not(v.n)
	case op == "!":
		x.SetInt64(number(v.n.Sign() == 0))
	default: // +, __extension__
		return v
	}
	return k.wrapped(x, n.typ)
}

// binary returns the value of an operator with two operands.
func (k *constants) binary(n *node) value {
	op := operator(n)
	x, y := k.value(n.children[0]), k.value(n.children[1])
	switch {
	case op == "," || op == "=": // clang folds the index in p[i = 1LL << 32], too
		return y
	case !x.fixed || !y.fixed:
		return value{}
	case x.n == nil || y.n == nil:
		return value{fixed: true}
	}
	r := new(big.Int)
	switch op {
	case "+":
		r.Add(x.n, y.n)
	case "-":
		r.Sub(x.n, y.n)
	case "*":
		r.Mul(x.n, y.n)
	case "&":
		r.And(x.n, y.n)
	case "|":
		r.Or(x.n, y.n)
	case "^":
		r.Xor(x.n, y.n)
	case "/", "%":
		if y.n.Sign() == 0 {
			return value{fixed: true}
		}
		quotient, remainder := new(big.Int).QuoRem(x.n, y.n, new(big.Int))
		if r = quotient; op == "%" {
			r = remainder
		}
	case "<<", ">>":
		if y.n.Sign() < 0 || y.n.BitLen() > 6 {
			return value{fixed: true}
		}
		if shift := uint(y.n.Uint64()); op == "<<" {
			r.Lsh(x.n, shift)
		} else {
			r.Rsh(x.n, shift)
		}
	default:
		holds := comparisons[op]
		if holds == nil {
			return value{fixed: true}
		}
		r.SetInt64(number(holds(x.n.Cmp(y.n))))
	}
	return k.wrapped(r, n.typ)
}

// comparisons are the operators that compare numbers, as conditions on the result of Cmp.
var comparisons = map[string]func(order int) bool{
	"==": func(order int) bool { return order == 0 },
	"!=": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	">":  func(order int) bool { return order > 0 },
	"<=": func(order int) bool { return order <= 0 },
	">=": func(order int) bool { return order >= 0 },
}

// number returns the value of a comparison.
func number(c bool) int64 {
	if c {
		return 1
	}
	return 0
}

// operands are the numbers of operands of expressions.
var operands = map[string]int{"ParenExpr": 1, "ConstantExpr": 1, "ImplicitCastExpr": 1, "CStyleCastExpr": 1,
	"UnaryOperator": 1, "BinaryOperator": 2, "ConditionalOperator": 3}

// value returns the value of an expression. It computes what clang folds; a constant of another form is unknown.
func (k *constants) value(n *node) value {
	if len(n.children) < operands[n.class] { // not a tree as clang prints it
		return value{fixed: true}
	}
	switch n.class {
	case "IntegerLiteral", "CharacterLiteral":
		x, ok := new(big.Int).SetString(strings.TrimSpace(n.rest), 10)
		return known(x, ok)
	case "ParenExpr":
		return k.value(n.children[0])
	case "ConstantExpr":
		return k.value(n.children[len(n.children)-1])
	case "ImplicitCastExpr", "CStyleCastExpr":
		v := k.value(n.children[0])
		if v.n != nil && strings.Contains(n.rest, "<IntegralCast>") {
			return k.wrapped(v.n, n.typ)
		}
		if v.fixed && !strings.Contains(n.rest, "<LValueToRValue>") && !strings.Contains(n.rest, "<NoOp>") {
			return value{fixed: true}
		}
		return v
	case "DeclRefExpr":
		return k.values[treeID.FindString(n.rest)]
	case "UnaryOperator":
		return k.unary(n)
	case "BinaryOperator":
		return k.binary(n)
	case "ConditionalOperator":
		c := k.value(n.children[0])
		switch {
		case c.n != nil && c.n.Sign() != 0:
			return k.value(n.children[1])
		case c.n != nil:
			return k.value(n.children[2])
		case c.fixed:
			return value{fixed: k.value(n.children[1]).fixed || k.value(n.children[2]).fixed}
		}
		return value{}
	case "UnaryExprOrTypeTraitExpr":
		if m := treeOperator.FindStringSubmatch(n.rest); m != nil && strings.HasPrefix(strings.TrimSpace(n.rest), "sizeof") {
			if bits, _ := k.width(m[1]); m[1] == "char" || bits >= 8 {
				return value{true, big.NewInt(int64(max(bits, 8) / 8))}
			}
		}
		return value{fixed: true} // sizeof v does not read v
	case "CallExpr", "MemberExpr", "ArraySubscriptExpr", "StmtExpr", "CompoundAssignOperator", "VAArgExpr", "AtomicExpr":
		return value{}
	}
	for _, c := range n.children {
		if !k.value(c).fixed {
			return value{}
		}
	}
	return value{fixed: true}
}
