package solver

// From the graph to clauses: Plaisted and Greenbaum's encoding ("A Structure-Preserving Clause Form Translation",
// 1986), which writes only the implications of a node that its uses need. If a node is later used with the other sign,
// the other half is added, so the encoding is incremental. Trees of Ands whose inner nodes have no other use become one
// wide gate. An xor of an xor that has no other use becomes one gate of three inputs.
//
// Each half is sound on its own for any cover of a node by inner nodes, so two halves written at different times may
// cover the node differently.

const (
	halfPos  uint8 = 1 << iota // variable implies function
	halfNeg                    // function implies variable
	seenRefs                   // the node's operands have been counted
)

// cnf has clauses as DIMACS literals, each clause ended by a zero, until the solver receives them.
type cnf struct {
	g       *aig
	varOf   []int32 // per node; 0 is none
	state   []uint8
	refs    []uint8 // uses in the encoded cones, saturating at 2
	buf     []int32
	nvars   int32
	clauses int64
	lits    int64
	unsat   bool  // an empty clause was added
	work    []lit // halves still to be written
	// poll is called every pollHalves halves; if it returns true, the remaining ones are delayed until resume.
	poll    func() bool
	written int // number of halves
	stopped bool
	stack   []lit
	leaves  []lit
}

// pollHalves is the number of written halves between two calls of poll.
const pollHalves = 4096

func newCNF(g *aig) *cnf { return &cnf{g: g, poll: func() bool { return false }} }

func (f *cnf) sync() {
	if n := len(f.g.nodes); n > len(f.varOf) {
		f.varOf = grown(f.varOf, n)
		f.state = grown(f.state, n)
		f.refs = grown(f.refs, n)
	}
}

func grown[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	t := make([]T, n, n+n/2)
	copy(t, s)
	return t
}

func (f *cnf) addRef(l lit) {
	if r := &f.refs[l.node()]; *r < 2 {
		*r++
	}
}

// count visits the new nodes in the cone of l and counts the uses of each node.
func (f *cnf) count(l lit) {
	f.addRef(l)
	st := append(f.stack[:0], l)
	for len(st) > 0 {
		x := st[len(st)-1].node()
		st = st[:len(st)-1]
		if f.state[x]&seenRefs != 0 {
			continue
		}
		f.state[x] |= seenRefs
		k := f.g.gates[x]
		if k < gateAnd {
			continue
		}
		n := f.g.nodes[x]
		f.addRef(n.a)
		f.addRef(n.b)
		st = append(st, n.a, n.b)
		if k >= gateMux {
			f.addRef(n.c)
			st = append(st, n.c)
		}
	}
	f.stack = st
}

func (f *cnf) variable(x uint32) int32 {
	v := f.varOf[x]
	if v == 0 {
		f.nvars++
		v = f.nvars
		f.varOf[x] = v
	}
	return v
}

// need returns the DIMACS literal of l and ensures that the half is written by which the literal implies the function.
func (f *cnf) need(l lit) int32 {
	x := l.node()
	v := f.variable(x)
	half := halfPos
	if l.neg() {
		half = halfNeg
	}
	if f.state[x]&half == 0 {
		f.state[x] |= half
		if f.g.gates[x] >= gateAnd {
			f.work = append(f.work, l)
		}
	}
	if l.neg() {
		return -v
	}
	return v
}

// both is need for l and its negation.
func (f *cnf) both(l lit) int32 {
	f.need(l ^ 1)
	return f.need(l)
}

func (f *cnf) end() {
	f.buf = append(f.buf, 0)
	f.clauses++
}

func (f *cnf) clause2(a, b int32)    { f.buf = append(f.buf, a, b, 0); f.clauses++ }
func (f *cnf) clause3(a, b, c int32) { f.buf = append(f.buf, a, b, c, 0); f.clauses++ }
func (f *cnf) clause4(a, b, c, d int32) {
	f.buf = append(f.buf, a, b, c, d, 0)
	f.clauses++
}

// inner reports whether the operand can be merged into the gate above it.
func (f *cnf) inner(l lit, k gate) bool {
	x := l.node()
	return f.g.gates[x] == k && f.refs[x] < 2 && f.varOf[x] == 0
}

// conjuncts collects the leaves of the tree of Ands at node x.
func (f *cnf) conjuncts(x uint32) []lit {
	out := f.leaves[:0]
	n := f.g.nodes[x]
	st := append(f.stack[:0], n.b, n.a)
	for len(st) > 0 {
		l := st[len(st)-1]
		st = st[:len(st)-1]
		if !l.neg() && f.inner(l, gateAnd) {
			n := f.g.nodes[l.node()]
			st = append(st, n.b, n.a)
			continue
		}
		out = append(out, l)
	}
	f.stack = st
	f.leaves = out
	return out
}

