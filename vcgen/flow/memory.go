package flow

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Program knows the functions of a module, and which cursors lie in memory that they share: the position of a lexer
// that is a member of a struct, of which each function has a pointer. A function moves it in a loop, and its callers
// call such functions one after the other or in loops of their own.
type Program struct {
	m     *clangir.Module
	parts map[*llvmir.Func]*part
}

// part is what a function does by itself to memory that it shares.
type part struct {
	fn *Function
	d  *dataflow
	// cursors are moved in memory. walked are those of a loop that is left depending on what is read where they point.
	cursors []*Cursor
	walked  map[variable]bool
	passes  []pass
	walks   []Walk
	done    bool // walks is complete
	linked  bool // fn knows its cursors in memory
	// scatters are the blocks that write to places which depend on something else, or may, and calls what each block
	// calls.
	scatters []bool
	calls    [][]*llvmir.Func
}

// pass is a call that is given a pointer to memory.
type pass struct {
	place
	callee *llvmir.Func
	param  int // of the callee
	reg    int // where it points, as a variable has it
	off    int64
}

// Walk is memory that a function walks over data with: it, or a function that it calls, moves it by constant steps in a
// loop that is left depending on what is read where it points.
type Walk struct {
	param int   // points there,
	off   int64 // so many bytes before
	t     *llvmir.Type
	down  bool
}

// maxWalks bounds how many of them are known of a function: a recursion might have one for each depth.
const maxWalks = 16

// NewProgram knows nothing yet.
func NewProgram(m *clangir.Module) *Program { return &Program{m: m, parts: map[*llvmir.Func]*part{}} }

// Function is what is known of a function with a body.
func (p *Program) Function(f *llvmir.Func) *Function {
	x := p.part(f)
	if !x.linked {
		x.linked = true
		p.link(x)
	}
	return x.fn
}

// Walks lists the memory that a function walks over data with.
func (p *Program) Walks(f *llvmir.Func) []Walk {
	if len(f.Blocks) == 0 {
		return nil
	}
	x := p.part(f)
	if !x.done {
		p.complete(x)
	}
	return x.walks
}

// part looks at one function.
func (p *Program) part(f *llvmir.Func) *part {
	if x := p.parts[f]; x != nil {
		return x
	}
	fn := Analyse(p.m, f)
	x := &part{fn: fn, d: newDataflow(fn), walked: map[variable]bool{}}
	p.parts[f] = x
	for v := range x.d.stores {
		if v.mem == nil || !isIndex(v.mem) {
			continue
		}
		k := fn.movedBySteps(x.d, v, func(*Loop) bool { return true })
		if len(k.moves) == 0 {
			continue
		}
		x.cursors = append(x.cursors, k)
		x.walked[v] = len(k.loops) > 0 && x.d.guides(k)
	}
	slices.SortFunc(x.cursors, func(a, b *Cursor) int { return a.variable.compare(b.variable) })
	x.scatters, x.calls = make([]bool, len(fn.Blocks)), make([][]*llvmir.Func, len(fn.Blocks))
	for b, blk := range fn.Blocks {
		for i, in := range blk.Instrs {
			if fn.Nodes[b].Order < 0 || i > fn.Nodes[b].Stop {
				break
			}
			x.scatters[b] = x.scatters[b] || x.scattered(in)
			callee := in.Function()
			if in.Op != llvmir.OpCall || callee == nil || len(callee.Blocks) == 0 {
				continue
			}
			x.calls[b] = append(x.calls[b], callee)
			for a, o := range in.Args {
				if reg, off, ok := x.d.pointsTo(o, maxSteps); ok && o.Type.Kind == llvmir.PointerType && a < len(callee.Params) &&
					callee.Params[a].ByVal == nil {
					x.passes = append(x.passes, pass{place{b, in}, callee, a, reg, off})
				}
			}
		}
	}
	return x
}

