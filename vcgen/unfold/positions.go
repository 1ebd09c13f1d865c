package unfold

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxPlaces bounds how often a block is visited in one call because of different positions. Beyond it states are
// joined by their iterations, as elsewhere.
const maxPlaces = 400

// positions are the values of the cursors that keep states apart at a block, for an edge that leads there; nil when
// states are not kept apart there. Cursors that do not matter there are 0. When one that matters has no one value,
// states are joined by their iterations.
func (fr *frame) positions(v *visit, to int, e *edge) []smt.Term {
	fn := fr.fn
	bi := &fn.Nodes[to]
	if len(bi.Cursors) == 0 {
		return nil
	}
	out := make([]smt.Term, len(fn.Cursors))
	for _, x := range bi.Cursors {
		i, reg := x.Cursor, x.Reg
		switch {
		case e.p == nil && v.at != nil:
			out[i] = v.at[i]
		case e.p == nil:
		default:
			out[i] = fr.position(fr.regs[reg])
		}
		if out[i] == 0 {
			return nil
		}
	}
	return out
}

// position is a value if it is a constant, or a constant offset in an object; else 0.
func (fr *frame) position(x value) smt.Term {
	c := fr.r.c
	if x.lazy != nil || x.t == 0 || c.Sort(x.t).IsBool() || c.Width(x.t) > 64 {
		return 0
	}
	if c.IsConst(x.t) {
		return x.t
	}
	if _, parts := c.SumParts(x.t); len(parts) == 1 && parts[0].Coef == 1 {
		if _, ok := fr.r.mem.ObjectOfBase(parts[0].T); ok {
			return x.t
		}
	}
	return 0
}

// comparePositions orders two visits by the first cursor at which they stand at different places; 0 when there is none.
func (fr *frame) comparePositions(a, b *visit) int {
	for i, k := range fr.fn.Cursors {
		x, y := a.at[i], b.at[i]
		if x == 0 || y == 0 || x == y {
			continue
		}
		d := cmp.Compare(fr.offset(x), fr.offset(y))
		if k.Down {
			d = -d
		}
		if d == 0 {
			d = cmp.Compare(x, y) // places in different objects
		}
		return d
	}
	return 0
}

// offset is the constant part of a position.
func (fr *frame) offset(x smt.Term) int64 {
	c := fr.r.c
	if k, ok := c.Int64(x); ok {
		return k
	}
	konst, _ := c.SumParts(x)
	return int64(konst)
}

// sameVisit reports whether an edge to a block belongs to a visit that waits for edges to that block. In loops that
// move a cursor the positions tell, in others the iterations.
func (fr *frame) sameVisit(w *visit, iters []int32, at []smt.Term) bool {
	if (w.at == nil) != (at == nil) || !slices.Equal(w.at, at) {
		return false
	}
	for i, l := range fr.fn.Nodes[w.block].Loops {
		if w.iters[i] != iters[i] && (at == nil || !fr.fn.Walks[l]) {
			return false
		}
	}
	return true
}

// place gives an edge from v to a block its positions.
func (fr *frame) place(v *visit, to int, e *edge) {
	e.at = fr.positions(v, to, e)
	if e.at == nil {
		return
	}
	if fr.places == nil {
		fr.places = map[int]int{}
	}
	if fr.places[to] >= maxPlaces {
		e.at = nil
		return
	}
	src, dst := &fr.fn.Nodes[v.block], &fr.fn.Nodes[to]
	e.decided = make([]int32, len(dst.Loops))
	for i, l := range dst.Loops {
		if i >= len(src.Loops) || src.Loops[i] != l {
			break
		}
		if v.decided != nil {
			e.decided[i] = v.decided[i]
		} else {
			e.decided[i] = v.iters[i]
		}
	}
}
