package unfold

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// function is what the unfolder knows of a function before it runs it: computed once,
// used by every call.
type function struct {
	*llvmir.Func
	blocks []blockInfo
	// promoted tells for a register whether it is an alloca that lives in a register: a
	// scalar whose address is used by loads and stores of the whole only.
	promoted []bool
	// alloca maps the register of an alloca to its instruction.
	alloca map[int]*llvmir.Instr
	// origin maps registers that are bitcasts of an alloca to the alloca's register.
	origin map[int]int
	// startsLifetime: allocas (by register) that have lifetime markers.
	startsLifetime map[int]bool
	loops          []*loop // in source order
	// retval is the register of clang's slot for the result, -1 when there is none.
	retval int
	used   []bool // registers that an instruction uses
	casts  map[int]bool
	// cursors keep states apart (cursor.go); walks are the loops that move one.
	cursors []*cursor
	walks   map[*loop]bool
	// recursesOnly: no execution leaves the function other than by calling it again.
	recursesOnly bool
}

type blockInfo struct {
	order int     // position in the weak topological order
	loops []*loop // loops around the block, outermost first
	succs []int   // successors in order, without those behind a call that never returns
	// stop is the index of the first call that never returns, or the last instruction.
	stop    int
	ends    bool // stop is such a call
	idom    int  // immediate dominator, -1 for the entry and unreachable blocks
	live    []int
	failure bool // ends in a failure call
	// resume is where the guard of a failure block flows: the place that all executions
	// get to that do not fail; -1 when there is none.
	resume int
	// decides lists the blocks with failure calls of assertions whose conditions begin to be evaluated here, where
	// that is not the block before the call: the operands of || and && are blocks of their own.
	decides []int
	cursors []at // those that keep states apart at the entry of the block
}

// loop is a component of the weak topological order with more than a point.
type loop struct {
	fn    *function
	head  int
	depth int
	name  string // function#k
	line  int
	// body is the block whose entry starts a run of the body, -1 when that is the head.
	body int
}

// isFailure reports whether an instruction calls what reports the failure of an assertion or of a sanitizer's check.
func isFailure(in *llvmir.Instr) bool {
	f := in.External()
	if f == nil {
		return false
	}
	role := language.Function(f.Name, len(f.Params)).Role
	return role == language.AssertFailure || role == language.Error || f.SanitizerCheck() != ""
}

// isAssertFailure reports whether an instruction calls what assert() of <assert.h> calls where its condition is false.
func isAssertFailure(in *llvmir.Instr) bool {
	f := in.External()
	return f != nil && language.Lookup(f.Name).Role == language.AssertFailure
}

func analyse(f *llvmir.Func) *function {
	fn := &function{Func: f, blocks: make([]blockInfo, len(f.Blocks))}
	for i, b := range f.Blocks {
		bi := &fn.blocks[i]
		bi.stop = len(b.Instrs) - 1
		bi.idom, bi.resume, bi.order = -1, -1, -1
		bi.succs = b.Succs
		for k, in := range b.Instrs {
			if in.Op != llvmir.OpCall {
				continue
			}
			if in.External() == nil {
				continue // a body tells itself whether it returns
			}
			if isFailure(in) {
				bi.failure = true
			}
			if f.NeverReturns(b, k) {
				bi.stop, bi.succs, bi.ends = k, nil, true
				break
			}
		}
	}
	fn.recursesOnly = fn.findRecursion()
	fn.findAllocas()
	fn.findUses()
	fn.weakTopologicalOrder()
	fn.dominators()
	fn.findConditions()
	fn.placeFailures()
	fn.liveness()
	fn.findCursors()
	return fn
}

