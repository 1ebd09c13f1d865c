package mem

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// execution is one execution of a random program: the bytes of each object, and what it ended by.
type execution struct {
	eval           *smt.Evaluator
	bytes          map[int][]byte
	dead, modified map[int]bool
	ended          bool // by an invalid access
}

// target is what a pointer denotes in an execution.
type target struct {
	object *Object // nil for NULL
	off    int64
}

// violates returns the first check that an access violates, "" if there is none.
func (x *execution) violates(to target, n, align int64, write bool) found.Kind {
	switch o := to.object; {
	case o == nil:
		return found.NullDereference
	case o.Kind == Function:
		return found.InvalidPointer
	case x.dead[o.ID] && o.Kind == Stack:
		return found.UseAfterScope
	case x.dead[o.ID]:
		return found.UseAfterFree
	case to.off < 0 || to.off+n > int64(len(x.bytes[o.ID])):
		if write {
			return found.OutOfBoundsWrite
		}
		return found.OutOfBoundsRead
	case write && o.Const:
		return found.ReadOnlyWrite
	case to.off%align != 0: // objects are aligned
		return found.Misaligned
	}
	return ""
}

// dereferenceable reports whether n bytes from a pointer on are inside of its object.
func (x *execution) dereferenceable(to target, n int64) bool {
	switch o := to.object; {
	case o == nil:
		return n == 0
	case o.Kind == Function || x.dead[o.ID]:
		return false
	default:
		return n >= 0 && to.off >= 0 && to.off+n <= int64(len(x.bytes[o.ID]))
	}
}

