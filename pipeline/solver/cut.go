package solver

import "slices"

const (
	maxCut  = 4  // nodes of a cut
	cutWork = 64 // bound of the nodes that the search for a cut replaces
)

// cut searches for a small set of nodes that determine all bits of a word. It repeatedly replaces the latest node by
// its operands. For example, 3*i+8 may have five bits that all depend on the three bits of i.
func (g *aig) cut(w word) (best []uint32, ok bool) {
	var front []uint32 // ascending
	put := func(l lit) {
		if l.isConst() {
			return
		}
		if at, there := slices.BinarySearch(front, l.node()); !there {
			front = slices.Insert(front, at, l.node())
		}
	}
	for _, l := range w {
		put(l)
		if len(front) > 2*maxCut+cutWork/8 {
			return nil, false
		}
	}
	for range cutWork {
		if n := len(front); n <= maxCut && (!ok || n < len(best)) {
			best, ok = slices.Clone(front), true
		}
		n := len(front) - 1
		if n < 0 || g.gates[front[n]] < gateAnd {
			break // an input does not depend on other nodes, and all others come earlier
		}
		x := front[n]
		front = front[:n]
		d := g.nodes[x]
		put(d.a)
		put(d.b)
		if g.gates[x] >= gateMux {
			put(d.c)
		}
	}
	return best, ok
}

// tabulate returns the constants that a word has under the assignments to a cut. Bit k of the assignment's number is
// the value of cut[k].
func (g *aig) tabulate(w word, cut []uint32) []word {
	// The columns of a truth table of six variables.
	columns := [...]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00,
		0xffff0000ffff0000, 0xffffffff00000000}
	table := map[uint32]uint64{0: 0}
	for k, x := range cut {
		table[x] = columns[k]
	}
	var value func(l lit) uint64
	value = func(l lit) uint64 {
		x := l.node()
		v, ok := table[x]
		if !ok {
			n := g.nodes[x]
			a, b := value(n.a), value(n.b)
			switch g.gates[x] {
			case gateAnd:
				v = a & b
			case gateXor:
				v = a ^ b
			case gateMux:
				v = a&b | ^a&value(n.c)
			case gateMaj:
				c := value(n.c)
				v = a&b | c&(a|b)
			}
			table[x] = v
		}
		return v ^ -uint64(l&1)
	}
	rows := make([]word, 1<<len(cut))
	for p := range rows {
		rows[p] = make(word, len(w))
	}
	for k, l := range w {
		v := value(l)
		for p := range rows {
			rows[p][k] = lit(v >> p & 1)
		}
	}
	return rows
}
