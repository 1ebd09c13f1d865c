package induction

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// TestOfMembers checks that a condition on two arbitrary members holds only if both exist, and that its instances keep
// the premise of the other member: without it, a condition on no member would become one on an object.
func TestOfMembers(t *testing.T) {
	in, h := places(t, 8, []int64{1})
	c := in.c
	boolean := func(name string) smt.Term { return c.Var(name, smt.Bool) }
	number := func(name string) smt.Term { return c.Var(name, smt.BV(8)) }
	exists := []smt.Term{boolean("node exists"), boolean("other exists")}
	data := []smt.Term{number("node data"), number("other data")}
	objects := [][]smt.Term{{boolean("first"), number("first data")}, {boolean("second"), number("second data")}}
	h.Generics = []*unfold.Generic{
		{Exists: exists[0], Data: data[:1], Members: objects[:1]},
		{Exists: exists[1], Data: data[1:], Members: objects[1:]},
	}
	fact := c.Ule(data[0], data[1])
	got, instances := in.ofMembers(0, fact)
	if len(instances) != 2 {
		t.Fatalf("%d instances", len(instances))
	}
	for name, x := range map[string]struct{ got, exists, fact smt.Term }{
		"two arbitrary members": {got, c.And(exists[0], exists[1]), fact},
		"an object first":       {instances[0], c.And(objects[0][0], exists[1]), c.Ule(objects[0][1], data[1])},
		"an object second":      {instances[1], c.And(exists[0], objects[1][0]), c.Ule(data[0], objects[1][1])},
	} {
		for n := range 1 << 6 { // the premises, and numbers that violate the condition or not
			m := smt.NewModel()
			for i, s := range []smt.Term{exists[0], exists[1], objects[0][0], objects[1][0]} {
				m.SetVar(s, smt.BoolValue(n>>i&1 == 1))
			}
			for i, s := range []smt.Term{data[0], data[1], objects[0][1], objects[1][1]} {
				m.SetVar(s, smt.UintValue(8, uint64(n>>4+3*i)&3))
			}
			e := c.NewEvaluator(m)
			if e.EvalBool(x.got) != (!e.EvalBool(x.exists) || e.EvalBool(x.fact)) {
				t.Errorf("%s: %s", name, c.String(x.got))
				break
			}
		}
	}
	if one, instances := in.ofMembers(0, c.Eq(data[0], c.Int(8, 3))); len(instances) != 1 ||
		one != c.Implies(exists[0], c.Eq(data[0], c.Int(8, 3))) {
		t.Errorf("of one member: %s, %d instances", c.String(one), len(instances))
	}
	if other, instances := in.ofMembers(0, c.Eq(h.Places[0].Sym, c.Int(8, 3))); len(instances) > 0 ||
		other != c.Eq(h.Places[0].Sym, c.Int(8, 3)) {
		t.Errorf("of no member: %s, %d instances", c.String(other), len(instances))
	}
}
