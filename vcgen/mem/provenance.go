package mem

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// carriers returns the arguments of x through which an address can flow into its value.
//
// Comparisons are excluded: a condition selects a value, and contains no address.
func (m *Memory) carriers(x smt.Term) []smt.Term {
	switch {
	case m.C.Sort(x).IsBool():
		return nil
	case m.C.Op(x) == smt.OpIte:
		return m.C.Args(x)[1:]
	}
	return m.C.Args(x)
}

// hasBase reports whether the value of t is computed from the address of an object.
func (m *Memory) hasBase(t smt.Term) bool {
	if has, ok := m.bases[t]; ok {
		return has
	}
	// Iterative, because terms may be deep.
	stack := []smt.Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, ok := m.bases[x]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		if _, ok := m.byBase[x]; ok {
			m.bases[x] = true
			continue
		}
		has, ready := false, true
		for _, a := range m.carriers(x) {
			h, ok := m.bases[a]
			if !ok {
				stack = append(stack, a)
				ready = false
			}
			has = has || h
		}
		if ready {
			m.bases[x] = has
			stack = stack[:len(stack)-1]
		}
	}
	return m.bases[t]
}

// basesIn returns the objects from whose addresses the value of t is computed, ascending.
func (m *Memory) basesIn(t smt.Term) []int {
	var out []int
	seen := map[smt.Term]bool{t: true}
	for todo := []smt.Term{t}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if id, ok := m.byBase[x]; ok {
			out = append(out, id)
			continue
		}
		for _, a := range m.carriers(x) {
			if !seen[a] && m.hasBase(a) {
				seen[a] = true
				todo = append(todo, a)
			}
		}
	}
	slices.Sort(out)
	return out
}

// basesWhen returns the objects from whose addresses the value of t is computed, each with the condition.
//
// The value of an ite is computed from only one of its two arms.
func (m *Memory) basesWhen(t smt.Term) map[int]smt.Term {
	c := m.C
	when := map[smt.Term]smt.Term{t: c.True()}
	order := []smt.Term{t}
	for i := 0; i < len(order); i++ {
		if _, base := m.byBase[order[i]]; base {
			continue
		}
		for _, a := range m.carriers(order[i]) {
			if _, seen := when[a]; !seen && m.hasBase(a) {
				when[a] = c.False()
				order = append(order, a)
			}
		}
	}
	// The arguments of a term have lower numbers than the term.
	slices.SortFunc(order, func(a, b smt.Term) int { return cmp.Compare(b, a) })
	out := map[int]smt.Term{}
	for _, x := range order {
		if id, base := m.byBase[x]; base {
			out[id] = when[x]
			continue
		}
		for i, a := range m.carriers(x) {
			if !m.hasBase(a) {
				continue
			}
			here := when[x]
			if c.Op(x) == smt.OpIte {
				cond := c.Arg(x, 0)
				if i == 1 {
					cond = c.Not(cond)
				}
				here = c.And(here, cond)
			}
			when[a] = c.Or(when[a], here)
		}
	}
	return out
}

// ObjectsIn returns the objects from whose addresses t is computed, ascending.
func (m *Memory) ObjectsIn(t smt.Term) []int {
	if !m.hasBase(t) {
		return nil
	}
	return m.basesIn(t)
}

// role classifies a term by its structure.
type role uint8

const (
	number     role = iota // computed from no address
	pointer                // an object's address plus a number; in some cases only a number
	difference             // of pointers into the same objects; or a number
	scrambled              // computed from addresses by other operations
)

// roleOf returns the role of a term.
func (m *Memory) roleOf(t smt.Term) role {
	if !m.hasBase(t) {
		return number
	}
	if r, ok := m.roles[t]; ok {
		return r
	}
	r := scrambled
	if _, base := m.byBase[t]; base {
		r = pointer
	} else {
		switch m.C.Op(t) {
		case smt.OpIte:
			a, b := m.roleOf(m.C.Arg(t, 1)), m.roleOf(m.C.Arg(t, 2))
			switch {
			case a == b || b == number:
				r = a
			case a == number:
				r = b
			}
		case smt.OpAdd, smt.OpMul:
			switch carrier, isNumber := m.carrier(t); {
			case isNumber:
				r = difference
			case carrier != 0:
				r = pointer
			}
		}
	}
	m.roles[t] = r
	return r
}

// carrier finds the pointer in a sum of one pointer and numbers.
//
// It is the only summand with the role pointer that no other one cancels. Values computed from addresses by other
// operations, such as an index that hashes an address, count as numbers if they are added to a pointer. isNumber is
// true if the sum is a difference of pointers. The result is 0 and false if the structure is not clear.
func (m *Memory) carrier(p smt.Term) (carrier smt.Term, isNumber bool) {
	_, parts := m.C.SumParts(p)
	var plus, minus []smt.Term
	other := false
	for _, q := range parts {
		if q.T == p {
			return 0, false
		}
		switch r := m.roleOf(q.T); {
		case r == pointer && q.Coef == 1:
			plus = append(plus, q.T)
		case r == pointer && m.signed(q.Coef) == -1:
			minus = append(minus, q.T)
		case r == pointer || r == scrambled:
			other = true
		}
	}
	bases := func(ts []smt.Term, but int) []int {
		var out []int
		for i, t := range ts {
			if i != but {
				out = append(out, m.basesIn(t)...)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	off := bases(minus, -1)
	switch {
	case len(plus) == 1 && len(minus) == 0:
		return plus[0], false
	case len(plus) == len(minus) && !other:
		return 0, len(plus) > 0 && slices.Equal(bases(plus, -1), off) || len(plus) == 0
	case len(plus) != len(minus)+1:
		return 0, false
	}
	for i, t := range plus {
		if slices.Equal(bases(plus, i), off) {
			if carrier != 0 {
				return 0, false
			}
			carrier = t
		}
	}
	return carrier, false
}