// scattered tells whether an instruction writes to a place that depends on something else, or may.
func (x *part) scattered(in *llvmir.Instr) bool {
	known := func(o llvmir.Operand) bool {
		_, _, ok := x.d.pointsTo(o, maxSteps)
		return ok || o.Kind == llvmir.OperandConst || o.Kind == llvmir.OperandReg && x.fn.Promoted[o.Reg]
	}
	switch in.Op {
	case llvmir.OpStore:
		return !known(in.Args[1])
	case llvmir.OpAtomicRMW, llvmir.OpCmpXchg, llvmir.OpInlineAsm:
		return true
	case llvmir.OpCall:
		switch f := in.Function(); {
		case strings.HasPrefix(in.Intrinsic, "mem"):
			return !known(in.Args[0])
		case in.Intrinsic != "":
			return false
		case f == nil:
			return true
		case len(f.Blocks) > 0 || IsFailure(in):
			return false // it is looked at itself
		default:
			return slices.ContainsFunc(in.Args, func(o llvmir.Operand) bool {
				return o.Type != nil && o.Type.Kind == llvmir.PointerType && !known(o)
			})
		}
	}
	return false
}

// scattersIn tells whether some blocks of a function, or what they call, write to places that depend on something else.
func (p *Program) scattersIn(x *part, in func(block int) bool, seen map[*part]bool) bool {
	for b := range x.scatters {
		if !in(b) {
			continue
		}
		if x.scatters[b] {
			return true
		}
		for _, f := range x.calls[b] {
			if y := p.part(f); !seen[y] {
				seen[y] = true
				if p.scattersIn(y, func(int) bool { return true }, seen) {
					return true
				}
			}
		}
	}
	return false
}

