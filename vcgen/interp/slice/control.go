package slice

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// control has the control dependences of a function: the branches that decide whether a block is executed.
//
// They are computed from post-dominators, as in Ferrante, Ottenstein, Warren, The Program Dependence Graph (TOPLAS
// 1987).
//
// If the function can return from only one successor of a branch, the blocks on that side do not depend on the
// branch: no execution that continued took the other side. Such a branch is like an assumption (a sanitizer's check,
// an assertion, if (!p) abort()). Only the blocks on its doomed side depend on it. guards marks these branches.
type control struct {
	deps   [][]int // by block: the blocks with a branch on which it depends
	guards []bool  // by block: it ends in a branch with a doomed side
}

func controlOf(f *llvmir.Func) *control {
	n := len(f.Blocks)
	c := &control{deps: make([][]int, n), guards: make([]bool, n)}
	// Blocks that can reach a return.
	returns := make([]bool, n)
	var todo []int
	for i, b := range f.Blocks {
		if b.Term().Op == llvmir.OpRet {
			returns[i] = true
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		b := f.Blocks[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		for _, p := range b.Preds {
			if !returns[p] {
				returns[p] = true
				todo = append(todo, p)
			}
		}
	}
	for i, b := range f.Blocks {
		open := 0
		for _, s := range b.Succs {
			if returns[s] {
				open++
			}
		}
		c.guards[i] = returns[i] && len(b.Succs) > 1 && open < len(b.Succs)
	}
	// Post-dominators as bit sets over the relevant edges; the exit is n. If no block returns, all edges are
	// relevant.
	succs := func(i int) []int {
		b := f.Blocks[i]
		var out []int
		for _, s := range b.Succs {
			if !returns[i] || returns[s] {
				out = append(out, s)
			}
		}
		if len(out) == 0 {
			out = append(out, n)
		}
		return out
	}
	words := n/64 + 1
	full := make([]uint64, words)
	for i := range full {
		full[i] = ^uint64(0)
	}
	post := make([][]uint64, n+1)
	for i := range n {
		post[i] = append([]uint64(nil), full...)
	}
	post[n] = make([]uint64, words)
	post[n][n/64] |= 1 << (n % 64)
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			meet := append([]uint64(nil), full...)
			for _, s := range succs(i) {
				for w := range meet {
					meet[w] &= post[s][w]
				}
			}
			meet[i/64] |= 1 << (i % 64)
			for w := range meet {
				if meet[w] != post[i][w] {
					post[i], changed = meet, true
					break
				}
			}
		}
	}
	// b depends on a if b post-dominates a successor of a, and does not post-dominate a (or is a).
	in := func(set []uint64, b int) bool { return set[b/64]>>(b%64)&1 == 1 }
	for a := range n {
		next := succs(a)
		if len(next) > 1 {
			for b := range n {
				if in(post[a], b) && a != b {
					continue
				}
				for _, s := range next {
					if in(post[s], b) {
						c.deps[b] = append(c.deps[b], a)
						break
					}
				}
			}
		}
		if c.guards[a] {
			// The doomed side depends on the branch.
			for _, s := range f.Blocks[a].Succs {
				if returns[s] {
					continue
				}
				for b := range n {
					if in(post[s], b) && !returns[b] {
						c.deps[b] = append(c.deps[b], a)
					}
				}
			}
		}
	}
	return c
}
