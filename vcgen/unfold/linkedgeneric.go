package unfold

import (
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// One arbitrary member, Generic, stands for all in invariants: its data are places of the head (Place.Generic), whose
// values at a back edge are those of any member there.

// Generic is an arbitrary member at a head.
type Generic struct {
	Exists smt.Term
	Cells  []mem.Cell // in the order of Data
	Data   []smt.Term
	// Members are the values of Exists and Data for each member that is an object.
	Members [][]smt.Term

	fam   *family
	place int // of Exists; those of Data follow
}

// Size returns the size of the member, in bytes.
func (g *Generic) Size() int64 { return g.fam.size }

// Place returns the index of the place of the k-th of Data.
func (g *Generic) Place(k int) int { return g.place + 1 + k }

// Nulls returns the conditions that the pointers to members are NULL at a head.
func (h *Head) Nulls() (list []smt.Term) {
	for i := range h.slots {
		if !h.slots[i].how.refused {
			list = append(list, h.Places[h.slots[i].null].Sym)
		}
	}
	return list
}

// generics makes an arbitrary member of each family at a head. It does so whether or not the loop has slots, because
// loops in it may change members.
func (fr *frame) generics(h *Head, p *path, same *smt.Term) {
	r, c := fr.r, fr.r.c
	for _, size := range slices.Sorted(maps.Keys(r.opts.Induction.families)) {
		fam := r.opts.Induction.families[size]
		g := &Generic{fam: fam}
		for _, cell := range fam.sorted() {
			if how := fam.cells[cell]; !how.pointer && !how.wild && cell.N <= 8 {
				g.Cells = append(g.Cells, cell)
			}
		}
		var before [][]smt.Term // the arbitrary members of earlier heads
		for _, e := range r.opts.Induction.Heads {
			if o := e.generic(fam); e != h && o != nil {
				before = append(before, o.row(c, e.Guard, g.Cells))
			}
		}
		old := fr.anyOf(before, g)
		exists := c.Var("exists", smt.Bool)
		g.Exists, g.place = exists, fr.ghost(h, "a member exists", exists, old[0], same)
		for i, cell := range g.Cells {
			sym := c.Var(fmt.Sprintf("any member+%d", cell.Off), smt.BV(int(cell.N)*8))
			fr.ghost(h, fmt.Sprintf("any member+%d", cell.Off), sym, old[i+1], same)
			g.Data = append(g.Data, sym)
		}
		for _, m := range h.members {
			if m.fam == fam {
				row := []smt.Term{c.And(m.exists, r.mem.Live(p.st, m.obj))}
				for _, cell := range g.Cells {
					row = append(row, m.cells[cell])
				}
				g.Members = append(g.Members, row)
			}
		}
		h.Generics = append(h.Generics, g)
	}
}

// generic returns the arbitrary member of a family; nil if the head has none.
func (h *Head) generic(fam *family) *Generic {
	for _, g := range h.Generics {
		if g.fam == fam {
			return g
		}
	}
	return nil
}

// row returns the condition that the arbitrary member exists under a guard, and its data.
func (g *Generic) row(c *smt.Context, guard smt.Term, cells []mem.Cell) []smt.Term {
	row := []smt.Term{c.And(guard, g.Exists)}
	for _, cell := range cells {
		if k := slices.Index(g.Cells, cell); k >= 0 {
			row = append(row, g.Data[k])
		} else {
			row = append(row, c.Var("any", smt.BV(int(cell.N)*8)))
		}
	}
	return row
}

// anyOf returns any one of the rows: whether it exists, and its data. Without any, nothing exists.
func (fr *frame) anyOf(rows [][]smt.Term, g *Generic) []smt.Term {
	c := fr.r.c
	if len(rows) == 0 {
		out := []smt.Term{c.False()}
		for _, cell := range g.Cells {
			out = append(out, c.Var("none", smt.BV(int(cell.N)*8)))
		}
		return out
	}
	out := slices.Clone(rows[0])
	for _, row := range rows[1:] {
		pick := c.Var("any member is", smt.Bool)
		for i := range out {
			out[i] = c.Ite(pick, row[i], out[i])
		}
	}
	return out
}