// complete finds out what a function walks with, and those that it calls: the least of what each of them does by itself
// and passes on.
func (p *Program) complete(x *part) {
	list := []*part{x}
	known := map[*part]bool{x: true}
	for i := 0; i < len(list); i++ {
		for _, c := range list[i].passes {
			if y := p.part(c.callee); !known[y] && !y.done {
				known[y] = true
				list = append(list, y)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, y := range list {
			changed = y.grow(p) || changed
		}
	}
	for _, y := range list {
		y.done = true
	}
}

// grow adds to what a function walks with what is known to be missing.
func (x *part) grow(p *Program) (some bool) {
	add := func(w Walk) {
		same := func(o Walk) bool { return o.param == w.param && o.off == w.off && o.t == w.t }
		if w.param >= 0 && len(x.walks) < maxWalks && !slices.ContainsFunc(x.walks, same) {
			x.walks, some = append(x.walks, w), true
		}
	}
	for _, k := range x.cursors {
		if x.walked[k.variable] {
			add(Walk{x.d.parameter(k.reg), k.off, k.mem, k.Down})
		}
	}
	for _, c := range x.passes {
		for _, w := range p.part(c.callee).walks {
			if w.param == c.param {
				add(Walk{x.d.parameter(c.reg), c.off + w.off, w.t, w.down})
			}
		}
	}
	return some
}

// link tells a function of its cursors in memory.
func (p *Program) link(x *part) {
	fn := x.fn
	calls := map[*Cursor][]place{} // that walk with it
	for _, c := range x.passes {
		for _, w := range p.Walks(c.callee) {
			if w.param != c.param {
				continue
			}
			v := variable{c.reg, w.t, c.off + w.off}
			i := slices.IndexFunc(x.cursors, func(k *Cursor) bool { return k.variable == v })
			if i < 0 {
				i = len(x.cursors)
				x.cursors = append(x.cursors, &Cursor{variable: v, loops: map[*Loop]bool{}, depth: len(fn.loops), Down: w.down})
			}
			k := x.cursors[i]
			calls[k] = append(calls[k], c.place)
			k.moves = append(k.moves, c.block)
			k.Down = k.Down && w.down
			for _, l := range fn.Nodes[c.block].Loops {
				if slices.Contains(fn.Nodes[l.Head].Live, v.reg) {
					k.loops[l] = true
					k.depth = min(k.depth, l.depth)
				}
			}
		}
	}
	slices.SortFunc(x.cursors, func(a, b *Cursor) int { return a.variable.compare(b.variable) })
	fn.counts = map[*Loop]bool{}
	for _, l := range fn.loops {
		fn.counts[l] = len(x.cursors) > 0 && x.d.counts(l)
	}
	for _, k := range x.cursors {
		if !x.walked[k.variable] && len(calls[k]) == 0 {
			continue
		}
		if fn.parameters == nil {
			fn.parameters = map[int]int{}
		}
		fn.parameters[k.reg] = x.d.parameter(k.reg)
		k.ahead = fn.reaching(k.moves)
		k.Apart = fn.walkedAgain(k, x.walked[k.variable], calls[k]) && !p.scattersIn(x, func(b int) bool {
			if len(k.loops) == 0 {
				return k.ahead[b]
			}
			return slices.ContainsFunc(fn.Nodes[b].Loops, k.Moves)
		}, map[*part]bool{x: true})
		fn.Cursors = append(fn.Cursors, k)
	}
	fn.keepApart()
}

// Parameter is the index of the parameter that a register of a cursor in memory is, or holds; -1: it is none.
func (fn *Function) Parameter(reg int) int {
	if i, known := fn.parameters[reg]; known {
		return i
	}
	return -1
}

// LoopsOf lists the loops in which the positions of a cursor tell states apart, and not iterations: those that move it,
// but of the loops that move one in memory none that counts. What it counts would be one of many numbers otherwise.
func (fn *Function) LoopsOf(k *Cursor) (list []*Loop) {
	for _, l := range fn.loops {
		if k.loops[l] && (k.mem == nil || !fn.counts[l]) {
			list = append(list, l)
		}
	}
	return list
}

// counts reports whether a loop may be left depending on a variable that it moves by constant steps, and on nothing
// that is read elsewhere.
func (d *dataflow) counts(l *Loop) bool {
	moved := map[int]bool{}
	for v, list := range d.stores {
		moved[v.reg] = moved[v.reg] || v.mem == nil && slices.ContainsFunc(list, func(s place) bool {
			by, steps := d.step(s.in.Args[0], v, maxSteps)
			return steps && by != 0 && d.fn.inside(s.block, l)
		})
	}
	variable := func(in *llvmir.Instr) bool {
		return in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && d.fn.Promoted[in.Args[0].Reg]
	}
	counter := func(in *llvmir.Instr) bool { return variable(in) && moved[in.Args[0].Reg] }
	other := func(in *llvmir.Instr) bool {
		return in.Op == llvmir.OpCall && in.Intrinsic == "" || in.Op == llvmir.OpLoad && !variable(in)
	}
	for b := range d.fn.Nodes {
		if d.fn.leaves(b, l) && d.dependsOn(b, counter) && !d.dependsOn(b, other) {
			return true
		}
	}
	return false
}

// walkedAgain tells whether a cursor in memory, once it was walked with, may be walked with again: by the loops of the
// function itself, where these do, or by calls.
func (fn *Function) walkedAgain(k *Cursor, own bool, calls []place) bool {
	walks := make([]bool, len(fn.Nodes)) // by block
	for i, c := range calls {
		if slices.ContainsFunc(calls[:i], func(o place) bool { return o.block == c.block && o.in != c.in }) {
			return true
		}
		walks[c.block] = true
	}
	if own {
		for b := range fn.Nodes {
			walks[b] = walks[b] || slices.ContainsFunc(fn.Nodes[b].Loops, k.Moves)
		}
		for l := range k.loops {
			left := make([]bool, len(fn.Nodes))
			for b := range fn.Nodes {
				for _, s := range fn.Nodes[b].Succs {
					left[s] = left[s] || fn.inside(b, l) && !fn.inside(s, l)
				}
			}
			if fn.reaches(left, walks) {
				return true
			}
		}
	}
	for _, c := range calls {
		next := make([]bool, len(fn.Nodes))
		for _, s := range fn.Nodes[c.block].Succs {
			next[s] = true
		}
		if fn.reaches(next, walks) {
			return true
		}
	}
	return false
}

// reaches tells whether a block of some can be reached from one of others; they may be the same.
func (fn *Function) reaches(from, goals []bool) bool {
	var list []int
	for b, is := range goals {
		if is {
			list = append(list, b)
		}
	}
	for b, reach := range fn.reaching(list) {
		if reach && from[b] {
			return true
		}
	}
	return false
}