// findRecursion reports whether every way through the function leads to a call of itself or to a failure. Any other call
// may end the execution, so with one the answer is no.
func (fn *function) findRecursion() bool {
	found := false
	seen := make([]bool, len(fn.blocks))
	var leaves func(b int) bool
	leaves = func(b int) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		for k, in := range fn.Blocks[b].Instrs {
			switch {
			case in.Op == llvmir.OpRet || in.Op == llvmir.OpInlineAsm || in.Op == llvmir.OpUnsupported:
				return true
			case in.Op != llvmir.OpCall || in.Intrinsic != "" && k < fn.blocks[b].stop:
			case in.Function() == fn.Func:
				found = true
				return false
			case !isFailure(in):
				return true
			}
			if k == fn.blocks[b].stop {
				break
			}
		}
		return slices.ContainsFunc(fn.blocks[b].succs, leaves)
	}
	return len(fn.blocks) > 0 && !leaves(0) && found
}

// weakTopologicalOrder is Bourdoncle's algorithm (Efficient Chaotic Iteration Strategies
// with Widenings, 1993): a linear order of the blocks with nested components such that
// every edge that goes back goes to the head of a component that holds its source. It
// needs no reducibility: a loop that is entered in the middle is a component too.
func (fn *function) weakTopologicalOrder() {
	type element struct {
		block int
		inner []element // of a component, head excluded
		loop  bool
	}
	n := len(fn.blocks)
	dfn := make([]int, n)
	const infinite = int(^uint(0) >> 1)
	num := 0
	var stack []int
	var visit func(v int, out *[]element) int
	component := func(v int) []element {
		var part []element
		for _, s := range fn.blocks[v].succs {
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
		succs := fn.blocks[v].succs
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
	var number func(es []element, around []*loop)
	number = func(es []element, around []*loop) {
		for i := len(es) - 1; i >= 0; i-- {
			e := es[i]
			in := around
			if e.loop {
				l := &loop{fn: fn, head: e.block, depth: len(around), body: -1, line: blockLine(fn.Blocks[e.block])}
				fn.loops = append(fn.loops, l)
				in = append(append([]*loop(nil), around...), l)
			}
			fn.blocks[e.block].order = next
			fn.blocks[e.block].loops = in
			next++
			number(e.inner, in)
		}
	}
	number(order, nil)
	fn.nameLoops()
}

func blockLine(b *llvmir.Block) int {
	for _, in := range b.Instrs {
		if in.Loc != nil && in.Loc.Line > 0 {
			return in.Loc.Line
		}
	}
	return 0
}

// nameLoops numbers loops in source order and finds where their bodies begin: clang calls
// the blocks of a condition for.cond or while.cond and those of a body for.body or while.body.
func (fn *function) nameLoops() {
	byLine := append([]*loop(nil), fn.loops...)
	for i := 1; i < len(byLine); i++ {
		for j := i; j > 0 && byLine[j].line < byLine[j-1].line; j-- {
			byLine[j], byLine[j-1] = byLine[j-1], byLine[j]
		}
	}
	for i, l := range byLine {
		l.name = fn.SourceName + "#" + itoa(i+1)
		head := fn.Blocks[l.head].Name
		stem := ""
		for _, s := range []string{"for", "while"} {
			if strings.HasPrefix(head, s+".cond") {
				stem = s + ".body"
			}
		}
		if stem == "" {
			continue
		}
		best := -1
		for b := range fn.blocks {
			ls := fn.blocks[b].loops
			if len(ls) == l.depth+1 && ls[l.depth] == l && b != l.head && strings.HasPrefix(fn.Blocks[b].Name, stem) &&
				(best < 0 || fn.blocks[b].order < fn.blocks[best].order) {
				best = b
			}
			// The body may itself be the head of an inner loop.
			if len(ls) == l.depth+2 && ls[l.depth] == l && ls[l.depth+1].head == b && strings.HasPrefix(fn.Blocks[b].Name, stem) && best < 0 {
				best = b
			}
		}
		// A loop without condition has no such block; then the name is that of something
		// inside, which not every run of the body enters.
		if best >= 0 && !fn.avoids(l, best) {
			l.body = best
		}
	}
	fn.loops = byLine
}

// avoids reports whether the loop can go round without entering block b.
func (fn *function) avoids(l *loop, b int) bool {
	seen := map[int]bool{b: true}
	todo := []int{l.head}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, s := range fn.blocks[x].succs {
			if s == l.head {
				return true
			}
			if ls := fn.blocks[s].loops; !seen[s] && len(ls) > l.depth && ls[l.depth] == l {
				seen[s] = true
				todo = append(todo, s)
			}
		}
	}
	return false
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + string(rune('0'+i%10))
}

// inOrder lists the reachable blocks by their weak topological order.
func (fn *function) inOrder() []int {
	out := make([]int, 0, len(fn.blocks))
	pos := make(map[int]int)
	for b := range fn.blocks {
		if o := fn.blocks[b].order; o >= 0 {
			pos[o] = b
		}
	}
	for i := 0; len(out) < len(pos); i++ {
		if b, ok := pos[i]; ok {
			out = append(out, b)
		}
	}
	return out
}

func (fn *function) preds() [][]int {
	p := make([][]int, len(fn.blocks))
	for b := range fn.blocks {
		if fn.blocks[b].order < 0 {
			continue
		}
		for _, s := range fn.blocks[b].succs {
			p[s] = append(p[s], b)
		}
	}
	return p
}

// dominators computes immediate dominators (Cooper, Harvey and Kennedy, A Simple, Fast
// Dominance Algorithm, 2001) and, for failure blocks, where executions that do not fail go.
func (fn *function) dominators() {
	order := fn.inOrder()
	preds := fn.preds()
	rank := make([]int, len(fn.blocks))
	for i, b := range order {
		rank[b] = i
	}
	idom := solveDominators(order, rank, preds)
	for _, b := range order {
		if b != order[0] {
			fn.blocks[b].idom = idom[b]
		}
	}
	// Post-dominators of the graph without failure blocks: node n is the virtual exit.
	n := len(fn.blocks)
	back := make([][]int, n+1) // predecessors in the reversed graph = successors
	var sinks bool
	for _, b := range order {
		bi := &fn.blocks[b]
		if bi.failure && len(bi.succs) == 0 {
			continue
		}
		any := false
		for _, s := range bi.succs {
			if t := &fn.blocks[s]; !(t.failure && len(t.succs) == 0) {
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
		bi := &fn.blocks[b]
		if !bi.failure || len(bi.succs) > 0 || bi.idom < 0 {
			continue
		}
		if d := bi.idom; rrank[d] >= 0 && ipdom[d] != n {
			bi.resume = ipdom[d]
		}
	}
}

// findConditions finds where the conditions of assertions begin. Of assert(a || b), the failure call is behind b, which
// is not looked at where a holds; the assertion has been reached all the same. The block begins that both the
// failure and what the condition goes on to otherwise cannot be reached without.
func (fn *function) findConditions() {
	preds := fn.preds()
	for f := range fn.blocks {
		bi := &fn.blocks[f]
		if !bi.failure || bi.idom < 0 || len(bi.succs) > 0 || !isAssertFailure(fn.Blocks[f].Instrs[bi.stop]) {
			continue
		}
		start := bi.idom
		for _, p := range preds[f] {
			for _, s := range fn.blocks[p].succs {
				if s != f {
					start = fn.commonDominator(start, fn.blocks[s].idom)
				}
			}
		}
		if start >= 0 && start != bi.idom {
			fn.blocks[start].decides = append(fn.blocks[start].decides, f)
		}
	}
}

// commonDominator is the last block that dominates both, -1 when one of them is unreachable.
func (fn *function) commonDominator(a, b int) int {
	over := map[int]bool{}
	for ; a >= 0; a = fn.blocks[a].idom {
		over[a] = true
	}
	for b >= 0 && !over[b] {
		b = fn.blocks[b].idom
	}
	return b
}

// reverseOrder is a reverse post-order of the reversed graph from the virtual exit n.
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

// placeFailures moves blocks that end in a failure call right behind their last
// predecessor, into the loops that all predecessors share: their obligation belongs there
// in the order of events, though in the graph they lie outside of every loop.
func (fn *function) placeFailures() {
	preds := fn.preds()
	scaled := false
	taken := make(map[int]int, len(fn.blocks)) // how many blocks are at a position
	for b := range fn.blocks {
		bi := &fn.blocks[b]
		if !bi.failure || len(bi.succs) > 0 || bi.order < 0 || len(preds[b]) == 0 {
			continue
		}
		if !scaled { // make room between the positions
			for i := range fn.blocks {
				if fn.blocks[i].order >= 0 {
					fn.blocks[i].order *= len(fn.blocks) + 1
				}
				taken[fn.blocks[i].order]++
			}
			scaled = true
		}
		last := preds[b][0]
		around := fn.blocks[last].loops
		for _, p := range preds[b][1:] {
			if fn.blocks[p].order > fn.blocks[last].order {
				last = p
			}
			k := 0
			for k < len(around) && k < len(fn.blocks[p].loops) && around[k] == fn.blocks[p].loops[k] {
				k++
			}
			around = around[:k]
		}
		bi.loops = around
		taken[bi.order]--
		pos := fn.blocks[last].order + 1
		for taken[pos] > 0 {
			pos++
		}
		bi.order = pos
		taken[pos]++
	}
	for b := range fn.blocks {
		if r := fn.blocks[b].resume; r >= 0 && fn.blocks[r].order <= fn.blocks[b].order {
			fn.blocks[b].resume = -1
		}
	}
}

// findAllocas decides which allocas live in registers.
func (fn *function) findAllocas() {
	fn.promoted = make([]bool, fn.NumRegs)
	fn.alloca = map[int]*llvmir.Instr{}
	fn.origin = map[int]int{}
	fn.startsLifetime = map[int]bool{}
	escaped := map[int]bool{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpAlloca {
				fn.alloca[in.Dst] = in
				if b.Index != 0 || !in.ElemType.IsFirstClassScalar() || !isOne(in.Args) {
					escaped[in.Dst] = true
				}
			}
		}
	}
	cast := map[int]int{} // bitcast register -> alloca
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg {
				if _, ok := fn.alloca[in.Args[0].Reg]; ok {
					cast[in.Dst] = in.Args[0].Reg
				}
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if a.Kind != llvmir.OperandReg {
					continue
				}
				src, isCast := cast[a.Reg]
				marker := in.Op == llvmir.OpCall && (in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end")
				if isCast {
					if !marker {
						escaped[src] = true
					} else {
						fn.origin[a.Reg] = src
						fn.startsLifetime[src] = true
					}
					continue
				}
				al, ok := fn.alloca[a.Reg]
				if !ok {
					continue
				}
				switch {
				case in.Op == llvmir.OpLoad && in.Type == al.ElemType:
				case in.Op == llvmir.OpStore && i == 1 && in.Args[0].Type == al.ElemType:
				case in.Op == llvmir.OpDbgDeclare, in.Op == llvmir.OpBitCast:
				case marker:
					fn.origin[a.Reg] = a.Reg
					fn.startsLifetime[a.Reg] = true
				default:
					escaped[a.Reg] = true
				}
			}
		}
	}
	for r := range fn.alloca {
		fn.promoted[r] = !escaped[r]
	}
}

// findUses finds which registers are used, which are bitcasts, and the slot of the result.
func (fn *function) findUses() {
	fn.used = make([]bool, fn.NumRegs)
	fn.casts = map[int]bool{}
	fn.retval = -1
	variable := map[int]bool{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in.Op {
			case llvmir.OpDbgDeclare, llvmir.OpDbgValue:
				if in.Args[0].Kind == llvmir.OperandReg {
					variable[in.Args[0].Reg] = true
				}
				continue
			case llvmir.OpBitCast:
				fn.casts[in.Dst] = true
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg {
					fn.used[a.Reg] = true
				}
			}
			if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
				fn.used[in.Callee.Reg] = true
			}
		}
	}
	for r := range fn.alloca {
		if fn.RegName(r) == "retval" && !variable[r] {
			fn.retval = r
		}
	}
}

