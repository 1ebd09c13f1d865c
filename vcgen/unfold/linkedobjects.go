package unfold

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A member without an object becomes one from the next run on, if the program uses its content. Its family learns the
// cells that the program reads.

// learn adds a cell. Cells that overlap others are left out, except that a read is preferred to a write.
func (f *family) learn(x *Induction, cell mem.Cell, read bool) {
	if cell.N != 1 && cell.N != 2 && cell.N != 4 && cell.N != 8 || cell.Off < 0 || cell.Off+cell.N > f.size {
		return
	}
	if how := f.cells[cell]; how != nil {
		how.read = how.read || read
		return
	}
	for o, how := range f.cells {
		if o.Off < cell.Off+cell.N && cell.Off < o.Off+o.N && (how.read || how.pointer || !read) {
			return
		}
	}
	for o := range f.cells {
		if o.Off < cell.Off+cell.N && cell.Off < o.Off+o.N {
			delete(f.cells, o)
		}
	}
	if len(f.cells) < maxMemberCells {
		f.cells[cell], x.Changed = &memberCell{read: read}, true
	}
}

// learnReads adds the cells of members that the program reads.
func (r *run) learnReads() {
	x := r.opts.Induction
	if x.Changed { // reads through pointers that are not known yet
		return
	}
	of := map[smt.Func]*family{}
	for _, m := range r.links.members {
		of[m.content] = m.fam
	}
	if len(of) == 0 {
		return
	}
	for _, rd := range r.mem.Reads {
		if off, ok := r.c.Int64(rd.Off); ok && of[rd.Func] != nil {
			of[rd.Func].learn(x, mem.Cell{Obj: -1, Off: off, N: rd.N}, true)
		}
	}
}

// hasMembers reports whether a loop so far has members without an object.
func (x *Induction) hasMembers() bool {
	return x != nil && slices.ContainsFunc(x.Heads, func(h *Head) bool { return h.linked })
}

// unresolved is called for an access through an address whose object is unknown. If it is a tag, its member becomes an
// object from the next run on. If a loop has changed the pointer, structures of members are tried.
func (r *run) unresolved(p *path, ptr smt.Term) {
	x := r.opts.Induction
	if x == nil {
		return
	}
	r.mem.Candidates(ptr, func(when smt.Term) {
		if !(&distances{run: r, guess: true}).excluded(r.c.And(p.g.T, when)) {
			for _, sym := range r.mem.Unknowns(ptr) {
				r.resolve(sym)
			}
		}
	})
}

func (r *run) resolve(sym smt.Term) {
	x := r.opts.Induction
	t := r.links.tags[sym]
	if t == nil {
		o, ok := r.mem.OriginOf(sym)
		x.links = x.links || ok && o.Stored && o.By != ""
		return
	}
	x.follow(r, sym, false)
	ch := t.head.changes
	if strings.Count(t.path, ".") > unrolledMembers && r.running.cutWalk() {
		return
	}
	if !ch.links.expand[t.path] && strings.Count(t.path, ".") <= maxMemberDepth && len(ch.links.expand) < maxMembers {
		x.demotions[expanding] = append(x.demotions[expanding], func() {
			ch.links.expand[t.path], ch.stale, x.Changed = true, true, true
		})
	}
}

// unrolledMembers is the number of members behind the first one that a loop may reach before it is cut.
const unrolledMembers = 1

// cutWalk cuts the innermost loop around the running visit that is not cut, from the next run on. It reports whether
// there is one.
func (fr *frame) cutWalk() bool {
	x := fr.r.opts.Induction
	for block := fr.visiting.block; fr != nil; block, fr = fr.callBlock, fr.caller {
		for _, l := range slices.Backward(fr.fn.Nodes[block].Loops) {
			if x.Cut[l.Name] || !fr.fn.EntersAtHead(l) {
				continue
			}
			x.Cut[l.Name], x.Changed = true, true
			for _, ch := range x.frames {
				clear(ch.links.expand)
				ch.stale = true
			}
			return true
		}
	}
	return false
}
