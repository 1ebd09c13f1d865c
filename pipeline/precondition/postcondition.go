package precondition

import (
	"math/big"
	"slices"
)

// Outcome holds the values behind a call: the parts of postconditions.
type Outcome struct {
	Vars   []Var
	Result int         // index of the call's result in Vars; -1: it has none
	Old    map[int]int // for a value that the call may change: the index of its value before the call
	Consts []Const     // of the called function
	// Returned are constants that the function returns.
	Returned []Const
	// Limit is as in a Request.
	Limit func(bits int, signed, max bool) string
}

// Costs of the parts of a postcondition.
const (
	scoreImpossible = -1  // of a condition on the values before the call
	scoreUnchanged  = 0.5 // the call does not change a value
	scoreGuarded    = 1   // of a guard
	scoreInside     = 1.5 // a relation of two values behind the call that are no result
)

// maxPostconditions bounds the candidates.
const maxPostconditions = 1500

// outcomes collects candidates.
type outcomes struct {
	Outcome
	list []*Condition
}

// Postconditions returns the candidates for facts about the values behind a call, the simplest first.
func Postconditions(o Outcome) []*Condition {
	m := &outcomes{Outcome: o}
	var facts [][]atom // about the result alone, for guards over inputs
	for i := range m.Vars {
		if m.isInput(i) {
			continue
		}
		if i == m.Result {
			facts = m.result()
		}
		m.changed(i, nil, 0)
		for k := range m.Vars {
			if k != i && k != m.Result && (m.isInput(k) || k > i) {
				m.related(i, k)
			}
		}
	}
	guards := m.guards(true)
	for i := range m.Vars {
		if !m.isInput(i) && i != m.Result {
			for _, g := range guards {
				m.changed(i, g, scoreGuarded)
			}
		}
	}
	for _, g := range m.guards(false) {
		m.add(scoreImpossible, g...) // if it holds, all facts under the guard do
		for _, f := range facts {
			m.add(scoreGuarded+scoreRelation, slices.Concat(g, f)...)
		}
	}
	known := map[string]bool{}
	m.list = slices.DeleteFunc(m.list, func(c *Condition) bool {
		text := c.Text()
		defer func() { known[text] = true }()
		return known[text]
	})
	slices.SortStableFunc(m.list, func(a, b *Condition) int {
		switch {
		case a.score < b.score:
			return -1
		case a.score > b.score:
			return 1
		}
		return 0
	})
	return m.list[:min(len(m.list), maxPostconditions)]
}

// isInput reports whether a value is one from before the call.
func (m *outcomes) isInput(i int) bool { return m.Vars[i].Input }

func (m *outcomes) add(score float64, clause ...atom) {
	m.list = append(m.list, &Condition{clauses: [][]atom{clause}, vars: m.Vars, score: score})
}

// comparable reports whether C compares two integers by their values.
func (m *outcomes) comparable(i, k int) bool {
	a, b := &m.Vars[i], &m.Vars[k]
	return !a.Pointer && !b.Pointer && !a.Bool && !b.Bool && a.Enum == nil && b.Enum == nil && a.signed() == b.signed()
}

func zero() *term { return constant(new(big.Int), "") }
func null() *term { return constant(new(big.Int), "NULL") }

