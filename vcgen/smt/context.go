package smt

import (
	"fmt"
	"math/big"
)

// node is one term of the arena: 56 bytes.
type node struct {
	op     Op
	nargs  uint8
	spread spread
	marks  marks
	sort   Sort
	hash   uint32
	off    uint32 // of the first argument in Context.pool
	// OpConst: value, or index into bigs; OpVar: index into vars; OpExtract: hi<<32|lo; OpApply: Func; OpFRound: mode
	aux   uint64
	facts // of bit-vectors up to 64 bits
}

// marks are properties of a term, as bits.
type marks uint8

const (
	markPlain  marks = 1 << iota // see plainOf
	markFloats                   // it contains an operation on floats
)

// marksOf returns the marks of a node before it exists.
func (c *Context) marksOf(op Op, s Sort, args []Term) (m marks) {
	if c.plainOf(op, s, args) {
		m |= markPlain
	}
	if op >= OpFAdd && op <= OpFRound {
		m |= markFloats
	}
	for _, a := range args {
		m |= c.nodes[a].marks & markFloats
	}
	return m
}

func (n *node) has(m marks) bool { return n.marks&m != 0 }

type variable struct {
	name string
	term Term
	low  int
}

type function struct {
	name     string
	dom, rng int
}

// Context is an arena of hash-consed terms: structurally equal terms have equal handles.
//
// Terms of one Context must not be used with another one. A Context is not safe for concurrent use: inspection must
// not run while a term is built.
type Context struct {
	nodes []node
	pool  []Term   // arguments of all nodes
	table []uint32 // open addressing, power of two; 0 is empty
	bigs  []*big.Int
	bigAt map[string]uint64
	vars  []variable
	funcs []function

	// functions: conditions are canonical as Boolean functions of their atoms; see SeeFunctions.
	functions bool
	diagrams  diagrams

	depth int // nesting of the rules that recurse; see enter

	rulesOff [numRules]bool
	ruleUses [numRules]int
}

const (
	termFalse Term = 1
	termTrue  Term = 2
)

// NewContext returns an empty arena.
func NewContext() *Context {
	c := &Context{table: make([]uint32, 1<<10), bigAt: map[string]uint64{}}
	c.nodes = append(make([]node, 0, 1<<9), node{})
	c.funcs = append(c.funcs, function{})
	if c.intern(OpFalse, Bool, 0, nil) != termFalse || c.intern(OpTrue, Bool, 0, nil) != termTrue {
		panic("smt: constants out of place")
	}
	return c
}

