// Package precondition finds simple conditions over the inputs of a proof that exclude a failure. It makes candidates
// from the values that the proof has names for and from the constants of its code, and chooses the next one to be tried
// by the failing executions that are known: a condition that is true in one of them cannot exclude the failure.
//
// It runs no proof: whether a condition excludes the failure and leaves executions is checked by the caller, with the
// text that would be written. It reads no files.
//
// Reading order: condition.go, candidates.go (which ones there are; float.go for floats), search.go (their order),
// separate.go (exact ones, by executions that fail and that pass), statement.go (the place).
package precondition

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Const is a constant of the code.
type Const struct {
	Value *big.Int
	Name  string // of the macro that stands for it in the proof's file; "" for none
	Mask  bool   // the code uses it as the operand of &
	Mod   bool   // the code uses it as the right operand of %
	// Beside are the names beside which the code uses the number: of "q->n < 8" they are q and n. A name is true if the
	// number is written as a literal there.
	// Sized: it is also the size of an object, which any number may be compared with.
	Beside map[string]bool
	Sized  bool
}

// nameFor returns the name of the constant beside a variable. A literal beside the variable is not meant to be a macro.
func (c *Const) nameFor(v *Var) string {
	if c.Beside[v.last()] {
		return ""
	}
	return c.Name
}

// far returns the cost of a comparison of a variable with a constant that the code uses beside other names only.
func (c *Const) far(v *Var) float64 {
	if _, near := c.Beside[v.last()]; near || c.Sized || len(c.Beside) == 0 {
		return 0
	}
	return scoreFar
}

// Request holds the parts of candidates.
type Request struct {
	Vars   []Var
	Consts []Const
	Floats []float64 // that floats are compared with
	// Overflow: the failure is an overflow of signed integers, Division a division by zero or one that overflows.
	Overflow, Division bool
	// Limit writes the smallest or largest value of a type: INT_MAX.
	Limit func(bits int, signed, max bool) string
}

// Costs of the parts of a candidate: their sum is its score.
const (
	scoreNull     = 0
	scoreDivisor  = 0.5 // of a divisor: not 0, not -1
	scoreNumber   = 0.5 // of a float: it is a number
	scoreRelation = 1.0
	scoreConstant = 2
	scoreElements = 2.5 // of a relation between elements of arrays
	scoreUnequal  = 0.3 // of != beside <, but for 0
	scoreEither   = 2.5 // disjunctions
	scoreSum      = 3
	scoreBits     = 1.5 // the code looks at these bits
	scoreEqual    = 3.5 // one value is left
	scoreStrict   = 0.1
	scoreNarrow   = 0.02 // for each wider bound
	scoreFar      = 0.4  // of a constant that the code uses beside other values
	scoreOther    = 2    // for each variable that the failure is not known to depend on
	scoreComputed = 1    // for each variable that is no input
	scoreBoth     = 2    // of a conjunction, beside its parts
)

// maker collects candidates.
type maker struct {
	Request
	list []*Condition
}

// candidates are all single conditions of a request.
func candidates(r Request) []*Condition {
	m := &maker{Request: r}
	for i := range r.Vars {
		switch v := &r.Vars[i]; {
		case v.Pointer:
			m.pointer(i)
		case v.Bool:
			m.add(scoreConstant, atom{variable(i), "", nil})
			m.add(scoreConstant, atom{variable(i), "!", nil})
		case v.Float:
			m.float(i)
		default:
			m.constants(i)
		}
		for k := range r.Vars {
			if k != i {
				m.pair(i, k)
			}
		}
	}
	return m.list
}

func variable(i int) *term { return &term{variable: i} }

func (m *maker) add(score float64, clause ...atom) { m.all(score, clause) }

// all adds a condition with several clauses, which must contain an input.
func (m *maker) all(score float64, clauses ...[]atom) {
	c := &Condition{clauses: clauses, vars: m.Vars, score: score}
	input := false
	for _, i := range c.used() {
		input = input || m.Vars[i].Input
		if !m.Vars[i].Relevant {
			c.score += scoreOther
		}
		if !m.Vars[i].Input {
			c.score += scoreComputed
		}
	}
	if input {
		m.list = append(m.list, c)
	}
}

func constant(n *big.Int, name string) *term {
	if name == "" {
		if name = n.String(); n.IsInt64() && n.Int64() == -1<<63 || n.IsInt64() && n.Int64() == -1<<31 {
			name = fmt.Sprintf("(%s - 1)", new(big.Int).Add(n, big.NewInt(1))) // C has no such literal
		}
	}
	return &term{constant: n, name: name}
}

