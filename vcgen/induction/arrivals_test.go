package induction

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// feasible is an oracle for which every iteration is feasible.
type feasible struct{}

func (feasible) Feasible(context.Context, smt.Term, smt.Term) bool { return true }

// cutAtLoops unfolds a module with its loops cut at their heads.
func cutAtLoops(t *testing.T, text string, loops ...string) *Finder {
	t.Helper()
	m, err := clangir.Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cut := unfold.NewInduction(loops)
	for {
		c := smt.NewContext()
		asker := ask.New(c, func(c *smt.Context) (smt.Solver, error) {
			return &smttest.Enumerator{C: c, Queries: new(int)}, nil
		}, ask.Options{})
		prog, err := unfold.Run(t.Context(), m, "main", c, feasible{}, unfold.Options{
			Semantics:     found.Semantics{Checks: found.DefaultChecks()},
			LoopContracts: language.LoopsChecked, Induction: cut, NoFacts: true, NoCursors: true, Bind: asker.Bind})
		if errors.Is(err, unfold.ErrRepeat) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !cut.Changed {
			in := New(Program{Module: m, Entry: "main", C: c, Unfolded: prog, Heads: cut.Heads,
				User: func(string) bool { return true }}, asker)
			t.Cleanup(in.Close)
			return in
		}
	}
}

// TestArrivals checks that a condition that is false at an arrival at a loop head is reported. A condition that is
// true at all arrivals, or may be true as far as the execution shows, is not.
func TestArrivals(t *testing.T) {
	in := cutAtLoops(t, `define i32 @main() {
entry:
%n = call zeroext i8 @nd_uint8_t()
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end
body:
%j = add i8 %i, 1
br label %head
end:
%e = icmp ule i8 %i, %n
call void @sassert(i1 %e)
ret i32 0
}
declare zeroext i8 @nd_uint8_t()
declare void @sassert(i1)
`, "main#1")
	opts := interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}, MaxSteps: 1_000_000}
	attack := func() (states int, defect found.Reason) { return in.Attack(t.Context(), opts, func(int64) {}) }
	if len(in.heads) != 1 || len(in.heads[0].Places) != 1 {
		t.Fatal("no loop was cut")
	}
	if !in.Find(t.Context()) {
		t.Fatal("nothing was found")
	}
	in.Conclude()
	if _, defect := attack(); !defect.None() {
		t.Fatalf("what was found: %+v", defect)
	}
	c, i, n := in.c, in.heads[0].Places[0].Sym, smt.Term(0)
	for _, input := range in.log.Inputs {
		if input.Kind == choice.Nondet {
			n = input.Value
		}
	}
	if states, _ := attack(); states < maxArrivals/2 {
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
			_, defect := attack()
			if in.lemmas[0] = found; planted != 1 {
				t.Fatal("nothing was planted")
			}
			if defect.None() == q.wrong || q.wrong && !strings.Contains(defect.Text, "(planted)") {
				t.Errorf("%+v", defect)
			}
		})
	}
}

// TestLaterArrivals checks a loop with a contract, which is cut at the second arrival at its head. Its invariants are
// compared with the states there and later, and not with the first.
func TestLaterArrivals(t *testing.T) {
	in := cutAtLoops(t, `define i32 @main() {
entry:
%at = alloca i8
%mode = alloca i8
store i8 0, ptr %at
store i8 1, ptr %mode
%n = call zeroext i8 @nd_uint8_t()
br label %head
head:
%m = load i8, ptr %mode
%first = icmp ne i8 %m, 0
br i1 %first, label %begin, label %checked
begin:
store i8 0, ptr %mode
call void @__unitproof_frame_begin(i32 1)
call void @__unitproof_frame_written(i32 0)
br label %checked
checked:
%i = load i8, ptr %at
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end
body:
%j = add i8 %i, 1
store i8 %j, ptr %at
br label %head
end:
ret i32 0
}
declare zeroext i8 @nd_uint8_t()
declare void @__unitproof_frame_begin(i32)
declare void @__unitproof_frame_written(i32)
`, "main#1")
	if len(in.heads) != 1 || in.heads[0].Before != 1 || !in.Find(t.Context()) {
		t.Fatal("the loop is not cut at the second arrival")
	}
	in.Conclude()
	opts := interp.Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}, MaxSteps: 1_000_000,
		LoopContracts: language.LoopsChecked}
	c := in.c
	for least, wrong := range map[uint64]bool{1: false, 2: true} {
		found := in.lemmas[0]
		in.lemmas[0] = nil
		in.add(0, "planted", c.Ule(c.Int(8, least), in.heads[0].Places[0].Sym))
		states, defect := in.Attack(t.Context(), opts, func(int64) {})
		if in.lemmas[0] = found; !wrong && states < maxArrivals/2 || defect.None() == wrong {
			t.Errorf("at least %d: %d states, %+v", least, states, defect)
		}
	}
}
