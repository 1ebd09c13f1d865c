package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// A loop that frees one list may leave another one as it is:
//
//	drop(odd);
//	drop(even);
//
// The variable even has to be an owner in the first loop, or what it points to might be freed there. Such variables of
// the loop's function and of its callers are anchors, as the pointers in older members are.

// anchorAt names a pointer that a loop does not change: a variable in memory, or one in a register of a frame. depth is
// the number of calls to that frame.
type anchorAt struct {
	depth int
	slot  slot
}

// anchor is a variable with a pointer to members. obj is the object that contains it; -1 for one in a register.
type anchor struct {
	obj   int
	value smt.Term
	slack *bool
}

// maxAnchors bounds the variables that are anchors at one head, and the cells of one object that are.
const (
	maxAnchors     = 16
	maxAnchorCells = 8
)

// slack returns the flag of an anchor: it is set if the pointer is no owner.
func (l *linkage) slack(at anchorAt) *bool {
	if l.anchors[at] == nil {
		l.anchors[at] = new(bool)
	}
	return l.anchors[at]
}

// olderVariables returns the variables with pointers to members that the loop of a head does not change.
func (fr *frame) olderVariables(h *Head, p *path) (list []anchor) {
	r, ch := fr.r, h.changes
	add := func(at anchorAt, obj int, value, guard smt.Term) {
		slack := ch.links.slack(at)
		if *slack || len(list) == maxAnchors || !r.mem.HoldsAddress(value) {
			return
		}
		leaves, ok := fr.leaves(value, 0, r.c.And(p.g.T, guard))
		if ok && slices.ContainsFunc(leaves, func(l leaf) bool { _, link := r.linkTo(l); return link }) {
			list = append(list, anchor{obj, value, slack})
		}
	}
	depth := 0
	for f := fr; f.caller != nil; f = f.caller {
		depth++
	}
	live := fr.fn.Nodes[fr.visiting.block].Live
	for f := fr; f != nil; f, depth = f.caller, depth-1 {
		for _, reg := range live {
			v := f.regs[reg]
			if !f.fn.Promoted[reg] || v.lazy != nil || v.t == 0 || r.c.Sort(v.t).IsBool() ||
				r.c.Width(v.t) != r.mem.Width || f == fr && (ch.regs[reg] || ch.links.slots[inRegister(reg)] != nil) {
				continue
			}
			add(anchorAt{depth, inRegister(reg)}, -1, v.t, r.c.True())
		}
		if f.caller != nil {
			live = f.caller.fn.After(f.callBlock, f.callInstr).Live
		}
	}
	for id := range r.mem.Objects {
		v := p.st.Content(id)
		if v == nil || r.links.members[id] != nil || ch.wholes[id] {
			continue
		}
		for _, cell := range r.mem.Cells(id, v, maxAnchorCells) {
			if cell.N == int64(r.mem.Width/8) && ch.links.slots[inMemory(cell)] == nil && !ch.changesCell(cell) {
				add(anchorAt{slot: inMemory(cell)}, id, r.mem.ReadCell(v, cell), r.mem.Live(p.st, id))
			}
		}
	}
	return list
}
