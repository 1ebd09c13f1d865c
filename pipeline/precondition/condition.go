package precondition

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Var is a value of the proof at the place where a condition is to stand: a variable or a member that C can name.
type Var struct {
	Text    string // an lvalue in C
	Pointer bool
	To      string // of pointers: the type's name
	Bool    bool
	Float   bool // a float or double
	Bits    int  // of integers and floats
	Signed  bool
	Enum    map[string]string // names of enumerators by value in decimal; nil: no enumeration
	// Input: the value is arbitrary and not computed.
	Input bool
	// Relevant: the failing execution depends on it, as far as that is known.
	Relevant bool
}

// last returns the name of the member that the lvalue ends with, or of the variable.
func (v *Var) last() string {
	name := v.Text[strings.LastIndexAny(v.Text, ".>*")+1:]
	name, _, _ = strings.Cut(name, "[")
	return name
}

// integer reports whether the value is an integer that is no enumeration.
func (v *Var) integer() bool { return !v.Pointer && !v.Bool && !v.Float && v.Enum == nil }

// signed reports whether the value is signed in C's arithmetic.
func (v *Var) signed() bool { return v.Signed || v.Bits < 32 }

// min and max are the bounds of an integer's type.
func (v *Var) min() *big.Int {
	if !v.Signed {
		return new(big.Int)
	}
	return new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(v.Bits-1)))
}

func (v *Var) max() *big.Int {
	n := v.Bits
	if v.Signed {
		n--
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return m.Sub(m, big.NewInt(1))
}

// State is the values of all variables in one execution; nil: not known. A pointer is 0 if it is NULL; equal pointers
// have equal numbers. A float has its FloatKey.
type State []*big.Int

// term is a number: constant + or - or divided by a variable, or one of these alone.
type term struct {
	constant *big.Int // nil: none
	name     string   // how the constant is written
	variable int      // -1: none
	op       byte     // between a and b
	a, b     *term
}

func (t *term) eval(s State) *big.Int {
	switch {
	case t.a != nil:
		x, y := t.a.eval(s), t.b.eval(s)
		if x == nil || y == nil {
			return nil
		}
		switch t.op {
		case '+':
			return new(big.Int).Add(x, y)
		case '-':
			return new(big.Int).Sub(x, y)
		case '&':
			return new(big.Int).And(x, y)
		case '/', '%':
			if y.Sign() == 0 {
				return nil
			}
			if t.op == '%' {
				return new(big.Int).Rem(x, y)
			}
			return new(big.Int).Quo(x, y)
		}
		return nil
	case t.constant != nil:
		return t.constant
	}
	return s[t.variable]
}

func (t *term) text(vars []Var) string {
	switch {
	case t.a != nil && t.op == '&':
		return fmt.Sprintf("(%s & %s)", t.a.text(vars), t.b.text(vars))
	case t.a != nil:
		return fmt.Sprintf("%s %c %s", t.a.text(vars), t.op, t.b.text(vars))
	case t.constant != nil:
		return t.name
	}
	return vars[t.variable].Text
}

// uses adds the variables of a term.
func (t *term) uses(to *[]int) {
	switch {
	case t.a != nil:
		t.a.uses(to)
		t.b.uses(to)
	case t.constant == nil && !slices.Contains(*to, t.variable):
		*to = append(*to, t.variable)
	}
}

func (t *term) isConstant() bool {
	var used []int
	t.uses(&used)
	return len(used) == 0
}

// atom is a comparison. With op "" it is left, a truth value; with "!" its negation.
type atom struct {
	left  *term
	op    string
	right *term
}

func (a *atom) eval(s State) truth {
	x := a.left.eval(s)
	if a.op == "" || a.op == "!" {
		if x == nil {
			return unknown
		}
		return truthOf((x.Sign() != 0) == (a.op == ""))
	}
	y := a.right.eval(s)
	if x == nil || y == nil {
		return unknown
	}
	op, opposite := plain(a.op)
	if x == nan || y == nan {
		return truthOf(op == "!=" || opposite)
	}
	return truthOf(compares(op, x.Cmp(y)) != opposite)
}

// plain returns the comparison that an operator negates, such as "<" of "!<", and whether it negates one.
func plain(op string) (of string, opposite bool) {
	if op == "!=" {
		return op, false
	}
	return strings.CutPrefix(op, "!")
}

// compares reports whether two numbers satisfy a comparison, given the sign of their difference.
func compares(op string, c int) bool {
	switch op {
	case "<":
		return c < 0
	case "<=":
		return c <= 0
	case ">":
		return c > 0
	case ">=":
		return c >= 0
	case "==":
		return c == 0
	}
	return c != 0
}

func (a *atom) text(vars []Var) string {
	if a.op == "" || a.op == "!" {
		return a.op + a.left.text(vars)
	}
	if op, opposite := plain(a.op); opposite {
		return "!(" + a.left.text(vars) + " " + op + " " + a.right.text(vars) + ")"
	}
	return a.left.text(vars) + " " + a.op + " " + a.right.text(vars)
}

// negated is the opposite of an operator. "!<" is the negation of "<", which for floats is not ">=".
var negated = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "": "!", "!": "",
	"!<": "<", "!<=": "<=", "!>": ">", "!>=": ">="}

