package mem

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// A pointer belongs to a known object, certainly to none, or to an unknown object.
//
// An arbitrary value belongs to no object if the program's inputs can choose it freely. A value that stands for the
// result of code that is not executed may belong to an object that the model does not know:
//
//	char *q = get();       // a call that is replaced by its contract: q may be &other
//	if (q) use(q);         // "no object" would mean that use can write nothing
//
// The unfolder declares such values (MayPoint), and Candidates reports when a pointer is one of them.

// Origin bounds the objects that a value of unknown origin may point to.
type Origin struct {
	// Before: only objects with lower IDs, that is, objects allocated before the value was created.
	Before int
	// Known is the code that must know the objects.
	Known Known
	// By is the source of the address: the function whose contract, loop or missing body leaves it open, or a
	// variable that starts with any value; "" for a caller.
	By string
	// Stored: a store of the address was observed, regardless of the type of the memory.
	Stored bool
	// narrow: the symbol has fewer bits than an address, because the other bits are known.
	narrow bool
}

// Known restricts an Origin to the objects whose addresses were passed to some code.
type Known uint8

// Code that knows objects, in decreasing order of its knowledge.
const (
	ByAny         Known = iota // the code under proof itself: any object
	ByMissingBody              // functions without a body: objects passed to them, also through const pointers
	ByLibrary                  // functions of the C library: objects passed to them through pointers that are not const
)

// Unknown is called with the condition under which the object of a pointer is unknown.
//
// The candidates then contain an address in no object.
type Unknown func(when smt.Term)

// AsNoObject is for callers that treat an address of unknown origin like an address in no object.
//
// Examples are comparisons of numbers, and code behind an access, which fails for both.
func AsNoObject(smt.Term) {}

// MayPoint declares that a symbol may hold the address of an existing object unknown to the model.
func (m *Memory) MayPoint(symbol smt.Term, o Origin) {
	o.Before = len(m.Objects)
	m.unknown[symbol] = o
}

// ContentMayPoint is MayPoint for the words of arbitrary content.
func (m *Memory) ContentMayPoint(content smt.Func, o Origin) {
	o.Before = len(m.Objects)
	m.unknownContent[content] = o
}

// Narrowed declares that a value is now computed from the symbols by, because its other bits are known.
//
// The symbols inherit its origin.
func (m *Memory) Narrowed(of smt.Term, by []smt.Term) {
	from := m.Origins(of)
	if len(from) == 0 {
		return
	}
	for _, v := range by {
		from[0].narrow = true
		m.unknown[v] = from[0]
		delete(m.unknownMemo, v)
	}
}

// MayHold reports whether a symbol was declared to hold addresses.
func (m *Memory) MayHold(symbol smt.Term) bool {
	_, ok := m.unknown[symbol]
	return ok
}

// ContentMayHold reports whether arbitrary content was declared to hold addresses.
func (m *Memory) ContentMayHold(content smt.Func) bool {
	_, ok := m.unknownContent[content]
	return ok
}

// HoldsAddress reports whether a value is computed from the address of an object, known or unknown.
func (m *Memory) HoldsAddress(t smt.Term) bool { return m.hasBase(t) || m.unknownBits(t) > 0 }

// HoldsAddresses reports whether an address may be stored in object id.
func (m *Memory) HoldsAddresses(s *State, id int) bool {
	return len(m.PointsTo(s, id)) > 0 || len(m.OriginsIn(s, id)) > 0
}

// EverythingMayPoint declares the same for all arbitrary values except those that belong to no object (NoObject).
//
// It is used for the proof of a contract, which must hold for all arguments that callers pass.
func (m *Memory) EverythingMayPoint() {
	if !m.allUnknown {
		m.allUnknown = true
		clear(m.unknownMemo)
	}
}

// ForAllCallers reports whether the program is the proof of a contract (EverythingMayPoint).
func (m *Memory) ForAllCallers() bool { return m.allUnknown }

// origin returns the origin of a symbol or a word of content. It returns false if that is no address of an object.
func (m *Memory) origin(t smt.Term) (Origin, bool) {
	switch m.C.Op(t) {
	case smt.OpVar:
		if o, ok := m.unknown[t]; ok {
			return o, true
		}
		return Origin{Before: len(m.Objects)}, m.allUnknown && !m.outside[t]
	case smt.OpApply:
		if o, ok := m.unknownContent[m.C.FuncOf(t)]; ok {
			return o, true
		}
		return Origin{Before: len(m.Objects)}, m.allUnknown
	}
	return Origin{}, false
}

