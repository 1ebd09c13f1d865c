package smt

import (
	"math/big"
	"slices"
)

// Op returns the operator of t.
func (c *Context) Op(t Term) Op { return c.nodes[t].op }

// Sort returns the sort of t.
func (c *Context) Sort(t Term) Sort { return c.nodes[t].sort }

// Width returns the number of bits of t, 0 for a Bool.
func (c *Context) Width(t Term) int { return int(c.nodes[t].sort) }

// NumArgs returns the number of arguments of t.
func (c *Context) NumArgs(t Term) int { return int(c.nodes[t].nargs) }

// Arg returns argument i of t, counted from 0.
func (c *Context) Arg(t Term, i int) Term { return c.Args(t)[i] }

// Args returns the arguments of t. The slice is shared and must not be modified.
func (c *Context) Args(t Term) []Term {
	n := &c.nodes[t]
	end := n.off + uint32(n.nargs)
	return c.pool[n.off:end:end]
}

// arg0, arg1 and arg2 return an argument that is known to exist.
func (c *Context) arg0(t Term) Term { return c.pool[c.nodes[t].off] }
func (c *Context) arg1(t Term) Term { return c.pool[c.nodes[t].off+1] }
func (c *Context) arg2(t Term) Term { return c.pool[c.nodes[t].off+2] }

// IsConst reports whether t is a constant (true, false or a bit-vector).
func (c *Context) IsConst(t Term) bool {
	o := c.nodes[t].op
	return o == OpConst || o == OpTrue || o == OpFalse
}

// IsTrue reports whether t is the constant true.
func (c *Context) IsTrue(t Term) bool { return t == termTrue }

// IsFalse reports whether t is the constant false.
func (c *Context) IsFalse(t Term) bool { return t == termFalse }

// AsOr returns the operands of a disjunction. ok reports whether t is a negated conjunction, the normal form of Or.
func (c *Context) AsOr(t Term) (a, b Term, ok bool) {
	if c.nodes[t].op == OpNot {
		if in := c.arg0(t); c.nodes[in].op == OpAnd {
			return c.Not(c.arg0(in)), c.Not(c.arg1(in)), true
		}
	}
	return 0, 0, false
}

// Uint64 returns the value of a bit-vector constant that fits in 64 bits.
func (c *Context) Uint64(t Term) (v uint64, ok bool) {
	n := &c.nodes[t]
	if n.op != OpConst {
		return 0, false
	}
	if n.sort <= 64 {
		return n.aux, true
	}
	b := c.bigs[n.aux]
	return lowWord(b), b.BitLen() <= 64
}

// Int64 returns the signed value of a bit-vector constant that fits in 64 bits.
func (c *Context) Int64(t Term) (v int64, ok bool) {
	n := &c.nodes[t]
	if n.op != OpConst {
		return 0, false
	}
	if n.sort <= 64 {
		return signExtend64(n.aux, int(n.sort)), true
	}
	b := bigSigned(c.bigs[n.aux], int(n.sort))
	return b.Int64(), b.IsInt64()
}

// BigValue returns the value of a bit-vector constant as a new non-negative integer, or nil if t is not a constant.
func (c *Context) BigValue(t Term) *big.Int {
	if c.nodes[t].op != OpConst {
		return nil
	}
	return c.constValue(t).Big()
}

// ExtractBounds returns the bounds of an OpExtract, both inclusive.
func (c *Context) ExtractBounds(t Term) (hi, lo int) {
	a := c.nodes[t].aux
	return int(a >> 32), int(uint32(a))
}

// RoundModeOf returns the direction of an OpFRound.
func (c *Context) RoundModeOf(t Term) RoundMode { return RoundMode(c.nodes[t].aux) }

// VarName returns the name of a variable.
func (c *Context) VarName(t Term) string { return c.vars[c.varIndex(t)].name }

// VarLow returns the number of low bits of a variable that are known to be zero.
func (c *Context) VarLow(t Term) int { return c.vars[c.varIndex(t)].low }

func (c *Context) varIndex(t Term) uint64 {
	if c.nodes[t].op != OpVar {
		panic("smt: not a variable: " + c.String(t))
	}
	return c.nodes[t].aux
}

