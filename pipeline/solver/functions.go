package solver

import "github.com/unitproof/unitproof/vcgen/smt"

// Uninterpreted functions by lemmas on demand. The result of an application is a fresh word. Functional consistency
// (equal arguments give equal results) is asserted only for pairs of applications that violate it in a model:
//
//	f(i) = 1, f(j) = 2, model i = j = 0    // tie: i = j implies f(i) = f(j)
//
// Sources: Brummayer and Biere, "Lemmas on Demand for the Extensional Theory of Arrays", 2009; de Moura and Rueß,
// "Lemmas on Demand for Satisfiability Solvers", 2002. Asserting it for all pairs, which is Ackermann's reduction,
// needs a quadratic number of comparisons, and few of them matter.

// applications has the applications of one function, in the order of their conversion.
type applications struct {
	args, results []word
	at            map[string]word // results by the literals of the argument
}

// eagerTies is the number of pairs that are tied at once: with only a handful of applications, this saves several
// rounds of the search.
const eagerTies = 2_000

// call is the i-th application of a function. Its result begins at a node of the graph; the nodes of its argument come
// before it.
type call struct {
	f    *applications
	i    int
	node uint32
}

// pair is two applications of a function whose results have to be tied.
type pair struct {
	f    *applications
	i, j int
}

// apply converts an application. If the argument depends on a few bits, it is a choice among the results at constants;
// otherwise it has its own result.
func (b *blaster) apply(t, arg smt.Term) {
	f := b.c.FuncOf(t)
	as := b.funcs[f]
	if as == nil {
		as = &applications{at: map[string]word{}}
		b.funcs[f] = as
		b.order = append(b.order, f)
	}
	x := append(word(nil), b.word(arg)...)
	key := literals(x)
	r, known := as.at[key]
	if !known {
		if cut, ok := b.g.cut(x); ok {
			r = b.choice(as, x, cut, b.c.Width(t))
		} else {
			r = b.result(as, x, b.c.Width(t))
		}
		as.at[key] = r
	}
	b.put(t, r)
}

// result creates a word for the application to x.
func (b *blaster) result(as *applications, x word, width int) word {
	i := len(as.args)
	b.calls = append(b.calls, call{as, i, uint32(b.g.size())})
	r := append(word(nil), b.g.fresh(width)...)
	as.args = append(as.args, x)
	as.results = append(as.results, r)
	for j := 0; j < i && b.ties < b.eager; j++ {
		if b.tie(pair{as, j, i}) {
			b.ties++
		}
	}
	return r
}

// choice returns a tree of muxes over the nodes of a cut. Its leaves are the results at the constants that the argument
// has there.
func (b *blaster) choice(as *applications, x word, cut []uint32, width int) word {
	leaves := make([]word, 1<<len(cut))
	for p, v := range b.g.tabulate(x, cut) {
		key := literals(v)
		r, known := as.at[key]
		if !known {
			r = b.result(as, v, width)
			as.at[key] = r
		}
		leaves[p] = r
	}
	for k := len(cut) - 1; k >= 0; k-- {
		c := lit(cut[k] << 1)
		half := len(leaves) / 2
		for p := range half {
			leaves[p] = append(word(nil), b.g.muxWord(c, leaves[half+p], leaves[p])...)
		}
		leaves = leaves[:half]
	}
	return leaves[0]
}

func literals(w word) string {
	key := make([]byte, 0, 4*len(w))
	for _, l := range w {
		key = append(key, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return string(key)
}

// tie asserts that equal arguments of two applications give equal results. It reports whether the arguments can be
// equal.
func (b *blaster) tie(p pair) bool {
	same := b.g.eqWord(p.f.args[p.i], p.f.args[p.j])
	if same == litFalse {
		return false
	}
	r := p.f.results[p.j]
	for k, l := range p.f.results[p.i] {
		b.side(same^1, r[k]^1, l)
		b.side(same^1, r[k], l^1)
	}
	return true
}

// passes bounds how often the free bits are chosen again.
const passes = 3

// point is an argument of a function, with the bits of the result there.
type point struct {
	val  []uint8
	live []int32 // per bit: the application that determines it; -1: none
	free []int32 // per bit: the first application whose own bit is free; -1: none
}

// functional extends the values of the graph's inputs to all nodes that arguments depend on. It returns pairs of
// applications with equal arguments and different results.
//
// live reports whether an input has a value. The other bits of results are free, and take the value of an application
// with the same argument.
func (b *blaster) functional(val []uint64, live func(x uint32) bool) []pair {
	var before map[*applications]map[string]*point
	for pass := 1; ; pass++ {
		points := map[*applications]map[string]*point{}
		var wrong, late []pair
		from := 0
		for _, c := range b.calls {
			b.g.simulate(val[:c.node], from)
			from = int(c.node)
			arg, res := c.f.args[c.i], c.f.results[c.i]
			key := make([]byte, len(arg))
			for k, l := range arg {
				key[k] = byte(val[l.node()]&1) ^ byte(l&1)
			}
			if points[c.f] == nil {
				points[c.f] = map[string]*point{}
			}
			p := points[c.f][string(key)]
			if p == nil {
				p = &point{make([]uint8, len(res)), unset(len(res)), unset(len(res))}
				if o := before[c.f][string(key)]; o != nil {
					copy(p.val, o.val) // for bits that are free now and get a value later
				}
				points[c.f][string(key)] = p
			}
			for k, l := range res {
				x := l.node()
				if !live(x) {
					val[x] = uint64(p.val[k])
					if p.live[k] < 0 && p.free[k] < 0 {
						p.free[k] = int32(c.i)
					}
					continue
				}
				v := uint8(val[x] & 1)
				switch {
				case p.live[k] >= 0:
					if p.val[k] != v {
						wrong = add(wrong, pair{c.f, int(p.live[k]), c.i})
					}
					continue
				case p.free[k] >= 0 && p.val[k] != v:
					late = add(late, pair{c.f, int(p.free[k]), c.i})
				}
				p.live[k], p.val[k] = int32(c.i), v
			}
		}
		switch {
		case len(wrong) > 0:
			return wrong
		case len(late) == 0 || pass == passes:
			return late
		}
		before = points
	}
}

func unset(n int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// add appends a pair unless it is the last one.
func add(ps []pair, p pair) []pair {
	if len(ps) > 0 && ps[len(ps)-1] == p {
		return ps
	}
	return append(ps, p)
}
