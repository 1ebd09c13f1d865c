package mem

import (
	"math"
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

func sortCells(r []cell) {
	slices.SortFunc(r, func(a, b cell) int {
		switch {
		case a.off < b.off:
			return -1
		case a.off > b.off:
			return 1
		}
		return int(b.n - a.n)
	})
}

// wordOf returns the number, of 61 bits, of the aligned word that contains an offset.
func (m *Memory) wordOf(off smt.Term) smt.Term {
	return m.C.Zext(m.C.Extract(off, m.Width-1, 3), 61)
}

// signed returns the signed value of a coefficient or an offset as wide as an address.
func (m *Memory) signed(v uint64) int64 {
	s := uint(64 - m.Width)
	return int64(v<<s) >> s
}

// Read returns the n bytes at off of v as a little-endian value of 8n bits.
//
// The caller has checked that the access is inside the object; otherwise the value is meaningless.
func (m *Memory) Read(v *Version, off smt.Term, n int64) smt.Term {
	c := m.C
	if n == 0 {
		panic("mem: read of no bytes")
	}
	if m.ended() {
		return c.Var("read of a run that is over", smt.BV(int(n)*8))
	}
	key := readKey{off, n}
	at, fixed := c.Int64(off)
	switch v.kind {
	case layerZero:
		return c.Int(int(n)*8, 0)
	case layerDelta:
		t := m.readDelta(v, off, n)
		m.readFrom(t, v, off, n)
		m.noteRead(Reading{v.fn, off, n, t})
		return t
	case layerMap:
		if fixed {
			m.Stats["store-map-reads"]++
			return m.readCells(v, at, n)
		}
	}
	if t, ok := v.memo[key]; ok {
		m.Stats["read-memo-hits"]++
		return t
	}
	if t, ok := m.probes[probe{v, key}]; ok {
		return t
	}
	var t smt.Term
	switch v.kind {
	case layerData:
		t = m.readData(v, off, n)
	case layerMap:
		t = m.readAnywhere(v, off, n)
	case layerStore:
		t = m.readStore(v, off, n)
	case layerFill:
		t = m.readRange(v, off, n, func(smt.Term, int64) smt.Term { return repeat(c, v.val, n) },
			func(smt.Term) smt.Term { return v.val })
	case layerCopy:
		t = m.readRange(v, off, n, func(d smt.Term, n int64) smt.Term { return m.Read(v.src, c.Add(v.from, d), n) },
			func(d smt.Term) smt.Term { return m.Read(v.src, c.Add(v.from, d), 1) })
	case layerMerge:
		t = c.Ite(v.cond, m.Read(v.a, off, n), m.Read(v.b, off, n))
	}
	if m.probes != nil {
		m.probes[probe{v, key}] = t
		return t
	}
	if v.memo == nil {
		v.memo = map[readKey]smt.Term{}
	}
	v.memo[key] = t
	m.readFrom(t, v, off, n)
	return t
}

// readsBetween is the number of steps of reads, each of about a microsecond, between two calls of Ended.
const readsBetween = 1 << 12

func (m *Memory) ended() bool { return m.Spend(1) }

// Spend counts steps of work with the memory, each of about a microsecond, and reports whether the run is over.
func (m *Memory) Spend(steps int) bool {
	m.steps += steps
	if m.steps >= readsBetween {
		if m.steps = 0; m.Ended != nil && !m.over {
			m.over = m.Ended()
		}
	}
	return m.over
}

// A probe is a read by the engine itself, as opposed to a read by the program.
//
// Its result is not stored in Version.memo, since the first read that fills it must call OnRead. Probes have their
// own memo, because branches share versions, which would otherwise be read once along each branch.
type probe struct {
	v *Version
	readKey
}

// Probe executes f. Reads in f are probes: they never lead to a call of OnRead.
func (m *Memory) Probe(f func()) {
	m.probes = map[probe]smt.Term{}
	defer func() { m.probes = nil }()
	f()
}

// readDelta reads arbitrary content: a part of a word if the alignment is known, otherwise a choice among its bytes.
func (m *Memory) readDelta(v *Version, off smt.Term, n int64) smt.Term {
	c := m.C
	if m.OnRead != nil && m.probes == nil {
		m.OnRead(v.fn, off, n)
	}
	zeros, ones := c.KnownBits(off)
	if (zeros|ones)&7 != 7 {
		if low := uint64(n - 1); m.Reading && n < 8 && n&(n-1) == 0 && zeros&low == low {
			return m.readSlot(v, off, n)
		}
		if n > 1 {
			return m.byteByByte(v, off, n)
		}
		word := c.Apply(v.fn, m.wordOf(off))
		t := c.Extract(word, 63, 56)
		for k := 6; k >= 0; k-- {
			t = c.Ite(c.Eq(c.Extract(off, 2, 0), c.Int(3, uint64(k))), c.Extract(word, 8*k+7, 8*k), t)
		}
		return t
	}
	var t smt.Term
	for at := int64(ones & 7); n > 0; at = 0 {
		k := min(n, 8-at)
		part := c.Extract(c.Apply(v.fn, m.wordOf(off)), int(8*(at+k)-1), int(8*at))
		if t == 0 {
			t = part
		} else {
			t = c.Concat(part, t)
		}
		off, n = c.Add(off, m.Int(uint64(k))), n-k
	}
	return t
}

// readSlot reads n bytes, a power of two below 8, at a multiple of n, as a choice among the parts of one word.
//
// Thus elements of arrays remain terms with few parts.
func (m *Memory) readSlot(v *Version, off smt.Term, n int64) smt.Term {
	c := m.C
	word := c.Apply(v.fn, m.wordOf(off))
	from := bits.TrailingZeros64(uint64(n))
	slot := c.Extract(off, 2, from)
	at := 8/n - 1
	t := c.Extract(word, 63, int(8*n*at))
	for at--; at >= 0; at-- {
		t = c.Ite(c.Eq(slot, c.Int(3-from, uint64(at))), c.Extract(word, int(8*n*(at+1))-1, int(8*n*at)), t)
	}
	return t
}

// bytes builds a little-endian value of n bytes.
func (m *Memory) bytes(n int64, byteAt func(k int64) smt.Term) smt.Term {
	t := byteAt(0)
	for k := int64(1); k < n; k++ {
		t = m.C.Concat(byteAt(k), t)
	}
	return t
}

func repeat(c *smt.Context, b smt.Term, n int64) smt.Term {
	t := b
	for k := int64(1); k < n; k++ {
		t = c.Concat(b, t)
	}
	return t
}

func (m *Memory) byteByByte(v *Version, off smt.Term, n int64) smt.Term {
	return m.bytes(n, func(k int64) smt.Term { return m.Read(v, m.C.Add(off, m.Int(uint64(k))), 1) })
}

// readCells reads a range at a constant offset: from cells, and from the version below for the gaps.
func (m *Memory) readCells(v *Version, at, n int64) smt.Term {
	c := m.C
	if o := v.cells.floor(at); o != nil && o.off+o.n >= at+n {
		return slice(c, o.val, at-o.off, n)
	}
	var t smt.Term
	add := func(p smt.Term) {
		if t == 0 {
			t = p
		} else {
			t = c.Concat(p, t)
		}
	}
	pos := at
	v.cells.overlapping(at, n, func(o cell) {
		if o.off > pos {
			add(m.Read(v.parent, m.Int(uint64(pos)), o.off-pos))
			pos = o.off
		}
		end := min(o.off+o.n, at+n)
		add(slice(c, o.val, pos-o.off, end-pos))
		pos = end
	})
	if pos < at+n {
		add(m.Read(v.parent, m.Int(uint64(pos)), at+n-pos))
	}
	return t
}

// positions lists the constant offsets that off may have and at which a read of n bytes overlaps a cell, ascending.
//
// It uses the interval and the known bits of off. ok is false if there are too many offsets.
func (m *Memory) positions(v *Version, off smt.Term, n int64) (at []int64, ok bool) {
	zeros, ones := m.C.KnownBits(off)
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64-1)
	if from, to := m.C.Range(off); m.signed(to) >= 0 { // the interval does not wrap into negative offsets
		lo, hi = int64(from), min(hi, int64(to))
	}
	ok = true
	v.cells.after(lo, func(o cell) bool {
		for p := max(lo, o.off-n+1); p <= min(hi, o.off+o.n-1); p++ {
			if uint64(p)&zeros&^(^uint64(0)<<(m.Width-1)<<1) != 0 || ^uint64(p)&ones != 0 {
				continue
			}
			if ok = len(at) < maxTree; !ok {
				return false
			}
			at = append(at, p)
		}
		lo = max(lo, o.off+o.n)
		return lo <= hi
	})
	return at, ok
}

