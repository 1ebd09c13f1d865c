package flow

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/clangir"
)

// Loop is a component of the weak topological order with more than a point.
type Loop struct {
	fn    *Function
	Head  int
	depth int
	Name  string // function#k
	// Body is the block whose entry starts a run of the body, -1 when that is the head.
	Body int
}

// weakTopologicalOrder is Bourdoncle's algorithm (Efficient Chaotic Iteration Strategies
// with Widenings, 1993): a linear order of the blocks with nested components such that
// every edge that goes back goes to the head of a component that holds its source. It
// needs no reducibility: a loop that is entered in the middle is a component too.
func (fn *Function) weakTopologicalOrder() {
	type element struct {
		block int
		inner []element // of a component, head excluded
		loop  bool
	}
	n := len(fn.Nodes)
	dfn := make([]int, n)
	const infinite = int(^uint(0) >> 1)
	num := 0
	var stack []int
	var visit func(v int, out *[]element) int
	component := func(v int) []element {
		var part []element
		for _, s := range fn.Nodes[v].Succs {
			if dfn[s] == 0 {
				visit(s, &part)
			}
		}
		return part
	}
	visit = func(v int, out *[]element) int {
		stack = append(stack, v)
		num++
		dfn[v] = num
		head, isLoop := num, false
		succs := fn.Nodes[v].Succs
		for _, s := range succs {
			low := dfn[s]
			if low == 0 {
				low = visit(s, out)
			}
			if low <= head {
				head, isLoop = low, true
			}
		}
		if head == dfn[v] {
			dfn[v] = infinite
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if isLoop {
				for top != v {
					dfn[top] = 0
					top = stack[len(stack)-1]
					stack = stack[:len(stack)-1]
				}
				*out = append(*out, element{v, component(v), true})
			} else {
				*out = append(*out, element{v, nil, false})
			}
		}
		return head
	}
	var order []element // reversed at every level
	visit(0, &order)
	next := 0
	var number func(es []element, around []*Loop)
	number = func(es []element, around []*Loop) {
		for i := len(es) - 1; i >= 0; i-- {
			e := es[i]
			in := around
			if e.loop {
				l := &Loop{fn: fn, Head: e.block, depth: len(around), Body: -1}
				fn.loops = append(fn.loops, l)
				in = append(append([]*Loop(nil), around...), l)
			}
			fn.Nodes[e.block].Order = next
			fn.Nodes[e.block].Loops = in
			next++
			number(e.inner, in)
		}
	}
	number(order, nil)
	fn.nameLoops()
}

// position is where a block begins in the source.
func (fn *Function) position(block int) (line, col int) {
	for _, in := range fn.Blocks[block].Instrs {
		if in.Loc != nil && in.Loc.Line > 0 {
			return in.Loc.Line, in.Loc.Col
		}
	}
	return 0, 0
}

// nameLoops numbers loops in source order and finds where their bodies begin.
// Loops of one place, out of a macro, are numbered as they are visited.
func (fn *Function) nameLoops() {
	slices.SortStableFunc(fn.loops, func(a, b *Loop) int {
		l, c := fn.position(a.Head)
		m, d := fn.position(b.Head)
		return cmp.Or(cmp.Compare(l, m), cmp.Compare(c, d))
	})
	for i, l := range fn.loops {
		l.Name = fn.SourceName + "#" + strconv.Itoa(i+1)
		head := fn.Blocks[l.Head]
		if !clangir.HasLoopBody(head) {
			continue
		}
		best := -1
		for b := range fn.Nodes {
			ls := fn.Nodes[b].Loops
			if len(ls) == l.depth+1 && ls[l.depth] == l && b != l.Head && clangir.IsLoopBody(head, fn.Blocks[b]) &&
				(best < 0 || fn.Nodes[b].Order < fn.Nodes[best].Order) {
				best = b
			}
			// The body may itself be the head of an inner loop.
			if len(ls) == l.depth+2 && ls[l.depth] == l && ls[l.depth+1].Head == b &&
				clangir.IsLoopBody(head, fn.Blocks[b]) && best < 0 {
				best = b
			}
		}
		// A loop without condition has no such block; then the name is that of something
		// inside, which not every run of the body enters.
		if best >= 0 && !fn.avoids(l, best) {
			l.Body = best
		}
	}
}

// avoids reports whether the loop can go round without entering block b.
func (fn *Function) avoids(l *Loop, b int) bool {
	seen := map[int]bool{b: true}
	todo := []int{l.Head}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range fn.Nodes[x].Succs {
			if s == l.Head {
				return true
			}
			if ls := fn.Nodes[s].Loops; !seen[s] && len(ls) > l.depth && ls[l.depth] == l {
				seen[s] = true
				todo = append(todo, s)
			}
		}
	}
	return false
}