// literal returns the DIMACS literal that implies l, and adds the clauses of its cone. l is not constant.
func (f *cnf) literal(l lit) int32 {
	f.sync()
	f.count(l)
	d := f.need(l)
	f.drain()
	return d
}

// or adds a clause over graph literals.
func (f *cnf) or(ls ...lit) {
	f.sync()
	for _, l := range ls {
		if l == litTrue {
			return
		}
	}
	n := 0
	for _, l := range ls {
		if l != litFalse {
			f.count(l)
			n++
		}
	}
	if n == 0 {
		f.empty()
		return
	}
	for _, l := range ls {
		if l != litFalse {
			f.buf = append(f.buf, f.need(l))
		}
	}
	f.end()
	f.drain()
}

func (f *cnf) empty() {
	f.unsat = true
	f.end()
}

// assert makes l true permanently. The gate at the root needs no variable.
func (f *cnf) assert(l lit) {
	f.sync()
	todo := []lit{l}
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch l {
		case litTrue:
			continue
		case litFalse:
			f.empty()
			return
		}
		x := l.node()
		n := f.g.nodes[x]
		k := f.g.gates[x]
		if k == gateAnd && !l.neg() {
			todo = append(todo, n.b, n.a)
			continue
		}
		f.count(l)
		if k != gateAnd && f.varOf[x] != 0 || k == gateInput {
			f.buf = append(f.buf, f.need(l))
			f.end()
			f.drain()
			continue
		}
		s := l & 1
		switch k {
		case gateAnd:
			for _, y := range f.conjuncts(x) {
				f.buf = append(f.buf, f.need(y^1))
			}
			f.end()
		case gateXor:
			a, b := f.both(n.a), f.both(n.b^s)
			f.clause2(a, b)
			f.clause2(-a, -b)
		case gateMux:
			c, t, e := f.both(n.a), f.need(n.b^s), f.need(n.c^s)
			f.clause2(-c, t)
			f.clause2(c, e)
		case gateMaj:
			a, b, c := f.need(n.a^s), f.need(n.b^s), f.need(n.c^s)
			f.clause2(a, b)
			f.clause2(a, c)
			f.clause2(b, c)
		}
		f.drain()
	}
}

// resume continues the output of halves; poll returns whether to stop.
func (f *cnf) resume(poll func() bool) { f.poll, f.stopped = poll, false }

// drain writes the delayed halves. One term may have a cone of millions.
func (f *cnf) drain() {
	for len(f.work) > 0 && !f.stopped {
		l := f.work[len(f.work)-1]
		f.work = f.work[:len(f.work)-1]
		f.half(l)
		f.written++
		f.stopped = f.written%pollHalves == 0 && f.poll()
	}
}

// half writes the clauses for: l implies its function.
func (f *cnf) half(l lit) {
	x := l.node()
	n := f.g.nodes[x]
	v := -f.varOf[x] // the negation of l's literal
	if l.neg() {
		v = -v
	}
	s := l & 1
	switch f.g.gates[x] {
	case gateAnd:
		ls := f.conjuncts(x)
		if !l.neg() {
			for _, y := range ls {
				f.clause2(v, f.need(y))
			}
		} else {
			for _, y := range ls {
				f.buf = append(f.buf, f.need(y^1))
			}
			f.buf = append(f.buf, v)
			f.end()
		}
	case gateXor:
		// l states that the xor of the operands is not s.
		p, q := n.a, n.b
		if !f.inner(p, gateXor) {
			p, q = q, p
		}
		if f.inner(p, gateXor) {
			m := f.g.nodes[p.node()]
			a, b, c := f.both(m.a), f.both(m.b), f.both(q^s)
			f.clause4(v, a, b, c)
			f.clause4(v, a, -b, -c)
			f.clause4(v, -a, b, -c)
			f.clause4(v, -a, -b, c)
			return
		}
		a, b := f.both(n.a), f.both(n.b^s)
		f.clause3(v, a, b)
		f.clause3(v, -a, -b)
	case gateMux:
		c, t, e := f.both(n.a), f.need(n.b^s), f.need(n.c^s)
		f.clause3(v, -c, t)
		f.clause3(v, c, e)
		// The implied clause (v t e) costs more than its propagations gain: with it a chain of 500 muxes took four times as
		// long.
	case gateMaj:
		a, b, c := f.need(n.a^s), f.need(n.b^s), f.need(n.c^s)
		f.clause3(v, a, b)
		f.clause3(v, a, c)
		f.clause3(v, b, c)
	}
}
