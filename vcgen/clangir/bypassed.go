package clangir

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// endBypassed adds lifetimes of local variables for which clang emits none.
//
// Clang omits the markers after a label in the same block, and if a jump bypasses the declaration. The block is the
// scope of the declaration in the debug information. The lifetime begins when control enters the scope and ends when
// an instruction of another scope is reached.
func (f *function) endBypassed() {
	switches := f.switchBodies()
	uses := map[int]int{} // number of declarations, by register
	var declared []*llvmir.Instr
	marked := map[int]bool{}
	casts := map[int]int{}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg:
				casts[in.Dst] = in.Args[0].Reg
			case in.Op == llvmir.OpCall && strings.HasPrefix(in.Intrinsic, "lifetime.") && in.Args[1].Kind == llvmir.OperandReg:
				reg := in.Args[1].Reg
				if from, ok := casts[reg]; ok {
					reg = from
				}
				marked[reg] = true
			case in.Op == llvmir.OpDbgDeclare && in.Args[0].Kind == llvmir.OperandReg && in.Text == "":
				uses[in.Args[0].Reg]++
				declared = append(declared, in)
			}
		}
	}
	for _, d := range declared {
		reg := d.Args[0].Reg
		if marked[reg] || uses[reg] != 1 || d.Var == nil || d.Var.Arg != 0 || d.Loc == nil || d.Loc.Scope == nil ||
			d.Loc.Scope.Parent == nil || d.Loc.InlinedAt != nil {
			continue
		}
		for _, al := range f.fn.Blocks[0].Instrs {
			if al.Op == llvmir.OpAlloca && al.Dst == reg && len(al.Args) <= 1 {
				f.bound(al, d.Loc.Scope)
			}
		}
	}
	// A variable that is declared before the first case of a switch, or in a block that is entered only by a jump
	// past the declaration, has no dbg.declare either: clang emits nothing there.
	for _, al := range slices.Clone(f.fn.Blocks[0].Instrs) {
		if al.Op != llvmir.OpAlloca || len(al.Args) > 1 || marked[al.Dst] || uses[al.Dst] > 0 ||
			!byUser(f.fn.RegName(al.Dst)) {
			continue
		}
		used := f.usedIn(al)
		body := outermost(used, func(s *llvmir.Scope) bool { return switches[s] })
		if body == nil {
			body = outermost(used, f.entersByLabel)
		}
		if body != nil {
			f.bound(al, body)
		}
	}
}

// switchBodies returns the scopes that are bodies of switches: cases are in the scope, the switch is in its parent.
func (f *function) switchBodies() map[*llvmir.Scope]bool {
	bodies := map[*llvmir.Scope]bool{}
	for _, b := range f.fn.Blocks {
		sw := b.Term()
		if sw.Op != llvmir.OpSwitch || sw.Loc == nil || sw.Loc.Scope == nil || sw.Loc.InlinedAt != nil {
			continue
		}
		for _, to := range sw.Succs {
			for _, in := range f.fn.Blocks[to].Instrs {
				if in.Loc == nil {
					continue
				}
				for s := in.Loc.Scope; s != nil; s = s.Parent {
					if s.Parent == sw.Loc.Scope {
						bodies[s] = true
					}
				}
			}
		}
	}
	return bodies
}

// usedIn returns the innermost scope that contains all uses of an alloca; nil if it has none or a scope is unknown.
func (f *function) usedIn(al *llvmir.Instr) *llvmir.Scope {
	var common *llvmir.Scope
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if !usesReg(in, al.Dst) {
				continue
			}
			if in.Loc == nil || in.Loc.Scope == nil {
				return nil
			}
			if common == nil {
				common = in.Loc.Scope
			}
			for common != nil && !holds(common, in.Loc.Scope) {
				common = common.Parent
			}
		}
	}
	return common
}

// holds reports whether scope outer is s or contains it.
func holds(outer, s *llvmir.Scope) bool {
	for ; s != nil; s = s.Parent {
		if s == outer {
			return true
		}
	}
	return false
}

