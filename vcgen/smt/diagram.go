package smt

// diagrams are reduced ordered binary decision diagrams of conditions.
//
// Two conditions are the same function of their atoms exactly if they have the same diagram. An And that is the same
// function as an existing term becomes that term. Therefore conditions that two paths express in different ways, and
// contradictions of a whole condition, are recognized as conditions are built:
//
//	n->next = malloc(...);   // linked only if the allocation succeeds
//	if (n->next) ...         // the arbitrary old value of next is excluded here
//
// An atom is a term other than And, Not, Ite or Eq of conditions, or a condition whose diagram would take too many
// steps. Atoms are ordered by their first occurrence, which for path conditions is the execution order. Path
// conditions are then chains of branches, and their diagrams are no larger than they are.
//
// Sources: Bryant, "Graph-Based Algorithms for Boolean Function Manipulation" (1986); edges that negate: Brace,
// Rudell, and Bryant, "Efficient Implementation of a BDD Package" (1990); guards of symbolic execution as diagrams:
// CBMC.
type diagrams struct {
	nodes []decision
	table []uint32      // the nodes, open addressing, a power of two; 0 is empty
	memo  []conjunction // direct-mapped, a power of two
	edges []edge        // the diagram of each term that is not a negation; 0: not computed yet
	atoms uint32
	// credit is the number of steps that may be taken now. All conditions together earn a few for each condition, and
	// more for each success. So a program whose conditions have large diagrams does not pay for them.
	credit int
}

// edge is a reference to a node, negated if the lowest bit is set. 0 is none.
type edge uint32

const (
	edgeTrue  edge = 2
	edgeFalse edge = 3
)

// decision is the function "if atom then hi else lo".
//
// atom is the least of all atoms in it, and hi is not a negated edge.
type decision struct {
	atom   uint32
	hi, lo edge
	term   Term // the first term that is this function, or its negation; 0 if there is none
	not    bool // term is the negation
}

type conjunction struct{ a, b, is edge }

const (
	// stepsAtOnce bounds the steps for one condition: pairs of nodes of two diagrams.
	stepsAtOnce = 256
	// creditFirst, creditEach and creditUse are the steps granted to a context, to each condition, and for a
	// condition that became an existing term. At most creditMost are accumulated.
	creditFirst = 1 << 14
	creditEach  = 8
	creditUse   = 64
	creditMost  = 1 << 16
	// maxDecisions bounds the nodes, of 20 bytes each. At this limit no new diagrams are made.
	maxDecisions = 1 << 20
	// maxMemo bounds the memoized conjunctions, of 12 bytes each.
	maxMemo = 1 << 16
	// diagramDepth bounds the depth to which the operands of a term without a diagram are visited.
	diagramDepth = 64
)

func (d *diagrams) start() {
	d.nodes = []decision{{}, {atom: ^uint32(0), term: termTrue}}
	d.table = make([]uint32, 1<<9)
	d.memo = make([]conjunction, 1<<9)
	d.credit = creditFirst
}

func (d *diagrams) full() bool { return len(d.nodes) >= maxDecisions }

func hashDecision(atom uint32, hi, lo edge) uint32 {
	h := uint64(atom)*0x9e3779b97f4a7c15 ^ (uint64(hi)<<32|uint64(lo))*0xd6e8feb86659fd93
	h ^= h >> 32
	h *= 0x9fb21c651e98df25
	return uint32(h >> 32)
}

// decide returns "if atom then hi else lo".
func (d *diagrams) decide(atom uint32, hi, lo edge) edge {
	if hi == lo {
		return hi
	}
	not := hi & 1
	hi, lo = hi^not, lo^not
	m := uint32(len(d.table) - 1)
	i := hashDecision(atom, hi, lo) & m
	for ; d.table[i] != 0; i = (i + 1) & m {
		if n := &d.nodes[d.table[i]]; n.atom == atom && n.hi == hi && n.lo == lo {
			return edge(d.table[i])<<1 | not
		}
	}
	at := uint32(len(d.nodes))
	d.nodes = append(d.nodes, decision{atom: atom, hi: hi, lo: lo})
	d.table[i] = at
	if len(d.nodes)*2 > len(d.table) {
		d.grow()
	}
	return edge(at)<<1 | not
}

func (d *diagrams) grow() {
	d.table = make([]uint32, len(d.table)*2)
	m := uint32(len(d.table) - 1)
	for at := 2; at < len(d.nodes); at++ {
		n := &d.nodes[at]
		i := hashDecision(n.atom, n.hi, n.lo) & m
		for d.table[i] != 0 {
			i = (i + 1) & m
		}
		d.table[i] = uint32(at)
	}
	if len(d.memo) < maxMemo {
		d.memo = make([]conjunction, len(d.memo)*2)
	}
}

