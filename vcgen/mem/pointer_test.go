package mem

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

func object(m *Memory, s *State, name string, size uint64) *Object {
	return m.NewObject(s, Object{Kind: Heap, Name: name, Size: m.C.Int(64, size), Align: 16, Guard: m.C.True()}, m.Zero(),
		m.C.True())
}

func TestCandidatesFollowThePointer(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	a, b := object(m, s, "a", 40), object(m, s, "b", 8)
	i := c.Zext(c.Var("i", smt.BV(32)), 64)
	cond := c.Var("c", smt.Bool)
	elem := c.Add(a.Base, c.Mul(i, c.Int(64, 4)))
	tests := []struct {
		name string
		p    smt.Term
		want []int // objects
	}{
		{"base", a.Base, []int{a.ID}},
		{"element", elem, []int{a.ID}},
		{"out and back", c.Sub(c.Add(elem, c.Int(64, 8)), c.Int(64, 8)), []int{a.ID}},
		{"null", c.Int(64, 0), []int{None}},
		{"arbitrary bits", c.Var("p", smt.BV(64)), []int{None}},
		{"choice", c.Ite(cond, elem, b.Base), []int{a.ID, b.ID}},
		{"choice moved", c.Add(c.Ite(cond, elem, b.Base), c.Int(64, 4)), []int{a.ID, b.ID}},
		{"choice in one object", c.Ite(cond, elem, a.Base), []int{a.ID}},
		{"tag set and cleared", c.BvAnd(c.BvOr(a.Base, c.Int(64, 1)), c.BvNot(c.Int(64, 1))), []int{a.ID}},
		{"difference of one object", c.Add(b.Base, c.Sub(elem, a.Base)), []int{b.ID}},
	}
	for _, tt := range tests {
		got := m.Candidates(tt.p, AsNoObject)
		var objs []int
		for _, x := range got {
			objs = append(objs, x.Obj)
		}
		if len(objs) != len(tt.want) {
			t.Errorf("%s: objects %v, want %v", tt.name, objs, tt.want)
			continue
		}
		for k := range objs {
			if objs[k] != tt.want[k] {
				t.Errorf("%s: objects %v, want %v", tt.name, objs, tt.want)
			}
		}
	}
}

// TestManyCandidates checks that a pointer which may be one of many needs a single lookup by address: not one for each
// choice in it, which takes cubic time.
func TestManyCandidates(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	p := m.Int(0)
	for range 3 * maxCandidates {
		p = c.Ite(c.Var("c", smt.Bool), object(m, s, "node", 16).Base, p)
	}
	if n := len(m.Candidates(c.Add(p, m.Int(8)), AsNoObject)); n != 3*maxCandidates+1 {
		t.Errorf("%d candidates", n)
	}
	if n := m.Stats["lookups-by-address"]; n != 1 {
		t.Errorf("%d lookups by address", n)
	}
}

// TestLookupsByAddress checks integers whose structure does not determine an object.
//
// They are compared with the addresses of the objects that they are computed from in each case, the youngest first.
func TestLookupsByAddress(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	a, b := object(m, s, "a", 40), object(m, s, "b", 8)
	cond, mask := c.Var("c", smt.Bool), c.Var("m", smt.BV(64))
	xor := func(x, y smt.Term) smt.Term { return c.BvXor(x, y) }
	both := xor(xor(a.Base, b.Base), mask)
	either := xor(c.Ite(cond, a.Base, b.Base), mask)
	aToo := xor(c.Ite(cond, xor(a.Base, c.Int(64, 1)), xor(a.Base, b.Base)), mask)
	tests := []struct {
		name     string
		p        smt.Term
		c        bool
		a, b, p0 uint64 // the addresses
		want     int
	}{
		{"inside a", both, true, 0x1000, 0x2000, 0x1027, a.ID},
		{"inside b", both, true, 0x1000, 0x2000, 0x2007, b.ID},
		{"behind b", both, true, 0x1000, 0x2000, 0x2008, b.ID},
		{"elsewhere", both, true, 0x1000, 0x2000, 0x3000, None},
		{"inside both", both, true, 0x1000, 0x1010, 0x1012, b.ID},
		{"behind b, inside a", both, true, 0x1000, 0x1010, 0x1018, a.ID},
		{"of a, inside a", either, true, 0x1000, 0x2000, 0x1000, a.ID},
		{"of a, inside b", either, true, 0x1000, 0x2000, 0x2000, None},
		{"of a, inside both", either, true, 0x1000, 0x1010, 0x1012, a.ID},
		{"of b, inside a", either, false, 0x1000, 0x2000, 0x1000, None},
		{"of b, inside b", either, false, 0x1000, 0x2000, 0x2000, b.ID},
		{"of a only", aToo, true, 0x1000, 0x1010, 0x1012, a.ID},
		{"of a and b, inside a", aToo, false, 0x1000, 0x2000, 0x1000, a.ID},
		{"of a and b, inside both", aToo, false, 0x1000, 0x1010, 0x1012, b.ID},
	}
	for _, tt := range tests {
		model := smt.NewModel()
		model.SetVar(cond, smt.BoolValue(tt.c))
		model.SetVar(a.Base, smt.UintValue(64, tt.a))
		model.SetVar(b.Base, smt.UintValue(64, tt.b))
		model.SetVar(mask, smt.UintValue(64, 0))
		model.SetVar(mask, smt.UintValue(64, tt.p0^c.NewEvaluator(model).EvalUint(tt.p)))
		e := c.NewEvaluator(model)
		held := 0
		for _, x := range m.Candidates(tt.p, AsNoObject) {
			if !e.EvalBool(x.Cond) {
				continue
			}
			held++
			address := e.EvalUint(x.Off)
			if x.Obj != None {
				address += e.EvalUint(m.Objects[x.Obj].Base)
			}
			if x.Obj != tt.want || address != tt.p0 {
				t.Errorf("%s: object %d at %#x, want %d at %#x", tt.name, x.Obj, address, tt.want, tt.p0)
			}
		}
		if held != 1 {
			t.Errorf("%s: %d candidates hold, want 1", tt.name, held)
		}
	}
}