// TestAccessesThroughChoices runs random programs whose pointers are choices between objects, and compares each check,
// each value that is read and each object with all executions.
func TestAccessesThroughChoices(t *testing.T) {
	const choices = 3
	reads, failures := 0, map[found.Kind]int{}
	for seed := range uint64(200) {
		c, rnd := smt.NewContext(), rand.New(rand.NewPCG(seed, 1))
		m := New(c)
		m.BigEndian = seed%4 == 0
		s := m.NewState()
		s.Tracking = c.True()
		var conds []smt.Term
		for range choices {
			conds = append(conds, c.Var("q", smt.Bool))
		}
		var objects []*Object
		for k, kind := range []ObjectKind{Heap, Stack, Static, Heap, Function, Static} {
			objects = append(objects, m.NewObject(s, Object{Kind: kind, Size: c.Int(64, uint64(4+4*(k%3))), Align: 4,
				Const: k == 5, Guard: c.True()}, m.Zero(), c.True()))
		}
		var all []*execution
		for n := range 1 << choices {
			model := smt.NewModel()
			for i, q := range conds {
				model.SetVar(q, smt.BoolValue(n>>i&1 == 1))
			}
			x := &execution{bytes: map[int][]byte{}, dead: map[int]bool{}, modified: map[int]bool{}}
			for k, o := range objects {
				model.SetVar(o.Base, smt.UintValue(64, uint64(0x1000*(k+1))))
				x.bytes[o.ID] = make([]byte, 4+4*(k%3))
			}
			x.eval = c.NewEvaluator(model)
			all = append(all, x)
		}
		// pointer returns a pointer, and what it denotes in each execution.
		var pointer func(depth int) (smt.Term, func(x *execution) target)
		pointer = func(depth int) (smt.Term, func(x *execution) target) {
			if depth > 0 && rnd.IntN(4) > 0 {
				q := conds[rnd.IntN(choices)]
				a, isA := pointer(depth - 1)
				b, isB := pointer(depth - 1)
				return c.Ite(q, a, b), func(x *execution) target {
					if x.eval.EvalBool(q) {
						return isA(x)
					}
					return isB(x)
				}
			}
			if rnd.IntN(12) == 0 {
				return m.Int(0), func(*execution) target { return target{} }
			}
			o, off := objects[rnd.IntN(len(objects))], int64(rnd.IntN(6)-rnd.IntN(2))
			return c.Add(o.Base, m.IntS(off)), func(*execution) target { return target{o, off} }
		}
		order := func() binary.ByteOrder {
			if m.BigEndian {
				return binary.BigEndian
			}
			return binary.LittleEndian
		}()
		for range 10 {
			switch o, q := objects[rnd.IntN(4)], conds[rnd.IntN(choices)]; rnd.IntN(8) {
			case 0:
				m.Kill(s, o.ID, q)
				for _, x := range all {
					x.dead[o.ID] = x.dead[o.ID] || x.eval.EvalBool(q)
				}
				continue
			case 1:
				m.ResetModified(s, o.ID, q)
				for _, x := range all {
					x.modified[o.ID] = x.modified[o.ID] && !x.eval.EvalBool(q)
				}
				continue
			}
			p, denotes := pointer(2)
			n, write := int64(1)<<rnd.IntN(3), rnd.IntN(2) == 0
			align := int64(1) << rnd.IntN(2)
			checks := m.CheckAccess(s, p, Access{Size: m.Int(uint64(n)), Align: align, Write: write})
			most := int64(rnd.IntN(7) - 1)
			inside := m.Dereferenceable(s, p, m.IntS(most))
			value := rnd.Uint32()
			var read smt.Term
			if write {
				m.Store(s, p, c.Int(int(8*n), uint64(value)&(1<<(8*n)-1)), n)
			} else {
				read = m.Load(s, p, n)
			}
			for _, x := range all {
				if x.ended {
					continue
				}
				to := denotes(x)
				if got := x.eval.EvalBool(inside); got != x.dereferenceable(to, most) {
					t.Fatalf("seed %d: %d bytes at %s are dereferenceable: %v", seed, most, c.String(p), got)
				}
				want, got := x.violates(to, n, align, write), found.Kind("")
				for _, k := range checks {
					if !x.eval.EvalBool(k.Cond) {
						got = k.Kind
						break
					}
				}
				if got != want {
					t.Fatalf("seed %d: %d bytes at %s violate %q, want %q", seed, n, c.String(p), got, want)
				}
				if x.ended = want != ""; x.ended {
					failures[want]++
					continue
				}
				at := x.bytes[to.object.ID][to.off : to.off+n]
				word := make([]byte, 4)
				if write {
					order.PutUint32(word, value)
					if m.BigEndian {
						copy(at, word[4-n:])
					} else {
						copy(at, word)
					}
					x.modified[to.object.ID] = true
					continue
				}
				if m.BigEndian {
					copy(word[4-n:], at)
				} else {
					copy(word, at)
				}
				if reads++; x.eval.EvalUint(read) != uint64(order.Uint32(word)) {
					t.Fatalf("seed %d: %d bytes at %s are %#x, want %#x", seed, n, c.String(p), x.eval.EvalUint(read),
						order.Uint32(word))
				}
			}
		}
		for _, x := range all {
			for _, o := range objects[:4] {
				if got := x.eval.EvalBool(m.Modified(s, o.ID)); !x.ended && got != x.modified[o.ID] {
					t.Fatalf("seed %d: object %d is modified: %v", seed, o.ID, got)
				}
				for k, want := range x.bytes[o.ID] {
					if got := x.eval.EvalUint(m.Read(s.Content(o.ID), m.Int(uint64(k)), 1)); !x.ended && got != uint64(want) {
						t.Fatalf("seed %d: byte %d of object %d is %#x, want %#x", seed, k, o.ID, got, want)
					}
				}
			}
		}
	}
	t.Logf("%d values were read; violations: %v", reads, failures)
	if reads < 500 || len(failures) != 8 {
		t.Error("too few")
	}
}

// TestIsWhole checks that only a write of all bytes makes the old content irrelevant.
func TestIsWhole(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	o := object(m, m.NewState(), "a", 8)
	for _, x := range []struct {
		off, n smt.Term
		want   bool
	}{
		{m.Int(0), m.Int(8), true}, {m.Int(0), m.Int(7), false}, {m.Int(0), m.Int(9), false}, {m.Int(1), m.Int(8), false},
		{m.Int(0), c.Var("n", smt.BV(64)), false}, {c.Var("at", smt.BV(64)), m.Int(8), false},
	} {
		if got := m.IsWhole(Candidate{Obj: o.ID, Cond: c.True(), Off: x.off}, x.n); got != x.want {
			t.Errorf("%s bytes at %s of 8 are all: %v", c.String(x.n), c.String(x.off), got)
		}
	}
}