// negation is the opposite of a comparison.
func (a *atom) negation(vars []Var) atom {
	op := negated[a.op]
	if ordered := a.op != "" && (a.op[0] == '<' || a.op[0] == '>'); ordered && a.left.isFloat(vars) {
		op = "!" + a.op
	}
	return atom{a.left, op, a.right}
}

// isFloat reports whether the term is a float: terms of floats are variables.
func (t *term) isFloat(vars []Var) bool {
	return t.a == nil && t.constant == nil && vars[t.variable].Float
}

type truth uint8

const (
	unknown truth = iota
	no
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// Condition is a conjunction of disjunctions of comparisons.
type Condition struct {
	clauses [][]atom
	vars    []Var
	score   float64 // the smaller, the sooner it is tried
	guessed bool    // made from known executions
}

func (c *Condition) eval(s State) truth {
	all := yes
	for _, clause := range c.clauses {
		one := no
		for i := range clause {
			switch clause[i].eval(s) {
			case yes:
				one = yes
			case unknown:
				if one == no {
					one = unknown
				}
			}
			if one == yes {
				break
			}
		}
		if one == no {
			return no
		}
		if one == unknown {
			all = unknown
		}
	}
	return all
}

// Text is the condition in C.
func (c *Condition) Text() string {
	return c.write(" && ", " || ", func(a *atom) string { return a.text(c.vars) })
}

// Negation is the opposite of the condition in C.
func (c *Condition) Negation() string {
	return c.write(" || ", " && ", func(a *atom) string {
		n := a.negation(c.vars)
		return n.text(c.vars)
	})
}

func (c *Condition) write(outer, inner string, text func(*atom) string) string {
	var parts []string
	for _, clause := range c.clauses {
		var atoms []string
		for i := range clause {
			atoms = append(atoms, text(&clause[i]))
		}
		part := strings.Join(atoms, inner)
		if len(atoms) > 1 && len(c.clauses) > 1 {
			part = "(" + part + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, outer)
}

// Variables are the names of the values that the condition is about.
func (c *Condition) Variables() (names []string) {
	for _, i := range c.used() {
		names = append(names, c.vars[i].Text)
	}
	return names
}

func (c *Condition) used() (used []int) {
	for _, clause := range c.clauses {
		for i := range clause {
			clause[i].left.uses(&used)
			if clause[i].right != nil {
				clause[i].right.uses(&used)
			}
		}
	}
	return used
}

// Comparisons is how many comparisons the condition consists of.
func (c *Condition) Comparisons() (n int) {
	for _, clause := range c.clauses {
		n += len(clause)
	}
	return n
}

// Guessed reports whether the condition was made to separate the known executions. It says little unless it is exact.
func (c *Condition) Guessed() bool { return c.guessed }

// Relational reports whether every comparison is between values of the proof, none with a constant.
func (c *Condition) Relational() bool {
	for _, clause := range c.clauses {
		for i := range clause {
			if clause[i].right == nil || clause[i].right.isConstant() {
				return false
			}
		}
	}
	return true
}
