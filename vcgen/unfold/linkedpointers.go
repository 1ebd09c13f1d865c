package unfold

import (
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// The value of a pointer is read as a choice among NULL, known objects and tags.

// leaf is one value that a pointer may have, with the condition: NULL, an object at a constant offset, or a tag.
type leaf struct {
	cond smt.Term
	obj  int // mem.None for NULL and for a tag
	off  int64
	tag  smt.Term // 0 for none
}

// atom is what a leaf points to: an object, or the member of a tag.
type atom struct {
	obj int
	tag smt.Term
}

func (l leaf) atom() atom { return atom{l.obj, l.tag} }

func (l leaf) null() bool { return l.obj == mem.None && l.tag == 0 }

// leaves splits a pointer into the values that it may have under a guard, other than own. It returns false if one of
// them is neither NULL nor the address of an object or a member.
func (fr *frame) leaves(v, own, guard smt.Term) ([]leaf, bool) {
	r, c := fr.r, fr.r.c
	if v == 0 || c.Sort(v).IsBool() || c.Width(v) != r.mem.Width {
		return nil, false
	}
	var out []leaf
	fine := true
	q := &distances{run: r}
	var number func(t, cond smt.Term, depth int)
	number = func(t, cond smt.Term, depth int) {
		switch {
		case !fine || t == own || q.excluded(c.And(guard, cond)):
		case t == r.mem.Int(0):
			out = append(out, leaf{cond, mem.None, 0, 0})
		case c.Op(t) == smt.OpIte && depth > 0:
			number(c.Arg(t, 1), c.And(cond, c.Arg(t, 0)), depth-1)
			number(c.Arg(t, 2), c.And(cond, c.Not(c.Arg(t, 0))), depth-1)
		default:
			off, parts := c.SumParts(t)
			if len(parts) != 1 || parts[0].Coef != 1 || r.links.tags[parts[0].T] == nil {
				fine = false
				return
			}
			at := int64(off << (64 - r.mem.Width) >> (64 - r.mem.Width))
			out = append(out, leaf{cond, mem.None, at + r.links.tags[parts[0].T].to.at, parts[0].T})
		}
	}
	for _, x := range r.mem.Candidates(v, mem.AsNoObject) {
		if x.Obj == mem.None {
			number(x.Off, x.Cond, maxDistanceDepth)
			continue
		}
		if q.excluded(c.And(guard, x.Cond)) {
			continue
		}
		off, ok := c.Int64(x.Off)
		if !ok {
			return nil, false
		}
		out = append(out, leaf{x.Cond, x.Obj, off, 0})
	}
	return out, fine
}

// linkTo returns the type of the link that a leaf is; false for NULL and for objects that are no members.
func (r *run) linkTo(l leaf) (linkType, bool) {
	if l.tag != 0 {
		return linkType{r.links.tags[l.tag].to.size, l.off}, true
	}
	if l.obj == mem.None || !r.mayBeMember(l.obj) {
		return linkType{}, false
	}
	size, _ := r.c.Int64(r.mem.Objects[l.obj].Size)
	return linkType{size, l.off}, true
}

// mayBeMember reports whether an object has the properties of a member.
func (r *run) mayBeMember(id int) bool {
	size, ok := r.c.Int64(r.mem.Objects[id].Size)
	return ok && size > 0 && size <= maxMemberSize && r.mayBeBlock(id)
}

// mayLink reports whether the pointer of a variable is a slot from the next run on: it points to a member at a back
// edge or on entry. It records that.
func (fr *frame) mayLink(h *Head, s slot, pl Place, now, guard smt.Term) bool {
	x, slots := fr.r.opts.Induction, h.changes.links.slots
	if !x.linked || s == noSlot || slots[s] != nil && slots[s].refused {
		return false
	}
	to, ok := fr.pointsTo(h, now, pl.Sym, guard, false)
	if c := fr.r.c; !ok && pl.Pointer { // as in the first iteration
		to, ok = fr.pointsTo(h, c.Substitute(now, map[smt.Term]smt.Term{pl.Sym: fr.r.mem.Int(0)}), 0, guard, false)
	}
	if !ok {
		to, ok = fr.pointsTo(h, pl.entry, 0, h.Guard, true)
	}
	if ok {
		slots[s], h.changes.stale, x.Changed = &membership{to: to}, true, true
		h.changes.links.grown = true
	}
	return ok
}

// pointsTo returns the type of a pointer to members that is not own; false if it is none. older: any block may be one.
func (fr *frame) pointsTo(h *Head, v, own, guard smt.Term, older bool) (to linkType, ok bool) {
	list, ok := fr.leaves(v, own, guard)
	for _, l := range list {
		is, link := fr.r.linkTo(l)
		if !link || l.tag == 0 && l.obj < h.since && fr.r.links.members[l.obj] == nil && !older {
			continue
		}
		if ok = ok && (to.size == 0 || to == is); !ok {
			return to, false
		}
		to = is
	}
	return to, ok && to.size != 0
}
