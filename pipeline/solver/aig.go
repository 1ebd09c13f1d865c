package solver

// The and-inverter graph, extended by three gates with short clauses of their own: xor, mux and majority (the carry of
// an adder).
//
// In a plain and-inverter graph a pattern search has to find these gates before the graph is turned into clauses. As
// nodes they make that search unnecessary and the graph a third of the size. An And whose operands form an xor or a mux
// becomes that gate when it is built, so that the same function in two shapes is still one node.
//
// Local two-level rules: Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without Blowup" (MEMICS
// 2006).

// A lit is a node index with a sign in the lowest bit.
type lit uint32

const (
	litFalse lit = 0
	litTrue  lit = 1
)

func (l lit) node() uint32  { return uint32(l >> 1) }
func (l lit) neg() bool     { return l&1 != 0 }
func (l lit) isConst() bool { return l <= litTrue }

func (l lit) notIf(c bool) lit {
	if c {
		return l ^ 1
	}
	return l
}

func boolLit(b bool) lit {
	if b {
		return litTrue
	}
	return litFalse
}

type gate uint8

const (
	gateConst gate = iota // node 0: false
	gateInput
	gateAnd // a and b
	gateXor // a xor b; operands have no sign
	gateMux // if a then b else c; a and b have no sign
	gateMaj // at least two of a, b, c; at most one operand has a sign
)

type node struct{ a, b, c lit }

// aig is the graph. Operands always have smaller indices than the node that uses them.
type aig struct {
	nodes []node
	gates []gate
	table []uint32 // open addressing; 0 is free
	mask  uint32
	used  int
}

func newAIG() *aig {
	g := &aig{table: make([]uint32, 1<<10), mask: 1<<10 - 1}
	g.nodes = append(g.nodes, node{})
	g.gates = append(g.gates, gateConst)
	return g
}

func (g *aig) size() int { return len(g.nodes) }

func (g *aig) input() lit {
	g.nodes = append(g.nodes, node{})
	g.gates = append(g.gates, gateInput)
	return lit(len(g.nodes)-1) << 1
}

func hashNode(k gate, n node) uint32 {
	h := uint64(n.a)*0x9e3779b97f4a7c15 ^ uint64(n.b)*0xc2b2ae3d27d4eb4f ^ uint64(n.c)*0x165667b19e3779f9 ^ uint64(k)<<57
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return uint32(h >> 32)
}

