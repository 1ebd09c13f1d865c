package flow

// dominators computes immediate dominators (Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm, 2001), and
// Resume of failure blocks.
func (fn *Function) dominators() {
	order := fn.inOrder()
	preds := fn.preds()
	rank := make([]int, len(fn.Nodes))
	for i, b := range order {
		rank[b] = i
	}
	idom := solveDominators(order, rank, preds)
	for _, b := range order {
		if b != order[0] {
			fn.Nodes[b].Idom = idom[b]
		}
	}
	// Post-dominators of the graph without failure blocks. Node n is the virtual exit.
	n := len(fn.Nodes)
	back := make([][]int, n+1) // predecessors in the reversed graph = successors
	var sinks bool
	for _, b := range order {
		bi := &fn.Nodes[b]
		if bi.Failure && len(bi.Succs) == 0 {
			continue
		}
		any := false
		for _, s := range bi.Succs {
			if t := &fn.Nodes[s]; !(t.Failure && len(t.Succs) == 0) {
				back[b] = append(back[b], s)
				any = true
			}
		}
		if !any {
			back[b] = append(back[b], n)
			sinks = true
		}
	}
	if !sinks {
		return
	}
	rorder, rrank := reverseOrder(order, back, n)
	ipdom := solveDominators(rorder, rrank, back)
	for _, b := range order {
		bi := &fn.Nodes[b]
		if !bi.Failure || len(bi.Succs) > 0 || bi.Idom < 0 {
			continue
		}
		if d := bi.Idom; rrank[d] >= 0 && ipdom[d] != n {
			bi.Resume = ipdom[d]
		}
	}
}

// commonDominator returns the last block that dominates both; -1 if one of them is unreachable.
func (fn *Function) commonDominator(a, b int) int {
	over := map[int]bool{}
	for ; a >= 0; a = fn.Nodes[a].Idom {
		over[a] = true
	}
	for b >= 0 && !over[b] {
		b = fn.Nodes[b].Idom
	}
	return b
}

// reverseOrder returns a reverse post-order of the reversed graph from the virtual exit n.
func reverseOrder(order []int, back [][]int, n int) (out, rank []int) {
	forward := make([][]int, n+1)
	for _, b := range order {
		for _, s := range back[b] {
			forward[s] = append(forward[s], b)
		}
	}
	seen := make([]bool, n+1)
	var post []int
	var walk func(v int)
	walk = func(v int) {
		seen[v] = true
		for _, w := range forward[v] {
			if !seen[w] {
				walk(w)
			}
		}
		post = append(post, v)
	}
	walk(n)
	rank = make([]int, n+1)
	for i := range rank {
		rank[i] = -1
	}
	for i := len(post) - 1; i >= 0; i-- {
		rank[post[i]] = len(out)
		out = append(out, post[i])
	}
	return out, rank
}

func solveDominators(order, rank []int, preds [][]int) []int {
	idom := make([]int, len(preds))
	for i := range idom {
		idom[i] = -1
	}
	idom[order[0]] = order[0]
	for changed := true; changed; {
		changed = false
		for _, b := range order[1:] {
			d := -1
			for _, p := range preds[b] {
				if idom[p] < 0 {
					continue
				}
				if d < 0 {
					d = p
					continue
				}
				x, y := p, d
				for x != y {
					for rank[x] > rank[y] {
						x = idom[x]
					}
					for rank[y] > rank[x] {
						y = idom[y]
					}
				}
				d = x
			}
			if d >= 0 && idom[b] != d {
				idom[b], changed = d, true
			}
		}
	}
	return idom
}
