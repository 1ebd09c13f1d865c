package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// cell is a range of bytes written at a constant offset. val has 8*n bits, little endian.
type cell struct {
	off int64
	n   int64
	val smt.Term
}

// treap is a persistent ordered map from byte offset to cell.
//
// Priorities are a hash of the key: the shape depends only on the set of keys, and two versions share each subtree in
// which they agree. diff compares by identity. Source: Seidel and Aragon, Randomized Search Trees, 1996.
type treap struct {
	cell
	l, r *treap
	size int
}

func priority(off int64) uint64 {
	x := uint64(off) * 0x9E3779B97F4A7C15
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>29
}

func (t *treap) count() int {
	if t == nil {
		return 0
	}
	return t.size
}

func mk(c cell, l, r *treap) *treap {
	return &treap{cell: c, l: l, r: r, size: 1 + l.count() + r.count()}
}

// split divides t into keys < off and keys >= off.
func (t *treap) split(off int64) (lo, hi *treap) {
	if t == nil {
		return nil, nil
	}
	if t.off < off {
		a, b := t.r.split(off)
		if a == t.r {
			return t, b
		}
		return mk(t.cell, t.l, a), b
	}
	a, b := t.l.split(off)
	if b == t.l {
		return a, t
	}
	return a, mk(t.cell, b, t.r)
}

func join(a, b *treap) *treap {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case priority(a.off) > priority(b.off):
		return mk(a.cell, a.l, join(a.r, b))
	default:
		return mk(b.cell, join(a, b.l), b.r)
	}
}

// put replaces or inserts the cell with exactly this key.
func (t *treap) put(c cell) *treap {
	if t == nil {
		return mk(c, nil, nil)
	}
	switch {
	case c.off == t.off:
		return mk(c, t.l, t.r)
	case priority(c.off) > priority(t.off):
		lo, hi := t.split(c.off)
		// The key is not in t: otherwise it would be a root above t.
		return mk(c, lo, hi)
	case c.off < t.off:
		return mk(t.cell, t.l.put(c), t.r)
	default:
		return mk(t.cell, t.l, t.r.put(c))
	}
}

// floor returns the cell with the largest key <= off.
func (t *treap) floor(off int64) *treap {
	var best *treap
	for t != nil {
		if t.off <= off {
			best, t = t, t.r
		} else {
			t = t.l
		}
	}
	return best
}

// overlapping calls f, in ascending order, for each cell that has a byte in [off, off+n).
func (t *treap) overlapping(off, n int64, f func(cell)) {
	if t == nil {
		return
	}
	if t.off+t.n > off || t.l == nil || t.off > off {
		// Cells are disjoint: those left of a cell that ends before off end before off too.
		t.l.overlapping(off, n, f)
	}
	if t.off < off+n && t.off+t.n > off {
		f(t.cell)
	}
	if t.off < off+n {
		t.r.overlapping(off, n, f)
	}
}

// after calls f, in ascending order, for each cell that ends after off, until f returns false.
//
// It reports whether f always returned true.
func (t *treap) after(off int64, f func(cell) bool) bool {
	if t == nil {
		return true
	}
	// Cells are disjoint: those left of a cell that ends before off end before off too.
	if t.off+t.n > off && !(t.l.after(off, f) && f(t.cell)) {
		return false
	}
	return t.r.after(off, f)
}

// all calls f for each cell in ascending order.
func (t *treap) all(f func(cell)) {
	if t != nil {
		t.l.all(f)
		f(t.cell)
		t.r.all(f)
	}
}

// diff calls f for each cell of a or b that is not equal in both.
func diff(a, b *treap, f func(cell)) {
	switch {
	case a == b:
	case a == nil:
		b.all(f)
	case b == nil:
		a.all(f)
	case a.off == b.off:
		if a.cell != b.cell {
			f(a.cell)
			f(b.cell)
		}
		diff(a.l, b.l, f)
		diff(a.r, b.r, f)
	case priority(a.off) > priority(b.off):
		lo, hi := b.split(a.off)
		f(a.cell) // not in b: otherwise it would be the root of b
		diff(a.l, lo, f)
		diff(a.r, hi, f)
	default:
		lo, hi := a.split(b.off)
		f(b.cell)
		diff(lo, b.l, f)
		diff(hi, b.r, f)
	}
}

// write stores a cell and removes the bytes that it overlaps from older cells.
func (t *treap) write(c *smt.Context, w cell) *treap {
	if old := t.floor(w.off); old != nil && old.off == w.off && old.n == w.n {
		return t.put(w)
	}
	var hit []cell
	t.overlapping(w.off, w.n, func(o cell) { hit = append(hit, o) })
	if len(hit) == 0 {
		return t.put(w)
	}
	lo, rest := t.split(hit[0].off)
	_, hi := rest.split(hit[len(hit)-1].off + 1)
	t = join(lo, hi)
	for _, o := range hit {
		if o.off < w.off {
			t = t.put(cell{o.off, w.off - o.off, slice(c, o.val, 0, w.off-o.off)})
		}
		if end := o.off + o.n; end > w.off+w.n {
			from := w.off + w.n - o.off
			t = t.put(cell{w.off + w.n, o.n - from, slice(c, o.val, from, o.n-from)})
		}
	}
	return t.put(w)
}

// slice returns bytes [from, from+n) of a little-endian value.
func slice(c *smt.Context, v smt.Term, from, n int64) smt.Term {
	return c.Extract(v, int((from+n)*8-1), int(from*8))
}
