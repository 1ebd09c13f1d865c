package mem

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// simulation runs the same writes on store maps and on an array of bytes.
//
// Symbols have concrete values in the model, so the term of a read must evaluate to the bytes.
type simulation struct {
	t     *testing.T
	rnd   *rand.Rand
	c     *smt.Context
	m     *Memory
	model *smt.Model
	size  int
	// copies counts stores that recorded the source of their value.
	copies int
}

// number returns a term whose value in the model is v.
//
// It is a constant or a symbol: an unconstrained one, one with few bits, or the address of a part of an array
// element.
func (s *simulation) number(v uint64) smt.Term {
	symbol := func(width int, v uint64) smt.Term {
		t := s.c.Var(fmt.Sprintf("n%d", v), smt.BV(width))
		s.model.SetVar(t, smt.UintValue(width, v))
		return t
	}
	switch s.rnd.Intn(6) {
	case 0, 1, 2:
		return s.c.Int(64, v)
	case 3:
		return symbol(64, v)
	case 4:
		return s.c.Zext(symbol(6, v), 64)
	}
	stride := []uint64{2, 4, 8, 16, 24}[s.rnd.Intn(5)]
	index := s.c.Zext(symbol(6, v/stride), 64)
	return s.c.Add(s.c.Mul(index, s.c.Int(64, stride)), s.c.Int(64, v%stride))
}

func (s *simulation) condition(v bool) smt.Term {
	if s.rnd.Intn(2) == 0 {
		return s.c.BoolConst(v)
	}
	t := s.c.Var("b", smt.Bool)
	s.model.SetVar(t, smt.BoolValue(v))
	return t
}

// branch is a version with its expected bytes.
type branch struct {
	v     *Version
	bytes []byte
}

func (s *simulation) step(b branch) branch {
	bytes := append([]byte(nil), b.bytes...)
	happens := s.rnd.Intn(4) > 0
	cond := s.condition(happens)
	switch s.rnd.Intn(5) {
	case 0: // load, and store of the loaded value at some distance
		n := []int{1, 2, 4, 8, 3}[s.rnd.Intn(5)]
		from, at := s.rnd.Intn(s.size-n+1), s.rnd.Intn(s.size-n+1)
		off := s.number(uint64(from))
		to := s.c.Add(off, s.c.IntS(64, int64(at-from)))
		b.v = s.m.Write(b.v, cond, to, s.m.Read(b.v, off, int64(n)), int64(n))
		if b.v.kind == layerStore && b.v.src != nil {
			s.copies++
		}
		if happens {
			copy(bytes[at:at+n], append([]byte(nil), bytes[from:from+n]...))
		}
	case 1, 2: // store
		n := []int{1, 2, 4, 8, 3}[s.rnd.Intn(5)]
		at := s.rnd.Intn(s.size - n + 1)
		if s.rnd.Intn(2) == 0 && n != 3 {
			at = at / n * n
		}
		val := s.rnd.Uint64()
		term := s.c.Var("v", smt.BV(n*8))
		s.model.SetVar(term, smt.UintValue(n*8, val))
		b.v = s.m.Write(b.v, cond, s.number(uint64(at)), term, int64(n))
		for k := 0; happens && k < n; k++ {
			bytes[at+k] = byte(val >> (8 * k))
		}
	case 3: // fill
		at := s.rnd.Intn(s.size)
		n := s.rnd.Intn(s.size - at + 1)
		b.v = s.m.Fill(b.v, cond, s.number(uint64(at)), s.c.Int(8, 0xA5), s.number(uint64(n)))
		for k := 0; happens && k < n; k++ {
			bytes[at+k] = 0xA5
		}
	default: // copy within the object, possibly overlapping
		from, at := s.rnd.Intn(s.size), s.rnd.Intn(s.size)
		n := s.rnd.Intn(s.size - max(from, at) + 1)
		b.v = s.m.Copy(b.v, cond, s.number(uint64(at)), b.v, s.number(uint64(from)), s.number(uint64(n)))
		if happens {
			copy(bytes[at:at+n], append([]byte(nil), bytes[from:from+n]...))
		}
	}
	b.bytes = bytes
	return b
}