// limit is the smallest or largest value of a variable's type, or of the type that it is computed in.
func (m *maker) limit(v *Var, max bool) *term {
	n := v.min()
	if max {
		n = v.max()
	}
	name := ""
	if m.Limit != nil {
		name = m.Limit(v.Bits, v.Signed, max)
	}
	return constant(n, name)
}

func (m *maker) pointer(i int) {
	null := constant(new(big.Int), "NULL")
	m.add(scoreNull, atom{variable(i), "!=", null})
	for k := range m.Vars {
		if m.Vars[k].integer() {
			m.add(scoreEither, atom{variable(k), "==", constant(new(big.Int), "")}, atom{variable(i), "!=", null})
		}
	}
}

// constants adds comparisons of an integer with constants.
func (m *maker) constants(i int) {
	v, x := &m.Vars[i], variable(i)
	if v.Enum != nil {
		for value, name := range v.Enum {
			if n, ok := new(big.Int).SetString(value, 10); ok {
				m.add(scoreConstant, atom{x, "!=", constant(n, name)})
				m.add(scoreEqual, atom{x, "==", constant(n, name)})
			}
		}
	}
	lo, hi := v.min(), v.max()
	m.bounds(i, lo, hi)
	for _, c := range m.Consts {
		if c.Value.Cmp(lo) < 0 || c.Value.Cmp(hi) > 0 {
			continue
		}
		k := constant(c.Value, c.nameFor(v))
		score := scoreConstant + scoreUnequal + c.far(v)
		if c.Value.Sign() == 0 {
			score = scoreConstant
		}
		if m.Division && (c.Value.Sign() == 0 || c.Value.Cmp(big.NewInt(-1)) == 0) {
			score = scoreDivisor
		}
		m.add(score, atom{x, "!=", k})
		if c.Value.Cmp(lo) == 0 && !v.Signed {
			m.add(scoreEqual, atom{x, "==", k})
		}
		if c.Mask && c.Value.Sign() > 0 {
			bits := &term{a: x, op: '&', b: k}
			m.add(scoreBits, atom{bits, "==", constant(new(big.Int), "")})
			m.add(scoreBits, atom{bits, "!=", constant(new(big.Int), "")})
			if c.Value.Sign() > 0 && new(big.Int).And(c.Value, new(big.Int).Sub(c.Value, big.NewInt(1))).Sign() != 0 {
				m.add(scoreBits+scoreUnequal, atom{bits, "!=", k}) // not all of several bits
			}
		}
		if c.Mod && c.Value.Sign() > 0 {
			m.add(scoreBits, atom{&term{a: x, op: '%', b: k}, "==", constant(new(big.Int), "")})
			last := new(big.Int).Sub(c.Value, big.NewInt(1))
			m.add(scoreBits, atom{&term{a: x, op: '%', b: k}, "!=", constant(last, "")})
		}
	}
	if v.Signed && v.Bits >= 32 {
		m.add(scoreConstant, atom{x, "!=", m.limit(v, false)})
		m.add(scoreConstant, atom{x, "!=", m.limit(v, true)})
	}
}

// bound is a comparison with a constant, and the last value that satisfies it.
type bound struct {
	atom
	last *big.Int
	far  float64
}

// bounds adds the upper and lower bounds of an integer, each value once: the wider ones cost less.
func (m *maker) bounds(i int, lo, hi *big.Int) {
	x, one := variable(i), big.NewInt(1)
	var upper, lower []bound
	far := func(list *[]bound, op string, limit *term, by byte, c *Const) {
		t := &term{a: limit, op: by, b: constant(c.Value, c.nameFor(&m.Vars[i]))}
		*list = append(*list, bound{atom{x, op, t}, t.eval(nil), c.far(&m.Vars[i])})
	}
	note := func(list *[]bound, op string, c *Const, last *big.Int) {
		if last.Cmp(lo) < 0 || last.Cmp(hi) > 0 || op[0] == '<' && last.Cmp(hi) == 0 || op[0] == '>' && last.Cmp(lo) == 0 {
			return // never or always true
		}
		b := bound{atom{x, op, constant(c.Value, c.nameFor(&m.Vars[i]))}, last, c.far(&m.Vars[i])}
		for k := range *list {
			if (*list)[k].last.Cmp(last) == 0 {
				old := &(*list)[k]
				if b.far < old.far || b.far == old.far && c.Name != "" && old.right.name == old.right.constant.String() {
					(*list)[k] = b
				}
				return
			}
		}
		*list = append(*list, b)
	}
	for k := range m.Consts {
		c := &m.Consts[k]
		note(&upper, "<=", c, c.Value)
		note(&upper, "<", c, new(big.Int).Sub(c.Value, one))
		note(&lower, ">=", c, c.Value)
		note(&lower, ">", c, new(big.Int).Add(c.Value, one))
		if v := &m.Vars[i]; v.Bits >= 32 && c.Value.Sign() > 0 && c.Value.BitLen() < v.Bits/2 { // x + c, x * c
			far(&upper, "<=", m.limit(v, true), '-', c)
			if v.Signed {
				far(&lower, ">=", m.limit(v, false), '+', c)
			}
			if c.Value.Cmp(one) > 0 {
				far(&upper, "<=", m.limit(v, true), '/', c)
				if v.Signed {
					far(&lower, ">=", m.limit(v, false), '/', c)
				}
			}
		}
	}
	slices.SortStableFunc(upper, func(a, b bound) int { return b.last.Cmp(a.last) })
	slices.SortStableFunc(lower, func(a, b bound) int { return a.last.Cmp(b.last) })
	for _, list := range [][]bound{upper, lower} {
		for k, b := range list {
			if b.last.Cmp(lo) != 0 || m.Vars[i].Signed { // else x == 0, x != 0
				m.add(scoreConstant+scoreNarrow*float64(k)+b.far, b.atom)
			}
		}
	}
}