// entersByLabel reports whether a scope is entered only through labels, so that the code before them is dead.
//
// Its declarations are dead, too. Blocks of labels have the names of the labels; names of blocks that clang creates
// for statements contain a dot.
func (f *function) entersByLabel(scope *llvmir.Scope) bool {
	if scope.Parent == nil {
		return false
	}
	_, end := f.standing(scope)
	enters := false
	for i, b := range f.fn.Blocks {
		now := outside
		for k, in := range b.Instrs {
			w := within(in, scope)
			if w == inScope && now == outside {
				first := !slices.ContainsFunc(b.Instrs[:k], func(x *llvmir.Instr) bool { return within(x, scope) != 0 })
				fromOutside := slices.ContainsFunc(b.Preds, func(p int) bool { return end[p]&outside != 0 })
				switch {
				case first && !fromOutside && i > 0:
				case !first || i == 0 || !byUser(b.Name):
					return false
				default:
					enters = true
				}
			}
			if w != 0 {
				now = w
			}
		}
	}
	return enters
}

// outermost returns the last of the scopes s, its parent, and so on, for which holds is true; nil if there is none.
//
// For nested switches that is the scope with the longest lifetime.
func outermost(s *llvmir.Scope, holds func(*llvmir.Scope) bool) *llvmir.Scope {
	var found *llvmir.Scope
	for ; s != nil; s = s.Parent {
		if holds(s) {
			found = s
		}
	}
	return found
}

// Positions of control relative to a scope.
const (
	inScope = 1 << iota
	outside
)

// bound adds markers for an alloca where control enters and leaves a scope, unless it is also used elsewhere.
func (f *function) bound(al *llvmir.Instr, scope *llvmir.Scope) {
	blocks := f.fn.Blocks
	for _, b := range blocks {
		for _, in := range b.Instrs {
			if within(in, scope) != outside {
				continue
			}
			if usesReg(in, al.Dst) {
				return
			}
		}
	}
	begin, end := f.standing(scope)
	marker := func(b *llvmir.Block, k int, name string) {
		b.Instrs = slices.Insert(b.Instrs, k, f.lifetime(name, al, b.Instrs[k].Loc))
	}
	entered := map[int]bool{}
	// enter begins the lifetime on all edges into a block that come from outside.
	var enter func(b *llvmir.Block)
	enter = func(b *llvmir.Block) {
		for _, p := range b.Preds {
			switch {
			case entered[p] || end[p] == inScope:
			case end[p] == outside:
				entered[p] = true
				marker(blocks[p], len(blocks[p].Instrs)-1, "lifetime.start")
			default: // none of its instructions has a position
				entered[p] = true
				enter(blocks[p])
			}
		}
	}
	for i, b := range blocks {
		now := begin[i]
		for k := 0; k < len(b.Instrs); k++ {
			w := within(b.Instrs[k], scope)
			switch {
			case w == inScope && now == outside:
				marker(b, k, "lifetime.start")
				k++
			case w == inScope && now == inScope|outside:
				enter(b)
			case w == outside && now&inScope != 0:
				marker(b, k, "lifetime.end")
				k++
			}
			if w != 0 {
				now = w
			}
		}
	}
}

// standing returns the possible positions of control relative to a scope at the beginning and end of each block.
func (f *function) standing(scope *llvmir.Scope) (begin, end []int) {
	blocks := f.fn.Blocks
	begin, end = make([]int, len(blocks)), make([]int, len(blocks))
	begin[0] = outside
	for changed := true; changed; {
		changed = false
		for i, b := range blocks {
			for _, p := range b.Preds {
				begin[i] |= end[p]
			}
			now := begin[i]
			for _, in := range b.Instrs {
				if w := within(in, scope); w != 0 {
					now = w
				}
			}
			if now != end[i] {
				end[i], changed = now, true
			}
		}
	}
	return begin, end
}

// within returns whether an instruction belongs to a scope: inScope or outside; 0 if it has no position.
func within(in *llvmir.Instr, scope *llvmir.Scope) int {
	if in.Loc == nil || in.Loc.Scope == nil || in.Loc.Line == 0 || in.Op == llvmir.OpPhi || in.Op == llvmir.OpAlloca ||
		in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
		return 0
	}
	if holds(scope, in.Loc.Scope) {
		return inScope
	}
	return outside
}
