package flow

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Program analyses the functions of a module together. It finds cursors in memory that functions share:
//
//	struct lexer { const char *at; };
//	int next(struct lexer *l) { while (*l->at == ' ') l->at++; ... }   // walks with l->at
//	void parse(struct lexer *l) { while (next(l)) ...; }               // so l->at is a cursor here, too
//
// A function moves such a cursor in a loop, and its callers call such functions in sequence or in loops of their own.
type Program struct {
	m     *clangir.Module
	parts map[*llvmir.Func]*part
}

// part is the analysis of a single function's effects on memory that it shares.
type part struct {
	fn *Function
	d  *dataflow
	// cursors are moved in memory. walked contains the ones of a loop that is left depending on the data at the
	// cursor.
	cursors []*Cursor
	walked  map[variable]bool
	passes  []pass
	walks   []Walk
	done    bool // walks is complete
	linked  bool // fn.Cursors includes the cursors in memory
	// scatters marks the blocks that may write to places that depend on other data. calls are the functions that each
	// block calls.
	scatters []bool
	calls    [][]*llvmir.Func
}

// pass is a call that passes a pointer to memory.
type pass struct {
	blockInstr
	callee *llvmir.Func
	param  int // of the callee
	reg    int // the pointer, as in variable
	off    int64
}

// Walk is memory with which a function walks over data. The function, or one that it calls, moves it by constant steps
// in a loop that is left depending on the data at its position.
type Walk struct {
	param int   // the parameter that points to it
	off   int64 // distance from the pointer in bytes
	t     *llvmir.Type
	down  bool
}

// maxWalks bounds the walks of a function: a recursion might have one for each depth.
const maxWalks = 16

// NewProgram returns a Program without any analysis.
func NewProgram(m *clangir.Module) *Program { return &Program{m: m, parts: map[*llvmir.Func]*part{}} }

// Function returns the analysis of a function with a body.
func (p *Program) Function(f *llvmir.Func) *Function {
	x := p.part(f)
	if !x.linked {
		x.linked = true
		p.link(x)
	}
	return x.fn
}

// Walks returns the memory with which a function walks over data.
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

// part analyses one function.
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
					x.passes = append(x.passes, pass{blockInstr{b, in}, callee, a, reg, off})
				}
			}
		}
	}
	return x
}

// scattered reports whether an instruction may write to a place that depends on other data.
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
			return false // its own instructions are examined
		default:
			return slices.ContainsFunc(in.Args, func(o llvmir.Operand) bool {
				return o.Type != nil && o.Type.Kind == llvmir.PointerType && !known(o)
			})
		}
	}
	return false
}

// scattersIn reports whether some blocks of a function, or functions that they call, may write to places that depend
// on other data.
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

// complete computes the walks of a function and of all functions that it calls: the least fixed point of their own
// walks and the passed ones.
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

// grow adds missing walks to a function, and reports whether it added any.
func (x *part) grow(p *Program) (added bool) {
	add := func(w Walk) {
		same := func(o Walk) bool { return o.param == w.param && o.off == w.off && o.t == w.t }
		if w.param >= 0 && len(x.walks) < maxWalks && !slices.ContainsFunc(x.walks, same) {
			x.walks, added = append(x.walks, w), true
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
	return added
}

// link sets a function's cursors in memory.
func (p *Program) link(x *part) {
	fn := x.fn
	calls := map[*Cursor][]blockInstr{} // that walk with it
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
			calls[k] = append(calls[k], c.blockInstr)
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

// Parameter returns the index of the parameter that a register of a cursor in memory is, or holds; -1 if it is none.
func (fn *Function) Parameter(reg int) int {
	if i, known := fn.parameters[reg]; known {
		return i
	}
	return -1
}

// LoopsOf returns the loops in which states are merged per position of a cursor instead of per iteration: the loops
// that move it. For a cursor in memory, loops with a counter are excluded: otherwise the counter would be a choice
// among many numbers.
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
		moved[v.reg] = moved[v.reg] || v.mem == nil && slices.ContainsFunc(list, func(s blockInstr) bool {
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

// walkedAgain reports whether a cursor in memory may be used for another walk after one: by the loops of the function
// itself, if own is set, or by calls.
func (fn *Function) walkedAgain(k *Cursor, own bool, calls []blockInstr) bool {
	walks := make([]bool, len(fn.Nodes)) // by block
	for i, c := range calls {
		if slices.ContainsFunc(calls[:i], func(o blockInstr) bool { return o.block == c.block && o.in != c.in }) {
			return true
		}
		walks[c.block] = true
	}
	if own {
		for b := range fn.Nodes {
			walks[b] = walks[b] || slices.ContainsFunc(fn.Nodes[b].Loops, k.Moves)
		}
		for l := range k.loops {
			exits := make([]bool, len(fn.Nodes))
			for b := range fn.Nodes {
				for _, s := range fn.Nodes[b].Succs {
					exits[s] = exits[s] || fn.inside(b, l) && !fn.inside(s, l)
				}
			}
			if fn.reaches(exits, walks) {
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

// reaches reports whether a goal can be reached from a block of from; both may be the same block.
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