// result adds facts about the result alone. It returns those that a guard may imply.
func (m *outcomes) result() (facts [][]atom) {
	i := m.Result
	v, x := &m.Vars[i], variable(i)
	fact := func(score float64, clause ...atom) {
		m.add(score, clause...)
		facts = append(facts, clause)
	}
	switch {
	case v.Pointer:
		fact(scoreNull, atom{x, "!=", null()})
		fact(scoreNull, atom{x, "==", null()})
		for k := range m.Vars {
			if k != i && m.isInput(k) && m.Vars[k].Pointer {
				fact(scoreRelation, atom{x, "==", variable(k)})
				m.add(scoreEither, atom{x, "==", null()}, atom{x, "==", variable(k)})
				m.add(scoreRelation+scoreStrict, atom{x, ">=", variable(k)}) // in one object
			}
		}
	case v.Bool:
		fact(scoreConstant, atom{x, "", nil})
		fact(scoreConstant, atom{x, "!", nil})
	default:
		bounds := &maker{Request: Request{Vars: slices.Clone(m.Vars), Consts: m.Consts, Limit: m.Limit}}
		bounds.Vars[i].Input, bounds.Vars[i].Relevant = true, true // add drops conditions without an input
		if v.Enum == nil {
			bounds.bounds(i, v.min(), v.max())
		}
		for _, c := range bounds.list {
			if a := c.clauses[0][0]; a.right.a == nil { // else it is about overflows of what is done with it
				m.add(c.score, a)
			}
		}
		var one []atom
		for _, c := range m.returned() {
			fact(scoreConstant, atom{x, "==", c})
			m.add(scoreConstant+scoreUnequal, atom{x, "!=", c})
			if one = append(one, atom{x, "==", c}); len(one) > 1 && len(one) < 4 {
				m.add(scoreEither, one...)
			}
		}
		for k := range m.Vars {
			if k != i && m.isInput(k) && m.comparable(i, k) {
				facts = append(facts, []atom{{x, "==", variable(k)}}, []atom{{x, "<=", variable(k)}},
					[]atom{{x, ">=", variable(k)}})
			}
		}
		if v.Signed {
			facts = append(facts, []atom{{x, "<", zero()}}, []atom{{x, ">", zero()}}, []atom{{x, ">=", zero()}})
		} else {
			facts = append(facts, []atom{{x, "!=", zero()}})
		}
	}
	return facts
}

// returned returns the constants that the function returns, 0 among them.
func (m *outcomes) returned() []*term {
	v := &m.Vars[m.Result]
	if v.Enum != nil {
		return enumerators(v)
	}
	list := []*term{zero()}
	for _, c := range m.Returned {
		if c.Value.Sign() != 0 && c.Value.Cmp(v.min()) >= 0 && c.Value.Cmp(v.max()) <= 0 && len(list) < maxReturned {
			list = append(list, constant(c.Value, c.Name))
		}
	}
	return list
}

// enumerators returns the first enumerators of an enumeration.
func enumerators(v *Var) (list []*term) {
	for value, name := range v.Enum {
		if n, ok := new(big.Int).SetString(value, 10); ok {
			list = append(list, constant(n, name))
		}
	}
	slices.SortFunc(list, func(a, b *term) int { return a.constant.Cmp(b.constant) })
	return list[:min(len(list), maxReturned)]
}

// maxReturned bounds the constants that the result is compared with.
const maxReturned = 6

// changed adds facts about a value that the call may change, and its value before the call, under a negated guard.
func (m *outcomes) changed(i int, guard []atom, cost float64) {
	v, x := &m.Vars[i], variable(i)
	add := func(score float64, a atom) { m.add(score+cost, append(slices.Clip(guard), a)...) }
	if v.Pointer {
		add(scoreRelation, atom{x, "!=", null()})
		add(scoreRelation, atom{x, "==", null()})
	} else if !v.Bool && v.Enum == nil && i != m.Result {
		add(scoreConstant, atom{x, "==", zero()})
		add(scoreConstant, atom{x, "!=", zero()})
	}
	if o, ok := m.Old[i]; ok {
		y := variable(o)
		add(scoreUnchanged, atom{x, "==", y})
		if !v.Pointer && !v.Bool && v.Enum == nil {
			one := constant(big.NewInt(1), "")
			add(scoreRelation, atom{x, ">=", y})
			add(scoreRelation, atom{x, "<=", y})
			add(scoreRelation, atom{x, "==", &term{a: y, op: '+', b: one}})
			add(scoreRelation, atom{x, "==", &term{a: y, op: '-', b: one}})
			for k := range m.Vars {
				if k != o && m.isInput(k) && m.comparable(i, k) && !m.isOld(k) && m.Vars[k].Bits == v.Bits {
					add(scoreSum, atom{x, "==", &term{a: y, op: '+', b: variable(k)}})
					add(scoreSum, atom{x, "==", &term{a: y, op: '-', b: variable(k)}})
				}
			}
		}
	}
	if guard == nil {
		return // related has the others
	}
	for k := range m.Vars {
		if m.isInput(k) && m.Old[i] != k && (m.comparable(i, k) || v.Pointer && m.Vars[k].Pointer && m.Vars[k].To == v.To) {
			add(scoreRelation, atom{x, "==", variable(k)})
		}
	}
}