// readAnywhere reads a map at a symbolic offset.
//
// The result is a choice among the offsets that overlap a cell, by a chain or a tree, and the version below for all
// others.
func (m *Memory) readAnywhere(v *Version, off smt.Term, n int64) smt.Term {
	c := m.C
	if v.cells == nil {
		return m.Read(v.parent, off, n)
	}
	at, ok := m.positions(v, off, n)
	if !ok {
		m.TooLarge = true
		return c.Var("select-chain too long", smt.BV(int(n)*8))
	}
	if len(at) == 0 {
		return m.Read(v.parent, off, n)
	}
	zeros, ones := c.KnownBits(off)
	isTree := len(at) >= minTree && at[0] >= 0 && dense(at, zeros|ones)
	if !isTree && len(at) > maxPositions {
		m.TooLarge = true
		return c.Var("select-chain too long", smt.BV(int(n)*8))
	}
	t := m.Read(v.parent, off, n)
	if isTree {
		m.Stats["select-tree-leaves"] += int64(len(at))
		return m.readTree(v, off, n, at, t)
	}
	m.Stats["select-chain-links"] += int64(len(at))
	for _, p := range slices.Backward(at) {
		t = c.Ite(c.Eq(off, m.Int(uint64(p))), m.readCells(v, p, n), t)
	}
	return t
}

