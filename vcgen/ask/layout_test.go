package ask

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestWitnessed checks that a model with a false axiom proves nothing about the symbols of that axiom. The same holds
// for symbols that other axioms connect to them; for all other symbols the model is valid.
func TestWitnessed(t *testing.T) {
	c := smt.NewContext()
	x := New(c, nil, Options{})
	model := smt.NewModel()
	names, values := []string{"a", "b", "behind", "beside"}, []uint64{5, 3, 9, 1}
	vars := make([]smt.Term, len(names))
	for i, name := range names {
		vars[i] = c.Var(name, 8)
		x.visited[vars[i]] = true // no address of an object
		model.SetVar(vars[i], smt.UintValue(8, values[i]))
	}
	m := &Model{Evaluator: c.NewEvaluator(model)}
	is := func(i int, value uint64) smt.Term { return c.Eq(vars[i], c.Int(8, value)) }
	if !x.Witnessed(m, is(0, 5)) {
		t.Error("without axioms, what the model says of a does not count")
	}
	x.axiom(c.Ult(vars[0], vars[1])) // false in the model
	x.axiom(c.Ult(vars[1], vars[2]))
	for i, want := range []bool{false, false, false, true} {
		if got := x.Witnessed(m, c.And(is(i, values[i]), is(3, 1))); got != want {
			t.Errorf("%s: %v, want %v", names[i], got, want)
		}
	}
	if x.Witnessed(m, is(3, 2)) {
		t.Error("what does not hold in the model counts")
	}
	x.axiom(c.Ult(vars[3], vars[0])) // true in the model; connects symbols
	if x.Witnessed(m, is(3, 1)) {
		t.Error("what a later axiom connects counts")
	}
}
