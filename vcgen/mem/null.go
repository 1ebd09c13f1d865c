package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// NULL plus an offset (a member of a struct behind a null pointer, an element of a null array) is a small number. It
// is recognized by its derivation, because its value alone does not distinguish it from other small numbers.

// Moved records that pointer arithmetic computes the pointer to from the pointer from, if guard holds.
func (m *Memory) Moved(guard, from, to smt.Term) {
	c := m.C
	if from == to {
		return
	}
	if c.Op(from) == smt.OpIte && c.Op(to) == smt.OpIte && c.Arg(from, 0) == c.Arg(to, 0) {
		m.Moved(guard, c.Arg(from, 1), c.Arg(to, 1))
		m.Moved(guard, c.Arg(from, 2), c.Arg(to, 2))
		return
	}
	if null := m.null(from); !c.IsFalse(null) {
		if c.IsConst(to) {
			null = c.And(guard, null) // otherwise the same number may have another meaning
		}
		if old, ok := m.fromNull[to]; ok {
			null = c.Or(old, null)
		}
		m.fromNull[to] = null
	}
}

// isNull returns the condition under which an access through p, a pointer into no object, is an access through NULL.
//
// off is the address. If p is the result of pointer arithmetic, the original pointer must be NULL: an address that
// wraps around to 0 is an invalid pointer like any other.
func (m *Memory) isNull(p, off smt.Term) smt.Term {
	if null, derived := m.fromNull[p]; derived && !m.C.IsConst(p) {
		return null
	}
	return m.C.Or(m.C.Eq(off, m.Int(0)), m.null(p))
}

// null returns the condition under which a pointer is NULL or derived from it.
//
// It under-approximates for pointers changed by other operations.
func (m *Memory) null(p smt.Term) smt.Term {
	c := m.C
	known := map[smt.Term]smt.Term{}
	var of func(p smt.Term) smt.Term
	of = func(p smt.Term) smt.Term {
		if t, ok := known[p]; ok {
			return t
		}
		t, derived := m.fromNull[p]
		switch {
		case derived:
		case c.Op(p) == smt.OpIte:
			t = c.Ite(c.Arg(p, 0), of(c.Arg(p, 1)), of(c.Arg(p, 2)))
		case m.hasBase(p):
			t = c.False()
		default:
			t = c.Eq(p, m.Int(0))
		}
		known[p] = t
		return t
	}
	return of(p)
}