// minTree is the least number of offsets for which a choice becomes a tree.
const minTree = 4

// dense reports whether at is at least half of all offsets between its first and last that agree with the known bits.
func dense(at []int64, known uint64) bool {
	possible := uint64(at[len(at)-1]-at[0])>>bits.TrailingZeros64(^known) + 1
	return uint64(len(at))*2 >= possible
}

// readTree chooses among the cells at the given offsets by a decision tree over the bits of off.
//
// Equal subtrees coincide, whereas a chain has one comparison for each offset. All other offsets yield other.
func (m *Memory) readTree(v *Version, off smt.Term, n int64, at []int64, other smt.Term) smt.Term {
	c := m.C
	zeros, ones := c.KnownBits(off)
	top := bits.Len64(uint64(at[0]) ^ uint64(at[len(at)-1])) // the bits in which places differ
	var tree func(bit int, at []int64) smt.Term
	tree = func(bit int, at []int64) smt.Term {
		switch {
		case len(at) == 0:
			return other
		case bit < 0:
			return m.readCells(v, at[0], n)
		case (zeros|ones)>>bit&1 == 1:
			return tree(bit-1, at)
		}
		k, _ := slices.BinarySearchFunc(at, 1, func(p int64, _ int) int { return int(p>>bit&1)*2 - 1 })
		return c.Ite(c.Eq(c.Extract(off, bit, bit), c.Int(1, 1)), tree(bit-1, at[k:]), tree(bit-1, at[:k]))
	}
	t := tree(top-1, at)
	return c.Ite(c.Eq(c.Extract(off, m.Width-1, top), c.Int(m.Width-top, uint64(at[0])>>top)), t, other)
}

// readData reads constant bytes at a symbolic offset by a decision tree over the bits of off, in which equal subtrees
// coincide.
func (m *Memory) readData(v *Version, off smt.Term, n int64) smt.Term {
	c := m.C
	value := func(p int64) smt.Term {
		return m.bytes(n, func(k int64) smt.Term {
			var b byte
			if i := p + k; i >= 0 && i < int64(len(v.data)) {
				b = v.data[i]
			}
			return c.Int(8, uint64(b))
		})
	}
	if at, ok := c.Int64(off); ok {
		return value(at)
	}
	zeros, _ := c.KnownBits(off)
	_, hi := c.Range(off)
	top := int64(len(v.data)) - 1
	if m.signed(hi) >= 0 {
		top = min(top, int64(hi))
	}
	bits := 0
	for int64(1)<<bits <= top {
		bits++
	}
	if bits > 20 {
		m.TooLarge = true
		return c.Var("select-chain too long", smt.BV(int(n)*8))
	}
	var tree func(bit int, p int64) smt.Term
	tree = func(bit int, p int64) smt.Term {
		if bit < 0 {
			return value(p)
		}
		zero := tree(bit-1, p)
		if zeros>>bit&1 == 1 || p|1<<bit > top {
			return zero
		}
		return c.Ite(c.Eq(c.Extract(off, bit, bit), c.Int(1, 1)), tree(bit-1, p|1<<bit), zero)
	}
	m.Stats["table-reads"]++
	return tree(bits-1, 0)
}