// isOld reports whether a value is the one before the call of another one.
func (m *outcomes) isOld(k int) bool {
	for _, o := range m.Old {
		if o == k {
			return true
		}
	}
	return false
}

// related adds relations between a value behind the call and another one.
func (m *outcomes) related(i, k int) {
	a, b := &m.Vars[i], &m.Vars[k]
	x, y := variable(i), variable(k)
	score := scoreInside
	if i == m.Result {
		score = scoreRelation
	}
	switch o, changes := m.Old[i]; {
	case changes && o == k, i == m.Result && a.Pointer:
	case a.Pointer && b.Pointer && a.To == b.To:
		m.add(score, atom{x, "==", y})
	case m.comparable(i, k):
		m.add(score, atom{x, "==", y})
		for _, op := range []string{"<=", ">="} {
			m.add(score+scoreStrict, atom{x, op, y})
		}
		for _, op := range []string{"<", ">"} {
			m.add(score, atom{x, op, y})
		}
	}
}

// maxGuards bounds the guards over inputs.
const maxGuards = 40

// guards returns negated guards: over the result, or over the values before the call.
func (m *outcomes) guards(result bool) (list [][]atom) {
	add := func(a atom) {
		if result || len(list) < maxGuards {
			list = append(list, []atom{{a.left, negated[a.op], a.right}})
		}
	}
	if result {
		if m.Result < 0 {
			return nil
		}
		v, x := &m.Vars[m.Result], variable(m.Result)
		switch {
		case v.Pointer:
			add(atom{x, "==", null()})
			add(atom{x, "!=", null()})
		case v.Bool:
			add(atom{x, "", nil})
			add(atom{x, "!", nil})
		default:
			for _, c := range m.returned() {
				add(atom{x, "==", c})
				add(atom{x, "!=", c})
			}
			if v.Signed && v.Enum == nil {
				add(atom{x, "<", zero()})
				add(atom{x, ">=", zero()})
			}
		}
		return list
	}
	for i := range m.Vars {
		if !m.isInput(i) {
			continue
		}
		v, x := &m.Vars[i], variable(i)
		switch {
		case v.Pointer:
			add(atom{x, "==", null()})
			add(atom{x, "!=", null()})
			continue
		case v.Bool:
			add(atom{x, "", nil})
			add(atom{x, "!", nil})
			continue
		case v.Enum != nil:
			for _, c := range enumerators(v) {
				add(atom{x, "==", c})
			}
			continue
		}
		add(atom{x, "==", zero()})
		add(atom{x, "!=", zero()})
		if v.Signed {
			add(atom{x, "<", zero()})
		}
		for k := range m.Vars {
			if k != i && m.isInput(k) && m.comparable(i, k) {
				add(atom{x, "<", variable(k)})
				add(atom{x, "<=", variable(k)})
				if k > i {
					add(atom{x, "==", variable(k)})
				}
			}
		}
	}
	return list
}

// Holds reports whether the condition is not false in an execution, as far as its values are known.
func (c *Condition) Holds(s State) bool { return c.eval(s) != no }

// Score is the cost of the condition's parts: the simplest condition has the lowest.
func (c *Condition) Score() float64 { return c.score }

// Uses reports whether the condition is about a value, by its index.
func (c *Condition) Uses(variable int) bool { return slices.Contains(c.used(), variable) }

// UsesOnly reports whether each value that the condition is about satisfies f.
func (c *Condition) UsesOnly(f func(variable int) bool) bool {
	return !slices.ContainsFunc(c.used(), func(i int) bool { return !f(i) })
}