func (s *simulation) check(b branch) {
	for range 6 {
		n := []int{1, 2, 4, 8, 5}[s.rnd.Intn(5)]
		at := s.rnd.Intn(s.size - n + 1)
		got := s.c.NewEvaluator(s.model).Eval(s.m.Read(b.v, s.number(uint64(at)), int64(n))).Uint64()
		var want uint64
		for k := n - 1; k >= 0; k-- {
			want = want<<8 | uint64(b.bytes[at+k])
		}
		if got != want {
			s.t.Fatalf("read of %d bytes at %d: %#x, want %#x", n, at, got, want)
		}
	}
}

func TestStoreMapsAgainstBytes(t *testing.T) {
	leaves, copies, seeds := int64(0), 0, int64(300)
	if testing.Short() {
		seeds = 100
	}
	for seed := range seeds {
		c := smt.NewContext()
		s := &simulation{t: t, rnd: rand.New(rand.NewSource(seed)), c: c, m: New(c), model: smt.NewModel(), size: 8 +
			int(seed%40)}
		s.m.Off.StoreMap = seed%5 == 4
		b := branch{bytes: make([]byte, s.size)}
		switch seed % 3 {
		case 0:
			b.v = s.m.Zero()
		case 1:
			for i := range b.bytes {
				b.bytes[i] = byte(s.rnd.Intn(256))
			}
			b.v = s.m.Data(append([]byte(nil), b.bytes...))
		default:
			v, f := s.m.Arbitrary("delta")
			b.v = v
			for w := 0; w*8 < s.size; w++ {
				word := s.rnd.Uint64()
				s.model.SetFunc(f, smt.UintValue(61, uint64(w)), smt.UintValue(64, word))
				for k := 0; k < 8 && w*8+k < s.size; k++ {
					b.bytes[w*8+k] = byte(word >> (8 * k))
				}
			}
		}
		for range 12 {
			if s.rnd.Intn(4) == 0 { // a diamond
				x, y := b, b
				for range s.rnd.Intn(3) {
					x = s.step(x)
				}
				for range s.rnd.Intn(3) {
					y = s.step(y)
				}
				left := s.rnd.Intn(2) == 0
				v := s.m.Merge(s.condition(left), x.v, y.v)
				if b = y; left {
					b = x
				}
				b.v = v
			} else {
				b = s.step(b)
			}
			s.check(b)
		}
		leaves += s.m.Stats["select-tree-leaves"]
		copies += s.copies
	}
	if leaves == 0 {
		t.Error("no read was a tree")
	}
	if int64(copies) < seeds/3 {
		t.Errorf("%d stores knew where their values were read", copies)
	}
}

// TestCopiedWordsAreTheSource checks a loop that copies word by word between unknown offsets.
//
// A byte of the destination is that of the source, whichever word contains it.
func TestCopiedWordsAreTheSource(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	src, f := m.Arbitrary("source")
	v, _ := m.Arbitrary("destination")
	first := c.Zext(c.Var("first", smt.BV(3)), 64)
	for k := range uint64(10) {
		off := c.Add(first, c.Int(64, 8*k))
		v = m.Write(v, c.True(), off, m.Read(src, off, 8), 8)
	}
	got := m.Read(v, c.Add(first, c.Zext(c.Var("x", smt.BV(7)), 64)), 1)
	words := 0
	for _, x := range c.Cone(got) {
		if c.Op(x) == smt.OpApply && c.FuncOf(x) == f {
			words++
		}
	}
	if words != 1 {
		t.Errorf("a byte depends on %d words of the source", words)
	}
}

// TestTableReads reads constant tables at each offset that a bounded index can have; such reads compare no offsets.
func TestTableReads(t *testing.T) {
	for _, size := range []int{1, 2, 7, 8, 9, 16, 17, 33} {
		for values := 1; values <= size; values++ {
			c := smt.NewContext()
			m := New(c)
			data := make([]byte, size)
			for i := range data {
				data[i] = byte(i*37 + 1)
			}
			x := c.Var("x", smt.BV(64))
			off := c.Urem(x, c.Int(64, uint64(values)))
			read := m.Read(m.Data(data), off, 1)
			for i := range values {
				model := smt.NewModel()
				model.SetVar(x, smt.UintValue(64, uint64(i)))
				if got := c.NewEvaluator(model).EvalUint(read); byte(got) != data[i] {
					t.Fatalf("byte %d of %d, an index below %d: %d, want %d", i, size, values, got, data[i])
				}
			}
		}
	}
}