// readStore reads through one write at a symbolic offset.
func (m *Memory) readStore(v *Version, off smt.Term, n int64) smt.Term {
	c := m.C
	if v.n == n {
		same := c.Eq(off, v.off)
		if c.IsTrue(same) {
			m.Stats["symbolic-store-hits"]++
			return c.Ite(v.cond, v.val, m.below(v, off, n))
		}
		if m.disjointOrSame(off, v.off, n) {
			return c.Ite(c.And(v.cond, same), m.stored(v, off, n), m.below(v, off, n))
		}
	}
	if d := c.Sub(off, v.off); n < v.n { // a part of the stored value?
		if k, ok := c.Int64(d); ok {
			switch {
			case k >= 0 && k+n <= v.n:
				return c.Ite(v.cond, slice(c, v.val, k, n), m.below(v, off, n))
			case k <= -n || k >= v.n:
				m.Stats["symbolic-store-misses"]++
				return m.Read(v.parent, off, n)
			}
		}
	} else if k, ok := c.Int64(d); ok && (k <= -n || k >= v.n) {
		m.Stats["symbolic-store-misses"]++
		return m.Read(v.parent, off, n)
	}
	if n > 1 {
		return m.byteByByte(v, off, n)
	}
	t := m.below(v, off, 1)
	if v.src != nil {
		in := c.Ult(c.Sub(off, v.off), m.Int(uint64(v.n)))
		return c.Ite(c.And(v.cond, in), m.stored(v, off, 1), t)
	}
	for k := int64(0); k < v.n; k++ {
		hit := c.And(v.cond, c.Eq(off, c.Add(v.off, m.Int(uint64(k)))))
		t = c.Ite(hit, slice(c, v.val, k, 1), t)
	}
	return t
}

// stored reads n bytes of a stored value, for an offset inside it.
//
// A value that was itself read from memory is read again from there. So the words that a loop copies are one term,
// whichever of them is read.
func (m *Memory) stored(v *Version, off smt.Term, n int64) smt.Term {
	if v.src == nil {
		return v.val
	}
	return m.Read(v.src, m.C.Add(v.from, m.C.Sub(off, v.off)), n)
}

func (m *Memory) below(v *Version, off smt.Term, n int64) smt.Term {
	if m.C.IsTrue(v.cond) && off == v.off && n == v.n {
		return v.val // not needed: the write covers it
	}
	return m.Read(v.parent, off, n)
}

// disjointOrSame reports whether two accesses of n bytes either coincide or are disjoint.
//
// That is certain if both offsets are congruent modulo a power of two that is at least n.
func (m *Memory) disjointOrSame(a, b smt.Term, n int64) bool {
	if n&(n-1) != 0 {
		return n == 1
	}
	low := uint64(n - 1)
	za, oa := m.C.KnownBits(a)
	zb, ob := m.C.KnownBits(b)
	return (za|oa)&low == low && (zb|ob)&low == low && oa&low == ob&low
}

// readRange reads through a fill or a copy.
//
// block returns n bytes at distance d from the start of the range, single returns one byte.
func (m *Memory) readRange(v *Version, off smt.Term, n int64, block func(d smt.Term, n int64) smt.Term,
	single func(d smt.Term) smt.Term) smt.Term {
	c := m.C
	inside := func(d smt.Term) smt.Term { return c.And(v.cond, c.Ult(d, v.len)) }
	d := c.Sub(off, v.off)
	if v.wholeObject {
		return block(d, n)
	}
	if n == 1 {
		in := inside(d)
		if c.IsFalse(in) {
			return m.Read(v.parent, off, 1)
		}
		if c.IsTrue(in) {
			return single(d)
		}
		return c.Ite(in, single(d), m.Read(v.parent, off, 1))
	}
	lastIn := inside(c.Add(d, m.Int(uint64(n-1))))
	firstIn := inside(d)
	// The bytes between are inside if both ends are: n is far below 2^63.
	all := c.And(firstIn, lastIn, c.Ult(d, c.Add(d, m.Int(uint64(n-1)))))
	if c.IsTrue(all) {
		return block(d, n)
	}
	zl, ol := c.KnownBits(v.len)
	zd, od := c.KnownBits(d)
	low := uint64(n - 1)
	aligned := n&(n-1) == 0 && zl&low == low && zd&low == low && ol&low == 0 && od&low == 0
	if aligned {
		return c.Ite(firstIn, block(d, n), m.Read(v.parent, off, n))
	}
	if k, ok := c.Int64(d); ok {
		if l, known := c.Uint64(v.len); known && (k <= -n || k >= 0 && uint64(k) >= l) {
			return m.Read(v.parent, off, n)
		}
	}
	return c.Ite(all, block(d, n), m.byteByByte(v, off, n))
}