func hashNode(op Op, s Sort, aux uint64, args []Term) uint32 {
	h := (uint64(op)<<32 | uint64(uint32(s))) * 0x9e3779b97f4a7c15
	h ^= aux * 0xc2b2ae3d27d4eb4f
	for _, a := range args {
		h = (h ^ uint64(a)) * 0x9fb21c651e98df25
		h ^= h >> 29
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return uint32(h >> 32)
}

func (c *Context) same(n *node, op Op, s Sort, aux uint64, args []Term) bool {
	if n.op != op || n.sort != s || n.aux != aux || int(n.nargs) != len(args) {
		return false
	}
	have := c.pool[n.off : n.off+uint32(n.nargs)]
	for i, a := range args {
		if have[i] != a {
			return false
		}
	}
	return true
}

// lookup finds an existing node, or returns 0.
func (c *Context) lookup(op Op, s Sort, aux uint64, args ...Term) Term {
	h := hashNode(op, s, aux, args)
	m := uint32(len(c.table) - 1)
	for i := h & m; c.table[i] != 0; i = (i + 1) & m {
		n := &c.nodes[c.table[i]]
		if n.hash == h && c.same(n, op, s, aux, args) {
			return Term(c.table[i])
		}
	}
	return 0
}

// intern returns the node with exactly this structure, and creates it if it is new.
//
// A new bit-vector whose facts leave a single value is replaced by that constant. This is sound because facts are
// implied by the structure alone.
func (c *Context) intern(op Op, s Sort, aux uint64, args []Term) Term {
	h := hashNode(op, s, aux, args)
	m := uint32(len(c.table) - 1)
	i := h & m
	for ; c.table[i] != 0; i = (i + 1) & m {
		n := &c.nodes[c.table[i]]
		if n.hash == h && c.same(n, op, s, aux, args) {
			return Term(c.table[i])
		}
	}
	f := c.factsOf(op, s, aux, args)
	if s != Bool && s <= 64 && f.lo == f.hi && op != OpConst {
		return c.intern(OpConst, s, f.lo, nil)
	}
	t := Term(len(c.nodes))
	if t == 0 || uint64(len(c.nodes)) >= 1<<32-1 || uint64(len(c.pool)) >= 1<<32-16 {
		panic("smt: arena is full (2^32 terms)")
	}
	c.nodes = append(c.nodes, node{op: op, nargs: uint8(len(args)), sort: s, hash: h, off: uint32(len(c.pool)), aux: aux,
		facts: f, spread: c.spreadOf(op, s, f, args), marks: c.marksOf(op, s, args)})
	c.pool = append(c.pool, args...)
	c.table[i] = uint32(t)
	if len(c.nodes)*2 > len(c.table) {
		c.grow()
	}
	return t
}

func (c *Context) grow() {
	table := make([]uint32, len(c.table)*2)
	m := uint32(len(table) - 1)
	for t := 1; t < len(c.nodes); t++ {
		if c.nodes[t].op == OpVar { // never looked up
			continue
		}
		i := c.nodes[t].hash & m
		for table[i] != 0 {
			i = (i + 1) & m
		}
		table[i] = uint32(t)
	}
	c.table = table
}

// mk folds an operation on constants, and otherwise interns it unchanged. It applies no other rule.
func (c *Context) mk(op Op, s Sort, aux uint64, args ...Term) Term {
	fold := true
	for _, a := range args {
		if o := c.nodes[a].op; o != OpConst && o != OpTrue && o != OpFalse {
			fold = false
			break
		}
	}
	if fold && op != OpApply {
		var buf [maxParts + 2]Value
		vals := buf[:0]
		for _, a := range args {
			vals = append(vals, c.constValue(a))
		}
		return c.Const(applyOp(op, s, aux, vals))
	}
	return c.intern(op, s, aux, args)
}

// constValue returns the value of a constant.
func (c *Context) constValue(t Term) Value {
	n := &c.nodes[t]
	switch {
	case n.op == OpTrue:
		return Value{v: 1}
	case n.op == OpFalse:
		return Value{}
	case n.sort <= 64:
		return Value{sort: n.sort, v: n.aux}
	}
	b := c.bigs[n.aux]
	if b.BitLen() <= 64 {
		return Value{sort: n.sort, v: b.Uint64()}
	}
	return Value{sort: n.sort, b: b}
}

// Const returns the constant term of a value.
func (c *Context) Const(v Value) Term {
	if v.sort == Bool {
		return c.BoolConst(v.Bool())
	}
	if v.sort <= 64 {
		return c.intern(OpConst, v.sort, v.v&mask(int(v.sort)), nil)
	}
	b := v.read()
	key := string(b.Bytes())
	k, ok := c.bigAt[key]
	if !ok {
		k = uint64(len(c.bigs))
		c.bigs = append(c.bigs, b)
		c.bigAt[key] = k
	}
	return c.intern(OpConst, v.sort, k, nil)
}

// True returns the constant true.
func (c *Context) True() Term { return termTrue }

// False returns the constant false.
func (c *Context) False() Term { return termFalse }

// BoolConst returns true or false.
func (c *Context) BoolConst(b bool) Term {
	if b {
		return termTrue
	}
	return termFalse
}

// Var returns a new symbol of sort s. Each call creates another symbol, even for a name that was used before.
func (c *Context) Var(name string, s Sort) Term { return c.newVar(name, s, 0) }

// VarAligned returns a new bit-vector symbol of w bits whose log2 low bits are zero.
//
// Facts assume it, back ends set these bits to zero and an Evaluator masks them. log2 is at most w.
func (c *Context) VarAligned(name string, w int, log2 int) Term {
	if log2 < 0 || log2 > w {
		panic(fmt.Sprintf("smt: VarAligned %s: %d known zero bits in %d", name, log2, w))
	}
	return c.newVar(name, BV(w), log2)
}

func (c *Context) newVar(name string, s Sort, low int) Term {
	if s != Bool {
		BV(int(s))
		if low == int(s) {
			return c.Int(low, 0)
		}
	}
	k := len(c.vars)
	t := c.intern(OpVar, s, uint64(k), nil)
	if int(t) < len(c.nodes)-1 || c.nodes[t].op != OpVar {
		panic("smt: variable not new")
	}
	c.vars = append(c.vars, variable{name: name, term: t, low: low})
	if low > 0 && s <= 64 {
		n := &c.nodes[t]
		n.zeros = mask(low)
		n.hi = mask(int(s)) &^ mask(low)
	}
	return t
}

// Int returns the constant v modulo 2^w, of w bits (zero-extended if w > 64).
func (c *Context) Int(w int, v uint64) Term {
	if w >= 1 && w <= 64 {
		return c.intern(OpConst, Sort(w), v&mask(w), nil)
	}
	return c.Const(UintValue(w, v))
}

// IntS returns the constant v modulo 2^w, of w bits (sign-extended if w > 64).
func (c *Context) IntS(w int, v int64) Term {
	if w <= 64 {
		return c.Int(w, uint64(v))
	}
	return c.Big(w, big.NewInt(v))
}

// Big returns the constant v modulo 2^w, of w bits. v may be negative.
func (c *Context) Big(w int, v *big.Int) Term { return c.Const(BigValueOf(w, v)) }

// NewFunc declares a new uninterpreted function from bit-vectors of dom bits to bit-vectors of rng bits.
//
// Each call declares another function.
func (c *Context) NewFunc(name string, dom, rng int) Func {
	BV(dom)
	BV(rng)
	c.funcs = append(c.funcs, function{name, dom, rng})
	return Func(len(c.funcs) - 1)
}

// LastFunc returns the function declared last, 0 if there is none. Functions that are declared later have greater
// handles.
func (c *Context) LastFunc() Func { return Func(len(c.funcs) - 1) }

// Apply applies an uninterpreted function.
func (c *Context) Apply(f Func, arg Term) Term {
	if f == 0 || int(f) >= len(c.funcs) {
		panic("smt: Apply of an undeclared function")
	}
	fn := c.funcs[f]
	if c.Width(arg) != fn.dom || fn.dom == 0 {
		panic(fmt.Sprintf("smt: Apply %s: argument of sort %v, want %v", fn.name, c.Sort(arg), Sort(fn.dom)))
	}
	return c.intern(OpApply, Sort(fn.rng), uint64(f), []Term{arg})
}

// maxDepth bounds the nesting of rules that search through nested terms.
//
// Without it a rule that descends a chain of ites or disjunctions would cost the length of the chain for each new
// term.
const maxDepth = 8

// enter begins such a rule and reports whether it may run. If it returns true, leave must follow.
func (c *Context) enter() bool {
	if c.depth >= maxDepth {
		return false
	}
	c.depth++
	return true
}

func (c *Context) leave() { c.depth-- }

func (c *Context) mustBool(what string, ts ...Term) {
	for _, t := range ts {
		if t == 0 || int(t) >= len(c.nodes) {
			panic("smt: " + what + ": no term")
		}
		if c.nodes[t].sort != Bool {
			panic(fmt.Sprintf("smt: %s: operand %s has sort %v, want Bool", what, c.String(t), c.nodes[t].sort))
		}
	}
}

// mustBV checks that all operands are bit-vectors of one width and returns the width.
func (c *Context) mustBV(what string, ts ...Term) int {
	for _, t := range ts {
		if t == 0 || int(t) >= len(c.nodes) {
			panic("smt: " + what + ": no term")
		}
		if s := c.nodes[t].sort; s == Bool || s != c.nodes[ts[0]].sort {
			panic(fmt.Sprintf("smt: %s: operand %s has sort %v, want %v", what, c.String(t), s, c.nodes[ts[0]].sort))
		}
	}
	return int(c.nodes[ts[0]].sort)
}
