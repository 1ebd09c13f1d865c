package unfold

import (
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A slot may point to the last member of a list:
//
//	if (tail) tail->next = n; else head = n;
//	tail = n;
//
// Then a cell of this member is NULL at the head of the loop. That is claimed if an iteration shows it for each new
// target of the slot, and it is checked at each back edge. Nothing is claimed of older objects.

// enter gives up what a slot may not claim when the loop is entered with the given pointers.
func (s *slotState) enter(h *Head, x *Induction, list []leaf) {
	for _, l := range list {
		if l.tag == 0 {
			continue // NULL, or an older object
		}
		for cell, claimed := range s.how.ends {
			if claimed {
				s.end(h, x, cell, false)
			}
		}
	}
}

// end claims that a cell is NULL in the member of a slot, or gives that up. What is behind that cell is an object then,
// or no object any more.
func (s *slotState) end(h *Head, x *Induction, cell mem.Cell, claim bool) {
	if s.how.ends == nil {
		s.how.ends = map[mem.Cell]bool{}
	}
	s.how.ends[cell], h.changes.stale, x.Changed = claim, true, true
}

// ended returns the condition under which a slot claims that a cell of a member of the head is NULL.
func (fr *frame) ended(h *Head, m *member, cell mem.Cell, st *mem.State) smt.Term {
	c := fr.r.c
	when := c.False()
	for i := range h.slots {
		s := &h.slots[i]
		if pick, ok := s.picks[m.obj]; ok && s.how.ends[cell] && s.how.to.size == m.fam.size {
			when = c.Or(when, c.And(fr.lives(s.slot, st), pick))
		}
	}
	return when
}

// endsBack checks what a slot claims of its member at a back edge, whose guard is given, and claims what the iteration
// shows. older reports whether an object is no member there.
func (fr *frame) endsBack(h *Head, s *slotState, list []leaf, st *mem.State, guard smt.Term, older func(obj int) bool) {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	fam := x.family(s.how.to.size)
	for _, cell := range fam.sorted() {
		claimed, known := s.how.ends[cell]
		if how := fam.cells[cell]; known && !claimed || !how.pointer || how.wild {
			continue
		}
		shown, holds := false, true
		for _, l := range list {
			if l.null() || l.tag == 0 && older(l.obj) {
				continue
			}
			if l.tag != 0 || st.Content(l.obj) == nil {
				holds = false
				continue
			}
			now := r.mem.ReadCell(st.Content(l.obj), mem.Cell{Obj: l.obj, Off: cell.Off, N: cell.N})
			values, ok := fr.leaves(now, 0, c.And(guard, l.cond))
			for _, v := range values {
				ok = ok && v.null()
			}
			if _, same := s.picks[l.obj]; same && !ok && !claimed {
				continue // the slot has not moved; the claim itself shows whether it holds
			}
			shown, holds = shown || ok, holds && ok
		}
		switch {
		case claimed && !holds:
			s.end(h, x, cell, false)
		case !known && shown && holds:
			s.end(h, x, cell, true)
		}
	}
}
