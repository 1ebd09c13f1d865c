package vcgen

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// TestArrivals: what is false at an arrival at the head of a loop, in an execution, is no invariant, whoever says so;
// and what is true at all of them, or may be as far as the execution tells, is not complained of.
func TestArrivals(t *testing.T) {
	m := program(t, `entry:
%n = call zeroext i8 @nd_uint8_t() @2
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end @4
body:
%j = add i8 %i, 1
br label %head
end:
%e = icmp ule i8 %i, %n
call void @sassert(i1 %e) @7
ret i32 0 @9
`)
	x := induct(t.Context(), m, "main", Options{Checks: found.DefaultChecks()}, func(c *smt.Context) (smt.Solver, error) {
		return &smttest.Enumerator{C: c, Queries: new(int)}, nil
	}, []string{"main#1"}, extent{loops: language.LoopsChecked})
	if x == nil || len(x.finder.heads) != 1 || len(x.finder.heads[0].Places) != 1 {
		t.Fatal("no loop was cut")
	}
	if !x.refuted.None() {
		t.Fatalf("what was found: %+v", x.refuted)
	}
	in, c, i, n := x.finder, x.c, x.finder.heads[0].Places[0].Sym, smt.Term(0)
	for _, input := range x.log.Inputs {
		if input.Kind == choice.Nondet {
			n = input.Value
		}
	}
	if states, _ := in.attack(); states < maxArrivals/2 {
		t.Errorf("%d states", states)
	}
	forAll := func(of func(y smt.Term) smt.Term) {
		in.addAll(0, c.Var("witness", smt.BV(8)), of, lemma{text: "planted"})
	}
	for _, q := range []struct {
		name  string
		plant func()
		wrong bool
	}{
		{"at most n", func() { in.add(0, "planted", c.Ule(i, n)) }, false},
		{"less than n", func() { in.add(0, "planted", c.Ult(i, n)) }, true},
		{"at most 3", func() { in.add(0, "planted", c.Ule(i, c.Int(8, 3))) }, true},
		{"the first iteration", func() { in.add(0, "planted", in.heads[0].First) }, true},
		{"of all elements", func() {
			forAll(func(y smt.Term) smt.Term { return c.Implies(c.Ult(y, i), c.Ult(y, n)) })
		}, false},
		{"not of all elements", func() {
			forAll(func(y smt.Term) smt.Term { return c.Implies(c.Ule(y, i), c.Ult(y, n)) })
		}, true},
	} {
		t.Run(q.name, func(t *testing.T) {
			found := in.lemmas[0]
			in.lemmas[0] = nil
			q.plant()
			planted := len(in.lemmas[0])
			_, defect := in.attack()
			if in.lemmas[0] = found; planted != 1 {
				t.Fatal("nothing was planted")
			}
			if defect.None() == q.wrong || q.wrong && !strings.Contains(defect.Text, "(planted)") {
				t.Errorf("%+v", defect)
			}
		})
	}
}