// pair adds conditions about two values.
func (m *maker) pair(i, k int) {
	a, b := &m.Vars[i], &m.Vars[k]
	x, y := variable(i), variable(k)
	switch {
	case a.Pointer && b.Pointer:
		if i < k && a.To == b.To {
			m.add(scoreEither, atom{x, "!=", y})
		}
		return
	case a.Float && b.Float:
		m.floats(i, k)
		return
	case !a.integer(), !b.integer(), a.signed() != b.signed():
		return
	}
	relation := scoreRelation
	if strings.Contains(a.Text, "[") && strings.Contains(b.Text, "[") {
		relation = scoreElements
	}
	m.add(relation, atom{x, "<=", y})
	m.add(relation+scoreStrict, atom{x, "<", y})
	if i < k {
		m.add(relation, atom{x, "!=", y})
	}
	zero := constant(new(big.Int), "")
	if m.Division && a.Signed && b.Signed && a.Bits >= 32 {
		m.add(scoreDivisor, atom{x, "!=", m.limit(a, false)}, atom{y, "!=", constant(big.NewInt(-1), "")})
	}
	if m.Overflow && a.Signed && b.Signed && a.Bits >= 32 && a.Bits == b.Bits {
		top, bottom := m.limit(a, true), m.limit(a, false)
		if i < k { // x + y
			m.add(scoreRelation, atom{y, "<=", zero}, atom{x, "<=", &term{a: top, op: '-', b: y}})
			m.add(scoreRelation, atom{y, ">=", zero}, atom{x, ">=", &term{a: bottom, op: '-', b: y}})
		}
		m.add(scoreRelation, atom{y, ">=", zero}, atom{x, "<=", &term{a: top, op: '+', b: y}}) // x - y
		m.add(scoreRelation, atom{y, "<=", zero}, atom{x, ">=", &term{a: bottom, op: '+', b: y}})
	}
	if i < k && a.Signed && b.Signed && a.Relevant && b.Relevant && a.Bits >= 32 && a.Bits == b.Bits {
		for _, max := range []bool{false, true} { // the sum is no limit
			m.add(scoreSum, atom{x, "!=", &term{a: m.limit(a, max), op: '-', b: y}})
		}
	}
	if !a.signed() && a.Relevant && b.Relevant && a.Bits == b.Bits {
		if i < k {
			m.add(scoreSum+scoreStrict, atom{x, "<=", &term{a: m.limit(a, true), op: '-', b: y}})
		}
		m.add(scoreSum+1, atom{y, "==", zero}, atom{x, "<=", &term{a: m.limit(a, true), op: '/', b: y}})
	}
	if !a.signed() && !b.signed() && i < k && a.Relevant && b.Relevant {
		for _, c := range m.Consts { // x + y < c
			if c.Value.Cmp(big.NewInt(1)) > 0 {
				sum := constant(c.Value, c.Name)
				rest := &term{a: sum, op: '-', b: x}
				m.all(scoreSum, []atom{{x, "<=", sum}}, []atom{{y, "<=", rest}})
				m.all(scoreSum+scoreStrict, []atom{{x, "<", sum}}, []atom{{y, "<", rest}})
			}
		}
	}
	for l := range m.Vars { // x + z <= y
		z := &m.Vars[l]
		if l <= i || l == k || !z.integer() || z.signed() || a.signed() || !z.Relevant ||
			!a.Relevant || !b.Relevant {
			continue
		}
		rest := &term{a: y, op: '-', b: variable(l)}
		fits := []atom{{variable(l), "<=", y}}
		m.all(scoreSum, fits, []atom{{x, "<=", rest}})
		m.all(scoreSum+scoreStrict, fits, []atom{{x, "<", rest}})
		m.add(scoreSum, atom{x, "!=", rest})
	}
}