func TestTableIsATree(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	v := m.Zero()
	const n = 1 << 12
	for i := range int64(n) {
		v = m.Write(v, c.True(), c.Int(64, uint64(4*i)), c.Int(32, uint64(7*i)), 4)
	}
	index := c.Var("i", smt.BV(12))
	read := m.Read(v, c.Mul(c.Zext(index, 64), c.Int(64, 4)), 4)
	model := smt.NewModel()
	for _, i := range []uint64{0, 1, 2, 1000, n - 1} {
		model.SetVar(index, smt.UintValue(12, i))
		if got := c.NewEvaluator(model).Eval(read).Uint64(); got != 7*i {
			t.Errorf("element %d: %d", i, got)
		}
	}
	if leaves := m.Stats["select-tree-leaves"]; leaves != n || m.Stats["select-chain-links"] != 0 {
		t.Errorf("%d leaves and %d links", leaves, m.Stats["select-chain-links"])
	}
}

// TestDiamondsStayLinear checks that k diamonds with writes at symbolic offsets do not cost 2^k reads.
func TestDiamondsStayLinear(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	v := m.Zero()
	for range 60 {
		off := c.Var("i", smt.BV(64))
		a := m.Write(v, c.True(), off, c.Var("x", smt.BV(8)), 1)
		b := m.Write(v, c.True(), off, c.Var("y", smt.BV(8)), 1)
		v = m.Merge(c.Var("c", smt.Bool), a, b)
	}
	m.Read(v, c.Int(64, 3), 1)
	if n := c.NumTerms(); n > 5000 {
		t.Fatalf("%d terms for one read behind 60 diamonds", n)
	}
}

// TestMergeTouchesOnlyTheDifference checks that merging two maps that differ in one cell reads one cell.
//
// Common parts are found by identity.
func TestMergeTouchesOnlyTheDifference(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	v := m.Zero()
	for i := range 1000 {
		v = m.Write(v, c.True(), c.Int(64, uint64(4*i)), c.Int(32, uint64(i)), 4)
	}
	a := m.Write(v, c.True(), c.Int(64, 400), c.Var("x", smt.BV(32)), 4)
	before := c.NumTerms()
	merged := m.Merge(c.Var("c", smt.Bool), a, v)
	if n := c.NumTerms() - before; n > 4 {
		t.Errorf("%d new terms for one differing cell", n)
	}
	if got, ok := c.Uint64(m.Read(merged, c.Int(64, 404), 4)); !ok || got != 101 {
		t.Errorf("a shared cell reads %d, %v", got, ok)
	}
}

func TestTreapAgainstMap(t *testing.T) {
	c := smt.NewContext()
	rnd := rand.New(rand.NewSource(1))
	var root *treap
	bytes := map[int64]byte{}
	for i := range 3000 {
		off, n := int64(rnd.Intn(300)), int64(1+rnd.Intn(8))
		val := rnd.Uint64()
		root = root.write(c, cell{off, n, c.Int(int(n)*8, val)})
		for k := range n {
			bytes[off+k] = byte(val >> (8 * k))
		}
		if i%100 != 0 {
			continue
		}
		seen := 0
		last := int64(-1)
		root.all(func(x cell) {
			if x.off <= last {
				t.Fatalf("cells overlap or are out of order at %d", x.off)
			}
			last = x.off + x.n - 1
			for k := range x.n {
				got, _ := c.Uint64(slice(c, x.val, k, 1))
				if byte(got) != bytes[x.off+k] {
					t.Fatalf("byte %d is %#x, want %#x", x.off+k, got, bytes[x.off+k])
				}
				seen++
			}
		})
		if seen != len(bytes) {
			t.Fatalf("%d bytes in the map, want %d", seen, len(bytes))
		}
	}
}