// unknownBits returns how many bits of t may be bits of an address of unknown origin.
func (m *Memory) unknownBits(t smt.Term) int {
	if !m.allUnknown && len(m.unknown) == 0 && len(m.unknownContent) == 0 {
		return 0
	}
	if n, ok := m.unknownMemo[t]; ok {
		return n
	}
	c, n := m.C, 0
	if !c.Sort(t).IsBool() {
		switch c.Op(t) {
		case smt.OpVar, smt.OpApply:
			if o, ok := m.origin(t); ok && o.narrow {
				m.unknownMemo[t] = m.Width
				return m.Width
			} else if ok {
				n = c.Width(t)
			}
		case smt.OpExtract:
			n = m.unknownBits(c.Arg(t, 0))
		case smt.OpConcat:
			for _, a := range c.Args(t) {
				n += m.unknownBits(a)
			}
		default:
			for _, a := range m.carriers(t) {
				n = max(n, m.unknownBits(a))
			}
		}
		if op := c.Op(t); op != smt.OpZext && op != smt.OpSext {
			n = min(n, c.Width(t))
		}
	}
	m.unknownMemo[t] = n
	return n
}

// UnknownWhen returns the condition under which a value computed from no known object may still be an object's
// address.
func (m *Memory) UnknownWhen(t smt.Term) smt.Term {
	memo := map[smt.Term]smt.Term{} // values are merged repeatedly
	var of func(t smt.Term) smt.Term
	of = func(t smt.Term) smt.Term {
		c := m.C
		if when, ok := memo[t]; ok {
			return when
		}
		when := c.False()
		switch {
		case m.unknownBits(t) < m.Space.Bits:
		case c.Op(t) == smt.OpIte:
			when = c.Ite(c.Arg(t, 0), of(c.Arg(t, 1)), of(c.Arg(t, 2)))
		default:
			when = c.Not(c.Eq(t, m.Int(0)))
		}
		memo[t] = when
		return when
	}
	return of(t)
}

// Origins returns the origins of the unknown addresses that t is computed from.
func (m *Memory) Origins(t smt.Term) []Origin {
	var out []Origin
	m.eachUnknown(t, func(_ smt.Term, o Origin) {
		if !slices.Contains(out, o) {
			out = append(out, o)
		}
	})
	return out
}

// Unknowns returns the symbols and words of unknown origin that t is computed from.
func (m *Memory) Unknowns(t smt.Term) (out []smt.Term) {
	m.eachUnknown(t, func(x smt.Term, _ Origin) { out = append(out, x) })
	return out
}

// OriginOf returns the origin of a symbol or a word of content; false if it is no address.
func (m *Memory) OriginOf(t smt.Term) (Origin, bool) { return m.origin(t) }

// eachUnknown visits the symbols and words of unknown origin that t is computed from.
func (m *Memory) eachUnknown(t smt.Term, visit func(x smt.Term, o Origin)) {
	if m.unknownBits(t) < m.Space.Bits {
		return
	}
	seen := map[smt.Term]bool{t: true}
	for todo := []smt.Term{t}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if o, ok := m.origin(x); ok {
			visit(x, o)
			continue
		}
		for _, a := range m.carriers(x) {
			if !seen[a] && m.unknownBits(a) > 0 {
				seen[a] = true
				todo = append(todo, a)
			}
		}
	}
}

// MarkPointer records a cast of a pointer to an integer: the unknown addresses in t may propagate as numbers.
func (m *Memory) MarkPointer(t smt.Term) {
	m.eachUnknown(t, func(x smt.Term, _ Origin) { m.pointers[x] = true })
}

// WasPointer reports whether a number may hold one of the addresses passed to MarkPointer.
func (m *Memory) WasPointer(t smt.Term) bool {
	was := false
	m.eachUnknown(t, func(x smt.Term, _ Origin) { was = was || m.pointers[x] })
	return was
}

// OriginsIn returns the origins of the unknown addresses that may be stored in object id.
//
// Like PointsTo it includes overwritten values.
func (m *Memory) OriginsIn(s *State, id int) []Origin {
	var out []Origin
	m.eachStored(s.Content(id), func(t smt.Term) {
		for _, o := range m.Origins(t) {
			if !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}, func(content smt.Func) {
		o, ok := m.unknownContent[content]
		if !ok {
			o, ok = Origin{Before: len(m.Objects)}, m.allUnknown
		}
		if ok && !slices.Contains(out, o) {
			out = append(out, o)
		}
	})
	return out
}