func (g *aig) intern(k gate, n node) lit {
	i := hashNode(k, n) & g.mask
	for {
		x := g.table[i]
		if x == 0 {
			break
		}
		if g.gates[x] == k && g.nodes[x] == n {
			return lit(x) << 1
		}
		i = (i + 1) & g.mask
	}
	x := uint32(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.gates = append(g.gates, k)
	g.table[i] = x
	g.used++
	if g.used*4 > len(g.table)*3 {
		g.grow()
	}
	return lit(x) << 1
}

func (g *aig) grow() {
	g.table = make([]uint32, 2*len(g.table))
	g.mask = uint32(len(g.table) - 1)
	for x := range g.nodes {
		k := g.gates[x]
		if k < gateAnd {
			continue
		}
		i := hashNode(k, g.nodes[x]) & g.mask
		for g.table[i] != 0 {
			i = (i + 1) & g.mask
		}
		g.table[i] = uint32(x)
	}
}

func (g *aig) or(a, b lit) lit   { return g.and(a^1, b^1) ^ 1 }
func (g *aig) xnor(a, b lit) lit { return g.xor(a, b) ^ 1 }

// and builds the conjunction. Each pass of the loop either returns or replaces one operand by an operand of it.
func (g *aig) and(a, b lit) lit {
again:
	if a > b {
		a, b = b, a
	}
	switch {
	case a == litFalse || a == b^1:
		return litFalse
	case a == litTrue || a == b:
		return b
	}
	for swap := 0; swap < 2; swap++ {
		n := &g.nodes[b.node()]
		switch g.gates[b.node()] {
		case gateAnd:
			if !b.neg() {
				if n.a == a^1 || n.b == a^1 {
					return litFalse
				}
				if n.a == a || n.b == a {
					return b
				}
			} else {
				switch a {
				case n.a ^ 1, n.b ^ 1: // a implies b
					return a
				case n.a:
					b = n.b ^ 1
					goto again
				case n.b:
					b = n.a ^ 1
					goto again
				}
			}
		case gateXor:
			if x := a &^ 1; x == n.a {
				b = n.b.notIf(b.neg() != !a.neg())
				goto again
			} else if x == n.b {
				b = n.a.notIf(b.neg() != !a.neg())
				goto again
			}
		case gateMux:
			if a == n.a {
				b = n.b.notIf(b.neg())
				goto again
			} else if a == n.a^1 {
				b = n.c.notIf(b.neg())
				goto again
			}
		}
		a, b = b, a
	}
	if a > b {
		a, b = b, a
	}
	if g.gates[a.node()] == gateAnd && g.gates[b.node()] == gateAnd {
		na, nb := g.nodes[a.node()], g.nodes[b.node()]
		switch {
		case !a.neg() && !b.neg():
			if na.a == nb.a^1 || na.a == nb.b^1 || na.b == nb.a^1 || na.b == nb.b^1 {
				return litFalse
			}
		case a.neg() && b.neg():
			// not(x and y) and not(not x and z) is: if x then not y else not z.
			switch {
			case na.a == nb.a^1:
				return g.mux(na.a, na.b^1, nb.b^1)
			case na.a == nb.b^1:
				return g.mux(na.a, na.b^1, nb.a^1)
			case na.b == nb.a^1:
				return g.mux(na.b, na.a^1, nb.b^1)
			case na.b == nb.b^1:
				return g.mux(na.b, na.a^1, nb.a^1)
			}
		default:
			p, np, nq := a, na, nb // p is positive, the other one negated
			if a.neg() {
				p, np, nq = b, nb, na
			}
			switch {
			case np.a == nq.a^1 || np.a == nq.b^1 || np.b == nq.a^1 || np.b == nq.b^1:
				return p
			case np.a == nq.a || np.b == nq.a:
				a, b = p, nq.b^1
				goto again
			case np.a == nq.b || np.b == nq.b:
				a, b = p, nq.a^1
				goto again
			}
		}
	}
	return g.intern(gateAnd, node{a: a, b: b})
}

func (g *aig) xor(a, b lit) lit {
	sign := (a ^ b) & 1
	a &^= 1
	b &^= 1
	if a > b {
		a, b = b, a
	}
	switch {
	case a == b:
		return sign
	case a == litFalse:
		return b ^ sign
	}
	if g.gates[b.node()] == gateXor {
		n := g.nodes[b.node()]
		if n.a == a {
			return n.b ^ sign
		}
		if n.b == a {
			return n.a ^ sign
		}
		if g.gates[a.node()] == gateXor {
			m := g.nodes[a.node()]
			switch {
			case m.a == n.a:
				return g.xor(m.b, n.b) ^ sign
			case m.a == n.b:
				return g.xor(m.b, n.a) ^ sign
			case m.b == n.a:
				return g.xor(m.a, n.b) ^ sign
			case m.b == n.b:
				return g.xor(m.a, n.a) ^ sign
			}
		}
	}
	return g.intern(gateXor, node{a: a, b: b}) ^ sign
}

// mux builds: if c then t else e.
func (g *aig) mux(c, t, e lit) lit {
	if c.neg() {
		c, t, e = c^1, e, t
	}
	if c == litFalse {
		return e
	}
	t = g.under(t, c)
	e = g.under(e, c^1)
	switch {
	case t == e:
		return t
	case t == litTrue:
		return g.or(c, e)
	case t == litFalse:
		return g.and(c^1, e)
	case e == litTrue:
		return g.or(c^1, t)
	case e == litFalse:
		return g.and(c, t)
	case t == e^1:
		return g.xor(c, e)
	}
	// A mux that shares a branch with the mux below it has one condition.
	if n := g.nodes[t.node()]; g.gates[t.node()] == gateMux {
		s := t & 1
		if n.c^s == e {
			return g.mux(g.and(c, n.a), n.b^s, e)
		}
		if n.b^s == e {
			return g.mux(g.and(c, n.a^1), n.c^s, e)
		}
	}
	if n := g.nodes[e.node()]; g.gates[e.node()] == gateMux {
		s := e & 1
		if n.b^s == t {
			return g.mux(g.or(c, n.a), t, n.c^s)
		}
		if n.c^s == t {
			return g.mux(g.or(c, n.a^1), t, n.b^s)
		}
	}
	sign := t & 1
	return g.intern(gateMux, node{a: c, b: t ^ sign, c: e ^ sign}) ^ sign
}

// under returns l simplified under the condition c.
func (g *aig) under(l, c lit) lit {
	if l.node() == c.node() {
		return boolLit(l == c)
	}
	n := &g.nodes[l.node()]
	s := l & 1
	switch g.gates[l.node()] {
	case gateAnd:
		switch {
		case n.a == c:
			return n.b ^ s
		case n.b == c:
			return n.a ^ s
		case n.a == c^1 || n.b == c^1:
			return litFalse ^ s
		}
	case gateXor:
		if n.a == c&^1 {
			return n.b ^ s ^ (c&1 ^ 1)
		}
		if n.b == c&^1 {
			return n.a ^ s ^ (c&1 ^ 1)
		}
	case gateMux:
		if n.a == c {
			return n.b ^ s
		}
		if n.a == c^1 {
			return n.c ^ s
		}
	}
	return l
}

// maj builds the majority: at least two operands are true.
func (g *aig) maj(a, b, c lit) lit {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	switch {
	case a == litFalse:
		return g.and(b, c)
	case a == litTrue:
		return g.or(b, c)
	case a == b || b == c:
		return b
	case a == b^1:
		return c
	case b == c^1:
		return a
	}
	// The function is its own dual: keep at most one sign.
	sign := lit(0)
	if a&1+b&1+c&1 >= 2 {
		sign = 1
	}
	return g.intern(gateMaj, node{a ^ sign, b ^ sign, c ^ sign}) ^ sign
}

// fullAdder returns the sum and the carry of three bits.
func (g *aig) fullAdder(a, b, c lit) (sum, carry lit) {
	return g.xor(g.xor(a, b), c), g.maj(a, b, c)
}

// simulate computes 64 patterns at once: val has one word per node. The words of input nodes are given, the others are
// computed. Nodes below from are computed already, nodes beyond val are ignored.
func (g *aig) simulate(val []uint64, from int) {
	get := func(l lit) uint64 { return val[l>>1] ^ -uint64(l&1) }
	for i := from; i < len(val); i++ {
		n := &g.nodes[i]
		switch g.gates[i] {
		case gateConst:
			val[i] = 0
		case gateAnd:
			val[i] = get(n.a) & get(n.b)
		case gateXor:
			val[i] = get(n.a) ^ get(n.b)
		case gateMux:
			c := get(n.a)
			val[i] = c&get(n.b) | ^c&get(n.c)
		case gateMaj:
			a, b, c := get(n.a), get(n.b), get(n.c)
			val[i] = a&b | c&(a|b)
		}
	}
}