// TestProbe checks that probes do not call OnRead, and that a later read of the same byte by the program does.
//
// A byte below forty branches that share their past is probed once in each, not 2^40 times.
func TestProbe(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	var reports int
	m.OnRead = func(smt.Func, smt.Term, int64) { reports++ }
	v, _ := m.Arbitrary("content")
	for i := range 40 {
		at := func(name string) smt.Term { return c.Var(fmt.Sprint(name, i), smt.BV(64)) }
		a := m.Write(v, c.True(), at("a"), c.Int(8, 1), 1)
		b := m.Write(v, c.True(), at("b"), c.Int(8, 2), 1)
		v = m.Merge(c.Var(fmt.Sprint("taken", i), smt.Bool), a, b)
	}
	off := c.Var("off", smt.BV(64))
	var probed smt.Term
	m.Probe(func() { probed = m.Read(v, off, 1) })
	if reports != 0 {
		t.Errorf("%d reads were told while probing", reports)
	}
	if read := m.Read(v, off, 1); read != probed {
		t.Errorf("probed %s, read %s", c.String(probed), c.String(read))
	}
	if reports == 0 {
		t.Error("the program's own read was not told")
	}
}

// TestReadEnds checks that a read which takes too long stops soon after the run ends.
//
// Sixty copies of unknown lengths from one unknown offset to another may each have moved the byte that is read.
func TestReadEnds(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	v, _ := m.Arbitrary("content")
	for i := range 60 {
		symbol := func(name string) smt.Term { return c.Var(fmt.Sprint(name, i), smt.BV(64)) }
		v = m.Copy(v, c.True(), symbol("to"), v, symbol("from"), symbol("len"))
	}
	asked := 0
	m.Ended = func() bool { asked++; return asked == 3 }
	m.Read(v, c.Var("off", smt.BV(64)), 1)
	if asked != 3 {
		t.Errorf("asked %d times whether to go on, want 3", asked)
	}
}

// TestDifferInElements checks that an array is taken apart only if it is small and each write is one of an element.
func TestDifferInElements(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	old, _ := m.Arbitrary("content")
	wide := func(name string) smt.Term { return c.Var(name, smt.BV(64)) }
	element := func(n uint64) smt.Term { return c.Mul(c.Zext(c.Var("k", smt.BV(8)), 64), c.Int(64, n)) }
	write := func(v *Version, off smt.Term, n int64) *Version {
		return m.Write(v, c.True(), off, c.Int(int(8*n), 7), n)
	}
	for _, x := range []struct {
		name string
		size smt.Term
		now  *Version
		want int // elements; 0: it is not taken apart
	}{
		{"elements", c.Int(64, 16), write(write(old, element(4), 4), element(4), 4), 4},
		{"beside a constant offset", c.Int(64, 16), write(write(old, element(4), 4), c.Int(64, 8), 4), 4},
		{"bytes", c.Int(64, 3), write(old, wide("k1"), 1), 3},
		{"too many", c.Int(64, 20), write(old, element(4), 4), 0},
		{"another width", c.Int(64, 8), write(write(old, element(4), 4), element(4), 2), 0},
		{"across two", c.Int(64, 16), write(old, element(2), 4), 0},
		{"across two at a constant offset", c.Int(64, 16), write(write(old, element(4), 4), c.Int(64, 6), 4), 0},
		{"as wide as a pointer", c.Int(64, 16), write(old, element(8), 8), 0},
		{"a rest", c.Int(64, 10), write(old, element(4), 4), 0},
		{"unknown size", wide("size"), write(old, element(4), 4), 0},
		{"a range", c.Int(64, 16), m.Fill(write(old, element(4), 4), c.True(), wide("at"), c.Int(8, 0), wide("len")), 0},
		{"not written at an offset that varies", c.Int(64, 16), write(old, c.Int(64, 4), 4), 0},
	} {
		id := len(m.Objects)
		m.Objects = append(m.Objects, &Object{ID: id, Size: x.size})
		cells, ok := m.DifferInElements(id, x.now, old, 4)
		if ok != (x.want > 0) || len(cells) != x.want {
			t.Errorf("%s: %d elements, %v; want %d", x.name, len(cells), ok, x.want)
		}
	}
}