func isOne(args []llvmir.Operand) bool {
	return len(args) == 0 || args[0].Kind == llvmir.OperandConst && args[0].Const.Int != nil && args[0].Const.Int.IsUint64() && args[0].Const.Int.Uint64() == 1
}

// effects returns the registers that an instruction uses and defines, taking an alloca's
// register for the variable itself: a load uses it, a store to a promoted one and the
// start of a lifetime define it.
func (fn *function) effects(in *llvmir.Instr, use func(int), def func(int)) {
	switch {
	case in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue:
		return
	case in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fn.isPromoted(in.Args[1].Reg):
		if in.Args[0].Kind == llvmir.OperandReg {
			use(in.Args[0].Reg)
		}
		def(in.Args[1].Reg)
		return
	case in.Op == llvmir.OpCall && (in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end"):
		if src, ok := fn.origin[in.Args[1].Reg]; ok && in.Args[1].Kind == llvmir.OperandReg {
			if !fn.promoted[src] {
				use(src)
			}
			def(src)
			return
		}
	case in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg && fn.isPromoted(in.Args[0].Reg):
		return // serves lifetime markers only
	case in.Op == llvmir.OpPhi:
		def(in.Dst)
		return // its operands are used on the edges
	}
	for _, a := range in.Args {
		if a.Kind == llvmir.OperandReg {
			use(a.Reg)
		}
	}
	if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
		use(in.Callee.Reg)
	}
	if in.Dst >= 0 {
		def(in.Dst)
	}
}

