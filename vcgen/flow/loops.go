package flow

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Loop is a component of the weak topological order, other than a single block without a cycle.
type Loop struct {
	fn    *Function
	Head  int
	depth int
	Name  string // function#k
	// Body is the block whose entry begins an execution of the body, -1 if that is the head.
	Body int
	// At is the first instruction of the head with a position in the source, nil if there is none.
	At *llvmir.Instr
	// Pos is the position of the loop's first word, or of At if the program does not say it (goto, other compilers).
	Pos llvmir.Loc
}

// weakTopologicalOrder computes the order of Bourdoncle (Efficient Chaotic Iteration Strategies with Widenings, 1993):
// a linear order of the blocks with nested components. Every edge that leads back leads to the head of a component
// that contains its source. The graph need not be reducible: a loop that is entered in the middle is a component, too.
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

// findPlace sets the position of a loop in the source, and the first instruction of its head that has one. A contract
// inserts our code there, which belongs to another file than the function; the clauses and the condition follow it.
// order is the weak topological order of the blocks, in which a loop is a contiguous range that begins with its head.
//
// The file of the loop's first word is not taken from its location: clang gives that the scope of what it wrote last,
// which may be in another file.
func (l *Loop) findPlace(order []int) {
	blocks := order[l.fn.Nodes[l.Head].Order:]
	for n, b := range blocks {
		if !l.fn.inside(b, l) {
			blocks = blocks[:n]
			break
		}
	}
	if l.At = l.firstPlace(blocks); l.At == nil {
		return
	}
	l.Pos = *l.At.Loc
	for _, b := range blocks {
		if block := l.fn.Blocks[b]; block.Loop != nil && slices.Contains(block.Succs, l.Head) {
			l.Pos.Line, l.Pos.Col = block.Loop.Line, block.Loop.Col
			return
		}
	}
}

// firstPlace returns the first instruction with a position, preferably in the file of the function; nil if there is
// none.
func (l *Loop) firstPlace(blocks []int) (first *llvmir.Instr) {
	for _, b := range blocks {
		for _, in := range l.fn.Blocks[b].Instrs {
			switch at := in.Loc; {
			case at == nil || at.Line <= 0:
			case l.fn.Loc == nil || at.File == l.fn.Loc.File:
				return in
			case first == nil:
				first = in
			}
		}
	}
	return first
}

// nameLoops numbers loops in source order, and finds the beginnings of their bodies. Loops at the same position, from
// a macro, are numbered in weak topological order.
func (fn *Function) nameLoops() {
	order := fn.inOrder()
	for _, l := range fn.loops {
		l.findPlace(order)
	}
	slices.SortStableFunc(fn.loops, func(a, b *Loop) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
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
		// A loop without condition has no such block; the name may then belong to an inner block that not every
		// execution of the body enters.
		if best >= 0 && !fn.avoids(l, best) {
			l.Body = best
		}
	}
}

// inside reports whether a block belongs to a loop.
func (fn *Function) inside(b int, l *Loop) bool { return slices.Contains(fn.Nodes[b].Loops, l) }

// leaves reports whether a block of a loop decides whether the loop is left, other than by a failure.
func (fn *Function) leaves(b int, l *Loop) bool {
	bi, op := &fn.Nodes[b], fn.Blocks[b].Term().Op
	return bi.Order >= 0 && !bi.Ends && (op == llvmir.OpCondBr || op == llvmir.OpSwitch) && fn.inside(b, l) &&
		slices.ContainsFunc(bi.Succs, func(s int) bool { return !fn.inside(s, l) && !fn.Nodes[s].Failure })
}

// Endless reports whether no block of a loop decides whether it is left, other than by a failure: for (;;) { ... }.
func (fn *Function) Endless(l *Loop) bool {
	for b := range fn.Nodes {
		if fn.leaves(b, l) || fn.inside(b, l) && fn.Blocks[b].Term().Op == llvmir.OpRet {
			return false
		}
	}
	return true
}

// EndsAlone reports whether the function may return without calling itself.
func (fn *Function) EndsAlone() bool {
	seen := make([]bool, len(fn.Nodes))
	for todo := []int{0}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] || slices.ContainsFunc(fn.Blocks[b].Instrs, func(in *llvmir.Instr) bool {
			return in.Op == llvmir.OpCall && in.Function() == fn.Func
		}) {
			continue
		}
		if fn.Blocks[b].Term().Op == llvmir.OpRet {
			return true
		}
		seen[b], todo = true, append(todo, fn.Nodes[b].Succs...)
	}
	return false
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

// EntersAtHead reports whether a loop can be entered only through its head.
func (fn *Function) EntersAtHead(l *Loop) bool {
	for b := range fn.Nodes {
		if !slices.Contains(fn.Nodes[b].Loops, l) {
			continue
		}
		at := b
		for at >= 0 && at != l.Head {
			at = fn.Nodes[at].Idom
		}
		if at < 0 {
			return false
		}
	}
	return true
}