// TestPointerSurvivesBytes checks that a pointer whose bytes are split and joined again is the same pointer.
func TestPointerSurvivesBytes(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	a, b, box := object(m, s, "a", 40), object(m, s, "b", 8), object(m, s, "box", 16)
	p := c.Ite(c.Var("c", smt.Bool), c.Add(a.Base, c.Int(64, 8)), b.Base)
	m.Store(s, box.Base, p, 8)
	for k := range uint64(8) { // copy byte by byte to the upper half
		m.Store(s, c.Add(box.Base, c.Int(64, 8+k)), m.Load(s, c.Add(box.Base, c.Int(64, k)), 1), 1)
	}
	if got := m.Load(s, c.Add(box.Base, c.Int(64, 8)), 8); got != p {
		t.Errorf("the pointer came back as %s", c.String(got))
	}
}

func TestComparisons(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	a, b := object(m, s, "a", 16), object(m, s, "b", 16)
	m.Kill(s, a.ID, c.True())
	later := object(m, s, "later", 16)
	off := func(o *Object, k uint64) smt.Term { return c.Add(o.Base, c.Int(64, k)) }
	tests := []struct {
		name string
		p, q smt.Term
		want string // true, false, open
	}{
		{"same place", off(a, 4), off(a, 4), "true"},
		{"other place of one object", off(a, 4), off(a, 8), "false"},
		{"inside two live objects", off(a, 4), off(b, 4), "false"},
		{"one past the end", off(a, 16), off(b, 0), "open"},
		{"a freed address may come back", a.Base, later.Base, "open"},
		{"NULL", c.Int(64, 0), off(b, 8), "false"},
		{"one past the end is not NULL", c.Int(64, 0), off(b, 16), "false"},
		{"arbitrary bits may be an address", c.Var("p", smt.BV(64)), b.Base, "open"},
	}
	for _, tt := range tests {
		eq := m.Equal(s, tt.p, tt.q)
		got := "open"
		if c.IsTrue(eq) {
			got = "true"
		} else if c.IsFalse(eq) {
			got = "false"
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s (%s)", tt.name, got, tt.want, c.String(eq))
		}
	}
	outside := c.Var("nd_voidp", smt.BV(64))
	m.NoObject(outside)
	if !c.IsFalse(m.Equal(s, outside, b.Base)) {
		t.Error("an address in no object equals that of an object")
	}
}

// TestBoundsInFullWidth checks that an index times an element size does not wrap around into the object.
func TestBoundsInFullWidth(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	a := object(m, s, "a", 64)
	i := c.Var("i", smt.BV(64))
	p := c.Add(a.Base, c.Mul(i, c.Int(64, 8)))
	var bounds smt.Term
	for _, k := range m.CheckAccess(s, p, Access{Size: c.Int(64, 8)}) {
		if k.Kind == "out-of-bounds-read" {
			bounds = k.Cond
		}
	}
	for v, want := range map[uint64]bool{0: true, 7: true, 8: false, 1 << 61: false, ^uint64(0): false, 1<<61 + 3: false} {
		model := smt.NewModel()
		model.SetVar(i, smt.UintValue(64, v))
		if got := c.NewEvaluator(model).EvalBool(bounds); got != want {
			t.Errorf("index %#x: in bounds is %v, want %v", v, got, want)
		}
	}
}

// TestLayoutAxioms checks that live objects are disjoint, that a freed one may be reused, and that objects of size
// zero have distinct addresses.
func TestLayoutAxioms(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	a, b := object(m, s, "a", 16), object(m, s, "b", 0)
	m.Kill(s, a.ID, c.True())
	d := object(m, s, "d", 16)
	holds := func(av, bv, dv uint64) bool {
		model := smt.NewModel()
		for o, v := range map[*Object]uint64{a: av, b: bv, d: dv} {
			model.SetVar(o.Base, smt.UintValue(64, v))
		}
		ev := c.NewEvaluator(model)
		for _, t := range m.Axioms(a.Base, b.Base, d.Base) {
			if !ev.EvalBool(t) {
				return false
			}
		}
		return true
	}
	tests := []struct {
		a, b, d uint64
		want    bool
	}{
		{4096, 8192, 4096, true},   // d at the address of the freed a
		{4096, 4096, 8192, false},  // b has an address of its own
		{4096, 4112, 8192, true},   // one past the end of a
		{4096, 8192, 8192, false},  // d over b
		{0, 8192, 4096, false},     // NULL
		{1 << 47, 8192, 64, false}, // beyond the address space
	}
	for _, tt := range tests {
		if got := holds(tt.a, tt.b, tt.d); got != tt.want {
			t.Errorf("layout %d %d %d: %v, want %v", tt.a, tt.b, tt.d, got, tt.want)
		}
	}
}