func (fn *function) isPromoted(r int) bool { return fn.promoted[r] }

// liveness computes the registers that are live at the entry of each block.
func (fn *function) liveness() {
	n := len(fn.blocks)
	words := (fn.NumRegs + 63) / 64
	type set = []uint64
	gen, kill, live := make([]set, n), make([]set, n), make([]set, n)
	for b := range fn.blocks {
		gen[b], kill[b], live[b] = make(set, words), make(set, words), make(set, words)
		for k, in := range fn.Blocks[b].Instrs {
			if k > fn.blocks[b].stop {
				break
			}
			fn.effects(in, func(r int) {
				if kill[b][r/64]>>(r%64)&1 == 0 {
					gen[b][r/64] |= 1 << (r % 64)
				}
			}, func(r int) { kill[b][r/64] |= 1 << (r % 64) })
		}
	}
	phiUses := func(from, to int, f func(int)) {
		for _, in := range fn.Blocks[to].Instrs {
			if in.Op != llvmir.OpPhi {
				break
			}
			for i, p := range in.In {
				if p == from && in.Args[i].Kind == llvmir.OperandReg {
					f(in.Args[i].Reg)
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for b := n - 1; b >= 0; b-- {
			out := make(set, words)
			for _, s := range fn.blocks[b].succs {
				for w := range out {
					out[w] |= live[s][w]
				}
				phiUses(b, s, func(r int) { out[r/64] |= 1 << (r % 64) })
			}
			for w := range out {
				in := gen[b][w] | out[w]&^kill[b][w]
				if in != live[b][w] {
					live[b][w], changed = in, true
				}
			}
		}
	}
	for b := range fn.blocks {
		for r := range fn.NumRegs {
			if live[b][r/64]>>(r%64)&1 == 1 {
				fn.blocks[b].live = append(fn.blocks[b].live, r)
			}
		}
	}
}