// FuncOf returns the function of an OpApply.
func (c *Context) FuncOf(t Term) Func {
	if c.nodes[t].op != OpApply {
		panic("smt: not an application: " + c.String(t))
	}
	return Func(c.nodes[t].aux)
}

// FuncOfWord returns the function if t is its value at a constant argument, or a part of that value.
//
// Such a term is an unwritten part of memory that starts with arbitrary content.
func (c *Context) FuncOfWord(t Term) (Func, bool) {
	if c.Op(t) == OpExtract {
		t = c.Arg(t, 0)
	}
	if c.Op(t) != OpApply || !c.IsConst(c.Arg(t, 0)) {
		return 0, false
	}
	return c.FuncOf(t), true
}

// FuncName returns the name of f.
func (c *Context) FuncName(f Func) string { return c.funcs[f].name }

// FuncDomain returns the width of f's argument in bits.
func (c *Context) FuncDomain(f Func) int { return c.funcs[f].dom }

// FuncRange returns the width of f's result in bits.
func (c *Context) FuncRange(f Func) int { return c.funcs[f].rng }

// NumTerms returns the number of terms in the arena.
func (c *Context) NumTerms() int { return len(c.nodes) - 1 }

// TermSet is a set of terms in pages, cheap for small cones of a large context. The zero value is empty.
type TermSet struct{ pages [][]uint64 }

const setPage = 64 // words: 4096 terms

// Add adds t and reports whether it is new in the set.
func (s *TermSet) Add(t Term) bool {
	p := int(t) / (setPage * 64)
	for p >= len(s.pages) {
		s.pages = append(s.pages, make([][]uint64, p-len(s.pages)+1)...)
	}
	if s.pages[p] == nil {
		s.pages[p] = make([]uint64, setPage)
	}
	w, b := &s.pages[p][int(t)/64%setPage], uint64(1)<<(uint(t)%64)
	if *w&b != 0 {
		return false
	}
	*w |= b
	return true
}

// Has reports whether t is in the set.
func (s *TermSet) Has(t Term) bool {
	p := int(t) / (setPage * 64)
	return p < len(s.pages) && s.pages[p] != nil && s.pages[p][int(t)/64%setPage]>>(uint(t)%64)&1 != 0
}

// Cone returns all subterms of ts, including ts, in topological order (arguments first).
func (c *Context) Cone(ts ...Term) []Term {
	var out []Term
	c.visit(ts, func(t Term) { out = append(out, t) })
	slices.Sort(out)
	return out
}

// visit calls f once for each subterm of ts, in no particular order. Cone sorts; callers that need few terms use
// visit.
func (c *Context) visit(ts []Term, f func(Term)) {
	var seen TermSet
	var stack []Term
	for _, t := range ts {
		if seen.Add(t) {
			stack = append(stack, t)
		}
	}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		f(t)
		for _, a := range c.Args(t) {
			if seen.Add(a) {
				stack = append(stack, a)
			}
		}
	}
}

// Size returns the number of different subterms of ts.
func (c *Context) Size(ts ...Term) (n int) {
	c.visit(ts, func(Term) { n++ })
	return n
}

// Parts returns the subterms of ts, each once, in order of creation.
func (c *Context) Parts(ts ...Term) []Term {
	var out []Term
	c.visit(ts, func(t Term) { out = append(out, t) })
	slices.Sort(out)
	return out
}

// Symbols returns the variables in the cone of ts, each once, in order of creation.
func (c *Context) Symbols(ts ...Term) []Term {
	var out []Term
	c.visit(ts, func(t Term) {
		if c.nodes[t].op == OpVar {
			out = append(out, t)
		}
	})
	slices.Sort(out)
	return out
}

// Funcs returns the functions applied in the cone of ts, each once, in order of declaration.
func (c *Context) Funcs(ts ...Term) []Func {
	var out []Func
	c.visit(ts, func(t Term) {
		if c.nodes[t].op == OpApply {
			out = append(out, Func(c.nodes[t].aux))
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}