// and returns the conjunction; 0 if it needs more than *left steps. It subtracts its steps from *left.
func (d *diagrams) and(a, b edge, steps *int) edge {
	switch {
	case a == b || b == edgeTrue:
		return a
	case a == edgeTrue:
		return b
	case a == edgeFalse || b == edgeFalse || a^1 == b:
		return edgeFalse
	}
	if a > b {
		a, b = b, a
	}
	at := hashDecision(0, a, b)
	if k := d.memo[at&uint32(len(d.memo)-1)]; k.a == a && k.b == b {
		return k.is
	}
	if *steps--; *steps < 0 {
		return 0
	}
	m, n := d.nodes[a>>1], d.nodes[b>>1]
	atom := min(m.atom, n.atom)
	aHi, aLo, bHi, bLo := a, a, b, b
	if m.atom == atom {
		aHi, aLo = m.hi^a&1, m.lo^a&1
	}
	if n.atom == atom {
		bHi, bLo = n.hi^b&1, n.lo^b&1
	}
	hi := d.and(aHi, bHi, steps)
	if hi == 0 {
		return 0
	}
	lo := d.and(aLo, bLo, steps)
	if lo == 0 {
		return 0
	}
	is := d.decide(atom, hi, lo)
	d.memo[at&uint32(len(d.memo)-1)] = conjunction{a, b, is}
	return is
}

// within calls f with the number of steps that one condition may take.
func (d *diagrams) within(f func(steps *int) edge) edge {
	d.credit = min(d.credit+creditEach, creditMost)
	most := min(stepsAtOnce, d.credit)
	steps := most
	e := f(&steps)
	d.credit -= most - max(steps, 0)
	return e
}

func (d *diagrams) conjoin(a, b edge) edge {
	return d.within(func(steps *int) edge { return d.and(a, b, steps) })
}

// choose returns "if x then y else z"; 0 if that takes too many steps.
func (d *diagrams) choose(x, y, z edge) edge {
	return d.within(func(steps *int) edge {
		p, q := d.and(x, y, steps), d.and(x^1, z, steps)
		if p == 0 || q == 0 {
			return 0
		}
		neither := d.and(p^1, q^1, steps)
		if neither == 0 {
			return 0
		}
		return neither ^ 1
	})
}

// SeeFunctions switches diagrams on or off, and reports whether they were on before; they are off initially.
//
// While it is on, the result for a condition depends on the conditions built before. Therefore it is for
// deterministic work such as unfolding, and not for questions: a run that reuses stored answers builds fewer of them.
func (c *Context) SeeFunctions(on bool) (was bool) {
	was, c.functions = c.functions, on
	if on && c.diagrams.nodes == nil {
		c.diagrams.start()
	}
	return was
}

// diagram returns the diagram of a condition.
func (c *Context) diagram(t Term, depth int) edge {
	d := &c.diagrams
	switch c.nodes[t].op {
	case OpTrue:
		return edgeTrue
	case OpFalse:
		return edgeFalse
	case OpNot:
		return c.diagram(c.arg0(t), depth) ^ 1
	}
	if int(t) < len(d.edges) && d.edges[t] != 0 {
		return d.edges[t]
	}
	e := edge(0)
	if op := c.nodes[t].op; depth < diagramDepth && (op == OpAnd || op == OpIte || c.isBoolEq(t)) {
		var of [3]edge
		for i, a := range c.Args(t) {
			of[i] = c.diagram(a, depth+1)
		}
		switch op {
		case OpAnd:
			e = d.conjoin(of[0], of[1])
		case OpIte:
			e = d.choose(of[0], of[1], of[2])
		default:
			e = d.choose(of[0], of[1], of[1]^1)
		}
	}
	return c.setDiagram(t, e)
}

// setDiagram stores the diagram of a term without one, which is not a negation; e = 0 makes the term an atom.
func (c *Context) setDiagram(t Term, e edge) edge {
	d := &c.diagrams
	if int(t) < len(d.edges) && d.edges[t] != 0 {
		return d.edges[t]
	}
	if d.full() {
		return 0
	}
	if e == 0 {
		d.atoms++
		e = d.decide(d.atoms, edgeTrue, edgeFalse)
	}
	if n := len(c.nodes) - len(d.edges); n > 0 {
		d.edges = append(d.edges, make([]edge, n)...)
	}
	d.edges[t] = e
	if n := &d.nodes[e>>1]; n.term == 0 {
		n.term, n.not = t, e&1 == 1
	}
	return e
}

// andKnown returns an existing term that is the same function as the conjunction of a and b.
//
// If there is none, it returns 0 and the diagram for their And.
func (c *Context) andKnown(a, b Term) (Term, edge) {
	d := &c.diagrams
	if d.full() {
		return 0, 0
	}
	x, y := c.diagram(a, 0), c.diagram(b, 0)
	e := d.conjoin(x, y)
	known := Term(0)
	switch e {
	case 0:
		return 0, 0
	case edgeFalse:
		known = termFalse
	case x:
		known = a
	case y:
		known = b
	default:
		n := &d.nodes[e>>1]
		if known = n.term; known != 0 && n.not != (e&1 == 1) {
			known = c.Not(known)
		}
	}
	if known != 0 {
		d.credit += creditUse
	}
	return known, e
}

// decideFunction is decide for conditions as functions of their atoms.
func (c *Context) decideFunction(cond Term, val bool, t Term) int {
	d := &c.diagrams
	if d.full() {
		return 0
	}
	x, y := c.diagram(cond, 0), c.diagram(t, 0)
	if !val {
		x ^= 1
	}
	switch edgeFalse {
	case d.conjoin(x, y^1):
		d.credit += creditUse
		return 1
	case d.conjoin(x, y):
		d.credit += creditUse
		return -1
	}
	return 0
}
